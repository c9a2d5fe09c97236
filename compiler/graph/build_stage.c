/* build_stage.c - moves what was compiled out of memory: into a temporary file beside the output, which receives its
 * path when no source has an error.
 *
 * Small outputs remain in memory up to a limit: threads that create files in one folder wait for each other, and
 * most projects need no temporary file at all. */
#include <errno.h>

#include "build_internal.h"
#include "libc.h"
#include "output_index_internal.h"

#define STAGED_BYTES ((size_t)64 << 10) /* an output of so many bytes does not remain in memory */
#define KEPT_BYTES   ((u64)16 << 20)    /* of the smaller ones of all threads */

static bool is_kept(Build* b, u64 bytes) {
    const u64 max = MIN_OF(KEPT_BYTES, b->memory.kept);
    if (bytes >= STAGED_BYTES) return false;
    if (__atomic_add_fetch(&b->stage.kept, bytes, __ATOMIC_RELAXED) <= max) return true;
    __atomic_sub_fetch(&b->stage.kept, bytes, __ATOMIC_RELAXED);
    return false;
}

/* A build without an output folder compares nothing. A report needs the bytes. */
static bool needs_no_bytes(const Build* b) {
    const BuildMode mode = b->options->mode;
    return (mode == BUILD_ALONE || mode == BUILD_VARIANTS) && !b->options->report &&
           !b->options->budget;
}

static bool compares_only(const Build* b) {
    const BuildMode mode = b->options->mode;
    return (mode == BUILD_DRY_RUN || mode == BUILD_CHECK) && b->options->out &&
           !b->options->report && !b->options->budget;
}

static bool stages(const Build* b) {
    const BuildMode mode = b->options->mode;
    return mode == BUILD_WRITE || mode == BUILD_WATCH;
}

/* --- the output folder --- */

/* Finds out which of its parents exist before it is created, so that a build with errors leaves none of the others. */
static void folder_find(Build* b) {
    char path[4096];
    if (!job_once_begin(&b->stage.once)) return;
    u32       existing = 0;
    FileKind  kind = FILE_NONE;
    const int wrote = snprintf(path, sizeof path, "%s/", b->options->out);
    for (u32 i = 1; i < (u32)wrote && wrote < (int)sizeof path; i++) {
        if (path[i] != '/') continue;
        path[i] = 0;
        if (file_look(path, true, &kind) != ENT_OK || kind == FILE_NONE) break;
        existing = i;
        path[i] = '/';
    }
    b->stage.existing = existing;
    for (u32 i = 0; i < b->outputs.files.count && !b->stage.has_links; i++)
        b->stage.has_links = b->outputs.files.at[i].link;
    job_once_end(&b->stage.once);
}

void stages_drop(Build* b) {
    char path[4096];
    for (u32 i = 0; i < b->products.count; i++) {
        Compiled* compiled = b->products.at[i].compiled;
        if (!compiled || (!compiled->stage && !compiled->map->stage)) continue;
        file_stage_drop(compiled->stage);
        file_stage_drop(compiled->map->stage);
        compiled->stage = NULL;
        if (compiled->map->stage) compiled->map->stage = NULL;
        folders_remove_empty(product_path(b, &b->products.at[i], path, sizeof path),
                             strlen(b->options->out));
    }
    if (!job_once_done(&b->stage.once)) return;
    if (snprintf(path, sizeof path, "%s/x", b->options->out) < (int)sizeof path)
        folders_remove_empty(path, b->stage.existing);
}

/* --- one product --- */

/* A folder that is a symbolic link is an error, which is reported before outputs are written: nothing is written
 * through it. */
static int bytes_stage(Build* b, FileStage** stage, const char* path, const void* bytes,
                       size_t size) {
    char root[4096];
    folder_find(b);
    if (snprintf(root, sizeof root, "%s/x", b->options->out) >= (int)sizeof root)
        return errno_of(SYSTEM_LONG_NAME);
    const char* beside = b->stage.has_links ? root : path;
    return file_stage_begin(stage, beside, bytes, size) == ENT_OK ? 0 : errno;
}

static void blob_stage(Build* b, Product* p, const char* path) {
    Compiled* c = p->compiled;
    c->settled = true;
    c->change = output_holds(b, p, path) ? FILE_SAME : FILE_CHANGED;
    if (c->change == FILE_CHANGED && stages(b))
        c->failed = bytes_stage(b, &c->stage, path, c->bytes, c->size);
}

static void map_stage(Build* b, Product* p, const char* blob) {
    ProductMap* map = p->compiled->map;
    char        path[4096];
    if (map->bytes == 0 || !map_path(blob, path, sizeof path)) return;
    map->settled = true;
    map->hash = hash_content(map->text, map->bytes);
    map->change = map_holds(b, p, path) ? FILE_SAME : FILE_CHANGED;
    if (map->change == FILE_CHANGED && stages(b))
        map->failed = bytes_stage(b, &map->stage, path, map->text, map->bytes);
}

/* Errors of other resources do not concern it. */
static void batch_put(Build* b, Product* p) {
    Compiled* c = p->compiled;
    if (!build_is_batch(b->options) || !build_writes(b->options)) return;
    if (c->invalid || c->is_cached || b->refused) return;
    product_put(b, p);
    compiled_free(c);
}

void product_stage(Build* b, Product* p) {
    Compiled* c = p->compiled;
    char      path[4096];
    bool      other_order;
    if (b->options->resources.count) {
        batch_put(b, p);
        return;
    }
    if (c->invalid) {
        if (!c->unusable && !b->options->keep_going)
            __atomic_store_n(&b->stage.rejected, 1, __ATOMIC_RELAXED);
        return;
    }
    c->stored_hash = blob_stored_hash(c->bytes, &other_order);
    const bool is_rejected = stages(b) && __atomic_load_n(&b->stage.rejected, __ATOMIC_RELAXED);
    if (needs_no_bytes(b) || is_rejected) {
        compiled_free(c);
        return;
    }
    if ((!stages(b) && !compares_only(b)) || is_kept(b, (u64)c->size + c->map->bytes)) return;
    product_path(b, p, path, sizeof path);
    blob_stage(b, p, path);
    map_stage(b, p, path);
    compiled_free(c);
}

/* --- reading it again --- */

ent_status product_view(const Build* b, const Product* p, FileView* view) {
    const Compiled* c = p->compiled;
    char            room[4096];
    if (c && c->bytes) {
        *view = (FileView){c->bytes, c->size, NULL, 0};
        return ENT_OK;
    }
    if (c && c->failed) return errno = c->failed, errno_status(c->failed);
    return file_map(view, c && c->stage ? file_stage_path(c->stage)
                                        : product_path(b, p, room, sizeof room));
}
