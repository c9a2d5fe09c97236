/* dump.c - prints a blob as text. Two blobs with the same text have the same bytes: the validation
 * permits only one encoding, so everything that follows from the content (offsets, padding, sizes,
 * the hash) is omitted, and the complete content is included.
 *
 * The text is the golden format of the tests: a change to it raises DUMP_VERSION. */
#include "inspect_text.h"

#include "exit_codes.h"
#include "hash.h"
#include "unknown_rows.h"

#define DUMP_VERSION    2
#define WORDS_IN_A_LINE 8

/* What is printed of a resource of type data. */
#define TEXT_SHOWN_BYTES 120u
#define BYTES_SHOWN      32u

typedef struct Dump {
    Writer*            out;
    const Blob*        blob;
    const BlobOptions* options;
    BlobTables         tables;
    bool               other_order;
    u32* next; /* [tables.component_count] first instance that was not printed: owners are in the
                * order of entities */
} Dump;

static bool holds_entities(const Dump* d) {
    const u32 type = d->blob->header->resource_type;
    return type == RESOURCE_ENTITY || type == RESOURCE_LEVEL;
}

static bool is_unknown(const Dump* d, const BlobSection* s) {
    return s->kind == SECTION_COMPONENT && !known_type_find(d->options, s->identifier);
}

static bool is_declared(u32 kind) {
    return kind == SECTION_DECLARATION || kind == SECTION_DECLARED_FIELD ||
           kind == SECTION_ENUM_TEXT || kind == SECTION_DECLARATION_TEXT;
}

/* Of the declarations in an entity or level, which are those of its component types. */
static u64 declarations_hash(const Dump* d) {
    u64 hash = 0;
    for (u32 i = 0; i < d->blob->header->section_count; i++) {
        const BlobSection* s = &d->blob->section[i];
        if (is_declared(s->kind)) hash = hash_bytes(ent_blob_data(d->blob, s), s->bytes, hash);
    }
    return hash;
}

/* Sections that are printed record by record; the others are printed elsewhere. */
static const RecordType* shown_record(const Dump* d, const BlobSection* s) {
    if (s->kind == SECTION_NAME_OFFSET || s->kind == SECTION_REFERENCE || s->kind == SECTION_GROUP)
        return NULL;
    if (s->kind == SECTION_PARENT && holds_entities(d)) return NULL;
    if (holds_entities(d) && is_declared(s->kind)) return NULL;
    return section_record(s->kind);
}

static u32 instances_of(const Dump* d, u32 component, u32 entity) {
    const Instances* c = &d->tables.component[component];
    const u32        first = d->next[component];
    u32              count = 0;
    while (first + count < c->section->count && c->owner[first + count] == entity) count++;
    return count;
}

/* --- text --- */

static void text_section(Dump* d, u32 i) {
    const BlobSection*   s = &d->blob->section[i];
    const ComponentType* type = known_type_find(d->options, s->identifier);
    put_format(d->out, "section %u: %s", i, section_name(s->kind));
    if (s->kind == SECTION_COMPONENT) {
        put_format(d->out, " %s 0x%08x", type ? type->record.name : "unknown", s->identifier);
    }
    put_format(d->out, ", count %u, layout 0x%08x", s->count, s->layout);
    if (is_unknown(d, s)) {
        put_format(d->out, ", stride %u, columns %u, bytes %u", s->stride, s->column_count,
                   s->bytes);
    }
    put(d->out, "\n");
}

static void text_header(Dump* d) {
    const BlobHeader* h = d->blob->header;
    put_format(d->out, "# entc dump %u\n", DUMP_VERSION);
    put_format(d->out, "version: %u\n", h->version);
    put_format(d->out, "byte order: %s\n", byte_order_text(d->other_order));
    put_format(d->out, "type: %s\n", ent_resource_suffix(h->resource_type));
    put_format(d->out, "resource: 0x%016llx\n", (unsigned long long)resource_id(h->resource));
    put_format(d->out, "%s: %u\n", element_noun(h->resource_type, 2), h->element_count);
    for (u32 i = 0; i < h->section_count; i++) text_section(d, i);
    for (u32 i = 0; i < d->tables.reference_count; i++) {
        const ReferenceRecord* r = &d->tables.reference[i];
        put_format(d->out, "reference %u: 0x%016llx ", i, (unsigned long long)resource_id(r->id));
        put_name(d->out, d->tables.reference_names + r->name, true);
        put_format(d->out, ".%s\n", ent_resource_suffix(r->type));
    }
    const DeclarationParts declared = declaration_parts(d->blob);
    if (holds_entities(d) && declared.declaration_count) {
        put_format(d->out, "declarations: %u, hash ", declared.declaration_count);
        put_hex(d->out, declarations_hash(d), 16);
        for (u32 i = 0; i < declared.declaration_count; i++)
            put_format(d->out, ", %s", declared.text + declared.declaration[i].name);
        put(d->out, "\n");
    }
    for (u32 i = 0; i < d->tables.groups.count; i++) {
        const char* name = ent_blob_group_name(d->blob, i);
        put_format(d->out, "group %u: 0x%08x%s", i, d->tables.groups.row[i].id, *name ? " " : "");
        put_name(d->out, name, true);
        put(d->out, "\n");
    }
}

