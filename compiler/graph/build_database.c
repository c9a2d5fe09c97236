/* build_database.c - writes the build database for the next build: the sources of every resource,
 * what it needs, and what was written. */
#include <errno.h>

#include "build_internal.h"
#include "diag.h"
#include "failure.h"
#include "output_index_internal.h"

/* New rows of files, by path: those of files in the previous build database by its rows, the others
 * in a table. */
typedef struct Record {
    const char*   environment;
    const Build*  build;
    DatabaseDraft draft;
    u32*          asset_row; /* [assets.count] + 1 */
    u32*          old_row;   /* [files of the previous database] + 1 */
    Slots         slots;     /* of the rows that are new, by path */
    u32           slots_used;
} Record;

/* --- files --- */

static const char* path_at(const Record* r, u32 row) {
    return draft_text_at(&r->draft, r->draft.files.at[row].path);
}

static u32* slot_find(const Record* r, const char* path) {
    u32* slot = slots_first(&r->slots, hash_bytes(path, strlen(path), 0));
    while (*slot && strcmp(path_at(r, *slot - 1), path) != 0) slot = slots_next(&r->slots, slot);
    return slot;
}

/* The rows in the table are not all rows of the draft, so they are read from the smaller table. */
static void table_grow(Record* r) {
    Slots before = r->slots;
    r->slots = (Slots){0};
    slots_alloc(&r->slots, MAX_OF(before.count * 2, 1024));
    for (u32 i = 0; i < before.count; i++) {
        if (before.at[i]) *slot_find(r, path_at(r, before.at[i] - 1)) = before.at[i];
    }
    slots_drop(&before);
}

static u32 file_push(Record* r, u32 path, FileStamp stamp, Hash128 hash, Hash128 built) {
    *array_push(&r->draft.files) =
        (DatabaseFile){.path = path, .stamp = stamp, .hash = hash, .built = built};
    return r->draft.files.count;
}

/* The row of a file + 1; 0: it has none yet. */
static u32* file_row(Record* r, const char* path, u32 old) {
    if (old != NONE) return &r->old_row[old];
    if (slots_are_full(&r->slots, r->slots_used)) table_grow(r);
    return slot_find(r, path);
}

static u32 file_add(Record* r, const char* path, FileStamp stamp, Hash128 hash, Hash128 built) {
    const Database* db = &r->build->database;
    const u32       old = database_file(db, path);
    u32*            row = file_row(r, path, old);
    if (!*row) {
        r->slots_used += old == NONE;
        *row = file_push(r,
                         old == NONE ? draft_text(&r->draft, path)
                                     : draft_text_again(&r->draft, db->files[old].path),
                         stamp, hash, built);
    }
    DatabaseFile* file = &r->draft.files.at[*row - 1];
    if (!hash_equal(file->hash, hash)) { /* changed between two reads: the next build reads it
                                          * again */
        file->stamp = (FileStamp){0};
        file->hash = file->built = (Hash128){0};
    }
    return *row - 1;
}

static const char* below_root(const Record* r, const char* path) {
    return path + strlen(r->build->sources.root) + 1;
}

/* A source that was not read in this build, but that is in the build database and unchanged. */
static u32 file_of_old(Record* r, u32 old) {
    u32* row = &r->old_row[old];
    if (!*row) {
        const UpToDateRow* now = &r->build->up_to_date.source[old];
        const u32          path = r->build->database.files[old].path;
        *row = file_push(r, draft_text_again(&r->draft, path), now->stamp, now->hash, now->hash);
        r->draft.files.at[*row - 1].flags = r->build->database.files[old].flags;
    }
    return *row - 1;
}

/* A source from which a product was compiled in this build. It was not read when it is a model in
 * the build database and the product was read from the cache. */
static u32 file_of_asset(Record* r, const Asset* asset) {
    u32* row = &r->asset_row[asset->index];
    if (!*row) {
        const char* path = below_root(r, asset->source.path);
        *row =
            1 + (job_once_done(&asset->load)
                     ? file_add(r, path, asset->stamp, asset->content->hash, asset->content->hash)
                     : file_of_old(r, database_file(&r->build->database, path)));
        if (asset->is_renamed) r->draft.files.at[*row - 1].flags |= DATABASE_RENAMED;
    }
    return *row - 1;
}

/* --- products --- */

