/* entity_names.c - names of entities: a manager whose rows are texts of the world, found by a table. */
#include "entity_names.h"

#include <stdio.h>
#include <stdlib.h>

#include "entity_names_internal.h"
#include "hooks_internal.h"
#include "id_table_internal.h"
#include "manager_watch.h"
#include "sections.h"
#include "transform_manager.h"
#include "utf8.h"

#define CHILDREN_FEW 64 /* are searched one by one */

/* --- the manager --- */

/* The text is a number of the world, also in the rows of a blob: see names_rows. */
static const Field name_fields[] = {{.name = "text", .kind = FIELD_u32, .bytes = 4}};

/* No project can declare a type of this name. */
static const RecordType name_record = {
    .name = "#name", .fields = name_fields, .field_count = COUNT_OF(name_fields), .bytes = 4};

#define NAMES_ORDER   150 /* behind transforms */
#define COLUMN_PARENT ID_MORE

static TextRef* texts_of(const Manager* m) { return m->column[ID_COLUMN]; }
static Entity*  parents_of(const Manager* m) { return m->column[COLUMN_PARENT]; }

static void names_spawn(World* w, Manager* m, const SpawnBatch* batch) {
    const u32 base = manager_append(m, batch, w->jobs);
    for (u32 i = 0; i < batch->count; i++) {
        const u32 above = batch->parent_index ? batch->parent_index[batch->entity_index[i]] : NONE;
        parents_of(m)[base + i] = above == NONE ? batch->parent : batch->entities[above];
    }
    id_table_enter(m, base);
}

static const ComponentHooks names_hooks = {.list_each = 2};

ent_status names_register(World* w) {
    ManagerDesc desc = {.type = {.record = name_record,
                                 .order = NAMES_ORDER,
                                 .several = SINGLE,
                                 .columns = BY_FIELD,
                                 .lookup = DIRECT}};
    id_table_describe(&desc);
    desc.extra_bytes[COLUMN_PARENT - 1] = sizeof(Entity);
    desc.spawn = names_spawn;
    return world_register_hooks(w, &desc, &names_hooks);
}

Manager* names_manager(const World* w) {
    for (u32 i = 0; i < w->manager_count; i++) {
        if (w->manager[i].hooks == &names_hooks) return (Manager*)&w->manager[i];
    }
    return NULL;
}

/* --- rows --- */

const char* names_text(const World* w, const Manager* m, u32 row) {
    return ent_world_text(w, texts_of(m)[row]);
}

Entity names_parent(const World* w, const Manager* m, u32 row) {
    const Entity parent = parents_of(m)[row];
    return ent_entity_alive(w->entities, parent) ? parent : ENTITY_NULL;
}

/* Names and parents of a blob. */
typedef struct BlobNames {
    const u32*  offset; /* [count] NULL: it has no names */
    const char* text;
    const u32*  parent; /* [count] */
    u32         count;
} BlobNames;

static BlobNames blob_names(const Blob* blob) {
    const BlobSection* offset = ent_blob_section(blob, SECTION_NAME_OFFSET);
    const BlobSection* text = ent_blob_section(blob, SECTION_NAME);
    const BlobSection* parent = ent_blob_section(blob, SECTION_PARENT);
    if (!offset || !text || !parent) return (BlobNames){0};
    return (BlobNames){.offset = ent_blob_data(blob, offset),
                       .text = ent_blob_data(blob, text),
                       .parent = ent_blob_data(blob, parent),
                       .count = offset->count};
}

static const char* name_at(const BlobNames* names, u32 entity) {
    return entity < names->count ? names->text + names->offset[entity] : "";
}

static ent_status rows_fill(World* w, const BlobNames* names, ConvertedRows* rows, TextRef* text) {
    for (u32 e = 0; e < names->count; e++) {
        const char* name = name_at(names, e);
        TRY(world_text_intern(w, name, strlen(name), &text[rows->count]));
        rows->owner[rows->count++] = e;
    }
    return ENT_OK;
}

