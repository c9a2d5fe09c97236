/* doc.c - reads entity and level files into nodes. */
#include "doc_internal.h"

#include "hash.h"

#define NODE_DEPTH_MAX 128
#define TWINS_MAX      64 /* keys compared one by one; a larger number is read again and hashed */

/*  X(key, member bit) of an entity's object */
enum {
    KEY_NAME = 1,
    KEY_PREFAB = 2,
    KEY_COMPONENTS = 4,
    KEY_CHILDREN = 8,
    KEY_OVERRIDES = 16,
    KEY_PARENT = 32,
    KEY_GROUP = 64
};

static const struct {
    const char* text;
    u32         bit;
} node_keys[] = {{"name", KEY_NAME},         {"components", KEY_COMPONENTS}, {"prefab", KEY_PREFAB},
                 {"children", KEY_CHILDREN}, {"overrides", KEY_OVERRIDES},   {"parent", KEY_PARENT},
                 {"group", KEY_GROUP}};

#define LOOK_AHEAD 12 /* number of rows by which memory is prefetched */

/* A message about a key: BEFORE "KEY"AFTER. */
typedef struct KeyText {
    const char *before, *after;
} KeyText;

static const KeyText duplicate_key = {"duplicate key", " in this object"};
static const KeyText unknown_type = {"unknown component type", ""};
static const KeyText unknown_key = {"unknown key", " of an entity"};
static const KeyText component_key = {"unknown key",
                                      " of an entity; write the component into \"components\""};
static const KeyText override_key = {
    "unknown key", " of an override, which may contain only \"components\" and \"children\""};
static const KeyText level_key = {"unknown key",
                                  " of a level, which may contain only \"entities\""};
static const KeyText group_key = {"the key",
                                  " is allowed only for entities below the root of an entity file"};
static const KeyText parent_key = {"the key",
                                   " is allowed only for entities in the list of a level"};

static u32 at_offset(const Doc* doc, const char* at) { return (u32)(at - doc->source->text); }

static void key_error(Reader* r, DiagCode code, JsonString key, KeyText text, const char* near) {
    diag_error(r->diag, code, r->doc->source, at_offset(r->doc, key.raw.at) - 1, key.raw.bytes + 2,
               "%s \"%.*s\"%s%s%s%s", text.before, (int)key.raw.bytes, key.raw.at, text.after,
               DIAG_NEAREST(near));
}

/* A plugin is suggested only when no known type has a similar name. */
static void type_error(Reader* r, JsonString key) {
    const char* near = diag_nearest(key.raw, r->registry->names, r->registry->count);
    if (near)
        key_error(r, E0207, key, unknown_type, near);
    else
        diag_error(r->diag, E0207, r->doc->source, at_offset(r->doc, key.raw.at) - 1,
                   key.raw.bytes + 2,
                   "unknown component type \"%.*s\"; if a plugin provides it, pass --plugin LIB",
                   (int)key.raw.bytes, key.raw.at);
}

/* Is a value of this kind next? Reports and skips it when not. */
static bool expect(Reader* r, JsonKind kind, const char* what) {
    JsonKind  found = JSON_NULL;
    const u32 offset = json_offset(&r->json);
    if (!json_kind(&r->json, &found)) return false;
    if (found == kind) return true;
    diag_error(r->diag, E0202, r->doc->source, offset, 1, "%s must be %s, not %s", what,
               json_kind_name(kind), json_kind_name(found));
    json_skip(&r->json);
    return false;
}

const char* entity_name_fault(Text name) {
    if (name.bytes == 0) return "must not be empty";
    if (name.bytes > 255) return "must not be longer than 255 bytes";
    if (name.at[0] == '#' || name.at[0] == '$') return "must not begin with '#' or '$'";
    if (name.bytes == 1 && name.at[0] == '.')
        return "must not be '.', which refers to the entity itself";
    if (name.bytes == 2 && name.at[0] == '.' && name.at[1] == '.') return "must not be '..'";
    for (u32 i = 0; i < name.bytes; i++) {
        if (name.at[i] == '/') return "must not contain '/', which separates names in a path";
        if ((u8)name.at[i] < 0x20 || name.at[i] == 0x7f)
            return "must not contain a control character";
    }
    return NULL;
}

