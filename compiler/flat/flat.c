/* flat.c - instances prefabs and applies overrides. */
#include "flat.h"

#include <stdio.h>
#include <stdlib.h>

#include "compile_rename.h"
#include "diag.h"
#include "diag_print.h"
#include "hash.h"

/* Of an override. One that is neither is an error: its path does not exist. */
typedef enum Used {
    USED = 1, /* it changes an entity */
    FORGIVEN =
        2, /* an outer override removes or replaces what it changes, or it is a reported duplicate */
} Used;

/* The overrides of one instance, while the entities to which they may refer are being expanded. */
typedef struct Frame {
    Asset*      asset; /* that wrote them */
    DocInstance instance;
    u32         scope;       /* of their layers */
    u32         root;        /* entity that their paths start from */
    u8*         state;       /* [instance.override_count] Used */
    Slots       slots;       /* of the overrides, by path */
    bool        is_replaced; /* the prefab is another one than they were written for */
    FlatChain   chain;       /* prefabs that were being instanced where they are written */
} Frame;

/* An override that changes an entity which is being expanded. */
typedef struct Match {
    u32 frame, row; /* in Doc.overrides */
} Match;

/* A node that instances a prefab, or the host of an override that replaces the prefab. */
typedef struct Instancing {
    Asset* asset;
    u32    node;
    u32    frame; /* of the override; NONE: a node */
} Instancing;

/* A node of a source, and the entity from which the paths in it begin. */
typedef struct NodeAt {
    Asset* asset;
    u32    node, scope;
} NodeAt;

typedef struct Expand {
    Compile* c;
    Flat*    flat;
    ARRAY(Frame) frames;
    ARRAY(Match) matches; /* of the entities that are being expanded, those of the innermost last */
    FlatChain chain;      /* prefabs that are being instanced */
    u32       max;        /* limit of entities; exceeding it was reported */
    bool      full;       /* `most` or the depth limit was reached */
    u32       group;      /* the group that is being expanded, or NONE */
} Expand;

static void expand_node(Expand* x, NodeAt at, u32 parent, u32 depth);

static DocInstance node_instance(const Asset* asset, u32 node) {
    return doc_instance(asset->content->doc, doc_node(asset, node));
}

u32 flat_first_layer(const Flat* flat, const Assets* assets, u32 entity, FlatLayer* only) {
    const FlatEntity* e = &flat->entities.at[entity];
    if (e->first_layer != NONE) return e->first_layer;
    Asset*         asset = assets->asset[e->asset];
    const DocNode* node = doc_node(asset, e->node);
    *only = (FlatLayer){asset, e->scope, node->first_component, node->component_count, NONE, NONE};
    return node->component_count ? FLAT_ONLY_LAYER : NONE;
}

/* --- prefabs --- */

/* One cycle is one error, independent of where it is entered: it is reported beginning with the
 * first of its names. */
static void cycle_report(Expand* x, const Asset* asset, u32 offset, Prefab again) {
    char   path[1024] = "";
    size_t used = 0;
    u32    entry = 0, min;
    while (!prefab_same(x->chain.at[entry], again)) entry++;
    const u32 count = x->chain.count - entry;
    min = entry;
    for (u32 i = entry; i < x->chain.count; i++) {
        if (strcmp(prefab_name(x->chain.at[i]), prefab_name(x->chain.at[min])) < 0) min = i;
    }
    for (u32 i = 0; i < count && used < sizeof path; i++) {
        const Prefab at = x->chain.at[entry + (min - entry + i) % count];
        const int    wrote = snprintf(path + used, sizeof path - used, "%s -> ", prefab_name(at));
        used += (size_t)MAX_OF(wrote, 0);
    }
    if (min != entry) {
        asset = x->chain.at[min - 1].asset;
        offset = x->chain.offset[min];
    }
    diag_error(x->c->diag, E0308, &asset->source, offset, 1, "cyclic prefab reference: %s%s", path,
               prefab_name(x->chain.at[min]));
}

/* What a custom property of a model refers to is changed where the model is exported. */
static LinkKind prefab_link_kind(const Asset* asset) {
    return form_is_model(asset->form) ? LINK_PROPERTY : LINK_PREFAB;
}

