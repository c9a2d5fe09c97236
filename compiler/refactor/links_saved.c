/* links_saved.c - writes and reads the references of a folder. */
#include "links_saved.h"

#include <stdlib.h>

#include "clock.h"
#include "database.h"
#include "exit_codes.h"
#include "hash.h"
#include "print.h"
#include "process.h"
#include "tree.h"

#define SAVED_NAME    "links"
#define SAVED_VERSION 1u
#define NO_NAME_TEXT  0u /* in the text: the empty one */

static const char magic[8] = "entc.lnk";

/* A file of the folder; one with a name is a source. */
typedef struct SavedFile {
    u32       path, name, type, kind, link, spare;
    FileStamp stamp;
} SavedFile;

typedef struct SavedPlace {
    u32 file, kind, offset, bytes, line, column, name, type;
} SavedPlace;

typedef struct SavedProduct {
    u32 file, name, type;
} SavedProduct;

typedef struct SavedHead {
    char    magic[8];
    u32     version, row_bytes;
    Hash128 hash;       /* of everything after it */
    Hash128 identity;   /* of the program and the variant */
    u64     scanned_ns; /* a file that is not older may have been changed after it was read */
    u32     file_count, place_count, product_count, text_bytes;
} SavedHead;

#define ROW_BYTES                                                                                  \
    ((u32)(sizeof(SavedHead) + sizeof(SavedFile) + sizeof(SavedPlace) + sizeof(SavedProduct)))
#define HASHED_FROM (offsetof(SavedHead, hash) + sizeof(Hash128))

typedef struct Saved {
    const SavedHead*    head;
    const SavedFile*    files;
    const SavedPlace*   places;
    const SavedProduct* products;
    const char*         text;
} Saved;

/* The folder before its sources are read. */
typedef struct Scan {
    Tree    tree;
    u64     begin_ns;
    Hash128 identity;
    char    path[4096]; /* of the file */
} Scan;

/* --- what the references depend on --- */

static void object_print(void* user, const char* name, const char* id) {
    if (strncmp(name, "linux-", 6) == 0) return; /* the kernel's */
    fprintf(user, "%s\t%s\n", name, id);
}

static Hash128 identity_of(const BuildOptions* o) {
    Print print;
    FILE* out = print_begin(&print);
    process_objects(object_print, out);
    fprintf(out, "%s\t%s\n", o->lang ? o->lang : "", o->platform ? o->platform : "");
    print_end(&print);
    const Hash128 hash = hash_content(print.text, strlen(print.text));
    free(print.text);
    return hash;
}

static bool stamp_equal(const FileStamp* a, const FileStamp* b) {
    return a->size == b->size && a->modified_ns == b->modified_ns &&
           a->changed_ns == b->changed_ns && a->inode == b->inode;
}

/* Rows of a saved file are in the order of their paths. */
static u32 file_find(const Saved* s, const char* path) {
    u32 first = 0, end = s->head->file_count;
    while (first < end) {
        const u32 middle = first + (end - first) / 2;
        const int order = strcmp(s->text + s->files[middle].path, path);
        if (order == 0) return middle;
        if (order < 0)
            first = middle + 1;
        else
            end = middle;
    }
    return NONE;
}

static bool folder_is_same(const Saved* s, const Tree* tree) {
    bool same = tree->files.count == s->head->file_count;
    for (u32 i = 0; i < tree->files.count && same; i++) {
        const TreeFile* now = &tree->files.at[i];
        const u32       row = file_find(s, tree_relative(now));
        same = row != NONE && s->files[row].kind == now->kind && s->files[row].link == now->link &&
               stamp_equal(&s->files[row].stamp, &now->stamp) &&
               now->stamp.modified_ns < s->head->scanned_ns &&
               now->stamp.changed_ns < s->head->scanned_ns;
    }
    return same;
}

/* --- reading --- */

static bool rows_are_valid(const Saved* s) {
    const u32 text = s->head->text_bytes, files = s->head->file_count;
    bool      valid = text > 0 && s->text[0] == 0 && s->text[text - 1] == 0;
    for (u32 i = 0; i < files && valid; i++) {
        const SavedFile* f = &s->files[i];
        valid = f->path < text && f->name < text && f->type < RESOURCE_COUNT;
        valid &= i == 0 || strcmp(s->text + f[-1].path, s->text + f->path) < 0;
    }
    for (u32 i = 0; i < s->head->place_count && valid; i++) {
        const SavedPlace* p = &s->places[i];
        valid = p->file < files && s->files[p->file].name != NO_NAME_TEXT && p->name < text &&
                p->kind < LINK_KINDS && p->type < RESOURCE_COUNT;
    }
    for (u32 i = 0; i < s->head->product_count && valid; i++) {
        const SavedProduct* p = &s->products[i];
        valid = p->file < files && s->files[p->file].name != NO_NAME_TEXT && p->name < text &&
                p->type < RESOURCE_COUNT;
    }
    return valid;
}

