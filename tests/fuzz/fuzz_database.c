/* make fuzz target=database seconds=60
 *
 * An arbitrary build database, beside an unchanged output folder: the commands that read it end
 * without error, the outputs are unchanged, and so are foreign files. What it records about the
 * content of unchanged files is trusted, so an output may be removed; a build that does not read
 * the database restores it. */
#include <stdlib.h>

#include "build.h"
#include "exit_codes.h"
#include "fuzz.h"
#include "hash.h"
#include "database.h"
#include "why.h"

#define PLACE       ".out.entc/database"
#define HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

static FuzzFiles clean, sources;
static char*     environment; /* of this program */

/* The record of a build with these options. */
static void record_seed(const BuildOptions* options, const char* name) {
    size_t size;
    fuzz_remove("out");
    if (fuzz_build(options, "out") != EXIT_OK) abort();
    u8*                 bytes = fuzz_read(PLACE, &size);
    const DatabaseHead* head = (const void*)bytes;
    const char*         text = (const char*)bytes + size - head->text_bytes;
    free(environment);
    environment = strdup(text + head->environment);
    fuzz_seed(name, bytes, size);
    free(bytes);
}

/* The record of a build that another one has extended by parts, each with the first product. */
static void record_seed_parts(void) {
    Database db;
    size_t   size;
    if (database_open(&db, fuzz_path("out"), DATABASE_ALL) != ENT_OK || !db.head) abort();
    const DatabaseRead read = db.reads[db.products[0].first_read];
    for (u32 i = 0; i < 2; i++) {
        DatabaseDraft d;
        draft_begin(&d, &db, 1);
        d.kept = 0;
        d.index = db.head->index;
        *array_push(&d.files) = db.files[read.file];
        d.files.at[0].path = draft_text_again(&d, db.files[read.file].path);
        for (u32 k = 0; k <= i; k++) {
            *array_push(&d.reads) = read;
            d.reads.at[k].file = d.reads.at[k].place.file = 0;
            d.reads.at[k].name = draft_text_again(&d, read.name);
        }
        DatabaseProduct p = db.products[0];
        p.name = draft_text_again(&d, p.name);
        p.reason = draft_text_again(&d, p.reason);
        p.file = p.first_read = p.first_need = p.need_count = 0;
        p.read_count = i + 1;
        p.map = NONE;
        *array_push(&d.products) = p;
        if (draft_append(&d, &db, fuzz_path("out")) != ENT_OK) abort();
    }
    database_close(&db);
    u8* bytes = fuzz_read(PLACE, &size);
    fuzz_seed("parts", bytes, size);
    free(bytes);
}

static void prepare(void) {
    const BuildOptions plain = {0}, maps = {.compile.source_map = true},
                       french = {.variant.lang = "fr"};
    if (clean.count) return;
    record_seed(&french, "french");
    record_seed(&maps, "maps");
    record_seed(&plain, "plain");
    record_seed_parts();
    fuzz_write("out/mine.material", "mine\n", 5);
    fuzz_keep(&clean, "out");
    fuzz_keep(&sources, "src");
}

void fuzz_database_seeds(void) { prepare(); }

/* Where the database at the beginning of these bytes ends; all of them, if that cannot be. */
static size_t end_of(const u8* data, size_t size) {
    DatabaseHead head;
    memcpy(&head, data, sizeof head);
    const u64 end = database_rows_end(&head);
    return end <= size && head.links_bytes == 0 ? (size_t)end : size;
}

/* The hashes of the database and of the parts behind it, each of which begins with that of the one before. */
void fuzz_database_repair(u8* data, size_t size) {
    DatabaseHead head;
    for (size_t at = 0; size - at >= sizeof head;) {
        const size_t end = end_of(data + at, size - at);
        memcpy(&head, data + at, sizeof head);
        head.hash = hash_content(data + at + HASHED_FROM, end - HASHED_FROM);
        memcpy(data + at, &head, sizeof head);
        at = (size_t)align_up(at + end, 16);
        if (at + sizeof head.hash > size) return;
        memcpy(data + at, &head.hash, sizeof head.hash);
        at += sizeof head.hash;
    }
}

