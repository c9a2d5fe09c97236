/* compile_entity.c - converts a tree of nodes, prefabs and overrides into a flat list of entities,
 * and their components into one section per type, in spawn order.
 *
 * Entities are numbered depth first, so that parents come shortly before their children,
 * independent of the order in the source. Every entity is a list of layers, lowest first: its
 * prefab, the instance, and the overrides of enclosing instances. Layers remain text, or
 * records that were read early, until the memory for all instances is allocated; then each value is
 * written to its final address.
 *
 * Source   N. Frykholm, Building a Data-Oriented Entity System (Part 4), 2014. */
#include "compile_entity.h"

#include "compile_emit.h"
#include "compile_rename.h"
#include "declare.h"
#include "declare_write.h"
#include "diag.h"
#include "diag_print.h"
#include "sections.h"
#include "slices.h"
#include "source_map_write.h"

/* The node of a later entity, which was prefetched before, or NULL. */
static const DocNode* node_ahead(const Compile* c, u32 entity, const Doc** doc) {
    if (entity >= c->flat->entities.count) return NULL;
    const FlatEntity* e = &c->flat->entities.at[entity];
    *doc = c->assets->asset[e->asset]->content->doc;
    return &(*doc)->nodes.at[e->node];
}

/* Prefetches the components of a later entity, then their records that were read early, or their text:
 * levels are read in another order than they are written. */
static void components_prefetch(const Compile* c, u32 entity) {
    const Doc*     doc;
    const DocNode* node = node_ahead(c, entity + FLAT_LOOK_AHEAD / 2, &doc);
    if (node) {
        PREFETCH(&doc->components.at[node->first_component]);
        PREFETCH(node->name_at);
    }
    node = node_ahead(c, entity + FLAT_LOOK_AHEAD / 4, &doc);
    if (!node || node->component_count == 0 || !doc->source) return;
    const DocComponent* first = &doc->components.at[node->first_component];
    const char*         at =
        doc_is_early(first) ? (const char*)doc_early(doc, first) : doc->source->text + node->offset;
    PREFETCH(at);
    PREFETCH(at + 64);
    if (doc_is_early(first)) return;
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
    Compile* all;
    Output*  out;
    bool     plain; /* every component of every node is one instance */
    u32      count;
    Slice    slice[];
} Slices;

/* A doc without prefabs and layered nodes has as many instances as components. */
static bool is_plain(const Compile* c) {
    const Doc* doc = c->asset->content->doc;
    bool       plain = c->flat->entities.count == doc->nodes.count;
    for (u32 i = 0; i < doc->nodes.count && plain; i++) {
        plain = !doc->nodes.at[i].layered && !doc_instance(doc, &doc->nodes.at[i]).prefab;
    }
    return plain;
}

/* The only slice of a plain doc, in the order of the source. */
static void plain_count(const Doc* doc, Slice* slice) {
    for (u32 i = 0; i < doc->components.count; i++) {
        slice->instances[doc->components.at[i].type]++;
    }
    for (u32 i = 0; i < doc->nodes.count; i++) {
        slice->name_bytes += doc->nodes.at[i].name_bytes + 1u;
    }
}

