/* test_collisions.c - two names with one id are always reported. The compiler of build/<config>/id8
 * truncates ids to 8 bits, so that pairs are found quickly; component types collide at full length,
 * with names that were searched for. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "diag_print.h"
#include "hash.h"
#include "registry.h"

/* As id_from() in hash.c does at 8 bits. */
static u32 cut(u64 id) { return id & 0xff ? (u32)(id & 0xff) : 1; }

/* Runs the compiler with short ids. */
static TestRun run_id8(const char* folder, const char* arguments) {
    return test_command(folder, "$(dirname $(command -v entc))/id8/entc %s", arguments);
}

static void expect(const char* folder, const char* arguments, int code, const char* text) {
    TestRun run = run_id8(folder, arguments);
    if (run.code != code || strcmp(run.err, text) != 0) {
        print_error("exit code %d, expected %d\n%sexpected\n%s", run.code, code, run.err, text);
        test_run_free(&run);
        fail();
    }
    test_run_free(&run);
}

/* Two numbers of PREFIXn whose ids are equal, or different, by resource or by name. */
static void pair_find(const char* prefix, const char* a_type, const char* b_type, bool same, u32* a,
                      u32* b) {
    char one[100], two[100];
    for (*b = 1; *b < 10000; ++*b) {
        for (*a = 0; *a < *b; ++*a) {
            snprintf(one, sizeof one, "%s%u", prefix, *a);
            snprintf(two, sizeof two, "%s%u", prefix, *b);
            const u32 x =
                cut(a_type ? hash_resource(text_of(one), a_type) : hash_name(text_of(one)));
            const u32 y =
                cut(b_type ? hash_resource(text_of(two), b_type) : hash_name(text_of(two)));
            if ((x == y) == same) return;
        }
    }
    fail();
}

static void write_print(const char* folder, const char* text, const char* format, ...)
    PRINTF_LIKE(3, 4);
static void write_print(const char* folder, const char* text, const char* format, ...) {
    char    name[200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(name, sizeof name, format, arguments);
    va_end(arguments);
    test_write_text(folder, name, text);
}

static void build_with_ids_of_8_bits_and_no_collision_succeeds(void** state) {
    char* folder = strdup(test_folder("id8"));
    u32   a, b;
    UNUSED(state);
    pair_find("r", "entity", "entity", false, &a, &b);
    write_print(folder, "{}", "src/r%u.entity.json", a);
    write_print(folder, "{ \"components\": { \"light\": {}, \"transform\": {} } }",
                "src/r%u.entity.json", b);
    expect(folder, "build src -o out", 0, "");
    free(folder);
}

static void resources_of_one_type_with_equal_ids_are_refused(void** state) {
    char* folder = strdup(test_folder("id8_resources"));
    char  text[1000], first[100], second[100];
    u32   a, b;
    UNUSED(state);
    pair_find("r", "entity", "entity", true, &a, &b);
    snprintf(first, sizeof first, "r%u", a);
    snprintf(second, sizeof second, "r%u", b);
    const u32 id = cut(hash_resource(text_of(first), "entity"));
    write_print(folder, "{}", "src/r%u.entity.json", a);
    write_print(folder, "{}", "src/r%u.entity.json", b);
    const bool swapped = strcmp(first, second) > 0;
    snprintf(text, sizeof text,
             "src/%s.entity.json:1:1: error: \"%s.entity\" and \"%s.entity\" have the same id "
             "0x%016x; rename one of them [E0310]\n"
             "    {}\n"
             "    ^\n"
             "src/%s.entity.json:1:1: note: the other source is here\n"
             "    {}\n"
             "    ^\n"
             "entc: 1 error\n",
             swapped ? first : second, swapped ? first : second, swapped ? second : first, id,
             swapped ? second : first);
    expect(folder, "build src -o out", 3, text);
    char* tree = test_tree(folder);
    assert_null(strstr(tree, "./out"));
    free(tree);
    free(folder);
}

static void resources_of_two_types_with_equal_ids_are_refused(void** state) {
    char*   folder = strdup(test_folder("id8_types"));
    u32     a, b;
    TestRun run;
    UNUSED(state);
    pair_find("r", "entity", "material", true, &a, &b);
    write_print(folder, "{}", "src/r%u.entity.json", a);
    write_print(folder, "{}", "src/r%u.material.json", b);
    run = run_id8(folder, "build src -o out");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "have the same id"));
    assert_non_null(strstr(run.err, ".entity\""));
    assert_non_null(strstr(run.err, ".material\""));
    test_run_free(&run);
    free(folder);
}

