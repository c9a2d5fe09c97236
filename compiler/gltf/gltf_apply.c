/* gltf_apply.c - what nodes become because of their names: gltf_roles.c. */
#include <stdio.h>
#include <stdlib.h>

#include "diag_codes.h"
#include "gltf_internal.h"
#include "transform.h"
#include "vec.h"

/* --- levels of detail --- */

/* A level that is added to the mesh of another node of the file. */
typedef struct Added {
    u32 mesh, base, level, node; /* `base` has the mesh */
} Added;

static int added_order(const void* x, const void* y) {
    const Added *a = x, *b = y;
    if (a->mesh != b->mesh) return a->mesh < b->mesh ? -1 : 1;
    if (a->base != b->base) return a->base < b->base ? -1 : 1;
    if (a->level != b->level) return a->level < b->level ? -1 : 1;
    return a->node < b->node ? -1 : a->node > b->node;
}

static u32 mesh_of(Gltf* g, u32 node) {
    const GltfMode mode = gltf_mode(g, GLTF_QUIET);
    const GltfList meshes = gltf_list(g, g->root, "meshes");
    const u32      mesh = gltf_index(g, g->lists.nodes.at[node], "mesh", &meshes);
    gltf_mode(g, mode);
    return mesh;
}

static TransformRecord local_of(Gltf* g, u32 node) {
    TransformRecord local = {.rotation = {0, 0, 0, 1}, .scale = {1, 1, 1}};
    const GltfMode  mode = gltf_mode(g, GLTF_QUIET);
    gltf_read_transform(g, g->lists.nodes.at[node], &local);
    gltf_mode(g, mode);
    return local;
}

/* The place of a level in the space of the full mesh; skins place what they deform. */
static void level_place(Gltf* g, const Added* added, GltfMeshLevel* out) {
    const bool            has_skin = json_get(g->lists.nodes.at[added->base], "skin") != NULL;
    const TransformRecord base = local_of(g, added->base), level = local_of(g, added->node);
    const Mat34           from = mat34_of_pose(&base.position, &base.rotation, &base.scale);
    const Mat34           to = mat34_of_pose(&level.position, &level.rotation, &level.scale);
    Mat34                 inverse;
    out->place = mat34_identity;
    if (has_skin || memcmp(&base, &level, sizeof base) == 0 || !mat34_invert(&inverse, &from))
        return;
    out->place = mat34_product(&inverse, &to);
    out->is_moved = true;
}

static u64 indices_of(const GltfMesh* mesh) {
    u64 count = 0;
    for (u32 i = 0; i < mesh->primitive_count; i++) count += mesh->primitives[i].index_count;
    return count;
}

static void level_add(Gltf* g, const Added* added) {
    const JsonToken* json = g->lists.nodes.at[added->node];
    GltfMesh* const  mesh = &g->out->meshes[added->mesh];
    const GltfMesh*  from = &g->out->meshes[mesh_of(g, added->node)];
    if (mesh->level_count == MODEL_LODS_MAX) {
        gltf_remark(g, REMARK_LIMITS, "levels of detail", json,
                    "is not compiled: a mesh has at most %u levels of detail besides the full one",
                    MODEL_LODS_MAX);
        return;
    }
    if (from->primitive_count == 0 || !gltf_charge(g, json, indices_of(from) * sizeof(u32))) return;
    if (!mesh->levels) mesh->levels = ARENA_NEW(g->arena, GltfMeshLevel, MODEL_LODS_MAX);
    GltfMeshLevel* level = &mesh->levels[mesh->level_count++];
    *level = (GltfMeshLevel){.mesh = *from, .source = mesh_of(g, added->node)};
    level->mesh.levels = NULL;
    level->mesh.level_count = 0;
    level_place(g, added, level);
}

/* Copies of an object have its mesh, and so its levels: those of the first one. */
static void copy_check(Gltf* g, const Added* copy, u32 first) {
    const GltfMesh* mesh = &g->out->meshes[copy->mesh];
    const u32       source = mesh_of(g, copy->node);
    bool            is_known = g->out->meshes[source].primitive_count == 0;
    for (u32 i = 0; i < mesh->level_count; i++) is_known |= mesh->levels[i].source == source;
    if (is_known) return;
    gltf_remark(g, REMARK_LIMITS, "copies", g->lists.nodes.at[copy->node],
                "is not compiled: its object has the same mesh as %s, and so the same levels of "
                "detail",
                GLTF_OBJECT(g, &g->lists.nodes, first));
}

