/* test_meshes.c - pictures of meshes: the visible triangle of each sample in comparison with rays
 * traced in double precision, textures in comparison with a plain filter, and what cannot be drawn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "blocks.h"
#include "canvas_internal.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"
#include "test_characters.h"
#include "test_gpu_support.h"
#include "transform_internal.h"

enum { WIDE = 120, HIGH = 90 };

/* A level that is compiled, opened and spawned, with its system and a canvas of one sample a pixel. */
typedef struct Stage {
    Library    library;
    World*     world;
    Meshes*    meshes;
    Canvas*    canvas;
    CanvasView view;
} Stage;

static void stage_open(Stage* s, const char* folder, const char* level) {
    const CanvasDesc desc = {.width = WIDE, .height = HIGH, .samples = 1};
    const Blob*      blob;
    GpuProblem       problem = {0};
    void*            state;
    char             path[1100];
    *s = (Stage){0};
    snprintf(path, sizeof path, "%s/out", folder);
    assert_int_equal(ent_library_open(&s->library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&s->library, level, RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(s->world, blob, NULL, NULL), ENT_OK);
    const GpuScene scene = {.world = s->world, .library = &s->library};
    if (test_system_create(ent_meshes_system(), &state, gpu_for_test(), &scene, &problem) != ENT_OK)
        fail_msg("%s", problem.text);
    s->meshes = state;
    assert_int_equal(ent_canvas_create(&s->canvas, gpu_for_test(), &desc), ENT_OK);
}

static void stage_close(Stage* s) {
    ent_canvas_destroy(s->canvas);
    test_system_destroy(ent_meshes_system(), s->meshes);
    ent_world_destroy(s->world);
    ent_library_close(&s->library);
    test_gpu_silent();
}

static void stage_draw(Stage* s) {
    assert_int_equal(test_system_draw(ent_meshes_system(), s->meshes, s->canvas, &s->view), ENT_OK);
}

static void* read_back(const Stage* s, const GpuBuffer* buffer) {
    void* bytes = malloc(buffer->bytes);
    assert_int_equal(gpu_download(s->canvas->gpu, buffer, 0, bytes, buffer->bytes), ENT_OK);
    return bytes;
}

static u32* ids_of(const Stage* s) {
    return test_image_read(s->canvas->gpu, &s->canvas->raster.id, VK_IMAGE_ASPECT_COLOR_BIT, WIDE,
                           HIGH, 8);
}

/* --- rays --- */

typedef struct Ray {
    f64 from[3], along[3];
} Ray;

/* The instance, in the order of the device, and the first index of the triangle that a ray hits. */
typedef struct Hit {
    u32 instance, index; /* NONE: it hits nothing */
} Hit;

typedef struct Traced {
    const Stage*  stage;
    MeshInstance* instances;
    f32*          vertices;
    u32*          indices;
    Mat34*        worlds;
    u32*          levels; /* of each instance, as the device has selected them */
    u32*          moved;  /* words of vertices that skeletons and morph targets move */
    SkinBounds*   boxes;  /* of instances that these move */
} Traced;

static Ray ray_at(const CanvasEye* eye, f64 x, f64 y) {
    const f64  px = x / WIDE * 2 - 1, py = 1 - y / HIGH * 2;
    const f32 *o = &eye->origin.x, *r = &eye->right.x, *u = &eye->up.x, *f = &eye->forward.x;
    Ray        ray;
    for (u32 i = 0; i < 3; i++) {
        const f64 aside = (f64)r[i] * px + (f64)u[i] * py;
        ray.from[i] = (f64)o[i] + (eye->orthographic ? aside : 0);
        ray.along[i] = (f64)f[i] + (eye->orthographic ? 0 : aside);
    }
    return ray;
}

static f64 dot(const f64* a, const f64* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const f64* a, const f64* b, f64* out) {
    for (u32 i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void minus(const f64* a, const f64* b, f64* out) {
    for (u32 i = 0; i < 3; i++) out[i] = a[i] - b[i];
}

static void corner_of(const Traced* t, const MeshInstance* instance, u32 index, f64* out) {
    const Mat34    one = mat34_identity;
    const Mat34*   m = instance->transform == MESHES_NONE ? &one : &t->worlds[instance->transform];
    const MeshRow* mesh = &t->stage->meshes->geometry.mesh[instance->mesh];
    f32            at[3];
    if (instance->shown < MESHES_MOVED)
        memcpy(at, t->vertices + mesh->position + t->indices[index] * 3, sizeof at);
    else
        memcpy(at,
               t->moved + t->stage->meshes->skin.skinning.range[instance->shown - MESHES_MOVED].to +
                   t->indices[index] * 4,
               sizeof at);
    for (u32 i = 0; i < 3; i++)
        out[i] = (f64)m->m[i][0] * (f64)at[0] + (f64)m->m[i][1] * (f64)at[1] +
                 (f64)m->m[i][2] * (f64)at[2] + (f64)m->m[i][3];
}

/* The distance along the ray, or a negative number. `side`: only triangles that are seen from the
 * front (1), from behind (-1), or from both sides (0). */
static f64 triangle_hit(const Ray* ray, f64 (*corner)[3], int side) {
    f64 ab[3], ac[3], normal[3], from[3], turned[3];
    minus(corner[1], corner[0], ab);
    minus(corner[2], corner[0], ac);
    cross(ab, ac, normal);
    const f64 facing = -dot(ray->along, normal);
    if (facing == 0 || facing * side < 0) return -1;
    minus(ray->from, corner[0], from);
    cross(from, ray->along, turned);
    const f64 b = dot(ac, turned) / facing, c = -dot(ab, turned) / facing;
    if (b < 0 || c < 0 || b + c > 1) return -1;
    return dot(from, normal) / facing;
}

static f64 determinant_of(const Mat34* m) {
    f64 column[3][3], turned[3];
    for (u32 i = 0; i < 3; i++)
        for (u32 k = 0; k < 3; k++) column[k][i] = (f64)m->m[i][k];
    cross(column[1], column[2], turned);
    return dot(column[0], turned);
}

static void part_trace(const Traced* t, u32 which, const MeshPart* part, const Ray* ray, f64 near_m,
                       f64* nearest, Hit* hit) {
    const MeshInstance* instance = &t->instances[which];
    const Meshes*       m = t->stage->meshes;
    const bool          two_sided = m->geometry.material[part->material].two_sided;
    if (part->corners != 3) return;
    for (u32 i = part->first_index; i < part->first_index + part->index_count; i += 3) {
        f64 corner[3][3];
        for (u32 k = 0; k < 3; k++) corner_of(t, instance, i + k, corner[k]);
        const Mat34* w =
            instance->transform == MESHES_NONE ? NULL : &t->worlds[instance->transform];
        const bool mirrored = w && determinant_of(w) < 0;
        const f64  far = triangle_hit(ray, corner, two_sided ? 0 : mirrored ? -1 : 1);
        if (far < near_m || far >= *nearest) continue;
        *nearest = far;
        *hit = (Hit){which, i};
    }
}

/* Can a ray meet a sphere around the corners of the bounds of an instance? */
static bool may_hit(const Traced* t, u32 which, const Ray* ray) {
    const MeshInstance* instance = &t->instances[which];
    const MeshRow*      row = &t->stage->meshes->geometry.mesh[instance->mesh];
    const SkinBounds    local = {row->low, row->high};
    const SkinBounds*   mesh =
        instance->shown < MESHES_MOVED ? &local : &t->boxes[instance->shown - MESHES_MOVED];
    const Mat34* pose =
        instance->transform == MESHES_NONE ? &mat34_identity : &t->worlds[instance->transform];
    const Vec3 middle =
        mat34_point(pose, (Vec3){(mesh->low.x + mesh->high.x) / 2, (mesh->low.y + mesh->high.y) / 2,
                                 (mesh->low.z + mesh->high.z) / 2});
    const f64 center[3] = {(f64)middle.x, (f64)middle.y, (f64)middle.z};
    f64       from[3], radius = 0;
    for (u32 k = 0; k < 8; k++) {
        const Vec3 corner = mat34_point(pose, (Vec3){k & 1 ? mesh->high.x : mesh->low.x,
                                                     k & 2 ? mesh->high.y : mesh->low.y,
                                                     k & 4 ? mesh->high.z : mesh->low.z});
        radius = MAX_OF(radius, (f64)vec3_length(vec3_sub(corner, middle)));
    }
    minus(center, ray->from, from);
    const f64 along = dot(from, ray->along), length = dot(ray->along, ray->along);
    return dot(from, from) - along * along / length <= radius * radius * 1.01 + 1e-6;
}

static Hit trace(const Traced* t, const Ray* ray, f64 near_m) {
    const Meshes* m = t->stage->meshes;
    Hit           hit = {NONE, NONE};
    f64           nearest = HUGE_VAL;
    for (u32 i = 0; i < m->slots.capacity; i++) {
        if (t->levels[i] == NONE || !may_hit(t, i, ray)) continue;
        const MeshRow* mesh = &m->geometry.mesh[t->instances[i].mesh];
        const u32      first = mesh->first_part + t->levels[i] * mesh->part_count;
        for (u32 k = 0; k < mesh->part_count; k++)
            part_trace(t, i, &m->geometry.part[first + k], ray, near_m, &nearest, &hit);
    }
    return hit;
}

/* --- visibility --- */

static bool same(Hit a, Hit b) { return a.instance == b.instance && a.index == b.index; }

/* The rays of all pixels of a picture, with one more on each side. */
static Hit* traced_hits(const Traced* t, const CanvasEye* eye, f64 near_m) {
    Hit* hits = malloc((WIDE + 2) * (HIGH + 2) * sizeof *hits);
    for (u32 y = 0; y < HIGH + 2; y++) {
        for (u32 x = 0; x < WIDE + 2; x++) {
            const Ray ray = ray_at(eye, x - 0.5, y - 0.5);
            hits[y * (WIDE + 2) + x] = trace(t, &ray, near_m);
        }
    }
    return hits;
}

static u32 corners_at(const Stage* s, u32 index) {
    const MeshPart* part = s->meshes->geometry.part;
    for (u32 i = 0; i < s->meshes->geometry.part_count; i++) {
        if (index - part[i].first_index < part[i].index_count) return part[i].corners;
    }
    return 0;
}

/* Pixels whose neighbours see the same triangle must see it in the picture; returns their number. */
static u32 hits_compare(const Stage* s, const Hit* hits, const u32* ids, const u32* visible) {
    u32 compared = 0;
    for (u32 y = 0; y < HIGH; y++) {
        for (u32 x = 0; x < WIDE; x++) {
            const Hit* at = &hits[(y + 1) * (WIDE + 2) + x + 1];
            bool       inside = true;
            for (int k = 0; k < 9; k++)
                inside &= same(*at, at[(k / 3 - 1) * (WIDE + 2) + k % 3 - 1]);
            if (!inside) continue;
            const u32* id = &ids[(y * WIDE + x) * 2];
            const Hit  found = {id[0] ? visible[id[0] - 1] : NONE, id[0] ? id[1] : NONE};
            if (found.index != NONE && corners_at(s, found.index) != 3) continue; /* of a wire */
            if (!same(found, *at))
                fail_msg("pixel %u, %u: instance %u, index %u, not %u, %u", x, y, found.instance,
                         found.index, at->instance, at->index);
            compared++;
        }
    }
    return compared;
}

/* Finds the instances in the view of the last picture, without regard to what hides them. */
static void instances_find(Stage* s) {
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(s->canvas->gpu, &frames, &frame), ENT_OK);
    const GpuPicture picture = {.frame = frame,
                                .eye = &s->canvas->eyes[!s->canvas->which],
                                .eye_before = &s->canvas->eyes[!s->canvas->which],
                                .pyramid = &s->canvas->pyramid};
    meshes_find(s->meshes, &picture);
    assert_int_equal(gpu_alone_end(frames, frame, ENT_OK), ENT_OK);
}

/* Each instance has at most one flag; one that is not in the view has none, and the level NONE. */
static u32* levels_of(Stage* s) {
    const Meshes* m = s->meshes;
    instances_find(s);
    u32* flags = read_back(s, &m->scene.flags);
    u32* levels = calloc(m->slots.capacity, sizeof *levels);
    for (u32 i = 0; i < m->slots.capacity; i++) {
        u32 set = 0;
        levels[i] = NONE;
        for (u32 n = 0; n < m->geometry.level_max * 2; n++) {
            if (!(flags[n * m->flag_stride + i / 32] >> i % 32 & 1)) continue;
            levels[i] = n % m->geometry.level_max;
            set++;
        }
        assert_in_range(set, 0, 1);
    }
    free(flags);
    return levels;
}

static u32 stage_compare(Stage* s) {
    stage_draw(s);
    CanvasEye*   eye = read_back(s, &s->canvas->eyes[!s->canvas->which]);
    u32*         ids = ids_of(s);
    u32*         visible = read_back(s, &s->meshes->scene.visible);
    const Traced t = {s,
                      read_back(s, &s->meshes->scene.instances),
                      read_back(s, &s->meshes->geometry.vertices),
                      read_back(s, &s->meshes->geometry.indices),
                      read_back(s, &s->meshes->lighting->places.transforms.column[COLUMN_WORLD]),
                      levels_of(s),
                      read_back(s, &s->meshes->skin.skinning.buffer.to),
                      read_back(s, &s->meshes->skin.skinning.buffer.boxes)};
    Hit*         hits = traced_hits(&t, eye, (f64)eye->near_m);
    const u32    compared = hits_compare(s, hits, ids, visible);
    void* const  all[] = {eye, t.instances, t.vertices, t.indices, t.worlds, t.levels,
                          ids, visible,     hits,       t.moved,   t.boxes};
    for (u32 i = 0; i < COUNT_OF(all); i++) free(all[i]);
    return compared;
}

/* Balls, hills of two materials, wires and boxes: turned, mirrored, flat, small, hidden and behind
 * the camera; `level` is the number of the level. */
static const char level_script[] =
    "import json,random,sys\n"
    "for level in range(10):\n"
    "    r=random.Random(level); e=[]\n"
    "    for i in range(14):\n"
    "        s=[r.choice((-1,1))*r.uniform(0.4,1.2) for _ in range(3)]\n"
    "        if i==3: s=[1,0,1]\n"
    "        if i==4: s=[0,0,0]\n"
    "        q=[r.gauss(0,1) for _ in range(4)]; n=sum(v*v for v in q)**0.5\n"
    "        e.append({'name':'e%d'%i,'components':{\n"
    "            'transform':{'position':[r.uniform(-5,5),r.uniform(-4,4),r.uniform(-9,3)],\n"
    "                         'rotation':[v/n for v in q],'scale':s},\n"
    "            'mesh':{'resource':r.choice(('ball','box','wire','none'))+'/grid',\n"
    "                    'visible':i!=6}}})\n"
    "    e.append({'name':'ground','components':{'mesh':{'resource':'hills/grid'},\n"
    "        'transform':{'position':[-6,-4,-10]}}})\n"
    "    json.dump({'entities':e},open('src/l%d.level.json'%level,'w'))\n"
    "e=[{'name':'ball','components':{'transform':{},'mesh':{'resource':'glass/grid'}}},\n"
    "   {'name':'lamp','components':{'transform':{'position':[0,0,6]},'light':{'kind':'spot',\n"
    "    'intensity':500,'range_m':20,'casts_shadow':True}}}]\n"
    "json.dump({'entities':e},open('src/glass.level.json','w'))\n"
    "r=random.Random(9); e=[]\n"
    "for i in range(300):\n"
    "    s=r.uniform(2,5) if i%10==0 else r.uniform(0.2,0.7)\n"
    "    q=[r.gauss(0,1) for _ in range(4)]; n=sum(v*v for v in q)**0.5\n"
    "    e.append({'name':'e%d'%i,'components':{\n"
    "        'transform':{'position':[r.uniform(-20,20),r.uniform(-8,8),r.uniform(-20,20)],\n"
    "                     'rotation':[v/n for v in q],'scale':[s,s,s]},\n"
    "        'mesh':{'resource':r.choice(('ball','box','box'))+'/grid'}}})\n"
    "json.dump({'entities':e},open('src/crowd.level.json','w'))\n";

static const char* levels_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("meshes_levels"));
    TEST_DONE(".", "python3 tests/support/make_lods.py '%s/src'", folder);
    test_write_text(folder, "levels.py", level_script);
    TEST_DONE(folder, "python3 levels.py && entc build src -o out -q");
    return folder;
}

