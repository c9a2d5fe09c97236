/* test_yard.c - a world of animated nodes. */
#include "test_yard.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "spawn.h"
#include "test_worlds_support.h"
#include "transform_manager.h"

const char* const yard_clips[YARD_CLIPS] = {"rig/c0", "rig/c1", "rig/c2"};

static char name[1100]; /* of the folder */

static void folder_make(u32 seed, const char* options) {
    snprintf(name, sizeof name, "%s", test_folder("rig"));
    TEST_DONE(".", "python3 tests/support/make_animators.py '%s/src' '%s/wanted' %u %u", name, name,
              test_step(10000, 1000), seed);
    TEST_DONE(name, "rm -rf out && entc build src -o out -q %s", options);
}

void yard_spawn(Yard* y) {
    const Blob* blob;
    assert_int_equal(ent_library_load(&y->library, "yard", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(blob->header->element_count, 3 * (y->wanted.nodes + 1));
    assert_int_equal(ent_world_spawn(y->world, blob, NULL, y->entity), ENT_OK);
}

static void folder_open(Yard* y) {
    const Blob* clip;
    char        path[1200];
    *y = (Yard){0};
    snprintf(path, sizeof path, "%s/wanted", name);
    Wanted* w = &y->wanted;
    w->numbers = (f64*)(void*)test_read(path, &w->bytes);
    assert_non_null(w->numbers);
    w->nodes = (u32)w->numbers[0];
    w->frames = (u32)w->numbers[1];
    w->animators = (u32)w->numbers[2];
    assert_true(w->nodes <= NODES_MAX);
    snprintf(path, sizeof path, "%s/out", name);
    assert_int_equal(ent_library_open(&y->library, path, NULL), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(yard_clips); i++) /* also one that no animator plays at first */
        assert_int_equal(ent_library_load(&y->library, yard_clips[i], RESOURCE_CLIP, &clip),
                         ENT_OK);
    assert_int_equal(ent_world_create(&y->world, NULL), ENT_OK);
    yard_spawn(y);
    assert_int_equal(ent_animators_create(&y->animators, y->world, &y->library), ENT_OK);
}

void yard_open(Yard* y, u32 seed, const char* options) {
    folder_make(seed, options);
    folder_open(y);
}

void yard_open_again(Yard* y) { folder_open(y); }

void yard_close(Yard* y) {
    ent_animators_destroy(y->animators);
    ent_world_destroy(y->world);
    ent_library_close(&y->library);
    free(y->wanted.numbers);
}

Entity yard_node(const Yard* y, u32 instance, u32 node) {
    return y->entity[instance * (y->wanted.nodes + 1) + 1 + node];
}

const f64* yard_frame(const Yard* y, u32 frame) {
    return y->wanted.numbers + 3 + (size_t)frame * (2 + 12 * y->wanted.nodes);
}

ResourceRef yard_clip_after(ResourceRef clip) {
    for (u32 i = 0; i < COUNT_OF(yard_clips); i++)
        if (resource_id(ent_resource_ref(yard_clips[i], RESOURCE_CLIP)) == resource_id(clip))
            return ent_resource_ref(yard_clips[(i + 1) % COUNT_OF(yard_clips)], RESOURCE_CLIP);
    fail_msg("an animator plays no clip of the model");
    return clip;
}

void yard_play(Yard* y, u32 instance, u32 frame) {
    const f64*         wanted = yard_frame(y, frame);
    const AnimatorRows rows = ent_animator_rows(y->world);
    u32                count = 0;
    for (u32 i = 0; i < rows.count; i++) {
        AnimatorRecord* r = &rows.record[i];
        if (rows.entity[i] != y->entity[instance * (y->wanted.nodes + 1)]) continue;
        r->end = PLAYING_HOLD;
        r->time_s = r->second_time_s = (f32)wanted[0];
        r->blend = (f32)wanted[1];
        r->second_clip = instance ? yard_clip_after(r->clip) : (ResourceRef){0, 0};
        count++;
    }
    assert_int_equal(count, y->wanted.animators);
}

f64 yard_node_difference(const Yard* y, u32 frame, u32 node, const Mat34* found) {
    f64 max = 0;
    for (u32 i = 0; i < 12; i++) {
        const f64 d = fabs((f64)found->m[i / 4][i % 4] - yard_frame(y, frame)[2 + node * 12 + i]);
        max = MAX_OF(max, d);
    }
    return max;
}

f64 yard_difference(const Yard* y, u32 instance, u32 frame) {
    f64 max = 0;
    for (u32 n = 0; n < y->wanted.nodes; n++) {
        const Mat34* found = ent_transform_world(y->world, yard_node(y, instance, n));
        assert_non_null(found);
        const f64 d = yard_node_difference(y, frame, n, found);
        max = MAX_OF(max, d);
    }
    return max;
}

f64 yard_extent(const Yard* y) {
    f64 low = 0, high = 0;
    for (u32 n = 0; n < y->wanted.nodes; n++)
        for (u32 i = 3; i < 12; i += 4) {
            const f64 at = yard_frame(y, 0)[2 + n * 12 + i];
            low = MIN_OF(low, at), high = MAX_OF(high, at);
        }
    return high - low;
}