static void child_append(Doc* doc, u32 parent, u32 index) {
    u32* first = parent == NONE ? &doc->first_root : &doc->nodes.at[parent].first_child;
    u32* last = parent == NONE ? &doc->last_root : &doc->last_child.at[parent];
    if (*first == NONE)
        *first = index;
    else
        doc->nodes.at[*last].next = index;
    *last = index;
}

u32 doc_node_add(Doc* doc, u32 parent) {
    const u32 index = doc->nodes.count;
    *array_push(&doc->nodes) = (DocNode){.parent = parent, .first_child = NONE, .next = NONE};
    *array_push(&doc->last_child) = NONE;
    child_append(doc, parent, index);
    return index;
}

void doc_name_set(DocNode* node, Text name) {
    node->name_at = name.at;
    node->name_bytes = (u16)name.bytes;
    node->name_hash = (u32)hash_bytes(name.at, name.bytes, 0);
}

static void name_read(Reader* r, DocNode* node) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!expect(r, JSON_STRING, "name") || !json_string(&r->json, &text)) return;
    Text name = text.raw;
    if (text.escaped) name = text_of(json_decode(text, r->arena));
    const char* fault = entity_name_fault(name);
    if (fault) {
        diag_error(r->diag, E0304, r->doc->source, offset, text.raw.bytes + 2, "the name %s",
                   fault);
        return;
    }
    doc_name_set(node, name);
}

/* The value of one component type: an object, an array of objects, or null. */
static void component_read(Reader* r, u32 type, JsonString key) {
    JsonKind             kind = JSON_NULL;
    Doc*                 doc = r->doc;
    const u32            offset = json_offset(&r->json);
    const ComponentType* t = r->registry->types[type];
    if (!json_kind(&r->json, &kind)) return;
    u16 form = DOC_OBJECT;
    if (kind == JSON_NULL)
        form = DOC_NULL;
    else if (kind == JSON_ARRAY)
        form = DOC_ARRAY;
    else if (kind != JSON_OBJECT) {
        diag_error(r->diag, E0202, doc->source, offset, 1,
                   "%.*s must be an object%s, or null, not %s", (int)key.raw.bytes, key.raw.at,
                   t->several == SEVERAL ? ", an array of objects" : "", json_kind_name(kind));
        json_skip(&r->json);
        return;
    }
    if (form == DOC_ARRAY && t->several == SINGLE) {
        diag_error(r->diag, E0208, doc->source, offset, 1,
                   "an entity may have only one %s; write a single object instead of an array",
                   t->record.name);
        json_skip(&r->json);
        return;
    }
    json_skip(&r->json);
    *array_push(&doc->components) = (DocComponent){(u16)type, form, offset};
}

static void components_read(Reader* r, u32* first, u32* count) {
    JsonString key;
    Doc*       doc = r->doc;
    u64        seen[(REGISTRY_TYPES_MAX + 63) / 64] = {0}; /* also when its value is invalid */
    *first = doc->components.count;
    if (!expect(r, JSON_OBJECT, "components") || !json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        const u32  type = registry_find(r->registry, key);
        const bool is_duplicate = type != NONE && seen[type / 64] >> type % 64 & 1;
        if (type != NONE && !is_duplicate) {
            seen[type / 64] |= 1ull << type % 64;
            component_read(r, type, key);
            continue;
        }
        if (is_duplicate)
            key_error(r, E0103, key, duplicate_key, NULL);
        else if (!json_key_is_note(key))
            type_error(r, key);
        json_skip(&r->json);
    }
    *count = doc->components.count - *first;
}

void doc_components_read(Doc* doc, Json* json, const Registry* registry, u32* first, u32* count) {
    Reader r = {.doc = doc, .json = *json, .registry = registry, .diag = json->diag};
    components_read(&r, first, count);
    *json = r.json;
}

/* The recursion depth is bounded by the nesting limit of JSON. */
static void nodes_read(Reader* r, u32 parent);

