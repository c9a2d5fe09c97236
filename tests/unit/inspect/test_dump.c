/* test_dump.c - a dump is complete: blobs that differ have dumps that differ.
 *
 * Every blob of our own assets is changed byte by byte, with a matching checksum; if the validator
 * still accepts it, it has another content, and its dump must differ from the old one. The same for
 * diff: it must report the change. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "f32_text.h"
#include "hash.h"
#include "inspect.h"
#include "sections.h"
#include "test.h"

static char* dump_of(const Blob* blob) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    assert_non_null(out);
    dump_text(out, blob, NULL);
    fclose(out);
    return text;
}

static bool open_fixed(Blob* blob, u8* bytes, size_t size) {
    const ResourceRef hash = resource_ref(blob_hash(bytes, size));
    memcpy(bytes + offsetof(BlobHeader, hash), &hash, sizeof hash);
    return ent_blob_open(blob, bytes, size, NULL, NULL) == ENT_OK;
}

/* Returns how many changed blobs were accepted and distinguished. */
static u32 changes_are_distinguished(const char* path) {
    static const u8 masks[] = {0x01, 0x80, 0x3f};
    size_t          size;
    u8*             bytes = test_read(path, &size);
    Blob            blob;
    u32             reported = 0;
    assert_non_null(bytes);
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, NULL), ENT_OK);
    char* before = dump_of(&blob);
    for (size_t at = 0; at < size; at++) {
        const bool in_hash = at >= offsetof(BlobHeader, hash) && at < sizeof(BlobHeader);
        for (u32 m = 0; m < COUNT_OF(masks) && !in_hash; m++) {
            bytes[at] ^= masks[m];
            if (open_fixed(&blob, bytes, size)) {
                char* after = dump_of(&blob);
                if (strcmp(before, after) == 0) {
                    fail_msg("%s: byte %zu changed by 0x%02x is not in the dump", path, at,
                             masks[m]);
                }
                free(after);
                reported++;
            }
            bytes[at] ^= masks[m];
        }
    }
    free(before);
    free(bytes);
    return reported;
}

static void dump_of_blob_with_any_changed_byte_differs(void** state) {
    static const char* const files[] = {"levels/town.level",        "buildings/house.entity",
                                        "models/banner/flap.clip",  "models/banner/cloth.skeleton",
                                        "materials/water.material", "models/lamp/pole.mesh",
                                        "models/banner/cloth.mesh", "nature/pond.entity",
                                        "props/street_lamp.entity"};
    char*                    folder = strdup(test_folder("dump"));
    char                     path[1200], here[600];
    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    TestRun run = test_command(folder, "entc build '%s/assets' -o out", here);
    assert_int_equal(run.code, 0);
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        snprintf(path, sizeof path, "%s/out/%s", folder, files[i]);
        assert_true(changes_are_distinguished(path) > 50);
    }
    test_run_free(&run);
    free(folder);
}

static void diff_after_edit_of_source_reports_the_changed_fields(void** state) {
    char* folder = strdup(test_folder("dump_diff"));
    UNUSED(state);
    test_write_text(
        folder, "a/x.level.json",
        "{ \"entities\": [ { \"name\": \"lamp\", \"components\": { \"light\": [ {}, {} ] },\n"
        "  \"children\": [ { \"name\": \"bulb\" } ] } ] }");
    test_write_text(folder, "b/x.level.json",
                    "{ \"entities\": [ { \"name\": \"lamp\", \"components\": { \"light\": [ {}, { "
                    "\"range_m\": 12 } ] },\n"
                    "  \"children\": [ { \"name\": \"lens\" } ] } ] }");
    TestRun run =
        test_command(folder, "entc build a -o oa && entc build b -o ob && entc diff oa ob");
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.out, "~ lamp: light[1].range_m: 10 -> 12\n"));
    assert_non_null(strstr(run.out, "- entity lamp/bulb\n"));
    assert_non_null(strstr(run.out, "+ entity lamp/lens\n"));
    test_run_free(&run);
    run = test_command(folder, "entc diff oa oa");
    assert_int_equal(run.code, 0);
    assert_int_equal(run.out_bytes, 0);
    test_run_free(&run);
    run = test_command(folder, "entc diff oa/x.level missing.level");
    assert_int_equal(run.code, 2);
    test_run_free(&run);
    free(folder);
}

