/* test_skinning.c - poses, bones and skinned vertices of the device compared with those of the CPU. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "animation.h"
#include "host_internal.h"
#include "pose_tables_internal.h"
#include "sections.h"
#include "skinning.h"
#include "test_characters.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

#define KEYS      6u
#define LENGTH_S  2.0f
#define JOINT_MAX 300u

/* --- data --- */

/* A skeleton, two clips that move it, and a mesh. */
typedef struct Figure {
    Bytes        skeleton_bytes, clip_bytes[2];
    Blob         skeleton, clip[2];
    u32          joints, binds, vertices;
    u32*         words; /* [word_count] the streams */
    u32          word_count;
    SkinningMesh mesh;
} Figure;

static Quat quat_random(Random* r) {
    f32 q[4], square = 0;
    for (u32 i = 0; i < 4; i++) {
        q[i] = random_float(r, -1, 1);
        square += q[i] * q[i];
    }
    const f32 scale = 1 / sqrtf(MAX_OF(square, 1e-6f));
    return (Quat){q[0] * scale, q[1] * scale, q[2] * scale, q[3] * scale};
}

/* Parents are a few joints before, so that chains are long. */
static Bytes skeleton_make(Random* r, u32 joints, u32 binds) {
    JointRecord* joint = calloc(joints, sizeof *joint);
    BindRecord*  bind = calloc(binds, sizeof *bind);
    Output       out;
    for (u32 i = 0; i < joints; i++)
        joint[i] = (JointRecord){.parent = i ? i - 1 - random_next(r) % MIN_OF(i, 3u) : NONE,
                                 .node = 1000 + i * 7,
                                 .name = 1 + i,
                                 .position = {random_float(r, -0.1f, 0.1f), 0.1f, 0},
                                 .rotation = quat_random(r),
                                 .scale = {random_float(r, 0.98f, 1.02f), 1, 1}};
    for (u32 i = 0; i < binds; i++) {
        const u32 bind_joint = i < joints ? i : random_next(r) % joints;
        bind[i] = (BindRecord){.joint = bind_joint,
                               .row_0 = {1, 0, 0, random_float(r, -1, 1)},
                               .row_1 = {0, 1, random_float(r, -0.2f, 0.2f), 0},
                               .row_2 = {0, 0, i % 5 ? 1 : -1, 0}};
    }
    output_begin(&out, RESOURCE_SKELETON, text_of("figure"), joints, 2);
    output_section(&out, SECTION_JOINT, joint, joints);
    output_section(&out, SECTION_BIND, bind, binds);
    free(joint);
    free(bind);
    return output_bytes(&out, target_native(), NULL);
}

typedef struct ClipParts {
    TrackRecord track[JOINT_MAX * 2];
    f32         time[JOINT_MAX * 2 * KEYS], value[JOINT_MAX * 2 * KEYS * 12];
    u32         tracks, times, values;
} ClipParts;

static void track_add(ClipParts* p, Random* r, u32 joint, u32 channel, u32 interpolation) {
    const u32 words = channel == CLIP_ROTATION ? 4 : 3, parts = interpolation == CLIP_CUBIC ? 3 : 1;
    const u32 keys = joint % 4 ? KEYS : interpolation == CLIP_CUBIC ? 2 : 1;
    p->track[p->tracks++] = (TrackRecord){1000 + joint * 7, channel, interpolation, CLIP_FLOATS,
                                          p->times,         keys,    p->values};
    for (u32 k = 0; k < keys; k++) {
        p->time[p->times++] =
            LENGTH_S * ((f32)k + random_float(r, 0, 0.5f)) / (f32)KEYS + (k ? 0.01f : 0);
        for (u32 part = 0; part < parts; part++) {
            const Quat q = quat_random(r);
            const f32  scale = part == 1 || parts == 1 ? 1 : 0.1f, base = channel == CLIP_SCALE;
            const f32  all[] = {q.x, q.y, q.z, q.w};
            for (u32 i = 0; i < words; i++)
                p->value[p->values++] =
                    words == 4 ? all[i] * scale : base * (scale == 1) + all[i] * 0.02f;
        }
    }
}

