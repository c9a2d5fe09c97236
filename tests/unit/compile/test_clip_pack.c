/* test_clip_pack.c - tracks that are left out, have one key or are packed, and how far packing moves joints. */
#include <math.h>
#include <stdio.h>

#include "animation.h"
#include "library.h"
#include "sections.h"
#include "test_characters.h"
#include "vec.h"

/* A skeleton of two joints, 2 m apart. Of the lower one, the translation stays at the rest pose, the
 * rotation stays a quarter turn away from it, and the scale changes; the upper one moves along a curve. */
static const char script[] =
    "import sys\n"
    "sys.path.insert(0, '../../../../tests/support')\n"
    "sys.argv = ['', '.']\n"
    "import make_characters as c, math\n"
    "m = c.Model()\n"
    "t = m.tree\n"
    "position = [[0, 0, 0], [1, 0, 0], [0, 2, 0]]\n"
    "t['meshes'] = [{'primitives': [{'attributes': {'POSITION': m.accessor(position, 'VEC3', "
    "bounds=True),\n"
    "    'JOINTS_0': m.accessor([[0, 1, 0, 0]] * 3, 'VEC4', 'H'),\n"
    "    'WEIGHTS_0': m.accessor([[0.5, 0.5, 0, 0]] * 3, 'VEC4')}}]}]\n"
    "t['nodes'] = [{'name': 'root', 'children': [1, 3]}, {'name': 'low', 'children': [2]},\n"
    "              {'name': 'high', 'translation': [0, 2, 0]}, {'name': 'skin', 'mesh': 0, 'skin': "
    "0}]\n"
    "t['skins'] = [{'joints': [1, 2]}]\n"
    "n = 20\n"
    "time = m.accessor([k / 10 for k in range(n)], 'SCALAR', bounds=True)\n"
    "quarter = c.turned((1, 0, 0), math.pi / 2)\n"
    "rows = [(1, 'translation', [[0, 0, 0]] * n, 'VEC3'),\n"
    "        (1, 'rotation', [quarter if k % 2 else [-v for v in quarter] for k in range(n)], "
    "'VEC4'),\n"
    "        (1, 'scale', [[1 + k / 50, 1, 1] for k in range(n)], 'VEC3'),\n"
    "        (2, 'translation', [[math.sin(k / 3), 2, k / 10] for k in range(n)], 'VEC3'),\n"
    "        (2, 'rotation', [c.turned((0, 1, 0), k / 7) for k in range(n)], 'VEC4')]\n"
    "samplers = [{'input': time, 'output': m.accessor(v, kind)} for _, _, v, kind in rows]\n"
    "channels = [{'sampler': i, 'target': {'node': r[0], 'path': r[1]}} for i, r in "
    "enumerate(rows)]\n"
    "t['animations'] = [{'name': 'move', 'samplers': samplers, 'channels': channels}]\n"
    "m.write('src/arm.gltf')\n";

static const char* arm_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("clip_pack"));
    test_write_text(folder, "arm.py", script);
    TEST_DONE(folder, "mkdir -p src && python3 arm.py && entc build src -o out -q && "
                      "entc build src -o exact -q --clip-error 0");
    return folder;
}

static Resource resource_of(const char* folder, const char* path) {
    char      full[1200];
    Resource  resource;
    BlobFault fault;
    snprintf(full, sizeof full, "%s/%s", folder, path);
    assert_int_equal(ent_resource_open(&resource, full, NULL, &fault), ENT_OK);
    return resource;
}

static u32 count_of(const Blob* blob, u32 kind) {
    const BlobSection* s = ent_blob_section(blob, kind);
    return s ? s->count : 0;
}

static const TrackRecord* tracks_of(const Blob* blob) {
    return ent_blob_data(blob, ent_blob_section(blob, SECTION_TRACK));
}

static void constant_tracks_are_left_out_or_have_one_key(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    for (u32 exact = 0; exact < 2; exact++) {
        Resource clip =
            resource_of(arm_folder(), exact ? "exact/arm/move.clip" : "out/arm/move.clip");
        const TrackRecord* track = tracks_of(&clip.blob);
        assert_int_equal(count_of(&clip.blob, SECTION_TRACK), 4);
        assert_int_equal(track[0].channel, CLIP_ROTATION); /* a quarter turn, with either sign */
        assert_int_equal(track[0].key_count, 1);
        assert_int_equal(track[0].interpolation, CLIP_STEP);
        for (u32 i = 0; i < 4; i++) {
            if (i) assert_int_equal(track[i].key_count, 20);
            assert_int_equal(track[i].packing, !exact);
        }
        assert_int_equal(count_of(&clip.blob, SECTION_KEY_VALUE), exact ? 4 + 60 + 60 + 80 : 0);
        assert_int_equal(count_of(&clip.blob, SECTION_KEY_PACKED),
                         exact ? 0 : 2 + (6 + 40) * 2 + 40);
        ent_resource_close(&clip);
    }
}

