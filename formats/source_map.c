/* source_map.c - reads source maps: FORMAT.md, section 12. A map is validated completely when it is
 * opened; lookups read single lines again. */
#include "source_map.h"

#include "hash.h"
#include "search.h"
#include "sections.h"
#include "utf8.h"

#define END_BYTES    23u /* "end 0x", 16 digits and a newline */
#define NESTED_MAX   64u /* nesting of prefabs: FLAT_DEPTH_MAX */
#define SECTIONS_MAX 96u /* component types: REGISTRY_TYPES_MAX */

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
static bool take_place(Scan* scan, const EntSourceMap* map, SourcePlace* p) {
    *p = (SourcePlace){.scope = NONE, .prefab = NONE, .given = ~0ull};
    return take_number(scan, &p->file) && p->file < map->file_count && take(scan, ":") &&
           take_position(scan, &p->line, &p->column) &&
           (!take(scan, "@") || take_number(scan, &p->scope)) &&
           (!take(scan, ">") || (take_number(scan, &p->prefab) && p->prefab < map->file_count)) &&
           (!take(scan, "=") || take_hex(scan, &p->given));
}

/* --- memory --- */

/* What the memory of a map contains, one after the other. */
typedef struct Counts {
    size_t files, components;
    size_t lines; /* all, and one behind the last */
} Counts;

/* Lines that begin in the same way: at least as many as a valid map has of each. */
static Counts lines_count(const char* text, size_t size) {
    Counts counts = {.lines = 1};
    Scan   scan = {text, text + size};
    Text   line;
    for (; scan.at < scan.end; counts.lines++) {
        if (take(&scan, "file ")) counts.files++;
        if (take(&scan, "component ")) counts.components++;
        if (!take_until(&scan, '\n', &line)) break;
    }
    return counts;
}

size_t ent_source_map_bytes(const char* text, size_t size) {
    const Counts counts = lines_count(text, size);
    return counts.files * sizeof(EntSourceFile) + counts.components * sizeof(EntSourceRows) +
           counts.lines * sizeof(u32);
}

/* A map that is being read, and the parts of its memory that are still free. */
typedef struct Opening {
    EntSourceMap*  map;
    Scan           scan;
    EntSourceFile* file;
    EntSourceRows* component;
    u32*           line;
} Opening;

static Opening opening_begin(EntSourceMap* map, void* memory) {
    const Counts counts = lines_count(map->text, map->size);
    Opening      o = {.map = map, .file = memory};
    o.component = (EntSourceRows*)(o.file + counts.files);
    o.line = (u32*)(o.component + counts.components);
    map->file = o.file, map->component = o.component;
    o.scan = (Scan){map->text, map->text + map->size - END_BYTES};
    return o;
}

/* --- opening --- */

/* The text after the last '.' has no space: a damaged line with further words is no path. */
static bool has_extension(Text path) {
    u32 first = path.bytes;
    while (first > 0 && path.at[first - 1] != '.' && path.at[first - 1] != ' ') first--;
    return first > 0 && path.at[first - 1] == '.';
}

/* A path below the source folder, which can be printed to a terminal unchanged. */
static bool path_is_plain(Text path) {
    u32 first = 0;
    for (u32 i = 0; i <= path.bytes; i++) {
        if (i < path.bytes && path.at[i] != '/') continue;
        if (i == first || path.at[first] == '.') return false; /* "", ".", "..", hidden names */
        first = i + 1;
    }
    return text_is_printable(path) && has_extension(path);
}

/* NAME.TYPE */
static bool resource_is_plain(const char* at, u32 bytes) {
    u32 dot = bytes;
    while (dot > 0 && at[dot - 1] != '.') dot--;
    return dot > 0 && resource_name_is_canonical((Text){at, dot - 1}) &&
           resource_from_suffix((Text){at + dot, bytes - dot}) != RESOURCE_NONE;
}

