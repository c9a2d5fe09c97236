/* compile.c - common to all resource types: references to other resources, names, the end of a
 * blob. */
#include "compile.h"

#include <stdlib.h>

#include "diag.h"
#include "hash.h"
#include "sections.h"

void compile_begin(Compile* compile, Assets* assets, Diagnostics* diag,
                   const CompileOptions* options) {
    const Compile before = *compile;
    *compile = (Compile){.assets = assets,
                         .registry = assets->registry,
                         .diag = diag,
                         .options = *options,
                         .read_stamp = before.read_stamp,
                         .asset_bytes = before.asset_bytes,
                         .stamp = before.stamp + 1,
                         .needs_links = before.needs_links,
                         .needs_was = before.needs_was,
                         .rename = before.rename};
    if (before.read_stamp) return;
    compile->read_stamp = memory_alloc(sizeof(CompileStamp) * ((size_t)assets->count + 1));
    compile->asset_bytes = memory_alloc(sizeof(u64) * ((size_t)assets->count + 1));
}

void compile_end(Compile* compile) {
    for (u32 i = 0; i < compile->reads.count; i++)
        asset_release_nodes(compile->assets, compile->reads.at[i].asset);
    arena_drop(&compile->arena);
    array_drop(&compile->reads);
    array_drop(&compile->links);
    array_drop(&compile->was);
    array_drop(&compile->renames);
    array_drop(&compile->patterns);
    compile_drop(compile);
    memory_free(compile->map_text);
}

bool compile_read(Compile* c, Asset* asset, const Source* source, u32 offset) {
    if (c->read_stamp[asset->index].stamp != c->stamp) {
        c->read_stamp[asset->index] = (CompileStamp){c->stamp, c->reads.count};
        const bool is_held = asset_hold_nodes(c->assets, asset);
        *array_push(&c->reads) = (CompileRead){asset, source, offset, 0, is_held};
        c->asset_bytes[asset->index] = 0;
        if (!is_held) asset_modified(asset, c->diag);
    }
    return asset_read(c->assets, asset) && c->reads.at[c->read_stamp[asset->index].row].is_held;
}

void compile_estimate(Compile* c) {
    for (u32 i = 0; i < c->reads.count; i++) {
        c->reads.at[i].bytes = c->asset_bytes[c->reads.at[i].asset->index];
    }
}

/* --- references to resources --- */

static u32* reference_slot(const Compile* c, u64 id) {
    u32* slot = slots_first(&c->reference_slots, id);
    while (*slot && c->references.at[*slot - 1].id != id) {
        slot = slots_next(&c->reference_slots, slot);
    }
    return slot;
}

static void references_grow(Compile* c) {
    slots_grow(&c->reference_slots, 64);
    for (u32 i = 0; i < c->references.count; i++) {
        *reference_slot(c, c->references.at[i].id) = i + 1;
    }
}

static bool reference_is(const CompileReference* r, Text name, ResourceType type) {
    return r->type == type && text_equal(text_of(r->name), name);
}

static ResourceRef reference_add(Compile* c, const Source* source, u32 offset, u64 id,
                                 const char* name, ResourceType type) {
    if (slots_are_full(&c->reference_slots, c->references.count)) references_grow(c);
    u32* slot = reference_slot(c, id);
    if (!*slot) {
        *array_push(&c->references) = (CompileReference){id, type, name, source, offset};
        *slot = c->references.count;
    }
    const CompileReference* existing = &c->references.at[*slot - 1];
    if (!reference_is(existing, text_of(name), type)) {
        diag_error(c->diag, E0310, source, offset, 1,
                   "\"%s.%s\" and \"%s.%s\" have the same id 0x%016llx; rename one of them", name,
                   ent_resource_suffix(type), existing->name, ent_resource_suffix(existing->type),
                   (unsigned long long)id);
    }
    return resource_ref(id);
}

ResourceRef compile_reference(Compile* c, const char* name, ResourceType type, const Source* source,
                              u32 offset) {
    const u64 id = hash_resource(text_of(name), ent_resource_suffix(type));
    return reference_add(c, source, offset, id, name, type);
}

const CompileReference* compile_reference_find(const Compile* c, u64 id) {
    const u32 slot = c->reference_slots.count ? *reference_slot(c, id) : 0;
    return slot ? &c->references.at[slot - 1] : NULL;
}

bool compile_is_in_invalid_model(Compile* c, Text name) {
    for (u32 bytes = name.bytes; bytes > 0; bytes--) {
        if (name.at[bytes - 1] != '/') continue;
        const Asset* model = assets_model(c->assets, (Text){name.at, bytes - 1});
        if (!model || model->state != ASSET_INVALID) continue;
        c->unlinked = true;
        return true;
    }
    return false;
}

/* True when a resource with this name exists. Reports a name that is not canonical or unresolved,
 * except a name in a model with errors of its own. */
static bool resource_exists(Compile* c, const Source* source, u32 offset, Text name,
                            ResourceType type) {
    if (!assets_name_check(c->assets, source, offset, name, type, c->diag)) return false;
    const u32 errors = diag_error_count(c->diag);
    if (c->assets->known && c->assets->known(c->assets->user, name, type)) return true;
    if (assets_have(c->assets, name, type)) return true;
    if (diag_error_count(c->diag) != errors) return false;
    if (compile_is_in_invalid_model(c, name)) return false;
    assets_missing(c->assets, source, offset, name, type, c->diag);
    return false;
}

void compile_link(Compile* c, const Source* source, CompileLink link) {
    if (c->needs_links && source == &c->asset->source) *array_push(&c->links) = link;
}

