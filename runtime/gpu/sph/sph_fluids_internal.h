/* sph_fluids_internal.h - the fluids of a world, in groups of those that meet. Private. */
#ifndef ENT_SPH_FLUIDS_INTERNAL_H
#define ENT_SPH_FLUIDS_INTERNAL_H

#include "emission_internal.h"
#include "gpu_blobs.h"
#include "gpu_system_internal.h"
#include "rows.h"
#include "shapes_internal.h"
#include "sph_internal.h"
#include "water_internal.h"

typedef struct Fluid {
    u32              group, number; /* which of those that meet */
    u32              row;           /* of its component, when the list was made */
    Entity           entity;
    FluidRecord      record; /* its component, when it was created or its look was set */
    EmissionFollower follower;
    bool             is_balls;
    WaterDraw        draw; /* also radius and look of balls */
} Fluid;

/* Fluids that meet. */
typedef struct FluidGroup {
    Sph*      sph;
    u32       first, count; /* fluids of the list */
    u32       substeps;
    f32       frame_s; /* duration of a frame */
    f32       gravity_m_s2;
    bool      is_kept; /* while another list is made: it is in both */
    GpuExtent extent;  /* at the start */
    GpuPool   pool;
} FluidGroup;

typedef struct FluidList {
    u32         count, group_count;
    FluidGroup* group; /* [group_count] */
    Fluid*      fluid; /* [count] in the order of their groups */
} FluidList;

typedef struct Fluids {
    Shapes         shapes; /* first: SHAPES_PHASES */
    World*         world;
    const Library* library;
    void*          colliders; /* of the scene */
    Gpu*           gpu;
    GpuSeen        seen;  /* of the library, when looks were set */
    EmissionFound  found; /* of one of them */
    Water          water;
    GpuExtent      extent;
    bool           moved, shown_moved; /* simulated since the last frame, the last picture */
    f32            gravity_m_s2;       /* the strongest */
    FluidList      list;
    Sph*           mover; /* while another list is made: which of this one moved bodies; or NULL */
    u64            refused; /* hash of the components that could not be followed */
} Fluids;

/* Creates the fluids of the world's components. Those of `fluids->list` whose components are as they were are taken over:
 * `list` has copies of their groups. After a failure everything that was created is destroyed. */
MUST_CHECK ent_status fluid_list_create(Fluids* fluids, FluidList* list, GpuProblem* problem);

/* Is the fluid the same, but for what only its look depends on? */
bool fluid_is_same(const FluidRecord* a, const FluidRecord* b);
void fluid_look_set(Fluids* fluids, Fluid* fluid, const FluidRecord* record);

/* Makes the list that was created that of the system, and destroys what it does not contain when the frame is
 * complete. */
void fluid_list_take(Fluids* fluids, FluidList* list, GpuFrame* frame);
void fluid_list_destroy(FluidList* list);

#endif
