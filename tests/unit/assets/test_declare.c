/* test_declare.c - components that a project declares as data, from the text to the columns of a
 * world. Errors in declarations are tested in cases/declare.txt.
 *
 * Invariants: libent supports the components of a level without code of the host; every reader
 * finds the declaration beside the blob, and reports it when it does not; the C header matches the
 * record of the blob; a blob of one declaration is never read with another one. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "fields.h"
#include "hash.h"
#include "test.h"
#include "test_worlds_support.h"
#include "world_internal.h"

#define HEALTH "gameplay/health.component"

static const char health[] =
    "{ \"text\": \"what can be hurt\", \"fields\": {\n"
    "  \"points\": { \"type\": \"f32\", \"default\": 100, \"min\": 0, \"max\": 1000, \"unit\": "
    "\"hp\" },\n"
    "  \"tint\": { \"type\": \"f32\", \"count\": 3, \"default\": [0.25, 0.5, 1], \"max\": 1 },\n"
    "  \"uv\": { \"type\": \"f32\", \"count\": 2, \"default\": [3, 4] },\n"
    "  \"team\": { \"type\": \"enum\", \"enum\": [\"red\", \"blue\", \"2nd\"], \"default\": "
    "\"blue\" },\n"
    "  \"target\": { \"type\": \"entity\" },\n"
    "  \"remains\": { \"type\": \"resource\", \"resource\": \"material\" },\n"
    "  \"label\": { \"type\": \"name\" },\n"
    "  \"alive\": { \"type\": \"bool\", \"default\": true },\n"
    "  \"lives\": { \"type\": \"u32\", \"default\": 4294967295 },\n"
    "  \"turn\": { \"type\": \"quat\", \"default\": [0, 0.6, 0, 0.8] },\n"
    "  \"rim\": { \"type\": \"f32\", \"count\": 4, \"default\": [1, 2, 3, 4] } } }\n";

static const char slot[] =
    "{ \"several\": true, \"order\": 50, \"fields\": { \"item\": { \"type\": \"u32\" } } }\n";

static const char mark[] = "{ \"fields\": { \"n\": { \"type\": \"u32\", \"default\": 1 } } }\n";

static const char arena_level[] =
    "{ \"entities\": [\n"
    "  { \"name\": \"hero\", \"components\": { \"transform\": {}, \"slot\": [ { \"item\": 7 }, { "
    "\"item\": 8 } ],\n"
    "      \"health\": { \"points\": 50, \"target\": \"foe/heart\", \"remains\": \"clay\", "
    "\"label\": \"hero\" } },\n"
    "    \"children\": [ { \"name\": \"dog\", \"prefab\": \"dog\" } ] },\n"
    "  { \"name\": \"foe\", \"components\": { \"health\": { \"team\": \"red\", \"alive\": false, "
    "\"lives\": 3 } },\n"
    "    \"children\": [ { \"name\": \"heart\", \"components\": { \"mark\": {} } } ] } ] }\n";

static const char dog[] = "{ \"components\": { \"health\": { \"points\": 5, \"target\": \".\" }, "
                          "\"slot\": [ { \"item\": 1 } ] } }\n";

/* A project in FOLDER/src, built into FOLDER/out. The caller frees the path. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/gameplay/health.component.json", health);
    test_write_text(folder, "src/slot.component.json", slot);
    test_write_text(folder, "src/mark.component.json", mark);
    test_write_text(folder, "src/levels/arena.level.json", arena_level);
    test_write_text(folder, "src/dog.entity.json", dog);
    test_write_text(folder, "src/clay.material.json", "{}");
    TestRun run = test_command(folder, "entc build src -o out");
    if (run.code != 0) print_error("%s", run.err);
    assert_int_equal(run.code, 0);
    test_run_free(&run);
    return folder;
}

static void change(const char* folder, const char* from, const char* to) {
    char*  text = strdup(health);
    char*  at = strstr(text, from);
    size_t bytes;
    char*  complete = NULL;
    assert_non_null(at);
    FILE* out = open_memstream(&complete, &bytes);
    fprintf(out, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from));
    fclose(out);
    test_write_text(folder, "src/gameplay/health.component.json", complete);
    free(complete);
    free(text);
}

typedef struct Opened {
    u8*  bytes;
    Blob blob;
} Opened;

static Opened blob_open(const char* folder, const char* name) {
    char   path[1200];
    size_t size;
    Opened o;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    o.bytes = test_read(path, &size);
    assert_non_null(o.bytes);
    assert_int_equal(ent_blob_open(&o.blob, o.bytes, size, NULL, NULL), ENT_OK);
    return o;
}

/* --- libent --- */

