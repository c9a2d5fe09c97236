/* build_products.c - the list of the products of a build, and the index of their names and ids. */
#include <stdlib.h>

#include "build_internal.h"
#include "diag.h"
#include "diag_print.h"
#include "sections.h"

Product* product_find(const Build* b, Text name, ResourceType type) {
    if (!b->product_slots.count) return NULL;
    const u64  id = hash_resource(name, ent_resource_suffix(type));
    const u32* slot = slots_first(&b->product_slots, id);
    for (; *slot; slot = slots_next(&b->product_slots, slot)) {
        Product* p = &b->products.at[*slot - 1];
        if (p->id == id && p->type == type && text_equal(text_of(p->name), name)) return p;
    }
    return NULL;
}

void product_add(Build* b, Asset* asset, const char* name, ResourceType type, u32 index) {
    *array_push(&b->products) =
        (Product){.asset = asset,
                  .name = name,
                  .type = type,
                  .index = index,
                  .id = hash_resource(text_of(name), ent_resource_suffix(type)),
                  .row = database_product(&b->database, text_of(name), type)};
}

bool product_same(const Product* a, const Product* b) {
    return a->type == b->type && strcmp(a->name, b->name) == 0;
}

static int product_order(const void* a, const void* b) {
    const Product *x = a, *y = b;
    const int      name = strcmp(x->name, y->name);
    if (name) return name;
    if (x->type != y->type) return x->type < y->type ? -1 : 1;
    return x->asset->index < y->asset->index ? -1 : x->asset->index > y->asset->index;
}

void products_sort(Build* b) {
    bool sorted = true; /* as files are; products of models mostly are not */
    for (u32 i = 1; i < b->products.count && sorted; i++) {
        sorted = product_order(&b->products.at[i - 1], &b->products.at[i]) < 0;
    }
    if (!sorted) qsort(b->products.at, b->products.count, sizeof(Product), product_order);
}

static int id_order(const void* a, const void* b) {
    const Product *x = *(const Product*const*)a, *y = *(const Product*const*)b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return product_order(x, y);
}

/* Is the content of its model known from the build database or the cache, and not from the model
 * itself? */
static bool is_recorded(const Product* p) {
    return form_is_model(p->asset->form) && !p->asset->content->model;
}

/* Two products with the same name have two sources; a reference cannot distinguish two products
 * with the same id. */
static void products_clash(Build* b) {
    const u32       count = b->products.count;
    const Product** by_id = memory_alloc(sizeof(Product*) * (count + 1));
    for (u32 i = 0; i < count; i++) by_id[i] = &b->products.at[i];
    qsort(by_id, count, sizeof *by_id, id_order);
    for (u32 i = 1; i < count; i++) {
        const Product *p = by_id[i], *q = by_id[i - 1];
        if (p->id != q->id) continue;
        if (is_recorded(p) || is_recorded(q)) b->misled = 1;
        if (product_same(p, q)) {
            const size_t root = strlen(b->sources.root) + 1;
            diag_error(b->diag, E0303, &p->asset->source, 0, 1,
                       "\"%s.%s\" has two sources, \"%s\" and \"%s\"; rename one of them", p->name,
                       ent_resource_suffix(p->type), q->asset->source.path + root,
                       p->asset->source.path + root);
        } else {
            diag_error(b->diag, E0310, &p->asset->source, 0, 1,
                       "\"%s.%s\" and \"%s.%s\" have the same id 0x%016llx; rename one of them",
                       p->name, ent_resource_suffix(p->type), q->name, ent_resource_suffix(q->type),
                       (unsigned long long)p->id);
        }
        diag_note(b->diag, &q->asset->source, 0, 1, "the other source is here");
    }
    memory_free(by_id);
}

/* Ids are hashes already. They are sorted to find the conflicts only if there is any. */
void products_index(Build* b) {
    bool clash = false;
    slots_drop(&b->product_slots);
    slots_alloc(&b->product_slots, slots_needed(b->products.count, 64));
    for (u32 i = 0; i < b->products.count; i++) {
        const u64 id = b->products.at[i].id;
        u32*      slot = slots_first(&b->product_slots, id);
        for (; *slot; slot = slots_next(&b->product_slots, slot)) {
            clash |= b->products.at[*slot - 1].id == id;
        }
        *slot = i + 1;
    }
    if (clash) products_clash(b);
    b->refused |= clash;
}

/* Returns EXIT_OK with the product of a name, or reports that there is none. */
int product_named(Build* b, const char* resource, const Product** found) {
    Text         name;
    ResourceType type;
    *found =
        resource_is_named(text_of(resource), &name, &type) ? product_find(b, name, type) : NULL;
    if (*found) return EXIT_OK;
    assets_report(&b->assets, b->diag);
    if (diag_error_count(b->diag) > 0)
        return EXIT_INVALID; /* it may be in a model that has errors */
    const char* near = type == RESOURCE_NONE ? NULL : assets_nearest(&b->assets, name, type);
    fprintf(stderr, "entc: error: there is no \"%s\" in \"%s\"%s%s%s%s%s\n", resource,
            b->sources.root, ASSETS_NEAREST(near, type));
    return EXIT_IO;
}

/* Never written: a build of a folder finds maps that are not requested by the list of its outputs. */
static const ProductMap no_map;

Compiled* compiled_alloc(Build* b, u32 count) {
    if (count == 0) return NULL;
    const bool  has_maps = b->options->compile.source_map || b->options->resources.count;
    Compiled*   compiled = ARENA_NEW(&b->arena, Compiled, count);
    ProductMap* map = has_maps ? ARENA_NEW(&b->arena, ProductMap, count) : NULL;
    for (u32 i = 0; i < count; i++) compiled[i].map = map ? &map[i] : (ProductMap*)&no_map;
    return compiled;
}

void compiled_free(Compiled* c) {
    if (!c->is_cached) memory_free((u8*)c->bytes);
    file_unmap(&c->view);
    c->bytes = NULL;
    if (!c->map->text) return;
    if (!c->map->is_cached) memory_free((char*)c->map->text);
    file_unmap(&c->map->view);
    c->map->text = NULL;
}

void compiled_drop(Compiled* compiled) {
    compiled_free(compiled);
    file_stage_drop(compiled->stage);
    file_stage_drop(compiled->map->stage);
    diag_destroy(compiled->diag);
}
