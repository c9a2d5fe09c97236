/* test_docs.c - documents that repeat the content of the code: compared by a test, rewritten with
 * GOLDEN=1. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "components.h"
#include "sections.h"
#include "test.h"

static void put_number(FILE* out, const Field* f, double value) {
    if (value != HIGH && value != LOW) fprintf(out, "%.*g", field_is_float(f) ? 9 : 10, value);
}

static void put_default(FILE* out, const Field* f) {
    if (f->required)
        fputs("required", out);
    else if (field_is_link(f))
        fputs("none", out);
    else if (f->kind == FIELD_Enum32)
        fputs(f->texts[(u32)f->value[0]], out);
    else if (f->kind == FIELD_Bool32)
        fputs(f->value[0] != 0 ? "true" : "false", out);
    else {
        for (u32 i = 0; i < field_words(f); i++) fprintf(out, "%s%.9g", i ? " " : "", f->value[i]);
    }
}

static void put_bounds(FILE* out, const Field* f) {
    if (f->kind == FIELD_Enum32) {
        for (u32 i = 0; i < f->text_count; i++) fprintf(out, "%s%s", i ? ", " : "", f->texts[i]);
    } else if (field_is_text(f)) {
        fputs(section_name(f->refers_to), out);
    } else if (f->kind == FIELD_ResourceRef) {
        fputs(f->refers_to ? ent_resource_suffix(f->refers_to) : "any", out);
    } else if ((field_is_float(f) && f->lo != LOW) || (f->kind == FIELD_u32 && f->hi != ALL)) {
        put_number(out, f, f->lo);
        fputs(" to ", out);
        put_number(out, f, f->hi);
    }
}

static void put_record(FILE* out, const RecordType* type, const char* properties) {
    fprintf(out, "\n### %s\n\n%u bytes; %s\n\n", type->name, type->bytes, properties);
    fputs("| offset | type | field | unit | bounds | default | meaning |\n"
          "|---:|---|---|---|---|---|---|\n",
          out);
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        fprintf(out, "| %u | %s | %s | %s | ", f->offset, FIELD_KIND_TEXTS[f->kind], f->name,
                f->unit);
        put_bounds(out, f);
        fputs(" | ", out);
        put_default(out, f);
        fprintf(out, " | %s |\n", f->text);
    }
}

static char* records_page(void) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("# Records of the blob format\n\n"
          "Section 9 of [FORMAT.md](FORMAT.md#9-records) describes how these tables are read. This "
          "page is generated:\n`make golden` writes it from the field tables of the code.\n\n"
          "## Components, in spawn order\n",
          out);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        const ComponentType* type = &ent_component_types()[i];
        char                 properties[128];
        snprintf(properties, sizeof properties, "%s%s; id 0x%08x, layout 0x%08x",
                 type->columns == BY_FIELD ? "structure of arrays" : "array of structures",
                 type->several == SEVERAL ? ", multiple" : "", type->id, type->layout);
        put_record(out, &type->record, properties);
    }
    fputs("\n## Sections, in the order of their kinds\n", out);
    for (u32 kind = 0; kind < SECTION_KIND_COUNT; kind++) {
        const RecordType* type = section_record(kind);
        char              properties[128];
        if (!type) continue;
        snprintf(properties, sizeof properties, "section %u, layout 0x%08x", kind,
                 record_layout_hash(type));
        put_record(out, type, properties);
    }
    fclose(out);
    return text;
}

static void records_md_lists_every_record_of_the_code(void** state) {
    UNUSED(state);
    test_page_equals("formats/RECORDS.md", records_page(), "the field tables", "golden");
}

/* The example of section 6 is the output of entc. */
static void format_md_example_equals_output_of_entc(void** state) {
    static const char level[] =
        "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"name\": { \"id\": \"hero\" } },\n"
        "                  \"children\": [ { \"name\": \"b\", \"components\": { \"mesh\": { "
        "\"resource\": \"cube/box\" } } } ] } ] }";
    static const char model[] =
        "{\"asset\":{\"version\":\"2.0\"},\"buffers\":[{\"byteLength\":36,\"uri\":\"data:"
        "application/"
        "octet-stream;base64,AAAAAAAAAAAAAAAAAACAPwAAAAAAAAAAAAAAAAAAgD8AAAAA\"}],\"bufferViews\":["
        "{"
        "\"buffer\":0,\"byteLength\":36}],\"accessors\":[{\"bufferView\":0,\"componentType\":5126,"
        "\"count\":3,\"type\":\"VEC3\",\"min\":[0,0,0],\"max\":[1,1,0]}],\"meshes\":[{\"name\":"
        "\"box\","
        "\"primitives\":[{\"attributes\":{\"POSITION\":0}}]}]}";
    const char* folder = test_folder("format_md");
    char        path[1200];
    size_t      page_size, blob_size;
    UNUSED(state);
    test_write_text(folder, "src/levels/two.level.json", level);
    test_write_text(folder, "src/cube.gltf", model);
    TestRun run = test_command(folder, "entc build src -o out");
    assert_int_equal(run.code, 0);
    snprintf(path, sizeof path, "%s/out/levels/two.level", folder);
    u8*   blob = test_read(path, &blob_size);
    char* page = (char*)test_read("formats/FORMAT.md", &page_size);
    assert_non_null(blob);
    assert_int_equal(blob_size, 448);
    for (u32 row = 0; row < blob_size / 16; row++) {
        char  line[64];
        char* at = line + snprintf(line, sizeof line, "    %04x ", row * 16);
        for (u32 i = 0; i < 16; i++) {
            at += snprintf(at, 8, "%s%02x", i % 4 ? "" : " ", blob[row * 16 + i]);
        }
        if (!strstr(page, line)) fail_msg("FORMAT.md has no line \"%s\"", line);
    }
    free(blob);
    free(page);
    test_run_free(&run);
}

