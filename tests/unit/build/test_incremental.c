/* test_incremental.c - what `entc build` rebuilds and what it leaves unchanged: by content, not by
 * time; and what a cache folder may and may not provide. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "hash.h"
#include "database.h"
#include "test.h"
#include "test_links_part.h"
#include "test_user.h"

#define BOX(size)                                                                                  \
    "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"box.bin\",\n"              \
    "  \"byteLength\": 36 } ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ],\n"      \
    "  \"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3,\n"             \
    "    \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [" size ", " size ", 0] } ],\n"          \
    "  \"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": { \"POSITION\": 0 "  \
    "} } ] } ],\n"                                                                                 \
    "  \"nodes\": [ { \"name\": \"box\", \"mesh\": 0 } ] }\n"

#define LAMP "src/props/lamp.entity.json"

static const float triangle_1[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
static const float triangle_2[9] = {0, 0, 0, 1, 0, 0, 0.5f, 1, 0};

/* 6 resources: 4 of JSON, and a model of two with a separate file. */
static char* tree_new(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(
        folder, "src/levels/yard.level.json",
        "{ \"entities\": [ { \"name\": \"gate\", \"prefab\": \"props/gate\" },\n"
        "    { \"components\": { \"mesh\": { \"resource\": \"models/box/box\" } } } ] }\n");
    test_write_text(folder, "src/props/gate.entity.json",
                    "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" } ] }\n");
    test_write_text(folder, LAMP, "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n");
    test_write_text(folder, "src/mud.material.json", "{ \"roughness\": 0.9 }\n");
    test_write_text(folder, "src/models/box.gltf", BOX("1"));
    test_write(folder, "src/models/box.bin", triangle_1, sizeof triangle_1);
    return folder;
}

#define BUILD(folder, text) EXPECT(folder, 0, text, "entc build src -o out -v")
#define NOTHING             ", 0 compiled, 0 from the cache, 0 written,"
#define SAME_AS_CLEAN(folder)                                                                      \
    EXPECT(folder, 0, "",                                                                          \
           "rm -rf fresh .fresh.entc && entc build src -o fresh && diff -r fresh out")

/* --- by content --- */

static void build_of_new_checkout_with_equal_contents_compiles_nothing(void** state) {
    char* folder = tree_new("checkout");
    UNUSED(state);
    BUILD(folder, "6 resources, 6 compiled, 0 from the cache, 6 written,");
    BUILD(folder, NOTHING);
    EXPECT(
        folder, 0, "",
        "cp -r src other && rm -r src && mv other src && find src -exec touch -d 2001-02-03 {} +");
    BUILD(folder, NOTHING);
    EXPECT(folder, 0, "", "cp -r out other && rm -r out && mv other out");
    BUILD(folder, NOTHING);
    /* Both folders at another path, with the build database beside them. */
    EXPECT(folder, 0, "", "mkdir there && cp -r src out .out.entc there");
    EXPECT(folder, 0, NOTHING, "cd there && entc build src -o out -v");
    EXPECT(folder, 0, NOTHING, "entc build $PWD/there/src/ -o ./there/out/ -v");
    free(folder);
}

static void edit_that_keeps_size_and_time_is_compiled(void** state) {
    char* folder = tree_new("kept");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out && sleep 0.1 && entc build src -o out");
    EXPECT(folder, 0, "", "cp -p " LAMP " old && sed -i 's/7/8/' " LAMP " && touch -r old " LAMP);
    BUILD(folder, "3 compiled");
    SAME_AS_CLEAN(folder);
    EXPECT(folder, 0, "",
           "cp -p out/mud.material old && printf x | dd of=out/mud.material bs=1 seek=50 "
           "conv=notrunc && touch -r old out/mud.material");
    BUILD(folder, "1 compiled, 0 from the cache, 1 written");
    SAME_AS_CLEAN(folder);
    free(folder);
}

