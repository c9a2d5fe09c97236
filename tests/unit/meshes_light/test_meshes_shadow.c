/* test_meshes_shadow.c - shadows of opaque and transparent squares, compared with rays in double precision. */
#include "test_shade.h"

static const f64 pane_color[PANES][3] = {{1, 0.2, 0.1}, {0.1, 0.9, 0.3}, {0.2, 0.3, 1}};
static const f64 pane_opacity[PANES] = {0.8, 0.5, 0.9};

/* --- rays --- */

/* Does a ray meet a square within `most`? `x` and `y`: where, from -1 to 1. */
static bool is_met_at(const Stage* s, Entity square, Vec from, Vec along, f64 max, f64* x, f64* y) {
    const Mat34* m = ent_transform_world(s->world, square);
    const Vec    a = column(m, 0), b = column(m, 1), o = column(m, 3), n = unit(cross(a, b));
    const f64    far = dot(add(o, times(from, -1)), n) / dot(along, n);
    const Vec    d = add(add(from, times(along, far)), times(o, -1));
    *x = dot(d, a) / dot(a, a);
    *y = dot(d, b) / dot(b, b);
    return far > 1e-6 && far < max && fabs(*x) <= 1 && fabs(*y) <= 1;
}

static bool is_met(const Stage* s, Entity square, Vec from, Vec along, f64 max) {
    f64 x, y;
    return is_met_at(s, square, from, along, max, &x, &y);
}

static Vec filter_of(u32 pane, f64 x) {
    const bool no_red = pane == 0 && x > 0;
    const Vec  color =
        vec(no_red ? 0 : pane_color[pane][0], pane_color[pane][1], pane_color[pane][2]);
    return add(times(vec(1, 1, 1), 1 - pane_opacity[pane]), times(color, pane_opacity[pane]));
}

/* The colour that the light between a point and a light has. `own`: the square with the point. */
static Vec passed(const Shade* t, u32 lit_panel, Vec at, Vec to_light, f64 max) {
    const Stage* s = &t->stage;
    Vec          color = vec(1, 1, 1);
    for (u32 i = 0; i < PANELS; i++)
        if (i != lit_panel && is_met(s, s->panel[i], at, to_light, max)) return vec(0, 0, 0);
    for (u32 i = 0; i < t->casters; i++) {
        f64 x, y;
        if (!is_met_at(s, t->pane[i], at, to_light, max, &x, &y)) continue;
        if (i < PANES)
            color = mul(color, filter_of(i, x));
        else if (i == MASK ? x < 0 : fabs(x - 0.5) < 0.5 && fabs(y) < 0.5)
            return vec(0, 0, 0);
    }
    return color;
}

static bool are_equal(Vec a, Vec b) {
    return fabs(a.x - b.x) + fabs(a.y - b.y) + fabs(a.z - b.z) < 1e-9;
}

/* The size of a texel of the map of a light at a point; 0: no map has it. */
static f64 texel_at(const Shade* t, u32 row, Vec at) {
    const Shadows* shadows = &t->stage.meshes->lighting->shadows;
    const u32      word = shadows->lights.row[row], count = word >> 16 & 0xff;
    const u32      first = (word & 0xffff) - 1;
    for (u32 k = 0; k < count; k++) {
        const ShadowMap* m = &shadows->table.map[first + k];
        const f64        x = dot(vec((f64)m->x.x, (f64)m->x.y, (f64)m->x.z), at) + (f64)m->x.w;
        const f64        y = dot(vec((f64)m->y.x, (f64)m->y.y, (f64)m->y.z), at) + (f64)m->y.w;
        const f64        w = dot(vec((f64)m->w.x, (f64)m->w.y, (f64)m->w.z), at) + (f64)m->w.w;
        const f64        inside = (1 - 2 * (f64)SHADOWS_BORDER / (f64)m->side) * w * 1.0001;
        if (w > 0 && fmax(fabs(x), fabs(y)) <= inside) return (f64)m->texel_m * w;
    }
    return 0;
}

