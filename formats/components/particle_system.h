/* particle_system.h - discs that move and collide in a rectangle in the entity's XY plane. */
#ifndef ENT_PARTICLE_SYSTEM_H
#define ENT_PARTICLE_SYSTEM_H

#include "record.h"
#include "resources.h"

#define PARTICLE_SYSTEM_FIELDS(F, R)                                                               \
    F(R, u32, count, V1(1000), 0, 16777216, "", PLAIN, "number of particles at the start")         \
    F(R, Vec2, half_extent_m, V2(1, 1), 0.0001, 1e6, "m", PLAIN, "half the size of the rectangle") \
    F(R, f32, radius_min_m, V1(0.005), 1e-6, 1e3, "m", PLAIN,                                      \
      "smallest radius; at most radius_max_m")                                                     \
    F(R, f32, radius_max_m, V1(0.01), 1e-6, 1e3, "m", PLAIN, "largest radius")                     \
    F(R, f32, speed_max_m_s, V1(0.5), 0, 1e6, "m/s", PLAIN,                                        \
      "greatest initial speed, in any direction")                                                  \
    F(R, Vec3, color, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                      \
      "colour of particles without a material")                                                    \
    F(R, u32, seed, V1(1), 0, ALL, "", PLAIN, "the same seed gives the same start")                \
    F(R, EntityRef, attractor, NO_ENTITY, 0, ALL, "", PLAIN, "entity that attracts the particles") \
    F(R, ResourceRef, material, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MATERIAL),               \
      "of particles: its factors, drawn opaque; none: a dielectric of roughness 0.4 in `color`")   \
    F(R, u32, capacity, V1(0), 0, 16777216, "", PLAIN,                                             \
      "greatest number of particles, with those of emitters; 0: `count`")                          \
    F(R, Vec3, color_end, V3(1, 1, 1), 0, 1, "linear RGB", PLAIN,                                  \
      "factor of the colour at the end of the life of a particle")                                 \
    F(R, f32, size_end, V1(1), 0.01, 100, "", PLAIN,                                               \
      "factor of the radius at the end of the life of a particle")

RECORD(ParticleSystemRecord, PARTICLE_SYSTEM_FIELDS)

#endif
