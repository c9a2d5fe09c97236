/* link_places.c - finds the references in the source of a resource that was compiled. */
#include "link_places.h"

#include <stdlib.h>

#include "component_members.h"
#include "declare.h"
#include "diag_print.h"
#include "flat.h"
#include "model.h"
#include "slots.h"

void rows_sort(void* rows, u32 count, size_t bytes, int (*order)(const void* a, const void* b)) {
    u8* const at = rows;
    u32       sorted = MIN_OF(count, 1u);
    while (sorted < count && order(at + (sorted - 1) * bytes, at + sorted * bytes) <= 0) sorted++;
    if (sorted == count) return;
    const u32 rest = count - sorted;
    u8*       later = memory_alloc_raw(rest * bytes);
    u32       first = sorted, second = rest;
    memcpy(later, at + sorted * bytes, rest * bytes);
    qsort(later, rest, bytes, order);
    for (u32 to = count; second > 0;) { /* from the end, so that no row is overwritten */
        const u8*  a = at + (first - 1) * bytes;
        const u8*  b = later + (second - 1) * bytes;
        const bool takes = first > 0 && order(a, b) > 0;
        memcpy(at + --to * bytes, takes ? a : b, bytes);
        if (takes)
            first--;
        else
            second--;
    }
    memory_free(later);
}

static int place_order(const void* a, const void* b) {
    const LinkPlace *x = a, *y = b;
    const int        path = x->file == y->file ? 0 : strcmp(x->file->path, y->file->path);
    if (path) return path;
    if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
    if (x->kind != y->kind) return x->kind < y->kind ? -1 : 1;
    const int name = strcmp(x->name, y->name);
    return name ? name : x->type < y->type ? -1 : x->type > y->type;
}

u32 link_places_sort(LinkPlace* at, u32 count) {
    u32 kept = 0;
    rows_sort(at, count, sizeof *at, place_order);
    for (u32 i = 0; i < count; i++) {
        if (kept && place_order(&at[kept - 1], &at[i]) == 0) continue;
        at[kept++] = at[i];
    }
    return kept;
}

static void place_add(Links* l, const LinkFile* file, CompileLink link) {
    const Source* source = &file->asset->source;
    const bool    generated = source_is_generated(source, link.offset);
    *array_push(&l->places) = (LinkPlace){file,
                                          generated ? LINK_PROPERTY : link.kind,
                                          source_position(source, link.offset),
                                          generated ? 0 : link.bytes,
                                          arena_text(&l->arena, link.name),
                                          link.type,
                                          0,
                                          0};
}

/* The key of a component is before its value; names contain no quotes, also when they are written
 * with escapes. */
static void key_add(Links* l, const LinkFile* file, u32 value, const Declaration* declared) {
    const char* text = file->asset->source.text;
    u32         last = value - 1, first;
    while (text[last] != '"') last--;
    for (first = last - 1; text[first] != '"';) first--;
    place_add(l, file,
              (CompileLink){LINK_COMPONENT, first, last + 1 - first, text_of(declared->resource),
                            RESOURCE_COMPONENT});
}

static void keys_add(Links* l, const LinkFile* file, const Doc* doc, const Registry* registry) {
    for (u32 i = 0; i < doc->components.count; i++) {
        const DocComponent* component = &doc->components.at[i];
        const Declaration*  declared = registry->compiler[component->type].declared;
        if (doc_has_records(component) || !declared) continue;
        key_add(l, file, component->offset, declared);
    }
}

static u64 offset_hash(u32 offset) { return offset * 0x9e3779b97f4a7c15u >> 32; }

/* The offsets at which the compiler found a reference. */
static Slots links_by_offset(const Compile* c) {
    Slots slots = {0};
    slots_alloc(&slots, slots_needed(c->links.count, 16));
    for (u32 i = 0; i < c->links.count; i++)
        *slots_free(&slots, offset_hash(c->links.at[i].offset)) = i + 1;
    return slots;
}

static bool is_written(const Compile* c, const Slots* slots, u32 offset) {
    const u32* slot = slots_first(slots, offset_hash(offset));
    while (*slot && c->links.at[*slot - 1].offset != offset) slot = slots_next(slots, slot);
    return *slot != 0;
}