/* Does a ray pass a square from whose side it comes? Its shadow may be thinner than a texel. */
static bool is_grazed(const Shade* t, Entity square, Vec at, Vec to_light) {
    const Mat34* m = ent_transform_world(t->stage.world, square);
    const Vec    a = column(m, 0), b = column(m, 1), d = add(column(m, 3), times(at, -1));
    const Vec    distance = add(d, times(to_light, -dot(d, to_light)));
    return fabs(dot(unit(cross(a, b)), to_light)) < 0.15 &&
           sqrt(dot(distance, distance)) < 1.6 * sqrt(dot(a, a));
}

static bool is_any_grazed(const Shade* t, u32 lit_panel, Vec at, Vec to_light) {
    for (u32 i = 0; i < PANELS; i++)
        if (i != lit_panel && is_grazed(t, t->stage.panel[i], at, to_light)) return true;
    for (u32 i = 0; i < t->casters; i++)
        if (is_grazed(t, t->pane[i], at, to_light)) return true;
    return false;
}

/* What arrives of a light, if it is the same within two texels of the map around the point. */
static bool is_sure(const Shade* t, u32 row, const Hit* hit, Vec to_light, f64 max, Vec* color) {
    const f64 texel = texel_at(t, row, hit->at), facing = dot(hit->normal, to_light);
    const Vec aside = unit(cross(to_light, fabs(to_light.x) < 0.7 ? vec(1, 0, 0) : vec(0, 1, 0))),
              other = cross(to_light, aside);
    *color = passed(t, hit->panel, hit->at, to_light, max);
    if (texel == 0 && max < 1e9) /* only cascades need not have every lit point */
        fail_msg("no map of light %u has %.2f, %.2f, %.2f", row, hit->at.x, hit->at.y, hit->at.z);
    if (texel == 0 || facing < 0.15 || is_any_grazed(t, hit->panel, hit->at, to_light))
        return false;
    for (u32 k = 0; k < 64; k++) {
        const f64 angle = 6.2831853 * (k / 4) / 16, distance = texel * 0.5 * (1 + k % 4);
        Vec       at = add(add(hit->at, times(aside, distance * cos(angle))),
                           times(other, distance * sin(angle)));
        const f64 lift = dot(add(hit->at, times(at, -1)), hit->normal) / facing;
        at = add(at, times(to_light, lift)); /* back on the plane of the square */
        if (!are_equal(*color, passed(t, hit->panel, at, to_light, max))) return false;
    }
    return true;
}

/* The colour of a sample under lights with shadows, and without them. */
static bool expected_of(const Shade* t, const Hit* hit, Vec* lit_color, Vec* open_color) {
    const Stage*    s = &t->stage;
    const LightRows rows = ent_light_rows(s->world);
    const Vec       base =
        vec(look_color[hit->panel][0], look_color[hit->panel][1], look_color[hit->panel][2]);
    *lit_color = *open_color = vec(0, 0, 0);
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34* m = ent_transform_world(s->world, rows.entity[i]);
        Vec          l, color;
        const Vec    light = arriving(&rows.record[i], m, hit->at, &l);
        const Vec    d = add(column(m, 3), times(hit->at, -1));
        const f64    max = rows.record[i].kind == LIGHT_DIRECTIONAL ? 1e9 : sqrt(dot(d, d));
        const Vec    open = mul(light, reflected(base, look_metallic[hit->panel],
                                                 look_rough[hit->panel], hit->normal, hit->to_eye, l));
        if (open.x + open.y + open.z == 0) continue;
        if (!is_sure(t, i, hit, l, max, &color)) return false;
        *open_color = add(*open_color, open);
        *lit_color = add(*lit_color, mul(open, color));
    }
    return true;
}

/* Also a part of the sample. */
static bool is_behind_pane(const Shade* t, u32 i) {
    for (u32 n = 0; n < 5; n++) {
        const f64 x = n & 1 ? -0.2 : 1.2, y = n & 2 ? -0.2 : 1.2;
        Vec       from, along;
        ray_of(&t->stage.eye, i % WIDTH + (n < 4 ? x : 0.5), i / WIDTH + (n < 4 ? y : 0.5), &from,
               &along);
        for (u32 k = 0; k < t->casters; k++)
            if (is_met(&t->stage, t->pane[k], from, along, 1e9)) return true;
    }
    return false;
}

