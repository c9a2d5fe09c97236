/* build_index.c - the index of the outputs, which is the last file that a build writes: programs that
 * follow the folder read it (ent_library_follow).
 *
 * It depends on the outputs alone: a build from nothing gives the same bytes. The build database
 * contains the hash of the whole index, so that a build with nothing to do finds out whether it is
 * still there. */
#include <errno.h>

#include "build_internal.h"
#include "diag.h"
#include "failure.h"
#include "output_index_internal.h"

const char* index_path(const Build* b, Arena* arena) {
    return arena_print(arena, "%s/" OUTPUT_INDEX_FILE, b->outputs.root);
}

bool index_is_settled(const Build* b) {
    char     path[4096];
    FileView view;
    if (!b->options->out || b->options->resources.count) return true;
    const int bytes = snprintf(path, sizeof path, "%s/" OUTPUT_INDEX_FILE, b->options->out);
    if ((size_t)bytes >= sizeof path || file_map(&view, path) != ENT_OK) return false;
    const bool same = hash_equal(hash_content(view.bytes, view.size), b->database.head->index);
    file_unmap(&view);
    return same;
}

/* --- the rows --- */

typedef ARRAY(OutputIndexEntry) IndexEntries;

/* The output of an earlier build, if there is one. */
static void entry_add_row(IndexEntries* entries, const Build* b, u32 row, u64 id) {
    if (row == NONE || (b->database.products[row].flags & DATABASE_NO_OUTPUT)) return;
    if (b->up_to_date.output[row].file == NONE) return; /* it was removed by hand */
    const DatabaseProduct* p = &b->database.products[row];
    const char*            name = database_text(&b->database, p->name);
    *array_push(entries) = (OutputIndexEntry){id, p->type, name, p->blob_hash};
}

/* With -k, the outputs of a model that cannot be read stay. */
static void entries_add_unread(IndexEntries* entries, const Build* b) {
    const Database* db = &b->database;
    const u32       count = db->head && diag_error_count(b->diag) ? db->head->product_count : 0;
    for (u32 i = 0; i < count; i++) {
        const Text         name = text_of(database_text(db, db->products[i].name));
        const ResourceType type = (ResourceType)db->products[i].type;
        if (!product_find(b, name, type) && unread_model_of(b, name))
            entry_add_row(entries, b, i, hash_resource(name, ent_resource_suffix(type)));
    }
}

static void entries_collect(IndexEntries* entries, const Build* b) {
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (p->compiled && !p->compiled->invalid)
            *array_push(entries) =
                (OutputIndexEntry){p->id, p->type, p->name, p->compiled->stored_hash};
        else
            entry_add_row(entries, b, p->row, p->id);
    }
    entries_add_unread(entries, b);
}

static bool is_other_order(const Build* b) {
    return (b->options->compile.target == TARGET_LITTLE) != HOST_IS_LITTLE;
}

void index_make(Build* b) {
    IndexEntries entries = {0};
    entries_collect(&entries, b);
    b->index_rows = entries.count;
    if (entries.count <= OUTPUT_INDEX_ROWS_MAX) {
        b->index_bytes = output_index_lay(entries.at, entries.count);
        b->index = memory_alloc(b->index_bytes);
        output_index_write(entries.at, entries.count, is_other_order(b), b->index);
    }
    array_drop(&entries);
}

void index_change(Build* b) {
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        const bool     changed =
            output_index_change(b->index, is_other_order(b), p->id, p->compiled->stored_hash);
        assert(changed && "each product has an output");
        UNUSED(changed);
    }
    output_index_seal(b->index, b->index_bytes, is_other_order(b));
}

int index_check(const Build* b) {
    if (b->index_rows <= OUTPUT_INDEX_ROWS_MAX) return EXIT_OK;
    fprintf(stderr, "entc: error: there are %u resources; an index has at most %u\n", b->index_rows,
            OUTPUT_INDEX_ROWS_MAX);
    return EXIT_LIMIT;
}

/* --- the file --- */

int index_put(Build* b) {
    const BuildOptions* o = b->options;
    const char*         path = index_path(b, &b->arena);
    FileChange          change = FILE_SAME;
    bool                same = true;
    const ent_status    status = build_writes(o)
                                     ? file_replace(path, b->index, b->index_bytes, &change)
                                     : file_compare(path, b->index, b->index_bytes, &same);
    if (status != ENT_OK) return io_failure(build_writes(o) ? "cannot write" : "cannot read", path);
    b->index_differs = !same;
    const bool alone =
        b->written + b->maps + b->removed == 0; /* else it follows from what was printed */
    if (alone && !o->messages.quiet && (change == FILE_CHANGED ? o->messages.verbose : !same))
        printf("%s %s (%zu bytes)\n", build_writes(o) ? "wrote" : "would write", path,
               b->index_bytes);
    return EXIT_OK;
}
