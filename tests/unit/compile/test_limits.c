/* test_limits.c - limits at their bounds: the allowed maximum works, one more is refused by a
 * message with both numbers; and a source that requests too much is refused by its count, before
 * anything is allocated. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "blob_write_internal.h"
#include "sections.h"
#include "test_mirror.h"

/* --- the budget of a build --- */

#define LAMPS 9

/* p9 has 2^9 lamps; all entities together are 2^10 - 1, with as many inner ones. */
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

static void max_output_below_sum_of_all_outputs_is_refused(void** state) {
    char* folder = tower_new("limits_budget");
    UNUSED(state);
    EXPECT(folder, 4, "bytes; --max-output allows 20000 [E0309]",
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

/* Outputs of earlier builds, or from the cache, count as in a clean build. */
static void max_output_counts_unchanged_and_cached_outputs(void** state) {
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

/* The estimate is not less than the bytes written, and without overrides it exceeds them only by
 * the headers. */
static void max_output_estimate_matches_bytes_written(void** state) {
    char* folder = tower_new("limits_count");
    char  command[200];
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out");
    TestRun     size = test_command(folder, "cat out/*.entity | wc -c");
    const u32   bytes = (u32)atoi(size.out);
    TestRun     reported = test_command(folder, "entc build src -o o2 --max-output 1");
    const char* at = strstr(reported.err, "need ");
    assert_non_null(at);
    const u32 counted = (u32)atoi(at + 5);
    assert_true(counted <= bytes && counted + 10 * 512 > bytes);
    snprintf(command, sizeof command, "entc build src -o o2 --max-output %u", counted);
    EXPECT(folder, 0, "", "%s", command);
    snprintf(command, sizeof command, "entc build src -o o3 --max-output %u", counted - 1);
    EXPECT(folder, 4, "E0309", "%s", command);
    test_run_free(&size);
    test_run_free(&reported);
    free(folder);
}

static void build_above_max_output_reports_other_errors_too(void** state) {
    char* folder = tower_new("limits_errors");
    UNUSED(state);
    test_write_text(folder, "src/wrong.entity.json",
                    "{ \"components\": { \"light\": { \"x\": 1 } } }");
    EXPECT(folder, 3, "light has no field \"x\"", "entc build src -o out --max-output 20K");
    EXPECT(folder, 3, "--max-output allows 20000", "entc build src -o out --max-output 20K");
    free(folder);
}

static void max_output_with_invalid_number_is_refused(void** state) {
    static const char* const wrong[] = {
        "0", "x", "-1", "1T", "1GG", "''", "99999999999999999999", "99999999999999999G"};
    const char* folder = test_folder("limits_number");
    UNUSED(state);
    test_write_text(folder, "src/a.entity.json", "{}");
    for (u32 i = 0; i < COUNT_OF(wrong); i++) {
        EXPECT(folder, 1, "--max-output needs a number of bytes greater than 0",
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

static void level_with_more_entities_than_limit_is_refused(void** state) {
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
        "\"a\" has 4194304 entities after its prefabs are instanced; the limit is 4194303 [E0309]",
        "entc compile src a.level -o b.level");
}

/* A level of `count` entities without a component. The caller frees it. */
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

static void blob_with_more_entities_than_limit_is_refused(void** state) {
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
    assert_string_equal(fault.reason,
                        "is 4194304; a level or an entity has at most 4194303 entities");
    free(bytes);
}

/* --- sources that request too much --- */

static void sources_that_expand_too_much_are_refused_before_allocation(void** state) {
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

/* Some of the shapes, at small sizes; `make test-long` runs all of them. */
static void cost_of_commands_grows_linearly_with_input(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("valgrind does not run programs with sanitizers");
    TEST_NEEDS("python3");
    TEST_NEEDS("valgrind");
    TestRun run = test_command(".", "python3 tests/sweeps/growth.py " TEST_BUILD " --short");
    if (run.code != 0) print_error("%s%s", run.out, run.err);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "11 passed, 0 failed"));
    test_run_free(&run);
}

TEST_SUITE(limits) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(max_output_below_sum_of_all_outputs_is_refused),
        cmocka_unit_test(max_output_counts_unchanged_and_cached_outputs),
        cmocka_unit_test(max_output_estimate_matches_bytes_written),
        cmocka_unit_test(build_above_max_output_reports_other_errors_too),
        cmocka_unit_test(max_output_with_invalid_number_is_refused),
        cmocka_unit_test(level_with_more_entities_than_limit_is_refused),
        cmocka_unit_test(blob_with_more_entities_than_limit_is_refused),
        cmocka_unit_test(sources_that_expand_too_much_are_refused_before_allocation),
        cmocka_unit_test(cost_of_commands_grows_linearly_with_input),
    };
    return TEST_RUN("limits", tests);
}
