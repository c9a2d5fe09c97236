/* compile_entity.c - converts a tree of nodes, prefabs and overrides into a flat list of entities,
 * and their components into one section per type, in spawn order.
 *
 * Entities are numbered depth first, so that parents come shortly before their children,
 * independent of the order in the source. Every entity is a list of layers, lowest first: its
 * prefab, the instance, and the overrides of enclosing instances. Layers remain text until the
 * memory for all instances is allocated; then each value is read once, to its final address.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#include "compile.h"
#include "compile_hooks.h"
#include "compile_rename.h"
#include "compile_was.h"
#include "declare.h"
#include "declare_write.h"
#include "fields.h"
#include "flat.h"
#include "product.h"
#include "hash.h"
#include "sections.h"
#include "slices.h"
#include "source_map_write.h"

#define RECORD_BYTES_MAX 1024

/* One layer of one instance. */
typedef struct Piece {
    const DocComponent* component; /* NULL: an item of an array, at `offset` */
    Asset*              asset;
    u32                 scope, offset, next;
    u32                 override; /* in the asset's doc, or NONE */
} Piece;

typedef struct Gathered {
    u32  type;
    u32  first, last; /* pieces */
    bool removed;     /* replaced or removed by a higher layer */
} Gathered;

/* The instances of one entity; reused from entity to entity. */
typedef struct Gather {
    Compile* c;
    bool     report;                                               /* the first of two passes */
    u32      stamp[REGISTRY_TYPES_MAX], count[REGISTRY_TYPES_MAX]; /* of the current entity */
    ARRAY(Piece) pieces;
    ARRAY(Gathered) gathered;
} Gather;

/* --- the layers of one entity become instances --- */

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

static void gather_new(Gather* g, u32 type, Piece piece) {
    const u32 at = g->pieces.count;
    piece.next = NONE;
    *array_push(&g->pieces) = piece;
    *array_push(&g->gathered) = (Gathered){type, at, at, false};
    g->count[type]++;
}

static void gather_merge(Gather* g, u32 type, Piece piece) {
    for (u32 i = 0; i < g->gathered.count; i++) {
        Gathered* instance = &g->gathered.at[i];
        if (instance->type != type || instance->removed) continue;
        const u32 at = g->pieces.count;
        piece.next = NONE;
        *array_push(&g->pieces) = piece;
        g->pieces.at[instance->last].next = at;
        instance->last = at;
        return;
    }
}

static void gather_array(Gather* g, u32 type, Piece piece) {
    Json     json = json_open(&piece.asset->source, piece.offset, g->c->diag);
    JsonKind kind = JSON_NULL;
    gather_clear(g, type);
    if (!json_enter(&json, JSON_ARRAY)) return;
    piece.component = NULL;
    while (json_item(&json)) {
        piece.offset = json_offset(&json);
        if (!json_kind(&json, &kind)) return;
        if (kind == JSON_OBJECT) {
            gather_new(g, type, piece);
        } else if (g->report) {
            diag_error(g->c->diag, E0202, &piece.asset->source, piece.offset, 1,
                       "%s must be an object, not %s", g->c->registry->names[type],
                       json_kind_name(kind));
        }
        json_skip(&json);
    }
}

static void gather_records(Gather* g, u32 type, Piece piece) {
    const u32* count = piece.asset->doc.records.at[piece.offset];
    gather_clear(g, type);
    for (u32 i = 0; i < *count; i++) {
        piece.offset++;
        gather_new(g, type, piece);
    }
}

static void gather_component(Gather* g, u32 entity, const FlatLayer* layer,
                             const DocComponent* component) {
    const u32   type = component->type, there = live_count(g, entity, type);
    const Piece piece = {component,         layer->asset, layer->scope,
                         component->offset, NONE,         layer->override};
    const char* name = g->c->registry->names[type];
    if (component->form == DOC_ARRAY) {
        gather_array(g, type, piece);
    } else if (component->form == DOC_RECORDS) {
        gather_records(g, type, piece);
    } else if (component->form == DOC_NULL) {
        if (there == 0 && g->report && !g->c->incomplete && !g->c->has_errors) {
            diag_error(g->c->diag, E0307, &layer->asset->source, component->offset, 4,
                       "null removes a component of the prefab, but there is no %s to remove",
                       name);
        }
        gather_clear(g, type);
    } else if (there == 0) {
        gather_new(g, type, piece);
    } else if (there == 1) {
        gather_merge(g, type, piece);
    } else if (g->report) {
        diag_error(g->c->diag, E0208, &layer->asset->source, component->offset, 1,
                   "the prefab has %u instances of %s; write an array that replaces all of them",
                   there, name);
    }
}