/* Two writes within one tick of the file system's clock. */
static void edit_directly_after_build_is_compiled(void** state) {
    char* folder = tree_new("racy");
    UNUSED(state);
    for (u32 i = 0; i < 20; i++) {
        EXPECT(folder, 0, "",
               "printf '{ \"roughness\": 0.1 }' > src/mud.material.json; entc build src -o out && "
               "printf '{ \"roughness\": 0.2 }' > src/mud.material.json; entc build src -o out && "
               "entc dump out/mud.material | grep -q 0.2");
    }
    free(folder);
}

/* Writes the build database with another stamp for one file, and another time of the stamp. */
static void database_forge(const char* folder, const char* source, u64 taken_after_ns) {
    char        path[1200];
    size_t      bytes;
    struct stat info;
    snprintf(path, sizeof path, "%s/src/%s", folder, source);
    assert_int_equal(stat(path, &info), 0);
    snprintf(path, sizeof path, "%s/.out.entc/database", folder);
    links_part_write(folder, NULL, 0);
    u8*           complete = test_read(path, &bytes);
    DatabaseHead* head = (DatabaseHead*)(void*)complete;
    DatabaseFile* file = (DatabaseFile*)(void*)(head + 1);
    const char*   text = (const char*)complete + bytes - head->text_bytes;
    while (strcmp(text + file->path, source) != 0) file++;
    file->stamp.modified_ns = (u64)info.st_mtim.tv_sec * 1000000000u + (u64)info.st_mtim.tv_nsec;
    file->stamp.changed_ns = (u64)info.st_ctim.tv_sec * 1000000000u + (u64)info.st_ctim.tv_nsec;
    file->stamp.inode = info.st_ino;
    head->scanned_ns = file->stamp.changed_ns + taken_after_ns;
    const size_t from = offsetof(DatabaseHead, hash) + sizeof head->hash;
    head->hash = hash_content(complete + from, bytes - from);
    test_write(folder, ".out.entc/database", complete, bytes);
    free(complete);
}

/* A stamp cannot detect what happened within the tick in which it was read. */
static void stamp_from_tick_of_its_reading_is_not_trusted(void** state) {
    char* folder = tree_new("young");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out && sed -i 's/0.9/0.8/' src/mud.material.json");
    database_forge(folder, "mud.material.json", 1);
    BUILD(folder, NOTHING); /* undetectable; but it shows that the forged record is read */
    database_forge(folder, "mud.material.json", 0);
    BUILD(folder, "1 compiled, 0 from the cache, 1 written");
    SAME_AS_CLEAN(folder);
    free(folder);
}

static void output_with_unchanged_bytes_keeps_its_time(void** state) {
    char* folder = tree_new("same_bytes");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o out && find out -type f -exec touch -d 2001-02-03 {} + && entc build "
           "src -o out");
    EXPECT(folder, 0, "", "sed -i 's/{ /{   /' " LAMP);
    BUILD(folder, "3 compiled, 0 from the cache, 0 written");
    EXPECT(folder, 0, "", "test -z \"$(find out -type f -newermt 2002-01-01)\"");
    /* The outputs match the sources, but the build database is older: a build was killed. */
    EXPECT(
        folder, 0, "",
        "cp -r .out.entc kept && sed -i 's/7/8/' " LAMP " && entc build src -o out && "
        "find out -type f -exec touch -d 2001-02-03 {} + && rm -r .out.entc && mv kept .out.entc");
    BUILD(folder, "3 compiled, 0 from the cache, 0 written");
    EXPECT(folder, 0, "", "test -z \"$(find out -type f -newermt 2002-01-01)\"");
    BUILD(folder, NOTHING);
    free(folder);
}

/* --- the inputs of a product --- */