static CanvasView view_from(f32 x, f32 y, f32 z, bool is_flat) {
    return (CanvasView){.camera = {.kind = is_flat ? CAMERA_ORTHOGRAPHIC : CAMERA_PERSPECTIVE,
                                   .vertical_fov_rad = 0.9f,
                                   .height_m = 10,
                                   .near_m = 0.5f,
                                   .far_m = is_flat ? 60 : 0},
                        .pose = {{{1, 0, 0, x}, {0, 1, 0, y}, {0, 0, 1, z}}},
                        .light = {0.48f, 0.64f, 0.6f},
                        .light_color = {1, 1, 1},
                        .reach_m = 10,
                        .grid_m = 1};
}

/* How often something is repeated: completely with TEST_FULL, and less often under sanitizers. */
static u32 rounds(u32 full, u32 usual, u32 sanitized) {
    return getenv("TEST_FULL") ? full : SANITIZED ? sanitized : usual;
}

static void visible_triangles_are_those_that_rays_hit(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    const u32 scenes = rounds(10, 3, 3);
    for (u32 i = 0; i < scenes; i++) {
        char  level[16];
        Stage s;
        snprintf(level, sizeof level, "l%u", i);
        stage_open(&s, levels_folder(), level);
        s.view = view_from(0, 0, 9, i % 4 == 1);
        assert_true(stage_compare(&s) > WIDE * HIGH / 4);
        s.view = view_from(1, 0, -1, false); /* in the middle of them */
        assert_true(stage_compare(&s) > WIDE * HIGH / 8);
        stage_close(&s);
    }
}

