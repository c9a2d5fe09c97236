/* test_cache_notes.c - what a cache entry states about a model or a product: forged entries, with a valid hash, never
 * change a result. */
#include <stdio.h>
#include <stdlib.h>

#include "cache.h"
#include "test.h"
#include "test_cache_entry.h"
#include "test_image_files.h"

#define BUILD  "entc build src -o out --cache cache --manifest man"
#define RESULT "find out -type f | LC_ALL=C sort | xargs cksum && cat man"

/* That of a model has notes and no bytes. */
typedef struct Entry {
    char *manifest, *notes;
    u8*   bytes;
    u64   size;
} Entry;

static void entry_drop(Entry* entry) {
    free(entry->manifest);
    free(entry->notes);
    free(entry->bytes);
}

static char* text_copied(const u8* at, size_t bytes) {
    char* text = calloc(1, bytes + 1);
    memcpy(text, at, bytes);
    return text;
}

/* The entry of a model or a product whose notes contain such a line. */
static Entry entry_of(const char* folder, bool of_model, const char* line) {
    TestRun run = test_command(folder, "find cache -type f -path 'cache/*/*'");
    Entry   found = {0};
    for (char* name = strtok(run.out, "\n"); name; name = strtok(NULL, "\n")) {
        char      path[1200];
        EntryHead head;
        size_t    size;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        u8* bytes = test_read(path, &size);
        assert_true(bytes && size >= sizeof head);
        memcpy(&head, bytes, sizeof head);
        const u8* manifest = bytes + sizeof head;
        if ((head.size == 0) == of_model && head.notes_bytes > 0) {
            const u8*  at = manifest + head.manifest_bytes;
            Entry      entry = {.manifest = text_copied(manifest, head.manifest_bytes),
                                .notes = text_copied(at, head.notes_bytes),
                                .bytes = (u8*)text_copied(at + head.notes_bytes, head.size),
                                .size = head.size};
            const bool other = found.notes || !strstr(entry.notes, line);
            if (other)
                entry_drop(&entry);
            else
                found = entry;
        }
        free(bytes);
    }
    test_run_free(&run);
    assert_non_null(found.notes);
    return found;
}

static void entry_forge(const char* folder, const Entry* entry, const char* notes) {
    Cache     cache;
    const int here = test_enter(folder);
    assert_true(cache_open(&cache, "cache"));
    cache_store(&cache, text_of(entry->manifest), text_of(notes), entry->bytes, entry->size);
    assert_int_equal(cache.stores, 1);
    test_leave(here);
}

/* Lines that no model has; Others: hashes and paths of files beside the model. */
static const char* const forged[] = {
    "entity m/x",  "level m/x",  "package m/x",    "unknown m/x", "mesh other/x", "mesh m",
    "mesh m/",     "mesh mx/y",  "mesh m/../x",    "mesh m/A",    "mesh",         "mesh n/x",
    "named ../x",  "named /etc", "named a//b",     "beside x",    "beside",       "m/x",
    "material m/", "clip m//x",  "skeleton m/x/.", "texture m",
};