static Bytes clip_make(Random* r, u32 joints) {
    ClipParts*           p = calloc(1, sizeof *p);
    const ClipInfoRecord info = {LENGTH_S};
    Output               out;
    for (u32 i = 0; i < joints; i++) {
        if (i % 7 == 6) continue; /* keeps its rest pose */
        track_add(p, r, i, i % 3, i % 5 % 3);
        if (i % 2) track_add(p, r, i, (i + 1) % 3, (i + 1) % 3);
    }
    track_add(p, r, JOINT_MAX + 5, CLIP_ROTATION, CLIP_LINEAR); /* of a node that is no joint */
    output_begin(&out, RESOURCE_CLIP, text_of("moves"), p->tracks, 4);
    output_section(&out, SECTION_CLIP_INFO, &info, 1);
    output_section(&out, SECTION_TRACK, p->track, p->tracks);
    output_section(&out, SECTION_KEY_TIME, p->time, p->times);
    output_section(&out, SECTION_KEY_VALUE, p->value, p->values);
    free(p);
    return output_bytes(&out, target_native(), NULL);
}

static u32 stream_add(Figure* f, u32 words) {
    const u32 first = f->word_count;
    f->word_count += f->vertices * words;
    f->word_count += f->word_count % 2;
    return first;
}

/* Sums of weights are 65535; those of eight are in descending order. */
static void influences_fill(Figure* f, Random* r, u32 vertex, bool eight) {
    const u32 max = eight ? 8 : 4, used = 1 + random_next(r) % max;
    u32       weight[8] = {0}, joint[8] = {0}, left = 65535;
    for (u32 i = 0; i < used; i++) {
        weight[i] = i + 1 == used ? left : left / 2;
        left -= weight[i];
        joint[i] = random_next(r) % f->binds;
    }
    if (eight && weight[used - 1] > (used > 1 ? weight[used - 2] : 65535)) {
        const u32 last = weight[used - 1];
        weight[used - 1] = weight[used - 2];
        weight[used - 2] = last;
    }
    for (u32 half = 0; half < max / 4; half++) {
        u32* const joints =
            f->words + (half ? f->mesh.range.joints_1 : f->mesh.range.joints) + vertex * 2;
        u32* const weights =
            f->words + (half ? f->mesh.range.weights_1 : f->mesh.range.weights) + vertex * 2;
        for (u32 i = 0; i < 2; i++) {
            const u32 k = half * 4 + i * 2;
            joints[i] = joint[k] | joint[k + 1] << 16;
            weights[i] = weight[k] | weight[k + 1] << 16;
        }
    }
}

static void mesh_make(Figure* f, Random* r, bool eight, bool bare) {
    SkinRange* s = &f->mesh.range;
    f->word_count = 6; /* streams do not begin at 0 */
    *s = (SkinRange){.vertex_count = f->vertices,
                     .move = SKINNING_NONE,
                     .move_normal = SKINNING_NONE,
                     .move_along = SKINNING_NONE,
                     .box_count = 1};
    s->position = stream_add(f, 3);
    s->normal = bare ? SKINNING_NONE : stream_add(f, 3);
    s->tangent = bare ? SKINNING_NONE : stream_add(f, 4);
    s->joints = stream_add(f, 2);
    s->weights = stream_add(f, 2);
    s->joints_1 = eight ? stream_add(f, 2) : SKINNING_NONE;
    s->weights_1 = eight ? stream_add(f, 2) : SKINNING_NONE;
    f->words = calloc(f->word_count, sizeof *f->words);
    f32* const floats = (f32*)(void*)f->words;
    for (u32 v = 0; v < f->vertices; v++) {
        const Quat n = quat_random(r), t = quat_random(r);
        for (u32 i = 0; i < 3; i++) floats[s->position + v * 3 + i] = random_float(r, -1, 1);
        if (!bare) {
            memcpy(floats + s->normal + v * 3, &n, sizeof(Vec3));
            memcpy(floats + s->tangent + v * 4, &t, sizeof(Vec3));
            floats[s->tangent + v * 4 + 3] = v % 3 ? 1 : -1;
        }
        influences_fill(f, r, v, eight);
    }
}

