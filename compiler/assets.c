/* assets.c - lists the source folder, and reads a source when it is first needed. */
#include "assets.h"

#include <errno.h>
#include <stdlib.h>

#include "hash.h"
#include "sections.h"

#define SOURCE_BYTES_MAX (1u << 30)
#define FOLDERS_MAX      64

/* --- names --- */

static bool name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool name_is_canonical(Text name, char fixed[256]) {
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
            fixed[out++] = '_'; /* for the whole of a character */
    }
    while (out > 0 && fixed[out - 1] == '/') out--;
    fixed[out] = 0;
    return resource_name_is_canonical(name);
}

typedef enum SuffixKind { SUFFIX_NONE, SUFFIX_UNKNOWN, SUFFIX_NOT_JSON, SUFFIX_GOOD } SuffixKind;

typedef struct Suffix {
    SuffixKind   kind;
    u32          name_bytes; /* of the file name before its suffixes */
    ResourceType type;
    AssetForm    form;
    Text         type_text;
} Suffix;

static bool ends_with(Text text, const char* end) {
    const u32 bytes = (u32)strlen(end);
    return text.bytes > bytes && memcmp(text.at + text.bytes - bytes, end, bytes) == 0;
}

/* "lamp.entity.json" -> lamp, entity. Files of other kinds are none of our business. */
static Suffix suffix_of(Text file) {
    if (ends_with(file, ".gltf")) {
        return (Suffix){SUFFIX_GOOD, file.bytes - 5, RESOURCE_ENTITY, ASSET_GLTF, {0}};
    }
    if (ends_with(file, ".glb")) {
        return (Suffix){SUFFIX_GOOD, file.bytes - 4, RESOURCE_ENTITY, ASSET_GLB, {0}};
    }
    if (!ends_with(file, ".json")) return (Suffix){0};
    const u32 bytes = file.bytes - 5;
    u32       dot = bytes;
    while (dot > 0 && file.at[dot - 1] != '.') dot--;
    if (dot <= 1) return (Suffix){0}; /* "package.json" of another tool */
    Suffix suffix = {SUFFIX_GOOD, dot - 1, RESOURCE_NONE, ASSET_JSON, {file.at + dot, bytes - dot}};
    suffix.type = resource_from_suffix(suffix.type_text);
    if (suffix.type == RESOURCE_NONE)
        suffix.kind = SUFFIX_UNKNOWN;
    else if (suffix.type != RESOURCE_ENTITY && suffix.type != RESOURCE_LEVEL &&
             suffix.type != RESOURCE_MATERIAL && suffix.type != RESOURCE_PACKAGE) {
        suffix.kind = SUFFIX_NOT_JSON;
    }
    return suffix;
}

/* --- scanning --- */

typedef ARRAY(const char*) Names;

typedef struct Scan {
    Assets* assets;
    Names   names; /* of the folder that is being listed */
    ARRAY(Asset*) found;
    ent_status status;
} Scan;

static void scan_name(void* user, const char* name) {
    Scan* scan = user;
    if (name[0] == '.') return; /* .git, .vscode, our own temporaries */
    *array_push(&scan->names) = arena_text(&scan->assets->arena, text_of(name));
}

