/* sink.h - removes the particles of a fluid or a particle_system that are in a box or a disc around the entity at the end of a
 * step. Others can begin in their stead two steps later. */
#ifndef ENT_SINK_H
#define ENT_SINK_H

#include "emitter.h"

#define SINK_FIELDS(F, R)                                                                          \
    F(R, EntityRef, target, NO_ENTITY, 0, ALL, "", PLAIN,                                          \
      "entity with the fluid or particle_system; none: this entity")                               \
    F(R, Enum32, shape, V1(0), 0, 0, "", ENUM(EMITTER_SHAPE),                                      \
      "where particles end; a disc is round about the entity's Y axis")                            \
    F(R, Vec3, half_extent_m, V3(0.5, 0.5, 0.5), 0.0001, 1e4, "m", AXES(SIZE),                     \
      "half the size; of a disc: two radii, and half of its thickness along Y")

RECORD(SinkRecord, SINK_FIELDS)

#endif
