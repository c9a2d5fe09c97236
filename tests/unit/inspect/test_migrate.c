/* test_migrate.c - what `entc migrate` makes of levels that were built with older declarations: what it reports, and that
 * the result is what a build with the new declarations writes. */
#include <stdio.h>

#include "blob.h"
#include "test.h"

/* One field of the component t before and after, a value of it in JSON, and the output. What is written is valid, and what
 * is refused is not changed. */
typedef struct Row {
    const char *was, *is, *value;
    const char* printed; /* before the last line */
    const char* dumped;  /* the value; NULL: refused */
} Row;

#define ONE_LIMITED "s: t.n: 1 value was changed to fit the type or the range\n"
#define REQUIRED                                                                                   \
    "s: error: t.n is required, and instances have no value of it: give the field a default\n"

static void declaration_write(const char* folder, const char* field) {
    char text[300];
    snprintf(text, sizeof text, "{ 'fields': { 'n': { %s } } }\n", field);
    test_write_quoted(folder, "src/t.component.json", text);
}

static void level_write(const char* folder, const char* value) {
    char text[300];
    snprintf(text, sizeof text,
             "{ 'entities': [ { 'name': 'a', 'components': { 't': { %s%s } } } ] }\n",
             *value ? "'n': " : "", value);
    test_write_quoted(folder, "src/a.level.json", text);
}

static void row_run(const char* folder, const Row* row, u32 i) {
    char expected[500];
    declaration_write(folder, row->was);
    level_write(folder, row->value);
    TEST_DONE(
        folder,
        "rm -rf old out && entc build src -o old -q && rm src/a.level.json && cp old/a.level s");
    declaration_write(folder, row->is);
    TEST_DONE(folder, "entc build src -o out -q");
    TestRun run = test_command(folder, "entc migrate out s 2>&1");
    snprintf(expected, sizeof expected, "%s%s", row->printed,
             row->dumped ? "s: rewritten with the declarations of the build\n" : "");
    if (run.code != (row->dumped ? 0 : 3) || strcmp(run.out, expected) != 0)
        fail_msg("row %u: exit code %d\n%s", i, run.code, run.out);
    test_run_free(&run);
    snprintf(expected, sizeof expected, "    n: %s\n", row->dumped ? row->dumped : "");
    if (row->dumped)
        EXPECT(folder, 0, expected, "entc verify s && entc dump s");
    else
        TEST_DONE(folder, "cmp s old/a.level");
}

