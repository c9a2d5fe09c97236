/* annotate.c - describes every byte range of a blob, from offset 0 to the end without a gap.
 *
 * It is used to analyse damaged files, so it trusts nothing: it reads the bytes of the file, in
 * either byte order, and ranges that a damaged header or table does not describe are shown as
 * bytes. */
#include "inspect_text.h"

#include "exit_codes.h"
#include "hash.h"
#include "swap.h"

#define HEX_COLUMN     18
#define TYPE_COLUMN    54
#define VALUE_COLUMN   66
#define MEANING_COLUMN 98
#define RAW_BYTES      16 /* in a row without meaning */

typedef struct Annotation {
    Writer*            out;
    Writer *           shown, *hidden; /* of rows that contain the wanted byte, and of others; or
                                        * NULL: all rows are written to `out` */
    u64                wanted;
    const u8*          bytes;
    u64                size;
    u64                at;         /* everything before it was described */
    u64                line_start; /* in the output */
    bool               flip;       /* the words of the file have the other byte order */
    const BlobOptions* options;
    const BlobTables*  tables;    /* NULL when the blob is invalid */
    const SourceMap*   map;       /* or an empty one */
    const GroupRecord* groups;    /* rows of the current section are of these; or NULL */
    u32                entities;  /* 1: they are of entities */
    u32                component; /* or are instances of this type; 0: neither */
    const Field*       fields;    /* of the section */
} Annotation;

static u32 word_at(const Annotation* a, u64 offset) {
    u32 word;
    assert(offset + 4 <= a->size);
    memcpy(&word, a->bytes + offset, 4);
    return word_read(word, a->flip);
}

/* offset  bytes  hex  type, and then the place for the value */
static void row_begin(Annotation* a, u64 bytes, const char* type) {
    assert(a->at + bytes <= a->size);
    if (a->hidden) a->out = a->wanted >= a->at && a->wanted < a->at + bytes ? a->shown : a->hidden;
    Writer* w = a->out;
    a->line_start = writer_at(w);
    put_format(w, "%08llx %8llu", (unsigned long long)a->at, (unsigned long long)bytes);
    put_column(w, a->line_start, HEX_COLUMN);
    for (u64 i = 0; i < MIN_OF(bytes, (u64)RAW_BYTES); i++) {
        const u8   byte = a->bytes[a->at + i];
        const char text[] = {' ', "0123456789abcdef"[byte >> 4], "0123456789abcdef"[byte & 15]};
        const u32  space = i && i % 4 == 0 ? 1 : 0;
        put_bytes(w, text + 1 - space, 2 + space);
    }
    put_column(w, a->line_start, TYPE_COLUMN);
    put(w, type);
    put_column(w, a->line_start, VALUE_COLUMN);
    a->at += bytes;
}

static void row_meaning(Annotation* a) { put_column(a->out, a->line_start, MEANING_COLUMN); }

static void row_raw(Annotation* a, u64 bytes, const char* meaning) {
    row_begin(a, bytes, "bytes");
    row_meaning(a);
    put_format(a->out, "%s\n", meaning);
}

/* Rows up to `end`: zeros are padding. */
static void gap(Annotation* a, u64 end, const char* meaning) {
    u8 any = 0;
    for (u64 i = a->at; i < end; i++) any |= a->bytes[i];
    if (a->at < end && !any) {
        row_begin(a, end - a->at, "zeros");
        row_meaning(a);
        put(a->out, "padding\n");
    }
    while (a->at < end) row_raw(a, MIN_OF(end - a->at, (u64)RAW_BYTES), meaning);
}

/* --- header and table --- */

typedef struct Member {
    const char* name;
    u32         bytes;
    const char* text;
} Member;

static const Member header_members[] = {
    {"magic", 4, "\"ENTB\" in every byte order"},
    {"byte_order", 4, "0x01020304 as the target writes it"},
    {"version", 4, "version of the format"},
    {"resource_type", 4, "type of the resource"},
    {"resource", 8, "hash of the resource's `name.type`"},
    {"blob_bytes", 4, "size of the complete blob"},
    {"section_count", 4, "rows of the table that follows"},
    {"element_count", 4,
     "entities, vertices, joints, tracks, fields, roots, levels, bytes; 1 for a material"},
    {"zero", 20, "must be 0"},
    {"hash", 8, "hash of all bytes before and after it"},
};

