/* bundle_pack.c - packs the resources that the roots need, each compressed separately, in the order
 * of ids.
 *
 * The same resources give the same bytes, independent of the name of the folder, the order of its
 * files and the number of cores: each frame is made by one thread with fixed parameters, rows and
 * dictionaries are in the order of ids and types, and no path or time is written. Another version
 * of zstd may give other bytes. */
#include "bundle_pack.h"

#include <stdio.h>
#include <stdlib.h>

#include "blob_folder.h"
#include "blob_tables.h"
#include "bundle_pack_internal.h"
#include "diag.h"
#include "exit_codes.h"
#include "failure.h"
#include "hash.h"
#include "path_pattern.h"
#include "threads.h"
#include "tree.h"

/* --- needed resources --- */

static u32* slot_of(const Pack* p, u64 id) {
    u32* slot = slots_first(&p->slots, id);
    while (*slot && p->items.at[*slot - 1].id != id) slot = slots_next(&p->slots, slot);
    return slot;
}

static void items_grow(Pack* p) {
    slots_grow(&p->slots, 256);
    for (u32 i = 0; i < p->items.count; i++) *slot_of(p, p->items.at[i].id) = i + 1;
}

static int item_add(Pack* p, Text name, ResourceType type, const char* needed_by) {
    const u64 id = hash_resource(name, ent_resource_suffix(type));
    if (slots_are_full(&p->slots, p->items.count)) items_grow(p);
    u32* slot = slot_of(p, id);
    if (*slot) {
        const PackItem* existing = &p->items.at[*slot - 1];
        if (existing->type == type && text_equal(text_of(existing->name), name)) return EXIT_OK;
        fprintf(stderr,
                "entc: error: \"%.*s.%s\" and \"%s\" have the same id; rename one of them\n",
                (int)name.bytes, name.at, ent_resource_suffix(type), item_text(p, existing));
        return EXIT_INVALID;
    }
    if (p->items.count == BUNDLE_RESOURCES_MAX) {
        fprintf(
            stderr,
            "entc: error: \"%.*s.%s\" would be resource number %u of the bundle; the limit is %u\n",
            (int)name.bytes, name.at, ent_resource_suffix(type), p->items.count + 1,
            BUNDLE_RESOURCES_MAX);
        return EXIT_LIMIT;
    }
    *array_push(&p->items) = (PackItem){
        .id = id, .name = arena_text(&p->arena, name), .type = type, .needed_by = needed_by};
    *slot = p->items.count;
    return EXIT_OK;
}

/* Checks the name of the blob, and that its byte order is that of the first one. */
static int item_check(Pack* p, u32 index, const BlobFile* file) {
    const PackItem* item = &p->items.at[index];
    if (!resource_name_is_canonical(text_of(item->name))) {
        return item_error(p, item, EXIT_INVALID, "its name is not a valid resource name");
    }
    if (resource_id(file->blob.header->resource) != item->id) {
        return item_error(p, item, EXIT_INVALID,
                          "the blob belongs to another resource; it was renamed or copied");
    }
    if (p->first == NONE) p->first = index, p->other_order = file->other_order;
    if (p->other_order == file->other_order) return EXIT_OK;
    return item_error(p, item, EXIT_INVALID,
                      arena_print(&p->arena,
                                  "its byte order is %s, but that of \"%s\" is %s; build all of "
                                  "them with the same --target",
                                  byte_order_text(file->other_order),
                                  item_text(p, &p->items.at[p->first]),
                                  byte_order_text(p->other_order)));
}

/* --- validation by all threads --- */

/* Blobs that are open at the same time: so many, and so many bytes for each thread. What does not fit is opened alone,
 * afterwards. */
#define PROBES_MAX   256u
#define PROBES_BYTES (32u << 20)

/* A blob that a thread has validated, without the types of its project and without a message. */
typedef struct Probe {
    BlobFile file;
    bool     is_valid;
} Probe;

/* The next items, of which none refers to another one that is not known yet. */
typedef struct Probes {
    Pack* pack;
    u32   first, count;
    u64   bytes;          /* of the blobs that threads have opened */
    Probe at[PROBES_MAX]; /* [count] */
} Probes;

