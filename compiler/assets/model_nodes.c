/* model_nodes.c - the doc of a model: the nodes of the scene as entities of one tree, of the roots of a level, or of the parts
 * of a split model.
 *
 *   node 0             the root of the complete model, which no level has
 *   node i + 1         node i of the model; nothing is linked to it if it is the root of a part itself
 *   the next ones      the roots of parts and of what is added in a level
 *   the last ones      the instances of the parts in the complete model */
#include "model_builder.h"

#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "doc_internal.h"
#include "hash.h"

/* --- nodes --- */

/* Derives the name of an entity from that of an object: characters that are not allowed in a path
 * become '_'. */
static const char* entity_name(Arena* arena, const char* of, u32 source, const char* added) {
    char* name = arena_print(arena, "%s%s", of, *of ? added : "");
    for (char* at = name; *at; at++) {
        if (*at == '/' || (u8)*at < 0x20 || *at == 0x7f) *at = '_';
    }
    if (name[0] == '#' || name[0] == '$') name[0] = '_';
    if (entity_name_fault(text_of(name))) return arena_print(arena, "node_%u%s", source, added);
    return name;
}

static void name_remark(ModelBuilder* b, const GltfNode* node, const char* name) {
    char text[256], entity[DIAG_NAME_BYTES];
    diag_name(entity, name);
    if (node->is_frame) {
        snprintf(text, sizeof text,
                 "has shear, which no translation, rotation and scale has: the entity is compiled "
                 "below another one, %s",
                 entity);
        model_node_remark(b, REMARK_SHEAR, node, ".matrix", text);
    } else if (*node->name && strcmp(name, node->name) != 0) {
        snprintf(
            text, sizeof text,
            "is the entity %s: a name must be unique among its siblings, not begin with '#' or "
            "'$', and contain no '/' and no control characters",
            entity);
        model_node_remark(b, REMARK_NAMES, node, "", text);
    }
}

/* Is the node a root object in a collection that is a part? Then its name is unique in that. */
static bool is_in_collection(const ModelBuilder* b, u32 node) {
    return b->model->settings.split == SPLIT_COLLECTIONS && b->tops->of_node[node] > 0;
}

/* Nodes of one group have different names: those below one node, and the roots. */
static u32 name_group(const ModelBuilder* b, u32 node) {
    const u32 parent = b->model->gltf.nodes[node].parent;
    if (parent != NONE) return parent + 1;
    return is_in_collection(b, node) ? b->model->gltf.node_count + b->tops->of_node[node] : 0;
}

/* The names of the entities; those of frames, which the file does not have, leave the other names unchanged. */
static const char** names_assign(ModelBuilder* b, Arena* scratch) {
    const GltfModel* g = &b->model->gltf;
    Arena*           arena = &b->asset->content->arena;
    const char**     names = ARENA_NEW(scratch, const char*, g->node_count);
    for (u32 frames = 0; frames < 2; frames++) {
        for (u32 i = 0; i < g->node_count; i++) {
            const GltfNode* node = &g->nodes[i];
            if (node->is_frame != frames) continue;
            names[i] = name_unique(
                &b->names, arena, name_group(b, i),
                entity_name(arena, node->name, node->source, node->is_frame ? "_frame" : ""));
        }
    }
    return names;
}

/* --- properties that are no components --- */

/* The instance of a node, which gets one if it has none. */
static DocInstance* instance_of(Doc* doc, u32 doc_node) {
    if (doc->nodes.at[doc_node].instance == 0) {
        *array_push(&doc->instances) = (DocInstance){0};
        doc->nodes.at[doc_node].instance = doc->instances.count;
    }
    return &doc->instances.at[doc->nodes.at[doc_node].instance - 1];
}

/* The first component of a node is its transform. */
static void prefab_set(Doc* doc, u32 doc_node, u32 offset) {
    instance_of(doc, doc_node)->prefab = offset;
    doc->components.at[doc->nodes.at[doc_node].first_component].form = DOC_PLACE;
}

