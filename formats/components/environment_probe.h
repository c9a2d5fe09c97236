/* environment_probe.h - reflections and ambient light for what is inside the entity's box. */
#ifndef ENT_ENVIRONMENT_PROBE_H
#define ENT_ENVIRONMENT_PROBE_H

#include "record.h"

#define ENVIRONMENT_PROBE_FIELDS(F, R)                                                             \
    F(R, Vec3, half_extent_m, V3(5, 5, 5), 0.0001, 1e6, "m", AXES(SIZE),                           \
      "half the size of the box")                                                                  \
    F(R, Vec3, color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN, "tint of the ambient light")         \
    F(R, f32, intensity, V1(1), 0, 1e6, "", PLAIN, "factor for the captured light")                \
    F(R, f32, blend_m, V1(0.5), 0, 1e6, "m", PLAIN, "width of the blended edge inside the box")

RECORD(EnvironmentProbeRecord, ENVIRONMENT_PROBE_FIELDS)

#endif
