/* persistent.c - see persistent.h. */
#include "persistent.h"

#include <stdio.h>

#include "diag.h"
#include "flat.h"
#include "hash.h"
#include "search.h"
#include "sections.h"

#define OPEN                                                                                       \
    0x80000000u /* greater than every id: the remaining bits are an entity, the id of
                             * which is requested */
#define ID_MASK 0x7fffffffu

typedef struct Ids {
    Compile*   c;
    const u32* owner; /* [count] ascending */
    u32*       id;    /* [count] */
    u32        count;
    Slots      slots; /* of the rows, by id */
} Ids;

/* The layer gives the entity an id. */
static void layer_read(Compile* c, const Instance* in, u32 entity) {
    if (!(in->given_here & 1)) return;
    *array_push(&c->persistent_ids) = (CompilePersistent){entity, in->source, in->offset, 1};
}

u32 persistent_path(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope) {
    const u32 entity = compile_entity_named(c, source, offset, text, scope); /* of any group */
    if (entity == NONE) return 0;
    *array_push(&c->persistent_paths) =
        (CompilePersistent){entity, source, offset, text.raw.bytes + 2};
    return OPEN | entity;
}

bool persistent_is_open(const Compile* c, const void* at) {
    u32 word;
    memcpy(&word, at, 4);
    return word & OPEN && (word & ID_MASK) < c->flat->entities.count;
}

u32 persistent_entity(const void* at) {
    u32 word;
    memcpy(&word, at, 4);
    return word & ID_MASK;
}

/* --- ids --- */

static u32* id_slot(const Ids* ids, u32 id) {
    u32* slot = slots_first(&ids->slots, id * 0x9e3779b1u >> 7);
    while (*slot && ids->id[*slot - 1] != id) slot = slots_next(&ids->slots, slot);
    return slot;
}

static const char* path_text(const Compile* c, u32 entity, char path[512]) {
    char* at = path + 511;
    *at = 0;
    for (u32 e = entity; e != NONE; e = c->flat->entities.at[e].parent) {
        const Text name = flat_name(c->flat, c->assets, e);
        if ((size_t)(at - path) < name.bytes + 1) break;
        if (e != entity) *--at = '/';
        at -= name.bytes;
        if (name.bytes) memcpy(at, name.at, name.bytes);
    }
    return at;
}

/* The position of the number. */
static u32 number_offset(const Compile* c, const CompilePersistent* given) {
    Json       json = json_open(given->source, given->offset, c->diag);
    JsonString key;
    if (!json_enter(&json, JSON_OBJECT)) return given->offset;
    while (json_key(&json, &key)) {
        if (json_equals(key, "id")) return json_offset(&json);
        json_skip(&json);
    }
    return given->offset;
}

static const CompilePersistent* given_find(const Compile* c, u32 entity) {
    Search s = search_between(0, c->persistent_ids.count);
    while (search_continues(&s)) {
        search_narrow(&s, c->persistent_ids.at[s.middle].entity <= entity);
    }
    return &c->persistent_ids.at[s.first - 1]; /* the last of the entity's layers */
}

static void twins_report(const Ids* ids, u32 first, u32 second) {
    Compile*                 c = ids->c;
    const CompilePersistent* existing = given_find(c, ids->owner[first]);
    const CompilePersistent* here = given_find(c, ids->owner[second]);
    char                     a[512], b[512];
    diag_error(c->diag, E0313, here->source, number_offset(c, here), 1,
               "the entities \"%s\" and \"%s\" have the same persistent id %u; remove one of the "
               "ids, so that entc derives it",
               path_text(c, ids->owner[first], a), path_text(c, ids->owner[second], b),
               ids->id[second]);
    if (existing->source == here->source && existing->offset == here->offset) return;
    diag_note(c->diag, existing->source, number_offset(c, existing), 1, "the other entity is here");
}

static void given_enter(Ids* ids) {
    for (u32 row = 0; row < ids->count; row++) {
        if (ids->id[row] == 0) continue;
        u32* slot = id_slot(ids, ids->id[row]);
        if (*slot)
            twins_report(ids, *slot - 1, row);
        else
            *slot = row + 1;
    }
}

