/* compile_rename.c - finds the texts that contain the name of an entity. */
#include "compile_rename.h"

#include "diag.h"
#include "flat.h"
#include "hash.h"
#include "slots.h"

/* --- the new texts --- */

static bool is_renamed(const Compile* c, u32 entity) {
    const FlatEntity* e = &c->flat->entities.at[entity];
    return c->assets->asset[e->asset] == c->rename->asset && e->node == c->rename->node;
}

/* The path from `root` to an entity with the new name in it, in the arena; NULL: it is not in it. */
static const char* path_renamed(Compile* c, u32 root, u32 entity) {
    const char* path = NULL;
    bool        contains = false;
    for (u32 at = entity; at != root && at != NONE; at = c->flat->entities.at[at].parent) {
        const bool here = is_renamed(c, at);
        const Text name = here ? text_of(c->rename->name) : flat_name(c->flat, c->assets, at);
        contains |= here;
        path = arena_print(&c->arena, "%.*s%s%s", (int)name.bytes, name.at, path ? "/" : "",
                           path ? path : "");
    }
    return contains ? path : NULL;
}

/* A path of which only the beginning was resolved may be resolved completely later. */
static void use_add(Compile* c, u32 offset, u32 bytes, const char* text, bool is_complete) {
    const CompileRename use = {offset, bytes, json_quoted(&c->arena, text)};
    for (u32 i = 0; i < c->renames.count; i++) {
        if (c->renames.at[i].offset != offset) continue;
        if (is_complete) c->renames.at[i] = use;
        return;
    }
    *array_push(&c->renames) = use;
}

/* The string at an offset of the own source; false: there is none. */
static bool string_at(const Compile* c, u32 offset, JsonString* string) {
    if (c->asset->source.text[offset] != '"') return false;
    *string = json_string_at(&c->asset->source, offset);
    return true;
}

/* A path that begins with the name of an entry. */
static void entry_path(Compile* c, u32 offset, JsonString text, u32 entry, u32 entity) {
    const char* below = path_renamed(c, entry, entity);
    const Text  name =
        is_renamed(c, entry) ? text_of(c->rename->name) : flat_name(c->flat, c->assets, entry);
    const char* rest = below || entity == entry ? below : flat_path(c, c->flat, entry, entity);
    if (!below && !is_renamed(c, entry)) return;
    use_add(c, offset, text.raw.bytes + 2,
            arena_print(&c->arena, "%.*s%s%s", (int)name.bytes, name.at, rest ? "/" : "",
                        rest ? rest : ""),
            true);
}

void rename_path(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope,
                 u32 entity) {
    JsonString written;
    if (!c->rename || source != &c->asset->source) return;
    const char* path = path_renamed(c, scope, entity);
    if (!path) return;
    if (!source_is_generated(source, offset) && string_at(c, offset, &written) &&
        text_equal(written.raw, text.raw)) {
        use_add(c, offset, text.raw.bytes + 2, path, true);
        return;
    }
    diag_error(c->diag, E0306, source, offset, 1,
               "a plugin or a custom property generates the path \"%.*s\", which contains the name "
               "of the entity; change this first, so that the path is not generated",
               (int)text.raw.bytes, text.raw.at);
}

void rename_override(Compile* c, const Asset* asset, u32 offset, u32 root, u32 entity) {
    JsonString key;
    if (!c->rename || asset != c->asset || !string_at(c, offset, &key)) return;
    const char* path = path_renamed(c, root, entity);
    if (path) use_add(c, offset, key.raw.bytes + 2, path, true);
}

void rename_below(Compile* c, const Asset* asset, const DocOverride* override, u32 bytes, u32 root,
                  u32 entity) {
    JsonString key;
    if (!c->rename || asset != c->asset || !string_at(c, override->offset, &key)) return;
    const char* path = path_renamed(c, root, entity);
    const Text  rest = {override->path.at + bytes, override->path.bytes - bytes};
    if (!path) return;
    use_add(c, override->offset, key.raw.bytes + 2,
            arena_print(&c->arena, "%s%.*s", path, (int)rest.bytes, rest.at), false);
}