static void forged_entry_of_a_model_does_not_change_the_result(void** state) {
    const char* folder = test_folder("cache_notes");
    char        text[4096];
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", "python3 tests/support/make_features.py '%s/all'", folder);
    TEST_DONE(folder,
              "mkdir src && cp all/buffers_two.gltf src/m.gltf && cp all/buffers_two.bin src && cp "
              "all/image_file.gltf all/*image\\ in* all/skin_clip_of_rotations.gltf src && cp "
              "all/buffers_two.bin outside.bin && " BUILD " -q");
    TestRun want = test_command(folder, RESULT);
    Entry   entry = entry_of(folder, true, "mesh m/");
    assert_non_null(strstr(entry.notes, "beside "));
    for (u32 i = 0; i < COUNT_OF(forged) + 3; i++) {
        if (i < COUNT_OF(forged)) {
            snprintf(text, sizeof text, "%s%s\n", entry.notes, forged[i]);
        } else {
            const char* beside = strstr(entry.notes, "beside ");
            const int   until = (int)(beside - entry.notes) + 7 + 32; /* with the hash */
            snprintf(text, sizeof text, "%.*s%s%s", until, entry.notes,
                     i == COUNT_OF(forged) ? "" : " ../outside.bin\n", entry.notes + until);
            if (i == COUNT_OF(forged)) text[until - 1] ^= 1;
            if (i == COUNT_OF(forged) + 2)
                snprintf(text, sizeof text, "%s%.*s ../outside.bin\n", entry.notes, 39, beside);
        }
        entry_forge(folder, &entry, text);
        TestRun run = test_command(
            folder, "rm -rf out .out.entc man && cp all/buffers_two.bin outside.bin && " BUILD
                    " -q && " RESULT);
        if (run.code != 0 || strcmp(run.out, want.out) != 0 || *run.err)
            fail_msg("%s:\n%s%s", text, run.out, run.err);
        test_run_free(&run);
        EXPECT(folder, 0, "everything is up to date", "echo >>outside.bin && entc why src -o out");
    }
    test_run_free(&want);
    entry_drop(&entry);
}

#define PRODUCTS "entc build src -o out --cache cache"

/* A line of the notes of a product, and one with which the entry is not used; NULL: none can be detected. */
typedef struct Forgery {
    const char *line, *word, *forged;
} Forgery;

static const Forgery forgeries[] = {
    {"name - - ", "name - - 2", "name - - x"},
    {"name - - ", "name - - 2", "name - - 02"},
    {"name - - ", "name - - 2", "name - - 4294967296"},
    {"name - - ", "name - - 2 19", "name - - 2 y"},
    {"name - - ", "name - - 2 19", "name - - 2 "},
    {"name - - ", " lamp.entity.json lamp", " lamp.entity.json"},
    {"name - - ", " lamp.entity.json lamp", " ../lamp.entity.json lamp"},
    {"name - - ", " lamp.entity.json lamp", " /lamp.entity.json lamp"},
    {"name - - ", " lamp.entity.json lamp", " lamp.entity.json "},
    {"pattern - - ", "pattern - - 2", "pattern - - -2"},
    {"pattern - - ", " all.package.json ", " all/../../package.json "},
    {"pattern - - ", " all.package.json ", "  "},
    {"pattern - - ", "pattern - - ", "patterns - - "},
    {"need texture skin", "need texture skin", "need texture ski"},
    {"need texture skin", "need texture", "need textures"},
    {"need texture skin", "need texture", "read texture"},
    {"need texture skin", "m.material.json", "../m.material.json"},
};

static char* text_replaced(const char* text, const char* word, const char* by) {
    const char*  at = strstr(text, word);
    const size_t bytes = strlen(text) + strlen(by) + 1;
    char*        out = malloc(bytes);
    if (!at) fail_msg("no \"%s\" in:\n%s", word, text);
    snprintf(out, bytes, "%.*s%s%s", (int)(at - text), text, by, at + strlen(word));
    return out;
}

static void products_write(const char* folder) {
    test_write_text(folder, "src/lamp.entity.json",
                    "{ \"components\": {\n  \"name\": { \"id\": \"lamp\" } } }");
    test_write_text(folder, "src/all.package.json", "{ \"roots\": [\n  \"*.entity\" ] }");
    test_write_text(folder, "src/m.material.json",
                    "{ \"textures\": { \"base_color\": { \"texture\": \"skin\" } } }");
    test_image_write(folder, "src/skin.png", 8, 8, 60, true);
}

static void taken_from_cache(const char* folder, const char* notes, const char* want) {
    TestRun run = test_command(folder, "rm -rf out .out.entc && " PRODUCTS " -v");
    if (run.code != 0 || !strstr(run.err, want)) fail_msg("%s:\n%s%s", notes, run.out, run.err);
    test_run_free(&run);
}