static void resources_in_one_model_with_equal_ids_are_refused(void** state) {
    char*   folder = strdup(test_folder("id8_model"));
    char    text[1000], line[300];
    u32     a, b;
    TestRun run;
    UNUSED(state);
    pair_find("m/c", "material", "material", true, &a, &b);
    snprintf(text, sizeof text,
             "{ \"asset\": { \"version\": \"2.0\" }, \"materials\": [ { \"name\": \"c%u\" },"
             " { \"name\": \"c%u\" } ] }",
             a, b);
    test_write_text(folder, "src/m.gltf", text);
    run = run_id8(folder, "build src -o out");
    assert_int_equal(run.code, 3);
    snprintf(line, sizeof line, "\"m/c%u.material\"", a);
    assert_non_null(strstr(run.err, line));
    snprintf(line, sizeof line, "\"m/c%u.material\"", b);
    assert_non_null(strstr(run.err, line));
    test_run_free(&run);
    free(folder);
}

/* `compile` reads one resource only, and the resources that it refers to. */
static void resources_referred_to_with_equal_ids_are_refused(void** state) {
    static const char buffer[36];
    char*             folder = strdup(test_folder("id8_references"));
    char              text[1000], model[1000], line[300];
    u32               a, b;
    TestRun           run;
    UNUSED(state);
    pair_find("m/c", "mesh", "mesh", true, &a, &b);
    snprintf(model, sizeof model,
             "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"b\", "
             "\"byteLength\": 36 } ],"
             "\"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ], \"accessors\": [ {"
             "\"bufferView\": 0, \"componentType\": 5126, \"count\": 3, \"type\": \"VEC3\","
             "\"min\": [0, 0, 0], \"max\": [0, 0, 0] } ], \"meshes\": [ { \"name\": \"c%u\","
             "\"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } ] }, { \"name\": \"c%u\","
             "\"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } ] } ] }",
             a, b);
    test_write(folder, "src/b", buffer, sizeof buffer);
    test_write_text(folder, "src/m.gltf", model);
    snprintf(text, sizeof text,
             "{ \"entities\": [ { \"components\": { \"mesh\": [ { \"resource\": \"m/c%u\" },"
             " { \"resource\": \"m/c%u\" }, { \"resource\": \"m/c%u\" } ] } } ] }",
             a, a, b);
    test_write_text(folder, "src/x.level.json", text);
    run = run_id8(folder, "compile src x.level -o out/x");
    assert_int_equal(run.code, 3);
    snprintf(line, sizeof line, "\"m/c%u.mesh\" and \"m/c%u.mesh\" have the same id", b, a);
    assert_non_null(strstr(run.err, line));
    assert_non_null(strstr(run.err, "src/x.level.json:1:"));
    test_run_free(&run);
    free(folder);
}