static void declare(World* world, const char* folder, const char* name) {
    Opened o = blob_open(folder, name);
    assert_int_equal(ent_world_declare(world, &o.blob), ENT_OK);
    free(o.bytes); /* it is not needed any more */
}

static void check_health(const Manager* m, const Entity* e) {
    const f32*         points = m->column[0];
    const Vec3*        tint = m->column[1];
    const Vec2*        uv = m->column[2];
    const u32*         team = m->column[3];
    const Entity*      target = m->column[4];
    const ResourceRef* remains = m->column[5];
    const u32*         label = m->column[6];
    const u32 *        alive = m->column[7], *lives = m->column[8];
    const Quat*        turn = m->column[9];
    const Vec4*        rim = m->column[10];
    const ResourceRef  clay = ent_resource_ref("clay", RESOURCE_MATERIAL);
    assert_int_equal(m->count, 3); /* hero, dog, foe: entities 0, 1, 2; the heart is 3 */
    assert_true(points[0] == 50 && points[1] == 5 && points[2] == 100);
    assert_true(tint[1].x == 0.25f && tint[1].y == 0.5f && tint[1].z == 1);
    assert_true(uv[2].x == 3 && uv[2].y == 4 && rim[2].x == 1 && rim[2].w == 4);
    assert_true(team[0] == 1 && team[1] == 1 && team[2] == 0);
    assert_int_equal(target[0], e[3]);
    assert_int_equal(target[1], e[1]);
    assert_int_equal(target[2], ENTITY_NULL);
    assert_memory_equal(&remains[0], &clay, sizeof clay);
    assert_true(remains[2].lo == 0 && remains[2].hi == 0);
    assert_true(label[0] == hash_name(text_of("hero")) && label[1] == 0);
    assert_true(alive[0] == 1 && alive[2] == 0 && lives[0] == UINT32_MAX && lives[2] == 3);
    assert_true(turn[0].y == 0.6f && turn[0].w == 0.8f);
}

static void level_with_declared_components_fills_their_columns(void** state) {
    char*              folder = project("declare");
    Opened             level = blob_open(folder, "out/levels/arena.level");
    const SpawnOptions strict = {.strict = 1};
    World*             world;
    Entity             e[4];
    u32                row;
    UNUSED(state);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &level.blob, &strict, e), ENT_UNKNOWN_COMPONENT);
    declare(world, folder, "out/" HEALTH);
    assert_int_equal(ent_world_spawn(world, &level.blob, &strict, e), ENT_UNKNOWN_COMPONENT);
    declare(world, folder, "out/slot.component");
    declare(world, folder, "out/mark.component");
    assert_int_equal(ent_world_spawn(world, &level.blob, &strict, e), ENT_OK);
    Manager* m = ent_world_manager_by_name(world, "health");
    assert_non_null(m);
    check_health(m, e);
    for (u32 i = 0; i < 3; i++) {
        assert_int_equal(m->entity[i], e[i]);
        assert_int_equal(ent_manager_row(m, world->entities, e[i]), i);
    }
    assert_int_equal(ent_manager_row(m, world->entities, e[3]), MANAGER_NO_ROW);
    assert_int_equal(ent_manager_create(world, m, e[3], &row), ENT_OK);
    assert_true(((f32*)m->column[0])[row] == 100 && ((Quat*)m->column[9])[row].w == 0.8f);
    assert_int_equal(((Entity*)m->column[4])[row], ENTITY_NULL);
    /* Multiple components, which are spawned first because the declaration requests it. */
    const Manager* slots = ent_world_manager_by_name(world, "slot");
    const u32*     item = slots->column[0];
    assert_ptr_equal(slots, &world->manager[0]);
    assert_int_equal(slots->count, 3);
    row = ent_manager_row(slots, world->entities, e[0]);
    assert_int_equal(item[row], 7);
    assert_int_equal(item[ent_manager_next(slots, row)], 8);
    ent_entity_destroy(world, e, 1);
    assert_int_equal(m->count, 3);
    ent_world_destroy(world);
    free(level.bytes);
    free(folder);
}

