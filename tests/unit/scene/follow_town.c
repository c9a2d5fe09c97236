/* follow_town.c - random edits of the sources of a small project. follow_files.c writes them. */
#include "follow_town.h"

#include <stdio.h>

#define MOODS_MAX 8

#define EDIT_TEXT(name, text) text,
const char* const town_edit_texts[TOWN_EDIT_COUNT] = {TOWN_EDITS(EDIT_TEXT)};

static const u32 declared[] = {TOWN_HEALTH, TOWN_TAG, TOWN_MARKER};

/* --- fields --- */

static u32 fallback_random(Town* t, u32 kind) {
    switch (kind) {
    case TOWN_U32:
    case TOWN_F32: return random_below(&t->random, 30);
    case TOWN_BOOL: return random_below(&t->random, 2);
    case TOWN_ENUM: return random_below(&t->random, t->moods);
    default: return 0;
    }
}

/* Both tags of an entity have the same fields. */
static void tags_copy(Town* t) {
    memcpy(t->field[TOWN_TAG_2], t->field[TOWN_TAG], sizeof t->field[TOWN_TAG]);
}

static void field_put(Town* t, u32 part, u32 at, const char* name, u32 kind, u32 fallback) {
    TownField* f = &t->field[part][at];
    *f = (TownField){.serial = ++t->next, .kind = kind, .fallback = fallback};
    if (name)
        snprintf(f->name, sizeof f->name, "%s", name);
    else
        snprintf(f->name, sizeof f->name, "n%u", f->serial);
}

static void field_add(Town* t, u32 part, u32 kind) {
    u32 at = 0;
    while (at < TOWN_FIELDS && t->field[part][at].serial) at++;
    if (at < TOWN_FIELDS) field_put(t, part, at, NULL, kind, fallback_random(t, kind));
}

/* An existing field of a component, or NONE. */
static u32 field_any(Town* t, u32 part) {
    for (u32 tries = 0; tries < 100; tries++) {
        const u32 at = random_below(&t->random, TOWN_FIELDS);
        if (t->field[part][at].serial) return at;
    }
    return NONE;
}

static void layer_forget(TownLayer* layer, u32 part, u32 field) { layer->set[part][field] = false; }

static void field_forget(Town* t, u32 part, u32 field) {
    for (u32 i = 0; i < TOWN_NODES; i++) {
        layer_forget(&t->node[i].layer, part, field);
        layer_forget(&t->node[i].child, part, field);
    }
    for (u32 i = 0; i < TOWN_PREFABS; i++) {
        layer_forget(&t->prefab[i].root, part, field);
        layer_forget(&t->prefab[i].child, part, field);
    }
}

static void field_remove(Town* t, u32 part) {
    u32 count = 0;
    for (u32 i = 0; i < TOWN_FIELDS; i++) count += t->field[part][i].serial != 0;
    const u32 at = field_any(t, part);
    if (count < 2 || at == NONE) return;
    t->field[part][at].serial = 0;
    field_forget(t, part, at);
    if (part == TOWN_TAG) field_forget(t, TOWN_TAG_2, at);
}

/* The world may have followed none of the last builds: all older names are stated, as long as they have room. */
static void field_rename(Town* t, u32 part) {
    const u32  at = field_any(t, part);
    TownField* f = &t->field[part][at];
    char       older[sizeof f->former];
    if (at == NONE) return;
    const int length =
        snprintf(older, sizeof older, "\"%s\"%s%s", f->name, *f->former ? ", " : "", f->former);
    if (length >= (int)sizeof older) snprintf(older, sizeof older, "\"%s\"", f->name);
    memcpy(f->former, older, sizeof older);
    snprintf(f->name, sizeof f->name, "n%u", ++t->next);
}

static void fallback_edit(Town* t, u32 part) {
    const u32 at = field_any(t, part);
    if (at != NONE) t->field[part][at].fallback = fallback_random(t, t->field[part][at].kind);
}

static void declaration_edit(Town* t, TownEditKind kind) {
    const u32 part = declared[random_below(&t->random, COUNT_OF(declared))];
    switch (kind) {
    case TOWN_EDIT_FIELD: field_add(t, part, random_below(&t->random, TOWN_DECLARED)); break;
    case TOWN_EDIT_FIELD_REMOVE: field_remove(t, part); break;
    case TOWN_EDIT_FIELD_RENAME: field_rename(t, part); break;
    default: fallback_edit(t, part);
    }
    tags_copy(t);
}

/* --- values --- */

