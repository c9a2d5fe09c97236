/* blob_tables.c - the parts of an open blob, and the names of ids that the blob itself contains: names of its entities
 * and groups, paths of the joints of a skeleton, the name of a declaration; and the entity with a persistent id.
 *
 * No other file is read, so that the text of a blob is the same in every folder: git compares a
 * file of the working tree with a temporary one. */
#include "blob_tables.h"

#include "hash.h"
#include "skeleton.h"

#define PATHS_BYTES_MAX (16u << 20) /* of all paths of a skeleton together; the others remain ids */

typedef struct NameRow {
    u32         id;
    const char* text;
} NameRow;

struct NameTable {
    Arena arena;
    ARRAY(NameRow) names;
    Slots      by_name;          /* of the names, by id */
    Slots      by_persistent_id; /* of the rows of `persistent` */
    Instances* persistent;       /* NULL: the blob has no such component */
    bool       named, numbered;  /* the tables are built, which is done at the first query */
};

NameTable* names_create(void) { return memory_alloc(sizeof(NameTable)); }

void names_destroy(NameTable* n) {
    if (!n) return;
    arena_drop(&n->arena);
    array_drop(&n->names);
    slots_drop(&n->by_name);
    slots_drop(&n->by_persistent_id);
    memory_free(n);
}

/* --- names --- */

/* A text that looks like an id would be mistaken for one. */
static void name_add(NameTable* n, const char* text) {
    if (!*text || strncmp(text, "0x", 2) == 0) return;
    *array_push(&n->names) = (NameRow){hash_name(text_of(text)), text};
}

/* "armature/hand": parents come first, so each path is the path of its parent and a name. */
static void joint_paths_add(NameTable* n, const BlobTables* t) {
    const BlobSection* s = ent_blob_section(t->blob, SECTION_JOINT);
    const JointRecord* joint = s ? ent_blob_data(t->blob, s) : NULL;
    const char**       path = ARENA_NEW(&n->arena, const char*, t->count);
    size_t             bytes = 0;
    for (u32 i = 0; joint && i < t->count && bytes < PATHS_BYTES_MAX; i++) {
        const char* name = element_name(t, i);
        const u32   parent = joint[i].parent;
        path[i] = parent == NONE ? name : arena_print(&n->arena, "%s/%s", path[parent], name);
        bytes += strlen(path[i]);
        name_add(n, path[i]);
    }
}

static u32* name_slot(const NameTable* n, u32 id) {
    u32* slot = slots_first(&n->by_name, id);
    while (*slot && n->names.at[*slot - 1].id != id) slot = slots_next(&n->by_name, slot);
    return slot;
}

static void names_make(NameTable* n, const BlobTables* t) {
    n->named = true;
    const u32 type = t->blob->header->resource_type;
    if (type == RESOURCE_SKELETON && t->name_offset) joint_paths_add(n, t);
    for (u32 i = 0; type != RESOURCE_SKELETON && t->name_offset && i < t->count; i++) {
        name_add(n, element_name(t, i));
    }
    for (u32 i = 0; i < t->groups.count; i++) name_add(n, ent_blob_group_name(t->blob, i));
    if (t->texts) name_add(n, t->texts); /* the first text of a declaration is its name */
    slots_alloc(&n->by_name, slots_needed(n->names.count, 16));
    for (u32 i = 0; i < n->names.count; i++) {
        u32* slot = name_slot(n, n->names.at[i].id);
        if (!*slot) *slot = i + 1;
    }
}

const char* name_find(const BlobTables* t, u32 id) {
    NameTable* n = t ? t->ids : NULL;
    if (!n || id == 0) return NULL;
    if (!n->named) names_make(n, t);
    const u32 row = *name_slot(n, id);
    return row ? n->names.at[row - 1].text : NULL;
}

/* --- persistent ids --- */

static u32 persistent_id_at(const Instances* c, u32 row) {
    u32 id;
    memcpy(&id, instance_field(c, row, 0), sizeof id);
    return id;
}

/* Ids that are set by hand are often small numbers in a row. */
static u64 persistent_hash(u32 id) { return id * 0x9e3779b1u >> 7; }

static void numbers_make(NameTable* n, const BlobTables* t) {
    const u32 type = ent_component_types()[COMPONENT_PERSISTENT_ID].id;
    n->numbered = true;
    for (u32 i = 0; i < t->component_count; i++) {
        if (t->component[i].type->id == type) n->persistent = &t->component[i];
    }
    if (!n->persistent) return;
    const u32 count = n->persistent->section->count;
    slots_alloc(&n->by_persistent_id, slots_needed(count, 16));
    for (u32 row = 0; row < count; row++) {
        const u32 id = persistent_id_at(n->persistent, row);
        *slots_free(&n->by_persistent_id, persistent_hash(id)) = row + 1;
    }
}

u32 persistent_find(const BlobTables* t, u32 id) {
    NameTable* n = t ? t->ids : NULL;
    if (!n || id == 0) return NONE;
    if (!n->numbered) numbers_make(n, t);
    if (!n->persistent) return NONE;
    const u32* slot = slots_first(&n->by_persistent_id, persistent_hash(id));
    for (; *slot; slot = slots_next(&n->by_persistent_id, slot)) {
        const u32 row = *slot - 1;
        if (persistent_id_at(n->persistent, row) == id) return n->persistent->owner[row];
    }
    return NONE;
}

const char* element_name(const BlobTables* tables, u32 index) {
    assert(index < tables->count);
    return tables->name_offset ? tables->names + tables->name_offset[index] : "";
}

/* --- tables --- */

static const void* section_data(const Blob* blob, u32 kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    if (count) *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

BlobTables tables_open(const Blob* blob, const BlobOptions* options) {
    BlobTables t = {.blob = blob, .count = blob->header->element_count};
    t.parent = section_data(blob, SECTION_PARENT, NULL);
    t.name_offset = section_data(blob, SECTION_NAME_OFFSET, NULL);
    t.names = section_data(blob, SECTION_NAME, NULL);
    t.reference = section_data(blob, SECTION_REFERENCE, &t.reference_count);
    t.reference_names = section_data(blob, SECTION_REFERENCE_NAME, NULL);
    t.texts = section_data(blob, SECTION_DECLARATION_TEXT, NULL);
    t.strings = section_data(blob, SECTION_STRING, NULL);
    t.groups = groups_of(blob);
    t.ids = names_create();
    t.component = memory_alloc(sizeof(Instances) * known_type_count(options));
    for (u32 i = 0; i < blob->header->section_count; i++) {
        const BlobSection*   s = &blob->section[i];
        const ComponentType* type =
            s->kind == SECTION_COMPONENT ? known_type_find(options, s->identifier) : NULL;
        if (!type) continue;
        Instances* c = &t.component[t.component_count++];
        *c = (Instances){.type = type, .section = s, .owner = ent_blob_data(blob, s)};
        for (u32 k = 0; k < ent_component_column_count(type); k++) {
            c->column[k] = ent_blob_column(blob, s, type, k);
        }
    }
    return t;
}

const char* tables_texts(const BlobTables* tables, const Field* f) {
    if (!field_is_text(f)) return NULL;
    return f->refers_to == SECTION_STRING ? tables->strings : tables->texts;
}

void tables_close(BlobTables* tables) {
    memory_free(tables->component);
    names_destroy(tables->ids);
    *tables = (BlobTables){0};
}