static void blob_that_is_no_valid_declaration_is_refused_by_world(void** state) {
    char*             folder = project("declare_not");
    Opened            material = blob_open(folder, "out/clay.material");
    Opened            declaration = blob_open(folder, "out/" HEALTH);
    CountingAllocator counting = {0};
    const WorldDesc   desc = {.allocator = counting_allocator(&counting)};
    World*            world;
    UNUSED(state);
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    assert_int_equal(ent_component_type_bytes(&material.blob), 0);
    assert_int_equal(ent_world_declare(world, &material.blob), ENT_WRONG_TYPE);
    counting.fail_at = counting.allocations + 1;
    assert_int_equal(ent_world_declare(world, &declaration.blob), ENT_NO_MEMORY);
    counting.fail_at = 0;
    assert_int_equal(ent_world_declare(world, &declaration.blob), ENT_OK);
    const size_t bytes = counting.live_bytes;
    assert_int_equal(ent_world_declare(world, &declaration.blob), ENT_EXISTS);
    assert_int_equal(counting.live_bytes, bytes);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    free(material.bytes);
    free(declaration.bytes);
    free(folder);
}

/* The level was built with one declaration, the world uses another one. */
static u32 uv_column(const Manager* m) {
    u32 column = 0;
    while (strcmp(m->desc.type.record.fields[column].name, "uv") != 0) column++;
    return column;
}

static void level_built_with_other_declaration_is_converted_by_world(void** state) {
    char*  folder = project("declare_other");
    Opened level = blob_open(folder, "out/levels/arena.level");
    World* world;
    Entity e[4];
    UNUSED(state);
    change(folder, "\"uv\": { \"type\": \"f32\", \"count\": 2, \"default\": [3, 4] }",
           "\"uv\": { \"type\": \"quat\" }");
    EXPECT(folder, 0, "", "entc compile src " HEALTH " -o other");
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    declare(world, folder, "other");
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, e), ENT_OK);
    const Manager* m = ent_world_manager_by_name(world, "health");
    for (u32 i = 0; i < m->count; i++) { /* numbers of uv are no quaternion: the identity */
        const Quat* uv = &((const Quat*)m->column[uv_column(m)])[i];
        assert_true(uv->x == 0 && uv->y == 0 && uv->z == 0 && uv->w == 1);
    }
    ent_world_destroy(world);
    free(level.bytes);
    free(folder);
}

static void entrun_reads_declared_components_of_level(void** state) {
    char* folder = project("declare_entrun");
    UNUSED(state);
    EXPECT(folder, 0, "\nhealth                              3 ",
           "entrun out --level levels/arena --stats --strict");
    EXPECT(folder, 2, "\"out/gameplay/health.component\"",
           "rm out/" HEALTH " && entrun out --level levels/arena");
    free(folder);
}

/* --- the commands that read --- */

static const char* const entities_of = "entc dump %s | sed -n '/^entity/,$p'";

static void reading_commands_find_declaration_beside_blob(void** state) {
    char* folder = project("declare_read");
    char  line[200];
    UNUSED(state);
    EXPECT(folder, 0, "    target: foe/heart (3)\n    remains: clay.material\n",
           "entc dump out/levels/arena.level");
    EXPECT(folder, 0, "\"health\": {\"points\": 5, ", "entc dump --json out/levels/arena.level");
    EXPECT(folder, 0, "health[0].points", "entc dump --annotate out/levels/arena.level");
    EXPECT(folder, 0, "    points: 5\n", "cd out && entc dump dog.entity");
    EXPECT(folder, 0, "    points: 5\n", "cd out/levels && entc dump ../dog.entity");
    EXPECT(folder, 0, "    points: 5\n", "cd out/levels && entc dump arena.level");
    EXPECT(folder, 0, "    points: 5\n", "cd out/gameplay && entc dump .././/dog.entity");
    EXPECT(folder, 0, "\nhealth                          2 ", "entc info out");
    EXPECT(folder, 0, "2 entities", "entc info out/levels/arena.level | head -1; echo 2 entities");
    EXPECT(folder, 0, "health.component: ok", "entc verify out");
    /* Also those of the other byte order, with a declaration in that byte order. */
    EXPECT(folder, 0, "", "entc build src -o big --target big");
    snprintf(line, sizeof line, entities_of, "out/levels/arena.level");
    TestRun little = test_command(folder, "%s", line);
    snprintf(line, sizeof line, entities_of, "big/levels/arena.level");
    TestRun big = test_command(folder, "%s", line);
    assert_true(little.out_bytes > 400);
    assert_string_equal(little.out, big.out);
    test_run_free(&little);
    test_run_free(&big);
    free(folder);
}

