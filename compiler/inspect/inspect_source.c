/* inspect_source.c - finds the source positions of the content of a blob with the source map beside
 * it. */
#include "inspect_text.h"

#include <stdio.h>

#include "exit_codes.h"
#include "hash.h"
#include "swap.h"

#define CHAIN_MAX 8 /* maximum number of prefabs that are reported, as in diagnostics */

/* --- the map of a blob --- */

/* The hash in the header, whatever its byte order; false when there is no header. */
static bool header_hash(const BlobFile* file, u64* hash) {
    BlobHeader h;
    if (file->size < sizeof h) return false;
    memcpy(&h, file->bytes, sizeof h);
    const bool flip = h.byte_order == word_swap(BLOB_BYTE_ORDER);
    if (flip) h.hash = resource_swap(h.hash);
    *hash = resource_id(h.hash);
    return memcmp(h.magic, BLOB_MAGIC_BYTES, sizeof h.magic) == 0;
}

bool sources_open(SourceMap* map, const BlobFile* file) {
    u64 hash;
    *map = (SourceMap){0};
    return !file->copy && header_hash(file, &hash) && source_map_open(map, file->path, hash);
}

/* --- text --- */

void put_place(Writer* w, const SourceMap* map, const SourcePlace* place) {
    const Text path = source_map_path(map, place->file);
    const bool json = w->form == TEXT_JSON;
    if (json) put(w, "{\"file\": \"");
    put_bytes(w, path.at, path.bytes);
    put_format(w, json ? "\", \"line\": %u, \"column\": %u}" : ":%u:%u", place->line,
               place->column);
}

void put_chain(Writer* w, const SourceMap* map, SourcePlace place) {
    for (u32 n = 0; n < CHAIN_MAX; n++) {
        const Text prefab = source_map_prefab(map, place.file);
        if (!ent_source_map_outer(&map->reader, &place)) break;
        put(w, n ? ", in the prefab \"" : " in the prefab \"");
        put_bytes(w, prefab.at, prefab.bytes);
        put(w, "\" instanced at ");
        put_place(w, map, &place);
    }
}

/* --- a map alone --- */

bool sources_named(const char* path) {
    const size_t bytes = strlen(path), tail = strlen(SOURCE_MAP_SUFFIX);
    return bytes > tail && strcmp(path + bytes - tail, SOURCE_MAP_SUFFIX) == 0;
}

int sources_verify(const char* path, bool quiet) {
    char      blob[4096];
    BlobFile  file;
    SourceMap map;
    const int bytes = (int)(strlen(path) - strlen(SOURCE_MAP_SUFFIX));
    snprintf(blob, sizeof blob, "%.*s", bytes, path);
    const int code = blob_file_read(&file, blob);
    if (code != EXIT_OK) return code;
    const bool succeeded = sources_open(&map, &file);
    if (succeeded && !quiet) {
        printf("%s: ok (source map of %.*s, %u files)\n", path, (int)map.reader.resource_bytes,
               map.reader.resource, map.reader.file_count);
    }
    source_map_close(&map);
    blob_file_close(&file);
    return succeeded ? EXIT_OK : EXIT_INVALID;
}

/* --- errors --- */

/* The content at an offset of the blob to which a map belongs. */
typedef struct Found {
    const char* table; /* component type; NULL: an entity */
    u32         row;
    SourcePlace place;
} Found;

static bool offset_in_column(u32 offset, u64 start, u32 element, u32 count, u32* row) {
    if (offset < start || offset >= start + (u64)element * count) return false;
    *row = (u32)((offset - start) / element);
    return true;
}

/* Uses the section offsets of the map, because the table of the blob may be damaged. */
static bool component_find(const SourceMap* map, const ComponentType* type,
                           const EntSourceRows* rows, u32 offset, Found* found) {
    const RecordType* record = &type->record;
    found->table = record->name;
    if (offset_in_column(offset, rows->offset, 4, rows->count, &found->row)) {
        return ent_source_map_layer(&map->reader, type->id, found->row, 0, &found->place);
    }
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        const u64 start = rows->offset + component_column_start(type, rows->count, c);
        const u32 element = ent_component_column_bytes(type, c);
        u32       field = c;
        if (!offset_in_column(offset, start, element, rows->count, &found->row)) continue;
        if (type->columns == BY_RECORD) {
            const u32 at = (u32)(offset - start) % element;
            while (field + 1 < record->field_count && record->fields[field + 1].offset <= at)
                field++;
        }
        return ent_source_map_field(&map->reader, type->id, found->row, field, &found->place);
    }
    return false;
}