static void gather_entity(Gather* g, u32 entity) {
    const Flat* flat = g->c->flat;
    FlatLayer   only;
    g->pieces.count = g->gathered.count = 0;
    for (u32 at = flat_first_layer(flat, g->c->assets, entity, &only); at != NONE;) {
        const FlatLayer* layer = at == FLAT_ONLY_LAYER ? &only : &flat->layers.at[at];
        const Doc*       doc = &layer->asset->doc;
        for (u32 i = 0; i < layer->component_count; i++) {
            gather_component(g, entity, layer, &doc->components.at[layer->first_component + i]);
        }
        at = layer->next;
    }
}

/* --- instances become records --- */

typedef struct EmitColumn {
    u8* to;
    u32 bytes, offset; /* of a value, and in a record */
} EmitColumn;

/* A type that has instances. */
typedef struct EmitType {
    const u8*           defaults;
    const FieldReader*  readers;
    const CompileHooks* hooks;
    u32*                owners; /* NULL: the blob is too large; only diagnostics are needed */
    u32                 column_count;
    EmitColumn          column[COMPONENT_COLUMNS_MAX];
} EmitType;

#define KNOWN_RESOURCES 2048u /* a power of two */
#define KNOWN_PROBES    8

/* The name of a resource in a text, and what it was resolved to. */
typedef struct KnownResource {
    const Asset* asset; /* NULL: none */
    u32          offset, type;
    ResourceRef  ref;
} KnownResource;

typedef struct Emit {
    Compile*       c;
    Output*        out;
    KnownResource* known;    /* [KNOWN_RESOURCES] or NULL; in the arena */
    Instance       instance; /* what is common to all instances */
    u32            row[REGISTRY_TYPES_MAX];
    EmitType*      type[REGISTRY_TYPES_MAX]; /* NULL: no instances */
} Emit;

/* A record from glTF: its references belong to the file of the model. */
static void emit_record(Emit* e, Instance* in, const Piece* piece) {
    const RecordType* type = &in->type->record;
    const Doc*        doc = &piece->asset->doc;
    memcpy(in->record, doc->records.at[piece->offset], type->bytes);
    in->given = in->given_here = ~0ull;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        u8*          to = (u8*)in->record + f->offset;
        ResourceRef  ref;
        u32          entity;
        assert(!field_is_array(f) && field_form(f) != FORM_TEXT &&
               "models create instances of built-in types without arrays and texts");
        memcpy(&entity, to, 4);
        if (field_form(f) == FORM_ENTITY && entity == 0) memcpy(to, &piece->scope, 4);
        if (field_form(f) != FORM_RESOURCE) continue;
        memcpy(&ref, to, sizeof ref);
        const ModelResource* r = model_find(piece->asset->model, resource_id(ref));
        if (r) compile_reference(e->c, r->name, r->type, &piece->asset->source, 0);
    }
}

/* --- records that were read early --- */

static bool resource_is(const KnownResource* known, const Asset* asset, u32 offset, u32 type) {
    return known->asset == asset && known->offset == offset && known->type == type;
}

/* The entry of a resource, or one to be replaced. */
static KnownResource* known_resource(Emit* e, const Asset* asset, u32 offset, u32 type) {
    const u32 hash = ((offset + type + asset->index * 64) * 0x9e3779b9u) >> 16;
    if (!e->known) e->known = ARENA_NEW(&e->c->arena, KnownResource, KNOWN_RESOURCES);
    KnownResource* const first = &e->known[hash % KNOWN_RESOURCES];
    for (u32 i = 0; i < KNOWN_PROBES; i++) {
        KnownResource* known = &e->known[(hash + i) % KNOWN_RESOURCES];
        if (!known->asset || resource_is(known, asset, offset, type)) return known;
    }
    return first;
}

/* Takes the record of the lowest layer, if it was read early, and all of its references were resolved
 * before. Otherwise its text is read: that resolves or reports them. */
