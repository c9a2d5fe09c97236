/* test_animation.c - clips and palettes compared with the same formulas in double. */
#include "test_worlds_support.h"

#include <math.h>
#include <stdlib.h>

#include "animation.h"
#include "records.h"
#include "sections.h"

#define JOINTS_MAX 64
#define NODE(i)    (1000 + 7 * (i)) /* id of the node of a joint */

/* --- the sampled data --- */

typedef struct Pair {
    Bytes skeleton_bytes, clip_bytes;
    Blob  skeleton, clip;
} Pair;

static Bytes skeleton_make(const JointRecord* joint, u32 joints, const BindRecord* bind,
                           u32 binds) {
    Output out;
    output_begin(&out, RESOURCE_SKELETON, text_of("man"), joints, 2);
    output_section(&out, SECTION_JOINT, joint, joints);
    output_section(&out, SECTION_BIND, bind, binds);
    return output_bytes(&out, target_native(), NULL);
}

static void joint_random(Random* r, JointRecord* joint, u32 index, u32 parent) {
    random_record(r, section_record(SECTION_JOINT), 0, joint);
    joint->parent = parent;
    joint->node = NODE(index);
    joint->position = (Vec3){random_float(r, -2, 2), random_float(r, -2, 2), 1};
    joint->scale = (Vec3){random_float(r, 0.9f, 1.1f), 1, random_float(r, 0.9f, 1.1f)};
}

/* Three joints in a chain and one track that moves the middle one. */
static Pair pair_open(u32 channel, u32 interpolation, const f32* time, u32 keys, const f32* value,
                      u32 values) {
    /* All other sections precede its times and values. */
    const TrackRecord    track[] = {{NODE(77), CLIP_SCALE, CLIP_STEP, CLIP_FLOATS, 0, 1, 0},
                                    {NODE(1), channel, interpolation, CLIP_FLOATS, 1, keys, 3}};
    const ClipInfoRecord info = {time[keys - 1]};
    f32                  times[256] = {0}, values_before[2048] = {9, 9, 9};
    JointRecord          joint[3];
    Random               random = {1};
    Output               out;
    Pair                 pair;
    assert_true(keys < 256 && values + 3 <= 2048);
    for (u32 i = 0; i < 3; i++) joint_random(&random, &joint[i], i, i ? i - 1 : NONE);
    memcpy(times + 1, time, sizeof(f32) * keys);
    memcpy(values_before + 3, value, sizeof(f32) * values);
    output_begin(&out, RESOURCE_CLIP, text_of("walk"), COUNT_OF(track), 4);
    output_section(&out, SECTION_CLIP_INFO, &info, 1);
    output_section(&out, SECTION_TRACK, track, COUNT_OF(track));
    output_section(&out, SECTION_KEY_TIME, times, keys + 1);
    output_section(&out, SECTION_KEY_VALUE, values_before, values + 3);
    pair.clip_bytes = output_bytes(&out, target_native(), NULL);
    pair.skeleton_bytes = skeleton_make(joint, 3, NULL, 0);
    pair.clip = blob_valid(pair.clip_bytes, NULL);
    pair.skeleton = blob_valid(pair.skeleton_bytes, NULL);
    return pair;
}

static void pair_close(Pair* pair) {
    bytes_free(&pair->skeleton_bytes);
    bytes_free(&pair->clip_bytes);
}

static const JointRecord* joints_of(const Blob* skeleton) {
    return ent_blob_data(skeleton, ent_blob_section(skeleton, SECTION_JOINT));
}

