/* model_skins.h - what moves the nodes of a model: the clip that each skin plays, and the joints that nodes
 * below them follow. */
#ifndef ENTC_MODEL_SKINS_H
#define ENTC_MODEL_SKINS_H

#include "gltf.h"
#include "memory.h"

typedef struct ModelSkins {
    u32*
        clip; /* [skin_count] the first clip that moves one of its joints, else a node above them; or NONE */
    u32*
        weights; /* [node_count] the first clip that moves the weights of its morph targets, or NONE */
    u32* mover;  /* [node_count] the first clip that moves the node, or NONE */
    u32* bone;   /* [node_count] the bone that the node follows: itself, or its parent; or NONE */
    u32* wearer; /* [node_count] then the first node that wears the skin of this bone; or NONE */
} ModelSkins;

/* Are values of an animation those at rest, within a tolerance? `sign` -1: those of the same rotation. */
bool model_values_rest(const f32* value, const f32* rest, u32 count, f32 sign);

ModelSkins model_skins_find(const GltfModel* model, Arena* arena);

#endif