u32 town_value(Random* r, const Flat* flat, u32 kind) {
    u32 at;
    switch (kind) {
    case TOWN_BOOL:
    case TOWN_MESH: return random_below(r, 2);
    case TOWN_ENUM: return random_below(r, flat->moods);
    case TOWN_MATERIAL: return random_below(r, TOWN_MATERIALS + 1);
    case TOWN_ENTITY:
        at = random_below(r, TOWN_ENTITIES);
        return flat->entity[at].exists ? 1 + at : 0;
    default: return random_below(r, 30);
    }
}

/* A value of a component that the layer has. */
static void layer_edit(Town* t, TownLayer* layer, bool is_prefab) {
    Flat flat;
    town_flatten(t, &flat);
    for (u32 tries = 0; tries < 100; tries++) {
        const u32 part = random_below(&t->random, TOWN_PARTS);
        const u32 field = field_any(t, part);
        if (!layer->has[part] || field == NONE) continue;
        const u32 kind = t->field[part][field].kind;
        u32       value = town_value(&t->random, &flat, kind);
        /* Paths of the level are known to nodes only; the child of a prefab may get another name. */
        if (kind == TOWN_ENTITY && (is_prefab || value > TOWN_NODES)) value = 0;
        layer->value[part][field] = value;
        layer->set[part][field] = value != 0 || (kind != TOWN_ENTITY && kind != TOWN_MATERIAL);
        return;
    }
}

static void part_put(Town* t, TownLayer* layer, u32 part) {
    layer->has[part] = true;
    memset(layer->set[part], 0, sizeof layer->set[part]);
    if (part == TOWN_MESHES)
        layer->set[part][0] = true, layer->value[part][0] = random_below(&t->random, 2);
}

/* The second tag becomes the first one. */
static void tag_remove(TownLayer* layer) {
    memcpy(layer->set[TOWN_TAG], layer->set[TOWN_TAG_2], sizeof layer->set[TOWN_TAG]);
    memcpy(layer->value[TOWN_TAG], layer->value[TOWN_TAG_2], sizeof layer->value[TOWN_TAG]);
    layer->has[TOWN_TAG] = layer->has[TOWN_TAG_2];
    layer->has[TOWN_TAG_2] = false;
}

static void tag_toggle(Town* t, TownLayer* layer) {
    if (!layer->has[TOWN_TAG])
        part_put(t, layer, TOWN_TAG);
    else if (!layer->has[TOWN_TAG_2] && random_below(&t->random, 2))
        part_put(t, layer, TOWN_TAG_2);
    else
        tag_remove(layer);
}

static void part_toggle(Town* t, TownLayer* layer, bool is_prefab) {
    static const u32 parts[] = {TOWN_LIGHT, TOWN_HEALTH, TOWN_MESHES, TOWN_TAG};
    const u32        part = parts[random_below(&t->random, COUNT_OF(parts) - is_prefab)];
    if (part == TOWN_TAG)
        tag_toggle(t, layer);
    else if (layer->has[part])
        layer->has[part] = false;
    else
        part_put(t, layer, part);
}

/* --- nodes --- */

static u32 node_any(Town* t) {
    u32 at = random_below(&t->random, TOWN_NODES);
    while (!t->node[at].exists) at = (at + 1) % TOWN_NODES;
    return at;
}

static u32 node_with_prefab(Town* t) {
    u32 at = node_any(t);
    for (u32 tries = 0; tries < TOWN_NODES && t->node[at].prefab == NONE; tries++) {
        at = node_any(t);
    }
    return t->node[at].prefab == NONE ? NONE : at;
}

static bool is_below(const Town* t, u32 node, u32 top) {
    while (node != NONE && node != top) node = t->node[node].parent;
    return node == top;
}

static void node_add(Town* t, u32 prefab) {
    u32 at = 0;
    while (at < TOWN_NODES && t->node[at].exists) at++;
    if (at == TOWN_NODES) return;
    TownNode n = {.exists = true, .name = ++t->next, .parent = NONE, .prefab = prefab};
    if (at > 0 && random_below(&t->random, 3)) n.parent = node_any(t);
    part_put(t, &n.layer, TOWN_TRANSFORM);
    for (u32 i = random_below(&t->random, 4); i > 0; i--) part_toggle(t, &n.layer, false);
    if (random_below(&t->random, 2))
        part_put(t, &n.layer, TOWN_TAG), part_put(t, &n.layer, TOWN_TAG_2);
    t->node[at] = n;
    for (u32 i = 0; i < 4; i++) layer_edit(t, &t->node[at].layer, false);
}

