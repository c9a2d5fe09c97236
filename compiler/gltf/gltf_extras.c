/* gltf_extras.c - the custom properties of nodes, meshes, materials and of the default scene. */
#include "gltf_internal.h"

static const char* const lists[] = {"nodes", "meshes", "materials", "scenes"};

bool gltf_reads_extras(const char* list) {
    for (u32 i = 0; i < COUNT_OF(lists); i++)
        if (strcmp(lists[i], list) == 0) return true;
    return false;
}

/* The names of morph targets, see gltf_morph.c. */
static bool is_read_elsewhere(const cJSON* item, bool of_mesh) {
    return of_mesh && cJSON_IsArray(item) && strcmp(item->string, "targetNames") == 0;
}

static GltfExtras read_object(Gltf* g, const cJSON* owner, bool of_mesh) {
    const cJSON* extras = json_tree_get(owner, "extras");
    GltfExtras   out = {NULL, 0};
    bool         seen = false; /* "components" */
    if (!extras || !cJSON_IsObject(extras)) return out;
    out.properties = ARENA_NEW(g->arena, GltfProperty, gltf_member_count(extras));
    for (const cJSON* item = extras->child; item; item = item->next) {
        const bool components = strcmp(item->string, "components") == 0;
        if (components && seen)
            gltf_error(g, E0103, item, "is a duplicate; merge both into one object");
        seen |= components;
        if (is_read_elsewhere(item, of_mesh)) continue;
        const char* text = cJSON_IsString(item) ? item->valuestring : NULL;
        out.properties[out.count++] =
            (GltfProperty){arena_text(g->arena, text_of(item->string)),
                           text ? arena_text(g->arena, text_of(text)) : NULL, gltf_offset(g, item)};
    }
    return out;
}

void gltf_read_extras(Gltf* g) {
    GltfModel*     out = g->out;
    const GltfList materials = gltf_list(g, g->tree.root, "materials");
    const GltfList scenes = gltf_list(g, g->tree.root, "scenes");
    const u32      chosen = gltf_index(g, g->tree.root, "scene", &scenes);
    for (u32 i = 0; i < g->node_list.count; i++) {
        const GltfExtras extras = read_object(g, g->node_list.at[i], false);
        if (g->scene_node[i] != NONE) out->nodes[g->scene_node[i]].extras = extras;
    }
    for (u32 i = 0; i < g->mesh_list.count; i++)
        out->meshes[i].extras = read_object(g, g->mesh_list.at[i], true);
    for (u32 i = 0; i < materials.count; i++)
        out->materials[i].extras = read_object(g, materials.at[i], false);
    out->scene = chosen == NONE ? 0 : chosen;
    if (scenes.count) out->scene_extras = read_object(g, scenes.at[out->scene], false);
}