static void reading_commands_without_declaration_print_a_note(void** state) {
    char* folder = project("declare_lost");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --strip -q"); /* without declarations */
    EXPECT(folder, 0, "component unknown 0x", "cp out/dog.entity x && entc dump x");
    EXPECT(folder, 0,
           "x: note: unknown component types of its project: the path does not end with the "
           "resource name of the blob",
           "entc dump x");
    EXPECT(folder, 0, "note", "entc dump - < x >/dev/null; echo note");
    EXPECT(folder, 0,
           "out/dog.entity: note: unknown component types of its project: "
           "\"out/gameplay/health.component\": No such file or directory; "
           "gameplay/health.component with the layout 0x",
           "mv out/" HEALTH " lost && entc verify out/dog.entity");
    EXPECT(folder, 0, "slot[0]\n", "entc dump out/dog.entity");
    EXPECT(folder, 0, "\"out/gameplay/health.component\": header.magic at offset 0",
           "echo nonsense > out/" HEALTH " && entc dump out/dog.entity");
    EXPECT(folder, 0, "is not a component declaration",
           "cp out/clay.material out/" HEALTH " && entc info out");
    EXPECT(folder, 0, "\"out/gameplay/health.component\": Is a directory",
           "rm out/" HEALTH " && mkdir out/" HEALTH " && entc dump out/dog.entity");
    EXPECT(folder, 0, "\"out/gameplay/health.component\": Invalid argument",
           "rmdir out/" HEALTH " && mkfifo out/" HEALTH " && entc dump out/dog.entity");
    free(folder);
}

/* A declaration that is newer than the level is reported as such, and never used to read it. */
static void reading_commands_with_newer_declaration_report_mismatch(void** state) {
    char* folder = project("declare_stale");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --strip -q"); /* without declarations */
    change(folder, "\"alive\"", "\"living\"");
    EXPECT(folder, 0, "", "entc compile src " HEALTH " -o out/" HEALTH " -q");
    EXPECT(folder, 3, "\"out/gameplay/health.component\" declares health with 0x",
           "entc verify out/levels/arena.level");
    EXPECT(folder, 0, ": compile both again", "entc dump out/levels/arena.level");
    EXPECT(folder, 0, "component unknown 0x", "entc dump out/levels/arena.level");
    EXPECT(folder, 3, "there is no field",
           "entc build src -o out || { echo there is no field; exit 3; }");
    free(folder);
}

/* Damage inside a declared component is found by every reader that has the declaration. */
static void damaged_declared_component_is_found_with_its_declaration(void** state) {
    char*  folder = project("declare_validation");
    char   path[1200];
    size_t size;
    UNUSED(state);
    Opened              declaration = blob_open(folder, "out/" HEALTH);
    void*               memory = malloc(ent_component_type_bytes(&declaration.blob));
    const ComponentType type = ent_component_type_open(&declaration.blob, memory);
    snprintf(path, sizeof path, "%s/out/levels/arena.level", folder);
    u8*  bytes = test_read(path, &size);
    Blob blob;
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, NULL), ENT_OK);
    const BlobSection* s = ent_blob_component(&blob, type.id);
    assert_int_equal(s->layout, type.layout);
    f32* points = (f32*)(uintptr_t)ent_blob_column(&blob, s, &type, 0);
    points[1] = 1001;
    hash_fix(bytes, size);
    assert_int_equal(ent_blob_open(&blob, bytes, size, NULL, NULL), ENT_OK);
    test_write(folder, "out/levels/arena.level", bytes, size);
    EXPECT(folder, 3, "health[1].points at offset", "entc verify out/levels/arena.level");
    EXPECT(folder, 3, "health[1].points at offset", "entc dump out/levels/arena.level");
    free(memory);
    free(declaration.bytes);
    free(bytes);
    free(folder);
}

static void diff_of_changed_declarations_reads_each_side_with_its_own(void** state) {
    char* folder = project("declare_diff");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o same && entc diff out same");
    test_write_text(folder, "src/dog.entity.json",
                    "{ \"components\": { \"health\": { \"points\": 6 }, \"slot\": [] } }\n");
    EXPECT(folder, 0, "", "entc build src -o new");
    EXPECT(folder, 1, "~ hero/dog: health.points: 5 -> 6\n", "entc diff out new");
    EXPECT(folder, 1, "- hero/dog: slot[0]\n", "entc diff out new");
    EXPECT(folder, 1, "~ hero/dog: health.target: hero/dog (1) -> none\n", "entc diff out new");
    /* Fields keep their names and kinds, enums their texts, whatever the layout of the record. */
    change(folder, "\"enum\": [\"red\", \"blue\", \"2nd\"]", "\"enum\": [\"blue\", \"red\"]");
    EXPECT(folder, 0, "", "entc build src -o newer");
    TestRun run = test_command(folder, "entc diff new newer");
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.out, "~ health layout: 0x"));
    assert_non_null(strstr(run.out, "health.component:\n"));
    assert_non_null(strstr(run.out, "~ enum_text count: 3 -> 2\n"));
    assert_null(strstr(run.out, "health.team"));
    test_run_free(&run);
    EXPECT(folder, 1, "~ declared_field[0].unit: \"hp\" -> \"%\"\n", "%s",
           "sed -i 's/\"hp\"/\"%\"/' src/gameplay/*.json && entc build src -o newest; "
           "entc diff newer newest");
    free(folder);
}

