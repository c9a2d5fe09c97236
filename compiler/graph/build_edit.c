/* build_edit.c - finds out what a changed file means for the next build.
 *
 * A file that has other content than before is compiled again with everything that reads it. All other changes may
 * change which sources and products there are: a file that was added, removed or renamed, a link, the settings, the
 * declaration of a component, and a model that has other resources or refers to other files. */
#include "build_edit.h"

#include <stdlib.h>

#include "assets.h"
#include "order.h"
#include "path_alike.h"

/* --- which products read a file --- */

void readers_find(BuildLook* look) {
    const Database* db = &look->build.database;
    const u32       files = db->head->file_count, products = db->head->product_count;
    look->first = memory_alloc(sizeof(u32) * ((size_t)files + 2));
    look->reader = memory_alloc(sizeof(u32) * ((size_t)db->head->read_count + 1));
    look->product = memory_alloc(sizeof(u32) * ((size_t)products + 1));
    look->maps = db->head->map_count;
    /* At first [file + 2] is the number of its readers, then where they end; then [file + 1] is where the next one is
     * put, and finally where they end. */
    for (u32 i = 0; i < db->head->read_count; i++) look->first[db->reads[i].file + 2]++;
    for (u32 i = 0; i < files; i++) look->first[i + 2] += look->first[i + 1];
    for (u32 i = 0; i < products; i++) {
        const DatabaseProduct* p = &db->products[i];
        for (u32 k = p->first_read; k < p->first_read + p->read_count; k++)
            look->reader[look->first[db->reads[k].file + 1]++] = i;
        if (p->flags & DATABASE_WARNED) *array_push(&look->warned) = i;
        look->product[i] = NONE;
    }
    for (u32 i = 0; i < look->build.products.count; i++) {
        const u32 row = look->build.products.at[i].row;
        if (row != NONE) look->product[row] = i;
    }
}

typedef ARRAY(u32) Rows;

/* The products that read changed files, and those with warnings, each once. */
static void rows_affected(const BuildLook* look, Rows* rows) {
    for (u32 i = 0; i < look->pending.count; i++) {
        const u32 file = look->pending.at[i];
        array_append(rows, look->reader + look->first[file],
                     look->first[file + 1] - look->first[file]);
        for (u32 k = 0; k < look->later.count; k++) {
            if (look->later.at[k].file == file) *array_push(rows) = look->later.at[k].product;
        }
    }
    array_append(rows, look->warned.at, look->warned.count);
    if (rows->count) qsort(rows->at, rows->count, sizeof(u32), order_numbers);
    u32 kept = 0;
    for (u32 i = 0; i < rows->count; i++) {
        if (kept == 0 || rows->at[kept - 1] != rows->at[i]) rows->at[kept++] = rows->at[i];
    }
    rows->count = kept;
}

/* --- changed files --- */

/* A file that no build reads. */
static u32 other_find(const Build* b, const char* path) {
    for (u32 i = 0; i < b->up_to_date.others.count; i++) {
        const u32 file = b->up_to_date.others.at[i];
        if (strcmp(tree_relative(&b->sources.files.at[file]), path) == 0) return file;
    }
    return NONE;
}

static u32 file_find(const Build* b, const char* relative) {
    const u32 row = database_file(&b->database, relative);
    return row == NONE ? other_find(b, relative) : b->up_to_date.source[row].file;
}

/* May its content change without any effect on the lists of sources and products? Of a model this is known after it
 * was read. The settings of the project are the source of no product. */
static bool is_edited_alone(const BuildLook* look, u32 row, const Asset* asset) {
    if (!asset) return look->first[row] < look->first[row + 1];
    return asset->type != RESOURCE_COMPONENT;
}

static int inode_order(const void* a, const void* b) {
    const u64 x = *(const u64*)a, y = *(const u64*)b;
    return (x > y) - (x < y);
}

/* May a change of one file change another one? Symbolic links in the output folder can be removed. */
static bool has_links(const Build* b) {
    const u32 count = b->sources.files.count;
    u64*      inode = memory_alloc(sizeof(u64) * ((size_t)count + 1));
    bool      found = false;
    for (u32 i = 0; i < count; i++) {
        inode[i] = b->sources.files.at[i].stamp.inode;
        found |= b->sources.files.at[i].link;
    }
    qsort(inode, count, sizeof *inode, inode_order);
    for (u32 i = 1; i < count; i++) found |= inode[i] == inode[i - 1];
    for (u32 i = 0; i < b->outputs.files.count; i++) found |= b->outputs.files.at[i].link;
    memory_free(inode);
    return found;
}

