/* test_gltf_page.c - compiler/gltf/GLTF.md states for each extension what entc does with it. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* Compiles a model that requires the extension, or only uses it. Returns the exit code. */
static int model_code(const char* folder, const char* extension, bool required) {
    char text[512];
    snprintf(text, sizeof text,
             "{ \"asset\": { \"version\": \"2.0\" }, \"extensionsUsed\": [\"%s\"],%s%s%s\n"
             "  \"nodes\": [{ \"name\": \"a\" }] }\n",
             extension, required ? " \"extensionsRequired\": [\"" : "", required ? extension : "",
             required ? "\"]," : "");
    test_write_text(folder, "src/m.gltf", text);
    TestRun   run = test_command(folder, "entc build src -o out");
    const int code = run.code;
    test_run_free(&run);
    return code;
}

static void extensions_are_refused_as_their_page_states(void** state) {
    const char* folder = test_folder("gltf_page");
    size_t      size;
    char*       page = (char*)test_read("compiler/gltf/GLTF.md", &size);
    u32         rows = 0;
    UNUSED(state);
    for (char* line = strtok(page, "\n"); line; line = strtok(NULL, "\n")) {
        char name[64];
        if (sscanf(line, "| %63[A-Za-z_]", name) != 1) continue;
        if (strncmp(name, "KHR_", 4) != 0 && strncmp(name, "EXT_", 4) != 0) continue;
        if (name[4] >= 'A' && name[4] <= 'Z') continue; /* the code of a rule */
        /* KHR_mesh_quantization must be required where it is used. */
        const bool always = strcmp(name, "KHR_mesh_quantization") == 0;
        const int  wanted = strstr(line, "refused when required") ? 3 : 0;
        rows++;
        if (model_code(folder, name, true) != wanted) fail_msg("%s, required", name);
        if (!always && model_code(folder, name, false) != 0) fail_msg("%s, not required", name);
    }
    assert_true(rows > 20);
    assert_int_equal(model_code(folder, "ACME_other", true), 3);
    free(page);
}

/* Every extension that the source names has a row, and those that are compiled say so. */
static void page_has_a_row_for_each_extension_of_the_reader(void** state) {
    UNUSED(state);
    TEST_DONE(".", "names=$(grep -hoE '\"(KHR|EXT)_[A-Za-z_]+\"' compiler/gltf/*.c | tr -d '\"' | "
                   "sort -u); test $(echo \"$names\" | wc -l) -gt 15 && for name in $names; do "
                   "grep -q \"^| $name \" compiler/gltf/GLTF.md || { echo $name; exit 1; }; done");
    TEST_DONE(".", "compiled=$(grep -E '^ *\\{\"(KHR|EXT)_.*true\\}' compiler/gltf/gltf_schema.c | "
                   "grep -oE '(KHR|EXT)_[A-Za-z_]+' | sort -u); test -n \"$compiled\" && "
                   "for name in $compiled; do grep -q \"^| $name | compiled\" "
                   "compiler/gltf/GLTF.md || { echo $name; exit 1; }; done");
}

TEST_SUITE(gltf_page) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(extensions_are_refused_as_their_page_states),
        cmocka_unit_test(page_has_a_row_for_each_extension_of_the_reader),
    };
    return TEST_RUN("gltf_page", tests);
}