static const Member section_members[] = {
    {"kind", 4, "kind of the section"},
    {"identifier", 4, "id of the component type; 0 for other kinds"},
    {"layout", 4, "layout hash of the field table; 0 for text"},
    {"count", 4, "records, instances, or bytes of text"},
    {"stride", 4, "bytes of a record; 1 for text"},
    {"offset", 4, "offset from the start of the blob"},
    {"bytes", 4, "size without the zeros that follow"},
    {"column_count", 4, "columns of a component type; 1 for other kinds"},
};

static void header_value(Annotation* a, const Member* m, u64 offset) {
    const u32 word = word_at(a, offset);
    if (offset == offsetof(BlobHeader, magic)) {
        put_format(a->out, "ENTB");
    } else if (offset == offsetof(BlobHeader, byte_order)) {
        put_format(a->out, "0x%08x %s", word, byte_order_text(a->flip));
    } else if (offset == offsetof(BlobHeader, resource_type)) {
        const char* suffix = ent_resource_suffix(word);
        put_format(a->out, "%u %s", word, suffix ? suffix : "not a resource type");
    } else if (m->bytes == 8) {
        put_hex(a->out, (u64)word_at(a, offset + 4) << 32 | word, 16);
    } else if (m->bytes == 4) {
        put_u64(a->out, word);
    }
}

static void header_rows(Annotation* a) {
    for (u32 i = 0; i < COUNT_OF(header_members); i++) {
        const Member* m = &header_members[i];
        const u64     offset = a->at;
        if (offset + m->bytes > a->size) return;
        row_begin(a, m->bytes, m->bytes == 8 ? "u64" : m->bytes == 4 && i ? "u32" : "bytes");
        header_value(a, m, offset);
        row_meaning(a);
        put_format(a->out, "header.%s: %s\n", m->name, m->text);
    }
}

static const char* section_text(const Annotation* a, u32 kind, u32 identifier) {
    const ComponentType* type = known_type_find(a->options, identifier);
    if (kind == SECTION_COMPONENT && type) return type->record.name;
    return section_name(kind);
}

static void section_row(Annotation* a, u32 index) {
    const u32 kind = word_at(a, a->at), identifier = word_at(a, a->at + 4);
    for (u32 i = 0; i < COUNT_OF(section_members); i++) {
        const u32 word = word_at(a, a->at);
        row_begin(a, 4, "u32");
        if (i == 1 || i == 2)
            put_hex(a->out, word, 8);
        else
            put_u64(a->out, word);
        if (i == 0) put_format(a->out, " %s", section_name(kind));
        if (i == 1 && kind == SECTION_COMPONENT) {
            put_format(a->out, " %s", section_text(a, kind, identifier));
        }
        row_meaning(a);
        put_format(a->out, "section[%u].%s: %s\n", index, section_members[i].name,
                   section_members[i].text);
    }
}

static BlobSection section_read(const Annotation* a, u32 index) {
    u32         word[sizeof(BlobSection) / 4];
    BlobSection section;
    const u64   first = sizeof(BlobHeader) + (u64)index * sizeof section;
    for (u32 i = 0; i < COUNT_OF(word); i++) word[i] = word_at(a, first + i * 4);
    memcpy(&section, word, sizeof section);
    return section;
}

/* --- sections --- */

/* The source position of a row of the section. */
static void row_source(Annotation* a, u32 row, u32 field) {
    const EntSourceMap* map = &a->map->reader;
    SourcePlace         place;
    int                 known = 0;
    if (a->groups)
        known = ent_source_map_entity(map, a->groups[row].first, &place);
    else if (a->entities)
        known = ent_source_map_entity(map, row, &place);
    else if (a->component)
        known = ent_source_map_field(map, a->component, row, field, &place);
    if (!known) return;
    put(a->out, "  <- ");
    put_place(a->out, a->map, &place);
    put_chain(a->out, a->map, place);
}

