/* build_cost.c - estimates the size of all outputs before they are compiled, and rejects a build
 * that exceeds --max-output: with all outputs together, or with the memory that one image needs while
 * it is converted. How many images are converted at the same time is limited too: build_memory.c.
 *
 * Everything is estimated and summed in the order of the products, so that the result and the
 * diagnostics do not depend on the number of threads. Outputs that are in the cache or up to date
 * count with their actual size. Most entities and levels are compiled as soon as they are
 * estimated, because their sources are in memory then. If the sum exceeds the limit after all, the
 * build begins again and compiles nothing before everything is estimated. */
#include <stdlib.h>

#include "build_internal.h"
#include "diag.h"
#include "flat.h"
#include "clock.h"
#include "model.h"
#include "model_write.h"
#include "threads.h"

#define GROUP_SIZE        8           /* number of products in one unit of work of a thread */
#define CHECKED_BYTES_MAX (16u << 20) /* of a rejected build: compiled to find other errors */
#define SHARES_PRINTED    5

/* What needs less memory than this, or than so many times the bytes of its source, is compiled as soon as it is
 * estimated. */
#define AT_ONCE_BYTES  (64u << 10)
#define AT_ONCE_GROWTH 32u

/* The size that one source or resource adds to the sum. */
typedef struct Share {
    Asset*       asset;
    const char*  name; /* of the resource; NULL: all resources of a model */
    ResourceType type;
    u64          bytes;
    bool         has_image; /* a texture that is compiled, */
    u32          index;     /* with this row in its model */
} Share;

typedef struct Shares {
    ARRAY(Share) rows;
    u64 bytes;
} Shares;

static u64 limit_bytes(const Build* b) {
    return b->options->max_output ? b->options->max_output : MAX_OUTPUT_BYTES;
}

static void share_add(Shares* shares, Share share) {
    if (share.bytes == 0) return;
    *array_push(&shares->rows) = share;
    shares->bytes = MIN_OF(shares->bytes + share.bytes, COST_MAX);
}

static int share_order(const void* a, const void* b) {
    const Share *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes > y->bytes ? -1 : 1;
    if (x->asset != y->asset) return x->asset->index < y->asset->index ? -1 : 1;
    return strcmp(x->name ? x->name : "", y->name ? y->name : "");
}

static TextureCost texture_cost(Build* b, Asset* asset, u32 index) {
    const bool        is_same = asset_hold(&b->assets, asset);
    const TextureCost cost = is_same ? compile_texture_cost(asset, index) : (TextureCost){0};
    asset_release(&b->assets, asset, false);
    return cost;
}

static void image_report(Build* b, const Share* s) {
    const TextureCost cost = texture_cost(b, s->asset, s->index);
    diag_note(b->diag, &s->asset->source, 0, 1,
              "\"%s.texture\" needs up to %llu bytes for an image of %u x %u pixels", s->name,
              (unsigned long long)s->bytes, cost.width, cost.height);
}

/* Reports the largest contributions as notes of the last error. */
static void shares_report(Build* b, Shares* shares) {
    qsort(shares->rows.at, shares->rows.count, sizeof(Share), share_order);
    for (u32 i = 0; i < shares->rows.count && i < SHARES_PRINTED; i++) {
        const Share*             s = &shares->rows.at[i];
        const unsigned long long bytes = s->bytes;
        if (s->has_image)
            image_report(b, s);
        else if (s->name)
            diag_note(b->diag, &s->asset->source, 0, 1, "\"%s.%s\" needs %llu bytes", s->name,
                      ent_resource_suffix(s->type), bytes);
        else
            diag_note(b->diag, &s->asset->source, 0, 1, "the model needs %llu bytes", bytes);
    }
}

static bool shares_fit(Build* b, Shares* shares) {
    const u64 max = limit_bytes(b);
    if (shares->bytes <= max) return true;
    diag_error(b->diag, E0309, NULL, 0, 0,
               "the outputs of this build need %s%llu bytes; --max-output allows %llu",
               shares->bytes == COST_MAX ? "more than " : "", (unsigned long long)shares->bytes,
               (unsigned long long)max);
    shares_report(b, shares);
    return false;
}

