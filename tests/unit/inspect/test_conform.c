/* test_conform.c - what `entc conform` reports for two versions of a declaration: every line, the conclusion and the
 * exit code. */
#include <stdio.h>

#include "test.h"

/* The members of the declaration t before and after, and the complete output. An apostrophe is a
 * quotation mark. */
typedef struct Row {
    const char *was, *is, *printed;
    int         code;
} Row;

#define UNCHANGED "blobs compiled with the old declaration can be read with the new one unchanged\n"
#define CONVERTED "blobs and saves of the old declaration are converted when they are spawned\n"
#define LOSSY                                                                                      \
    "blobs and saves of the old declaration are converted when they are spawned, and lose "        \
    "values\n"
#define REFUSED                                                                                    \
    "not all blobs of the old declaration can be read with the new one: compile them again\n"

#define FIELD(text) "'fields': { 'n': { " text " } }"
#define NUMBER      FIELD("'type': 'u32', 'default': 0")
#define NO_VALUE    "old instances have no value; give it a default\n"
#define LIMITED     "values that do not fit are rounded and limited to the range\n"
#define MISSING                                                                                    \
    "it is required, and blobs with an instance without all of its values are rejected\n"

static void declaration_write(const char* folder, const char* name, const char* members) {
    char path[64], text[1000];
    snprintf(path, sizeof path, "%s.json", name);
    snprintf(text, sizeof text, "{ %s }\n", members);
    test_write_quoted(folder, path, text);
}

static void rows_run(const char* name, const Row* rows, u32 count) {
    const char* folder = test_folder(name);
    for (u32 i = 0; i < count; i++) {
        char printed[1000];
        declaration_write(folder, "was/t.component", rows[i].was);
        declaration_write(folder, "is/t.component", rows[i].is);
        snprintf(printed, sizeof printed, "%s", rows[i].printed);
        test_quote(printed);
        TestRun run = test_command(folder, "entc conform was/t.component.json is/t.component.json");
        if (run.code != rows[i].code || strcmp(run.out, printed) != 0 || *run.err)
            fail_msg("row %u: exit code %d\n%s%s", i, run.code, run.out, run.err);
        test_run_free(&run);
    }
}

static void properties_of_the_component_are_compared(void** state) {
    static const Row rows[] = {
        {NUMBER, NUMBER, UNCHANGED, 0},
        {"'several': true, " NUMBER, "'several': true, " NUMBER, UNCHANGED, 0},
        {NUMBER, "'several': true, " NUMBER,
         "harmless  t: several changed to true: entities with one instance remain "
         "valid\n" UNCHANGED,
         0},
        {"'several': true, " NUMBER, NUMBER,
         "lossy     t: several changed to false: of multiple instances of an entity the first one "
         "is kept\n" LOSSY,
         0},
        {NUMBER, "'order': 7, " NUMBER,
         "harmless  t: its spawn order changed from 2000 to 7\n" UNCHANGED, 0},
    };
    UNUSED(state);
    rows_run("conform_component", rows, COUNT_OF(rows));
}

static void fields_are_added_removed_renamed_and_moved(void** state) {
    static const Row rows[] = {
        {NUMBER, "'fields': { 'n': { 'type': 'u32', 'default': 0 }, 'more': { 'type': 'text' } }",
         "converted t.more: the field was added (text): old instances get its default\n" CONVERTED,
         0},
        {NUMBER,
         "'fields': { 'n': { 'type': 'u32', 'default': 0 }, 'more': { 'type': 'f32', 'count': 3 } "
         "}",
         "refused   t.more: the field was added (f32 of count 3) and is required: " NO_VALUE
             REFUSED,
         1},
        {"'fields': { 'n': { 'type': 'u32', 'default': 0 }, 'less': { 'type': 'i32', 'array': 2, "
         "'default': 0 } }",
         NUMBER,
         "lossy     t.less: the field was removed (its type was i32, array of 2): its values are "
         "dropped\n" LOSSY,
         0},
        {NUMBER, "'fields': { 'm': { 'type': 'u32', 'default': 0, 'was': 'n' } }",
         "converted t.m: the field was named n\n" CONVERTED, 0},
        {"'fields': { 'a': { 'type': 'text' }, 'b': { 'type': 'text' }, 'c': { 'type': 'text' } }",
         "'fields': { 'c': { 'type': 'text' }, 'a': { 'type': 'text' }, 'b': { 'type': 'text' } }",
         "converted t.c: the field was moved before the field b\n" CONVERTED, 0},
    };
    UNUSED(state);
    rows_run("conform_fields", rows, COUNT_OF(rows));
}