/* Reports a property whose value is not a name. */
static bool property_check(ModelBuilder* b, const GltfNode* node, const GltfProperty* p,
                           const char* what) {
    char object[GLTF_OBJECT_BYTES], path[GLTF_PATH_BYTES];
    if (p->text && *p->text) return true;
    snprintf(path, sizeof path, "nodes[%u].extras.%s", node->source, p->key);
    diag_error(b->diag, E0202, &b->asset->source, p->offset, 1, "%s must be %s",
               gltf_object_print(object, path, node->name), what);
    return false;
}

/* The entry of a level that a root object is in, also if an entity was added above it; else the object itself. */
static u32 entry_of(const ModelBuilder* b, const GltfNode* node, u32 doc_node) {
    const GltfModel* g = &b->model->gltf;
    const u32        index = (u32)(node - g->nodes), above = node->parent;
    const bool       is_framed =
        above != NONE && g->nodes[above].is_frame && g->nodes[above].parent == NONE;
    return above == NONE || is_framed ? b->tops->at[b->tops->of_node[index]].doc : doc_node;
}

/* A collection that is named in vain. */
static void collection_remark(ModelBuilder* b, const GltfNode* node) {
    const bool named = model_property_find(&node->extras, "collection") != NULL;
    const bool placed = model_property_find(&node->extras, "collection.offset") != NULL;
    const bool is_root = entry_of(b, node, 0) != 0 || node->parent == NONE;
    if (!named && !placed) return;
    if (b->model->settings.split != SPLIT_COLLECTIONS)
        model_node_remark(b, REMARK_EXTRAS, node, ".extras.collection",
                          "is not used, unless \"split\" in NAME.model.json beside the model is "
                          "\"collections\"");
    else if (!is_root)
        model_node_remark(b, REMARK_EXTRAS, node, ".extras.collection",
                          "is not used: only root objects are assigned to collections");
    else if (!named)
        model_node_remark(b, REMARK_EXTRAS, node, ".extras.collection.offset",
                          "is not used, because the object has no property \"collection\"");
}

static void properties_read(ModelBuilder* b, const GltfNode* node, u32 doc_node) {
    Doc* const          doc = b->asset->content->doc;
    const GltfProperty* prefab = model_property_find(&node->extras, "prefab");
    const GltfProperty* group = model_property_find(&node->extras, "group");
    collection_remark(b, node);
    if (prefab &&
        property_check(b, node, prefab, "the name of an entity, such as \"models/kit/crate\""))
        prefab_set(doc, doc_node, prefab->offset);
    if (!group || !property_check(b, node, group, "the name of a group, such as \"night\"")) return;
    if (b->tops->is_level)
        instance_of(doc, entry_of(b, node, doc_node))->group = group->offset;
    else
        model_node_remark(b, REMARK_EXTRAS, node, ".extras.group",
                          "is not compiled: only entities of a level are in groups; \"as\": "
                          "\"level\" in NAME.model.json beside the model makes it a level");
}

/* --- the doc --- */

static void node_add(ModelBuilder* b, u32 index) {
    const GltfNode* const node = &b->model->gltf.nodes[index];
    const u32             top = b->tops->of_node[index];
    const u32             doc_node = model_node_doc(b, index);
    const bool            is_top = b->tops->at[top].root == index && !b->tops->at[top].is_added;
    model_components_add(b, doc_node, index, is_top ? top : NONE);
    properties_read(b, node, doc_node);
}

/* Links a node to the one above it. */
static void node_link(ModelBuilder* b, u32 index) {
    Doc* const      doc = b->asset->content->doc;
    const GltfNode* node = &b->model->gltf.nodes[index];
    const ModelTop* top = &b->tops->at[b->tops->of_node[index]];
    const u32       doc_node = index + 1;
    u32             parent = top->doc;
    if (node->parent != NONE) parent = model_node_doc(b, node->parent);
    if (top->root == index && !top->is_added) return; /* it is linked as a top */
    doc->nodes.at[doc_node].parent = parent;
    doc_child_append(doc, parent, doc_node);
}

