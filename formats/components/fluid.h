/* fluid.h - a volume of SPH fluid: a box of particles around the entity, or the points of a mesh.
 *
 * The box has a particle in the middle of each cell of spacing_m, as many complete cells as fit
 * along each of its axes, but at least one. Emitters add particles up to `capacity`. Its extent, not the spacing, is scaled by the entity.
 *
 * Time advances in steps of the fixed length step_s; a frame runs `substeps` of them, so a fluid
 * runs in real time when a frame lasts substeps * step_s. A step moves particles by the forces at
 * its beginning only (explicit integration), which is stable as long as
 *
 *   step_s <= min(0.4 h / c,  0.125 h^2 p0 / e,  0.25 sqrt(h / |g|)),  c = sqrt(K)
 *
 * with c the speed of sound of the equation of state, pressure = K (density - p0). A term with a
 * divisor of zero is no bound. entc warns of a step that is longer.
 *
 * Source   J. Turanszki, (Scalable) GPU fluid simulation, wickedengine.net, 2018, whose constants
 *          are the defaults; M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation
 *          for interactive applications, 2003. The bound: J. J. Monaghan, Smoothed particle
 *          hydrodynamics, 1992, for sound and forces; J. P. Morris, P. J. Fox, Y. Zhu, Modeling low
 *          Reynolds number incompressible flows using SPH, 1997, for viscosity. The default of absorption_per_m is that of
 *          pure water at 650, 550 and 450 nm: R. M. Pope, E. S. Fry, Absorption spectrum (380-700 nm) of pure water, 1997. */
#ifndef ENT_FLUID_H
#define ENT_FLUID_H

#include "record.h"
#include "resources.h"

#define FLUID_MODEL(X)                                                                             \
    X(FLUID_MUELLER, "mueller")                                                                    \
    X(FLUID_ARTICLE, "article")

#define FLUID_DRAW(X)                                                                              \
    X(FLUID_SURFACE, "surface")                                                                    \
    X(FLUID_BALLS, "balls")

#define FLUID_FIELDS(F, R)                                                                         \
    F(R, Vec3, half_extent_m, V3(1, 1, 1), 0, 1e4, "m", AXES(SIZE),                                \
      "half the size of the box of particles; 0, 0, 0 with a capacity: it starts empty")           \
    F(R, ResourceRef, points, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MESH),                     \
      "mesh with a particle at each vertex, instead of a box")                                     \
    F(R, f32, spacing_m, V1(0.5), 0.0001, 1e3, "m", PLAIN, "distance between particles at rest")   \
    F(R, f32, smoothing_radius_m, V1(1), 0.0001, 1e3, "m", PLAIN,                                  \
      "h: radius of influence of a particle")                                                      \
    F(R, f32, rest_density_kg_m3, V1(1), 1e-6, 1e6, "kg/m3", PLAIN,                                \
      "p0: density without pressure")                                                              \
    F(R, f32, stiffness, V1(250), 0, 1e9, "m2/s2", PLAIN, "K: pressure per density above p0")      \
    F(R, f32, viscosity, V1(0.018), 0, 1e6, "Pa s", PLAIN, "e: dynamic viscosity")                 \
    F(R, f32, particle_mass_kg, V1(1), 1e-9, 1e6, "kg", PLAIN, "mass of each particle")            \
    F(R, Vec3, gravity_m_s2, V3(0, -9.81, 0), -1e4, 1e4, "m/s2", AXES(DIRECTION),                  \
      "acceleration of all particles")                                                             \
    F(R, f32, step_s, V1(0.016), 1e-6, 1, "s", PLAIN, "duration of a step")                        \
    F(R, u32, substeps, V1(1), 1, 1000, "", PLAIN, "steps per frame")                              \
    F(R, Enum32, model, V1(0), 0, 0, "", ENUM(FLUID_MODEL), "model of the forces")                 \
    F(R, Vec3, color, V3(0.03, 0.2, 0.45), 0, 1, "linear RGB", PLAIN,                              \
      "colour of balls without a material; of a surface, that of the light which deep fluid "      \
      "returns")                                                                                   \
    F(R, ResourceRef, material, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MATERIAL),               \
      "its factors; none: balls are a dielectric of roughness 0.4 in `color`, a surface is "       \
      "smooth")                                                                                    \
    F(R, Enum32, draw, V1(0), 0, 0, "", ENUM(FLUID_DRAW),                                          \
      "how it is drawn: the surface of the fluid, or each particle as a ball")                     \
    F(R, f32, surface_radius_m, V1(0), 0, 1e3, "m", PLAIN,                                         \
      "of a particle, inside the surface and as a ball; 0: half of spacing_m")                     \
    F(R, f32, smoothing, V1(0.5), 0, 1, "", PLAIN,                                                 \
      "of the surface: 0: particles are visible, 1: a standard deviation of two spacing_m")        \
    F(R, f32, foam, V1(0.5), 0, 1, "", PLAIN,                                                      \
      "how much foam there is where particles are fast and few")                                   \
    F(R, Vec3, absorption_per_m, V3(0.34, 0.06, 0.01), 0, 1e6, "1/m", PLAIN,                       \
      "light that is absorbed by the fluid, of each channel: exp(-absorption_per_m distance) is "  \
      "left")                                                                                      \
    F(R, f32, refraction_index, V1(1.333), 1, 3, "", PLAIN, "of the fluid, relative to air")       \
    F(R, f32, speed_max_m_s, V1(100), 0, 1e6, "m/s", PLAIN,                                        \
      "largest speed of a particle, to which faster ones are slowed; 0: there is none")            \
    F(R, u32, capacity, V1(0), 0, 1073741824, "", PLAIN,                                           \
      "greatest number of particles, with those of emitters; 0: as many as at the start")

RECORD_ENUM(FluidModel, FLUID_MODEL)
RECORD_ENUM(FluidDraw, FLUID_DRAW)
RECORD(FluidRecord, FLUID_FIELDS)

#endif
