/* gltf_pointer.c - the paths of channels, and what those with KHR_animation_pointer animate. */
#include <stdlib.h>

#include "camera.h"
#include "clip.h"
#include "diag_codes.h"
#include "gltf_internal.h"

const char* const gltf_paths[] = {"translation", "rotation", "scale", "weights"};

u32 gltf_path_find(const char* path) {
    for (u32 i = 0; i < COUNT_OF(gltf_paths); i++)
        if (strcmp(path, gltf_paths[i]) == 0) return i;
    return NONE;
}

/* RFC 6901: begins with /, and ~ is followed by 0 or 1. */
static bool is_json_pointer(const char* text) {
    if (*text && *text != '/') return false;
    for (const char* at = strchr(text, '~'); at; at = strchr(at + 1, '~'))
        if (at[1] != '0' && at[1] != '1') return false;
    return true;
}

/* The text behind the prefix and the index of an element; NULL when it does not begin so. */
static const char* behind_index(const char* text, const char* prefix, u32* index) {
    const size_t bytes = strlen(prefix);
    char*        end;
    if (strncmp(text, prefix, bytes) != 0 || text[bytes] < '0' || text[bytes] > '9') return NULL;
    const unsigned long long value = strtoull(text + bytes, &end, 10);
    *index = (u32)MIN_OF(value, (unsigned long long)NONE);
    return text[bytes] == '0' && end > text + bytes + 1 ? NULL : end; /* no leading zeros */
}

/* What the pointers of properties are, in the order of CLIP_PROPERTY. */
static const struct {
    const char *prefix, *behind;
} properties[] = {{"/extensions/KHR_lights_punctual/lights/", "/intensity"},
                  {"/extensions/KHR_lights_punctual/lights/", "/color"},
                  {"/cameras/", "/perspective/yfov"}};

const GltfList* gltf_property_owners(const Gltf* g, u32 property) {
    return property == CLIP_VERTICAL_FOV ? &g->lists.cameras : &g->lists.lights;
}

/* False: entc does not compile what the pointer refers to. */
static bool pointer_find(const Gltf* g, const char* text, GltfPointer* out,
                         const GltfList** owners) {
    const char* rest = behind_index(text, "/nodes/", &out->object);
    *owners = &g->lists.nodes;
    out->property = NONE;
    if (rest && *rest == '/') {
        out->path = gltf_path_find(rest + 1);
        return out->path != NONE;
    }
    for (u32 i = 0; i < COUNT_OF(properties); i++) {
        rest = behind_index(text, properties[i].prefix, &out->object);
        if (!rest || strcmp(rest, properties[i].behind) != 0) continue;
        *owners = gltf_property_owners(g, i);
        out->property = i;
        return true;
    }
    return false;
}

/* The extension defines the target itself. */
static const JsonToken* pointer_check(Gltf* g, const JsonToken* target,
                                      const JsonToken* extension) {
    const JsonToken* pointer = gltf_need(g, extension, "pointer", JSON_STRING);
    const JsonToken* path = json_get(target, "path");
    if (json_get(target, "node"))
        gltf_error(g, E0403, target,
                   "has a \"node\" in addition to KHR_animation_pointer, which defines the target; "
                   "remove one of the two");
    if (json_get(target, "node")) return NULL;
    if (!json_token_equals(path, "pointer")) {
        gltf_error(g, E0403, path, "is \"%.64s\", but must be \"pointer\" here",
                   gltf_text(g, path));
        return NULL;
    }
    if (!pointer) return NULL;
    if (is_json_pointer(gltf_text(g, pointer))) return pointer;
    gltf_error(g, E0403, pointer, "is \"%.64s\", but must be a JSON pointer such as \"/nodes/0\"",
               gltf_text(g, pointer));
    return NULL;
}

/* Only cameras with a perspective have a field of view. */
static bool is_perspective(Gltf* g, const JsonToken* pointer, const GltfPointer* found) {
    if (found->property != CLIP_VERTICAL_FOV) return true;
    if (g->out->cameras[found->object].kind == CAMERA_PERSPECTIVE) return true;
    gltf_remark(g, REMARK_CHANNELS, "cameras", pointer,
                "is \"%.64s\", which is not compiled: %s is no perspective camera",
                gltf_text(g, pointer), GLTF_OBJECT(g, &g->lists.cameras, found->object));
    return false;
}

bool gltf_pointer_read(Gltf* g, const JsonToken* target, GltfPointer* out) {
    const JsonToken* extension = gltf_extension(g, target, "KHR_animation_pointer");
    const GltfMode   mode = gltf_mode(g, GLTF_UNCOMPILED);
    const JsonToken* pointer = pointer_check(g, target, extension);
    const GltfList*  owners;
    gltf_mode(g, mode);
    *out = (GltfPointer){NONE, NONE, NONE};
    if (!pointer) return false;
    const char* text = gltf_text(g, pointer);
    if (!pointer_find(g, text, out, &owners)) {
        gltf_remark(g, REMARK_CHANNELS, "pointers", pointer,
                    "is \"%.64s\", which is not compiled: only translation, rotation, scale and "
                    "weights of nodes, intensity and color of lights, and yfov of cameras are",
                    text);
        return false;
    }
    if (out->object < owners->count) return is_perspective(g, pointer, out);
    if (owners->count < 2)
        gltf_error(g, E0403, pointer, "is \"%.64s\", but the file contains %s %s%s", text,
                   owners->count ? "only" : "no", owners->key, owners->count ? "[0]" : "");
    else
        gltf_error(g, E0403, pointer, "is \"%.64s\", but the file contains %u %s, numbered from 0",
                   text, owners->count, owners->key);
    return false;
}