static void shadow_compare(const u16* color, Vec lit_color, Vec open_color, u32 scene, u32 i) {
    const f64 wanted[3] = {lit_color.x, lit_color.y, lit_color.z},
              max[3] = {open_color.x, open_color.y, open_color.z};
    for (u32 c = 0; c < 3; c++) {
        const f64 found = half_of(color[c]);
        if (fabs(found - wanted[c]) > max[c] * 0.02 + 0.002)
            fail_msg("scene %u, sample %u, %u: channel %u is %g, not %g of %g", scene, i % WIDTH,
                     i / WIDTH, c, found, wanted[c], max[c]);
    }
}

/* What a sample with enough light proves. */
typedef struct Samples {
    u32 compared, dark, colored;
} Samples;

static void sample_count(Samples* n, Vec lit, Vec open) {
    const f64 x = lit.x / open.x, y = lit.y / open.y, z = lit.z / open.z;
    const f64 max = fmax(x, fmax(y, z)), min = fmin(x, fmin(y, z));
    n->compared++;
    if (fmin(open.x, fmin(open.y, open.z)) < 0.02) return;
    n->dark += max < 0.5;
    n->colored += max - min > 0.1;
}

static void shadows_of_squares_equal_those_of_rays(void** state) {
    Shade   t;
    Samples n = {0};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open_level(&t, "casters", CASTERS, &small);
    for (u32 scene = 0; scene < (SANITIZED ? 4 : 9); scene++) {
        shade_random(&t, scene);
        stage_draw(&t.stage);
        u16* colors = colors_of(&t.stage);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Hit hit;
            Vec lit_color, open_color;
            if (!is_clear(&t.stage, i % WIDTH, i / WIDTH, &hit) || is_behind_pane(&t, i)) continue;
            if (!expected_of(&t, &hit, &lit_color, &open_color)) continue;
            shadow_compare(colors + i * 4, lit_color, open_color, scene, i);
            sample_count(&n, lit_color, open_color);
        }
        free(colors);
    }
    print_message("%u samples, %u of them dark, %u coloured\n", n.compared, n.dark, n.colored);
    assert_true(n.compared > (SANITIZED ? 2000 : 15000) && n.dark > n.compared / 100 &&
                n.colored > n.compared / 100);
    stage_close(&t.stage);
}

/* --- transparent surfaces --- */

