/* asset_name.c - canonical names and suffixes. */
#include "asset_name.h"

#include <stdio.h>

#include "hash.h"
#include "name_latin.h"
#include "sections.h"
#include "utf8.h"

static bool name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

static bool is_letter(char c) { return name_byte(c) && c != '_' && c != '-'; }

bool name_is_foreign(Text name) {
    for (u32 i = 0; i < name.bytes; i++) {
        if ((u8)name.at[i] >= 0x80) return true;
    }
    return false;
}

#define HASH_BYTES 9u /* '_' and eight digits */

/* A segment that is being written. */
typedef struct Segment {
    char* to;
    u32   bytes, room;
    bool  foreign;  /* a character of the name is not ASCII */
    bool  unlike;   /* nothing stands for a character of the name, or not all of it fits */
    bool  is_cut;   /* not all of it fits */
    bool  readable; /* it has a letter or a digit */
} Segment;

static void segment_put(Segment* s, char c) {
    if (s->bytes == s->room) {
        s->unlike = s->is_cut = true;
        return;
    }
    s->to[s->bytes++] = c;
    s->readable |= is_letter(c);
}

/* Writes what stands for the character at `at`; returns the bytes of the character. */
static u32 segment_put_foreign(Segment* s, const char* at, const char* end) {
    char      latin[LATIN_BYTES];
    u32       bytes;
    const u32 c = utf8_character(at, end, &bytes);
    if (bytes == 0) { /* not UTF-8 */
        if (((u8)*at & 0xc0) != 0x80) segment_put(s, '_');
        return 1;
    }
    if (latin_of(c, latin)) {
        for (const char* from = latin; *from; from++) segment_put(s, *from);
    } else {
        s->unlike = true;
        segment_put(s, '_');
    }
    return bytes;
}

static void segment_hash(Segment* s, Text name) {
    char hash[HASH_BYTES + 1];
    while (s->bytes > 0 && (s->to[s->bytes - 1] == '_' || !s->readable)) s->bytes--;
    if (s->bytes == 0) s->to[s->bytes++] = 'n';
    snprintf(hash, sizeof hash, "_%08x", hash_name(name));
    memcpy(s->to + s->bytes, hash, HASH_BYTES);
    s->bytes += HASH_BYTES;
}

/* Writes a name as one segment, without a NUL; returns its bytes. `distinct`: with the hash of the name,
 * if it is not ASCII. Sets *is_cut when not all of it fits. */
static u32 segment_fix(Text name, bool distinct, char* to, u32 room, bool* is_cut) {
    Segment s = {.to = to, .room = room};
    s.foreign = name_is_foreign(name);
    if (s.foreign) s.room = room > HASH_BYTES ? room - HASH_BYTES : 0;
    *is_cut |= s.room == 0;
    if (s.room == 0) return 0;
    for (u32 i = 0; i < name.bytes; i++) {
        const char c = name.at[i];
        if (c >= 'A' && c <= 'Z')
            segment_put(&s, (char)(c - 'A' + 'a'));
        else if (name_byte(c))
            segment_put(&s, c);
        else if ((u8)c >= 0x80)
            i += segment_put_foreign(&s, name.at + i, name.at + name.bytes) - 1;
        else if (c != '.' || s.bytes > 0)
            segment_put(&s, '_');
    }
    if (s.foreign && (s.unlike || !s.readable || distinct)) segment_hash(&s, name);
    *is_cut |= s.is_cut;
    return s.bytes;
}

/* Returns false when not all of it fits. */
static bool name_fix_complete(Text name, char fixed[256]) {
    u32  out = 0;
    bool is_cut = false;
    for (u32 first = 0, end; first < name.bytes; first = end + 1) {
        for (end = first; end < name.bytes; end++) {
            if (name.at[end] == '/' || name.at[end] == '\\') break;
        }
        const u32 slash = out > 0;
        is_cut |= out + slash >= 255;
        if (is_cut) break;
        const Text segment = {name.at + first, end - first};
        const u32  bytes =
            segment_fix(segment, false, fixed + out + slash, 255 - out - slash, &is_cut);
        if (bytes == 0) continue;
        if (slash) fixed[out] = '/';
        out += slash + bytes;
    }
    fixed[out] = 0;
    return !is_cut;
}

void name_fix(Text name, char fixed[256]) { UNUSED(name_fix_complete(name, fixed)); }