static void edit_of_indirect_input_recompiles_all_its_users(void** state) {
    char* folder = tree_new("inputs");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out");
    EXPECT(folder, 0, "", "sed -i 's/7/8/' " LAMP);
    BUILD(folder, "3 compiled, 0 from the cache, 3 written");
    SAME_AS_CLEAN(folder);
    test_write(folder, "src/models/box.bin", triangle_2, sizeof triangle_2);
    BUILD(folder, "2 compiled, 0 from the cache, 1 written");
    SAME_AS_CLEAN(folder);
    EXPECT(folder, 0, "", "rm src/models/box.bin");
    EXPECT(folder, 3, "src/models/box.gltf:1:", "entc build src -o out");
    free(folder);
}

/* What is needed at runtime may change without recompiling its users, but it must exist. */
static void resource_needed_at_runtime_recompiles_no_user_but_must_exist(void** state) {
    char* folder = tree_new("needs");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out");
    test_write(folder, "src/models/box.bin", triangle_2, sizeof triangle_2);
    EXPECT(folder, 0, "out/models/box/box.mesh", "entc build src -o out -v");
    EXPECT(folder, 0, "",
           "sed -i 's/\"name\": \"box\", \"prim/\"name\": \"bax\", \"prim/' src/models/box.gltf && "
           "cp -r out copy");
    EXPECT(folder, 3,
           "src/levels/yard.level.json:2:45: error: unresolved reference: there is no mesh "
           "\"models/box/box\"; did you "
           "mean \"models/box/bax\"?",
           "entc build src -o out");
    EXPECT(folder, 0, "", "diff -r copy out");
    EXPECT(folder, 0, "", "sed -i 's/bax/box/' src/models/box.gltf");
    BUILD(folder, NOTHING);
    EXPECT(folder, 0, "", "rm -r src/models");
    EXPECT(folder, 3,
           "src/levels/yard.level.json:2:45: error: unresolved reference: there is no mesh",
           "entc build src -o out");
    free(folder);
}

/* A file that was looked up and did not exist is an input. */
static void file_that_appears_where_it_was_looked_up_is_compiled(void** state) {
    char* folder = tree_new("appear");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out --lang fr");
    test_write_text(folder, "src/props/lamp.fr.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 9 } } }\n");
    EXPECT(folder, 0, "3 compiled, 0 from the cache, 3 written",
           "entc build src -o out --lang fr -v");
    EXPECT(folder, 0, "", "entc build src -o fresh --lang fr && diff -r fresh out && rm -r fresh");
    EXPECT(folder, 0, NOTHING, "entc build src -o out --lang fr -v");
    EXPECT(folder, 0, "", "rm src/props/lamp.fr.entity.json");
    EXPECT(folder, 0, "3 compiled, 0 from the cache, 3 written",
           "entc build src -o out --lang fr -v");
    EXPECT(folder, 0, "", "entc build src -o fresh --lang fr && diff -r fresh out && rm -r fresh");
    test_write_text(folder, "src/mud.fr.material.json", "{}");
    test_write_text(folder, "src/mud.mobile.material.json", "{}");
    EXPECT(folder, 3, "\"mud.material\" has two variants that match this build",
           "entc build src -o out --lang fr --platform mobile");
    EXPECT(folder, 0, "",
           "rm src/mud.*.material.json; cp src/models/box.bin src/box.bin; "
           "cp src/models/box.gltf src/mud.gltf");
    BUILD(folder, "2 written"); /* the material "mud" and the model "mud" are distinct */
    test_write_text(folder, "src/models/box.entity.json", "{}");
    EXPECT(folder, 3, "\"models/box.entity\" has two sources", "entc build src -o out");
    EXPECT(
        folder, 0, "",
        "rm src/models/box.gltf; sed -i 's/{ \"components.*/{} ] }/' src/levels/yard.level.json");
    BUILD(folder, "2 compiled");
    SAME_AS_CLEAN(folder);
    free(folder);
}