/* --- instances that skeletons and morph targets move --- */

static ent_status stage_record(void* state, GpuFrame* frame) {
    Stage* s = state;
    return test_system_record(ent_meshes_system(), s->meshes, frame);
}

static void stage_frame(Stage* s) {
    assert_int_equal(test_gpu_frame(gpu_for_test(), stage_record, s), ENT_OK);
}

static void triangle_of_characters_in_each_pixel_is_that_of_a_ray(void** state) {
    static const char* const levels[] = {"show_walker", "show_ball", "torch", "show_worm"};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        Stage s;
        stage_open(&s, characters_folder(), levels[i]);
        s.view = view_from(0, 1, i == 3 ? 9 : 5, i == 2);
        for (u32 k = 0; k < 3; k++) {
            ent_skin_rows(s.world).record[0].time_s = 0.17f + 0.4f * (f32)k;
            stage_frame(&s);
            assert_true(stage_compare(&s) > WIDE * HIGH / 8);
        }
        stage_close(&s);
    }
}

static ent_status all_record(void* state, GpuFrame* frame) {
    Stage* s = state;
    TRY(test_system_record(ent_meshes_system(), s->meshes, frame));
    return ent_meshes_move_all(s->meshes, frame);
}

/* All vertices are in the bounds, and bounds are not much larger. */
static void bounds_of_characters_contain_all_their_vertices(void** state) {
    Stage s;
    UNUSED(state);
    stage_open(&s, characters_folder(), "crowd");
    const Skinning* skinning = &s.meshes->skin.skinning;
    f64             tight = 0;
    for (u32 k = 0; k < 8; k++) {
        const SkinRows rows = ent_skin_rows(s.world);
        for (u32 i = 0; i < rows.count; i++) rows.record[i].time_s += 0.23f;
        assert_int_equal(test_gpu_frame(gpu_for_test(), all_record, &s), ENT_OK);
        u32* const        to = read_back(&s, &skinning->buffer.to);
        SkinBounds* const boxes = read_back(&s, &skinning->buffer.boxes);
        for (u32 i = 0; i < skinning->count.ranges; i++) {
            Bounds real = bounds_empty();
            for (u32 v = 0; v < skinning->range[i].vertex_count; v++) {
                Vec3 at;
                memcpy(&at, to + skinning->range[i].to + v * 4, sizeof at);
                bounds_add(&real, at);
            }
            assert_true(boxes[i].low.x <= real.low.x && boxes[i].high.x >= real.high.x);
            assert_true(boxes[i].low.y <= real.low.y && boxes[i].high.y >= real.high.y);
            assert_true(boxes[i].low.z <= real.low.z && boxes[i].high.z >= real.high.z);
            tight += (f64)((real.high.y - real.low.y) / (boxes[i].high.y - boxes[i].low.y));
        }
        free(to);
        free(boxes);
    }
    assert_true(skinning->count.ranges == 200 && tight / (200 * 8) > 0.7);
    stage_close(&s);
}

#define UNTOUCHED 0xabababab

/* Draws a picture and counts the ranges whose vertices it has computed: those equal `wanted_to`, and the others
 * are as before. What is visible was computed, in this picture or, where `was_done`, in an earlier one. */
static u32 moved_by_picture(Stage* s, const u32* wanted_to, bool* was_done) {
    const Skinning* skinning = &s->meshes->skin.skinning;
    u32             moved = 0;
    assert_int_equal(gpu_fill(gpu_for_test(), &skinning->buffer.to, UNTOUCHED), ENT_OK);
    stage_draw(s);
    u32 *to = read_back(s, &skinning->buffer.to), *ids = ids_of(s);
    u32 *visible = read_back(s, &s->meshes->scene.visible),
        *state = read_back(s, &skinning->buffer.wanted);
    for (u32 i = 0; i < skinning->count.ranges; i++) {
        const SkinRange* range = &skinning->range[i];
        const bool       computes = state[i] == SKINNING_DONE && !was_done[i];
        for (u32 w = range->to; w < range->to + range->vertex_count * 4; w++)
            assert_int_equal(to[w], computes ? wanted_to[w] : UNTOUCHED);
        assert_true(state[i] == SKINNING_DONE || state[i] == SKINNING_UNWANTED);
        was_done[i] = was_done[i] || computes;
        moved += computes;
    }
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        if (ids[i * 2] == 0) continue;
        const MeshInstance* at = &s->meshes->slots.slot[visible[ids[i * 2] - 1]];
        assert_true(at->shown < MESHES_MOVED || was_done[at->shown - MESHES_MOVED]);
    }
    free(to);
    free(ids);
    free(visible);
    free(state);
    return moved;
}

static void pictures_move_the_characters_that_they_show_once(void** state) {
    Stage s;
    bool  was_done[200] = {false};
    UNUSED(state);
    TEST_NEEDS_RASTER;
    stage_open(&s, characters_folder(), "crowd");
    assert_int_equal(test_gpu_frame(gpu_for_test(), all_record, &s), ENT_OK);
    assert_int_equal(s.meshes->skin.skinning.count.ranges, COUNT_OF(was_done));
    u32* const wanted_to = read_back(&s, &s.meshes->skin.skinning.buffer.to);
    s.meshes->skin.skinning.posed = 0; /* as if the poses had changed */
    stage_frame(&s);
    s.view = view_from(0, 1, 5, false);
    const u32 first = moved_by_picture(&s, wanted_to, was_done);
    s.view = view_from(3, 1, 12, false);
    const u32 second = moved_by_picture(&s, wanted_to, was_done);
    print_message("of 200 characters, %u are moved for one picture and %u more for another one\n",
                  first, second);
    assert_true(first > 10 && second > 10 && first + second < 200);
    assert_int_equal(moved_by_picture(&s, wanted_to, was_done), 0); /* nothing has changed */
    free(wanted_to);
    stage_close(&s);
}

/* --- instances in the view --- */

/* How far the bounds of an instance are inside of the plane that they are outside of most, as a share
 * of the distance from the eye. */