static void field_row(Annotation* a, const char* table, u32 row, const Field* f) {
    u32 word[4 * RECORD_ARRAY_MAX] = {0};
    assert(field_words(f) <= COUNT_OF(word)); /* of the largest array */
    for (u32 i = 0; i < field_words(f); i++) word[i] = word_at(a, a->at + i * 4);
    char type[32];
    snprintf(type, sizeof type, field_is_array(f) ? "%s[%u]" : "%s", FIELD_KIND_TEXTS[f->kind],
             field_elements(f));
    row_begin(a, f->bytes, type);
    put_field(a->out, a->tables, f, word);
    row_meaning(a);
    put_format(a->out, "%s[%u].%s%s%s", table, row, f->name, *f->text ? ": " : "", f->text);
    if (*f->unit) put_format(a->out, " (%s)", f->unit);
    row_source(a, row, (u32)(f - a->fields));
    put(a->out, "\n");
}

static void record_rows(Annotation* a, const RecordType* record, u32 count) {
    for (u32 row = 0; row < count; row++) {
        for (u32 f = 0; f < record->field_count; f++) {
            field_row(a, record->name, row, &record->fields[f]);
        }
    }
}

static void owner_rows(Annotation* a, const char* table, u32 count) {
    for (u32 row = 0; row < count; row++) {
        const u32 entity = word_at(a, a->at);
        row_begin(a, 4, "u32");
        put_u64(a->out, entity);
        row_meaning(a);
        put_format(a->out, "%s.entity_index[%u]", table, row);
        if (a->tables && a->tables->parent && entity < a->tables->count) {
            put(a->out, ": ");
            put_path(a->out, a->tables, entity);
        }
        row_source(a, row, NONE);
        put(a->out, "\n");
    }
}

static void component_rows(Annotation* a, const BlobSection* s, const ComponentType* type) {
    const RecordType* record = &type->record;
    owner_rows(a, record->name, s->count);
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        gap(a, s->offset + component_column_start(type, s->count, c), "must be zeros");
        if (type->columns == BY_RECORD) {
            record_rows(a, record, s->count);
        } else {
            for (u32 row = 0; row < s->count; row++) {
                field_row(a, record->name, row, &record->fields[c]);
            }
        }
    }
}

static void text_rows(Annotation* a, const BlobSection* s) {
    const u64 end = (u64)s->offset + s->bytes;
    for (u32 i = 0; a->at < end; i++) {
        const u8* nul = memchr(a->bytes + a->at, 0, end - a->at);
        char      shown[64] = "";
        if (nul) strncpy(shown, (const char*)a->bytes + a->at, sizeof shown - 1);
        row_begin(a, nul ? (u64)(nul - (a->bytes + a->at)) + 1 : end - a->at, "text");
        put_name(a->out, shown, true);
        row_meaning(a);
        put_format(a->out, "%s %u%s", section_name(s->kind), i, nul ? "" : " without an end");
        row_source(a, i, NONE);
        put(a->out, "\n");
    }
}

/* The meaning of the rows of a section for the source map. The position of a group is that of its
 * first entity. */
static void source_begin(Annotation* a, const BlobSection* s, const RecordType* record) {
    const bool group = s->kind == SECTION_GROUP || s->kind == SECTION_GROUP_NAME;
    a->groups = group && a->tables ? a->tables->groups.row : NULL;
    a->entities =
        s->kind == SECTION_PARENT || s->kind == SECTION_NAME_OFFSET || s->kind == SECTION_NAME;
    a->component = s->kind == SECTION_COMPONENT &&
                           source_map_has(&a->map->reader, s->identifier, s->count, s->offset)
                       ? s->identifier
                       : 0;
    a->fields = record ? record->fields : NULL;
}

