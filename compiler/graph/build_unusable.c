/* build_unusable.c - images in the source folder that cannot be decoded, have no settings, and are not
 * used: a photograph that an author keeps there. They are no resources of the build: a warning is
 * reported instead of the error. If anything refers to the texture, the error remains.
 *
 * Such an image is not recorded, so every build reads it again and reports the same. A command that
 * compiles only this image compiles everything that can refer to it too, in memory. */
#include "build_internal.h"
#include "diag.h"
#include "diag_print.h"
#include "print.h"
#include "sections.h"
#include "why.h"

/* --- what is used --- */

static void mark(const Build* b, bool* used, const char* name, ResourceType type) {
    const Product* p =
        type == RESOURCE_TEXTURE ? product_find(b, text_of(name), RESOURCE_TEXTURE) : NULL;
    if (p) used[p - b->products.at] = true;
}

/* What a product needs that was compiled in this build, or in an earlier one. */
static void needs_mark(const Build* b, const Product* p, bool* used) {
    const Database* db = &b->database;
    for (u32 i = 0; p->compiled && i < p->compiled->edge_count; i++) {
        const Edge* edge = &p->compiled->edges[i];
        if (edge->need) mark(b, used, edge->name, edge->type);
    }
    if (p->compiled || p->row == NONE) return;
    const DatabaseProduct* stored = &db->products[p->row];
    for (u32 i = stored->first_need; i < stored->first_need + stored->need_count; i++)
        mark(b, used, database_text(db, db->needs[i].name), (ResourceType)db->needs[i].type);
}

bool unusable_exists(const Build* b) {
    bool found = false;
    for (u32 i = 0; i < b->products.count && !found; i++) {
        const Product* p = &b->products.at[i];
        found = p->compiled && p->compiled->unusable;
    }
    return found;
}

/* --- a command that compiles one image --- */

/* Can a resource of this type refer to a texture? */
static bool may_refer(ResourceType type) {
    switch (type) {
    case RESOURCE_MESH:
    case RESOURCE_SKELETON:
    case RESOURCE_CLIP:
    case RESOURCE_TEXTURE:
    case RESOURCE_DATA: return false;
    default: return true;
    }
}

/* Compiles what is not up to date and may refer to the images, beside `kept`, [products] what is compiled already.
 * Errors of others are not those of the images. */
static void others_compile(Build* b, Compiled** kept) {
    Diagnostics* saved = b->diag;
    b->diag = diag_create_like(saved);
    b->is_eager = false;
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        kept[i] = p->compiled;
        p->compiled = NULL;
        if (!kept[i] && may_refer(p->type) && product_reason(b, p) != REASON_NONE)
            p->compiled = compiled_alloc(b, 1);
    }
    products_count(b);
    products_run(b);
    diag_destroy(b->diag);
    b->diag = saved;
}

static void others_drop(Build* b, Compiled** kept) {
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        if (p->compiled) compiled_drop(p->compiled);
        p->compiled = kept[i];
    }
}

static bool* used_find(Build* b) {
    bool*      used = memory_alloc(b->products.count);
    Compiled** kept = memory_alloc(sizeof *kept * ((size_t)b->products.count + 1));
    for (u32 i = 0; i < b->products.count; i++) needs_mark(b, &b->products.at[i], used);
    if (b->is_single) {
        others_compile(b, kept);
        for (u32 i = 0; i < b->products.count; i++) needs_mark(b, &b->products.at[i], used);
        others_drop(b, kept);
    }
    memory_free(kept);
    return used;
}

/* --- removing --- */

static void unusable_report(const Build* b, const Product* p) {
    diag_warning(
        b->diag, W0412, &p->asset->source, 0, 1,
        "the image of \"%s.texture\" %s; nothing refers to this texture, so it is not written",
        p->name, p->compiled->unusable);
}

void unusable_remove(Build* b) {
    u32 kept = 0;
    if (b->options->resources.count || !unusable_exists(b)) return;
    bool* used = used_find(b);
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        if (used[i] || !p->compiled || !p->compiled->unusable) {
            b->products.at[kept++] = *p;
            continue;
        }
        unusable_report(b, p);
        compiled_drop(p->compiled);
    }
    memory_free(used);
    if (kept == b->products.count) return;
    b->products.count = kept;
    b->observed = 0; /* by the numbers of the products */
    products_index(b);
}