Text source_name(const char* path, const Suffix* suffix, char fixed[256], const char** reason) {
    const char* slash = strrchr(path, '/');
    const u32   folder = slash ? (u32)(slash + 1 - path) : 0;
    const Text  name = {path, folder + suffix->name_bytes};
    const bool  any = form_has_any_name(suffix->form);
    *reason = NULL;
    *fixed = 0;
    if (any && !text_is_printable(text_of(path)))
        *reason = "contains a control character, or is not valid UTF-8";
    else if (resource_name_is_canonical(name))
        return name;
    else if (!any)
        *reason = "may contain only a-z, 0-9, '_', '-' and '/'";
    else if (memchr(name.at, '\\', name.bytes))
        *reason = "contains a backslash";
    else if (!name_fix_complete(name, fixed) || *fixed == 0)
        *reason = "is too long; the name of a resource has at most 255 bytes";
    return (Text){fixed, *reason ? 0 : (u32)strlen(fixed)};
}

/* Of a name that begins with its only dot, there is none. */
static u32 extension_bytes(Text path) {
    u32 dot = path.bytes;
    while (dot > 0 && path.at[dot - 1] != '.' && path.at[dot - 1] != '/') dot--;
    return dot > 1 && path.at[dot - 1] == '.' && path.at[dot - 2] != '/' ? path.bytes - dot + 1 : 0;
}