/* The largest distance between the joints of two builds of a clip, at 100 times. */
static f64 farthest_joint(const char* folder, const char* skeleton, const char* a, const char* b) {
    enum { VALUES_MAX = 300 };
    static TransformRecord poses[VALUES_MAX];
    static Mat34           joints[2][VALUES_MAX], palette[VALUES_MAX];
    Resource               scaled = resource_of(folder, skeleton);
    Resource               clip[] = {resource_of(folder, a), resource_of(folder, b)};
    const u32              count = ent_skeleton_joint_count(&scaled.blob);
    f64                    max = 0;
    assert_true(count <= VALUES_MAX);
    for (u32 k = 0; k < 100; k++) {
        for (u32 i = 0; i < 2; i++) {
            const f32 time_s = ent_clip_duration(&clip[i].blob) * (f32)k / 99;
            ent_clip_sample(&clip[i].blob, &scaled.blob, time_s, poses);
            ent_skeleton_palette(&scaled.blob, poses, joints[i], palette);
        }
        for (u32 i = 0; i < count; i++) {
            const Vec3 at = mat34_column(&joints[0][i], 3), other = mat34_column(&joints[1][i], 3);
            max = MAX_OF(max, (f64)vec3_length(vec3_sub(at, other)));
        }
    }
    for (u32 i = 0; i < 2; i++) ent_resource_close(&clip[i]);
    ent_resource_close(&scaled);
    return max;
}

static void packed_clips_move_joints_by_less_than_the_error(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const f64 arm = farthest_joint(arm_folder(), "out/arm/skeleton_0.skeleton", "out/arm/move.clip",
                                   "exact/arm/move.clip");
    assert_true(arm > 0 && arm < 2 * 1e-4);
    const char* characters = characters_folder();
    TEST_DONE(characters, "entc build src -o exact -q --clip-error 0 && "
                          "entc build src -o coarse -q --clip-error 0.01");
    const f64 walker = farthest_joint(characters, "out/walker/skeleton_0.skeleton",
                                      "out/walker/walk.clip", "exact/walker/walk.clip");
    assert_true(walker > 0 && walker < 1.5 * 1e-4);
    /* Errors add up along 257 joints: the default packs nothing. */
    const f64 worm = farthest_joint(characters, "out/worm/skeleton_0.skeleton",
                                    "out/worm/wave.clip", "exact/worm/wave.clip");
    const f64 coarse = farthest_joint(characters, "out/worm/skeleton_0.skeleton",
                                      "coarse/worm/wave.clip", "exact/worm/wave.clip");
    assert_true(worm == 0);
    assert_true(coarse > 0 && coarse < 4 * 0.01);
}

static void clip_error_is_checked_and_is_an_input_of_clips(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    const char*              folder = arm_folder();
    static const char* const wrong[] = {"-1", "2", "x", "''", "nan", "0.1x"};
    for (u32 i = 0; i < COUNT_OF(wrong); i++)
        EXPECT(folder, 1, "--clip-error needs a number from 0 to 1",
               "entc build src -o other --clip-error %s", wrong[i]);
    TEST_DONE(folder, "entc build src -o changed -q && entc build src -o changed --check -q");
    EXPECT(folder, 3, "would write changed/arm/move.clip",
           "entc build src -o changed --check --clip-error 0");
    TEST_DONE(folder, "entc build src -o changed -q --clip-error 0 && diff -r changed exact && "
                      "entc compile src arm/move.clip -o one.clip --clip-error 0 && "
                      "cmp one.clip exact/arm/move.clip");
    EXPECT(folder, 0, "--clip-error 0.25",
           "entc build src -o out --emit-ninja graph --clip-error 0.25 && cat graph");
}

TEST_SUITE(clip_pack) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constant_tracks_are_left_out_or_have_one_key),
        cmocka_unit_test(packed_clips_move_joints_by_less_than_the_error),
        cmocka_unit_test(clip_error_is_checked_and_is_an_input_of_clips)};
    return TEST_RUN("clip_pack", tests);
}
