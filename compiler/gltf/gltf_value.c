/* gltf_value.c - typed access to the tree of a glTF file, and the path with which each message
 * begins. */
#include "gltf_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "search.h"

#define MESSAGE_BYTES 512

u32 gltf_offset(const Gltf* g, const JsonToken* node) {
    return json_token_offset(&g->out->json, node);
}

const char* gltf_text(const Gltf* g, const JsonToken* string) {
    return json_decode(json_token_string(string), g->arena);
}

const char* gltf_key(const Gltf* g, const JsonToken* member) {
    return json_decode(json_token_key(member), g->arena);
}

/* The child of `node` that is or contains `target`. */
static const JsonToken* child_towards(const JsonToken* node, const JsonToken* target, u32* index) {
    const JsonToken* child = json_first(node);
    assert(child && child <= target);
    for (*index = 0; child + child->count <= target; ++*index) child = json_next(child);
    return child;
}

/* One object of each of the lists whose objects have names. */
static const struct {
    const char *list, *one;
} object_kinds[] = {{"nodes", "node"},         {"meshes", "mesh"},
                    {"materials", "material"}, {"animations", "animation"},
                    {"skins", "skin"},         {"images", "image"},
                    {"textures", "texture"},   {"samplers", "sampler"},
                    {"cameras", "camera"},     {"scenes", "scene"},
                    {"accessors", "accessor"}, {"bufferViews", "buffer view"},
                    {"buffers", "buffer"},     {"extensions.KHR_lights_punctual.lights", "light"}};

static_assert(GLTF_OBJECT_BYTES >= GLTF_PATH_BYTES + DIAG_NAME_BYTES + 32, "room for both");

const char* gltf_object_print(char out[GLTF_OBJECT_BYTES], const char* path, const char* name) {
    char        quoted[DIAG_NAME_BYTES];
    const char* one = NULL;
    for (u32 i = 0; i < COUNT_OF(object_kinds) && *name && !one; i++) {
        const size_t bytes = strlen(object_kinds[i].list);
        if (strncmp(path, object_kinds[i].list, bytes) == 0 && path[bytes] == '[')
            one = object_kinds[i].one;
    }
    if (one)
        snprintf(out, GLTF_OBJECT_BYTES, "%s %s (%s)", one, diag_name(quoted, name), path);
    else
        snprintf(out, GLTF_OBJECT_BYTES, "%s", path);
    return out;
}

static const char* name_of(const Gltf* g, const JsonToken* object) {
    const JsonToken* name = json_get(object, "name");
    return json_token_is(name, JSON_STRING) ? gltf_text(g, name) : "";
}

/* mesh "Wall" (meshes[0].primitives[2].mode) */
static void path_print(const Gltf* g, const JsonToken* target, char out[GLTF_OBJECT_BYTES]) {
    char             path[GLTF_PATH_BYTES] = "";
    const JsonToken* object = NULL; /* the outermost one in a list */
    u32              used = 0, index;
    for (const JsonToken* node = g->root; node != target && used < sizeof path - 1;) {
        const JsonToken* child = child_towards(node, target, &index);
        char*            at = path + used;
        const size_t     room = sizeof path - used;
        const int        bytes = json_token_is(node, JSON_ARRAY)
                                     ? snprintf(at, room, "[%u]", index)
                                     : snprintf(at, room, "%s%.64s", used ? "." : "", gltf_key(g, child));
        if (json_token_is(node, JSON_ARRAY) && !object) object = child;
        used += (u32)bytes;
        node = child;
    }
    gltf_object_print(out, target == g->root ? "the file" : path, name_of(g, object));
}

const char* gltf_object(const Gltf* g, const GltfList* list, u32 index,
                        char out[GLTF_OBJECT_BYTES]) {
    char path[GLTF_PATH_BYTES];
    assert(index < list->count);
    snprintf(path, sizeof path, "%s%s[%u]",
             list == &g->lists.lights ? "extensions.KHR_lights_punctual." : "", list->key, index);
    return gltf_object_print(out, path, name_of(g, list->at[index]));
}

GltfMode gltf_mode(Gltf* g, GltfMode mode) {
    const GltfMode before = g->mode;
    g->mode = mode;
    return before;
}

void gltf_error(Gltf* g, DiagCode code, const JsonToken* at, const char* format, ...) {
    char    path[GLTF_OBJECT_BYTES] = "a value", message[MESSAGE_BYTES];
    va_list arguments;
    if (g->mode == GLTF_QUIET) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (g->mode == GLTF_UNCOMPILED) {
        gltf_remark(g, REMARK_FAULTS, "", at, "%s; this is not compiled", message);
        return;
    }
    g->error_count++;

    const u32 offset = gltf_offset(g, at);
    u32       bytes = 1;
    if (g->error_count <= DIAG_ERRORS_MAX) { /* later ones are not reported */
        path_print(g, at, path);
        bytes = json_token_mark(at);
    }
    diag_error(g->diag, code, &g->out->json, offset, bytes, "%s %s", path, message);
}

