/* inspect_names.c - names in place of their ids, as far as the blob itself has them: names of its
 * entities and groups, paths of a skeleton's joints, the name that a declaration declares; and the
 * entity that has a persistent id.
 *
 * Nothing else is asked, so that the text of a blob is the same wherever it lies: git compares a
 * file of the working tree with a temporary one. */
#include "inspect_text.h"

#include "hash.h"
#include "skeleton.h"

#define PATHS_BYTES_MAX (16u << 20) /* of a skeleton's paths together; the rest stay ids */

typedef struct NameRow {
    u32         id;
    const char* text;
} NameRow;

/* Rows by id: open addressing, twice as many slots as rows. */
typedef struct IdTable {
    u32* slot; /* [slots] row + 1 */
    u32  slots;
} IdTable;

struct NameTable {
    Arena arena;
    ARRAY(NameRow) names;
    IdTable    by_name;
    IdTable    by_persistent_id; /* rows of `persistent` */
    Instances* persistent;       /* NULL: the blob has no such component */
    bool       named, numbered;  /* the tables are made: when the first id is asked for */
};

NameTable* names_create(void) { return memory_alloc(sizeof(NameTable)); }

void names_destroy(NameTable* n) {
    if (!n) return;
    arena_drop(&n->arena);
    array_drop(&n->names);
    memory_free(n->by_name.slot);
    memory_free(n->by_persistent_id.slot);
    memory_free(n);
}

static void table_make(IdTable* t, u32 rows) {
    for (t->slots = 16; t->slots < (u64)rows * 2;) t->slots *= 2;
    t->slot = memory_alloc(sizeof(u32) * t->slots);
}

static u32 slot_first(const IdTable* t, u32 id) { return id * 0x9e3779b1u & (t->slots - 1); }
static u32 slot_next(const IdTable* t, u32 at) { return (at + 1) & (t->slots - 1); }

/* --- names --- */

/* A text that looks like an id would be taken for one. */
static void name_add(NameTable* n, const char* text) {
    if (!*text || strncmp(text, "0x", 2) == 0) return;
    *array_push(&n->names) = (NameRow){hash_name(text_of(text)), text};
}

/* "armature/hand": parents come first, so each path is that of its parent and a name. */
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

static void names_make(NameTable* n, const BlobTables* t) {
    n->named = true;
    const u32 type = t->blob->header->resource_type;
    if (type == RESOURCE_SKELETON && t->name_offset) joint_paths_add(n, t);
    for (u32 i = 0; type != RESOURCE_SKELETON && t->name_offset && i < t->count; i++) {
        name_add(n, element_name(t, i));
    }
    for (u32 i = 0; i < t->groups.count; i++) name_add(n, ent_blob_group_name(t->blob, i));
    if (t->texts) name_add(n, t->texts); /* the first text of a declaration is its name */
    table_make(&n->by_name, n->names.count);
    for (u32 i = 0; i < n->names.count; i++) {
        const u32 id = n->names.at[i].id;
        u32       at = slot_first(&n->by_name, id);
        while (n->by_name.slot[at] && n->names.at[n->by_name.slot[at] - 1].id != id) {
            at = slot_next(&n->by_name, at);
        }
        if (!n->by_name.slot[at]) n->by_name.slot[at] = i + 1;
    }
}

const char* name_find(const BlobTables* t, u32 id) {
    NameTable* n = t ? t->ids : NULL;
    if (!n || id == 0) return NULL;
    if (!n->named) names_make(n, t);
    for (u32 at = slot_first(&n->by_name, id); n->by_name.slot[at];
         at = slot_next(&n->by_name, at)) {
        const NameRow* row = &n->names.at[n->by_name.slot[at] - 1];
        if (row->id == id) return row->text;
    }
    return NULL;
}

/* --- persistent ids --- */

static u32 persistent_id_at(const Instances* c, u32 row) {
    u32 id;
    memcpy(&id, instance_field(c, row, 0), sizeof id);
    return id;
}

static void numbers_make(NameTable* n, const BlobTables* t) {
    const u32 type = ent_component_types()[COMPONENT_PERSISTENT_ID].id;
    n->numbered = true;
    for (u32 i = 0; i < t->component_count; i++) {
        if (t->component[i].type->id == type) n->persistent = &t->component[i];
    }
    if (!n->persistent) return;
    const u32 count = n->persistent->section->count;
    table_make(&n->by_persistent_id, count);
    for (u32 row = 0; row < count; row++) {
        u32 at = slot_first(&n->by_persistent_id, persistent_id_at(n->persistent, row));
        while (n->by_persistent_id.slot[at]) at = slot_next(&n->by_persistent_id, at);
        n->by_persistent_id.slot[at] = row + 1;
    }
}

u32 persistent_find(const BlobTables* t, u32 id) {
    NameTable* n = t ? t->ids : NULL;
    if (!n || id == 0) return NONE;
    if (!n->numbered) numbers_make(n, t);
    if (!n->persistent) return NONE;
    const IdTable* table = &n->by_persistent_id;
    for (u32 at = slot_first(table, id); table->slot[at]; at = slot_next(table, at)) {
        const u32 row = table->slot[at] - 1;
        if (persistent_id_at(n->persistent, row) == id) return n->persistent->owner[row];
    }
    return NONE;
}