static void slice_count(const Slices* s, Slice* slice) {
    const Compile* c = s->all;
    if (s->plain && s->count == 1) {
        plain_count(c->asset->content->doc, slice);
        return;
    }
    for (u32 i = slice->first; i < slice->end; i++) {
        flat_prefetch(c->flat, c->assets, i);
        slice->name_bytes += flat_name(c->flat, c->assets, i).bytes + 1;
        if (s->plain) {
            const Doc*     doc = c->asset->content->doc;
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

/* Where parents and names of entities are written; NULL: they are not. */
typedef struct EntityRows {
    u32 * parent, *name_offset;
    char* name;
    u32   name_at;
} EntityRows;

static EntityRows rows_begin(Output* out, const Slice* slice) {
    return (EntityRows){output_section_bytes(out, SECTION_PARENT),
                        output_section_bytes(out, SECTION_NAME_OFFSET),
                        output_section_bytes(out, SECTION_NAME), slice->name_at};
}

/* Most names have a few bytes. */
static inline void name_copy(char* to, Text name) {
    if (name.bytes > 16 || name.bytes < 4) {
        for (u32 i = 0; name.bytes < 4 && i < name.bytes; i++) to[i] = name.at[i];
        if (name.bytes > 16) memcpy(to, name.at, name.bytes);
    } else if (name.bytes < 8) {
        memcpy(to, name.at, 4);
        memcpy(to + name.bytes - 4, name.at + name.bytes - 4, 4);
    } else {
        memcpy(to, name.at, 8);
        memcpy(to + name.bytes - 8, name.at + name.bytes - 8, 8);
    }
}

static inline void row_write(EntityRows* rows, u32 entity, const FlatEntity* e,
                             const DocNode* node) {
    if (rows->parent) rows->parent[entity] = e->parent;
    if (!rows->name) return;
    rows->name_offset[entity] = rows->name_at;
    name_copy(rows->name + rows->name_at, doc_name(node));
    rows->name_at += node->name_bytes + 1u;
}

/* The entities of a slice, and their instances. */
static void slice_emit(const Compile* all, Output* out, Slice* slice, bool plain) {
    Gather*    g = &slice->gather;
    EntityRows rows = rows_begin(out, slice);
    memset(g->stamp, 0, sizeof g->stamp);
    g->report = false;
    for (u32 i = slice->first; i < slice->end; i++) {
        const FlatEntity* e = &all->flat->entities.at[i];
        Asset*            asset = all->assets->asset[e->asset];
        const DocNode*    node = doc_node(asset, e->node);
        flat_prefetch(all->flat, all->assets, i);
        components_prefetch(all, i);
        row_write(&rows, i, e, node);
        g->c->asset_bytes[e->asset] +=
            sizeof(u32) + (all->options.strip ? 0 : node->name_bytes + 1u + sizeof(u32));
        if (g->c->map) map_draft_entity(g->c->map, i);
        for (u32 k = 0; plain && k < node->component_count; k++) {
            emit_only_layer(&slice->emit, asset,
                            &asset->content->doc->components.at[node->first_component + k],
                            e->scope, i);
        }
        if (plain) continue;
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
        slice_emit(s->all, s->out, &s->slice[i], s->plain);
    }
}

static void index_run(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(first), UNUSED(end), UNUSED(worker);
    flat_index(s->all->flat);
}

/* With `index`, one thread builds the index of entities at the same time, which reports duplicate
 * names. */
static void slices_run(Slices* s, JobFunction run, bool index) {
    JobGroup group = {0};
    if (s->count == 1) {
        if (index) index_run(s, 0, 1, 0);
        run(s, 0, 1, 0);
        return;
    }
    if (index) ent_job_execute(s->all->assets->pool, &group, index_run, s);
    ent_job_dispatch(s->all->assets->pool, &group, s->count, 1, run, s);
    ent_job_wait(s->all->assets->pool, &group);
}

/* The only slice of a short resource uses the Compile of the resource; if there are more, each has
 * its own, and they are joined afterwards. */
static Slices* slices_begin(Compile* c, Output* out, u32 count) {
    const u32 entities = c->flat->entities.count;
    Slices*   s = memory_alloc(sizeof *s + count * sizeof(Slice));
    *s = (Slices){.all = c, .out = out, .plain = is_plain(c), .count = count};
    for (u32 i = 0; i < count; i++) {
        Slice* slice = &s->slice[i];
        slice->first = (u32)((u64)entities * i / count);
        slice->end = (u32)((u64)entities * (i + 1) / count);
        slice->compile = (Compile){.assets = c->assets,
                                   .registry = c->registry,
                                   .options = c->options,
                                   .has_errors = c->has_errors,
                                   .incomplete = c->incomplete,
                                   .asset = c->asset,
                                   .name = c->name,
                                   .flat = c->flat,
                                   .needs_links = c->needs_links};
        if (count > 1) {
            slice->compile.diag = diag_create_like(c->diag);
            slice->compile.asset_bytes = memory_alloc(sizeof(u64) * ((size_t)c->assets->count + 1));
        }
        if (count > 1 && c->map) slice->compile.map = map_draft_create(c);
        Compile* slice_compile = count > 1 ? &slice->compile : c;
        slice->gather = (Gather){.c = slice_compile, .report = true};
        slice->emit = (Emit){.c = slice_compile, .out = out};
    }
    return s;
}

static void slices_drop(Slices* s) {
    for (u32 i = 0; i < s->count; i++) {
        Slice* slice = &s->slice[i];
        array_drop(&slice->gather.pieces);
        array_drop(&slice->gather.gathered);
        emit_end(&slice->emit);
        diag_destroy(slice->compile.diag);
        memory_free(slice->compile.asset_bytes);
        map_draft_destroy(slice->compile.map);
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
        for (u32 t = 0; t < s->all->registry->count; t++) {
            s->slice[i].emit.row[t] = instances[t];
            instances[t] += s->slice[i].instances[t];
        }
    }
    return name_at;
}

/* Joins references, names and warnings in the order of entities, as if one thread had processed
 * them. */
static bool slices_join(Slices* s) {
    Compile*     c = s->all;
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
                 sections + declarations - (c->options.strip ? 2 : 0));
    output_reserve(out, bytes);
    output_section(out, SECTION_PARENT, NULL, count);
    for (u32 t = 0; t < c->registry->count; t++) {
        output_component(out, c->registry->types[t], instances[t]);
    }
    if (c->options.strip || count == 0) return;
    output_section(out, SECTION_NAME_OFFSET, NULL, count);
    output_section(out, SECTION_NAME, NULL, name_bytes);
}

/* The declarations of the types that the blob has instances of: a world whose declarations are newer
 * converts the instances. */
static void declared_write(Compile* c, Output* out) {
    const ComponentType* types[REGISTRY_TYPES_MAX];
    u32                  count = 0;
    assert(c->registry->count <= COUNT_OF(types)); /* registry_add refuses more */
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
        if (s->count > 1) memory_trim(); /* threads have freed much, and the blob is long */
        write_sections(c, out, instances, name_bytes);
        for (u32 i = 0; i < s->count; i++) emit_begin(&s->slice[i].emit, instances);
        slices_run(s, emit_run, !s->plain || !c->asset->content->doc->names_differ);
        succeeded = slices_are_valid(s) && slices_join(s);
    }
    slices_drop(s);
    if (succeeded) {
        compile_hooks_finish(c, out);
        compile_write_references(c, out);
        if (!c->options.strip) declared_write(c, out);
        if (c->flat->groups.count) flat_groups_write(c, out);
        compile_write_texts(c, out);
    } else {
        output_drop(out);
    }
    return succeeded;
}

/* What is replaced or renamed is recorded by one thread. */
static u32 entity_slices(const Compile* c) {
    const JobPool* pool = c->needs_was || c->rename ? NULL : c->assets->pool;
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
    if (c->options.source_map) c->map = map_draft_create(c);
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
