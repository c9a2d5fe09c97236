/* gltf_value.c - typed access to the tree of a glTF file, and the path with which each message
 * begins. */
#include "gltf_internal.h"

#include <stdarg.h>
#include <stdio.h>

#define MESSAGE_BYTES 512

u32 gltf_offset(const Gltf* g, const cJSON* node) { return json_tree_offset(&g->tree, node); }

/* The child of `node` that is or contains `target`: nodes are numbered in pre-order. */
static const cJSON* child_towards(const cJSON* node, const cJSON* target, u32* index) {
    const cJSON* child = node->child;
    assert(child && child->valueint <= target->valueint);
    for (*index = 0; child->next && child->next->valueint <= target->valueint; ++*index)
        child = child->next;
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

static const char* name_of(const cJSON* object) {
    const cJSON* name = cJSON_IsObject(object) ? json_tree_get(object, "name") : NULL;
    return cJSON_IsString(name) ? name->valuestring : "";
}

/* mesh "Wall" (meshes[0].primitives[2].mode) */
static void path_print(const Gltf* g, const cJSON* target, char out[GLTF_OBJECT_BYTES]) {
    char         path[GLTF_PATH_BYTES] = "";
    const cJSON* object = NULL; /* the outermost one in a list */
    u32          used = 0, index;
    for (const cJSON* node = g->tree.root; node != target && used < sizeof path - 1;) {
        const cJSON* child = child_towards(node, target, &index);
        char*        at = path + used;
        const size_t room = sizeof path - used;
        const int    bytes = cJSON_IsArray(node)
                                 ? snprintf(at, room, "[%u]", index)
                                 : snprintf(at, room, "%s%.64s", used ? "." : "", child->string);
        if (cJSON_IsArray(node) && !object) object = child;
        used += (u32)bytes;
        node = child;
    }
    gltf_object_print(out, target == g->tree.root ? "the file" : path, name_of(object));
}

const char* gltf_object(const GltfList* list, u32 index, char out[GLTF_OBJECT_BYTES]) {
    char path[GLTF_PATH_BYTES];
    assert(index < list->count);
    snprintf(path, sizeof path, "%s[%u]", list->key, index);
    return gltf_object_print(out, path, name_of(list->at[index]));
}

GltfMode gltf_mode(Gltf* g, GltfMode mode) {
    const GltfMode before = g->mode;
    g->mode = mode;
    return before;
}

void gltf_error(Gltf* g, DiagCode code, const cJSON* at, const char* format, ...) {
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
        if (!cJSON_IsArray(at) && !cJSON_IsObject(at))
            bytes = json_value_text(&g->out->json, offset).bytes;
    }
    diag_error(g->diag, code, &g->out->json, offset, bytes, "%s %s", path, message);
}

void gltf_remark(Gltf* g, ModelRemark kind, const char* subject, const cJSON* at,
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
    remark->bytes = cJSON_IsArray(at) || cJSON_IsObject(at)
                        ? 1
                        : json_value_text(&g->out->json, remark->offset).bytes;
    remark->text = arena_print(g->arena, "%s %s", path, message);
}

bool gltf_is(Gltf* g, const cJSON* value, JsonKind kind) {
    if (json_tree_kind(value) == kind) return true;
    gltf_error(g, E0403, value, "is %s, but must be %s", json_kind_name(json_tree_kind(value)),
               json_kind_name(kind));
    return false;
}

const cJSON* gltf_member(Gltf* g, const cJSON* object, const char* key, JsonKind kind) {
    const cJSON* value = json_tree_get(object, key);
    return value && gltf_is(g, value, kind) ? value : NULL;
}

const cJSON* gltf_need(Gltf* g, const cJSON* object, const char* key, JsonKind kind) {
    if (!cJSON_IsObject(object)) return NULL;
    if (!json_tree_get(object, key))
        gltf_error(g, E0403, object, "has no \"%s\", which must be %s", key, json_kind_name(kind));
    return gltf_member(g, object, key, kind);
}

const cJSON* gltf_extension(Gltf* g, const cJSON* object, const char* name) {
    return gltf_member(g, json_tree_get(object, "extensions"), name, JSON_OBJECT);
}

f64 gltf_limited(Gltf* g, const cJSON* value, f64 low, f64 high) {
    const f64 number = value->valuedouble, limited = MIN_OF(MAX_OF(number, low), high);
    if (number != limited)
        gltf_remark(g, REMARK_LIMITS, "", value,
                    "is %.15g, but must be from %.9g to %.9g; %.9g is compiled", number, low, high,
                    limited);
    return limited;
}

