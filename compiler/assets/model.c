/* model.c - converts a glTF file into a doc of nodes with records and a list of named resources. */
#include "model.h"

#include <stdlib.h>

#include "animated_node.h"
#include "animated_property.h"
#include "animator.h"
#include "assets.h"
#include "attach_to_joint.h"
#include "camera.h"
#include "collider.h"
#include "diag.h"
#include "diag_print.h"
#include "hash.h"
#include "light.h"
#include "mesh.h"
#include "model_animators.h"
#include "model_extras.h"
#include "model_names.h"
#include "model_skins.h"
#include "morph_weight.h"
#include "relative.h"
#include "search.h"
#include "sections.h"
#include "skin.h"
#include "transform.h"

/* --- files beside the model --- */

typedef struct Reach {
    Assets* assets;
    Asset*  asset;
    Arena*  arena;
} Reach;

const Beside* model_beside(const Assets* assets, Asset* asset, const char* path) {
    const char* reason;
    DiagCode    code;
    return asset_beside_uri(assets, asset, &asset->content->arena, path, &reason, &code);
}

static const u8* beside_read(void* user, const char* uri, size_t* bytes, const char** reason,
                             DiagCode* code) {
    const Reach* reach = user;
    Asset*       asset = reach->asset;
    if (uri[0] == '/' || strstr(uri, "://")) {
        *reason = "it must be a relative path to a file in the asset folder";
        return NULL;
    }
    const char*   path = path_beside(reach->arena, asset->source.path, uri);
    const Beside* beside = asset_beside_uri(reach->assets, asset, reach->arena, path, reason, code);
    if (!beside) return NULL;
    *bytes = beside->view.size;
    return beside->view.bytes;
}

/* A path with a line break cannot be stored in the cache, and an invalid path cannot be stored in
 * the build database. */
static void beside_named(void* user, const char* uri) {
    const Reach* reach = user;
    Asset*       asset = reach->asset;
    const char*  path = path_beside(&asset->content->arena, asset->source.path, uri);
    const size_t root = strlen(reach->assets->root);
    if (strncmp(path, reach->assets->root, root) != 0 || path[root] != '/') return;
    if (path[root + 1] && strlen(path) < 4096 && !strchr(path, '\n'))
        *array_push(&asset->outline->named) = path + root + 1;
}

/* They are known already. */
static void beside_known(void* user, const char* uri) {
    UNUSED(user);
    UNUSED(uri);
}

bool model_read_again(Assets* assets, Asset* asset) {
    Arena*          arena = &asset->content->gltf_arena;
    Diagnostics*    diag = diag_create();
    Reach           reach = {assets, asset, arena};
    const GltfFiles files = {beside_read, beside_known, &reach};
    const Source    source = source_of(asset->source.path, (const char*)asset->content->view.bytes,
                                       (u32)asset->content->view.size);
    const Source    text = asset->content->model->gltf.json; /* diagnostics refer to it */
    GltfFile        file;
    const bool      is_valid = gltf_open(&file, &source, asset->form == ASSET_GLB, arena, diag) &&
                          gltf_read(&asset->content->model->gltf, &file, &files,
                                    &asset->content->model->naming, arena, diag);
    asset->content->model->gltf.json = text;
    gltf_close(&file);
    diag_destroy(diag);
    return is_valid;
}

/* --- nodes --- */

/* Derives the name of an entity from that of a node: characters that are not allowed in a path
 * become '_'. */
static const char* entity_name(Arena* arena, const GltfNode* node) {
    const char* added = node->is_frame ? "_frame" : "";
    char*       name = arena_print(arena, "%s%s", node->name, *node->name ? added : "");
    for (char* at = name; *at; at++) {
        if (*at == '/' || (u8)*at < 0x20 || *at == 0x7f) *at = '_';
    }
    if (name[0] == '#' || name[0] == '$') name[0] = '_';
    if (entity_name_fault(text_of(name)))
        return arena_print(arena, "node_%u%s", node->source, added);
    return name;
}

/* The records of nodes are needed longer than what was read of the file. */
typedef struct NodeRecords {
    TransformRecord* locals;  /* [nodes of the file] */
    LightRecord*     lights;  /* [lights of the file] */
    CameraRecord*    cameras; /* [cameras of the file] */
} NodeRecords;

