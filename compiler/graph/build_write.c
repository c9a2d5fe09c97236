/* build_write.c - writes the outputs on all threads, removes stale outputs, and writes the
 * depfile. */
#include <errno.h>

#include "build_internal.h"
#include "failure.h"
#include "sections.h"
#include "threads.h"

#define GROUP_SIZE 256

const char* product_path(const Build* b, const Product* p, char* path, size_t bytes) {
    if (b->options->resources.count == 1) return b->options->out;
    snprintf(path, bytes, "%s/%s.%s", b->options->out, p->name, ent_resource_suffix(p->type));
    return path;
}

/* --- outputs --- */

/* The build database may show this. */
bool output_holds(const Build* b, Product* p, const char* path) {
    Compiled* compiled = p->compiled;
    FileView  view;
    if (p->row != NONE && b->up_to_date.output[p->row].file != NONE) {
        const UpToDateRow* output = &b->up_to_date.output[p->row];
        compiled->stamp = output->stamp;
        return output->state != UP_TO_DATE_REMOVED && hash_equal(output->hash, compiled->hash);
    }
    if (b->outputs.files.count == 0) return false;
    if (file_map_stamped(&view, path, &compiled->stamp) != ENT_OK) return false;
    const bool same =
        view.size == compiled->size && memcmp(view.bytes, compiled->bytes, compiled->size) == 0;
    file_unmap(&view);
    return same;
}

static void blob_write(Build* b, Product* p) {
    Compiled*           compiled = p->compiled;
    const BuildOptions* o = b->options;
    char                room[4096];
    const char*         path = product_path(b, p, room, sizeof room);
    const FilePart      part = {compiled->bytes, compiled->size};
    if (o->resources.count) {
        bool same = false;
        if (!build_writes(o)) {
            if (file_compare(path, compiled->bytes, compiled->size, &same) != ENT_OK)
                compiled->failed = errno;
            compiled->change = same ? FILE_SAME : FILE_CHANGED;
        } else if (file_replace_parts(path, &part, 1, &compiled->change, b->pool) != ENT_OK) {
            compiled->failed = errno;
        }
        return;
    }
    if (compiled->settled) {
        if (compiled->stage && file_stage_put(&compiled->stage, path, &compiled->stamp) != ENT_OK)
            compiled->failed = errno;
        return;
    }
    if (output_holds(b, p, path)) return;
    compiled->change = FILE_CHANGED;
    if (!build_writes(o)) return;
    if (file_put(path, compiled->bytes, compiled->size, &compiled->stamp) != ENT_OK)
        compiled->failed = errno;
}

void product_put(Build* b, Product* p) {
    char room[4096];
    blob_write(b, p);
    if (!p->compiled->failed) map_write(b, p, product_path(b, p, room, sizeof room));
    p->compiled->put = true;
}

static void write_run(void* user, u32 first, u32 end, u32 worker) {
    Build*     b = user;
    const bool is_measured = b->options->report || b->options->budget;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        Product* p = &b->products.at[i];
        if (p->compiled && !p->compiled->invalid && !p->compiled->put) {
            product_put(b, p);
            if (!is_measured) compiled_free(p->compiled);
        }
        progress_add(&b->progress, 1);
    }
}

static void change_print(const Build* b, const Product* p, const char* path) {
    const BuildOptions* o = b->options;
    if (p->compiled->change != FILE_CHANGED || o->messages.quiet ||
        !(o->messages.verbose || !build_writes(o)))
        return;
    printf("%s %s (%zu bytes)\n", build_writes(o) ? "wrote" : "would write", path,
           p->compiled->size);
}

static int link_report(const Build* b, const Product* p, const char* folder) {
    fprintf(stderr,
            "entc: error: cannot write \"%s.%s\" below \"%s\": the folder \"%s\" is a "
            "symbolic link, which is not followed; replace it with a folder\n",
            p->name, ent_resource_suffix(p->type), b->options->out, folder);
    return EXIT_IO;
}

/* The same for a batch, which does not list the folder. */
int batch_links_check(const Build* b) {
    char     path[4096];
    FileKind kind;
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        const char*    name = p->name;
        for (const char* slash = name; (slash = strchr(slash, '/')); slash++) {
            const int wrote =
                snprintf(path, sizeof path, "%s/%.*s", b->options->out, (int)(slash - name), name);
            if (wrote >= (int)sizeof path) break; /* writing the output reports it */
            if (file_look(path, false, &kind) != ENT_OK) return io_failure("cannot access", path);
            if (kind == FILE_OTHER) return link_report(b, p, path);
            if (kind == FILE_NONE) break;
        }
    }
    return EXIT_OK;
}

/* If a folder in OUT is a symbolic link, outputs would be written outside of OUT. */
static int links_check(const Build* b) {
    for (u32 i = 0; i < b->outputs.files.count; i++) {
        const TreeFile* file = &b->outputs.files.at[i];
        if (!file->link || file->kind != FILE_FOLDER) continue;
        const char*  folder = tree_relative(file);
        const size_t bytes = strlen(folder);
        for (u32 k = 0; k < b->products.count; k++) {
            const char* name = b->products.at[k].name;
            if (strncmp(name, folder, bytes) != 0 || name[bytes] != '/') continue;
            return link_report(b, &b->products.at[k], file->path);
        }
    }
    return EXIT_OK;
}

void products_put(Build* b) {
    /* Successive outputs are in the same folder, which the kernel locks for each of them; therefore
     * threads work in different parts of the list. */
    const u32 apart = b->products.count / (ent_job_worker_count(b->pool) * 4) + 1;
    progress_begin(&b->progress, b->options->messages.progress, "writing", b->products.count);
    threads_run(b->pool, b->products.count, MIN_OF(apart, (u32)GROUP_SIZE), write_run, b);
    progress_end(&b->progress);
}

/* An output that could not be written to a temporary file, because the disk is full: all others stay what they were. */
static int stages_check(const Build* b) {
    char room[4096], beside[4096];
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (!p->compiled || (!p->compiled->failed && !p->compiled->map->failed)) continue;
        const char* path = product_path(b, p, room, sizeof room);
        errno = p->compiled->failed ? p->compiled->failed : p->compiled->map->failed;
        if (!p->compiled->failed && map_path(path, beside, sizeof beside)) path = beside;
        return io_failure("cannot write", path);
    }
    return EXIT_OK;
}

int products_write(Build* b) {
    int code = links_check(b);
    if (code == EXIT_OK && !b->options->resources.count) code = outputs_look(b);
    return code == EXIT_OK ? outputs_write(b) : code;
}

int outputs_write(Build* b) {
    char room[4096];
    int  code = b->options->resources.count ? EXIT_OK : stages_check(b);
    if (code != EXIT_OK) return code;
    products_put(b);
    for (u32 i = 0; i < b->products.count; i++) {
        const Product* p = &b->products.at[i];
        if (!p->compiled) {
            b->unchanged += !b->options->resources.count;
            continue;
        }
        if (p->compiled->invalid) continue;
        const char* path = product_path(b, p, room, sizeof room);
        if (p->compiled->failed && code == EXIT_OK)
            errno = p->compiled->failed, code = io_failure("cannot write", path);
        if (p->compiled->failed) continue;
        if (p->compiled->change == FILE_CHANGED)
            b->written++;
        else
            b->unchanged++;
        change_print(b, p, path);
        if (code != EXIT_OK && p->compiled->map->failed)
            continue; /* only the first one is reported */
        const int map = map_print(b, p, path);
        code = MAX_OF(code, map);
    }
    return code;
}
