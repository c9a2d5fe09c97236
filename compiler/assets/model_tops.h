/* model_tops.h - what becomes of the root objects of a model: all of them one entity, each the root of an entity or a level, or
 * each collection an entity of its own. */
#ifndef ENTC_MODEL_TOPS_H
#define ENTC_MODEL_TOPS_H

#include "model.h"

/* The root of an entity, and the nodes that are compiled below it. */
typedef struct ModelTop {
    const char* name;  /* in the file, of the root object or the collection */
    u32         doc;   /* its node in the doc */
    u32         root;  /* the first of its root objects, in GltfModel.nodes; NONE: it has none */
    Vec3        place; /* its position in the file, which its root objects are relative to */
    bool        is_placed; /* properties of its objects say where it is */
    bool        is_added;  /* the entity is none of the objects, which are below it */
} ModelTop;

/* With Model.settings.split, the first one is the complete model, which instances the others. */
typedef struct ModelTops {
    ModelTop* at; /* [count] */
    u32       count;
    u32*      of_node; /* [node_count] the top of each node */
    bool      is_split, is_level;
} ModelTops;

/* The number of its parts: entities of their own. */
static inline u32 model_part_count(const ModelTops* tops) {
    return tops->is_split ? tops->count - 1 : 0;
}

/* Needs the nodes of the model, and its settings; `kind`: of the resource. Reports what is not valid. */
ModelTops model_tops_find(const Model* model, ResourceType kind, const Source* source, Arena* arena,
                          Diagnostics* diag);

/* Moves the root objects, and the keys of the animations that move them, so that they are relative to their tops. */
void model_tops_place(const ModelTops* tops, GltfModel* model);

/* Of a property of an object that is read with the tops, and is no component: "prefab", "group" or one of a collection. */
bool model_property_is_structure(const GltfProperty* property);

/* The property of an object with this key; NULL: it has none. */
const GltfProperty* model_property_find(const GltfExtras* extras, const char* key);

#endif
