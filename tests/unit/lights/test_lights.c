/* test_lights.c - which lights, decals and probes are stored for the tiles of a picture, compared with all that
 * touch a sample of it, in double precision. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "canvas_internal.h"
#include "lights_lists.h"
#include "rows.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"
#include "transform_manager.h"
#include "vec.h"

/* --- a world with elements, and a picture with depth --- */

typedef struct Counts {
    u32 decals, probes, points, spots, suns;
} Counts;

typedef struct Stage {
    World*    world;
    Lights    lights;
    CanvasEye eye;
    GpuPool   eye_pool;
    GpuBuffer eye_buffer;
    f32*      depth; /* [width * height] */
    TestDepth image;
    u32       width, height;
    GpuPool   pool;
    GpuBuffer matrices, owners, rows;
    u32       transform_count, slot_count;
    f32       reach_m; /* elements are in a box of this size before the camera */
    f32       size_m;  /* the largest range */
    u32       columns; /* of uploaded transforms */
} Stage;

static Quat turn_random(Random* r) {
    const f32 q[4] = {random_float(r, -1, 1), random_float(r, -1, 1), random_float(r, -1, 1),
                      random_float(r, 0.1f, 1)};
    const f32 scale = 1 / sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (Quat){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

static Entity entity_add(Stage* s, Random* r) {
    Entity entity;
    u32    row;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    assert_int_equal(ent_manager_create(s->world, ent_world_manager_by_name(s->world, "transform"),
                                        entity, &row),
                     ENT_OK);
    const f32             wide = s->reach_m;
    const TransformRecord pose = {{random_float(r, -wide, wide), random_float(r, -wide, wide),
                                   random_float(r, -wide, wide * 0.3f)},
                                  turn_random(r),
                                  {random_float(r, 0.5f, 1.5f), random_float(r, 0.5f, 1.5f), 1}};
    ent_transform_set_local(s->world, row, &pose);
    return entity;
}

static u32 row_add(Stage* s, const char* type, Entity entity) {
    u32 row;
    assert_int_equal(
        ent_manager_create(s->world, ent_world_manager_by_name(s->world, type), entity, &row),
        ENT_OK);
    return row;
}

static Vec3 size_random(Random* r, f32 max) {
    return (Vec3){random_float(r, 0.05f, max), random_float(r, 0.05f, max),
                  random_float(r, 0.05f, max)};
}

static void light_add(Stage* s, Random* r, LightKind kind) {
    const u32    row = row_add(s, "light", entity_add(s, r));
    LightRecord* light = &ent_light_rows(s->world).record[row];
    const f32    outer = random_float(r, 0.05f, 1.55f);
    *light = (LightRecord){.kind = kind,
                           .color = {1, 1, 1},
                           .intensity = 10,
                           .range_m = random_float(r, 0.1f, s->size_m),
                           .inner_angle_rad = outer * 0.5f,
                           .outer_angle_rad = outer};
}

static void world_fill(Stage* s, const Counts* c) {
    Random r = {17};
    for (u32 i = 0; i < c->points + c->spots + c->suns; i++) {
        const u32 at = i * 7 % (c->points + c->spots + c->suns); /* kinds are mixed */
        light_add(s, &r,
                  at < c->points              ? LIGHT_POINT
                  : at < c->points + c->spots ? LIGHT_SPOT
                                              : LIGHT_DIRECTIONAL);
    }
    for (u32 i = 0; i < c->decals; i++) {
        const u32 row = row_add(s, "decal", entity_add(s, &r));
        ent_decal_rows(s->world).record[row] = (DecalRecord){
            .half_extent_m = size_random(&r, s->size_m), .opacity = 1, .order = i * 5 % 3};
    }
    for (u32 i = 0; i < c->probes; i++) {
        const u32 row = row_add(s, "environment_probe", entity_add(s, &r));
        ent_environment_probe_rows(s->world).record[row] =
            (EnvironmentProbeRecord){.half_extent_m = size_random(&r, s->size_m)};
    }
    ent_transform_update(s->world);
}

/* The buffers that the owner of the lights has on the device. */
static void transforms_upload(Stage* s) {
    Gpu* const        gpu = gpu_for_test();
    const Manager*    manager = ent_world_manager_by_name(s->world, "transform");
    const EntityPool* pool = ent_world_entities(s->world);
    s->transform_count = manager->count;
    s->slot_count = pool->slot_capacity;
    const GpuBufferRequest requests[] = {
        {&s->matrices, s->transform_count, sizeof(Mat34), "matrices"},
        {&s->owners, s->transform_count, sizeof(Entity), "owners"},
        {&s->rows, s->slot_count, sizeof(u32), "rows"}};
    assert_int_equal(gpu_pool_create(&s->pool, gpu, requests, COUNT_OF(requests)), ENT_OK);
    u32*   rows = calloc(s->slot_count, sizeof *rows);
    Mat34* world = calloc((size_t)s->transform_count + 1, sizeof *world);
    for (u32 i = 0; i < s->transform_count; i++) {
        rows[manager->entity[i] & LIGHTS_INDEX_MASK] = i;
        world[i] = *ent_transform_world(s->world, manager->entity[i]);
    }
    if (s->transform_count) {
        assert_int_equal(gpu_upload(gpu, &s->matrices, 0, world, s->matrices.bytes), ENT_OK);
        assert_int_equal(gpu_upload(gpu, &s->owners, 0, manager->entity, s->owners.bytes), ENT_OK);
    }
    assert_int_equal(gpu_upload(gpu, &s->rows, 0, rows, s->slot_count * sizeof *rows), ENT_OK);
    free(rows);
    free(world);
}

/* --- a picture in double precision --- */

typedef struct Point {
    f64 x, y, z;
} Point;

static Point eye_point(const CanvasEye* eye, u32 x, u32 y, f64 distance_m) {
    const f64  px = ((f64)x + 0.5) / eye->width * 2 - 1, py = 1 - ((f64)y + 0.5) / eye->height * 2;
    const f32 *o = &eye->origin.x, *r = &eye->right.x, *u = &eye->up.x, *f = &eye->forward.x;
    f64        out[3];
    for (u32 i = 0; i < 3; i++) {
        const f64 aside = (f64)r[i] * px + (f64)u[i] * py;
        out[i] = (f64)o[i] + (f64)f[i] * distance_m + aside * (eye->orthographic ? 1 : distance_m);
    }
    return (Point){out[0], out[1], out[2]};
}

/* Spheres of three sizes before a large one, and the sky. */
enum { EACH = 12, SPHERES = 3 * EACH + 1 };

static void spheres_place(Vec4* sphere) {
    Random r = {5};
    for (u32 i = 0; i < SPHERES - 1; i++)
        sphere[i] = (Vec4){random_float(&r, -6, 6), random_float(&r, -4, 4),
                           random_float(&r, -7, -1), 0.2f + 0.4f * (f32)(i / EACH)};
    sphere[SPHERES - 1] = (Vec4){6, -3, -27, 20};
}

/* Where a ray meets a sphere first, in lengths of `along`; infinite: it does not, or too near to the camera. */
static f64 sphere_meet(const Vec4* sphere, Point from, Point along, f64 near_m) {
    const Point d = {from.x - (f64)sphere->x, from.y - (f64)sphere->y, from.z - (f64)sphere->z};
    const f64   a = along.x * along.x + along.y * along.y + along.z * along.z;
    const f64   b = along.x * d.x + along.y * d.y + along.z * d.z;
    const f64   c = d.x * d.x + d.y * d.y + d.z * d.z - (f64)sphere->w * (f64)sphere->w;
    const f64   root = b * b - a * c, far = root < 0 ? HUGE_VAL : (-b - sqrt(root)) / a;
    return far < near_m ? HUGE_VAL : far;
}

/* The depth of a picture with steps. */
static f32* depth_draw(const CanvasEye* eye) {
    f32* depth = malloc((size_t)eye->width * eye->height * sizeof *depth);
    Vec4 sphere[SPHERES];
    spheres_place(sphere);
    for (u32 i = 0; i < eye->width * eye->height; i++) {
        const u32   x = i % eye->width, y = i / eye->width;
        const Point from = eye_point(eye, x, y, 0), to = eye_point(eye, x, y, 1);
        const Point along = {to.x - from.x, to.y - from.y, to.z - from.z};
        f64         far = HUGE_VAL;
        for (u32 k = 0; k < SPHERES; k++)
            far = fmin(far, sphere_meet(&sphere[k], from, along, (f64)eye->near_m));
        const f64 d = eye->orthographic ? far : 1 / far;
        const f64 value = (d - (f64)eye->depth_bias) / (f64)eye->depth_scale;
        depth[i] = isinf(far) || value <= 0 ? 0 : (f32)value;
    }
    return depth;
}

static void picture_close(Stage* s) {
    test_depth_destroy(&s->image, gpu_for_test());
    gpu_pool_destroy(&s->eye_pool);
    free(s->depth);
    s->depth = NULL;
}

static void picture_open_view(Stage* s, u32 width, u32 height, const CameraRecord* camera) {
    const GpuBufferRequest request = {&s->eye_buffer, 1, sizeof(CanvasEye), "the camera"};
    CanvasView             view = {.camera = *camera, .pose = mat34_identity, .light = {0, 1, 0}};
    view.pose.m[0][3] = 0.3f;
    view.pose.m[2][3] = 2;
    if (s->depth) picture_close(s);
    s->width = width;
    s->height = height;
    s->eye = canvas_eye(&view, width, height, 1);
    s->depth = depth_draw(&s->eye);
    test_depth_create(&s->image, gpu_for_test(), width, height, s->depth);
    assert_int_equal(gpu_pool_create(&s->eye_pool, gpu_for_test(), &request, 1), ENT_OK);
    assert_int_equal(gpu_upload(gpu_for_test(), &s->eye_buffer, 0, &s->eye, sizeof s->eye), ENT_OK);
}

static void picture_open(Stage* s, u32 width, u32 height, bool flat) {
    const CameraRecord camera = {.kind = flat ? CAMERA_ORTHOGRAPHIC : CAMERA_PERSPECTIVE,
                                 .vertical_fov_rad = 1.1f,
                                 .height_m = 9,
                                 .near_m = 0.2f,
                                 .far_m = flat ? 60 : 0};
    picture_open_view(s, width, height, &camera);
}

static void stage_open(Stage* s, const Counts* counts) {
    *s = (Stage){.reach_m = 7, .size_m = 5};
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    world_fill(s, counts);
    transforms_upload(s);
    assert_int_equal(lights_create(&s->lights, gpu_for_test(), s->world), ENT_OK);
}

static void stage_close(Stage* s) {
    picture_close(s);
    lights_destroy(&s->lights);
    gpu_pool_destroy(&s->pool);
    ent_world_destroy(s->world);
    test_gpu_silent();
}

static ent_status stage_record(void* state, GpuFrame* frame) {
    Stage* const        s = state;
    const LightsPicture picture = {.eye = &s->eye_buffer,
                                   .view = &s->eye,
                                   .images = s->image.images,
                                   .width = s->width,
                                   .height = s->height,
                                   .matrices = &s->matrices,
                                   .owners = &s->owners,
                                   .rows = &s->rows,
                                   .transform_count = s->transform_count,
                                   .slot_count = s->slot_count,
                                   .reports = true};
    TRY(lights_update(&s->lights, frame));
    return lights_cull(&s->lights, frame, &picture, 2);
}

static void stage_cull(Stage* s, const LightsSettings* settings) {
    lights_set(&s->lights, settings);
    assert_int_equal(test_gpu_frame(gpu_for_test(), stage_record, s), ENT_OK);
}

/* --- what the device has stored --- */

typedef struct Stored {
    LightsState state;
    u32         tile, wide, high;
    u32*        words;
    u32*        tiles; /* a LightsOccupied, and numbers of tiles */
    LightsItem* items;
} Stored;

static void* read_back(const GpuBuffer* buffer) {
    void* bytes = malloc(buffer->bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, bytes, buffer->bytes), ENT_OK);
    return bytes;
}

static Stored stored_read(const Stage* s) {
    Stored       out;
    LightsState* state = read_back(&s->lights.state);
    out.state = *state;
    free(state);
    out.tile = out.state.tile;
    out.wide = (s->width + out.tile - 1) / out.tile;
    out.high = (s->height + out.tile - 1) / out.tile;
    out.words = read_back(&s->lights.picture.words);
    out.items = read_back(&s->lights.scene.items);
    out.tiles = read_back(&s->lights.picture.tiles);
    return out;
}

static void stored_free(Stored* stored) {
    free(stored->words);
    free(stored->items);
    free(stored->tiles);
}

/* Is an element stored for a tile? Words that are marked as empty are not read. */
static bool bit_of(const Stored* d, u32 tile, u32 which, u32 element) {
    const u32 set = tile * 2 + which, word = element / 32;
    if (d->state.skips &&
        !(d->words[d->state.skips + set * d->state.skip_stride + word / 32] >> word % 32 & 1))
        return false;
    return d->words[set * d->state.stride + word] >> element % 32 & 1;
}

static const u32* list_of(const Stored* d, u32 tile, u32 which) {
    return d->words + (size_t)(tile * 2 + which) * LIGHTS_LIST_WORDS;
}

static u32 entry_of(const u32* list, u32 index) {
    return list[LIGHTS_LIST_HEAD + index / 2] >> index % 2 * 16 & 0xffff;
}

static u32 row_of(const Stored* d, u32 element) { return (u32)d->items[element].w.y; }

/* --- elements in double precision --- */

static f64 depth_distance(const CanvasEye* eye, f32 depth) {
    const f64 d = (f64)eye->depth_scale * (f64)depth + (f64)eye->depth_bias;
    return eye->orthographic ? d : 1 / d;
}

static bool light_contains(const Stage* s, u32 row, Point p) {
    const LightRows    rows = ent_light_rows(s->world);
    const LightRecord* light = &rows.record[row];
    const Mat34*       m = ent_transform_world(s->world, rows.entity[row]);
    const f64          d[3] = {p.x - (f64)m->m[0][3], p.y - (f64)m->m[1][3], p.z - (f64)m->m[2][3]};
    const f64          far = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    if (far >= (f64)light->range_m * 0.9999) return false;
    if (light->kind == LIGHT_POINT) return true;
    f64 along = 0, size = 0;
    for (u32 i = 0; i < 3; i++) {
        along -= d[i] * (f64)m->m[i][2];
        size += (f64)m->m[i][2] * (f64)m->m[i][2];
    }
    return along / sqrt(size) >= far * cos((f64)light->outer_angle_rad * 0.9999);
}

static bool box_contains(const Mat34* m, Vec3 half_extent, Point p) {
    const f64 d[3] = {p.x - (f64)m->m[0][3], p.y - (f64)m->m[1][3], p.z - (f64)m->m[2][3]};
    const f32 half[3] = {half_extent.x, half_extent.y, half_extent.z};
    for (u32 k = 0; k < 3; k++) { /* axes are at right angles: a turned and scaled box */
        f64 at = 0, size = 0;
        for (u32 i = 0; i < 3; i++) {
            at += d[i] * (f64)m->m[i][k];
            size += (f64)m->m[i][k] * (f64)m->m[i][k];
        }
        if (fabs(at / size) > (f64)half[k] * 0.9999) return false;
    }
    return true;
}

static bool element_contains(const Stage* s, const Stored* d, u32 element, Point p) {
    const u32 row = row_of(d, element);
    if (element >= d->state.first_light) return light_contains(s, row, p);
    const DecalRows            decals = ent_decal_rows(s->world);
    const EnvironmentProbeRows probes = ent_environment_probe_rows(s->world);
    if (element < d->state.first_probe)
        return box_contains(ent_transform_world(s->world, decals.entity[row]),
                            decals.record[row].half_extent_m, p);
    return box_contains(ent_transform_world(s->world, probes.entity[row]),
                        probes.record[row].half_extent_m, p);
}

typedef struct Found {
    u64 touching, listed, missing, missing_before;
} Found;

/* Compares one tile: what contains a visible sample, and what contains a point before one. */
static void tile_compare(const Stage* s, const Stored* d, const f32* depth, u32 tile,
                         Found* found) {
    const u32 x0 = tile % d->wide * d->tile, y0 = tile / d->wide * d->tile;
    for (u32 e = 0; e < d->state.count; e++) {
        bool touches = false, before = false;
        for (u32 k = 0; k < d->tile * d->tile && !touches; k++) {
            const u32 x = x0 + k % d->tile, y = y0 + k / d->tile;
            if (x >= s->width || y >= s->height) continue;
            const f32 value = depth[(size_t)y * s->width + x];
            const f64 far = value > 0 ? depth_distance(&s->eye, value) : 40;
            touches = value > 0 && element_contains(s, d, e, eye_point(&s->eye, x, y, far));
            const f64 share = (f64)((k * 37 + e * 11) % 101) / 101;
            before |=
                k % 4 == 0 &&
                element_contains(s, d, e, eye_point(&s->eye, x, y, 0.2 + (far - 0.2) * share));
        }
        found->touching += touches;
        found->listed += bit_of(d, tile, LIGHTS_SURFACES, e);
        found->missing += touches && !bit_of(d, tile, LIGHTS_SURFACES, e);
        found->missing_before += (touches || before) && !bit_of(d, tile, LIGHTS_BEFORE, e);
    }
}

static Found picture_compare(const Stage* s) {
    Stored d = stored_read(s);
    Found  found = {0};
    for (u32 tile = 0; tile<d.wide * d.high; tile += d.wide * d.high> 60 ? 5 : 1)
        tile_compare(s, &d, s->depth, tile, &found);
    stored_free(&d);
    return found;
}

/* --- tests --- */

static const Counts few = {20, 10, 60, 60, 2};

static void everything_that_touches_a_sample_is_stored_for_its_tile(void** state) {
    static const u32 tests[] = {LIGHTS_BY_FAR, LIGHTS_BY_BOX, LIGHTS_BY_BOX | LIGHTS_BY_SLICE,
                                LIGHTS_BY_BOX | LIGHTS_BY_SLICE | LIGHTS_BY_CONE | LIGHTS_BY_FAR};
    static const char* const names[] = {"planes", "box", "box, slices", "box, slices, cones"};
    Stage                    s;
    UNUSED(state);
    stage_open(&s, &few);
    for (u32 flat = 0; flat < 2; flat++) {
        u64 before = UINT64_MAX;
        picture_open(&s, 200, 133, flat);
        for (u32 i = 0; i < COUNT_OF(tests); i++) {
            stage_cull(
                &s, &(LightsSettings){.tests = tests[i],
                                      .skips = i % 2 ? LIGHTS_SKIPS_ALWAYS : LIGHTS_SKIPS_BY_COUNT,
                                      .numbers_seen = i % 2});
            const Found found = picture_compare(&s);
            print_message("%s, %s: %llu touch a sample, %llu are stored\n",
                          flat ? "orthographic" : "perspective", names[i],
                          (unsigned long long)found.touching, (unsigned long long)found.listed);
            assert_int_equal(found.missing, 0);
            assert_int_equal(found.missing_before, 0);
            assert_true(found.touching > 100 && found.listed >= found.touching);
            assert_true(found.listed <= before);
            before = found.listed;
        }
    }
    stage_close(&s);
}

static void tiles_of_all_sizes_and_pictures_of_odd_sizes_are_complete(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {3, 40}, {33, 17}, {65, 64}};
    Stage            s;
    UNUSED(state);
    stage_open(&s, &few);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        picture_open(&s, sizes[i][0], sizes[i][1], i == 2);
        for (u32 k = 0; k < 4; k++) {
            stage_cull(&s,
                       &(LightsSettings){.tile = k % 2 ? 32 : 16,
                                         .group = k == 2   ? 64
                                                  : k == 3 ? 32
                                                           : 0,
                                         .skips = k == 1 ? LIGHTS_SKIPS_NEVER : LIGHTS_SKIPS_ALWAYS,
                                         .depth_first = k == 2});
            const Found found = picture_compare(&s);
            assert_int_equal(found.missing + found.missing_before, 0);
        }
    }
    stage_close(&s);
}