static u32 node_key_bit(JsonString key) {
    for (u32 i = 0; i < COUNT_OF(node_keys); i++) {
        if (json_equals(key, node_keys[i].text)) return node_keys[i].bit;
    }
    return 0;
}

static void node_key_unknown(Reader* r, JsonString key) {
    const char* names[COUNT_OF(node_keys)];
    for (u32 i = 0; i < COUNT_OF(node_keys); i++) names[i] = node_keys[i].text;
    if (json_key_is_note(key)) return;
    const char* near = diag_nearest(key.raw, names, COUNT_OF(names));
    if (!near && registry_find(r->registry, key) != NONE) {
        key_error(r, E0201, key, component_key, NULL);
    } else {
        key_error(r, E0201, key, unknown_key, near);
    }
}

/* Records the position of a value and skips it. */
static u32 span_read(Reader* r, JsonKind kind, const char* what) {
    const u32 offset = json_offset(&r->json);
    if (!expect(r, kind, what)) return 0;
    json_skip(&r->json);
    return offset;
}

/* A node that is no entity: it is linked neither as a root nor as a child. */
static u32 host_add(Doc* doc, u32 parent) {
    const u32 index = doc->nodes.count;
    *array_push(&doc->nodes) = (DocNode){.parent = parent, .first_child = NONE, .next = NONE};
    *array_push(&doc->last_child) = NONE;
    return index;
}

/* The value of one path in the overrides of node `index`: null, or an object with `components` and
 * `children`. */
static void override_read(Reader* r, DocOverride* override, u32 index) {
    JsonString key;
    JsonKind   kind = JSON_NULL;
    u32        seen = 0;
    if (!json_kind(&r->json, &kind)) return;
    if (kind == JSON_NULL) {
        override->removes = true;
        json_skip(&r->json);
        return;
    }
    if (!expect(r, JSON_OBJECT, "an override") || !json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        const u32 bit = node_key_bit(key) & (KEY_COMPONENTS | KEY_CHILDREN);
        if (bit && !(seen & bit)) {
            seen |= bit;
            if (bit == KEY_COMPONENTS) {
                components_read(r, &override->first_component, &override->component_count);
            } else {
                override->host = host_add(r->doc, index);
                nodes_read(r, override->host);
            }
            continue;
        }
        if (bit)
            key_error(r, E0103, key, duplicate_key, NULL);
        else if (!json_key_is_note(key)) {
            key_error(r, E0201, key, override_key, NULL);
        }
        json_skip(&r->json);
    }
}

static DocInstance* instance_of(Doc* doc, u32 index) {
    if (!doc->nodes.at[index].instance) {
        *array_push(&doc->instances) = (DocInstance){0};
        doc->nodes.at[index].instance = doc->instances.count;
    }
    return &doc->instances.at[doc->nodes.at[index].instance - 1];
}

/* Children in overrides may have overrides themselves, so that all of one instance are appended together. */
static void overrides_read(Reader* r, u32 index) {
    JsonString key;
    Doc*       doc = r->doc;
    const u32  first = r->overrides.count;
    Json       again = r->json;
    if (!expect(r, JSON_OBJECT, "overrides") || !json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        if (json_key_is_note(key)) {
            json_skip(&r->json);
            continue;
        }
        DocOverride override = {
            .offset = at_offset(doc, key.raw.at) - 1, .path = key.raw, .host = NONE};
        if (key.escaped) override.path = text_of(json_decode(key, r->arena));
        for (u32 i = first; i < r->overrides.count && i < first + TWINS_MAX; i++) {
            if (text_equal(r->overrides.at[i].path, override.path)) {
                key_error(r, E0103, key, duplicate_key, NULL);
            }
        }
        override_read(r, &override, index);
        *array_push(&r->overrides) = override;
    }
    const u32 count = r->overrides.count - first;
    if (count > TWINS_MAX && !r->json.failed) json_skip(&again);
    DocInstance* instance = instance_of(doc, index);
    instance->first_override = doc->overrides.count;
    instance->override_count = count;
    for (u32 i = 0; i < count; i++) *array_push(&doc->overrides) = r->overrides.at[first + i];
    r->overrides.count = first;
}

