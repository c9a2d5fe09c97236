/* test_build.c - entc as users and build systems call it: exit codes, what is written and what
 * stays unchanged, byte order, depfiles, and equal bytes wherever and by whichever user it is
 * built. */
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "blob.h"
#include "file.h"
#include "memory.h"
#include "png_write.h"
#include "sections.h"
#include "test.h"
#include "test_user.h"

/* --- a small asset folder with every type of resource --- */

static const struct {
    const char *name, *text;
} tree[] = {
    {"levels/yard.level.json",
     "{ \"entities\": [\n"
     "    { \"name\": \"gate\", \"prefab\": \"props/gate\",\n"
     "      \"overrides\": { \"lamp\": { \"components\": { \"light\": { \"range_m\": 7 } } } } },\n"
     "    { \"name\": \"flag\", \"prefab\": \"models/banner\" },\n"
     "    { \"name\": \"eye\", \"components\": { \"camera\": { \"target\": \"gate/lamp\" } } } ] "
     "}\n"},
    {"props/gate.entity.json",
     "{ \"components\": { \"transform\": { \"position\": [1, 2, 3] },\n"
     "                  \"name\": { \"id\": \"the gate\" }, \"toughness\": { \"kind\": \"hard\" } "
     "},\n"
     "  \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" } ] }\n"},
    {"props/lamp.entity.json", "{ \"components\": { \"light\": [ { \"kind\": \"spot\" } ] } }\n"},
    {"rules/toughness.component.json",
     "{ \"fields\": { \"blows\": { \"type\": \"u32\", \"default\": 3 },\n"
     "               \"kind\": { \"type\": \"enum\", \"enum\": [\"soft\", \"hard\"] } } }\n"},
    {"mud.material.json", "{ \"base_color\": [0.2, 0.1, 0], \"roughness\": 0.9 }\n"},
    {"texts/credits.txt", "made by us\n"},
    {"texts/credits.txt.data.json", "{}\n"},
    {"all.package.json", "{ \"roots\": [\"levels/yard.level\", \"mud.material\"] }\n"},
};

static void model_copy(const char* folder, const char* path) {
    char   name[600];
    size_t bytes;
    u8*    text = test_read(path, &bytes);
    assert_non_null(text);
    snprintf(name, sizeof name, "src/models/%s", strrchr(path, '/') + 1);
    test_write(folder, name, text, bytes);
    free(text);
}

/* Writes the folder FOLDER/src, in this order or in reverse. */
static void tree_write(const char* folder, bool backwards) {
    glob_t models;
    char   name[200];
    assert_int_equal(glob("assets/models/*", 0, NULL, &models), 0);
    for (size_t i = 0; backwards && i < models.gl_pathc; i++) {
        model_copy(folder, models.gl_pathv[models.gl_pathc - 1 - i]);
    }
    for (u32 i = 0; i < COUNT_OF(tree); i++) {
        const u32 at = backwards ? (u32)COUNT_OF(tree) - 1 - i : i;
        snprintf(name, sizeof name, "src/%s", tree[at].name);
        test_write_text(folder, name, tree[at].text);
    }
    for (size_t i = 0; !backwards && i < models.gl_pathc; i++) {
        model_copy(folder, models.gl_pathv[i]);
    }
    globfree(&models);
}

/* A new folder that contains src/. The caller frees the path. */
static char* tree_new(const char* name) {
    char* folder = strdup(test_folder(name));
    tree_write(folder, false);
    return folder;
}

static void write_at(const char* folder, const char* name, size_t offset, const void* bytes,
                     size_t count) {
    char   path[1200];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    u8* complete = test_read(path, &size);
    assert_true(complete && offset + count <= size);
    memcpy(complete + offset, bytes, count);
    test_write(folder, name, complete, size);
    free(complete);
}

static bool command_exists(const char* folder, const char* command) {
    TestRun    run = test_command(folder, "command -v %s", command);
    const bool succeeds = run.code == 0;
    test_run_free(&run);
    return succeeds;
}

/* --- exit codes --- */