/* A list as bits; its order and its counts are asserted. */
static void list_bits(const Stored* lists, u32 tile, u32 which, u32* bits) {
    const u32* list = list_of(lists, tile, which);
    u32        decals = 0, probes = 0;
    assert_int_equal(list[3], 0);
    for (u32 i = 0; i < list[0]; i++) {
        const u32 e = entry_of(list, i);
        assert_true(e < lists->state.count);
        assert_int_equal(bits[e / 32] >> e % 32 & 1, 0); /* once */
        bits[e / 32] |= 1u << e % 32;
        decals += e < lists->state.first_probe;
        probes += e >= lists->state.first_probe && e < lists->state.first_light;
        if (i && list[1] + list[2] > 0) assert_true(e > entry_of(list, i - 1));
    }
    assert_int_equal(list[1], decals);
    assert_int_equal(list[2], probes);
}

/* Asserts that both techniques with these settings have the same sets of all tiles. Returns the length of the longest
 * list, and adds all lengths to `entries`. */
static u32 sets_compare(Stage* s, LightsSettings settings, u32* entries) {
    u32 longest = 0;
    stage_cull(s, &settings);
    Stored bits = stored_read(s);
    settings.method = &lights_lists;
    stage_cull(s, &settings);
    Stored lists = stored_read(s);
    assert_int_equal(bits.state.count, lists.state.count);
    assert_int_equal(lists.state.overflows, 0);
    for (u32 n = 0; n < bits.wide * bits.high * 2; n++) {
        u32 read_bits[64] = {0};
        list_bits(&lists, n / 2, n % 2, read_bits);
        for (u32 e = 0; e < bits.state.count; e++)
            assert_int_equal(read_bits[e / 32] >> e % 32 & 1, bit_of(&bits, n / 2, n % 2, e));
        *entries += list_of(&lists, n / 2, n % 2)[0];
        longest = MAX_OF(longest, list_of(&lists, n / 2, n % 2)[0]);
    }
    stored_free(&bits);
    stored_free(&lists);
    return longest;
}