/* A side without a declaration reports which entities differ if the layouts are equal. With
 * different layouts the words cannot be assigned to entities, even if the records are equally
 * long. */
static void diff_of_unknown_layouts_reports_only_the_type(void** state) {
    char* folder = project("declare_layouts");
    char  alike[120], other[120];
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --strip -q"); /* without declarations */
    const u32 id = hash_name(text_of("mark"));
    snprintf(alike, sizeof alike, "~ #2/#3: component 0x%08x: of an unknown type, differs\n", id);
    snprintf(other, sizeof other, "~ component 0x%08x: of an unknown type, differs\n", id);
    TEST_DONE(folder,
              "mkdir a b c && cp out/levels/arena.level a && "
              "sed -i 's/\"mark\": {}/\"mark\": { \"n\": 2 }/' src/levels/arena.level.json && "
              "entc build src -o out --strip && cp out/levels/arena.level b");
    EXPECT(folder, 1, alike, "GIT_DIR=/dev/null entc diff a/arena.level b/arena.level");
    TEST_DONE(folder,
              "sed -i 's/\"n\"/\"m\"/' src/mark.component.json src/levels/arena.level.json && "
              "entc build src -o out --strip && cp out/levels/arena.level c");
    /* No repository is searched, which might contain both of them. */
    TestRun run = test_command(folder, "GIT_DIR=/dev/null entc diff a/arena.level c/arena.level");
    assert_int_equal(run.code, 1);
    assert_non_null(strstr(run.out, other));
    assert_null(strstr(run.out, "#3"));
    test_run_free(&run);
    /* The same words of another layout are not equal. */
    EXPECT(folder, 1, other, "GIT_DIR=/dev/null entc diff b/arena.level c/arena.level");
    free(folder);
}

/* --- conform and codegen --- */

/* Each changed bound is reported as the declaration states it: a float or an integer, one bound,
 * both, or none. */
static void conform_with_changed_range_reports_old_and_new_bounds(void** state) {
    static const struct {
        const char *type, *was, *is, *reported;
        int         code;
    } rows[] = {
        {"f32", "", ", \"max\": 9", "the range changed from anything to at most 9: values outside",
         0},
        {"f32", "", ", \"min\": 0", "the range changed from anything to at least 0: values outside",
         0},
        {"f32", ", \"max\": 9", ", \"max\": 8",
         "the range changed from at most 9 to at most 8: values", 0},
        {"f32", ", \"max\": 9", ", \"max\": 10",
         "the range was extended from at most 9 to at most 10", 0},
        {"f32", ", \"max\": 9", "", "the range was extended from at most 9 to anything", 0},
        {"f32", ", \"min\": -1", ", \"min\": -2",
         "the range was extended from at least -1 to at least -2", 0},
        {"f32", ", \"min\": -1, \"max\": 9", "", "the range was extended from -1 to 9 to anything",
         0},
        {"u32", "", ", \"max\": 9", "the range changed from anything to at most 9: values outside",
         0},
        {"u32", "", ", \"min\": 1", "the range changed from anything to at least 1: values outside",
         0},
        {"u32", ", \"max\": 9", ", \"max\": 8",
         "the range changed from at most 9 to at most 8: values", 0},
        {"u32", ", \"min\": 1, \"max\": 9", ", \"max\": 9",
         "the range was extended from 1 to 9 to at most 9", 0},
        {"u32", ", \"max\": 4294967294", "", "from at most 4294967294 to anything", 0},
    };
    const char* folder = test_folder("declare_bounds");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* side[] = {rows[i].was, rows[i].is};
        for (u32 k = 0; k < 2; k++) {
            char text[200], name[32];
            snprintf(text, sizeof text,
                     "{ \"fields\": { \"n\": { \"type\": \"%s\", \"default\": 2%s } } }\n",
                     rows[i].type, side[k]);
            snprintf(name, sizeof name, "%s/x.component.json", k ? "is" : "was");
            test_write_text(folder, name, text);
        }
        EXPECT(folder, rows[i].code, rows[i].reported,
               "entc conform was/x.component.json is/x.component.json");
    }
}

