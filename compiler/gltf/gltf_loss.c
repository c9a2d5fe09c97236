/* gltf_loss.c - finds what a valid glTF file contains and no reader compiles: extensions, extras,
 * images, other scenes, and objects that no node of the scene uses. */
#include "gltf_internal.h"

/* --- extensions and extras --- */

static void extensions_remark(Gltf* g, const JsonToken* list);

/* The members of an object or array, at every depth; recursion is bounded by JSON_DEPTH_MAX.
 * `reads_extras`: its extras are read. */
static void members_remark(Gltf* g, const JsonToken* value, bool reads_extras) {
    for (const JsonToken* item = json_first(value); item; item = json_next(item)) {
        const char* key = json_token_is(value, JSON_OBJECT) ? gltf_key(g, item) : "";
        if (strcmp(key, "extensions") == 0)
            extensions_remark(g, item);
        else if (strcmp(key, "extras") == 0 && !(reads_extras && json_token_is(item, JSON_OBJECT)))
            gltf_remark(g, REMARK_EXTRAS, "", item, "is not compiled");
        else if (strcmp(key, "extras") != 0 && json_first(item))
            members_remark(g, item, false);
    }
}

/* The objects of lights have custom properties that are read. */
static void lights_remark(Gltf* g, const JsonToken* extension) {
    for (const JsonToken* item = json_first(extension); item; item = json_next(item)) {
        if (strcmp(gltf_key(g, item) ? gltf_key(g, item) : "", "lights") == 0)
            for (const JsonToken* light = json_first(item); light; light = json_next(light))
                members_remark(g, light, true);
        else if (json_first(item))
            members_remark(g, item, false);
    }
}

static void extensions_remark(Gltf* g, const JsonToken* list) {
    for (const JsonToken* item = json_first(list); item; item = json_next(item)) {
        if (json_key_is(item, "KHR_lights_punctual"))
            lights_remark(g, item);
        else if (gltf_compiles_extension(gltf_key(g, item)))
            members_remark(g, item, false);
        else
            gltf_remark(g, REMARK_EXTENSIONS, gltf_key(g, item), item, "is not compiled");
    }
}

/* The extras of "asset" describe the file, not what it contains. */
static void file_remark(Gltf* g) {
    for (const JsonToken* item = json_first(g->root); item; item = json_next(item)) {
        if (json_key_is(item, "asset")) continue;
        if (json_key_is(item, "extensions"))
            extensions_remark(g, item);
        else if (json_key_is(item, "extras"))
            gltf_remark(g, REMARK_EXTRAS, "", item, "is not compiled");
        for (const JsonToken* object = json_first(item); object; object = json_next(object))
            if (!json_key_is(item, "extensions") && !json_key_is(item, "extras"))
                members_remark(g, object, gltf_reads_extras(gltf_key(g, item)));
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
    const GltfList scenes = gltf_list(g, g->root, "scenes");
    const u32      named = gltf_index(g, g->root, "scene", &scenes);
    const u32      chosen = named == NONE ? 0 : named;
    for (u32 i = 0; i < scenes.count; i++) {
        if (i == chosen) continue;
        gltf_remark(g, REMARK_SCENES, "", scenes.at[i],
                    "is not compiled: only the default scene is, %s",
                    GLTF_OBJECT(g, &scenes, chosen));
    }
    for (u32 i = 0; i < g->lists.nodes.count; i++) {
        if (g->nodes.of_scene[i] != NONE || g->nodes.is_left_out[i]) continue;
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