static int names_order(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

/* A source that is only a path yet, for diagnostics about the file as a whole. */
static Source* path_source(Assets* assets, const char* path) {
    Source* source = ARENA_NEW(&assets->arena, Source, 1);
    *source = (Source){path, "", 0};
    return source;
}

/* "LAMP.GLB" would be a source if its suffix were in lower case: nobody wants that to be ignored.
 */
static void scan_suffix_case(Scan* scan, const char* path, const char* file) {
    char* lower = arena_text(&scan->assets->arena, text_of(file));
    for (char* at = lower; *at; at++) {
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
    }
    const SuffixKind kind = suffix_of(text_of(lower)).kind;
    if (kind != SUFFIX_GOOD && kind != SUFFIX_NOT_JSON) return;
    diag_error(scan->assets->diag, E0301, path_source(scan->assets, path), 0, 1,
               "suffixes are in lower case; rename it to \"%s\"", lower);
}

static void scan_file(Scan* scan, const char* relative, const char* file) {
    Assets*      assets = scan->assets;
    const Suffix suffix = suffix_of(text_of(file));
    char         fixed[256];
    const char*  path = arena_print(&assets->arena, "%s/%s", assets->root, relative);
    if (suffix.kind == SUFFIX_NONE) {
        scan_suffix_case(scan, path, file);
        return;
    }
    const u32  folder = (u32)(strlen(relative) - strlen(file));
    const Text name = {relative, folder + suffix.name_bytes};
    if (suffix.kind == SUFFIX_UNKNOWN) {
        static const char* const known[] = {"entity", "level", "material", "package"};
        const char*              near = diag_nearest(suffix.type_text, known, COUNT_OF(known));
        diag_error(assets->diag, E0301, path_source(assets, path), 0, 1,
                   "\"%.*s\" is no type of resource; JSON files are named NAME.entity.json, "
                   "NAME.level.json, NAME.material.json or NAME.package.json%s%s%s",
                   (int)suffix.type_text.bytes, suffix.type_text.at, DIAG_MEANT(near));
        return;
    }
    if (suffix.kind == SUFFIX_NOT_JSON) {
        diag_error(assets->diag, E0301, path_source(assets, path), 0, 1,
                   "a %.*s is not written as JSON; it comes out of a .gltf or .glb file",
                   (int)suffix.type_text.bytes, suffix.type_text.at);
        return;
    }
    if (!name_is_canonical(name, fixed)) {
        diag_error(
            assets->diag, E0301, path_source(assets, path), 0, 1,
            "the name \"%.*s\" may only have a-z, 0-9, '_', '-' and '/'; rename it to \"%s\"",
            (int)name.bytes, name.at, fixed);
        return;
    }
    Asset* asset = ARENA_NEW(&assets->arena, Asset, 1);
    asset->name = arena_text(&assets->arena, name);
    asset->type = suffix.type;
    asset->form = suffix.form;
    asset->source = (Source){path, "", 0};
    *array_push(&scan->found) = asset;
}

/* Does a link lead out of the asset folder? */
static bool stays_inside(const Assets* assets, const char* path) {
    char         real[4096];
    const size_t root = strlen(assets->root_real);
    if (!path_resolve(path, real, sizeof real)) return false;
    return strncmp(real, assets->root_real, root) == 0 && (real[root] == '/' || real[root] == 0);
}

static void scan_folder(Scan* scan, const char* relative, u32 depth) {
    Assets*     assets = scan->assets;
    const char* path =
        *relative ? arena_print(&assets->arena, "%s/%s", assets->root, relative) : assets->root;
    Names names;
    scan->names = (Names){0};
    scan->status = folder_list(path, scan_name, scan);
    names = scan->names;
    if (names.count) qsort(names.at, names.count, sizeof *names.at, names_order);
    for (u32 i = 0; i < names.count && scan->status == ENT_OK; i++) {
        const char* child =
            *relative ? arena_print(&assets->arena, "%s/%s", relative, names.at[i]) : names.at[i];
        const char*    whole = arena_print(&assets->arena, "%s/%s", assets->root, child);
        const FileKind kind = file_kind(whole, true);
        if (kind == FILE_FOLDER && file_kind(whole, false) != FILE_FOLDER) {
            diag_error(assets->diag, E0302, path_source(assets, whole), 0, 1,
                       "links to folders are not followed");
        } else if (kind == FILE_FOLDER && depth >= FOLDERS_MAX) {
            diag_error(assets->diag, E0309, path_source(assets, whole), 0, 1,
                       "folders are nested deeper than %u", FOLDERS_MAX);
        } else if (kind == FILE_FOLDER) {
            scan_folder(scan, child, depth + 1);
        } else if (kind == FILE_REGULAR && stays_inside(assets, whole)) {
            scan_file(scan, child, names.at[i]);
        } else if (suffix_of(text_of(names.at[i])).kind != SUFFIX_NONE) {
            diag_error(assets->diag, E0302, path_source(assets, whole), 0, 1,
                       kind == FILE_REGULAR
                           ? "the link leads out of the asset folder"
                           : "it is not a regular file, or a link that leads nowhere");
        }
    }
    array_drop(&names);
}

/* --- lookup --- */

static int asset_order(const void* a, const void* b) {
    const Asset *x = *(Asset*const*)a, *y = *(Asset*const*)b;
    const int    name = strcmp(x->name, y->name);
    if (name) return name;
    return x->type != y->type ? (x->type < y->type ? -1 : 1)
                              : strcmp(x->source.path, y->source.path);
}

static u64 asset_hash(Text name, ResourceType type) {
    return hash_bytes(name.at, name.bytes, (u64)type);
}

static void assets_index(Assets* assets) {
    assets->slot_count = 64;
    while (assets->slot_count < assets->count * 2) assets->slot_count *= 2;
    assets->slot = ARENA_NEW(&assets->arena, u32, assets->slot_count);
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        asset->index = i;
        if (i && asset_order(&assets->asset[i - 1], &assets->asset[i]) < 0 &&
            assets->asset[i - 1]->type == asset->type &&
            strcmp(assets->asset[i - 1]->name, asset->name) == 0) {
            diag_error(assets->diag, E0303, &asset->source, 0, 1,
                       "\"%s.%s\" has two sources; rename one of them", asset->name,
                       ent_resource_suffix(asset->type));
            diag_note(assets->diag, &assets->asset[i - 1]->source, 0, 1, "this is the other one");
            continue;
        }
        u64 at = asset_hash(text_of(asset->name), asset->type);
        while (assets->slot[at & (assets->slot_count - 1)]) at++;
        assets->slot[at & (assets->slot_count - 1)] = i + 1;
    }
}