/* --- models --- */

static void models_look(void* user, u32 first, u32 end, u32 worker) {
    Build* b = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        Asset* asset = b->assets.asset[i];
        if (!form_is_model(asset->form)) continue;
        const bool is_same = asset_hold(&b->assets, asset); /* nothing was given up yet */
        if (is_same && !model_recall(b, asset)) asset_model_open(&b->assets, asset);
        asset_release(&b->assets, asset, false);
    }
}

static bool zeros_fit(Build* b, Shares* zeros) {
    if (zeros->bytes <= GLTF_ZERO_BYTES_MAX) return true;
    diag_error(b->diag, E0309, NULL, 0, 0,
               "the accessors without a \"bufferView\" in all models need %llu bytes of zeros; the "
               "limit is %llu",
               (unsigned long long)zeros->bytes, (unsigned long long)GLTF_ZERO_BYTES_MAX);
    shares_report(b, zeros);
    return false;
}

/* When the models exceed the limit, small ones are read nevertheless, in order to find other
 * errors. */
static void models_refuse(Build* b) {
    u64 left = CHECKED_BYTES_MAX;
    for (u32 i = 0; i < b->assets.count; i++) {
        Asset* asset = b->assets.asset[i];
        if (!form_is_model(asset->form) || asset->outline->recalled) continue;
        const u64 bytes = gltf_cost_bytes(&asset->outline->model_cost);
        if (bytes > left)
            asset_refuse(asset);
        else
            left -= bytes;
    }
}

void models_count(Build* b) {
    Shares all = {0}, zeros = {0};
    threads_run(b->pool, b->assets.count, 4, models_look, b);
    for (u32 i = 0; i < b->assets.count; i++) {
        Asset* asset = b->assets.asset[i];
        if (!form_is_model(asset->form) || asset->outline->recalled) continue;
        const GltfCost* cost = &asset->outline->model_cost;
        share_add(&all, (Share){asset, NULL, asset->type, gltf_cost_bytes(cost), false, NONE});
        share_add(&zeros, (Share){asset, NULL, asset->type, cost->zero_bytes, false, NONE});
    }
    b->refused |= !zeros_fit(b, &zeros) || !shares_fit(b, &all);
    if (b->refused) models_refuse(b);
    array_drop(&all.rows);
    array_drop(&zeros.rows);
}

/* --- products --- */

static bool is_tree(const Product* p) { return asset_has_doc(p->asset); }

/* Its size does not follow from the accessors of a model. */
static bool is_alone(const Product* p) {
    return !form_is_model(p->asset->form) || p->type == RESOURCE_TEXTURE;
}

static void data_count(Build* b, Product* p) {
    if (!asset_read(&b->assets, p->asset)) return;
    p->compiled->cost = p->compiled->work = asset_data(p->asset)->size;
}

/* The list of products may be older than the model: then compiling the texture reports that. */
static void texture_count(Build* b, Product* p) {
    if (!asset_read(&b->assets, p->asset)) return;
    if (p->asset->content->model && p->index == NONE) {
        const ModelResource* r = model_named(p->asset->content->model, text_of(p->name), p->type);
        if (!r) return;
        p->index = r->index;
    }
    const TextureCost cost = compile_texture_cost(p->asset, p->index);
    p->compiled->cost = cost.bytes;
    p->compiled->work = cost.work;
}

/* Is the memory for decoding and converting the image within the limit? Outputs that are in the
 * cache need none. */
