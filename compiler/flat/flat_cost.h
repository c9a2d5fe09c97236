/* flat_cost.h - estimates the size of a resource after its prefabs are instanced, before anything
 * is expanded. Each source is counted once, however often it is instanced. */
#ifndef ENTC_FLAT_COST_H
#define ENTC_FLAT_COST_H

#include "assets.h"

#define FLAT_DEPTH_MAX 64 /* of prefabs in prefabs */

/* The prefabs that are being instanced, outermost first, and the position of each reference in the
 * previous one. */
typedef struct FlatChain {
    Prefab at[FLAT_DEPTH_MAX + 1];
    u32    offset[FLAT_DEPTH_MAX + 1];
    u32    count;
} FlatChain;

/* The reason why a resource cannot be estimated: at the end of the chain, a node instances a prefab
 * that is in the chain already, or that exceeds the nesting limit. */
typedef struct FlatFault {
    FlatChain chain;
    Asset*    asset; /* that contains the node */
    u32       node;
} FlatFault;

/* Estimates the size of an entity or level that was read, and reads its prefabs for this. An
 * override of an existing component counts as an additional one, so that the estimate is never
 * smaller than the sections of the blob. Prefabs that do not exist or cannot be read count nothing:
 * they are reported where they are instanced. Returns false when the prefabs form a cycle or exceed
 * the nesting limit. Any thread may call it. */
bool flat_cost(Assets* assets, Prefab of, Cost* cost, FlatFault* fault);

/* Returns the prefab of a node of an estimated resource that adds most entities; none when no node has
 * a prefab. `entities` is the number that it adds. */
Prefab flat_cost_max(Prefab of, Assets* assets, u32* node, u64* entities);

#endif
