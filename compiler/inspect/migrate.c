/* migrate.c - see migrate.h. All sections that do not depend on declarations are copied. */
#include "migrate.h"

#include <stdlib.h>

#include "blob_write_internal.h"
#include "conversion.h"
#include "exit_codes.h"
#include "failure.h"
#include "fields.h"
#include "hash.h"
#include "inspect_text.h"

/* A declaration of the output folder. */
typedef struct Newer {
    ComponentType type;
    const char*   resource; /* "gameplay/health" */
} Newer;

typedef struct Migrate {
    Arena              arena;
    const char*        out;
    const BlobOptions* options;
    bool               dry_run;
    ARRAY(Newer) newer;
} Migrate;

/* A component section of the new blob. */
typedef struct Item {
    const BlobSection*   section; /* of the old blob */
    const ComponentType* old;     /* NULL: not known */
    const Newer*         newer;   /* NULL: it is copied */
    ConversionRows       rows;    /* converted, or those of the old blob if their type is known */
    u32                  order, place;
} Item;

typedef struct Reference {
    u64         id;
    u32         type;
    const char* name;
} Reference;

/* One save. */
typedef struct Save {
    Migrate*    m;
    const char* path;
    BlobFile    file;
    Arena       arena;
    ARRAY(Item) items;
    ARRAY(Reference) references;
    bool failed;
    bool unknown; /* it has instances of a type of which there is no newer declaration */
} Save;

/* --- declarations --- */

static int declaration_visit(void* user, const char* path) {
    Migrate*    m = user;
    BlobFile    file;
    const char* suffix = strrchr(path, '.'); /* of a resource */
    if (strcmp(suffix + 1, ent_resource_suffix(RESOURCE_COMPONENT)) != 0) return EXIT_OK;
    const int code = blob_file_open(&file, path, NULL);
    if (code != EXIT_OK) return code;
    const char* name = path + strlen(m->out) + 1;
    void*       memory = arena_alloc(&m->arena, ent_component_type_bytes(&file.blob));
    *array_push(&m->newer) = (Newer){ent_component_type_open(&file.blob, memory),
                                     arena_text(&m->arena, (Text){name, (u32)(suffix - name)})};
    blob_file_close(&file);
    return EXIT_OK;
}

static const Newer* newer_find(const Migrate* m, u32 id) {
    for (u32 i = 0; i < m->newer.count; i++) {
        if (m->newer.at[i].type.id == id) return &m->newer.at[i];
    }
    for (u32 i = 0; i < m->newer.count; i++) {
        if (conversion_is_former(&m->newer.at[i].type, id)) return &m->newer.at[i];
    }
    return NULL;
}

/* --- converting --- */

static void line_print(void* user, const char* text) {
    const Save* s = user;
    printf("%s: %s\n", s->path, text);
}

static void missing_report(Save* s, const ComponentType* type, const Field* field) {
    fprintf(stderr,
            "%s: error: %s.%s is required, and instances have no value of it: give the field a "
            "default\n",
            s->path, type->record.name, field->name);
    s->failed = true;
}

/* Those of the blob are only read. */
static ConversionRows rows_of(const Blob* blob, const BlobSection* s, const ComponentType* type) {
    ConversionRows rows = {.count = s->count, .owner = (u32*)ent_blob_data(blob, s)};
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        rows.column[c] = (u8*)ent_blob_column(blob, s, type, c);
    }
    return rows;
}

static void item_convert(Save* s, Item* item) {
    Conversion           c;
    const ComponentType* to = &item->newer->type;
    const ConversionRows old = item->rows;
    item->rows.owner = arena_alloc(&s->arena, sizeof(u32) * old.count);
    for (u32 i = 0; i < ent_component_column_count(to); i++) {
        item->rows.column[i] =
            arena_alloc(&s->arena, (size_t)old.count * ent_component_column_bytes(to, i));
    }
    conversion_plan(&c, item->old, to);
    const Field* missing = conversion_fault(&c);
    if (!missing) missing = conversion_run(&c, &old, &item->rows);
    if (missing)
        missing_report(s, to, missing);
    else
        conversion_report(&c, line_print, s);
}