/* Records the reference to a prefab that is known, if it has to be recorded. Returns false when its
 * name has to be read, because it is written with escapes. */
static bool prefab_link_again(Compile* c, const Asset* asset, u32 offset, Prefab prefab) {
    if (!c->needs_links || asset != c->asset) return true;
    if (c->links.count && c->links.at[c->links.count - 1].offset == offset) return true;
    const Source* source = &asset->source;
    const Text    name = text_of(prefab_name(prefab));
    const char*   text = source->text + offset;
    if (*text != '"') return true; /* a part in its model: no text has its name */
    if (source->bytes - offset < name.bytes + 2 || text[0] != '"' || text[name.bytes + 1] != '"' ||
        memcmp(text + 1, name.at, name.bytes) != 0)
        return false;
    compile_link(
        c, source,
        (CompileLink){prefab_link_kind(asset), offset, name.bytes + 2, name, RESOURCE_ENTITY});
    return true;
}

/* The prefab of a node. It is needed for layers and children and for every instance, so
 * the result is stored with the node. */
static Prefab prefab_named(Expand* x, Asset* asset, u32 node) {
    const u32 row = doc_node(asset, node)->instance - 1;
    const u32 offset = asset->content->doc->instances.at[row].prefab;
    Prefab    prefab = prefab_known(x->c->assets, asset->content->doc, row);
    if (prefab.asset && prefab_link_again(x->c, asset, offset, prefab)) return prefab;
    const JsonString text = json_string_at(&asset->source, offset);
    const Text       name = compile_text(x->c, text);
    if (!assets_name_check(x->c->assets, &asset->source, offset, name, RESOURCE_ENTITY, x->c->diag))
        return prefab_none();
    compile_link(
        x->c, &asset->source,
        (CompileLink){prefab_link_kind(asset), offset, text.raw.bytes + 2, name, RESOURCE_ENTITY});
    prefab = assets_prefab_named(x->c->assets, name);
    if (prefab.asset)
        prefab_know(asset->content->doc, row, prefab);
    else if (!compile_is_in_invalid_model(x->c, name))
        assets_missing(x->c->assets, &asset->source, offset, name, RESOURCE_ENTITY, x->c->diag);
    return prefab;
}

/* The prefab that a node instances; none after reporting an error. */
static Prefab prefab_find(Expand* x, Asset* asset, u32 node) {
    Diagnostics* diag = x->c->diag;
    const u32    offset = node_instance(asset, node).prefab;
    const Prefab prefab = prefab_named(x, asset, node);
    if (!prefab.asset) return prefab;
    for (u32 i = 0; i < x->chain.count; i++) {
        if (!prefab_same(x->chain.at[i], prefab)) continue;
        cycle_report(x, asset, offset, prefab);
        return prefab_none();
    }
    if (x->chain.count > FLAT_DEPTH_MAX) {
        diag_error(diag, E0309, &asset->source, offset, (u32)strlen(prefab_name(prefab)) + 2,
                   "the nesting depth of prefabs is %u here; the limit is %u", x->chain.count,
                   FLAT_DEPTH_MAX);
        diag_note(diag, &x->chain.at[0].asset->source, x->chain.offset[1], 1,
                  "the outermost prefab is instanced here");
        return prefab_none();
    }
    /* Otherwise it is reported at its own position. */
    return compile_read(x->c, prefab.asset, &asset->source, offset) ? prefab : prefab_none();
}

/* Diagnostics since there were `before` of them concern a property of a node of a model. */
static void object_note(Expand* x, const Asset* asset, u32 node, u32 before) {
    const Text name = doc_name(doc_node(asset, node));
    char       quoted[DIAG_NAME_BYTES];
    if (!form_is_model(asset->form) || diag_report_count(x->c->diag) == before || !name.bytes)
        return;
    diag_note(x->c->diag, NULL, 0, 0, "the node %s has this property",
              diag_name(quoted, arena_text(&x->c->arena, name)));
}