typedef struct Builder {
    const Registry* registry;
    Diagnostics*    diag;
    Asset*          asset;
    Model*          model;
    ModelExtras     extras;
    NameSet         names; /* of nodes, by parent */
    SkinRecord** skins; /* [nodes of the file] of those whose weights of morph targets are animated,
                              or NULL */
    AnimatedNodeRecord**
        animated; /* [nodes of the file] of those that an animator moves, or NULL */
    u32 transform, mesh, morph_weight, skin, attach_to_joint, animator, animated_node,
        animated_property, collider, light, camera; /* types in the registry */
    ModelSkins      moved;
    ModelProperties properties;
    ModelAnimators  animators;
    NodeRecords     records;
} Builder;

static void records_copy(Builder* b) {
    const GltfModel* g = &b->model->gltf;
    Arena*           arena = &b->asset->content->arena;
    NodeRecords*     r = &b->records;
    r->locals = ARENA_NEW(arena, TransformRecord, g->node_count);
    r->lights = ARENA_NEW(arena, LightRecord, g->light_count);
    r->cameras = ARENA_NEW(arena, CameraRecord, g->camera_count);
    if (g->node_count) memcpy(r->locals, g->locals, sizeof *r->locals * g->node_count);
    if (g->light_count) memcpy(r->lights, g->lights, sizeof *r->lights * g->light_count);
    if (g->camera_count) memcpy(r->cameras, g->cameras, sizeof *r->cameras * g->camera_count);
    for (u32 i = 0; i < g->light_count; i++)
        r->lights[i].casts_shadow = b->model->lights.cast_shadows;
}

static const TransformRecord identity = {{0, 0, 0}, {0, 0, 0, 1}, {1, 1, 1}};

static u32 type_index(const Registry* registry, const char* name) {
    const u32 type = registry_find(registry, (JsonString){text_of(name), false});
    assert(type != NONE);
    return type;
}

static void record_add(Builder* b, u32 type, const void* record) {
    Doc* doc = b->asset->content->doc;
    *array_push(&doc->components) =
        (DocComponent){.type = (u8)type, .form = DOC_RECORD, .offset = doc->records.count};
    *array_push(&doc->records) = record;
}

/* The next `count` records are those of one type. */
static void records_begin(Builder* b, u32 type, u32 count) {
    Doc* doc = b->asset->content->doc;
    if (count == 0) return;
    *array_push(&doc->components) = (DocComponent){.type = (u8)type,
                                                   .form = count == 1 ? DOC_RECORD : DOC_RECORDS,
                                                   .offset = doc->records.count};
    if (count == 1) return;
    u32* const kept = ARENA_NEW(&b->asset->content->arena, u32, 1);
    *kept = count;
    *array_push(&doc->records) = kept;
}

static const MeshRecord* mesh_record(Builder* b, u32 mesh) {
    MeshRecord* record = ARENA_NEW(&b->asset->content->arena, MeshRecord, 1);
    record->resource = resource_ref(model_resource(b->model, RESOURCE_MESH, mesh)->id);
    record->visible = 1;
    record->receives_decals = 1;
    return record;
}

/* A skin plays the first clip that moves one of its joints; its pose is relative to the root entity, entity 0.
 * Without a skeleton, the node plays the first clip that animates its weights. */
static void skin_add(Builder* b, const GltfNode* node, u32 index) {
    const u32  weights = b->moved.weights[index];
    const bool has_skeleton = node->skin != NONE;
    const u32  moving = has_skeleton ? b->moved.clip[node->skin] : NONE;
    const u32  clip = moving == NONE ? weights : moving;
    if (node->mesh == NONE || (!has_skeleton && weights == NONE)) return;
    SkinRecord* record = ARENA_NEW(&b->asset->content->arena, SkinRecord, 1);
    if (has_skeleton)
        record->skeleton =
            resource_ref(model_resource(b->model, RESOURCE_SKELETON, node->skin)->id);
    if (clip != NONE)
        record->clip = resource_ref(model_resource(b->model, RESOURCE_CLIP, clip)->id);
    record->root = has_skeleton ? 0 : UINT32_MAX;
    record->speed = 1;
    if (weights != NONE) b->skins[index] = record;
    record_add(b, b->skin, record);
}