static bool early_take(Emit* e, Instance* in, const EarlyType* type, const Piece* piece) {
    memcpy(in->record, doc_early(&piece->asset->doc, piece->component), type->bytes);
    for (u32 rest = piece->component->given & type->resources; rest; rest &= rest - 1) {
        const u32 f = trailing_zeros(rest), to = type->fields[f].refers_to;
        u8* const at = (u8*)in->record + type->field[f].offset;
        u32       offset;
        memcpy(&offset, at, sizeof offset);
        const KnownResource* known = known_resource(e, piece->asset, offset, to);
        if (!resource_is(known, piece->asset, offset, to)) return false;
        memcpy(at, &known->ref, sizeof known->ref);
    }
    in->given = in->given_here = piece->component->given;
    return true;
}

/* After the text was read. */
static void early_learn(Emit* e, const Instance* in, const EarlyType* type, const Piece* piece) {
    const u8* record = doc_early(&piece->asset->doc, piece->component);
    for (u32 rest = piece->component->given & type->resources; rest; rest &= rest - 1) {
        const u32   f = trailing_zeros(rest), to = type->fields[f].refers_to;
        ResourceRef ref;
        u32         offset;
        memcpy(&offset, record + type->field[f].offset, sizeof offset);
        memcpy(&ref, (const u8*)in->record + type->field[f].offset, sizeof ref);
        if (resource_id(ref) == 0) continue;
        *known_resource(e, piece->asset, offset, to) =
            (KnownResource){piece->asset, offset, to, ref};
    }
}

static void emit_early(Emit* e, Instance* in, const Piece* piece) {
    const ComponentCompiler* compiler = &e->c->registry->compiler[piece->component->type];
    const EarlyType*         type = &compiler->early;
    if (early_take(e, in, type, piece)) return;
    memcpy(in->record, type->defaults, type->bytes);
    compiler->compile(in);
    early_learn(e, in, type, piece);
}

/* The file of the prefab of a node, or NULL. */
static const Asset* prefab_of(const Emit* e, const Asset* asset, u32 node) {
    const DocNode* n = &asset->doc.nodes.at[node];
    if (doc_instance(&asset->doc, n).prefab == 0) return NULL;
    const u32 prefab = __atomic_load_n(&asset->doc.prefab[n->instance - 1], __ATOMIC_RELAXED);
    return prefab ? e->c->assets->asset[prefab - 1] : NULL;
}

/* A value that refers to a prefab: the text at `offset` in `by`. */
typedef struct PrefabStep {
    const Asset *by, *prefab;
    u32          offset;
} PrefabStep;

/* The chain from a node to a file: the node refers to a prefab, the root of which may refer to
 * another one, and so on. Returns the number of steps; 0: none of them is the file. */
static u32 prefab_steps(const Emit* e, const Asset* by, u32 node, const Asset* file,
                        PrefabStep steps[FLAT_DEPTH_MAX]) {
    for (u32 count = 0; count < FLAT_DEPTH_MAX; node = 0) {
        const Asset* prefab = prefab_of(e, by, node);
        if (!prefab) return 0;
        const u32 offset = doc_instance(&by->doc, &by->doc.nodes.at[node]).prefab;
        steps[count++] = (PrefabStep){by, prefab, offset};
        if (prefab == file) return count;
        if (prefab->doc.nodes.count == 0) return 0;
        by = prefab;
    }
    return 0;
}

#define NOTES_MAX 8 /* prefabs that notes report, the innermost first */

/* Reports the prefabs through which a layer in another file was reached: for each of them the value
 * that refers to it. */
static void chain_note(const Emit* e, const Piece* piece) {
    const Flat*  flat = e->c->flat;
    const Asset* inside = piece->asset;
    PrefabStep   steps[FLAT_DEPTH_MAX];
    u32          notes = 0, below = NONE;
    /* The root of an entity's own file is its own scope. */
    for (u32 at = piece->scope; at != NONE && at != below && notes < NOTES_MAX;
         below = at, at = flat->entities.at[at].scope) {
        const FlatEntity* instance = &flat->entities.at[at];
        const Asset*      by = e->c->assets->asset[instance->asset];
        u32               count = prefab_steps(e, by, instance->node, inside, steps);
        for (; count > 0 && notes < NOTES_MAX; count--, notes++) {
            const PrefabStep* step = &steps[count - 1];
            diag_note(e->c->diag, &step->by->source, step->offset,
                      (u32)strlen(step->prefab->name) + 2, "in the prefab \"%s\", instanced here",
                      step->prefab->name);
        }
        inside = by;
    }
}