/* [entities] hash of the path of each entity; an entity without a name is numbered among its
 * siblings without a name. */
static u64* paths_hash(const Compile* c) {
    const u32 count = c->flat->entities.count;
    const u64 top = hash_resource(text_of(c->name), ent_resource_suffix(c->asset->type));
    u64*      hash = memory_alloc(sizeof(u64) * ((size_t)count + 1));
    u32*      nameless = memory_alloc(sizeof(u32) * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) {
        const u32  parent = c->flat->entities.at[i].parent;
        const Text name = flat_name(c->flat, c->assets, i);
        const u64  above = parent == NONE ? top : hash[parent];
        char       number[16];
        if (name.bytes) {
            hash[i] = hash_bytes(name.at, name.bytes, above);
            continue;
        }
        const u32 ordinal = nameless[parent == NONE ? count : parent]++;
        const int bytes = snprintf(number, sizeof number, "/%u", ordinal); /* which no name
                                                                            * contains */
        hash[i] = hash_bytes(number, (size_t)bytes, above);
    }
    memory_free(nameless);
    return hash;
}

static void rest_derive(Ids* ids) {
    u64* hash = NULL;
    for (u32 row = 0; row < ids->count; row++) {
        if (ids->id[row]) continue;
        if (!hash) hash = paths_hash(ids->c);
        u32 id = (u32)hash[ids->owner[row]] & ID_MASK;
        while (id == 0 || *id_slot(ids, id)) id = (id + 1) & ID_MASK;
        *id_slot(ids, id) = row + 1;
        ids->id[row] = id;
    }
    memory_free(hash);
}

/* --- references by path --- */

static u32 id_of(const Ids* ids, u32 entity) {
    const u32 row = search_words(ids->owner, ids->count, entity);
    return row < ids->count && ids->owner[row] == entity ? ids->id[row] : 0;
}

static void paths_check(const Ids* ids) {
    Compile* c = ids->c;
    for (u32 i = 0; i < c->persistent_paths.count; i++) {
        const CompilePersistent* p = &c->persistent_paths.at[i];
        char                     path[512];
        if (id_of(ids, p->entity) || c->incomplete || c->has_errors) continue;
        diag_error(c->diag, E0314, p->source, p->offset, p->bytes,
                   "the entity \"%s\" has no persistent_id; add the component to it",
                   path_text(c, p->entity, path));
    }
}

static void paths_resolve(const Ids* ids, Output* out, const ComponentType* type) {
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        const u32    column = type->columns == BY_FIELD ? f : 0;
        const u32    stride = ent_component_column_bytes(type, column);
        u8*          at = output_column(out, type, column);
        if (field_form(field) != FORM_PERSISTENT || !at) continue;
        at += field->offset - ent_component_column_offset(type, column);
        const u32 count = output_count(out, type);
        for (u32 i = 0; i < count * field_elements(field); i++) {
            u8* word_at = at + (size_t)(i / field_elements(field)) * stride +
                          (size_t)(i % field_elements(field)) * 4;
            u32 word;
            memcpy(&word, word_at, 4);
            if (!(word & OPEN)) continue;
            word = id_of(ids, word & ID_MASK);
            memcpy(word_at, &word, 4);
        }
    }
}

static void ids_finish(Compile* c, Output* out) {
    const ComponentType* type = &ent_component_types()[COMPONENT_PERSISTENT_ID];
    Ids                  ids = {.c = c,
                                .owner = output_owners(out, type),
                                .id = output_column(out, type, 0),
                                .count = output_count(out, type)};
    if (ids.count) {
        slots_alloc(&ids.slots, slots_needed(ids.count, 16));
        given_enter(&ids);
        rest_derive(&ids);
        slots_drop(&ids.slots);
    }
    if (c->persistent_paths.count == 0 || out->writer.too_large) return;
    paths_check(&ids);
    for (u32 t = 0; t < c->registry->count; t++) paths_resolve(&ids, out, c->registry->types[t]);
}

const CompileHooks persistent_id_compile_hooks = {.layer = layer_read, .finish = ids_finish};
