/* particles_list_internal.h - the particle systems of a world. Private. */
#ifndef ENT_PARTICLES_LIST_INTERNAL_H
#define ENT_PARTICLES_LIST_INTERNAL_H

#include "gpu_system_internal.h"
#include "particles_internal.h"
#include "rows.h"
#include "shapes_internal.h"

typedef struct Discs {
    Particles*           particles; /* NULL: they could not be created */
    Entity               entity;
    ParticleSystemRecord record; /* its component, when it was created or its look was set */
    Mat34                pose;   /* of the plane, when it was created */
    Vec2                 half_extent_m;
    EntShapesLook        look;
    EmissionFollower     follower;
} Discs;

typedef struct DiscsList {
    Shapes         shapes; /* first: SHAPES_PHASES */
    World*         world;
    const Library* library;
    GpuSeen        seen; /* of it, when looks were set */
    Gpu*           gpu;
    EmissionFound  found; /* of one of them */
    GpuExtent      extent;
    bool           moved;     /* simulated since it was drawn */
    bool           starved;   /* it was reported that there is no memory to follow the rows */
    void*          colliders; /* of the scene */
    u32            count;
    Discs*         discs; /* [count] in the order of the rows, of those that have particles */
} DiscsList;

#endif
