/* compile_emit.c - instances become records, and their fields columns of the blob. */
#include "compile_emit.h"

#include "compile_place.h"
#include "component_members.h"
#include "compile_was.h"
#include "diag.h"
#include "fields.h"
#include "hash.h"
#include "model.h"
#include "source_map_write.h"

#define RECORD_BYTES_MAX 1024

#define KNOWN_RESOURCES 1024u /* a power of two */
#define KNOWN_PROBES    8

/* The name of a resource in a text, and what it was resolved to. */
typedef struct KnownResource {
    const Asset* asset; /* NULL: none */
    u32          offset, type;
    ResourceRef  ref;
} KnownResource;

/* --- layers --- */

/* A record from glTF: its references belong to the file of the model; those to entities are nodes of its doc. */
static void emit_record(Emit* e, Instance* in, const Piece* piece) {
    const RecordType* type = &in->type->record;
    const Doc*        doc = piece->asset->content->doc;
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
        if (field_form(f) == FORM_ENTITY && entity == 0 && piece->scope != NONE) {
            memcpy(to, &piece->scope, 4); /* the root */
        } else if (field_form(f) == FORM_ENTITY && entity != NONE) {
            entity = flat_of_node(e->c, piece->asset, piece->scope, entity);
            memcpy(to, &entity, 4);
        }
        if (field_form(f) != FORM_RESOURCE) continue;
        memcpy(&ref, to, sizeof ref);
        const ModelResource* r = model_find(piece->asset->content->model, resource_id(ref));
        if (r) compile_reference(e->c, r->name, r->type, &piece->asset->source, 0);
    }
}

/* The place of an object that instances a prefab, whose root was read before. */
static __attribute__((noinline)) void emit_place(Emit* e, Instance* in, const Piece* piece) {
    _Alignas(16) u8 root[RECORD_BYTES_MAX];
    memcpy(root, in->record, in->type->record.bytes);
    emit_record(e, in, piece);
    place_compose(e->c, in, root);
}

/* --- records that were read early --- */

static inline bool resource_is(const KnownResource* known, const Asset* asset, u32 offset,
                               u32 type) {
    return known->asset == asset && known->offset == offset && known->type == type;
}

/* The entry of a resource, or one to be replaced. */
static inline KnownResource* known_resource(Emit* e, const Asset* asset, u32 offset, u32 type) {
    const u32 hash = ((offset + type + asset->index * 64) * 0x9e3779b9u) >> 16;
    if (!e->known) e->known = ARENA_NEW(&e->c->arena, KnownResource, KNOWN_RESOURCES);
    KnownResource* const first = &e->known[hash % KNOWN_RESOURCES];
    for (u32 i = 0; i < KNOWN_PROBES; i++) {
        KnownResource* known = &e->known[(hash + i) % KNOWN_RESOURCES];
        if (!known->asset || resource_is(known, asset, offset, type)) return known;
    }
    return first;
}

/* What is replaced or renamed is recorded only while its text is read. */
static inline bool is_early(const Emit* e, const Piece* piece) {
    return piece->component && doc_is_early(piece->component) && !e->c->needs_was && !e->c->rename;
}

/* Records have a few words. */
static inline void early_copy(void* to, const u8* from, u32 bytes) {
    u32 i = 0;
    for (; i + 8 <= bytes; i += 8) memcpy((u8*)to + i, from + i, 8);
    if (bytes & 4) memcpy((u8*)to + i, from + i, 4);
}

/* The fields of a layer that is not the lowest one. */
static void early_fields_copy(u8* to, const u8* from, const EarlyType* type, u32 given) {
    for (; given; given &= given - 1) {
        const Field* f = &type->fields[trailing_zeros(given)];
        memcpy(to + f->offset, from + f->offset, f->bytes);
    }
}