/* Described with a field table only if the sizes match it. */
static void section_rows(Annotation* a, u32 index) {
    const BlobSection    s = section_read(a, index);
    const RecordType*    record = section_record(s.kind);
    const ComponentType* type =
        s.kind == SECTION_COMPONENT ? known_type_find(a->options, s.identifier) : NULL;
    const u64 end = (u64)s.offset + s.bytes;
    if (s.offset < a->at || end > a->size) return; /* visible in the rows of the table */
    gap(a, s.offset, "belongs to no section");
    source_begin(a, &s, type ? &type->record : record);
    if (section_content(s.kind) == CONTENT_BYTES) {
        row_begin(a, s.bytes, "bytes");
        row_meaning(a);
        put_format(a->out, "%s\n", section_name(s.kind));
    } else if (section_is_text(s.kind)) {
        text_rows(a, &s);
    } else if (record && (u64)s.count * record->bytes == s.bytes) {
        record_rows(a, record, s.count);
    } else if (type && s.count > 0 && s.count <= 1u << 28 &&
               component_section_bytes(type, s.count) == s.bytes) {
        component_rows(a, &s, type);
    } else {
        char meaning[96];
        if (s.kind == SECTION_COMPONENT && !type && (u64)s.count * 4 <= s.bytes) {
            owner_rows(a, "component", s.count);
        }
        snprintf(meaning, sizeof meaning, "section[%u] %s 0x%08x", index, section_name(s.kind),
                 s.identifier);
        while (a->at < end) row_raw(a, MIN_OF(end - a->at, (u64)RAW_BYTES), meaning);
    }
}

static void sections_rows(Annotation* a) {
    const u64 fit = (a->size - sizeof(BlobHeader)) / sizeof(BlobSection);
    const u64 said = word_at(a, offsetof(BlobHeader, section_count));
    const u32 count = (u32)MIN_OF(said, fit);
    if (said > fit) return;
    for (u32 i = 0; i < count; i++) section_row(a, i);
    for (u32 i = 0; i < count; i++) section_rows(a, i);
}

static void all_rows(Annotation* a, const BlobFile* file) {
    if (a->size >= 4 && memcmp(a->bytes, BLOB_MAGIC_BYTES, 4) == 0) {
        a->flip = file->other_order;
        header_rows(a);
        if (a->size >= sizeof(BlobHeader)) sections_rows(a);
    }
    gap(a, a->size, "not explained");
}

int annotate_byte(Writer* w, const BlobFile* file, bool succeeded, u64 offset) {
    BlobTables tables = {0};
    SourceMap  map;
    Writer*    hidden = memory_alloc(sizeof *hidden);
    Annotation a = {.out = w,
                    .shown = w,
                    .hidden = hidden,
                    .wanted = offset,
                    .bytes = file->bytes,
                    .size = file->size,
                    .options = &file->known,
                    .map = &map};
    if (succeeded) {
        tables = tables_open(&file->blob, &file->known);
        a.tables = &tables;
    }
    const int code = sources_open(&map, file) ? EXIT_OK : exit_code_of(map.unread);
    all_rows(&a, file);
    tables_close(&tables);
    source_map_close(&map);
    memory_free(hidden);
    return code;
}

int annotate_file(Writer* w, const BlobFile* file, bool succeeded) {
    BlobTables tables = {0};
    SourceMap  map;
    int        code = EXIT_OK;
    Annotation a = {
        .out = w, .bytes = file->bytes, .size = file->size, .options = &file->known, .map = &map};
    if (succeeded) {
        tables = tables_open(&file->blob, &file->known);
        a.tables = &tables;
    } else {
        put_format(w, "# refused: %s at offset %u: %s\n", file->fault.field, file->fault.offset,
                   file->fault.reason);
    }
    if (!sources_open(&map, file)) {
        code = exit_code_of(map.unread);
    } else {
        put(w, "# source: ");
        put_place(w, &map, &map.reader.source);
        put(w, "\n");
    }
    a.line_start = writer_at(w);
    put(w, "# offset   bytes hex");
    put_column(w, a.line_start, TYPE_COLUMN);
    put(w, "type");
    put_column(w, a.line_start, VALUE_COLUMN);
    put(w, "value");
    row_meaning(&a);
    put(w, "meaning\n");
    all_rows(&a, file);
    tables_close(&tables);
    source_map_close(&map);
    return code;
}