/* The same, and appends it to the chain. */
static Prefab prefab_enter(Expand* x, Asset* asset, u32 node) {
    const u32    before = diag_report_count(x->c->diag);
    const Prefab prefab = prefab_find(x, asset, node);
    if (!prefab.asset) {
        object_note(x, asset, node, before);
        x->c->incomplete = true;
        return prefab;
    }
    x->c->has_errors |= prefab.asset->content->has_errors;
    x->chain.offset[x->chain.count] = node_instance(asset, node).prefab;
    x->chain.at[x->chain.count++] = prefab;
    return prefab;
}

static void prefab_leave(Expand* x) { x->chain.count--; }

/* --- layers --- */

static void layer_add(Expand* x, u32 entity, u32* last, FlatLayer layer) {
    const u32 at = x->flat->layers.count;
    layer.next = NONE;
    if (layer.component_count == 0) return;
    *array_push(&x->flat->layers) = layer;
    if (*last == NONE)
        x->flat->entities.at[entity].first_layer = at;
    else
        x->flat->layers.at[*last].next = at;
    *last = at;
}

/* Returns the instancing by a node itself. */
static Instancing instancing_of(Asset* asset, u32 node) { return (Instancing){asset, node, NONE}; }

static void chain_copy(FlatChain* to, const FlatChain* from, u32 count) {
    memcpy(to->at, from->at, sizeof to->at[0] * count);
    memcpy(to->offset, from->offset, sizeof to->offset[0] * count);
    to->count = count;
}

/* What an override adds or replaces is instanced as if where the override is written. */
static void chain_begin(Expand* x, u32 frame, FlatChain* saved) {
    if (frame == NONE) return;
    const FlatChain* written = &x->frames.at[frame].chain;
    chain_copy(saved, &x->chain, x->chain.count);
    chain_copy(&x->chain, written, written->count);
}

static void chain_end(Expand* x, u32 frame, const FlatChain* saved) {
    if (frame != NONE) chain_copy(&x->chain, saved, saved->count);
}

static void layers_of_node(Expand* x, u32 entity, u32* last, NodeAt at);

/* Adds the layers of the prefab that is instanced. */
static void layers_of_prefab(Expand* x, u32 entity, u32* last, Instancing by) {
    if (!node_instance(by.asset, by.node).prefab) return;
    const Prefab prefab = prefab_enter(x, by.asset, by.node);
    if (prefab.asset) {
        layers_of_node(x, entity, last, (NodeAt){prefab.asset, prefab_root(prefab), entity});
        prefab_leave(x);
    } else {
        x->flat->entities.at[entity].lost = 1;
    }
}

/* Adds the layers of a node to an entity, after those of its prefab. */
static void layers_of_node(Expand* x, u32 entity, u32* last, NodeAt at) {
    layers_of_prefab(x, entity, last, instancing_of(at.asset, at.node));
    const DocNode* n = doc_node(at.asset, at.node);
    layer_add(x, entity, last,
              (FlatLayer){at.asset, at.scope, n->first_component, n->component_count, NONE, NONE});
}

/* The slot of the override of a path, or the free slot for it. */
static u32* override_slot(const Frame* frame, Text path) {
    const Doc*         doc = frame->asset->content->doc;
    const DocOverride* overrides = doc->overrides.at + frame->instance.first_override;
    u32*               slot = slots_first(&frame->slots, hash_bytes(path.at, path.bytes, 0));
    while (*slot && !text_equal(overrides[*slot - 1].path, path)) {
        slot = slots_next(&frame->slots, slot);
    }
    return slot;
}

static void frame_match(Expand* x, u32 f, Text path, u32 entity) {
    Frame*    frame = &x->frames.at[f];
    const u32 slot = *override_slot(frame, path);
    if (slot == 0) return;
    const DocOverride* o =
        &frame->asset->content->doc->overrides.at[frame->instance.first_override + slot - 1];
    if (!o->is_parent) rename_override(x->c, frame->asset, o->offset, frame->root, entity);
    frame->state[slot - 1] |= USED;
    *array_push(&x->matches) = (Match){f, frame->instance.first_override + slot - 1};
}

static const DocOverride* match_override(const Expand* x, u32 match) {
    const Match* m = &x->matches.at[match];
    return &x->frames.at[m->frame].asset->content->doc->overrides.at[m->row];
}