/* The references to resources of a record that was read early; false: one was not resolved before. */
static inline bool early_resolve(Emit* e, Instance* in, const EarlyType* type, const Piece* piece) {
    for (u32 rest = piece->component->given & type->resources; rest; rest &= rest - 1) {
        const u32 f = trailing_zeros(rest), to = type->fields[f].refers_to;
        u8* const at = (u8*)in->record + type->field[f].offset;
        u32       offset;
        memcpy(&offset, at, sizeof offset);
        const KnownResource* known = known_resource(e, piece->asset, offset, to);
        if (!resource_is(known, piece->asset, offset, to)) return false;
        memcpy(at, &known->ref, sizeof known->ref);
    }
    return true;
}

/* Takes a record that was read early, if all of its references were resolved before. Otherwise its text
 * is read, over what was written: that resolves or reports them. */
static inline bool early_take(Emit* e, Instance* in, const EarlyType* type, const Piece* piece,
                              bool is_first) {
    const u8* const record = doc_early(piece->asset->content->doc, piece->component);
    /* A reference to a resource is recorded only while its text is read. */
    if (e->c->needs_links && piece->asset == e->c->asset &&
        (piece->component->given & type->resources))
        return false;
    if (is_first)
        early_copy(in->record, record, type->bytes);
    else
        early_fields_copy(in->record, record, type, piece->component->given);
    if (!early_resolve(e, in, type, piece)) return false;
    in->given_here = piece->component->given;
    in->given |= in->given_here;
    return true;
}

/* After the text was read. */
static void early_learn(Emit* e, const Instance* in, const EarlyType* type, const Piece* piece) {
    const u8* record = doc_early(piece->asset->content->doc, piece->component);
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

/* --- notes about prefabs --- */

/* The prefab of a node, or none. */
static Prefab prefab_of(const Emit* e, const Asset* asset, u32 node) {
    const Doc*     doc = asset->content->doc;
    const DocNode* n = &doc->nodes.at[node];
    if (doc_instance(doc, n).prefab == 0) return prefab_none();
    return prefab_known(e->c->assets, doc, n->instance - 1);
}

/* A value that refers to a prefab: the text at `offset` in `by`. */
typedef struct PrefabStep {
    const Asset* by;
    Prefab       prefab;
    u32          offset;
} PrefabStep;

/* A prefab that was replaced is not held by the resource that is compiled. */
static bool prefab_is_read(const Emit* e, Asset* prefab) {
    return asset_hold_nodes(e->c->assets, prefab) && job_once_done(&prefab->once) &&
           prefab->content->doc && prefab->content->doc->nodes.count > 0;
}

/* The chain from a node to a file: the node refers to a prefab, the root of which may refer to
 * another one, and so on. Returns the number of steps; 0: none of them is the file. */
static u32 prefab_steps(const Emit* e, const Asset* by, u32 node, const Asset* file,
                        PrefabStep steps[FLAT_DEPTH_MAX]) {
    u32  count = 0, held = 0;
    bool found = false;
    while (count < FLAT_DEPTH_MAX) {
        const Prefab prefab = prefab_of(e, by, node);
        if (!prefab.asset) break;
        const u32 offset = doc_instance(by->content->doc, &by->content->doc->nodes.at[node]).prefab;
        steps[count++] = (PrefabStep){by, prefab, offset};
        found = prefab.asset == file;
        if (found) break;
        held++;
        if (!prefab_is_read(e, prefab.asset)) break;
        by = prefab.asset;
        node = prefab_root(prefab);
    }
    for (u32 i = 0; i < held; i++) asset_release_nodes(e->c->assets, steps[i].prefab.asset);
    return found ? count : 0;
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
            assert(count <= FLAT_DEPTH_MAX); /* prefab_steps fills no more */
            const PrefabStep* step = &steps[count - 1];
            diag_note(e->c->diag, &step->by->source, step->offset,
                      (u32)strlen(prefab_name(step->prefab)) + 2,
                      "in the prefab \"%s\", instanced here", prefab_name(step->prefab));
        }
        inside = by;
    }
}

