/* gltf_loss.c - finds what a valid glTF file contains and no reader compiles: extensions, extras,
 * images, other scenes, and objects that no node of the scene uses. */
#include "gltf_internal.h"

#include <stdio.h>

#include "diag.h"

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

#define LOSSES_MAX 24 /* names in a message */
#define ROUGH_GLASS                                                                                \
    0.25 /* from this roughness on, glass is visibly less sharp than what is drawn */

typedef struct Losses {
    const char* names[LOSSES_MAX];
    u32         count, more; /* more: those for which there is no place */
} Losses;

static void loss_add(Losses* losses, const char* name) {
    for (u32 i = 0; i < losses->count; i++)
        if (strcmp(losses->names[i], name) == 0) return;
    if (losses->count < LOSSES_MAX)
        losses->names[losses->count++] = name;
    else
        losses->more++;
}

static f64 member_number(const JsonToken* object, const char* key, f64 otherwise) {
    const JsonToken* value = json_get(object, key);
    return json_token_is(value, JSON_NUMBER) ? json_token_number(value) : otherwise;
}

/* Of a material that is no glass: has the extension values that change what it looks like? */
static bool loses_glass(const char* key, const JsonToken* extension) {
    if (strcmp(key, "KHR_materials_volume") == 0)
        return member_number(extension, "thicknessFactor", 0) != 0;
    return strcmp(key, "KHR_materials_ior") == 0 && member_number(extension, "ior", 1.5) != 1.5;
}

static void extension_losses(const char* key, const JsonToken* item, bool is_glass,
                             Losses* losses) {
    static const char* const textures[] = {"transmissionTexture", "thicknessTexture",
                                           "clearcoatTexture", "clearcoatRoughnessTexture",
                                           "clearcoatNormalTexture"};
    const bool               is_coat = strcmp(key, "KHR_materials_clearcoat") == 0;
    const bool               is_compiled = gltf_compiles_extension(key);
    const bool is_used = is_coat ? member_number(item, "clearcoatFactor", 0) != 0 : is_glass;
    if (!is_compiled || (!is_glass && loses_glass(key, item))) loss_add(losses, key);
    for (u32 i = 0; i < COUNT_OF(textures) && is_compiled && is_used; i++)
        if (json_get(item, textures[i])) loss_add(losses, textures[i]);
}

static void glass_losses(Gltf* g, const JsonToken* material, Losses* losses) {
    const JsonToken* surface = json_get(material, "pbrMetallicRoughness");
    const JsonToken* mode = json_get(material, "alphaMode");
    const bool       is_metal = member_number(surface, "metallicFactor", 1) == 1 &&
                          !json_get(surface, "metallicRoughnessTexture");
    if (is_metal)
        loss_add(losses, "the transmission of a metal");
    else if (member_number(surface, "roughnessFactor", 1) > ROUGH_GLASS)
        loss_add(losses, "the blur of rough glass");
    if (json_token_is(mode, JSON_STRING) && strcmp(gltf_text(g, mode), "MASK") == 0)
        loss_add(losses, "the alpha cutoff of glass");
}

static void material_losses(Gltf* g, const JsonToken* material, Losses* losses) {
    const JsonToken* extras = json_get(material, "extras");
    const bool       is_glass = gltf_is_glass(g, material);
    for (const JsonToken* item = json_first(json_get(material, "extensions")); item;
         item = json_next(item))
        extension_losses(gltf_key(g, item), item, is_glass, losses);
    if (is_glass)
        glass_losses(g, material, losses);
    else if (json_get(extras, "thickness_m") && member_number(extras, "thickness_m", 1) != 0)
        gltf_remark(g, REMARK_EXTRAS, "thickness_m", json_get(extras, "thickness_m"),
                    "is not compiled: only glass has a thickness, a material with transmission");
}

/* Names that are not ours may be long. */
static const char* losses_print(const Losses* losses, char* out, size_t room) {
    char   quoted[DIAG_NAME_BYTES];
    size_t used = 0;
    u32    i = 0;
    *out = 0;
    for (; i < losses->count; i++) {
        const char*  name = losses->names[i];
        const bool   is_last = i + 1 == losses->count && !losses->more;
        const char*  apart = i == 0 ? "" : is_last ? " and " : ", ";
        const char*  shown = strlen(name) < 64 ? name : diag_name(quoted, name);
        const size_t bytes = strlen(apart) + strlen(shown);
        if (used + bytes + sizeof " and 4294967295 more" > room) break;
        used += (size_t)snprintf(out + used, room - used, "%s%s", apart, shown);
    }
    const u32 left = losses->count - i + losses->more;
    if (left) snprintf(out + used, room - used, " and %u more", left);
    return out;
}

/* One remark for all materials: what the first one loses, and what the others do. */
static void materials_remark(Gltf* g, const JsonToken* list) {
    Losses           losses = {0}, others = {0};
    const JsonToken* first = NULL;
    u32              count = 0;
    char             names[384], more[384];
    for (const JsonToken* material = json_first(list); material; material = json_next(material)) {
        const JsonToken* extensions = json_get(material, "extensions");
        Losses           one = {0};
        material_losses(g, material, &one);
        if (!one.count) continue;
        if (count++ == 0) {
            first = extensions ? extensions : material;
            losses = one;
            continue;
        }
        for (u32 i = 0; i < one.count; i++) loss_add(&others, one.names[i]);
        others.more += one.more;
    }
    if (!first) return;
    losses_print(&losses, names, sizeof names);
    losses_print(&others, more, sizeof more);
    if (count == 1)
        gltf_remark(g, REMARK_EXTENSIONS, "materials", first,
                    "is not compiled completely: it loses %s", names);
    else
        gltf_remark(g, REMARK_EXTENSIONS, "materials", first,
                    "is not compiled completely: it loses %s; and %u other material%s %s %s", names,
                    count - 1, count == 2 ? "" : "s", count == 2 ? "loses" : "lose", more);
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