static f64 inside_of(const CanvasEye* eye, const MeshRow* mesh, const Mat34* pose) {
    const Vec4* rows[] = {&eye->clip_x, &eye->clip_y, &eye->clip_z, &eye->clip_w};
    f64         max[6] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    f64         min = HUGE_VAL, low[3], high[3];
    for (u32 axis = 0; axis < 3; axis++) {
        const f64 l[3] = {(f64)mesh->low.x, (f64)mesh->low.y, (f64)mesh->low.z};
        const f64 h[3] = {(f64)mesh->high.x, (f64)mesh->high.y, (f64)mesh->high.z};
        low[axis] = high[axis] = (f64)pose->m[axis][3];
        for (u32 k = 0; k < 3; k++) {
            const f64 a = (f64)pose->m[axis][k] * l[k], b = (f64)pose->m[axis][k] * h[k];
            low[axis] += MIN_OF(a, b);
            high[axis] += MAX_OF(a, b);
        }
    }
    for (u32 k = 0; k < 8; k++) {
        const f64 at[3] = {k & 1 ? high[0] : low[0], k & 2 ? high[1] : low[1],
                           k & 4 ? high[2] : low[2]};
        f64 clip[4];
        for (u32 r = 0; r < 4; r++)
            clip[r] = (f64)rows[r]->x * at[0] + (f64)rows[r]->y * at[1] + (f64)rows[r]->z * at[2] +
                      (f64)rows[r]->w;
        const f64 sides[6] = {clip[3] - clip[0], clip[3] + clip[0], clip[3] - clip[1],
                              clip[3] + clip[1], clip[3] - clip[2], clip[2]};
        for (u32 p = 0; p < 6; p++) max[p] = MAX_OF(max[p], sides[p]);
    }
    for (u32 p = 0; p < 6; p++) min = MIN_OF(min, max[p]);
    return min;
}

/* The listed instances are those with a level, in the order of levels and places. */
static void list_check(const Stage* s, const u32* levels) {
    const Meshes* m = s->meshes;
    u32*          visible = read_back(s, &m->scene.visible);
    u32*          flags = read_back(s, &m->scene.flags);
    u32           next = 0, listed = 0;
    for (u32 n = 0; n < m->geometry.level_max * 2; n++) {
        for (u32 i = 0; i < m->slots.capacity; i++) {
            if (!(flags[n * m->flag_stride + i / 32] >> i % 32 & 1)) continue;
            assert_int_equal(visible[next], i);
            next++;
        }
    }
    for (u32 i = 0; i < m->slots.capacity; i++) listed += levels[i] != NONE;
    assert_int_equal(next, listed);
    free(visible);
    free(flags);
}

/* Nothing is rasterised: this holds at each subgroup size. */
static void instances_in_the_view_are_those_of_a_double_precision_test(void** state) {
    static const char* const names[] = {"l0", "l3", "crowd"};
    u32                      compared = 0, seen = 0;
    UNUSED(state);
    TEST_NEEDS("python3");
    for (u32 k = 0; k < COUNT_OF(names) * 4; k++) {
        Stage s;
        stage_open(&s, levels_folder(), names[k % COUNT_OF(names)]);
        s.view = view_from((f32)k - 3, 1, 2, k % 4 == 3);
        assert_int_equal(ent_picture_draw(s.canvas, NULL, &s.view), ENT_OK); /* an empty picture */
        CanvasEye*  eye = read_back(&s, &s.canvas->eyes[!s.canvas->which]);
        u32*        levels = levels_of(&s);
        SkinBounds* boxes = read_back(&s, &s.meshes->skin.skinning.buffer.boxes);
        for (u32 i = 0; i < s.meshes->slots.capacity; i++) {
            const MeshInstance* instance = &s.meshes->slots.slot[i];
            MeshRow             mesh = s.meshes->geometry.mesh[instance->mesh];
            if (instance->shown >= MESHES_MOVED) {
                mesh.low = boxes[instance->shown - MESHES_MOVED].low;
                mesh.high = boxes[instance->shown - MESHES_MOVED].high;
            }
            const f64 inside =
                inside_of(eye, &mesh, ent_transform_world(s.world, instance->entity));
            if (instance->shown == MESHES_UNSEEN) assert_int_equal(levels[i], NONE);
            if (instance->shown == MESHES_UNSEEN || fabs(inside) < 1e-3) continue;
            assert_int_equal(levels[i] != NONE, inside > 0);
            compared++;
            seen += inside > 0;
        }
        list_check(&s, levels);
        free(levels);
        free(boxes);
        free(eye);
        stage_close(&s);
    }
    assert_true(compared > 1000 && seen > 100 && seen < compared - 100);
}

/* The error of a level in the picture is at most a pixel, and the next level would exceed it. From far
 * away every level of the ball is used; the picture of a crowd changes by few pixels. */
static void level_of_an_instance_has_an_error_of_one_pixel(void** state) {
    u32   used = 0;
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, levels_folder(), "l0");
    for (f32 distance = 5; distance < 2000; distance *= 1.6f) {
        s.view = view_from(0, 0, distance, false);
        stage_draw(&s);
        u32*          levels = levels_of(&s);
        MeshInstance* instances = read_back(&s, &s.meshes->scene.instances);
        for (u32 i = 0; i < s.meshes->slots.capacity; i++) {
            const MeshRow* mesh = &s.meshes->geometry.mesh[instances[i].mesh];
            const f32      pixels = HIGH / 2 / tanf(0.45f) / MAX_OF(distance - 30, 1.0f);
            if (levels[i] == NONE) continue;
            const u32 part = mesh->first_part + levels[i] * mesh->part_count;
            assert_true(levels[i] < mesh->level_count);
            if (distance > 60) assert_true(s.meshes->geometry.part[part].error_m * pixels <= 1.5f);
            used |= 1u << levels[i];
        }
        free(levels);
        free(instances);
    }
    assert_int_equal(used, (1u << s.meshes->geometry.level_max) - 1);
    stage_close(&s);
}

/* The levels in which blended parts were drawn last into shadow maps, as bits. */
static u32 filter_levels_of(const Stage* s) {
    const Meshes*                 m = s->meshes;
    VkDrawIndexedIndirectCommand* commands = read_back(s, &m->shadow.filter_commands);
    MeshDraw*                     draws = read_back(s, &m->blend.draws);
    u32                           used = 0;
    for (u32 i = 0; i < m->blend.count; i++)
        if (commands[i].instanceCount) used |= 1u << draws[i].flags % m->geometry.level_max;
    free(commands);
    free(draws);
    return used;
}

/* A ball of glass and a lamp: from far away every level is used, and in small maps coarser ones than in large ones. */
static void blended_parts_have_levels_in_pictures_and_shadow_maps(void** state) {
    static const u32 sides[] = {64, 512, 4096};
    u32              used = 0, cast[COUNT_OF(sides)];
    Stage            s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, levels_folder(), "glass");
    for (f32 distance = 3; distance < 2000; distance *= 1.25f) {
        s.view = view_from(0, 0, distance, false);
        stage_draw(&s);
        u32* levels = levels_of(&s); /* the last passes were those of blended parts */
        assert_int_equal(s.meshes->slots.capacity, 1);
        assert_true(levels[0] != NONE);
        const f32       pixels = HIGH / 2 / tanf(0.45f) / MAX_OF(distance - 1.7f, 0.5f);
        const MeshRow*  mesh = &s.meshes->geometry.mesh[0];
        const MeshPart* part =
            &s.meshes->geometry.part[mesh->first_part + levels[0] * mesh->part_count];
        assert_true(part->error_m * pixels <= 1.01f);
        used |= 1u << levels[0];
        free(levels);
    }
    assert_int_equal(used, (1u << s.meshes->geometry.mesh[0].level_count) - 1);
    s.view = view_from(0, 0, 8, false);
    for (u32 i = 0; i < COUNT_OF(sides); i++) {
        shadows_set(&s.meshes->lighting->shadows, &(ShadowsSettings){.spot_side = sides[i]});
        assert_int_equal(test_system_frame(ent_meshes_system(), s.meshes, gpu_for_test()), ENT_OK);
        stage_draw(&s);
        cast[i] = filter_levels_of(&s);
        assert_true(cast[i] != 0 && (cast[i] & (cast[i] - 1)) == 0);
        if (i > 0) assert_true(cast[i] <= cast[i - 1]);
    }
    assert_true(cast[0] > cast[2]);
    stage_close(&s);
}

/* Fewer instances are drawn when some are behind the camera; the picture of a still scene is the
 * same again, bit by bit. */
static void still_scene_gives_equal_pictures(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, levels_folder(), "l0");
    s.view = view_from(0, 0, -1, false);
    stage_draw(&s);
    u32* first = read_back(&s, &s.canvas->pixel);
    u32* levels = levels_of(&s);
    u32  drawn = 0;
    for (u32 i = 0; i < s.meshes->slots.capacity; i++) drawn += levels[i] != NONE;
    assert_in_range(drawn, 1, s.meshes->slots.capacity - 2);
    for (u32 i = 0; i < 5; i++) {
        stage_draw(&s);
        u32* again = read_back(&s, &s.canvas->pixel);
        assert_memory_equal(first, again, s.canvas->pixel.bytes);
        free(again);
    }
    free(first);
    free(levels);
    stage_close(&s);
}