static void conform_accepts_blobs_in_place_of_sources(void** state) {
    char* folder = project("declare_conform");
    UNUSED(state);
    EXPECT(folder, 0, "can be read with the new one unchanged",
           "entc conform out/" HEALTH " src/" HEALTH ".json");
    EXPECT(folder, 0, "can be read with", "entc conform src/" HEALTH ".json out/" HEALTH);
    EXPECT(folder, 0, "can be read with",
           "entc build src -o big --target big && entc conform big/" HEALTH " out/" HEALTH);
    change(folder, "\"max\": 1000", "\"max\": 999.5");
    EXPECT(
        folder, 0,
        "lossy     health.points: the range changed from 0 to 1000 to 0 to 999.5: values outside "
        "of it are limited to it",
        "entc conform out/" HEALTH " src/" HEALTH ".json");
    EXPECT(folder, 0, "harmless  health.points", "entc conform src/" HEALTH ".json out/" HEALTH);
    EXPECT(folder, 2, "it has type material, but must be a component declaration",
           "entc conform out/clay.material out/" HEALTH);
    EXPECT(folder, 2, "no such file", "entc conform out/" HEALTH " nosuch");
    EXPECT(folder, 1, "usage", "entc conform out/" HEALTH);
    free(folder);
}

/* The program prints how a compiler lays out the header; the blob must contain the same. */
static const char program[] =
    "#include <stddef.h>\n#include <stdio.h>\n#include \"own.h\"\n"
    "#define AT(field, column) printf(\"%u %s %u\\n\", (unsigned)column, #field, \\\n"
    "                                 (unsigned)offsetof(HealthRecord, field))\n"
    "int main(void) {\n"
    "    HealthTeam team = HEALTH_TEAM_2ND;\n"
    "    SlotRecord slot = {SLOT_BYTES};\n"
    "    printf(\"%s %08x %08x %u %u\\n\", HEALTH_KEY, HEALTH_ID, HEALTH_LAYOUT,\n"
    "           (unsigned)sizeof(HealthRecord), (unsigned)team + slot.item);\n"
    "    AT(points, HEALTH_COLUMN_POINTS);\n    AT(tint, HEALTH_COLUMN_TINT);\n"
    "    AT(uv, HEALTH_COLUMN_UV);\n    AT(team, HEALTH_COLUMN_TEAM);\n"
    "    AT(target, HEALTH_COLUMN_TARGET);\n    AT(remains, HEALTH_COLUMN_REMAINS);\n"
    "    AT(label, HEALTH_COLUMN_LABEL);\n    AT(alive, HEALTH_COLUMN_ALIVE);\n"
    "    AT(lives, HEALTH_COLUMN_LIVES);\n    AT(turn, HEALTH_COLUMN_TURN);\n"
    "    AT(rim, HEALTH_COLUMN_RIM);\n    return 0;\n}\n";

static char* record_text(const char* folder) {
    char*               text = NULL;
    size_t              bytes;
    Opened              declaration = blob_open(folder, "out/" HEALTH);
    void*               memory = malloc(ent_component_type_bytes(&declaration.blob));
    const ComponentType type = ent_component_type_open(&declaration.blob, memory);
    FILE*               out = open_memstream(&text, &bytes);
    fprintf(out, "%s %08x %08x %u %u\n", type.record.name, type.id, type.layout, type.record.bytes,
            2 + 4);
    for (u32 i = 0; i < type.record.field_count; i++) {
        fprintf(out, "%u %s %u\n", i, type.record.fields[i].name, type.record.fields[i].offset);
    }
    fclose(out);
    free(memory);
    free(declaration.bytes);
    return text;
}

static bool header_compiles(const char* folder, const char* compiler, const char* flags) {
    TestRun    installed = test_command(folder, "command -v %s", compiler);
    const bool found = installed.code == 0;
    test_run_free(&installed);
    test_write_text(folder, "program.c", program);
    if (!found) return false;
    char*   wanted = record_text(folder);
    TestRun run = test_command(folder,
                               "entc codegen src -o own.h && %s %s -Wall -Wextra -Wpedantic "
                               "-Wconversion -Werror -I\"$(dirname $(command -v entc))/include\" "
                               "-I. program.c -o program && ./program",
                               compiler, flags);
    if (run.code != 0) print_error("%s", run.err);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out, wanted);
    test_run_free(&run);
    free(wanted);
    return true;
}

static void generated_header_in_c_has_layout_of_record(void** state) {
    char* folder = project("declare_c");
    UNUSED(state);
    const bool installed = header_compiles(folder, "cc", "-std=c11");
    free(folder);
    if (!installed) TEST_SKIP("cc is not installed");
}