/* A seed is of an earlier entc: its environment is replaced by the current one, at the end of its
 * text. Text that does not look like an environment is kept. */
static u8* environment_renew(const u8* data, size_t* size) {
    DatabaseHead head;
    const size_t more = strlen(environment) + 1;
    u8*          bytes = calloc(1, *size + more + 16);
    memcpy(bytes, data, *size);
    if (*size < sizeof head) return bytes;
    memcpy(&head, bytes, sizeof head);
    const size_t  end = end_of(data, *size), parts = (size_t)align_up(end, 16);
    const Hash128 hash = hash_content(data + HASHED_FROM, end - HASHED_FROM);
    if (!hash_equal(hash, head.hash) || head.text_bytes > end || head.text_bytes == 0 ||
        head.environment >= head.text_bytes) {
        return bytes;
    }
    const char* text = (const char*)bytes + end - head.text_bytes;
    if (memcmp(text + head.environment, environment, 4) != 0) return bytes;
    head.environment = head.text_bytes;
    head.text_bytes += (u32)more;
    memcpy(bytes, &head, sizeof head);
    memcpy(bytes + end, environment, more);
    if (parts < *size) {
        const size_t behind = (size_t)align_up(end + more, 16);
        memset(bytes + end + more, 0, behind - end - more);
        memcpy(bytes + behind, data + parts, *size - parts);
        *size = behind + *size - parts;
    } else {
        *size = end + more;
    }
    fuzz_database_repair(bytes, *size);
    return bytes;
}

static void outputs_check(void) {
    const BuildOptions complete = {.force = true};
    size_t             size;
    for (u32 i = 0; i < clean.count; i++) {
        char name[4096];
        snprintf(name, sizeof name, "out/%s", clean.file[i].name);
        u8*        bytes = fuzz_read(name, &size);
        const bool same =
            bytes && size == clean.file[i].size && memcmp(bytes, clean.file[i].bytes, size) == 0;
        if (bytes ? !same : strcmp(clean.file[i].name, "mine.material") == 0) abort();
        free(bytes);
    }
    if (fuzz_build(&complete, "out") != EXIT_OK) abort();
    fuzz_same(&clean, "out", NULL);
    fuzz_same(&sources, "src", NULL);
}

/* The output of a command is discarded, except that of the fuzzer. */
static void commands_run(bool maps) {
    BuildOptions options = {.source = fuzz_path("src"),
                            .out = fuzz_path("out"),
                            .report = fuzz_path("report.json"),
                            .jobs = 1,
                            .messages.quiet = true,
                            .compile.source_map = maps};
    BuildOptions check = options;
    check.report = NULL, check.mode = BUILD_CHECK;
    if (why_run(&check, NULL) != EXIT_OK) abort();
    const int code = build_run(&check, NULL);
    if (code != EXIT_OK && code != EXIT_INVALID) abort();
    if (build_run(&options, NULL) != EXIT_OK) abort();
    options.report = NULL, options.compile.source_map = false;
    if (build_run(&options, NULL) != EXIT_OK) abort();
}

/* A refused database is treated as missing: to save time, only some of those are used for a
 * build. */
static bool is_read(bool anyway) {
    Database   database;
    const bool read =
        database_open(&database, fuzz_path("out"), DATABASE_ALL) == ENT_OK && database.head;
    database_close(&database);
    return read || anyway;
}

void fuzz_database(const u8* data, size_t size) {
    prepare();
    size_t     bytes = size;
    u8*        record = environment_renew(data, &bytes);
    const bool maps = size > 0 && data[size - 1] % 2;
    fuzz_restore(&clean, "out");
    fuzz_write(PLACE, record, bytes);
    if (!is_read(hash_bytes(data, size, 0) % 16 == 0)) {
        free(record);
        return;
    }
    commands_run(maps);
    outputs_check();
    free(record);
}

FUZZ_TARGET(database)