/* A type that holds all values of the old one needs no warning. */
static void numbers_of_another_type_are_lossy_only_if_a_value_may_not_fit(void** state) {
    static const Row rows[] = {
        {FIELD("'type': 'u32', 'default': 0, 'max': 16777216"),
         FIELD("'type': 'f32', 'default': 0"),
         "converted t.n: its type changed from u32 to f32\n" CONVERTED, 0},
        {FIELD("'type': 'u32', 'default': 0, 'max': 16777217"),
         FIELD("'type': 'f32', 'default': 0"),
         "lossy     t.n: its type changed from u32 to f32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'i32', 'default': 0, 'min': -16777216, 'max': 0"),
         FIELD("'type': 'f32', 'default': 0"),
         "converted t.n: its type changed from i32 to f32\n" CONVERTED, 0},
        {FIELD("'type': 'i32', 'default': 0, 'min': -16777217, 'max': 0"),
         FIELD("'type': 'f32', 'default': 0"),
         "lossy     t.n: its type changed from i32 to f32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'u32', 'default': 0, 'max': 9"), FIELD("'type': 'i32', 'default': 0"),
         "converted t.n: its type changed from u32 to i32\n" CONVERTED, 0},
        {FIELD("'type': 'u32', 'default': 2, 'max': 9"),
         FIELD("'type': 'i32', 'default': 2, 'min': 1"),
         "lossy     t.n: its type changed from u32 to i32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'u32', 'default': 0, 'max': 2000000000"),
         FIELD("'type': 'i32', 'default': 0"),
         "converted t.n: its type changed from u32 to i32\n" CONVERTED, 0},
        {NUMBER, FIELD("'type': 'i32', 'default': 0"),
         "lossy     t.n: its type changed from u32 to i32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'f32', 'default': 0, 'min': 0, 'max': 9"), NUMBER,
         "lossy     t.n: its type changed from f32 to u32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'f32', 'default': 0, 'max': 0.1"),
         FIELD("'type': 'f32', 'count': 3, 'default': [0, 0, 0], 'max': 0.1"),
         "converted t.n: its type changed from f32 to f32 of count 3\n" CONVERTED, 0},
        {FIELD("'type': 'f32', 'count': 3, 'default': [0, 0, 0]"),
         FIELD("'type': 'f32', 'count': 2, 'default': [0, 0]"),
         "lossy     t.n: its type changed from f32 of count 3 to f32 of count 2: the rest is "
         "dropped\n" LOSSY,
         0},
        {FIELD("'type': 'f32', 'count': 3, 'default': [0, 0, 0]"),
         FIELD("'type': 'f32', 'count': 2, 'default': [0, 0], 'max': 9"),
         "lossy     t.n: its type changed from f32 of count 3 to f32 of count 2: the rest is "
         "dropped: " LIMITED LOSSY,
         0},
        {FIELD("'type': 'f32', 'count': 4, 'default': [0, 0, 0, 1], 'min': -1, 'max': 1"),
         FIELD("'type': 'quat'"),
         "lossy     t.n: its type changed from f32 of count 4 to quat: " LIMITED LOSSY, 0},
        {FIELD("'type': 'quat'"), FIELD("'type': 'f32', 'count': 4, 'default': [0, 0, 0, 1]"),
         "converted t.n: its type changed from quat to f32 of count 4\n" CONVERTED, 0},
        {FIELD("'type': 'bool', 'default': true"), NUMBER,
         "converted t.n: its type changed from bool to u32\n" CONVERTED, 0},
        {FIELD("'type': 'bool', 'default': true"), FIELD("'type': 'u32', 'default': 5, 'min': 1"),
         "lossy     t.n: its type changed from bool to u32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'bool', 'default': true"), FIELD("'type': 'quat'"),
         "lossy     t.n: its type changed from bool to quat: " LIMITED LOSSY, 0},
        {FIELD("'type': 'u32', 'default': 0, 'max': 1"), FIELD("'type': 'bool', 'default': true"),
         "converted t.n: its type changed from u32 to bool\n" CONVERTED, 0},
        {NUMBER, FIELD("'type': 'bool', 'default': true"),
         "lossy     t.n: its type changed from u32 to bool: " LIMITED LOSSY, 0},
    };
    UNUSED(state);
    rows_run("conform_numbers", rows, COUNT_OF(rows));
}

