/* database.c - reads and writes the build database of an output folder. */
#include "database.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "database_links.h"
#include "exit_codes.h"
#include "libc.h"
#include "process.h"

#define VERSION       9
#define DATABASE_NAME "database"
#define ROW_BYTES                                                                                  \
    ((u32)(sizeof(DatabaseFile) + sizeof(DatabaseRead) + sizeof(DatabaseNeed) +                    \
           sizeof(DatabaseProduct) + sizeof(DatabaseMap) + sizeof(DatabaseHead)) +                 \
     STORED_ROW_BYTES)
#define TEXT_MAX (1u << 31)

static const char magic[8] = "entc.led";

/* The parts after the head, in this order. The last one has a hash of its own. */
typedef struct Layout {
    u64 files, reads, needs, products, maps, file_slot, product_slot, text, text_end, links, end;
} Layout;

static Layout layout_of(const DatabaseHead* head) {
    Layout at;
    at.files = sizeof(DatabaseHead);
    at.products = at.files + (u64)head->file_count * sizeof(DatabaseFile);
    at.maps = at.products + (u64)head->product_count * sizeof(DatabaseProduct);
    at.reads = at.maps + (u64)head->map_count * sizeof(DatabaseMap);
    at.needs = at.reads + (u64)head->read_count * sizeof(DatabaseRead);
    at.file_slot = at.needs + (u64)head->need_count * sizeof(DatabaseNeed);
    at.product_slot = at.file_slot + (u64)head->file_slots * sizeof(u32);
    at.text = at.product_slot + (u64)head->product_slots * sizeof(u32);
    at.text_end = at.text + head->text_bytes;
    at.links = head->links_bytes ? align_up(at.text_end, DATABASE_LINKS_ALIGN) : at.text_end;
    at.end = at.links + head->links_bytes;
    return at;
}

u64 database_rows_end(const DatabaseHead* head) { return layout_of(head).text_end; }

#define HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

static bool head_is_valid(const DatabaseHead* head, const FileView* view) {
    if (memcmp(head->magic, magic, sizeof magic) != 0 || head->version != VERSION ||
        head->row_bytes != ROW_BYTES || view->size > UINT32_MAX ||
        layout_of(head).end != view->size) {
        return false;
    }
    const size_t hashed = (size_t)layout_of(head).text_end - HASHED_FROM;
    return hash_equal(hash_content(view->bytes + HASHED_FROM, hashed), head->hash);
}

/* With a symbolic link, files would be written and removed in a place that the user did not
 * specify. */
static bool is_link(const char* folder) {
    FileKind         kind;
    const ent_status status = file_look(folder, false, &kind);
    if (status == ENT_OK && kind == FILE_OTHER) errno = errno_of(SYSTEM_LOOP);
    return status != ENT_OK || kind == FILE_OTHER;
}

/* Computes the folder of the build database: beside the output folder, or in it. Returns false when
 * there is no such path or it is a symbolic link; or, with errno, when this cannot be
 * determined. */
static bool folder_of(const char* out, bool within, char* folder, size_t bytes) {
    size_t end = strlen(out), start;
    while (end > 1 && out[end - 1] == '/') end--;
    for (start = end; start > 0 && out[start - 1] != '/';) start--;
    const int   name = (int)(end - start);
    const char* last = out + start;
    int         wrote;
    if (within)
        wrote = snprintf(folder, bytes, "%.*s/.entc", (int)end, out);
    else if (name == 0 || (last[0] == '.' && (name == 1 || (name == 2 && last[1] == '.'))))
        return false; /* "/", ".", "..": these do not contain its name */
    else
        wrote = snprintf(folder, bytes, "%.*s.%.*s.entc", (int)start, out, name, last);
    return (size_t)wrote < bytes && !is_link(folder);
}