/* Three panes below each other under a vertical light, half of them under an opaque square; nothing behind them. */
static void panes_stack(Shade* t, bool reversed) {
    Stage*     s = &t->stage;
    const Quat flat = {-0.70710678f, 0, 0, 0.70710678f}, down = flat;
    scene_random(s, 0);
    for (u32 i = 0; i < PANELS; i++)
        entity_place(s, s->panel[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    entity_place(s, s->panel[1], (Vec3){-1.5f, 2.2f, 0}, flat, 1);
    for (u32 i = 0; i < PANES; i++)
        entity_place(s, t->pane[reversed ? PANES - 1 - i : i], (Vec3){0, 1.2f - 1.4f * (f32)i, 0},
                     flat, 1);
    light_cast(t, LIGHT_DIRECTIONAL, (Vec3){0, 5, 0}, down, 2);
    s->view.pose.m[1][3] = 2.5f;
    s->view.pose.m[1][1] = s->view.pose.m[2][2] = cosf(0.4f);
    s->view.pose.m[1][2] = sinf(0.4f);
    s->view.pose.m[2][1] = -sinf(0.4f);
    s->view.exposure = 0;
    s->view.dimmed = 1;
    ent_transform_update(s->world);
}

/* The only pane in a sample, or PANES. */
static u32 pane_at(const Shade* t, u32 i, Vec* at) {
    Vec from, along;
    u32 found = PANES, count = 0;
    for (u32 k = 0; k < PANES; k++) {
        u32 hits = 0;
        for (u32 n = 0; n < 5; n++) { /* the whole sample */
            ray_of(&t->stage.eye, i % WIDTH + (n & 1 ? 1.5 : -0.5) * (n < 4) + 0.5 * (n == 4),
                   i / WIDTH + (n & 2 ? 1.5 : -0.5) * (n < 4) + 0.5 * (n == 4), &from, &along);
            hits += is_met(&t->stage, t->pane[k], from, along, 1e9);
        }
        if (hits == 0) continue;
        if (hits < 5) return PANES;
        const Mat34* m = ent_transform_world(t->stage.world, t->pane[k]);
        *at = add(from, times(along, (column(m, 3).y - from.y) / along.y));
        found = k;
        count++;
    }
    return count == 1 ? found : PANES;
}

/* With two depths, the uppermost pane is lit, and those below it by the product of all filters. */
static Vec pane_expected(const Shade* t, u32 pane, Vec at, bool is_simple) {
    const f64 top = column(ent_transform_world(t->stage.world, t->pane[pane]), 3).y;
    Vec       color = vec(1, 1, 1);
    bool      is_covered = false;
    if (fabs(at.x) > 0.9 || fabs(at.z) > 0.9 || fabs(at.x + 0.5) < 0.1 || fabs(at.x) < 0.1)
        return vec(-1, 0, 0);
    if (at.x < -0.5) return vec(0, 0, 0);
    for (u32 k = 0; k < PANES; k++) {
        is_covered |= column(ent_transform_world(t->stage.world, t->pane[k]), 3).y > top;
        color = mul(color, filter_of(k, at.x));
    }
    return is_covered && !is_simple ? color : vec(1, 1, 1);
}

/* Turns the only light off. */
static void light_dim(Shade* t) {
    static const u32 first = 0;
    World* const     world = t->stage.world;
    ent_light_rows(world).record[first].intensity = 0;
    ent_manager_changed(ent_world_built_in(world, COMPONENT_LIGHT), &first, 1);
}

static void panes_receive_shadows_as_their_variant_states(void** state) {
    Shade t;
    u32   compared[2][PANES] = {{0}};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    for (u32 run = 0; run < 4; run++) {
        const bool is_simple = run & 1;
        u16*       colors[3]; /* with shadows, without, and without light */
        panes_stack(&t, run & 2);
        for (u32 k = 0; k < 3; k++) {
            t.stage.view.shadows = k           ? ENT_CANVAS_SHADOWS_OFF
                                   : is_simple ? ENT_CANVAS_SHADOWS_SIMPLE
                                               : ENT_CANVAS_SHADOWS_TWO_DEPTHS;
            if (k == 2) light_dim(&t);
            stage_draw(&t.stage);
            colors[k] = colors_of(&t.stage);
        }
        for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
            Vec       at;
            const u32 pane = pane_at(&t, i, &at);
            if (pane == PANES) continue;
            const Vec wanted = pane_expected(&t, pane, at, is_simple);
            if (wanted.x < 0) continue;
            for (u32 c = 0; c < 3; c++) {
                const f64 rest = half_of(colors[2][i * 4 + c]);
                const f64 open = half_of(colors[1][i * 4 + c]) - rest,
                          found = half_of(colors[0][i * 4 + c]) - rest;
                const f64 share = c == 0 ? wanted.x : c == 1 ? wanted.y : wanted.z;
                if (fabs(found - share * open) > 0.02 * open + 0.002)
                    fail_msg("run %u, pane %u at %.2f, %.2f: channel %u is %g, not %g of %g", run,
                             pane, at.x, at.z, c, found, share, open);
            }
            compared[run & 1][pane]++;
        }
        for (u32 k = 0; k < 3; k++) free(colors[k]);
    }
    for (u32 k = 0; k < 2 * PANES; k++) assert_true(compared[k / PANES][k % PANES] > 50);
    stage_close(&t.stage);
}

static void elements_reverse(const GpuBuffer* buffer, u32 count, size_t size) {
    u8* from = malloc(count * size);
    u8* to = malloc(count * size);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, from, count * size), ENT_OK);
    for (u32 i = 0; i < count; i++) memcpy(to + i * size, from + (count - 1 - i) * size, size);
    assert_int_equal(gpu_upload(gpu_for_test(), buffer, 0, to, count * size), ENT_OK);
    free(from);
    free(to);
}

/* The draws of blended parts in the opposite order: filters are multiplied in that order. */
static void blended_reverse(const Stage* s) {
    const MeshesBlend* blend = &s->meshes->blend;
    elements_reverse(&blend->draws, blend->count, sizeof(MeshDraw));
    elements_reverse(&blend->commands, blend->count, sizeof(VkDrawIndexedIndirectCommand));
}

