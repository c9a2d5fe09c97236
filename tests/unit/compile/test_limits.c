/* test_limits.c - limits at their bounds: what is allowed works, one more is refused by a message
 * with both numbers; and what asks for too much is refused by its count, before it is made. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "blob_write_internal.h"
#include "sections.h"
#include "test_mirror.h"

/* --- the budget of a build --- */

#define LAMPS 9

/* p9 has 2^9 lamps; all entities together 2^10 - 1, and as many inner ones. */
static char* tower_new(const char* name) {
    char  file[60], text[200];
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/p0.entity.json", "{ \"components\": { \"light\": {} } }");
    for (u32 i = 1; i <= LAMPS; i++) {
        snprintf(file, sizeof file, "src/p%u.entity.json", i);
        snprintf(
            text, sizeof text,
            "{ \"children\": [ { \"name\": \"a\", \"prefab\": \"p%u\" },\n  { \"name\": \"b\", "
            "\"prefab\": \"p%u\" } ] }",
            i - 1, i - 1);
        test_write_text(folder, file, text);
    }
    return folder;
}

static void the_budget_is_of_the_whole_build(void** state) {
    char* folder = tower_new("limits_budget");
    UNUSED(state);
    EXPECT(folder, 4, "bytes for its outputs; --max-output allows 20000 [E0309]",
           "entc build src -o out --max-output 20K");
    EXPECT(folder, 4, "note: \"p9.entity\" needs", "entc build src -o out --max-output 20K");
    EXPECT(folder, 4, "--max-output allows 20000",
           "entc compile src p9.entity -o p9 --max-output 20K");
    char* left = test_tree(folder);
    assert_null(strstr(left, "out"));
    EXPECT(folder, 0, "", "entc compile src p3.entity -o p3 --max-output 20K");
    EXPECT(folder, 0, "10 written", "entc build src -o out -v --max-output 1M");
    free(left);
    free(folder);
}

/* What was built before, or comes from the cache, counts as it does in a clean build. */
static void the_budget_is_of_what_there_is_too(void** state) {
    char* folder = tower_new("limits_again");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out --cache cache");
    EXPECT(folder, 4, "--max-output allows 20000", "entc build src -o out --max-output 20K");
    EXPECT(folder, 4, "--max-output allows 20000",
           "entc build src -o fresh --cache cache --max-output 20K");
    EXPECT(folder, 0, "", "entc build src -o out --max-output 1M --check");
    EXPECT(folder, 4, "--max-output allows 20000",
           "touch src/p0.entity.json; entc build src -o out --max-output 20K");
    free(folder);
}

/* The count is not less than what is written, and without overrides not more but for the headers.
 */
static void the_count_is_what_is_written(void** state) {
    char* folder = tower_new("limits_count");
    char  command[200];
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out");
    TestRun     size = test_command(folder, "cat out/*.entity | wc -c");
    const u32   bytes = (u32)atoi(size.out);
    TestRun     told = test_command(folder, "entc build src -o o2 --max-output 1");
    const char* at = strstr(told.err, "needs ");
    assert_non_null(at);
    const u32 counted = (u32)atoi(at + 6);
    assert_true(counted <= bytes && counted + 10 * 512 > bytes);
    snprintf(command, sizeof command, "entc build src -o o2 --max-output %u", counted);
    EXPECT(folder, 0, "", "%s", command);
    snprintf(command, sizeof command, "entc build src -o o3 --max-output %u", counted - 1);
    EXPECT(folder, 4, "E0309", "%s", command);
    test_run_free(&size);
    test_run_free(&told);
    free(folder);
}

static void other_errors_are_reported_too(void** state) {
    char* folder = tower_new("limits_errors");
    UNUSED(state);
    test_write_text(folder, "src/wrong.entity.json",
                    "{ \"components\": { \"light\": { \"x\": 1 } } }");
    EXPECT(folder, 3, "light has no field \"x\"", "entc build src -o out --max-output 20K");
    EXPECT(folder, 3, "--max-output allows 20000", "entc build src -o out --max-output 20K");
    free(folder);
}

static void the_budget_is_a_number(void** state) {
    static const char* const wrong[] = {
        "0", "x", "-1", "1T", "1GG", "''", "99999999999999999999", "99999999999999999G"};
    const char* folder = test_folder("limits_number");
    UNUSED(state);
    test_write_text(folder, "src/a.entity.json", "{}");
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        EXPECT(folder, 1, "--max-output takes a number of bytes above 0",
               "entc build src -o out --max-output %s", wrong[i]);
    }
    EXPECT(folder, 0, "", "entc build src -o out --max-output 18000000000G");
    EXPECT(folder, 0, "(8G)", "entc build --help");
}