static void build_with_each_changed_option_equals_clean_build(void** state) {
    static const char* const ways[] = {"--target big",
                                       "--strip",
                                       "--lang fr",
                                       "--platform mobile",
                                       "--lang fr --platform mobile",
                                       "--target big --strip"};
    char*                    folder = tree_new("options");
    UNUSED(state);
    test_write_text(folder, "src/props/lamp.fr.entity.json",
                    "{ \"components\": { \"light\": { \"range_m\": 9 } } }\n");
    test_write_text(folder, "src/mud.mobile.material.json", "{ \"roughness\": 0.1 }\n");
    EXPECT(folder, 0, "", "entc build src -o plain && entc build src -o out --cache cache");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        for (u32 cached = 0; cached < 2; cached++) {
            const char* cache = cached ? "--cache cache" : "";
            EXPECT(folder, 0, "",
                   "rm -rf way .way.entc && entc build src -o way %s && ! diff -r plain way "
                   ">/dev/null",
                   ways[i]);
            EXPECT(folder, 0, "6 compiled, 0 from the cache", "entc build src -o out -v %s %s",
                   ways[i], cached ? "--cache cache.2" : "");
            EXPECT(folder, 0, "", "diff -r way out && rm -rf cache.2");
            EXPECT(folder, 0,
                   cached ? "0 compiled, 6 from the cache" : "6 compiled, 0 from the cache",
                   "entc build src -o out -v %s", cache);
            EXPECT(folder, 0, "", "diff -r plain out");
        }
        /* Results stored with other options are not used. */
        EXPECT(folder, 0, "6 compiled, 0 from the cache",
               "entc build src -o out -v --cache cache %s", ways[i]);
        EXPECT(folder, 0, "", "diff -r way out");
    }
    free(folder);
}

/* --- removed sources --- */

static void outputs_of_deleted_source_are_removed_and_other_files_kept(void** state) {
    static const char* const ways[] = {"", "--target big", "--strip"};
    char*                    folder = tree_new("gone");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        for (u32 lost = 0; lost < 2; lost++) {
            EXPECT(folder, 0, "",
                   "rm -rf out .out.entc; cp -r src kept && entc build src -o out %s", ways[i]);
            EXPECT(folder, 0, "",
                   "echo mine > out/notes.txt && echo mine > out/mine.material && mkdir -p "
                   "out/props/x && echo mine > out/props/x/y.mesh");
            EXPECT(folder, 0, "",
                   "rm -r src/levels src/models && mv src/props src/things && sed -i "
                   "'s/props/things/' src/things/gate.entity.json");
            EXPECT(folder, 0, "compiled", "%s entc build src -o out -v",
                   lost ? "rm -r .out.entc;" : "");
            EXPECT(folder, 0,
                   "./mine.material\n./mud.material\n./notes.txt\n./props/x/y.mesh\n./things/"
                   "gate.entity\n./things/lamp.entity\n",
                   "cd out && LC_ALL=C find . -type f | LC_ALL=C sort");
            EXPECT(folder, 0, "",
                   "! test -e out/levels && ! test -e out/models && rm -r src && mv kept src");
        }
    }
    free(folder);
}

/* A build was killed after it wrote outputs and before it wrote its database; then the edit was
 * reverted. */
static void outputs_missing_in_build_database_are_removed(void** state) {
    char* folder = tree_new("unrecorded");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out && cp -r .out.entc record && cp -r src kept");
    test_write_text(folder, "src/cellar/rat.entity.json", "{}");
    EXPECT(folder, 0, "",
           "entc build src -o out && rm -r .out.entc && cp -r record .out.entc && "
           "rm -r src/cellar");
    BUILD(folder, "1 removed");
    SAME_AS_CLEAN(folder);
    test_write_text(folder, "src/cellar/rat.entity.json", "{}");
    EXPECT(
        folder, 0, "",
        "sed -i 's/0.9/0.8/' src/mud.material.json && entc build src -o out && rm -r .out.entc && "
        "cp -r record .out.entc && rm -r src && cp -r kept src");
    BUILD(folder, "1 removed");
    SAME_AS_CLEAN(folder);
    /* The same, and the changed file was deleted. */
    EXPECT(
        folder, 0, "",
        "sed -i 's/0.9/0.8/' src/mud.material.json && entc build src -o out && rm -r .out.entc && "
        "mv record .out.entc && rm src/mud.material.json");
    BUILD(folder, "1 removed");
    SAME_AS_CLEAN(folder);
    free(folder);
}

