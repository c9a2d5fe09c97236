/* model_builder.h - the doc of a model while it is being made. Private to model.c and model_components.c. */
#ifndef ENTC_MODEL_BUILDER_H
#define ENTC_MODEL_BUILDER_H

#include "assets.h"
#include "model_animators.h"
#include "model_extras.h"
#include "model_names.h"
#include "model_skins.h"
#include "model_tops.h"

/* The records of nodes are needed longer than what was read of the file. */
typedef struct NodeRecords {
    struct EntTransformRecord* locals;  /* [nodes of the file] */
    struct EntLightRecord*     lights;  /* [lights of the file] */
    struct EntCameraRecord*    cameras; /* [cameras of the file] */
} NodeRecords;

typedef struct ModelBuilder {
    const Registry* registry;
    Diagnostics*    diag;
    Asset*          asset;
    Model*          model;
    ModelExtras     extras;
    NameSet         names; /* of nodes, by parent */
    struct EntSkinRecord**
        skins; /* [nodes of the file] of those whose weights of morph targets are animated,
                              or NULL */
    struct EntAnimatedNodeRecord**
        animated; /* [nodes of the file] of those that an animator moves, or NULL */
    u32 transform, mesh, morph_weight, skin, attach_to_joint, animator, animated_node,
        animated_property, collider, light, camera; /* types in the registry */
    ModelSkins      moved;
    ModelProperties properties;
    ModelAnimators  animators;
    ModelTops*      tops;
    NodeRecords     records;
} ModelBuilder;

/* --- model_components.c --- */

/* Finds the types, and copies the records of nodes. */
void model_builder_open(ModelBuilder* b);

/* The node of the doc of a node of the model. */
u32 model_node_doc(const ModelBuilder* b, u32 node);

/* Sets the components of a node of the doc: those of `node`, which may be NONE, and the animators of the top whose root it is,
 * which may be NONE. */
void model_components_add(ModelBuilder* b, u32 doc_node, u32 node, u32 top);

/* A node of the doc that has nothing but a place in space. */
void model_place_add(ModelBuilder* b, u32 doc_node, const Vec3* position);

/* Writes Model.node_path into the components that refer to a node. */
void model_paths_write(ModelBuilder* b);

/* A remark about a node, or about a member of it. */
void model_node_remark(ModelBuilder* b, ModelRemark kind, const GltfNode* node, const char* member,
                       const char* text);

/* --- model_nodes.c --- */

/* The length of paths and the cost of walking up grow with the depth. Reports when it exceeds its limit. */
bool model_depth_check(ModelBuilder* b);
void model_nodes_build(ModelBuilder* b);

/* Fills Model.node_path. Reports nodes with the same id. */
void model_paths_hash(ModelBuilder* b);

#endif
