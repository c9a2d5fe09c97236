/* model_animators.h - the animators of a model: the root of each of its entities has one for each clip that is the first to
 * move a node of it, or to change a light or camera. */
#ifndef ENTC_MODEL_ANIMATORS_H
#define ENTC_MODEL_ANIMATORS_H

#include "model_properties.h"
#include "model_skins.h"
#include "model_tops.h"

#define ANIMATORS_MAX 65536u /* the bound of animated_node.index, and 1 */

typedef struct ModelAnimators {
    u32* clip;  /* that the animators play, by top, then in the order of the file */
    u32* first; /* [tops + 1] the first animator of a top */
    u32* node;  /* [node_count] the clip that moves the node, or NONE */
} ModelAnimators;

/* Bones are moved by their skins. */
ModelAnimators model_animators_find(const GltfModel* model, const ModelSkins* skins,
                                    const ModelProperties* properties, const ModelTops* tops,
                                    Arena* arena);

/* The number of the animator of a top that plays a clip, which it has. */
u32 model_animator_find(const ModelAnimators* animators, u32 top, u32 clip);

#endif