static void names_in_level_with_equal_ids_are_refused(void** state) {
    char* folder = strdup(test_folder("id8_names"));
    char  level[1000], text[2000], one[50], two[50];
    u32   a, b;
    UNUSED(state);
    pair_find("n", NULL, NULL, true, &a, &b);
    snprintf(one, sizeof one, "n%u", a);
    snprintf(two, sizeof two, "n%u", b);
    snprintf(level, sizeof level,
             "{ \"entities\": [\n    { \"components\": { \"name\": { \"id\": \"%s\" } } },\n"
             "    { \"components\": { \"name\": { \"id\": \"%s\" } } },\n"
             "    { \"components\": { \"name\": { \"id\": \"%s\" } } } ] }",
             one, one, two);
    test_write_text(folder, "src/x.level.json", level);
    snprintf(text, sizeof text,
             "src/x.level.json:4:39: error: the names \"%s\" and \"%s\" have the same id 0x%08x; "
             "rename one of them [E0310]\n"
             "        { \"components\": { \"name\": { \"id\": \"%s\" } } } ] }\n"
             "                                          ^%.*s\n"
             "src/x.level.json:2:39: note: \"%s\" is defined here\n"
             "        { \"components\": { \"name\": { \"id\": \"%s\" } } },\n"
             "                                          ^\n"
             "entc: 1 error\n",
             two, one, cut(hash_name(text_of(one))), two, (int)strlen(two) + 1, "~~~~~~~~~~", one,
             one);
    expect(folder, "build src -o out", 3, text);
    free(folder);
}

static void name_write(const char* folder, const char* path, const char* name) {
    write_print(folder, "{ \"components\": { \"name\": { \"id\": \"PLACEHOLDER\" } } }", "%s",
                path);
    TEST_DONE(folder, "sed -i 's/PLACEHOLDER/%s/' %s", name, path);
}

/* The diagnostics for the names in src/a.entity.json and src/b.entity.json. */
static void names_clash_print(char* text, size_t room, const char* one, const char* two) {
    snprintf(text, room,
             "src/b.entity.json:1:35: error: the names \"%s\" and \"%s\" have the same id 0x%08x; "
             "rename one of them [E0310]\n"
             "    { \"components\": { \"name\": { \"id\": \"%s\" } } }\n"
             "                                      ^%.*s\n"
             "src/a.entity.json:1:35: note: \"%s\" is defined here\n"
             "    { \"components\": { \"name\": { \"id\": \"%s\" } } }\n"
             "                                      ^\n"
             "entc: 1 error\n",
             two, one, cut(hash_name(text_of(one))), two, (int)strlen(two) + 1, "~~~~~~~~~~", one,
             one);
}

/* Names with spaces: they are stored in the cache, one in a line. */
static void names_in_different_sources_with_equal_ids_are_refused(void** state) {
    char* folder = strdup(test_folder("id8_apart"));
    char  text[2000], one[50], two[50];
    u32   a, b;
    UNUSED(state);
    pair_find("n ", NULL, NULL, true, &a, &b);
    snprintf(one, sizeof one, "n %u", a);
    snprintf(two, sizeof two, "n %u", b);
    name_write(folder, "src/a.entity.json", one);
    write_print(folder, "{ \"entities\": [ { \"prefab\": \"a\" } ] }", "src/c.level.json");
    expect(folder, "build src -o out --cache cache", 0, "");
    name_write(folder, "src/b.entity.json", two);
    names_clash_print(text, sizeof text, one, two);
    expect(folder, "build src -o out", 3, text);                 /* only b is compiled */
    expect(folder, "build src -o clean", 3, text);               /* everything is compiled */
    expect(folder, "build src -o clean --cache cache", 3, text); /* a is from the cache */
    TEST_DONE(folder, "test ! -e clean && test ! -e out/b.entity");
    name_write(folder, "src/b.entity.json", one);
    expect(folder, "build src -o out --cache cache", 0, "");
    name_write(folder, "src/a.entity.json", two); /* and now b is not compiled */
    names_clash_print(text, sizeof text, two, one);
    expect(folder, "build src -o out", 3, text);
    free(folder);
}