/* --- entities --- */

static void level_write(const char* folder, u32 entities) {
    const size_t head = strlen("{\"entities\":["), bytes = head + 3 * (size_t)entities + 1;
    char*        text = malloc(bytes + 1);
    memcpy(text, "{\"entities\":[", head);
    for (u32 i = 0; i < entities; i++) memcpy(text + head + 3 * (size_t)i, "{},", 3);
    memcpy(text + bytes - 2, "]}", 3);
    test_write(folder, "src/a.level.json", text, bytes);
    free(text);
}

static void entities_at_the_limit(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("four million entities are slow under a sanitizer");
    const char* folder = test_folder("limits_entities");
    assert_int_equal(BLOB_ENTITIES_MAX, ENTITY_COUNT_MAX);
    level_write(folder, BLOB_ENTITIES_MAX);
    EXPECT(folder, 0, "", "entc compile src a.level -o a.level");
    EXPECT(folder, 0, "4194303 entities", "entc verify a.level");
    EXPECT(folder, 0, "4194303 entities spawned", "entrun . --level a");
    level_write(folder, BLOB_ENTITIES_MAX + 1);
    EXPECT(
        folder, 4,
        "\"a\" has 4194304 entities once its prefabs are instanced; there may be 4194303 [E0309]",
        "entc compile src a.level -o b.level");
}

/* A level of `count` entities without a component; free it. */
static u8* blob_new(u32 count, u64* size) {
    BlobWriter w;
    const u64  bytes = 4096 + sizeof(u32) * (u64)count;
    u8*        at = aligned_alloc(16, align_up(bytes, 16));
    memset(at, 0, align_up(bytes, 16));
    blob_write_begin(&w, at, 1);
    u32* parent = blob_write_section(&w, SECTION_PARENT, count);
    memset(parent, 0xff, sizeof(u32) * (size_t)count);
    *size = blob_write_finish(&w, RESOURCE_LEVEL, ent_resource_ref("a", RESOURCE_LEVEL), count);
    return at;
}

static void the_gate_has_the_same_limit(void** state) {
    Blob      blob;
    BlobFault fault;
    u64       size;
    UNUSED(state);
    u8* bytes = blob_new(BLOB_ENTITIES_MAX, &size);
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, &fault), ENT_OK);
    World* world = world_new(NULL);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(world), BLOB_ENTITIES_MAX);
    ent_world_destroy(world);
    free(bytes);
    bytes = blob_new(BLOB_ENTITIES_MAX + 1, &size);
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, &fault), ENT_LIMIT);
    assert_string_equal(fault.field, "header.element_count");
    assert_string_equal(fault.reason, "4194304 entities; a level or an entity has at most 4194303");
    free(bytes);
}

/* --- bombs --- */

static void bombs_are_refused_by_their_count(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer changes time and memory");
    TEST_NEEDS("python3");
    const char* folder = test_folder("limits_bombs");
    TestRun run = test_command(".", "python3 tests/sweeps/bombs.py " TEST_BUILD " '%s'", folder);
    if (run.code != 0) print_error("%s%s", run.out, run.err);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, " passed, 0 failed"));
    test_run_free(&run);
}

/* --- growth --- */

/* Some of the shapes, and small; all of them is a row of `make test-long`. */
static void cost_grows_with_the_input(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer's program cannot be counted");
    TEST_NEEDS("python3");
    TEST_NEEDS("valgrind");
    TestRun run = test_command(".", "python3 tests/sweeps/growth.py " TEST_BUILD " --short");
    if (run.code != 0) print_error("%s%s", run.out, run.err);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "8 passed, 0 failed"));
    test_run_free(&run);
}

TEST_SUITE(limits) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_budget_is_of_the_whole_build),
        cmocka_unit_test(the_budget_is_of_what_there_is_too),
        cmocka_unit_test(the_count_is_what_is_written),
        cmocka_unit_test(other_errors_are_reported_too),
        cmocka_unit_test(the_budget_is_a_number),
        cmocka_unit_test(entities_at_the_limit),
        cmocka_unit_test(the_gate_has_the_same_limit),
        cmocka_unit_test(bombs_are_refused_by_their_count),
        cmocka_unit_test(cost_grows_with_the_input),
    };
    return TEST_RUN("limits", tests);
}
