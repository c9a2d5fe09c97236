/* model_components.c - the components of the nodes of a model: records made from what glTF has, and custom properties. */
#include "model_builder.h"

#include <stdio.h>

#include "animated_node.h"
#include "animated_property.h"
#include "animator.h"
#include "attach_to_joint.h"
#include "camera.h"
#include "collider.h"
#include "diag.h"
#include "hash.h"
#include "light.h"
#include "mesh.h"
#include "morph_weight.h"
#include "skin.h"
#include "transform.h"

static void records_copy(ModelBuilder* b) {
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

void model_builder_open(ModelBuilder* b) {
    const struct {
        const char* name;
        u32*        type;
    } types[] = {{"transform", &b->transform},
                 {"mesh", &b->mesh},
                 {"morph_weight", &b->morph_weight},
                 {"skin", &b->skin},
                 {"attach_to_joint", &b->attach_to_joint},
                 {"animator", &b->animator},
                 {"animated_node", &b->animated_node},
                 {"animated_property", &b->animated_property},
                 {"collider", &b->collider},
                 {"light", &b->light},
                 {"camera", &b->camera}};
    for (u32 i = 0; i < COUNT_OF(types); i++)
        *types[i].type = type_index(b->registry, types[i].name);
    b->skins = ARENA_NEW(&b->asset->content->arena, SkinRecord*, b->model->gltf.node_count);
    b->animated =
        ARENA_NEW(&b->asset->content->arena, AnimatedNodeRecord*, b->model->gltf.node_count);
    records_copy(b);
}

void model_paths_write(ModelBuilder* b) {
    for (u32 i = 0; i < b->model->gltf.node_count; i++) {
        if (b->skins[i]) b->skins[i]->node = b->model->node_path[i];
        if (b->animated[i]) b->animated[i]->node = b->model->node_path[i];
    }
}

static const ModelTop* top_of(const ModelBuilder* b, u32 node) {
    return &b->tops->at[b->tops->of_node[node]];
}

u32 model_node_doc(const ModelBuilder* b, u32 node) {
    const ModelTop* top = top_of(b, node);
    return top->root == node && !top->is_added ? top->doc : node + 1;
}

static void record_add(ModelBuilder* b, u32 type, const void* record) {
    Doc* doc = b->asset->content->doc;
    *array_push(&doc->components) =
        (DocComponent){.type = (u8)type, .form = DOC_RECORD, .offset = doc->records.count};
    *array_push(&doc->records) = record;
}

/* The next `count` records are those of one type. */
static void records_begin(ModelBuilder* b, u32 type, u32 count) {
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

static const MeshRecord* mesh_record(ModelBuilder* b, u32 mesh) {
    MeshRecord* record = ARENA_NEW(&b->asset->content->arena, MeshRecord, 1);
    record->resource = resource_ref(model_resource(b->model, RESOURCE_MESH, mesh)->id);
    record->visible = 1;
    record->receives_decals = 1;
    return record;
}

/* A skin plays the first clip that moves one of its joints; its pose is relative to the root of its entity.
 * Without a skeleton, the node plays the first clip that animates its weights. */
static void skin_add(ModelBuilder* b, const GltfNode* node, u32 index) {
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
    record->root = has_skeleton ? top_of(b, index)->doc : NONE;
    record->speed = 1;
    if (weights != NONE) b->skins[index] = record;
    record_add(b, b->skin, record);
}

/* Does the picture, or the game, show where the node is? */
static bool is_seen(const ModelBuilder* b, const GltfNode* node, u32 index) {
    return (node->mesh != NONE && node->skin == NONE) || node->light != NONE ||
           node->camera != NONE || node->collider != NONE || node->is_socket ||
           b->extras.nodes[index].count > 0;
}

/* A node below a bone, such as a sword in a hand, or a bone that is seen itself. */
static void follower_add(ModelBuilder* b, const GltfNode* node, u32 index) {
    const u32 bone = b->moved.bone[index];
    const u32 wearer = b->moved.wearer[index];
    if (bone == NONE || (bone == index && !is_seen(b, node, index))) return;
    /* Parts that belong together were reported. */
    if (b->tops->is_split && b->tops->of_node[wearer] != b->tops->of_node[index]) return;
    const TransformRecord* local = bone == index ? &identity : &b->model->gltf.locals[index];
    AttachToJointRecord*   record = ARENA_NEW(&b->asset->content->arena, AttachToJointRecord, 1);
    record->joint = hash_name(doc_name(&b->asset->content->doc->nodes.at[bone + 1]));
    record->skin = model_node_doc(b, wearer);
    record->position = local->position;
    record->rotation = local->rotation;
    record->scale = local->scale;
    record_add(b, b->attach_to_joint, record);
}

/* The animators of an entity, which its root has. */
static void animators_add(ModelBuilder* b, u32 top) {
    const u32       first = b->animators.first[top];
    const u32       count = b->animators.first[top + 1] - first;
    AnimatorRecord* records = ARENA_NEW(&b->asset->content->arena, AnimatorRecord, count);
    records_begin(b, b->animator, count);
    for (u32 i = 0; i < count; i++) {
        const u32 clip = b->animators.clip[first + i];
        records[i].clip = resource_ref(model_resource(b->model, RESOURCE_CLIP, clip)->id);
        records[i].speed = 1;
        *array_push(&b->asset->content->doc->records) = &records[i];
    }
}

/* A node that an animator of the root moves. */
static void animated_add(ModelBuilder* b, u32 index) {
    const u32 clip = b->animators.node[index];
    if (clip == NONE) return;
    const TransformRecord* local = &b->model->gltf.locals[index];
    AnimatedNodeRecord*    record = ARENA_NEW(&b->asset->content->arena, AnimatedNodeRecord, 1);
    record->animator = top_of(b, index)->doc;
    record->index = model_animator_find(&b->animators, b->tops->of_node[index], clip);
    record->position = local->position;
    record->rotation = local->rotation;
    record->scale = local->scale;
    b->animated[index] = record;
    record_add(b, b->animated_node, record);
}

/* What animators of the root change of the light and camera of a node. */
static void properties_add(ModelBuilder* b, const GltfNode* node, u32 top) {
    AnimatedPropertyRecord records[MODEL_PROPERTIES], *kept;
    u32                    count = 0;
    for (u32 p = 0; p < MODEL_PROPERTIES; p++) {
        const u32 object = model_property_object(node, p);
        const u32 clip = object == NONE ? NONE : b->properties.clip[p][object];
        if (clip == NONE) continue;
        const f32* rest = model_property_rest(&b->model->gltf, p, object);
        const bool is_number = CLIP_PROPERTY_WORDS(p) == 1;
        records[count++] = (AnimatedPropertyRecord){
            .animator = b->tops->at[top].doc,
            .index = model_animator_find(&b->animators, top, clip),
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

static void collider_add(ModelBuilder* b, const GltfNode* node) {
    if (node->collider == NONE) return;
    const u32       mesh = b->model->gltf.collider_meshes[node->collider];
    ColliderRecord* record = ARENA_NEW(&b->asset->content->arena, ColliderRecord, 1);
    *record = b->model->gltf.colliders[node->collider];
    if (mesh != NONE)
        record->resource = resource_ref(model_resource(b->model, RESOURCE_MESH, mesh)->id);
    record_add(b, b->collider, record);
}

/* The weights of an instance that differ from those of its mesh. */
static void morph_weights_add(ModelBuilder* b, const GltfNode* node) {
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
void model_node_remark(ModelBuilder* b, ModelRemark kind, const GltfNode* node, const char* member,
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

/* Is the node a root object of a part, or what a frame above it contains? */
static bool is_placed_by_split(const ModelBuilder* b, const GltfNode* node) {
    return b->tops->is_split && node->parent == NONE;
}

/* What its name makes of a node replaces the mesh, so that there is none that properties could change. */
static void node_extras_add(ModelBuilder* b, const GltfNode* node) {
    Doc*              doc = b->asset->content->doc;
    const ExtrasRange range = b->extras.nodes[node - b->model->gltf.nodes];
    for (u32 i = 0; i < range.count; i++) {
        const DocComponent* component = &b->extras.at.at[range.first + i];
        const bool          is_of_mesh = component->type == b->mesh || component->type == b->skin;
        const bool is_place = component->type == b->transform && is_placed_by_split(b, node);
        if (is_place) {
            model_node_remark(
                b, REMARK_EXTRAS, node, ".extras",
                "has a property of its transform, which is not compiled: \"split\" makes "
                "the place of a root object that of an instance");
            continue;
        }
        if (!node->has_lost_mesh || !is_of_mesh)
            *array_push(&doc->components) = *component;
        else
            model_node_remark(
                b, REMARK_EXTRAS, node, ".extras",
                "has a property of its mesh, which is not compiled: the name of the object "
                "makes something else of that");
    }
}

static void component_count_check(ModelBuilder* b, u32 offset, u32 count) {
    if (count <= UINT8_MAX) return;
    diag_error(b->diag, E0309, &b->asset->source, offset, 1,
               "the extras of this node, its mesh and its materials define %u components; the "
               "limit is %u",
               count, UINT8_MAX);
}

static void node_components(ModelBuilder* b, const GltfNode* node, u32 index) {
    Doc* doc = b->asset->content->doc;
    if (node->mesh != NONE) record_add(b, b->mesh, mesh_record(b, node->mesh));
    if (node->weights) morph_weights_add(b, node);
    skin_add(b, node, index);
    follower_add(b, node, index);
    animated_add(b, index);
    properties_add(b, node, b->tops->of_node[index]);
    collider_add(b, node);
    if (node->light != NONE) record_add(b, b->light, &b->records.lights[node->light]);
    if (node->camera != NONE) record_add(b, b->camera, &b->records.cameras[node->camera]);
    if (node->mesh != NONE) range_add(doc, &b->extras, b->extras.meshes[node->mesh]);
    if (node->light != NONE) range_add(doc, &b->extras, b->extras.lights[node->light]);
    node_extras_add(b, node);
}

/* The components since `first` are those of a node of the doc. */
static void components_set(ModelBuilder* b, u32 doc_node, u32 first) {
    Doc* doc = b->asset->content->doc;
    component_count_check(b, doc->nodes.at[doc_node].offset, doc->components.count - first);
    doc->nodes.at[doc_node].first_component = first;
    doc->nodes.at[doc_node].component_count = (u8)(doc->components.count - first);
    doc->nodes.at[doc_node].layered =
        1; /* extras may refer to components that are records already */
}

void model_components_add(ModelBuilder* b, u32 doc_node, u32 node, u32 top) {
    Doc*      doc = b->asset->content->doc;
    const u32 first = doc->components.count;
    record_add(b, b->transform, node == NONE ? &identity : &b->records.locals[node]);
    if (top != NONE) animators_add(b, top);
    if (node != NONE)
        node_components(b, &b->model->gltf.nodes[node], node);
    else if (doc_node == 0)
        range_add(doc, &b->extras, b->extras.scene);
    components_set(b, doc_node, first);
}

void model_place_add(ModelBuilder* b, u32 doc_node, const Vec3* position) {
    TransformRecord* place = ARENA_NEW(&b->asset->content->arena, TransformRecord, 1);
    const u32        first = b->asset->content->doc->components.count;
    *place = identity;
    place->position = *position;
    record_add(b, b->transform, place);
    components_set(b, doc_node, first);
}
