/* bundle_read.c - reads bundles of either byte order: list and unpack. */
#include <errno.h>
#include <stdlib.h>

#include "bundles.h"
#include "exit_codes.h"
#include "failure.h"
#include "folder_root.h"
#include "hash.h"
#include "output_files.h"
#include "swap.h"
#include "threads.h"
#include "tree.h"

int path_form(const char* path, PathForm* form) {
    FileView view;
    FileKind kind;
    *form = PATH_BLOB;
    if (file_look(path, true, &kind) != ENT_OK) return io_failure("cannot access", path);
    if (kind == FILE_FOLDER) *form = PATH_FOLDER;
    if (kind != FILE_REGULAR) return EXIT_OK; /* other kinds are reported when the file is read */
    if (file_map(&view, path) != ENT_OK) return io_failure("cannot read", path);
    if (view.size >= 4 && memcmp(view.bytes, BUNDLE_MAGIC_BYTES, 4) == 0) *form = PATH_BUNDLE;
    if (view.size >= 4 && memcmp(view.bytes, OUTPUT_INDEX_MAGIC_BYTES, 4) == 0) *form = PATH_INDEX;
    file_unmap(&view);
    return EXIT_OK;
}

/* --- opening --- */

/* bundle_swap uses three counts: they are validated here, everything else by bundle_validate. The
 * hash is that of the bytes of the file. */
static ent_status index_swap(BundleFile* file, BlobFault* fault) {
    BundleHeader h;
    u32          word[sizeof h / 4];
    memcpy(word, file->source.bytes, sizeof word);
    for (u32 i = 1; i < COUNT_OF(word); i++) word[i] = word_swap(word[i]);
    memcpy(&h, word, sizeof h);
    const u64  bytes = bundle_index_bytes(&h);
    const bool fits = h.resource_count <= BUNDLE_RESOURCES_MAX &&
                      h.dictionary_count < RESOURCE_COUNT && bytes <= file->source.size;
    if (fits && bundle_hash(file->source.bytes, bytes) != resource_id(h.hash)) {
        *fault = (BlobFault){ENT_BAD_HASH, offsetof(BundleHeader, hash), "header.hash",
                             "checksum mismatch in the index: the file was modified or damaged"};
        return ENT_BAD_HASH;
    }
    const size_t copied = fits ? (size_t)bytes : sizeof h;
    file->swapped = memory_alloc((size_t)align_up(copied, 16));
    memcpy(file->swapped, file->source.bytes, copied);
    if (fits)
        bundle_swap(file->swapped, false);
    else
        memcpy(file->swapped, &h, sizeof h); /* with counts that are rejected */
    return bundle_validate(&file->bundle, file->swapped, file->source.bytes, file->source.size,
                           true, fault);
}

/* Gives the bundle a decoder with memory of its own. */
static void decoder_open(BundleFile* file) {
    const size_t room = bundle_decoder_bytes(&file->bundle);
    file->room = room ? memory_alloc(room + 64) : NULL;
    bundle_decoder_init(&file->decoder, &file->bundle,
                        room ? (void*)align_up((uintptr_t)file->room, 64) : NULL);
}

int bundle_file_open(BundleFile* file, const char* path) {
    BlobFile* source = &file->source;
    *file = (BundleFile){0};
    const int code = blob_file_read(source, path);
    if (code != EXIT_OK) return code;
    ent_status status = ent_bundle_open(&file->bundle, source->bytes, source->size, &source->fault);
    if (status == ENT_OTHER_BYTE_ORDER) status = index_swap(file, &source->fault);
    if (status != ENT_OK) {
        const int refused = blob_file_report(source, path);
        bundle_file_close(file);
        return refused;
    }
    decoder_open(file);
    return EXIT_OK;
}

void bundle_file_close(BundleFile* file) {
    memory_free(file->room);
    memory_free(file->swapped);
    blob_file_close(&file->source);
    *file = (BundleFile){0};
}

