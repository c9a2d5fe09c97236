/* assets_suggest.c - reports names of resources that are not valid or do not exist. What a message
 * suggests exists, has the type that is needed, and is not refused there. */
#include <stdio.h>

#include "assets.h"

#include "diag.h"
#include "hash.h"
#include "image.h"
#include "model.h"
#include "sections.h"

/* --- names that are similar --- */

/* Every model is read to suggest one of its names. Where only one resource is compiled, the errors of a
 * model that it does not need are not reported. */
static bool asset_may_suggest(Assets* assets, Asset* asset) {
    const bool unneeded = !assets->complete && asset->state == ASSET_NEW;
    const bool is_valid = asset_read(assets, asset);
    if (unneeded) asset->unneeded = true;
    return is_valid;
}

/* Is there such a resource, and may a source refer to it? */
static bool resource_exists(Assets* assets, Text name, ResourceType type) {
    Asset* asset = assets_file(assets, name, type);
    if (asset) return !assets_image_is_owned(assets, asset);
    for (u32 bytes = name.bytes; bytes > 0; bytes--) {
        if (name.at[bytes - 1] != '/') continue;
        asset = assets_model(assets, (Text){name.at, bytes - 1});
        if (!asset || !asset_may_suggest(assets, asset)) continue;
        if (model_named(asset->content->model, name, type)) return true;
    }
    return false;
}

/* Names of resources of one type. */
typedef ARRAY(const char*) NameList;

/* The resources of a type. An entity cannot refer to itself: `except` is the source of the reference, or NULL. */
static void names_list(Assets* assets, ResourceType type, const Source* except, NameList* names) {
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        if (asset->type == type && &asset->source != except) *array_push(names) = asset->name;
        if (!form_is_model(asset->form) || !asset_may_suggest(assets, asset)) continue;
        for (u32 k = 0; asset->content->model && k < asset->content->model->resource_count; k++) {
            const ModelResource* r = &asset->content->model->resources[k];
            if (r->type == type) *array_push(names) = r->name;
        }
    }
}

/* The most similar name, or the same one in another folder; a row of `names`, or NONE. */
static u32 names_nearest(const NameList* names, Text name) {
    const char* near = diag_nearest(name, names->at, names->count);
    u32         tail = name.bytes;
    while (tail > 0 && name.at[tail - 1] != '/') tail--;
    const Text last = {name.at + tail, name.bytes - tail};
    for (u32 i = 0; i < names->count; i++) {
        const Text full_name = text_of(names->at[i]);
        if (near
                ? near == names->at[i]
                : full_name.bytes > last.bytes &&
                      full_name.at[full_name.bytes - last.bytes - 1] == '/' &&
                      memcmp(full_name.at + full_name.bytes - last.bytes, last.at, last.bytes) == 0)
            return i;
    }
    return NONE;
}

/* Is the prefab of an entity in this file, or that of its prefabs, the source itself? */
static bool leads_to(Assets* assets, Asset* from, const Source* source) {
    bool*   pushed = memory_alloc(assets->count + 1);
    Asset** stack = memory_alloc(sizeof(Asset*) * ((size_t)assets->count + 1));
    u32     count = 0;
    bool    found = false;
    stack[count++] = from; /* each file is pushed once */
    pushed[from->index] = true;
    while (count && !found) {
        Asset* asset = stack[--count];
        found = &asset->source == source;
        if (found) continue;
        const bool is_held = asset_hold_nodes(assets, asset);
        const bool is_read = is_held && asset_may_suggest(assets, asset);
        for (u32 i = 0; is_read && i < asset->content->doc->instances.count; i++) {
            Asset* prefab = assets_prefab(assets, asset, i).asset;
            if (!prefab || pushed[prefab->index]) continue;
            pushed[prefab->index] = true;
            stack[count++] = prefab;
        }
        asset_release_nodes(assets, asset);
    }
    memory_free(stack);
    memory_free(pushed);
    return found;
}

/* Would a reference to the resource be refused because it forms a cycle? */
static bool is_cyclic(Assets* assets, Text name, ResourceType type, const Source* source) {
    Asset* asset = source && type == RESOURCE_ENTITY ? assets_file(assets, name, type) : NULL;
    return asset && leads_to(assets, asset, source);
}