static void arrays_lose_values_only_if_they_become_shorter(void** state) {
    static const Row rows[] = {
        {FIELD("'type': 'text', 'array': 2"), FIELD("'type': 'text', 'array': 3"),
         "converted t.n: its type changed from text, array of 2 to text, array of 3\n" CONVERTED,
         0},
        {FIELD("'type': 'text', 'array': 3"), FIELD("'type': 'text'"),
         "lossy     t.n: its type changed from text, array of 3 to text: the rest is "
         "dropped\n" LOSSY,
         0},
        {FIELD("'type': 'u32', 'array': 2, 'default': 0, 'max': 9"),
         FIELD("'type': 'u32', 'array': 3, 'default': 0, 'max': 8"),
         "converted t.n: its type changed from u32, array of 2 to u32, array of 3\n"
         "lossy     t.n: the range changed from at most 9 to at most 8: values outside of it are "
         "limited to it\n" LOSSY,
         0},
        {FIELD("'type': 'f32', 'count': 4, 'array': 2, 'default': [0, 0, 0, 0]"),
         FIELD("'type': 'f32', 'count': 2, 'array': 3, 'default': [0, 0]"),
         "lossy     t.n: its type changed from f32 of count 4, array of 2 to f32 of count 2, array "
         "of 3: the rest is dropped\n" LOSSY,
         0},
    };
    UNUSED(state);
    rows_run("conform_arrays", rows, COUNT_OF(rows));
}

/* A required field has no default that could fill the rest of its value. */
static void required_fields_that_get_longer_are_refused_unless_0_is_valid(void** state) {
    static const Row rows[] = {
        {FIELD("'type': 'name', 'array': 2, 'required': true"),
         FIELD("'type': 'name', 'array': 3, 'required': true"),
         "refused   t.n: its type changed from name, array of 2 to name, array of 3: " MISSING
             REFUSED,
         1},
        {FIELD("'type': 'resource', 'resource': 'mesh', 'required': true"),
         FIELD("'type': 'resource', 'resource': 'mesh', 'array': 2, 'required': true"),
         "refused   t.n: its type changed from resource to resource, array of 2: " MISSING REFUSED,
         1},
        {FIELD("'type': 'entity', 'required': true"),
         FIELD("'type': 'entity', 'array': 2, 'required': true"),
         "converted t.n: its type changed from entity to entity, array of 2\n" CONVERTED, 0},
        {FIELD("'type': 'name', 'array': 3, 'required': true"),
         FIELD("'type': 'name', 'array': 2, 'required': true"),
         "lossy     t.n: its type changed from name, array of 3 to name, array of 2: the rest is "
         "dropped\n" LOSSY,
         0},
        {FIELD("'type': 'f32', 'count': 2, 'min': 1"), FIELD("'type': 'f32', 'count': 3, 'min': 1"),
         "refused   t.n: its type changed from f32 of count 2 to f32 of count 3: " MISSING REFUSED,
         1},
        {FIELD("'type': 'f32', 'count': 2"), FIELD("'type': 'f32', 'count': 3"),
         "converted t.n: its type changed from f32 of count 2 to f32 of count 3\n" CONVERTED, 0},
        {FIELD("'type': 'u32'"), FIELD("'type': 'i32', 'min': 1"),
         "lossy     t.n: its type changed from u32 to i32: " LIMITED LOSSY, 0},
        {FIELD("'type': 'f32', 'count': 4"), FIELD("'type': 'quat', 'required': true"),
         "refused   t.n: its type changed from f32 of count 4 to quat: values that do not fit are "
         "rounded and limited to the range: " MISSING REFUSED,
         1},
        {FIELD("'type': 'quat', 'array': 3, 'required': true"),
         FIELD("'type': 'quat', 'array': 2, 'required': true"),
         "lossy     t.n: its type changed from quat, array of 3 to quat, array of 2: the rest is "
         "dropped\n" LOSSY,
         0},
    };
    UNUSED(state);
    rows_run("conform_required", rows, COUNT_OF(rows));
}