/* After a restart of the machine, a file may have lost content while its stamp remains. */
static bool booted_since(const Database* database) {
    char boot[128];
    boot_name(boot, sizeof boot);
    return *boot == 0 || strcmp(boot, database_text(database, database->head->boot)) != 0;
}

/* ENT_NOT_FOUND: there is no usable one. */
static ent_status database_read(Database* database, const char* folder, bool within,
                                DatabaseScope scope) {
    char path[4096];
    *database = (Database){.within = within};
    if (snprintf(path, sizeof path, "%s/" DATABASE_NAME, folder) >= (int)sizeof path)
        return ENT_NOT_FOUND;
    TRY(file_map(&database->view, path));
    const u8*           bytes = database->view.bytes;
    const DatabaseHead* head = (const void*)bytes;
    if (database->view.size < sizeof *head || !head_is_valid(head, &database->view)) {
        database_close(database);
        return ENT_NOT_FOUND;
    }
    const Layout at = layout_of(head);
    database->head = head;
    database->files = (const void*)(bytes + at.files);
    database->reads = (const void*)(bytes + at.reads);
    database->needs = (const void*)(bytes + at.needs);
    database->products = (const void*)(bytes + at.products);
    database->maps = (const void*)(bytes + at.maps);
    database->file_slots = (Slots){(u32*)(bytes + at.file_slot), head->file_slots};
    database->product_slots = (Slots){(u32*)(bytes + at.product_slot), head->product_slots};
    database->text = (const char*)(bytes + at.text);
    database->links = (Text){(const char*)(bytes + at.links), head->links_bytes};
    if (database_validate(database, scope)) {
        database->is_rebooted = booted_since(database);
        return ENT_OK;
    }
    database_close(database);
    return ENT_NOT_FOUND;
}

ent_status database_open(Database* database, const char* out, DatabaseScope scope) {
    char folder[4096];
    *database = (Database){0};
    ent_status failed = ENT_OK;
    int        reason = 0;
    for (u32 within = 0; within < 2; within++) {
        errno = 0;
        ent_status status = ENT_NOT_FOUND;
        if (folder_of(out, within, folder, sizeof folder))
            status = database_read(database, folder, within, scope);
        else if (errno && errno != errno_of(SYSTEM_LOOP))
            status = errno_status(errno);
        if (status == ENT_OK) return ENT_OK;
        if (status != ENT_NOT_FOUND && failed == ENT_OK) failed = status, reason = errno;
    }
    errno = reason;
    return failed;
}

void database_sweep(const char* out) {
    char        folder[4096];
    const char* failed;
    Tree        tree;
    for (u32 within = 0; within < 2; within++) {
        if (!folder_of(out, within, folder, sizeof folder)) continue;
        if (tree_read(&tree, folder, false, NULL, &failed) == ENT_OK) tree_sweep(&tree);
        tree_drop(&tree);
    }
}

void database_close(Database* database) {
    file_unmap(&database->view);
    *database = (Database){0};
}

bool database_is_settled(const Database* db, const FileStamp* stored, const FileStamp* now,
                         u64 stored_ns) {
    return !db->is_rebooted && file_stamp_is_settled(stored, stored_ns) &&
           file_stamp_equal(stored, now);
}

/* --- lookup --- */

static u64 product_hash(Text name, u32 type) { return hash_bytes(name.at, name.bytes, type + 1); }

u32 database_file(const Database* db, const char* path) {
    if (!db->head) return NONE;
    const u32* slot = slots_first(&db->file_slots, hash_bytes(path, strlen(path), 0));
    for (; *slot; slot = slots_next(&db->file_slots, slot)) {
        if (strcmp(database_text(db, db->files[*slot - 1].path), path) == 0) return *slot - 1;
    }
    return NONE;
}

u32 database_product(const Database* db, Text name, ResourceType type) {
    if (!db->head) return NONE;
    const u32* slot = slots_first(&db->product_slots, product_hash(name, type));
    for (; *slot; slot = slots_next(&db->product_slots, slot)) {
        const DatabaseProduct* p = &db->products[*slot - 1];
        if (p->type == type && text_equal(text_of(database_text(db, p->name)), name))
            return *slot - 1;
    }
    return NONE;
}

