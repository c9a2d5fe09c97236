/* test_meshes_counts.c - how many shadow maps and casters are kept, copied and redrawn, and why: against a plain model of
 * lights, squares and pyramids in double precision. */
#include "test_sets.h"

enum { LIGHTS = 3, MAPS = 8, SIDE = 128, SCENES = SANITIZED ? 1 : 6, CHANGES = SANITIZED ? 6 : 60 };

static const ShadowsSettings equal_settings = {
    .spot_side = SIDE, .face_side = SIDE, .still = STILL};

/* --- a plain model --- */

typedef struct Point {
    f64 at[3];
} Point;

/* A square of 2 m, scaled. */
typedef struct Square {
    Entity entity;
    u32    row; /* of meshes */
    Point  center, corner[4];
    f64    radius;
    bool   is_shown;
    u32    still; /* frames; STILL: it stands */
    bool   has_moved;
} Square;

typedef struct Lamp {
    Entity entity;
    u32    row, maps;
    Point  at, along;
    bool   is_lit, has_moved;
} Lamp;

/* What a map showed in the last picture. */
typedef struct Shown {
    const Lamp* lamp; /* NULL: nothing */
    u32         face, standing;
    bool        is_current;
} Shown;

typedef struct Model {
    Square          square[PANELS];
    Lamp            lamp[LIGHTS];
    Shown           shown[MAPS];
    bool            has_kept;
    EntShadowCounts count[LIGHTS];
    bool            is_unclear; /* something is so near to a plane that rounding decides */
} Model;