/* --- "parent" of the entries of a level --- */

/* An entry of the list, or the "parent" of one. A path in "parent" begins with the name of an entry,
 * wherever this entry is in the hierarchy. */
typedef struct Entry {
    Text name;
    u32  entity;
} Entry;

typedef struct Entries {
    Compile* c;
    Slots    entities; /* of the own source, by the offset of their node */
    Slots    names;    /* of `list`, by name */
    ARRAY(Entry) list;
} Entries;

static u32 node_offset(const Compile* c, u32 entity) {
    return doc_node(c->asset, c->flat->entities.at[entity].node)->offset;
}

static u32* entity_slot(const Entries* e, u32 offset) {
    u32* slot = slots_first(&e->entities, offset * 0x9e3779b97f4a7c15u >> 32);
    while (*slot && node_offset(e->c, *slot - 1) != offset) slot = slots_next(&e->entities, slot);
    return slot;
}

static void entities_index(Entries* e) {
    const Compile* c = e->c;
    slots_alloc(&e->entities, slots_needed(c->flat->entities.count, 16));
    for (u32 i = 0; i < c->flat->entities.count; i++) {
        if (c->flat->entities.at[i].asset == c->asset->index)
            *entity_slot(e, node_offset(c, i)) = i + 1;
    }
}

static u32* name_slot(const Entries* e, Text name) {
    u32* slot = slots_first(&e->names, hash_bytes(name.at, name.bytes, 0));
    while (*slot && !text_equal(e->list.at[*slot - 1].name, name))
        slot = slots_next(&e->names, slot);
    return slot;
}

static void parent_collect(Entries* e, Json* json) {
    const u32  offset = json_offset(json);
    JsonString text;
    if (!json_string(json, &text)) return;
    const Text path = compile_text(e->c, text);
    Text       first = {path.at, 0};
    while (first.bytes < path.bytes && path.at[first.bytes] != '/') first.bytes++;
    const u32 slot = *name_slot(e, first);
    if (!slot) return;
    const u32 entry = e->list.at[slot - 1].entity, rest = MIN_OF(first.bytes + 1, path.bytes);
    const u32 entity = rest == path.bytes
                           ? entry
                           : flat_find(e->c, entry, (Text){path.at + rest, path.bytes - rest});
    if (entity != NONE) entry_path(e->c, offset, text, entry, entity);
}

static void entry_visit(Entries* e, Json* json, bool is_naming) {
    const u32  entity = *entity_slot(e, json_offset(json)) - 1;
    JsonString key, name;
    if (!json_enter(json, JSON_OBJECT)) return;
    while (json_key(json, &key)) {
        if (is_naming && json_equals(key, "name") && json_string(json, &name))
            *array_push(&e->list) = (Entry){compile_text(e->c, name), entity};
        else if (!is_naming && json_equals(key, "parent"))
            parent_collect(e, json);
        else
            json_skip(json);
    }
}

static void entries_visit(Entries* e, bool is_naming) {
    Json       json = json_open(&e->c->asset->source, 0, e->c->diag);
    JsonString key;
    if (!json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        if (!json_equals(key, "entities") || !json_enter(&json, JSON_ARRAY)) {
            json_skip(&json);
            continue;
        }
        while (json_item(&json)) entry_visit(e, &json, is_naming);
    }
}

static void parents_collect(Compile* c) {
    Entries e = {.c = c};
    entities_index(&e);
    entries_visit(&e, true);
    slots_alloc(&e.names, slots_needed(e.list.count, 16));
    for (u32 i = 0; i < e.list.count; i++) {
        u32* slot = name_slot(&e, e.list.at[i].name);
        if (!*slot) *slot = i + 1;
    }
    entries_visit(&e, false);
    slots_drop(&e.entities);
    slots_drop(&e.names);
    array_drop(&e.list);
}

