/* emitter.h - adds particles to a fluid or a particle_system while it is simulated, as long as its capacity has room.
 *
 * Particles begin at random places of a box, or of a disc that has a thickness, around the entity, which they follow with its scale. In a step in
 * which several begin, each has already moved for a part of the step, so that a jet has no gaps. A particle has velocity_m_s, in the
 * axes of the entity but not scaled, and across it a random part up to tan(spread_rad) times its length. */
#ifndef ENT_EMITTER_H
#define ENT_EMITTER_H

#include "record.h"

#define EMITTER_SHAPE(X)                                                                           \
    X(EMITTER_BOX, "box")                                                                          \
    X(EMITTER_DISC, "disc")

#define EMITTER_FIELDS(F, R)                                                                       \
    F(R, EntityRef, target, NO_ENTITY, 0, ALL, "", PLAIN,                                          \
      "entity with the fluid or particle_system; none: this entity")                               \
    F(R, Enum32, shape, V1(0), 0, 0, "", ENUM(EMITTER_SHAPE),                                      \
      "where particles begin; a disc is round about the entity's Y axis")                          \
    F(R, Vec3, half_extent_m, V3(0.5, 0.5, 0.5), 0, 1e4, "m", AXES(SIZE),                          \
      "half the size; of a disc: two radii, and half of its thickness along Y")                    \
    F(R, f32, rate_per_s, V1(100), 0, 1e8, "1/s", PLAIN, "particles per second")                   \
    F(R, Vec3, velocity_m_s, V3(0, 0, 0), -1e4, 1e4, "m/s", AXES(DIRECTION),                       \
      "at the beginning, in the entity's space")                                                   \
    F(R, f32, spread_rad, V1(0), 0, 1.5, "rad", PLAIN,                                             \
      "greatest angle between that and the velocity of a particle")                                \
    F(R, u32, seed, V1(1), 0, ALL, "", PLAIN,                                                      \
      "the same seed gives the same particles at the same times")                                  \
    F(R, f32, life_s, V1(0), 0, 1e6, "s", PLAIN, "how long a particle exists; 0: without end")

RECORD_ENUM(EmitterShape, EMITTER_SHAPE)
RECORD(EmitterRecord, EMITTER_FIELDS)

#endif
