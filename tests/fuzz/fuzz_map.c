/* make fuzz target=map seconds=60
 *
 * An arbitrary source map, beside the blob that it names: every command that reads maps prints the
 * blob, reports an error in it and compares it with another one. */
#include <stdlib.h>

#include "build.h"
#include "exit_codes.h"
#include "fuzz.h"
#include "hash.h"
#include "inspect.h"
#include "source_map.h"

#define BLOB      "levels/yard.level"
#define END_BYTES 23u /* "end 0x", 16 digits and a newline */

static u8*    blob; /* [blob_bytes] */
static size_t blob_bytes;

static void prepare(void) {
    const BuildOptions maps = {.compile.source_map = true},
                       french = {.compile.source_map = true, .variant.lang = "fr"};
    if (blob) return;
    if (fuzz_build(&french, "french") != EXIT_OK || fuzz_build(&maps, "out") != EXIT_OK) abort();
    blob = fuzz_read("out/" BLOB, &blob_bytes);
    fuzz_write("broken/" BLOB, blob, blob_bytes - 1);
}

void fuzz_map_seeds(void) {
    static const char* const names[] = {BLOB, "props/gate.entity", "models/box/box.mesh"};
    prepare();
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        char   name[256];
        size_t size;
        snprintf(name, sizeof name, "out/%s" SOURCE_MAP_SUFFIX, names[i]);
        u8* map = fuzz_read(name, &size);
        snprintf(name, sizeof name, "map_%u", i);
        fuzz_seed(name, map, size);
        free(map);
    }
}

/* The hash at the end, and the blob that the map names, if it names one. */
void fuzz_map_repair(u8* data, size_t size) {
    const size_t at = strlen(SOURCE_MAP_MAGIC "blob 0x");
    char         text[32];
    BlobHeader   header;
    prepare();
    memcpy(&header, blob, sizeof header);
    if (size < END_BYTES + at + 16) return;
    snprintf(text, sizeof text, "%016llx", (unsigned long long)resource_id(header.hash));
    if (memcmp(data, SOURCE_MAP_MAGIC "blob 0x", at) == 0) memcpy(data + at, text, 16);
    snprintf(text, sizeof text, "end 0x%016llx\n",
             (unsigned long long)hash_bytes(data, size - END_BYTES, 0));
    memcpy(data + size - END_BYTES, text, END_BYTES);
}

static void map_put(const char* name, const u8* data, size_t size) {
    char path[256];
    snprintf(path, sizeof path, "%s" SOURCE_MAP_SUFFIX, name);
    fuzz_write(path, data, size);
}

static void broken_verify(void) {
    const char* broken = fuzz_path("broken/" BLOB);
    if (inspect_verify(&broken, 1, NULL, UINT64_MAX, false) == EXIT_OK) abort();
}

/* The commands that print places, with an accepted map. */
static void places_show(void) {
    for (u32 form = DIFF_TEXT; form <= DIFF_JSON; form++) {
        if (inspect_diff(fuzz_path("out/" BLOB), fuzz_path("french/" BLOB), (DiffForm)form, NULL) >
            EXIT_USAGE) {
            abort();
        }
    }
    for (size_t at = sizeof(BlobHeader); at < blob_bytes; at += 77) { /* damage at some place */
        blob[at] ^= 0x80;
        fuzz_write("broken/" BLOB, blob, blob_bytes);
        blob[at] ^= 0x80;
        broken_verify();
    }
}

void fuzz_map(const u8* data, size_t size) {
    const BuildOptions plain = {0};
    const char*        verified;
    prepare();
    u8* map = malloc(size + 1);
    memcpy(map, data, size);
    if (size > END_BYTES && memcmp(data + size - END_BYTES, "end 0x", 6) == 0)
        fuzz_map_repair(map, size); /* of an earlier entc */
    map_put("out/" BLOB, map, size);
    map_put("broken/" BLOB, map, size);
    if (inspect_dump(fuzz_path("out/" BLOB), DUMP_ANNOTATE, NULL) != EXIT_OK) abort();
    verified = fuzz_path("out/" BLOB SOURCE_MAP_SUFFIX);
    const bool taken = inspect_verify(&verified, 1, NULL, UINT64_MAX, false) == EXIT_OK;
    broken_verify(); /* also with a refused map */
    if (taken) places_show();
    const bool builds = taken || hash_bytes(data, size, 0) % 16 == 0; /* which removes the map */
    if (builds && fuzz_build(&plain, "out") != EXIT_OK) abort();
    free(map);
}

FUZZ_TARGET(map)