ent_status names_rows(World* w, const Blob* blob, ConvertedRows** out) {
    const BlobNames names = blob_names(blob);
    *out = NULL;
    if (names.count == 0 || !names_manager(w)) return ENT_OK;
    const size_t   head = (size_t)align_up(sizeof(ConvertedRows), 16);
    const size_t   bytes = head + 2 * sizeof(u32) * names.count;
    ConvertedRows* rows = w->allocator.alloc(w->allocator.user, bytes);
    if (!rows) return ENT_NO_MEMORY;
    *rows = (ConvertedRows){.bytes = bytes, .owner = (u32*)(void*)((u8*)rows + head)};
    TextRef* text = rows->owner + names.count;
    rows->column[0] = (const u8*)text;
    const ent_status status = rows_fill(w, &names, rows, text);
    if (status == ENT_OK)
        *out = rows;
    else
        convert_drop(w, rows);
    return status;
}

/* --- one entity --- */

/* The parent in the source, alive. */
static Entity source_of(const World* w, const Manager* m, Entity entity) {
    const u32 row = m ? ent_manager_row(m, w->entities, entity) : MANAGER_NO_ROW;
    return row == MANAGER_NO_ROW ? ENTITY_NULL : names_parent(w, m, row);
}

/* The parent in paths: see entity_names.h. A transform skips parents without one: while it has the parent that
 * it then gets, the entity is still below its source's parent. */
Entity names_path_parent(const World* w, const Manager* m, Entity entity) {
    const Entity above = ent_transform_parent(w, entity), source = source_of(w, m, entity);
    Entity       next = source;
    if (ent_transform_row(w, entity) == MANAGER_NO_ROW) return source;
    for (u32 i = 0; next && ent_transform_row(w, next) == MANAGER_NO_ROW; i++)
        next = i < w->entities->slot_count ? source_of(w, m, next) : ENTITY_NULL;
    return source && next == above ? source : above;
}

static const char* name_of(const World* w, const Manager* m, Entity entity) {
    const u32 row = m ? ent_manager_row(m, w->entities, entity) : MANAGER_NO_ROW;
    return row == MANAGER_NO_ROW ? "" : names_text(w, m, row);
}

const char* ent_world_name(const World* w, Entity entity) {
    return name_of(w, names_manager(w), entity);
}

static bool name_is_valid(const char* name) {
    const char* end = name + strlen(name);
    if (*name == '#') return false;
    for (const char* at = name; at < end;) {
        const u32 length = utf8_length(at, end);
        if (length == 0 || *at == '/' || (u8)*at < 0x20 || *at == 0x7f) return false;
        at += length;
    }
    return true;
}

/* The row of an entity, which receives one if it has none. */
static ent_status row_ensure(World* w, Manager* m, Entity entity, u32* row) {
    *row = ent_manager_row(m, w->entities, entity);
    return *row == MANAGER_NO_ROW ? ent_manager_create(w, m, entity, row) : ENT_OK;
}

static void text_write(Manager* m, u32 row, TextRef text) {
    texts_of(m)[row] = text;
    id_table_changed(m, row);
    ent_manager_changed(m, &row, 1);
}

ent_status ent_world_name_set(World* w, Entity entity, const char* name) {
    Manager* m = names_manager(w);
    TextRef  text;
    assert(m && "the world has no names: EntWorldDesc.names");
    if (!ent_entity_alive(w->entities, entity)) return ENT_STALE;
    if (!name_is_valid(name)) return ENT_BAD_FIELD;
    u32 row;
    TRY(ent_world_text_add(w, name, &text));
    TRY(row_ensure(w, m, entity, &row));
    text_write(m, row, text);
    return ENT_OK;
}

/* --- paths --- */

/* The entity's own segment of a path; `number` is a buffer for an entity without a name. */
static const char* segment_of(const World* w, const Manager* m, Entity entity, char number[16]) {
    const char* name = name_of(w, m, entity);
    if (*name) return name;
    snprintf(number, 16, "#%u", entity);
    return number;
}