ResourceRef compile_resource_ref(Compile* c, const Source* source, u32 offset, JsonString text,
                                 ResourceType type) {
    const Text name = compile_text(c, text);
    compile_link(c, source, (CompileLink){LINK_RESOURCE, offset, text.raw.bytes + 2, name, type});
    return compile_resource_named(c, source, offset, name, type);
}

ResourceRef compile_resource_named(Compile* c, const Source* source, u32 offset, Text name,
                                   ResourceType type) {
    const u64 id = hash_resource(name, ent_resource_suffix(type));
    if (c->reference_slots.count) {
        const u32 slot = *reference_slot(c, id);
        if (slot && reference_is(&c->references.at[slot - 1], name, type)) return resource_ref(id);
    }
    if (!resource_exists(c, source, offset, name, type)) return resource_ref(0);
    return reference_add(c, source, offset, id, arena_text(&c->arena, name), type);
}

static int reference_order(const void* a, const void* b) {
    const CompileReference *x = a, *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

void compile_write_references(Compile* c, Output* out) {
    const u32 count = c->references.count;
    u32       bytes = 0;
    if (count == 0) return;
    qsort(c->references.at, count, sizeof(CompileReference), reference_order);
    ReferenceRecord* rows = memory_alloc(sizeof(ReferenceRecord) * count);
    for (u32 i = 0; i < count; i++) {
        const CompileReference* r = &c->references.at[i];
        rows[i] = (ReferenceRecord){resource_ref(r->id), r->type, bytes};
        bytes += (u32)strlen(r->name) + 1;
    }
    output_section(out, SECTION_REFERENCE, rows, count);
    char* text = output_section(out, SECTION_REFERENCE_NAME, NULL, bytes);
    for (u32 i = 0; text && i < count; i++) strcpy(text + rows[i].name, c->references.at[i].name);
    memory_free(rows);
}

/* --- references to entities, and names --- */

static u32* name_slot(const Compile* c, u32 id) {
    u32* slot = slots_first(&c->name_slots, id);
    while (*slot && c->names.at[*slot - 1].id != id) slot = slots_next(&c->name_slots, slot);
    return slot;
}

static void names_grow(Compile* c) {
    slots_grow(&c->name_slots, 64);
    for (u32 i = 0; i < c->names.count; i++) *name_slot(c, c->names.at[i].id) = i + 1;
}

u32 compile_name_id(Compile* c, const Source* source, u32 offset, Text name) {
    const u32 id = hash_name(name);
    if (slots_are_full(&c->name_slots, c->names.count)) names_grow(c);
    u32* slot = name_slot(c, id);
    if (!*slot) {
        *array_push(&c->names) = (CompileName){id, arena_text(&c->arena, name), source, offset};
        *slot = c->names.count;
        return id;
    }
    const CompileName* existing = &c->names.at[*slot - 1];
    if (text_equal(text_of(existing->text), name)) return id;
    diag_error(c->diag, E0310, source, offset, name.bytes + 2,
               "the names \"%.*s\" and \"%s\" have the same id 0x%08x; rename one of them",
               (int)name.bytes, name.at, existing->text, id);
    diag_note(c->diag, existing->source, existing->offset, 1, "\"%s\" is defined here",
              existing->text);
    return id;
}

const char* compile_name_text(const Compile* c, u32 id) {
    const u32 slot = c->name_slots.count ? *name_slot(c, id) : 0;
    return slot ? c->names.at[slot - 1].text : NULL;
}

u32 compile_name_ref(Compile* c, const Source* source, u32 offset, JsonString text) {
    const Text  name = compile_text(c, text);
    const char* fault = entity_name_fault(name);
    if (!fault) return compile_name_id(c, source, offset, name);
    diag_error(c->diag, E0304, source, offset, name.bytes + 2, "the name %s", fault);
    return 0;
}

/* --- several threads --- */

void compile_join(Compile* c, Compile* other) {
    for (u32 i = 0; i < other->references.count; i++) {
        const CompileReference* r = &other->references.at[i];
        reference_add(c, r->source, r->offset, r->id, r->name, r->type);
    }
    for (u32 i = 0; i < other->names.count; i++) {
        const CompileName* name = &other->names.at[i];
        compile_name_id(c, name->source, name->offset, text_of(name->text));
    }
    array_append(&c->links, other->links.at, other->links.count);
    for (u32 i = 0; i < other->persistent_ids.count; i++) {
        *array_push(&c->persistent_ids) = other->persistent_ids.at[i];
    }
    for (u32 i = 0; i < other->checked.count; i++) *array_push(&c->checked) = other->checked.at[i];
    for (u32 i = 0; i < other->persistent_paths.count; i++) {
        *array_push(&c->persistent_paths) = other->persistent_paths.at[i];
    }
    arena_absorb(&c->arena, &other->arena);
    c->unlinked |= other->unlinked;
}

void compile_drop(Compile* c) {
    array_drop(&c->references);
    array_drop(&c->names);
    array_drop(&c->texts);
    array_drop(&c->persistent_ids);
    array_drop(&c->persistent_paths);
    array_drop(&c->checked);
    slots_drop(&c->text_slots);
    slots_drop(&c->reference_slots);
    slots_drop(&c->name_slots);
}

/* --- resources --- */

bool compile_finish(Compile* c, Output* out, u8** bytes, size_t* size) {
    const BlobOptions options = registry_options(c->registry);
    if (output_finish(out, c->options.target, &options, bytes, size)) return true;
    diag_error(c->diag, E0309, &c->asset->source, 0, 1,
               "\"%s\" would have about %llu bytes; the limit for a blob is %u", c->name,
               (unsigned long long)(out->writer.size + out->writer.left_out), BLOB_BYTES_MAX);
    return false;
}