static ent_status bundle_file_bytes(BundleFile* file, const BundleResource* r, BlobFile* blob) {
    const Bundle* bundle = &file->bundle;
    *blob = (BlobFile){.bytes = bundle_piece(bundle, r), .size = r->size};
    TRY(bundle_piece_validate(bundle, r, &blob->fault));
    if (r->codec != BUNDLE_ZSTD) return ENT_OK;
    TRY(bundle_head_validate(&file->decoder, bundle, r, &blob->fault));
    blob->bytes = blob->copy = memory_alloc(r->size);
    return bundle_decode(&file->decoder, bundle, r, blob->copy, &blob->fault);
}

#define DECLARATION_BYTES_MAX (1u << 20) /* more than any bundle can have */

/* The bytes of a declaration, which the caller validates; for every blob that refers to it. */
static bool bundle_declaration(void* user, const char* name, BlobFile* out) {
    BundleFile* file = user;
    const u64   id = hash_resource(text_of(name), ent_resource_suffix(RESOURCE_COMPONENT));
    const BundleResource* r = ent_bundle_find(&file->bundle, resource_ref(id));
    return r && r->size <= DECLARATION_BYTES_MAX && bundle_file_bytes(file, r, out) == ENT_OK;
}

/* Reads a blob, without the types that its project declares. */
static ent_status blob_read(BundleFile* file, const BundleResource* r, BlobFile* blob,
                            const BlobOptions* known) {
    TRY(bundle_file_bytes(file, r, blob));
    return blob_file_validate_alone(blob, known);
}

/* The rest, by one thread. */
static ent_status blob_validate_rest(BundleFile* file, const BundleResource* r, BlobFile* blob,
                                     const BlobOptions* known) {
    blob->declaration = bundle_declaration;
    blob->user = file;
    TRY(blob_file_validate_types(blob, known));
    if (blob->other_order != (file->swapped != NULL)) {
        blob->fault =
            (BlobFault){ENT_OTHER_BYTE_ORDER, offsetof(BlobHeader, byte_order), "header.byte_order",
                        "the bundle has the byte order of another target"};
        return ENT_OTHER_BYTE_ORDER;
    }
    return bundle_blob_validate(&blob->blob, r, &blob->fault);
}

/* Computed from the index, before anything is decompressed. */
int bundle_file_count(const BundleFile* file, const char* path, u64 max) {
    const Bundle*         bundle = &file->bundle;
    const BundleResource* largest = bundle->resource;
    u64                   bytes = 0;
    for (u32 i = 0; i < bundle->header->resource_count; i++) {
        const BundleResource* r = &bundle->resource[i];
        bytes += r->size;
        if (r->size > largest->size) largest = r;
    }
    if (bytes <= max) return EXIT_OK;
    fprintf(stderr,
            "%s: error: its %u resources have %llu bytes in total, but --max-output allows %llu; "
            "the largest is \"%s.%s\" with %u\n",
            path, bundle->header->resource_count, (unsigned long long)bytes,
            (unsigned long long)max, ent_bundle_name(bundle, largest),
            ent_resource_suffix(largest->type), largest->size);
    return EXIT_LIMIT;
}

/* --- rows by name --- */

typedef struct RowName {
    const char*           name;
    const BundleResource* row;
} RowName;

static int row_order(const void* a, const void* b) {
    const RowName *x = a, *y = b;
    const int      name = strcmp(x->name, y->name);
    return name ? name : (int)x->row->type - (int)y->row->type;
}

/* [resource_count] sorted by name; free with memory_free. */
static RowName* rows_by_name(const Bundle* bundle) {
    const u32 count = bundle->header->resource_count;
    RowName*  rows = memory_alloc(sizeof(RowName) * ((size_t)count + 1));
    for (u32 i = 0; i < count; i++) {
        const BundleResource* r = &bundle->resource[i];
        rows[i] = (RowName){ent_bundle_name(bundle, r), r};
    }
    qsort(rows, count, sizeof *rows, row_order);
    return rows;
}

