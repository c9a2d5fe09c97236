/* gltf_extras.c - the custom properties of nodes, meshes, materials, lights and of the default scene. */
#include "gltf_internal.h"

static const char* const lists[] = {"nodes", "meshes", "materials", "scenes"};

bool gltf_reads_extras(const char* list) {
    for (u32 i = 0; i < COUNT_OF(lists); i++)
        if (strcmp(lists[i], list) == 0) return true;
    return false;
}

typedef enum Owner { OWNER_OTHER, OWNER_MESH, OWNER_MATERIAL } Owner;

/* The names of morph targets, see gltf_morph.c, and fields of materials, see gltf_material.c. */
static bool is_read_elsewhere(const cJSON* item, Owner owner) {
    if (owner == OWNER_MATERIAL) return gltf_is_material_key(item->string);
    return owner == OWNER_MESH && cJSON_IsArray(item) && strcmp(item->string, "targetNames") == 0;
}

static GltfExtras read_object(Gltf* g, const cJSON* owner, Owner kind) {
    const cJSON* extras = json_tree_get(owner, "extras");
    GltfExtras   out = {NULL, 0, gltf_name(g, owner)};
    bool         seen = false; /* "components" */
    if (!extras || !cJSON_IsObject(extras)) return out;
    out.properties = ARENA_NEW(g->arena, GltfProperty, gltf_member_count(extras));
    for (const cJSON* item = extras->child; item; item = item->next) {
        const bool components = strcmp(item->string, "components") == 0;
        if (components && seen)
            gltf_error(g, E0103, item, "is a duplicate; merge both into one object");
        seen |= components;
        if (is_read_elsewhere(item, kind)) continue;
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
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        const GltfExtras extras = read_object(g, g->lists.nodes.at[i], OWNER_OTHER);
        if (g->nodes.of_scene[i] != NONE) out->nodes[g->nodes.of_scene[i]].extras = extras;
    }
    for (u32 i = 0; i < g->lists.meshes.count; i++)
        out->meshes[i].extras = read_object(g, g->lists.meshes.at[i], OWNER_MESH);
    out->light_extras = ARENA_NEW(g->arena, GltfExtras, g->lists.lights.count);
    for (u32 i = 0; i < g->lists.lights.count; i++)
        out->light_extras[i] = read_object(g, g->lists.lights.at[i], OWNER_OTHER);
    for (u32 i = 0; i < materials.count; i++)
        out->materials[i].extras = read_object(g, materials.at[i], OWNER_MATERIAL);
    out->scene = chosen == NONE ? 0 : chosen;
    if (scenes.count) out->scene_extras = read_object(g, scenes.at[out->scene], OWNER_OTHER);
}