static void text_field(Dump* d, const Field* f, const u8* words, const char* indent) {
    put(d->out, indent);
    put(d->out, f->name);
    put(d->out, ": ");
    put_field(d->out, &d->tables, f, words);
    put(d->out, "\n");
}

static void text_components(Dump* d, u32 component, u32 entity) {
    const Instances*  c = &d->tables.component[component];
    const RecordType* record = &c->type->record;
    const u32         first = d->next[component], count = instances_of(d, component, entity);
    for (u32 i = 0; i < count; i++) {
        put(d->out, "  ");
        put(d->out, record->name);
        if (c->type->several == SEVERAL) put_format(d->out, "[%u]", i);
        put(d->out, "\n");
        for (u32 f = 0; f < record->field_count; f++) {
            text_field(d, &record->fields[f], instance_field(c, first + i, f), "    ");
        }
    }
    d->next[component] = first + count;
}

static void text_group(Dump* d, u32 entity) {
    const u32 group = groups_find(&d->tables.groups, entity);
    if (group == NONE) return;
    put(d->out, " (group ");
    put_group(d->out, &d->tables, group);
    put(d->out, ")");
}

static void text_entities(Dump* d) {
    for (u32 i = 0; i < d->tables.count; i++) {
        const u32 parent = d->tables.parent[i];
        put(d->out, "\nentity ");
        put_u64(d->out, i);
        put(d->out, " ");
        put_path(d->out, &d->tables, i);
        if (parent != NONE) {
            put(d->out, " (parent ");
            put_u64(d->out, parent);
            put(d->out, ")");
        }
        text_group(d, i);
        put(d->out, "\n");
        for (u32 c = 0; c < d->tables.component_count; c++) text_components(d, c, i);
    }
}

/* Short records on one line, so that the vertices of a mesh are a table. */
static void text_record(Dump* d, const BlobSection* s, u32 row) {
    const RecordType* record = section_record(s->kind);
    const u8*         at = (const u8*)ent_blob_data(d->blob, s) + (size_t)row * record->bytes;
    const u32         fields = record->field_count;
    put(d->out, record->name);
    put(d->out, " ");
    put_u64(d->out, row);
    if (s->kind == SECTION_JOINT && *element_name(&d->tables, row)) {
        put(d->out, " ");
        put_name(d->out, element_name(&d->tables, row), true);
    }
    put(d->out, fields <= 2 ? ":" : "\n");
    for (u32 f = 0; f < fields; f++) {
        const Field* field = &record->fields[f];
        if (fields > 2) {
            text_field(d, field, at + field->offset, "  ");
            continue;
        }
        put(d->out, f ? ", " : " ");
        if (fields > 1) put(d->out, field->name), put(d->out, " ");
        put_field(d->out, &d->tables, field, at + field->offset);
    }
    if (fields <= 2) put(d->out, "\n");
}

static void text_records(Dump* d, const BlobSection* s) {
    put(d->out, "\n");
    for (u32 row = 0; row < s->count; row++) text_record(d, s, row);
}

/* "  house/lamp: 3f800000 00000002" */
static void text_unknown_rows(Dump* d, const UnknownRows* rows) {
    for (u32 row = 0; row < rows->count; row++) {
        put(d->out, "\n  ");
        put_path(d->out, &d->tables, rows->owner[row]);
        put(d->out, ":");
        for (u32 w = 0; w < rows->words; w++) {
            put_format(d->out, " %08x", unknown_rows_word(rows, row, w));
        }
    }
    put(d->out, "\n");
}