/* --- all resources, by all threads --- */

/* Resources that are in memory at the same time: at most BUNDLE_PLACES, and at most so many bytes for each thread, or
 * one larger resource. */
#define WINDOW_BYTES (32u << 20)

typedef struct Window {
    BundleFile*          file;
    BundleFile*          reader; /* [workers] the same bundle, each with its own decoder */
    const BlobOptions*   known;
    const BundleVisitor* visitor;
    const RowName*       rows; /* [count] */
    u32                  count;
    BlobFile             blob[BUNDLE_PLACES];
    ent_status           status[BUNDLE_PLACES];
} Window;

static void readers_open(Window* w, u32 workers) {
    w->reader = memory_alloc(sizeof *w->reader * workers);
    for (u32 i = 0; i < workers; i++) {
        w->reader[i] = *w->file;
        decoder_open(&w->reader[i]);
    }
}

static void readers_close(Window* w, u32 workers) {
    for (u32 i = 0; i < workers; i++) memory_free(w->reader[i].room);
    memory_free(w->reader);
}

static void window_read_some(void* user, u32 first, u32 end, u32 worker) {
    Window* w = user;
    assert(end <= COUNT_OF(w->blob) && end <= COUNT_OF(w->status));
    for (u32 i = first; i < end; i++) {
        const BundleVisitor* v = w->visitor;
        w->status[i] = blob_read(&w->reader[worker], w->rows[i].row, &w->blob[i], w->known);
        if (w->status[i] == ENT_OK && v->work)
            v->work(v->user, w->file, w->rows[i].row, &w->blob[i], i);
    }
}

static void window_read(Window* w, JobPool* pool, const RowName* rows, u32 left) {
    u64 bytes = (u64)WINDOW_BYTES * threads_count(pool);
    w->rows = rows;
    w->count = 0;
    do {
        bytes -= MIN_OF(bytes, (u64)rows[w->count].row->size);
        w->count++;
    } while (w->count < MIN_OF(left, BUNDLE_PLACES) && rows[w->count].row->size <= bytes);
    threads_run(pool, w->count, 1, window_read_some, w);
}

/* Returns an exit code. */
static int window_visit(Window* w, u32 place, const char* path) {
    const RowName* row = &w->rows[place];
    BlobFile*      blob = &w->blob[place];
    ent_status     status = w->status[place];
    Arena          scratch = {0};
    int            code = EXIT_OK;
    if (status == ENT_OK) status = blob_validate_rest(w->file, row->row, blob, w->known);
    if (status != ENT_OK)
        code = blob_file_report(blob, arena_print(&scratch, "%s: %s.%s", path, row->name,
                                                  ent_resource_suffix(row->row->type)));
    else if (w->visitor->visit)
        code = w->visitor->visit(w->visitor->user, w->file, row->row, blob, place);
    blob_file_close(blob);
    arena_drop(&scratch);
    return code;
}

int bundle_each(BundleFile* file, const char* path, const BlobOptions* known, JobPool* pool,
                const BundleVisitor* visitor) {
    const u32 count = file->bundle.header->resource_count;
    const u32 workers = pool ? ent_job_worker_count(pool) : 1;
    RowName*  rows = rows_by_name(&file->bundle);
    Window*   w = memory_alloc(sizeof *w);
    int       worst = EXIT_OK;
    *w = (Window){.file = file, .known = known, .visitor = visitor};
    readers_open(w, workers);
    for (u32 first = 0; first < count; first += w->count) {
        window_read(w, pool, rows + first, count - first);
        for (u32 i = 0; i < w->count; i++) {
            const int code = window_visit(w, i, path);
            worst = MAX_OF(worst, code);
        }
        file_forget(&file->source.view);
        memory_trim();
    }
    readers_close(w, workers);
    memory_free(w);
    memory_free(rows);
    return worst;
}

/* --- list --- */

