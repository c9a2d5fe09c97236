/* patch_spawns_internal.h - the spawns with a number to which a patch is applied: one of everything, or the parts of a
 * set, which are patched together because they refer to each other. Private. */
#ifndef ENT_PATCH_SPAWNS_INTERNAL_H
#define ENT_PATCH_SPAWNS_INTERNAL_H

#include "patch.h"
#include "spawned_internal.h"

/* One of them. */
typedef struct PatchSpawn {
    u32 place;      /* of its record */
    u32 first, end; /* of its part in the new blob; not of a subtree */
    u32 root;       /* of a subtree, in the new blob, or NONE */
    u32 low, high;  /* from the first to the last entity of the new blob that belongs to it */
} PatchSpawn;

typedef struct PatchSpawns {
    World*       world;
    const Patch* patch;
    PatchSpawn*  spawn; /* [count] */
    u32          count;
    Spawned      only;   /* one of everything; or SPAWNED_NONE */
    Entity*      before; /* [patch->old_count] what they made */
    u32*         had;    /* [patch->old_count] which of them made it, or NONE */
    u32*
          owner; /* [patch->new_count] to which of them it belongs, or NONE: it is not to be created. NULL: all to
                            the only one */
    void* memory; /* of these arrays */
} PatchSpawns;

/* Finds the spawns, and ensures that their records have room. ENT_NOT_FOUND: the number is not that of a spawn
 * of the old blob; a job has not ended; or parts of the set were placed in different ways. ENT_NO_MEMORY. */
MUST_CHECK ent_status patch_spawns_open(PatchSpawns* spawns, World* world, const Patch* patch,
                                        Spawned spawned);

/* Their records receive `now`, [patch->new_count]; NULL: nothing was changed. */
void patch_spawns_close(PatchSpawns* spawns, const Entity* now);

#endif