static Figure figure_make(u64 seed, u32 joints, u32 binds, u32 vertices, bool eight, bool bare) {
    Random r = {seed};
    Figure f = {.joints = joints, .binds = binds, .vertices = vertices};
    f.skeleton_bytes = skeleton_make(&r, joints, binds);
    f.skeleton = blob_valid(f.skeleton_bytes, NULL);
    for (u32 i = 0; i < 2; i++) {
        f.clip_bytes[i] = clip_make(&r, joints);
        f.clip[i] = blob_valid(f.clip_bytes[i], NULL);
    }
    mesh_make(&f, &r, eight, bare);
    return f;
}

static void figure_free(Figure* f) {
    bytes_free(&f->skeleton_bytes);
    bytes_free(&f->clip_bytes[0]);
    bytes_free(&f->clip_bytes[1]);
    free(f->words);
}

/* --- what the CPU computes --- */

static Quat blended(Quat a, Quat b, f32 t) {
    const f64 dot = (f64)a.x * b.x + (f64)a.y * b.y + (f64)a.z * b.z + (f64)a.w * b.w;
    const f64 side = dot < 0 ? -1 : 1, angle = acos(MIN_OF(fabs(dot), 1.0));
    f64       from = 1 - (f64)t, to = (f64)t;
    if (sin(angle) > 1e-6) from = sin(from * angle) / sin(angle), to = sin(to * angle) / sin(angle);
    f64       q[4] = {from * a.x + to * side * b.x, from * a.y + to * side * b.y,
                      from * a.z + to * side * b.z, from * a.w + to * side * b.w};
    const f64 length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    return (Quat){(f32)(q[0] / length), (f32)(q[1] / length), (f32)(q[2] / length),
                  (f32)(q[3] / length)};
}

static Vec3 between(Vec3 a, Vec3 b, f32 t) {
    return (Vec3){a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t, a.z + (b.z - a.z) * t};
}

static void palette_of(const Figure* f, const SkinInstance* at, bool posed, Mat34* palette) {
    TransformRecord pose[JOINT_MAX], other[JOINT_MAX];
    Mat34           joints[JOINT_MAX];
    ent_clip_sample(posed ? &f->clip[0] : NULL, &f->skeleton, at->time_s, pose);
    ent_clip_sample(at->channels_2 != SKINNING_NONE ? &f->clip[1] : NULL, &f->skeleton,
                    at->time_2_s, other);
    for (u32 i = 0; i < f->joints && at->blend > 0; i++) {
        pose[i].position = between(pose[i].position, other[i].position, at->blend);
        pose[i].rotation = blended(pose[i].rotation, other[i].rotation, at->blend);
        pose[i].scale = between(pose[i].scale, other[i].scale, at->blend);
    }
    ent_skeleton_palette(&f->skeleton, pose, joints, palette);
}

/* --- the same on the device --- */

typedef struct Stage {
    PoseTables tables;
    Skinning   skinning;
    GpuPool    pool;
    GpuBuffer  vertices, boxes, targets, masks;
    u32        set[2];
    bool       is_placed;
} Stage;

/* The tables of a figure: each skeleton, clip and set is added once. */
static void tables_fill(Stage* s, const Figure* f) {
    u32 skeleton, again, clip;
    s->tables.allocator = host_allocator((HostAllocator){0});
    assert_int_equal(pose_tables_skeleton(&s->tables, &f->skeleton, &skeleton), ENT_OK);
    assert_int_equal(pose_tables_skeleton(&s->tables, &f->skeleton, &again), ENT_OK);
    assert_int_equal(skeleton, again);
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(pose_tables_clip(&s->tables, &f->clip[i], &clip), ENT_OK);
        assert_int_equal(pose_tables_set(&s->tables, skeleton, clip, &s->set[i]), ENT_OK);
        assert_int_equal(pose_tables_set(&s->tables, skeleton, clip, &again), ENT_OK);
        assert_int_equal(s->set[i], again);
        assert_true(s->tables.set[again].moves);
    }
}