static void entc_with_each_kind_of_error_returns_its_exit_code(void** state) {
    char*     folder = tree_new("exit_codes");
    const u32 version = BLOB_VERSION + 1;
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out");
    EXPECT(folder, 0, "", "entc verify out/mud.material");
    EXPECT(folder, 1, "unknown command", "entc biuld src -o out");
    EXPECT(folder, 1, "~ resource: ", "entc diff out/props/gate.entity out/props/lamp.entity");
    EXPECT(folder, 2, "nosuch", "entc build nosuch -o out");
    EXPECT(folder, 2, "nosuch", "entc dump nosuch.level");
    EXPECT(folder, 2, "nosuch", "entc verify nosuch.level");
    EXPECT(folder, 2, "nosuch", "entc info nosuch");
    EXPECT(folder, 2, "nosuch", "entc diff nosuch out/mud.material");
    test_write_text(folder, "invalid/a.level.json", "{");
    EXPECT(folder, 3, "[E0101]", "entc build invalid -o new");
    EXPECT(folder, 3, "ENTB", "entc verify src/mud.material.json");
    write_at(folder, "out/mud.material", offsetof(BlobHeader, version), &version, 4);
    EXPECT(folder, 5, "version", "entc verify out/mud.material");
    EXPECT(folder, 5, "version", "entc dump out/mud.material");
    free(folder);
}

static void build_without_enough_memory_returns_exit_code_4(void** state) {
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer reserves more memory than ulimit permits");
    char* folder = strdup(test_folder("memory"));
    /* 1,222,222 entities need far more than 64 MiB; the text that declares them is small. */
    test_write_text(folder, "src/p0.entity.json", "{}");
    for (u32 i = 1; i <= 6; i++) {
        char name[100], text[1000] = "{ \"children\": [ {}";
        for (u32 k = 0; k < 10; k++) {
            sprintf(text + strlen(text), ", { \"name\": \"c%u\", \"prefab\": \"p%u\" }", k, i - 1);
        }
        strcat(text, " ] }");
        snprintf(name, sizeof name, "src/p%u.entity.json", i);
        test_write_text(folder, name, text);
    }
    EXPECT(folder, 4, "out of memory", "ulimit -v 65536; entc compile src p6.entity -o out/a");
    char* left = test_tree(folder);
    assert_null(strstr(left, "out"));
    EXPECT(folder, 0, "", "entc compile src p2.entity -o out/a");
    free(left);
    free(folder);
}

/* A model of `count` triangles that share their corners with their successors. */
static void write_ribbon(const char* folder, u32 count) {
    const u32 vertices = count * 3;
    char      text[1000];
    f32*      positions = calloc(vertices, 3 * sizeof *positions);
    for (u32 i = 0; i < vertices; i++) {
        const u32 corner = i / 3 + i % 3;
        positions[i * 3ull] = (f32)corner;
        positions[i * 3ull + 1] = (f32)(corner % 2);
    }
    snprintf(text, sizeof text,
             "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"b\", "
             "\"byteLength\": %u }"
             " ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": %u } ], \"accessors\": [ {"
             "\"bufferView\": 0, \"componentType\": 5126, \"count\": %u, \"type\": \"VEC3\","
             "\"min\": [0, 0, 0], \"max\": [%u, 1, 0] } ], \"meshes\": [ {"
             "\"primitives\": [ { \"attributes\": { \"POSITION\": 0 } } ] } ] }",
             vertices * 12, vertices * 12, vertices, count + 1);
    test_write_text(folder, "src/m.gltf", text);
    test_write(folder, "src/b", positions, vertices * 12ull);
    free(positions);
}

static int build_within(const char* folder, u32 kib) {
    TestRun   run = test_command(folder, "ulimit -v %u; entc build src -o out --force -j1", kib);
    const int code = run.code;
    /* E0108: a source cannot be read for this reason; the last one: a folder. */
    if (code == 4 && !strstr(run.err, "entc: error: out of memory") && !strstr(run.err, "E0108") &&
        !strstr(run.err, "\": Cannot allocate memory\n"))
        fail_msg("%s", run.err);
    test_run_free(&run);
    return code;
}

/* Memory is exhausted at any point while triangles are ordered, in our code or in meshoptimizer. */
static void mesh_build_with_any_memory_limit_succeeds_or_returns_4(void** state) {
    enum { ENOUGH_KIB = 1u << 17, STEP_KIB = 128, STEPS = 32 };
    u32 low = 1024, high = ENOUGH_KIB, full = 0;
    UNUSED(state);
    if (SANITIZED) TEST_SKIP("a sanitizer reserves more memory than ulimit permits");
    char* folder = strdup(test_folder("mesh_memory"));
    write_ribbon(folder, 30000);
    assert_int_equal(build_within(folder, high), 0);
    while (high - low > STEP_KIB) {
        const u32 middle = low + (high - low) / 2;
        *(build_within(folder, middle) ? &low : &high) = middle;
    }
    EXPECT(folder, 0, "", "rm -rf out .out.entc");
    for (u32 i = 2; i <= STEPS;
         i++) { /* addresses are random: what suffices varies by some pages */
        const int code = build_within(folder, high - i * STEP_KIB);
        if (code != 0 && code != 4) fail_msg("%u KiB: exit code %d", high - i * STEP_KIB, code);
        full += code == 4;
    }
    assert_true(full > STEPS / 2);
    char* left = test_tree(folder);
    assert_null(strstr(left, "out"));
    free(left);
    free(folder);
}