/* --- writing --- */

/* Most of the content is that of the previous build database: its text is copied unchanged, so that
 * offsets in it remain valid. Unused text is removed when the text has doubled in size. */
void draft_begin(DatabaseDraft* draft, const Database* before, u32 products) {
    const DatabaseHead* head = before->head;
    *draft = (DatabaseDraft){.before = before, .links = before->links};
    array_reserve(&draft->products, products);
    array_reserve(&draft->reads, MAX_OF(products, head ? head->read_count : 0));
    array_reserve(&draft->files, MAX_OF(products, head ? head->file_count : 0));
    array_reserve(&draft->needs, head ? head->need_count : 0);
    if (head && head->text_bytes / 2 <= head->text_used) draft->kept = head->text_bytes;
}

u32 draft_text_again(DatabaseDraft* draft, u32 at) {
    return draft->kept ? at : draft_text(draft, database_text(draft->before, at));
}

/* The same offset, if the text is unchanged. */
static u32 draft_text_update(DatabaseDraft* draft, u32 at, const char* text) {
    const bool same = draft->kept && strcmp(database_text(draft->before, at), text) == 0;
    return same ? at : draft_text(draft, text);
}

_Noreturn static void text_exhausted(u64 bytes) {
    fprintf(stderr,
            "entc: error: the build database would have %llu bytes of text; the limit is %u\n",
            (unsigned long long)bytes, TEXT_MAX);
    exit(EXIT_LIMIT);
}

u32 draft_text(DatabaseDraft* draft, const char* text) {
    const u32 bytes = (u32)strlen(text) + 1, at = draft->text.count;
    if (bytes > TEXT_MAX - draft->kept - at) text_exhausted((u64)draft->kept + at + bytes);
    if (draft->text.capacity - at < bytes)
        array_reserve(&draft->text, MAX_OF(at + bytes, draft->text.capacity * 2));
    memcpy(draft->text.at + at, text, bytes);
    draft->text.count = at + bytes;
    return draft->kept + at;
}

static void draft_drop(DatabaseDraft* draft) {
    array_drop(&draft->files);
    array_drop(&draft->reads);
    array_drop(&draft->needs);
    array_drop(&draft->products);
    array_drop(&draft->maps);
    array_drop(&draft->text);
}

/* Are the rows of files those of the previous build database, which has a table for them
 * already? */
static bool files_kept(const DatabaseDraft* d) {
    const Database* db = d->before;
    bool            kept = d->kept && d->files.count == db->head->file_count;
    for (u32 i = 0; kept && i < d->files.count; i++)
        kept = d->files.at[i].path == db->files[i].path;
    return kept;
}

static bool products_kept(const DatabaseDraft* d) {
    const Database* db = d->before;
    bool            kept = d->kept && d->products.count == db->head->product_count;
    for (u32 i = 0; kept && i < d->products.count; i++) {
        const DatabaseProduct *p = &d->products.at[i], *stored = &db->products[i];
        kept = p->name == stored->name && p->type == stored->type;
    }
    return kept;
}

static void slots_copy(const Slots* slots, const Slots* from) {
    memcpy(slots->at, from->at, sizeof(u32) * slots->count);
}

static void file_slots_fill(const DatabaseDraft* d, const Slots* slots) {
    if (files_kept(d)) {
        slots_copy(slots, &d->before->file_slots);
        return;
    }
    for (u32 i = 0; i < d->files.count; i++) {
        const char* path = draft_text_at(d, d->files.at[i].path);
        *slots_free(slots, hash_bytes(path, strlen(path), 0)) = i + 1;
    }
}