/* Places all parts of a split model as the file does. */
static void parts_place(ModelBuilder* b, u32 first) {
    Doc* const   doc = b->asset->content->doc;
    Asset* const asset = b->asset;
    for (u32 i = 1; i < b->tops->count && b->tops->is_split; i++) {
        const ModelTop* top = &b->tops->at[i];
        const u32       doc_node = first + i - 1;
        Text            name = doc_name(&doc->nodes.at[top->root + 1]);
        if (b->model->settings.split == SPLIT_COLLECTIONS)
            name = text_of(name_unique(&b->names, &asset->content->arena, 0,
                                       entity_name(&asset->content->arena, top->name, i, "")));
        doc_name_set(&doc->nodes.at[doc_node], name);
        doc->nodes.at[doc_node].offset = b->model->gltf.nodes[top->root].offset;
        doc->nodes.at[doc_node].parent = 0;
        doc_child_append(doc, 0, doc_node);
        model_place_add(b, doc_node, &top->place);
        prefab_set(doc, doc_node, b->model->gltf.nodes[top->root].offset);
        asset->content->parts[i - 1] = (AssetPart){
            .name = model_resource(b->model, RESOURCE_ENTITY, i - 1)->name, .node = top->doc};
    }
}

/* What the doc knows before anything is looked up: its own parts. */
static void prefabs_begin(ModelBuilder* b, u32 first) {
    Doc* const doc = b->asset->content->doc;
    if (doc->instances.count == 0) return;
    doc->prefab = memory_alloc(sizeof *doc->prefab * doc->instances.count);
    for (u32 i = 0; i < b->asset->content->part_count; i++)
        doc->prefab[doc->nodes.at[first + i].instance - 1] = prefab_pack((Prefab){b->asset, i});
}

/* The entities that are none of the objects: the root of all of them, and the tops of some of them. */
static void tops_add(ModelBuilder* b) {
    Doc* const doc = b->asset->content->doc;
    for (u32 i = 0; i < b->tops->count; i++) {
        ModelTop* top = &b->tops->at[i];
        if (top->root != NONE && (b->tops->is_split || top->is_added)) {
            top->doc = doc_host_add(doc, NONE);
            doc->nodes.at[top->doc].offset = b->model->gltf.nodes[top->root].offset;
        } else if (top->root != NONE) {
            top->doc = top->root + 1;
        }
        if (!top->is_added || top->root == NONE) continue;
        if (b->tops->is_level)
            doc_name_set(&doc->nodes.at[top->doc], doc_name(&doc->nodes.at[top->root + 1]));
    }
    for (u32 i = 0; i < b->tops->count && b->tops->is_level; i++)
        doc_child_append(doc, NONE, b->tops->at[i].doc);
}

static void scene_remark(ModelBuilder* b) {
    GltfRemark* remark =
        gltf_remark_add(b->model->gltf.remarks, REMARK_EXTRAS, "scenes", &b->asset->content->arena);
    if (!remark) return;
    remark->offset = b->model->gltf.scene_extras.properties[0].offset;
    remark->bytes = 1;
    remark->text = "the properties of the scene are not compiled: a level has no root entity";
}