/* It is loaded when a mesh is compiled, and its content decides what is up to date, whether it is loaded or not. */
static void library_for_meshes_is_loaded_when_a_mesh_needs_it(void** state) {
    char* folder = strdup(test_folder("mesh_library"));
    UNUSED(state);
    write_ribbon(folder, 20);
    test_write_text(folder, "plain/mud.material.json", "{}\n");
    TestRun run =
        test_command(folder, "LD_DEBUG=files entc build src -o out 2>&1 | "
                             "sed -n 's/.*calling init: \\(.*libmeshoptimizer.*\\)/\\1/p'");
    const bool is_dynamic = run.out[0] == '/';
    if (is_dynamic) run.out[strcspn(run.out, "\n")] = 0;
    char* path = strdup(run.out);
    test_run_free(&run);
    if (!is_dynamic) {
        free(folder);
        free(path);
        TEST_SKIP("meshoptimizer is a part of the program here");
    }
    TEST_DONE(folder,
              "! LD_DEBUG=files entc build plain -o plain_out 2>&1 | grep libmeshoptimizer");
    TEST_DONE(folder,
              "! LD_DEBUG=files entc build src -o out 2>&1 | grep 'init: .*libmeshoptimizer'");
    TEST_DONE(folder,
              "mkdir lib && cp '%s' lib && export LD_LIBRARY_PATH=$PWD/lib && "
              "entc build src -o out -v 2>&1 | grep ' 0 compiled' && "
              "at=$(grep -abo GNU lib/* | head -n 1 | cut -d: -f1) && "
              "printf x | dd of=$(echo lib/*) bs=1 seek=$((at + 4)) conv=notrunc 2>/dev/null && "
              "entc why src -o out | grep 'libmeshoptimizer.* has changed: ' && "
              "entc build plain -o plain_out -v 2>&1 | grep ' 1 compiled'",
              path);
    EXPECT(folder, 2, "which meshes need, cannot be loaded: ",
           "echo no library >$(echo lib/*) && LD_LIBRARY_PATH=$PWD/lib entc build src -o other");
    free(path);
    free(folder);
}

static void entc_with_wrong_arguments_prints_usage_or_hint(void** state) {
    static const struct {
        const char *command, *text;
    } rows[] = {
        {"entc", "exit codes:"},
        {"entc biuld src -o out", "did you mean \"build\"?"},
        {"entc frobnicate", "unknown command \"frobnicate\""},
        {"entc build src", "-o is required: the path to write to"},
        {"entc build", "usage: entc build SRC -o OUT"},
        {"entc build src src -o out", "usage: entc build"},
        {"entc build src -o", "-o needs a value"},
        {"entc build src -o out --traget big", "did you mean \"--target\"?"},
        {"entc build src -o out --target middle", "little|big"},
        {"entc build src -o out --target", "--target needs a value"},
        {"entc build src -o out --strip=yes", "--strip takes no value"},
        {"entc build src -o out --diag-format=xml", "text|json|sarif|github"},
        {"entc build src -o out --color=maybe", "auto|always|never"},
        {"entc build src -o out --annotate", "unknown option \"--annotate\" for this command"},
        {"entc build src -o out -MD", "unknown option \"-MD\" for this command"},
        {"entc build src -o out -x", "unknown option \"-x\""},
        {"entc compile src -o out", "usage: entc compile SRC NAME.TYPE... -o PATH"},
        {"entc compile src mud.material", "-o is required: the path to write to"},
        {"entc compile src mud -o out/x", "does not have the form NAME.TYPE"},
        {"entc compile src mud.mud -o out/x", "does not have the form NAME.TYPE"},
        {"entc dump", "usage: entc dump BLOB"},
        {"entc dump a b", "usage: entc dump BLOB"},
        {"entc diff a", "usage: entc diff A B"},
        {"entc verify", "usage: entc verify BLOB..."},
        {"entc info", "usage: entc info PATH"},
    };
    char* folder = tree_new("usage");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        EXPECT(folder, 1, rows[i].text, "%s", rows[i].command);
    }
    EXPECT(folder, 0, "entc build SRC -o OUT", "entc --help");
    EXPECT(folder, 0, "entc dump BLOB", "entc help dump");
    EXPECT(folder, 0, "blob format", "entc --version");
    char* left = test_tree(folder);
    assert_null(strstr(left, "./out"));
    free(left);
    free(folder);
}