/* Does the picture, or the game, show where the node is? */
static bool is_seen(const Builder* b, const GltfNode* node, u32 index) {
    return (node->mesh != NONE && node->skin == NONE) || node->light != NONE ||
           node->camera != NONE || node->collider != NONE || node->is_socket ||
           b->extras.nodes[index].count > 0;
}

/* A node below a bone, such as a sword in a hand, or a bone that is seen itself. */
static void follower_add(Builder* b, const GltfNode* node, u32 index) {
    const u32 bone = b->moved.bone[index];
    if (bone == NONE || (bone == index && !is_seen(b, node, index))) return;
    const TransformRecord* local = bone == index ? &identity : &b->model->gltf.locals[index];
    AttachToJointRecord*   record = ARENA_NEW(&b->asset->content->arena, AttachToJointRecord, 1);
    /* The names of the node and of those above it are known already. */
    record->joint = hash_name(doc_name(&b->asset->content->doc->nodes.at[bone + 1]));
    record->skin = b->moved.wearer[index] + 1;
    record->position = local->position;
    record->rotation = local->rotation;
    record->scale = local->scale;
    record_add(b, b->attach_to_joint, record);
}

/* The animators of the model, which its root has. */
static void animators_add(Builder* b) {
    const u32       count = b->animators.count;
    AnimatorRecord* records = ARENA_NEW(&b->asset->content->arena, AnimatorRecord, count);
    records_begin(b, b->animator, count);
    for (u32 i = 0; i < count; i++) {
        const u32 clip = b->animators.clip[i];
        records[i].clip = resource_ref(model_resource(b->model, RESOURCE_CLIP, clip)->id);
        records[i].speed = 1;
        *array_push(&b->asset->content->doc->records) = &records[i];
    }
}

/* As in the field table of animated nodes. */
static bool animators_check(const Builder* b) {
    if (b->animators.count <= ANIMATORS_MAX) return true;
    const GltfClip* clip = &b->model->gltf.clips[b->animators.clip[ANIMATORS_MAX]];
    diag_error(b->diag, E0309, &b->asset->source, clip->offset, 1,
               "%u animations are the first that move a node, or change a light or camera; the "
               "limit is %u",
               b->animators.count, ANIMATORS_MAX);
    return false;
}

/* A node that an animator of the root moves, which is entity 0. */
static void animated_add(Builder* b, u32 index) {
    const u32 animator = b->animators.node[index];
    if (animator >= b->animators.count) return; /* or NONE */
    const TransformRecord* local = &b->model->gltf.locals[index];
    AnimatedNodeRecord*    record = ARENA_NEW(&b->asset->content->arena, AnimatedNodeRecord, 1);
    record->animator = 0;
    record->index = animator;
    record->position = local->position;
    record->rotation = local->rotation;
    record->scale = local->scale;
    b->animated[index] = record;
    record_add(b, b->animated_node, record);
}

/* What animators of the root change of the light and camera of a node. */
static void properties_add(Builder* b, const GltfNode* node) {
    AnimatedPropertyRecord records[MODEL_PROPERTIES], *kept;
    u32                    count = 0;
    for (u32 p = 0; p < MODEL_PROPERTIES; p++) {
        const u32 object = model_property_object(node, p);
        const u32 clip = object == NONE ? NONE : b->properties.clip[p][object];
        if (clip == NONE || b->animators.of_clip[clip] >= b->animators.count) continue;
        const f32* rest = model_property_rest(&b->model->gltf, p, object);
        const bool is_number = CLIP_PROPERTY_WORDS(p) == 1;
        records[count++] = (AnimatedPropertyRecord){
            .index = b->animators.of_clip[clip],
            .property = p,
            .target = model_property_id(b->model, p, object),
            .rest = {rest[0], is_number ? 0 : rest[1], is_number ? 0 : rest[2]}};
    }
    kept = ARENA_NEW(&b->asset->content->arena, AnimatedPropertyRecord, count);
    records_begin(b, b->animated_property, count);
    for (u32 i = 0; i < count; i++) {
        kept[i] = records[i];
        *array_push(&b->asset->content->doc->records) = &kept[i];
    }
}

static void collider_add(Builder* b, const GltfNode* node) {
    if (node->collider == NONE) return;
    const u32       mesh = b->model->gltf.collider_meshes[node->collider];
    ColliderRecord* record = ARENA_NEW(&b->asset->content->arena, ColliderRecord, 1);
    *record = b->model->gltf.colliders[node->collider];
    if (mesh != NONE)
        record->resource = resource_ref(model_resource(b->model, RESOURCE_MESH, mesh)->id);
    record_add(b, b->collider, record);
}