static bool head_read(EntSourceMap* map, Scan* scan) {
    Text resource = {0};
    u64  hash;
    if (!take(scan, ENT_SOURCE_MAP_MAGIC) || !take(scan, "blob 0x") || !take_hex(scan, &hash) ||
        !take(scan, " ") || !take_until(scan, '\n', &resource)) {
        return false;
    }
    map->blob = (EntResourceRef){(u32)hash, (u32)(hash >> 32)};
    map->resource = resource.at, map->resource_bytes = resource.bytes;
    return resource_is_plain(resource.at, resource.bytes);
}

/* "props/lamp" of "props/lamp.fr.entity.json". */
static u32 name_bytes(Text path) {
    u32 first = path.bytes;
    while (first > 0 && path.at[first - 1] != '/') first--;
    const char* dot = memchr(path.at + first, '.', path.bytes - first);
    return dot ? (u32)(dot - path.at) : path.bytes;
}

/* Removes the last word of a line of several words; empty: there is only one. */
static Text take_last(Text* line) {
    u32 first = line->bytes;
    while (first > 0 && line->at[first - 1] != ' ') first--;
    const Text word = {line->at + first, first > 0 ? line->bytes - first : 0};
    if (first > 0) line->bytes = first - 1;
    return word;
}

/* "=NAME", if the path states another name or none. Paths have extensions and may have spaces: only other words end
 * without an extension. */
static bool file_read_name(Text* line, EntSourceFile* file) {
    Text       rest = *line;
    const Text word = take_last(&rest);
    file->name = line->at;
    if (word.bytes == 0 || *word.at != '=') return true;
    const Text name = {word.at + 1, word.bytes - 1};
    if (!resource_name_is_canonical(name)) return memchr(word.at, '.', word.bytes) != NULL;
    *line = rest;
    file->name = name.at, file->name_bytes = name.bytes;
    return true;
}

/* "LINE:COLUMN>FILE" */
static void file_read_prefab(Text* line, EntSourceFile* file) {
    Text       rest = *line;
    const Text word = take_last(&rest);
    Scan       scan = {word.at, word.at + word.bytes};
    if (word.bytes > 0 && take_position(&scan, &file->line, &file->column) && take(&scan, ">") &&
        take_number(&scan, &file->prefab) && scan.at == scan.end)
        *line = rest;
    else
        file->line = file->column = 0, file->prefab = NONE;
}

/* "file PATH", then the optional LINE:COLUMN>FILE and =NAME. */
static bool file_read(Scan* scan, EntSourceFile* file) {
    Text line = {0};
    *file = (EntSourceFile){.prefab = NONE};
    if (!take(scan, "file ") || !take_until(scan, '\n', &line)) return false;
    if (!file_read_name(&line, file)) return false;
    file_read_prefab(&line, file);
    file->path = line.at, file->path_bytes = line.bytes;
    if (!path_is_plain(line)) return false;
    const u32 stated = name_bytes(line);
    if (file->name == line.at)
        file->name_bytes = stated;
    else if (text_equal((Text){file->name, file->name_bytes}, (Text){line.at, stated}))
        return false;
    return true;
}

static bool at_file(const Scan* scan) {
    Scan ahead = *scan;
    return take(&ahead, "file ");
}

static bool files_read(Opening* o) {
    EntSourceMap* map = o->map;
    for (; at_file(&o->scan); map->file_count++) {
        if (!file_read(&o->scan, o->file++)) return false;
    }
    for (u32 i = 0; i < map->file_count; i++) {
        if (map->file[i].prefab != NONE && map->file[i].prefab >= map->file_count) return false;
    }
    return true;
}

/* " COUNT OFFSET"; the lines of the rows follow. */
static bool rows_begin(Opening* o, EntSourceRows* rows) {
    Scan* scan = &o->scan;
    rows->line = o->line;
    return take(scan, " ") && take_number(scan, &rows->count) && take(scan, " ") &&
           take_number(scan, &rows->offset) && take(scan, "\n");
}