/* --- writing --- */

/* Below out/ is only what was there before, and nowhere is anything that resembles a temporary
 * file. */
static void check_left(const char* folder, const char* before) {
    char* after = test_tree(folder);
    assert_string_equal(after, before);
    assert_null(strstr(after, ".tmp"));
    free(after);
}

static void build_into_unwritable_path_returns_2_and_writes_nothing(void** state) {
    char* folder = tree_new("unwritable");
    UNUSED(state);
    test_write_text(folder, "file", "not a folder\n");
    test_write_text(folder, "stands/mud.material/in/the/way", "\n");
    char* before = test_tree(folder);
    EXPECT(folder, 2, "file/", "entc build src -o file");
    EXPECT(folder, 2, "file/x", "entc compile src mud.material -o file/x");
    EXPECT(folder, 2, "stands/mud.material",
           "entc compile src mud.material -o stands/mud.material");
    check_left(folder, before);
    EXPECT(folder, 0, "", "entc compile src models/banner.entity -o old/banner");
    EXPECT(folder, 0, "", "cp old/banner old/copy");
    free(before);
    before = test_tree(folder);
    /* No space: a blob that is longer than the permitted size. The old one stays complete. */
    EXPECT(folder, 0, "",
           "sed -i 's/\"name\":/\"name\" :/' src/models/banner.gltf && "
           "sed -i 's/0.2, 0.1, 0/0.3, 0.1, 0/' src/mud.material.json");
    EXPECT(
        folder, 2, "cannot write \"old/banner\"",
        "(trap '' XFSZ; ulimit -f 0; entc compile src levels/yard.level -o old/banner) 2>&1 | cat;"
        "(trap '' XFSZ; ulimit -f 0; entc compile src levels/yard.level -o old/banner) "
        "2>/dev/null");
    EXPECT(folder, 0, "", "cmp old/banner old/copy");
    check_left(folder, before);
    EXPECT(folder, 2, "standard output", "entc dump old/banner 2>&1 >/dev/full");
    free(before);
    free(folder);
}

static void build_into_folder_without_permission_changes_nothing(void** state) {
    char*       folder = tree_new("permission");
    const char* reason = NULL;
    const char* user = geteuid() == 0 ? test_other_user(folder, &reason) : "";
    UNUSED(state);
    if (!user) {
        free(folder);
        TEST_SKIP(reason);
    }
    EXPECT(folder, 0, "", "entc build src -o out && chmod -R a+rX . && chmod -R a-w out");
    EXPECT(folder, 0, "", "sed -i 's/0.9/0.8/' src/mud.material.json && cp -r out copy");
    char* before = test_tree(folder);
    EXPECT(folder, 2, "Permission denied", "%s entc build src -o out", user);
    EXPECT(folder, 0, "", "diff -r out copy");
    check_left(folder, before);
    EXPECT(folder, 0, "", "chmod 000 src/mud.material.json");
    EXPECT(folder, 2, "Permission denied", "%s entc build src -o out", user);
    EXPECT(folder, 0, "", "chmod -R u+rwX .");
    free(before);
    free(folder);
}

static void build_with_check_or_dry_run_writes_nothing(void** state) {
    char* folder = tree_new("check");
    UNUSED(state);
    char* before = test_tree(folder);
    EXPECT(folder, 3, "would write out/mud.material", "entc build src -o out --check");
    EXPECT(folder, 0, "would write out/levels/yard.level", "entc build src -o out --dry-run");
    EXPECT(folder, 3, "would write x", "entc compile src mud.material -o x --check -MD");
    check_left(folder, before);
    free(before);
    EXPECT(folder, 0, "wrote out/mud.material", "entc build src -o out -v");
    before = test_tree(folder);
    EXPECT(folder, 0, "", "entc build src -o out --check");
    TestRun run = test_command(folder, "entc build src -o out --dry-run");
    assert_int_equal(run.out_bytes + run.err_bytes, 0);
    test_run_free(&run);
    EXPECT(folder, 0, "", "sed -i 's/0.9/0.8/' src/mud.material.json && cp -r out copy");
    run = test_command(folder, "entc build src -o out --check");
    assert_int_equal(run.code, 3);
    assert_true(strncmp(run.out, "would write out/mud.material (", 30) == 0);
    assert_ptr_equal(strchr(run.out, '\n'), run.out + run.out_bytes - 1); /* one line */
    test_run_free(&run);
    EXPECT(folder, 0, "", "diff -r out copy");
    free(before);
    free(folder);
}