static void each_value_is_converted_reported_or_refused(void** state) {
    static const Row rows[] = {
        {"'type': 'u32', 'default': 0", "'type': 'f32', 'default': 0", "16777216", "", "16777216"},
        {"'type': 'u32', 'default': 0", "'type': 'f32', 'default': 0", "16777217", ONE_LIMITED,
         "16777216"},
        {"'type': 'f32', 'default': 0", "'type': 'i32', 'default': 0", "-2.5", ONE_LIMITED, "-2"},
        {"'type': 'bool', 'default': false", "'type': 'u32', 'default': 9, 'min': 1", "true", "",
         "1"},
        {"'type': 'bool', 'default': false", "'type': 'u32', 'default': 9, 'min': 5", "true",
         ONE_LIMITED, "5"},
        {"'type': 'bool', 'default': false", "'type': 'quat'", "true", ONE_LIMITED, "0 0 0 1"},
        {"'type': 'f32', 'count': 4", "'type': 'quat', 'required': true", "[0, 0, 0, 1]", "",
         "0 0 0 1"},
        {"'type': 'f32', 'count': 4", "'type': 'quat', 'required': true", "[1, 2, 3, 4]", REQUIRED,
         NULL},
        {"'type': 'f32', 'count': 2", "'type': 'f32', 'count': 3", "[1, 2]", "", "1 2 0"},
        {"'type': 'f32', 'count': 2, 'min': 1", "'type': 'f32', 'count': 3, 'min': 1", "[1, 2]",
         REQUIRED, NULL},
        {"'type': 'u32', 'array': 2", "'type': 'u32', 'array': 3", "[1, 2]", "", "1, 2, 0"},
        {"'type': 'u32', 'array': 2, 'min': 1", "'type': 'u32', 'array': 3, 'min': 1", "[1, 2]",
         REQUIRED, NULL},
        {"'type': 'u32', 'array': 2, 'default': 7", "'type': 'u32', 'array': 3, 'default': 7",
         "[1, 2]", "", "1, 2, 7"},
        {"'type': 'name', 'array': 2, 'required': true",
         "'type': 'name', 'array': 3, 'required': true", "['a', 'b']", REQUIRED, NULL},
        {"'type': 'text'", "'type': 'text', 'required': true", "", REQUIRED, NULL},
        {"'type': 'resource', 'resource': 'mesh'",
         "'type': 'resource', 'resource': 'mesh', 'required': true", "", REQUIRED, NULL},
        {"'type': 'u32', 'default': 0", "'type': 'name'", "1",
         "s: t.n: the values were dropped, because the field has a type now to which they cannot "
         "be converted\n",
         "0x00000000"},
        {"'type': 'resource', 'resource': 'level'", "'type': 'resource', 'resource': 'entity'",
         "'a'",
         "s: t.n: the values were dropped, because the field has a type now to which they cannot "
         "be converted\n",
         "none"},
        {"'type': 'entity'", "'type': 'entity', 'array': 2, 'required': true", "'a'", "",
         "a (0), none"},
        {"'type': 'enum', 'enum': ['x', 'y'], 'default': 'x'", "'type': 'enum', 'enum': ['y', 'z']",
         "'x'", "s: t.n: 1 value contained a text that does not exist any more\n", "y"},
    };
    const char* folder = test_folder("migrate_values");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) row_run(folder, &rows[i], i);
}

/* --- whole levels --- */

#define ONE_FIELD "'fields': { 'n': { 'type': 'u32', 'default': 0 } } }"

static void component_write(const char* folder, const char* name, const char* members) {
    char path[64], text[300];
    snprintf(path, sizeof path, "src/%s.component.json", name);
    snprintf(text, sizeof text, "{ %s" ONE_FIELD "\n", members);
    test_write_quoted(folder, path, text);
}

/* A level of components with one field, and the first of their builds. */
static void level_build(const char* folder, const char* components) {
    char text[500];
    snprintf(text, sizeof text, "{ 'entities': [ { 'name': 'a', 'components': { %s } } ] }\n",
             components);
    test_write_quoted(folder, "src/a.level.json", text);
    TEST_DONE(folder, "entc build src -o old -q");
}

/* The order of sections and references changes; props/health is not the component. */
static void level_is_what_a_build_with_the_new_declarations_writes(void** state) {
    static const struct {
        const char *was, *is, *members;
    } rows[] = {
        {"alpha", "alpha", "'order': 3000, "},
        {"beta", "beta", "'order': 2000, "},
        {"delta", "delta", "'order': 100, "},
        {"gamma", "gamma", "'order': 2000, "},
        {"game/health", "vitals/life", "'was': 'health', "},
        {"omega", "omega", "'order': 100, "},
    };
    const char* folder = test_folder("migrate_whole");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) component_write(folder, rows[i].was, "");
    test_write_quoted(folder, "src/props/health.entity.json",
                      "{ 'components': { 'light': {} } }\n");
    test_write_quoted(folder, "src/link.component.json",
                      "{ 'fields': { 'to': { 'type': 'resource', 'resource': 'entity' } } }\n");
    level_build(folder,
                "'light': {}, 'alpha': { 'n': 1 }, 'beta': { 'n': 2 }, 'delta': { 'n': 3 }, "
                "'gamma': { 'n': 4 }, 'health': { 'n': 5 }, 'omega': { 'n': 6 }, "
                "'link': { 'to': 'props/health' }");
    TEST_DONE(folder, "rm -r src/game && sed -i 's/\"health\"/\"life\"/' src/a.level.json");
    for (u32 i = 0; i < COUNT_OF(rows); i++) component_write(folder, rows[i].is, rows[i].members);
    TEST_DONE(folder, "entc build src -o out -q && touch out/README && cp old/a.level s");
    EXPECT(folder, 0, "s: rewritten with the declarations of the build\n", "entc migrate out s");
    TEST_DONE(folder, "cmp s out/a.level");
    EXPECT(folder, 0, "out/props/health.entity: up to date\n",
           "entc migrate out out/props/health.entity");
}