/* The implicit references between the resources of a model. */
static void model_add(Links* l, const LinkFile* file, const Compile* c) {
    const Model* model = file->asset->content->model;
    if (!model) return;
    Slots written = links_by_offset(c);
    for (u32 i = 0; i < c->references.count; i++) {
        const CompileReference* r = &c->references.at[i];
        if (r->source != &file->asset->source || !model_named(model, text_of(r->name), r->type))
            continue;
        if (!is_written(c, &written, r->offset))
            place_add(l, file, (CompileLink){LINK_MODEL, r->offset, 0, text_of(r->name), r->type});
    }
    slots_drop(&written);
}

/* --- nodes outside of the scene of a model: their references are not compiled, but renamed too
 * --- */

/* `item`: the number of the component whose list contains the value; or NONE. */
static void unused_instance(Compile* c, u32 type, const JsonToken* value, u32 item) {
    _Alignas(16) u8          record[1024] = {0};
    const ComponentCompiler* compiler = &c->registry->compiler[type];
    Instance                 in = compile_instance(c, &compiler->type, record);
    in.item = item;
    instance_set(&in, value);
    if (compiler->type.record.bytes <= sizeof record) compiler->compile(&in);
}

static void unused_component(Compile* c, u32 type, const JsonToken* value) {
    const ComponentMember* member = c->registry->compiler[type].member;
    if (!json_token_is(value, JSON_OBJECT)) return;
    unused_instance(c, type, value, NONE);
    const JsonToken* list = member ? json_get(value, member->key) : NULL;
    if (!list || !json_token_is(list, JSON_OBJECT)) return;
    type = registry_member_type(c->registry, member);
    for (const JsonToken* m = json_first(list); m; m = json_next(m)) unused_instance(c, type, m, 0);
}

static void unused_components(Links* l, Compile* c, const LinkFile* file,
                              const JsonToken* components) {
    if (!json_token_is(components, JSON_OBJECT)) return;
    for (const JsonToken* m = json_first(components); m; m = json_next(m)) {
        const u32 type = registry_find(c->registry, json_token_key(m));
        if (type == NONE) continue;
        const Declaration* declared = c->registry->compiler[type].declared;
        if (declared) key_add(l, file, json_token_offset(&c->asset->source, m), declared);
        unused_component(c, type, m);
        for (const JsonToken* item = json_token_is(m, JSON_ARRAY) ? json_first(m) : NULL; item;
             item = json_next(item))
            unused_component(c, type, item);
    }
}

/* Returns [count] whether the model has a node that was read from the node of that number. */
static bool* nodes_used(const GltfModel* g, u32 count) {
    bool* used = memory_alloc(sizeof *used * ((size_t)count + 1));
    for (u32 i = 0; i < g->node_count; i++) {
        if (g->nodes[i].source < count) used[g->nodes[i].source] = true;
    }
    return used;
}

/* Errors there are not reported. */
static void unused_nodes(Links* l, Compile* c, const LinkFile* file) {
    JsonTokens   tokens;
    Diagnostics* reported = c->diag;
    u32          number = 0;
    if (file->asset->content->model->gltf.file_nodes ==
        file->asset->content->model->gltf.node_count)
        return;
    c->diag = diag_create();
    const Source text_source = source_file_text(&file->asset->source);
    if (json_tokens_open_gltf(&tokens, &text_source, c->diag)) {
        const JsonToken* nodes = json_get(json_tokens_root(&tokens), "nodes");
        bool* const used = nodes_used(&file->asset->content->model->gltf, json_token_count(nodes));
        for (const JsonToken* n = json_first(nodes); n; n = json_next(n), number++) {
            const JsonToken* extras = json_get(json_get(n, "extras"), "components");
            if (!extras || used[number]) continue;
            unused_components(l, c, file, extras);
        }
        memory_free(used);
    }
    json_tokens_close(&tokens);
    diag_destroy(c->diag);
    c->diag = reported;
}

void link_places_add(Links* l, const LinkFile* file, Compile* c, ResourceType type) {
    const Asset* asset = file->asset;
    const bool   is_asset = type == asset->type && strcmp(c->name, asset->name) == 0;
    if (is_asset && asset->content->doc) keys_add(l, file, asset->content->doc, c->registry);
    if (is_asset && asset->content->model) unused_nodes(l, c, file);
    for (u32 i = 0; i < c->links.count; i++) place_add(l, file, c->links.at[i]);
    model_add(l, file, c);
}
