/* simulation.h - the GPU systems that a spawned level needs, with its colliders. */
#ifndef ENTRUN_SIMULATION_H
#define ENTRUN_SIMULATION_H

#include "base.h"
#include "canvas.h"
#include "ent.h"
#include "gpu_system.h"
#include "light_counts.h"
#include "lighting.h"
#include "vec.h"

/* Systems of one world: at most this many. */
#define SIMULATION_PARTS_MAX 16u

/* Seconds that a frame takes. */
#define SIMULATION_FRAME_S (1.0f / 60)

typedef struct Simulation {
    Animators* animators;
    Skins*     skins;
    GpuPart
        part[SIMULATION_PARTS_MAX]; /* [parts.count] those whose component type has instances in the
                                           level, in the order of the table of systems */
    GpuParts         parts;
    const GpuExtent* extent[SIMULATION_PARTS_MAX]; /* [extent_count] of the parts with elements */
    u32              extent_count;
    Vec4             drawn
        [GPU_PLANES_MAX]; /* [drawn_count] planes of the world, moved back by the largest radius,
                                              because the centres of elements collide */
    u32        drawn_count;
    World*     world;
    Bounds     bounds; /* of all systems at the start */
    GpuProblem problem;
} Simulation;

/* The system with this number in the table, or NULL when the table has fewer. */
const GpuSystem* simulation_system(u32 index);

/* Creates each system whose component type has instances in the world, and lighting for them. The
 * simulation must be destroyed also after a failure.
 *
 *   library  where the resources of components are found, such as meshes
 *
 * Returns  ENT_OK; ENT_LIMIT, ENT_NO_MEMORY; ENT_NOT_FOUND: a missing resource; or a failure of the
 *          device. simulation->problem is one sentence when the status is not sufficient. */
MUST_CHECK ent_status simulation_create(Simulation* simulation, Gpu* gpu, World* world,
                                        const Library* library);
void                  simulation_destroy(Simulation* simulation);

/* Follows a world that was patched: characters that were added, and the bounds. When the world has its first component of a
 * type with a system, all systems are created again, and begin anew.
 *
 * Needs    no frame is in flight.
 * Returns  as simulation_create. */
MUST_CHECK ent_status simulation_follow(Simulation* simulation, Gpu* gpu, const Library* library);

/* As ent_lighting_shadows, when something is drawn. */
void simulation_shadows(const Simulation* simulation, const EntLightingShadows* shadows);

/* The lights that have cast shadows: none when nothing is drawn. */
LightCounts simulation_lights(const Simulation* simulation);

/* Moves all clips by one frame, and what follows them. */
MUST_CHECK ent_status simulation_advance(Simulation* simulation);

/* The number of elements that are simulated, of all systems. */
u64 simulation_count(const Simulation* simulation);

/* How often elements were slowed to the largest speed, of all systems. */
MUST_CHECK ent_status simulation_slowed(const Simulation* simulation, u64* count);

/* Does a system draw the surfaces of the world, which probes capture? Then its planes are not drawn. */
bool simulation_draws_surfaces(const Simulation* simulation);

#endif
