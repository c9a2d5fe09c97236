/* test_slices.c - a long level that several threads compile in slices: the same bytes and the same
 * diagnostics with every number of threads. */
#include <stdio.h>
#include <stdlib.h>

#include "base.h"
#include "diag.h"
#include "diag_print.h"
#include "doc_internal.h"
#include "file.h"
#include "test.h"

#define ENTITIES 24000u

/* How a level is written: the separators of items, and an error in one of them. */
typedef struct Style {
    const char* first; /* before the first item */
    const char* open;  /* before the others, and after the last one */
    const char* fault; /* an item that replaces number `at` */
    u32         at;
} Style;

static const char* tail_of(u32 i) { return i % 31 == 0 ? "\\u00e4" : ""; }

/* Names with escapes, arrays, prefabs with overrides, children, parents, groups, references, and
 * strings that look like the beginning of an item. e2 is in no group, e4 is in g1. */
static void item_print(FILE* out, u32 i) {
    fprintf(out, "{\"name\":\"e%u%s\"", i, tail_of(i));
    if (i % 7 == 0)
        fprintf(out, ",\"$comment\":\"},\\n    {\\\"name\\\":\\\"no\\\"},{\\\"name\\\":\"");
    if (i % 5 == 1 && i > 5) fprintf(out, ",\"parent\":\"e%u%s\"", i - 1, tail_of(i - 1));
    if (i % 13 == 4 && i % 5 != 1)
        fprintf(out, ",\"group\":\"g%u%s\"", i % 3, i % 2 ? "\\u00e4" : "");
    if (i % 11 == 3) {
        fprintf(out,
                ",\"prefab\":\"lamp\",\"overrides\":{\"bulb\":{\"components\":{\"light\":{\"range_"
                "m\":%u}}}}",
                i % 9 + 1);
    }
    fprintf(out, ",\"components\":{\"transform\":{\"position\":[%u,0.5,%u]}", i % 100, i % 77);
    if (i % 13 == 4 || i % 19 == 5) fprintf(out, ",\"camera\":{\"target\":\"e2\"}");
    if (i % 3 == 0)
        fprintf(out, ",\"light\":[{\"kind\":\"point\",\"range_m\":2},{\"kind\":\"spot\"}]");
    fprintf(out, "}");
    if (i % 17 == 2) {
        fprintf(
            out,
            ",\"children\":[{\"name\":\"a\"},{\"name\":\"b\",\"components\":{\"point_mass\":{}}}]");
    }
    fprintf(out, "}");
}

static void level_write(const char* folder, const char* name, const Style* style) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, "{ \"entities\": [");
    for (u32 i = 0; i < ENTITIES; i++) {
        fprintf(out, "%s%s", i ? "," : "", i ? style->open : style->first);
        if (style->fault && i == style->at)
            fputs(style->fault, out);
        else
            item_print(out, i);
    }
    fprintf(out, "%s]}\n", style->open);
    fclose(out);
    test_write_text(folder, name, text);
    free(text);
}

static char* slices_folder(const char* name, const Style* style) {
    char* folder = strdup(test_folder(name));
    assert_non_null(folder);
    test_write_text(
        folder, "src/lamp.entity.json",
        "{\"children\":[{\"name\":\"bulb\",\"components\":{\"light\":{\"range_m\":3}}}]}\n");
    level_write(folder, "src/x.level.json", style);
    return folder;
}

static void compare_in(const char* folder, int code) {
    static const u32 jobs[] = {2, 3, 7};
    char             command[512];
    TestRun          one = test_command(folder, "entc compile src x.level -o 1.level -j 1 2>&1");
    assert_int_equal(one.code, code);
    for (u32 i = 0; i < COUNT_OF(jobs); i++) {
        snprintf(command, sizeof command, "entc compile src x.level -o %u.level -j %u 2>&1%s",
                 jobs[i], jobs[i], code == 0 ? " && cmp 1.level" : "");
        if (code == 0) {
            const size_t used = strlen(command);
            snprintf(command + used, sizeof command - used, " %u.level", jobs[i]);
        }
        TestRun many = test_command(folder, "%s", command);
        assert_int_equal(many.code, code);
        assert_string_equal(many.out, one.out);
        test_run_free(&many);
    }
    test_run_free(&one);
}

static void compare(const char* name, const Style* style, int code) {
    char* folder = slices_folder(name, style);
    compare_in(folder, code);
    free(folder);
}

static void level_of_one_item_per_line_compiles_equally_with_threads(void** state) {
    const Style style = {"\n    ", "\n    ", NULL, 0};
    UNUSED(state);
    compare("slices_lines", &style, 0);
}

static void level_without_white_space_compiles_equally_with_threads(void** state) {
    const Style style = {"", "", NULL, 0};
    UNUSED(state);
    compare("slices_dense", &style, 0);
}

static void level_with_blanks_between_items_compiles_equally_with_threads(void** state) {
    const Style style = {"", " ", NULL, 0};
    UNUSED(state);
    compare("slices_blanks", &style, 0);
}

