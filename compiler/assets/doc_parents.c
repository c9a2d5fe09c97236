/* doc_parents.c - "parent" of the entries of a level: another entry, an entity below one, or an entity of the prefab
 * of one. */
#include "doc_internal.h"

#include <stdio.h>
#include <stdlib.h>

#include "diag.h"
#include "hash.h"

#define LOOK_AHEAD     12   /* number of rows by which memory is prefetched */
#define CANDIDATES_MAX 5000 /* number of names that are compared for "did you mean" */

/* --- the entries of the list by name --- */

static Text root_name(const Doc* doc, u32 index) { return doc_name(&doc->nodes.at[index]); }

/* Hash table over the names in the level's own list. A part of the hash is stored in the slot, so
 * that a name is compared only when it is almost certainly equal. */
typedef struct Roots {
    const Doc* doc;
    u64*       slot; /* [slots] hash, and node + 1 below it; 0: free; atomic */
    u32        slots;
    bool       repeated; /* two nodes may have the same name; atomic */
} Roots;

/* The slot at which the search for a hash begins. */
static u64* root_place(const Roots* roots, u32 hash) {
    return &roots->slot[(hash * 0x9e3779b97f4a7c15u >> 32) & (roots->slots - 1)];
}

static u64* root_next(const Roots* roots, u64* slot) {
    return slot + 1 == roots->slot + roots->slots ? roots->slot : slot + 1;
}

static bool root_is(const Roots* roots, u64 existing, Text name, u32 hash) {
    return existing >> 32 == hash && text_equal(root_name(roots->doc, (u32)existing - 1), name);
}

/* The node of a name + 1; 0: none. */
static u32 root_find(const Roots* roots, Text name, u32 hash) {
    for (u64* slot = root_place(roots, hash); *slot; slot = root_next(roots, slot)) {
        if (root_is(roots, *slot, name, hash)) return (u32)*slot;
    }
    return 0;
}

/* Is this guess the node of its name, as root_find would return it? Then no text is read. */
static bool root_confirms(const Roots* roots, u32 guess, u32 hash) {
    const u64 wanted = (u64)hash << 32 | guess;
    u64*      slot = root_place(roots, hash);
    while (*slot && *slot != wanted) slot = root_next(roots, slot);
    return *slot == wanted;
}

static bool root_take(u64* slot, u64* existing, u64 mine) {
    return __atomic_compare_exchange_n(slot, existing, mine, false, __ATOMIC_RELAXED,
                                       __ATOMIC_RELAXED);
}

/* Of duplicate names, the first in the list is kept in any order of insertion; they are reported
 * later, as siblings. */
static void root_put(Roots* roots, Text name, u32 hash, u32 node) {
    const u64 mine = (u64)hash << 32 | (node + 1);
    for (u64* slot = root_place(roots, hash);; slot = root_next(roots, slot)) {
        u64 existing = __atomic_load_n(slot, __ATOMIC_RELAXED);
        if (!existing && root_take(slot, &existing, mine)) return;
        if (!root_is(roots, existing, name, hash)) continue;
        __atomic_store_n(&roots->repeated, true, __ATOMIC_RELAXED);
        while (existing > mine && !root_take(slot, &existing, mine)) {
        }
        return;
    }
}

static void roots_put(void* user, u32 first, u32 end, u32 worker) {
    Roots*     roots = user;
    const Doc* doc = roots->doc;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const DocNode* node = &doc->nodes.at[i];
        const u32      ahead = MIN_OF(i + LOOK_AHEAD, doc->nodes.count - 1);
        PREFETCH(root_place(roots, doc->nodes.at[ahead].name_hash));
        if (node->parent != NONE)
            __atomic_store_n(&roots->repeated, true, __ATOMIC_RELAXED);
        else if (node->name_bytes)
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
    Roots roots = {.doc = r->doc, .slots = 16};
    while (roots.slots < r->doc->nodes.count * 2) roots.slots *= 2;
    roots.slot = memory_alloc(sizeof(u64) * roots.slots);
    link_run(r, roots.slots, roots_touch, &roots);
    link_run(r, r->doc->nodes.count, roots_put, &roots);
    return roots;
}

/* The names that a message suggests. */
typedef struct Candidates {
    char        list[512]; /* empty when there are none */
    const char* near;      /* the one most similar to the name that was not found; or NULL */
    Arena       arena;
} Candidates;