/* Collects the overrides of enclosing instances that change an entity, innermost first. */
static void matches_collect(Expand* x, u32 entity) {
    char  path[FLAT_PATH_BYTES_MAX];
    char *at = path + sizeof path, *end = at;
    u32   frame = x->frames.count, ancestor = entity;
    while (frame > 0 && ancestor != NONE) {
        at = flat_path_prepend(x->flat, x->c->assets, path, at, ancestor);
        if (!at) return;
        ancestor = x->flat->entities.at[ancestor].parent;
        for (; frame > 0 && x->frames.at[frame - 1].root == ancestor; frame--) {
            frame_match(x, frame - 1, (Text){at + 1, (u32)(end - at) - 1}, entity);
        }
    }
}

/* What the overrides of inner frames change below an entity that an outer one removes, or of which it replaces the
 * prefab, is no error. */
static void overrides_forgive(Expand* x, u32 entity, u32 outer) {
    char  path[FLAT_PATH_BYTES_MAX];
    char *at = path + sizeof path, *end = at;
    u32   ancestor = entity;
    for (u32 f = x->frames.count; f > outer + 1 && ancestor != NONE;) {
        at = flat_path_prepend(x->flat, x->c->assets, path, at, ancestor);
        if (!at) return;
        ancestor = x->flat->entities.at[ancestor].parent;
        const Text removed = {at + 1, (u32)(end - at) - 1};
        for (; f > outer + 1 && x->frames.at[f - 1].root == ancestor; f--) {
            const Frame* frame = &x->frames.at[f - 1];
            for (u32 i = 0; i < frame->instance.override_count; i++) {
                const u32          row = frame->instance.first_override + i;
                const DocOverride* o = &frame->asset->content->doc->overrides.at[row];
                if (o->path.bytes <= removed.bytes || o->path.at[removed.bytes] != '/' ||
                    memcmp(o->path.at, removed.at, removed.bytes) != 0)
                    continue;
                frame->state[i] |= FORGIVEN;
                rename_below(x->c, frame->asset, o, removed.bytes, frame->root, entity);
            }
        }
    }
}

/* A plain node has no list: its doc contains all information. */
static bool node_is_plain(const Expand* x, const Asset* asset, u32 node) {
    return x->frames.count == 0 && node_instance(asset, node).prefab == 0;
}

static void layers_collect(Expand* x, u32 entity, Instancing by, NodeAt at, u32 first_match) {
    u32            last = NONE;
    const DocNode* n = doc_node(at.asset, at.node);
    if (node_is_plain(x, at.asset, at.node)) return;
    FlatChain saved;
    chain_begin(x, by.frame, &saved);
    layers_of_prefab(x, entity, &last, by);
    chain_end(x, by.frame, &saved);
    layer_add(x, entity, &last,
              (FlatLayer){at.asset, at.scope, n->first_component, n->component_count, NONE, NONE});
    for (u32 i = first_match; i < x->matches.count; i++) {
        const DocOverride* o = match_override(x, i);
        const Frame*       frame = &x->frames.at[x->matches.at[i].frame];
        layer_add(x, entity, &last,
                  (FlatLayer){frame->asset, frame->scope, o->first_component, o->component_count,
                              NONE, x->matches.at[i].row});
    }
}

/* Is the entity removed? Then its overrides of outer frames are errors, as of any other entity that does not exist. */
static bool removal_check(Expand* x, u32 entity, u32 first_match) {
    for (u32 i = first_match; i < x->matches.count; i++) {
        if (!match_override(x, i)->removes) continue;
        overrides_forgive(x, entity, x->matches.at[i].frame);
        while (++i < x->matches.count) {
            const Match* m = &x->matches.at[i];
            Frame*       frame = &x->frames.at[m->frame];
            frame->state[m->row - frame->instance.first_override] &= (u8)~USED;
        }
        return true;
    }
    return false;
}