/* Diagnostics that were reported since there were `before` of them belong to this layer. Returns
 * the current number. */
static u32 emit_notes(const Emit* e, const Piece* piece, u32 before) {
    const u32 reports = diag_report_count(e->c->diag);
    if (reports != before) chain_note(e, piece);
    return reports;
}

/* Most columns have values of one of three sizes. */
static inline void value_copy(u8* to, const u8* from, u32 bytes) {
    switch (bytes) {
    case 4: memcpy(to, from, 4); return;
    case 12: memcpy(to, from, 12); return;
    case 16: memcpy(to, from, 16); return;
    default: memcpy(to, from, bytes); return;
    }
}

static inline void emit_columns(Emit* e, u32 type, u32 entity, const u8* record) {
    const EmitType* t = e->type[type];
    const u32       row = e->row[type]++;
    if (!t->owners) return;
    t->owners[row] = entity;
    for (u32 i = 0; i < t->column_count; i++) {
        const EmitColumn* column = &t->column[i];
        value_copy(column->to + (size_t)row * column->bytes, record + column->offset,
                   column->bytes);
    }
}

/* Only the file that contains the override reports what has changed in the prefab. */
static void emit_override(Emit* e, Instance* in, const Piece* piece, u32 type, bool is_new) {
    const ComponentCompiler* compiler = &e->c->registry->compiler[type];
    const DocOverride*       override = &piece->asset->doc.overrides.at[piece->override];
    const bool is_compared = piece->component && piece->asset == e->c->asset && !compiler->plugin;
    if (is_compared) was_check(in, override, type, is_new);
    if (is_compared && e->c->needs_was) {
        _Alignas(16) u8 before[RECORD_BYTES_MAX];
        memcpy(before, in->record, compiler->type.record.bytes);
        compiler->compile(in);
        was_collect(in, piece->override, type, before, is_new);
        return;
    }
    compiler->compile(in);
}

/* A link is recorded only while its text is read. */
static bool is_early(const Emit* e, const Piece* piece) {
    return piece->component && piece->component->early && piece->override == NONE &&
           !e->c->needs_links;
}

static void emit_instance(Emit* e, const Gather* g, const Gathered* gathered, u32 entity) {
    _Alignas(16) u8          record[RECORD_BYTES_MAX];
    const ComponentCompiler* compiler = &e->c->registry->compiler[gathered->type];
    const EmitType*          type = e->type[gathered->type];
    const CompileHooks*      hooks = type->hooks;
    const u32                errors = diag_error_count(e->c->diag);
    u32                      reports = diag_report_count(e->c->diag);
    Instance                 in = e->instance;
    in.type = &compiler->type;
    in.record = record;
    in.plugin = compiler->plugin;
    in.readers = type->readers;
    e->c->entity = entity;
    memcpy(record, type->defaults, compiler->type.record.bytes);
    const Piece* last = NULL;
    e->c->asset_bytes[g->pieces.at[gathered->first].asset->index] +=
        compiler->type.record.bytes + sizeof(u32);
    for (u32 at = gathered->first; at != NONE; at = last->next) {
        last = &g->pieces.at[at];
        in.source = &last->asset->source;
        in.offset = last->offset;
        in.scope = last->scope;
        in.given_here = 0;
        if (last->component && doc_has_records(last->component))
            emit_record(e, &in, last);
        else if (at == gathered->first && is_early(e, last))
            emit_early(e, &in, last);
        else if (last->override != NONE)
            emit_override(e, &in, last, gathered->type, at == gathered->first);
        else
            compiler->compile(&in);
        reports = emit_notes(e, last, reports);
        if (hooks->layer) hooks->layer(e->c, &in, entity);
        if (e->c->map) {
            map_draft_layer(e->c->map, last->asset, last->component, last->offset, last->scope,
                            in.given_here);
        }
    }
    if (e->c->map) map_draft_row(e->c->map, gathered->type);
    if (compiler->required & ~in.given && !e->c->flat->entities.at[entity].lost) {
        record_require_fields(&in, &compiler->type.record);
    }
    if (compiler->check && diag_error_count(e->c->diag) == errors) compiler->check(&in);
    emit_notes(e, last, reports);
    emit_columns(e, gathered->type, entity, record);
}

