/* build.c - reads all sources, compiles all resources, and only then writes. */
#include "build.h"

#include <errno.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "hash.h"
#include "sections.h"

/* A resource that there will be, and its bytes once it was compiled. */
typedef struct Product {
    Asset*       asset;
    const char*  name;
    ResourceType type;
    u32          index; /* in the model; NONE for a file of its own */
    u64          id;
    u8*          bytes;
    size_t       size;
} Product;

typedef struct Build {
    const BuildOptions* options;
    Diagnostics*        diag;
    Registry            registry;
    Assets              assets;
    ARRAY(Product) products;
    u32 written, unchanged;
} Build;

static void product_add(Build* b, Asset* asset, const char* name, ResourceType type, u32 index) {
    const u64 id = hash_resource(text_of(name), ent_resource_suffix(type));
    *array_push(&b->products) = (Product){asset, name, type, index, id, NULL, 0};
}

static int product_order(const void* a, const void* b) {
    const Product *x = a, *y = b;
    const int      name = strcmp(x->name, y->name);
    return name ? name : x->type < y->type ? -1 : x->type > y->type;
}

static int id_order(const void* a, const void* b) {
    const Product *x = *(const Product*const*)a, *y = *(const Product*const*)b;
    if (x->id != y->id) return x->id < y->id ? -1 : 1;
    return product_order(x, y);
}

/* Two products of one name have two sources; two of one id are two that a reference cannot tell
 * apart. */
static void products_check(Build* b) {
    const u32       count = b->products.count;
    const Product** by_id = memory_alloc(sizeof(Product*) * (count + 1));
    for (u32 i = 0; i < count; i++) by_id[i] = &b->products.at[i];
    qsort(by_id, count, sizeof *by_id, id_order);
    for (u32 i = 1; i < count; i++) {
        const Product *p = by_id[i], *q = by_id[i - 1];
        if (p->id != q->id) continue;
        if (product_order(p, q) == 0) {
            diag_error(b->diag, E0303, &p->asset->source, 0, 1, "\"%s.%s\" has two sources",
                       p->name, ent_resource_suffix(p->type));
        } else {
            diag_error(b->diag, E0310, &p->asset->source, 0, 1,
                       "\"%s.%s\" and \"%s.%s\" have the same id 0x%016llx; rename one of them",
                       p->name, ent_resource_suffix(p->type), q->name, ent_resource_suffix(q->type),
                       (unsigned long long)p->id);
        }
        diag_note(b->diag, &q->asset->source, 0, 1, "the other one comes from here");
    }
    memory_free(by_id);
}

static void products_list(Build* b) {
    for (u32 i = 0; i < b->assets.count; i++) {
        Asset* asset = b->assets.asset[i];
        product_add(b, asset, asset->name, asset->type, NONE);
        if (!asset_read(&b->assets, asset) || !asset->model) continue;
        for (u32 k = 0; k < asset->model->resource_count; k++) {
            const ModelResource* r = &asset->model->resources[k];
            product_add(b, asset, r->name, r->type, r->index);
        }
    }
    if (b->products.count) {
        qsort(b->products.at, b->products.count, sizeof(Product), product_order);
    }
    products_check(b);
}

static void products_compile(Build* b) {
    Compile compile;
    for (u32 i = 0; i < b->products.count; i++) {
        Product* p = &b->products.at[i];
        compile_begin(&compile, &b->assets, b->options->target, b->options->strip);
        compile_resource(&compile, p->asset, p->name, p->type, p->index, &p->bytes, &p->size);
        compile_end(&compile);
    }
}

/* --- writing --- */

static int io_failure(const char* what, const char* path) {
    fprintf(stderr, "entc: error: %s \"%s\": %s\n", what, path, strerror(errno));
    return EXIT_IO;
}

static int product_write(Build* b, const Product* p, const char* path) {
    const BuildOptions* o = b->options;
    FileChange          change = FILE_SAME;
    if (o->check || o->dry_run) {
        change = file_holds(path, p->bytes, p->size) ? FILE_SAME : FILE_CHANGED;
    } else if (file_replace(path, p->bytes, p->size, &change) != ENT_OK) {
        return io_failure("cannot write", path);
    }
    if (change == FILE_CHANGED)
        b->written++;
    else
        b->unchanged++;
    if (change == FILE_CHANGED && (o->verbose || o->dry_run || o->check)) {
        printf("%s %s (%zu bytes)\n", o->dry_run || o->check ? "would write" : "wrote", path,
               p->size);
    }
    return EXIT_OK;
}