static void build_run_twice_writes_only_changed_outputs(void** state) {
    char* folder = tree_new("second");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o out && find out -type f -exec touch -d 2001-02-03 {} +");
    EXPECT(folder, 0, "0 written", "entc build src -o out -v");
    EXPECT(folder, 0, "", "test -z \"$(find out -type f -newermt 2001-02-04)\"");
    EXPECT(folder, 0, "1 written",
           "sed -i 's/0.9/0.8/' src/mud.material.json; entc build src -o out -v");
    EXPECT(folder, 0, "out/mud.material", "find out -type f -newermt 2001-02-04");
    EXPECT(folder, 0, "",
           "test \"$(find out -type f -newermt 2001-02-04 | sort | tr '\\n' ' ')\" = "
           "'out/.entc.index out/mud.material '");
    free(folder);
}

/* After one error anywhere no file is written, not even a valid one. */
static void build_with_one_error_writes_no_output(void** state) {
    char* folder = tree_new("nothing");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "entc build src -o out && cp -r out copy && sed -i 's/0.9/0.8/' src/mud.material.json");
    test_write_text(folder, "src/z.level.json", "{ \"entities\": [ { \"prefab\": \"nosuch\" } ] }");
    EXPECT(folder, 3, "E0302", "entc build src -o out");
    EXPECT(folder, 0, "", "diff -r out copy");
    free(folder);
}

/* --- byte order --- */

static void big_endian_blobs_swapped_equal_little_endian_blobs(void** state) {
    static const u8 pixels[4 * 4 * 4] = {200, 100, 50, 255, 10, 20, 30, 255};
    char*           folder = tree_new("order");
    u32             seen = 0;
    u8*             png;
    u64             png_bytes;
    glob_t          found;
    char            pattern[1200], path[1200];
    UNUSED(state);
    assert_null(png_encode(pixels, 4, 4, 4, &png, &png_bytes));
    test_write(folder, "src/wood.png", png, png_bytes);
    memory_free(png);
    EXPECT(folder, 0, "",
           "entc build src -o little && entc build src -o big --target big && "
           "entc build src -o strip --strip && entc build src -o strip.big --strip --target=big");
    for (u32 round = 0; round < 4; round++) {
        static const char* const depths[] = {"little/*.*", "little/*/*.*", "little/*/*/*.*",
                                             "strip/*/*.*"};
        snprintf(pattern, sizeof pattern, "%s/%s", folder, depths[round]);
        assert_int_equal(glob(pattern, 0, NULL, &found), 0);
        for (size_t i = 0; i < found.gl_pathc; i++) {
            const char* name = found.gl_pathv[i] + strlen(folder) + 1;
            const bool  strip = strncmp(name, "strip", 5) == 0;
            size_t      bytes, other_bytes;
            Blob        blob;
            u8*         little = test_read(found.gl_pathv[i], &bytes);
            snprintf(path, sizeof path, "%s/%s/%s", folder, strip ? "strip.big" : "big",
                     strchr(name, '/') + 1);
            u8* big = test_read(path, &other_bytes);
            assert_true(little && big && bytes == other_bytes);
            assert_int_equal(ent_blob_open(&blob, little, bytes, NULL, NULL), ENT_OK);
            seen |= 1u << blob.header->resource_type;
            BlobFault fault;
            assert_int_equal(ent_blob_open(&blob, big, bytes, NULL, &fault), ENT_OTHER_BYTE_ORDER);
            u8* copy = aligned_alloc(16, (size_t)align_up(bytes, 16));
            memcpy(copy, little, bytes);
            blob_swap(copy, bytes, true);
            assert_memory_equal(copy, big, bytes);
            blob_swap(copy, bytes, false);
            assert_memory_equal(copy, little, bytes);
            free(copy);
            free(little);
            free(big);
        }
        globfree(&found);
    }
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        if (!(seen >> type & 1)) fail_msg("no %s was compared", ent_resource_suffix(type));
    }
    free(folder);
}

static void blobs_built_with_strip_contain_no_names(void** state) {
    char* folder = tree_new("strip");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out && entc build src -o strip --strip");
    EXPECT(folder, 0, "",
           "grep -q 'gate' out/levels/yard.level && ! grep -q 'gate' strip/levels/yard.level");
    EXPECT(folder, 0, "", "find strip -type f | xargs entc verify -q");
    EXPECT(folder, 0, "",
           "entc dump strip/levels/yard.level | grep range_m > a; "
           "entc dump out/levels/yard.level | grep range_m > b; cmp a b && test -s a");
    EXPECT(folder, 0, "", "test $(cat strip/levels/* | wc -c) -lt $(cat out/levels/* | wc -c)");
    free(folder);
}

