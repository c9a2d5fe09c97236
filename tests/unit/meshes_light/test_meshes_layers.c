/* test_meshes_layers.c - blended surfaces: each sample has the sum of its layers, sorted by depth, against a sum in double
 * precision. Squares cross each other, and an opaque one hides what is behind it. */
#include "test_panels.h"

#include "lighting_internal.h"

enum { KINDS = 7, OPAQUE = 7, PANES_MAX = 224 }; /* materials, as in panels_script */

typedef struct Pane {
    Entity entity;
    u32    kind;
    Mat34  pose;
} Pane;

typedef struct Layers {
    Stage  stage;
    Pane   pane[PANES_MAX];
    u32    count;
    Pane   wall;
    Random random;
} Layers;

/* --- a plain model --- */

typedef struct Layer {
    f64 far; /* along the view */
    u32 kind, number;
} Layer;

static void color_of(u32 kind, f64 color[4]) {
    color[0] = (3 + kind * 5 % 8) / 11.0;
    color[1] = (2 + kind * 3 % 8) / 10.0;
    color[2] = (1 + kind) / 9.0;
    color[3] = kind == OPAQUE ? 1 : 0.02 + 0.03 * kind;
}

/* Where the ray of a sample meets a pane. False: it does not; `near_edge`: rounding decides. */
static bool pane_meets(const Layers* l, const Pane* p, f64 x, f64 y, f64* far, bool* near_edge) {
    const CanvasEye* eye = &l->stage.eye;
    const f64        u = x / WIDTH * 2 - 1, v = 1 - y / HEIGHT * 2;
    f64              ray[3], from[3], n[3], side[2] = {0};
    const f32        origin[3] = {eye->origin.x, eye->origin.y, eye->origin.z};
    const f32 *      right = &eye->right.x, *up = &eye->up.x, *forward = &eye->forward.x;
    f64              along = 0, start = 0;
    for (u32 i = 0; i < 3; i++) {
        ray[i] = (f64)forward[i] + (f64)right[i] * u + (f64)up[i] * v;
        from[i] = (f64)origin[i] - (f64)p->pose.m[i][3];
        n[i] = (f64)p->pose.m[i][2];
        along += ray[i] * n[i];
        start += from[i] * n[i];
    }
    *far = -start / along;
    for (u32 k = 0; k < 2; k++) {
        f64 size = 0;
        for (u32 i = 0; i < 3; i++) {
            side[k] += (from[i] + ray[i] * *far) * (f64)p->pose.m[i][k];
            size += (f64)p->pose.m[i][k] * (f64)p->pose.m[i][k];
        }
        side[k] = fabs(side[k] / size);
    }
    const f64 out = fmax(side[0], side[1]);
    *near_edge = *far > 0 && fabs(out - 1) < 0.02;
    return *far > (f64)l->stage.view.camera.near_m && out < 1;
}

static int layer_order(const void* a, const void* b) {
    const Layer *x = a, *y = b;
    return (x->far < y->far) - (x->far > y->far);
}

/* The colour of a sample; false: it depends on rounding. */
static bool sample_expected(const Layers* l, u32 i, f64 sum[3], u32* layers) {
    const f64 x = i % WIDTH + 0.5, y = i / WIDTH + 0.5;
    Layer     layer[PANES_MAX];
    f64       wall = 1e30, far;
    bool      near_edge;
    *layers = 0;
    if (pane_meets(l, &l->wall, x, y, &far, &near_edge)) wall = far;
    if (near_edge) return false;
    for (u32 k = 0; k < l->count; k++) {
        const bool meets = pane_meets(l, &l->pane[k], x, y, &far, &near_edge);
        if (near_edge || (meets && fabs(far - wall) < far * 1e-4)) return false;
        if (meets && far < wall) layer[(*layers)++] = (Layer){far, l->pane[k].kind, k};
    }
    if (wall == 1e30) return false; /* the background is not of this test */
    qsort(layer, *layers, sizeof *layer, layer_order);
    f64 color[4];
    color_of(OPAQUE, color);
    memcpy(sum, color, 3 * sizeof *sum);
    for (u32 k = 0; k < *layers; k++) {
        if (k > 0 && layer[k - 1].far - layer[k].far < layer[k].far * 1e-5) return false;
        color_of(layer[k].kind, color);
        for (u32 c = 0; c < 3; c++) sum[c] = sum[c] * (1 - color[3]) + color[c] * color[3];
    }
    return true;
}

/* --- scenes --- */

static Pane pane_add(Layers* l, u32 kind, Vec3 at, Quat turn, f32 scale) {
    return (Pane){.entity = thin_add(&l->stage, kind, at, turn, scale), .kind = kind};
}