size_t ent_world_path(const World* w, Entity entity, char* out, size_t bytes) {
    const Manager* m = names_manager(w);
    size_t         length = 0;
    u32  depth = 0; /* limited: after 255 reuses, the handle of a destroyed parent is another's */
    char number[16];
    if (!ent_entity_alive(w->entities, entity)) entity = ENTITY_NULL;
    for (Entity e = entity; e && depth < w->entities->slot_count;
         e = names_path_parent(w, m, e), depth++)
        length += strlen(segment_of(w, m, e, number)) + (depth > 0); /* a '/' after ancestors */
    if (bytes) out[MIN_OF(length, bytes - 1)] = 0;
    size_t at = length; /* backwards, so that each ancestor is visited once */
    for (Entity e = entity; depth > 0 && bytes; e = names_path_parent(w, m, e), depth--) {
        const char* name = segment_of(w, m, e, number);
        if (at < length && --at < bytes - 1) out[at] = '/';
        const size_t first = at - strlen(name);
        if (first < bytes - 1) memcpy(out + first, name, MIN_OF(at, bytes - 1) - first);
        at = first;
    }
    return length;
}

/* --- from a path to an entity --- */

/* A name of a path among the children of an entity. */
typedef struct PathStep {
    const World*   world;
    const Manager* names;
    Entity         parent;
    TextRef        text;
    u32            found, count; /* the first row of names, of so many */
} PathStep;

/* Takes a row if its entity is below the parent. */
static void step_try(PathStep* s, u32 row) {
    if (names_path_parent(s->world, s->names, s->names->entity[row]) != s->parent) return;
    s->found = MIN_OF(s->found, row);
    s->count++;
}

/* The children of a transform, if there are few. Returns whether all of them were visited. */
static bool children_search(PathStep* s) {
    World*         w = (World*)s->world;
    const Manager* transforms = ent_world_built_in(w, COMPONENT_TRANSFORM);
    const u32      above = ent_transform_row(w, s->parent);
    u32            child = MANAGER_NO_ROW;
    if (above != MANAGER_NO_ROW) child = ent_transform_links(w)[above].first_child;
    for (u32 i = 0; child != MANAGER_NO_ROW && i < CHILDREN_FEW; i++) {
        const u32 row = ent_manager_row(s->names, w->entities, transforms->entity[child]);
        if (row != MANAGER_NO_ROW && texts_of(s->names)[row] == s->text) step_try(s, row);
        child = ent_transform_links(w)[child].next_sibling;
    }
    return child == MANAGER_NO_ROW;
}

static Entity named_find(PathStep* s) {
    s->found = MANAGER_NO_ROW;
    s->count = 0;
    if (!children_search(s) || s->count == 0) {
        s->found = MANAGER_NO_ROW;
        s->count = 0;
        for (IdSearch each = id_search(s->names, s->text); id_search_next(&each);) {
            if (!each.in_order) step_try(s, each.at); /* all with this name are visited */
        }
    }
    return s->count ? s->names->entity[s->found] : ENTITY_NULL;
}

/* "#4711": the entity of a handle, which has no name and this parent. */
static Entity numbered_find(const PathStep* s, const char* segment, size_t bytes) {
    char*                    end;
    const unsigned long long number = strtoull(segment + 1, &end, 10);
    const Entity             entity = (Entity)number;
    char                     same[16];
    if (number > UINT32_MAX || end != segment + bytes) return ENTITY_NULL;
    snprintf(same, sizeof same, "#%u", entity);
    if (strncmp(same, segment, bytes) != 0 || same[bytes]) return ENTITY_NULL; /* "#007", "#+7" */
    if (!ent_entity_alive(s->world->entities, entity)) return ENTITY_NULL;
    if (*name_of(s->world, s->names, entity)) return ENTITY_NULL;
    return names_path_parent(s->world, s->names, entity) == s->parent ? entity : ENTITY_NULL;
}