/* `name` is defined in the file of this text: at the start of a line, before its parameters. */
static bool is_defined(const char* text, const char* name, size_t bytes) {
    for (const char* at = text; (at = strstr(at, name)) != NULL; at += bytes) {
        const char* line = at;
        while (line > text && line[-1] != '\n' && line[-1] != '(') line--;
        const bool is_first = line == text || line[-1] == '\n';
        const bool is_name = at > line && (at[-1] == ' ' || at[-1] == '*') && at[bytes] == '(';
        if (is_first && is_name && *line != ' ' && *line != '/') return true;
    }
    return false;
}

/* A row of the table: its functions, in quotes, are defined in the file before them. */
static u32 row_check(const char* row, const char* end) {
    const char* quote = memchr(row, '`', (size_t)(end - row));
    char        path[256] = "";
    char*       text = NULL;
    u32         functions = 0;
    for (; quote && quote < end; quote = memchr(quote, '`', (size_t)(end - quote))) {
        const char*  name = quote + 1;
        const char*  close = strchr(name, '`');
        const size_t bytes = (size_t)(close - name), path_bytes = strlen(path);
        quote = close + 1;
        if (bytes > 2 && memcmp(close - 2, ".c", 2) == 0) {
            size_t size;
            free(text);
            snprintf(path, sizeof path, "%.*s", (int)bytes, name);
            text = (char*)test_read(path, &size);
            if (!text) fail_msg("ARCHITECTURE.md: there is no file %s", path);
        } else if (path_bytes) {
            char function[128];
            snprintf(function, sizeof function, "%.*s", (int)bytes, name);
            if (!is_defined(text, function, bytes))
                fail_msg("ARCHITECTURE.md: %s does not define %s", path, function);
            functions++;
        }
    }
    free(text);
    return functions;
}

static void architecture_md_names_files_and_functions_of_each_step(void** state) {
    size_t size;
    char*  page = (char*)test_read("ARCHITECTURE.md", &size);
    u32    steps = 0;
    UNUSED(state);
    assert_non_null(page);
    /* The test can fail: a function that another file defines. */
    assert_false(is_defined("static int other(void) { return name(1); }\n", "name", 4));
    assert_true(is_defined("int x;\nstatic int name(void) {\n", "name", 4));
    for (const char* row = page; (row = strstr(row, "\n| ")) != NULL; row++) {
        if (row[3] < '0' || row[3] > '9') continue;
        assert_int_equal(strtoul(row + 3, NULL, 10), ++steps);
        assert_true(row_check(row + 1, strchr(row + 1, '\n')) >= 1);
    }
    assert_true(steps >= 12);
    free(page);
}

/* The models compiled from our assets equal what an independent reader finds in them. */
static void compiled_models_of_assets_agree_with_the_oracle(void** state) {
    UNUSED(state);
    TestRun python = test_command(".", "python3 -c pass");
    if (python.code != 0) TEST_SKIP("python3 is not installed");
    TestRun run = test_command(".", "tests/sweeps/corpus.sh " TEST_BUILD " assets/models");
    if (run.code != 0) print_message("%s%s", run.out, run.err);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "11 passed, 0 failed"));
    TestRun again =
        test_command(".", "python3 tests/support/make_models.py " TEST_BUILD "/scratch/models && "
                          "diff -r -x '*.model.json' assets/models " TEST_BUILD "/scratch/models");
    if (again.code != 0) print_message("%s%s", again.out, again.err);
    assert_int_equal(again.code, 0);
    test_run_free(&python);
    test_run_free(&run);
    test_run_free(&again);
}

/* A reader that was written from FORMAT.md alone, and uses the bounds and layouts of RECORDS.md,
 * reads the same from every blob as entc does, in both byte orders, with and without names. */
static void reader_written_from_format_md_agrees_with_entc(void** state) {
    char* folder = strdup(test_folder("second_reader"));
    UNUSED(state);
    TestRun python = test_command(".", "python3 -c pass");
    if (python.code != 0) {
        free(folder);
        TEST_SKIP("python3 is not installed");
    }
    TestRun run = test_command(
        ".",
        "mkdir '%s/src' && cp -r assets/* '%s/src' && echo us >'%s/src/credits.txt' && "
        "echo {} >'%s/src/credits.txt.data.json' && "
        "entc build '%s/src' -o '%s/little' && entc build '%s/src' -o '%s/big' "
        "--target big --strip && python3 tests/oracles/format_reader.py --compare "
        "" TEST_BUILD "/entc '%s/little' '%s/big'",
        folder, folder, folder, folder, folder, folder, folder, folder, folder, folder);
    if (run.code != 0) print_message("%s%s", run.out, run.err);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, "154 blobs read, 0 different"));
    test_run_free(&python);
    test_run_free(&run);
    free(folder);
}

TEST_SUITE(docs) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_md_lists_every_record_of_the_code),
        cmocka_unit_test(format_md_example_equals_output_of_entc),
        cmocka_unit_test(architecture_md_names_files_and_functions_of_each_step),
        cmocka_unit_test(compiled_models_of_assets_agree_with_the_oracle),
        cmocka_unit_test(reader_written_from_format_md_agrees_with_entc)};
    return TEST_RUN("docs", tests);
}