static void read_add(Record* r, u32 file, u32 name, u32 type, DatabasePlace place, u64 bytes) {
    *array_push(&r->draft.reads) = (DatabaseRead){file, name, type, place, bytes};
}

/* The file of a position was read for the product, so it has a row already. */
static DatabasePlace place_row(Record* r, Place place) {
    const u32 row =
        *place.path ? *file_row(r, place.path, database_file(&r->build->database, place.path)) : 0;
    return (DatabasePlace){row ? row - 1 : NONE, place.line, place.column};
}

/* Files to which a model refers that was not read. */
static void besides_again(Record* r, const Asset* asset, u32 file) {
    const Database*        db = &r->build->database;
    const DatabaseProduct* p =
        &db->products[database_product(db, text_of(asset->name), asset->type)];
    for (u32 i = p->first_read; i < p->first_read + p->read_count; i++) {
        if (db->reads[i].name != NONE) continue;
        read_add(r, file_of_old(r, db->reads[i].file), NONE, 0, (DatabasePlace){file, 1, 1}, 0);
    }
}

/* `name`: the offset of its name in the text, or NONE. */
static void record_read(Record* r, const Edge* edge, u32 name) {
    const Asset* asset = edge->asset;
    const u32    file = file_of_asset(r, asset);
    if (name == NONE) name = draft_text(&r->draft, edge->name);
    read_add(r, file, name, edge->type, place_row(r, edge->place), edge->bytes);
    if (!job_once_done(&asset->load)) besides_again(r, asset, file);
    for (u32 k = 0; k < asset->content->besides.count; k++) {
        const Beside* beside = &asset->content->besides.at[k];
        const u32     row =
            file_add(r, below_root(r, beside->path), beside->stamp, beside->hash, beside->hash);
        if (beside->asked || asset->is_alike) r->draft.files.at[row].flags |= DATABASE_ALIKE;
        read_add(r, row, NONE, 0, (DatabasePlace){file, 1, 1}, 0);
    }
}

static u32 map_add(Record* r, FileStamp stamp, Hash128 hash) {
    *array_push(&r->draft.maps) = (DatabaseMap){stamp, hash};
    return r->draft.maps.count - 1;
}

static void record_compiled(Record* r, const Product* p, DatabaseProduct* row) {
    const Compiled* compiled = p->compiled;
    for (u32 i = 0; i < compiled->edge_count; i++) {
        const Edge* edge = &compiled->edges[i];
        if (!edge->need) {
            record_read(r, edge, strcmp(edge->name, p->name) == 0 ? row->name : NONE);
            continue;
        }
        *array_push(&r->draft.needs) = (DatabaseNeed){draft_text(&r->draft, edge->name), edge->type,
                                                      place_row(r, edge->place)};
    }
    row->file = r->draft.reads.at[row->first_read].file;
    row->hash = compiled->hash;
    row->blob_hash = compiled->stored_hash;
    row->stamp = compiled->stamp;
    if (compiled->map->bytes) row->map = map_add(r, compiled->map->stamp, compiled->map->hash);
}

static DatabasePlace place_again(Record* r, DatabasePlace place) {
    if (place.file != NONE) place.file = file_of_old(r, place.file);
    return place;
}

static void record_again(Record* r, u32 old, DatabaseProduct* row) {
    const Database*        db = &r->build->database;
    const DatabaseProduct* stored = &db->products[old];
    for (u32 i = stored->first_read; i < stored->first_read + stored->read_count; i++) {
        const DatabaseRead* read = &db->reads[i];
        const u32 name = read->name == NONE ? NONE : draft_text_again(&r->draft, read->name);
        const u32 file = file_of_old(r, read->file);
        read_add(r, file, name, read->type, place_again(r, read->place), read->bytes);
    }
    for (u32 i = stored->first_need; i < stored->first_need + stored->need_count; i++) {
        const DatabaseNeed* need = &db->needs[i];
        const u32           name = draft_text_again(&r->draft, need->name);
        *array_push(&r->draft.needs) =
            (DatabaseNeed){name, need->type, place_again(r, need->place)};
    }
    row->file = r->draft.reads.at[row->first_read].file;
    row->hash = stored->hash;
    row->blob_hash = stored->blob_hash;
    row->stamp = r->build->up_to_date.output[old].stamp;
    if (!r->build->options->compile.source_map || stored->map == NONE) return;
    row->map = map_add(r, r->build->up_to_date.map[stored->map].stamp, db->maps[stored->map].hash);
}