void gltf_remark(Gltf* g, ModelRemark kind, const char* subject, const JsonToken* at,
                 const char* format, ...) {
    char    path[GLTF_OBJECT_BYTES], message[MESSAGE_BYTES];
    va_list arguments;
    if (g->mode == GLTF_QUIET) return;
    const bool is_fault = g->mode == GLTF_UNCOMPILED && gltf_is_repair(kind);
    if (is_fault) subject = gltf_remark_name(kind), kind = REMARK_FAULTS;
    GltfRemark* remark = gltf_remark_add(g->out->remarks, kind, subject, g->arena);
    if (!remark) return;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (is_fault) /* what follows the fault is how it would be repaired */
        snprintf(message + strcspn(message, ";"), sizeof message - strcspn(message, ";"),
                 "; this is not compiled");
    path_print(g, at, path);
    remark->offset = gltf_offset(g, at);
    remark->bytes = json_token_mark(at);
    remark->text = arena_print(g->arena, "%s %s", path, message);
}

bool gltf_is(Gltf* g, const JsonToken* value, JsonKind kind) {
    if (json_token_kind(value) == kind) return true;
    gltf_error(g, E0403, value, "is %s, but must be %s", json_kind_name(json_token_kind(value)),
               json_kind_name(kind));
    return false;
}

const JsonToken* gltf_member(Gltf* g, const JsonToken* object, const char* key, JsonKind kind) {
    const JsonToken* value = json_get(object, key);
    return value && gltf_is(g, value, kind) ? value : NULL;
}

const JsonToken* gltf_need(Gltf* g, const JsonToken* object, const char* key, JsonKind kind) {
    if (!json_token_is(object, JSON_OBJECT)) return NULL;
    if (!json_get(object, key))
        gltf_error(g, E0403, object, "has no \"%s\", which must be %s", key, json_kind_name(kind));
    return gltf_member(g, object, key, kind);
}

const JsonToken* gltf_extension(Gltf* g, const JsonToken* object, const char* name) {
    return gltf_member(g, json_get(object, "extensions"), name, JSON_OBJECT);
}

f64 gltf_limited(Gltf* g, const JsonToken* value, f64 low, f64 high) {
    const f64 number = json_token_number(value), limited = MIN_OF(MAX_OF(number, low), high);
    if (number != limited)
        gltf_remark(g, REMARK_LIMITS, "", value,
                    "is %.15g, but must be from %.9g to %.9g; %.9g is compiled", number, low, high,
                    limited);
    return limited;
}

f64 gltf_number(Gltf* g, const JsonToken* object, const char* key, f64 fallback, f64 low,
                f64 high) {
    const JsonToken* value = gltf_member(g, object, key, JSON_NUMBER);
    if (!value) return fallback;
    return gltf_limited(g, value, low, high);
}

u64 gltf_uint(Gltf* g, const JsonToken* object, const char* key, u64 fallback, f64 low, f64 high) {
    const JsonToken* value = gltf_member(g, object, key, JSON_NUMBER);
    if (!value) return fallback;
    const f64 number = json_token_number(value);
    if (number >= low && number <= high && number == floor(number)) return (u64)number;
    if (high >= GLTF_NO_LIMIT)
        gltf_error(g, E0403, value, "is %.15g, but must be an integer of at least %g", number, low);
    else
        gltf_error(g, E0403, value, "is %.15g, but must be an integer from %.15g to %.15g", number,
                   low, high);
    return fallback;
}

bool gltf_bool(Gltf* g, const JsonToken* object, const char* key, bool fallback) {
    const JsonToken* value = json_get(object, key);
    if (!value) return fallback;
    if (*value->at == 't' || *value->at == 'f') return json_token_is_true(value);
    gltf_error(g, E0403, value, "is %s, but must be true or false",
               json_kind_name(json_token_kind(value)));
    return fallback;
}

u32 gltf_choice(Gltf* g, const JsonToken* object, const char* key, u32 fallback,
                const char* const* texts, u32 count) {
    const JsonToken* value = gltf_member(g, object, key, JSON_STRING);
    if (!value) return fallback;
    for (u32 i = 0; i < count; i++)
        if (json_token_equals(value, texts[i])) return i;
    char known[MESSAGE_BYTES / 2] = "";
    for (u32 i = 0, used = 0; i < count && used < sizeof known; i++)
        used += (u32)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", texts[i]);
    if (fallback < count && g->mode == GLTF_LOUD)
        gltf_remark(g, REMARK_UNKNOWN, key, value,
                    "is \"%.64s\", but must be one of %s; \"%s\" is compiled", gltf_text(g, value),
                    known, texts[fallback]);
    else
        gltf_error(g, E0403, value, "is \"%.64s\", but must be one of %s", gltf_text(g, value),
                   known);
    return fallback;
}