static void names_of_models_with_equal_ids_are_refused(void** state) {
    char*   folder = strdup(test_folder("id8_extras"));
    char    one[50], two[50], line[300];
    u32     a, b;
    TestRun run;
    UNUSED(state);
    pair_find("n", NULL, NULL, true, &a, &b);
    snprintf(one, sizeof one, "n%u", a);
    snprintf(two, sizeof two, "n%u", b);
    test_write_text(folder, "src/m.gltf",
                    "{ \"asset\": { \"version\": \"2.0\" }, \"nodes\": [ { \"name\": \"x\",\n"
                    "  \"extras\": { \"components\": { \"name\": { \"id\": \"NAME\" } } } } ] }");
    TEST_DONE(folder, "sed -i 's/NAME/%s/' src/m.gltf", one);
    expect(folder, "build src -o out", 0, "");
    name_write(folder, "src/z.entity.json", two);
    run = run_id8(folder, "build src -o out");
    assert_int_equal(run.code, 3);
    snprintf(line, sizeof line, "src/m.gltf:2:47: note: \"%s\" is defined here", one);
    if (!strstr(run.err, line)) fail_msg("%s", run.err);
    test_run_free(&run);
    free(folder);
}

static void groups_of_level_with_equal_ids_are_refused(void** state) {
    char* folder = strdup(test_folder("id8_groups"));
    char  level[1000], text[2000], one[50];
    u32   a, b;
    UNUSED(state);
    pair_find("g", NULL, NULL, true, &a, &b);
    snprintf(one, sizeof one, "g%u", a);
    snprintf(level, sizeof level,
             "{ \"entities\": [\n    { \"group\": \"%s\" }, { \"group\": \"%s\" },\n"
             "    { \"group\": \"g%u\" } ] }",
             one, one, b);
    test_write_text(folder, "src/x.level.json", level);
    snprintf(text, sizeof text,
             "src/x.level.json:3:16: error: the groups \"g%u\" and \"%s\" have the same id 0x%08x; "
             "rename one of them [E0310]\n"
             "        { \"group\": \"g%u\" } ] }\n"
             "                   ^%.*s\n"
             "src/x.level.json:2:16: note: \"%s\" is defined here\n",
             b, one, cut(hash_name(text_of(one))), b, snprintf(NULL, 0, "g%u", b) + 1, "~~~~~~~~~~",
             one);
    TestRun run = run_id8(folder, "build src -o out");
    assert_int_equal(run.code, 3);
    assert_true(strncmp(run.err, text, strlen(text)) == 0);
    test_run_free(&run);
    free(folder);
}

/* A model of the node "hip" with the children n<a>, n<b> and "plain", followed by `more`. */
static TestRun build_nodes(const char* folder, u32 a, u32 b, const char* more) {
    char text[2000];
    snprintf(text, sizeof text,
             "{ \"asset\": { \"version\": \"2.0\" }, \"nodes\": [\n"
             "    { \"name\": \"hip\", \"children\": [1, 2, 3] },\n"
             "    { \"name\": \"n%u\" },\n    { \"name\": \"n%u\" },\n"
             "    { \"name\": \"plain\" } ]%s }",
             a, b, more);
    test_write_text(folder, "src/m.gltf", text);
    return run_id8(folder, "build src -o out --force");
}

#define TRACK(node)                                                                                \
    "{ \"sampler\": 0, \"target\": { \"node\": " node ", \"path\": \"translation\" } }"
#define CLIP(tracks)                                                                               \
    ", \"accessors\": [ { \"componentType\": 5126, \"count\": 1, \"type\": \"SCALAR\", \"min\": "  \
    "[0],"                                                                                         \
    " \"max\": [0] }, { \"componentType\": 5126, \"count\": 1, \"type\": \"VEC3\" } ],"            \
    " \"animations\": [ { \"samplers\": [ { \"input\": 0, \"output\": 1 } ], \"channels\": "       \
    "[ " tracks " ] } ]"
#define SKIN(joints) ", \"skins\": [ { \"joints\": [" joints "] } ]"