/* --- the source --- */

static void name_collect(Compile* c) {
    Json json = json_open(&c->asset->source, doc_node(c->asset, c->rename->node)->offset, c->diag);
    JsonString key, name;
    if (!json_enter(&json, JSON_OBJECT)) return;
    while (json_key(&json, &key)) {
        const u32 offset = json_offset(&json);
        if (!json_equals(key, "name"))
            json_skip(&json);
        else if (json_string(&json, &name))
            use_add(c, offset, name.raw.bytes + 2, c->rename->name, true);
    }
}

static void sibling_report(Compile* c, u32 entity, u32 sibling) {
    const FlatEntity *e = &c->flat->entities.at[sibling], *r = &c->flat->entities.at[entity];
    const Asset *     asset = c->assets->asset[e->asset], *other = c->assets->asset[r->asset];
    diag_error(c->diag, E0305, &asset->source, doc_node(asset, e->node)->offset, 1,
               "\"%s\" has a sibling with this name already: choose another name for it, or rename "
               "this entity first",
               flat_path(c, c->flat, NONE, entity));
    diag_note(c->diag, &other->source, doc_node(other, r->node)->offset, 1,
              "the entity to be renamed is here");
}

void rename_collect(Compile* c) {
    if (!c->rename) return;
    const Text name = text_of(c->rename->name);
    for (u32 i = 0; i < c->flat->entities.count; i++) {
        if (!is_renamed(c, i)) continue;
        const u32 sibling = flat_find(c, c->flat->entities.at[i].parent, name);
        if (sibling != NONE && sibling != i) sibling_report(c, i, sibling);
    }
    if (c->asset == c->rename->asset) name_collect(c);
    if (c->asset->type == RESOURCE_LEVEL) parents_collect(c);
}

/* --- from a path to a node --- */

static u32 node_below(const Doc* doc, u32 node, Text path, u32* prefab);

static u32 child_find(const Doc* doc, u32 first, Text path, u32* prefab) {
    Text name = {path.at, 0};
    u32  node = first;
    while (name.bytes < path.bytes && path.at[name.bytes] != '/') name.bytes++;
    while (node != NONE && !text_equal(doc_name(&doc->nodes.at[node]), name))
        node = doc->nodes.at[node].next;
    if (node == NONE || name.bytes == path.bytes) return node;
    const u32 rest = name.bytes + 1;
    return node_below(doc, node, (Text){path.at + rest, path.bytes - rest}, prefab);
}

/* A node that an override of an instance adds to an entity of the prefab. */
static u32 added_find(const Doc* doc, u32 node, Text path, u32* prefab) {
    const DocInstance instance = doc_instance(doc, &doc->nodes.at[node]);
    for (u32 i = 0; i < instance.override_count; i++) {
        const DocOverride* o = &doc->overrides.at[instance.first_override + i];
        const u32          rest = o->path.bytes + 1;
        if (o->host == NONE || rest > path.bytes || path.at[rest - 1] != '/' ||
            memcmp(o->path.at, path.at, rest - 1) != 0)
            continue;
        const u32 found = child_find(doc, doc->nodes.at[o->host].first_child,
                                     (Text){path.at + rest, path.bytes - rest}, prefab);
        if (found != NONE) return found;
    }
    return NONE;
}

static u32 node_below(const Doc* doc, u32 node, Text path, u32* prefab) {
    u32 found = child_find(doc, doc->nodes.at[node].first_child, path, prefab);
    if (found == NONE) found = added_find(doc, node, path, prefab);
    if (found == NONE && *prefab == NONE && doc_instance(doc, &doc->nodes.at[node]).prefab)
        *prefab = node;
    return found;
}

u32 doc_path_find(const Doc* doc, bool is_level, Text path, u32* prefab) {
    *prefab = NONE;
    return is_level ? child_find(doc, doc->first_root, path, prefab)
                    : node_below(doc, 0, path, prefab);
}