/* Each row was preceded by a line, so that the memory suffices whatever the count is. */
static void line_begin(Opening* o) { *o->line++ = (u32)(o->scan.at - o->map->text); }

/* The scope entity comes before the entity; the same applies to all outer scopes. */
static bool entities_read(Opening* o) {
    EntSourceRows* rows = &o->map->entities;
    SourcePlace    p;
    if (!take(&o->scan, "entities")) return true;
    if (!rows_begin(o, rows)) return false;
    for (u32 i = 0; i < rows->count; i++) {
        line_begin(o);
        if (!take_place(&o->scan, o->map, &p) || !take(&o->scan, "\n")) return false;
        if (p.scope != NONE && p.scope >= i) return false;
    }
    return true;
}

static bool row_read(Opening* o) {
    SourcePlace p;
    line_begin(o);
    do {
        if (!take_place(&o->scan, o->map, &p)) return false;
        if (p.scope != NONE && p.scope >= o->map->entities.count) return false;
    } while (take(&o->scan, " "));
    return take(&o->scan, "\n");
}

static const EntSourceRows* rows_find(const EntSourceMap* map, u32 component) {
    for (u32 i = 0; i < map->component_count; i++) {
        if (map->component[i].component == component) return &map->component[i];
    }
    return NULL;
}

static bool components_read(Opening* o) {
    EntSourceMap* map = o->map;
    Text          name;
    for (; take(&o->scan, "component "); map->component_count++) {
        EntSourceRows rows = {0};
        if (!take_until(&o->scan, ' ', &name)) return false;
        o->scan.at--; /* which rows_begin skips */
        rows.component = hash_name(name);
        if (map->component_count == SECTIONS_MAX || rows_find(map, rows.component)) return false;
        if (!rows_begin(o, &rows)) return false;
        for (u32 i = 0; i < rows.count; i++) {
            if (!row_read(o)) return false;
        }
        o->component[map->component_count] = rows;
    }
    return true;
}

/* The hash at the end covers everything before it. */
bool source_map_is_complete(const char* text, size_t size) {
    u64 hash;
    if (size < END_BYTES || size > UINT32_MAX) return false;
    Scan scan = {text + size - END_BYTES, text + size};
    return take(&scan, "end 0x") && take_hex(&scan, &hash) && take(&scan, "\n") &&
           scan.at == scan.end && hash == hash_bytes(text, size - END_BYTES, 0);
}

static EntStatus map_read(EntSourceMap* map, void* memory) {
    Scan first = {map->text, map->text + map->size};
    if (!take(&first, ENT_SOURCE_MAP_MAGIC)) return ENT_BAD_VERSION;
    if (!source_map_is_complete(map->text, map->size)) return ENT_BAD_HASH;
    Opening    o = opening_begin(map, memory);
    const bool valid = head_read(map, &o.scan) && files_read(&o) && take(&o.scan, "resource ") &&
                       take_place(&o.scan, map, &map->source) && take(&o.scan, "\n") &&
                       entities_read(&o) && components_read(&o) && o.scan.at == o.scan.end;
    return valid ? ENT_OK : ENT_BAD_FIELD;
}

EntStatus ent_source_map_open(EntSourceMap* out, const char* text, size_t size, void* memory) {
    *out = (EntSourceMap){.text = text, .size = size};
    const EntStatus status = map_read(out, memory);
    if (status != ENT_OK) *out = (EntSourceMap){0};
    return status;
}

/* --- damaged maps --- */

bool source_map_head(EntSourceMap* out, const char* text, size_t size) {
    Scan scan = {text, text + size};
    *out = (EntSourceMap){0};
    return head_read(out, &scan);
}

static bool path_is_canonical(Text path) {
    bool is_canonical = true;
    for (u32 i = 0; i < path.bytes && is_canonical; i++) {
        const char c = path.at[i];
        is_canonical = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || strchr("_-./", c);
    }
    return is_canonical;
}