/* Samples, and checks that only one channel of the middle joint changed. */
static void sample(const Pair* pair, u32 channel, f32 time_s, f32* out) {
    TransformRecord    pose[3];
    const JointRecord* rest = joints_of(&pair->skeleton);
    ent_clip_sample(&pair->clip, &pair->skeleton, time_s, pose);
    for (u32 i = 0; i < 3; i++) {
        const bool moved = i == 1;
        if (!moved || channel != CLIP_TRANSLATION)
            assert_memory_equal(&pose[i].position, &rest[i].position, sizeof(Vec3));
        if (!moved || channel != CLIP_ROTATION)
            assert_memory_equal(&pose[i].rotation, &rest[i].rotation, sizeof(Quat));
        if (!moved || channel != CLIP_SCALE)
            assert_memory_equal(&pose[i].scale, &rest[i].scale, sizeof(Vec3));
    }
    if (channel == CLIP_TRANSLATION) memcpy(out, &pose[1].position, sizeof(Vec3));
    if (channel == CLIP_ROTATION) memcpy(out, &pose[1].rotation, sizeof(Quat));
    if (channel == CLIP_SCALE) memcpy(out, &pose[1].scale, sizeof(Vec3));
}

/* --- the same in double --- */

static void assert_near(const f32* got, const f64* want, u32 count, f64 error) {
    for (u32 i = 0; i < count; i++) {
        if (!(fabs((f64)got[i] - want[i]) <= error)) {
            print_error("%u: %.9g, not %.9g\n", i, (f64)got[i], want[i]);
        }
        assert_true(fabs((f64)got[i] - want[i]) <= error);
    }
}

static void unit(f64* q) {
    const f64 length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    for (u32 i = 0; i < 4; i++) q[i] /= length;
}

static void want_slerp(const f32* a, const f32* b, f64 t, f64* out) {
    f64 p[4], q[4], dot = 0;
    for (u32 i = 0; i < 4; i++) p[i] = a[i], q[i] = b[i];
    unit(p);
    unit(q);
    for (u32 i = 0; i < 4; i++) dot += p[i] * q[i];
    const f64 side = dot < 0 ? -1 : 1, angle = acos(MIN_OF(fabs(dot), 1.0));
    f64       from = 1 - t, to = t;
    if (sin(angle) > 1e-9)
        from = sin((1 - t) * angle) / sin(angle), to = sin(t * angle) / sin(angle);
    for (u32 i = 0; i < 4; i++) out[i] = from * p[i] + to * side * q[i];
    unit(out);
}

/* The key before a time, by a linear search. */
static u32 want_key(const f32* time, u32 keys, f64 at) {
    u32 key = 0;
    while (key + 2 < keys && (f64)time[key + 1] <= at) key++;
    return key;
}

static void want_value(u32 channel, u32 interpolation, const f32* time, u32 keys, const f32* value,
                       f64 at, f64* out) {
    const u32  words = channel == CLIP_ROTATION ? 4 : 3;
    const u32  stride = interpolation == CLIP_CUBIC ? words * 3 : words;
    const u32  middle = interpolation == CLIP_CUBIC ? words : 0;
    const bool before = at <= (f64)time[0], after = at >= (f64)time[keys - 1];
    const u32  key = after ? keys - 1 : before ? 0 : want_key(time, keys, at);
    const f32 *a = value + key * stride, *b = a + stride;
    for (u32 i = 0; i < words; i++) out[i] = (f64)a[middle + i];
    if (!before && !after && interpolation != CLIP_STEP) {
        const f64 step = (f64)time[key + 1] - (f64)time[key], t = (at - (f64)time[key]) / step;
        const f64 t2 = t * t, t3 = t2 * t;
        for (u32 i = 0; i < words; i++) {
            if (interpolation == CLIP_LINEAR)
                out[i] = (1 - t) * (f64)a[i] + t * (f64)b[i];
            else
                out[i] = (2 * t3 - 3 * t2 + 1) * (f64)a[words + i] +
                         step * (t3 - 2 * t2 + t) * (f64)a[2 * words + i] +
                         (3 * t2 - 2 * t3) * (f64)b[words + i] + step * (t3 - t2) * (f64)b[i];
        }
        if (interpolation == CLIP_LINEAR && words == 4) want_slerp(a, b, t, out);
    }
    if (words == 4) unit(out);
}

/* --- hand-written tracks --- */