/* Squares that cross each other before a wall, and behind it. `scale` 3: over all of the picture. */
static void panes_add(Layers* l, u32 count, f32 scale, f32 turn) {
    Stage* const s = &l->stage;
    added_destroy(s);
    l->count = count;
    for (u32 i = 0; i < count; i++) {
        const Vec3 at = {random_float(&l->random, -0.3f, 0.3f),
                         random_float(&l->random, -0.3f, 0.3f),
                         random_float(&l->random, -2.4f, 1.5f)};
        l->pane[i] = pane_add(l, i % KINDS, at, turn_random(&l->random, turn), scale);
    }
    l->wall = pane_add(l, OPAQUE, (Vec3){0, 0, -2}, (Quat){0, 0, 0, 1}, 6);
    ent_transform_update(s->world);
    for (u32 i = 0; i < count; i++)
        l->pane[i].pose = *ent_transform_world(s->world, l->pane[i].entity);
    l->wall.pose = *ent_transform_world(s->world, l->wall.entity);
}

static void layers_open(Layers* l) {
    *l = (Layers){.random = {11}};
    stage_open_level(&l->stage, "thin");
    Stage* const   s = &l->stage;
    const MeshRows rows = ent_mesh_rows(s->world);
    for (u32 i = 0; i < rows.count; i++)
        entity_place(s, rows.entity[i], (Vec3){0, 0, 100}, (Quat){0, 0, 0, 1}, 1);
    s->view = (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.7f, .near_m = 0.1f},
        .pose = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 5}}},
        .shows = ENT_CANVAS_SHOWS_ALBEDO};
}

static u16* layers_drawn(Layers* l) {
    Stage* const s = &l->stage;
    u16*         colors = malloc(WIDTH * HEIGHT * 4 * sizeof *colors);
    stage_draw(s);
    assert_int_equal(gpu_download(gpu_for_test(), &s->canvas->color, 0, colors,
                                  WIDTH * HEIGHT * 4 * sizeof *colors),
                     ENT_OK);
    return colors;
}

/* Returns how many samples were compared. */
static u32 picture_compare(Layers* l, const u16* colors, u32* deepest) {
    u32 compared = 0;
    for (u32 i = 0; i < WIDTH * HEIGHT; i++) {
        f64 expected[3];
        u32 layers;
        if (!sample_expected(l, i, expected, &layers)) continue;
        for (u32 c = 0; c < 3; c++) {
            const f64 found = half_of(colors[i * 4 + c]);
            if (fabs(found - expected[c]) > 0.002)
                fail_msg("%u panes, sample %u %u with %u layers: channel %u is %g, not %g",
                         l->count, i % WIDTH, i / WIDTH, layers, c, found, expected[c]);
        }
        *deepest = MAX_OF(*deepest, layers);
        compared++;
    }
    return compared;
}

static void samples_have_the_sum_of_their_layers_in_the_order_of_depth(void** state) {
    static const u32 counts[] = {1, 2, 8, 30, PANES_MAX};
    Layers           l;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    layers_open(&l);
    for (u32 k = 0; k < COUNT_OF(counts); k++) {
        u32 deepest = 0;
        panes_add(&l, counts[k], k % 3 == 1 ? 3 : 2.4f, k == 0 ? 0.1f : 0.3f);
        u16*      colors = layers_drawn(&l);
        const u32 compared = picture_compare(&l, colors, &deepest);
        u16*      again = layers_drawn(&l);
        assert_memory_equal(colors, again, WIDTH * HEIGHT * 4 * sizeof *colors);
        print_message("%u panes: %u samples, up to %u layers\n", counts[k], compared, deepest);
        assert_true(compared > (k < 3 ? 2000 : 100) && deepest * 10 >= counts[k] * 7);
        free(colors);
        free(again);
    }
    stage_close(&l.stage);
}

/* --- what is counted --- */

static EntCanvasLayers layers_of(const Layers* l) {
    EntCanvasLayers layers;
    ent_canvas_layers(l->stage.canvas, &layers);
    return layers;
}

static void layers_are_counted_and_hidden_parts_are_not_drawn(void** state) {
    Layers l;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    layers_open(&l);
    panes_add(&l, 30, 8, 0);
    u32 shown = 0;
    for (u32 i = 0; i < l.count; i++) shown += l.pane[i].pose.m[2][3] > -2;
    free(layers_drawn(&l));
    const EntCanvasLayers first = layers_of(&l);
    assert_int_equal(first.pictures, 1);
    assert_int_equal(first.samples, WIDTH * HEIGHT);
    assert_int_equal(first.layers, (u64)shown * WIDTH * HEIGHT);
    assert_int_equal(first.deepest, shown);
    assert_int_equal(first.parts, shown); /* those behind the wall are hidden by it */
    assert_int_equal(first.dropped, 0);
    assert_true(shown > 20 && shown < 30);
    entity_place(&l.stage, l.wall.entity, (Vec3){0, 0, 3}, (Quat){0, 0, 0, 1}, 6);
    ent_transform_update(l.stage.world);
    free(layers_drawn(&l)); /* the pyramid of the last picture is of no importance */
    const EntCanvasLayers second = layers_of(&l);
    assert_int_equal(second.pictures, 2);
    assert_int_equal(second.parts, first.parts);
    assert_int_equal(second.layers, first.layers);
    stage_close(&l.stage);
}