bool source_map_first_file(const char* text, size_t size, EntSourceMap* head, EntSourceFile* file) {
    Scan scan = {text, text + size};
    *head = (EntSourceMap){0};
    if (!head_read(head, &scan) || !file_read(&scan, file)) return false;
    /* A model contains the resources models/box/NAME.TYPE. Of another path, nothing shows whether it is damaged. */
    return path_is_canonical((Text){file->path, file->path_bytes}) && file->name == file->path &&
           file->name_bytes < head->resource_bytes &&
           memcmp(file->name, head->resource, file->name_bytes) == 0 &&
           (head->resource[file->name_bytes] == '.' || head->resource[file->name_bytes] == '/');
}

/* --- lookup --- */

int ent_source_map_is_of(const EntSourceMap* map, const EntBlob* blob) {
    const EntResourceRef hash = blob->header->hash;
    return map->text && map->blob.lo == hash.lo && map->blob.hi == hash.hi;
}

bool source_map_has(const EntSourceMap* map, u32 component, u32 count, u32 offset) {
    const EntSourceRows* rows = rows_find(map, component);
    return rows && rows->count == count && rows->offset == offset;
}

int ent_source_map_find(const EntSourceMap* map, const EntBlob* blob, uint32_t entity,
                        const EntComponentType* type, uint32_t field, EntSourcePlace* place) {
    if (!type) return ent_source_map_entity(map, entity, place);
    const BlobSection* section = ent_blob_component(blob, type->id);
    if (!section || !source_map_has(map, type->id, section->count, section->offset)) return 0;
    const u32* owner = ent_blob_data(blob, section);
    const u32  row = search_words(owner, section->count, entity);
    if (row == section->count || owner[row] != entity) return 0;
    return ent_source_map_field(map, type->id, row, field, place);
}

static Scan line_at(const EntSourceMap* map, u32 offset) {
    return (Scan){map->text + offset, map->text + map->size};
}

int ent_source_map_entity(const EntSourceMap* map, uint32_t entity, EntSourcePlace* place) {
    if (entity >= map->entities.count) return 0;
    Scan scan = line_at(map, map->entities.line[entity]);
    return take_place(&scan, map, place);
}

int ent_source_map_layer(const EntSourceMap* map, uint32_t component, uint32_t row, uint32_t layer,
                         EntSourcePlace* place) {
    const EntSourceRows* rows = rows_find(map, component);
    if (!rows || row >= rows->count) return 0;
    Scan scan = line_at(map, rows->line[row]);
    bool is_valid = take_place(&scan, map, place);
    for (; is_valid && layer > 0; layer--)
        is_valid = take(&scan, " ") && take_place(&scan, map, place);
    return is_valid;
}

int ent_source_map_field(const EntSourceMap* map, uint32_t component, uint32_t row, uint32_t field,
                         EntSourcePlace* place) {
    const EntSourceRows* rows = rows_find(map, component);
    if (!rows || row >= rows->count) return 0;
    Scan scan = line_at(map, rows->line[row]);
    while (field < 64 && take_place(&scan, map, place)) {
        if (place->given >> field & 1) return 1;
        if (!take(&scan, " ")) break;
    }
    return ent_source_map_layer(map, component, row, 0, place);
}

/* The scope entity instances a file, the root of which may instance another one, and so on; one of
 * them is the file of `place`. */
int ent_source_map_outer(const EntSourceMap* map, EntSourcePlace* place) {
    SourcePlace scope;
    u32         above = NONE;
    if (!ent_source_map_entity(map, place->scope, &scope)) return 0;
    u32 file = scope.prefab;
    for (u32 i = 0; i < NESTED_MAX && file != NONE && file != place->file; i++) {
        above = file;
        file = map->file[file].prefab;
    }
    if (file != place->file) return 0;
    if (above == NONE) {
        *place = scope;
        return 1;
    }
    place->file = above;
    place->line = map->file[above].line;
    place->column = map->file[above].column;
    return 1;
}
