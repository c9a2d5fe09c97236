/* database.c - reads and writes the build database of an output folder. */
#include "database_internal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "exit_codes.h"
#include "libc.h"
#include "process.h"

#define DATABASE_NAME "database"
#define TEXT_MAX      (1u << 31)

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
    database->bytes = database->view.size;
    const bool found = database_rows_find(database, database->view.bytes, database->view.size);
    const bool extended = found && database_layout(database->head).end < database->view.size;
    /* The rows that a part replaces must be valid too. */
    if (!found || !database_validate(database, extended ? DATABASE_ALL : scope)) {
        database_close(database);
        return ENT_NOT_FOUND;
    }
    database->is_rebooted = booted_since(database);
    database_parts_read(database);
    return ENT_OK;
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
    database_rows_drop(database);
    file_unmap(&database->view);
    *database = (Database){0};
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
        *slots_free(slots, database_product_hash(name, p->type)) = i + 1;
    }
}

/* What a draft does not contain. */
typedef struct Written {
    const char *environment, *boot;
    u64         scanned_ns, written_ns;
} Written;

static DatabaseHead draft_head(DatabaseDraft* d, const Written* w) {
    const DatabaseHead* stored = d->before->head;
    DatabaseHead        head = {
               .version = DATABASE_VERSION, .row_bytes = DATABASE_ROW_BYTES, .scanned_ns = w->scanned_ns};
    memcpy(head.magic, DATABASE_MAGIC, sizeof head.magic);
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

/* The bytes of a draft: the head, then as in DatabaseLayout. */
typedef struct DraftBytes {
    DatabaseHead head;
    Slots        file_slots, product_slots;
    FilePart     part[12];
} DraftBytes;

static void draft_lay(DatabaseDraft* d, const Written* written, DraftBytes* bytes) {
    static const u8 zero[DATABASE_LINKS_ALIGN];
    *bytes = (DraftBytes){.head = draft_head(d, written)};
    DatabaseHead*        head = &bytes->head;
    const DatabaseLayout at = database_layout(head);
    const FilePart       behind = {(const u8*)head + DATABASE_HASHED_FROM,
                                   sizeof *head - DATABASE_HASHED_FROM};
    slots_alloc(&bytes->file_slots, head->file_slots);
    slots_alloc(&bytes->product_slots, head->product_slots);
    file_slots_fill(d, &bytes->file_slots);
    product_slots_fill(d, &bytes->product_slots);
    const FilePart parts[] = {behind,
                              PART_OF(d->files),
                              PART_OF(d->products),
                              PART_OF(d->maps),
                              PART_OF(d->reads),
                              PART_OF(d->needs),
                              {bytes->file_slots.at, head->file_slots * sizeof(u32)},
                              {bytes->product_slots.at, head->product_slots * sizeof(u32)},
                              {d->before->text, d->kept},
                              PART_OF(d->text),
                              {zero, (size_t)(at.links - at.text_end)},
                              {d->links.at, d->links.bytes}};
    static_assert(COUNT_OF(parts) == COUNT_OF(bytes->part), "DraftBytes.part has all of them");
    head->hash = hash_content_parts(parts, COUNT_OF(parts) - 2);
    memcpy(bytes->part, parts, sizeof parts);
    bytes->part[0] = (FilePart){head, sizeof *head};
}

static void bytes_drop(DraftBytes* bytes) {
    slots_drop(&bytes->file_slots);
    slots_drop(&bytes->product_slots);
}

static ent_status draft_put(DatabaseDraft* d, const char* out, const Written* written, Place first,
                            Place last) {
    DraftBytes bytes;
    draft_lay(d, written, &bytes);
    const ent_status status = parts_put(bytes.part, COUNT_OF(bytes.part), out, first, last);
    const int        kept = errno;
    bytes_drop(&bytes);
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
    array_append(&d->products, db->products, head->product_count);
    if (!db->rows) { /* they need not be valid */
        array_append(&d->reads, db->reads, head->read_count);
        array_append(&d->needs, db->needs, head->need_count);
        array_append(&d->maps, db->maps, head->map_count);
        return;
    }
    for (u32 i = 0; i < head->product_count; i++) { /* rows that were changed are at the end */
        DatabaseProduct* p = &d->products.at[i];
        const u32        reads = d->reads.count, needs = d->needs.count;
        array_append(&d->reads, db->reads + p->first_read, p->read_count);
        array_append(&d->needs, db->needs + p->first_need, p->need_count);
        if (p->map != NONE) {
            *array_push(&d->maps) = db->maps[p->map];
            p->map = d->maps.count - 1;
        }
        p->first_read = reads;
        p->first_need = needs;
    }
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

/* `path` receives the path of the file. The head contains a hash of the rows. */
static bool is_current(const Database* db, const char* out, char path[4096]) {
    FileView view;
    if (!folder_of(out, db->within, path, 4096 - sizeof "/" DATABASE_NAME)) return false;
    strcat(path, "/" DATABASE_NAME);
    if (file_map(&view, path) != ENT_OK) return false;
    const bool same =
        view.size == db->bytes && memcmp(view.bytes, db->view.bytes, sizeof *db->head) == 0;
    file_unmap(&view);
    return same;
}

bool database_is_current(const Database* db, const char* out) {
    char path[4096];
    return is_current(db, out, path);
}

ent_status database_renew(const Database* db, const char* out, Text links, const DatabaseSeen* seen,
                          u32 count, u64 scanned_ns) {
    DatabaseDraft d;
    char          boot[128], path[4096];
    Written written = {database_text(db, db->head->environment), database_text(db, db->head->boot),
                       db->head->scanned_ns, db->head->written_ns};
    if (!is_current(db, out, path)) return ENT_OK;
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

/* --- appending to it --- */

/* A part as it is in the file, in one piece of memory, and as a database. */
static u8* part_make(const DraftBytes* bytes, Database* part) {
    const size_t size = (size_t)database_layout(&bytes->head).end;
    u8*          memory = memory_alloc(size);
    size_t       at = 0;
    for (u32 i = 0; i < COUNT_OF(bytes->part); i++) {
        if (bytes->part[i].bytes) memcpy(memory + at, bytes->part[i].at, bytes->part[i].bytes);
        at += bytes->part[i].bytes;
    }
    *part = (Database){.view.size = size};
    const bool found = database_rows_find(part, memory, size);
    assert(found && database_validate(part, DATABASE_ALL) && "a draft is a valid database");
    UNUSED(found);
    return memory;
}

ent_status draft_append(DatabaseDraft* d, Database* db, const char* out) {
    static const u8 zero[DATABASE_PART_ALIGN];
    const Written   written = {"", "", db->head->scanned_ns, db->head->written_ns};
    DraftBytes      bytes;
    Database        part;
    char            path[4096];
    assert(d->kept == 0 && "a part has all of its text");
    d->links = (Text){NULL, 0};
    draft_lay(d, &written, &bytes);
    u8*            memory = part_make(&bytes, &part);
    const u64      gap = align_up(db->bytes, DATABASE_PART_ALIGN) - db->bytes;
    const FilePart parts[] = {
        {zero, (size_t)gap}, {&db->last, sizeof db->last}, {memory, part.view.size}};
    static_assert(sizeof db->last == sizeof(DatabasePartLink), "it is the link of the part");
    ent_status status = ENT_NOT_FOUND;
    if (database_fits_part(db, &part) && is_current(db, out, path))
        status = file_append(path, db->bytes, parts, COUNT_OF(parts));
    const int kept = errno;
    if (status == ENT_OK && database_apply(db, &part)) {
        db->bytes += gap + sizeof(DatabasePartLink) + part.view.size;
        db->is_extended = true;
    }
    memory_free(memory);
    bytes_drop(&bytes);
    draft_drop(d);
    errno = kept;
    return status;
}