bool sources_are_kept(BuildLook* look) {
    const Build* b = &look->build;
    const u32    files = b->database.head->file_count, outputs = b->database.head->product_count;
    bool         kept = b->up_to_date.known && !has_links(b);
    for (u32 i = 0; i < outputs && kept; i++)
        kept = b->up_to_date.output[i].state == UP_TO_DATE_SAME;
    for (u32 i = 0; i < files && kept; i++) {
        const UpToDateRow* now = &b->up_to_date.source[i];
        if (now->state == UP_TO_DATE_SAME) continue;
        const Asset* asset = now->file == NONE ? NULL : b->assets.of_file[now->file];
        kept = now->state == UP_TO_DATE_CHANGED && asset && is_edited_alone(look, i, asset) &&
               !form_is_model(asset->form) && asset->owned != OWNER_MODEL;
        *array_push(&look->pending) = i;
    }
    return kept;
}

static void pending_set(BuildLook* look, u32 row, bool is_pending) {
    u32 kept = 0;
    for (u32 i = 0; i < look->pending.count; i++) {
        if (look->pending.at[i] != row) look->pending.at[kept++] = look->pending.at[i];
    }
    look->pending.count = kept;
    if (is_pending) *array_push(&look->pending) = row;
}

static bool content_look(BuildLook* look, u32 row, const char* path) {
    Build*              b = &look->build;
    UpToDateRow*        now = &b->up_to_date.source[row];
    const DatabaseFile* stored = &b->database.files[row];
    Asset*              asset = b->assets.of_file[now->file];
    FileStamp           stamp;
    FileView            view;
    if (file_map_stamped(&view, path, &stamp) != ENT_OK) return false;
    const Hash128 hash = hash_content(view.bytes, view.size);
    file_unmap(&view);
    if (!database_is_read(stored) && !hash_equal(stored->hash, hash)) return false;
    const bool same = !database_is_read(stored) || hash_equal(stored->built, hash);
    if (!same && !is_edited_alone(look, row, asset)) return false;
    now->stamp = stamp;
    now->hash = hash;
    now->state = same ? UP_TO_DATE_SAME : UP_TO_DATE_CHANGED;
    b->sources.files.at[now->file].stamp = stamp;
    if (asset && asset->type != RESOURCE_COMPONENT) asset_forget(&b->assets, asset, stamp);
    pending_set(look, row, !same);
    return true;
}

/* False: it cannot be looked at, or its path, which `path` receives, is too long. */
static bool entry_find(const char* root, const char* relative, char path[4096], FolderEntry* entry,
                       bool* exists) {
    return snprintf(path, 4096, "%s/%s", root, relative) < 4096 &&
           folder_entry(path, entry, exists) == ENT_OK;
}

static bool entry_look(BuildLook* look, const char* relative) {
    const Build* b = &look->build;
    const u32    row = database_file(&b->database, relative);
    const u32    file = file_find(b, relative);
    char         path[4096];
    FolderEntry  entry;
    bool         exists;
    if (!entry_find(b->sources.root, relative, path, &entry, &exists)) return false;
    if (file == NONE) return !exists; /* as a temporary file of an editor */
    const TreeFile* known = &b->sources.files.at[file];
    if (!exists || entry.kind != FILE_REGULAR || entry.link || known->kind != FILE_REGULAR ||
        known->link)
        return false;
    return row == NONE || content_look(look, row, path);
}

bool edits_look(BuildLook* look, const FolderChanges* changes) {
    bool known = !changes->is_incomplete;
    for (u32 i = 0; i < changes->count && known; i++) known = entry_look(look, changes->path[i]);
    return known;
}

/* --- the lists of a look that ends --- */

/* `removed` receives the place of a file that does not exist any more. */
static bool entry_list(BuildLook* look, const char* relative, Rows* removed) {
    Build*      b = &look->build;
    u32         file = file_find(b, relative);
    char        path[4096];
    FolderEntry entry;
    bool        exists;
    if (!entry_find(b->sources.root, relative, path, &entry, &exists) ||
        (exists && entry.kind == FILE_FOLDER && !entry.link))
        return false;
    if (!exists) {
        if (file != NONE) *array_push(removed) = file;
        return true;
    }
    if (file == NONE) {
        file = b->sources.files.count;
        tree_add(&b->sources, text_of(relative));
    }
    TreeFile* listed = &b->sources.files.at[file];
    listed->kind = entry.kind;
    listed->link = entry.link;
    listed->stamp = entry.stamp;
    return true;
}