static bool saved_parse(Saved* s, const FileView* view) {
    const SavedHead* head = s->head = (const void*)view->bytes;
    if (view->size < sizeof *head || memcmp(head->magic, magic, sizeof magic) != 0 ||
        head->version != SAVED_VERSION || head->row_bytes != ROW_BYTES) {
        return false;
    }
    const u64 places = sizeof *head + (u64)head->file_count * sizeof(SavedFile);
    const u64 products = places + (u64)head->place_count * sizeof(SavedPlace);
    const u64 text = products + (u64)head->product_count * sizeof(SavedProduct);
    if (text + head->text_bytes != view->size) return false;
    const Hash128 hash = hash_content(view->bytes + HASHED_FROM, view->size - HASHED_FROM);
    if (!hash_equal(hash, head->hash)) return false;
    s->files = (const void*)(view->bytes + sizeof *head);
    s->places = (const void*)(view->bytes + places);
    s->products = (const void*)(view->bytes + products);
    s->text = (const char*)view->bytes + text;
    return rows_are_valid(s);
}

/* Assets that have only what is printed. */
static LinkFile* file_restore(Links* l, const Saved* s, const SavedFile* row) {
    Asset*      asset = ARENA_NEW(&l->arena, Asset, 1);
    LinkFile*   file = ARENA_NEW(&l->arena, LinkFile, 1);
    const char* path = arena_print(&l->arena, "%s/%s", l->root, s->text + row->path);
    asset->name = arena_text(&l->arena, text_of(s->text + row->name));
    asset->type = (ResourceType)row->type;
    asset->source.path = path;
    *file = (LinkFile){.asset = asset, .path = path + strlen(l->root) + 1, .link = row->link};
    *array_push(&l->files) = file;
    return file;
}

static void links_restore(Links* l, const Saved* s) {
    LinkFile** file = memory_alloc(sizeof *file * (s->head->file_count + 1));
    for (u32 i = 0; i < s->head->file_count; i++) {
        if (s->files[i].name != NO_NAME_TEXT) file[i] = file_restore(l, s, &s->files[i]);
    }
    for (u32 i = 0; i < s->head->place_count; i++) {
        const SavedPlace* p = &s->places[i];
        *array_push(&l->places) =
            (LinkPlace){.file = file[p->file],
                        .kind = (LinkKind)p->kind,
                        .offset = p->offset,
                        .bytes = p->bytes,
                        .name = arena_text(&l->arena, text_of(s->text + p->name)),
                        .type = (ResourceType)p->type,
                        .line = p->line,
                        .column = p->column};
    }
    for (u32 i = 0; i < s->head->product_count; i++) {
        const SavedProduct* p = &s->products[i];
        *array_push(&l->products) =
            (LinkProduct){.name = arena_text(&l->arena, text_of(s->text + p->name)),
                          .type = (ResourceType)p->type,
                          .file = file[p->file]};
    }
    memory_free(file);
}

/* --- writing --- */

typedef struct Draft {
    ARRAY(SavedFile) files;
    ARRAY(SavedPlace) places;
    ARRAY(SavedProduct) products;
    ARRAY(char) text;
} Draft;

static u32 draft_add(Draft* d, const char* text) {
    const u32 at = d->text.count, bytes = (u32)strlen(text) + 1;
    array_append(&d->text, text, bytes);
    return at;
}

static int path_order(const void* a, const void* b) {
    return strcmp(tree_relative(a), tree_relative(b));
}

static u32 draft_find(const Draft* d, const char* path) {
    const SavedHead head = {.file_count = d->files.count};
    const Saved     s = {.head = &head, .files = d->files.at, .text = d->text.at};
    return file_find(&s, path);
}