/* --- textures --- */

/* Blocks are decoded to bytes of sRGB, and filtered as linear colours: a difference of 2 / 255 in
 * either is permitted. A square of 2 m with an emissive texture, and one without it, seen at an
 * angle. */
static const char square_script[] =
    "import sys; sys.path.insert(0,sys.argv[1])\n"
    "from pathlib import Path\n"
    "from make_features import F32,U16,Model,png\n"
    "import json\n"
    "def noise(x,y): return tuple(100+v%48 for v in (x*73+y*41,x*x*7+y*29,x*11+y*y*5))\n"
    "for name,lit in (('lit',True),('dark',False)):\n"
    "    m=Model(); corners=[(-1,-1,0),(1,-1,0),(1,1,0),(-1,1,0)]\n"
    "    info=m.texture(png(32,16,2,noise))\n"
    "    "
    "info['extensions']={'KHR_texture_transform':{'offset':[0.25,0.5],'rotation':0.5,'scale':[2,3]}"
    "}\n"
    "    m.uses('KHR_texture_transform')\n"
    "    paint=m.slots({'baseColorFactor':[0,0,0,1]},emissiveTexture=info,emissiveFactor=[1,1,1] "
    "if lit else [0,0,0])\n"
    "    part={'attributes':{'POSITION':m.stream(corners,F32,bounds=True),\n"
    "        'TEXCOORD_0':m.stream([(0,1),(1,1),(1,0),(0,0)],F32)},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    Path('src').mkdir(exist_ok=True); m.save(Path('src'),name)\n"
    "    json.dump({'entities':[{'prefab':name}]},open('src/%s.level.json'%name,'w'))\n";

static const char* square_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("meshes_texture"));
    test_write_text(folder, "square.py", square_script);
    TEST_DONE(folder, "python3 square.py ../../../../tests/support && entc build src -o out -q");
    return folder;
}

static f64 linear_of(u8 byte) {
    const f64 c = byte / 255.0;
    return c <= 0.04045 ? c / 12.92 : pow((c + 0.055) / 1.055, 2.4);
}

static f64 encoded(f64 linear) {
    const f64 c = MAX_OF(linear, 0);
    return c <= 0.0031308 ? c * 12.92 : 1.055 * pow(c, 1 / 2.4) - 0.055;
}

typedef struct Image {
    u32 width, height;
    f64 (*at)[3]; /* linear */
} Image;

enum { LEVELS = 6 };

/* The levels of the only texture, decoded. */
static void levels_open(const Library* library, Image* levels) {
    const Blob* blob = NULL;
    u32         count;
    for (u32 i = 0; i < library->count; i++) {
        const Blob* at = &ent_library_entry(library, i)->resource.blob;
        if (at->header->resource_type == RESOURCE_TEXTURE) blob = at;
    }
    assert_non_null(blob);
    const TextureRecord*      texture = gpu_blob_rows(blob, SECTION_TEXTURE, &count);
    const u8*                 data = gpu_blob_rows(blob, SECTION_TEXTURE_DATA, &count);
    const TextureLevelRecord* level = gpu_blob_rows(blob, SECTION_TEXTURE_LEVEL, &count);
    assert_int_equal(count, LEVELS);
    for (u32 i = 0; i < LEVELS; i++) {
        const u32 w = level[i].width, h = level[i].height;
        u8*       rgba = malloc((size_t)w * h * 4);
        levels[i] = (Image){w, h, calloc((size_t)w * h, sizeof(f64[3]))};
        pixels_decode((PixelFormat)texture->format, data + level[i].offset, w, h, rgba);
        for (u32 k = 0; k < w * h * 3; k++)
            levels[i].at[k / 3][k % 3] = linear_of(rgba[k / 3 * 4 + k % 3]);
        free(rgba);
    }
}

static u32 wrapped(f64 at, u32 size) { return (u32)(at - floor(at / size) * size); }

static void image_read(const Image* image, f64 u, f64 v, f64* out) {
    const f64 x = u * image->width - 0.5, y = v * image->height - 0.5;
    const f64 fx = x - floor(x), fy = y - floor(y);
    out[0] = out[1] = out[2] = 0;
    for (int k = 0; k < 4; k++) {
        const f64 weight = (k % 2 ? fx : 1 - fx) * (k / 2 ? fy : 1 - fy);
        const u32 px = wrapped(floor(x) + k % 2, image->width);
        const u32 py = wrapped(floor(y) + k / 2, image->height);
        for (u32 c = 0; c < 3; c++) out[c] += weight * image->at[py * image->width + px][c];
    }
}

static void levels_read(const Image* levels, f64 level, f64 u, f64 v, f64* out) {
    const f64 at = MAX_OF(0, MIN_OF(level, LEVELS - 1.0));
    const u32 low = (u32)at, high = MIN_OF(low + 1, LEVELS - 1u);
    f64       a[3], b[3];
    image_read(&levels[low], u, v, a);
    image_read(&levels[high], u, v, b);
    for (u32 c = 0; c < 3; c++) out[c] = a[c] + (b[c] - a[c]) * (at - low);
}

/* The transformed coordinates where a ray meets the plane of the square. */
static void square_uv(const CanvasEye* eye, f64 x, f64 y, f64* uv) {
    const Ray ray = ray_at(eye, x, y);
    const f64 far = -ray.from[2] / ray.along[2];
    const f64 u = (ray.from[0] + ray.along[0] * far + 1) / 2 * 2;
    const f64 v = (1 - ray.from[1] - ray.along[1] * far) / 2 * 3;
    uv[0] = cos(0.5) * u + sin(0.5) * v + 0.25;
    uv[1] = -sin(0.5) * u + cos(0.5) * v + 0.5;
}

static f64 half_value(u32 half) {
    const u32 exponent = half >> 10 & 31, fraction = half & 1023;
    return exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
}

/* The emitted light of a pixel: the colours of both pictures differ by it. */
static void emitted(const u32* lit, const u32* dark, u32 i, f64* out) {
    const u32 words[2][3] = {{lit[i * 2] & 0xffff, lit[i * 2] >> 16, lit[i * 2 + 1] & 0xffff},
                             {dark[i * 2] & 0xffff, dark[i * 2] >> 16, dark[i * 2 + 1] & 0xffff}};
    for (u32 c = 0; c < 3; c++) out[c] = half_value(words[0][c]) - half_value(words[1][c]);
}

/* --- culling by depth --- */

/* A camera that turns fast, in the middle of instances that hide each other. */
static CanvasView view_of_path(u32 frame) {
    const f32 turn = (f32)frame * ((frame / 20) % 2 ? 0.9f : 0.07f),
              up = 0.4f * sinf((f32)frame * 0.21f);
    const Vec3 back = {sinf(turn) * cosf(up), sinf(up), cosf(turn) * cosf(up)};
    CanvasView view = view_from(0, 0, 0, frame % 50 == 49);
    const Vec3 right = {cosf(turn), 0, -sinf(turn)}, above = vec3_cross(back, right);
    const Vec3 at = vec3_scale(back, 2 + 9 * (0.5f + 0.5f * cosf((f32)frame * 0.11f)));
    view.pose = (Mat34){{{right.x, above.x, back.x, at.x},
                         {right.y, above.y, back.y, at.y},
                         {right.z, above.z, back.z, at.z}}};
    return view;
}

static void pictures_along_a_path_equal_those_without_culling_by_depth(void** state) {
    Stage     s;
    const u32 frames = rounds(200, 80, 40);
    u32       hidden = 0, late = 0;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, levels_folder(), "crowd");
    for (u32 frame = 0; frame < frames; frame++) {
        s.view = view_of_path(frame);
        stage_draw(&s);
        u32* culled = read_back(&s, &s.canvas->pixel);
        u32* flags = read_back(&s, &s.meshes->scene.flags); /* of the second phase */
        u32* left_out = read_back(&s, &s.meshes->scene.hidden);
        for (u32 i = 0; i < s.meshes->scene.flags.bytes / 4; i++)
            late += (u32)__builtin_popcount(flags[i]);
        for (u32 i = 0; i < s.meshes->scene.hidden.bytes / 4; i++)
            hidden += (u32)__builtin_popcount(left_out[i]);
        s.meshes->draws_hidden = true;
        stage_draw(&s);
        s.meshes->draws_hidden = false;
        u32* all = read_back(&s, &s.canvas->pixel);
        if (memcmp(culled, all, s.canvas->pixel.bytes) != 0) fail_msg("frame %u differs", frame);
        free(culled);
        free(flags);
        free(left_out);
        free(all);
    }
    print_message("counted: %u rejections by the last picture, %u of them drawn late\n", hidden,
                  late);
    assert_true(hidden > frames * 10 && late > frames / 10);
    stage_close(&s);
}