static void types_that_cannot_be_converted_are_dropped(void** state) {
    static const Row rows[] = {
        {NUMBER, FIELD("'type': 'text'"),
         "lossy     t.n: its type changed from u32 to text: the values cannot be converted and are "
         "dropped\n" LOSSY,
         0},
        {FIELD("'type': 'text'"), FIELD("'type': 'f32', 'count': 2"),
         "refused   t.n: its type changed from text to f32 of count 2: the values cannot be "
         "converted and are dropped, and it is required\n" REFUSED,
         1},
        {FIELD("'type': 'resource', 'resource': 'mesh'"), NUMBER,
         "lossy     t.n: its type changed from resource to u32: the values cannot be converted and "
         "are dropped\n" LOSSY,
         0},
        {NUMBER, FIELD("'type': 'resource', 'resource': 'mesh'"),
         "lossy     t.n: its type changed from u32 to resource: the values cannot be converted and "
         "are dropped\n" LOSSY,
         0},
        {FIELD("'type': 'resource', 'resource': 'mesh'"),
         FIELD("'type': 'resource', 'resource': 'clip'"),
         "lossy     t.n: the type of the resources that it refers to changed from mesh to clip: "
         "the values are dropped\n" LOSSY,
         0},
        {FIELD("'type': 'resource', 'resource': 'mesh', 'required': true"),
         FIELD("'type': 'resource', 'resource': 'clip', 'required': true"),
         "refused   t.n: the type of the resources that it refers to changed from mesh to clip: "
         "the values are dropped\n" REFUSED,
         1},
    };
    UNUSED(state);
    rows_run("conform_dropped", rows, COUNT_OF(rows));
}

#define CHOICE(type, texts) FIELD("'type': '" type "', 'enum': [" texts "], 'required': true")

static void texts_are_compared_by_name_and_number(void** state) {
    static const Row rows[] = {
        {CHOICE("enum", "'a', 'b'"), CHOICE("enum", "'a', 'b'"), UNCHANGED, 0},
        {CHOICE("enum", "'a', 'b'"), CHOICE("enum", "'b', 'c'"),
         "lossy     t.n: the value 'a' was removed: instances with it get the first value\n"
         "converted t.n: the number of the value 'b' changed from 1 to 0\n"
         "converted t.n: the value 'c' was added with number 1\n" LOSSY,
         0},
        {FIELD("'type': 'enum', 'enum': ['a', 'b'], 'default': 'b'"),
         FIELD("'type': 'enum', 'enum': ['b'], 'default': 'b'"),
         "lossy     t.n: the value 'a' was removed: instances with it get the default\n"
         "converted t.n: the number of the value 'b' changed from 1 to 0\n" LOSSY,
         0},
        {CHOICE("flags", "'a', 'b'"), CHOICE("flags", "'a'"),
         "lossy     t.n: the value 'b' was removed: the flag is dropped\n" LOSSY, 0},
        {CHOICE("enum", "'a', 'b'"), CHOICE("enum", "'a', { 'name': 'c', 'was': 'b' }"),
         "converted t.n: the value 'b' is named 'c' now\n" CONVERTED, 0},
        {CHOICE("enum", "'a', 'b', 'c'"), CHOICE("flags", "'a'"),
         "converted t.n: its type changed from enum to flags\n"
         "lossy     t.n: the value 'b' was removed: the flag is dropped\n"
         "lossy     t.n: the value 'c' was removed: the flag is dropped\n" LOSSY,
         0},
        {CHOICE("flags", "'a'"), CHOICE("enum", "'b'"),
         "refused   t.n: its type changed from flags to enum: the values cannot be converted and "
         "are dropped, and it is required\n" REFUSED,
         1},
    };
    UNUSED(state);
    rows_run("conform_texts", rows, COUNT_OF(rows));
}

#define KEPT "old blobs keep the value with which they were compiled\n" UNCHANGED