static void parent_read(Reader* r, u32 index) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!expect(r, JSON_STRING, "parent") || !json_string(&r->json, &text)) return;
    const Text name = text.escaped ? text_of(json_decode(text, r->arena)) : text.raw;
    *array_push(&r->parents) =
        (ParentName){index, offset, (u32)hash_bytes(name.at, name.bytes, 0), 0};
}

/* Every entity of an entity file has the root as an ancestor. */
static void group_read(Reader* r, u32 index, JsonString key) {
    JsonString text;
    const u32  offset = json_offset(&r->json);
    if (!r->level && r->doc->nodes.at[index].parent == NONE) {
        key_error(r, E0201, key, group_key, NULL);
        json_skip(&r->json);
        return;
    }
    if (!expect(r, JSON_STRING, "group") || !json_string(&r->json, &text)) return;
    const char* fault =
        entity_name_fault(text.escaped ? text_of(json_decode(text, r->arena)) : text.raw);
    if (!fault) {
        instance_of(r->doc, index)->group = offset;
        return;
    }
    diag_error(r->diag, E0304, r->doc->source, offset, text.raw.bytes + 2, "the group's name %s",
               fault);
}

static void node_member_read(Reader* r, u32 index, u32 bit, JsonString key) {
    Doc* doc = r->doc;
    u32  first = 0, count = 0;
    switch (bit) {
    case KEY_NAME: name_read(r, &doc->nodes.at[index]); return;
    case KEY_COMPONENTS:
        components_read(r, &first, &count);
        doc->nodes.at[index].first_component = first;
        doc->nodes.at[index].component_count = (u8)count;
        for (u32 i = 0; i < count; i++) {
            doc->nodes.at[index].layered |= doc->components.at[first + i].form != DOC_OBJECT;
        }
        return;
    case KEY_PREFAB:
        first = span_read(r, JSON_STRING, "prefab");
        instance_of(doc, index)->prefab = first;
        return;
    case KEY_OVERRIDES: overrides_read(r, index); return;
    case KEY_CHILDREN: nodes_read(r, index); return;
    case KEY_GROUP: group_read(r, index, key); return;
    default: break;
    }
    if (!r->level || doc->nodes.at[index].parent != NONE) {
        key_error(r, E0201, key, parent_key, NULL);
        json_skip(&r->json);
        return;
    }
    parent_read(r, index);
}

/* Reads the object at the cursor into node `index`. */
static void node_read(Reader* r, u32 index) {
    JsonString key;
    u32        seen = 0;
    r->doc->nodes.at[index].offset = json_offset(&r->json);
    if (!json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        const u32 bit = node_key_bit(key);
        if (bit == 0 || seen & bit) {
            if (bit)
                key_error(r, E0103, key, duplicate_key, NULL);
            else
                node_key_unknown(r, key);
            json_skip(&r->json);
            continue;
        }
        seen |= bit;
        node_member_read(r, index, bit, key);
    }
    const DocInstance instance = doc_instance(r->doc, &r->doc->nodes.at[index]);
    if (instance.override_count && !instance.prefab && !r->json.failed) {
        diag_error(r->diag, E0307, r->doc->source,
                   r->doc->overrides.at[instance.first_override].offset, 1,
                   "\"overrides\" needs a \"prefab\" that contains the overridden entities");
    }
}

void doc_item_read(Reader* r) {
    if (expect(r, JSON_OBJECT, "an entity")) node_read(r, doc_node_add(r->doc, NONE));
}

static void nodes_read(Reader* r, u32 parent) {
    if (!expect(r, JSON_ARRAY, parent == NONE ? "entities" : "children")) return;
    if (parent == NONE && doc_list_slice(r)) return;
    if (!json_enter(&r->json, JSON_ARRAY)) return;
    while (json_item(&r->json)) {
        if (!expect(r, JSON_OBJECT, "an entity")) continue;
        node_read(r, doc_node_add(r->doc, parent));
    }
}

/* --- "parent" in a level's flat list --- */

static Text root_name(const Doc* doc, u32 index) { return doc_name(&doc->nodes.at[index]); }