static void lists_contain_the_same_elements_as_bits(void** state) {
    static const LightsSettings settings[] = {{.skips = LIGHTS_SKIPS_ALWAYS},
                                              {.tile = 32},
                                              {.tests = LIGHTS_BY_BOX},
                                              {.group = 64},
                                              {.tile = 32, .group = 64}};
    Stage                       s;
    u32                         entries = 0;
    UNUSED(state);
    stage_open(&s, &few);
    picture_open(&s, 150, 90, false);
    for (u32 i = 0; i < COUNT_OF(settings); i++) sets_compare(&s, settings[i], &entries);
    assert_true(entries > 1000);
    stage_close(&s);
}

/* Lists that are sorted in as many steps as the longest possible ones. */
static void lists_of_nine_hundred_elements_are_sorted_completely(void** state) {
    Stage s;
    UNUSED(state);
    stage_open(&s, &(Counts){.decals = 300, .probes = 100, .points = 400, .spots = 100});
    const LightRows            lights = ent_light_rows(s.world);
    const DecalRows            decals = ent_decal_rows(s.world);
    const EnvironmentProbeRows probes = ent_environment_probe_rows(s.world);
    for (u32 i = 0; i < lights.count; i++) lights.record[i].range_m = 60;
    for (u32 i = 0; i < decals.count; i++) decals.record[i].half_extent_m = (Vec3){40, 40, 40};
    for (u32 i = 0; i < probes.count; i++) probes.record[i].half_extent_m = (Vec3){40, 40, 40};
    picture_open(&s, 40, 30, false);
    for (u32 group = 64; group <= 256; group *= 2) {
        u32 entries = 0;
        assert_in_range(sets_compare(&s, (LightsSettings){.group = group}, &entries), 850, 900);
    }
    stage_close(&s);
}