/* The weights of an instance that differ from those of its mesh. */
static void morph_weights_add(Builder* b, const GltfNode* node) {
    const GltfMesh*    mesh = &b->model->gltf.meshes[node->mesh];
    Doc*               doc = b->asset->content->doc;
    u32*               count = ARENA_NEW(&b->asset->content->arena, u32, 1);
    MorphWeightRecord* records =
        ARENA_NEW(&b->asset->content->arena, MorphWeightRecord, mesh->target_count);
    const DocComponent component = {
        .type = (u8)b->morph_weight, .form = DOC_RECORDS, .offset = doc->records.count};
    *array_push(&doc->records) = count;
    for (u32 i = 0; i < mesh->target_count; i++) {
        const f32 usual = mesh->target_weights ? mesh->target_weights[i] : 0;
        if (node->weights[i] == usual) continue;
        records[*count] = (MorphWeightRecord){i, node->weights[i]};
        *array_push(&doc->records) = &records[(*count)++];
    }
    if (*count)
        *array_push(&doc->components) = component;
    else
        doc->records.count--;
}

static void range_add(Doc* doc, const ModelExtras* extras, ExtrasRange range) {
    for (u32 i = 0; i < range.count; i++)
        *array_push(&doc->components) = extras->at.at[range.first + i];
}

/* A remark about a node, or about a member of it. */
static void node_remark(Builder* b, ModelRemark kind, const GltfNode* node, const char* member,
                        const char* text) {
    Arena*      arena = &b->asset->content->arena;
    GltfRemark* remark = gltf_remark_add(b->model->gltf.remarks, kind, "", arena);
    if (!remark) return;
    remark->offset = node->offset;
    remark->bytes = 1;
    char path[GLTF_PATH_BYTES], object[GLTF_OBJECT_BYTES];
    snprintf(path, sizeof path, "nodes[%u]%s", node->source, member);
    remark->text = arena_print(arena, "%s %s", gltf_object_print(object, path, node->name), text);
}

/* What its name makes of a node replaces the mesh, so that there is none that properties could change. */
static void node_extras_add(Builder* b, const GltfNode* node) {
    Doc*              doc = b->asset->content->doc;
    const ExtrasRange range = b->extras.nodes[node - b->model->gltf.nodes];
    for (u32 i = 0; i < range.count; i++) {
        const DocComponent* component = &b->extras.at.at[range.first + i];
        const bool          is_of_mesh = component->type == b->mesh || component->type == b->skin;
        if (!node->has_lost_mesh || !is_of_mesh)
            *array_push(&doc->components) = *component;
        else
            node_remark(b, REMARK_EXTRAS, node, ".extras",
                        "has a property of its mesh, which is not compiled: the name of the object "
                        "makes something else of that");
    }
}

static void component_count_check(Builder* b, u32 offset, u32 count) {
    if (count <= UINT8_MAX) return;
    diag_error(b->diag, E0309, &b->asset->source, offset, 1,
               "the extras of this node, its mesh and its materials define %u components; the "
               "limit is %u",
               count, UINT8_MAX);
}

static void node_components(Builder* b, const GltfNode* node, u32 index) {
    Doc*             doc = b->asset->content->doc;
    const GltfModel* g = &b->model->gltf;
    const u32        first = doc->components.count;
    record_add(b, b->transform, &b->records.locals[node - g->nodes]);
    if (node->mesh != NONE) record_add(b, b->mesh, mesh_record(b, node->mesh));
    if (node->weights) morph_weights_add(b, node);
    skin_add(b, node, (u32)(node - g->nodes));
    follower_add(b, node, (u32)(node - g->nodes));
    animated_add(b, (u32)(node - g->nodes));
    properties_add(b, node);
    collider_add(b, node);
    if (node->light != NONE) record_add(b, b->light, &b->records.lights[node->light]);
    if (node->camera != NONE) record_add(b, b->camera, &b->records.cameras[node->camera]);
    if (node->mesh != NONE) range_add(doc, &b->extras, b->extras.meshes[node->mesh]);
    if (node->light != NONE) range_add(doc, &b->extras, b->extras.lights[node->light]);
    node_extras_add(b, node);
    component_count_check(b, node->offset, doc->components.count - first);
    doc->nodes.at[index].first_component = first;
    doc->nodes.at[index].component_count = (u8)(doc->components.count - first);
    doc->nodes.at[index].layered = 1; /* extras may refer to components that are records already */
}

