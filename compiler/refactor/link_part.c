/* link_part.c - the references of a source folder as a part of a build database, and what they depend
 * on. */
#include "link_store.h"

#include "database_links.h"
#include "link_paths.h"
#include "link_places.h"

/* --- writing --- */

typedef struct Draft {
    ARRAY(StoredFile) files;
    ARRAY(StoredPlace) places;
    ARRAY(StoredProduct) products;
    ARRAY(StoredTarget) targets;
    ARRAY(StoredBeside) besides;
    ARRAY(char) text;
} Draft;

static u32 draft_add(Draft* d, const char* text) {
    const u32 at = d->text.count, bytes = (u32)strlen(text) + 1;
    array_append(&d->text, text, bytes);
    return at;
}

static int path_order(const void* a, const void* b) {
    const TreeFile *const *x = a, *const *y = b;
    return strcmp(tree_relative(*x), tree_relative(*y));
}

static void draft_files(Draft* d, const Tree* tree) {
    const u32        count = tree->files.count;
    const TreeFile** sorted = memory_alloc(sizeof *sorted * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) sorted[i] = &tree->files.at[i];
    rows_sort(sorted, count, sizeof *sorted, path_order);
    array_reserve(&d->files, count);
    for (u32 i = 0; i < count; i++) {
        *array_push(&d->files) = (StoredFile){.path = draft_add(d, tree_relative(sorted[i])),
                                              .kind = sorted[i]->kind,
                                              .link = sorted[i]->link};
    }
    memory_free(sorted);
}

/* The same for a list that is mostly in the order of the rows: `next` is the row after the one that was
 * found last. */
static u32 file_after(const Stored* s, const char* path, u32* next) {
    u32 row = *next;
    if (row >= s->head->file_count || strcmp(s->text + s->files[row].path, path) != 0)
        row = stored_file_find(s, path);
    if (row != NONE) *next = row + 1;
    return row;
}

/* NONE: the file is new, so that what is stored will not be used. */
static u32 draft_row(const Draft* d, const char* path, u32* next) {
    const StoredHead head = {.file_count = d->files.count};
    const Stored     s = {.head = &head, .files = d->files.at, .text = d->text.at};
    return file_after(&s, path, next);
}

static void draft_sources(Draft* d, const Links* l) {
    for (u32 i = 0, next = 0; i < l->files.count; i++) {
        LinkFile* file = l->files.at[i];
        file->row = draft_row(d, file->path, &next);
        if (file->row == NONE) continue;
        StoredFile* f = &d->files.at[file->row];
        f->name = draft_add(d, file->asset->name);
        f->type = file->asset->type;
        f->form = file->asset->form;
        f->image_offset = file->asset->content->image_offset;
        f->hash = file->hash;
    }
}

static void draft_others(Draft* d, const Links* l, const LinkStore* store) {
    u32       next = 0;
    const u32 settings = draft_row(d, SETTINGS_FILE, &next);
    if (settings != NONE) d->files.at[settings].hash = store->settings;
    for (u32 i = 0; i < l->besides.count; i++) {
        const LinkBeside* b = &l->besides.at[i];
        const u32         row = draft_row(d, b->path, &next);
        if (row == NONE) continue;
        if (d->files.at[row].name == STORED_NO_NAME) d->files.at[row].hash = b->hash;
        *array_push(&d->besides) = (StoredBeside){b->file->row, row};
    }
}

static void draft_fill(Draft* d, const Links* l, const LinkStore* store) {
    draft_add(d, "");
    draft_files(d, store->tree);
    draft_sources(d, l);
    draft_others(d, l, store);
    array_reserve(&d->places, l->places.count);
    array_reserve(&d->products, l->products.count);
    for (u32 i = 0; i < l->places.count; i++) {
        const LinkPlace* p = &l->places.at[i];
        *array_push(&d->places) =
            (StoredPlace){p->file->row,          p->kind, p->offset, p->bytes, p->line, p->column,
                          draft_add(d, p->name), p->type};
    }
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        *array_push(&d->products) = (StoredProduct){p->file->row, draft_add(d, p->name), p->type};
    }
    for (u32 i = 0; i < l->targets.count; i++) {
        const LinkTarget* t = &l->targets.at[i];
        *array_push(&d->targets) = (StoredTarget){t->file->row, draft_add(d, t->path)};
    }
}

static u8* part_put(u8* to, const void* at, size_t bytes) {
    if (bytes) memcpy(to, at, bytes);
    return to + bytes;
}

/* Copies an array behind the others and frees it, so that not all of them are in memory twice. */
#define PART_MOVE(to, array)                                                                       \
    ((to) = part_put((to), (array)->at, sizeof *(array)->at * (array)->count), array_drop(array))