static void decals_are_numbered_with_the_topmost_first(void** state) {
    Stage s;
    UNUSED(state);
    stage_open(&s, &few);
    picture_open(&s, 40, 30, false);
    stage_cull(&s, &(LightsSettings){0});
    Stored          d = stored_read(&s);
    const DecalRows rows = ent_decal_rows(s.world);
    assert_true(d.state.first_probe > 3);
    for (u32 i = 1; i < d.state.first_probe; i++) {
        const u32 above = row_of(&d, i - 1), below = row_of(&d, i);
        assert_true(rows.record[above].order > rows.record[below].order ||
                    (rows.record[above].order == rows.record[below].order && above > below));
    }
    assert_int_equal(d.state.sun_count, 2);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal((u32)d.items[d.state.first_sun + i].w.x, LIGHT_DIRECTIONAL);
    }
    stored_free(&d);
    stage_close(&s);
}

static void tiles_with_surfaces_are_listed_for_an_indirect_dispatch(void** state) {
    Stage s;
    UNUSED(state);
    stage_open(&s, &few);
    picture_open(&s, 150, 90, false);
    for (u32 twice = 0; twice < 2; twice++) { /* the count begins at 0 again */
        stage_cull(&s, &(LightsSettings){.method = twice ? &lights_lists : NULL});
        Stored d = stored_read(&s);
        u8     expected[64] = {0};
        u32    count = 0;
        for (u32 i = 0; i < s.width * s.height; i++)
            if (s.depth[i] > 0) expected[i / s.width / 16 * d.wide + i % s.width / 16] = 1;
        for (u32 i = 0; i < d.wide * d.high; i++) count += expected[i];
        const LightsOccupied* head = (const LightsOccupied*)(const void*)d.tiles;
        assert_true(count > 3 && count < d.wide * d.high);
        assert_int_equal(head->count, count);
        assert_int_equal(head->adding, 0);
        assert_int_equal(head->groups[0] * head->groups[1] * head->groups[2], count * 2);
        for (u32 i = 0; i < count; i++) {
            const u32 tile = d.tiles[sizeof *head / 4 + i];
            assert_int_equal(expected[tile], 1);
            expected[tile] = 0;
        }
        stored_free(&d);
    }
    stage_close(&s);
}