ent_status assets_open(Assets* assets, const char* root, const Registry* registry,
                       Diagnostics* diag) {
    char real[4096];
    Scan scan = {.assets = assets};
    *assets = (Assets){.registry = registry, .diag = diag};
    u32 bytes = (u32)strlen(root);
    while (bytes > 1 && root[bytes - 1] == '/') bytes--;
    assets->root = arena_text(&assets->arena, (Text){root, bytes});
    if (!path_resolve(root, real, sizeof real)) return errno == ENOENT ? ENT_NOT_FOUND : ENT_IO;
    assets->root_real = arena_text(&assets->arena, text_of(real));
    scan_folder(&scan, "", 0);
    assets->count = scan.found.count;
    assets->asset = ARENA_NEW(&assets->arena, Asset*, scan.found.count + 1);
    if (scan.found.count) {
        memcpy(assets->asset, scan.found.at, sizeof(Asset*) * scan.found.count);
        qsort(assets->asset, assets->count, sizeof(Asset*), asset_order);
    }
    array_drop(&scan.found);
    assets_index(assets);
    return scan.status;
}

void assets_close(Assets* assets) {
    for (u32 i = 0; i < assets->count; i++) {
        doc_drop(&assets->asset[i]->doc);
        file_unmap(&assets->asset[i]->view);
    }
    for (u32 i = 0; i < assets->views.count; i++) file_unmap(&assets->views.at[i]);
    array_drop(&assets->views);
    array_drop(&assets->buffers);
    arena_drop(&assets->arena);
}

Asset* assets_file(const Assets* assets, Text name, ResourceType type) {
    for (u64 at = asset_hash(name, type);; at++) {
        const u32 slot = assets->slot[at & (assets->slot_count - 1)];
        if (!slot) return NULL;
        Asset* asset = assets->asset[slot - 1];
        if (asset->type == type && text_equal(text_of(asset->name), name)) return asset;
    }
}

Asset* assets_resource(Assets* assets, Text name, ResourceType type, u32* index) {
    Asset* asset = assets_file(assets, name, type);
    *index = NONE;
    if (asset || type == RESOURCE_ENTITY || type == RESOURCE_LEVEL) return asset;
    for (u32 bytes = name.bytes; bytes > 0; bytes--) { /* models/fox/walk: is models/fox a model? */
        if (name.at[bytes - 1] != '/') continue;
        asset = assets_file(assets, (Text){name.at, bytes - 1}, RESOURCE_ENTITY);
        if (!asset || asset->form == ASSET_JSON || !asset_read(assets, asset)) continue;
        const ModelResource* r = model_named(asset->model, name, type);
        if (!r) continue;
        *index = r->index;
        return asset;
    }
    return NULL;
}

const char* assets_nearest(const Assets* assets, Text name, ResourceType type) {
    ARRAY(const char*) names = {0};
    for (u32 i = 0; i < assets->count; i++) {
        const Asset* asset = assets->asset[i];
        if (asset->type == type) *array_push(&names) = asset->name;
        for (u32 k = 0; asset->model && k < asset->model->resource_count; k++) {
            const ModelResource* r = &asset->model->resources[k];
            if (r->type == type) *array_push(&names) = r->name;
        }
    }
    const char* near = diag_nearest(name, names.at, names.count);
    if (!near) { /* the right name in the wrong folder */
        u32 tail = name.bytes;
        while (tail > 0 && name.at[tail - 1] != '/') tail--;
        const Text last = {name.at + tail, name.bytes - tail};
        for (u32 i = 0; i < names.count && !near; i++) {
            const Text whole = text_of(names.at[i]);
            if (whole.bytes > last.bytes && whole.at[whole.bytes - last.bytes - 1] == '/' &&
                memcmp(whole.at + whole.bytes - last.bytes, last.at, last.bytes) == 0) {
                near = names.at[i];
            }
        }
    }
    array_drop(&names);
    return near;
}