bool lists_keep(BuildLook* look, const FolderChanges* changes, BuildLists* lists) {
    Build* b = &look->build;
    Tree*  tree = &b->sources;
    Rows   removed = {0};
    bool   known = !changes->is_incomplete;
    ARRAY(const char*) paths = {0};
    for (u32 i = 0; i < changes->count; i++) *array_push(&paths) = changes->path[i];
    if (paths.count) qsort(paths.at, paths.count, sizeof *paths.at, order_texts);
    for (u32 i = 0; i < paths.count && known; i++) {
        const bool again = i > 0 && strcmp(paths.at[i - 1], paths.at[i]) == 0;
        known = again || entry_list(look, paths.at[i], &removed);
    }
    array_drop(&paths);
    if (removed.count) qsort(removed.at, removed.count, sizeof(u32), order_numbers);
    for (u32 i = removed.count; i-- > 0 && known;)
        tree->files.at[removed.at[i]] = tree->files.at[--tree->files.count];
    array_drop(&removed);
    if (!known) return false;
    paths_alike_drop(tree);
    *lists = (BuildLists){b->sources, b->outputs, b->scanned_ns, true};
    b->sources = b->outputs = (Tree){0};
    return true;
}

/* --- the output folder --- */

/* The stamp of a file that was just written proves nothing. */
static bool content_is(const char* path, const UpToDateRow* row) {
    FileStamp stamp;
    FileView  view;
    if (file_map_stamped(&view, path, &stamp) != ENT_OK) return false;
    const bool same = file_stamp_equal(&stamp, &row->stamp) &&
                      hash_equal(hash_content(view.bytes, view.size), row->hash);
    file_unmap(&view);
    return same;
}

/* Is a file of the output folder the one that the last build wrote? Other files of no product do not matter. */
static bool output_is_kept(const BuildLook* look, const char* relative) {
    const Build*    b = &look->build;
    const Database* db = &b->database;
    char            path[4096];
    FolderEntry     entry;
    Text            name;
    bool            map, exists;
    if (!entry_find(b->outputs.root, relative, path, &entry, &exists)) return false;
    const ResourceType type = output_named(relative, &name, &map);
    const u32          row = type == RESOURCE_NONE ? NONE : database_product(db, name, type);
    if (exists && (entry.link || entry.kind != FILE_REGULAR)) return false;
    if (type == RESOURCE_NONE) return true;
    if (row == NONE || (map && db->products[row].map == NONE)) return !exists;
    return exists && content_is(path, map ? &b->up_to_date.map[db->products[row].map]
                                          : &b->up_to_date.output[row]);
}

bool outputs_are_kept(BuildLook* look) {
    if (folder_watch_poll(look->outputs) != ENT_OK) return false;
    const FolderChanges* changes = folder_watch_changes(look->outputs);
    bool                 kept = !changes->is_incomplete;
    for (u32 i = 0; i < changes->count && kept; i++) kept = output_is_kept(look, changes->path[i]);
    return kept && index_is_settled(&look->build); /* its name begins with a dot */
}

/* --- models and files beside a source --- */

static bool row_reads_file(const Database* db, const DatabaseProduct* p, u32 file) {
    bool reads = false;
    for (u32 i = p->first_read; i < p->first_read + p->read_count && !reads; i++)
        reads = db->reads[i].name == NONE && db->reads[i].file == file;
    return reads;
}

/* Were the same files read with a source as by the last build? Images that a model reads are no resources. */
static bool besides_match(const Build* b, const Asset* asset) {
    const Database*        db = &b->database;
    const u32              row = database_product(db, text_of(asset->name), asset->type);
    const DatabaseProduct* p = &db->products[row];
    u32                    recorded = 0;
    bool                   same = true;
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++)
        recorded += db->reads[i].name == NONE;
    for (u32 i = 0; i < asset->content->besides.count && same; i++) {
        const char* path = asset->content->besides.at[i].path + strlen(b->sources.root) + 1;
        same = row_reads_file(db, p, database_file(db, path));
    }
    return same && recorded == asset->content->besides.count;
}

static bool row_needs_file(const Database* db, const DatabaseProduct* p, const char* path) {
    bool needs = false;
    for (u32 i = p->first_need; i < p->first_need + p->need_count && !needs; i++)
        needs = db->needs[i].type == RESOURCE_NONE &&
                strcmp(database_text(db, db->needs[i].name), path) == 0;
    return needs;
}

static bool named_match(const Build* b, const Asset* asset, const DatabaseProduct* p) {
    const Database*     db = &b->database;
    const AssetOutline* outline = asset->outline;
    u32                 recorded = 0;
    bool                same = true;
    for (u32 i = p->first_need; i < p->first_need + p->need_count; i++)
        recorded += db->needs[i].type == RESOURCE_NONE;
    for (u32 i = 0; i < outline->named.count && same; i++)
        same = row_needs_file(db, p, outline->named.at[i]);
    return same && recorded == outline->named.count;
}