static void texture_is_filtered_like_a_plain_filter(void** state) {
    Image     levels[LEVELS] = {{0}};
    u32*      colors[2];
    u32       compared = 0;
    CanvasEye eye;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    const char* folder = square_folder();
    for (u32 i = 0; i < 2; i++) {
        Stage s;
        stage_open(&s, folder, i ? "dark" : "lit");
        if (i == 0) levels_open(&s.library, levels);
        const f32 c = cosf(0.9f), d = sinf(0.9f);
        s.view = view_from(0, 0, 0, false);
        s.view.pose = (Mat34){{{c, 0, d, d * 2.6f}, {0, 1, 0, 0.1f}, {-d, 0, c, c * 2.6f}}};
        stage_draw(&s);
        colors[i] = read_back(&s, &s.canvas->color);
        CanvasEye* read = read_back(&s, &s.canvas->eyes[!s.canvas->which]);
        eye = *read;
        free(read);
        stage_close(&s);
    }
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const f64 x = i % WIDE + 0.5, y = i / WIDE + 0.5;
        f64       uv[2], right[2], down[2], want[3], found[3];
        const Ray ray = ray_at(&eye, x, y);
        const f64 far = -ray.from[2] / ray.along[2];
        const f64 px = ray.from[0] + ray.along[0] * far, py = ray.from[1] + ray.along[1] * far;
        if (far < 0 || fabs(px) > 0.97 || fabs(py) > 0.97) continue;
        square_uv(&eye, x, y, uv);
        square_uv(&eye, x + 1, y, right);
        square_uv(&eye, x, y + 1, down);
        const f64 a = hypot((right[0] - uv[0]) * 32, (right[1] - uv[1]) * 16);
        const f64 b = hypot((down[0] - uv[0]) * 32, (down[1] - uv[1]) * 16);
        levels_read(levels, log2(MAX_OF(a, b)), uv[0], uv[1], want);
        emitted(colors[0], colors[1], i, found);
        for (u32 c = 0; c < 3; c++) {
            if (fabs(encoded(want[c]) - encoded(found[c])) > 2 / 255.0 &&
                fabs(want[c] - found[c]) > 2 / 255.0)
                fail_msg("pixel %u %u, channel %u: %g, not %g", i % WIDE, i / WIDE, c, found[c],
                         want[c]);
        }
        compared++;
    }
    assert_true(compared > 1000);
    for (u32 i = 0; i < LEVELS; i++) free(levels[i].at);
    for (u32 i = 0; i < 2; i++) free(colors[i]);
}

/* --- what cannot be drawn --- */

/* Magenta is the colour of the checker pattern: the square does not have it. */
static u32 magenta_of(const Stage* s) {
    u8* pixels = read_back(s, &s->canvas->pixel);
    u32 count = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const u8* p = pixels + (size_t)i * 4;
        count += p[0] > 200 && p[1] < 90 && p[2] > 200;
    }
    free(pixels);
    return count;
}

static void texture_that_cannot_be_read_is_a_checker_pattern(void** state) {
    Gpu*  gpu = gpu_for_test();
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    const char* folder = square_folder();
    for (u32 i = 0; i < 2; i++) {
        const bool could = gpu->can.block_textures;
        gpu->can.block_textures = i == 0 && could;
        stage_open(&s, folder, "lit");
        gpu->can.block_textures = could;
        if (i) assert_non_null(strstr(test_gpu_message(), "a checker pattern is drawn instead"));
        s.view = view_from(0, 0, 3, false);
        stage_draw(&s);
        const u32 magenta = magenta_of(&s);
        if (i ? magenta < 500 : magenta > 200) fail_msg("%u pixels", magenta);
        stage_close(&s);
    }
}

static void device_that_cannot_draw_meshes_is_refused(void** state) {
    Gpu* const    gpu = gpu_for_test();
    const Library library = {0};
    World*        world;
    UNUSED(state);
    const GpuAbilities all = gpu->can;
    bool* const        each[] = {&gpu->can.draw_numbers,   &gpu->can.primitives, &gpu->can.blends,
                                 &gpu->can.indirect_draws, &gpu->can.clips,      &gpu->can.textures};
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    const GpuScene scene = {.world = world, .library = &library};
    for (u32 i = 0; i < COUNT_OF(each); i++) {
        GpuProblem problem = {0};
        void*      created;
        *each[i] = false;
        assert_int_equal(test_system_create(ent_meshes_system(), &created, gpu, &scene, &problem),
                         ENT_NO_DEVICE);
        assert_null(created);
        assert_non_null(strstr(problem.text, i < 3 ? "cannot draw meshes: it lacks "
                                                   : "cannot light surfaces: it lacks "));
        gpu->can = all;
    }
    ent_world_destroy(world);
}

/* Two pictures of the same scene: the second one culls by the depth of the first. */
static void size_draw(Stage* s, u32 width, u32 height) {
    Stage            local = *s;
    const CanvasDesc desc = {.width = width, .height = height, .samples = 1};
    u32*             pixels[2];
    assert_int_equal(ent_canvas_create(&local.canvas, gpu_for_test(), &desc), ENT_OK);
    for (u32 i = 0; i < 2; i++) {
        stage_draw(&local);
        pixels[i] = read_back(&local, &local.canvas->pixel);
    }
    assert_memory_equal(pixels[0], pixels[1], (size_t)width * height * 4);
    u32* const ids = test_image_read(local.canvas->gpu, &local.canvas->raster.id,
                                     VK_IMAGE_ASPECT_COLOR_BIT, width, height, 8);
    u32        seen = 0;
    for (u32 i = 0; i < width * height; i++) seen += ids[(size_t)i * 2] != 0;
    if (seen == 0) fail_msg("%u x %u pixels: nothing is drawn", width, height);
    free(ids);
    free(pixels[0]);
    free(pixels[1]);
    ent_canvas_destroy(local.canvas);
}

static void pictures_of_extreme_sizes_show_the_scene(void** state) {
    Stage s;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, square_folder(), "dark");
    s.view = view_from(0, 0, 3, false);
    size_draw(&s, 1, 1);
    size_draw(&s, 16384, 16);
    size_draw(&s, 16, 16384);
    stage_close(&s);
    test_gpu_silent();
}

/* The picture is seen along an axis of the cube: the magenta pixels reach as far to each side. */
static void magenta_is_in_the_middle(const Stage* s) {
    u8* pixels = read_back(s, &s->canvas->pixel);
    u32 low[2] = {WIDE, HIGH}, high[2] = {0, 0};
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        const u8* p = pixels + (size_t)i * 4;
        if (!(p[0] > 200 && p[1] < 90 && p[2] > 200)) continue;
        low[0] = MIN_OF(low[0], i % WIDE), high[0] = MAX_OF(high[0], i % WIDE);
        low[1] = MIN_OF(low[1], i / WIDE), high[1] = MAX_OF(high[1], i / WIDE);
    }
    free(pixels);
    assert_in_range(low[0] + high[0], WIDE - 3, WIDE + 1);
    assert_in_range(low[1] + high[1], HIGH - 3, HIGH + 1);
}

/* A cube of 1 m with the checker pattern is drawn instead. */
static void mesh_that_is_not_loaded_is_a_checker_cube(void** state) {
    Stage s;
    char  entity[32];
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, square_folder(), "dark");
    s.view = view_from(0, 0, 3, false);
    stage_draw(&s);
    assert_int_equal(magenta_of(&s), 0);
    const u32 row = 0;
    ent_mesh_rows(s.world).record[row].resource = (ResourceRef){7, 9};
    ent_manager_changed(ent_world_manager_by_name(s.world, "mesh"), &row, 1);
    assert_int_equal(test_system_frame(ent_meshes_system(), s.meshes, gpu_for_test()), ENT_OK);
    snprintf(entity, sizeof entity, "of the entity 0x%08x ", ent_mesh_rows(s.world).entity[row]);
    assert_non_null(strstr(test_gpu_message(), "the mesh 0x"));
    assert_non_null(strstr(test_gpu_message(), entity));
    assert_non_null(strstr(test_gpu_message(), "is not loaded: a cube is drawn instead"));
    stage_draw(&s);
    assert_in_range(magenta_of(&s), 200, 2000);
    magenta_is_in_the_middle(&s);
    stage_close(&s);
}