#define SUGGESTED_IMAGE_MAX (64u << 20) /* bytes of pixels that are decoded for a suggestion */

/* Of a very large image, only the header is read. */
static bool image_is_valid(const FileView* file) {
    Image image = {0};
    if (image_look(file->bytes, file->size, &image.info)) return false;
    if (image_decode_bytes(&image.info) > SUGGESTED_IMAGE_MAX) return true;
    const bool is_usable = image_decode(file->bytes, file->size, &image) == NULL;
    image_drop(&image);
    return is_usable;
}

/* Would the image of a texture be refused? */
static bool image_is_usable(Assets* assets, Asset* asset) {
    if (!asset_may_suggest(assets, asset)) return false;
    const bool is_usable = asset_hold(assets, asset) && image_is_valid(asset_image(asset));
    asset_release(assets, asset, false);
    return is_usable;
}

/* Would a reference to the resource be refused because of what it is? */
static bool is_refused(Assets* assets, Text name, ResourceType type, const Source* source) {
    Asset* asset = type == RESOURCE_TEXTURE ? assets_file(assets, name, type) : NULL;
    return is_cyclic(assets, name, type, source) || (asset && !image_is_usable(assets, asset));
}

/* To find out whether an image is a resource, all models may have to be read. */
#define NEAREST_TRIES 4

static const char* nearest_except(Assets* assets, Text name, ResourceType type,
                                  const Source* except) {
    NameList    names = {0};
    const char* near = NULL;
    names_list(assets, type, except, &names);
    for (u32 i = 0; i < NEAREST_TRIES && !near; i++) {
        const u32 row = names_nearest(&names, name);
        if (row == NONE) break;
        const Text found = text_of(names.at[row]);
        if (resource_exists(assets, found, type) && !is_refused(assets, found, type, except))
            near = names.at[row];
        else
            names.at[row] = names.at[--names.count];
    }
    array_drop(&names);
    return near;
}

const char* assets_nearest(Assets* assets, Text name, ResourceType type) {
    return nearest_except(assets, name, type, NULL);
}

/* --- the parts of a model --- */

/* A resource of another type that has the name, or NULL. */
static Asset* assets_namesake(const Assets* assets, Text name) {
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        Asset* asset = assets_file(assets, name, (ResourceType)type);
        if (asset) return asset;
    }
    return NULL;
}

#define HINT_BYTES 1024

/* Writes `list` for a reference to a part of a model that names the model itself: "; this is a
 * model with the mesh "rock/top"". Empty when `model` is none or has no such part. */
static void model_parts(Assets* assets, Asset* model, ResourceType type, char* list, size_t room) {
    const char* names[DIAG_NAMES_MAX];
    char        quoted[512];
    u32         count = 0, total = 0;
    *list = 0;
    if (!model || !form_is_model(model->form) || !asset_may_suggest(assets, model)) return;
    for (u32 i = 0; i < model->content->model->resource_count; i++) {
        const ModelResource* r = &model->content->model->resources[i];
        if (r->type != type) continue;
        if (count < DIAG_NAMES_MAX) names[count++] = r->name;
        total++;
    }
    if (count == 0) return;
    const char* plural = count == 1 ? "" : type == RESOURCE_MESH ? "es" : "s";
    snprintf(list, room, "; \"%s\" is a model with the %s%s %s", model->name,
             ent_resource_suffix(type), plural,
             diag_names(quoted, sizeof quoted, names, count, total));
}

/* --- resources that do not exist --- */

/* The model with a part of which a name seems to begin, or NULL. */
static const Asset* model_around(const Assets* assets, Text name) {
    for (u32 bytes = name.bytes; bytes > 0; bytes--) {
        if (name.at[bytes - 1] != '/') continue;
        const Asset* asset = assets_model(assets, (Text){name.at, bytes - 1});
        if (asset) return asset;
    }
    return NULL;
}