static void any_number_of_lights_is_culled_completely(void** state) {
    static const u32 counts[] = {0, 1, 31, 32, 33, 4096};
    static const u32 sizes[][2] = {{70, 40}, {1, 1}, {33, 17}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(counts); i++) {
        const Counts only = {.points = counts[i]};
        Stage        s;
        stage_open(&s, &only);
        for (u32 k = 0; k < COUNT_OF(sizes); k++) {
            picture_open(&s, sizes[k][0], sizes[k][1], false);
            for (u32 skips = 0; skips < (k ? 1u : 2u); skips++) {
                stage_cull(&s, &(LightsSettings){.skips = skips ? LIGHTS_SKIPS_ALWAYS
                                                                : LIGHTS_SKIPS_BY_COUNT});
                const Found found = picture_compare(&s);
                assert_int_equal(found.missing + found.missing_before, 0);
                if (counts[i] > 1000) assert_true(found.touching > (k == 1 ? 10 : 100));
            }
        }
        stage_close(&s);
    }
}

/* Lights around the camera, behind it, and at the far plane, of both kinds of cameras. */
static void lights_around_and_behind_the_camera_are_stored(void** state) {
    static const Vec3 places[] = {
        {0.3f, 0, 2}, {0.3f, 0.2f, 2.6f}, {0, 0, 8}, {0, 0, -57.9f}, {0, 0, -70}};
    Stage s;
    UNUSED(state);
    stage_open(&s, &(Counts){.points = COUNT_OF(places)});
    const LightRows rows = ent_light_rows(s.world);
    for (u32 i = 0; i < COUNT_OF(places); i++) {
        const TransformRecord pose = {places[i], {0, 0, 0, 1}, {1, 1, 1}};
        rows.record[i].range_m = i == 2 ? 100.0f : 5.0f;
        ent_transform_set_local(s.world, ent_transform_row(s.world, rows.entity[i]), &pose);
    }
    ent_transform_update(s.world);
    gpu_pool_destroy(&s.pool);
    transforms_upload(&s);
    for (u32 flat = 0; flat < 2; flat++) {
        const CameraRecord camera = {.kind = flat ? CAMERA_ORTHOGRAPHIC : CAMERA_PERSPECTIVE,
                                     .vertical_fov_rad = 1.1f,
                                     .height_m = 9,
                                     .near_m = 0.2f,
                                     .far_m = 60};
        picture_open_view(&s, 64, 48, &camera);
        stage_cull(&s, &(LightsSettings){.numbers_seen = true});
        Stored d = stored_read(&s);
        assert_int_equal(d.state.count, 4); /* the last one is behind the far plane */
        stored_free(&d);
        const Found found = picture_compare(&s);
        assert_int_equal(found.missing + found.missing_before, 0);
        assert_true(found.touching > 0);
    }
    stage_close(&s);
}