/* Hash table over the names in the level's own list. A part of the hash is stored in the slot, so
 * that a name is compared only when it is almost certainly equal. */
typedef struct Roots {
    const Doc* doc;
    u64*       slot; /* [slots] hash, and node + 1 below it; 0: free; atomic */
    u32        slots;
} Roots;

/* The slot at which the search for a hash begins. */
static u64* root_place(const Roots* roots, u32 hash) {
    return &roots->slot[(hash * 0x9e3779b97f4a7c15u >> 32) & (roots->slots - 1)];
}

static u64* root_next(const Roots* roots, u64* slot) {
    return slot + 1 == roots->slot + roots->slots ? roots->slot : slot + 1;
}

static bool root_is(const Roots* roots, u64 there, Text name, u32 hash) {
    return there >> 32 == hash && text_equal(root_name(roots->doc, (u32)there - 1), name);
}

/* The node of a name + 1; 0: none. */
static u32 root_find(const Roots* roots, Text name, u32 hash) {
    for (u64* slot = root_place(roots, hash); *slot; slot = root_next(roots, slot)) {
        if (root_is(roots, *slot, name, hash)) return (u32)*slot;
    }
    return 0;
}

static bool root_take(u64* slot, u64* there, u64 mine) {
    return __atomic_compare_exchange_n(slot, there, mine, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Of duplicate names, the first in the list is kept in any order of insertion; they are reported
 * later, as siblings. */
static void root_put(const Roots* roots, Text name, u32 hash, u32 node) {
    const u64 mine = (u64)hash << 32 | (node + 1);
    for (u64* slot = root_place(roots, hash);; slot = root_next(roots, slot)) {
        u64 there = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!there && root_take(slot, &there, mine)) return;
        if (!root_is(roots, there, name, hash)) continue;
        while (there > mine && !root_take(slot, &there, mine)) {
        }
        return;
    }
}

static void roots_put(void* user, u32 first, u32 end, u32 worker) {
    const Roots* roots = user;
    const Doc*   doc = roots->doc;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const DocNode* node = &doc->nodes.at[i];
        const u32      ahead = MIN_OF(i + LOOK_AHEAD, doc->nodes.count - 1);
        PREFETCH(root_place(roots, doc->nodes.at[ahead].name_hash));
        if (node->parent == NONE && node->name_bytes)
            root_put(roots, doc_name(node), node->name_hash, i);
    }
}

static void roots_touch(void* user, u32 first, u32 end, u32 worker) {
    const Roots* roots = user;
    UNUSED(worker);
    memory_touch(roots->slot + first, sizeof(u64) * (end - first));
}

#define LINK_GROUP 4096 /* number of nodes, parents or slots in one unit of work of a thread */

/* Runs a loop on all threads if it is long. */
static void link_run(const Reader* r, u32 count, JobFunction call, void* user) {
    JobGroup group = {0};
    if (!r->pool || count < 2 * LINK_GROUP) {
        call(user, 0, count, 0);
        return;
    }
    ent_job_dispatch(r->pool, &group, count, LINK_GROUP, call, user);
    ent_job_wait(r->pool, &group);
}

static Roots roots_index(const Reader* r) {
    Roots roots = {r->doc, NULL, 16};
    while (roots.slots < r->doc->nodes.count * 2) roots.slots *= 2;
    roots.slot = memory_alloc(sizeof(u64) * roots.slots);
    link_run(r, roots.slots, roots_touch, &roots);
    link_run(r, r->doc->nodes.count, roots_put, &roots);
    return roots;
}