/* The instances of built-in types have no declaration, and get none. */
static void level_without_changes_is_not_written(void** state) {
    const char* folder = test_folder("migrate_same");
    UNUSED(state);
    component_write(folder, "health", "");
    level_build(folder, "'light': {}, 'health': { 'n': 1 }");
    EXPECT(folder, 0, "s: up to date\n",
           "cp old/a.level s && touch -d 2001-01-01 s && entc migrate old s");
    EXPECT(folder, 0, "./s\n", "find . -name s ! -newermt 2002-01-01");
    TEST_DONE(folder, "cmp s old/a.level");
}

/* A world reads one of them; a blob has at most one section of a type. */
static void components_that_became_the_same_are_converted_once(void** state) {
    static const struct {
        const char *was[2], *is;
        const char* dumped;
    } rows[] = {
        {{"health", "armor"},
         "'was': ['health', 'armor'], ",
         "  life\n    n: 2\n  health\n    n: 1\n"},
        {{"health", "life"}, "'was': 'health', ", "  life\n    n: 2\n  health\n    n: 1\n"},
        {{"life", "armor"}, "'was': 'armor', ", "  life\n    n: 1\n  armor\n    n: 2\n"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* folder = test_folder("migrate_same_type");
        char        components[100], members[100], note[100];
        for (u32 k = 0; k < 2; k++) component_write(folder, rows[i].was[k], "");
        snprintf(components, sizeof components, "'%s': { 'n': 1 }, '%s': { 'n': 2 }",
                 rows[i].was[0], rows[i].was[1]);
        level_build(folder, components);
        TEST_DONE(folder, "rm src/*.json && cp old/a.level s");
        snprintf(members, sizeof members, "'order': 500, %s", rows[i].is);
        component_write(folder, "life", members);
        TEST_DONE(folder, "entc build src -o out -q");
        snprintf(note, sizeof note, "s: note: the instances of %s are not converted",
                 i < 2 ? "health" : "armor");
        EXPECT(folder, 0, note, "entc migrate out s");
        EXPECT(folder, 0, rows[i].dumped, "entc verify s && entc dump s");
        EXPECT(folder, 0, "s: not rewritten\n", "entc migrate out s");
    }
}

/* An instance may refer to a declaration, as to every resource; the new name is added, and not twice. Numbers
 * that are equal to the hash of the name are not a reference. */
static void reference_of_an_instance_to_a_renamed_declaration_is_kept(void** state) {
    static const struct {
        const char* to;
        bool        kept;
    } rows[] = {{"health", true}, {"life", false}};
    const ResourceRef id = ent_resource_ref("health", RESOURCE_COMPONENT);
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const char* folder = test_folder("migrate_reference");
        char        components[200];
        component_write(folder, "health", "");
        component_write(folder, "life", "");
        test_write_quoted(
            folder, "src/link.component.json",
            "{ 'fields': { 'n': { 'type': 'u32', 'array': 2 },\n"
            "  'to': { 'type': 'resource', 'resource': 'component', 'array': 2 } } }\n");
        snprintf(components, sizeof components,
                 "'health': { 'n': 1 }, 'link': { 'n': [%u, %u], 'to': [null, '%s'] }", id.lo,
                 id.hi, rows[i].to);
        level_build(folder, components);
        TEST_DONE(folder, "rm src/health.component.json src/a.level.json && cp old/a.level s");
        component_write(folder, "life", "'was': 'health', ");
        test_write_quoted(
            folder, "src/link.component.json",
            "{ 'fields': { 'n': { 'type': 'u32', 'array': 2 }, 'more': { 'type': 'text' },\n"
            "  'to': { 'type': 'resource', 'resource': 'component', 'array': 2 } } }\n");
        TEST_DONE(folder, "entc build src -o out -q");
        EXPECT(folder, 0, "s: rewritten with", "entc migrate out s");
        EXPECT(folder, 0, "s: ok", "cp old/health.component out/ && entc verify s");
        EXPECT(folder, rows[i].kept ? 0 : 1, "", "grep -qa health s");
    }
}