static void the_nearest_lights_are_kept_beyond_the_limit(void** state) {
    enum { LIMIT = 37 };
    Stage s;
    UNUSED(state);
    stage_open(&s, &(Counts){.points = 300, .decals = 5});
    picture_open(&s, 64, 48, false);
    stage_cull(&s, &(LightsSettings){.numbers_seen = true});
    Stored all = stored_read(&s);
    stage_cull(&s, &(LightsSettings){.view_limit = LIMIT});
    Stored      d = stored_read(&s);
    const Found found = picture_compare(&s);
    const Point eye = {(f64)s.eye.origin.x, (f64)s.eye.origin.y, (f64)s.eye.origin.z};
    f64         farthest = 0;
    assert_int_equal(d.state.count, LIMIT);
    assert_int_equal(d.state.excess, all.state.count - LIMIT);
    assert_int_equal(found.missing + found.missing_before, 0);
    for (u32 pass = 0; pass < 2; pass++) {
        const Stored* from = pass ? &all : &d;
        u32           nearer = 0;
        for (u32 e = from->state.first_light; e < from->state.count; e++) {
            const LightRows rows = ent_light_rows(s.world);
            const u32       row = row_of(from, e);
            const Mat34*    m = ent_transform_world(s.world, rows.entity[row]);
            const f64       x = (f64)m->m[0][3] - eye.x, y = (f64)m->m[1][3] - eye.y,
                      z = (f64)m->m[2][3] - eye.z;
            const f64 far = fmax(sqrt(x * x + y * y + z * z) - (f64)rows.record[row].range_m, 0);
            if (pass == 0) farthest = fmax(farthest, far);
            nearer += pass == 1 && far < farthest - 1e-4;
        }
        assert_true(nearer <= LIMIT);
    }
    assert_non_null(strstr(test_gpu_message(), "the nearest 37 of them are kept"));
    stored_free(&all);
    stored_free(&d);
    stage_close(&s);
}