static void name_remark(Builder* b, const GltfNode* node, const char* name) {
    char text[256], entity[DIAG_NAME_BYTES];
    diag_name(entity, name);
    if (node->is_frame) {
        snprintf(text, sizeof text,
                 "has shear, which no translation, rotation and scale has: the entity is compiled "
                 "below another one, %s",
                 entity);
        node_remark(b, REMARK_SHEAR, node, ".matrix", text);
    } else if (*node->name && strcmp(name, node->name) != 0) {
        snprintf(
            text, sizeof text,
            "is the entity %s: a name must be unique among its siblings, not begin with '#' or "
            "'$', and contain no '/' and no control characters",
            entity);
        node_remark(b, REMARK_NAMES, node, "", text);
    }
}

/* The entity above that of a node: entity 0 is the root. */
static u32 parent_entity(const GltfNode* node) {
    return node->parent == NONE ? 0 : node->parent + 1;
}

/* The names of the entities; those of frames, which the file does not have, leave the other names unchanged. */
static const char** names_assign(Builder* b, Arena* scratch) {
    const GltfModel* g = &b->model->gltf;
    const char**     names = ARENA_NEW(scratch, const char*, g->node_count);
    for (u32 frames = 0; frames < 2; frames++) {
        for (u32 i = 0; i < g->node_count; i++) {
            const GltfNode* node = &g->nodes[i];
            if (node->is_frame == frames)
                names[i] = name_unique(&b->names, &b->asset->content->arena, parent_entity(node),
                                       entity_name(&b->asset->content->arena, node));
        }
    }
    return names;
}

static void node_add(Builder* b, const GltfNode* node, const char* name) {
    Doc*      doc = b->asset->content->doc;
    const u32 index = doc_node_add(doc, parent_entity(node));
    name_remark(b, node, name);
    doc_name_set(&doc->nodes.at[index], text_of(name));
    doc->nodes.at[index].offset = node->offset;
    node_components(b, node, index);
}

static void nodes_build(Builder* b) {
    Doc*             doc = b->asset->content->doc;
    const GltfModel* g = &b->model->gltf;
    *doc = (Doc){.source = &b->asset->source,
                 .first_root = NONE,
                 .last_root = NONE,
                 .tokens = b->extras.tokens};
    doc_node_add(doc, NONE);
    record_add(b, b->transform, &identity);
    animators_add(b);
    range_add(doc, &b->extras, b->extras.scene);
    component_count_check(b, 0, doc->components.count);
    doc->nodes.at[0].component_count = (u8)doc->components.count;
    doc->nodes.at[0].layered = 1;
    Arena        scratch = {0};
    const char** names = names_assign(b, &scratch);
    for (u32 i = 0; i < g->node_count; i++) node_add(b, &g->nodes[i], names[i]);
    arena_drop(&scratch);
}

/* The length of paths and the cost of walking up grow with the depth, so the depth is checked
 * before. */
static bool depth_check(Builder* b) {
    const GltfModel* g = &b->model->gltf;
    u32*             depth = memory_alloc(sizeof(u32) * (g->node_count + 1));
    u32              i = 0;
    for (; i < g->node_count; i++) {
        depth[i] = g->nodes[i].parent == NONE ? 2 : depth[g->nodes[i].parent] + 1;
        if (depth[i] > HIERARCHY_MAX) break;
    }
    const u32 deepest = i < g->node_count ? depth[i] : 0;
    memory_free(depth);
    if (i == g->node_count) return true;
    diag_error(b->diag, E0309, &b->asset->source, g->nodes[i].offset, 1,
               "the depth of this entity in the hierarchy is %u; the limit is %u", deepest,
               HIERARCHY_MAX);
    return false;
}

/* --- paths of nodes, which connect joints and tracks --- */