static int products_write(Build* b) {
    Arena scratch = {0};
    int   code = EXIT_OK;
    for (u32 i = 0; i < b->products.count && code == EXIT_OK; i++) {
        const Product* p = &b->products.at[i];
        const char*    path = b->options->out;
        if (!b->options->resource) {
            path = arena_print(&scratch, "%s/%s.%s", b->options->out, p->name,
                               ent_resource_suffix(p->type));
        }
        code = product_write(b, p, path);
    }
    arena_drop(&scratch);
    return code;
}

/* --- depfile --- */

/* A path as make and ninja read it. */
static void depfile_path(FILE* out, const char* path) {
    for (; *path; path++) {
        if (*path == ' ' || *path == '#') fputc('\\', out);
        if (*path == '$') fputc('$', out);
        fputc(*path, out);
    }
}

/* `target: inputs`, and each input as a target of its own, so that a deleted one is no error. */
static int depfile_write(Build* b) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    if (!out) return io_failure("cannot write", b->options->depfile);
    depfile_path(out, b->options->out);
    fputc(':', out);
    for (int pass = 0; pass < 2; pass++) {
        for (u32 i = 0; i < b->assets.count + b->assets.buffers.count; i++) {
            const bool  beside = i >= b->assets.count;
            const char* path = beside ? b->assets.buffers.at[i - b->assets.count]
                                      : b->assets.asset[i]->source.path;
            if (!beside && b->assets.asset[i]->state == ASSET_NEW) continue;
            fputs(pass ? "\n" : " \\\n ", out);
            depfile_path(out, path);
            if (pass) fputc(':', out);
        }
        fputc('\n', out);
    }
    fclose(out);
    FileChange       change;
    const ent_status status = file_replace(b->options->depfile, text, bytes, &change);
    free(text);
    return status == ENT_OK ? EXIT_OK : io_failure("cannot write", b->options->depfile);
}

/* --- the whole --- */

/* The one resource that `compile` was asked for. */
static int product_pick(Build* b) {
    const char*        resource = b->options->resource;
    const char*        dot = strrchr(resource, '.');
    u32                index;
    const ResourceType type = dot ? resource_from_suffix(text_of(dot + 1)) : RESOURCE_NONE;
    if (type == RESOURCE_NONE) {
        fprintf(stderr,
                "entc: error: \"%s\" is not NAME.TYPE; a type is entity, level, mesh, "
                "skeleton, clip, material or package\n",
                resource);
        return EXIT_USAGE;
    }
    const Text name = {resource, (u32)(dot - resource)};
    const u32  errors = diag_error_count(b->diag);
    Asset*     asset = assets_resource(&b->assets, name, type, &index);
    if (asset) {
        product_add(b, asset, arena_text(&b->assets.arena, name), type, index);
        return EXIT_OK;
    }
    if (diag_error_count(b->diag) != errors) return EXIT_INVALID;
    const char* near = assets_nearest(&b->assets, name, type);
    fprintf(stderr, "entc: error: there is no %s \"%.*s\" in \"%s\"%s%s%s\n", dot + 1,
            (int)name.bytes, name.at, b->assets.root, DIAG_MEANT(near));
    return EXIT_IO;
}

static int build_all(Build* b) {
    const BuildOptions* o = b->options;
    if (!registry_init(&b->registry, b->diag)) return EXIT_INVALID;
    if (assets_open(&b->assets, o->source, &b->registry, b->diag) != ENT_OK) {
        return io_failure("cannot read the asset folder", o->source);
    }
    int code = EXIT_OK;
    if (o->resource)
        code = product_pick(b);
    else
        products_list(b);
    if (code != EXIT_OK && code != EXIT_INVALID) return code;
    products_compile(b);
    if (diag_error_count(b->diag) > 0) return EXIT_INVALID;
    if (code == EXIT_OK) code = products_write(b);
    if (code == EXIT_OK && o->depfile && !o->dry_run && !o->check) code = depfile_write(b);
    if (code == EXIT_OK && o->check && b->written > 0) code = EXIT_USAGE;
    return code;
}

int build_run(const BuildOptions* options) {
    Build      b = {.options = options, .diag = diag_create()};
    const u64  start = clock_ns();
    int        code = build_all(&b);
    const bool elsewhere = options->format == DIAG_GITHUB;
    diag_print(b.diag, elsewhere ? stdout : stderr, options->format, options->color);
    if (code == EXIT_OK && options->verbose && !options->quiet) {
        fprintf(stderr, "entc: %u resources, %u written, %u unchanged, %.0f ms\n", b.products.count,
                b.written, b.unchanged, (f64)(clock_ns() - start) / 1e6);
    }
    for (u32 i = 0; i < b.products.count; i++) memory_free(b.products.at[i].bytes);
    array_drop(&b.products);
    assets_close(&b.assets);
    diag_destroy(b.diag);
    return code;
}