u32 gltf_index_of(Gltf* g, const JsonToken* value, const GltfList* list) {
    if (!gltf_is(g, value, JSON_NUMBER)) return NONE;
    const f64 number = json_token_number(value);
    if (number >= 0 && number < (f64)list->count && number == floor(number)) return (u32)number;
    if (list->count == 0)
        gltf_error(g, E0403, value, "is %.15g, but %s contains no %s", number, list->owner,
                   list->key);
    else if (list->count == 1)
        gltf_error(g, E0403, value, "is %.15g, but %s contains only %s[0]", number, list->owner,
                   list->key);
    else
        gltf_error(g, E0403, value, "is %.15g, but %s contains %u %s, numbered from 0", number,
                   list->owner, list->count, list->key);
    return NONE;
}

u32 gltf_index(Gltf* g, const JsonToken* object, const char* key, const GltfList* list) {
    const JsonToken* value = json_get(object, key);
    return value ? gltf_index_of(g, value, list) : NONE;
}

bool gltf_vector(Gltf* g, const JsonToken* object, const char* key, f64* out, u32 count,
                 GltfRange range) {
    const JsonToken* array = gltf_member(g, object, key, JSON_ARRAY);
    f64              read[16];
    u32              n = 0;
    assert(count <= COUNT_OF(read));
    if (!array) return false;
    for (const JsonToken* item = json_first(array); item; item = json_next(item), n++) {
        if (!gltf_is(g, item, JSON_NUMBER)) return false;
        if (n < count) read[n] = gltf_limited(g, item, range.low, range.high);
    }
    if (n != count) {
        gltf_error(g, E0403, array, "has %u numbers, but must have %u", n, count);
        return false;
    }
    memcpy(out, read, sizeof *out * count);
    return true;
}

const char* gltf_name(Gltf* g, const JsonToken* object) {
    const JsonToken* name = json_get(object, "name");
    return json_token_is(name, JSON_STRING) ? gltf_text(g, name) : "";
}

GltfList gltf_list(Gltf* g, const JsonToken* object, const char* key) {
    const JsonToken* array = gltf_member(g, object, key, JSON_ARRAY);
    GltfList         list = {.key = key, .owner = "the file"};
    if (!array) return list;
    list.at = ARENA_NEW(g->arena, const JsonToken*, json_token_count(array));
    for (const JsonToken* item = json_first(array); item; item = json_next(item)) {
        gltf_is(g, item, JSON_OBJECT);
        list.at[list.count++] = item;
    }
    return list;
}

bool gltf_node_list(Gltf* g, const JsonToken* array, bool once) {
    bool sound = true;
    g->stamp++;
    for (const JsonToken* item = json_first(array); item; item = json_next(item)) {
        const u32 node = gltf_index_of(g, item, &g->lists.nodes);
        sound = sound && node != NONE;
        if (node == NONE || gltf_stamp(g, node, 0)) continue;
        sound = sound && !once;
        if (once)
            gltf_error(g, E0403, item, "is %u, which is a duplicate in this list", node);
        else
            gltf_remark(g, REMARK_LISTS, "duplicates", item,
                        "is %u, which is a duplicate in this list", node);
    }
    return sound;
}

bool gltf_stamp(Gltf* g, u32 node, u32 column) {
    u32* at = &g->stamps[node * 4ull + column];
    if (*at == g->stamp) return false;
    *at = g->stamp;
    return true;
}

bool gltf_charge(Gltf* g, const JsonToken* at, u64 bytes) {
    const u64 before = g->decoded_bytes;
    if (bytes <= GLTF_DECODED_BYTES_MAX - before) {
        g->decoded_bytes += bytes;
        return true;
    }
    g->decoded_bytes = GLTF_DECODED_BYTES_MAX; /* no further request succeeds, however small */
    gltf_error(g, E0309, at,
               "needs %llu bytes when unpacked, in addition to %llu bytes of the arrays before it; "
               "the limit for all arrays of a model is %llu",
               (unsigned long long)bytes, (unsigned long long)before,
               (unsigned long long)GLTF_DECODED_BYTES_MAX);
    return false;
}

/* --- texts of an array, sorted --- */

static int names_order(const void* a, const void* b) {
    const GltfName *x = a, *y = b;
    const int       order = strcmp(x->text, y->text);
    return order ? order : x->at < y->at ? -1 : x->at > y->at;
}

GltfNames gltf_names(Gltf* g, const JsonToken* array) {
    GltfNames names = {ARENA_NEW(g->arena, GltfName, json_token_count(array)), 0};
    for (const JsonToken* item = json_first(array); item; item = json_next(item))
        if (json_token_is(item, JSON_STRING))
            names.at[names.count++] = (GltfName){gltf_text(g, item), item};
    if (names.count) qsort(names.at, names.count, sizeof *names.at, names_order);
    return names;
}

bool gltf_names_have(const GltfNames* names, const char* text) {
    Search s = search_between(0, names->count);
    while (search_continues(&s)) {
        search_narrow(&s, strcmp(names->at[s.middle].text, text) < 0);
    }
    return s.first < names->count && strcmp(names->at[s.first].text, text) == 0;
}