static void level_with_child_before_parent_compiles_equally_with_threads(void** state) {
    const Style style = {"\n    ", "\n    ", "{\"name\":\"x\",\"parent\":\"e23998\"}", 5003};
    UNUSED(state);
    compare("slices_backward", &style, 0);
}

/* No prefabs, and trees of all sizes, some across the borders between threads. */
static void level_of_plain_trees_compiles_equally_with_threads(void** state) {
    char*  folder = strdup(test_folder("slices_plain"));
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    UNUSED(state);
    assert_non_null(folder);
    assert_non_null(out);
    fprintf(out, "{\"entities\":[");
    for (u32 i = 0; i < 3 * ENTITIES; i++) {
        const u32 k = i % 1000, block = i - k;
        const u32 parent = k % 7 == 3 ? k + 1 : k % 7 == 4 ? 0 : k / 2;
        fprintf(out, "%s{\"name\":\"e%u\"", i ? "," : "", i);
        if (k) fprintf(out, ",\"parent\":\"e%u\"", block + parent);
        fprintf(out, "}");
    }
    fprintf(out, "]}\n");
    fclose(out);
    test_write_text(folder, "src/x.level.json", text);
    TEST_DONE(folder,
              "for j in 1 2 9; do entc compile src x.level -o $j.level -j $j || exit 1; done; "
              "cmp 1.level 2.level && cmp 1.level 9.level");
    free(text);
    free(folder);
}

/* Does the reader of slices accept this list, and return all of its items? Frees the text. */
static bool list_is_sliced(char* text, size_t bytes, u32 items) {
    Diagnostics* diag = diag_create();
    const Source source = source_of("x", text, (u32)bytes);
    Doc          doc;
    Arena        arena = {0};
    doc_begin(&doc, &source, (u32)bytes);
    Reader reader = {.doc = &doc,
                     .json = json_open(&source, 0, diag),
                     .arena = &arena,
                     .diag = diag,
                     .pool = ent_job_pool_create(1, NULL),
                     .level = true};
    assert_non_null(reader.pool);
    const bool sliced = doc_list_slice(&reader);
    u32        roots = 0;
    for (u32 at = doc.first_root; at != NONE; at = doc.nodes.at[at].next) roots++;
    assert_int_equal(roots, sliced ? items : 0);
    assert_int_equal(diag_error_count(diag), 0);
    ent_job_pool_destroy(reader.pool);
    array_drop(&reader.parents);
    doc_drop(&doc);
    arena_drop(&arena);
    diag_destroy(diag);
    free(text);
    return sliced;
}

/* The same for a list of plain items, written like this. */
static bool is_sliced_with(const char* first, const char* between, const char* key,
                           const char* rest) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    assert_non_null(out);
    fprintf(out, "[%s", first);
    for (u32 i = 0; i < ENTITIES; i++) {
        /* Of any length: a slice may begin anywhere in an item. */
        fprintf(out, "%s%s \"%0*u\"%s}", i ? between : "",
                i ? key : "{\"name\":", (int)(i * i % 53 + 5), i, rest);
    }
    fprintf(out, "]");
    fclose(out);
    return list_is_sliced(text, bytes, ENTITIES);
}

static bool is_sliced(const char* first, const char* between) {
    return is_sliced_with(first, between, "{\"name\":", "");
}

/* As authors, printers of JSON and programs write lists. */
static void list_in_each_usual_format_is_sliced(void** state) {
    UNUSED(state);
    assert_true(is_sliced("", ","));
    assert_true(is_sliced("", ", "));
    assert_true(is_sliced("\n", ",\n"));
    assert_true(is_sliced("\n  ", ",\n  "));
    assert_true(is_sliced("\r\n\t", ",\r\n\t"));
    assert_true(is_sliced("", ",\t"));
    assert_true(is_sliced("", ",\r"));
    assert_true(is_sliced(" ", ",\n"));
    assert_true(is_sliced("\n", " , \n"));
    assert_false(is_sliced("\n  ", ",\n    "));
    /* The text after the first key may differ, the text before its end may not. */
    assert_true(is_sliced_with("", ",", "{\"name\" :", ""));
    assert_true(is_sliced_with("\n  ", ",\n  ", "{\"name\"\t:", ""));
    assert_false(is_sliced_with("", ",", "{ \"name\":", ""));
    /* A key that only begins like the first one is not the first key of an item. */
    assert_true(is_sliced_with(
        "", ",", "{\"name\":", ",\"$comment\":[0,{\"named\":1},{\"named\":2},{\"named\":3}]"));
}

/* Several slices would begin in the same item. */
static void items_longer_than_a_slice_are_read_once(void** state) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    UNUSED(state);
    assert_non_null(out);
    for (u32 i = 0; i < 4; i++) {
        fprintf(out, "%s{\"name\":\"%u\",\"$comment\":\"%*s\"}", i ? "," : "[", i, 1 << 20, "x");
    }
    fprintf(out, "]");
    fclose(out);
    assert_true(list_is_sliced(text, bytes, 4));
}