static const char* node_path(Arena* arena, const Doc* doc, u32 index) {
    size_t bytes = 0;
    for (u32 at = index; at != 0; at = doc->nodes.at[at].parent) {
        bytes += doc_name(&doc->nodes.at[at]).bytes + 1;
    }
    char* path = arena_alloc(arena, bytes);
    char* to = path + bytes;
    for (u32 at = index; at != 0; at = doc->nodes.at[at].parent) {
        const Text name = doc_name(&doc->nodes.at[at]);
        *--to = at == index ? 0 : '/';
        to -= name.bytes;
        memcpy(to, name.at, name.bytes);
    }
    return path;
}

typedef struct PathId {
    u32 id, node;
} PathId;

static int path_order(const void* a, const void* b) {
    const PathId *x = a, *y = b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return x->node < y->node ? -1 : 1;
}

/* The nodes that have an id in a blob: joints and their ancestors, and the targets of tracks. No
 * other node is ever searched. */
static bool* nodes_named(const GltfModel* g, Arena* arena) {
    bool* named = ARENA_NEW(arena, bool, g->node_count);
    for (u32 i = 0; i < g->skin_count; i++) {
        const GltfSkin* skin = &g->skins[i];
        for (u32 k = 0; k < skin->joint_count; k++) {
            for (u32 at = skin->joints[k]; at != NONE && !named[at]; at = g->nodes[at].parent) {
                named[at] = true;
            }
        }
    }
    for (u32 i = 0; i < g->clip_count; i++) {
        const GltfClip* clip = &g->clips[i];
        for (u32 k = 0; k < clip->track_count; k++) named[clip->tracks[k].node] = true;
        for (u32 k = 0; k < clip->morph_count; k++) named[clip->morphs[k].node] = true;
    }
    return named;
}

/* A clip cannot distinguish two nodes with the same id. */
static void paths_compare(const Builder* b, PathId* ids, u32 count, Arena* scratch) {
    const GltfModel* g = &b->model->gltf;
    const Doc*       doc = b->asset->content->doc;
    if (count) qsort(ids, count, sizeof *ids, path_order);
    for (u32 i = 1; i < count; i++) {
        if (ids[i].id != ids[i - 1].id) continue;
        diag_error(b->diag, E0310, &b->asset->source, g->nodes[ids[i].node].offset, 1,
                   "the nodes \"%s\" and \"%s\" have the same id 0x%08x; rename one of them",
                   node_path(scratch, doc, ids[i - 1].node + 1),
                   node_path(scratch, doc, ids[i].node + 1), ids[i].id);
        diag_note(b->diag, &b->asset->source, g->nodes[ids[i - 1].node].offset, 1,
                  "the other node is here");
    }
}

static void paths_hash(Builder* b) {
    const GltfModel* g = &b->model->gltf;
    Arena            scratch = {0};
    u32              count = 0;
    const bool*      named = nodes_named(g, &scratch);
    PathId*          ids = ARENA_NEW(&scratch, PathId, g->node_count);
    b->model->node_path = ARENA_NEW(&b->asset->content->arena, u32, g->node_count);
    for (u32 i = 0; i < g->node_count; i++) {
        Arena path = {0};
        if (!named[i]) continue;
        const u32 id = hash_name(text_of(node_path(&path, b->asset->content->doc, i + 1)));
        b->model->node_path[i] = id;
        ids[count++] = (PathId){id, i};
        arena_drop(&path);
    }
    paths_compare(b, ids, count, &scratch);
    arena_drop(&scratch);
}

/* Zeros need no bytes in the file, so their number is limited before any memory is allocated. */
static bool zeros_check(Assets* assets, Asset* asset, Diagnostics* diag) {
    const GltfCost* cost = &asset->outline->model_cost;
    if (cost->zero_bytes == 0) return true;
    const u64 all = __atomic_add_fetch(&assets->zero_bytes, cost->zero_bytes, __ATOMIC_RELAXED);
    if (all <= GLTF_ZERO_BYTES_MAX) return true;
    diag_error(diag, E0309, &asset->source, asset->form == ASSET_GLB ? 0 : cost->zero_offset, 1,
               "the accessors without a \"bufferView\" in this model need %llu bytes of zeros; the "
               "limit for all models together is %llu",
               (unsigned long long)cost->zero_bytes, (unsigned long long)GLTF_ZERO_BYTES_MAX);
    return false;
}

/* --- lights --- */

static bool says_shadows(const GltfExtras* extras) {
    for (u32 i = 0; i < extras->count; i++)
        if (strstr(extras->properties[i].key, "casts_shadow")) return true;
    return false;
}