/* --- blended surfaces --- */

/* Three coloured panes one behind the other, in levels with all of them in two orders, each of them
 * alone, and none. */
static const char panes_script[] =
    "import sys; sys.path.insert(0,sys.argv[1])\n"
    "from pathlib import Path\n"
    "from make_features import F32,U16,Model\n"
    "import json\n"
    "Path('src').mkdir(exist_ok=True)\n"
    "colors=(('red',[1,0,0,0.5]),('green',[0,1,0,0.25]),('blue',[0,0,1,0.75]))\n"
    "for name,c in colors:\n"
    "    m=Model()\n"
    "    paint=m.add('materials',{'alphaMode':'BLEND','pbrMetallicRoughness':\n"
    "        {'baseColorFactor':c,'metallicFactor':0,'roughnessFactor':1}})\n"
    "    "
    "part={'attributes':{'POSITION':m.stream([(-9,-9,0),(9,-9,0),(9,9,0),(-9,9,0)],F32,bounds=True)"
    "},\n"
    "        'indices':m.indices([(0,1,2),(0,2,3)],U16),'material':paint}\n"
    "    m.add('nodes',{'mesh':m.add('meshes',{'name':'square','primitives':[part]})})\n"
    "    m.save(Path('src'),name)\n"
    "def level(name,order):\n"
    "    e=[{'name':'p%d'%k,'components':{'transform':{'position':[0,0,-k]},\n"
    "        'mesh':{'resource':colors[k][0]+'/square'}}} for k in order]\n"
    "    "
    "e.append({'name':'far','components':{'transform':{'position':[0,0,50]},'mesh':{'resource':'"
    "red/square'}}})\n"
    "    json.dump({'entities':e},open('src/%s.level.json'%name,'w'))\n"
    "level('none',()); level('up',(0,1,2)); level('down',(2,1,0)); level('mixed',(1,2,0))\n"
    "for k in range(3): level('only%d'%k,(k,))\n";

/* The linear colour of the middle of the picture. */
static void middle_of(const char* level, f64* rgb) {
    static char* folder;
    Stage        s;
    if (!folder) {
        folder = strdup(test_folder("meshes_panes"));
        test_write_text(folder, "panes.py", panes_script);
        TEST_DONE(folder, "python3 panes.py ../../../../tests/support && entc build src -o out -q");
    }
    stage_open(&s, folder, level);
    s.view = view_from(0, 0, 6, false);
    stage_draw(&s);
    u32*       colors = read_back(&s, &s.canvas->color);
    const u32* at = colors + (HIGH / 2 * WIDE + WIDE / 2) * 2;
    rgb[0] = half_value(at[0] & 0xffff);
    rgb[1] = half_value(at[0] >> 16);
    rgb[2] = half_value(at[1] & 0xffff);
    free(colors);
    stage_close(&s);
}

static void blended_surfaces_are_drawn_from_far_to_near(void** state) {
    static const char* const levels[] = {"up", "down", "mixed"};
    static const f64         opacity[] = {0.5, 0.25, 0.75};
    f64                      behind[3], alone[3][3], want[3];
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    middle_of("none", behind);
    memcpy(want, behind, sizeof want);
    for (u32 k = 3; k-- > 0;) {
        char name[8];
        snprintf(name, sizeof name, "only%u", k);
        middle_of(name, alone[k]);
        for (u32 c = 0; c < 3; c++) {
            const f64 local = alone[k][c] - behind[c] * (1 - opacity[k]); /* times its opacity */
            want[c] = local + want[c] * (1 - opacity[k]);
        }
        assert_true(alone[k][k] > behind[k] + 0.05);
    }
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        f64 got[3];
        middle_of(levels[i], got);
        for (u32 c = 0; c < 3; c++)
            if (fabs(got[c] - want[c]) > 0.004)
                fail_msg("%s, channel %u: %f, not %f", levels[i], c, got[c], want[c]);
    }
}

/* --- worlds that change --- */

/* The ids of a picture as entities and indices: instances have other places in another system. */
static u32* seen_by(Stage* s) {
    stage_draw(s);
    u32*          ids = ids_of(s);
    u32*          visible = read_back(s, &s->meshes->scene.visible);
    MeshInstance* instances = read_back(s, &s->meshes->scene.instances);
    for (u32 i = 0; i < WIDE * HIGH; i++)
        if (ids[i * 2]) ids[i * 2] = instances[visible[ids[i * 2] - 1]].entity;
    free(visible);
    free(instances);
    return ids;
}

static Entity any_mesh(const Stage* s, u32* dice) {
    const MeshRows rows = ent_mesh_rows(s->world);
    *dice = *dice * 1664525u + 1013904223u;
    return rows.count ? rows.entity[(*dice >> 8) % rows.count] : ENTITY_NULL;
}

static void mesh_entity_add(Stage* s, u32* dice) {
    const u32        from = ent_manager_row(ent_world_manager_by_name(s->world, "mesh"),
                                            ent_world_entities(s->world), any_mesh(s, dice));
    const MeshRecord record = ent_mesh_rows(s->world).record[from];
    Entity           entity;
    u32              row;
    assert_int_equal(ent_entity_create(s->world, &entity, 1), ENT_OK);
    if (*dice >> 20 & 7)
        assert_int_equal(ent_manager_create(s->world,
                                            ent_world_manager_by_name(s->world, "transform"),
                                            entity, &row),
                         ENT_OK);
    assert_int_equal(
        ent_manager_create(s->world, ent_world_manager_by_name(s->world, "mesh"), entity, &row),
        ENT_OK);
    ent_mesh_rows(s->world).record[row] = record;
    ent_manager_changed(ent_world_manager_by_name(s->world, "mesh"), &row, 1);
}

static void world_change(Stage* s, u32* dice) {
    const Entity    entity = any_mesh(s, dice);
    const u32       row = ent_transform_row(s->world, entity);
    TransformRecord pose = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};
    const u32       what = *dice >> 24 & 7;
    pose.position =
        (Vec3){(f32)(*dice >> 4 & 15) - 7, (f32)(*dice >> 8 & 7) - 3, -(f32)(*dice & 7)};
    if (what == 0 && ent_mesh_rows(s->world).count > 4)
        assert_int_equal(ent_entity_destroy(s->world, &entity, 1), 1);
    else if (what == 1 && row != MANAGER_NO_ROW)
        ent_manager_remove(s->world, ent_world_manager_by_name(s->world, "transform"), row);
    else if (what < 4 || row == MANAGER_NO_ROW)
        mesh_entity_add(s, dice);
    else if (what == 4)
        ent_transform_defer(s->world, *dice >> 15 & 1);
    else
        ent_transform_set_local(s->world, row, &pose);
    ent_transform_update(s->world);
}

/* A new system for the world of a stage, with the canvas of that. */
static void fresh_create(const Stage* s, Stage* fresh) {
    GpuProblem     problem = {0};
    const GpuScene scene = {.world = s->world, .library = &s->library};
    void*          created;
    *fresh = *s;
    assert_int_equal(
        test_system_create(ent_meshes_system(), &created, gpu_for_test(), &scene, &problem),
        ENT_OK);
    fresh->meshes = created;
}

/* At most one pixel of a hundred differs, because instances at the same depth have another order. */
static u32 seen_compare(Stage* s, Stage* fresh) {
    u32 *mine = seen_by(s), *wanted = seen_by(fresh), seen = 0, other = 0;
    for (u32 i = 0; i < WIDE * HIGH; i++) {
        seen += wanted[i * 2] != 0;
        other += memcmp(&mine[i * 2], &wanted[i * 2], 8) != 0;
    }
    free(mine);
    free(wanted);
    if (other > seen / 100) fail_msg("%u of %u pixels differ", other, seen);
    return seen;
}