/* What instances the prefab of an entity: its node, or the outermost override that replaces the prefab. */
static Instancing instancing_find(Expand* x, u32 entity, NodeAt at, u32 first_match) {
    for (u32 i = x->matches.count; i > first_match; i--) {
        const u32 host = match_override(x, i - 1)->host, f = x->matches.at[i - 1].frame;
        Asset*    from = x->frames.at[f].asset;
        if (host == NONE || !node_instance(from, host).prefab) continue;
        overrides_forgive(x, entity, f);
        return (Instancing){from, host, f};
    }
    return instancing_of(at.asset, at.node);
}

/* --- expanding --- */

/* Does the file of a frame, or of one around it, contain the node of an entity? Then the entity is not in
 * the prefab, but was added by an override or by the "parent" of an entry. */
static bool is_addition(const Expand* x, const Frame* frame, u32 entity) {
    const u32 asset = x->flat->entities.at[entity].asset;
    for (const Frame* f = x->frames.at; f <= frame; f++) {
        if (f->asset->index == asset) return true;
    }
    return false;
}

/* The paths of the entities of the prefab below the root of a frame, at most FLAT_CANDIDATES_MAX; how
 * many there are is returned. */
static u32 frame_names(const Expand* x, const Frame* frame, const char** names, u32* count) {
    const u32 first = frame->root + 1, end = x->flat->entities.count;
    bool*     added = memory_alloc(end - first + 1);
    u32       total = 0;
    for (u32 e = first; e < end; e++) {
        const u32 parent = x->flat->entities.at[e].parent;
        added[e - first] = is_addition(x, frame, e) ||
                           (parent != NONE && parent >= first && added[parent - first]);
        if (added[e - first]) continue;
        const char* path =
            *count < FLAT_CANDIDATES_MAX ? flat_path(x->c, x->flat, frame->root, e) : NULL;
        if (path && strchr(path, FLAT_NAMELESS)) continue;
        if (path) names[(*count)++] = path;
        total++;
    }
    memory_free(added);
    return total;
}

static void override_missing(Expand* x, const Frame* frame, const DocOverride* o) {
    char         list[512] = "";
    const bool   flooded = diag_is_flooded(x->c->diag);
    const char** names = flooded ? NULL : memory_alloc(sizeof(char*) * FLAT_CANDIDATES_MAX);
    u32          count = 0;
    const u32    total = flooded ? 0 : frame_names(x, frame, names, &count);
    const char*  near = diag_nearest(o->path, names, count);
    if (count) diag_names(list, sizeof list, names, count, total);
    const Source* source = &frame->asset->source;
    diag_error(x->c->diag, o->is_parent ? E0306 : E0307, source, o->offset,
               json_string_at(source, o->offset).raw.bytes + 2,
               "the prefab has no entity \"%.*s\" to %s%s%s%s%s%s", (int)o->path.bytes, o->path.at,
               o->is_parent ? "be the parent" : "override", *list ? "; it contains " : "", list,
               DIAG_NEAREST(near));
    memory_free(names);
}

static void frame_pop(Expand* x) {
    Frame* frame = &x->frames.at[x->frames.count - 1];
    for (u32 i = 0; i < frame->instance.override_count && !x->full && !x->c->incomplete; i++) {
        if (frame->state[i] || frame->is_replaced) continue;
        override_missing(
            x, frame,
            &frame->asset->content->doc->overrides.at[frame->instance.first_override + i]);
    }
    memory_free(frame->state);
    slots_drop(&frame->slots);
    x->frames.count--;
}

/* `replaced`: the chain where the node is written, if an override has replaced its prefab. */
static bool frame_push(Expand* x, NodeAt at, u32 root, const FlatChain* replaced) {
    const DocInstance instance = node_instance(at.asset, at.node);
    if (instance.override_count == 0) return false;
    Frame* frame = array_push(&x->frames);
    frame->asset = at.asset;
    frame->instance = instance;
    frame->scope = at.scope;
    frame->root = root;
    frame->is_replaced = replaced != NULL;
    frame->slots = (Slots){0};
    if (replaced)
        chain_copy(&frame->chain, replaced, replaced->count);
    else
        chain_copy(&frame->chain, &x->chain, x->chain.count - 1); /* without the prefab itself */
    frame->state = memory_alloc(instance.override_count);
    slots_alloc(&frame->slots, slots_needed(instance.override_count, 4));
    for (u32 i = 0; i < instance.override_count; i++) {
        u32* slot = override_slot(
            frame, at.asset->content->doc->overrides.at[instance.first_override + i].path);
        if (!*slot)
            *slot = i + 1;
        else
            frame->state[i] = FORGIVEN;
    }
    return true;
}