static ent_status buffers_create(Stage* s, Gpu* gpu, const Figure* f) {
    const SkinBox          box = {0, {-9, -9, -9}, {9, 9, 9}};
    const GpuBufferRequest requests[] = {{&s->vertices, f->word_count, 4, "vertices"},
                                         {&s->boxes, 1, sizeof(SkinBox), "boxes"},
                                         {&s->targets, 1, sizeof(SkinTarget), "targets"},
                                         {&s->masks, 1, sizeof(SkinMask), "masks"}};
    TRY(gpu_pool_create(&s->pool, gpu, requests, COUNT_OF(requests)));
    TRY(gpu_upload(gpu, &s->boxes, 0, &box, sizeof box));
    return gpu_upload(gpu, &s->vertices, 0, f->words, f->word_count * 4ull);
}

static ent_status instances_add(Stage* s, const Figure* f, u32 instances) {
    u32 which;
    for (u32 i = 0; i < instances; i++) {
        TRY(skinning_instance(&s->skinning, 0, &which));
        assert_int_equal(which, i);
        TRY(skinning_range(&s->skinning, i, &f->mesh, &which));
    }
    return ENT_OK;
}

static void stage_open(Stage* s, const Figure* f, u32 instances, u32 shared_max) {
    Gpu* gpu = gpu_for_test();
    *s = (Stage){0};
    tables_fill(s, f);
    assert_int_equal(skinning_create(&s->skinning, gpu, &s->tables), ENT_OK);
    s->skinning.shared_max = shared_max;
    assert_int_equal(instances_add(s, f, instances), ENT_OK);
    assert_int_equal(buffers_create(s, gpu, f), ENT_OK);
}

static void stage_close(Stage* s) {
    skinning_destroy(&s->skinning);
    if (s->pool.gpu) gpu_pool_destroy(&s->pool);
    pose_tables_free(&s->tables);
}

/* Times before, between and behind the keys; no clip; one clip; two. */
static PosePlay play_of(const Stage* s, u32 i) {
    const bool second = i % 3 == 1;
    return (PosePlay){.set = i % 6 == 5 ? NONE : s->set[0],
                      .set_2 = second ? s->set[1] : NONE,
                      .time_s = -0.2f + 0.37f * (f32)i,
                      .time_2_s = 1.7f - 0.21f * (f32)i,
                      .blend = second ? 0.15f * (f32)(1 + i % 6) : 0};
}

static void instances_set(Stage* s) {
    for (u32 i = 0; i < s->skinning.count.instances; i++) {
        const PosePlay play = play_of(s, i);
        skinning_play(&s->skinning, i, &play);
    }
}

static ent_status stage_record(void* state, GpuFrame* frame) {
    Stage*              s = state;
    const SkinningInput input = {&s->vertices, &s->boxes, &s->targets, &s->masks};
    if (!s->is_placed) TRY(skinning_place(&s->skinning, frame));
    s->is_placed = true;
    TRY(skinning_record(&s->skinning, frame, &input));
    skinning_want_all(&s->skinning, &frame->list);
    skinning_skin(&s->skinning, &frame->list, &input);
    return frame->list.status;
}

static void* buffer_read(const GpuBuffer* buffer, u64 bytes) {
    void* out = malloc(bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, out, bytes), ENT_OK);
    return out;
}

static void palettes_compare(const Figure* f, const Stage* s, f64 error) {
    const u32    bytes = s->skinning.count.palettes * (u32)sizeof(Mat34);
    Mat34* const found = buffer_read(&s->skinning.buffer.palettes, bytes);
    Mat34        wanted[JOINT_MAX];
    for (u32 i = 0; i < s->skinning.count.instances; i++) {
        const SkinInstance* at = &s->skinning.instance[i];
        palette_of(f, at, at->channels != SKINNING_NONE, wanted);
        for (u32 b = 0; b < f->binds; b++)
            for (u32 k = 0; k < 12; k++) {
                const f64 a = (f64)found[at->first_palette + b].m[k / 4][k % 4];
                const f64 w = (f64)wanted[b].m[k / 4][k % 4];
                if (!(fabs(a - w) <= error))
                    fail_msg("instance %u, bone %u, number %u: %g, not %g", i, b, k, a, w);
            }
    }
    free(found);
}