static void draft_fill(Draft* d, const Links* l, Scan* scan) {
    LinkCursor at = {0};
    Tree*      tree = &scan->tree;
    draft_add(d, "");
    if (tree->files.count) qsort(tree->files.at, tree->files.count, sizeof(TreeFile), path_order);
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile* file = &tree->files.at[i];
        *array_push(&d->files) = (SavedFile){.path = draft_add(d, tree_relative(file)),
                                             .kind = file->kind,
                                             .link = file->link,
                                             .stamp = file->stamp};
    }
    for (u32 i = 0; i < l->files.count; i++) {
        const u32 row = draft_find(d, l->files.at[i]->path);
        if (row == NONE) continue; /* it is new, so that what is written will not be used */
        d->files.at[row].name = draft_add(d, l->files.at[i]->asset->name);
        d->files.at[row].type = l->files.at[i]->asset->type;
    }
    for (u32 i = 0; i < l->places.count; i++) {
        const LinkPlace* p = &l->places.at[i];
        links_locate(&at, p);
        *array_push(&d->places) = (SavedPlace){
            draft_find(d, p->file->path), p->kind, p->offset, p->bytes, at.line, at.column,
            draft_add(d, p->name),        p->type};
    }
    for (u32 i = 0; i < l->products.count; i++) {
        const LinkProduct* p = &l->products.at[i];
        *array_push(&d->products) =
            (SavedProduct){draft_find(d, p->file->path), draft_add(d, p->name), p->type};
    }
}

static int saved_write(const Links* l, Scan* scan) {
    Draft d = {0};
    draft_fill(&d, l, scan);
    SavedHead      head = {.version = SAVED_VERSION,
                           .row_bytes = ROW_BYTES,
                           .identity = scan->identity,
                           .scanned_ns = scan->begin_ns,
                           .file_count = d.files.count,
                           .place_count = d.places.count,
                           .product_count = d.products.count,
                           .text_bytes = d.text.count};
    const FilePart parts[] = {{&head, sizeof head},
                              {d.files.at, sizeof *d.files.at * d.files.count},
                              {d.places.at, sizeof *d.places.at * d.places.count},
                              {d.products.at, sizeof *d.products.at * d.products.count},
                              {d.text.at, d.text.count}};
    FilePart       hashed[COUNT_OF(parts)];
    memcpy(head.magic, magic, sizeof magic);
    memcpy(hashed, parts, sizeof parts);
    hashed[0] = (FilePart){(const u8*)&head + HASHED_FROM, sizeof head - HASHED_FROM};
    head.hash = hash_content_parts(hashed, COUNT_OF(hashed));
    const ent_status status = file_put_parts(scan->path, parts, COUNT_OF(parts), NULL);
    array_drop(&d.files);
    array_drop(&d.places);
    array_drop(&d.products);
    array_drop(&d.text);
    return status == ENT_OK ? EXIT_OK : io_failure("cannot write", scan->path);
}

/* --- the command --- */

/* Returns an exit code; `found` when the file was used. */
static int saved_read(Links* l, const Scan* scan, LinksSuffice suffice, const void* user,
                      bool* found) {
    FileView         view;
    Saved            saved;
    const ent_status status = file_map(&view, scan->path);
    if (status == ENT_NOT_FOUND) return EXIT_OK;
    if (status != ENT_OK) return io_failure("cannot read", scan->path);
    if (saved_parse(&saved, &view) && hash_equal(saved.head->identity, scan->identity) &&
        folder_is_same(&saved, &scan->tree)) {
        l->root = arena_text(&l->arena, text_of(scan->tree.root));
        links_restore(l, &saved);
        *found = suffice(l, user);
        if (!*found) links_close(l);
    }
    file_unmap(&view);
    return EXIT_OK;
}

int links_open_saved(Links* l, const BuildOptions* o, LinksSuffice suffice, const void* user) {
    Scan        scan = {.begin_ns = clock_wall_ns()};
    const char* failed;
    bool        found = false;
    if (!o->out || o->plugins.count ||
        !database_beside(o->out, SAVED_NAME, scan.path, sizeof scan.path)) {
        return links_open(l, o, true, JOURNAL_REFUSE);
    }
    *l = (Links){0};
    int code = move_finish(o->source, JOURNAL_REFUSE);
    if (code != EXIT_OK) return code;
    JobPool*   pool = ent_job_pool_create(ent_job_processor_count() - 1, NULL);
    const bool scanned = tree_read(&scan.tree, o->source, true, pool, &failed) == ENT_OK;
    ent_job_pool_destroy(pool);
    if (scanned) {
        scan.identity = identity_of(o);
        code = saved_read(l, &scan, suffice, user, &found);
    }
    if (code == EXIT_OK && !found) {
        code = links_open(l, o, true, JOURNAL_REFUSE);
        if (code == EXIT_OK && scanned) code = saved_write(l, &scan);
    }
    tree_drop(&scan.tree);
    return code;
}
