/* point_mass.h - a point mass with position, velocity and force; stored as a structure of
 * arrays. ent_simulate_points (points.h) moves it, and the transform of its entity follows. With a collider
 * that is no plane, a fluid moves it on a GPU (gpu_colliders.h).
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 2), 2014. */
#ifndef ENT_POINT_MASS_H
#define ENT_POINT_MASS_H

#include "record.h"

#define POINT_MASS_FIELDS(F, R)                                                                    \
    F(R, Vec3, position, V3(0, 0, 0), LOW, HIGH, "m", AXES(POINT),                                 \
      "position in world space; if none is stated, that of the entity")                            \
    F(R, Vec3, velocity, V3(0, 0, 0), LOW, HIGH, "m/s", AXES(DIRECTION), "velocity")               \
    F(R, Vec3, force, V3(0, 0, 0), LOW, HIGH, "N", AXES(DIRECTION),                                \
      "force that acts until it is changed")                                                       \
    F(R, f32, mass, V1(1), 1e-9, 1e12, "kg", PLAIN, "inertial mass")

RECORD(PointMassRecord, POINT_MASS_FIELDS)

#endif