static void step_track_between_keys_has_value_of_previous_key(void** state) {
    static const f32 time[] = {1, 2, 4}, value[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    static const f64 want[3][3] = {{1, 2, 3}, {4, 5, 6}, {7, 8, 9}};
    Pair             pair = pair_open(CLIP_TRANSLATION, CLIP_STEP, time, 3, value, 9);
    static const struct {
        f32 at;
        u32 key;
    } rows[] = {{-5, 0}, {0, 0}, {1, 0}, {1.999f, 0}, {2, 1}, {3.9f, 1}, {4, 2}, {1e9f, 2}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        f32 got[3];
        sample(&pair, CLIP_TRANSLATION, rows[i].at, got);
        assert_near(got, want[rows[i].key], 3, 0);
    }
    assert_true(ent_clip_duration(&pair.clip) == 4);
    assert_int_equal(ent_skeleton_joint_count(&pair.skeleton), 3);
    assert_int_equal(ent_skeleton_bind_count(&pair.skeleton), 0);
    pair_close(&pair);
}

static void linear_track_between_keys_interpolates_linearly(void** state) {
    static const f32 time[] = {0, 2, 3}, value[] = {0, 0, 0, 4, -8, 2, 4, -8, 12};
    static const f64 want[][3] = {{0, 0, 0},    {1, -2, 0.5}, {2, -4, 1}, {4, -8, 2},
                                  {4, -8, 4.5}, {4, -8, 12},  {4, -8, 12}};
    static const f32 at[] = {-1, 0.5f, 1, 2, 2.25f, 3, 100};
    Pair             pair = pair_open(CLIP_SCALE, CLIP_LINEAR, time, 3, value, 9);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(at); i++) {
        f32 got[3];
        sample(&pair, CLIP_SCALE, at[i], got);
        assert_near(got, want[i], 3, 1e-6);
    }
    pair_close(&pair);
}

/* A quarter turn around z, in halves and thirds; a key with the other sign is the same rotation. */
static void rotation_track_between_keys_takes_shorter_arc(void** state) {
    const f32        h = 0.70710678f;
    static const f32 time[] = {0, 3};
    UNUSED(state);
    for (int sign = -1; sign <= 1; sign += 2) {
        const f32 value[] = {0, 0, 0, 1, 0, 0, h * (f32)sign, h * (f32)sign};
        Pair      pair = pair_open(CLIP_ROTATION, CLIP_LINEAR, time, 2, value, 8);
        for (u32 i = 0; i <= 6; i++) {
            const f64 angle = acos(-1) / 2 * i / 6; /* of the rotation */
            f64       want[4] = {0, 0, sin(angle / 2), cos(angle / 2)};
            f32       got[4];
            sample(&pair, CLIP_ROTATION, (f32)i / 2, got);
            if (sign < 0 && i == 6) want[2] = -want[2], want[3] = -want[3]; /* the key itself */
            assert_near(got, want, 4, 1e-6);
        }
        pair_close(&pair);
    }
}

/* Keys of a cubic are in-tangent, value, out-tangent; tangents are per second. */
static void cubic_track_between_keys_follows_its_tangents(void** state) {
    static const f32 time[] = {1, 3};
    static const f32 value[] = {99, 99, 99, 0, 1, 2, 1, 0, -3, 3, 0, 1, 10, 1, 4, 99, 99, 99};
    /* From p to q over 2 s with tangents a and b: in the middle (p + q) / 2 + 2 (a - b) / 8. */
    static const f64 want[][3] = {{0, 1, 2}, {4.5, 1, 2}, {10, 1, 4}};
    static const f32 at[] = {1, 2, 3};
    Pair             pair = pair_open(CLIP_TRANSLATION, CLIP_CUBIC, time, 2, value, 18);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(at); i++) {
        f32 got[3];
        sample(&pair, CLIP_TRANSLATION, at[i], got);
        assert_near(got, want[i], 3, 1e-5);
    }
    f32 got[3];
    sample(&pair, CLIP_TRANSLATION, -7, got);
    assert_near(got, want[0], 3, 0);
    sample(&pair, CLIP_TRANSLATION, 7, got);
    assert_near(got, want[2], 3, 0);
    pair_close(&pair);
}