static void order_of_transparent_surfaces_does_not_matter(void** state) {
    Shade t;
    u32   colored = 0;
    u16*  colors[2];
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    Stage* const s = &t.stage;
    panes_stack(&t, false);
    entity_place(s, s->panel[0], (Vec3){0, -2.5f, 0}, (Quat){-0.70710678f, 0, 0, 0.70710678f}, 4);
    ent_transform_update(s->world);
    for (u32 k = 0; k < 2; k++) {
        stage_draw(s);
        colors[k] = colors_of(s);
        blended_reverse(s);
        shadows_set(&s->meshes->lighting->shadows, &small); /* all maps are drawn again */
    }
    for (u32 i = 0; i < WIDTH * HEIGHT * 4; i++) {
        const f64 first = half_of(colors[0][i]), second = half_of(colors[1][i]);
        if (fabs(first - second) > 2.0 / 255 * fmax(first, second)) /* the filter has 8 bits */
            fail_msg("colour %u: %g and %g", i, first, second);
        colored += i % 4 == 0 && first > 2 * half_of(colors[0][i + 1]);
    }
    assert_true(colored > 20);
    free(colors[0]);
    free(colors[1]);
    stage_close(s);
}

/* A square under water whose normals are the same everywhere; half of the water is under an opaque square. */
static void waters_stack(Shade* t) {
    const Quat   flat = {-0.70710678f, 0, 0, 0.70710678f};
    Stage* const s = &t->stage;
    panes_stack(t, false);
    for (u32 i = 0; i < PANES; i++) entity_place(s, t->pane[i], (Vec3){0, 0, 100}, flat, 1);
    entity_place(s, s->panel[0], (Vec3){0, -1, 0}, flat, 3);
    entity_place(s, t->water, (Vec3){0, 6, 0}, flat, 3); /* above the picture */
    entity_place(s, s->panel[1], (Vec3){-3.5f, 7, 0}, flat, 3);
    ent_transform_update(s->world);
}

/* Is the light of the square that without shadows times `wanted`, and none under the opaque square? */
static void waters_compare(Shade* t, const f64* wanted, f64 max) {
    Stage* const s = &t->stage;
    u32          compared[2] = {0};
    u16*         colors[2];
    for (u32 k = 0; k < 2; k++) {
        s->view.shadows = k ? ENT_CANVAS_SHADOWS_OFF : ENT_CANVAS_SHADOWS_TWO_DEPTHS;
        stage_draw(s);
        colors[k] = colors_of(s);
    }
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        Hit hit;
        if (!is_clear(s, i % WIDTH, i / WIDTH, &hit) || hit.panel != 0) continue;
        if (fabs(hit.at.x) > 2.6 || fabs(hit.at.z) > 2.6 || fabs(hit.at.x + 0.5) < 0.15) continue;
        const bool is_dark = hit.at.x < -0.5;
        for (u32 c = 0; c < 3; c++) {
            const f64 open = half_of(colors[1][i * 4 + c]), found = half_of(colors[0][i * 4 + c]);
            if (fabs(found / open - (is_dark ? 0 : wanted[c])) > max)
                fail_msg("at %.2f, %.2f: channel %u is %g of %g, not %g times it", hit.at.x,
                         hit.at.z, c, found, open, is_dark ? 0 : wanted[c]);
        }
        compared[is_dark]++;
    }
    assert_true(compared[0] > 100 && compared[1] > 30);
    free(colors[0]);
    free(colors[1]);
}

static f64 water_slope(void) {
    const f64 x = 188 / 127.5 - 1, y = 100 / 127.5 - 1;
    return 1 - sqrt(1 - x * x - y * y);
}

static void caustics_brighten_surfaces_below_water(void** state) {
    const f64 more = water_slope() * 8, wanted[3] = {0.8 + more, 0.92 + more, 1 + more};
    Shade     t;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    waters_stack(&t);
    waters_compare(&t, wanted, 0.06);
    stage_close(&t.stage);
}