/* The prefabs of a split model, for a message. */
static const char* part_names(const Asset* model, char* list, size_t room) {
    const char* names[DIAG_NAMES_MAX];
    const u32   count = MIN_OF(model->content->part_count, (u32)DIAG_NAMES_MAX);
    for (u32 i = 0; i < count; i++) names[i] = model->content->parts[i].name;
    return diag_names(list, room, names, count, model->content->part_count);
}

/* Writes what could be meant by a name that does not exist, for the end of a message; or nothing. */
static void hint_write(Assets* assets, const Source* source, Text name, ResourceType type,
                       char* hint, size_t room) {
    const Asset* other = assets_namesake(assets, name);
    const Asset* model = type == RESOURCE_ENTITY ? model_around(assets, name) : NULL;
    char         list[512];
    int          used = 0;
    const char*  near = nearest_except(assets, name, type, source);
    if (other)
        used = snprintf(hint, room, "; a resource of this name exists, but has type %s",
                        ent_resource_suffix(other->type));
    if (near)
        snprintf(hint + used, room - (size_t)used, "; did you mean \"%s\"?", near);
    else if (model && !other && model->type == RESOURCE_LEVEL)
        snprintf(
            hint, room,
            "; \"%s\" is a model whose settings make it a level, and a level cannot be instanced",
            model->name);
    else if (model && !other && model->content->part_count)
        snprintf(hint, room, "; the model \"%s\" contains %s", model->name,
                 part_names(model, list, sizeof list));
    else if (model && !other)
        snprintf(hint, room, "; \"%s\" is a model, and only the complete model is an entity%s",
                 model->name,
                 model->content_file
                     ? ""
                     : ", unless \"split\" in its settings makes prefabs of its objects");
}

/* An image that exists, and belongs to a model. */
static void image_owned_report(const Assets* assets, const Asset* image, const Source* source,
                               u32 offset, Text name, Diagnostics* diag) {
    const char* owner = assets_image_owner(assets, image);
    diag_error(diag, E0302, source, offset, name.bytes + 2,
               "unresolved reference: the image \"%s\" is not a texture, because it belongs to "
               "the model \"%s\", which refers to it; add \"%.*s.texture.json\" with the text {} "
               "to make it a texture too",
               image->source.path, owner ? owner : "", (int)name.bytes, name.at);
}

/* Of a list of inputs: that it does not contain the resource, or that it names a file that does not exist. */
static void input_hint(const Assets* assets, Text name, ResourceType type, char* hint,
                       size_t room) {
    const Asset* asset = assets_file(assets, name, type);
    if (asset)
        snprintf(hint, room,
                 "; the list of inputs \"%.300s\" contains \"%.300s\", which is not a "
                 "file",
                 assets->inputs->source.path, asset->source.path);
    else
        snprintf(hint, room,
                 "; the list of inputs \"%.300s\" contains neither its file nor the line "
                 "\"resource %.*s.%s\"",
                 assets->inputs->source.path, (int)name.bytes, name.at, ent_resource_suffix(type));
}

/* The resources of a type in a model. */
static void parts_list(const Asset* model, ResourceType type, NameList* names) {
    for (u32 i = 0; i < model->content->model->resource_count; i++) {
        const ModelResource* r = &model->content->model->resources[i];
        if (r->type == type) *array_push(names) = r->name;
    }
}

/* A path of other bytes is written in quotes. */
#define SHELL_PLAIN "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-./:"

/* A part of a model that does not exist was perhaps renamed in the program that exports it: then references are repaired at
 * once. What it is called now is known if it is the only one, or has a similar name. */
static void renaming_note(Assets* assets, Text name, ResourceType type, Diagnostics* diag) {
    Asset* model = NULL;
    for (u32 bytes = name.bytes; bytes > 0 && !model; bytes--)
        if (name.at[bytes - 1] == '/') model = assets_model(assets, (Text){name.at, bytes - 1});
    if (!model || !asset_may_suggest(assets, model)) return;
    NameList    names = {0};
    const char* suffix = ent_resource_suffix(type);
    const char* quote = assets->root[strspn(assets->root, SHELL_PLAIN)] ? "'" : "";
    parts_list(model, type, &names);
    const char* now = names.count == 1 ? names.at[0] : diag_nearest(name, names.at, names.count);
    if (now)
        diag_note(
            diag, NULL, 0, 0,
            "if it was renamed to \"%s\", this repairs all references: entc mv %s%s%s --references "
            "%.*s.%s %s.%s",
            now, quote, assets->root, quote, (int)name.bytes, name.at, suffix, now, suffix);
    else if (names.count)
        diag_note(diag, NULL, 0, 0,
                  "if it was renamed, this repairs all references: entc mv %s%s%s --references "
                  "%.*s.%s NEW.%s",
                  quote, assets->root, quote, (int)name.bytes, name.at, suffix, suffix);
    array_drop(&names);
}