static void references_clear(const Town* t, TownLayer* layer) {
    for (u32 part = 0; part < TOWN_PARTS; part++) {
        for (u32 f = 0; f < TOWN_FIELDS; f++) {
            const u32 value = layer->value[part][f];
            if (t->field[part][f].kind != TOWN_ENTITY || value == 0 || value > TOWN_NODES) continue;
            if (!t->node[value - 1].exists) layer->set[part][f] = false;
        }
    }
}

static void node_remove(Town* t) {
    const u32 top = node_any(t);
    bool      below[TOWN_NODES];
    u32       left = 0;
    for (u32 i = 0; i < TOWN_NODES; i++) {
        below[i] = t->node[i].exists && is_below(t, i, top);
        left += t->node[i].exists && !below[i] && !t->avoided[i];
    }
    if (left < 5) return;
    for (u32 i = 0; i < TOWN_NODES; i++) t->node[i].exists &= !below[i];
    for (u32 i = 0; i < TOWN_NODES; i++) {
        references_clear(t, &t->node[i].layer);
        references_clear(t, &t->node[i].child);
    }
}

static void node_move(Town* t) {
    const u32 node = node_any(t), parent = random_below(&t->random, 4) ? node_any(t) : NONE;
    if (parent != NONE && (is_below(t, parent, node) || t->avoided[parent])) return;
    t->node[node].parent = parent;
}

static void node_swap(Town* t) {
    TownNode* n = &t->node[node_any(t)];
    const u32 prefab = random_below(&t->random, TOWN_PREFABS + 1);
    n->prefab = prefab == TOWN_PREFABS ? NONE : prefab;
    n->child = (TownLayer){0};
}

static void override_edit(Town* t) {
    const u32 at = node_with_prefab(t);
    if (at == NONE) return;
    TownLayer* child = &t->node[at].child;
    if (!child->has[TOWN_TRANSFORM]) part_put(t, child, TOWN_TRANSFORM);
    if (random_below(&t->random, 3) == 0) child->has[TOWN_HEALTH] = !child->has[TOWN_HEALTH];
    layer_edit(t, child, true);
}

static void prefab_edit(Town* t, TownEditKind kind) {
    TownPrefab* p = &t->prefab[random_below(&t->random, TOWN_PREFABS)];
    const bool  is_model = p == &t->prefab[TOWN_PREFABS - 1];
    TownLayer*  layer = random_below(&t->random, 2) ? &p->root : &p->child;
    if (kind == TOWN_EDIT_CHILD)
        p->child_name = ++t->next;
    else if (is_model) /* which has no other value: its mesh is what the file contains */
        p->child.set[TOWN_TRANSFORM][0] = true,
        p->child.value[TOWN_TRANSFORM][0] = random_below(&t->random, 30);
    else if (kind == TOWN_EDIT_PREFAB_PART)
        part_toggle(t, layer, true);
    else
        layer_edit(t, layer, true);
}

/* --- all of them --- */

void town_edit(Town* t, TownEditKind kind) {
    Random* r = &t->random;
    switch (kind) {
    case TOWN_EDIT_VALUE: layer_edit(t, &t->node[node_any(t)].layer, false); break;
    case TOWN_EDIT_OVERRIDE: override_edit(t); break;
    case TOWN_EDIT_PART: part_toggle(t, &t->node[node_any(t)].layer, false); break;
    case TOWN_EDIT_PREFAB:
    case TOWN_EDIT_PREFAB_PART:
    case TOWN_EDIT_CHILD: prefab_edit(t, kind); break;
    case TOWN_EDIT_ADD:
        node_add(t, random_below(r, 2) ? random_below(r, TOWN_PREFABS) : NONE);
        break;
    case TOWN_EDIT_REMOVE: node_remove(t); break;
    case TOWN_EDIT_RENAME: t->node[node_any(t)].name = ++t->next; break;
    case TOWN_EDIT_MOVE: node_move(t); break;
    case TOWN_EDIT_SWAP: node_swap(t); break;
    case TOWN_EDIT_FIELD:
    case TOWN_EDIT_FIELD_REMOVE:
    case TOWN_EDIT_FIELD_RENAME:
    case TOWN_EDIT_FALLBACK: declaration_edit(t, kind); break;
    case TOWN_EDIT_MOOD:
        t->first_mood = random_below(r, t->moods);
        if (t->moods < MOODS_MAX) t->moods += random_below(r, 2);
        break;
    case TOWN_EDIT_PAINT:
        t->roughness[random_below(r, TOWN_MATERIALS)] = random_below(r, 90);
        break;
    case TOWN_EDIT_IMAGE: t->shade = random_below(r, 256); break;
    case TOWN_EDIT_MODEL: t->width = 1 + random_below(r, 9); break;
    case TOWN_EDIT_LODS: t->lods = random_below(r, 3); break;
    default: t->notes = random_below(r, 4);
    }
}