/* A component in a model is written in the extras of a node or of something that the node uses. */
static void node_note(const Emit* e, const Piece* piece) {
    const Flat*       flat = e->c->flat;
    const FlatEntity* entity = &flat->entities.at[e->c->entity];
    char              quoted[DIAG_NAME_BYTES];
    if (!form_is_model(piece->asset->form) || entity->asset != piece->asset->index) return;
    const Text  name = flat_name(flat, e->c->assets, e->c->entity);
    const char* text = arena_text(&e->c->arena, name);
    if (*text)
        diag_note(e->c->diag, NULL, 0, 0, "the node %s has this component",
                  diag_name(quoted, text));
}

/* Diagnostics that were reported since there were `before` of them belong to this layer. Returns
 * the current number. */
static u32 emit_notes(const Emit* e, const Piece* piece, u32 before) {
    const u32 reports = diag_report_count(e->c->diag);
    if (reports != before) node_note(e, piece), chain_note(e, piece);
    return reports;
}

/* --- one instance --- */

/* The tokens of a component that was read early. */
static const JsonToken* value_again(Emit* e, const Instance* in) {
    Json json = json_open(in->source, in->offset, in->diag);
    e->again.source = in->source;
    e->again.count = 0;
    json_tokens_read(&e->again, &json);
    return json_tokens_root(&e->again);
}

/* Reads the values of a layer. */
static inline void value_read(Emit* e, EmitType* t, const Piece* piece, bool is_first) {
    Instance*  in = &t->instance;
    const bool has_early = is_early(e, piece);
    if (has_early && early_take(e, in, &t->compiler->early, piece, is_first)) return;
    if (is_first) memcpy(in->record, t->defaults, in->type->record.bytes);
    if (!in->value) in->value = value_again(e, in);
    t->compiler->compile(in);
    if (has_early) early_learn(e, in, &t->compiler->early, piece);
}

/* Only the file that contains the override reports what has changed in the prefab. */
static void override_read(Emit* e, EmitType* t, const Piece* piece, u32 type, bool is_new) {
    Instance*          in = &t->instance;
    const DocOverride* override = &piece->asset->content->doc->overrides.at[piece->override];
    const bool         is_compared =
        piece->component && piece->asset == e->c->asset && !t->compiler->plugin;
    _Alignas(16) u8 before[RECORD_BYTES_MAX];
    if (is_compared && is_new) memcpy(in->record, t->defaults, in->type->record.bytes);
    if (is_compared) was_check(in, override, type, is_new);
    if (is_compared && e->c->needs_was) memcpy(before, in->record, in->type->record.bytes);
    value_read(e, t, piece, is_new);
    if (is_compared && e->c->needs_was) was_collect(in, piece->override, type, before, is_new);
}

/* Reads one layer into the record. */
static inline void layer_read(Emit* e, EmitType* t, const Piece* piece, u32 type, bool is_first) {
    Instance* in = &t->instance;
    in->source = &piece->asset->source;
    in->value = piece->value;
    in->offset = piece->offset;
    in->scope = piece->scope;
    in->item = piece->item;
    in->given_here = 0;
    if (piece->component && doc_has_records(piece->component)) {
        if (piece->component->form == DOC_PLACE && !is_first)
            emit_place(e, in, piece);
        else
            emit_record(e, in, piece);
    } else if (piece->override != NONE) {
        override_read(e, t, piece, type, is_first);
    } else {
        value_read(e, t, piece, is_first);
    }
}

/* What was reported before an instance was read. */
typedef struct Reports {
    u32 errors, all;
} Reports;

static inline Reports instance_begin(Emit* e, EmitType* t, const Piece* first, u32 entity) {
    e->c->entity = entity;
    e->c->asset_bytes[first->asset->index] += t->compiler->type.record.bytes + sizeof(u32);
    t->instance.given = 0;
    return (Reports){diag_error_count(e->c->diag), diag_report_count(e->c->diag)};
}

static inline void instance_layer(Emit* e, u32 type, const Piece* piece, bool is_first,
                                  Reports* before) {
    EmitType* t = e->type[type];
    layer_read(e, t, piece, type, is_first);
    before->all = emit_notes(e, piece, before->all);
    if (t->hooks->layer) t->hooks->layer(e->c, &t->instance, e->c->entity);
    if (!e->c->map) return;
    map_draft_layer(e->c->map, piece->asset, piece->component, piece->offset, piece->scope,
                    t->instance.given_here);
}