void assets_missing(Assets* assets, const Source* source, u32 offset, Text name, ResourceType type,
                    Diagnostics* diag) {
    char       hint[HINT_BYTES] = "";
    Asset*     other = assets_namesake(assets, name);
    Asset*     image = assets_file(assets, name, type);
    const bool flooded = diag_is_flooded(diag);
    if (image && assets->inputs && !assets_image_is_owned(assets, image))
        input_hint(assets, name, type, hint, sizeof hint);
    else if (!flooded)
        model_parts(assets, other, type, hint, sizeof hint);
    if (image && !*hint) {
        image_owned_report(assets, image, source, offset, name, diag);
        return;
    }
    if (!*hint && !flooded) hint_write(assets, source, name, type, hint, sizeof hint);
    if (!*hint && assets->inputs) input_hint(assets, name, type, hint, sizeof hint);
    diag_error(diag, E0302, source, offset, name.bytes + 2,
               "unresolved reference: there is no %s \"%.*s\"%s", ent_resource_suffix(type),
               (int)name.bytes, name.at, hint);
    if (!flooded && !image) renaming_note(assets, name, type, diag);
}

/* --- names that are not valid --- */

/* A reference to a resource of type data that is written like its file, "audio/theme.ogg". */
static bool data_name_report(Assets* assets, const Source* source, u32 offset, Text name,
                             Diagnostics* diag) {
    u32 dot = name.bytes;
    for (u32 i = name.bytes; i-- > 0 && name.at[i] != '/';) {
        if (name.at[i] == '.') dot = i;
    }
    if (dot == name.bytes || !assets_file(assets, (Text){name.at, dot}, RESOURCE_DATA))
        return false;
    diag_error(diag, E0301, source, offset, name.bytes + 2,
               "invalid resource name \"%.*s\"; write it without the extension, \"%.*s\"",
               (int)name.bytes, name.at, (int)dot, name.at);
    return true;
}

bool assets_name_check(Assets* assets, const Source* source, u32 offset, Text name,
                       ResourceType type, Diagnostics* diag) {
    char fixed[256], hint[HINT_BYTES] = "";
    if (resource_name_is_canonical(name)) return true;
    if (name.bytes > NAME_BYTES_MAX) {
        diag_error(diag, E0301, source, offset, name.bytes + 2,
                   "the name of a resource must not be longer than %u bytes", NAME_BYTES_MAX);
        return false;
    }
    if (type == RESOURCE_DATA && data_name_report(assets, source, offset, name, diag)) return false;
    name_fix_reference(name, fixed);
    const Text meant = text_of(fixed);
    const bool flooded = diag_is_flooded(diag);
    if (!flooded && type != RESOURCE_ENTITY)
        model_parts(assets, assets_model(assets, meant), type, hint, sizeof hint);
    if (!flooded && !*hint && *fixed && resource_exists(assets, meant, type))
        snprintf(hint, sizeof hint, "; write \"%s\"", fixed);
    if (!*hint) {
        int used = snprintf(hint, sizeof hint, "; it may contain only a-z, 0-9, '_', '-' and '/'");
        if (*fixed)
            used +=
                snprintf(hint + used, sizeof hint - (size_t)used,
                         ", and there is no %s \"%s\" either", ent_resource_suffix(type), fixed);
        if (!flooded && *fixed)
            hint_write(assets, source, meant, type, hint + used, sizeof hint - (size_t)used);
    }
    diag_error(diag, E0301, source, offset, name.bytes + 2, "invalid resource name \"%.*s\"%s",
               (int)name.bytes, name.at, hint);
    return false;
}