static void put_percent(Writer* w, u64 part, u64 total) {
    put_format(w, "%5.1f %%", total ? 100.0 * (f64)part / (f64)total : 100.0);
}

static void list_text(Writer* w, const BundleFile* file, const RowName* rows) {
    const BundleHeader* h = file->bundle.header;
    u64                 blobs = 0;
    put_format(w, "%-48s %12s %12s   stored\n", "resource", "stored", "size");
    for (u32 i = 0; i < h->resource_count; i++) {
        const BundleResource* r = rows[i].row;
        const u64             start = writer_at(w);
        put(w, rows[i].name);
        put_format(w, ".%s", ent_resource_suffix(r->type));
        put_column(w, start, 48);
        put_format(w, " %12u %12u  ", r->stored, r->size);
        put_percent(w, r->stored, r->size);
        put(w, "\n");
        blobs += r->size;
    }
    for (u32 i = 0; i < h->dictionary_count; i++) {
        const BundleDictionary* d = &file->bundle.dictionary[i];
        put_format(w, "dictionary of %-34s %12u\n", ent_resource_suffix(d->type), d->bytes);
    }
    put_format(w, "%-48s %12llu %12llu  ", "total", (unsigned long long)file->bundle.size,
               (unsigned long long)blobs);
    put_percent(w, file->bundle.size, blobs);
    put(w, "\n");
}

static void list_json(Writer* w, const BundleFile* file, const RowName* rows) {
    const BundleHeader* h = file->bundle.header;
    put_format(w, "{\n\"bundle\": %u,\n\"byte_order\": \"%s\",\n\"bytes\": %llu,\n\"resources\": [",
               BUNDLE_VERSION, byte_order_text(file->swapped != NULL),
               (unsigned long long)file->bundle.size);
    for (u32 i = 0; i < h->resource_count; i++) {
        const BundleResource* r = rows[i].row;
        put_format(w, "%s\n  {\"name\": \"%s\", \"type\": \"%s\", ", i ? "," : "", rows[i].name,
                   ent_resource_suffix(r->type));
        put_format(w, "\"stored\": %u, \"size\": %u, \"codec\": \"%s\", \"dictionary\": %s}",
                   r->stored, r->size, r->codec == BUNDLE_PLAIN ? "plain" : "zstd",
                   r->dictionary == BUNDLE_NO_DICTIONARY ? "false" : "true");
    }
    put(w, "],\n\"dictionaries\": [");
    for (u32 i = 0; i < h->dictionary_count; i++) {
        const BundleDictionary* d = &file->bundle.dictionary[i];
        put_format(w, "%s\n  {\"type\": \"%s\", \"bytes\": %u}", i ? "," : "",
                   ent_resource_suffix(d->type), d->bytes);
    }
    put(w, "]\n}\n");
}

int list_run(const char* path, bool json) {
    BundleFile file;
    Writer     w;
    int        code = bundle_file_open(&file, path);
    if (code != EXIT_OK) return code;
    RowName* rows = rows_by_name(&file.bundle);
    writer_begin(&w, stdout, TEXT_PLAIN); /* every text of a list is plain */
    if (json)
        list_json(&w, &file, rows);
    else
        list_text(&w, &file, rows);
    code = writer_end(&w);
    memory_free(rows);
    bundle_file_close(&file);
    return code;
}

/* --- unpack --- */

/* The result of writing a file. */
typedef struct UnpackResult {
    ent_status status;
    int        reason; /* errno */
    FileChange change;
} UnpackResult;

typedef struct Unpack {
    const char*  folder;
    FolderRoot   root; /* the same */
    bool         verbose;
    IndexDraft   index;
    int          code; /* of the first file that could not be written; then no further window is */
    u32          written, unchanged;
    UnpackResult result[BUNDLE_PLACES];
} Unpack;

/* Names were validated to be canonical, and symbolic links in the folder are not followed, so no
 * file is written outside of it. */