static void lists_with_too_many_lights_are_marked_and_counted(void** state) {
    Stage s;
    UNUSED(state);
    stage_open(&s, &(Counts){.points = 1100});
    const LightRows rows = ent_light_rows(s.world);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].range_m = 200;
    picture_open(&s, 40, 30, false);
    stage_cull(&s, &(LightsSettings){.method = &lights_lists});
    Stored d = stored_read(&s);
    u32    marked = 0;
    assert_int_equal(d.state.count, 1100);
    for (u32 n = 0; n < d.wide * d.high * 2; n++) {
        const u32* list = list_of(&d, n / 2, n % 2);
        assert_true(list[0] <= LIGHTS_LIST_MAX);
        marked += list[3];
    }
    assert_true(marked > 0);
    assert_int_equal(d.state.overflows, marked);
    stored_free(&d);
    stage_close(&s);
}

static void sixty_five_thousand_lights_fit_in_the_bits(void** state) {
    Stage s;
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("the smaller numbers are sufficient under sanitizers");
    stage_open(&s, &(Counts){.points = 65537});
    const LightRows rows = ent_light_rows(s.world);
    for (u32 i = 0; i < rows.count; i++) rows.record[i].range_m = i % 4 ? 60 : 10;
    picture_open(&s, 20, 17, false);
    stage_cull(&s, &(LightsSettings){0});
    Stored d = stored_read(&s);
    u32    set = 0, touching = 0, apart = 0;
    assert_int_equal(d.state.count, LIGHTS_MAX);
    assert_int_equal(d.state.excess, 1);
    assert_true(d.state.skips > 0); /* by default from LIGHTS_SKIPS_FROM on */
    for (u32 e = 0; e < d.state.count; e++) set += bit_of(&d, 0, LIGHTS_BEFORE, e);
    assert_true(set > 60000);
    for (u32 i = 0; i < s.width * s.height; i += 41) {
        const u32 x = i % s.width, y = i / s.width, tile = y / d.tile * d.wide + x / d.tile;
        if (s.depth[i] == 0) continue;
        const Point at = eye_point(&s.eye, x, y, depth_distance(&s.eye, s.depth[i]));
        for (u32 e = 0; e < d.state.count; e++) {
            const bool touches = light_contains(&s, row_of(&d, e), at);
            assert_true(!touches || bit_of(&d, tile, LIGHTS_SURFACES, e));
            touching += touches;
            apart += !touches;
        }
    }
    assert_true(touching > 100000 && apart > 10000);
    stored_free(&d);
    stage_close(&s);
}

static void culling_with_other_subgroup_sizes_passes_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("lights", 512);
}

TEST_SUITE(lights) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_that_touches_a_sample_is_stored_for_its_tile),
        cmocka_unit_test(tiles_of_all_sizes_and_pictures_of_odd_sizes_are_complete),
        cmocka_unit_test(lists_contain_the_same_elements_as_bits),
        cmocka_unit_test(lists_of_nine_hundred_elements_are_sorted_completely),
        cmocka_unit_test(decals_are_numbered_with_the_topmost_first),
        cmocka_unit_test(tiles_with_surfaces_are_listed_for_an_indirect_dispatch),
        cmocka_unit_test(any_number_of_lights_is_culled_completely),
        cmocka_unit_test(lights_around_and_behind_the_camera_are_stored),
        cmocka_unit_test(the_nearest_lights_are_kept_beyond_the_limit),
        cmocka_unit_test(lists_with_too_many_lights_are_marked_and_counted),
        cmocka_unit_test(sixty_five_thousand_lights_fit_in_the_bits),
        cmocka_unit_test(culling_with_other_subgroup_sizes_passes_the_same_tests)};
    return gpu_suite_end(TEST_RUN("lights", tests));
}