static EmitType* emit_type_begin(Emit* e, const ComponentType* type) {
    EmitType*    t = ARENA_NEW(&e->c->arena, EmitType, 1);
    u8*          defaults = arena_alloc(&e->c->arena, type->record.bytes);
    FieldReader* readers = ARENA_NEW(&e->c->arena, FieldReader, type->record.field_count);
    assert(type->record.bytes <= RECORD_BYTES_MAX);
    record_defaults(&type->record, defaults);
    record_readers(&type->record, readers);
    *t = (EmitType){.defaults = defaults,
                    .readers = readers,
                    .hooks = compile_hooks_of(type),
                    .owners = output_owners(e->out, type)};
    t->column_count = t->owners ? ent_component_column_count(type) : 0;
    for (u32 i = 0; i < t->column_count; i++) {
        t->column[i] =
            (EmitColumn){output_column(e->out, type, i), ent_component_column_bytes(type, i),
                         ent_component_column_offset(type, i)};
    }
    return t;
}

static void emit_begin(Emit* e, const u32* instances) {
    e->instance = compile_instance(e->c, NULL, NULL);
    for (u32 t = 0; t < e->c->registry->count; t++) {
        if (instances[t]) e->type[t] = emit_type_begin(e, e->c->registry->types[t]);
    }
}

/* --- the complete resource --- */

/* The node of a later entity, which was prefetched before, or NULL. */
static const DocNode* node_ahead(const Compile* c, u32 entity, const Doc** doc) {
    if (entity >= c->flat->entities.count) return NULL;
    const FlatEntity* e = &c->flat->entities.at[entity];
    *doc = &c->assets->asset[e->asset]->doc;
    return &(*doc)->nodes.at[e->node];
}

/* Prefetches the components of a later entity, then their records that were read early, or their text:
 * levels are read in another order than they are written. */
static void components_prefetch(const Compile* c, u32 entity) {
    const Doc*     doc;
    const DocNode* node = node_ahead(c, entity + FLAT_LOOK_AHEAD / 2, &doc);
    if (node && node->component_count) PREFETCH(&doc->components.at[node->first_component]);
    node = node_ahead(c, entity + FLAT_LOOK_AHEAD / 4, &doc);
    if (!node || node->component_count == 0 || !doc->source) return;
    const DocComponent* first = &doc->components.at[node->first_component];
    const char*         at =
        first->early ? (const char*)doc_early(doc, first) : doc->source->text + node->offset;
    PREFETCH(at);
    PREFETCH(at + 64);
    if (first->early) return;
    PREFETCH(at + 128);
    PREFETCH(at + 192);
}

/* --- slices: successive entities, for one thread --- */

#define SLICE_ENTITIES_MIN 4096u

typedef struct Slice {
    u32     first, end;                    /* entities */
    u32     instances[REGISTRY_TYPES_MAX]; /* of them */
    u32     name_bytes, name_at;           /* of their names, in the section */
    Compile compile; /* with the references, names and diagnostics of the text of the slice */
    Gather  gather;
    Emit    emit;
} Slice;

typedef struct Slices {
    Compile* whole;
    Output*  out;
    bool     plain; /* every component of every node is one instance */
    u32      count;
    Slice    slice[];
} Slices;

/* A doc without prefabs and layered nodes has as many instances as components. */
static bool is_plain(const Compile* c) {
    const Doc* doc = &c->asset->doc;
    bool       plain = c->flat->entities.count == doc->nodes.count;
    for (u32 i = 0; i < doc->nodes.count && plain; i++) {
        plain = !doc->nodes.at[i].layered && !doc_instance(doc, &doc->nodes.at[i]).prefab;
    }
    return plain;
}

static void slice_count(const Slices* s, Slice* slice) {
    const Compile* c = s->whole;
    for (u32 i = slice->first; i < slice->end; i++) {
        flat_prefetch(c->flat, c->assets, i);
        slice->name_bytes += flat_name(c->flat, c->assets, i).bytes + 1;
        if (s->plain) {
            const Doc*     doc = &c->asset->doc;
            const DocNode* node = &doc->nodes.at[c->flat->entities.at[i].node];
            for (u32 k = 0; k < node->component_count; k++) {
                slice->instances[doc->components.at[node->first_component + k].type]++;
            }
            continue;
        }
        gather_entity(&slice->gather, i);
        for (u32 k = 0; k < slice->gather.gathered.count; k++) {
            const Gathered* g = &slice->gather.gathered.at[k];
            if (!g->removed) slice->instances[g->type]++;
        }
    }
}