/* Suggestions are entities before it that have no parent. */
static void parent_missing(Reader* r, const ParentName* p, JsonString text) {
    const Doc*   doc = r->doc;
    const char** names = memory_alloc(sizeof(char*) * (doc->nodes.count + 1));
    Arena        scratch = {0};
    u32          count = 0;
    const u32    most = diag_is_flooded(r->diag) ? 0 : 5000;
    for (u32 i = doc->first_root; i != p->node && count < most; i = doc->nodes.at[i].next) {
        const Text name = root_name(doc, i);
        if (name.bytes && doc->nodes.at[i].parent == NONE)
            names[count++] = arena_text(&scratch, name);
    }
    const char* near = diag_nearest(text.raw, names, count);
    diag_error(r->diag, E0306, doc->source, p->offset, text.raw.bytes + 2,
               "the list of the level contains no entity \"%.*s\"%s%s%s", (int)text.raw.bytes,
               text.raw.at, DIAG_NEAREST(near));
    arena_drop(&scratch);
    memory_free(names);
}

/* The position of the "parent" of a node. */
static u32 parent_offset(const Reader* r, u32 node) {
    for (u32 i = 0; i < r->parents.count; i++) {
        if (r->parents.at[i].node == node) return r->parents.at[i].offset;
    }
    return 0;
}

/* Follows parents from every node; a walk that comes back to its start is a cycle. Nodes are marked
 * with the walk that first passed them, so that all walks together are linear. */
static void parent_cycles(void* user, u32 first, u32 end, u32 worker) {
    const Reader* r = user;
    const Doc*    doc = r->doc;
    u32*          mark = memory_alloc(sizeof(u32) * (doc->nodes.count + 1));
    UNUSED(first), UNUSED(end), UNUSED(worker);
    memory_touch(mark, sizeof(u32) * (doc->nodes.count + 1));
    for (u32 i = 0; i < doc->nodes.count; i++) {
        u32 at = i;
        while (at != NONE && !mark[at]) mark[at] = i + 1, at = doc->nodes.at[at].parent;
        if (at == NONE || mark[at] != i + 1) continue;
        char path[512] = "";
        for (u32 k = at, n = 0; n == 0 || k != at; k = doc->nodes.at[k].parent, n++) {
            const size_t used = strlen(path);
            snprintf(path + used, sizeof path - used, "%.*s -> ", (int)root_name(doc, k).bytes,
                     root_name(doc, k).at);
        }
        diag_error(r->diag, E0308, doc->source, parent_offset(r, at), 1,
                   "cyclic parent reference: %s%.*s", path, (int)root_name(doc, at).bytes,
                   root_name(doc, at).at);
    }
    memory_free(mark);
}

/* Reads the text of a "parent" again. Returns false when it differs from the first time. */
static bool parent_text(const Reader* r, const ParentName* p, JsonString* text) {
    Json json = json_open(r->doc->source, p->offset, r->diag);
    return json_string(&json, text);
}

typedef struct ParentSearch {
    Reader* reader;
    Roots   roots;
    bool    backward; /* a parent comes after its child in the list; atomic */
} ParentSearch;

static void parent_set(ParentSearch* s, const ParentName* p, u32 parent) {
    s->reader->doc->nodes.at[p->node].parent = parent;
    if (parent >= p->node) __atomic_store_n(&s->backward, true, __ATOMIC_RELAXED);
}

/* Finds the parents that exist and are written without escapes. Any thread may call it. */
static void parents_find(void* user, u32 first, u32 end, u32 worker) {
    ParentSearch* s = user;
    const Reader* r = s->reader;
    JsonString    text;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        ParentName*       p = &r->parents.at[i];
        const ParentName* ahead = &r->parents.at[MIN_OF(i + LOOK_AHEAD, r->parents.count - 1)];
        PREFETCH(root_place(&s->roots, ahead->hash));
        PREFETCH(r->doc->source->text + ahead->offset);
        if (!parent_text(r, p, &text) || text.escaped) continue;
        p->parent = root_find(&s->roots, text.raw, p->hash);
        if (p->parent) parent_set(s, p, p->parent - 1);
    }
}

/* Finds the other parents in the order of the list, and reports those that do not exist. */
static void parents_find_rest(ParentSearch* s) {
    Reader*    r = s->reader;
    JsonString text;
    for (u32 i = 0; i < r->parents.count; i++) {
        ParentName* p = &r->parents.at[i];
        if (p->parent || !parent_text(r, p, &text)) continue;
        const Text name = text.escaped ? text_of(json_decode(text, r->arena)) : text.raw;
        p->parent = root_find(&s->roots, name, p->hash);
        if (p->parent)
            parent_set(s, p, p->parent - 1);
        else
            parent_missing(r, p, text);
    }
}