static bool probe_open(Probes* probes, const PackItem* item, BlobFile* file) {
    const u64 room = (u64)PROBES_BYTES * ent_job_worker_count(probes->pack->pool);
    if (item_map(probes->pack, item, file) != ENT_OK) return false;
    if (__atomic_add_fetch(&probes->bytes, (u64)file->size, __ATOMIC_RELAXED) <= room &&
        blob_file_validate_alone(file, probes->pack->known) == ENT_OK)
        return true;
    blob_file_close(file);
    return false;
}

static void probes_some(void* user, u32 first, u32 end, u32 worker) {
    Probes* probes = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        const PackItem* item = &probes->pack->items.at[probes->first + i];
        Probe*          probe = &probes->at[i];
        assert(i < COUNT_OF(probes->at));
        probe->is_valid = probe_open(probes, item, &probe->file);
    }
}

static void probes_run(Probes* probes, u32 first) {
    JobGroup jobs = {0};
    probes->first = first;
    probes->bytes = 0;
    probes->count = MIN_OF(probes->pack->items.count - first, PROBES_MAX);
    ent_job_dispatch(probes->pack->pool, &jobs, probes->count, 1, probes_some, probes);
    ent_job_wait(probes->pack->pool, &jobs);
}

/* Opens the blob of an item; returns an exit code, after a message. */
static int item_open(Pack* p, const PackItem* item, BlobFile* file) {
    const char* path = item_path(p, item);
    FileKind    kind;
    if (file_look(path, true, &kind) != ENT_OK) return io_failure("cannot access", path);
    if (kind == FILE_NONE) {
        return item_error(p, item, !item->needed_by ? EXIT_IO : EXIT_INVALID,
                          "the file does not exist");
    }
    const int code = blob_file_open(file, path, p->known);
    return code == EXIT_OK ? EXIT_OK : item_refused(item, code);
}

/* Validates the blob of an item and adds the resources to which it refers. What a thread has validated is not
 * validated again. */
static int item_follow(Pack* p, u32 index, Probe* probe) {
    BlobFile    file;
    PackItem*   item = &p->items.at[index];
    const char* text = item_text(p, item);
    int         code = EXIT_OK;
    if (probe->is_valid)
        code = blob_file_open_types(&probe->file, item_path(p, item), p->known);
    else
        code = item_open(p, item, &file);
    if (code != EXIT_OK) return probe->is_valid ? item_refused(item, code) : code;
    if (probe->is_valid) file = probe->file;
    code = item_check(p, index, &file);
    item->hash = blob_hash_read(&file);
    item->size = (u32)file.size;
    BlobTables tables = tables_open(&file.blob, p->known);
    for (u32 i = 0; i < tables.reference_count && code == EXIT_OK; i++) {
        const ReferenceRecord* r = &tables.reference[i];
        code = item_add(p, text_of(tables.reference_names + r->name), (ResourceType)r->type, text);
    }
    tables_close(&tables);
    blob_file_close(&file);
    return code;
}

/* --- roots --- */

/* "levels/town.level" */
static int root_add(Pack* p, const char* path) {
    const char* dot = strrchr(path, '.');
    const Text  name = {path, (u32)(dot - path)};
    return item_add(p, name, resource_from_suffix(text_of(dot + 1)), NULL);
}

static bool is_package(const char* path) {
    return strcmp(strrchr(path, '.') + 1, ent_resource_suffix(RESOURCE_PACKAGE)) == 0;
}

static bool pattern_is_valid(const char* pattern) {
    const char* fault = path_pattern_is(pattern) ? path_pattern_fault(pattern) : NULL;
    if (fault) fprintf(stderr, "entc: error: pack: invalid pattern \"%s\": %s\n", pattern, fault);
    return !fault;
}

static bool patterns_are_valid(const PackOptions* o) {
    bool valid = true;
    for (u32 i = 0; i < o->package_count; i++) valid &= pattern_is_valid(o->package[i]);
    for (u32 i = 0; i < o->root_count; i++) valid &= pattern_is_valid(o->root[i]);
    return valid;
}

