/* sph_reference.h - one step of an SPH fluid in double precision, for tests to compare with.
 *
 * Positions and velocities are taken as the floats that they are; from there on all is double. With
 * m, h, K, e and p0 of the fluid (particle_mass_kg, smoothing_radius_m, stiffness, viscosity,
 * rest_density_kg_m3), d = xA - xB and r = |d| of two particles, and neighbours where r < h:
 *
 *     density   rho = max(p0, sum m 315 / (64 pi h^9) (h^2 - r^2)^3 / free), A itself included
 *     pressure  p = K (rho - p0)
 *     spiky     S = 45 / (pi h^6) (h - r)^2,  Laplacian L = 45 / (pi h^6) (h - r)
 *
 *     mueller   a = g + 1 / rhoA [ sum m (pA + pB) / (2 rhoB) S d / r
 *                                  + e sum m (vB - vA) / rhoB L ]
 *     article   a = g + 1 / rhoA [ sum (pA + pB) / (2 rhoA rhoB) S d / r
 *                                  + e sum (vB - vA) / rhoB * d / r L ]   (* by component)
 *
 *     walls     with the distance d, volume V and normal n of each, q = max(d, 0) / h and U = 1 - q,
 *               filled = min(1/2 - 315/256 (q - 4/3 q^3 + 6/5 q^5 - 4/7 q^7 + 1/9 q^9),
 *                            315 / (64 pi) V / h^3 (1 - q^2)^3)
 *               B = 1 / h min(3/2 U^4 (1 + 4 q), 45 / pi V / h^3 U^2)
 *               free = product (1 - filled), P = sum n B product over the others (1 - filled)
 *               mueller: a += p / rho P, article: a += p / (m rho^2) P
 *
 * Forces leave out A itself and every B with r = 0. The article has mB / mA before its terms, which
 * is 1: all particles of a fluid have one mass.
 *
 * Source   M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
 *          applications, 2003; J. Turanszki, (Scalable) GPU fluid simulation, wickedengine.net,
 *          2018. */
#ifndef SPH_REFERENCE_H
#define SPH_REFERENCE_H

#include "base.h"
#include "fluid.h"

/* The distance of a point from a wall, the normal there, and the volume of the wall in m3. */
typedef f64 (*SphWall)(const void* user, u32 wall, const f64 at[3], f64 normal[3], f64* volume_m3);

typedef struct SphCase {
    const FluidRecord* fluid;
    u32                count;
    const Vec3*        position;          /* [count] */
    const Vec3*        velocity;          /* [count] */
    const Vec4*        plane;             /* [plane_count] xyz: unit normal to the free side,
                                     w: dot(normal, a point of the plane) */
    const f32*         plane_restitution; /* [plane_count] */
    u32                plane_count;
    SphWall            wall; /* NULL: the planes are the walls */
    const void*        wall_user;
    u32                wall_count;
} SphCase;

/* density [count]. */
void sph_reference_density(const SphCase* c, f64* density);

/* acceleration [count], gravity included; density [count] as computed by the function above. */
void sph_reference_acceleration(const SphCase* c, const f64* density, f64 (*acceleration)[3]);

/* One complete step of step_s from the state of the case into position and velocity [count]:
 * density, acceleration, v += a dt, x += v dt, then the planes in their order. A particle behind a
 * plane is moved onto it along its normal; if it moves towards the plane, v -= (1 + restitution)
 * dot(v, n) n. */
void sph_reference_step(const SphCase* c, f64 (*position)[3], f64 (*velocity)[3]);

/* The first two without a grid, every particle with every other: the reference of the reference. */
void sph_reference_density_all_pairs(const SphCase* c, f64* density);
void sph_reference_acceleration_all_pairs(const SphCase* c, const f64* density,
                                          f64 (*acceleration)[3]);

#endif
