/* bundle_pack.c - packs the resources that the roots need, each compressed separately, in the order
 * of ids.
 *
 * The same resources give the same bytes, independent of the name of the folder, the order of its
 * files and the number of cores: zstd is used with fixed parameters and one thread, rows and
 * dictionaries are in the order of ids and types, and no path or time is written. Another version
 * of zstd may give other bytes. */
#include "bundle_pack.h"

#include <stdio.h>
#include <stdlib.h>

#include <zdict.h>
#include <zstd.h>

#include "blob_folder.h"
#include "blob_tables.h"
#include "bundle_internal.h"
#include "diag.h"
#include "exit_codes.h"
#include "failure.h"
#include "hash.h"
#include "path_pattern.h"
#include "tree.h"
#include "temporary.h"

/* A dictionary for fewer resources would be a copy of them. */
#define SAMPLES_MIN 8u

/* Larger resources contain enough repetitions themselves. */
#define SAMPLE_BYTES_MAX (128u << 10)

#define SAMPLES_BYTES_MAX    (8u << 20) /* with which a dictionary is trained */
#define DICTIONARY_BYTES_MIN 256u       /* half of this is tables */
#define DICTIONARY_BYTES_MAX (112u << 10)

/* A resource of the bundle. */
typedef struct PackItem {
    u64          id;
    const char*  name;
    ResourceType type;
    const char*  needed_by; /* "levels/town.level"; NULL: a root */
    ResourceRef  hash;      /* of the blob, as stored in the file */
    u32          size;      /* of the blob */
    BundleCodec  codec;
    bool         with_dictionary;
    u32          stored;
    u8*          piece; /* [stored] */
} PackItem;

typedef struct Pack {
    const PackOptions* options;
    const BlobOptions* known;
    Arena              arena;
    ARRAY(PackItem) items;
    Slots      slots; /* of the items, by id */
    u32        first; /* item with the byte order that all others must have; NONE: none was read */
    bool       other_order;
    ZSTD_CCtx* context;
    u8*        room; /* [capacity_bytes] for one frame */
    size_t     capacity_bytes;
    u8*        dictionary[RESOURCE_COUNT]; /* by type; NULL: none */
    u32        dictionary_bytes[RESOURCE_COUNT];
} Pack;

static const char* item_text(Pack* p, const PackItem* item) {
    return arena_print(&p->arena, "%s.%s", item->name, ent_resource_suffix(item->type));
}

static const char* item_path(Pack* p, const PackItem* item) {
    return arena_print(&p->arena, "%s/%s", p->options->folder, item_text(p, item));
}

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

/* Reports which resource needs the missing or invalid one. */
static int item_refused(const PackItem* item, int code) {
    if (item->needed_by) fprintf(stderr, "entc: note: \"%s\" refers to it\n", item->needed_by);
    return code;
}