static void build_whose_database_cannot_be_written_returns_2(void** state) {
    char* folder = tree_new("no_record");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o out && rm .out.entc/database && mkdir .out.entc/database");
    EXPECT(folder, 2, "cannot write the build database in \"out\": Is a directory",
           "entc build src -o out");
    /* There is nothing to do except to record the new times, for which there is no space. */
    EXPECT(folder, 0, "",
           "rm -r .out.entc && entc build src -o out && cp -p .out.entc/database kept");
    EXPECT(folder, 0, NOTHING,
           "find src -type f -exec touch {} + && "
           "(trap '' XFSZ; ulimit -f 0; entc build src -o out -v 2>&1) | cat");
    EXPECT(folder, 0, "", "cmp kept .out.entc/database");
    BUILD(folder, NOTHING);
    free(folder);
}

static size_t record_size(const char* folder) {
    char        path[1200];
    struct stat info;
    snprintf(path, sizeof path, "%s/.out.entc/database", folder);
    assert_int_equal(stat(path, &info), 0);
    return (size_t)info.st_size;
}

/* A database contains what the one before contained, except what is no longer needed. */
static void build_database_after_many_edits_stays_bounded(void** state) {
    char*  folder = tree_new("edits");
    size_t max = 0, falls = 0;
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out");
    const size_t first = record_size(folder);
    for (size_t i = 0, last = first; i < 100; i++) {
        EXPECT(folder, 0, "4 compiled",
               "echo '{ \"components\": { \"light\": { \"range_m\": %zu } } }' > " LAMP " && "
               "rm -f src/new_*.material.json && echo '{}' > src/new_%zu.material.json && "
               "entc build src -o out -v",
               i + 1, i);
        const size_t now = record_size(folder);
        falls += now < last;
        max = now > max ? now : max;
        last = now;
    }
    assert_true(falls > 0 && falls < 50);
    assert_true(max < 3 * first);
    EXPECT(folder, 0, "everything is up to date", "entc why src -o out");
    EXPECT(folder, 0, "props/lamp.entity.json has changed",
           "entc why src levels/yard.level -o out");
    BUILD(folder, NOTHING);
    SAME_AS_CLEAN(folder);
    free(folder);
}

/* --- errors in sources --- */

static void reference_into_model_with_errors_reports_one_error(void** state) {
    char* folder = tree_new("invalid_model");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o out && sed -i 's/\"2.0\"/\"1.0\"/' src/models/box.gltf");
    EXPECT(folder, 3, "entc: 1 error\n", "entc build src -o out");
    EXPECT(folder, 3, "entc: 1 error\n", "entc build src -o fresh");
    EXPECT(folder, 3, "entc: 1 error\n", "entc compile src levels/yard.level -o fresh/yard.level");
    free(folder);
}

