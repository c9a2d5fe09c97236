/* make fuzz target=cache seconds=60
 *
 * One arbitrary entry of a cache, among those that a build stored: a build that uses the cache ends
 * without error and writes what a clean one writes. The bytes of a blob or a map in an entry are
 * trusted: that output may differ, if it equals the content of the entry. */
#include <stdlib.h>

#include "build.h"
#include "exit_codes.h"
#include "fuzz.h"
#include "hash.h"
#include "database.h"

/* As in cache.c. */
typedef struct EntryHead {
    char    magic[8];
    u32     version, spare;
    u64     manifest_bytes, notes_bytes, size;
    Hash128 hash; /* of everything after the head */
} EntryHead;

#define PLACE_BYTES 38 /* "entc ", 32 digits, a newline: the beginning of a manifest */

static FuzzFiles clean, entries, sources;
static char      place[PLACE_BYTES]; /* of the environment of this program */

static void project_build(void) {
    const BuildOptions options = {.compile.source_map = true, .cache = fuzz_path("cache")};
    if (fuzz_build(&options, "out") != EXIT_OK) abort();
}

static void prepare(void) {
    if (clean.count) return;
    fuzz_remove("out");
    fuzz_remove("cache");
    for (u32 i = 0; i < 2; i++) { /* the second one fills the lists of inputs */
        fuzz_remove(".out.entc");
        project_build();
    }
    fuzz_keep(&clean, "out");
    fuzz_keep(&entries, "cache");
    fuzz_keep(&sources, "src");
    memcpy(place, entries.file[0].bytes + sizeof(EntryHead), PLACE_BYTES);
}

void fuzz_cache_seeds(void) {
    prepare();
    for (u32 i = 0; i < entries.count; i++) {
        char name[64];
        snprintf(name, sizeof name, "entry_%u", i);
        fuzz_seed(name, entries.file[i].bytes, entries.file[i].size);
    }
}

void fuzz_cache_repair(u8* data, size_t size) {
    EntryHead head;
    if (size < sizeof head) return;
    memcpy(&head, data, sizeof head);
    head.hash = hash_content(data + sizeof head, size - sizeof head);
    memcpy(data, &head, sizeof head);
}

/* The path of the entry in the folder: by the hash of its manifest, whose environment is set to the
 * current one. */
static void entry_place(u8* data, size_t size, char* name, size_t bytes) {
    EntryHead head;
    Hash128   hash = {0, 0};
    if (size >= sizeof head) {
        memcpy(&head, data, sizeof head);
        const bool fits = head.manifest_bytes <= size - sizeof head;
        const bool valid =
            hash_equal(head.hash, hash_content(data + sizeof head, size - sizeof head));
        if (fits && head.manifest_bytes > PLACE_BYTES && memcmp(data + sizeof head, place, 5) == 0)
            memcpy(data + sizeof head, place, PLACE_BYTES);
        if (valid) fuzz_cache_repair(data, size);
        if (fits) hash = hash_content(data + sizeof head, head.manifest_bytes);
    }
    snprintf(name, bytes, "cache/%02x/%014llx%016llx", (u32)(hash.high >> 56),
             (unsigned long long)(hash.high & 0xffffffffffffffu), (unsigned long long)hash.low);
}

/* The output that equals the content of the entry; NULL: there is none. */
static const char* output_of(const u8* data, size_t size) {
    EntryHead head;
    if (size < sizeof head) return NULL;
    memcpy(&head, data, sizeof head);
    if (head.size > size - sizeof head) return NULL;
    for (u32 i = 0; i < clean.count; i++) {
        char   name[4096];
        size_t bytes;
        snprintf(name, sizeof name, "out/%s", clean.file[i].name);
        u8*        output = fuzz_read(name, &bytes);
        const bool same =
            output && bytes == head.size && memcmp(output, data + size - bytes, bytes) == 0;
        free(output);
        if (same) return clean.file[i].name;
    }
    return NULL;
}

static bool is_known(const char* name) {
    for (u32 i = 0; i < entries.count; i++) {
        if (strcmp(entries.file[i].name, name + strlen("cache/")) == 0) return true;
    }
    return false;
}

/* The content of the entry except its manifest, under a manifest that a build requests: any other
 * is never read. */
static u8* entry_adopt(const u8* data, size_t* size) {
    const FuzzFile* known = &entries.file[hash_bytes(data, *size, 0) % entries.count];
    EntryHead       head, theirs;
    memcpy(&head, data, sizeof head);
    memcpy(&theirs, known->bytes, sizeof theirs);
    const size_t manifest = head.manifest_bytes <= *size - sizeof head ? head.manifest_bytes : 0;
    const size_t rest = *size - sizeof head - manifest;
    u8*          entry = malloc(sizeof head + theirs.manifest_bytes + rest + 1);
    head = theirs;
    head.notes_bytes = MIN_OF(head.notes_bytes, rest);
    head.size = rest - head.notes_bytes;
    memcpy(entry, &head, sizeof head);
    memcpy(entry + sizeof head, known->bytes + sizeof head, theirs.manifest_bytes);
    memcpy(entry + sizeof head + theirs.manifest_bytes, data + *size - rest, rest);
    *size = sizeof head + theirs.manifest_bytes + rest;
    fuzz_cache_repair(entry, *size);
    return entry;
}

/* An entry is also trusted for the resources of a model, unless something makes a build read it. */
static void missing_restore(void) {
    for (u32 i = 0; i < clean.count; i++) {
        const FuzzFile* file = &clean.file[i];
        char            name[4096];
        size_t          size;
        snprintf(name, sizeof name, "out/%s", file->name);
        u8* bytes = strncmp(file->name, "models/box/", 11) == 0 ? fuzz_read(name, &size) : NULL;
        if (!bytes && strncmp(file->name, "models/box/", 11) == 0)
            fuzz_write(name, file->bytes, file->size);
        free(bytes);
    }
}

static void entry_take(u8* entry, size_t size, const char* name) {
    fuzz_remove("out");
    fuzz_write(".out.entc/database", "", 0);
    fuzz_restore(&entries, "cache");
    fuzz_write(name, entry, size);
    project_build();
    missing_restore();
    fuzz_same(&clean, "out", output_of(entry, size));
    project_build();
    fuzz_same(&sources, "src", NULL);
}

void fuzz_cache(const u8* data, size_t size) {
    char name[256];
    prepare();
    u8* entry = malloc(size + 1);
    memcpy(entry, data, size);
    entry_place(entry, size, name, sizeof name);
    if (!is_known(name) && size >= sizeof(EntryHead)) {
        u8* adopted = entry_adopt(entry, &size);
        free(entry);
        entry = adopted;
        entry_place(entry, size, name, sizeof name);
    }
    entry_take(entry, size, name);
    free(entry);
}

FUZZ_TARGET(cache)