/* Of a number, also whether it has one; of a reference, whether it is required. */
static void defaults_ranges_and_units_are_compared(void** state) {
    static const Row rows[] = {
        {NUMBER, FIELD("'type': 'u32', 'default': 3"),
         "harmless  t.n: the default changed from 0 to 3: " KEPT, 0},
        {NUMBER, FIELD("'type': 'u32'"),
         "harmless  t.n: the default changed from 0 to none (required): " KEPT, 0},
        {FIELD("'type': 'u32'"), NUMBER,
         "harmless  t.n: the default changed from none (required) to 0: " KEPT, 0},
        {FIELD("'type': 'u32'"), FIELD("'type': 'u32'"), UNCHANGED, 0},
        {FIELD("'type': 'f32', 'default': 0.1"), FIELD("'type': 'f32', 'default': 0.2"),
         "harmless  t.n: the default changed from 0.1 to 0.2: " KEPT, 0},
        {FIELD("'type': 'bool', 'default': false"), FIELD("'type': 'bool', 'default': true"),
         "harmless  t.n: the default changed from false to true: " KEPT, 0},
        {FIELD("'type': 'name'"), FIELD("'type': 'name', 'required': true"),
         "refused   t.n: is now required: blobs with an instance without it are rejected\n" REFUSED,
         1},
        {FIELD("'type': 'entity'"), FIELD("'type': 'entity', 'required': true"),
         "harmless  t.n: is now required: sources must define it; old blobs remain "
         "valid\n" UNCHANGED,
         0},
        {FIELD("'type': 'entity', 'required': true"), FIELD("'type': 'entity'"),
         "harmless  t.n: is no longer required: old blobs remain valid\n" UNCHANGED, 0},
        {FIELD("'type': 'u32', 'default': 0, 'unit': 'm'"), NUMBER,
         "harmless  t.n: the unit changed from 'm' to '': old blobs keep their numbers; check that "
         "these are still correct\n" UNCHANGED,
         0},
        {FIELD("'type': 'f32', 'default': 0, 'max': 0.1"),
         FIELD("'type': 'f32', 'default': 0, 'max': 0.7"),
         "harmless  t.n: the range was extended from at most 0.1 to at most 0.7\n" UNCHANGED, 0},
    };
    UNUSED(state);
    rows_run("conform_defaults", rows, COUNT_OF(rows));
}

/* The name of the component is that of the file, before its first dot and without its folder. */
static void files_are_found_by_their_suffix(void** state) {
    const char* folder = test_folder("conform_files");
    UNUSED(state);
    declaration_write(folder, "was/t.component", NUMBER);
    declaration_write(folder, "is/t", NUMBER);
    declaration_write(folder, "is/u", NUMBER);
    test_write_text(folder, "json", "{}");
    EXPECT(folder, 0, UNCHANGED, "entc conform was/t.component.json ./is/t.json");
    EXPECT(folder, 0, UNCHANGED, "cd was && entc conform t.component.json ../is/t.json");
    EXPECT(folder, 1, "refused   u: the component was named t: blobs refer to it by that name",
           "cd is && entc conform t.json u.json");
    EXPECT(folder, 2, "json: error: ", "entc conform json was/t.component.json");
}

/* In a blob, bounds are floats. */
static void bounds_of_sources_and_blobs_are_compared_as_floats(void** state) {
    const char* folder = test_folder("conform_floats");
    UNUSED(state);
    declaration_write(folder, "was/t.component", FIELD("'type': 'f32', 'default': 0, 'max': 0.1"));
    declaration_write(folder, "is/t.component",
                      FIELD("'type': 'f32', 'count': 2, 'default': [0, 0], 'max': 0.1"));
    TEST_DONE(folder, "entc build was -o out -q");
    EXPECT(folder, 0, UNCHANGED, "entc conform out/t.component was/t.component.json");
    EXPECT(folder, 0, "converted t.n: its type changed from f32 to f32 of count 2\n" CONVERTED,
           "entc conform out/t.component is/t.component.json");
    declaration_write(folder, "is/t.component", FIELD("'type': 'f32', 'default': 0, 'max': 0.7"));
    EXPECT(folder, 0, "the range was extended from at most 0.1 to at most 0.7\n",
           "entc conform out/t.component is/t.component.json");
}

TEST_SUITE(conform) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(properties_of_the_component_are_compared),
        cmocka_unit_test(fields_are_added_removed_renamed_and_moved),
        cmocka_unit_test(numbers_of_another_type_are_lossy_only_if_a_value_may_not_fit),
        cmocka_unit_test(arrays_lose_values_only_if_they_become_shorter),
        cmocka_unit_test(required_fields_that_get_longer_are_refused_unless_0_is_valid),
        cmocka_unit_test(types_that_cannot_be_converted_are_dropped),
        cmocka_unit_test(texts_are_compared_by_name_and_number),
        cmocka_unit_test(defaults_ranges_and_units_are_compared),
        cmocka_unit_test(files_are_found_by_their_suffix),
        cmocka_unit_test(bounds_of_sources_and_blobs_are_compared_as_floats),
    };
    return TEST_RUN("conform", tests);
}