/* --- what is not converted --- */

static void files_that_cannot_be_read_are_reported_and_nothing_is_written(void** state) {
    const char* folder = test_folder("migrate_files");
    UNUSED(state);
    component_write(folder, "health", "");
    level_build(folder, "'health': { 'n': 1 }");
    component_write(folder, "health", "'order': 7, ");
    TEST_DONE(folder, "entc build src -o out -q && cp old/a.level s && head -c 100 s > damaged");
    EXPECT(folder, 2, "nosuch", "entc migrate out nosuch s");
    EXPECT(folder, 3, "damaged: error: ", "entc migrate out damaged s");
    EXPECT(folder, 3,
           "out/health.component: error: it has type component, but must be an entity or a level",
           "entc migrate out out/health.component s");
    EXPECT(folder, 3,
           "out/x.component: error: ", "cp damaged out/x.component && entc migrate out s");
    TEST_DONE(folder, "cmp s old/a.level");
    EXPECT(folder, 0, "s: rewritten", "rm out/x.component && entc migrate out s");
}

#define ALONE "cd away && GIT_DIR=/dev/null entc migrate "

/* Neither the level nor anything around it declares the instances. */
static void stripped_levels_are_converted_only_if_their_instances_are_valid(void** state) {
    const char* folder = test_folder("migrate_stripped");
    UNUSED(state);
    component_write(folder, "health", "");
    test_write_quoted(folder, "src/a.level.json",
                      "{ 'entities': [ { 'components': { 'health': { 'n': 1 } } } ] }\n");
    TEST_DONE(folder, "mkdir away && entc build src -o old --strip -q && cp old/a.level away/s");
    EXPECT(folder, 0, "s: up to date\n", ALONE "../old s");
    EXPECT(folder, 0, "s: note: the instances of 0x", "mkdir none && " ALONE "../none s");
    EXPECT(folder, 0, "s: not rewritten\n", ALONE "../none s");
    TEST_DONE(folder, "rm src/*.json");
    component_write(folder, "life", "'was': 'health', ");
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 3,
           "s: error: the instances of life were written under another declaration of it",
           ALONE "../out s");
    TEST_DONE(folder, "cmp away/s old/a.level");
}

static void level_with_known_and_unknown_types_is_converted_in_part(void** state) {
    const char* folder = test_folder("migrate_part");
    UNUSED(state);
    component_write(folder, "health", "");
    component_write(folder, "secret", "");
    level_build(folder, "'health': { 'n': 1 }, 'secret': { 'n': 2 }");
    component_write(folder, "health", "'order': 3000, ");
    TEST_DONE(folder, "entc build src -o out -q && rm out/secret.component && cp old/a.level s");
    EXPECT(folder, 0,
           "s: note: the instances of secret are not converted: neither \"out\" nor a plugin",
           "entc migrate out s");
    TEST_DONE(folder, "cmp s out/a.level");
    EXPECT(folder, 0, "s: rewritten with", "cp old/a.level s && entc migrate out s");
    EXPECT(folder, 0, "s: not rewritten\n", "entc migrate out s");
}

TEST_SUITE(migrate) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_value_is_converted_reported_or_refused),
        cmocka_unit_test(level_is_what_a_build_with_the_new_declarations_writes),
        cmocka_unit_test(level_without_changes_is_not_written),
        cmocka_unit_test(components_that_became_the_same_are_converted_once),
        cmocka_unit_test(reference_of_an_instance_to_a_renamed_declaration_is_kept),
        cmocka_unit_test(files_that_cannot_be_read_are_reported_and_nothing_is_written),
        cmocka_unit_test(stripped_levels_are_converted_only_if_their_instances_are_valid),
        cmocka_unit_test(level_with_known_and_unknown_types_is_converted_in_part),
    };
    return TEST_RUN("migrate", tests);
}