static void levels_add(Gltf* g) {
    Added* at = ARENA_NEW(g->arena, Added, g->lists.nodes.count);
    u32    count = 0;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        if (gltf_role(g, i) != ROLE_LEVEL) continue;
        const GltfNaming* naming = &g->nodes.naming[i];
        const u32         mesh = mesh_of(g, naming->base);
        if (mesh == NONE || mesh_of(g, i) == NONE || g->out->meshes[mesh].primitive_count == 0)
            continue;
        at[count++] = (Added){mesh, naming->base, naming->level, i};
    }
    if (count) qsort(at, count, sizeof *at, added_order);
    for (u32 i = 0, first = 0; i < count; i++) {
        if (at[i].mesh != at[first].mesh) first = i;
        if (at[i].base == at[first].base)
            level_add(g, &at[i]);
        else
            copy_check(g, &at[i], at[first].base);
    }
}

/* --- meshes that nothing draws --- */

/* Of nodes that are left out or have become something else. */
static void meshes_drop(Gltf* g) {
    bool* is_drawn = ARENA_NEW(g->arena, bool, g->out->mesh_count);
    for (u32 i = 0; i < g->out->node_count; i++)
        if (g->out->nodes[i].mesh != NONE) is_drawn[g->out->nodes[i].mesh] = true;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const u32 mesh =
            gltf_role(g, i) != ROLE_NONE || g->nodes.is_left_out[i] ? mesh_of(g, i) : NONE;
        if (mesh != NONE && !is_drawn[mesh]) g->out->meshes[mesh].primitive_count = 0;
    }
}

/* --- remarks --- */

/* `rule`: of the settings, which may state it. */
static void role_remark(Gltf* g, u32 node, const char* rule, bool is_stated, const char* text) {
    if (is_stated) return;
    gltf_remark(
        g, REMARK_ROLES, rule, g->lists.nodes.at[node],
        "is %s because of its name; \"names\": { \"%s\": true } in NAME.model.json beside the "
        "model confirms this rule, and false turns it off",
        text, rule);
}

static void level_remark(Gltf* g, u32 node, bool is_stated) {
    char text[GLTF_OBJECT_BYTES + 32];
    snprintf(text, sizeof text, "a level of detail of %s",
             GLTF_OBJECT(g, &g->lists.nodes, g->nodes.naming[node].base));
    role_remark(g, node, "lods", is_stated, text);
}

static void roles_remark(Gltf* g) {
    const ModelNames* stated = &g->naming->stated;
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const GltfRole role = gltf_role(g, i);
        if (role == ROLE_LEVEL) level_remark(g, i, stated->lods);
        if (role == ROLE_LEFT_OUT && g->nodes.is_left_out[i])
            role_remark(g, i, "left_out", stated->left_out, "left out");
        if (role == ROLE_LEFT_OUT && !g->nodes.is_left_out[i])
            gltf_remark(g, REMARK_ROLES, "joints", g->lists.nodes.at[i],
                        "is not left out in spite of its name: it is a part of the skeleton of a "
                        "skin, or above one");
        if (role == ROLE_SOCKET) role_remark(g, i, "sockets", stated->sockets, "a socket");
        if (role >= ROLE_BOX) role_remark(g, i, "colliders", stated->colliders, "a collider");
    }
}

static void node_apply(Gltf* g, u32 source, GltfNode* node) {
    const GltfRole role = gltf_role(g, source);
    if (role == ROLE_SOCKET) node->is_socket = true;
    if (role == ROLE_LEVEL) node->mesh = node->skin = NONE;
}

void gltf_apply_roles(Gltf* g) {
    if (g->error_count || !g->nodes.naming) return;
    levels_add(g);
    for (u32 i = 0; i < g->out->node_count; i++)
        if (!g->out->nodes[i].is_frame) node_apply(g, g->out->nodes[i].source, &g->out->nodes[i]);
    meshes_drop(g);
    roles_remark(g);
}
