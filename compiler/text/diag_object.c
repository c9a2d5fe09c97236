/* diag_object.c - the object of a model that a diagnostic is about: the node, mesh, material, animation or light around
 * its place, by the name that its author gave it. */
#include "diag_internal.h"

#include <stdlib.h>

#include "file.h"
#include "json.h"
#include "search.h"

/* Of each array of objects at the top of a glTF file, and of those in its extensions. */
static void list_read(DiagObjects* objects, Json* json, JsonString list) {
    JsonString key;
    JsonKind   kind;
    if (!json_enter(json, JSON_ARRAY)) return;
    for (u32 index = 0; json_item(json) && json_kind(json, &kind); index++) {
        DiagObject object = {.list = list, .index = index, .first = json_offset(json)};
        if (kind != JSON_OBJECT) {
            json_skip(json);
            continue;
        }
        for (json_enter(json, kind); json_key(json, &key);) {
            const bool is_name = json_equals(key, "name") && json_kind(json, &kind);
            if (is_name && kind == JSON_STRING && !object.name.raw.bytes)
                json_string(json, &object.name);
            else
                json_skip(json);
        }
        object.end = (u32)(json->at - json->source->text);
        if (object.name.raw.bytes) *array_push(&objects->at) = object;
    }
}

/* `depth`: of extensions, whose arrays are one level below. */
static void lists_read(DiagObjects* objects, Json* json, u32 depth) {
    JsonString key;
    JsonKind   kind;
    if (!json_enter(json, JSON_OBJECT)) return;
    while (json_key(json, &key) && json_kind(json, &kind)) {
        const bool is_deeper = depth > 0 || json_equals(key, "extensions");
        if (kind == JSON_ARRAY)
            list_read(objects, json, key);
        else if (kind == JSON_OBJECT && is_deeper && depth < 2)
            lists_read(objects, json, depth + 1);
        else
            json_skip(json);
    }
}

static bool source_is_model(const Source* source) {
    return source_is_binary(source) || source_ends_with(source, ".gltf");
}

static int first_order(const void* a, const void* b) {
    const DiagObject *x = a, *y = b;
    return x->first < y->first ? -1 : x->first > y->first;
}

#define GLB_JSON_AT    20u /* of a binary file */
#define MODEL_SIZE_MAX ((size_t)1 << 30)

/* The text in a binary file is not kept in memory as long as its diagnostics are: it is read again. A file that has been
 * changed since may have other names. */
static Source binary_text(DiagObjects* objects, const Source* source) {
    FileStamp stamp;
    FileView  view = {0};
    u32       bytes = 0;
    if (file_copy_stamped(&view, source->path, &stamp, MODEL_SIZE_MAX, NULL) == ENT_OK &&
        view.size >= GLB_JSON_AT && view.size <= MODEL_SIZE_MAX &&
        memcmp(view.bytes, "glTF", 4) == 0) {
        for (u32 i = 0; i < 4; i++) bytes |= (u32)view.bytes[12 + i] << i * 8;
        if (bytes > view.size - GLB_JSON_AT) bytes = 0;
    }
    objects->text = memory_alloc((size_t)bytes + 1); /* with a NUL */
    if (bytes) memcpy(objects->text, view.bytes + GLB_JSON_AT, bytes);
    file_unmap(&view);
    return source_of(source->path, objects->text, bytes);
}

static void objects_read(DiagObjects* objects, const Source* source) {
    diag_objects_drop(objects);
    const Source text =
        source_is_binary(source) ? binary_text(objects, source) : source_file_text(source);
    Diagnostics* ignored = diag_create(); /* of a text with faults, the objects before them */
    Json         json = json_open_gltf(&text, ignored);
    json.foreign = 1; /* it was validated, or its faults are reported */
    objects->source = source;
    if (text.bytes) lists_read(objects, &json, 0);
    if (objects->at.count)
        qsort(objects->at.at, objects->at.count, sizeof(DiagObject), first_order);
    diag_destroy(ignored);
}

void diag_objects_drop(DiagObjects* objects) {
    array_drop(&objects->at);
    memory_free(objects->text);
    *objects = (DiagObjects){0};
}

const DiagObject* diag_object(DiagObjects* objects, const Source* source, u32 offset) {
    if (!source || !source_is_model(source)) return NULL;
    if (objects->source != source) objects_read(objects, source);
    Search s = search_between(0, objects->at.count); /* the first one behind the place */
    while (search_continues(&s)) search_narrow(&s, objects->at.at[s.middle].first <= offset);
    if (s.first == 0) return NULL;
    const DiagObject* found = &objects->at.at[s.first - 1];
    return offset < found->end ? found : NULL;
}