/* As if they were authored with another strength. */
static void caustics_set(const Shade* t, f32 strength) {
    const Meshes* m = t->stage.meshes;
    const u32     count = (u32)(m->geometry.material_table.bytes / sizeof(MeshMaterial));
    MeshMaterial* materials = malloc(count * sizeof *materials);
    assert_int_equal(gpu_download(gpu_for_test(), &m->geometry.material_table, 0, materials,
                                  count * sizeof *materials),
                     ENT_OK);
    for (u32 i = 0; i < count; i++)
        if (materials[i].caustics > 0) materials[i].caustics = strength;
    assert_int_equal(gpu_upload(gpu_for_test(), &m->geometry.material_table, 0, materials,
                                count * sizeof *materials),
                     ENT_OK);
    free(materials);
    shadows_set(&t->stage.meshes->lighting->shadows, &small); /* all maps are drawn again */
}

static void caustics_of_waters_add_up_to_sixteen_times_the_light_at_most(void** state) {
    static const f32 strengths[] = {8, 50, 100};
    Shade            t;
    u32              row;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    shade_open(&t, &small);
    waters_stack(&t);
    const Entity      other = entity_add(&t.stage, "mesh", &row);
    MeshRecord* const record = ent_mesh_rows(t.stage.world).record;
    record[row] = record[PANELS + PANES];
    entity_place(&t.stage, other, (Vec3){0, 5.5f, 0}, (Quat){-0.70710678f, 0, 0, 0.70710678f}, 3);
    ent_transform_update(t.stage.world);
    stage_draw(&t.stage);
    for (u32 i = 0; i < COUNT_OF(strengths); i++) {
        const f64 more = fmin(2 * water_slope() * (f64)strengths[i], 16);
        const f64 wanted[3] = {0.8 * 0.8 + more, 0.92 * 0.92 + more, 1 + more};
        caustics_set(&t, strengths[i]);
        waters_compare(&t, wanted, 0.12);
    }
    stage_close(&t.stage);
}

/* --- failures --- */

/* Opens the level and draws it on a device whose n-th call fails. */
static ent_status drawn_with_fault(Shade* t, u32 fault_call, VkResult fault, bool* reached) {
    const CanvasDesc desc = {.width = 16, .height = 16, .samples = 1};
    Stage* const     s = &t->stage;
    Gpu*             gpu = NULL;
    Canvas*          canvas = NULL;
    void*            created = NULL;
    GpuProblem       problem = {0};
    ent_status       status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const GpuScene scene = {.world = s->world, .library = &s->library};
    status = test_system_create(ent_meshes_system(), &created, gpu, &scene, &problem);
    if (status == ENT_OK) status = ent_canvas_create(&canvas, gpu, &desc);
    if (status == ENT_OK) status = test_system_frame(ent_meshes_system(), created, gpu);
    if (status == ENT_OK) status = test_system_draw(ent_meshes_system(), created, canvas, &s->view);
    *reached = gpu->calls >= fault_call;
    ent_canvas_destroy(canvas);
    test_system_destroy(ent_meshes_system(), created);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void shadows_with_any_failing_vulkan_call_return_status(void** state) {
    u32   call = 20;
    bool  reached = true;
    Shade t;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    if (getenv("TEST_WIDTH")) return;
    shade_open(&t, &small);
    shade_random(&t, 2);
    for (; call < 1500; call += getenv("TEST_FULL") ? 1 : 83) {
        const VkResult   fault = call % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_DEVICE_LOST;
        const ent_status status = drawn_with_fault(&t, call, fault, &reached);
        if (!reached) break;
        if (status != (call % 2 ? ENT_NO_MEMORY : ENT_DEVICE_LOST))
            fail_msg("call %u: status %d", call, (int)status);
    }
    assert_true(call > 100 && call < 1500);
    stage_close(&t.stage);
}

static void shadows_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_shadow", 256);
}

TEST_SUITE(meshes_shadow) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shadows_of_squares_equal_those_of_rays),
        cmocka_unit_test(panes_receive_shadows_as_their_variant_states),
        cmocka_unit_test(order_of_transparent_surfaces_does_not_matter),
        cmocka_unit_test(caustics_brighten_surfaces_below_water),
        cmocka_unit_test(caustics_of_waters_add_up_to_sixteen_times_the_light_at_most),
        cmocka_unit_test(shadows_with_any_failing_vulkan_call_return_status),
        cmocka_unit_test(shadows_with_other_subgroup_sizes_are_the_same)};
    return gpu_suite_end(TEST_RUN("meshes_shadow", tests));
}