/* Only nodes that skins and clips refer to are found by their ids. */
static void nodes_used_by_skin_or_clip_with_equal_ids_are_refused(void** state) {
    static const struct {
        const char* more;
        int         code;
    } rows[] = {{"", 0},
                {SKIN("1, 2"), 3},
                {SKIN("2, 3"), 0},
                {CLIP(TRACK("1") ", " TRACK("2")), 3},
                {CLIP(TRACK("1") ", " TRACK("3")), 0},
                {SKIN("2, 3") CLIP(TRACK("1")), 3},
                {SKIN("0, 3") CLIP(TRACK("1")), 0}};
    char* folder = strdup(test_folder("id8_nodes"));
    char  line[300];
    u32   a, b;
    UNUSED(state);
    pair_find("hip/n", NULL, NULL, true, &a, &b);
    snprintf(line, sizeof line, "the nodes \"hip/n%u\" and \"hip/n%u\" have the same id", a, b);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TestRun run = build_nodes(folder, a, b, rows[i].more);
        if (run.code != rows[i].code)
            fail_msg("%s: exit code %d\n%s", rows[i].more, run.code, run.err);
        if (run.code) {
            assert_non_null(strstr(run.err, line));
            assert_non_null(strstr(run.err, "src/m.gltf:4:5: error:"));
            assert_non_null(strstr(run.err, "src/m.gltf:3:5: note:"));
        }
        test_run_free(&run);
    }
    free(folder);
}

/* Joints include the ids of all their ancestors: two chains, each below one node of the pair. */
static void ancestors_of_joints_with_equal_ids_are_refused(void** state) {
    char* folder = strdup(test_folder("id8_above"));
    char  text[1000];
    u32   a, b;
    UNUSED(state);
    pair_find("n", NULL, NULL, true, &a, &b);
    snprintf(text, sizeof text,
             "{ \"asset\": { \"version\": \"2.0\" }, \"nodes\": [\n"
             "    { \"name\": \"n%u\", \"children\": [2] },\n"
             "    { \"name\": \"n%u\", \"children\": [3] },\n    { \"name\": \"left\" },\n"
             "    { \"name\": \"right\" } ],"
             " \"skins\": [ { \"joints\": [2] }, { \"joints\": [3] } ] }",
             a, b);
    test_write_text(folder, "src/m.gltf", text);
    TestRun run = run_id8(folder, "build src -o out");
    assert_int_equal(run.code, 3);
    assert_non_null(strstr(run.err, "src/m.gltf:3:5: error: the nodes"));
    test_run_free(&run);
    free(folder);
}

/* At full length: one hundred thousand nodes almost certainly contain a pair with equal ids. */
static void model_with_100000_unnamed_nodes_has_no_collision(void** state) {
    const u32 count = 100000;
    char*     folder = strdup(test_folder("many_nodes"));
    char*     text = malloc(count * 4 + 100);
    u64       at = (u64)sprintf(text, "{\"asset\":{\"version\":\"2.0\"},\"nodes\":[{}");
    UNUSED(state);
    for (u32 i = 1; i < count; i++) at += (u64)sprintf(text + at, ",{}");
    strcpy(text + at, "]}");
    test_write_text(folder, "src/m.gltf", text);
    TestRun run = test_command(folder, "entc build src -o out");
    if (run.code) fail_msg("exit code %d\n%.1000s", run.code, run.err);
    test_run_free(&run);
    free(text);
    free(folder);
}

/* --- component types --- */

static const Field one_field[] = {
    {.name = "value", .kind = FIELD_f32, .bytes = 4, .lo = 0, .hi = 1, .unit = "", .text = ""}};

static ComponentCompiler type_named(const char* name) {
    return (ComponentCompiler){
        .type = {.record = {name, one_field, 1, 4}, .order = 5000},
        .compile = component_compile_fields,
        .from = "a plugin",
    };
}