/* glTF cannot say whether a light casts shadows. Reported once for a project: W0414. */
static void shadows_remark(const Model* model, Arena* arena) {
    const GltfModel* g = &model->gltf;
    u32              first = NONE;
    bool             is_said = model->lights_given;
    for (u32 i = 0; i < g->node_count; i++) {
        const u32 light = g->nodes[i].light;
        if (light == NONE) continue;
        first = MIN_OF(first, i);
        is_said |= says_shadows(&g->nodes[i].extras) || says_shadows(&g->light_extras[light]);
    }
    GltfRemark* remark =
        first == NONE || is_said ? NULL : gltf_remark_add(g->remarks, REMARK_SHADOWS, "", arena);
    if (!remark) return;
    remark->offset = g->nodes[first].offset;
    remark->bytes = 1;
    remark->text =
        "lights of models cast no shadows, unless NAME.model.json beside the model has "
        "\"lights\": { \"cast_shadows\": true }, or the data of a light a custom property "
        "casts_shadow; this is reported for one model only";
}

bool model_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    const Registry* registry = assets->registry;
    Arena*          arena = &asset->content->arena;
    Builder         b = {.registry = registry, .diag = diag, .asset = asset};
    Reach           reach = {assets, asset, arena};
    const u32       errors = diag_error_count(diag);
    const GltfFiles files = {beside_read, beside_named, &reach};
    if (!asset_model_open(assets, asset)) return false;
    if (!zeros_check(assets, asset, diag)) return false;
    b.model = asset->content->model = ARENA_NEW(arena, Model, 1);
    asset->content->doc = ARENA_NEW(arena, Doc, 1);
    const bool has_settings = model_settings_read(assets, asset, b.model, diag);
    diag_absorb(diag, asset->outline->model_diag);
    const bool is_valid = asset->outline->model_file.is_open &&
                          gltf_read(&b.model->gltf, &asset->outline->model_file, &files,
                                    &b.model->naming, &asset->content->gltf_arena, diag);
    gltf_close(&asset->outline->model_file);
    if (!is_valid || asset->outline->model_file.has_errors) return false;
    asset->source.text = b.model->gltf.json.text; /* the path may be in use by other threads */
    asset->source.bytes = b.model->gltf.json.bytes;
    if (!has_settings) return false;
    b.transform = type_index(registry, "transform");
    b.mesh = type_index(registry, "mesh");
    b.morph_weight = type_index(registry, "morph_weight");
    b.skin = type_index(registry, "skin");
    b.attach_to_joint = type_index(registry, "attach_to_joint");
    b.animator = type_index(registry, "animator");
    b.animated_node = type_index(registry, "animated_node");
    b.animated_property = type_index(registry, "animated_property");
    b.collider = type_index(registry, "collider");
    b.light = type_index(registry, "light");
    b.camera = type_index(registry, "camera");
    model_resources_name(arena, b.model, asset->name);
    model_textures_apply(b.model, arena, diag);
    if (!depth_check(&b)) return false;
    records_copy(&b);
    model_extras_read(&b.extras, &asset->source, &b.model->gltf, registry, arena, diag);
    b.skins = ARENA_NEW(arena, SkinRecord*, b.model->gltf.node_count);
    b.animated = ARENA_NEW(arena, AnimatedNodeRecord*, b.model->gltf.node_count);
    b.moved = model_skins_find(&b.model->gltf, arena);
    b.properties = model_properties_find(b.model, &asset->source, arena, diag);
    b.animators = model_animators_find(&b.model->gltf, &b.moved, &b.properties, arena);
    if (!animators_check(&b)) b.animators.count = 0;
    nodes_build(&b);
    paths_hash(&b);
    for (u32 i = 0; i < b.model->gltf.node_count; i++) {
        if (b.skins[i]) b.skins[i]->node = b.model->node_path[i];
        if (b.animated[i]) b.animated[i]->node = b.model->node_path[i];
    }
    names_drop(&b.names);
    model_extras_drop(&b.extras);
    model_images_remark(b.model, arena);
    shadows_remark(b.model, arena);
    gltf_remarks_report(b.model->gltf.remarks, &assets->rules, &asset->source, diag);
    asset->content->has_errors = diag_error_count(diag) != errors;
    return true;
}
