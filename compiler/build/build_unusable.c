/* build_unusable.c - images in the source folder that cannot be decoded, have no settings, and are not
 * used: a photograph that an author keeps there. They are no resources of the build: a warning is
 * reported instead of the error. If anything refers to the texture, the error remains.
 *
 * Such an image is not recorded, so every build reads it again and reports the same. */
#include "build_internal.h"

static void mark(const Build* b, bool* used, const char* name, ResourceType type) {
    const Product* p =
        type == RESOURCE_TEXTURE ? product_find(b, text_of(name), RESOURCE_TEXTURE) : NULL;
    if (p) used[p - b->products.at] = true;
}

/* What a product needs that was compiled in this build, or in an earlier one. */
static void needs_mark(const Build* b, const Product* p, bool* used) {
    const Database* l = &b->database;
    for (u32 i = 0; p->made && i < p->made->edge_count; i++) {
        const Edge* edge = &p->made->edges[i];
        if (edge->need) mark(b, used, edge->name, edge->type);
    }
    if (p->made || p->row == NONE) return;
    const DatabaseProduct* was = &l->products[p->row];
    for (u32 i = was->first_need; i < was->first_need + was->need_count; i++)
        mark(b, used, database_text(l, l->needs[i].name), (ResourceType)l->needs[i].type);
}

static bool has_unusable(const Build* b) {
    bool found = false;
    for (u32 i = 0; i < b->products.count && !found; i++) {
        const Product* p = &b->products.at[i];
        found = p->made && p->made->unusable;
    }
    return found;
}

static void unusable_report(const Build* b, const Product* p) {
    diag_warning(
        b->diag, W0412, &p->asset->source, 0, 1,
        "the image of \"%s.texture\" %s; nothing refers to this texture, so it is not written",
        p->name, p->made->unusable);
}

void unusable_remove(Build* b) {
    u32 kept = 0;
    if (b->options->resource || b->is_single || !has_unusable(b)) return;
    bool* used = memory_alloc(b->products.count);
    for (u32 i = 0; i < b->products.count; i++) needs_mark(b, &b->products.at[i], used);
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        if (used[i] || !p->made || !p->made->unusable) {
            b->products.at[kept++] = *p;
            continue;
        }
        unusable_report(b, p);
        made_drop(p->made);
    }
    memory_free(used);
    if (kept == b->products.count) return;
    b->products.count = kept;
    b->observed = 0; /* by the numbers of the products */
    products_index(b);
}
