/* test_map_text.c - the reader of source maps, called directly: each missing, changed or
 * out-of-range part of the text is refused although the checksum at the end matches, and lookups
 * beyond the rows find nothing. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "hash.h"
#include "map_file.h"
#include "test.h"

#define END_BYTES 23
#define HEAD      SOURCE_MAP_MAGIC "blob 0x7 x.level\n"
#define FILES     HEAD "file x.level.json\nfile p.entity.json 1:1>1\n"
#define RESOURCE  FILES "resource 0:1:1\n"
#define ENTITIES  RESOURCE "entities 2 9\n0:1:1>1\n1:1:1@0\n"

/* Appends the line with the hash of everything before it. */
static size_t map_end(char* text, size_t bytes) {
    return bytes + (size_t)sprintf(text + bytes, "end 0x%016llx\n",
                                   (unsigned long long)hash_bytes(text, bytes, 0));
}

/* A map as a file, and its path without ".map". */
static const char* map_written(const char* text) {
    static char path[1100];
    char*       with_end = malloc(strlen(text) + 64);
    const char* folder = test_folder("map_text");
    strcpy(with_end, text);
    test_write(folder, "x.map", with_end, map_end(with_end, strlen(text)));
    snprintf(path, sizeof path, "%s/x", folder);
    free(with_end);
    return path;
}

static bool map_opens(SourceMap* map, const char* text) {
    return source_map_open(map, map_written(text), 7);
}

/* The note about a map that is not used is not printed. */
static int stderr_close(void) {
    const int kept = dup(STDERR_FILENO);
    fflush(stderr);
    if (!freopen("/dev/null", "w", stderr)) fail();
    return kept;
}

static void stderr_open(int kept) {
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
}

typedef struct MapRow {
    const char* text;
    bool        opens;
} MapRow;

static void expect_rows(const MapRow* rows, u32 count) {
    const char* wrong = NULL;
    const int   kept = stderr_close();
    for (u32 i = 0; i < count && !wrong; i++) {
        SourceMap map;
        if (map_opens(&map, rows[i].text) != rows[i].opens) wrong = rows[i].text;
        source_map_close(&map);
    }
    stderr_open(kept);
    if (wrong) fail_msg("%s", wrong);
}

