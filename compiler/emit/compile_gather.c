/* compile_gather.c - the layers of an entity become instances: a value adds to the one instance of its
 * type, an array replaces all of them, null removes them. */
#include "compile_gather.h"

#include "component_members.h"
#include "diag.h"

static u32 live_count(Gather* g, u32 entity, u32 type) {
    if (g->stamp[type] != entity + 1) g->stamp[type] = entity + 1, g->count[type] = 0;
    return g->count[type];
}

static void gather_clear(Gather* g, u32 type) {
    for (u32 i = 0; i < g->gathered.count; i++) {
        if (g->gathered.at[i].type == type) g->gathered.at[i].removed = true;
    }
    g->count[type] = 0;
}

/* A list in a component is removed with the component. */
static void gather_clear_lists(Gather* g, u32 owner) {
    const ComponentMember* member = g->c->registry->compiler[owner].member;
    if (!member) return;
    const u32 type = registry_member_type(g->c->registry, member);
    for (u32 i = 0; i < g->gathered.count; i++) {
        Gathered* instance = &g->gathered.at[i];
        if (instance->type != type || instance->removed) continue;
        if (g->pieces.at[instance->first].item == NONE) continue;
        instance->removed = true;
        g->count[type]--;
    }
}

static void gather_new(Gather* g, u32 type, Piece piece) {
    const u32 at = g->pieces.count;
    piece.next = NONE;
    *array_push(&g->pieces) = piece;
    *array_push(&g->gathered) = (Gathered){type, at, at, false};
    g->count[type]++;
}

/* The names in a list are resolved later: no value can be merged into its members. */
static void listed_report(Gather* g, u32 type, const Piece* piece) {
    const char*            name = g->c->registry->names[type];
    const ComponentMember* member = component_member_listing(name);
    assert(member); /* its list has been read */
    if (!g->report) return;
    diag_error(g->c->diag, E0208, &piece->asset->source, piece->offset, 1,
               "\"%s\" of %s lists %s already; change that list, or write an array here, which "
               "replaces it",
               member->key, member->owner, name);
}

static void gather_merge(Gather* g, u32 type, Piece piece) {
    for (u32 i = 0; i < g->gathered.count; i++) {
        Gathered* instance = &g->gathered.at[i];
        if (instance->type != type || instance->removed) continue;
        if (g->pieces.at[instance->first].item != NONE) {
            listed_report(g, type, &piece);
            return;
        }
        const u32 at = g->pieces.count;
        piece.next = NONE;
        *array_push(&g->pieces) = piece;
        g->pieces.at[instance->last].next = at;
        instance->last = at;
        return;
    }
}

static void gather_array(Gather* g, u32 type, Piece piece) {
    const Source* source = &piece.asset->source;
    gather_clear(g, type);
    piece.component = NULL;
    for (const JsonToken* item = json_first(piece.value); item; item = json_next(item)) {
        piece.value = item;
        piece.offset = json_token_offset(source, item);
        if (json_token_is(item, JSON_OBJECT)) {
            gather_new(g, type, piece);
        } else if (g->report) {
            diag_error(g->c->diag, E0202, source, piece.offset, 1, "%s must be an object, not %s",
                       g->c->registry->names[type], json_kind_name(json_token_kind(item)));
        }
    }
}

/* The members of a list in a component. Those of the first component of an array replace what prefabs have. */
static void gather_members(Gather* g, u32 type, Piece piece, u16 given) {
    const Source* source = &piece.asset->source;
    if (!(given & DOC_MEMBERS_ADD)) gather_clear(g, type);
    piece.component = NULL;
    piece.item = given & (u16)~DOC_MEMBERS_ADD;
    for (const JsonToken* m = json_first(piece.value); m; m = json_next(m)) {
        piece.value = m;
        piece.offset = json_token_offset(source, m);
        if (!json_key_is_note(json_token_key(m))) gather_new(g, type, piece);
    }
}

static void gather_records(Gather* g, u32 type, Piece piece) {
    const u32* count = piece.asset->content->doc->records.at[piece.offset];
    gather_clear(g, type);
    for (u32 i = 0; i < *count; i++) {
        piece.offset++;
        gather_new(g, type, piece);
    }
}

static void gather_component(Gather* g, u32 entity, const FlatLayer* layer,
                             const DocComponent* component) {
    const u32   type = component->type, live = live_count(g, entity, type);
    const Piece piece = {component,         doc_value(layer->asset->content->doc, component),
                         layer->asset,      layer->scope,
                         component->offset, NONE,
                         layer->override,   NONE};
    const char* name = g->c->registry->names[type];
    if (component->form == DOC_ARRAY || component->form == DOC_NULL) gather_clear_lists(g, type);
    if (component->form == DOC_ARRAY) {
        gather_array(g, type, piece);
    } else if (component->form == DOC_MEMBERS) {
        gather_members(g, type, piece, component->given);
    } else if (component->form == DOC_RECORDS) {
        gather_records(g, type, piece);
    } else if (component->form == DOC_NULL) {
        if (live == 0 && g->report && !g->c->incomplete && !g->c->has_errors) {
            diag_error(g->c->diag, E0307, &layer->asset->source, component->offset, 4,
                       "null removes a component of the prefab, but there is no %s to remove",
                       name);
        }
        gather_clear(g, type);
    } else if (live == 0) {
        gather_new(g, type, piece);
    } else if (live == 1) {
        gather_merge(g, type, piece);
    } else if (g->report) {
        diag_error(g->c->diag, E0208, &layer->asset->source, component->offset, 1,
                   "the prefab has %u instances of %s; write an array that replaces all of them",
                   live, name);
    }
}

void gather_entity(Gather* g, u32 entity) {
    const Flat* flat = g->c->flat;
    FlatLayer   only;
    g->pieces.count = g->gathered.count = 0;
    for (u32 at = flat_first_layer(flat, g->c->assets, entity, &only); at != NONE;) {
        const FlatLayer* layer = at == FLAT_ONLY_LAYER ? &only : &flat->layers.at[at];
        const Doc*       doc = layer->asset->content->doc;
        for (u32 i = 0; i < layer->component_count; i++) {
            gather_component(g, entity, layer, &doc->components.at[layer->first_component + i]);
        }
        at = layer->next;
    }
}
