/* asset_name.c - canonical names and suffixes. */
#include "asset_name.h"

#include "sections.h"

static bool name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

void name_fix(Text name, char fixed[256]) {
    u32 out = 0;
    for (u32 i = 0; i < name.bytes; i++) {
        const char c = name.at[i];
        const bool slash = c == '/' || c == '\\';
        const bool first = out == 0 || fixed[out - 1] == '/';

        if (out >= 255 || (slash && first)) continue;
        if (slash)
            fixed[out++] = '/';
        else if (c >= 'A' && c <= 'Z')
            fixed[out++] = (char)(c - 'A' + 'a');
        else if (name_byte(c))
            fixed[out++] = c;
        else if ((c != '.' || !first) && ((u8)c & 0xc0) != 0x80)
            fixed[out++] = '_'; /* for a complete character */
    }
    while (out > 0 && fixed[out - 1] == '/') out--;
    fixed[out] = 0;
}

static bool ends_with(Text text, const char* end) {
    const u32 bytes = (u32)strlen(end);
    return text.bytes > bytes && memcmp(text.at + text.bytes - bytes, end, bytes) == 0;
}

Text data_file_of(Text path) {
    const bool is_data =
        ends_with(path, DATA_SUFFIX) && path.at[path.bytes - sizeof DATA_SUFFIX] != '/';
    return (Text){path.at, is_data ? path.bytes - (u32)sizeof DATA_SUFFIX + 1 : 0};
}

/* "theme.ogg" -> theme. The extension is the text after the last '.'. */
static Suffix suffix_data_whole(Text file, AssetForm form) {
    u32 dot = file.bytes;
    while (dot > 0 && file.at[dot - 1] != '.') dot--;
    Suffix suffix = {SUFFIX_BARE, file.bytes, RESOURCE_DATA, form, text_of("data"), {0}};
    if (dot <= 1 || dot == file.bytes) return suffix;
    suffix.kind = SUFFIX_VALID;
    suffix.name_bytes = dot - 1;
    return suffix;
}

/* "lamp.entity.json" -> lamp, entity. */
static Suffix suffix_whole(Text file) {
    if (ends_with(file, ".gltf")) {
        return (Suffix){SUFFIX_VALID, file.bytes - 5, RESOURCE_ENTITY, ASSET_GLTF, {0}, {0}};
    }
    if (ends_with(file, ".glb")) {
        return (Suffix){SUFFIX_VALID, file.bytes - 4, RESOURCE_ENTITY, ASSET_GLB, {0}, {0}};
    }
    static const char* const images[] = {".png", ".jpg", ".jpeg"};
    for (u32 i = 0; i < COUNT_OF(images); i++) {
        const u32 bytes = file.bytes - (u32)strlen(images[i]);
        if (ends_with(file, images[i]))
            return (Suffix){SUFFIX_VALID, bytes, RESOURCE_TEXTURE, ASSET_IMAGE, {0}, {0}};
    }
    const Text data = data_file_of(file);
    if (data.bytes) return suffix_data_whole(data, ASSET_JSON);
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

/* "sign.fr" -> sign, fr. A part that cannot be tags remains in the name, which is then not
 * canonical. */
static Suffix suffix_split(Text file, Suffix suffix) {
    const u32 end = suffix.name_bytes;
    u32       tags = 0, dot = 0;
    if (suffix.kind != SUFFIX_VALID) return suffix;
    for (u32 i = 0; i < end; i++) {
        if (file.at[i] == '.') {
            if (i == 0 || i + 1 == end || file.at[i + 1] == '.') return suffix;
            if (tags++ == 0) dot = i;
        } else if (!name_byte(file.at[i])) {
            return suffix;
        }
    }
    if (tags == 0 || tags > 2) return suffix;
    suffix.name_bytes = dot;
    suffix.tags = (Text){file.at + dot + 1, end - dot - 1};
    return suffix;
}

Suffix suffix_of(Text file) { return suffix_split(file, suffix_whole(file)); }

Suffix suffix_of_data(Text file) { return suffix_split(file, suffix_data_whole(file, ASSET_FILE)); }

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
