/* gpu_system.h - the interface of systems on the GPU: a system is a table of functions, so that a
 * host runs and draws all systems with the same code.
 *
 *     const EntGpuSystem* fluids = ent_sph_system();
 *     EntGpuProblem       problem = {0};
 *     EntGpuScene         scene = {0};
 *     scene.world = world;
 *     scene.library = &library;
 *     void* state;
 *     if (fluids->create(&state, gpu, &scene, &problem) != ENT_OK) return 1;
 *     EntGpuPart  part = {fluids, state};
 *     EntGpuParts parts = {&part, 1};
 *     // In each frame: ent_picture_record(frame, &parts, NULL, NULL), of gpu_picture.h
 *     fluids->destroy(state);
 *
 * Systems that are drawn have a lighting: lighting.h. Those that simulate meet colliders: gpu_colliders.h. A table describes one component type. Its state contains the objects that were created for all
 * instances of that type in a world. */
#ifndef ENT_GPU_SYSTEM_H
#define ENT_GPU_SYSTEM_H

#include "canvas.h"
#include "gpu_frame.h"
#include "library.h"
#include "transform_manager.h"

/* Why a call failed: one sentence. It is empty when the status, or the message that the device has
 * logged, is sufficient. */
typedef struct EntGpuProblem {
    char text[1024];
} EntGpuProblem;

typedef struct EntAnimators EntAnimators; /* animators.h */

/* What a system is created from. The world exists until the system is destroyed: systems that draw
 * its entities follow it in each frame. So does the library: resources that ent_library_follow has replaced, or that
 * were opened since, are uploaded in the next frame. When it is cleared, the meshes and textures that it had are drawn until something is opened,
 * without poses. The other members are not read after `create`. */
typedef struct EntGpuScene {
    EntWorld*         world;   /* spawned */
    const EntLibrary* library; /* the resources to which its components refer */
    void* lighting; /* state of the system of lighting, which exists until the system is destroyed.
                       NULL: for lighting itself, and for systems that only simulate */
    void*
        colliders; /* state of the system of colliders, which exists until the system is destroyed; NULL:
                        what is simulated meets none, and lighting shows bodies where the host knows them */
    EntAnimators*
        animators; /* of the world, which exist until lighting is destroyed: the device computes where
                      clips move entities, and what is below them, so that the host does not call
                      ent_animators_pose in each frame. What clips change of lights is set by the system, and
                      what they change of cameras by ent_animators_properties, which the host calls before it
                      computes its view. Meshes, lights, their shadows, decals and probes
                      follow. Everything else reads transforms of the host, such as cameras, colliders,
                      fluids, particles, emitters and saves, and so do entities that follow joints and what
                      is below these: the host calls it for them. It also calls it before it removes
                      animators or writes other clips to them, because what no clip moves is where the
                      transform is. NULL: all entities are where their transforms are */
} EntGpuScene;

/* The elements of a system, and their bounds before the first frame, as far as lights that cast reach. */
typedef struct EntGpuExtent {
    uint64_t count;     /* elements, such as particles; 0: there are no bounds */
    EntVec3  low, high; /* corners of the axis-aligned box that contains them */
    /* The largest radius of elements whose centres collide with planes; 0: elements do not
     * collide with planes. */
    float radius_m;
    /* A box around all elements that is seen best along its third axis, such as that of elements which move
     * in a plane: the columns are half of its sides and its centre. 0: there is none. */
    EntMat34 front;
} EntGpuExtent;

/* The phases of a frame in which systems take part, in their order. A frame without a picture ends after
 * `place`. What else is recorded between them: runtime/gpu/frame/frame.c. */
typedef enum EntGpuPhase {
    ENT_GPU_SIMULATE, /* moves what is simulated by one frame */
    ENT_GPU_POSE,     /* poses of skeletons, and which instances there are */
    ENT_GPU_PLACE,    /* follows the world: matrices, lights; adds elements to the picture */
    ENT_GPU_CULL, /* finds what is in the view; a second time, what the depth of the last picture has
                          hidden and that of this one does not. Needs `ids` */
    ENT_GPU_SURFACES,  /* draws depth and ids, after each CULL; records draws only. Needs `ids` */
    ENT_GPU_OCCLUSION, /* what is computed from depth */
    ENT_GPU_LIGHTS,    /* lights of tiles */
    ENT_GPU_CASTERS, /* finds what casts into the shadow maps that have to be drawn: opaque surfaces that
                          stand, then those that move, and the same of transparent ones */
    ENT_GPU_SHADOWS, /* draws it, after each of the first two; records draws only */
    ENT_GPU_FILTERS, /* draws it, after each of the others; records draws only */
    ENT_GPU_SHADE,   /* colours of opaque surfaces */
    ENT_GPU_WATER,   /* surfaces of fluids: finds them before BLEND, and lights them after it */
    ENT_GPU_BLEND,   /* blended surfaces: counts, stores and lights their layers */
    ENT_GPU_PHASES
} EntGpuPhase;

/* A picture that a system requests for another one, such as a side of a probe. */
typedef struct EntGpuCapture {
    EntCanvas*    canvas; /* NULL: no more are requested */
    EntCanvasView view;
} EntGpuCapture;

typedef struct EntGpuSystem {
    const char* name;      /* of the system */
    const char* simulates; /* the group of the times of its phase `simulate`; NULL: it has none */
    const char*
        component; /* name of its component type; NULL: it is part of every world that is drawn */

    int is_captured; /* 1: it takes part in the pictures that systems request */

    /* Needs    an instance of the component in the world.
     * Returns  ENT_OK; ENT_LIMIT, ENT_NO_MEMORY; ENT_NOT_FOUND: a missing resource; or a
     *          failure of the device. After a failure there is nothing to destroy. */
    EntStatus (*create)(void** state, EntGpu* gpu, const EntGpuScene* scene,
                        EntGpuProblem* problem);
    void (*destroy)(void* state);
    /* Exists as long as the state; NULL: it has no elements. */
    const EntGpuExtent* (*extent)(const void* state);

    /* How many ids its elements have in a picture; NULL: it draws none by itself. */
    uint32_t (*ids)(const void* state);

    /* How often elements were slowed to the largest speed, so far; waits for the device. NULL: none are. */
    EntStatus (*slowed)(void* state, uint64_t* count);

    /* Requests pictures before another one; called with 0, 1, ... after the picture before it has been
     * recorded, until it requests none. In these pictures, only systems with is_captured take part.
     * NULL: it requests none. */
    EntStatus (*capture)(void* state, EntGpuPicture* picture, uint32_t number,
                         EntGpuCapture* capture);

    /* Of each phase in which it takes part. They record passes and draws. */
    EntStatus (*phase[ENT_GPU_PHASES])(void* state, EntGpuPicture* picture);
} EntGpuSystem;

/* A system of a world, and what its `create` has returned. */
typedef struct EntGpuPart {
    const EntGpuSystem* system;
    void*               state;
} EntGpuPart;

typedef struct EntGpuParts {
    const EntGpuPart* at; /* [count] in the order in which they take part in a phase */
    uint32_t          count;
} EntGpuParts;

#endif