/* A system that has followed the world sees what a new one sees. */
static void picture_of_changed_world_equals_that_of_a_new_system(void** state) {
    Stage s, fresh;
    u32   dice = 5;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    stage_open(&s, levels_folder(), "l0");
    s.view = view_from(0, 0, 9, false);
    for (u32 round = 0; round < rounds(12, 7, 7); round++) {
        for (u32 i = 0; i < 1 + round * 3; i++) world_change(&s, &dice);
        stage_frame(&s);
        fresh_create(&s, &fresh);
        assert_true(seen_compare(&s, &fresh) > 300);
        test_system_destroy(ent_meshes_system(), fresh.meshes);
    }
    stage_close(&s);
}

/* The device computes the matrices of entities that follow joints as ent_skins_attach does. */
static void entities_that_follow_joints_have_the_same_matrices_on_the_device(void** state) {
    Stage  s;
    Skins* skins;
    UNUSED(state);
    stage_open(&s, characters_folder(), "torch");
    assert_int_equal(ent_skins_create(&skins, s.world, &s.library), ENT_OK);
    const AttachToJointRows rows = ent_attach_to_joint_rows(s.world);
    for (u32 i = 0; i < 8; i++) {
        assert_int_equal(ent_skins_advance(skins, 0.13f), ENT_OK);
        stage_frame(&s);
        const u32 torch = ent_transform_row(s.world, rows.entity[0]);
        const u32 lost = ent_transform_row(s.world, rows.entity[1]);
        Mat34* found = read_back(&s, &s.meshes->lighting->places.transforms.column[COLUMN_WORLD]);
        assert_int_equal(ent_skins_attach(skins), ENT_OK);
        const Mat34* wanted = ent_transform_worlds(s.world);
        for (u32 k = 0; k < 12; k++) {
            const u32 r = k / 4, c = k % 4;
            assert_true(fabsf(found[torch].m[r][c] - wanted[torch].m[r][c]) < 1e-5f);
            assert_true(found[lost].m[r][c] == wanted[lost].m[r][c]);
        }
        free(found);
    }
    ent_skins_destroy(skins);
    stage_close(&s);
}

/* Other clips, roots and skeletons; characters that are hidden, and some that are destroyed. */
static void characters_change(Stage* s, u32 round) {
    const SkinRows rows = ent_skin_rows(s->world);
    const Entity   gone[] = {rows.entity[round * 7 + 3], rows.record[round * 5].root};
    const u32      hidden = 60 + round;
    for (u32 i = 0; i < rows.count; i++) rows.record[i].time_s += 0.1f * (f32)(i % 5);
    rows.record[9 + round].clip = (ResourceRef){0, 0};
    rows.record[20 + round].root = ENTITY_NULL;
    rows.record[30 + round] = rows.record[40];
    rows.record[50 + round].skeleton = (ResourceRef){0, 0};
    ent_mesh_rows(s->world).record[hidden].visible = 0;
    ent_manager_changed(ent_world_built_in(s->world, COMPONENT_MESH), &hidden, 1);
    for (u32 i = 0; i < COUNT_OF(gone); i++) {
        if (ent_entity_alive(ent_world_entities(s->world), gone[i]))
            assert_int_equal(ent_entity_destroy(s->world, &gone[i], 1), 1);
    }
}

static void changed_characters_are_drawn_as_by_a_new_system(void** state) {
    Stage s, fresh;
    UNUSED(state);
    TEST_NEEDS_RASTER;
    stage_open(&s, characters_folder(), "crowd");
    s.view = view_from(0, 2, 6, false);
    for (u32 round = 0; round < rounds(6, 4, 4); round++) {
        characters_change(&s, round);
        stage_frame(&s);
        fresh_create(&s, &fresh);
        assert_true(seen_compare(&s, &fresh) > 300);
        test_system_destroy(ent_meshes_system(), fresh.meshes);
    }
    stage_close(&s);
}

/* Opens a level, follows a change and draws twice on a device whose n-th call fails. Between the pictures, the first
 * instance moves. */
static ent_status drawn_with_fault(const char* level, u32 fault_call, VkResult fault,
                                   bool* reached) {
    const CanvasDesc desc = {.width = 16, .height = 16, .samples = 1};
    const CanvasView view = view_from(0, 0, 9, false);
    Gpu*             gpu = NULL;
    Canvas*          canvas = NULL;
    void*            created = NULL;
    Stage            s;
    GpuProblem       problem = {0};
    stage_open(&s, levels_folder(), level);
    *reached = true;
    ent_status status = test_gpu_open(&gpu, fault_call, fault);
    if (status == ENT_OK) {
        const GpuScene scene = {.world = s.world, .library = &s.library};
        status = test_system_create(ent_meshes_system(), &created, gpu, &scene, &problem);
        if (status == ENT_OK) status = ent_canvas_create(&canvas, gpu, &desc);
        ent_transform_update_all(s.world);
        for (u32 i = 0; i < 3 && status == ENT_OK; i++) {
            const Entity entity = ent_mesh_rows(s.world).entity[0];
            if (i == 2)
                ent_transform_set_local(s.world, ent_transform_row(s.world, entity),
                                        &(TransformRecord){{0, 0.5f, 0}, {0, 0, 0, 1}, {1, 1, 1}});
            ent_transform_update(s.world);
            if (i == 0) status = test_system_frame(ent_meshes_system(), created, gpu);
            if (status == ENT_OK)
                status = test_system_draw(ent_meshes_system(), created, canvas, &view);
        }
        *reached = gpu->calls >= fault_call;
        ent_canvas_destroy(canvas);
        test_system_destroy(ent_meshes_system(), created);
        assert_int_equal(ent_gpu_validation_count(gpu), 0);
        ent_gpu_destroy(gpu);
    }
    stage_close(&s);
    return status;
}

/* Also with a lamp, whose maps are copied after the move, and glass, which has layers. */
static void meshes_with_any_failing_vulkan_call_return_status(void** state) {
    static const char* const levels[] = {"l0", "glass"};
    const u32                step = rounds(1, 89, 223);
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    if (getenv("TEST_WIDTH")) return;
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        u32  call = 20;
        bool reached = true;
        for (; call < 1500; call += step) {
            const VkResult fault = call % 2 ? VK_ERROR_OUT_OF_DEVICE_MEMORY : VK_ERROR_DEVICE_LOST;
            const ent_status status = drawn_with_fault(levels[i], call, fault, &reached);
            if (!reached) break;
            if (status != (call % 2 ? ENT_NO_MEMORY : ENT_DEVICE_LOST))
                fail_msg("%s, call %u: status %d", levels[i], call, (int)status);
        }
        print_message("%s: %u calls\n", levels[i], call);
        assert_true(call > 100 && call < 1500);
    }
}

static void meshes_with_other_subgroup_sizes_pass_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("meshes", 512);
}

TEST_SUITE(meshes) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(visible_triangles_are_those_that_rays_hit),
        cmocka_unit_test(instances_in_the_view_are_those_of_a_double_precision_test),
        cmocka_unit_test(level_of_an_instance_has_an_error_of_one_pixel),
        cmocka_unit_test(blended_parts_have_levels_in_pictures_and_shadow_maps),
        cmocka_unit_test(still_scene_gives_equal_pictures),
        cmocka_unit_test(pictures_of_extreme_sizes_show_the_scene),
        cmocka_unit_test(pictures_along_a_path_equal_those_without_culling_by_depth),
        cmocka_unit_test(texture_is_filtered_like_a_plain_filter),
        cmocka_unit_test(texture_that_cannot_be_read_is_a_checker_pattern),
        cmocka_unit_test(device_that_cannot_draw_meshes_is_refused),
        cmocka_unit_test(mesh_that_is_not_loaded_is_a_checker_cube),
        cmocka_unit_test(blended_surfaces_are_drawn_from_far_to_near),
        cmocka_unit_test(picture_of_changed_world_equals_that_of_a_new_system),
        cmocka_unit_test(triangle_of_characters_in_each_pixel_is_that_of_a_ray),
        cmocka_unit_test(bounds_of_characters_contain_all_their_vertices),
        cmocka_unit_test(pictures_move_the_characters_that_they_show_once),
        cmocka_unit_test(changed_characters_are_drawn_as_by_a_new_system),
        cmocka_unit_test(entities_that_follow_joints_have_the_same_matrices_on_the_device),
        cmocka_unit_test(meshes_with_any_failing_vulkan_call_return_status),
        cmocka_unit_test(meshes_with_other_subgroup_sizes_pass_the_same_tests),
    };
    return gpu_suite_end(TEST_RUN("meshes", tests));
}