/* Adds the children of an entity: those of its prefab, then those of the node. */
static void expand_children(Expand* x, u32 entity, Instancing by, NodeAt at, u32 depth) {
    if (node_instance(by.asset, by.node).prefab) {
        FlatChain saved;
        chain_begin(x, by.frame, &saved);
        const Prefab prefab = prefab_enter(x, by.asset, by.node);
        if (prefab.asset) {
            const u32  root = prefab_root(prefab);
            const bool framed = frame_push(x, at, entity, by.frame == NONE ? NULL : &saved);
            expand_children(x, entity, instancing_of(prefab.asset, root),
                            (NodeAt){prefab.asset, root, entity}, depth);
            if (framed) frame_pop(x);
            prefab_leave(x);
        }
        chain_end(x, by.frame, &saved);
    }
    u32 child = doc_node(at.asset, at.node)->first_child;
    for (; child != NONE; child = doc_node(at.asset, child)->next) {
        expand_node(x, (NodeAt){at.asset, child, at.scope}, entity, depth + 1);
    }
}

static bool limit_check(Expand* x, const Asset* asset, u32 node, u32 depth) {
    const u32 offset = doc_node(asset, node)->offset;
    if (x->full) return false;
    if (x->flat->entities.count >= x->max) {
        x->full = true;
    } else if (depth > HIERARCHY_MAX) {
        diag_error(x->c->diag, E0309, &asset->source, offset, 1,
                   "the depth of this entity in the hierarchy is %u; the limit is %u", depth,
                   HIERARCHY_MAX);
        x->full = true;
    }
    return !x->full;
}

/* A node of the resource itself that is in a group is expanded later, together with the group. */
static bool group_waits(Expand* x, u32 node, u32 parent, u32 scope, u32 depth) {
    FlatGroups* groups = &x->flat->groups;
    const u32   group = flat_group_named(groups, doc_node(x->c->asset, node));
    if (group == NONE || group == x->group) return false;
    if (x->group == NONE)
        flat_group_root_add(groups, group, (GroupRoot){node, parent, scope, depth, NONE});
    else
        flat_group_nested(x->c, node, parent, x->group);
    return x->group == NONE;
}

/* Children that an override adds come last. */
static void additions_expand(Expand* x, u32 entity, u32 match, u32 depth) {
    const u32    frame = x->matches.at[match].frame, host = match_override(x, match)->host;
    Asset* const asset = x->frames.at[frame].asset;
    const u32    scope = x->frames.at[frame].scope;
    FlatChain    saved;
    if (host == NONE) return;
    chain_begin(x, frame, &saved);
    for (u32 i = doc_node(asset, host)->first_child; i != NONE; i = doc_node(asset, i)->next) {
        expand_node(x, (NodeAt){asset, i, scope}, entity, depth + 1);
    }
    chain_end(x, frame, &saved);
}

static void expand_node(Expand* x, NodeAt at, u32 parent, u32 depth) {
    const u32 entity = x->flat->entities.count;
    const u32 first = x->matches.count;
    if (!limit_check(x, at.asset, at.node, depth)) return;
    if (x->flat->groups.count && at.asset == x->c->asset &&
        group_waits(x, at.node, parent, at.scope, depth)) {
        return;
    }
    *array_push(&x->flat->entities) = (FlatEntity){.asset = at.asset->index & FLAT_ASSET_MAX,
                                                   .node = at.node,
                                                   .parent = parent,
                                                   .scope = at.scope,
                                                   .first_layer = NONE};
    matches_collect(x, entity);
    if (removal_check(x, entity, first)) {
        x->flat->entities.count = entity;
        x->matches.count = first;
        return;
    }
    const Instancing by = instancing_find(x, entity, at, first);
    const u32        end = x->matches.count;
    layers_collect(x, entity, by, at, first);
    expand_children(x, entity, by, at, depth);
    for (u32 i = first; i < end; i++) additions_expand(x, entity, i, depth);
    x->matches.count = first;
}