/* Of four probes, 24 pictures are captured in one frame, more than it can read. */
static void surroundings_of_probes_have_layers_that_are_not_counted(void** state) {
    Layers l;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    layers_open(&l);
    panes_add(&l, 8, 3, 0.3f);
    for (u32 i = 0; i < 4; i++) {
        u32          row;
        const Entity probe = entity_add(&l.stage, "environment_probe", &row);
        ent_environment_probe_rows(l.stage.world).record[row] = (EnvironmentProbeRecord){
            .half_extent_m = {20, 20, 20}, .color = {1, 1, 1}, .intensity = 1};
        entity_place(&l.stage, probe, (Vec3){(f32)i, 0, 4}, (Quat){0, 0, 0, 1}, 1);
    }
    ent_transform_update(l.stage.world);
    free(layers_drawn(&l));
    assert_int_equal(layers_of(&l).pictures, 1);
    assert_true(l.stage.meshes->lighting->probes.canvas->layers.pool.count > 0);
    stage_close(&l.stage);
}

/* Panes in the same plane: that with the higher number of a place is before the others, in each picture. */
static void layers_of_equal_depth_are_in_the_order_of_their_numbers(void** state) {
    Layers l;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    layers_open(&l);
    panes_add(&l, 8, 8, 0);
    for (u32 i = 0; i < l.count; i++)
        entity_place(&l.stage, l.pane[i].entity, (Vec3){0, 0, 0}, (Quat){0, 0, 0, 1}, 8);
    ent_transform_update(l.stage.world);
    const Meshes* m = l.stage.meshes;
    u16*          colors = layers_drawn(&l);
    f64           sum[3], color[4];
    color_of(OPAQUE, color);
    memcpy(sum, color, sizeof sum);
    for (u32 slot = 0; slot < m->slots.capacity; slot++) {
        for (u32 k = 0; k < l.count; k++) {
            if (m->slots.slot[slot].mesh == MESHES_NONE ||
                m->slots.slot[slot].entity != l.pane[k].entity)
                continue;
            color_of(l.pane[k].kind, color);
            for (u32 c = 0; c < 3; c++) sum[c] = sum[c] * (1 - color[3]) + color[c] * color[3];
        }
    }
    for (u32 i = 0; i < WIDTH * HEIGHT; i++)
        for (u32 c = 0; c < 3; c++)
            if (fabs(half_of(colors[i * 4 + c]) - sum[c]) > 0.002)
                fail_msg("sample %u: %g, not %g", i, half_of(colors[i * 4 + c]), sum[c]);
    free(colors);
    stage_close(&l.stage);
}

/* --- rounds --- */

/* With room for few layers, they are drawn in rounds; what exceeds all rounds is reported, and the other samples are
 * the same. */
static void layers_without_room_are_drawn_in_rounds_or_reported(void** state) {
    Layers l;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    layers_open(&l);
    panes_add(&l, 12, 2.4f, 0.3f);
    u16*                  expected = layers_drawn(&l);
    const EntCanvasLayers all = layers_of(&l);
    const u32             rooms[] = {CANVAS_LAYERS_DEEP + (u32)all.layers / 5,
                                     CANVAS_LAYERS_DEEP + (u32)all.layers / 40};
    for (u32 k = 0; k < 2; k++) {
        const u64 dropped = layers_of(&l).dropped;
        u32       differ = 0;
        l.stage.canvas->layers.room = rooms[k];
        l.stage.canvas->layers.is_reported = k == 1; /* no warning in this test */
        u16* colors = layers_drawn(&l);
        for (u32 i = 0; i < WIDTH * HEIGHT; i++)
            differ += memcmp(colors + i * 4, expected + i * 4, 8) != 0;
        print_message("room for %u of %llu layers: %u samples differ\n", rooms[k],
                      (unsigned long long)all.layers, differ);
        assert_int_equal(layers_of(&l).dropped - dropped >= differ, 1);
        if (k == 0) assert_int_equal(differ, 0);
        if (k == 1) assert_in_range(differ, WIDTH * HEIGHT / 3, WIDTH * HEIGHT * 4 / 5);
        free(colors);
    }
    free(expected);
    stage_close(&l.stage);
}

static void layers_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_layers", 256);
}

TEST_SUITE(meshes_layers) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_have_the_sum_of_their_layers_in_the_order_of_depth),
        cmocka_unit_test(layers_are_counted_and_hidden_parts_are_not_drawn),
        cmocka_unit_test(surroundings_of_probes_have_layers_that_are_not_counted),
        cmocka_unit_test(layers_of_equal_depth_are_in_the_order_of_their_numbers),
        cmocka_unit_test(layers_without_room_are_drawn_in_rounds_or_reported),
        cmocka_unit_test(layers_with_other_subgroup_sizes_are_the_same),
    };
    return gpu_suite_end(TEST_RUN("meshes_layers", tests));
}
