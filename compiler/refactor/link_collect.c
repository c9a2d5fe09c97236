/* link_collect.c - collects the references that the threads of a build find, and stores them. */
#include "link_collect.h"

#include "diag_print.h"
#include "identity.h"
#include "link_places.h"
#include "link_store.h"

/* The limit for references, and for the bytes of one source, which may contain that many. */
#define PLACES_A_FILE  8u
#define PLACES_MIN     20000u
#define TEXT_BYTES_MAX (2u << 20)

static void found_drop(LinksBuild* b) {
    for (u32 i = 0; i < b->workers; i++) links_close(&b->part[i]);
    links_close(&b->all);
    diag_destroy(b->all.diag);
    memory_free(b->part);
    b->all = (Links){0};
    b->part = NULL;
    b->workers = 0;
}

void links_build_close(LinksBuild* b) {
    found_drop(b);
    memory_free(b->bytes);
    *b = (LinksBuild){0};
}

/* Only the text of a .glb is read, which is mostly short. */
static bool has_long_source(const Assets* assets) {
    bool found = false;
    for (u32 i = 0; i < assets->count && !found; i++) {
        const Asset* asset = assets->asset[i];
        const bool   is_text = asset->form != ASSET_GLB && !form_is_bytes(asset->form);
        found = is_text && asset->stamp.size > TEXT_BYTES_MAX;
    }
    return found;
}

static bool build_begins(void* user, const Assets* assets, u32 resources, u32 workers) {
    LinksBuild*  b = user;
    const size_t root = strlen(assets->root) + 1;
    links_build_close(b);
    if (has_long_source(assets)) return false;
    *b = (LinksBuild){.assets = assets,
                      .all = {.root = assets->root, .assets = assets, .diag = diag_create()},
                      .part = memory_alloc(sizeof(Links) * workers),
                      .workers = workers,
                      .max = MAX_OF(PLACES_A_FILE * assets->count, PLACES_MIN)};
    b->file = ARENA_NEW(&b->all.arena, LinkFile, assets->count);
    array_reserve(&b->all.files, assets->count);
    array_reserve(&b->all.products, resources + 1);
    memset(b->all.products.at, 0, sizeof(LinkProduct) * resources);
    b->all.products.count = resources;
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        b->file[i] = (LinkFile){.asset = asset, .path = asset->source.path + root};
        *array_push(&b->all.files) = &b->file[i];
    }
    return true;
}

/* The source is in memory only now. */
static u32 places_locate(LinkPlace* at, u32 count) {
    LinkCursor cursor = {0};
    const u32  kept = link_places_sort(at, count);
    for (u32 i = 0; i < kept; i++) {
        links_locate(&cursor, &at[i]);
        at[i].line = cursor.line;
        at[i].column = cursor.column;
    }
    return kept;
}

/* The sum does not depend on the threads, and neither does whether any call returns false. */
static bool resource_add(void* user, u32 worker, u32 resource, Compile* c, ResourceType type) {
    LinksBuild* b = user;
    Links*      part = &b->part[worker];
    LinkFile*   file = &b->file[c->asset->index];
    const u32   before = part->places.count;
    if (c->links.count > b->max) return false;
    link_places_add(part, file, c, type);
    b->all.products.at[resource] = (LinkProduct){.name = c->name, .type = type, .file = file};
    const u32 more = part->places.count - before;
    part->places.count = before + places_locate(part->places.at + before, more);
    return __atomic_add_fetch(&b->found, more, __ATOMIC_RELAXED) <= b->max;
}

/* [files + 1] The rows of the places of each file, which are in the order of the files then. */
static u32* places_count(LinksBuild* b) {
    const u32 files = b->all.files.count;
    u32*      first = memory_alloc(sizeof *first * ((size_t)files + 1));
    for (u32 i = 0; i < files; i++) b->all.files.at[i]->row = i;
    for (u32 i = 0; i < b->workers; i++) {
        const Links* part = &b->part[i];
        for (u32 k = 0; k < part->places.count; k++) first[part->places.at[k].file->row + 1]++;
    }
    for (u32 i = 0; i < files; i++) first[i + 1] += first[i];
    return first;
}

/* The places of a file are sorted later, so that the order does not depend on the threads. */
static void parts_join(LinksBuild* b) {
    Links*    l = &b->all;
    const u32 files = l->files.count;
    links_sort_files(l);
    u32* first = places_count(b);
    array_reserve(&l->places, first[files]);
    l->places.count = first[files];
    /* Each element is the next row of its file, and then the end of the file. */
    for (u32 i = 0; i < b->workers; i++) {
        Links* part = &b->part[i];
        for (u32 k = 0; k < part->places.count; k++) {
            const LinkPlace* place = &part->places.at[k];
            l->places.at[first[place->file->row]++] = *place;
        }
        arena_absorb(&l->arena, &part->arena);
    }
    u32 kept = 0;
    for (u32 i = 0, begin = 0; i < files; begin = first[i++]) {
        LinkPlace* at = l->places.at + begin;
        const u32  count = link_places_sort(at, first[i] - begin);
        if (count) memmove(l->places.at + kept, at, sizeof *at * count);
        kept += count;
    }
    l->places.count = kept;
    memory_free(first);
}

/* Resources are in the order of their names, which is mostly that of the paths of their files: this
 * makes sorting fast. */
static void tree_arrange(Tree* tree, const Tree* from, const Assets* assets) {
    tree_begin(tree, from->root);
    array_reserve(&tree->files, from->files.count);
    for (u32 i = 0; i < assets->count; i++)
        *array_push(&tree->files) = from->files.at[assets->asset[i]->file];
    for (u32 i = 0; i < from->files.count; i++) {
        if (!assets->of_file[i]) *array_push(&tree->files) = from->files.at[i];
    }
}

static Text build_ends(void* user, const BuildOptions* o, const Tree* tree) {
    LinksBuild* b = user;
    LinkStore   store = {.tree = &store.listed, .identity = identity_program(o->variant)};
    for (u32 i = 0; i < b->all.products.count; i++)
        assert(b->all.products.at[i].file && "every resource was compiled");
    tree_arrange(&store.listed, tree, b->assets);
    parts_join(b);
    links_complete(&b->all, &store);
    array_drop(&store.seen); /* the build database has all files */
    const Text part = links_part(&b->all, &store, &b->bytes);
    link_store_close(&store);
    found_drop(b); /* the build database, which follows, needs memory too */
    return part;
}

BuildObserver links_build_observer(LinksBuild* b) {
    return (BuildObserver){b, build_begins, resource_add, build_ends};
}