/* An output of an earlier build remains an output of entc. Only its source is recorded: the next build
 * compiles it in any case. */
static void record_failed(Record* r, const Asset* asset, u32 old, DatabaseProduct* row) {
    const u32 file = file_of_asset(r, asset);
    const u32 name = draft_text(&r->draft, asset->name);
    read_add(r, file, name, asset->type, (DatabasePlace){NONE, 0, 0}, 0);
    const Database*        db = &r->build->database;
    const DatabaseProduct* stored = old == NONE ? NULL : &db->products[old];
    row->file = file;
    row->blob_hash = stored ? stored->blob_hash : 0;
    row->flags |=
        DATABASE_FAILED | (stored ? stored->flags & DATABASE_NO_OUTPUT : DATABASE_NO_OUTPUT);
    if (stored && stored->map != NONE)
        row->map = map_add(r, db->maps[stored->map].stamp, db->maps[stored->map].hash);
}

/* Successive products often have the same reason. */
static u32 reason_text(Record* r, const char* reason) {
    if (r->draft.products.count > 0) {
        const u32 last = r->draft.products.at[r->draft.products.count - 1].reason;
        if (strcmp(draft_text_at(&r->draft, last), reason) == 0) return last;
    }
    return draft_text(&r->draft, reason);
}

static u32 reason_again(Record* r, u32 at) {
    return r->draft.kept ? at : reason_text(r, database_text(&r->build->database, at));
}

static void record_product(Record* r, const Product* p) {
    const DatabaseProduct* stored = p->row == NONE ? NULL : &r->build->database.products[p->row];
    u32 flags = stored && !p->compiled ? stored->flags & DATABASE_CONTENT_FILE : 0;
    if (p->compiled && p->asset->content_file) flags = DATABASE_CONTENT_FILE;
    DatabaseProduct row = {
        .reason = p->compiled ? reason_text(r, p->reason) : reason_again(r, stored->reason),
        .name = stored ? draft_text_again(&r->draft, stored->name) : draft_text(&r->draft, p->name),
        .type = p->type,
        .map = NONE,
        .flags = flags | (product_is_warned(p) ? DATABASE_WARNED : 0),
        .first_read = r->draft.reads.count,
        .first_need = r->draft.needs.count};
    if (p->compiled && p->compiled->invalid)
        record_failed(r, p->asset, p->row, &row);
    else if (p->compiled)
        record_compiled(r, p, &row);
    else
        record_again(r, p->row, &row);
    row.read_count = r->draft.reads.count - row.first_read;
    row.need_count = r->draft.needs.count - row.first_need;
    *array_push(&r->draft.products) = row;
}

/* A resource of a model that cannot be read is not known in this build, but its output remains one of entc. */
static void record_unread(Record* r, u32 old) {
    const DatabaseProduct* stored = &r->build->database.products[old];
    const Text             name = text_of(database_text(&r->build->database, stored->name));
    const Asset*           model = unread_model_of(r->build, name);
    if (!model || (stored->flags & DATABASE_NO_OUTPUT)) return;
    DatabaseProduct row = {.reason = reason_again(r, stored->reason),
                           .name = draft_text_again(&r->draft, stored->name),
                           .type = stored->type,
                           .map = NONE,
                           .flags = stored->flags & DATABASE_CONTENT_FILE,
                           .first_read = r->draft.reads.count,
                           .first_need = r->draft.needs.count,
                           .read_count = 1};
    record_failed(r, model, old, &row);
    *array_push(&r->draft.products) = row;
}

/* Both have the order of their names. */
static bool row_is_before(const Database* db, u32 old, const Product* p) {
    if (p->row != NONE) return old < p->row;
    const int name = strcmp(database_text(db, db->products[old].name), p->name);
    return name < 0 || (name == 0 && db->products[old].type < p->type);
}

static void record_products(Record* r) {
    const Build*    b = r->build;
    const Database* db = &b->database;
    const u32       count = db->head ? db->head->product_count : 0;
    u32             old = 0;
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        while (old < count && row_is_before(db, old, p)) record_unread(r, old++);
        if (p->row != NONE) old = p->row + 1;
        record_product(r, p);
    }
    while (old < count) record_unread(r, old++);
}

static void record_drop(Record* r) {
    const int kept = errno;
    memory_free(r->asset_row);
    memory_free(r->old_row);
    slots_drop(&r->slots);
    errno = kept;
}