/* A type of entc or of a plugin, in which the instances are not valid. */
static const Newer* program_type(Save* s, const BlobSection* section) {
    const ComponentType* type = known_type_find(s->m->options, section->identifier);
    BlobFault            fault;
    if (ent_blob_validate(&s->file.blob, type, &fault) == ENT_OK) return NULL;
    Newer* newer = ARENA_NEW(&s->arena, Newer, 1);
    *newer = (Newer){*type, NULL};
    return newer;
}

/* Nothing describes the instances: they may be those of the newer declaration. */
static void undeclared_check(Save* s, const BlobSection* section, const Newer* newer) {
    BlobFault fault;
    if (newer->type.id == section->identifier &&
        ent_blob_validate(&s->file.blob, &newer->type, &fault) == ENT_OK)
        return;
    fprintf(stderr,
            "%s: error: the instances of %s were written under another declaration of it, which "
            "the file does not contain; a save can be loaded with the old declaration, and a level "
            "compiled again\n",
            s->path, newer->type.record.name);
    s->failed = true;
}

static void unknown_note(Save* s, const Item* item) {
    char id[16];
    snprintf(id, sizeof id, "0x%08x", item->section->identifier);
    fprintf(stderr,
            "%s: note: the instances of %s are not converted: neither \"%s\" nor a plugin declares "
            "it; a program that does converts them when it loads the file\n",
            s->path, item->old ? item->old->record.name : id, s->m->out);
    s->unknown = true;
}

/* Of components that are the same one now, a world reads the one that has its name, or the first one. */
static bool is_replaced(const Save* s, const Item* item, const Newer* newer) {
    if (item->section->identifier == newer->type.id) return false;
    bool replaced = ent_blob_component(&s->file.blob, newer->type.id) != NULL;
    for (u32 i = 0; i < s->items.count; i++) replaced |= s->items.at[i].newer == newer;
    return replaced;
}

static void item_newer_find(Save* s, Item* item) {
    const Newer* newer = newer_find(s->m, item->section->identifier);
    if (newer && is_replaced(s, item, newer)) newer = NULL;
    if (known_type_find(s->m->options, item->section->identifier))
        item->newer = program_type(s, item->section);
    else if (!newer)
        unknown_note(s, item);
    else if (item->old)
        item->newer = newer;
    else
        undeclared_check(s, item->section, newer);
}

static int item_order(const void* a, const void* b) {
    const Item *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1)
                                : (x->place > y->place) - (x->place < y->place);
}

/* A section of an unknown type stays behind the one before it. */
static void items_find(Save* s) {
    u32 order = 0;
    for (u32 i = 0; i < s->file.blob.header->section_count; i++) {
        const BlobSection* section = &s->file.blob.section[i];
        if (section->kind != SECTION_COMPONENT) continue;
        Item* item = array_push(&s->items);
        *item = (Item){.section = section, .place = i};
        item->old = known_type_find(&s->file.known, section->identifier);
        if (item->old) item->rows = rows_of(&s->file.blob, section, item->old);
        item_newer_find(s, item);
        if (item->newer) item_convert(s, item);
        if (item->old) order = item->newer ? item->newer->type.order : item->old->order;
        item->order = order;
    }
    if (s->items.count) qsort(s->items.at, s->items.count, sizeof(Item), item_order);
}

/* --- references: a component that was renamed has another declaration --- */

static const char* reference_name(const Save* s, const char* name, u32 type) {
    const char* slash = strrchr(name, '/');
    const u32   id = hash_name(text_of(slash ? slash + 1 : name));
    for (u32 i = 0; i < s->items.count && type == RESOURCE_COMPONENT; i++) {
        const Item* item = &s->items.at[i];
        if (item->newer && item->newer->resource && item->section->identifier == id)
            return item->newer->resource;
    }
    return name;
}

static bool rows_refer(const ComponentType* type, const ConversionRows* rows, ResourceRef to) {
    bool found = false;
    for (u32 i = 0; i < type->record.field_count; i++) {
        const Field* f = &type->record.fields[i];
        const u32    column = type->columns == BY_FIELD ? i : 0;
        if (field_form(f) != FORM_RESOURCE) continue;
        const u8* at = rows->column[column] + f->offset - ent_component_column_offset(type, column);
        for (u32 row = 0; row < rows->count;
             row++, at += ent_component_column_bytes(type, column)) {
            for (u32 e = 0; e < f->bytes; e += sizeof to) found |= !memcmp(at + e, &to, sizeof to);
        }
    }
    return found;
}

