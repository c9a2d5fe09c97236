/* gpu_bodies_internal.h - bodies on the device: what a fluid records that moves them, and what pictures show. */
#ifndef ENT_GPU_BODIES_INTERNAL_H
#define ENT_GPU_BODIES_INTERNAL_H

#include "colliders.h"
#include "gpu_colliders.h"
#include "gpu_kernel.h"
#include "gpu_list.h"

#include "bodies_io.h"

struct GpuPlaces;

/* Transforms that bodies move: those of their entities, and all below them. */
typedef struct BodiesShown {
    BodyShown* at;     /* [count] */
    u32*       row;    /* [count] */
    Entity*    entity; /* [count] */
    u32        count, capacity, room;
    GpuPool    pool;
    GpuBuffer  buffer;
    GpuKernel  kernel;
} BodiesShown;

/* Transforms that are put to places together. */
typedef struct BodiesPut {
    u32*  row;   /* [count] */
    Vec3* place; /* [count] */
    u32   count;
} BodiesPut;

typedef struct GpuBodies {
    Body*       at;  /* [count] as the host knows them */
    BodySet*    set; /* [count] */
    BodiesPut   put;
    u32         count;
    u32         state_count;     /* of `state` */
    u32         frame, received; /* numbers: the last one that has begun, and that the host knows */
    u32         stamp;           /* of what the host has set last */
    u32         linked;          /* the version of colliders that `set` refers to */
    bool        changed;         /* `set` is to be uploaded, and to begin */
    bool        begun;           /* `state` has values */
    bool        is_moved;        /* by a fluid */
    bool        warned;          /* that one is too light */
    f32         frame_s;         /* of the last one */
    u32         room, which;     /* the state that is current */
    u32         state_room[2];
    GpuPool     pool, state_pool[2];
    GpuBuffer   host, state[2]; /* BODIES_SET, BODIES_STATE */
    GpuKernel   begin, move, place;
    BodiesShown shown;
} GpuBodies;

/* How a fluid moves them in a step. */
typedef struct BodiesStep {
    f32  step_s, speed_max_m_s;
    f32  unit_kg; /* of the impulses that particles add */
    Vec3 gravity_m_s2;
    f32  near_m; /* as of gpu_colliders_place */
} BodiesStep;

void gpu_bodies_destroy(GpuBodies* bodies);

/* Puts transforms of entities to places: at most as many as there are bodies, all together. */
void gpu_bodies_put(GpuColliders* colliders, Entity entity, Vec3 place);
void gpu_bodies_put_end(GpuColliders* colliders);

/* Writes what was received into the world. Returns false when the host has changed it in the meantime, or removed it. */
bool gpu_bodies_keep(GpuColliders* colliders, const Body* known, const Body* now);

/* Are there bodies that a fluid moves? */
static inline bool gpu_bodies_are_moved(const GpuBodies* b) { return b->is_moved && b->count > 0; }

/* Does the device have their state? */
static inline bool gpu_bodies_are_begun(const GpuBodies* b) {
    return gpu_bodies_are_moved(b) && b->begun && !b->changed;
}

static inline const GpuBuffer* gpu_bodies_state(const GpuBodies* b) { return &b->state[b->which]; }

/* A fluid moves them from now on, or none does. */
void gpu_bodies_move(GpuColliders* colliders, bool moves);

/* Brings what was set to the device. Part of gpu_colliders_update. */
MUST_CHECK ent_status gpu_bodies_update(GpuColliders* colliders, GpuFrame* frame);

/* Records the beginning of a frame: what was set begins. Before gpu_colliders_place. `frame_s`: of all its steps. */
MUST_CHECK ent_status gpu_bodies_begin(GpuColliders* colliders, GpuList* list, f32 frame_s);
/* The same at once, where steps are run without a frame. */
MUST_CHECK ent_status gpu_bodies_begin_now(GpuColliders* colliders);

/* Records the passes before a step. */
MUST_CHECK ent_status gpu_bodies_step(GpuColliders* colliders, GpuList* list, u32 step,
                                      const BodiesStep* how);

/* Records that the host receives where they are. */
MUST_CHECK ent_status gpu_bodies_report(GpuColliders* colliders, GpuFrame* frame);

/* Writes where they are into world matrices, after those have been updated. */
MUST_CHECK ent_status gpu_bodies_show(GpuColliders* colliders, GpuFrame* frame,
                                      const struct GpuPlaces* places);

/* How far the host's place of a body can be from that of the device. */
f32 gpu_bodies_lag(const GpuColliders* colliders);

/* Reports the transforms of bodies as changed: they move in this frame, which the host does not know yet. Before
 * gpu_places_update. */
MUST_CHECK ent_status gpu_bodies_touch(GpuColliders* colliders);

#endif