static bool offset_find(const SourceMap* map, const BlobOptions* known, u32 offset, Found* found) {
    const EntSourceRows* entities = &map->reader.entities;
    *found = (Found){0};
    if (offset_in_column(offset, entities->offset, 4, entities->count, &found->row)) {
        return ent_source_map_entity(&map->reader, found->row, &found->place);
    }
    for (u32 i = 0; i < map->reader.component_count; i++) {
        const EntSourceRows* rows = &map->reader.component[i];
        const ComponentType* type = known_type_find(known, rows->component);
        if (type && component_find(map, type, rows, offset, found)) return true;
    }
    return false;
}

static void note(const SourceMap* map, const SourcePlace* place) {
    const Text path = source_map_path(map, place->file);
    fprintf(stderr, "%.*s:%u:%u: note: ", (int)path.bytes, path.at, place->line, place->column);
}

static void found_print(const SourceMap* map, const Found* found) {
    SourcePlace place = found->place;
    note(map, &place);
    if (found->table)
        fprintf(stderr, "%s[%u] is defined here\n", found->table, found->row);
    else
        fprintf(stderr, "entity %u is defined here\n", found->row);
    for (u32 n = 0; n < CHAIN_MAX; n++) {
        const Text prefab = source_map_prefab(map, place.file);
        if (!ent_source_map_outer(&map->reader, &place)) break;
        note(map, &place);
        fprintf(stderr, "in the prefab \"%.*s\", instanced here\n", (int)prefab.bytes, prefab.at);
    }
}

/* The checksum shows only that something is damaged: it may be a value that is invalid itself. */
static bool fault_beyond_hash(const BlobFile* file, const BlobOptions* options, BlobFault* fault) {
    BlobOptions trusting = options ? *options : (BlobOptions){0};
    BlobFile    again = {.path = file->path, .bytes = file->bytes, .size = file->size};
    trusting.skip_hash = 1;
    const bool refused = blob_file_validate(&again, &trusting) != ENT_OK;
    *fault = again.fault;
    memory_free(again.swapped);
    file_types_drop(again.file_types);
    return refused;
}

/* Without a position of the damaged value, which the hash of the header may prevent. */
static void source_print(const SourceMap* map) {
    note(map, &map->reader.source);
    fprintf(stderr, "according to the source map, \"%.*s\" is compiled from here; build it again\n",
            (int)map->reader.resource_bytes, map->reader.resource);
}

/* Of a map that is damaged too. */
static void source_print_damaged(const char* blob_path) {
    SourceMap map;
    Text      source;
    if (!source_map_open_damaged(&map, blob_path, &source)) return;
    fprintf(
        stderr,
        "%.*s: note: according to the first lines of the source map, which is damaged too, \"%s\" "
        "is compiled from this file; build it again\n",
        (int)source.bytes, source.at, blob_path);
    source_map_close(&map);
}

/* The hash of the header is that of the map: so the damaged value was valid when the map was
 * written, and had the same offset. */
void sources_report_fault(const BlobFile* file, const BlobOptions* options) {
    SourceMap map;
    Found     found;
    BlobFault fault = file->fault;
    bool      known = sources_open(&map, file);
    if (!known && file->copy) return;
    if (!known && !source_map_open_apart(&map, file->path)) {
        source_print_damaged(file->path);
        return;
    }
    if (known && fault.status == ENT_BAD_HASH) {
        known = fault_beyond_hash(file, options, &fault);
        if (known) {
            fprintf(stderr, "%s: note: %s at offset %u: %s\n", file->path, fault.field,
                    fault.offset, fault.reason);
        }
    }
    if (known && offset_find(&map, &file->known, fault.offset, &found))
        found_print(&map, &found);
    else
        source_print(&map);
    source_map_close(&map);
}