static void text_words(Dump* d, const BlobSection* s) {
    const u8*   at = ent_blob_data(d->blob, s);
    UnknownRows rows;
    put_format(d->out, "\ncomponent unknown 0x%08x", s->identifier);
    if (unknown_rows_open(&rows, d->blob, s)) {
        text_unknown_rows(d, &rows);
        return;
    }
    for (u32 i = 0; i < s->bytes / 4; i++) {
        u32 word;
        memcpy(&word, at + (size_t)i * 4, 4);
        put(d->out, i % WORDS_IN_A_LINE ? " " : "\n  ");
        put_format(d->out, "%08x", word);
    }
    put(d->out, "\n");
}

/* The beginning of a file that consists of lines of ASCII; 0 when it does not. */
static u32 shown_text_bytes(const u8* at, u32 bytes) {
    const u32 shown = MIN_OF(bytes, TEXT_SHOWN_BYTES);
    for (u32 i = 0; i < shown; i++) {
        const bool space = at[i] == '\n' || at[i] == '\r' || at[i] == '\t';
        if (!space && (at[i] < ' ' || at[i] >= 0x7f)) return 0;
    }
    return shown;
}

/* "  text: "line 1\nline 2"..", or "  first bytes: 4f676753 00020000 .." */
static void text_beginning(Dump* d, const u8* at, u32 bytes) {
    static const char escapes[] = {['\n'] = 'n', ['\r'] = 'r', ['\t'] = 't'};
    const u32         text = shown_text_bytes(at, bytes);
    const u32         shown = text ? text : MIN_OF(bytes, BYTES_SHOWN);
    put(d->out, text ? "  text: \"" : "  first bytes: ");
    for (u32 i = 0; i < shown; i++) {
        if (!text)
            put_format(d->out, i && i % 4 == 0 ? " %02x" : "%02x", at[i]);
        else if (at[i] < ' ')
            put_format(d->out, "\\%c", escapes[at[i]]);
        else
            put_format(d->out, at[i] == '"' || at[i] == '\\' ? "\\%c" : "%c", at[i]);
    }
    put(d->out, text ? "\"" : "");
    put(d->out, shown < bytes ? " ..\n" : "\n");
}

/* Bytes are identified by their hash: two dumps are equal only if the bytes are. */
static void text_bytes(Dump* d, const BlobSection* s) {
    const u8* at = ent_blob_data(d->blob, s);
    put_format(d->out, "\n%s\n  %u bytes, hash ", section_name(s->kind), s->bytes);
    put_hex(d->out, hash_bytes(at, s->bytes, 0), 16);
    put(d->out, "\n");
    if (d->blob->header->resource_type == RESOURCE_DATA) text_beginning(d, at, s->bytes);
}

static void text_all(Dump* d) {
    text_header(d);
    if (holds_entities(d)) text_entities(d);
    for (u32 i = 0; i < d->blob->header->section_count; i++) {
        const BlobSection* s = &d->blob->section[i];
        if (is_unknown(d, s)) text_words(d, s);
        if (shown_record(d, s)) text_records(d, s);
        if (section_content(s->kind) == CONTENT_BYTES) text_bytes(d, s);
    }
}

/* --- JSON --- */

static void json_section(Dump* d, u32 i) {
    const BlobSection*   s = &d->blob->section[i];
    const ComponentType* type = known_type_find(d->options, s->identifier);
    put(d->out, i ? ",\n  {" : "\n  {");
    put_format(d->out, "\"kind\": \"%s\"", section_name(s->kind));
    if (s->kind == SECTION_COMPONENT) {
        put_format(d->out, ", \"component\": \"%s\", \"identifier\": \"0x%08x\"",
                   type ? type->record.name : "unknown", s->identifier);
    }
    put_format(d->out, ", \"count\": %u, \"layout\": \"0x%08x\"", s->count, s->layout);
    if (is_unknown(d, s)) {
        put_format(d->out, ", \"stride\": %u, \"columns\": %u, \"bytes\": %u", s->stride,
                   s->column_count, s->bytes);
    }
    put(d->out, "}");
}

static void json_groups(Dump* d) {
    const Groups* groups = &d->tables.groups;
    put(d->out, ",\n\"groups\": [");
    for (u32 i = 0; i < groups->count; i++) {
        put_format(d->out, "%s\n  {\"id\": \"0x%08x\", \"name\": \"", i ? "," : "",
                   groups->row[i].id);
        put_name(d->out, ent_blob_group_name(d->blob, i), true);
        put_format(d->out, "\", \"first\": %u}", groups->row[i].first);
    }
    put(d->out, "]");
}

