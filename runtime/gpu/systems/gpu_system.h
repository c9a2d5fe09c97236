/* gpu_system.h - the interface of systems on the GPU: a system is a row of functions, so that a host
 * runs and draws any of them without naming one.
 *
 *     const GpuSystem* system = ent_xxx_system();
 *     GpuPlanes        planes;
 *     GpuProblem       problem = {0};
 *     void*            state;
 *     ent_status       status = ent_gpu_planes(&planes, world, &problem);
 *     const GpuScene   scene = {.world = world, .library = &library, .planes = &planes};
 *     status = system->create(&state, gpu, &scene, &problem);
 *     status = system->run(state);                           a frame
 *     status = system->draw(state, canvas, height_m);        before ent_canvas_draw
 *     system->destroy(state);
 *
 * A row describes one component type. Its state holds what was created for all instances of that
 * type in a world. */
#ifndef ENT_GPU_SYSTEM_H
#define ENT_GPU_SYSTEM_H

#include "canvas.h"
#include "library.h"
#include "transform_manager.h"

/* Why a call failed: one sentence. It is empty when the status, or what the device has logged, says
 * everything. */
typedef struct GpuProblem {
    char text[1024];
} GpuProblem;

/* The collider planes of a world. */
typedef struct GpuPlanes {
    Vec4 plane[GPU_PLANES_MAX]; /* [count] unit normal to the free side, and its product with a
                                         point of the plane */
    f32  restitution[GPU_PLANES_MAX]; /* [count] share of the speed that is thrown back */
    u32  count;
} GpuPlanes;

/* What a system is created from. It is not read after `create`. */
typedef struct GpuScene {
    World*           world;   /* spawned */
    const Library*   library; /* the resources to which its components refer */
    const GpuPlanes* planes;
    GpuTimes         times;
} GpuScene;

/* A rectangle in the XY plane of a pose, around its origin. */
typedef struct GpuRectangle {
    Mat34 pose;
    Vec2  half_extent_m;
} GpuRectangle;

/* What a system holds, and where that is before the first frame. */
typedef struct GpuExtent {
    uint64_t            count;     /* elements, such as particles; 1 or more */
    Vec3                low, high; /* the corners of the upright box that contains them */
    f32                 radius_m;  /* planes hold back the centres of elements, whose largest radius
                                      this is; 0: planes do not hold back any */
    const GpuRectangle* rectangle; /* [rectangle_count] in which all elements move */
    u32                 rectangle_count; /* 0: elements move in space */
} GpuExtent;

typedef struct GpuSystem {
    const char* name;      /* of the system: the group of its times */
    const char* component; /* name of the component type that it consumes */

    /* Needs    an instance of the component in the world.
     * Returns  ENT_OK; ENT_LIMIT, ENT_NO_MEMORY; ENT_NOT_FOUND: a resource; or what the device
     *          returns. After a failure there is nothing to destroy. */
    ent_status (*create)(void** state, Gpu* gpu, const GpuScene* scene, GpuProblem* problem);
    void (*destroy)(void* state);
    const GpuExtent* (*extent)(const void* state); /* exists as long as the state */

    ent_status (*run)(void* state); /* a frame; returns when it is done */

    /* Milliseconds of the last frame by pass, those of all instances added up, and "step". Returns
     * their number, `capacity` at most. */
    u32 (*times)(const void* state, GpuTime* times, u32 capacity);

    /* Adds all elements to the next picture. Between this call and ent_canvas_draw the system must
     * neither run nor be destroyed.
     *
     *   height_m  elements that fall freely from this height reach the speed of the brightest
     *             colour */
    ent_status (*draw)(void* state, Canvas* canvas, f32 height_m);
} GpuSystem;

#ifdef __cplusplus
extern "C" {
#endif

/* The collider planes of a world, in the order of their rows.
 *
 * Returns  ENT_OK; ENT_LIMIT: more than GPU_PLANES_MAX; ENT_BAD_FIELD: the transform of an entity
 *          has no inverse. */
ENT_API MUST_CHECK ent_status ent_gpu_planes(GpuPlanes* planes, World* world, GpuProblem* problem);

#ifdef __cplusplus
}
#endif

#endif