/* The bytes that were hashed are the bytes that are compiled, even while another program writes. */
static void source_written_while_it_is_read_gives_a_consistent_copy(void** state) {
    const size_t bytes = (size_t)1 << 20;
    const char*  folder = test_folder("copies");
    char         path[1200];
    u8*          complete = calloc(1, bytes);
    FileView     copy, view;
    FileStamp    stamp;
    UNUSED(state);
    test_write(folder, "large", complete, bytes);
    snprintf(path, sizeof path, "%s/large", folder);
    assert_int_equal(file_copy_stamped(&copy, path, &stamp, bytes, NULL), ENT_OK);
    assert_int_equal(file_copy_stamped(&view, path, &stamp, bytes - 1, NULL), ENT_OK);
    assert_int_equal(copy.mapped, 0);
    assert_true(view.mapped > 0);
    TEST_DONE(folder, "printf x | dd of=large bs=1 seek=500000 conv=notrunc");
    assert_memory_equal(copy.bytes, complete, bytes);
    assert_int_equal(copy.bytes[bytes], 0);
    file_unmap(&copy);
    file_unmap(&view);
    free(complete);
}

/* --- the cache folder --- */

static void build_with_cache_writes_bytes_of_build_without_cache(void** state) {
    char* folder = tree_new("cache");
    UNUSED(state);
    EXPECT(folder, 0, "6 compiled, 0 from the cache, 6 written",
           "entc build src -o a --cache cache -v");
    EXPECT(folder, 0, "0 compiled, 6 from the cache, 6 written",
           "ENTC_CACHE_DIR=cache entc build src -o b -v");
    EXPECT(folder, 0, "", "entc build src -o c && diff -r a b && diff -r b c");
    EXPECT(folder, 0, "0 compiled, 0 from the cache, 0 written", "entc build src -o b -v");
    /* From another path, and after a change and its reversal. */
    EXPECT(
        folder, 0, "6 from the cache",
        "mkdir there && cp -r src there && cd there && entc build src -o out --cache ../cache -v");
    EXPECT(folder, 0, "3 compiled",
           "sed -i 's/7/8/' " LAMP " && entc build src -o a --cache cache -v");
    EXPECT(folder, 0, "3 from the cache",
           "sed -i 's/8/7/' " LAMP " && entc build src -o a --cache cache -v && diff -r a c");
    EXPECT(folder, 0, "0 compiled, 0 from the cache, 0 written",
           "entc build src -o a --cache cache -v");
    EXPECT(folder, 0, "6 compiled, 0 from the cache",
           "entc build src -o a --cache cache -v --force");
    EXPECT(folder, 0, "",
           "entc build src -o new --dry-run --cache empty && test -z \"$(find empty -type f)\"");
    free(folder);
}

/* A list of what was read is kept once, however often what was read changes. */
static void cache_after_many_edits_stores_each_list_of_inputs_once(void** state) {
    char* folder = tree_new("lists");
    UNUSED(state);
    for (u32 i = 1; i < 9; i++) {
        EXPECT(folder, 0, "",
               "sed -i 's/m\": [0-9]/m\": %u/' " LAMP " && entc build src -o out --cache cache", i);
    }
    EXPECT(
        folder, 0, "1\n",
        "grep -c '^entity props/lamp$' $(grep -l '^reads of props/gate' -r cache) | cut -d: -f2");
    free(folder);
}

static void cache_trimmed_to_size_removes_only_its_own_entries(void** state) {
    char* folder = tree_new("trim");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out --cache cache && echo mine > cache/notes.txt");
    EXPECT(folder, 0, "removed 0 entries", "entc cache --trim 1G --cache cache");
    EXPECT(folder, 0, "0 compiled, 6 from the cache", "entc build src -o b --cache cache -v");
    EXPECT(
        folder, 0, "",
        "entc cache --trim 1500 --cache cache && test $(find cache -type f -path 'cache/*/*' -exec "
        "cat {} + | wc -c) -le 1500");
    EXPECT(folder, 0, " 0 bytes remain", "ENTC_CACHE_DIR=cache entc cache --trim 0");
    EXPECT(folder, 0, "./notes.txt\n", "cd cache && find . -type f");
    EXPECT(folder, 0, "6 compiled, 0 from the cache",
           "entc build src -o c --cache cache -v && diff -r b c");
    EXPECT(
        folder, 0, "",
        "mkdir -p cache/ab/x; touch cache/ab/x/y cache/.entc.00000000.1.1.0.tmp; entc cache --trim "
        "0 --cache cache; test -e cache/ab/x/y");
    EXPECT(folder, 0, "there is no cache folder \"no/such\"",
           "entc cache --trim 0 --cache no/such");
    TEST_DONE(folder, "test -z \"$(entc cache --trim 0 --cache no/such -q)\" && test ! -e no && "
                      "echo a >file");
    EXPECT(folder, 2, "file", "entc cache --trim 0 --cache file");
    EXPECT(folder, 2, "file/x", "entc cache --trim 0 --cache file/x");
    free(folder);
}