static ent_status record_finish(Record* r) {
    const Build*     b = r->build;
    const ent_status status =
        draft_write(&r->draft, b->options->out, r->environment, b->scanned_ns);
    record_drop(r);
    return status;
}

static void record_begin(Record* r, const Build* b, u32 products) {
    const u32 old = b->database.head ? b->database.head->file_count : 0;
    *r = (Record){.build = b, .environment = b->environment};
    draft_begin(&r->draft, &b->database, products);
    if (old == 0) slots_alloc(&r->slots, slots_needed(b->assets.count + 1, 1024));
    r->asset_row = memory_alloc(sizeof(u32) * ((size_t)b->assets.count + 1));
    r->old_row = memory_alloc(sizeof(u32) * ((size_t)old + 1));
}

/* A file that this build does not read, with what is known about its content. */
static void record_unbuilt(Record* r, const TreeFile* file, u32 old, bool listed) {
    const UpToDateRow* now = old == NONE ? NULL : &r->build->up_to_date.source[old];
    const char*        path = tree_relative(file);
    if (*file_row(r, path, old)) return; /* it is read, such as the image of a texture */
    file_add(r, path, now ? now->stamp : file->stamp, now ? now->hash : (Hash128){0},
             listed ? DATABASE_UNREAD : DATABASE_UNLISTED);
}

/* Files that would be sources in another variant: only their stamps are stored, so that a build
 * with nothing to compile need not read them again; and files from which references were read. The
 * same applies to the settings, which are not the source of a product, but can cause errors. */
static void record_others(Record* r) {
    const Build* b = r->build;
    const Tree*  tree = &b->sources;
    if (b->settings.exists)
        file_add(r, SETTINGS_FILE, b->settings.stamp, b->settings.hash, b->settings.hash);
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile* file = &tree->files.at[i];
        if (b->assets.of_file[i] || file->kind != FILE_REGULAR) continue;
        const u32  old = database_file(&b->database, tree_relative(file));
        const bool listed = assets_concern(&b->settings, tree_relative(file));
        if (listed || old != NONE) record_unbuilt(r, file, old, listed);
    }
}

void links_make(Build* b) {
    const BuildObserver* observer = b->options->observer;
    if (b->observed && diag_error_count(b->diag) == 0)
        b->links = observer->end(observer->user, b->options, &b->sources);
}

int build_record(Build* b) {
    Record r;
    record_begin(&r, b, b->products.count);
    record_products(&r);
    r.draft.invalid = diag_error_count(b->diag) > 0;
    r.draft.source = b->assets.root_real;
    r.draft.index = hash_content(b->index, b->index_bytes);
    record_others(&r);
    if (b->links.bytes) r.draft.links = b->links;
    if (record_finish(&r) == ENT_OK) return EXIT_OK;
    return io_failure("cannot write the build database in", b->options->out);
}

int build_record_part(const Build* part, Database* database, bool* is_recorded) {
    Record r;
    record_begin(&r, part, part->products.count);
    r.draft.kept = 0;
    for (u32 i = 0; i < part->products.count; i++) record_product(&r, &part->products.at[i]);
    r.draft.index = hash_content(part->index, part->index_bytes);
    const ent_status status = draft_append(&r.draft, database, part->options->out);
    record_drop(&r);
    *is_recorded = status == ENT_OK;
    if (status == ENT_OK || status == ENT_NOT_FOUND) return EXIT_OK;
    return io_failure("cannot write the build database in", part->options->out);
}

void build_record_stamps(Build* b) {
    const Database* db = &b->database;
    Record          r;
    record_begin(&r, b, db->head->product_count);
    r.draft.source = database_text(db, db->head->source);
    r.draft.index = db->head->index;
    r.environment =
        database_text(db, db->head->environment); /* nothing has changed; the sources were
                                                           * not read for their declarations */
    for (u32 i = 0; i < db->head->product_count; i++) {
        const Product p = {.name = database_text(db, db->products[i].name),
                           .type = (ResourceType)db->products[i].type,
                           .row = i};
        record_product(&r, &p);
    }
    for (u32 i = 0; i < db->head->file_count; i++) {
        const UpToDateRow* now = &b->up_to_date.source[i];
        file_add(&r, database_text(db, db->files[i].path), now->stamp, now->hash,
                 db->files[i].built);
    }
    if (record_finish(&r) != ENT_OK) return; /* the next build reads the files once more */
}