static void product_slots_fill(const DatabaseDraft* d, const Slots* slots) {
    if (products_kept(d)) {
        slots_copy(slots, &d->before->product_slots);
        return;
    }
    for (u32 i = 0; i < d->products.count; i++) {
        const DatabaseProduct* p = &d->products.at[i];
        const Text             name = text_of(draft_text_at(d, p->name));
        *slots_free(slots, product_hash(name, p->type)) = i + 1;
    }
}

/* What a draft does not contain. */
typedef struct Written {
    const char *environment, *boot;
    u64         scanned_ns, written_ns;
} Written;

static DatabaseHead draft_head(DatabaseDraft* d, const Written* w) {
    const DatabaseHead* stored = d->before->head;
    DatabaseHead head = {.version = VERSION, .row_bytes = ROW_BYTES, .scanned_ns = w->scanned_ns};
    memcpy(head.magic, magic, sizeof magic);
    head.environment = draft_text_update(d, stored ? stored->environment : 0, w->environment);
    head.boot = draft_text_update(d, stored ? stored->boot : 0, w->boot);
    head.source = draft_text_update(d, stored ? stored->source : 0, d->source ? d->source : "");
    head.text_used = d->kept ? stored->text_used : d->text.count;
    head.file_count = d->files.count;
    head.read_count = d->reads.count;
    head.need_count = d->needs.count;
    head.product_count = d->products.count;
    head.map_count = d->maps.count;
    head.text_bytes = d->kept + d->text.count;
    head.file_slots = database_slots(head.file_count);
    head.product_slots = database_slots(head.product_count);
    head.links_bytes = d->links.bytes;
    head.invalid = d->invalid;
    head.written_ns = w->written_ns;
    head.index = d->index;
    return head;
}

/* Beside the output folder, or where that is not possible within it. */
typedef enum Place { PLACE_BESIDE, PLACE_WITHIN } Place;

static ent_status parts_put(const FilePart* parts, size_t count, const char* out, Place first,
                            Place last) {
    char       path[4096];
    ent_status status = ENT_IO;
    for (u32 at = first; at <= (u32)last && status != ENT_OK; at++) {
        errno = errno_of(SYSTEM_LONG_NAME);
        if (!folder_of(out, at == PLACE_WITHIN, path, sizeof path - sizeof "/" DATABASE_NAME))
            continue;
        strcat(path, "/" DATABASE_NAME);
        status = file_put_parts(path, parts, count, NULL);
        if (errno != errno_of(SYSTEM_DENIED) && errno != errno_of(SYSTEM_FORBIDDEN) &&
            errno != errno_of(SYSTEM_READ_ONLY))
            break;
    }
    return status;
}

#define PART_OF(array)                                                                             \
    { (array).at, (array).count * sizeof *(array).at }

static ent_status draft_put(DatabaseDraft* d, const char* out, const Written* written, Place first,
                            Place last) {
    static const u8 zero[DATABASE_LINKS_ALIGN];
    DatabaseHead    head = draft_head(d, written);
    Slots           file_slots = {0}, product_slots = {0};
    const Layout    at = layout_of(&head);
    const FilePart  behind = {(const u8*)&head + HASHED_FROM, sizeof head - HASHED_FROM};
    slots_alloc(&file_slots, head.file_slots);
    slots_alloc(&product_slots, head.product_slots);
    file_slots_fill(d, &file_slots);
    product_slots_fill(d, &product_slots);
    FilePart parts[] = {behind, /* the head, after its hash is known; then as in Layout */
                        PART_OF(d->files),
                        PART_OF(d->products),
                        PART_OF(d->maps),
                        PART_OF(d->reads),
                        PART_OF(d->needs),
                        {file_slots.at, head.file_slots * sizeof(u32)},
                        {product_slots.at, head.product_slots * sizeof(u32)},
                        {d->before->text, d->kept},
                        PART_OF(d->text),
                        {zero, (size_t)(at.links - at.text_end)},
                        {d->links.at, d->links.bytes}};
    head.hash = hash_content_parts(parts, COUNT_OF(parts) - 2);
    parts[0] = (FilePart){&head, sizeof head};
    const ent_status status = parts_put(parts, COUNT_OF(parts), out, first, last);
    const int        kept = errno;
    slots_drop(&file_slots);
    slots_drop(&product_slots);
    draft_drop(d);
    errno = kept;
    return status;
}