/* --- depfiles --- */

static void depfile_of_compile_lists_output_and_inputs(void** state) {
    char* folder = tree_new("depfile");
    UNUSED(state);
    EXPECT(folder, 0, "",
           "cp -r src 's r#c$' && entc compile src props/gate.entity -o out/gate -MD");
    EXPECT(folder, 0,
           "out/gate: \\\n src/props/gate.entity.json \\\n src/props/lamp.entity.json \\\n"
           " src/rules/toughness.component.json\n\n"
           "src/props/gate.entity.json:\nsrc/props/lamp.entity.json:\n"
           "src/rules/toughness.component.json:\n",
           "cat out/gate.d");
    EXPECT(folder, 0, "out/mud: \\\n src/mud.material.json \\\n src/rules/toughness",
           "entc compile src mud.material -o out/mud -MD -MF mud.d && cat mud.d && ! test -e "
           "out/mud.d");
    EXPECT(folder, 0, "out/m\\ d: \\\n s\\ r\\#c$$/mud.material.json \\\n",
           "entc compile 's r#c$' mud.material -o 'out/m d' -MF d && cat d");
    EXPECT(folder, 3, "E0101",
           "rm out/gate.d; echo '{' > src/props/lamp.entity.json; entc compile src "
           "props/gate.entity -o out/gate -MD");
    EXPECT(folder, 0, "", "! test -e out/gate.d");
    free(folder);
}

static void make_with_depfiles_rebuilds_outputs_of_changed_inputs(void** state) {
    char* folder = tree_new("make");
    UNUSED(state);
    if (!command_exists(folder, "make")) {
        free(folder);
        TEST_SKIP("make is not installed");
    }
    test_write_text(folder, "Makefile",
                    "all: out/yard.level out/mud.material out/box.entity\n"
                    "out/yard.level:; entc compile src levels/yard.level -o $@ -MD && echo level\n"
                    "out/mud.material:; entc compile src mud.material -o $@ -MD && echo material\n"
                    "out/box.entity:; entc compile src models/box.entity -o $@ -MD && echo box\n"
                    "-include out/*.d\n");
    test_write_text(
        folder, "src/models/box.gltf",
        "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"../box.bin\","
        " \"byteLength\": 4 } ], \"nodes\": [ { \"name\": \"box\" } ] }\n");
    test_write(folder, "src/box.bin", "0123", 4);
    EXPECT(folder, 0, "level\nmaterial\nbox\n", "make -s");
    EXPECT(folder, 0, "",
           "find . -type f -exec touch -d 2001-02-03 {} + && test -z \"$(make -s)\"");
    static const struct {
        const char *file, *output;
    } rows[] = {{"src/levels/yard.level.json", "level"}, {"src/props/lamp.entity.json", "level"},
                {"src/props/gate.entity.json", "level"}, {"src/models/banner.gltf", "level"},
                {"src/mud.material.json", "material"},   {"src/box.bin", "box"},
                {"src/models/box.gltf", "box"}};
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        EXPECT(folder, 0, "",
               "find . -type f -exec touch -d 2001-02-03 {} + && touch %s && "
               "rm -f made && make -s > made; test \"$(cat made)\" = %s",
               rows[i].file, rows[i].output);
    }
    /* A missing input is no error of make, but one of entc if it is still needed. */
    EXPECT(folder, 0, "",
           "find . -type f -exec touch -d 2001-02-03 {} + && rm src/props/lamp.entity.json && "
           "echo '{}' > src/props/gate.entity.json && "
           "sed -i '/overrides/d; s/\"props.gate\",/\"props\\/gate\" },/; s/, *\"camera.*/ ] }/' "
           "src/levels/yard.level.json; "
           "echo '{ \"entities\": [] }' > src/levels/yard.level.json; test \"$(make -s)\" = level");
    free(folder);
}

/* --- dump, diff, verify --- */

static void diff_and_dump_of_equal_builds_report_equality(void** state) {
    char* folder = tree_new("diff");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o a && entc build src -o b");
    EXPECT(folder, 0, "", "entc diff a b");
    EXPECT(folder, 0, "", "entc diff a/levels/yard.level b/levels/yard.level");
    EXPECT(folder, 0, "",
           "entc dump a/levels/yard.level > 1; entc dump b/levels/yard.level > 2; cmp 1 2 && test "
           "-s 1");
    EXPECT(folder, 0, "",
           "sed -i 's/\"range_m\": 7/\"range_m\": 8/' src/levels/yard.level.json; entc build src "
           "-o b");
    EXPECT(folder, 1, "range_m", "entc diff a b");
    EXPECT(folder, 1, "gate/lamp", "entc diff a/levels/yard.level b/levels/yard.level");
    EXPECT(folder, 1, "blobs ", "entc diff a b --stat");
    EXPECT(folder, 1, "only in A: mud.material\n", "rm b/mud.material; entc diff a b");
    EXPECT(folder, 2, "b/mud.material: error: header.magic",
           "echo hello > b/mud.material; entc diff a/mud.material b/mud.material");
    EXPECT(folder, 2, "nosuch", "entc diff a nosuch");
    free(folder);
}