static void poses_of_each_kind_equal_those_of_the_cpu(void** state) {
    static const u32 sizes[][2] = {{1, 1}, {24, 24}, {64, 65}, {256, 256}, {257, 257}, {70, 3}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(sizes); i++) {
        Figure f = figure_make(10 + i, sizes[i][0], sizes[i][1], 40, false, false);
        Stage  s;
        stage_open(&s, &f, 19, 64);
        instances_set(&s);
        assert_int_equal(test_gpu_frame(gpu_for_test(), stage_record, &s), ENT_OK);
        palettes_compare(&f, &s,
                         3e-4); /* chains of more than a hundred joints, a few metres long */
        stage_close(&s);
        figure_free(&f);
    }
    test_gpu_silent();
}

/* --- vertices --- */

static void octahedral_unpack(u32 word, f64* n) {
    f64 x = MAX_OF((f64)(int16_t)(word & 0xffff) / 32767, -1.0),
        y = MAX_OF((f64)(int16_t)(word >> 16) / 32767, -1.0);
    const f64 z = 1 - fabs(x) - fabs(y), t = MAX_OF(-z, 0.0);
    x += x >= 0 ? -t : t;
    y += y >= 0 ? -t : t;
    const f64 length = sqrt(x * x + y * y + z * z);
    n[0] = x / length, n[1] = y / length, n[2] = z / length;
}

static f64 degrees_between(const f64* a, const f64* b) {
    const f64 dot = a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    const f64 length = sqrt(b[0] * b[0] + b[1] * b[1] + b[2] * b[2]);
    return length > 1e-9 ? acos(MIN_OF(MAX_OF(dot / length, -1.0), 1.0)) * 57.3 : 0;
}

/* The matrix of a vertex, from the bones of the device. */
static void vertex_matrix(const Figure* f, const Mat34* palette, u32 v, f64 m[3][4]) {
    const SkinRange* s = &f->mesh.range;
    memset(m, 0, sizeof(f64[3][4]));
    for (u32 k = 0; k < (s->joints_1 == SKINNING_NONE ? 4u : 8u); k++) {
        const u32 word = v * 2 + k % 4 / 2, shift = k % 2 * 16;
        const u32 j = f->words[(k < 4 ? s->joints : s->joints_1) + word] >> shift & 0xffff;
        const u32 w = f->words[(k < 4 ? s->weights : s->weights_1) + word] >> shift & 0xffff;
        for (u32 i = 0; i < 12; i++)
            m[i / 4][i % 4] += (f64)palette[j].m[i / 4][i % 4] * (f64)w / 65535;
    }
}