/* The parent, name and position of an entity. */
static u64 entity_bytes(const Compile* c, u32 entity) {
    const u64 name = flat_name(c->flat, c->assets, entity).bytes + 1 + sizeof(u32);
    return sizeof(u32) + (c->strip ? 0 : name);
}

/* Parents and names of the entities. */
static void slice_write(const Compile* c, Output* out, const Slice* slice) {
    u32*  parent = output_section_bytes(out, SECTION_PARENT);
    u32*  offset = output_section_bytes(out, SECTION_NAME_OFFSET);
    char* text = output_section_bytes(out, SECTION_NAME);
    u32   at = slice->name_at;
    for (u32 i = slice->first; i < slice->end; i++) {
        const Doc*     doc;
        const DocNode* ahead = node_ahead(c, i + FLAT_LOOK_AHEAD / 2, &doc);
        flat_prefetch(c->flat, c->assets, i);
        if (ahead) PREFETCH(ahead->name_at);
        if (parent) parent[i] = c->flat->entities.at[i].parent;
        if (!text) continue;
        const Text name = flat_name(c->flat, c->assets, i);
        offset[i] = at;
        if (name.bytes) memcpy(text + at, name.at, name.bytes);
        at += name.bytes + 1;
    }
}

/* The same as gathering and emitting an entity of a plain doc. */
static void plain_emit(const Compile* whole, Slice* slice, u32 entity) {
    Gather*           g = &slice->gather;
    const FlatEntity* e = &whole->flat->entities.at[entity];
    Asset*            asset = whole->assets->asset[e->asset];
    const DocNode*    node = &asset->doc.nodes.at[e->node];
    for (u32 i = 0; i < node->component_count; i++) {
        const DocComponent* component = &asset->doc.components.at[node->first_component + i];
        const Gathered      gathered = {component->type, 0, 0, false};
        g->pieces.at[0] = (Piece){component, asset, e->scope, component->offset, NONE, NONE};
        emit_instance(&slice->emit, g, &gathered, entity);
    }
}

static void slice_emit(const Compile* whole, Slice* slice, bool plain) {
    Gather* g = &slice->gather;
    array_reserve(&g->pieces, 1);
    memset(g->stamp, 0, sizeof g->stamp);
    g->report = false;
    for (u32 i = slice->first; i < slice->end; i++) {
        flat_prefetch(whole->flat, whole->assets, i);
        components_prefetch(whole, i);
        g->c->asset_bytes[whole->flat->entities.at[i].asset] += entity_bytes(whole, i);
        if (g->c->map) map_draft_entity(g->c->map, i);
        if (plain) {
            plain_emit(whole, slice, i);
            continue;
        }
        gather_entity(g, i);
        for (u32 k = 0; k < g->gathered.count; k++) {
            if (!g->gathered.at[k].removed) emit_instance(&slice->emit, g, &g->gathered.at[k], i);
        }
    }
}

static void count_run(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) slice_count(s, &s->slice[i]);
}

static void emit_run(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        slice_write(s->whole, s->out, &s->slice[i]);
        slice_emit(s->whole, &s->slice[i], s->plain);
    }
}

static void index_run(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(first), UNUSED(end), UNUSED(worker);
    flat_index(s->whole->flat);
}

/* With `index`, one thread builds the index of entities at the same time. */
static void slices_run(Slices* s, JobFunction run, bool index) {
    JobGroup group = {0};
    if (s->count == 1) {
        if (index) index_run(s, 0, 1, 0);
        run(s, 0, 1, 0);
        return;
    }
    if (index) ent_job_execute(s->whole->assets->pool, &group, index_run, s);
    ent_job_dispatch(s->whole->assets->pool, &group, s->count, 1, run, s);
    ent_job_wait(s->whole->assets->pool, &group);
}

/* The only slice of a short resource uses the Compile of the resource; if there are more, each has
 * its own, and they are joined afterwards. */