static void verify_of_blob_with_changed_byte_reports_damage(void** state) {
    char* folder = tree_new("verify");
    char  path[1200];
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out && find out -type f | xargs entc verify");
    snprintf(path, sizeof path, "%s/out/levels/yard.level", folder);
    size_t    bytes;
    u8*       complete = test_read(path, &bytes);
    const u32 steps[] = {0, 5, 9, 33, 64, 100, (u32)bytes / 2, (u32)bytes - 1};
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        const u8 flipped = (u8)(complete[steps[i]] ^ 0x10);
        test_write(folder, "damaged", complete, bytes);
        write_at(folder, "damaged", steps[i], &flipped, 1);
        TestRun run = test_command(folder, "entc verify damaged out/mud.material");
        if (run.code != (steps[i] == 9 ? 5 : 3)) fail_msg("byte %u: %d", steps[i], run.code);
        assert_non_null(strstr(run.err, "damaged"));
        test_run_free(&run);
    }
    test_write(folder, "damaged", complete, bytes - 16);
    EXPECT(folder, 3, "damaged", "entc verify damaged");
    test_write(folder, "damaged", complete, 0);
    EXPECT(folder, 3, "damaged", "entc dump damaged");
    EXPECT(folder, 0, "other byte order",
           "entc compile src mud.material -o big --target big; entc verify big");
    free(complete);
    free(folder);
}

/* --- determinism --- */

static void build_in_any_folder_locale_or_time_zone_writes_equal_bytes(void** state) {
    static const char* const ways[] = {
        "LC_ALL=tr_TR.UTF-8 LANG=tr_TR.UTF-8 entc build src -o ../build.other/out1",
        "LC_ALL=de_DE.UTF-8 TZ=Pacific/Kiritimati entc build src -o ../build.other/out2",
        "umask 077; TZ=UTC+12 entc build src -o ../build.other/out3",
        "cd src && entc build . -o ../../build.other/out4",
        "entc build $PWD/src/ -o ../build.other/out5",
        "cd / && entc build $OLDPWD/src -o $OLDPWD/../build.other/out6",
        "env -i PATH=\"$PATH\" entc build ./src -o ../build.other/out7",
        "touch -d 1999-01-01 src/*/* && entc build src/../src -o ../build.other/out8",
    };
    char *here = tree_new("here"), *other = strdup(test_folder("other"));
    UNUSED(state);
    tree_write(other, true);
    EXPECT(here, 0, "", "entc build src -o out");
    EXPECT(other, 0, "", "entc build src -o out && diff -r out ../build.here/out");
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        EXPECT(here, 0, "", "%s", ways[i]);
        EXPECT(other, 0, "", "diff -r out%u ../build.here/out", i + 1);
    }
    /* Compiling each resource alone gives the same bytes as one build. */
    EXPECT(here, 0, "",
           "cd out && find . -type f ! -name .entc.index | sed 's,^./,,' | while read name; do "
           "entc compile ../src $name -o ../../build.other/one/$name || exit 1; done && "
           "entc index ../../build.other/one");
    EXPECT(other, 0, "", "diff -r one ../build.here/out");
    free(here);
    free(other);
}

static void build_by_other_user_writes_equal_bytes(void** state) {
    char* folder = tree_new("user");
    UNUSED(state);
    const char* reason = NULL;
    const char* user = test_other_user(folder, &reason);
    if (!user) {
        free(folder);
        TEST_SKIP(reason);
    }
    EXPECT(folder, 0, "", "entc build src -o out && chmod -R a+rX . && mkdir -m 777 theirs");
    EXPECT(folder, 0, "", "%s entc build src -o theirs/out && diff -r out theirs/out", user);
    free(folder);
}

/* --- forms of diagnostics --- */

