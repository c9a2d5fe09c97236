/* make fuzz target=links seconds=60
 *
 * Arbitrary references in a build database, beside unchanged sources and outputs: the commands that read them end
 * without a fault, and the sources are unchanged, because nothing but a dry run is requested. */
#include <stdlib.h>

#include "build.h"
#include "database.h"
#include "database_links.h"
#include "exit_codes.h"
#include "fuzz.h"
#include "hash.h"
#include "memory.h"
#include "move.h"
#include "png_write.h"
#include "refs.h"

#define PLACE       ".out.entc/database"
#define HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

static FuzzFiles sources;
static u8*       rows; /* [rows_bytes] of the database, without references, aligned for them */
static size_t    rows_bytes;
static Hash128   identity; /* of this program */

/* What the project of all targets does not have: a file of each form, and a place of each kind. */
static void sources_add(void) {
    static const struct {
        const char *path, *text;
    } files[] = {
        {"src/all.package.json", "{ \"roots\": [\"levels/yard.level\", \"props/*.entity\"] }\n"},
        {"src/game/health.component.json",
         "{ \"fields\": { \"points\": { \"type\": \"u32\", \"text\": \"left\" } } }\n"},
        {"src/props/red.texture.json", "{ \"image\": \"../art/red.png\" }\n"},
        {"src/props/hut.entity.json",
         "{ \"components\": { \"health\": { \"points\": 3 },\n"
         "  \"decal\": { \"color_texture\": \"props/red\" } },\n"
         "  \"children\": [ { \"name\": \"x\", \"prefab\": \"props/\\u006camp\" } ] }\n"},
        {"src/notes.txt", "no source\n"},
    };
    static const char text[] =
        "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{\"name\":\"peg\",\"extras\":{\"components\":"
        "{\"health\":{\"points\":2}}}}],\"scenes\":[{\"nodes\":[0]}],\"scene\":0}   ";
    const u32 json = (u32)(sizeof text - 1) / 4 * 4;
    u32       glb[128] = {0x46546c67u, 2, 20 + json, json, 0x4e4f534au};
    for (u32 i = 0; i < COUNT_OF(files); i++)
        fuzz_write(files[i].path, files[i].text, strlen(files[i].text));
    memcpy(glb + 5, text, json);
    fuzz_write("src/models/peg.glb", glb, 20 + json);
    const u8 pixels[16] = {200, 0, 0, 255, 0, 200, 0, 255, 0, 0, 200, 255, 9, 9, 9, 255};
    u8*      png;
    u64      bytes;
    if (png_encode(pixels, 2, 2, 4, &png, &bytes)) abort();
    fuzz_write("src/art/red.png", png, bytes);
    fuzz_write("src/mark.png", png, bytes);
    memory_free(png);
}

static void prepare(void) {
    const BuildOptions plain = {0};
    size_t             size;
    StoredHead         stored;
    DatabaseHead       head;
    if (sources.count) return;
    sources_add();
    if (fuzz_build(&plain, "out") != EXIT_OK) abort();
    const BuildOptions o = {
        .source = fuzz_path("src"), .out = fuzz_path("out"), .jobs = 1, .messages.quiet = true};
    if (refs_run(&o, "props/lamp.entity", false) != EXIT_OK) abort();
    rows = fuzz_read(PLACE, &size);
    if (!rows) abort();
    memcpy(&head, rows, sizeof head);
    rows_bytes = size - head.links_bytes;
    memcpy(&stored, rows + rows_bytes, sizeof stored);
    identity = stored.identity;
    fuzz_seed("links", rows + rows_bytes, head.links_bytes);
    fuzz_keep(&sources, "src");
}

void fuzz_links_seeds(void) { prepare(); }

/* Stored by this program, so that only the rows decide whether they are used. */
void fuzz_links_repair(u8* data, size_t size) {
    StoredHead head;
    if (size < sizeof head) return;
    memcpy(&head, data, sizeof head);
    head.identity = identity;
    memcpy(data, &head, sizeof head);
    void* part = aligned_alloc(16, align_up(size, 16));
    memcpy(part, data, size);
    stored_seal((Text){part, (u32)size});
    memcpy(data, part, size);
    free(part);
}

static bool is_read(const u8* data, size_t size) {
    Stored stored;
    return stored_open(&stored, (Text){(const char*)data, (u32)size});
}

/* The database with these references. */
static void database_write(const u8* data, size_t size) {
    DatabaseHead head;
    u8*          bytes = malloc(rows_bytes + size);
    memcpy(&head, rows, sizeof head);
    head.links_bytes = (u32)size;
    const size_t end = (size_t)database_rows_end(&head);
    const size_t begin = size ? rows_bytes : end;
    memcpy(bytes, rows, rows_bytes);
    memcpy(bytes + begin, data, size);
    memcpy(bytes, &head, sizeof head);
    head.hash = hash_content(bytes + HASHED_FROM, end - HASHED_FROM);
    memcpy(bytes, &head, sizeof head);
    fuzz_write(PLACE, bytes, begin + size);
    free(bytes);
}

/* The output of a command is discarded, except that of the fuzzer. */
static void commands_run(const u8* data, size_t size) {
    const BuildOptions       o = {.source = fuzz_path("src"),
                                  .out = fuzz_path("out"),
                                  .jobs = 1,
                                  .messages.quiet = true,
                                  .mode = BUILD_DRY_RUN};
    static const char* const moves[][2] = {
        {"props/lamp.entity", "props/torch.entity"},
        {"props/red.texture", "red.texture"},
        {"models/peg.entity", "models/pin.entity"},
        {"game/health.component", "game/life.component"},
        {"models", "shapes"},
        {"art", "drawings"},
    };
    const u32 pick = (u32)hash_bytes(data, size, 0);
    refs_run(&o, "props/lamp.entity", pick & 1);
    unused_run(&o, NULL, 0, true, pick & 2);
    move_run(&o, moves[pick % COUNT_OF(moves)][0], moves[pick % COUNT_OF(moves)][1]);
    move_entity_run(&o, "props/hut.entity:x", "y");
}

void fuzz_links(const u8* data, size_t size) {
    prepare();
    void* bytes = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(bytes, data, size);
    const bool used = is_read(bytes, size) || hash_bytes(data, size, 0) % 64 == 0;
    if (used) {
        database_write(data, size);
        commands_run(data, size);
        if (hash_bytes(data, size, 1) % 16 == 0) fuzz_same(&sources, "src", NULL);
    }
    free(bytes);
}

FUZZ_TARGET(links)