/* --- numbers --- */

static f32 float_of(u32 bits) {
    f32 value;
    memcpy(&value, &bits, 4);
    return value;
}

/* The digits of a number, from the first nonzero one to the last nonzero one. */
static u32 digit_count(const char* text) {
    u32 count = 0, zeros = 0;
    for (; *text && *text != 'e'; text++) {
        if (*text < '0' || *text > '9' || (count == 0 && *text == '0')) continue;
        count++;
        zeros = *text == '0' ? zeros + 1 : 0;
    }
    return count - zeros;
}

/* It reads back as the same float, and no decimal of fewer digits does. */
static void shortest_check(f32 value) {
    char      text[F32_TEXT_BYTES], shorter[400];
    const u32 bytes = f32_text(text, value);
    assert_int_equal(bytes, strlen(text));
    const f32 back = strtof(text, NULL);
    const u32 digits = digit_count(text);
    if (memcmp(&back, &value, 4) != 0) fail_msg("%a is \"%s\", which is %a", value, text, back);
    if (digits <= 1 || !strpbrk(text, ".e")) return; /* integers keep all digits */
    snprintf(shorter, sizeof shorter, "%.*g", (int)digits - 1, (f64)value);
    if (strtof(shorter, NULL) == value) fail_msg("%s is longer than %s", text, shorter);
}

static void float_is_printed_as_shortest_decimal_that_reads_back(void** state) {
    static const struct {
        f32         value;
        const char* text;
    } rows[] = {{0.3f, "0.3"},
                {-0.1f, "-0.1"},
                {0, "0"},
                {-0.0f, "-0"},
                {1, "1"},
                {-42, "-42"},
                {16777216, "16777216"},
                {123456792, "123456792"},
                {0.0001f, "0.0001"},
                {1e-5f, "1e-05"},
                {1e9f, "1e+09"},
                {3.14159274f, "3.1415927"},
                {1.0f / 3, "0.33333334"},
                {8388607.5f, "8388607.5"},
                {3.402823466e38f, "3.4028235e+38"},
                {1.4e-45f, "1e-45"}};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char text[F32_TEXT_BYTES];
        f32_text(text, rows[i].value);
        assert_string_equal(text, rows[i].text);
    }
    const u32 count = getenv("TEST_FULL") ? 10000000 : 100000;
    u32       bits = 0x9e3779b9u;
    for (u32 i = 0; i < count; i++) {
        bits = bits * 1664525u + 1013904223u;
        if ((bits >> 23 & 255) != 255) shortest_check(float_of(bits));
        shortest_check((f32)(i / 3) / (f32)(1 + i % 1000)); /* as authors write them */
        shortest_check(float_of(0x38d1b717u + (u32)((u64)i * 0xbb6d8b1u % 0x15fd1149u)));
    }
}

/* --- names --- */