/* The packages that were specified. */
static int packages_add(Pack* p, const PathList* list) {
    ARRAY(const char*) names = {0};
    int code = EXIT_OK;
    for (u32 i = 0; i < list->paths.count; i++) {
        const char* path = list->paths.at[i];
        const Text  name = {path, (u32)(strrchr(path, '.') - path)};
        if (is_package(path)) *array_push(&names) = arena_text(&p->arena, name);
    }
    for (u32 i = 0; i < p->options->package_count; i++) {
        const Text name = text_of(p->options->package[i]);
        const bool pattern = path_pattern_is(name.at);
        bool       existing = false;
        for (u32 k = 0; k < names.count; k++) {
            const Text package = text_of(names.at[k]);
            if (pattern ? !path_pattern_matches(name.at, package.at) : !text_equal(name, package))
                continue;
            existing = true;
            if (code == EXIT_OK) code = item_add(p, package, RESOURCE_PACKAGE, NULL);
        }
        if (existing) continue;
        if (pattern) {
            fprintf(stderr, "entc: error: no package in \"%s\" matches \"%s\"\n",
                    p->options->folder, name.at);
            code = EXIT_IO;
            continue;
        }
        const char* near = diag_nearest(name, names.at, names.count);
        fprintf(stderr, "entc: error: there is no package \"%s\" in \"%s\"%s%s%s\n", name.at,
                p->options->folder, DIAG_NEAREST(near));
        code = EXIT_IO;
    }
    array_drop(&names);
    return code;
}

/* The resources that were specified, or that patterns match. */
static int specified_add(Pack* p, const PathList* list) {
    int code = EXIT_OK;
    for (u32 i = 0; i < p->options->root_count; i++) {
        const Text root = text_of(p->options->root[i]);
        const bool pattern = path_pattern_is(root.at);
        bool       existing = false;
        for (u32 k = 0; k < list->paths.count; k++) {
            const Text path = text_of(list->paths.at[k]);
            if (pattern ? !path_pattern_matches(root.at, path.at) : !text_equal(root, path))
                continue;
            existing = true;
            if (code == EXIT_OK) code = root_add(p, path.at);
        }
        if (existing) continue;
        const char* near = pattern ? NULL : diag_nearest(root, list->paths.at, list->paths.count);
        fprintf(stderr, "entc: error: no resource in \"%s\" %s \"%s\"%s%s%s\n", p->options->folder,
                pattern ? "matches" : "is", root.at, DIAG_NEAREST(near));
        code = EXIT_IO;
    }
    return code;
}

static int roots_add(Pack* p) {
    PathList list;
    bool     packages = false;
    if (!patterns_are_valid(p->options)) return EXIT_USAGE;
    int code = paths_collect(&list, p->options->folder);
    if (code == EXIT_OK && list.paths.count == 0) {
        fprintf(stderr, "entc: error: there are no resources to pack in \"%s\"\n",
                p->options->folder);
        code = EXIT_INVALID;
    }
    if (code == EXIT_OK && (p->options->package_count || p->options->root_count)) {
        code = packages_add(p, &list);
        const int specified = specified_add(p, &list);
        if (code == EXIT_OK) code = specified;
    } else if (code == EXIT_OK) {
        for (u32 i = 0; i < list.paths.count; i++) packages |= is_package(list.paths.at[i]);
        for (u32 i = 0; i < list.paths.count && code == EXIT_OK; i++) {
            if (!packages || is_package(list.paths.at[i])) code = root_add(p, list.paths.at[i]);
        }
    }
    paths_drop(&list);
    return code;
}

static int item_order(const void* a, const void* b) {
    const PackItem *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

/* Validates all items; everything that is missing or invalid is reported, in their order. */
static int items_collect(Pack* p) {
    Probes probes = {.pack = p};
    int    code = roots_add(p);
    for (u32 i = 0; i < p->items.count; i++) {
        if (i == probes.first + probes.count) probes_run(&probes, i);
        const int followed = item_follow(p, i, &probes.at[i - probes.first]);
        code = MAX_OF(code, followed);
    }
    if (code == EXIT_OK) qsort(p->items.at, p->items.count, sizeof(PackItem), item_order);
    return code;
}

int pack_run(const PackOptions* options, const BlobOptions* known) {
    Pack p = {.options = options, .known = known, .first = NONE};
    int  code = EXIT_OK;
    p.pool = threads_open(options->jobs);
    if (!p.pool) return EXIT_LIMIT;
    code = items_collect(&p);
    workers_open(&p);
    if (code == EXIT_OK) code = plans_make(&p);
    /* Contexts that have compressed with the highest levels remain slow: 1.4 times for 10,000 small resources. */
    workers_close(&p);
    workers_open(&p);
    if (code == EXIT_OK) code = bundle_write(&p);
    plans_drop(&p);
    workers_close(&p);
    threads_close(p.pool);
    slots_drop(&p.slots);
    array_drop(&p.items);
    arena_drop(&p.arena);
    return code;
}