static void cross(const f64* a, const f64* b, f64* out) {
    for (u32 i = 0; i < 3; i++)
        out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

static void normal_compare(const f32* from, f64 m[3][4], u32 word, f64 det, u32 v) {
    f64 rows[3][3], wanted[3] = {0}, found[3];
    for (u32 i = 0; i < 3; i++) {
        cross(m[(i + 1) % 3], m[(i + 2) % 3], rows[i]);
        for (u32 k = 0; k < 3; k++) wanted[i] += rows[i][k] * (f64)from[k] * (det < 0 ? -1 : 1);
    }
    octahedral_unpack(word, found);
    const f64 off = degrees_between(found, wanted);
    if (off > 0.1) fail_msg("vertex %u: its normal is %g degrees off", v, off);
}

static void vertex_compare(const Figure* f, f64 m[3][4], const u32* out, u32 v) {
    const SkinRange* s = &f->mesh.range;
    const f32*       floats = (const f32*)(const void*)f->words;
    const f32*       at = floats + s->position + v * 3;
    f64              side[3], det = 0;
    cross(m[1], m[2], side);
    for (u32 i = 0; i < 3; i++) det += m[0][i] * side[i];
    for (u32 i = 0; i < 3; i++) {
        f32       found;
        const f64 wanted =
            m[i][0] * (f64)at[0] + m[i][1] * (f64)at[1] + m[i][2] * (f64)at[2] + m[i][3];
        memcpy(&found, &out[v * 4 + i], sizeof found);
        if (!(fabs((f64)found - wanted) < 2e-5))
            fail_msg("vertex %u: %g, not %g", v, (f64)found, wanted);
    }
    if (s->normal == SKINNING_NONE || fabs(det) < 0.01) return;
    normal_compare(floats + s->normal + v * 3, m, out[v * 4 + 3], det, v);
    const f32* t = floats + s->tangent + v * 4;
    const u32  word = out[f->vertices * 4 + v];
    f64        wanted[3], found[3];
    for (u32 i = 0; i < 3; i++)
        wanted[i] = m[i][0] * (f64)t[0] + m[i][1] * (f64)t[1] + m[i][2] * (f64)t[2];
    octahedral_unpack(word & ~1u, found);
    if (degrees_between(found, wanted) > 0.1) fail_msg("vertex %u: its tangent is off", v);
    assert_int_equal(word & 1, (t[3] < 0) != (det < 0));
}

static void vertices_compare(const Figure* f, const Stage* s) {
    Mat34* const palettes =
        buffer_read(&s->skinning.buffer.palettes, s->skinning.count.palettes * sizeof(Mat34));
    u32* const out = buffer_read(&s->skinning.buffer.to, s->skinning.count.to * 4ull);
    for (u32 i = 0; i < s->skinning.count.instances; i++) {
        const u32 first = s->skinning.range[i].to;
        for (u32 v = 0; v < f->vertices; v++) {
            f64 m[3][4];
            vertex_matrix(f, palettes + s->skinning.instance[i].first_palette, v, m);
            vertex_compare(f, m, out + first, v);
        }
    }
    free(palettes);
    free(out);
}

static void skinned_vertices_equal_those_in_double_precision(void** state) {
    UNUSED(state);
    for (u32 kind = 0; kind < 4; kind++) {
        Figure f = figure_make(50 + kind, 30, 40, 1000 + kind * 13, kind % 2, kind / 2);
        Stage  s;
        stage_open(&s, &f, 7, kind == 3 ? 0 : 64);
        instances_set(&s);
        assert_int_equal(test_gpu_frame(gpu_for_test(), stage_record, &s), ENT_OK);
        vertices_compare(&f, &s);
        stage_close(&s);
        figure_free(&f);
    }
    test_gpu_silent();
}

static u32* skinned_with(const Figure* f, u32 shared_max, u64* bytes) {
    Stage s;
    stage_open(&s, f, 5, shared_max);
    instances_set(&s);
    assert_int_equal(test_gpu_frame(gpu_for_test(), stage_record, &s), ENT_OK);
    assert_int_equal(s.skinning.block_first[SKINNING_BUFFER],
                     shared_max ? s.skinning.count.blocks : 0);
    *bytes = s.skinning.count.to * 4ull;
    u32* const out = buffer_read(&s.skinning.buffer.to, *bytes);
    stage_close(&s);
    return out;
}

static void bones_in_shared_memory_give_the_same_vertices(void** state) {
    u64 bytes;
    UNUSED(state);
    Figure f = figure_make(90, 120, 128, 5000, true, false);
    u32*   shared = skinned_with(&f, 128, &bytes);
    u32*   direct = skinned_with(&f, 0, &bytes);
    assert_memory_equal(shared, direct, bytes);
    free(shared);
    free(direct);
    figure_free(&f);
    test_gpu_silent();
}

/* --- models --- */

/* A reader of glTF in double precision computes every vertex of every clip. */
static void vertices_of_models_equal_those_of_another_reader(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("tool_skin is not built with sanitizers");
    TEST_DONE(characters_folder(),
              "for m in walker worm ball; do ../../tool_probe src out $m >$m.probe && "
              "../../tool_skin out show_$m 6 $(cd out && ls $m/*.clip | sed 's/.clip$//') "
              ">$m.skins && python3 ../../../../tests/oracles/skin_oracle.py src/$m.gltf out "
              "$m.probe $m.skins || exit 1; done");
}

/* Morph targets of some streams, node weights, several nodes with a mesh, eight influences, lines and points. */
static void vertices_of_random_models_equal_those_of_another_reader(void** state) {
    const char* folder = test_folder("random_skins");
    UNUSED(state);
    if (getenv("TEST_WIDTH")) return; /* one size is sufficient */
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("tool_skin is not built with sanitizers");
    TEST_DONE(".", "python3 tests/support/make_random_models.py '%s/all' 1 60", folder);
    TEST_DONE(folder,
              "for m in random_4 random_9 random_12 random_41 random_53 random_57; do "
              "mkdir -p $m && cp all/$m.gltf $m/ && (cp all/*.png $m/ 2>/dev/null || true) && "
              "printf '{\"entities\":[{\"prefab\":\"%%s\"}]}' $m >$m/show.level.json && "
              "entc build $m -o $m.out -q && ../../tool_probe $m $m.out $m >$m.probe && "
              "../../tool_skin $m.out show 4 $(cd $m.out && ls $m/*.clip | sed 's/.clip$//') "
              ">$m.skins && python3 ../../../../tests/oracles/skin_oracle.py $m/$m.gltf $m.out "
              "$m.probe $m.skins || exit 1; done");
}

/* A vertex that is not where it belongs is found. */
static void wrong_vertices_are_reported_by_the_comparison(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    if (SANITIZED) TEST_SKIP("tool_skin is not built with sanitizers");
    EXPECT(
        characters_folder(), 1, "different",
        "../../tool_probe src out walker >w.probe && ../../tool_skin out show_walker 3 >w.skins && "
        "sed 's/0.44999999999999996/0.451/' src/walker.gltf >wrong.gltf && "
        "python3 ../../../../tests/oracles/skin_oracle.py wrong.gltf out w.probe w.skins");
}

static void skinning_with_other_subgroup_sizes_passes_the_same_tests(void** state) {
    UNUSED(state);
    test_gpu_widths("skinning", 512);
}

/* Everything on a device whose n-th call fails. */
static ent_status skinned_with_fault(const Figure* f, u32 fault_call, VkResult fault,
                                     bool* reached) {
    Stage      s = {0};
    Gpu*       gpu = NULL;
    ent_status status = test_gpu_open(&gpu, fault_call, fault);
    *reached = true;
    if (status != ENT_OK) return status;
    const u64 before = ent_gpu_bytes(gpu);
    tables_fill(&s, f);
    status = skinning_create(&s.skinning, gpu, &s.tables);
    if (status == ENT_OK) status = instances_add(&s, f, 1);
    if (status == ENT_OK) status = buffers_create(&s, gpu, f);
    if (status == ENT_OK) status = test_gpu_frame(gpu, stage_record, &s);
    *reached = gpu->calls >= fault_call;
    stage_close(&s);
    assert_int_equal(ent_gpu_bytes(gpu), before);
    assert_int_equal(ent_gpu_validation_count(gpu), 0);
    ent_gpu_destroy(gpu);
    return status;
}

static void skinning_with_any_failing_vulkan_call_returns_status(void** state) {
    Figure f = figure_make(7, 5, 5, 10, false, false);
    bool   reached = true;
    u32    call = 12; /* after the calls that open a device, which test_gpu.c tests */
    UNUSED(state);
    gpu_for_test();
    for (; call < 300; call += 2) {
        const ent_status status =
            skinned_with_fault(&f, call, VK_ERROR_OUT_OF_DEVICE_MEMORY, &reached);
        if (!reached) break;
        assert_int_equal(status, ENT_NO_MEMORY);
    }
    assert_in_range(call, 40, 299);
    figure_free(&f);
}

TEST_SUITE(skinning) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_of_each_kind_equal_those_of_the_cpu),
        cmocka_unit_test(skinned_vertices_equal_those_in_double_precision),
        cmocka_unit_test(bones_in_shared_memory_give_the_same_vertices),
        cmocka_unit_test(vertices_of_models_equal_those_of_another_reader),
        cmocka_unit_test(vertices_of_random_models_equal_those_of_another_reader),
        cmocka_unit_test(wrong_vertices_are_reported_by_the_comparison),
        cmocka_unit_test(skinning_with_any_failing_vulkan_call_returns_status),
        cmocka_unit_test(skinning_with_other_subgroup_sizes_passes_the_same_tests)};
    return gpu_suite_end(TEST_RUN("skinning", tests));
}