/* Collects the names of the nodes from `first` on that have this parent, except of one node. Always
 * drop them. */
static Candidates candidates_find(const Reader* r, u32 first, u32 parent, u32 except, Text name) {
    const Doc* doc = r->doc;
    Candidates c = {.near = NULL};
    u32        total = 0;
    ARRAY(const char*) names = {0};
    if (diag_is_flooded(r->diag)) return c;
    for (u32 i = first; i != NONE; i = doc->nodes.at[i].next) {
        const Text existing = doc_name(&doc->nodes.at[i]);
        if (!existing.bytes || i == except || doc->nodes.at[i].parent != parent) continue;
        if (names.count < CANDIDATES_MAX) *array_push(&names) = arena_text(&c.arena, existing);
        total++;
    }
    if (name.bytes) c.near = diag_nearest(name, names.at, names.count);
    if (total) diag_names(c.list, sizeof c.list, names.at, names.count, total);
    array_drop(&names);
    return c;
}

static void candidates_drop(Candidates* c) { arena_drop(&c->arena); }

/* Suggestions are entities that have no parent themselves. */
static void parent_missing(Reader* r, const ParentName* p, Text text) {
    const Doc* doc = r->doc;
    Candidates c = candidates_find(r, doc->first_root, NONE, p->node, text);
    diag_error(r->diag, E0306, doc->source, p->offset, text.bytes + 2,
               "the list of the level contains no entity \"%.*s\"%s%s%s%s%s", (int)text.bytes,
               text.at, *c.list ? "; it contains " : "", c.list, DIAG_NEAREST(c.near));
    candidates_drop(&c);
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
        while (!parent_offset(r, at)) at = doc->nodes.at[at].parent;
        for (u32 k = at, n = 0; n == 0 || k != at; k = doc->nodes.at[k].parent, n++) {
            const size_t used = strlen(path);
            if (!root_name(doc, k).bytes) continue; /* the host of an override */
            snprintf(path + used, sizeof path - used, "%.*s -> ", (int)root_name(doc, k).bytes,
                     root_name(doc, k).at);
        }
        diag_error(r->diag, E0308, doc->source, parent_offset(r, at), 1,
                   "cyclic parent reference: %s%.*s", path, (int)root_name(doc, at).bytes,
                   root_name(doc, at).at);
    }
    memory_free(mark);
}

static JsonString parent_text(const Reader* r, const ParentName* p) {
    return json_string_at(r->doc->source, p->offset);
}

/* A parent that is not in the list. */
typedef struct DeepParent {
    ParentName* name;
    u32         node; /* below an entry, or the instance of a prefab that contains the parent */
    Text        rest; /* the path in this prefab; empty: the node is the parent */
} DeepParent;

typedef struct ParentSearch {
    Reader* reader;
    Roots   roots;
    bool    backward;         /* a parent comes after its child in the list; atomic */
    ARRAY(ParentName*) paths; /* that name an entity below an entry */
    ARRAY(DeepParent) deep;
    Slots children; /* of the nodes that are not in the list, by parent and name */
} ParentSearch;

static void parent_set(ParentSearch* s, const ParentName* p, u32 parent) {
    s->reader->doc->nodes.at[p->node].parent = parent;
    if (parent >= p->node) __atomic_store_n(&s->backward, true, __ATOMIC_RELAXED);
}

/* Finds the parents that exist and are written without escapes. Any thread may call it. */
static void parents_find(void* user, u32 first, u32 end, u32 worker) {
    ParentSearch* s = user;
    const Reader* r = s->reader;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        ParentName*       p = &r->parents.at[i];
        const ParentName* ahead = &r->parents.at[MIN_OF(i + LOOK_AHEAD, r->parents.count - 1)];
        PREFETCH(root_place(&s->roots, ahead->hash));
        if (!ahead->parent) PREFETCH(r->doc->source->text + ahead->offset);
        if (p->parent && root_confirms(&s->roots, p->parent, p->hash)) {
            parent_set(s, p, p->parent - 1);
            continue;
        }
        p->parent = 0;
        const JsonString text = parent_text(r, p);
        if (text.escaped) continue;
        p->parent = root_find(&s->roots, text.raw, p->hash);
        if (p->parent) parent_set(s, p, p->parent - 1);
    }
}