Text path_canonical(Text path, char canonical[PATH_ALIKE_BYTES]) {
    const u32 extension = extension_bytes(path);
    if (extension > PATH_ALIKE_BYTES - 256) return path;
    if (!name_fix_complete((Text){path.at, path.bytes - extension}, canonical)) return path;
    u32 bytes = (u32)strlen(canonical);
    for (u32 i = path.bytes - extension; i < path.bytes; i++) {
        const char c = path.at[i];
        canonical[bytes++] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return (Text){canonical, bytes};
}

u32 name_fix_segment(Text name, bool distinct, char fixed[NAME_SEGMENT_BYTES + 1]) {
    char      longer[256];
    bool      is_cut = false; /* a long name gets a hash */
    const u32 room = name_is_foreign(name) ? NAME_SEGMENT_BYTES : sizeof longer - 1;
    u32       bytes = segment_fix(name, distinct, longer, room, &is_cut);
    if (bytes > NAME_SEGMENT_BYTES) bytes = 0;
    memcpy(fixed, longer, bytes);
    fixed[bytes] = 0;
    return bytes;
}

static bool ends_with(Text text, const char* end) {
    const u32 bytes = (u32)strlen(end);
    return text.bytes > bytes && memcmp(text.at + text.bytes - bytes, end, bytes) == 0;
}

/* The same in letters of any case. */
static bool ends_like(Text text, const char* end) {
    const u32 bytes = (u32)strlen(end);
    if (text.bytes <= bytes) return false;
    for (u32 i = 0; i < bytes; i++) {
        const char c = text.at[text.bytes - bytes + i];
        if ((c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c) != end[i]) return false;
    }
    return true;
}

Text data_file_of(Text path) {
    const bool is_data =
        ends_with(path, DATA_SUFFIX) && path.at[path.bytes - sizeof DATA_SUFFIX] != '/';
    return (Text){path.at, is_data ? path.bytes - (u32)sizeof DATA_SUFFIX + 1 : 0};
}

/* "theme.ogg" -> theme. The extension is the text after the last '.', without a space. */
static Suffix suffix_data_complete(Text file, AssetForm form) {
    u32 dot = file.bytes;
    while (dot > 0 && file.at[dot - 1] != '.') dot--;
    Suffix suffix = {SUFFIX_BARE, file.bytes, RESOURCE_DATA, form, text_of("data"), {0}};
    if (dot <= 1 || dot == file.bytes) return suffix;
    if (memchr(file.at + dot, ' ', file.bytes - dot)) return suffix;
    suffix.kind = SUFFIX_VALID;
    suffix.name_bytes = dot - 1;
    return suffix;
}

/* "lamp.entity.json" -> lamp, entity. */
static Suffix suffix_complete(Text file) {
    if (ends_like(file, ".gltf")) {
        return (Suffix){SUFFIX_VALID, file.bytes - 5, RESOURCE_ENTITY, ASSET_GLTF, {0}, {0}};
    }
    if (ends_like(file, ".glb")) {
        return (Suffix){SUFFIX_VALID, file.bytes - 4, RESOURCE_ENTITY, ASSET_GLB, {0}, {0}};
    }
    static const char* const images[] = {".png", ".jpg", ".jpeg"};
    for (u32 i = 0; i < COUNT_OF(images); i++) {
        const u32 bytes = file.bytes - (u32)strlen(images[i]);
        if (ends_like(file, images[i]))
            return (Suffix){SUFFIX_VALID, bytes, RESOURCE_TEXTURE, ASSET_IMAGE, {0}, {0}};
    }
    const Text data = data_file_of(file);
    if (data.bytes) return suffix_data_complete(data, ASSET_JSON);
    if (!ends_with(file, ".json")) return (Suffix){0};
    const u32 bytes = file.bytes - 5;
    u32       dot = bytes;
    while (dot > 0 && file.at[dot - 1] != '.') dot--;
    if (dot <= 1) return (Suffix){0}; /* "package.json" of another tool */
    Suffix suffix = {SUFFIX_VALID, dot - 1, RESOURCE_NONE, ASSET_JSON, {file.at + dot, bytes - dot},
                     {0}};
    suffix.type = resource_from_suffix(suffix.type_text);
    if (text_equal(suffix.type_text, text_of("model"))) {
        suffix.type = RESOURCE_ENTITY;
        suffix.form = ASSET_SETTINGS;
    }
    if (suffix.type == RESOURCE_NONE)
        suffix.kind = SUFFIX_UNKNOWN;
    else if (suffix.type != RESOURCE_ENTITY && suffix.type != RESOURCE_LEVEL &&
             suffix.type != RESOURCE_MATERIAL && suffix.type != RESOURCE_COMPONENT &&
             suffix.type != RESOURCE_PACKAGE && suffix.type != RESOURCE_TEXTURE) {
        suffix.kind = SUFFIX_NOT_JSON;
    }
    return suffix;
}

bool tag_is_valid(Text tag) {
    bool has_letter = false;
    for (u32 i = 0; i < tag.bytes; i++) {
        if (!name_byte(tag.at[i])) return false;
        has_letter |= tag.at[i] >= 'a' && tag.at[i] <= 'z';
    }
    return has_letter;
}

/* The last part of a file name before `end`, after a '.'; empty: there is none, or the name would be. */
static Text part_before(Text file, u32 end) {
    u32 first = end;
    while (first > 0 && file.at[first - 1] != '.') first--;
    return first > 1 ? (Text){file.at + first, end - first} : (Text){0};
}

/* "sign.fr" -> sign, fr. Parts that cannot be tags remain in the name: "wood.001", and more than two. */
static Suffix suffix_split(Text file, Suffix suffix) {
    u32 end = suffix.name_bytes, tags = 0;
    if (suffix.kind != SUFFIX_VALID) return suffix;
    for (Text part = part_before(file, end); tag_is_valid(part); part = part_before(file, end)) {
        end = (u32)(part.at - file.at) - 1;
        tags++;
    }
    if (tags == 0 || tags > 2) return suffix;
    suffix.tags = (Text){file.at + end + 1, suffix.name_bytes - end - 1};
    suffix.name_bytes = end;
    return suffix;
}

Suffix suffix_of(Text file) { return suffix_split(file, suffix_complete(file)); }

Suffix suffix_of_data(Text file) {
    return suffix_split(file, suffix_data_complete(file, ASSET_FILE));
}

/* A name without its suffixes: "lamp.entity.json", "lamp.mesh". */
static Text name_without_suffix(Text name) {
    const Suffix suffix = suffix_of(name);
    u32          dot = name.bytes;
    if (suffix.kind != SUFFIX_NONE) return (Text){name.at, suffix.name_bytes};
    while (dot > 0 && name.at[dot - 1] != '.' && name.at[dot - 1] != '/') dot--;
    if (dot < 2 || name.at[dot - 1] != '.') return name;
    const Text type = {name.at + dot, name.bytes - dot};
    return resource_from_suffix(type) != RESOURCE_NONE ? (Text){name.at, dot - 1} : name;
}

void name_fix_reference(Text name, char fixed[256]) {
    if (name.bytes > 255) name.bytes = 0;
    name_fix(name_without_suffix(name), fixed);
}

bool resource_is_named(Text resource, Text* name, ResourceType* type) {
    u32 dot = resource.bytes;
    while (dot > 0 && resource.at[dot - 1] != '.') dot--;
    const Text suffix = {resource.at + dot, resource.bytes - dot};
    *type = dot ? resource_from_suffix(suffix) : RESOURCE_NONE;
    *name = (Text){resource.at, dot ? dot - 1 : 0};
    return *type != RESOURCE_NONE;
}

bool resource_parse(const char* resource, Text* name, ResourceType* type) {
    if (resource_is_named(text_of(resource), name, type)) return true;
    fprintf(stderr,
            "entc: error: \"%s\" does not have the form NAME.TYPE; TYPE must be entity, level, "
            "mesh, skeleton, clip, material, texture, data, component or package\n",
            resource);
    return false;
}
