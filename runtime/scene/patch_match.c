/* patch_match.c - matches the entities of two blobs.
 *
 * A path is the parent's path and a name, and parents come first: therefore an entity is looked
 * up by the match of its parent and its name. An unmatched entity with a unique name may have
 * moved. */
#include "patch_internal.h"

#include "chains.h"
#include "hash.h"

typedef struct Matching {
    PatchSide *old_side, *new_side;
    Chains     place;                 /* of the new side: by parent and name */
    Chains     old_names, new_names;  /* of unmatched ones: by scope and name */
    u32 *      old_scope, *new_scope; /* nearest ancestor that stayed, in the new blob; or NONE */
} Matching;

size_t patch_match_words(u32 old_count, u32 new_count) {
    return chains_needed(old_count) + 2 * (size_t)chains_needed(new_count) + 2 * (size_t)old_count +
           3 * (size_t)new_count;
}

static const char* name_of(const PatchSide* side, u32 entity) {
    return side->offset ? side->names + side->offset[entity] : "";
}

static u64 place_hash(const char* name, u32 place) {
    return hash_bytes(name, strlen(name), (u64)place + 1);
}

static void pair(Matching* m, u32 old_index, u32 new_index) {
    m->old_side->match[old_index] = new_index;
    m->new_side->match[new_index] = old_index;
}

/* --- with the same persistent id --- */

static u64 id_hash(u32 id) { return hash_bytes(&id, sizeof id, 0); }

static u32 ids_match(Matching* m) {
    const PatchSide *old = m->old_side, *fresh = m->new_side;
    u32              matched = 0;
    if (!old->id || !fresh->id) return 0;
    chains_clear(&m->place);
    for (u32 i = fresh->count; i-- > 0;) {
        if (fresh->id[i]) chains_enter(&m->place, id_hash(fresh->id[i]), i);
    }
    for (u32 i = 0; i < old->count; i++) {
        u32* link = chains_first(&m->place, id_hash(old->id[i]));
        while (*link != NONE && fresh->id[*link] != old->id[i]) link = chains_next(&m->place, link);
        if (old->id[i] == 0 || *link == NONE) continue;
        pair(m, i, *link);
        chains_remove(&m->place, link);
        matched++;
    }
    return matched;
}

/* --- at the same path --- */

static void place_fill(Matching* m) {
    const PatchSide* side = m->new_side;
    chains_clear(&m->place);
    for (u32 i = side->count; i-- > 0;) {
        chains_enter(&m->place, place_hash(name_of(side, i), side->parent[i]), i);
    }
}

/* Matches an entity with the first unmatched one at its path. A matched entity is removed from
 * its chain, so that siblings with the same name, or without one, cost no more than others. */
static bool place_take(Matching* m, u32 old_index) {
    const PatchSide* fresh = m->new_side;
    const char*      name = name_of(m->old_side, old_index);
    u32              parent = m->old_side->parent[old_index];
    if (m->old_side->match[old_index] != NONE || (m->old_side->id && !*name)) return false;
    if (parent != NONE && (parent = m->old_side->match[parent]) == NONE) return false;
    for (u32* link = chains_first(&m->place, place_hash(name, parent)); *link != NONE;) {
        const u32 at = *link;
        if (fresh->match[at] != NONE) {
            chains_remove(&m->place, link);
        } else if (fresh->parent[at] == parent && strcmp(name_of(fresh, at), name) == 0) {
            chains_remove(&m->place, link);
            pair(m, old_index, at);
            return true;
        } else {
            link = chains_next(&m->place, link);
        }
    }
    return false;
}

/* --- at another path --- */

/* The nearest ancestor that stayed, as an entity of the new blob. */
static void scopes_fill(Matching* m, bool anywhere) {
    const PatchSide *old = m->old_side, *fresh = m->new_side;
    for (u32 i = 0; i < old->count; i++) {
        const u32 p = anywhere ? NONE : old->parent[i];
        m->old_scope[i] = p == NONE               ? NONE
                          : old->match[p] != NONE ? old->match[p]
                                                  : m->old_scope[p];
    }
    for (u32 i = 0; i < fresh->count; i++) {
        const u32 p = anywhere ? NONE : fresh->parent[i];
        m->new_scope[i] = p == NONE ? NONE : fresh->match[p] != NONE ? p : m->new_scope[p];
    }
}

static void names_fill(const Chains* names, const PatchSide* side, const u32* scope) {
    chains_clear(names);
    for (u32 i = 0; i < side->count; i++) {
        const char* name = name_of(side, i);
        if (side->match[i] != NONE || !*name) continue;
        chains_enter(names, place_hash(name, scope[i]), i);
    }
}

/* The only unmatched entity of that name in a scope, or NONE. */
static u32 names_only(const Chains* names, const PatchSide* side, const u32* scope,
                      const char* name, u32 wanted) {
    u32 found = NONE;
    for (u32* link = chains_first(names, place_hash(name, wanted)); *link != NONE;) {
        const u32 at = *link;
        if (side->match[at] != NONE) {
            chains_remove(names, link);
            continue;
        }
        if (scope[at] == wanted && strcmp(name_of(side, at), name) == 0) {
            if (found != NONE) return NONE;
            found = at;
        }
        link = chains_next(names, link);
    }
    return found;
}

static bool parent_stayed(const PatchSide* side, u32 entity) {
    const u32 parent = side->parent[entity];
    return parent == NONE || side->match[parent] != NONE;
}

static void moved_find(Matching* m, bool anywhere) {
    scopes_fill(m, anywhere);
    names_fill(&m->old_names, m->old_side, m->old_scope);
    names_fill(&m->new_names, m->new_side, m->new_scope);
    for (u32 i = 0; i < m->old_side->count; i++) {
        const char* name = name_of(m->old_side, i);
        const u32   scope = m->old_scope[i];
        if (m->old_side->match[i] != NONE || place_take(m, i) || !*name) continue;
        if (names_only(&m->old_names, m->old_side, m->old_scope, name, scope) != i) continue;
        const u32 at = names_only(&m->new_names, m->new_side, m->new_scope, name, scope);
        if (at == NONE) continue;
        /* A game replaces no branches: in a save, each may be a child of any other one. */
        if (m->old_side->id || parent_stayed(m->old_side, i) || parent_stayed(m->new_side, at))
            pair(m, i, at);
    }
}

/* --- the complete match --- */

static u32* words_take(u32** memory, size_t count) {
    u32* at = *memory;
    *memory += count;
    return at;
}

static Chains chains_take(u32** memory, u32 count) {
    const u32 buckets = chains_needed(count);
    u32*      head = words_take(memory, buckets);
    return (Chains){head, words_take(memory, count), buckets};
}

void patch_match(PatchSide* old_side, PatchSide* new_side, u32* memory) {
    const u32 old_count = old_side->count, new_count = new_side->count;
    Matching  m = {.old_side = old_side, .new_side = new_side};
    u32       matched = 0;
    m.place = chains_take(&memory, new_count);
    m.new_names = chains_take(&memory, new_count);
    m.old_names = chains_take(&memory, old_count);
    m.new_scope = words_take(&memory, new_count);
    m.old_scope = words_take(&memory, old_count);
    memset(old_side->match, 0xff, sizeof(u32) * old_count);
    memset(new_side->match, 0xff, sizeof(u32) * new_count);
    matched = ids_match(&m);
    place_fill(&m);
    for (u32 i = 0; i < old_count; i++) matched += place_take(&m, i);
    if (matched == old_count || matched == new_count) return;
    moved_find(&m, false);
    moved_find(&m, true);
}