static char* diagnostics_text(const Diagnostics* diag) {
    char*  text = NULL;
    size_t bytes;
    FILE*  out = open_memstream(&text, &bytes);
    diag_print(diag, out, DIAG_TEXT, false);
    fclose(out);
    return text;
}

static void expect_refused(const char* name, const char* text) {
    Diagnostics*            diag = diag_create();
    Registry                registry;
    const ComponentCompiler declared = type_named(name);
    assert_true(registry_init(&registry, diag));
    const u32 count = registry.count;
    assert_false(registry_add(&registry, &declared, diag));
    assert_int_equal(registry.count, count);
    char* reported = diagnostics_text(diag);
    assert_string_equal(reported, text);
    free(reported);
    diag_destroy(diag);
}

static void component_types_with_equal_ids_are_refused(void** state) {
    static const struct {
        const char *declared, *built_in;
    } rows[] = {
        {"custom_esfbwaa", "fluid"}, {"custom_gbmelac", "decal"}, {"custom_nhlnvac", "skin"}};
    char text[500];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const u32 id = hash_name(text_of(rows[i].declared));
        assert_int_equal(id, hash_name(text_of(rows[i].built_in)));
        snprintf(text, sizeof text,
                 "entc: error: the component type \"%s\" of a plugin cannot be added: \"%s\" of "
                 "entc has the same id; rename one of the two (0x%08x) [E0310]\nentc: 1 error\n",
                 rows[i].declared, rows[i].built_in, id);
        expect_refused(rows[i].declared, text);
    }
    snprintf(
        text, sizeof text,
        "entc: error: the component type \"light\" of a plugin cannot be added: \"light\" of entc "
        "has the same name (0x%08x) [E0310]\nentc: 1 error\n",
        hash_name(text_of("light")));
    expect_refused("light", text);
}

static void component_types_beyond_the_limit_are_refused(void** state) {
    static char  text[REGISTRY_TYPES_MAX + 1][32];
    Diagnostics* diag = diag_create();
    Registry     registry;
    UNUSED(state);
    assert_true(registry_init(&registry, diag));
    for (u32 i = registry.count; i <= REGISTRY_TYPES_MAX; i++) {
        sprintf(text[i], "own_type_%u", i);
        const ComponentCompiler declared = type_named(text[i]);
        if (registry_add(&registry, &declared, diag) != (i < REGISTRY_TYPES_MAX)) fail();
    }
    char* reported = diagnostics_text(diag);
    assert_non_null(
        strstr(reported, "it would be number 97; the limit is 96 component types [E0309]"));
    free(reported);
    diag_destroy(diag);
}

TEST_SUITE(collisions) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(build_with_ids_of_8_bits_and_no_collision_succeeds),
        cmocka_unit_test(resources_of_one_type_with_equal_ids_are_refused),
        cmocka_unit_test(resources_of_two_types_with_equal_ids_are_refused),
        cmocka_unit_test(resources_in_one_model_with_equal_ids_are_refused),
        cmocka_unit_test(resources_referred_to_with_equal_ids_are_refused),
        cmocka_unit_test(names_in_level_with_equal_ids_are_refused),
        cmocka_unit_test(names_in_different_sources_with_equal_ids_are_refused),
        cmocka_unit_test(names_of_models_with_equal_ids_are_refused),
        cmocka_unit_test(groups_of_level_with_equal_ids_are_refused),
        cmocka_unit_test(nodes_used_by_skin_or_clip_with_equal_ids_are_refused),
        cmocka_unit_test(ancestors_of_joints_with_equal_ids_are_refused),
        cmocka_unit_test(model_with_100000_unnamed_nodes_has_no_collision),
        cmocka_unit_test(component_types_with_equal_ids_are_refused),
        cmocka_unit_test(component_types_beyond_the_limit_are_refused),
    };
    return TEST_RUN("collisions", tests);
}
