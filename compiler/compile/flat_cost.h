/* flat_cost.h - what a resource comes to when its prefabs are instanced, counted before anything is
 * expanded: each source once, however often it is instanced. */
#ifndef ENTC_FLAT_COST_H
#define ENTC_FLAT_COST_H

#include "assets.h"

#define FLAT_DEPTH_MAX 64 /* of prefabs in prefabs */

/* The prefabs that are being instanced, outermost first, and where each is named in the one before.
 */
typedef struct FlatChain {
    Asset* at[FLAT_DEPTH_MAX + 1];
    u32    offset[FLAT_DEPTH_MAX + 1];
    u32    count;
} FlatChain;

/* Why a resource cannot be counted: at the end of the chain, a node instances a prefab that is in
 * the chain already, or that would make it longer than it may be. */
typedef struct FlatFault {
    FlatChain chain;
    Asset*    asset; /* that has the node */
    u32       node;
} FlatFault;

/* Counts what an entity or level that was read comes to, and reads its prefabs for that. What
 * overrides change in components that are there counts as an addition: the bytes are never fewer
 * than those of the blob's sections. Prefabs that do not exist or cannot be read count nothing:
 * they are reported where they are instanced. False: the prefabs form a cycle or are nested too
 * deep. Any thread. */
bool flat_cost(Assets* assets, Asset* asset, Cost* cost, FlatFault* fault);

/* Of the nodes of a resource that was counted, the one whose prefab brings most entities; NULL when
 * none has a prefab. `entities` are those that it brings. */
const Asset* flat_cost_most(const Asset* asset, const Assets* assets, u32* node, u64* entities);

#endif