static void unpack_work(void* user, const BundleFile* file, const BundleResource* r,
                        const BlobFile* blob, u32 place) {
    Unpack*       unpack = user;
    UnpackResult* result = &unpack->result[place];
    char          name[BUNDLE_NAME_BYTES_MAX + 64];
    if (unpack->code != EXIT_OK) return;
    assert(place < COUNT_OF(unpack->result));
    snprintf(name, sizeof name, "%s.%s", ent_bundle_name(&file->bundle, r),
             ent_resource_suffix(r->type));
    result->status = root_replace(&unpack->root, name, blob->bytes, blob->size, &result->change);
    result->reason = errno;
}

static int unpack_visit(void* user, const BundleFile* file, const BundleResource* r,
                        const BlobFile* blob, u32 place) {
    Unpack*             unpack = user;
    const UnpackResult* result = &unpack->result[place];
    const char*         name = ent_bundle_name(&file->bundle, r);
    Arena               scratch = {0};
    if (unpack->code != EXIT_OK) return unpack->code;
    char* path =
        arena_print(&scratch, "%s/%s.%s", unpack->folder, name, ent_resource_suffix(r->type));
    if (result->status != ENT_OK) {
        errno = result->reason;
        unpack->code = io_failure("cannot write", path);
    } else if (result->change == FILE_CHANGED) {
        unpack->written++;
        if (unpack->verbose) printf("wrote %s (%zu bytes)\n", path, blob->size);
    } else {
        unpack->unchanged++;
    }
    index_draft_add(&unpack->index, name, r->type, blob->bytes);
    arena_drop(&scratch);
    return unpack->code;
}

static int unpack_begin(Unpack* unpack) {
    if (root_make(&unpack->root, unpack->folder) != ENT_OK)
        return io_failure("cannot write", unpack->folder);
    folders_sweep(unpack->folder);
    return EXIT_OK;
}

/* The last file, as in a build. */
static int unpack_index(Unpack* unpack) {
    FileChange       change;
    size_t           bytes;
    void*            index = index_draft_make(&unpack->index, &bytes);
    const ent_status status = root_replace(&unpack->root, OUTPUT_INDEX_FILE, index, bytes, &change);
    memory_free(index);
    if (status == ENT_OK) return EXIT_OK;
    char* path = arena_print(&unpack->index.arena, "%s/" OUTPUT_INDEX_FILE, unpack->folder);
    return io_failure("cannot write", path);
}

/* Everything is validated before anything is written. */
static int unpack_all(Unpack* unpack, BundleFile* file, const char* path, const BlobOptions* known,
                      u32 jobs) {
    static const BundleVisitor nothing;
    const BundleVisitor        write = {unpack_work, unpack_visit, unpack};
    JobPool*                   pool = threads_open(jobs);
    if (!pool) return EXIT_LIMIT;
    int code = bundle_each(file, path, known, pool, &nothing);
    if (code == EXIT_OK) code = unpack_begin(unpack);
    if (code == EXIT_OK) code = bundle_each(file, path, known, pool, &write);
    threads_close(pool);
    return code == EXIT_OK ? unpack_index(unpack) : code;
}

int unpack_run(const char* path, const char* folder, const BlobOptions* known, u64 max, u32 jobs,
               bool verbose) {
    BundleFile file;
    Unpack     unpack = {.folder = folder, .root = {-1}, .verbose = verbose};
    int        code = bundle_file_open(&file, path);
    if (code != EXIT_OK) return code;
    unpack.index.other_order = file.swapped != NULL;
    code = bundle_file_count(&file, path, max);
    if (code == EXIT_OK) code = unpack_all(&unpack, &file, path, known, jobs);
    index_draft_drop(&unpack.index);
    root_close(&unpack.root);
    if (code == EXIT_OK && verbose) {
        fprintf(stderr, "entc: %u resources, %u written, %u unchanged\n",
                file.bundle.header->resource_count, unpack.written, unpack.unchanged);
    }
    bundle_file_close(&file);
    return code;
}