static void source_map_with_invalid_head_is_refused(void** state) {
    static const MapRow rows[] = {
        {RESOURCE, true},
        {"blob 0x7 x.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "7 x.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7x.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level", false},
        {SOURCE_MAP_MAGIC "blob 0x7 level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x00000000000000007 x.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x0000000000000007 x.level\nfile x.json\nresource 0:1:1\n", true},
        {FILES "0:1:1\n", false},
        {FILES "resource 0:1:1", false},
        {FILES "resource 0:1:1entities 0 9\n", false},
    };
    UNUSED(state);
    expect_rows(rows, COUNT_OF(rows));
}

static void source_map_with_invalid_file_row_is_refused(void** state) {
#define FILE_ROW(line) HEAD "file x.level.json\nfile " line "\nfile y.json\nresource 0:1:1\n"
    static const MapRow rows[] = {
        {FILE_ROW("a-b/c_d/0.9.json"), true},
        {FILE_ROW("a/b.json 1:1>2"), true},
        {FILE_ROW("../a.json"), false},
        {FILE_ROW("../a.json 1:1>2"), false},
        {FILE_ROW("A+b c.json"), true},
        {FILE_ROW("A b.glb =a_b"), true},
        {FILE_ROW("A.glb 1:1>2 =b"), true},
        {FILE_ROW("gr\xc3\xb6\xc3\x9f.glb"), true},
        {FILE_ROW("a.glb =a"), false},
        {FILE_ROW("A.glb =A"), false},
        {FILE_ROW("A.glb =b 1:1>2"), false},
        {FILE_ROW("A.glb ="), false},
        {FILE_ROW("A.glb =b =c"), false},
        {FILE_ROW("a =b.glb"), true},
        {FILE_ROW("a\x1b"
                  "b.json"),
         false},
        {FILE_ROW("a\xff.json"), false},
        {FILE_ROW("a\xc2\x9b.json"), false},
        {FILE_ROW("a/.b.json"), false},
        {FILE_ROW("a//b.json"), false},
        {FILE_ROW("a.json >2"), false},
        {FILE_ROW("a.json 1:1"), false},
        {FILE_ROW("a.json 1:1>"), false},
        {FILE_ROW("a.json 1:1>3"), false},
        {FILE_ROW("a.json 1:1>2x"), false},
        {HEAD "resource 0:1:1\n", false},
    };
    UNUSED(state);
    expect_rows(rows, COUNT_OF(rows));
#undef FILE_ROW
}

static void source_map_with_invalid_place_is_refused(void** state) {
#define PLACE(place) FILES "resource " place "\n"
    static const MapRow rows[] = {
        {PLACE("1:2:3>0=ff"), true},
        {PLACE(":1:1"), false},
        {PLACE("4294967296:1:1"), false},
        {PLACE("18446744073709551616:1:1"), false},
        {PLACE("01:1"), false},
        {PLACE("0:0:1"), false},
        {PLACE("0:1:0"), false},
        {PLACE("0:11"), false},
        {PLACE("0:4294967294:1"), true},
        {PLACE("0:4294967295:1"), false},
        {PLACE("0:4294967301:1"), false},
        {PLACE("0:1:4294967301"), false},
        {PLACE("0:18446744073709551617:1"), false},
        {PLACE("0:1:1@"), false},
        {PLACE("0:1:1>"), false},
        {PLACE("0:1:1="), false},
        {PLACE("0:1:1=0123456789abcdef"), true},
        {PLACE("0:1:1=0123456789abcdef0"), false},
    };
    UNUSED(state);
    expect_rows(rows, COUNT_OF(rows));
#undef PLACE
}

static void source_map_with_invalid_section_row_is_refused(void** state) {
    static const MapRow rows[] = {
        {ENTITIES "component light 1 8\n0:1:1@1 1:1:1\n", true},
        {RESOURCE "entities 0 9\n", true},
        {RESOURCE "entities1 9\n0:1:1\n", false},
        {RESOURCE "entities  9\n", false},
        {RESOURCE "entities 0\n", false},
        {RESOURCE "entities 0 \n", false},
        {RESOURCE "entities 0 9", false},
        {RESOURCE "entities 4294967296 9\n", false},
        {RESOURCE "entities 1 9\n0:1:11", false},
        {RESOURCE "entities 1 9\n0:1:1component light 0 8\n", false},
        {RESOURCE "component\n", false},
        {RESOURCE "component 1\n", false},
        {RESOURCE "component light\n", false},
        {RESOURCE "component light 0 8\n", true},
        {RESOURCE "component light 0 8", false},
        {RESOURCE "component light 1 8\n0:1:11", false},
        {RESOURCE "component light 1 8\ncomponent fog 0 8\n", false},
        {RESOURCE "component light 1 8\n0:1:1component fog 0 8\n", false},
    };
    UNUSED(state);
    expect_rows(rows, COUNT_OF(rows));
}

/* The maximum number of component types, and one more. */
static void source_map_with_too_many_components_is_refused(void** state) {
    char      text[8192];
    SourceMap map;
    UNUSED(state);
    for (u32 count = 96; count <= 97; count++) {
        size_t at = (size_t)sprintf(text, RESOURCE);
        for (u32 i = 0; i < count; i++) at += (size_t)sprintf(text + at, "component c%u 0 8\n", i);
        const int  kept = stderr_close();
        const bool opens = map_opens(&map, text);
        stderr_open(kept);
        assert_int_equal(opens, count == 96);
        source_map_close(&map);
    }
}

/* The last line has a fixed length: a hash that begins with 0 is not shortened. */
static void source_map_with_invalid_last_line_is_refused(void** state) {
    char text[256], buffer[64];
    u64  hash;
    u32  number = 0;
    UNUSED(state);
    do {
        sprintf(text, SOURCE_MAP_MAGIC "blob 0x%x x.level\n", number++);
        hash = hash_bytes(text, strlen(text), 0);
    } while (hash >> 60 != 0);
    const size_t bytes = strlen(text);
    assert_int_equal(map_end(text, bytes), bytes + END_BYTES);
    assert_true(source_map_names(text, bytes + END_BYTES, text_of("x"), RESOURCE_LEVEL));
    sprintf(text + bytes, "end 0x%015llx\n0", (unsigned long long)hash);
    assert_false(source_map_names(text, bytes + END_BYTES, text_of("x"), RESOURCE_LEVEL));
    sprintf(text + bytes, "end 0x%016llx0", (unsigned long long)hash);
    assert_false(source_map_names(text, bytes + END_BYTES, text_of("x"), RESOURCE_LEVEL));
    /* In a text shorter than that line, nothing before it is read. */
    map_end(buffer, 0);
    for (u32 cut = 1; cut <= END_BYTES; cut++) {
        memcpy(text + 1, buffer, END_BYTES);
        assert_false(
            source_map_names(text + 1 + cut, END_BYTES - cut, text_of("x"), RESOURCE_LEVEL));
    }
}

static void source_map_names_the_resource_of_its_head(void** state) {
    static const struct {
        const char*  head;
        const char*  name;
        ResourceType type;
        bool         names;
    } rows[] = {
        {"blob 0x7 a/x.level\n", "a/x", RESOURCE_LEVEL, true},
        {"blob 0x7 a/x.level\nwhat another version has\n", "a/x", RESOURCE_LEVEL, true},
        {"blob 0x x.level\n", "x", RESOURCE_LEVEL, false},
        {"blob 0x7 x.level\n", "y", RESOURCE_LEVEL, false},
        {"blob 0x7 x.level\n", "xy", RESOURCE_LEVEL, false},
        {"blob 0x7 xy.level\n", "x", RESOURCE_LEVEL, false},
        {"blob 0x7 x.mesh\n", "x", RESOURCE_CLIP, false},
        {"blob 0x7 x.level\n", "x", RESOURCE_CLIP, false},
        {"blob 0x7 X.level\n", "X", RESOURCE_LEVEL, false},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char         text[256];
        const size_t bytes = (size_t)sprintf(text, SOURCE_MAP_MAGIC "%s", rows[i].head);
        const size_t complete = map_end(text, bytes);
        const Text   name = text_of(rows[i].name);
        if (source_map_names(text, complete, name, rows[i].type) != rows[i].names)
            fail_msg("%s: %s", rows[i].head, rows[i].name);
        text[complete - 3] ^= 1;
        assert_false(source_map_names(text, complete, name, rows[i].type));
    }
}

static void file_that_is_no_source_map_is_not_opened(void** state) {
    char      path[1100], *distant = calloc(1, 6000);
    bool      is_of = true;
    SourceMap map;
    UNUSED(state);
    const char* folder = test_folder("map_text");
    snprintf(path, sizeof path, "%s/x", folder);
    const int kept = stderr_close();
    assert_false(source_map_open(&map, path, 7)); /* there is none */
    assert_int_equal(map.unread, ENT_OK);
    memset(distant, 'a', 5999);
    assert_false(source_map_open(&map, distant, 7)); /* a path longer than any file has */
    assert_int_equal(map.unread, ENT_OK);
    TEST_DONE(folder, "mkdir x.map && mkfifo y.map");
    assert_false(source_map_open(&map, path, 7));
    assert_int_not_equal(map.unread, ENT_OK);
    source_map_close(&map);
    stderr_open(kept);
    strcat(path, ".map");
    assert_int_equal(source_map_is_of(path, text_of("x"), RESOURCE_LEVEL, &is_of), ENT_OK);
    assert_false(is_of);
    path[strlen(path) - 5] = 'y';
    assert_int_equal(source_map_is_of(path, text_of("x"), RESOURCE_LEVEL, &is_of), ENT_OK);
    assert_false(is_of);
    path[strlen(path) - 5] = 'z';
    assert_int_equal(source_map_is_of(path, text_of("x"), RESOURCE_LEVEL, &is_of), ENT_OK);
    assert_false(is_of);
    assert_int_equal(source_map_is_of(distant, text_of("x"), RESOURCE_LEVEL, &is_of), ENT_IO);
    free(distant);
}

static void source_map_lookup_beyond_rows_finds_nothing(void** state) {
    SourceMap   map;
    SourcePlace p;
    const u32   light = hash_name(text_of("light")), fog = hash_name(text_of("fog"));
    UNUSED(state);
    assert_true(map_opens(&map, ENTITIES "component light 2 8\n0:1:1=2 0:2:2=1\n0:3:3\n"));
    assert_true(source_map_has(&map.reader, light, 2, 8));
    assert_false(source_map_has(&map.reader, light, 1, 8));
    assert_false(source_map_has(&map.reader, light, 2, 9));
    assert_false(source_map_has(&map.reader, fog, 2, 8));
    assert_true(ent_source_map_entity(&map.reader, 1, &p));
    assert_false(ent_source_map_entity(&map.reader, 2, &p));
    assert_true(ent_source_map_layer(&map.reader, light, 0, 1, &p) && p.line == 2);
    assert_false(ent_source_map_layer(&map.reader, light, 0, 2, &p));
    assert_false(ent_source_map_layer(&map.reader, light, 2, 0, &p));
    assert_false(ent_source_map_layer(&map.reader, light, 1u << 30, 0, &p));
    assert_false(ent_source_map_layer(&map.reader, fog, 0, 0, &p));
    assert_true(ent_source_map_field(&map.reader, light, 0, 0, &p) && p.line == 2);
    assert_true(ent_source_map_field(&map.reader, light, 0, 1, &p) && p.line == 1);
    assert_true(ent_source_map_field(&map.reader, light, 0, 2, &p) &&
                p.line == 1); /* no layer sets it */
    assert_true(ent_source_map_field(&map.reader, light, 0, 64, &p) && p.line == 1);
    assert_false(ent_source_map_field(&map.reader, light, 2, 0, &p));
    assert_false(ent_source_map_field(&map.reader, light, 1u << 30, 0, &p));
    assert_false(ent_source_map_field(&map.reader, fog, 0, 0, &p));
    source_map_close(&map);
}

/* A cyclic chain of prefabs contains no file of the place. */
static void source_map_with_cyclic_prefab_chain_has_no_outer_place(void** state) {
    SourceMap   map;
    SourcePlace p;
    UNUSED(state);
    assert_true(map_opens(&map, ENTITIES));
    assert_true(ent_source_map_entity(&map.reader, 1, &p));
    assert_true(ent_source_map_outer(&map.reader, &p));
    assert_true(text_equal(source_map_prefab(&map, 1), text_of("p")));
    assert_false(ent_source_map_outer(&map.reader, &p));
    source_map_close(&map);
    assert_true(map_opens(&map, RESOURCE "entities 2 9\n0:1:1>1\n0:2:2@0\n"));
    assert_true(ent_source_map_entity(&map.reader, 1, &p));
    assert_false(ent_source_map_outer(&map.reader, &p));
    source_map_close(&map);
    assert_true(map_opens(&map, HEAD "file x.json\nfile a.b/c/lamp.fr.entity.json\n"
                                     "resource 0:1:1\nentities 2 9\n0:1:1>1\n1:1:1@0\n"));
    assert_true(ent_source_map_entity(&map.reader, 1, &p));
    assert_true(ent_source_map_outer(&map.reader, &p));
    assert_true(text_equal(source_map_prefab(&map, 1), text_of("a.b/c/lamp")));
    source_map_close(&map);
}

TEST_SUITE(map_text) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_map_with_invalid_head_is_refused),
        cmocka_unit_test(source_map_with_invalid_file_row_is_refused),
        cmocka_unit_test(source_map_with_invalid_place_is_refused),
        cmocka_unit_test(source_map_with_invalid_section_row_is_refused),
        cmocka_unit_test(source_map_with_too_many_components_is_refused),
        cmocka_unit_test(source_map_with_invalid_last_line_is_refused),
        cmocka_unit_test(source_map_names_the_resource_of_its_head),
        cmocka_unit_test(file_that_is_no_source_map_is_not_opened),
        cmocka_unit_test(source_map_lookup_beyond_rows_finds_nothing),
        cmocka_unit_test(source_map_with_cyclic_prefab_chain_has_no_outer_place),
    };
    return TEST_RUN("map_text", tests);
}