static int item_error(Pack* p, const PackItem* item, int code, const char* reason) {
    fprintf(stderr, "%s: error: %s\n", item_path(p, item), reason);
    return item_refused(item, code);
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

static ResourceRef hash_in(const BlobFile* file) {
    ResourceRef hash;
    memcpy(&hash, file->bytes + offsetof(BlobHeader, hash), sizeof hash);
    return hash;
}

/* Validates the blob of an item and adds the resources to which it refers. */
static int item_follow(Pack* p, u32 index) {
    BlobFile    file;
    PackItem*   item = &p->items.at[index];
    const char* path = item_path(p, item);
    const char* text = item_text(p, item);
    FileKind    kind;
    if (file_look(path, true, &kind) != ENT_OK) return io_failure("cannot access", path);
    if (kind == FILE_NONE) {
        return item_error(p, item, !item->needed_by ? EXIT_IO : EXIT_INVALID,
                          "the file does not exist");
    }
    int code = blob_file_open(&file, path, p->known);
    if (code != EXIT_OK) return item_refused(item, code);
    code = item_check(p, index, &file);
    item->hash = hash_in(&file);
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

/* Validates all items; everything that is missing or invalid is reported. */
static int items_collect(Pack* p) {
    int code = roots_add(p);
    for (u32 i = 0; i < p->items.count; i++) {
        const int followed = item_follow(p, i);
        code = MAX_OF(code, followed);
    }
    if (code == EXIT_OK) qsort(p->items.at, p->items.count, sizeof(PackItem), item_order);
    return code;
}

/* --- frames --- */

/* Reads a blob again. Its hash shows that it is the blob that was validated. */
static int item_read(Pack* p, const PackItem* item, BlobFile* file) {
    const int code = blob_file_read(file, item_path(p, item));
    if (code != EXIT_OK) return code;
    if (file->size == item->size && resource_id(hash_in(file)) == resource_id(item->hash)) {
        return EXIT_OK;
    }
    blob_file_close(file);
    return item_error(p, item, EXIT_INVALID, "the file was modified while it was being packed");
}

static void zstd_need(size_t code) {
    if (!ZSTD_isError(code)) return;
    fprintf(stderr, "entc: error: zstd: %s\n", ZSTD_getErrorName(code));
    exit(EXIT_LIMIT); /* it fails only when memory is exhausted: the buffer is large enough for any
                       * input */
}

/* Sets all parameters that affect a frame. */
static void context_prepare(Pack* p) {
    p->context = ZSTD_createCCtx();
    if (!p->context) memory_exhausted(0);
    zstd_need(ZSTD_CCtx_setParameter(p->context, ZSTD_c_compressionLevel, (int)p->options->level));
    zstd_need(ZSTD_CCtx_setParameter(p->context, ZSTD_c_contentSizeFlag, 1));
    zstd_need(ZSTD_CCtx_setParameter(p->context, ZSTD_c_checksumFlag, 0));
    zstd_need(ZSTD_CCtx_setParameter(p->context, ZSTD_c_dictIDFlag, 0));
}

/* Writes to p->room. */
static u32 frame_make(Pack* p, const void* bytes, size_t size) {
    const size_t bound = ZSTD_compressBound(size);
    if (bound > p->capacity_bytes) {
        memory_free(p->room);
        p->room = memory_alloc(bound);
        p->capacity_bytes = bound;
    }
    const size_t frame_bytes = ZSTD_compress2(p->context, p->room, p->capacity_bytes, bytes, size);
    zstd_need(frame_bytes);
    return (u32)MIN_OF(frame_bytes, (size_t)UINT32_MAX);
}

static void piece_set(PackItem* item, BundleCodec codec, const void* bytes, u32 stored) {
    memory_free(item->piece);
    item->piece = memory_alloc(stored);
    memcpy(item->piece, bytes, stored);
    item->codec = codec;
    item->stored = stored;
}

/* An uncompressed blob can be used in place; this advantage is valued at a sixteenth of its
 * size. */
static bool frame_pays(u32 frame_bytes, u64 size) { return frame_bytes <= size - size / 16; }

/* Stores the frame, or the blob if compression does not pay. */
static int item_compress(Pack* p, PackItem* item) {
    BlobFile  file;
    const int code = item_read(p, item, &file);
    if (code != EXIT_OK) return code;
    const u32 frame_bytes = p->options->level ? frame_make(p, file.bytes, file.size) : UINT32_MAX;
    if (frame_pays(frame_bytes, item->size))
        piece_set(item, BUNDLE_ZSTD, p->room, frame_bytes);
    else
        piece_set(item, BUNDLE_PLAIN, file.bytes, item->size);
    blob_file_close(&file);
    return EXIT_OK;
}

/* --- dictionaries --- */

/* The samples for a dictionary of one type: concatenated resources that are small enough. */
typedef struct Samples {
    ResourceType type;
    u32          step; /* every n-th of them */
    u8*          bytes;
    size_t*      size; /* [count] */
    u32          count;
    size_t       total;
} Samples;

static bool item_samples(const PackItem* item, ResourceType type) {
    return item->type == type && item->size <= SAMPLE_BYTES_MAX;
}

static int samples_read(Pack* p, Samples* s, ResourceType type) {
    u64 total = 0, seen = 0;
    u32 count = 0;
    int code = EXIT_OK;
    *s = (Samples){.type = type};
    for (u32 i = 0; i < p->items.count; i++) {
        const PackItem* item = &p->items.at[i];
        if (item_samples(item, type)) count++, total += item->size;
    }
    if (count < SAMPLES_MIN) return EXIT_OK;
    s->step = (u32)(total / SAMPLES_BYTES_MAX) + 1;
    s->bytes = memory_alloc((size_t)MIN_OF(total, 2 * (u64)SAMPLES_BYTES_MAX));
    s->size = memory_alloc(sizeof(size_t) * count);
    for (u32 i = 0; i < p->items.count && code == EXIT_OK; i++) {
        const PackItem* item = &p->items.at[i];
        BlobFile        file;
        if (!item_samples(item, type) || seen++ % s->step) continue;
        if (s->total + item->size > MIN_OF(total, 2 * (u64)SAMPLES_BYTES_MAX)) break;
        code = item_read(p, item, &file);
        if (code != EXIT_OK) break;
        memcpy(s->bytes + s->total, file.bytes, file.size);
        s->size[s->count++] = file.size;
        s->total += file.size;
        blob_file_close(&file);
    }
    return code;
}

static void samples_drop(Samples* s) {
    memory_free(s->bytes);
    memory_free(s->size);
}

/* The size of the samples with a dictionary (or none), each stored in the smallest form. */
static u64 samples_stored(Pack* p, const Samples* s, const ZSTD_CDict* with) {
    size_t at = 0;
    u64    stored = 0;
    zstd_need(ZSTD_CCtx_refCDict(p->context, with));
    for (u32 i = 0; i < s->count; at += s->size[i], i++) {
        const u32 frame_bytes = frame_make(p, s->bytes + at, s->size[i]);
        stored += frame_pays(frame_bytes, s->size[i]) ? frame_bytes : s->size[i];
    }
    zstd_need(ZSTD_CCtx_refCDict(p->context, NULL));
    return stored;
}

static ZSTD_CDict* dictionary_digest(const Pack* p, const void* bytes, size_t size) {
    ZSTD_CDict* digested = ZSTD_createCDict(bytes, size, (int)p->options->level);
    if (!digested) memory_exhausted(size);
    return digested;
}

/* Returns the size of the dictionary with the largest gain on the samples, which is stored in
 * `best`; 0: none has a gain. */
static size_t dictionary_train(Pack* p, const Samples* s, u8* best) {
    const u64 plain = samples_stored(p, s, NULL);
    u64       min = plain * s->step;
    size_t    best_bytes = 0;
    u8*       trial = memory_alloc(DICTIONARY_BYTES_MAX);
    for (u32 share = 4; share <= 64; share *= 2) {
        const size_t room = MIN_OF(s->total / share, (size_t)DICTIONARY_BYTES_MAX);
        if (room < DICTIONARY_BYTES_MIN) break;
        const size_t frame_bytes = ZDICT_trainFromBuffer(trial, room, s->bytes, s->size, s->count);
        if (ZDICT_isError(frame_bytes)) continue; /* too few repetitions */
        ZSTD_CDict* digested = dictionary_digest(p, trial, frame_bytes);
        const u64   stored = samples_stored(p, s, digested) * s->step + frame_bytes;
        ZSTD_freeCDict(digested);
        if (stored >= min) continue;
        min = stored;
        best_bytes = frame_bytes;
        memcpy(best, trial, frame_bytes);
    }
    memory_free(trial);
    return best_bytes;
}

/* Compresses every resource of the type with the dictionary and keeps the result when the bundle
 * becomes smaller, including the row of the dictionary. */
static int dictionary_try(Pack* p, ResourceType type, const u8* bytes, size_t size) {
    u64         gain = 0;
    int         code = EXIT_OK;
    PackItem*   tried = memory_alloc(sizeof(PackItem) * p->items.count);
    ZSTD_CDict* digested = dictionary_digest(p, bytes, size);
    zstd_need(ZSTD_CCtx_refCDict(p->context, digested));
    for (u32 i = 0; i < p->items.count && code == EXIT_OK; i++) {
        const PackItem* item = &p->items.at[i];
        BlobFile        file;
        if (item->type != type) continue;
        code = item_read(p, item, &file);
        if (code != EXIT_OK) break;
        const u32 frame_bytes = frame_make(p, file.bytes, file.size);
        if (frame_bytes < item->stored && frame_pays(frame_bytes, item->size)) {
            piece_set(&tried[i], BUNDLE_ZSTD, p->room, frame_bytes);
            gain += item->stored - frame_bytes;
        }
        blob_file_close(&file);
    }
    zstd_need(ZSTD_CCtx_refCDict(p->context, NULL));
    ZSTD_freeCDict(digested);
    const bool keep = code == EXIT_OK && gain > size + sizeof(BundleDictionary);
    for (u32 i = 0; i < p->items.count; i++) {
        if (!tried[i].piece) continue;
        PackItem* item = &p->items.at[i];
        if (keep) {
            piece_set(item, BUNDLE_ZSTD, tried[i].piece, tried[i].stored);
            item->with_dictionary = true;
        }
        memory_free(tried[i].piece);
    }
    memory_free(tried);
    if (!keep) return code;
    p->dictionary[type] = memory_alloc(size);
    memcpy(p->dictionary[type], bytes, size);
    p->dictionary_bytes[type] = (u32)size;
    return code;
}

static int dictionaries_make(Pack* p) {
    u8* room = memory_alloc(DICTIONARY_BYTES_MAX);
    int code = EXIT_OK;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT && code == EXIT_OK; type++) {
        Samples samples;
        code = samples_read(p, &samples, (ResourceType)type);
        if (code == EXIT_OK && samples.count >= SAMPLES_MIN) {
            const size_t bytes = dictionary_train(p, &samples, room);
            if (bytes) code = dictionary_try(p, (ResourceType)type, room, bytes);
        }
        samples_drop(&samples);
    }
    memory_free(room);
    return code;
}

/* --- the bundle --- */

typedef ARRAY(FilePart) Parts;

static void part_add(Parts* parts, u64* end, const void* at, size_t bytes) {
    if (bytes) *array_push(parts) = (FilePart){at, bytes};
    *end += bytes;
}

static void halves(u64 value, u32* lo, u32* hi) {
    *lo = (u32)value;
    *hi = (u32)(value >> 32);
}

/* Fills the rows of the dictionaries, and `row` [RESOURCE_COUNT] with the row of each type. */
static void dictionaries_lay(Pack* p, BundleDictionary* rows, u32* row, Parts* parts, u64* end) {
    u32 count = 0;
    for (u32 type = RESOURCE_NONE; type < RESOURCE_COUNT; type++) {
        row[type] = BUNDLE_NO_DICTIONARY;
        if (!p->dictionary[type]) continue;
        const u64         hash = hash_bytes(p->dictionary[type], p->dictionary_bytes[type], 0);
        BundleDictionary* d = &rows[count];
        *d = (BundleDictionary){
            .type = type, .bytes = p->dictionary_bytes[type], .hash = resource_ref(hash)};
        halves(*end, &d->offset_lo, &d->offset_hi);
        part_add(parts, end, p->dictionary[type], p->dictionary_bytes[type]);
        row[type] = count++;
    }
}

static void items_lay(Pack* p, BundleResource* rows, char* names, const u32* dictionary,
                      Parts* parts, u64* end) {
    static const u8 zeros[BLOB_ALIGN];
    u32             name = 0;
    for (u32 i = 0; i < p->items.count; i++) {
        const PackItem* item = &p->items.at[i];
        BundleResource* r = &rows[i];
        if (item->codec == BUNDLE_PLAIN) {
            part_add(parts, end, zeros, (size_t)(align_up(*end, BLOB_ALIGN) - *end));
        }
        *r = (BundleResource){.id = resource_ref(item->id),
                              .type = item->type,
                              .name = name,
                              .stored = item->stored,
                              .size = item->size,
                              .codec = item->codec,
                              .dictionary = item->with_dictionary ? dictionary[item->type]
                                                                  : BUNDLE_NO_DICTIONARY,
                              .hash = resource_ref(hash_bytes(item->piece, item->stored, 0))};
        halves(*end, &r->offset_lo, &r->offset_hi);
        strcpy(names + name, item->name);
        name += (u32)strlen(item->name) + 1;
        part_add(parts, end, item->piece, item->stored);
    }
}

/* The index, before all other parts. */
static u8* index_make(Pack* p, Parts* parts, u64* end) {
    BundleHeader header = {.magic = {'E', 'N', 'T', 'P'},
                           .byte_order = BLOB_BYTE_ORDER,
                           .version = BUNDLE_VERSION,
                           .resource_count = p->items.count};
    u32          row[RESOURCE_COUNT];
    BlobFault    fault;
    Bundle       bundle;
    for (u32 i = 0; i < RESOURCE_COUNT; i++) header.dictionary_count += p->dictionary[i] != NULL;
    for (u32 i = 0; i < p->items.count; i++) {
        header.name_bytes += (u32)strlen(p->items.at[i].name) + 1;
    }
    const u64         bytes = bundle_index_bytes(&header);
    u8*               index = memory_alloc((size_t)bytes);
    BundleResource*   resource = (BundleResource*)(index + sizeof header);
    BundleDictionary* dictionary = (BundleDictionary*)(resource + header.resource_count);
    *end = 0;
    part_add(parts, end, index, (size_t)bytes);
    dictionaries_lay(p, dictionary, row, parts, end);
    items_lay(p, resource, (char*)(dictionary + header.dictionary_count), row, parts, end);
    halves(*end, &header.bytes_lo, &header.bytes_hi);
    memcpy(index, &header, sizeof header);
    header.hash = resource_ref(bundle_hash(index, bytes));
    memcpy(index, &header, sizeof header);
    if (bundle_validate(&bundle, index, index, *end, true, &fault) != ENT_OK) {
        fprintf(stderr, "entc: internal error: the packed bundle is invalid: %s: %s\n", fault.field,
                fault.reason);
        abort();
    }
    if (p->other_order) bundle_swap(index, true);
    return index;
}

static int bundle_write(Pack* p) {
    Parts       parts = {0};
    u64         end, blobs = 0;
    FileChange  change;
    int         code = EXIT_OK;
    const char* path = p->options->file;
    u8*         index = index_make(p, &parts, &end);
    for (u32 i = 0; i < p->items.count; i++) blobs += p->items.at[i].size;
    folder_sweep(path);
    if (file_replace_parts(path, parts.at, parts.count, &change, NULL) != ENT_OK) {
        code = io_failure("cannot write", path);
    } else if (p->options->verbose) {
        fprintf(stderr, "entc: %u resources, %llu bytes packed into %llu, %s\n", p->items.count,
                (unsigned long long)blobs, (unsigned long long)end,
                change == FILE_CHANGED ? "written" : "unchanged");
    }
    memory_free(index);
    array_drop(&parts);
    return code;
}

int pack_run(const PackOptions* options, const BlobOptions* known) {
    Pack p = {.options = options, .known = known, .first = NONE};
    int  code = items_collect(&p);
    if (code == EXIT_OK) context_prepare(&p);
    for (u32 i = 0; i < p.items.count && code == EXIT_OK; i++) {
        code = item_compress(&p, &p.items.at[i]);
    }
    if (code == EXIT_OK && options->level) code = dictionaries_make(&p);
    if (code == EXIT_OK) code = bundle_write(&p);
    for (u32 i = 0; i < p.items.count; i++) memory_free(p.items.at[i].piece);
    for (u32 i = 0; i < RESOURCE_COUNT; i++) memory_free(p.dictionary[i]);
    ZSTD_freeCCtx(p.context);
    memory_free(p.room);
    slots_drop(&p.slots);
    array_drop(&p.items);
    arena_drop(&p.arena);
    return code;
}