void model_nodes_build(ModelBuilder* b) {
    AssetContent* const content = b->asset->content;
    Doc* const          doc = content->doc;
    const GltfModel*    g = &b->model->gltf;
    *doc = (Doc){.source = &b->asset->source,
                 .first_root = NONE,
                 .last_root = NONE,
                 .tokens = b->extras.tokens};
    Arena        scratch = {0};
    const char** names = names_assign(b, &scratch);
    for (u32 i = 0; i <= g->node_count; i++) doc_host_add(doc, NONE);
    for (u32 i = 0; i < g->node_count; i++) {
        name_remark(b, &g->nodes[i], names[i]);
        doc_name_set(&doc->nodes.at[i + 1], text_of(names[i]));
        doc->nodes.at[i + 1].offset = g->nodes[i].offset;
    }
    tops_add(b);
    const u32 first_place = doc->nodes.count;
    if (b->tops->is_split) {
        content->part_count = b->tops->count - 1;
        content->parts = ARENA_NEW(&content->arena, AssetPart, content->part_count);
        for (u32 i = 0; i < content->part_count; i++) doc_host_add(doc, NONE);
    }
    if (b->tops->is_level && b->extras.scene.count) scene_remark(b);
    if (!b->tops->is_level) {
        doc_child_append(doc, NONE, 0);
        model_components_add(b, 0, NONE, 0);
    }
    for (u32 i = !b->tops->is_level; i < b->tops->count; i++)
        if (b->tops->at[i].is_added) model_components_add(b, b->tops->at[i].doc, NONE, i);
    for (u32 i = 0; i < g->node_count; i++) node_link(b, i);
    for (u32 i = 0; i < g->node_count; i++) node_add(b, i);
    parts_place(b, first_place);
    prefabs_begin(b, first_place);
    arena_drop(&scratch);
}

/* The length of paths and the cost of walking up grow with the depth, so the depth is checked
 * before. */
bool model_depth_check(ModelBuilder* b) {
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

/* Of a root object in a collection, it begins with the collection. */
static const char* node_path(const ModelBuilder* b, Arena* arena, u32 node) {
    const GltfNode* nodes = b->model->gltf.nodes;
    const DocNode*  names = b->asset->content->doc->nodes.at + 1;
    const char* above = is_in_collection(b, node) ? b->tops->at[b->tops->of_node[node]].name : NULL;
    size_t      bytes = above ? strlen(above) + 1 : 0, head = bytes;
    for (u32 at = node; at != NONE; at = nodes[at].parent) bytes += names[at].name_bytes + 1u;
    char* path = arena_alloc(arena, bytes);
    char* to = path + bytes;
    for (u32 at = node; at != NONE; at = nodes[at].parent) {
        *--to = at == node ? 0 : '/';
        to -= names[at].name_bytes;
        memcpy(to, names[at].name_at, names[at].name_bytes);
    }
    if (above) memcpy(path, above, head - 1), path[head - 1] = '/';
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
static void paths_compare(const ModelBuilder* b, PathId* ids, u32 count, Arena* scratch) {
    const GltfModel* g = &b->model->gltf;
    if (count) qsort(ids, count, sizeof *ids, path_order);
    for (u32 i = 1; i < count; i++) {
        if (ids[i].id != ids[i - 1].id) continue;
        diag_error(b->diag, E0310, &b->asset->source, g->nodes[ids[i].node].offset, 1,
                   "the nodes \"%s\" and \"%s\" have the same id 0x%08x; rename one of them",
                   node_path(b, scratch, ids[i - 1].node), node_path(b, scratch, ids[i].node),
                   ids[i].id);
        diag_note(b->diag, &b->asset->source, g->nodes[ids[i - 1].node].offset, 1,
                  "the other node is here");
    }
}

void model_paths_hash(ModelBuilder* b) {
    const GltfModel* g = &b->model->gltf;
    Arena            scratch = {0};
    u32              count = 0;
    const bool*      named = nodes_named(g, &scratch);
    PathId*          ids = ARENA_NEW(&scratch, PathId, g->node_count);
    b->model->node_path = ARENA_NEW(&b->asset->content->arena, u32, g->node_count);
    for (u32 i = 0; i < g->node_count; i++) {
        Arena path = {0};
        if (!named[i]) continue;
        const u32 id = hash_name(text_of(node_path(b, &path, i)));
        b->model->node_path[i] = id;
        ids[count++] = (PathId){id, i};
        arena_drop(&path);
    }
    paths_compare(b, ids, count, &scratch);
    arena_drop(&scratch);
}