/* Ids are shown as names wherever the blob contains the name, in every form, and only there. */
static void dump_of_blob_with_names_shows_them_in_place_of_ids(void** state) {
    char* folder = strdup(test_folder("dump_names"));
    UNUSED(state);
    test_write_text(folder, "src/tag.component.json",
                    "{ \"fields\": { \"of\": { \"type\": \"name\" },\n"
                    "  \"other\": { \"type\": \"name\" }, \"room\": { \"type\": \"name\" },\n"
                    "  \"keeper\": { \"type\": \"persistent\" },\n"
                    "  \"gone\": { \"type\": \"persistent\" } } }");
    test_write_text(folder, "src/yard.level.json",
                    "{ \"entities\": [ { \"name\": \"gate\", \"components\": {\n"
                    "  \"persistent_id\": { \"id\": 4711 },\n"
                    "  \"tag\": { \"of\": \"lamp\", \"other\": \"nowhere\", \"room\": \"cellar\",\n"
                    "    \"keeper\": \"gate\", \"gone\": 12 } } },\n"
                    "  { \"name\": \"lamp\", \"group\": \"cellar\" } ] }");
    EXPECT(folder, 0, "", "entc build src -o out");
    EXPECT(folder, 0,
           "    of: lamp\n    other: 0x0d14070b\n    room: cellar\n    keeper: gate (4711)\n"
           "    gone: 12\n",
           "entc dump out/yard.level");
    EXPECT(folder, 0,
           "\"of\": \"lamp\", \"other\": \"0x0d14070b\", \"room\": \"cellar\", "
           "\"keeper\": {\"id\": 4711, \"path\": \"gate\"}, \"gone\": 12",
           "entc dump --json out/yard.level");
    EXPECT(folder, 0, " cellar ", "entc dump --annotate out/yard.level | grep 'tag.0..room'");
    EXPECT(folder, 1, "~ gate: tag.of: lamp -> gate\n~ gate: tag.keeper: gate (4711) -> none\n",
           "cp -r out old && sed -i 's/\"of\": \"lamp\"/\"of\": \"gate\"/; s/\"keeper\": \"gate\", "
           "//' "
           "src/yard.level.json && entc build src -o out && entc diff old out");
    EXPECT(folder, 0, "  id: tag\n", "entc dump out/tag.component");
    free(folder);
}

/* Compares a text with a file of tests/golden, or rewrites the file. */
static void golden_check(const char* name, const char* text) {
    char   path[300];
    size_t size;
    snprintf(path, sizeof path, "tests/golden/%s", name);
    if (getenv("GOLDEN")) {
        test_write_text("tests/golden", name, text);
        return;
    }
    char* golden = (char*)test_read(path, &size);
    if (!golden) fail_msg("%s does not exist; `make golden` writes it", path);
    if (strcmp(golden, text) != 0) fail_msg("%s differs; `make golden` and read the diff", path);
    free(golden);
}

/* Every byte compiled from our assets is the same for every compiler, machine and build. */
static void assets_compiled_on_any_machine_have_recorded_hashes(void** state) {
    char*  folder = strdup(test_folder("golden"));
    char * text = NULL, path[2048];
    size_t bytes = 0;
    UNUSED(state);
    TestRun run = test_command(".", "entc build assets -o '%s/out'", folder);
    assert_int_equal(run.code, 0);
    assert_null(strstr(run.err, "warning"));
    snprintf(path, sizeof path, "%s/out", folder);
    char* tree = test_tree(path);
    FILE* out = open_memstream(&text, &bytes);
    for (char* name = strtok(tree, "\n"); name; name = strtok(NULL, "\n")) {
        size_t size;
        snprintf(path, sizeof path, "%s/out/%s", folder, name);
        u8* blob = test_read(path, &size);
        fprintf(out, "%016llx %6zu %s\n", (unsigned long long)hash_bytes(blob, size, 0), size,
                name + 2);
        free(blob);
    }
    fclose(out);
    golden_check("assets.txt", text);
    test_run_free(&run);
    run = test_command(folder, "entc dump out/levels/town.level");
    assert_int_equal(run.code, 0);
    golden_check("town.txt", run.out);
    test_run_free(&run);
    free(text);
    free(tree);
    free(folder);
}

TEST_SUITE(dump) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(dump_of_blob_with_any_changed_byte_differs),
        cmocka_unit_test(diff_after_edit_of_source_reports_the_changed_fields),
        cmocka_unit_test(dump_of_blob_with_names_shows_them_in_place_of_ids),
        cmocka_unit_test(float_is_printed_as_shortest_decimal_that_reads_back),
        cmocka_unit_test(assets_compiled_on_any_machine_have_recorded_hashes)};
    return TEST_RUN("dump", tests);
}