static void json_header(Dump* d) {
    const BlobHeader* h = d->blob->header;
    put_format(d->out, "{\n\"dump\": %u,\n\"version\": %u,\n", DUMP_VERSION, h->version);
    put_format(d->out, "\"byte_order\": \"%s\",\n", byte_order_text(d->other_order));
    put_format(d->out, "\"type\": \"%s\",\n", ent_resource_suffix(h->resource_type));
    put_format(d->out, "\"resource\": \"0x%016llx\",\n",
               (unsigned long long)resource_id(h->resource));
    put_format(d->out, "\"elements\": %u,\n\"sections\": [", h->element_count);
    for (u32 i = 0; i < h->section_count; i++) json_section(d, i);
    put(d->out, "],\n\"references\": [");
    for (u32 i = 0; i < d->tables.reference_count; i++) {
        const ReferenceRecord* r = &d->tables.reference[i];
        put(d->out, i ? ",\n  {\"id\": " : "\n  {\"id\": ");
        put_hex(d->out, resource_id(r->id), 16);
        put_format(d->out, ", \"type\": \"%s\", \"name\": \"", ent_resource_suffix(r->type));
        put_name(d->out, d->tables.reference_names + r->name, true);
        put(d->out, "\"}");
    }
    put(d->out, "]");
    if (d->tables.groups.count) json_groups(d);
}

static void json_key(Dump* d, const char* key, bool first) {
    put(d->out, first ? "\"" : ", \"");
    put(d->out, key);
    put(d->out, "\": ");
}

static void json_components(Dump* d, u32 component, u32 entity, bool* first) {
    const Instances*  c = &d->tables.component[component];
    const RecordType* record = &c->type->record;
    const u32         row = d->next[component], count = instances_of(d, component, entity);
    if (count == 0) return;
    json_key(d, record->name, *first);
    *first = false;
    if (c->type->several == SEVERAL) put(d->out, "[");
    for (u32 i = 0; i < count; i++) {
        put(d->out, i ? ", {" : "{");
        for (u32 f = 0; f < record->field_count; f++) {
            json_key(d, record->fields[f].name, f == 0);
            put_field(d->out, &d->tables, &record->fields[f], instance_field(c, row + i, f));
        }
        put(d->out, "}");
    }
    if (c->type->several == SEVERAL) put(d->out, "]");
    d->next[component] = row + count;
}

static void json_entities(Dump* d) {
    put(d->out, ",\n\"entities\": [");
    for (u32 i = 0; i < d->tables.count; i++) {
        const u32 parent = d->tables.parent[i];
        bool      first = true;
        put_format(d->out, "%s\n  {\"index\": %u, \"name\": \"", i ? "," : "", i);
        put_name(d->out, element_name(&d->tables, i), false);
        put(d->out, "\", \"path\": \"");
        put_path(d->out, &d->tables, i);
        put(d->out, "\", \"parent\": ");
        if (parent == NONE)
            put(d->out, "null");
        else
            put_u64(d->out, parent);
        if (d->tables.groups.count) {
            put(d->out, ", \"group\": ");
            put_group(d->out, &d->tables, groups_find(&d->tables.groups, i));
        }
        put(d->out, ", \"components\": {");
        for (u32 c = 0; c < d->tables.component_count; c++) json_components(d, c, i, &first);
        put(d->out, "}}");
    }
    put(d->out, "]");
}

/* A record of one field is its value. */
static void json_record(Dump* d, const RecordType* record, const u8* at) {
    if (record->field_count == 1) {
        put_field(d->out, &d->tables, &record->fields[0], at);
        return;
    }
    for (u32 f = 0; f < record->field_count; f++) {
        put(d->out, f ? "" : "{");
        json_key(d, record->fields[f].name, f == 0);
        put_field(d->out, &d->tables, &record->fields[f], at + record->fields[f].offset);
    }
    put(d->out, "}");
}

static void json_records(Dump* d, const BlobSection* s) {
    const RecordType* record = shown_record(d, s);
    const u8*         at = ent_blob_data(d->blob, s);
    put_format(d->out, ",\n\"%s\": [", record->name);
    for (u32 row = 0; row < s->count; row++) {
        put(d->out, row ? ",\n  " : "\n  ");
        json_record(d, record, at + (size_t)row * record->bytes);
    }
    put(d->out, "]");
}

static void json_names(Dump* d) {
    put(d->out, ",\n\"names\": [");
    for (u32 i = 0; i < d->tables.count; i++) {
        put(d->out, i ? ",\n  \"" : "\n  \"");
        put_name(d->out, element_name(&d->tables, i), true);
        put(d->out, "\"");
    }
    put(d->out, "]");
}