/* Most columns have values of one of these sizes. */
static inline void value_copy(u8* to, const u8* from, u32 bytes) {
    switch (bytes) {
    case 4: memcpy(to, from, 4); return;
    case 8: memcpy(to, from, 8); return;
    case 12: memcpy(to, from, 12); return;
    case 16: memcpy(to, from, 16); return;
    default: memcpy(to, from, bytes); return;
    }
}

static inline void emit_columns(EmitType* t, u32 row, u32 entity, const u8* record) {
    if (!t->owners) return;
    t->owners[row] = entity;
    for (u32 i = 0; i < t->column_count; i++) {
        const EmitColumn* column = &t->column[i];
        value_copy(column->to + (size_t)row * column->bytes, record + column->offset,
                   column->bytes);
    }
}

static inline void instance_end(Emit* e, EmitType* t, const Piece* last, u32 type, u32 entity,
                                Reports before) {
    Instance*                in = &t->instance;
    const ComponentCompiler* compiler = t->compiler;
    if (e->c->map) map_draft_row(e->c->map, type);
    if (compiler->required & ~in->given && !e->c->flat->entities.at[entity].lost) {
        record_require_fields(in, &compiler->type.record);
    }
    if (compiler->check && diag_error_count(e->c->diag) == before.errors) compiler->check(in);
    emit_notes(e, last, before.all);
    emit_columns(t, e->row[type]++, entity, in->record);
}

void emit_instance(Emit* e, const Gather* g, const Gathered* gathered, u32 entity) {
    const u32    type = gathered->type;
    EmitType*    t = e->type[type];
    const Piece* last = &g->pieces.at[gathered->first];
    Reports      before = instance_begin(e, t, last, entity);
    instance_layer(e, type, last, true, &before);
    while (last->next != NONE) {
        last = &g->pieces.at[last->next];
        instance_layer(e, type, last, false, &before);
    }
    instance_end(e, t, last, type, entity, before);
}

void emit_only_layer(Emit* e, Asset* asset, const DocComponent* component, u32 scope, u32 entity) {
    const Piece piece = {component,
                         doc_value(asset->content->doc, component),
                         asset,
                         scope,
                         component->offset,
                         NONE,
                         NONE,
                         NONE};
    const u32   type = component->type;
    EmitType*   t = e->type[type];
    Reports     before = instance_begin(e, t, &piece, entity);
    instance_layer(e, type, &piece, true, &before);
    instance_end(e, t, &piece, type, entity, before);
}

/* --- before the first instance --- */

static EmitType* emit_type_begin(Emit* e, const ComponentCompiler* compiler) {
    const ComponentType* type = &compiler->type;
    EmitType*            t = ARENA_NEW(&e->c->arena, EmitType, 1);
    u8*                  defaults = arena_alloc(&e->c->arena, type->record.bytes);
    assert(type->record.bytes <= RECORD_BYTES_MAX);
    record_defaults(&type->record, defaults);
    *t = (EmitType){.compiler = compiler,
                    .instance = compile_instance(e->c, type, NULL),
                    .defaults = defaults,
                    .hooks = compile_hooks_of(type),
                    .owners = output_owners(e->out, type)};
    t->instance.record = arena_alloc(&e->c->arena, type->record.bytes);
    t->instance.plugin = compiler->plugin;
    t->instance.member = compiler->member ? compiler->member->key : NULL;
    t->column_count = t->owners ? ent_component_column_count(type) : 0;
    for (u32 i = 0; i < t->column_count; i++) {
        t->column[i] =
            (EmitColumn){output_column(e->out, type, i), ent_component_column_bytes(type, i),
                         ent_component_column_offset(type, i)};
    }
    return t;
}

void emit_begin(Emit* e, const u32* instances) {
    const Registry* registry = e->c->registry;
    for (u32 t = 0; t < registry->count; t++) {
        if (instances[t]) e->type[t] = emit_type_begin(e, &registry->compiler[t]);
    }
}

void emit_end(Emit* e) { json_tokens_close(&e->again); }