static Slices* slices_begin(Compile* c, Output* out, u32 count) {
    const u32 entities = c->flat->entities.count;
    Slices*   s = memory_alloc(sizeof *s + count * sizeof(Slice));
    *s = (Slices){.whole = c, .out = out, .plain = is_plain(c), .count = count};
    for (u32 i = 0; i < count; i++) {
        Slice* slice = &s->slice[i];
        slice->first = (u32)((u64)entities * i / count);
        slice->end = (u32)((u64)entities * (i + 1) / count);
        slice->compile = (Compile){.assets = c->assets,
                                   .registry = c->registry,
                                   .target = c->target,
                                   .strip = c->strip,
                                   .has_errors = c->has_errors,
                                   .incomplete = c->incomplete,
                                   .asset = c->asset,
                                   .name = c->name,
                                   .flat = c->flat};
        if (count > 1) {
            slice->compile.diag = diag_create_like(c->diag);
            slice->compile.asset_bytes = memory_alloc(sizeof(u64) * ((size_t)c->assets->count + 1));
        }
        if (count > 1 && c->map) slice->compile.map = map_draft_create(c);
        Compile* own = count > 1 ? &slice->compile : c;
        slice->gather = (Gather){.c = own, .report = true};
        slice->emit = (Emit){.c = own, .out = out};
    }
    return s;
}

static void slices_drop(Slices* s) {
    for (u32 i = 0; i < s->count; i++) {
        Slice* slice = &s->slice[i];
        array_drop(&slice->gather.pieces);
        array_drop(&slice->gather.gathered);
        diag_destroy(slice->compile.diag);
        memory_free(slice->compile.asset_bytes);
        compile_end(&slice->compile);
    }
    memory_free(s);
}

static bool slices_are_valid(const Slices* s) {
    bool succeeded = true;
    for (u32 i = 0; i < s->count && s->count > 1 && succeeded; i++) {
        succeeded = diag_error_count(s->slice[i].compile.diag) == 0;
    }
    return succeeded;
}

/* Computes the first row of each slice from the sizes of the previous slices. Returns the bytes of
 * all names. */
static u32 slices_number(Slices* s, u32* instances) {
    u32 name_at = 0;
    for (u32 i = 0; i < s->count; i++) {
        s->slice[i].name_at = name_at;
        name_at += s->slice[i].name_bytes;
        for (u32 t = 0; t < s->whole->registry->count; t++) {
            s->slice[i].emit.row[t] = instances[t];
            instances[t] += s->slice[i].instances[t];
        }
    }
    return name_at;
}

/* Joins references, names and warnings in the order of entities, as if one thread had processed
 * them. */
static bool slices_join(Slices* s) {
    Compile*     c = s->whole;
    Diagnostics* diag = c->diag;
    u32          first[REGISTRY_TYPES_MAX] = {0};
    if (s->count == 1) return true;
    c->diag = diag_create();
    for (u32 i = 0; i < s->count; i++) {
        compile_join(c, &s->slice[i].compile);
        compile_strings_join(c, &s->slice[i].compile, s->out, first, s->slice[i].emit.row);
        memcpy(first, s->slice[i].emit.row, sizeof first);
        if (c->map) map_draft_join(c->map, s->slice[i].compile.map);
    }
    for (u32 i = 0; i < c->reads.count; i++) {
        const u32 asset = c->reads.at[i].asset->index;
        for (u32 k = 0; k < s->count; k++) {
            c->asset_bytes[asset] += s->slice[k].compile.asset_bytes[asset];
        }
    }
    const bool succeeded = diag_error_count(c->diag) == 0;
    diag_destroy(c->diag);
    c->diag = diag;
    for (u32 i = 0; i < s->count; i++) diag_absorb(diag, s->slice[i].compile.diag);
    return succeeded;
}