static void json_words(Dump* d, const BlobSection* s) {
    const u8* at = ent_blob_data(d->blob, s);
    put_format(d->out, ",\n\"component_0x%08x\": [", s->identifier);
    for (u32 i = 0; i < s->bytes / 4; i++) {
        u32 word;
        memcpy(&word, at + (size_t)i * 4, 4);
        put(d->out, i == 0 ? "\n  " : i % WORDS_IN_A_LINE ? ", " : ",\n  ");
        put_hex(d->out, word, 8);
    }
    put(d->out, "]");
}

static void json_bytes(Dump* d, const BlobSection* s) {
    put_format(d->out, ",\n\"%s\": {\"bytes\": %u, \"hash\": ", section_name(s->kind), s->bytes);
    put_hex(d->out, hash_bytes(ent_blob_data(d->blob, s), s->bytes, 0), 16);
    put(d->out, "}");
}

static void json_declarations(Dump* d) {
    const DeclarationParts declared = declaration_parts(d->blob);
    if (declared.declaration_count == 0) return;
    put(d->out, ",\n\"declarations\": {\"components\": [");
    for (u32 i = 0; i < declared.declaration_count; i++)
        put_format(d->out, "%s\"%s\"", i ? ", " : "", declared.text + declared.declaration[i].name);
    put(d->out, "], \"hash\": ");
    put_hex(d->out, declarations_hash(d), 16);
    put(d->out, "}");
}

static void json_all(Dump* d) {
    json_header(d);
    if (holds_entities(d)) json_declarations(d);
    if (holds_entities(d)) json_entities(d);
    for (u32 i = 0; i < d->blob->header->section_count; i++) {
        const BlobSection* s = &d->blob->section[i];
        if (is_unknown(d, s)) json_words(d, s);
        if (shown_record(d, s)) json_records(d, s);
        if (section_content(s->kind) == CONTENT_BYTES) json_bytes(d, s);
    }
    if (!holds_entities(d) && d->tables.name_offset) json_names(d);
    put(d->out, "\n}\n");
}

/* --- commands --- */

static void dump_blob(Writer* w, const Blob* blob, const BlobOptions* options, bool other_order) {
    Dump d = {.out = w, .blob = blob, .options = options, .other_order = other_order};
    d.tables = tables_open(blob, options);
    d.next = memory_alloc(sizeof(u32) * d.tables.component_count);
    if (w->form == TEXT_JSON)
        json_all(&d);
    else
        text_all(&d);
    memory_free(d.next);
    tables_close(&d.tables);
}

void dump_text(FILE* out, const Blob* blob, const BlobOptions* options) {
    Writer w;
    writer_begin(&w, out, TEXT_PLAIN);
    dump_blob(&w, blob, options, false);
    (void)writer_end(&w);
}

/* For git, which shows this instead of the blob; so different files must have different texts. */
static void refused_print(Writer* w, const BlobFile* file) {
    put_format(w, "# entc dump %u\nrefused: %s at offset %u: %s\nbytes: %zu\nhash: ", DUMP_VERSION,
               file->fault.field, file->fault.offset, file->fault.reason, file->size);
    put_hex(w, hash_bytes(file->bytes, file->size, 0), 16);
    put(w, "\n");
}

int inspect_dump(const char* path, DumpForm form, const BlobOptions* options) {
    BlobFile file;
    Writer   w;
    int      code = blob_file_read(&file, path);
    if (code == EXIT_OK) {
        const bool succeeded = blob_file_validate(&file, options) == ENT_OK;
        if (!succeeded && form != DUMP_TEXTCONV) code = blob_file_report(&file, path);
        file_types_report(&file);
        writer_begin(&w, stdout, form == DUMP_JSON ? TEXT_JSON : TEXT_PLAIN);
        if (code == EXIT_OK) code = file_types_read(&file);
        int annotated = EXIT_OK;
        if (form == DUMP_ANNOTATE)
            annotated = annotate_file(&w, &file, succeeded);
        else if (succeeded)
            dump_blob(&w, &file.blob, &file.known, file.other_order);
        else if (form == DUMP_TEXTCONV)
            refused_print(&w, &file);
        const int written = writer_end(&w);
        if (code == EXIT_OK) code = annotated;
        if (code == EXIT_OK) code = written;
    }
    blob_file_close(&file);
    return code;
}