Text links_part(const Links* l, const LinkStore* store, u8** bytes) {
    Draft d = {0};
    draft_fill(&d, l, store);
    const StoredHead head = {.identity = store->identity,
                             .file_count = d.files.count,
                             .place_count = d.places.count,
                             .product_count = d.products.count,
                             .target_count = d.targets.count,
                             .beside_count = d.besides.count,
                             .text_bytes = d.text.count};
    const size_t     size =
        sizeof head + sizeof *d.files.at * d.files.count + sizeof *d.places.at * d.places.count +
        sizeof *d.products.at * d.products.count + sizeof *d.targets.at * d.targets.count +
        sizeof *d.besides.at * d.besides.count + d.text.count;
    u8* to = *bytes = memory_alloc_raw(size);
    to = part_put(to, &head, sizeof head);
    PART_MOVE(to, &d.files);
    PART_MOVE(to, &d.places);
    PART_MOVE(to, &d.products);
    PART_MOVE(to, &d.targets);
    PART_MOVE(to, &d.besides);
    PART_MOVE(to, &d.text);
    assert(to == *bytes + size);
    const Text part = {(const char*)*bytes, (u32)size};
    stored_seal(part);
    return part;
}

/* --- what references depend on --- */

static void target_add(void* user, LinkFile* file, const LinkPath* path) {
    Links*      l = user;
    const Text  root = text_of(l->assets->root_real);
    const char* target = link_path_target(l, file, path);
    if (strncmp(target, root.at, root.bytes) == 0 && target[root.bytes] == '/')
        *array_push(&l->targets) = (LinkTarget){file, target + root.bytes + 1};
}

static int target_order(const void* a, const void* b) {
    const LinkTarget *x = a, *y = b;
    const int         file = strcmp(x->file->path, y->file->path);
    return file ? file : strcmp(x->path, y->path);
}

static int beside_order(const void* a, const void* b) {
    const LinkBeside *x = a, *y = b;
    const int         file = strcmp(x->file->path, y->file->path);
    return file ? file : strcmp(x->path, y->path);
}

static int seen_order(const void* a, const void* b) {
    const DatabaseSeen *x = a, *y = b;
    return strcmp(x->path, y->path);
}

/* A file that several sources read is in the list once. */
static void seen_sort(LinkStore* store) {
    DatabaseSeen* at = store->seen.at;
    u32           kept = 0;
    rows_sort(at, store->seen.count, sizeof *at, seen_order);
    for (u32 i = 0; i < store->seen.count; i++) {
        if (kept == 0 || seen_order(&at[kept - 1], &at[i]) != 0) at[kept++] = at[i];
    }
    store->seen.count = kept;
}

void links_settle(Links* l) {
    links_sort(l);
    links_sort_files(l);
    rows_sort(l->targets.at, l->targets.count, sizeof(LinkTarget), target_order);
    rows_sort(l->besides.at, l->besides.count, sizeof(LinkBeside), beside_order);
}

static void file_complete(Links* l, LinkStore* store, LinkFile* file) {
    const Asset* asset = file->asset;
    const size_t root = strlen(l->root);
    file->hash = asset->content->hash;
    *array_push(&store->seen) = (DatabaseSeen){file->path, asset->stamp, asset->content->hash};
    for (u32 i = 0; i < asset->content->besides.count; i++) {
        const Beside* beside = &asset->content->besides.at[i];
        const char*   path = beside->path + root + 1;
        assert(strncmp(beside->path, l->root, root) == 0 && beside->path[root] == '/');
        *array_push(&l->besides) = (LinkBeside){file, path, beside->hash};
        *array_push(&store->seen) = (DatabaseSeen){path, beside->stamp, beside->hash};
    }
    link_paths_visit(l, file, target_add, l);
}

void links_complete(Links* l, LinkStore* store) {
    const Settings* settings = l->assets->settings;
    LinkCursor      at = {0};
    for (u32 i = 0; i < l->files.count; i++) {
        if (l->files.at[i]->asset->state == ASSET_VALID) /* it is selected */
            file_complete(l, store, l->files.at[i]);
    }
    if (settings->exists) {
        store->settings = settings->hash;
        *array_push(&store->seen) = (DatabaseSeen){SETTINGS_FILE, settings->stamp, settings->hash};
    }
    for (u32 i = 0; i < l->places.count; i++) {
        LinkPlace* place = &l->places.at[i];
        links_locate(&at, place);
        place->line = at.line, place->column = at.column;
    }
    rows_sort(l->targets.at, l->targets.count, sizeof(LinkTarget), target_order);
    rows_sort(l->besides.at, l->besides.count, sizeof(LinkBeside), beside_order);
    seen_sort(store);
}

void link_store_close(LinkStore* store) {
    database_close(&store->database);
    tree_drop(&store->listed);
    array_drop(&store->seen);
}