static void diagnostics_as_json_and_sarif_parse_and_contain_all_errors(void** state) {
    static const char json[] =
        "import json,sys\n"
        "rows = [json.loads(l) for l in sys.stdin.buffer.read().decode().splitlines()]\n"
        "assert [r['code'] for r in rows] == ['E0207', 'E0305', 'E0301', 'E0101'], rows\n"
        "assert rows[1]['notes'][0]['line'] == 2 and rows[1]['line'] == 3\n"
        "assert all(r['severity'] == 'error' and r['file'] and r['message'] for r in rows)\n";
    static const char sarif[] =
        "import json,sys\n"
        "from urllib.parse import unquote\n"
        "run = json.loads(sys.stdin.buffer.read().decode())['runs'][0]\n"
        "rules = {r['id'] for r in run['tool']['driver']['rules']}\n"
        "assert len(rules) > 20\n"
        "r = run['results']\n"
        "assert len(r) == 4 and all(x['ruleId'] in rules for x in r)\n"
        "place = r[1]['locations'][0]['physicalLocation']\n"
        "assert place['artifactLocation']['uri'] == 'src/aa.level.json'\n"
        "assert place['region']['startLine'] == 3 and place['region']['startColumn'] == 26, place\n"
        "assert unquote(r[2]['locations'][0]['physicalLocation']['artifactLocation']['uri'], "
        "errors='strict')\n"
        "assert r[1]['relatedLocations'][0]['message']['text']\n";
    char* folder = strdup(test_folder("forms"));
    UNUSED(state);
    if (!command_exists(folder, "python3")) {
        free(folder);
        TEST_SKIP("python3 is not installed");
    }
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [ { \"components\": { \"ligth\": {} } } ] }");
    test_write_text(folder, "src/aa.level.json",
                    "{ \"entities\": [\n    { \"name\": \"t\xc3\xbcr\" },\n"
                    "    { \"$comment\": \"\xc3\xbc\" }, { \"name\": \"t\\u00fcr\" } ] }");
    test_write_text(folder, "src/b \"%\x1b.level.json", "{}");
    test_write_text(folder, "src/c.level.json", "{ \"entities\": [ \xf0\x9f\x98\x80 ] }");
    test_write_text(folder, "read_json.py", json);
    test_write_text(folder, "read_sarif.py", sarif);
    EXPECT(
        folder, 3, "E0207",
        "entc build src -o out --diag-format json 2> json.txt; code=$?; cat json.txt; exit $code");
    EXPECT(folder, 3, "E0207",
           "entc build src -o out --diag-format sarif 2> sarif.txt; code=$?; cat sarif.txt; exit "
           "$code");
    EXPECT(folder, 0, "", "python3 read_json.py < json.txt");
    EXPECT(folder, 0, "", "python3 read_sarif.py < sarif.txt");
    EXPECT(folder, 3,
           "::error file=src/a.level.json,line=1,col=35,title=E0207::unknown component type",
           "entc build src -o out --diag-format github");
    EXPECT(folder, 3, "::error file=src/b \"%25?.level.json,",
           "entc build src -o out --diag-format github");
    free(folder);
}

TEST_SUITE(build) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(entc_with_each_kind_of_error_returns_its_exit_code),
        cmocka_unit_test(build_without_enough_memory_returns_exit_code_4),
        cmocka_unit_test(mesh_build_with_any_memory_limit_succeeds_or_returns_4),
        cmocka_unit_test(library_for_meshes_is_loaded_when_a_mesh_needs_it),
        cmocka_unit_test(entc_with_wrong_arguments_prints_usage_or_hint),
        cmocka_unit_test(build_into_unwritable_path_returns_2_and_writes_nothing),
        cmocka_unit_test(build_into_folder_without_permission_changes_nothing),
        cmocka_unit_test(build_with_check_or_dry_run_writes_nothing),
        cmocka_unit_test(build_run_twice_writes_only_changed_outputs),
        cmocka_unit_test(build_with_one_error_writes_no_output),
        cmocka_unit_test(big_endian_blobs_swapped_equal_little_endian_blobs),
        cmocka_unit_test(blobs_built_with_strip_contain_no_names),
        cmocka_unit_test(depfile_of_compile_lists_output_and_inputs),
        cmocka_unit_test(make_with_depfiles_rebuilds_outputs_of_changed_inputs),
        cmocka_unit_test(diff_and_dump_of_equal_builds_report_equality),
        cmocka_unit_test(verify_of_blob_with_changed_byte_reports_damage),
        cmocka_unit_test(build_in_any_folder_locale_or_time_zone_writes_equal_bytes),
        cmocka_unit_test(build_by_other_user_writes_equal_bytes),
        cmocka_unit_test(diagnostics_as_json_and_sarif_parse_and_contain_all_errors),
    };
    return TEST_RUN("build", tests);
}
