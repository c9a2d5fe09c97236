/* test_capsules.h - the capsules of the test of a new shape. */
#ifndef TEST_CAPSULES_H
#define TEST_CAPSULES_H

#include "shapes.h"

enum { CAPSULES = 3 };

#define CAPSULE_HALF_M   0.8f
#define CAPSULE_RADIUS_M 0.5f

static const Vec4 capsules_at[CAPSULES] = {{-1.6f, 0.2f, 0.3f, CAPSULE_HALF_M},
                                           {0.1f, 0.4f, -0.8f, CAPSULE_HALF_M},
                                           {1.5f, 0, 0.9f, CAPSULE_HALF_M}};

static const EntShapesLook capsules_look = {.color = {0.7f, 0.5f, 0.2f}, .roughness = 0.5f};

extern const GpuSystem capsules_system;

#endif
