/* source_map.c - reads source maps. A map is validated completely when it is opened; lookups read
 * single lines again. */
#include "source_map.h"

#include <errno.h>
#include <stdio.h>

#include "diag.h"
#include "hash.h"
#include "sections.h"

#define END_BYTES      23u /* "end 0x", 16 digits and a newline */
#define LINE_BYTES_MIN 6u  /* "0:1:1" and a newline */
#define NESTED_MAX     64u /* nesting of prefabs: FLAT_DEPTH_MAX */
#define SECTIONS_MAX   96u /* component types: REGISTRY_TYPES_MAX */

/* --- words --- */

/* The remaining text. */
typedef struct Scan {
    const char *at, *end;
} Scan;

static bool take(Scan* scan, const char* text) {
    const size_t bytes = strlen(text);
    if ((size_t)(scan->end - scan->at) < bytes || memcmp(scan->at, text, bytes) != 0) return false;
    scan->at += bytes;
    return true;
}

/* Reads up to a byte, which is skipped. */
static bool take_until(Scan* scan, char stop, Text* text) {
    const char* end = memchr(scan->at, stop, (size_t)(scan->end - scan->at));
    if (!end) return false;
    *text = (Text){scan->at, (u32)(end - scan->at)};
    scan->at = end + 1;
    return true;
}

static bool take_number(Scan* scan, u32* number) {
    u64         value = 0;
    const char* first = scan->at;
    while (scan->at < scan->end && *scan->at >= '0' && *scan->at <= '9' && value <= UINT32_MAX) {
        value = value * 10 + (u64)(*scan->at++ - '0');
    }
    *number = (u32)value;
    return scan->at > first && value < NONE;
}

static bool take_hex(Scan* scan, u64* number) {
    const char* first = scan->at;
    for (*number = 0; scan->at < scan->end && scan->at < first + 16; scan->at++) {
        const char  c = *scan->at;
        const char* digits = "0123456789abcdef";
        const char* digit = c ? strchr(digits, c) : NULL;
        if (!digit) break;
        *number = *number << 4 | (u64)(digit - digits);
    }
    return scan->at > first;
}

static bool take_position(Scan* scan, u32* line, u32* column) {
    return take_number(scan, line) && take(scan, ":") && take_number(scan, column) && *line > 0 &&
           *column > 0;
}

/* FILE:LINE:COLUMN, then the optional @SCOPE, >FILE and =FIELDS. */
static bool take_place(Scan* scan, const SourceMap* map, SourcePlace* p) {
    *p = (SourcePlace){.scope = NONE, .prefab = NONE, .given = ~0ull};
    return take_number(scan, &p->file) && p->file < map->files.count && take(scan, ":") &&
           take_position(scan, &p->line, &p->column) &&
           (!take(scan, "@") || take_number(scan, &p->scope)) &&
           (!take(scan, ">") || (take_number(scan, &p->prefab) && p->prefab < map->files.count)) &&
           (!take(scan, "=") || take_hex(scan, &p->given));
}

/* --- opening --- */

static bool name_byte(char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
}

/* A path of canonical names below the source folder, which can be printed to a terminal
 * unchanged. */
static bool path_is_plain(Text path) {
    u32 first = 0;
    for (u32 i = 0; i <= path.bytes; i++) {
        if (i < path.bytes && path.at[i] != '/') {
            if (!name_byte(path.at[i])) return false;
            continue;
        }
        if (i == first || path.at[first] == '.') return false; /* "", ".", "..", hidden names */
        first = i + 1;
    }
    return true;
}

/* NAME.TYPE */
static bool resource_is_plain(Text resource) {
    u32 dot = resource.bytes;
    while (dot > 0 && resource.at[dot - 1] != '.') dot--;
    return dot > 0 && resource_name_is_canonical((Text){resource.at, dot - 1}) &&
           resource_from_suffix((Text){resource.at + dot, resource.bytes - dot}) != RESOURCE_NONE;
}

static bool head_read(SourceMap* map, Scan* scan) {
    return take(scan, SOURCE_MAP_MAGIC) && take(scan, "blob 0x") && take_hex(scan, &map->blob) &&
           take(scan, " ") && take_until(scan, '\n', &map->resource) &&
           resource_is_plain(map->resource);
}

/* "file PATH", or "file PATH LINE:COLUMN>FILE". */
static bool files_read(SourceMap* map, Scan* scan) {
    Text line;
    bool is_valid = true;
    while (is_valid && take(scan, "file ")) {
        MapFile file = {.prefab = NONE};
        if (!take_until(scan, '\n', &line)) return false;
        const char* space = memchr(line.at, ' ', line.bytes);
        Scan        rest = {space ? space + 1 : line.at, line.at + line.bytes};
        file.path = (Text){line.at, space ? (u32)(space - line.at) : line.bytes};
        is_valid = path_is_plain(file.path);
        if (space) {
            is_valid = is_valid && take_position(&rest, &file.line, &file.column) &&
                       take(&rest, ">") && take_number(&rest, &file.prefab) && rest.at == rest.end;
        }
        *array_push(&map->files) = file;
    }
    for (u32 i = 0; i < map->files.count && is_valid; i++) {
        is_valid = map->files.at[i].prefab == NONE || map->files.at[i].prefab < map->files.count;
    }
    return is_valid;
}

