/* gltf_loss.c - finds what a valid glTF file contains and no reader compiles: extensions, extras,
 * images, other scenes, and objects that no node of the scene uses. */
#include "gltf_internal.h"

/* --- extensions and extras --- */

static void extensions_remark(Gltf* g, const cJSON* list);

/* The members of an object or array, at every depth; recursion is bounded by JSON_DEPTH_MAX.
 * `reads_extras`: its extras are read. */
static void members_remark(Gltf* g, const cJSON* value, bool reads_extras) {
    for (const cJSON* item = value->child; item; item = item->next) {
        const char* key = cJSON_IsObject(value) ? item->string : "";
        if (strcmp(key, "extensions") == 0)
            extensions_remark(g, item);
        else if (strcmp(key, "extras") == 0 && !(reads_extras && cJSON_IsObject(item)))
            gltf_remark(g, REMARK_EXTRAS, "", item, "is not compiled");
        else if (strcmp(key, "extras") != 0 && item->child)
            members_remark(g, item, false);
    }
}

/* The objects of lights have custom properties that are read. */
static void lights_remark(Gltf* g, const cJSON* extension) {
    for (const cJSON* item = extension->child; item; item = item->next) {
        if (strcmp(item->string ? item->string : "", "lights") == 0)
            for (const cJSON* light = item->child; light; light = light->next)
                members_remark(g, light, true);
        else if (item->child)
            members_remark(g, item, false);
    }
}

static void extensions_remark(Gltf* g, const cJSON* list) {
    for (const cJSON* item = list->child; item; item = item->next) {
        if (strcmp(item->string, "KHR_lights_punctual") == 0)
            lights_remark(g, item);
        else if (gltf_compiles_extension(item->string))
            members_remark(g, item, false);
        else
            gltf_remark(g, REMARK_EXTENSIONS, item->string, item, "is not compiled");
    }
}

/* The extras of "asset" describe the file, not what it contains. */
static void file_remark(Gltf* g) {
    for (const cJSON* item = g->tree.root->child; item; item = item->next) {
        if (strcmp(item->string, "asset") == 0) continue;
        if (strcmp(item->string, "extensions") == 0)
            extensions_remark(g, item);
        else if (strcmp(item->string, "extras") == 0)
            gltf_remark(g, REMARK_EXTRAS, "", item, "is not compiled");
        for (const cJSON* object = item->child; object; object = object->next)
            if (strcmp(item->string, "extensions") != 0 && strcmp(item->string, "extras") != 0)
                members_remark(g, object, gltf_reads_extras(item->string));
    }
}

/* --- materials and meshes --- */

/* Unused images are not even opened. */
static void images_remark(Gltf* g) {
    const GltfMode mode = gltf_mode(g, GLTF_UNCOMPILED);
    for (u32 i = 0; i < g->lists.images.count; i++) {
        if (g->images[i].used) continue;
        gltf_image(g, i);
        gltf_remark(g, REMARK_UNUSED, "images", g->lists.images.at[i],
                    "is not compiled: no texture of a material that is compiled uses it");
    }
    gltf_mode(g, mode);
}

/* --- the scene --- */

static void scenes_remark(Gltf* g) {
    const GltfList scenes = gltf_list(g, g->tree.root, "scenes");
    const u32      named = gltf_index(g, g->tree.root, "scene", &scenes);
    const u32      chosen = named == NONE ? 0 : named;
    for (u32 i = 0; i < scenes.count; i++) {
        if (i == chosen) continue;
        gltf_remark(g, REMARK_SCENES, "", scenes.at[i],
                    "is not compiled: only the default scene is, %s", GLTF_OBJECT(&scenes, chosen));
    }
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        if (g->nodes.of_scene[i] != NONE) continue;
        gltf_remark(g, REMARK_NODES, "", g->lists.nodes.at[i],
                    "is not compiled: it is not in the default scene");
    }
}

static void list_remark(Gltf* g, const GltfList* list, const bool* used) {
    for (u32 i = 0; i < list->count; i++) {
        if (used[i]) continue;
        gltf_remark(g, REMARK_UNUSED, list->key, list->at[i],
                    "is not compiled: no node of the default scene uses it");
    }
}

static void unused_remark(Gltf* g) {
    const GltfLists* l = &g->lists;
    list_remark(g, &l->cameras, gltf_rows_used(g, &l->cameras, NULL, "camera", true));
    list_remark(g, &l->lights, gltf_rows_used(g, &l->lights, "KHR_lights_punctual", "light", true));
}

void gltf_find_losses(Gltf* g) {
    if (g->error_count) return; /* the following needs a valid file */
    file_remark(g);
    images_remark(g);
    scenes_remark(g);
    unused_remark(g);
}