static void generated_header_in_cpp_has_layout_of_record(void** state) {
    char* folder = project("declare_cpp");
    UNUSED(state);
    const bool installed = header_compiles(folder, "c++", "-std=c++17 -x c++");
    free(folder);
    if (!installed) TEST_SKIP("c++ is not installed");
}

/* Typed columns, of a manager that the program contains itself; fields may have the names of members. */
static void rows_of_generated_header_are_columns_of_manager_with_its_layout(void** state) {
    static const char* const languages[] = {"cc -std=c11", "c++ -std=c++17 -x c++"};
    const char*              folder = test_folder("declare_rows");
    u32                      compiled = 0;
    UNUSED(state);
    test_write_quoted(folder, "src/ammo.component.json",
                      "{ 'fields': { 'count': { 'type': 'u32' }, 'entity': { 'type': 'entity' },"
                      " 'slots': { 'type': 'f32', 'array': 3, 'default': 1 } } }\n");
    test_write_text(
        folder, "program.c",
        "#include <stdio.h>\n#include \"own.h\"\n"
        "static EntManager m;\n"
        "EntManager* ent_world_manager(EntWorld* world, uint32_t id) {\n"
        "    return world && id == AMMO_ID ? &m : NULL;\n}\n"
        "int main(void) {\n"
        "    static uint32_t counts[2] = {5, 6};\n    static EntEntity owners[2] = {7, 8};\n"
        "    static EntEntity targets[2] = {9, 10};\n    static float slots[2][3] = {{1, 2, 3}, "
        "{4, 5, 6}};\n"
        "    m.count = 2;\n    m.entity = owners;\n    m.column[0] = counts;\n"
        "    m.column[1] = targets;\n    m.column[2] = slots;\n"
        "    m.desc.type.id = AMMO_ID;\n    m.desc.type.layout = AMMO_LAYOUT;\n"
        "    m.desc.type.columns = ENT_BY_FIELD;\n"
        "    const AmmoRows rows = ammo_rows((EntWorld*)&m);\n"
        "    printf(\"%u %u %u %u %g %u\\n\", rows.count, rows.entity[1], rows.count_column[1],\n"
        "           rows.entity_column[0], (double)rows.slots[1][2], AMMO_COLUMNS);\n"
        "    m.desc.type.columns = ENT_BY_RECORD;\n"
        "    printf(\"%u \", ammo_rows((EntWorld*)&m).count);\n"
        "    m.desc.type.columns = ENT_BY_FIELD;\n    m.desc.type.layout++;\n"
        "    printf(\"%u \", ammo_rows_of(&m).count);\n"
        "    m.desc.type.layout--;\n    m.desc.type.id++;\n"
        "    printf(\"%u %u\\n\", ammo_rows_of(&m).count, ammo_rows(NULL).count);\n"
        "    return 0;\n}\n");
    EXPECT(folder, 0, "", "entc codegen src -o own.h");
    for (u32 i = 0; i < COUNT_OF(languages); i++) {
        TestRun run = test_command(
            folder,
            "form='%s'; command -v ${form%%%% *} >/dev/null || exit 9; $form -Wall -Wextra "
            "-Wpedantic -Wconversion -Werror -I\"$(dirname $(command -v entc))/include\" -I. "
            "program.c -o program && ./program",
            languages[i]);
        if (run.code != 9) {
            assert_string_equal(run.err, "");
            assert_string_equal(run.out, "2 8 6 9 6 3\n0 0 0 0\n");
            compiled++;
        }
        test_run_free(&run);
    }
    if (compiled == 0) TEST_SKIP("cc and c++ are not installed");
}

/* What cannot be read is not absent: a header or schemas without its type would be wrong. */
static void unreadable_declaration_leaves_generated_files_unchanged(void** state) {
    char* folder = project("declare_unreadable");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc codegen src -o own.h && entc schema src -o schemas && cp -r schemas kept &&"
           " cp own.h kept.h &&"
           " printf 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 12\n'"
           " > src/gameplay/health.component.json");
    EXPECT(folder, 3, "git lfs pull", "entc codegen src -o own.h");
    EXPECT(folder, 3, "git lfs pull", "entc schema src -o schemas");
    EXPECT(folder, 0, "", "cmp own.h kept.h && diff -r schemas kept");
    free(folder);
}

/* As many names as a declaration may have: equal ones of different kinds are beside each other in the table in which
 * they are searched. */