/* The product is compiled, and all others are read from the cache. */
static void forged_entry_of_a_product_is_not_used(void** state) {
    const char* folder = test_folder("cache_forged");
    UNUSED(state);
    products_write(folder);
    TEST_DONE(folder, PRODUCTS " -q");
    for (u32 i = 0; i < COUNT_OF(forgeries); i++) {
        const Forgery* f = &forgeries[i];
        Entry          entry = entry_of(folder, false, f->line);
        char*          notes = text_replaced(entry.notes, f->word, f->forged);
        entry_forge(folder, &entry, notes);
        taken_from_cache(folder, notes, "1 compiled, 3 from the cache");
        entry_forge(folder, &entry, entry.notes);
        taken_from_cache(folder, entry.notes, "0 compiled, 4 from the cache");
        free(notes);
        entry_drop(&entry);
    }
}

/* What an entry states about a pattern or a need is compared later as what a compilation found. */
static void product_from_the_cache_follows_its_patterns_and_needs(void** state) {
    const char* folder = test_folder("cache_follows");
    UNUSED(state);
    products_write(folder);
    TEST_DONE(folder, PRODUCTS " -q");
    taken_from_cache(folder, "", "0 compiled, 4 from the cache");
    TEST_DONE(folder, "cp src/lamp.entity.json src/other.entity.json && " PRODUCTS " -q && "
                      "entc build src -o clean -q && diff -r out clean");
    TEST_DONE(folder, "entc compile src m.material -o m --cache cache && cmp m out/m.material && "
                      "rm src/skin.png");
    EXPECT(folder, 3, "there is no texture \"skin\"",
           "entc compile src m.material -o m --cache cache");
}

/* Which textures a model has depends on the files of its images. */
static void entry_of_a_model_is_not_used_with_another_image(void** state) {
    const char* folder = test_folder("cache_images");
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", "python3 tests/support/make_features.py '%s/all'", folder);
    TEST_DONE(folder, "mkdir src && cp all/image_file.gltf all/*image\\ in* src && mkdir kept && "
                      "cp src/*.png kept");
    for (u32 i = 0; i < 4; i++) { /* a picture, none, and both again, each time in a new folder */
        TEST_DONE(folder,
                  "rm -rf out .out.entc plain .plain.entc && " BUILD " -q 2>cached; "
                  "entc build src -o plain -q 2>fresh; diff -r out plain && diff cached fresh");
        TEST_DONE(folder, "%s",
                  i % 2 ? "test ! -e out/image_file/*.texture && cp kept/*.png src"
                        : "test -e out/image_file/*.texture && for f in src/*.png; do echo BMP "
                          ">\"$f\"; done");
    }
}

/* A model with errors has no entry: they are reported each time. */
static void errors_of_a_model_are_reported_with_a_warm_cache(void** state) {
    const char* folder = test_folder("cache_errors");
    UNUSED(state);
    test_write_text(
        folder, "src/m.gltf",
        "{ \"asset\": {\"version\": \"2.0\"}, \"scenes\": [{\"nodes\": [7]}], \"nodes\": [{}] }");
    for (u32 i = 0; i < 3; i++) {
        TestRun run = test_command(folder, BUILD);
        assert_int_equal(run.code, 3);
        assert_non_null(strstr(run.err, "scenes[0].nodes[0] is 7"));
        test_run_free(&run);
    }
}

TEST_SUITE(cache_notes) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forged_entry_of_a_model_does_not_change_the_result),
        cmocka_unit_test(forged_entry_of_a_product_is_not_used),
        cmocka_unit_test(product_from_the_cache_follows_its_patterns_and_needs),
        cmocka_unit_test(entry_of_a_model_is_not_used_with_another_image),
        cmocka_unit_test(errors_of_a_model_are_reported_with_a_warm_cache),
    };
    return TEST_RUN("cache_notes", tests);
}