/* Links every root as a child of the parent that was found for it, in the order of the list. */
static void roots_link(Doc* doc) {
    u32 next = doc->first_root;
    doc->first_root = doc->last_root = NONE;
    for (u32 i = next; i != NONE; i = next) {
        const u32 ahead = doc->nodes.at[MIN_OF(i + LOOK_AHEAD, doc->nodes.count - 1)].parent;
        if (ahead != NONE) {
            PREFETCH(&doc->nodes.at[ahead]);
            PREFETCH(&doc->last_child.at[ahead]);
        }
        next = doc->nodes.at[i].next;
        doc->nodes.at[i].next = NONE;
        child_append(doc, doc->nodes.at[i].parent, i);
    }
}

/* Links every root that names a parent to that parent. If all parents come before their children,
 * there is no cycle; otherwise another thread searches for cycles at the same time. */
static void parents_link(Reader* r) {
    JobGroup group = {0};
    if (r->parents.count == 0) return;
    ParentSearch search = {r, roots_index(r), false};
    link_run(r, r->parents.count, parents_find, &search);
    parents_find_rest(&search);
    const bool both = search.backward && r->pool;
    if (both) ent_job_execute(r->pool, &group, parent_cycles, r);
    roots_link(r->doc);
    memory_free(search.roots.slot);
    if (both)
        ent_job_wait(r->pool, &group);
    else if (search.backward)
        parent_cycles(r, 0, 1, 0);
}

/* { "entities": [ .. ] } */
static void level_read(Reader* r) {
    JsonString key;
    bool       seen = false;
    if (!json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        if (json_equals(key, "entities") && !seen) {
            seen = true;
            nodes_read(r, NONE);
            continue;
        }
        if (seen && json_equals(key, "entities"))
            key_error(r, E0103, key, duplicate_key, NULL);
        else if (!json_key_is_note(key))
            key_error(r, E0201, key, level_key, NULL);
        json_skip(&r->json);
    }
    if (!seen && !r->json.failed) {
        diag_error(r->diag, E0204, r->doc->source, 0, 1, "a level needs \"entities\", an array");
    }
}

/* Capacities for typical sources. Memory that is not used is never touched, but memory that is
 * reallocated is copied. */
void doc_begin(Doc* doc, const Source* source, u32 bytes) {
    *doc = (Doc){.source = source, .first_root = NONE, .last_root = NONE};
    array_reserve(&doc->nodes, bytes / 160 + 16);
    array_reserve(&doc->last_child, bytes / 160 + 16);
    array_reserve(&doc->components, bytes / 80 + 16);
}

bool doc_read(Doc* doc, const Source* source, bool level, const Registry* registry, Arena* arena,
              Diagnostics* diag, JobPool* pool) {
    Reader    r = {.doc = doc,
                   .json = json_open(source, 0, diag),
                   .registry = registry,
                   .arena = arena,
                   .diag = diag,
                   .pool = pool,
                   .level = level};
    const u32 errors = diag_error_count(diag);
    doc_begin(doc, source, source->bytes);
    if (expect(&r, JSON_OBJECT, level ? "a level" : "an entity")) {
        if (level)
            level_read(&r);
        else
            node_read(&r, doc_node_add(doc, NONE));
    }
    const bool whole = json_end(&r.json);
    if (whole && level) parents_link(&r);
    array_drop(&r.parents);
    array_drop(&r.overrides);
    array_drop(&doc->last_child);
    if (doc->instances.count) doc->prefab = memory_alloc(sizeof(u32) * doc->instances.count);
    doc->has_errors = diag_error_count(diag) != errors;
    return whole && (level || doc->nodes.count > 0);
}

void doc_drop(Doc* doc) {
    array_drop(&doc->nodes);
    array_drop(&doc->components);
    array_drop(&doc->overrides);
    array_drop(&doc->instances);
    array_drop(&doc->last_child);
    array_drop(&doc->records);
    memory_free(doc->prefab);
}