/* Finds the other parents in the order of the list, and reports those that do not exist. */
static void parents_find_rest(ParentSearch* s) {
    Reader* r = s->reader;
    for (u32 i = 0; i < r->parents.count; i++) {
        ParentName* p = &r->parents.at[i];
        if (p->parent) continue;
        const JsonString text = parent_text(r, p);
        const Text       name = text.escaped ? text_of(json_decode(text, r->arena)) : text.raw;
        p->parent = root_find(&s->roots, name, p->hash);
        if (p->parent)
            parent_set(s, p, p->parent - 1);
        else if (memchr(name.at, '/', name.bytes))
            *array_push(&s->paths) = p;
        else
            parent_missing(r, p, text.raw);
    }
}

/* --- parents below entries, and in their prefabs --- */

static u32* child_slot(const ParentSearch* s, u32 parent, Text name, u32 hash) {
    const Doc* doc = s->reader->doc;
    u32*       slot = slots_first(&s->children,
                                  (parent * 0x9e3779b97f4a7c15u ^ hash) * 0xbf58476d1ce4e5b9u >> 32);
    for (; *slot; slot = slots_next(&s->children, slot)) {
        const DocNode* node = &doc->nodes.at[*slot - 1];
        if (node->parent == parent && node->name_hash == hash && text_equal(doc_name(node), name))
            break;
    }
    return slot;
}

/* Entries of the list are not linked to their parents yet: a path continues only with what its entry contains. */
static void children_index(ParentSearch* s) {
    const DocNode* nodes = s->reader->doc->nodes.at;
    const u32      count = s->reader->doc->nodes.count;
    slots_alloc(&s->children, slots_needed(count, 16));
    for (u32 parent = 0; parent < count; parent++) {
        for (u32 i = nodes[parent].first_child; i != NONE; i = nodes[i].next) {
            u32* slot = child_slot(s, parent, doc_name(&nodes[i]), nodes[i].name_hash);
            if (!*slot && nodes[i].name_bytes) *slot = i + 1;
        }
    }
}

static Text segment_take(Text* path) {
    Text name = *path;
    for (name.bytes = 0; name.bytes < path->bytes && path->at[name.bytes] != '/';) name.bytes++;
    const u32 taken = MIN_OF(name.bytes + 1, path->bytes);
    *path = (Text){path->at + taken, path->bytes - taken};
    return name;
}

static void child_missing(const ParentSearch* s, const ParentName* p, u32 node, Text path,
                          Text name) {
    const Doc* doc = s->reader->doc;
    const Text of = root_name(doc, node);
    Candidates c = candidates_find(s->reader, doc->nodes.at[node].first_child, node, NONE, name);
    const bool is_entry = root_find(&s->roots, name, (u32)hash_bytes(name.at, name.bytes, 0)) != 0;
    diag_error(s->reader->diag, E0306, doc->source, p->offset, path.bytes + 2,
               name.bytes ? "\"%.*s\" has no child \"%.*s\"%s%s%s%s%s%s"
                          : "the path contains an empty name below \"%.*s\"",
               (int)of.bytes, of.at, (int)name.bytes, name.at,
               is_entry ? ", which is an entry of the list; begin the path with it" : "",
               *c.list ? "; it contains " : "", c.list, DIAG_NEAREST(c.near));
    candidates_drop(&c);
}

static void path_find(ParentSearch* s, ParentName* p) {
    Reader*          r = s->reader;
    const Doc*       doc = r->doc;
    const JsonString text = parent_text(r, p);
    Text             rest = text.escaped ? text_of(json_decode(text, r->arena)) : text.raw;
    const bool       is_open = rest.at[rest.bytes - 1] == '/';
    const Text       first = segment_take(&rest);
    u32              node = root_find(&s->roots, first, (u32)hash_bytes(first.at, first.bytes, 0));
    if (!node--) {
        parent_missing(r, p, first);
        return;
    }
    while (rest.bytes) {
        const Text before = rest, name = segment_take(&rest);
        const u32  child = *child_slot(s, node, name, (u32)hash_bytes(name.at, name.bytes, 0));
        if (child) {
            node = child - 1;
            continue;
        }
        if (!doc_instance(doc, &doc->nodes.at[node]).prefab) {
            child_missing(s, p, node, text.raw, name);
            return;
        }
        rest = before;
        break;
    }
    if (is_open && !rest.bytes)
        child_missing(s, p, node, text.raw, rest);
    else
        *array_push(&s->deep) = (DeepParent){p, node, rest};
}