/* Children look as the list's own items do, and all slices would begin in them. */
static void slice_that_begins_in_a_child_is_moved_to_the_next_item(void** state) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    UNUSED(state);
    assert_non_null(out);
    fprintf(out, "[{\"name\":\"a\"},{\"name\":\"b\",\"children\":[");
    for (u32 i = 0; i < ENTITIES; i++) fprintf(out, "%s{\"name\":\"%040u\"}", i ? "," : "", i);
    fprintf(out, "]},{\"name\":\"c\"}]");
    fclose(out);
    assert_false(list_is_sliced(text, bytes, 0));
}

static void long_list_without_items_is_read_as_one_slice(void** state) {
    const u32 bytes = 1 << 20;
    char*     text = malloc(bytes + 1);
    UNUSED(state);
    assert_non_null(text);
    snprintf(text, bytes + 1, "[%*s", bytes - 1, "]");
    assert_false(list_is_sliced(text, bytes, 0));
}

/* What the first item is written with decides where slices may begin. */
static void error_in_the_first_item_is_reported_once(void** state) {
    static const char* const faults[] = {"17", "\"x\"", "[", "{}", "{17:1}", "{\"name\" 1}"};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(faults); i++) {
        const Style style = {"", "", faults[i], 0};
        compare("slices_first", &style, strcmp(faults[i], "{}") == 0 ? 0 : 3);
    }
}

static void errors_in_long_level_are_reported_equally_with_threads(void** state) {
    static const char* const faults[] = {
        "{\"name\":\"e9\"}",                                            /* a duplicate */
        "{\"name\":\"x\",\"components\":{\"light\":{\"range_m\":-1}}}", /* out of range */
        "{\"name\":\"x\",\"components\":{\"light\":{\"range\":1}}}",    /* no such field */
        "{\"name\":\"x\",\"prefab\":\"lammp\"}",                        /* no such prefab */
        "{\"name\":\"x\",\"components\":{\"mesh\":{\"resource\":\"models/a\"}}}", /* no such mesh */
        "{\"name\":\"x\",\"components\":{\"mesh\":null}}", /* nothing to remove */
        "{\"name\":\"x\",\"parent\":\"absent\"}",
        "{\"name\":\"x\",\"components\":{\"camera\":{\"target\":\"e4\"}}}", /* outside its group */
        "{\"name\":\"x\",\"parent\":\"e4\",\"group\":\"g0\"}",              /* in two groups */
        "{\"name\":\"x\",\"group\":\"a/b\"}",
        "{\"name\":\"x\",\"parent\":\"x\"}",
        "{\"name\":\"x\" \"components\":{}}", /* invalid JSON */
        "{\"name\":\"x\",}",
        "17",
        "{\"name\":\"x\"}]", /* ends too early */
        "{\"name\":\"\\ud800\"}",
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(faults); i++) {
        const char* open = i % 2 ? "" : "\n    ";
        const Style style = {open, open, faults[i], 3000 + i * 1301};
        compare("slices_faults", &style, 3);
    }
}

static void level_that_ends_after_a_comma_is_reported_equally_with_threads(void** state) {
    const Style style = {"\n", "\n", NULL, 0};
    UNUSED(state);
    char*   folder = slices_folder("slices_cut", &style);
    TestRun cut = test_command(folder, "truncate -s -4 src/x.level.json && "
                                       "printf , >>src/x.level.json && tail -c 3 src/x.level.json");
    assert_string_equal(cut.out, "}},");
    compare_in(folder, 3);
    test_run_free(&cut);
    free(folder);
}

static void big_endian_level_compiles_equally_with_threads(void** state) {
    const Style style = {"\n  ", "\n  ", NULL, 0};
    char*       folder = slices_folder("slices_big", &style);
    UNUSED(state);
    TestRun run =
        test_command(folder, "entc build src -o a --target big --strip -j 1 && "
                             "entc build src -o b --target big --strip -j 5 && diff -r a b");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
    free(folder);
}

TEST_SUITE(slices) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_of_one_item_per_line_compiles_equally_with_threads),
        cmocka_unit_test(level_without_white_space_compiles_equally_with_threads),
        cmocka_unit_test(level_with_blanks_between_items_compiles_equally_with_threads),
        cmocka_unit_test(list_in_each_usual_format_is_sliced),
        cmocka_unit_test(items_longer_than_a_slice_are_read_once),
        cmocka_unit_test(slice_that_begins_in_a_child_is_moved_to_the_next_item),
        cmocka_unit_test(long_list_without_items_is_read_as_one_slice),
        cmocka_unit_test(level_with_child_before_parent_compiles_equally_with_threads),
        cmocka_unit_test(level_of_plain_trees_compiles_equally_with_threads),
        cmocka_unit_test(errors_in_long_level_are_reported_equally_with_threads),
        cmocka_unit_test(error_in_the_first_item_is_reported_once),
        cmocka_unit_test(level_that_ends_after_a_comma_is_reported_equally_with_threads),
        cmocka_unit_test(big_endian_level_compiles_equally_with_threads),
    };
    return TEST_RUN("slices", tests);
}