static bool path_is(const World* w, const Manager* m, Entity entity, const char* path) {
    size_t rest = strlen(path);
    char   number[16];
    for (;;) {
        const char*  name = segment_of(w, m, entity, number);
        const size_t bytes = strlen(name);
        if (bytes > rest || memcmp(path + rest - bytes, name, bytes) != 0) return false;
        rest -= bytes;
        entity = names_path_parent(w, m, entity);
        if (entity == ENTITY_NULL) return rest == 0;
        if (rest == 0 || path[--rest] != '/') return false;
    }
}

/* From the last name upwards, of all entities that have it. */
static Entity path_search(const World* w, const Manager* m, const char* path) {
    const char*  slash = strrchr(path, '/');
    const char*  last = slash ? slash + 1 : path;
    const Entity number = (Entity)strtoull(last + (*last == '#'), NULL, 10);
    if (*last == '#') {
        const bool found = ent_entity_alive(w->entities, number) && path_is(w, m, number, path);
        return found ? number : ENTITY_NULL;
    }
    IdSearch search = id_search(m, world_text_find(w, last, strlen(last)));
    while (id_search_next(&search)) {
        if (path_is(w, m, m->entity[search.at], path)) id_search_found(&search);
    }
    return search.found == MANAGER_NO_ROW ? ENTITY_NULL : m->entity[search.found];
}

/* Name by name from the top. Where siblings have one name, any of them may have the rest of the path; it is not noticed at
 * once when only one of them has a transform. */
Entity ent_world_path_find(const World* w, const char* path) {
    PathStep    step = {.world = w, .names = names_manager(w)};
    const char* at = path;
    for (;;) {
        const size_t bytes = strcspn(at, "/");
        Entity       found = ENTITY_NULL;
        if (*at == '#') {
            found = numbered_find(&step, at, bytes);
        } else if (step.names && (step.text = world_text_find(w, at, bytes)) != 0) {
            found = named_find(&step);
            if (step.count > 1) return path_search(w, step.names, path);
        }
        if (found == ENTITY_NULL) return step.names ? path_search(w, step.names, path) : found;
        if (at[bytes] == 0) return found;
        step.parent = found;
        at += bytes + 1;
    }
}

/* --- patches --- */

/* Of an entity of both blobs, a name that the source did not change stays as the host has set it. */
static bool is_renamed(const BlobNames* before, u32 old, const BlobNames* after, u32 entity) {
    return old == NONE || strcmp(name_at(before, old), name_at(after, entity)) != 0;
}

static void name_patch(World* w, Manager* m, Entity entity, const TextRef* text, Entity parent) {
    u32              row;
    const ent_status status = row_ensure(w, m, entity, &row);
    assert(status == ENT_OK && "the patch has reserved the row");
    UNUSED(status);
    if (text) text_write(m, row, *text);
    parents_of(m)[row] = parent;
}

/* Without names in the new blob, those of entities that stay do not change. */
void names_patch(World* w, const NamesPatch* p) {
    Manager*        m = names_manager(w);
    const BlobNames before = blob_names(p->old_blob), after = blob_names(p->new_blob);
    const TextRef*  text = p->rows ? (const TextRef*)(const void*)p->rows->column[0] : NULL;
    for (u32 e = 0; text && e < after.count; e++) {
        const u32 above = after.parent[e];
        if (p->now[e] == ENTITY_NULL) continue;
        name_patch(w, m, p->now[e],
                   is_renamed(&before, p->old_of_new[e], &after, e) ? &text[e] : NULL,
                   above == NONE ? p->parent : p->now[above]);
    }
}

void names_place(World* w, Entity entity, Entity parent) {
    Manager*  m = names_manager(w);
    const u32 row = ent_manager_row(m, w->entities, entity);
    if (row != MANAGER_NO_ROW) parents_of(m)[row] = parent;
}
