/* gltf_loss.c - finds what a valid glTF file contains and no reader compiles: extensions, extras,
 * images, other scenes, and objects that no node of the scene uses. */
#include "gltf_internal.h"

#include <stdio.h>

/* --- extensions and extras --- */

static void extensions_of(Gltf* g, const JsonToken* list, bool materials);
static void members_remark(Gltf* g, const JsonToken* value, bool reads_extras);

/* The members of an object or array, at every depth; recursion is bounded by JSON_DEPTH_MAX.
 * `reads_extras`: its extras are read. */
static void members_of(Gltf* g, const JsonToken* value, bool reads_extras, bool material) {
    for (const JsonToken* item = json_first(value); item; item = json_next(item)) {
        const char* key = json_token_is(value, JSON_OBJECT) ? gltf_key(g, item) : "";
        if (strcmp(key, "extensions") == 0)
            extensions_of(g, item, material);
        else if (strcmp(key, "extras") == 0 && !(reads_extras && json_token_is(item, JSON_OBJECT)))
            gltf_remark(g, REMARK_EXTRAS, "", item, "is not compiled");
        else if (strcmp(key, "extras") != 0 && json_first(item))
            members_remark(g, item, false);
    }
}

static void members_remark(Gltf* g, const JsonToken* value, bool reads_extras) {
    members_of(g, value, reads_extras, false);
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

/* `materials` have one remark for all of theirs: materials_remark. */
static void extensions_of(Gltf* g, const JsonToken* list, bool materials) {
    for (const JsonToken* item = json_first(list); item; item = json_next(item)) {
        if (json_key_is(item, "KHR_lights_punctual"))
            lights_remark(g, item);
        else if (gltf_compiles_extension(gltf_key(g, item)))
            members_remark(g, item, false);
        else if (!materials)
            gltf_remark(g, REMARK_EXTENSIONS, gltf_key(g, item), item, "is not compiled");
    }
}

static void extensions_remark(Gltf* g, const JsonToken* list) { extensions_of(g, list, false); }

/* --- materials that lose something --- */

#define LOSSES_MAX 24 /* more than there are extensions of materials */
#define ROUGH_GLASS                                                                                \
    0.25 /* from this roughness on, glass is visibly less sharp than what is drawn */

typedef struct Losses {
    const char* names[LOSSES_MAX];
    u32         count;
} Losses;

static void loss_add(Losses* losses, const char* name) {
    for (u32 i = 0; i < losses->count; i++)
        if (strcmp(losses->names[i], name) == 0) return;
    if (losses->count < LOSSES_MAX) losses->names[losses->count++] = name;
}

static bool is_rough_glass(const JsonToken* material) {
    const JsonToken* factor =
        json_get(json_get(material, "pbrMetallicRoughness"), "roughnessFactor");
    return !json_token_is(factor, JSON_NUMBER) || json_token_number(factor) > ROUGH_GLASS;
}

static void material_losses(Gltf* g, const JsonToken* material, Losses* losses) {
    static const char* const of_glass[] = {"KHR_materials_volume", "KHR_materials_ior"};
    static const char* const textures[] = {"transmissionTexture", "thicknessTexture",
                                           "clearcoatTexture", "clearcoatRoughnessTexture",
                                           "clearcoatNormalTexture"};
    const JsonToken*         list = json_get(material, "extensions");
    const bool               is_glass = gltf_is_glass(g, material);
    for (const JsonToken* item = json_first(list); item; item = json_next(item)) {
        const char* key = gltf_key(g, item);
        const bool  needs_glass = strcmp(key, of_glass[0]) == 0 || strcmp(key, of_glass[1]) == 0;
        if (!gltf_compiles_extension(key) || (needs_glass && !is_glass)) loss_add(losses, key);
        for (u32 i = 0; i < COUNT_OF(textures); i++)
            if (gltf_compiles_extension(key) && json_get(item, textures[i]))
                loss_add(losses, textures[i]);
    }
    if (is_glass && is_rough_glass(material)) loss_add(losses, "the blur of rough glass");
    if (!is_glass && json_get(json_get(material, "extras"), "thickness_m"))
        loss_add(losses, "thickness_m");
}

static const char* losses_print(const Losses* losses, char* out, size_t room) {
    size_t used = 0;
    for (u32 i = 0; i < losses->count && used < room; i++) {
        const char* apart = i == 0 ? "" : i + 1 == losses->count ? " and " : ", ";
        used += (size_t)snprintf(out + used, room - used, "%s%.64s", apart, losses->names[i]);
    }
    return out;
}

/* One remark for all of them. */
static void materials_remark(Gltf* g, const JsonToken* list) {
    Losses           losses = {0};
    const JsonToken* first = NULL;
    u32              count = 0;
    char             names[512];
    for (const JsonToken* material = json_first(list); material; material = json_next(material)) {
        Losses one = {0};
        material_losses(g, material, &one);
        const JsonToken* extensions = json_get(material, "extensions");
        if (one.count && !first) first = extensions ? extensions : material;
        for (u32 i = 0; i < one.count; i++) loss_add(&losses, one.names[i]);
        count += one.count > 0;
    }
    if (!first) return;
    losses_print(&losses, names, sizeof names);
    if (count == 1)
        gltf_remark(g, REMARK_EXTENSIONS, "materials", first,
                    "is not compiled completely: it loses %s", names);
    else
        gltf_remark(g, REMARK_EXTENSIONS, "materials", first,
                    "is not compiled completely: it and %u other material%s lose %s", count - 1,
                    count == 2 ? "" : "s", names);
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
                members_of(g, object, gltf_reads_extras(gltf_key(g, item)),
                           json_key_is(item, "materials"));
        if (json_key_is(item, "materials")) materials_remark(g, item);
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