static void write_sections(Compile* c, Output* out, const u32* instances, u32 name_bytes) {
    const u32 count = c->flat->entities.count;
    u64       bytes = (u64)count * 8 + name_bytes + 1024 + MIN_OF(count * 16, 65536u);
    /* Parents, names, references, strings: a table with spare capacity is moved later. */
    u32 sections = 7 + (c->flat->groups.count ? 2 : 0), declarations = 0;
    for (u32 t = 0; t < c->registry->count; t++) {
        const Declaration* declared = c->registry->compiler[t].declared;
        if (instances[t] == 0) continue;
        if (declared) {
            compile_reference(c, declared->resource, RESOURCE_COMPONENT, &c->asset->source, 0);
            declarations = 4;
        }
        sections++;
        bytes += component_section_bytes(c->registry->types[t], instances[t]) + BLOB_ALIGN;
    }
    output_begin(out, c->asset->type, text_of(c->name), count,
                 sections + declarations - (c->strip ? 2 : 0));
    output_reserve(out, bytes);
    output_section(out, SECTION_PARENT, NULL, count);
    for (u32 t = 0; t < c->registry->count; t++) {
        output_component(out, c->registry->types[t], instances[t]);
    }
    if (c->strip || count == 0) return;
    output_section(out, SECTION_NAME_OFFSET, NULL, count);
    output_section(out, SECTION_NAME, NULL, name_bytes);
}

/* The declarations of the types that the blob has instances of: a world whose declarations are newer
 * converts the instances. */
static void declared_write(Compile* c, Output* out) {
    const ComponentType* types[REGISTRY_TYPES_MAX];
    u32                  count = 0;
    for (u32 t = 0; t < c->registry->count; t++) {
        const ComponentType* type = c->registry->types[t];
        if (c->registry->compiler[t].declared && output_count(out, type)) types[count++] = type;
    }
    declarations_write(out, types, count, NULL);
}

/* Returns false when a slice has errors, or slices contradict each other: then one thread compiles
 * everything again, so that the diagnostics do not depend on the number of threads. */
static bool write_all(Compile* c, Output* out, u32 slices) {
    u32     instances[REGISTRY_TYPES_MAX] = {0};
    Slices* s = slices_begin(c, out, slices);
    slices_run(s, count_run, false);
    const u32 name_bytes = slices_number(s, instances);
    bool      succeeded = slices_are_valid(s);
    *out = (Output){0};
    if (succeeded) {
        write_sections(c, out, instances, name_bytes);
        for (u32 i = 0; i < s->count; i++) emit_begin(&s->slice[i].emit, instances);
        slices_run(s, emit_run, true);
        succeeded = slices_are_valid(s) && slices_join(s);
    }
    slices_drop(s);
    if (succeeded) {
        compile_hooks_finish(c, out);
        compile_write_references(c, out);
        if (!c->strip) declared_write(c, out);
        if (c->flat->groups.count) flat_groups_write(c, out);
        compile_write_texts(c, out);
    } else {
        output_drop(out);
    }
    return succeeded;
}

/* References are recorded by one thread, in the order in which it finds them. */
static u32 entity_slices(const Compile* c) {
    const JobPool* pool = c->needs_links ? NULL : c->assets->pool;
    return slices_requested(pool, c->flat->entities.count / SLICE_ENTITIES_MIN);
}

static void flat_drop_run(void* user, u32 first, u32 end, u32 worker) {
    UNUSED(first), UNUSED(end), UNUSED(worker);
    flat_drop(user);
}

/* For a long resource, one thread frees memory while another one hashes the result. */
static bool entity_finish(Compile* c, Output* out, u32 slices, u8** bytes, size_t* size) {
    JobGroup group = {0};
    Flat*    flat = c->flat;
    c->flat = NULL;
    if (slices > 1)
        ent_job_execute(c->assets->pool, &group, flat_drop_run, flat);
    else
        flat_drop(flat);
    const bool succeeded = compile_finish(c, out, bytes, size);
    if (slices > 1) ent_job_wait(c->assets->pool, &group);
    return succeeded;
}

bool compile_entity(Compile* c, u8** bytes, size_t* size) {
    Flat      flat = {0};
    Output    out;
    const u32 errors = diag_error_count(c->diag);
    c->flat = &flat;
    if (c->needs_map) c->map = map_draft_create(c);
    bool succeeded = flat_expand(c, &flat);
    if (succeeded) {
        const u32 slices = entity_slices(c);
        rename_collect(c);
        if (!write_all(c, &out, slices)) {
            compile_drop(c);
            if (c->map) map_draft_clear(c->map);
            write_all(c, &out, 1);
        }
        succeeded =
            diag_error_count(c->diag) == errors && !c->incomplete && !c->has_errors && !c->unlinked;
        compile_estimate(c);
        if (succeeded) return entity_finish(c, &out, slices, bytes, size);
        output_drop(&out);
    }
    flat_drop(&flat);
    c->flat = NULL;
    return succeeded;
}