static void track_of_one_key_is_constant(void** state) {
    static const f32 time[] = {5};
    static const f32 value[] = {7, 7, 7, 1, 2, 3, 7, 7, 7};
    static const f64 want[] = {1, 2, 3};
    UNUSED(state);
    for (u32 kind = 0; kind < CLIP_INTERPOLATION_COUNT; kind++) {
        const bool cubic = kind == CLIP_CUBIC;
        Pair pair = pair_open(CLIP_SCALE, kind, time, 1, cubic ? value : value + 3, cubic ? 9 : 3);
        for (f32 at = 0; at < 10; at += 2.5f) {
            f32 got[3];
            sample(&pair, CLIP_SCALE, at, got);
            assert_near(got, want, 3, 0);
        }
        pair_close(&pair);
    }
}

/* --- compared with the formulas --- */

static void random_tracks_sampled_agree_with_reference_in_double(void** state) {
    Random random = {test_seed("tracks", 2)};
    UNUSED(state);
    for (u32 round = 0; round < 180; round++) {
        const u32 channel = round % 3, kind = round / 3 % 3;
        const u32 words = channel == CLIP_ROTATION ? 4 : 3;
        const u32 stride = kind == CLIP_CUBIC ? words * 3 : words;
        const u32 keys = 1 + random_below(&random, round < 90 ? 5 : 120);
        f32       time[128], value[128 * 12];
        f32       now = random_float(&random, 0, 2);
        for (u32 k = 0; k < keys; k++) {
            time[k] = now;
            now += random_float(&random, 0.01f, 0.7f);
            for (u32 i = 0; i < stride; i++) value[k * stride + i] = random_float(&random, -1, 1);
            if (words == 4) {
                static const Field quat = {.kind = FIELD_Quat, .bytes = 16};
                f32*               q = value + k * stride + (kind == CLIP_CUBIC ? 4 : 0);
                random_field(&random, &quat, 0, q);
                /* Sometimes almost no rotation: the arc is too short for its sine. */
                if (k && kind == CLIP_LINEAR && random_below(&random, 4) == 0) {
                    memcpy(q, q - 4, sizeof(f32) * 4);
                    q[random_below(&random, 4)] += 0.001f;
                    const f32 side = k % 2 ? -1 : 1;
                    const f32 size = sqrtf(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
                    for (u32 i = 0; i < 4; i++) q[i] *= side / size;
                }
            }
        }
        Pair pair = pair_open(channel, kind, time, keys, value, keys * stride);
        for (u32 i = 0; i < 60; i++) {
            const bool on_key = i % 4 == 0;
            const f32  at = on_key ? time[random_below(&random, keys)]
                                   : random_float(&random, time[0] - 0.5f, now + 0.5f);
            f32        got[4];
            f64        want[4], length = 0;
            sample(&pair, channel, at, got);
            want_value(channel, kind, time, keys, value, (f64)at, want);
            if (words == 4) {
                for (u32 k = 0; k < 4; k++) length += (f64)got[k] * (f64)got[k];
                assert_true(fabs(length - 1) < 1e-5);
            }
            /* A cubic that passes near zero loses digits when it is normalised. */
            assert_near(got, want, words, words == 4 && kind == CLIP_CUBIC ? 1e-3 : 2e-5);
        }
        pair_close(&pair);
    }
}

static void clip_with_tracks_in_any_order_moves_the_right_joints(void** state) {
    Random               random = {3};
    JointRecord          joint[8];
    TrackRecord          track[24];
    f32                  value[24 * 4], time[24] = {0};
    const ClipInfoRecord info = {0};
    TransformRecord      pose[8];
    Output               out;
    u32                  values = 0;
    UNUSED(state);
    for (u32 i = 0; i < 8; i++) joint_random(&random, &joint[i], i, i ? i - 1 : NONE);
    for (u32 t = 0; t < 24; t++) { /* last joint first, channels in reverse; even joints only */
        const u32 of = 7 - t / 3, channel = 2 - t % 3;
        track[t] = (TrackRecord){
            of % 2 ? NODE(500 + of) : NODE(of), channel, CLIP_STEP, CLIP_FLOATS, t, 1, values};
        for (u32 i = 0; i < 4; i++) value[values + i] = (f32)(100 * of + 10 * channel + i);
        values += channel == CLIP_ROTATION ? 4 : 3;
    }
    output_begin(&out, RESOURCE_CLIP, text_of("walk"), 24, 4);
    output_section(&out, SECTION_CLIP_INFO, &info, 1);
    output_section(&out, SECTION_TRACK, track, 24);
    output_section(&out, SECTION_KEY_TIME, time, 24);
    output_section(&out, SECTION_KEY_VALUE, value, values);
    Bytes      clip_bytes = output_bytes(&out, target_native(), NULL);
    Bytes      skeleton_bytes = skeleton_make(joint, 8, NULL, 0);
    const Blob clip = blob_valid(clip_bytes, NULL), skeleton = blob_valid(skeleton_bytes, NULL);
    ent_clip_sample(&clip, &skeleton, 0, pose);
    for (u32 i = 0; i < 8; i++) {
        if (i % 2) {
            assert_memory_equal(&pose[i].position, &joint[i].position, sizeof(Vec3));
            assert_memory_equal(&pose[i].rotation, &joint[i].rotation, sizeof(Quat));
            assert_memory_equal(&pose[i].scale, &joint[i].scale, sizeof(Vec3));
            continue;
        }
        f64 turn[4];
        for (u32 k = 0; k < 4; k++) turn[k] = 100 * i + 10 + k;
        unit(turn);
        assert_true(pose[i].position.x == (f32)(100 * i) &&
                    pose[i].position.z == (f32)(100 * i + 2));
        assert_true(pose[i].scale.y == (f32)(100 * i + 21));
        assert_near(&pose[i].rotation.x, turn, 4, 1e-6);
    }
    ent_clip_sample(NULL, &skeleton, 3, pose);
    for (u32 i = 0; i < 8; i++) {
        assert_memory_equal(&pose[i].position, &joint[i].position, sizeof(Vec3));
        assert_memory_equal(&pose[i].rotation, &joint[i].rotation, sizeof(Quat));
        assert_memory_equal(&pose[i].scale, &joint[i].scale, sizeof(Vec3));
    }
    bytes_free(&clip_bytes);
    bytes_free(&skeleton_bytes);
}

/* --- palettes --- */

typedef struct Matrix {
    f64 m[4][4];
} Matrix;

static Matrix matrix_of(const TransformRecord* t) {
    const f64 x = t->rotation.x, y = t->rotation.y, z = t->rotation.z, w = t->rotation.w;
    const f64 s[3] = {t->scale.x, t->scale.y, t->scale.z};
    Matrix    out = {
           {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), t->position.x},
            {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w), t->position.y},
            {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y), t->position.z},
            {0, 0, 0, 1}}};
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = 0; c < 3; c++) out.m[r][c] *= s[c];
    }
    return out;
}