/* Does a model that was read again have the resources that are recorded? One with errors is reported. */
static bool model_matches(Build* b, Asset* asset) {
    const Database* db = &b->database;
    if (!model_open(b, asset)) return true;
    const u32              row = database_product(db, text_of(asset->name), asset->type);
    const DatabaseProduct* p = &db->products[row];
    const AssetOutline*    outline = asset->outline;
    u32                    recorded = 0;
    bool                   same = true;
    for (u32 at = b->known.first[p->file]; at; at = b->known.next[at - 1])
        recorded += at - 1 != row;
    for (u32 i = 0; i < outline->sub_resources.count && same; i++) {
        const SubResource* sub = &outline->sub_resources.at[i];
        const u32          other = database_product(db, text_of(sub->name), sub->type);
        same = other != NONE && db->products[other].file == p->file;
    }
    return same && recorded == outline->sub_resources.count && named_match(b, asset, p) &&
           (!job_once_done(&asset->load) || besides_match(b, asset));
}

/* --- the products --- */

/* Reads the models again of which a file has changed. False: one has other resources. */
static bool models_match(Build* b, const Build* part) {
    bool same = true;
    for (u32 i = 0; i < part->products.count; i++) {
        Asset* const asset = part->products.at[i].asset;
        if (form_is_model(asset->form) && part->products.at[i].found != REASON_WARNED)
            asset_forget(&b->assets, asset, asset->stamp);
    }
    for (u32 i = 0; i < part->products.count && same; i++) {
        Asset* const asset = part->products.at[i].asset;
        if (form_is_model(asset->form) && !job_once_done(&asset->outline->listed))
            same = model_matches(b, asset);
    }
    return same;
}

bool products_affected(BuildLook* look, Build* part) {
    Build* b = &look->build;
    Rows   rows = {0};
    bool   known = true;
    rows_affected(look, &rows);
    for (u32 i = 0; i < rows.count && known; i++) {
        const u32 at = look->product[rows.at[i]];
        known = at != NONE;
        if (!known) break;
        Product p = b->products.at[at];
        p.found = product_reason(b, &p);
        if (p.found != REASON_NONE) *array_push(&part->products) = p;
    }
    array_drop(&rows);
    known = known && models_match(b, part);
    if (known) products_explain(b, part);
    return known;
}

bool besides_are_kept(const BuildLook* look, const Build* part) {
    bool same = true;
    for (u32 i = 0; i < part->products.count && same; i++) {
        const Asset* asset = part->products.at[i].asset;
        if (asset_reads_beside(asset)) same = besides_match(&look->build, asset);
    }
    return same;
}

/* --- after a build --- */

static void output_keep(BuildLook* look, const Product* p) {
    Build*            b = &look->build;
    const Database*   db = &b->database;
    const Compiled*   compiled = p->compiled;
    const UpToDateRow output = {b->up_to_date.output[p->row].file, UP_TO_DATE_SAME, compiled->hash,
                                compiled->stamp};
    look->bytes += compiled->stamp.size - b->up_to_date.output[p->row].stamp.size;
    b->up_to_date.output[p->row] = output;
    b->outputs.files.at[output.file].stamp = output.stamp;
    const u32 map = db->products[p->row].map;
    if (!compiled->map->bytes || map >= look->maps) return;
    b->up_to_date.map[map].hash = compiled->map->hash;
    b->up_to_date.map[map].stamp = compiled->map->stamp;
    b->up_to_date.map[map].state = UP_TO_DATE_SAME;
}

static bool is_reader(const BuildLook* look, u32 file, u32 product) {
    const u32* from = look->reader + look->first[file];
    const u32  count = look->first[file + 1] - look->first[file];
    bool       found = count && bsearch(&product, from, count, sizeof(u32), order_numbers);
    for (u32 i = 0; i < look->later.count && !found; i++)
        found = look->later.at[i].file == file && look->later.at[i].product == product;
    return found;
}

static void readers_keep(BuildLook* look, u32 product) {
    const Database*        db = &look->build.database;
    const DatabaseProduct* p = &db->products[product];
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        const u32 file = db->reads[i].file;
        if (!is_reader(look, file, product)) *array_push(&look->later) = (Reader){file, product};
    }
}

void part_keep(BuildLook* look, const Build* part) {
    Build*          b = &look->build;
    const Database* db = &b->database;
    for (u32 i = 0; i < look->pending.count; i++)
        b->up_to_date.source[look->pending.at[i]].state = UP_TO_DATE_SAME;
    look->pending.count = 0;
    look->warned.count = 0;
    for (u32 i = 0; i < part->products.count; i++) {
        const Product* p = &part->products.at[i];
        output_keep(look, p);
        readers_keep(look, p->row);
        if (db->products[p->row].flags & DATABASE_WARNED) *array_push(&look->warned) = p->row;
    }
}