static f64 point_dot(Point a, Point b) {
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static Point point_minus(Point a, Point b) {
    return (Point){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static Point point_cross(Point a, Point b) {
    return (Point){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                    a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

/* `length`: of the result. */
static Point point_scaled(Point a, f64 length) {
    const f64 by = length / sqrt(point_dot(a, a));
    return (Point){{a.at[0] * by, a.at[1] * by, a.at[2] * by}};
}

/* Of the pyramid of a map: its axes, and half its width at a distance of 1 m. */
typedef struct Pyramid {
    Point along, right, above;
    f64   wide;
} Pyramid;

static Pyramid pyramid_of(const Lamp* l, u32 face) {
    static const Point faces[] = {{{1, 0, 0}},  {{-1, 0, 0}}, {{0, 1, 0}},
                                  {{0, -1, 0}}, {{0, 0, 1}},  {{0, 0, -1}}};
    const Point        along = l->maps == 1 ? l->along : faces[face];
    const Point        up = fabs(along.at[1]) < 0.99 ? (Point){{0, 1, 0}} : (Point){{1, 0, 0}};
    const Point        right = point_scaled(point_cross(along, up), 1);
    const f64          slope = l->maps == 1 ? tan(0.7) : 1;
    return (Pyramid){along, right, point_cross(right, along), slope * SIDE / (SIDE - 6)};
}

/* Its five planes, and the one near its tip: normal, and distance of a point outside of it. */
static f64 outside_of(const Lamp* l, u32 face, u32 plane, Point p, Point* normal) {
    const Pyramid pyramid = pyramid_of(l, face);
    const Point   side = plane < 2 ? pyramid.right : pyramid.above, from = point_minus(p, l->at);
    const f64     sign = plane % 2 ? 1 : -1, reach_m = 14, far = point_dot(from, pyramid.along);
    *normal = pyramid.along;
    if (plane >= 4) return plane == 4 ? far - reach_m : reach_m / 500 - far;
    for (u32 i = 0; i < 3; i++)
        normal->at[i] = side.at[i] * sign - pyramid.along.at[i] * pyramid.wide;
    *normal = point_scaled(*normal, 1);
    return point_dot(from, *normal);
}

/* Does something that extends as far as `size` around a point reach into a map? */
static bool is_inside(Model* m, f64 outside, f64 size) {
    m->is_unclear |= fabs(outside - size) < 1e-3 + size * 2e-3;
    return outside < size;
}

static bool sphere_reaches(Model* m, const Lamp* l, u32 face, const Square* q) {
    bool  inside = q->is_shown;
    Point normal;
    for (u32 k = 0; k < 6 && inside; k++)
        inside = is_inside(m, outside_of(l, face, k, q->center, &normal), q->radius);
    return inside;
}

/* The box around the corners. */
static bool box_reaches(Model* m, const Lamp* l, u32 face, const Square* q) {
    bool  inside = q->is_shown;
    Point normal;
    for (u32 k = 0; k < 6 && inside; k++) {
        f64       size = 0;
        const f64 outside = outside_of(l, face, k, q->center, &normal);
        for (u32 i = 0; i < 3; i++) {
            f64 half = 0;
            for (u32 c = 0; c < 4; c++)
                half = fmax(half, fabs(q->corner[c].at[i] - q->center.at[i]));
            size += half * fabs(normal.at[i]);
        }
        inside = is_inside(m, outside, size);
    }
    return inside;
}

/* Has the cube around a square texels of a map? */
static bool cube_covers(Model* m, const Lamp* l, u32 face, const Square* q) {
    const Pyramid pyramid = pyramid_of(l, face);
    f64           low[2] = {1e9, 1e9}, high[2] = {-1e9, -1e9};
    for (u32 k = 0; k < 8; k++) {
        Point p = point_minus(q->center, l->at);
        for (u32 i = 0; i < 3; i++) p.at[i] += k >> i & 1 ? q->radius : -q->radius;
        const f64 far = point_dot(p, pyramid.along) * pyramid.wide;
        const f64 at[] = {point_dot(p, pyramid.right) / far, point_dot(p, pyramid.above) / far};
        if (far < 1e-4) return true;
        for (u32 i = 0; i < 2; i++) {
            low[i] = fmin(low[i], at[i] * SIDE / 2);
            high[i] = fmax(high[i], at[i] * SIDE / 2);
        }
    }
    bool covers = true;
    for (u32 i = 0; i < 2; i++) {
        const f64 outside = fmax(low[i] - SIDE / 2.0, -SIDE / 2.0 - high[i]);
        m->is_unclear |= outside > -0.1 && outside < 3;
        covers &= outside < 0;
    }
    return covers;
}

static bool stands(const Square* q) { return q->still >= STILL; }

/* Where squares have begun to move, or have come to a stand; or where they have moved. */
typedef struct Reached {
    bool changed[MAPS], moving[MAPS], any_moving;
} Reached;

static void reached_add(Model* m, const Square* q, bool is_change, Reached* r) {
    r->any_moving |= !is_change && q->is_shown;
    for (u32 i = 0; i < MAPS; i++) {
        const Shown* s = &m->shown[i];
        if (!s->lamp || !sphere_reaches(m, s->lamp, s->face, q)) continue;
        r->changed[i] |= is_change;
        r->moving[i] |= !is_change && cube_covers(m, s->lamp, s->face, q);
    }
}

/* `before`, `now`: the squares of two pictures, of which some have moved. */
static void squares_follow(Model* m, const Square* before, Reached* r) {
    for (u32 i = 0; i < PANELS; i++) {
        Square* const q = &m->square[i];
        const bool    stood = stands(q);
        if (!stood) q->still++;
        if (q->has_moved) {
            reached_add(m, &before[i], stood, r);
            q->still = 0;
            reached_add(m, q, false, r);
        } else if (!stood && stands(q))
            reached_add(m, q, true, r);
        q->has_moved = false;
    }
}

static void map_follow(Model* m, Shown* s, const Shown* now, bool changed, bool moves,
                       bool is_new) {
    EntShadowCounts* const count = &m->count[now->lamp - m->lamp];
    const bool             same = s->lamp == now->lamp && s->face == now->face;
    const EntShadowCause   cause = is_new || !same || !s->lamp ? ENT_SHADOW_CAUSE_NEW
                                   : now->lamp->has_moved      ? ENT_SHADOW_CAUSE_LIGHT
                                                               : ENT_SHADOW_CAUSE_MOVED;
    if (cause != ENT_SHADOW_CAUSE_MOVED || changed) {
        *s = *now;
        for (u32 i = 0; i < PANELS; i++)
            s->standing += stands(&m->square[i]) && box_reaches(m, s->lamp, s->face, &m->square[i]);
        count->maps_redrawn++;
        count->redrawn_for[cause]++;
        count->casters_redrawn += s->standing;
        return;
    }
    count->casters_kept += s->standing;
    *(moves ? &count->maps_copied : &count->maps_kept) += 1;
}

static void picture_follow(Model* m, const Square* before) {
    Shown   now[MAPS] = {0};
    u32     count = 0;
    Reached r = {0};
    for (u32 i = 0; i < LIGHTS; i++)
        for (u32 k = 0; k < m->lamp[i].maps && m->lamp[i].is_lit; k++)
            now[count++] = (Shown){.lamp = &m->lamp[i], .face = k};
    for (u32 i = 0; i < MAPS; i++) { /* which maps there are, before what has moved reaches them */
        if (m->shown[i].lamp == now[i].lamp && m->shown[i].face == now[i].face) continue;
        m->shown[i] = (Shown){0};
    }
    squares_follow(m, before, &r);
    const bool is_new = r.any_moving && !m->has_kept;
    m->has_kept |= r.any_moving;
    for (u32 i = 0; i < count; i++)
        map_follow(m, &m->shown[i], &now[i], r.changed[i], r.moving[i], is_new);
    for (u32 i = 0; i < LIGHTS; i++) m->lamp[i].has_moved = false;
}

/* --- changes, of both --- */

static Point point_of(Vec3 v) { return (Point){{(f64)v.x, (f64)v.y, (f64)v.z}}; }

static void square_place(Model* m, Stage* s, u32 which, Random* r) {
    Square* const q = &m->square[which];
    const Vec3    at = place_random(r);
    const Quat    turn = turn_random(r, 2);
    entity_place(s, q->entity, at, turn, random_float(r, 0.1f, 0.8f));
    q->has_moved = true;
}

static void lamp_place(Lamp* l, Stage* s, Random* r) {
    const Vec3 at = {random_float(r, -4, 4), random_float(r, -1, 5), random_float(r, 2, 5)};
    entity_place(s, l->entity, at, turn_to_origin(at), 1);
    l->has_moved = true;
}

/* Where all of them are, by their world matrices. */
static void places_find(Model* m, const Stage* s) {
    ent_transform_update(s->world);
    for (u32 i = 0; i < PANELS; i++) {
        Square* const q = &m->square[i];
        const Mat34*  pose = ent_transform_world(s->world, q->entity);
        for (u32 k = 0; k < 4; k++)
            q->corner[k] =
                point_of(mat34_point(pose, (Vec3){k & 1 ? 1.0f : -1.0f, k & 2 ? 1.0f : -1.0f, 0}));
        q->center = point_of(mat34_column(pose, 3));
        const Point out = point_minus(q->corner[0], q->center);
        q->radius = sqrt(point_dot(out, out));
    }
    for (u32 i = 0; i < LIGHTS; i++) {
        const Mat34* pose = ent_transform_world(s->world, m->lamp[i].entity);
        m->lamp[i].at = point_of(mat34_column(pose, 3));
        m->lamp[i].along = point_of(vec3_scale(mat34_column(pose, 2), -1));
    }
}

static void changes_apply(Model* m, Stage* s, u32 frame, Random* r) {
    if (frame % 12 >= 7) return; /* then all comes to a stand */
    for (u32 i = 0; i < frame % 3; i++) square_place(m, s, random_below(r, PANELS), r);
    if (frame % 5 == 2) lamp_place(&m->lamp[random_below(r, LIGHTS)], s, r);
    if (frame % 4 == 3) {
        Lamp* const l = &m->lamp[random_below(r, 2) * 2]; /* one is always lit */
        l->is_lit = !l->is_lit;
        ent_light_rows(s->world).record[l->row].intensity = l->is_lit ? 40.0f : 0.0f;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_LIGHT), &l->row, 1);
    }
    if (frame % 6 == 4) {
        Square* const q = &m->square[random_below(r, PANELS)];
        if (q->has_moved) return;
        q->is_shown = !q->is_shown;
        q->has_moved = true;
        ent_mesh_rows(s->world).record[q->row].visible = q->is_shown;
        ent_manager_changed(ent_world_built_in(s->world, COMPONENT_MESH), &q->row, 1);
    }
}

/* --- the test --- */

static void counts_compare(const Model* m, const EntShadowCounts* found, u32 count, u32 frame) {
    for (u32 i = 0; i < count; i++) {
        const EntShadowCounts* a = &found[i];
        u32                    k = 0;
        while (m->lamp[k].entity != a->entity) k++;
        const EntShadowCounts* b = &m->count[k];
        const u64              is[] = {a->maps_kept,       a->maps_copied,    a->maps_redrawn,
                                       a->maps_dropped,    a->redrawn_for[0], a->redrawn_for[1],
                                       a->redrawn_for[2],  a->redrawn_for[3], a->redrawn_for[4],
                                       a->casters_redrawn, a->casters_kept};
        const u64              expected[] = {b->maps_kept,       b->maps_copied,    b->maps_redrawn,
                                             b->maps_dropped,    b->redrawn_for[0], b->redrawn_for[1],
                                             b->redrawn_for[2],  b->redrawn_for[3], b->redrawn_for[4],
                                             b->casters_redrawn, b->casters_kept};
        for (u32 n = 0; n < COUNT_OF(is); n++)
            if (is[n] != expected[n])
                fail_msg("frame %u, light %u, count %u: %llu, not %llu", frame, k, n,
                         (unsigned long long)is[n], (unsigned long long)expected[n]);
    }
}

static void scene_open(Shade* t, Model* m, Random* r) {
    Stage* const s = &t->stage;
    stage_open(s);
    scene_random(s, 0);
    s->view.exposure = 0;
    for (u32 i = 0; i < LIGHTS; i++)
        light_cast(t, i == 1 ? LIGHT_POINT : LIGHT_SPOT, (Vec3){0, 0, 3}, (Quat){0, 0, 0, 1}, 40);
    const LightRows lights = ent_light_rows(s->world);
    for (u32 i = 0; i < LIGHTS; i++) {
        const u32 row = lights.count - LIGHTS + i;
        m->lamp[i] = (Lamp){lights.entity[row], row, i == 1 ? 6 : 1, .is_lit = true};
        lamp_place(&m->lamp[i], s, r);
    }
    for (u32 i = 0; i < PANELS; i++) {
        m->square[i] = (Square){.entity = s->panel[i], .row = i, .is_shown = true, .still = STILL};
        square_place(m, s, i, r);
    }
    places_find(m, s);
}

/* A scene ends when rounding decides: most scenes are complete. */
static u32 scene_run(u32 seed) {
    Random r = {seed};
    Shade  t;
    Model  m = {0};
    Set    set;
    u32    count = 0, frame = 0;
    scene_open(&t, &m, &r);
    Stage* const s = &t.stage;
    set_create(s, &set);
    Lighting* const lighting = set.part[0].state;
    shadows_set(&lighting->shadows, &equal_settings);
    for (u32 i = 0; i < STILL + 2; i++) free(set_drawn(&set, s, NULL));
    for (u32 i = 0; i < PANELS; i++) m.square[i].has_moved = false;
    picture_follow(&m, m.square); /* all maps are new; what was counted until now is not compared */
    const EntShadowCounts* found = ent_lighting_shadow_counts(lighting, &count);
    assert_int_equal(count, LIGHTS);
    for (u32 i = 0; i < LIGHTS; i++) m.count[i] = found[i];
    for (; frame < CHANGES && !m.is_unclear; frame++) {
        Square before[PANELS];
        memcpy(before, m.square, sizeof before);
        changes_apply(&m, s, frame, &r);
        places_find(&m, s);
        picture_follow(&m, before);
        free(set_drawn(&set, s, NULL));
        found = ent_lighting_shadow_counts(lighting, &count);
        if (!m.is_unclear) counts_compare(&m, found, count, frame);
    }
    set_destroy(&set);
    stage_close(s);
    return frame;
}

static void maps_and_casters_are_counted_as_in_a_plain_model(void** state) {
    u32 frames = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    for (u32 seed = 1; seed <= SCENES; seed++) frames += scene_run(seed * 31);
    print_message("%u pictures\n", frames);
    assert_true(frames >= CHANGES);
    test_gpu_silent();
}

/* A frame that is complete later has nothing to report then. */
static void counts_of_destroyed_systems_are_not_reported(void** state) {
    Random     r = {3};
    Shade      t;
    Model      m = {0};
    Set        set;
    GpuFrames* frames;
    GpuFrame*  frame;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&t, &m, &r);
    set_create(&t.stage, &set);
    const GpuParts parts = {set.part, 3};
    assert_int_equal(ent_gpu_frames_create(&frames, gpu_for_test(), NULL), ENT_OK);
    assert_int_equal(ent_gpu_frame_begin(frames, &frame), ENT_OK);
    assert_int_equal(ent_picture_record_still(frame, &parts, set.canvas, &t.stage.view), ENT_OK);
    assert_int_equal(frame->count_count, 2); /* of maps and of layers */
    assert_int_equal(ent_gpu_frame_end(frame), ENT_OK);
    set_destroy(&set);
    assert_int_equal(ent_gpu_frames_wait(frames), ENT_OK);
    ent_gpu_frames_destroy(frames);
    stage_close(&t.stage);
}

/* After casters have moved, which need more buffers, and when nothing moves any more. */
static void atlas_grows_when_a_light_is_added_after_casters_have_moved(void** state) {
    Random r = {3};
    Shade  t;
    Model  m = {0};
    Set    set;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    scene_open(&t, &m, &r);
    Stage* const s = &t.stage;
    set_create(s, &set);
    Shadows* const shadows = &((Lighting*)set.part[0].state)->shadows;
    shadows_set(shadows, &(ShadowsSettings){.still = STILL});
    free(set_drawn(&set, s, NULL));
    square_place(&m, s, 0, &r);
    ent_transform_update(s->world);
    free(set_drawn(&set, s, NULL));
    assert_true(shadows->atlas.has_kept && shadows->seen.squares.handle);
    for (u32 i = 0; i < STILL + 1; i++) free(set_drawn(&set, s, NULL));
    const u32 side = shadows->table.head.atlas_side;
    light_cast(&t, LIGHT_DIRECTIONAL, (Vec3){0, 9, 0}, (Quat){-0.6f, 0.2f, 0, 0.75f}, 4);
    ent_transform_update(s->world);
    free(set_drawn(&set, s, NULL));
    assert_true(shadows->table.head.atlas_side > side);
    assert_true(!shadows->atlas.has_kept && !shadows->seen.squares.handle &&
                !shadows->atlas.blocks.handle);
    set_destroy(&set);
    stage_close(s);
}

static void counts_with_other_subgroup_sizes_are_the_same(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes_counts", 256);
}

TEST_SUITE(meshes_counts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(maps_and_casters_are_counted_as_in_a_plain_model),
        cmocka_unit_test(counts_of_destroyed_systems_are_not_reported),
        cmocka_unit_test(atlas_grows_when_a_light_is_added_after_casters_have_moved),
        cmocka_unit_test(counts_with_other_subgroup_sizes_are_the_same),
    };
    return gpu_suite_end(TEST_RUN("meshes_counts", tests));
}