static Matrix matrix_multiply(const Matrix* a, const Matrix* b) {
    Matrix out = {0};
    for (u32 r = 0; r < 4; r++) {
        for (u32 c = 0; c < 4; c++) {
            for (u32 k = 0; k < 4; k++) out.m[r][c] += a->m[r][k] * b->m[k][c];
        }
    }
    return out;
}

static void assert_matrix_is(const Mat34* got, const Matrix* want, f64 error) {
    for (u32 r = 0; r < 3; r++) assert_near(got->m[r], want->m[r], 4, error);
}

static void palette_of_pose_equals_joint_matrix_times_bind(void** state) {
    Random          random = {test_seed("palette", 4)};
    JointRecord     joint[JOINTS_MAX];
    BindRecord      bind[JOINTS_MAX];
    TransformRecord pose[JOINTS_MAX];
    Mat34           joints[JOINTS_MAX], palette[JOINTS_MAX];
    UNUSED(state);
    for (u32 round = 0; round < 40; round++) {
        const u32 count = 1 + random_below(&random, JOINTS_MAX),
                  binds = random_below(&random, count);
        Matrix world[JOINTS_MAX];
        for (u32 i = 0; i < count; i++) {
            const u32 parent = i && random_below(&random, 6) ? random_below(&random, i) : NONE;
            joint_random(&random, &joint[i], i, parent);
        }
        for (u32 i = 0; i < binds; i++) {
            random_record(&random, section_record(SECTION_BIND), 0, &bind[i]);
            bind[i].joint = random_below(&random, count);
            for (u32 k = 0; k < 12; k++) (&bind[i].row_0.x)[k] /= 50;
        }
        Bytes      bytes = skeleton_make(joint, count, bind, binds);
        const Blob skeleton = blob_valid(bytes, NULL);
        assert_int_equal(ent_skeleton_joint_count(&skeleton), count);
        assert_int_equal(ent_skeleton_bind_count(&skeleton), binds);
        ent_clip_sample(NULL, &skeleton, 0, pose);
        ent_skeleton_palette(&skeleton, pose, joints, palette);
        for (u32 i = 0; i < count; i++) {
            world[i] = matrix_of(&pose[i]);
            if (joint[i].parent != NONE)
                world[i] = matrix_multiply(&world[joint[i].parent], &world[i]);
            assert_matrix_is(&joints[i], &world[i], 1e-4);
        }
        for (u32 i = 0; i < binds; i++) {
            Matrix inverse = {.m[3][3] = 1};
            for (u32 k = 0; k < 12; k++) inverse.m[k / 4][k % 4] = (f64)(&bind[i].row_0.x)[k];
            const Matrix want = matrix_multiply(&world[bind[i].joint], &inverse);
            assert_matrix_is(&palette[i], &want, 1e-3);
        }
        bytes_free(&bytes);
    }
}