/* Does a field of an instance refer to the resource? */
static bool is_referred(const Save* s, ResourceRef to) {
    bool found = false;
    for (u32 i = 0; i < s->items.count; i++) {
        const Item*          item = &s->items.at[i];
        const ComponentType* type = item->newer ? &item->newer->type : item->old;
        found |= type && rows_refer(type, &item->rows, to);
    }
    return found;
}

static void reference_add(Save* s, u32 type, const char* name) {
    const u64 id = hash_resource(text_of(name), ent_resource_suffix(type));
    *array_push(&s->references) = (Reference){id, type, name};
}

static int reference_order(const void* a, const void* b) {
    const Reference *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

static void references_find(Save* s) {
    const BlobSection* section = ent_blob_section(&s->file.blob, SECTION_REFERENCE);
    u32                kept = 0;
    for (u32 i = 0; section && i < section->count; i++) {
        const ReferenceRecord* r =
            (const ReferenceRecord*)ent_blob_data(&s->file.blob, section) + i;
        const char* old = ent_blob_reference_name(&s->file.blob, i);
        const char* name = reference_name(s, old, r->type);
        reference_add(s, r->type, name);
        if (name != old && is_referred(s, r->id)) reference_add(s, r->type, old);
    }
    if (s->references.count)
        qsort(s->references.at, s->references.count, sizeof(Reference), reference_order);
    for (u32 i = 0; i < s->references.count; i++) {
        if (kept && s->references.at[kept - 1].id == s->references.at[i].id) continue;
        s->references.at[kept++] = s->references.at[i];
    }
    s->references.count = kept;
}

/* --- writing: the same walk measures and writes --- */

static void section_copy(const Save* s, BlobWriter* w, const BlobSection* section) {
    void* to = blob_write_copy(w, section);
    if (to) memcpy(to, ent_blob_data(&s->file.blob, section), section->bytes);
}

static void items_write(const Save* s, BlobWriter* w) {
    for (u32 i = 0; i < s->items.count; i++) {
        const Item* item = &s->items.at[i];
        if (!item->newer) {
            section_copy(s, w, item->section);
            continue;
        }
        const ComponentType* type = &item->newer->type;
        const u32            count = item->rows.count;
        u8*                  to = blob_write_component(w, type, count);
        if (to) memcpy(to, item->rows.owner, sizeof(u32) * count);
        for (u32 c = 0; c < ent_component_column_count(type) && to; c++) {
            memcpy(to + component_column_start(type, count, c), item->rows.column[c],
                   (size_t)count * ent_component_column_bytes(type, c));
        }
    }
}

static void references_write(const Save* s, BlobWriter* w) {
    u64 bytes = 0;
    u32 at = 0;
    for (u32 i = 0; i < s->references.count; i++) bytes += strlen(s->references.at[i].name) + 1;
    ReferenceRecord* record = blob_write_section(w, SECTION_REFERENCE, s->references.count);
    char*            text = blob_write_section(w, SECTION_REFERENCE_NAME, bytes);
    for (u32 i = 0; i < s->references.count && text; i++) {
        const Reference* r = &s->references.at[i];
        record[i] = (ReferenceRecord){resource_ref(r->id), r->type, at};
        memcpy(text + at, r->name, strlen(r->name) + 1);
        at += (u32)strlen(r->name) + 1;
    }
}

static void declarations_write(Save* s, BlobWriter* w) {
    const ComponentType** types = ARENA_NEW(&s->arena, const ComponentType*, s->items.count + 1);
    DeclarationParts      part;
    DeclarationRows       rows = {0};
    u32                   count = 0;
    for (u32 i = 0; i < s->items.count; i++) {
        const Item* item = &s->items.at[i];
        if (item->newer)
            types[count++] = &item->newer->type;
        else if (declaration_of_section(&s->file.blob, item->section, &part))
            types[count++] = item->old; /* which it declares */
    }
    const DeclarationSizes sizes = declarations_measure(types, count, NULL);
    rows.declaration = blob_write_section(w, SECTION_DECLARATION, sizes.declarations);
    rows.field = blob_write_section(w, SECTION_DECLARED_FIELD, sizes.fields);
    rows.enum_text = blob_write_section(w, SECTION_ENUM_TEXT, sizes.enum_texts);
    rows.text = blob_write_section(w, SECTION_DECLARATION_TEXT, sizes.text_bytes);
    if (rows.text) declarations_fill(types, count, NULL, &rows);
}

static void save_walk(Save* s, BlobWriter* w, void* bytes, u32 sections) {
    blob_write_begin(w, bytes, sections);
    for (u32 kind = SECTION_NONE + 1; kind < SECTION_KIND_COUNT; kind++) {
        const BlobSection* section = ent_blob_section(&s->file.blob, kind);
        switch (kind) {
        case SECTION_COMPONENT: items_write(s, w); break;
        case SECTION_REFERENCE: references_write(s, w); break;
        case SECTION_DECLARATION: declarations_write(s, w); break;
        case SECTION_REFERENCE_NAME:
        case SECTION_DECLARED_FIELD:
        case SECTION_ENUM_TEXT:
        case SECTION_DECLARATION_TEXT: break;
        default:
            if (section) section_copy(s, w, section);
        }
    }
}

/* The new bytes, in the byte order of the file. */
static u8* save_write(Save* s, size_t* size) {
    const BlobHeader* h = s->file.blob.header;
    BlobWriter        w;
    Blob              blob;
    BlobFault         fault;
    const BlobOptions none = {.skip_hash = 1};
    save_walk(s, &w, NULL, 0);
    *size = blob_write_size(&w);
    if (w.too_large || *size > BLOB_BYTES_MAX) {
        fprintf(stderr, "%s: error: converted it would have more than %u bytes\n", s->path,
                BLOB_BYTES_MAX);
        return NULL;
    }
    u8* bytes = memory_alloc(*size);
    save_walk(s, &w, bytes, w.section_count);
    *size = blob_write_finish(&w, h->resource_type, h->resource, h->element_count);
    const ent_status status = ent_blob_open(&blob, bytes, *size, &none, &fault);
    assert(status == ENT_OK && "the conversion of a valid blob is valid");
    UNUSED(status);
    if (s->file.other_order) blob_swap(bytes, *size, true);
    return bytes;
}

/* --- the command --- */

static int save_replace(const Save* s, const u8* bytes, size_t size) {
    const bool same = size == s->file.size && memcmp(bytes, s->file.bytes, size) == 0;
    if (!same && !s->m->dry_run && file_put(s->path, bytes, size, NULL) != ENT_OK)
        return io_failure("cannot write", s->path);
    printf("%s: %s\n", s->path,
           same && s->unknown ? "not rewritten"
           : same             ? "up to date"
           : s->m->dry_run    ? "would be rewritten with the declarations of the build"
                              : "rewritten with the declarations of the build");
    return EXIT_OK;
}

static int save_convert(Save* s) {
    const u32 type = s->file.blob.header->resource_type;
    size_t    size;
    if (type != RESOURCE_ENTITY && type != RESOURCE_LEVEL) {
        fprintf(stderr, "%s: error: it has type %s, but must be an entity or a level\n", s->path,
                ent_resource_suffix(type));
        return EXIT_INVALID;
    }
    items_find(s);
    if (s->failed) return EXIT_INVALID;
    references_find(s);
    u8* bytes = save_write(s, &size);
    if (!bytes) return EXIT_LIMIT;
    const int code = save_replace(s, bytes, size);
    memory_free(bytes);
    return code;
}

static int save_migrate(Migrate* m, const char* path) {
    Save s = {.m = m, .path = path};
    int  code = blob_file_open(&s.file, path, m->options);
    if (code != EXIT_OK) return code;
    file_types_report(&s.file);
    code = save_convert(&s);
    array_drop(&s.items);
    array_drop(&s.references);
    arena_drop(&s.arena);
    blob_file_close(&s.file);
    return code;
}

int migrate_run(const char* out, const char* const* paths, u32 count, const BlobOptions* options,
                bool dry_run) {
    Migrate m = {.out = out, .options = options, .dry_run = dry_run};
    int     worst = paths_each(out, declaration_visit, &m);
    for (u32 i = 0; i < count && worst == EXIT_OK; i++) {
        const int code = save_migrate(&m, paths[i]);
        worst = MAX_OF(worst, code);
    }
    array_drop(&m.newer);
    arena_drop(&m.arena);
    return worst;
}