static void cache_of_other_user_is_read_but_not_changed(void** state) {
    char*       folder = tree_new("others");
    const char* reason = NULL;
    const char* user = test_other_user(folder, &reason);
    UNUSED(state);
    if (!user) {
        free(folder);
        TEST_SKIP(reason);
    }
    EXPECT(folder, 0, "",
           "entc build src -o a --cache open && chmod 777 open && mkdir -m 777 home && chmod -R "
           "a+rX .");
    EXPECT(folder, 0, "it belongs to another user, and all users may write to it",
           "%s entc build src -o home/a --cache open -v", user);
    EXPECT(folder, 0, "6 compiled, 0 from the cache",
           "rm -r home/a home/.a.entc; %s entc build src -o home/a --cache open -v", user);
    EXPECT(folder, 0, "", "diff -r a home/a");
    /* A cache that only its owner may write to is read, and a result that cannot be stored is
     * reported once. */
    EXPECT(folder, 0, "0 compiled, 6 from the cache",
           "chmod 755 open; %s entc build src -o home/b --cache open -v", user);
    EXPECT(
        folder, 0, "",
        "test $(sed -i 's/7/8/' " LAMP "; %s entc build src -o home/b --cache open -v 2>&1 | "
        "tee home/printed | grep -c 'warning: cannot store results in the cache folder \"open\": "
        "Permission denied') = 1",
        user);
    EXPECT(folder, 0, "3 compiled", "cat home/printed");
    EXPECT(folder, 0, "Permission denied", "%s entc build src -o home/c --cache none", user);
    free(folder);
}

TEST_SUITE(incremental) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_of_new_checkout_with_equal_contents_compiles_nothing),
        cmocka_unit_test(edit_that_keeps_size_and_time_is_compiled),
        cmocka_unit_test(edit_directly_after_build_is_compiled),
        cmocka_unit_test(stamp_from_tick_of_its_reading_is_not_trusted),
        cmocka_unit_test(output_with_unchanged_bytes_keeps_its_time),
        cmocka_unit_test(edit_of_indirect_input_recompiles_all_its_users),
        cmocka_unit_test(resource_needed_at_runtime_recompiles_no_user_but_must_exist),
        cmocka_unit_test(file_that_appears_where_it_was_looked_up_is_compiled),
        cmocka_unit_test(build_with_each_changed_option_equals_clean_build),
        cmocka_unit_test(outputs_of_deleted_source_are_removed_and_other_files_kept),
        cmocka_unit_test(outputs_missing_in_build_database_are_removed),
        cmocka_unit_test(build_whose_database_cannot_be_written_returns_2),
        cmocka_unit_test(build_database_after_many_edits_stays_bounded),
        cmocka_unit_test(reference_into_model_with_errors_reports_one_error),
        cmocka_unit_test(source_written_while_it_is_read_gives_a_consistent_copy),
        cmocka_unit_test(build_with_cache_writes_bytes_of_build_without_cache),
        cmocka_unit_test(cache_after_many_edits_stores_each_list_of_inputs_once),
        cmocka_unit_test(cache_trimmed_to_size_removes_only_its_own_entries),
        cmocka_unit_test(cache_of_other_user_is_read_but_not_changed),
    };
    return TEST_RUN("incremental", tests);
}