static bool image_fits(Build* b, const Product* p) {
    const u64 max = limit_bytes(b);
    if (p->type != RESOURCE_TEXTURE || !p->compiled || p->compiled->is_cached ||
        p->compiled->work <= max)
        return true;
    const TextureCost cost = texture_cost(b, p->asset, p->index);
    diag_error(b->diag, E0309, &p->asset->source, p->asset->content->image_offset, 1,
               "the image of \"%s.texture\" has %u x %u pixels, which need up to %llu bytes of "
               "memory while they are converted; --max-output allows %llu",
               p->name, cost.width, cost.height, (unsigned long long)cost.work,
               (unsigned long long)max);
    return false;
}

/* Of an entity or level that was read; of a part of a model, the part. */
static bool tree_count(Build* b, Product* p) {
    const Prefab of = {p->asset, p->asset->content->parts ? p->index : NONE};
    Cost         cost;
    FlatFault    fault;
    if (!flat_cost(&b->assets, of, &cost, &fault)) return false; /* compiling reports that */
    p->compiled->refused = cost.entities > BLOB_ENTITIES_MAX || cost.layers > FLAT_LAYERS_MAX;
    p->compiled->cost = cost.bytes;
    p->compiled->work = cost.bytes + MIN_OF(cost.entities, BLOB_ENTITIES_MAX) * sizeof(FlatEntity) +
                        MIN_OF(cost.layers, FLAT_LAYERS_MAX) * sizeof(FlatLayer);
    return true;
}

/* The entity or level of a model, or a part of it, with what its objects instance, which may be large. */
static void model_count(Build* b, Product* p) {
    const bool is_entity = p->type == RESOURCE_ENTITY || p->type == RESOURCE_LEVEL;
    if (!is_entity || !p->asset->outline->has_prefabs || !asset_read(&b->assets, p->asset)) return;
    if (!product_is_source(p) && p->index == NONE) {
        const ModelResource* r = model_named(p->asset->content->model, text_of(p->name), p->type);
        if (!r) return; /* the list of products is older: compiling it reports that */
        p->index = r->index;
    }
    p->compiled->has_prefabs = tree_count(b, p);
}

static void other_count(Build* b, Product* p) {
    Asset*     asset = p->asset;
    const bool is_model = form_is_model(asset->form);
    if (is_model && p->type == RESOURCE_TEXTURE) texture_count(b, p); /* without its bytes */
    if (is_model && __atomic_load_n(&asset->outline->has_cost, __ATOMIC_ACQUIRE) &&
        !asset->outline->has_prefabs)
        return;
    if (asset_hold(&b->assets, asset)) { /* otherwise compiling it reports that */
        if (is_model && asset_model_open(&b->assets, asset))
            model_count(b, p);
        else if (p->type == RESOURCE_TEXTURE)
            texture_count(b, p);
        else if (p->type == RESOURCE_DATA)
            data_count(b, p);
    }
    asset_release(&b->assets, asset, false);
}

#define PRODUCT_BYTES ((size_t)4 << 10) /* that remain in memory, of a small one */

/* Once in each thread of the pool: small sources are read and compiled there. */
static void worker_reserve(Build* b, Worker* w) {
    if (w->has_reserved || w == b->worker) return;
    w->has_reserved = true;
    memory_reserve(b->products.count * PRODUCT_BYTES / ent_job_worker_count(b->pool));
}

/* Of a source that is in memory. */
static bool is_small(Build* b, const Product* p) {
    const u64 max = AT_ONCE_BYTES + AT_ONCE_GROWTH * (u64)p->asset->content->view.size;
    if (!b->is_eager || p->compiled->refused || p->compiled->work > max) return false;
    const u64 sum = __atomic_add_fetch(&b->eager_bytes, p->compiled->cost, __ATOMIC_RELAXED);
    return sum <= limit_bytes(b);
}

static bool product_is_cached(Build* b, Product* p, Worker* w) {
    if (!product_from_cache(b, p, w)) return false;
    observe_end(b);
    p->compiled->hash = hash_content(p->compiled->bytes, p->compiled->size);
    product_stage(b, p);
    progress_add(&b->progress, 1);
    return true;
}