ent_status draft_write(DatabaseDraft* d, const char* out, const char* environment, u64 scanned_ns) {
    char boot[128];
    boot_name(boot, sizeof boot);
    const Written written = {environment, boot, scanned_ns, clock_wall_ns()};
    return draft_put(d, out, &written, PLACE_BESIDE, PLACE_WITHIN);
}

/* --- writing it again --- */

static void draft_again(DatabaseDraft* d, const Database* db) {
    const DatabaseHead* head = db->head;
    *d = (DatabaseDraft){.before = db,
                         .kept = head->text_bytes,
                         .source = database_text(db, head->source),
                         .index = head->index,
                         .invalid = head->invalid};
    array_append(&d->files, db->files, head->file_count);
    array_append(&d->reads, db->reads, head->read_count);
    array_append(&d->needs, db->needs, head->need_count);
    array_append(&d->products, db->products, head->product_count);
    array_append(&d->maps, db->maps, head->map_count);
}

/* A stamp that proves nothing yet would seem to do so later. */
static void stamps_drop(DatabaseDraft* d) {
    const Database* db = d->before;
    const FileStamp none = {0};
    for (u32 i = 0; i < d->files.count; i++) {
        DatabaseFile* file = &d->files.at[i];
        if (db->is_rebooted || !file_stamp_is_settled(&file->stamp, db->head->scanned_ns))
            file->stamp = none;
    }
    for (u32 i = 0; i < d->products.count && db->is_rebooted; i++) d->products.at[i].stamp = none;
    for (u32 i = 0; i < d->maps.count && db->is_rebooted; i++) d->maps.at[i].stamp = none;
}

static void files_see(DatabaseDraft* d, const DatabaseSeen* seen, u32 count) {
    stamps_drop(d);
    for (u32 i = 0; i < count; i++) {
        const u32 row = database_file(d->before, seen[i].path);
        if (row == NONE) {
            *array_push(&d->files) =
                (DatabaseFile){.path = draft_text(d, seen[i].path), .built = DATABASE_UNLISTED};
        }
        DatabaseFile* file = &d->files.at[row == NONE ? d->files.count - 1 : row];
        file->stamp = seen[i].stamp;
        file->hash = seen[i].hash;
    }
}

/* Is it the file in the output folder? The head contains a hash of the rows. */
static bool is_current(const Database* db, const char* out) {
    char     path[4096];
    FileView view;
    if (!folder_of(out, db->within, path, sizeof path - sizeof "/" DATABASE_NAME)) return false;
    strcat(path, "/" DATABASE_NAME);
    if (file_map(&view, path) != ENT_OK) return false;
    const bool same =
        view.size == db->view.size && memcmp(view.bytes, db->head, sizeof *db->head) == 0;
    file_unmap(&view);
    return same;
}

ent_status database_renew(const Database* db, const char* out, Text links, const DatabaseSeen* seen,
                          u32 count, u64 scanned_ns) {
    DatabaseDraft d;
    char          boot[128];
    Written written = {database_text(db, db->head->environment), database_text(db, db->head->boot),
                       db->head->scanned_ns, db->head->written_ns};
    if (!is_current(db, out)) return ENT_OK;
    draft_again(&d, db);
    d.links = links;
    if (count) {
        boot_name(boot, sizeof boot);
        written.boot = boot;
        written.scanned_ns = scanned_ns;
        files_see(&d, seen, count);
    }
    const Place place = db->within ? PLACE_WITHIN : PLACE_BESIDE;
    return draft_put(&d, out, &written, place, place);
}