void town_begin(Town* t, u64 seed) {
    *t = (Town){.random = {seed}, .moods = 3, .width = 1};
    field_put(t, TOWN_TRANSFORM, 0, "position", TOWN_POSITION, 0);
    field_put(t, TOWN_LIGHT, 0, "intensity", TOWN_NUMBER, 1);
    field_put(t, TOWN_LIGHT, 1, "casts_shadow", TOWN_BOOL, 0);
    field_put(t, TOWN_MESHES, 0, "resource", TOWN_MESH, 0);
    field_put(t, TOWN_MESHES, 1, "visible", TOWN_BOOL, 1);
    field_put(t, TOWN_MESHES, 2, "layer", TOWN_U32, 0);
    for (u32 kind = 0; kind < TOWN_DECLARED; kind++) field_add(t, TOWN_HEALTH, kind);
    for (u32 kind = 0; kind < 2; kind++)
        field_add(t, TOWN_TAG, kind), field_add(t, TOWN_MARKER, kind);
    tags_copy(t);
    for (u32 i = 0; i < TOWN_PREFABS; i++) {
        TownPrefab* p = &t->prefab[i];
        p->child_name = ++t->next;
        part_put(t, &p->root, TOWN_TRANSFORM);
        part_put(t, &p->child, TOWN_TRANSFORM);
        part_put(t, &p->child, i + 1 < TOWN_PREFABS ? TOWN_LIGHT : TOWN_MESHES);
        if (i + 1 == TOWN_PREFABS) p->child.value[TOWN_MESHES][0] = 0;
    }
    part_put(t, &t->prefab[0].root, TOWN_HEALTH);
    t->prefab[0].root.set[TOWN_HEALTH][TOWN_ENTITY] = true;
    t->prefab[0].root.value[TOWN_HEALTH][TOWN_ENTITY] = TOWN_CHILD;
    for (u32 i = 0; i < TOWN_NODES - 5; i++) node_add(t, i % 4 < TOWN_PREFABS ? i % 4 : NONE);
}

/* --- what a fresh start contains --- */

static void layer_apply(const Town* t, FlatEntity* e, const TownLayer* layer, u32 child) {
    for (u32 part = 0; part < TOWN_PARTS; part++) {
        if (!layer->has[part]) continue;
        e->has[part] = true;
        for (u32 f = 0; f < TOWN_FIELDS; f++) {
            if (!t->field[part][f].serial || !layer->set[part][f]) continue;
            const u32 value = layer->value[part][f];
            e->value[part][f] =
                t->field[part][f].kind == TOWN_ENTITY && value == TOWN_CHILD ? 1 + child : value;
        }
    }
}

static void fallbacks_put(const Town* t, FlatEntity* e) {
    for (u32 part = 0; part < TOWN_PARTS; part++) {
        for (u32 f = 0; f < TOWN_FIELDS; f++) e->value[part][f] = t->field[part][f].fallback;
    }
}

void town_flatten(const Town* t, Flat* flat) {
    memset(flat, 0, sizeof *flat);
    memcpy(flat->field, t->field, sizeof flat->field);
    flat->moods = t->moods;
    for (u32 i = 0; i < TOWN_NODES; i++) {
        const TownNode*   n = &t->node[i];
        const TownPrefab* p = n->prefab == NONE ? NULL : &t->prefab[n->prefab];
        FlatEntity *      e = &flat->entity[i], *c = &flat->entity[TOWN_NODES + i];
        if (!n->exists) continue;
        e->exists = true, e->name = n->name, e->parent = n->parent;
        fallbacks_put(t, e);
        if (p) layer_apply(t, e, &p->root, TOWN_NODES + i);
        layer_apply(t, e, &n->layer, NONE);
        if (!p) continue;
        c->exists = true, c->name = p->child_name, c->parent = i;
        fallbacks_put(t, c);
        layer_apply(t, c, &p->child, NONE);
        layer_apply(t, c, &n->child, NONE);
    }
}

void town_path(const Flat* flat, u32 entity, char path[static 128]) {
    const FlatEntity* e = &flat->entity[entity];
    *path = 0;
    if (e->parent != NONE) {
        town_path(flat, e->parent, path);
        strcat(path, "/");
    }
    snprintf(path + strlen(path), 128 - strlen(path), "%c%u", entity < TOWN_NODES ? 'e' : 'c',
             e->name);
}