/* A name without what is not part of it: "lamp.entity.json", "lamp.mesh". */
static Text name_without_suffix(Text name) {
    const Suffix suffix = suffix_of(name);
    u32          dot = name.bytes;
    if (suffix.kind != SUFFIX_NONE) return (Text){name.at, suffix.name_bytes};
    while (dot > 0 && name.at[dot - 1] != '.' && name.at[dot - 1] != '/') dot--;
    if (dot < 2 || name.at[dot - 1] != '.') return name;
    const Text type = {name.at + dot, name.bytes - dot};
    return resource_from_suffix(type) != RESOURCE_NONE ? (Text){name.at, dot - 1} : name;
}

bool assets_name_check(const Assets* assets, const Source* source, u32 offset, Text name) {
    char fixed[256];
    if (name_is_canonical(name, fixed)) return true;
    if (name.bytes > 255) {
        diag_error(assets->diag, E0301, source, offset, name.bytes + 2,
                   "a resource's name has at most 255 bytes");
        return false;
    }
    name_is_canonical(name_without_suffix(name), fixed);
    diag_error(assets->diag, E0301, source, offset, name.bytes + 2,
               "\"%.*s\" is not how a resource is named%s%s%s", (int)name.bytes, name.at,
               *fixed ? "; write \"" : "", fixed, *fixed ? "\"" : "");
    return false;
}

/* A resource of another type that has the name; NULL when there is none. */
static const Asset* assets_namesake(const Assets* assets, Text name) {
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        const Asset* asset = assets_file(assets, name, (ResourceType)type);
        if (asset) return asset;
    }
    return NULL;
}

void assets_missing(const Assets* assets, const Source* source, u32 offset, Text name,
                    ResourceType type) {
    const Asset* other = assets_namesake(assets, name);
    const char*  near = NULL;
    if (!diag_is_flooded(assets->diag)) near = assets_nearest(assets, name, type);
    for (u32 i = 0; other && other->model && i < other->model->resource_count; i++) {
        const ModelResource* r = &other->model->resources[i];
        if (r->type == type) {
            near = r->name;
            break;
        }
    }
    diag_error(assets->diag, E0302, source, offset, name.bytes + 2,
               "there is no %s \"%.*s\"%s%s%s%s%s", ent_resource_suffix(type), (int)name.bytes,
               name.at, other ? "; it is of type " : "",
               other ? ent_resource_suffix(other->type) : "", DIAG_MEANT(near));
}

/* --- reading --- */

static bool asset_map(Assets* assets, Asset* asset) {
    const ent_status status = file_map(&asset->view, asset->source.path);
    if (status != ENT_OK) {
        diag_error(assets->diag, E0302, &asset->source, 0, 1, "the file cannot be read: %s",
                   strerror(errno));
        return false;
    }
    if (asset->view.size > SOURCE_BYTES_MAX) {
        diag_error(assets->diag, E0106, &asset->source, 0, 1,
                   "the file has %zu bytes; at most %u are read", asset->view.size,
                   SOURCE_BYTES_MAX);
        return false;
    }
    asset->source.text = (const char*)asset->view.bytes;
    asset->source.bytes = (u32)asset->view.size;
    return true;
}

bool asset_read(Assets* assets, Asset* asset) {
    if (asset->state != ASSET_NEW) return asset->state == ASSET_GOOD;
    asset->state = ASSET_BAD; /* also for who asks while it is being read */
    if (!asset_map(assets, asset)) return false;
    bool good = true;
    if (asset->form != ASSET_JSON)
        good = model_read(assets, asset);
    else if (asset->type == RESOURCE_MATERIAL || asset->type == RESOURCE_PACKAGE) {
        Json json = json_open(&asset->source, 0, assets->diag);
        good = json_skip(&json) && json_end(&json);
    } else {
        good = doc_read(&asset->doc, &asset->source, asset->type == RESOURCE_LEVEL,
                        assets->registry, &assets->arena, assets->diag);
    }
    asset->state = good ? ASSET_GOOD : ASSET_BAD;
    return good;
}
