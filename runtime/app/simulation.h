/* simulation.h - what a spawned level asks of the GPU: its fluids and particles, between its
 * planes.
 */
#ifndef ENTRUN_SIMULATION_H
#define ENTRUN_SIMULATION_H

#include "base.h"
#include "canvas.h"
#include "ent.h"
#include "particles.h"
#include "pass_times.h"
#include "sph.h"
#include "vec.h"

/* A particle_system, and how it is drawn. */
typedef struct Discs {
    Particles* particles;
    Mat34      pose;
    Vec2       half_extent_m;
    Vec3       color;
} Discs;

/* Of the rectangle that they move in, in the world: corner 0 to 3. */
Vec3 discs_corner(const Discs* discs, u32 corner);

typedef struct Simulation {
    Sph**  fluid;     /* [fluid_count] */
    f32*   spacing_m; /* [fluid_count] */
    u32*   substeps;  /* [fluid_count] */
    u32    fluid_count;
    Discs* discs; /* [discs_count] */
    u32    discs_count;
    Vec4   plane[GPU_PLANES_MAX];
    f32    restitution[GPU_PLANES_MAX];
    u32    plane_count;
    Vec4   drawn[GPU_PLANES_MAX]; /* [plane_count] as far behind as balls are thick: on a plane
                                        stands the middle of a particle */
    Bounds bounds;                /* of all particles at the start */
    f32    gravity_m_s2;          /* the strongest */
    char   problem[1024]; /* one sentence, when a call failed and there is more than its status */
} Simulation;

/* Makes what the world has instances for. After a failure it is to be destroyed as ever.
 *
 *   library  where fluids find the meshes of their points
 *
 * Returns  ENT_OK; ENT_LIMIT, ENT_NO_MEMORY; ENT_NOT_FOUND: a mesh; or what a device says. */
MUST_CHECK ent_status simulation_create(Simulation* simulation, Gpu* gpu, World* world,
                                        const Library* library);
void                  simulation_destroy(Simulation* simulation);

/* A frame of all systems; their times go under `frame`. */
MUST_CHECK ent_status simulation_run(Simulation* simulation, PassTimes* times, u32 frame);

/* Particles of all systems. */
u64 simulation_count(const Simulation* simulation);

/* Adds all particles to a picture. `height_m`: a drop from there makes the fastest colour. */
MUST_CHECK ent_status simulation_draw(Simulation* simulation, Canvas* canvas, f32 height_m);

#endif