/* Expands the groups. */
static void groups_expand(Expand* x) {
    FlatGroups* groups = &x->flat->groups;
    for (u32 i = 0; i < groups->count; i++) {
        x->group = i;
        groups->at[i].first = x->flat->entities.count;
        for (u32 k = groups->at[i].first_root; k != NONE; k = groups->roots.at[k].next) {
            const GroupRoot r = groups->roots.at[k];
            expand_node(x, (NodeAt){x->c->asset, r.node, r.scope}, r.parent, r.depth);
        }
    }
}

/* --- the complete resource --- */

/* Exceeded limits are found by the estimate, before anything is allocated. */
static bool cost_check(const Compile* c, const Cost* cost) {
    const u64 max[] = {BLOB_ENTITIES_MAX, FLAT_LAYERS_MAX};
    const u64 count[] = {cost->entities, cost->layers};
    const u32 which = count[0] > max[0] ? 0 : 1;
    u64       entities;
    u32       node;
    if (count[which] <= max[which]) return true;
    diag_error(c->diag, E0309, &c->asset->source, 0, 1,
               "\"%s\" has %s%llu %s after its prefabs are instanced; the limit is %llu", c->name,
               count[which] == COST_MAX ? "more than " : "", (unsigned long long)count[which],
               which == 0 ? "entities" : "component layers", (unsigned long long)max[which]);
    const Prefab prefab = flat_cost_max(compile_prefab(c), c->assets, &node, &entities);
    if (prefab.asset) {
        diag_note(c->diag, &c->asset->source, node_instance(c->asset, node).prefab, 1,
                  "each instance of \"%s\" adds %llu entities", prefab_name(prefab),
                  (unsigned long long)entities);
    }
    return false;
}

/* Estimates the result. Of prefabs that form a cycle or exceed the nesting limit, which is
 * reported, only the beginning is expanded. */
static bool expand_begin(Expand* x) {
    Compile*  c = x->c;
    Cost      cost;
    FlatFault fault;
    x->chain.at[x->chain.count++] = compile_prefab(c);
    x->max = FLAT_ERRORS_MAX;
    if (flat_cost(c->assets, compile_prefab(c), &cost, &fault)) {
        x->max = BLOB_ENTITIES_MAX;
        return cost_check(c, &cost);
    }
    x->chain = fault.chain;
    if (asset_hold_nodes(c->assets, fault.asset))
        prefab_find(x, fault.asset, fault.node);
    else
        asset_modified(fault.asset, c->diag);
    asset_release_nodes(c->assets, fault.asset);
    x->chain.count = 1;
    return true;
}

bool flat_expand(Compile* c, Flat* flat) {
    Expand    x = {.c = c, .flat = flat, .group = NONE};
    Asset*    asset = c->asset;
    const u32 errors = diag_error_count(c->diag);
    flat->compile = c;
    if (flat_plain_expand(c, flat)) return true;
    if (!expand_begin(&x)) return false;
    array_reserve(&flat->entities, asset->content->doc->nodes.count);
    flat_groups_open(&flat->groups, c);
    if (asset->type == RESOURCE_LEVEL) {
        for (u32 i = asset->content->doc->first_root; i != NONE; i = doc_node(asset, i)->next) {
            expand_node(&x, (NodeAt){asset, i, NONE}, NONE, 1);
        }
    } else {
        const u32 root = prefab_root(compile_prefab(c));
        expand_node(&x, (NodeAt){asset, root, 0}, NONE,
                    1); /* paths in an entity file begin at its root */
    }
    groups_expand(&x);
    array_drop(&x.frames);
    array_drop(&x.matches);
    if (!x.full) return true;
    flat_index(flat);
    return diag_error_count(c->diag) == errors;
}

void flat_drop(Flat* flat) {
    array_drop(&flat->entities);
    array_drop(&flat->layers);
    flat_groups_drop(&flat->groups);
    slots_drop(&flat->child_slots);
    *flat = (Flat){0};
}