static int deep_order(const void* a, const void* b) {
    const DeepParent *x = a, *y = b;
    if (x->node != y->node) return x->node < y->node ? -1 : 1;
    return x->name < y->name ? -1 : x->name > y->name;
}

static u32 override_add(Doc* doc, Slots* slots, u32 first, DocOverride override) {
    u32* slot = doc_override_slot(doc, slots, first, override.path);
    if (!*slot) {
        *array_push(&doc->overrides) = override;
        *slot = doc->overrides.count - first;
    }
    return first + *slot - 1;
}

static void parent_attach(ParentSearch* s, const DeepParent* d, u32 row) {
    Doc*         doc = s->reader->doc;
    DocOverride* override = &doc->overrides.at[row];
    if (override->removes) {
        diag_error(s->reader->diag, E0306, doc->source, d->name->offset, 1,
                   "an override of \"%.*s\" removes the parent \"%.*s\"",
                   (int)root_name(doc, d->node).bytes, root_name(doc, d->node).at,
                   (int)d->rest.bytes, d->rest.at);
        return;
    }
    if (override->host == NONE) override->host = doc_host_add(doc, d->node);
    parent_set(s, d->name, override->host);
}

/* An entry with a parent in a prefab is a child that an override adds to this parent. The overrides of an instance are
 * in one range, so that they are copied to the end. */
static void parents_attach(ParentSearch* s, const DeepParent* deep, u32 count) {
    Doc*      doc = s->reader->doc;
    const u32 instance = doc->nodes.at[deep->node].instance - 1, first = doc->overrides.count;
    const u32 old = doc->instances.at[instance].first_override;
    const u32 old_count = doc->instances.at[instance].override_count;
    Slots     slots = {0};
    slots_alloc(&slots, slots_needed(old_count + count, 4));
    for (u32 i = 0; i < old_count; i++) {
        const DocOverride override = doc->overrides.at[old + i];
        override_add(doc, &slots, first, override);
    }
    for (u32 i = 0; i < count; i++) {
        const DocOverride override = {
            .path = deep[i].rest, .offset = deep[i].name->offset, .host = NONE, .is_parent = true};
        parent_attach(s, &deep[i], override_add(doc, &slots, first, override));
    }
    doc->instances.at[instance].first_override = first;
    doc->instances.at[instance].override_count = doc->overrides.count - first;
    slots_drop(&slots);
}

static void paths_find(ParentSearch* s) {
    if (s->paths.count == 0) return;
    children_index(s);
    for (u32 i = 0; i < s->paths.count; i++) path_find(s, s->paths.at[i]);
    if (s->deep.count) qsort(s->deep.at, s->deep.count, sizeof *s->deep.at, deep_order);
    for (u32 first = 0, end; first < s->deep.count; first = end) {
        DeepParent* d = &s->deep.at[first];
        for (end = first; end < s->deep.count && s->deep.at[end].node == d->node;) end++;
        u32 inside = 0; /* those in the prefab, moved to the front */
        for (u32 i = first; i < end; i++) {
            if (s->deep.at[i].rest.bytes)
                d[inside++] = s->deep.at[i];
            else
                parent_set(s, s->deep.at[i].name, s->deep.at[i].node);
        }
        if (inside) parents_attach(s, d, inside);
    }
    slots_drop(&s->children);
    array_drop(&s->deep);
    array_drop(&s->paths);
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
        doc_child_append(doc, doc->nodes.at[i].parent, i);
    }
}

/* Links every root that names a parent to that parent. If all parents come before their children,
 * there is no cycle; otherwise another thread searches for cycles at the same time. */
void doc_parents_link(Reader* r) {
    JobGroup group = {0};
    if (r->parents.count == 0) return;
    ParentSearch search = {.reader = r, .roots = roots_index(r)};
    r->doc->names_differ = !search.roots.repeated;
    link_run(r, r->parents.count, parents_find, &search);
    parents_find_rest(&search);
    paths_find(&search);
    const bool both = search.backward && r->pool;
    if (both) ent_job_execute(r->pool, &group, parent_cycles, r);
    roots_link(r->doc);
    memory_free(search.roots.slot);
    if (both)
        ent_job_wait(r->pool, &group);
    else if (search.backward)
        parent_cycles(r, 0, 1, 0);
}