/* A mesh in its rest pose does not move: each bind is the inverse of its joint. */
static void palette_of_rest_pose_is_identity(void** state) {
    const f32         h = 0.70710678f;
    const JointRecord joint[] = {{NONE, NODE(0), 1, {1, 2, 3}, {0, 0, 0, 1}, {1, 1, 1}},
                                 {0, NODE(1), 2, {0, 5, 0}, {0, 0, h, h}, {2, 2, 2}}};
    /* (1, 7, 3), a quarter turn around z, scale 2; the inverse. */
    const BindRecord bind[] = {{1, {0, 0.5f, 0, -3.5f}, {-0.5f, 0, 0, 0.5f}, {0, 0, 0.5f, -1.5f}},
                               {0, {1, 0, 0, -1}, {0, 1, 0, -2}, {0, 0, 1, -3}}};
    const Matrix     identity = {{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 1}}};
    Bytes            bytes = skeleton_make(joint, 2, bind, 2);
    const Blob       skeleton = blob_valid(bytes, NULL);
    TransformRecord  pose[2];
    Mat34            joints[2], palette[2];
    UNUSED(state);
    ent_clip_sample(NULL, &skeleton, 0, pose);
    ent_skeleton_palette(&skeleton, pose, joints, palette);
    assert_matrix_is(&palette[0], &identity, 1e-6);
    assert_matrix_is(&palette[1], &identity, 1e-6);
    bytes_free(&bytes);
}

TEST_SUITE(animation) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(step_track_between_keys_has_value_of_previous_key),
        cmocka_unit_test(linear_track_between_keys_interpolates_linearly),
        cmocka_unit_test(rotation_track_between_keys_takes_shorter_arc),
        cmocka_unit_test(cubic_track_between_keys_follows_its_tangents),
        cmocka_unit_test(track_of_one_key_is_constant),
        cmocka_unit_test(random_tracks_sampled_agree_with_reference_in_double),
        cmocka_unit_test(clip_with_tracks_in_any_order_moves_the_right_joints),
        cmocka_unit_test(palette_of_pose_equals_joint_matrix_times_bind),
        cmocka_unit_test(palette_of_rest_pose_is_identity),
    };
    return TEST_RUN("animation", tests);
}