static void tree_run(Build* b, Product* p, Worker* w) {
    asset_expect(p->asset);
    const bool is_held = asset_hold(&b->assets, p->asset); /* otherwise compiling it reports that */
    const bool is_cached = product_is_cached(b, p, w);
    if (!is_cached && is_held && asset_read(&b->assets, p->asset) && tree_count(b, p) &&
        is_small(b, p))
        product_compile(b, p, w);
    asset_release(&b->assets, p->asset, is_cached);
}

static void count_run(void* user, u32 first, u32 end, u32 worker) {
    Build*  b = user;
    Worker* w = &b->worker[worker];
    worker_reserve(b, w);
    for (u32 i = first; i < end; i++) {
        Product* p = product_in_turn(b, i);
        if (!p->compiled) continue;
        const u64 start = clock_ns();
        if (is_tree(p))
            tree_run(b, p, w);
        else if (!product_is_cached(b, p, w))
            other_count(b, p);
        p->compiled->compile_ns = clock_ns() - start;
    }
}

/* Of the products of a model, the first one that is compiled has the cost of all of them. */
static u64 model_share(const Product* p, bool* charged) {
    bool* seen = &charged[p->asset->index];
    if (*seen || p->asset->state == ASSET_INVALID) return 0;
    *seen = true;
    return gltf_cost_bytes(&p->asset->outline->model_cost);
}

static Share product_share(const Build* b, const Product* p, bool* charged) {
    const Compiled* compiled = p->compiled;
    Share           share = {p->asset, p->name, p->type, 0, false, p->index};
    if (!compiled) {
        share.bytes = p->row == NONE ? 0 : b->up_to_date.output[p->row].stamp.size;
    } else if (compiled->is_cached) {
        share.bytes = compiled->size;
    } else if (is_alone(p)) {
        share.bytes =
            compiled->refused ? 0 : compiled->cost; /* which is reported with the resource */
        share.has_image = p->type == RESOURCE_TEXTURE;
    } else {
        share.name = compiled->has_prefabs ? p->name : NULL;
        share.bytes = model_share(p, charged);
        if (compiled->has_prefabs && !compiled->refused) share.bytes += compiled->cost;
    }
    return share;
}

/* In a rejected build, small products are compiled nevertheless, in order to find other errors. */
static void products_skip(Build* b) {
    u64 left = CHECKED_BYTES_MAX;
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (!p->compiled || p->compiled->is_cached || p->compiled->refused) continue;
        if (p->compiled->is_compiled) continue;
        const u64 bytes =
            is_alone(p) ? p->compiled->work : gltf_cost_bytes(&p->asset->outline->model_cost);
        p->compiled->skipped = bytes > left;
        if (p->compiled->skipped)
            observe_end(b);
        else
            left -= bytes;
    }
}

void products_count(Build* b) {
    u32    count = 0;
    Shares all = {0};
    bool*  charged = memory_alloc(sizeof(bool) * ((size_t)b->assets.count + 1));
    bool   refused = false, images_fit = true;
    b->is_eager &= !b->refused;
    for (u32 i = 0; i < b->products.count; i++) count += b->products.at[i].compiled != NULL;
    progress_begin(&b->progress, b->options->messages.progress, "compiling", count);
    observe_begin(b);
    threads_run(b->pool, b->products.count, GROUP_SIZE, count_run, b);
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        refused |= p->compiled && p->compiled->refused;
        share_add(&all, product_share(b, p, charged));
        images_fit &= image_fits(b, p);
    }
    b->refused |= !shares_fit(b, &all) || !images_fit;
    const bool is_rejected = b->refused || (refused && !b->options->keep_going);
    b->is_hasty = is_rejected && b->is_eager && b->eager_bytes > 0;
    if (is_rejected && !b->is_hasty) products_skip(b);
    array_drop(&all.rows);
    memory_free(charged);
}

bool database_fits(const Build* b) {
    u64 bytes = 0;
    for (u32 i = 0; i < b->database.head->product_count; i++) {
        bytes += b->up_to_date.output[i].stamp.size;
    }
    return bytes <= limit_bytes(b);
}