/* " COUNT OFFSET", and memory for the following lines. */
static bool rows_begin(SourceMap* map, Scan* scan, MapRows* rows) {
    if (!take(scan, " ") || !take_number(scan, &rows->count) || !take(scan, " ") ||
        !take_number(scan, &rows->offset) || !take(scan, "\n") ||
        rows->count > (size_t)(scan->end - scan->at) / LINE_BYTES_MIN) {
        return false;
    }
    rows->line = ARENA_NEW(&map->arena, u32, rows->count + 1);
    return true;
}

/* The scope entity comes before the entity; the same applies to all outer scopes. */
static bool entities_read(SourceMap* map, Scan* scan) {
    SourcePlace p;
    if (!take(scan, "entities")) return true;
    if (!rows_begin(map, scan, &map->entities)) return false;
    for (u32 i = 0; i < map->entities.count; i++) {
        map->entities.line[i] = (u32)(scan->at - map->text);
        if (!take_place(scan, map, &p) || !take(scan, "\n")) return false;
        if (p.scope != NONE && p.scope >= i) return false;
    }
    return true;
}

static bool row_read(const SourceMap* map, Scan* scan) {
    SourcePlace p;
    do {
        if (!take_place(scan, map, &p)) return false;
        if (p.scope != NONE && p.scope >= map->entities.count) return false;
    } while (take(scan, " "));
    return take(scan, "\n");
}

static const MapRows* rows_find(const SourceMap* map, u32 identifier) {
    for (u32 i = 0; i < map->components.count; i++) {
        if (map->components.at[i].identifier == identifier) return &map->components.at[i];
    }
    return NULL;
}

static bool components_read(SourceMap* map, Scan* scan) {
    Text name;
    while (take(scan, "component ")) {
        MapRows rows = {0};
        if (!take_until(scan, ' ', &name)) return false;
        scan->at--; /* which rows_begin skips */
        rows.identifier = hash_name(name);
        if (map->components.count == SECTIONS_MAX || rows_find(map, rows.identifier)) return false;
        if (!rows_begin(map, scan, &rows)) return false;
        for (u32 i = 0; i < rows.count; i++) {
            rows.line[i] = (u32)(scan->at - map->text);
            if (!row_read(map, scan)) return false;
        }
        *array_push(&map->components) = rows;
    }
    return true;
}

/* The hash at the end covers everything before it. */
static bool end_is_valid(const SourceMap* map) {
    const size_t bytes = map->view.size;
    u64          hash;
    if (bytes < END_BYTES || bytes > UINT32_MAX) return false;
    Scan scan = {map->text + bytes - END_BYTES, map->text + bytes};
    return take(&scan, "end 0x") && take_hex(&scan, &hash) && take(&scan, "\n") &&
           scan.at == scan.end && hash == hash_bytes(map->text, bytes - END_BYTES, 0);
}

static bool map_read(SourceMap* map) {
    if (!end_is_valid(map)) return false;
    Scan scan = {map->text, map->text + map->view.size - END_BYTES};
    return head_read(map, &scan) && files_read(map, &scan) && take(&scan, "resource ") &&
           take_place(&scan, map, &map->source) && take(&scan, "\n") && entities_read(map, &scan) &&
           components_read(map, &scan) && scan.at == scan.end;
}

static bool unused(SourceMap* map, const char* path, const char* why) {
    fprintf(stderr, "%s: note: the source map is not used: %s\n", path, why);
    source_map_close(map);
    return false;
}

bool source_map_open(SourceMap* map, const char* blob_path, u64 hash) {
    char path[4096];
    *map = (SourceMap){.source = {.scope = NONE, .prefab = NONE}};
    if (snprintf(path, sizeof path, "%s" SOURCE_MAP_SUFFIX, blob_path) >= (int)sizeof path) {
        return false;
    }
    const ent_status status = file_map(&map->view, path);
    if (status == ENT_NOT_FOUND) return false;
    if (status != ENT_OK) {
        io_failure("cannot read the source map", path);
        map->unread = status;
        return false;
    }
    map->text = (const char*)map->view.bytes;
    if (!map_read(map))
        return unused(map, path, "it is damaged, or was written by another version of entc");
    if (map->blob != hash)
        return unused(map, path, "it does not belong to the current content of the blob");
    return true;
}

