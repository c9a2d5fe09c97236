/* model_animators.h - the animators of a model: one for each clip that is the first to move a node, or to change a light or
 * camera. */
#ifndef ENTC_MODEL_ANIMATORS_H
#define ENTC_MODEL_ANIMATORS_H

#include "model_properties.h"
#include "model_skins.h"

#define ANIMATORS_MAX 65536u /* the bound of animated_node.index, and 1 */

typedef struct ModelAnimators {
    u32* clip;    /* [count] that the animator plays, in the order of the file */
    u32* of_clip; /* [clip_count] the animator that plays it; only of those in `clip` */
    u32* node;    /* [node_count] the animator that moves the node, or NONE */
    u32  count;
} ModelAnimators;

/* Bones are moved by their skins. */
ModelAnimators model_animators_find(const GltfModel* model, const ModelSkins* skins,
                                    const ModelProperties* properties, Arena* arena);

#endif
