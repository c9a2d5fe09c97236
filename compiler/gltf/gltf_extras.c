/* gltf_extras.c - the custom properties of nodes, meshes, materials, lights and of the default scene. */
#include "diag_codes.h"
#include "gltf_internal.h"

static const char* const lists[] = {"nodes", "meshes", "materials", "scenes", "animations"};

bool gltf_reads_extras(const char* list) {
    for (u32 i = 0; i < COUNT_OF(lists); i++)
        if (strcmp(lists[i], list) == 0) return true;
    return false;
}

typedef enum Owner { OWNER_OTHER, OWNER_MESH, OWNER_MATERIAL } Owner;

/* The names of morph targets, see gltf_morph.c, and fields of materials, see gltf_material.c. */
static bool is_read_elsewhere(const Gltf* g, const JsonToken* item, Owner owner) {
    if (owner == OWNER_MATERIAL) return gltf_is_material_key(gltf_key(g, item));
    return owner == OWNER_MESH && json_token_is(item, JSON_ARRAY) &&
           json_key_is(item, "targetNames");
}

static GltfExtras read_object(Gltf* g, const JsonToken* owner, Owner kind) {
    const JsonToken* extras = json_get(owner, "extras");
    GltfExtras       out = {NULL, 0, gltf_name(g, owner)};
    bool             seen = false; /* "components" */
    if (!extras || !json_token_is(extras, JSON_OBJECT)) return out;
    out.properties = ARENA_NEW(g->arena, GltfProperty, json_token_count(extras));
    for (const JsonToken* item = json_first(extras); item; item = json_next(item)) {
        const bool components = json_key_is(item, "components");
        if (components && seen)
            gltf_error(g, E0103, item, "is a duplicate; merge both into one object");
        seen |= components;
        if (is_read_elsewhere(g, item, kind)) continue;
        const char* text = json_token_is(item, JSON_STRING) ? gltf_text(g, item) : NULL;
        out.properties[out.count++] =
            (GltfProperty){gltf_key(g, item), text, {item->at, item->bytes}, gltf_offset(g, item)};
    }
    return out;
}

void gltf_read_extras(Gltf* g) {
    GltfModel*     out = g->out;
    const GltfList materials = gltf_list(g, g->root, "materials");
    const GltfList scenes = gltf_list(g, g->root, "scenes");
    const u32      chosen = gltf_index(g, g->root, "scene", &scenes);
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