bool source_map_open_apart(SourceMap* map, const char* blob_path) {
    char path[4096];
    *map = (SourceMap){.source = {.scope = NONE, .prefab = NONE}};
    if (snprintf(path, sizeof path, "%s" SOURCE_MAP_SUFFIX, blob_path) >= (int)sizeof path ||
        file_map(&map->view, path) != ENT_OK) {
        return false;
    }
    map->text = (const char*)map->view.bytes;
    if (map_read(map)) return true;
    source_map_close(map);
    return false;
}

void source_map_close(SourceMap* map) {
    file_unmap(&map->view);
    arena_drop(&map->arena);
    array_drop(&map->files);
    array_drop(&map->components);
    *map = (SourceMap){0};
}

/* Only the head: the rest may be of another version. */
static bool head_names(SourceMap* map, Text name, ResourceType type) {
    Scan        scan = {map->text, map->text + map->view.size};
    const char* suffix = ent_resource_suffix(type);
    const u32   bytes = (u32)strlen(suffix);
    return head_read(map, &scan) && map->resource.bytes == name.bytes + 1 + bytes &&
           memcmp(map->resource.at, name.at, name.bytes) == 0 &&
           map->resource.at[name.bytes] == '.' &&
           memcmp(map->resource.at + name.bytes + 1, suffix, bytes) == 0;
}

ent_status source_map_is_of(const char* path, Text name, ResourceType type, bool* own) {
    SourceMap        map = {0};
    const ent_status status = file_map(&map.view, path);
    *own = false;
    if (status == ENT_NOT_FOUND) return ENT_OK;
    if (status != ENT_OK) return errno == EISDIR || errno == EINVAL ? ENT_OK : ENT_IO;
    map.text = (const char*)map.view.bytes;
    *own = head_names(&map, name, type);
    source_map_close(&map);
    return ENT_OK;
}

bool source_map_names(const char* text, size_t bytes, Text name, ResourceType type) {
    SourceMap map = {.text = text, .view.size = bytes};
    return end_is_valid(&map) && head_names(&map, name, type);
}

/* --- lookup --- */

static Scan line_at(const SourceMap* map, u32 offset) {
    return (Scan){map->text + offset, map->text + map->view.size};
}

bool source_map_entity(const SourceMap* map, u32 entity, SourcePlace* place) {
    if (entity >= map->entities.count) return false;
    Scan scan = line_at(map, map->entities.line[entity]);
    return take_place(&scan, map, place);
}

bool source_map_has(const SourceMap* map, u32 identifier, u32 count, u32 offset) {
    const MapRows* rows = rows_find(map, identifier);
    return rows && rows->count == count && rows->offset == offset;
}

bool source_map_layer(const SourceMap* map, u32 identifier, u32 row, u32 layer,
                      SourcePlace* place) {
    const MapRows* rows = rows_find(map, identifier);
    if (!rows || row >= rows->count) return false;
    Scan scan = line_at(map, rows->line[row]);
    bool is_valid = take_place(&scan, map, place);
    for (; is_valid && layer > 0; layer--)
        is_valid = take(&scan, " ") && take_place(&scan, map, place);
    return is_valid;
}

bool source_map_field(const SourceMap* map, u32 identifier, u32 row, u32 field,
                      SourcePlace* place) {
    const MapRows* rows = rows_find(map, identifier);
    if (!rows || row >= rows->count) return false;
    Scan scan = line_at(map, rows->line[row]);
    while (field < 64 && take_place(&scan, map, place)) {
        if (place->given >> field & 1) return true;
        if (!take(&scan, " ")) break;
    }
    return source_map_layer(map, identifier, row, 0, place);
}

/* "props/lamp" of "props/lamp.fr.entity.json". */
static Text prefab_name(Text path) {
    u32 first = path.bytes;
    while (first > 0 && path.at[first - 1] != '/') first--;
    const char* dot = memchr(path.at + first, '.', path.bytes - first);
    return (Text){path.at, dot ? (u32)(dot - path.at) : path.bytes};
}

/* The scope entity instances a file, the root of which may instance another one, and so on; one of
 * them is the file of `place`. */
bool source_map_outer(const SourceMap* map, SourcePlace* place, Text* prefab) {
    SourcePlace scope;
    u32         above = NONE;
    if (!source_map_entity(map, place->scope, &scope)) return false;
    u32 file = scope.prefab;
    for (u32 i = 0; i < NESTED_MAX && file != NONE && file != place->file; i++) {
        above = file;
        file = map->files.at[file].prefab;
    }
    if (file != place->file) return false;
    *prefab = prefab_name(map->files.at[file].path);
    if (above == NONE) {
        *place = scope;
        return true;
    }
    place->file = above;
    place->line = map->files.at[above].line;
    place->column = map->files.at[above].column;
    return true;
}