f64 gltf_number(Gltf* g, const cJSON* object, const char* key, f64 fallback, f64 low, f64 high) {
    const cJSON* value = gltf_member(g, object, key, JSON_NUMBER);
    if (!value) return fallback;
    return gltf_limited(g, value, low, high);
}

u64 gltf_uint(Gltf* g, const cJSON* object, const char* key, u64 fallback, f64 low, f64 high) {
    const cJSON* value = gltf_member(g, object, key, JSON_NUMBER);
    if (!value) return fallback;
    const f64 number = value->valuedouble;
    if (number >= low && number <= high && number == floor(number)) return (u64)number;
    if (high >= GLTF_NO_LIMIT)
        gltf_error(g, E0403, value, "is %.15g, but must be an integer of at least %g", number, low);
    else
        gltf_error(g, E0403, value, "is %.15g, but must be an integer from %.15g to %.15g", number,
                   low, high);
    return fallback;
}

bool gltf_bool(Gltf* g, const cJSON* object, const char* key, bool fallback) {
    const cJSON* value = json_tree_get(object, key);
    if (!value) return fallback;
    if (cJSON_IsBool(value)) return cJSON_IsTrue(value);
    gltf_error(g, E0403, value, "is %s, but must be true or false",
               json_kind_name(json_tree_kind(value)));
    return fallback;
}

u32 gltf_choice(Gltf* g, const cJSON* object, const char* key, u32 fallback,
                const char* const* texts, u32 count) {
    const cJSON* value = gltf_member(g, object, key, JSON_STRING);
    if (!value) return fallback;
    for (u32 i = 0; i < count; i++)
        if (strcmp(value->valuestring, texts[i]) == 0) return i;
    char known[MESSAGE_BYTES / 2] = "";
    for (u32 i = 0, used = 0; i < count && used < sizeof known; i++)
        used += (u32)snprintf(known + used, sizeof known - used, "%s%s", i ? ", " : "", texts[i]);
    if (fallback < count && g->mode == GLTF_LOUD)
        gltf_remark(g, REMARK_UNKNOWN, key, value,
                    "is \"%.64s\", but must be one of %s; \"%s\" is compiled", value->valuestring,
                    known, texts[fallback]);
    else
        gltf_error(g, E0403, value, "is \"%.64s\", but must be one of %s", value->valuestring,
                   known);
    return fallback;
}

u32 gltf_index_of(Gltf* g, const cJSON* value, const GltfList* list) {
    if (!gltf_is(g, value, JSON_NUMBER)) return NONE;
    const f64 number = value->valuedouble;
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

u32 gltf_index(Gltf* g, const cJSON* object, const char* key, const GltfList* list) {
    const cJSON* value = json_tree_get(object, key);
    return value ? gltf_index_of(g, value, list) : NONE;
}

bool gltf_vector(Gltf* g, const cJSON* object, const char* key, f64* out, u32 count, f64 low,
                 f64 high) {
    const cJSON* array = gltf_member(g, object, key, JSON_ARRAY);
    f64          read[16];
    u32          n = 0;
    assert(count <= COUNT_OF(read));
    if (!array) return false;
    for (const cJSON* item = array->child; item; item = item->next, n++) {
        if (!gltf_is(g, item, JSON_NUMBER)) return false;
        if (n < count) read[n] = gltf_limited(g, item, low, high);
    }
    if (n != count) {
        gltf_error(g, E0403, array, "has %u numbers, but must have %u", n, count);
        return false;
    }
    memcpy(out, read, sizeof *out * count);
    return true;
}

const char* gltf_name(Gltf* g, const cJSON* object) {
    const cJSON* name = json_tree_get(object, "name");
    return cJSON_IsString(name) ? arena_text(g->arena, text_of(name->valuestring)) : "";
}

GltfList gltf_list(Gltf* g, const cJSON* object, const char* key) {
    const cJSON* array = gltf_member(g, object, key, JSON_ARRAY);
    GltfList     list = {.key = key, .owner = "the file"};
    if (!array) return list;
    for (const cJSON* item = array->child; item; item = item->next) list.count++;
    list.at = ARENA_NEW(g->arena, const cJSON*, list.count);
    u32 i = 0;
    for (const cJSON* item = array->child; item; item = item->next) {
        gltf_is(g, item, JSON_OBJECT);
        list.at[i++] = item;
    }
    return list;
}

bool gltf_node_list(Gltf* g, const cJSON* array, bool once) {
    bool sound = true;
    g->stamp++;
    for (const cJSON* item = array->child; item; item = item->next) {
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

bool gltf_charge(Gltf* g, const cJSON* at, u64 bytes) {
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
