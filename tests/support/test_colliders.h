/* test_colliders.h - colliders that are made of numbers. */
#ifndef TEST_COLLIDERS_H
#define TEST_COLLIDERS_H

#include <stdlib.h>

#include "gpu_colliders_internal.h"
#include "vec.h"

/* A collider that moves from one pose to another one. */
static inline ColliderMotion collider_moving(const ColliderRecord* record, const Mat34* was,
                                             const Mat34* pose) {
    ColliderMotion before, now;
    if (!ent_collider_of(&before, record, was) || !ent_collider_of(&now, record, pose)) abort();
    now.at_was = before.at;
    now.turn_was = before.turn;
    return now;
}

/* Planes that stand, by unit normal and distance from the origin. */
static inline GpuColliders* colliders_of_planes(Gpu* gpu, const Vec4* plane, const f32* restitution,
                                                u32 count) {
    GpuColliders*   colliders;
    ColliderMotion* at = malloc(count * sizeof *at);
    for (u32 i = 0; i < count; i++) {
        const ColliderRecord record = {.normal = {plane[i].x, plane[i].y, plane[i].z},
                                       .offset_m = plane[i].w,
                                       .restitution = restitution[i]};
        if (!ent_collider_of(&at[i], &record, &mat34_identity)) abort();
    }
    if (ent_gpu_colliders_create(&colliders, gpu) != ENT_OK ||
        ent_gpu_colliders_set(colliders, at, count) != ENT_OK)
        abort();
    free(at);
    return colliders;
}

#endif