static void older_names_of_different_kinds_may_be_equal(void** state) {
    enum { ENUMS = 15, NAMES = 60 };
    const char* folder = test_folder("declare_former");
    char        list[600];
    char*       text = NULL;
    size_t      bytes, used = 0;
    FILE*       out = open_memstream(&text, &bytes);
    UNUSED(state);
    for (u32 i = 0; i < NAMES; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s\"w%u\"", i ? "," : "", i);
    fprintf(out, "{ \"was\": [%s], \"fields\": {", list);
    fprintf(out, "\"n\": { \"type\": \"u32\", \"default\": 0, \"was\": [%s] }", list);
    for (u32 i = 0; i < ENUMS; i++)
        fprintf(out,
                ", \"e%u\": { \"type\": \"enum\", \"default\": \"p\", \"enum\": [ { \"name\": "
                "\"p\", \"was\": [%s] } ] }",
                i, list);
    fprintf(out, "} }\n");
    fclose(out);
    test_write_text(folder, "src/health.component.json", text);
    TEST_DONE(folder, "entc build src -o out && entc verify out");
    free(text);
}

static void codegen_run_twice_writes_equal_headers(void** state) {
    char* folder = project("declare_codegen");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc codegen src -o a.h && entc codegen src > b.h && cmp a.h b.h");
    EXPECT(folder, 0, "1",
           "grep -n HealthRecord a.h | head -1; grep -c 'float points; /. hp, 0 to 1000 ./' a.h");
    EXPECT(folder, 0, "HealthRecord;\n} MarkRecord;\n} SlotRecord;\n", "grep 'Record;' a.h");
    /* In the order of names, whatever folders contain the files. */
    EXPECT(folder, 0, "",
           "mkdir src/zoo && mv src/gameplay/health.component.json src/zoo && entc codegen src | "
           "sed 's,zoo/,gameplay/,' | cmp a.h -");
    EXPECT(folder, 0, "",
           "touch -d 2001-02-03 a.h && cp -p a.h old.h && mv src/zoo/* src/gameplay &&"
           " entc codegen src -o a.h && test ! a.h -nt old.h");
    EXPECT(folder, 2, "cannot write", "entc codegen src -o src");
    free(folder);
}

/* Moving a declaration to another folder changes only the reference in a level. */
static void declaration_moved_to_other_folder_keeps_order_of_types(void** state) {
    char* folder = project("declare_order");
    UNUSED(state);
    EXPECT(
        folder, 1, "+ reference: zoo/health.component\n",
        "mkdir src/zoo && mv src/gameplay/health.component.json src/zoo && entc build src -o new;"
        " entc diff out/levels/arena.level new/levels/arena.level");
    TestRun run = test_command(folder, "entc diff out/levels/arena.level new/levels/arena.level");
    assert_string_equal(run.out, "+ reference: zoo/health.component\n"
                                 "- reference: gameplay/health.component\n");
    test_run_free(&run);
    EXPECT(folder, 0, "component transform\ncomponent health\ncomponent mark\n",
           "entc dump new/levels/arena.level | grep -o '^section.*component [a-z]*' | "
           "grep -o 'component.*'");
    free(folder);
}

TEST_SUITE(declare) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_with_declared_components_fills_their_columns),
        cmocka_unit_test(blob_that_is_no_valid_declaration_is_refused_by_world),
        cmocka_unit_test(level_built_with_other_declaration_is_converted_by_world),
        cmocka_unit_test(entrun_reads_declared_components_of_level),
        cmocka_unit_test(reading_commands_find_declaration_beside_blob),
        cmocka_unit_test(reading_commands_without_declaration_print_a_note),
        cmocka_unit_test(reading_commands_with_newer_declaration_report_mismatch),
        cmocka_unit_test(damaged_declared_component_is_found_with_its_declaration),
        cmocka_unit_test(diff_of_changed_declarations_reads_each_side_with_its_own),
        cmocka_unit_test(diff_of_unknown_layouts_reports_only_the_type),
        cmocka_unit_test(conform_with_changed_range_reports_old_and_new_bounds),
        cmocka_unit_test(conform_accepts_blobs_in_place_of_sources),
        cmocka_unit_test(generated_header_in_c_has_layout_of_record),
        cmocka_unit_test(generated_header_in_cpp_has_layout_of_record),
        cmocka_unit_test(unreadable_declaration_leaves_generated_files_unchanged),
        cmocka_unit_test(older_names_of_different_kinds_may_be_equal),
        cmocka_unit_test(codegen_run_twice_writes_equal_headers),
        cmocka_unit_test(rows_of_generated_header_are_columns_of_manager_with_its_layout),
        cmocka_unit_test(declaration_moved_to_other_folder_keeps_order_of_types),
    };
    return TEST_RUN("declare", tests);
}
