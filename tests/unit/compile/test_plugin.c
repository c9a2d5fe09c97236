/* test_plugin.c - plugins from the shared library to the rows of a world. plugin_wind.c is a
 * plugin for entc and for worlds, plugin_sail.c for entc only, plugin_invalid.c contains one error at
 * a time. They include the public headers only.
 *
 * Invariants: another version is refused; every error of a plugin is reported with its name
 * and an exit code; the content of a plugin is an input of every result; the same library defines
 * its rows in a world. */
#include <stdio.h>
#include <stdlib.h>

#include "ent.h"
#include "hash.h"
#include "shared_library.h"
#include "test.h"
#include "test_worlds_support.h"
#include "world_internal.h"

static const char coast[] =
    "{ \"entities\": [\n"
    "  { \"name\": \"hut\", \"components\": { \"transform\": {}, \"light\": {} } },\n"
    "  { \"name\": \"bay\", \"components\": { \"wind\": { \"from\": \"south\", \"kind\": "
    "\"gusty\",\n"
    "      \"shelter\": \"hut\" } } },\n"
    "  { \"name\": \"cape\", \"prefab\": \"breeze\", \"components\": { \"wind\": { \"from\": 90 } "
    "} },\n"
    "  { \"name\": \"boat\", \"components\": { \"keel\": {}, \"sail\": [\n"
    "      { \"cloths\": [ [2, 3], [1, 1.5] ], \"rig\": \"hut:main\", \"colour\": \"red\" },\n"
    "      { \"area_m2\": 4, \"set\": false, \"stuff\": \"sails/red\", \"reefs\": 2 } ] } } ] }\n";

#define BOTH "--plugin wind.so --plugin ./sail.so"

/* A folder with sources in src/ and the plugins beside it. The caller frees the path. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/levels/coast.level.json", coast);
    test_write_text(folder, "src/breeze.entity.json",
                    "{ \"components\": { \"wind\": { \"$comment\": \"a\", \"speed_m_s\": 2 } } }");
    test_write_text(folder, "src/sails/red.material.json", "{}");
    TEST_DONE(folder,
              "bin=$(dirname $(command -v entc)); cp $bin/libent.so ent.so; "
              "for p in wind sail invalid; do cp $bin/tests/plugins/plugin_$p.so $p.so; done; "
              "cp $bin/tests/plugins/plugin_wind_duplicate.so twice.so");
    return folder;
}

/* --- what a plugin defines --- */

static const char dumped[] =
    "entity 0 hut\n"
    "  transform\n    position: 0 0 0\n    rotation: 0 0 0 1\n    scale: 1 1 1\n"
    "  light[0]\n";

static const char dumped_wind[] = "entity 1 bay\n"
                                  "  wind\n"
                                  "    direction: 0 0 -1\n"
                                  "    speed_m_s: 5\n"
                                  "    kind: gusty\n"
                                  "    shelter: hut (0)\n"
                                  "\n"
                                  "entity 2 cape\n"
                                  "  wind\n"
                                  "    direction: -1 0 6.123234e-17\n"
                                  "    speed_m_s: 2\n"
                                  "    kind: steady\n"
                                  "    shelter: none\n"
                                  "\n"
                                  "entity 3 boat\n"
                                  "  keel\n"
                                  "    draught_m: 2\n"
                                  "  sail[0]\n"
                                  "    area_m2: 7.5\n"
                                  "    reefs: 1\n"
                                  "    furled: false\n"
                                  "    cloth: sails/red.material\n"
                                  "    mast: hut (0)\n"
                                  "    yard: 0x";

static const char dumped_sail[] = "  sail[1]\n"
                                  "    area_m2: 4\n"
                                  "    reefs: 3\n"
                                  "    furled: true\n"
                                  "    cloth: sails/red.material\n"
                                  "    mast: none\n"
                                  "    yard: 0x00000000\n";

static void plugins_of_both_interface_versions_in_one_build_compile(void** state) {
    char* folder = project("plugin");
    char  yard[24];
    UNUSED(state);
    EXPECT(folder, 0, "3 compiled", "entc build src -o out -v " BOTH);
    TestRun run = test_command(folder, "entc dump out/levels/coast.level " BOTH);
    assert_int_equal(run.code, 0);
    assert_non_null(strstr(run.out, dumped));
    assert_non_null(strstr(run.out, dumped_wind));
    assert_non_null(strstr(run.out, dumped_sail));
    snprintf(yard, sizeof yard, "yard: 0x%08x\n", hash_name(text_of("main")));
    assert_non_null(strstr(run.out, yard));
    /* In spawn order: 50, 100, 450, 500, 2500. */
    const char* at = run.out;
    const char* order[] = {"component keel", "component transform", "component wind",
                           "component light", "component sail"};
    for (u32 i = 0; i < COUNT_OF(order); i++) {
        at = strstr(at, order[i]);
        assert_non_null(at);
    }
    test_run_free(&run);
    test_write_text(folder, "src/thing.entity.json",
                    "{ \"components\": { \"thing\": { \"size\": 3 } } }");
    EXPECT(folder, 0, "", "entc build src -o out " BOTH " --plugin invalid.so");
    EXPECT(folder, 0, "size: 3", "entc dump out/thing.entity --plugin invalid.so");
    free(folder);
}

/* A table of one version never changes: code that was built with it finds every function at its
 * place. */
static void interface_tables_keep_their_layout(void** state) {
    UNUSED(state);
    const size_t word = sizeof(void*);
#define AT(Table, member, position) assert_int_equal(offsetof(Table, member), (position)*word)
    assert_int_equal(sizeof(PluginCompiler2), 2 * word);
    assert_int_equal(sizeof(ApiCompiler1), 4 * word);
    assert_int_equal(sizeof(ApiInstance2), 10 * word);
    assert_int_equal(sizeof(ApiJson1), 8 * word);
    assert_int_equal(sizeof(ApiWorld3), 18 * word);
    assert_int_equal(sizeof(PluginRuntime2), 3 * word);
    assert_int_equal(offsetof(PluginManager3, changed), 4 * word + 16);
    assert_int_equal(offsetof(PluginManager3, was), 9 * word + 16);
    AT(ApiCompiler1, log, 1), AT(ApiCompiler1, alloc, 2), AT(ApiCompiler1, free, 3);
    AT(ApiInstance2, note, 1), AT(ApiInstance2, fields, 2), AT(ApiInstance2, field, 3);
    AT(ApiInstance2, give, 4), AT(ApiInstance2, entity, 5), AT(ApiInstance2, name, 6);
    AT(ApiInstance2, resource, 7), AT(ApiInstance2, alloc, 8), AT(ApiInstance2, choice, 9);
    AT(ApiJson1, kind, 1), AT(ApiJson1, member, 2), AT(ApiJson1, next, 3);
    AT(ApiJson1, number, 4), AT(ApiJson1, truth, 5), AT(ApiJson1, text, 6);
    AT(ApiJson1, source, 7), AT(ApiWorld3, log, 1), AT(ApiWorld3, manager, 2);
    AT(ApiWorld3, append, 3), AT(ApiWorld3, row, 4), AT(ApiWorld3, next, 5);
    AT(ApiWorld3, count, 6), AT(ApiWorld3, entities, 7), AT(ApiWorld3, column, 8);
    AT(ApiWorld3, user, 9), AT(ApiWorld3, alive, 10);
    AT(ApiWorld3, create_entities, 11), AT(ApiWorld3, destroy_entities, 12);
    AT(ApiWorld3, create, 13), AT(ApiWorld3, remove, 14), AT(ApiWorld3, touch, 15);
    AT(ApiWorld3, workers, 16), AT(ApiWorld3, dispatch, 17);
    AT(PluginRuntime2, update, 1), AT(PluginRuntime2, close, 2);
#undef AT
    assert_int_equal(sizeof(PluginMember1), word + 3 * 4 + (word == 8 ? 4 : 0));
    assert_int_equal(offsetof(PluginField1, value), 2 * word + 4 * 3 + (word == 8 ? 4 : 0));
    assert_int_equal(offsetof(PluginField1, unit), offsetof(PluginField1, lo) + 16);
    assert_int_equal(offsetof(PluginComponent1, compile), word == 8 ? 40 : 32);
    assert_true(PLUGIN_COMPILER == 1 && PLUGIN_RUNTIME == 2);
    assert_true(API_COMPILER == 1 && API_INSTANCE == 2 && API_JSON == 3 && API_WORLD == 4);
    assert_true(PLUGIN_JSON_NULL == 0 && PLUGIN_JSON_OBJECT == 6);
}

static const char in_cpp[] =
    "#include <ent/plugin.h>\n"
    "#define MOOD_KIND(X) X(MOOD_GLAD, \"glad\") X(MOOD_SAD, \"sad\")\n"
    "#define MOOD_FIELDS(F, R) \\\n"
    "    F(R, Enum32, kind, V1(1), 0, 1, \"\", ENUM(MOOD_KIND), \"how it is\") \\\n"
    "    F(R, Vec2, at, V2(3, 4), ENT_PLUGIN_LOW, ENT_PLUGIN_HIGH, \"m\", PLAIN, \"where\")\n"
    "ENT_PLUGIN_ENUM(MoodKind, MOOD_KIND)\n"
    "ENT_PLUGIN_RECORD(MoodRecord, MOOD_FIELDS)\n"
    "ENT_PLUGIN_TEXTS(MOOD_KIND)\n"
    "static const EntPluginField1 fields[] = {MOOD_FIELDS(ENT_PLUGIN_FIELD, MoodRecord)};\n"
    "static const char* setup(EntPluginHost* host, EntApiGet* get) {\n"
    "    auto compiler = static_cast<const EntApiCompiler1*>(get(ENT_API_COMPILER, 1));\n"
    "    EntPluginComponent1 mood = {};\n"
    "    mood.name = \"mood\", mood.fields = fields, mood.field_count = 2;\n"
    "    mood.bytes = sizeof(MoodRecord);\n"
    "    if (compiler) compiler->add_component(host, &mood);\n"
    "    return nullptr;\n"
    "}\n"
    "const void* ent_get_plugin_api(uint32_t id, uint32_t version) {\n"
    "    static const EntPluginCompiler2 table = {setup, nullptr};\n"
    "    return id == ENT_PLUGIN_COMPILER && version == 2 ? &table : nullptr;\n"
    "}\n";

static void plugin_in_cpp_without_warnings_compiles_and_loads(void** state) {
    char* folder = project("plugin_cpp");
    UNUSED(state);
    TEST_NEEDS("g++");
    test_write_text(folder, "mood.cc", in_cpp);
    test_write_text(folder, "moody/a.entity.json", "{ \"components\": { \"mood\": {} } }");
    TEST_DONE(folder, "g++ -std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror -fPIC -shared "
                      "mood.cc -o mood.so -I\"$(dirname $(command -v entc))/include\"");
    EXPECT(folder, 0, "", "entc build moody -o out --plugin mood.so");
    EXPECT(folder, 0, "  mood\n    kind: sad\n    at: 3 4\n",
           "entc dump out/a.entity --plugin mood.so");
    /* The libraries it is linked to are inputs like the plugin itself. */
    static const char link[] =
        "echo 'int dep(void); int dep(void) { return %d; }' > dep.c && cc -fPIC -shared dep.c -o "
        "libdep.so && { test -e dep.so || g++ -fPIC -shared mood.cc -o dep.so -I\"$(dirname "
        "$(command -v entc))/include\" -L. -Wl,--no-as-needed -ldep -Wl,-rpath,'$ORIGIN'; }";
    TEST_DONE(folder, link, 1);
    EXPECT(folder, 0, " 1 compiled", "entc build moody -o out -v --plugin dep.so");
    EXPECT(folder, 0, " 0 compiled", "entc build moody -o out -v --plugin dep.so");
    TEST_DONE(folder, link, 2);
    EXPECT(folder, 0, " 1 compiled", "entc build moody -o out -v --plugin dep.so");
    free(folder);
}

static void reading_commands_with_plugins_print_their_components(void** state) {
    char* folder = project("plugin_read");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out " BOTH);
    EXPECT(folder, 0, "", "entc build src -o big --target big " BOTH);
    EXPECT(folder, 0, "kind: gusty", "entc dump big/levels/coast.level " BOTH);
    EXPECT(folder, 0, "component unknown 0x", "entc dump out/levels/coast.level");
    EXPECT(folder, 0, "coast.level: ok", "entc verify out");
    EXPECT(folder, 0, "coast.level: ok", "entc verify out " BOTH);
    EXPECT(folder, 0, "\nwind ", "entc info out " BOTH);
    EXPECT(folder, 0, "\"kind\": \"gusty\"", "entc dump --json out/levels/coast.level " BOTH);
    EXPECT(folder, 0, "wind[1].direction", "entc dump --annotate out/levels/coast.level " BOTH);
    EXPECT(folder, 0, "", "entc pack out -o all.pak " BOTH " && entc verify all.pak " BOTH);
    /* A changed field is reported by name if the plugin is loaded. */
    EXPECT(folder, 0, "", "entc build src -o other --plugin twice.so --plugin sail.so");
    EXPECT(folder, 1, "speed_m_s", "entc diff out other " BOTH);
    TestRun run = test_command(folder, "entc diff out other");
    assert_int_equal(run.code, 1);
    assert_null(strstr(run.out, "speed_m_s"));
    test_run_free(&run);
    /* Damage inside an instance is found only if its type is available. */
    EXPECT(folder, 0, "",
           "python3 -c \"import struct; b = open('out/breeze.entity', 'rb').read(); "
           "i = b.index(struct.pack('<f', 2)); "
           "open('invalid.entity', 'wb').write(b[:i] + struct.pack('<f', 500) + b[i + 4:])\"");
    EXPECT(folder, 3, "header.hash", "entc verify invalid.entity --plugin wind.so");
    free(folder);
}

static void schemas_with_plugins_contain_their_components(void** state) {
    char* folder = project("plugin_schema");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc schema src -o schema " BOTH);
    EXPECT(folder, 0, "\"draught_m\"", "cat schema/level.schema.json");
    EXPECT(folder, 0, "\"below the water. Unit: m. Range: 0.5 to 9. Default: 2.\"",
           "cat schema/level.schema.json");
    EXPECT(folder, 0, "", "entc schema -o alone --plugin wind.so");
    /* A type with its own reader may accept any key: its object stays open. */
    test_write_text(
        folder, "check.py",
        "import json, jsonschema\n"
        "schema = json.load(open('schema/level.schema.json'))\n"
        "jsonschema.validate(json.load(open('src/levels/coast.level.json')), schema)\n"
        "for invalid in ({'keel': {'draft_m': 1}}, {'wind': 3}, {'wnid': {}}):\n"
        "    try: jsonschema.validate({'entities': [{'components': invalid}]}, schema)\n"
        "    except jsonschema.ValidationError: continue\n"
        "    raise SystemExit(invalid)\n");
    TEST_DONE(folder, "python3 check.py");
    free(folder);
}

/* --- errors of authors --- */

static void level_without_its_plugin_is_refused_with_hint(void** state) {
    char* folder = project("plugin_without");
    UNUSED(state);
    EXPECT(folder, 3,
           "src/breeze.entity.json:1:19: error: unknown component type \"wind\"; if a plugin "
           "provides it, pass --plugin LIB [E0207]",
           "entc build src -o out --plugin sail.so");
    EXPECT(folder, 3, "\"wnid\"; did you mean \"wind\"?",
           "echo '{ \"components\": { \"wnid\": {} } }' > src/breeze.entity.json; "
           "entc build src -o out " BOTH);
    free(folder);
}

static void error_in_plugin_component_names_the_plugin(void** state) {
    char* folder = project("plugin_errors");
    UNUSED(state);
    test_write_text(
        folder, "invalid/a.level.json",
        "{ \"entities\": [\n"
        "  { \"components\": { \"wind\": { \"from\": \"nroth\" } } },\n"
        "  { \"components\": { \"wind\": { \"from\": \"east\", \"direction\": [1, 0, 0] } } },\n"
        "  { \"components\": { \"wind\": { \"fron\": 1, \"direction\": [1, 1, 0] } } },\n"
        "  { \"components\": { \"sail\": [ { \"rig\": \"mast\" }, { \"colour\": 1 } ] } } ] }\n");
    TestRun run = test_command(folder, "entc build invalid -o out " BOTH " -q");
    assert_int_equal(run.code, 3);
    assert_string_equal(
        run.err,
        "invalid/a.level.json:2:39: error: wind: invalid value \"nroth\"; expected north, east, "
        "south, "
        "west; did you mean \"north\"? [E0205]\n"
        "      { \"components\": { \"wind\": { \"from\": \"nroth\" } } },\n"
        "                                          ^~~~~~~\n"
        "entc: note: from the plugin \"wind.so\"\n"
        "invalid/a.level.json:3:39: error: wind: \"from\" and \"direction\" say the same; leave "
        "one of "
        "them out [E0501]\n"
        "      { \"components\": { \"wind\": { \"from\": \"east\", \"direction\": [1, 0, 0] } } "
        "},\n"
        "                                          ^~~~~~\n"
        "entc: note: from the plugin \"wind.so\"\n"
        "invalid/a.level.json:3:60: note: the other key is here\n"
        "      { \"components\": { \"wind\": { \"from\": \"east\", \"direction\": [1, 0, 0] } } "
        "},\n"
        "                                                               ^\n"
        "invalid/a.level.json:4:31: error: wind has no field \"fron\"; did you mean \"from\"? "
        "[E0201]\n"
        "      { \"components\": { \"wind\": { \"fron\": 1, \"direction\": [1, 1, 0] } } },\n"
        "                                  ^~~~~~\n"
        "invalid/a.level.json:5:31: error: sail needs \"area_m2\", a number [E0204]\n"
        "      { \"components\": { \"sail\": [ { \"rig\": \"mast\" }, { \"colour\": 1 } ] } } ] }\n"
        "                                  ^\n"
        "invalid/a.level.json:5:40: error: sail: rig is written MAST:YARD [E0501]\n"
        "      { \"components\": { \"sail\": [ { \"rig\": \"mast\" }, { \"colour\": 1 } ] } } ] }\n"
        "                                           ^~~~~~\n"
        "entc: note: from the plugin \"./sail.so\"\n"
        "invalid/a.level.json:5:50: error: sail needs \"area_m2\", a number [E0204]\n"
        "      { \"components\": { \"sail\": [ { \"rig\": \"mast\" }, { \"colour\": 1 } ] } } ] }\n"
        "                                                     ^\n"
        "invalid/a.level.json:5:62: error: sail: expected a string, not a number [E0202]\n"
        "      { \"components\": { \"sail\": [ { \"rig\": \"mast\" }, { \"colour\": 1 } ] } } ] }\n"
        "                                                                 ^\n"
        "entc: note: from the plugin \"./sail.so\"\n"
        "entc: 7 errors\n");
    test_run_free(&run);
    /* And in every other output format. */
    static const char* const forms[] = {"json", "sarif", "github"};
    for (u32 i = 0; i < COUNT_OF(forms); i++) {
        run = test_command(folder, "entc build invalid -o out " BOTH " -q --diag-format %s",
                           forms[i]);
        assert_int_equal(run.code, 3);
        assert_non_null(strstr(run.err, "rig is written MAST:YARD"));
        assert_non_null(strstr(run.err, i == 2 ? "from the plugin \"./sail.so\""
                                               : "from the plugin \\\"./sail.so\\\""));
        test_run_free(&run);
    }
    free(folder);
}

/* --- errors of plugins --- */

/* A text that the message must contain after the component and the plugin. */
typedef struct Fault {
    const char *name, *text;
} Fault;

static const Fault setup_faults[] = {
    {"name", "\"Thing\" of the plugin \"invalid.so\" is invalid: its name must begin with a-z"},
    {"missing",
     "the component \"\" of the plugin \"invalid.so\" is invalid: the description is missing"},
    {"no name", "\"\" of the plugin \"invalid.so\" is invalid: its name must begin with a-z"},
    {"long name", "its name must begin with a-z and contain only a-z, 0-9 and single '_', at "
                  "most 63 characters"},
    {"light", "\"light\" of the plugin \"invalid.so\" cannot be added: \"light\" of entc has the "
              "same name"},
    {"many", "\"thing_74\" of the plugin \"invalid.so\" cannot be added: it would be number 97; "
             "the limit is 96"},
    {"no fields", "a component must have 1 to 64 fields, not 0"},
    {"0 fields", "a component must have 1 to 64 fields, not 0"},
    {"65 fields", "a component must have 1 to 64 fields, not 65"},
    {"17 columns", "a component that is a structure of arrays must have 1 to 16 fields, not 17"},
    {"record", "its fields have 40 bytes, but its record has 44 bytes"},
    {"large record", "a record must have at most 1024 bytes, not 1028"},
    {"order", "a spawn order must be at most 1000000, not 1000001"},
    {"several", "several, by_field and direct must be 0 or 1"},
    {"by field", "several, by_field and direct must be 0 or 1"},
    {"direct", "several, by_field and direct must be 0 or 1"},
    {"field name", "the name of field 1 must begin with a-z"},
    {"no field name", "the name of field 1 must begin with a-z"},
    {"twice", "duplicate field \"size\""},
    {"type", "field \"count\": unknown type \"i64\""},
    {"no type name", "field \"count\": unknown type \"\""},
    {"bytes", "field \"count\": a u32 has 4 bytes, or an array of 2 to 16 of them, not 6"},
    {"0 bytes", "field \"count\": a u32 has 4 bytes, or an array of 2 to 16 of them, not 0"},
    {"17 elements", "field \"count\": a u32 has 4 bytes, or an array of 2 to 16 of them, not 68"},
    {"2 flags", "field \"count\": a Flags32 has 4 bytes, not 8"},
    {"offset", "field \"count\": its offset is 8, but must be 4, the end of the field before it"},
    {"bounds", "field \"size\": 11 to 10 is not a range of f32"},
    {"bounds nan", "to 10 is not a range of f32"},
    {"bounds infinite", "field \"size\": 0 to inf is not a range of f32"},
    {"bounds negative", "field \"count\": -1 to 10 is not a range of u32"},
    {"bounds broken", "field \"count\": 0 to 2.5 is not a range of u32"},
    {"default", "field \"size\": its default is out of range"},
    {"default nan", "is not a valid f32"},
    {"default broken", "field \"count\": its default 0.5 is not a valid u32"},
    {"default turn", "field \"turn\": its default is not a unit quaternion"},
    {"default truth", "field \"truth\": its default is out of range"},
    {"unit", "field \"size\": unit and text must each be one line"},
    {"text", "field \"size\": unit and text must each be one line"},
    {"utf-8", "field \"size\": unit and text must each be one line"},
    {"refers to", "field \"cloth\": unknown resource type 0"},
    {"refers far", "field \"cloth\": unknown resource type 1000"},
    {"no texts", "field \"count\": a field of type Enum32 must have 1 to 256 texts"},
    {"0 texts", "field \"count\": a field of type Enum32 must have 1 to 256 texts"},
    {"NULL texts", "field \"count\": a field of type Enum32 must have 1 to 256 texts"},
    {"257 texts", "field \"count\": a field of type Enum32 must have 1 to 256 texts"},
    {"33 flags", "field \"count\": a field of type Flags32 must have 1 to 32 texts"},
    {"NULL text", "field \"count\": text 0 must contain only a-z"},
    {"same texts", "field \"count\": duplicate text \"red\""},
    {"invalid text", "field \"count\": text 0 must contain only a-z"},
    {"default text", "field \"count\": its default is out of range"},
    {"setup", "the plugin \"invalid.so\" cannot be used: the moon is not full"},
    {"empty", "the plugin \"invalid.so\" provides a PLUGIN_COMPILER without setup"},
};

static void plugin_with_error_in_its_setup_is_refused(void** state) {
    char* folder = project("plugin_setup");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(setup_faults); i++) {
        TestRun run =
            test_command(folder, "FAULT='%s' entc build src -o out -q --plugin invalid.so",
                         setup_faults[i].name);
        const int code = strcmp(setup_faults[i].name, "many") == 0 ? 4 : 3; /* a limit */
        if (run.code != code || !strstr(run.err, setup_faults[i].text) ||
            !strstr(run.err, "the plugin \"invalid.so\"") || strstr(run.err, "src/")) {
            fail_msg("%s: %d %s", setup_faults[i].name, run.code, run.err);
        }
        test_run_free(&run);
    }
    EXPECT(folder, 0, "", "FAULT=required entc schema -o s --plugin invalid.so");
    /* Reading commands report it too, and nothing is written. */
    EXPECT(folder, 3, "the moon is not full",
           "test ! -e out && FAULT=setup entc verify src --plugin invalid.so");
    free(folder);
}

static void plugin_with_error_in_its_compile_function_is_refused(void** state) {
    static const Fault faults[] = {
        {"range", "writes an invalid record: thing.size is out of range [E0502]"},
        {"nan", "writes an invalid record: thing.size is not finite [E0502]"},
        {"whole", "writes an invalid record: thing.count is out of range [E0502]"},
        {"entity", "writes an invalid record: thing.other is not an entity of this file [E0502]"},
        {"resource", "writes an invalid record: thing.cloth is not a resource that it requested"},
        {"turn", "writes an invalid record: thing.turn is not a unit quaternion [E0502]"},
        {"truth", "writes an invalid record: thing.truth is out of range [E0502]"},
        {"check", "writes an invalid record: thing.size is out of range [E0502]"},
        {"far", ", for thing, reports a position outside of the text [E0502]"},
        {"far walk", ", for thing, reports a position outside of the text [E0502]"},
        {"far source", ", for thing, reports a position outside of the text [E0502]"},
        {"no field", ", for thing, reports a field that the component does not have [E0502]"},
        {"read no field", ", for thing, reports a field that the component does not have [E0502]"},
        {"no type", ", for thing, uses an unknown resource type [E0502]"},
        {"kind", "thing: expected a number, not an object [E0202]\n"},
        {"middle", ", for thing, reports a position at which no value begins [E0502]"},
        {"far error", "thing: at no place [E0501]\n"},
    };
    char* folder = project("plugin_compile");
    UNUSED(state);
    test_write_text(folder, "src2/a.entity.json",
                    "{ \"components\": { \"thing\": { \"a\": 3 } } }\n");
    for (u32 i = 0; i < COUNT_OF(faults); i++) {
        TestRun run = test_command(folder, "FAULT='%s' entc build src2 -o out --plugin invalid.so",
                                   faults[i].name);
        const int code = strcmp(faults[i].name, "many") == 0 ? 4 : 3; /* a limit */
        if (run.code != code || !strstr(run.err, faults[i].text) ||
            !strstr(run.err, "the plugin \"invalid.so\"") ||
            strncmp(run.err, "src2/a.entity.json:1:", 21) != 0) {
            fail_msg("%s: %d %s", faults[i].name, run.code, run.err);
        }
        test_run_free(&run);
    }
    test_write_text(folder, "src3/a.entity.json",
                    "{ \"components\": { \"thing\": { \"a\": 3 } },"
                    " \"children\": [ { \"group\": \"g\" } ] }\n");
    EXPECT(folder, 3, "thing.other refers into a group that may be absent [E0502]",
           "FAULT=entity entc build src3 -o out --plugin invalid.so");
    /* A fault that has no effect. */
    EXPECT(folder, 0, "", "FAULT='lone note' entc build src2 -o out --plugin invalid.so");
    EXPECT(folder, 0, "", "FAULT=late entc build src2 -o out --force --plugin invalid.so");
    free(folder);
}

static void plugin_that_cannot_be_loaded_is_refused(void** state) {
    char* folder = project("plugin_load");
    UNUSED(state);
    EXPECT(folder, 2, "cannot read the plugin \"nix.so\": No such file or directory",
           "entc build src -o out --plugin nix.so");
    EXPECT(folder, 2, "cannot read the plugin \"src\": Is a directory",
           "entc verify out --plugin src");
    EXPECT(folder, 2, "the plugin \"src/breeze.entity.json\" cannot be loaded: ",
           "entc dump x --plugin src/breeze.entity.json");
    EXPECT(folder, 2,
           "the plugin \"ent.so\" is not a plugin: it does not export ent_get_plugin_api",
           "entc schema -o s --plugin ent.so");
    EXPECT(folder, 5, "the plugin \"invalid.so\" provides no PLUGIN_COMPILER of version 2",
           "FAULT=version entc codegen src --plugin invalid.so");
    EXPECT(folder, 5, "the plugin \"invalid.so\" provides no PLUGIN_COMPILER of version 2",
           "FAULT=old entc codegen src --plugin invalid.so"); /* it has version 1 */
    EXPECT(folder, 1, "the plugin \"src/../wind.so\" is specified twice",
           "entc build src -o out --plugin wind.so --plugin src/../wind.so");
    EXPECT(folder, 2, "the plugin \"invalid.so\" was modified while it was being loaded",
           "cp invalid.so was.so && FAULT=modified entc schema -o s --plugin invalid.so");
    EXPECT(folder, 2, "cannot read the plugin \"invalid.so\": No such file or directory",
           "FAULT=removed entc schema -o s --plugin invalid.so; code=$?; mv was.so invalid.so; "
           "exit $code");
    /* A missing plugin does not hide the errors of another one. */
    EXPECT(folder, 2, "the moon is not full",
           "FAULT=setup entc build src -o out --plugin nix.so --plugin invalid.so");
    TestRun run = test_command(folder, "entc build src -o out --plugin nix.so --plugin sea.so");
    assert_int_equal(run.code, 2);
    assert_string_equal(
        run.err, "entc: error: cannot read the plugin \"nix.so\": No such file or directory\n"
                 "entc: error: cannot read the plugin \"sea.so\": No such file or directory\n");
    test_run_free(&run);
    EXPECT(folder, 0, "", "test ! -e out && test ! -e s");
    free(folder);
}

static void component_types_of_two_plugins_with_equal_names_are_refused(void** state) {
    char* folder = project("plugin_collide");
    UNUSED(state);
    EXPECT(
        folder, 3,
        "the component type \"wind\" of the plugin \"twice.so\" cannot be added: \"wind\" of the "
        "plugin \"wind.so\" has the same name",
        "entc build src -o out " BOTH " --plugin twice.so");
    test_write_text(folder, "src/wind.component.json",
                    "{ \"fields\": { \"x\": { \"type\": \"u32\" } } }");
    EXPECT(folder, 3,
           "src/wind.component.json:1:1: error: the plugin \"wind.so\" already defines a component "
           "\"wind\"; rename the file [E0303]",
           "entc build src -o out " BOTH);
    EXPECT(folder, 3, "the plugin \"wind.so\" already defines a component \"wind\"",
           "entc codegen src --plugin wind.so");
    free(folder);
}

/* --- a plugin is an input --- */

static void changed_plugin_recompiles_everything(void** state) {
    char* folder = project("plugin_changed");
    UNUSED(state);
    EXPECT(folder, 0, " 3 compiled,", "entc build src -o out -v " BOTH);
    EXPECT(folder, 0, " 0 compiled, 0 from the cache, 0 written", "entc build src -o out -v " BOTH);
    EXPECT(folder, 0, "speed_m_s: 5", "entc dump out/levels/coast.level " BOTH);
    TEST_DONE(folder, "cp wind.so once.so");
    /* Another constant in it. */
    EXPECT(folder, 0, " 3 compiled, 0 from the cache, 2 written",
           "cp twice.so wind.so && entc build src -o out -v " BOTH);
    EXPECT(folder, 0, "speed_m_s: 10", "entc dump out/levels/coast.level " BOTH);
    /* Only its bytes: everything is compiled again and nothing is written. */
    EXPECT(folder, 0, " 3 compiled, 0 from the cache, 0 written",
           "echo >> wind.so && entc build src -o out -v " BOTH);
    /* Also when it defines nothing that is used; and when it is removed. */
    EXPECT(folder, 0, " 3 compiled,", "entc build src -o out -v " BOTH " --plugin invalid.so");
    EXPECT(folder, 0, " 3 compiled,", "entc build src -o out -v " BOTH);
    EXPECT(folder, 3, "would write out/levels/coast.level",
           "cp once.so wind.so && entc build src -o out --check " BOTH);
    free(folder);
}

static void cache_entries_of_different_plugins_are_separate(void** state) {
    char* folder = project("plugin_cache");
    UNUSED(state);
    EXPECT(folder, 0, " 3 compiled,", "entc build src -o out -v --cache c " BOTH);
    EXPECT(folder, 0, " 0 compiled, 3 from the cache,", "entc build src -o two -v --cache c " BOTH);
    EXPECT(
        folder, 0, " 3 compiled, 0 from the cache,",
        "cp wind.so one.so && cp twice.so wind.so && entc build src -o three -v --cache c " BOTH);
    EXPECT(folder, 1, "speed_m_s: 5 -> 10", "entc diff two three " BOTH);
    EXPECT(folder, 0, " 0 compiled, 3 from the cache,",
           "cp one.so wind.so && entc build src -o four -v --cache c " BOTH);
    EXPECT(folder, 0, "", "entc diff two four " BOTH);
    free(folder);
}

static void depfile_of_level_lists_its_plugins(void** state) {
    char* folder = project("plugin_depfile");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc compile src levels/coast.level -o o -MD -MF d " BOTH);
    EXPECT(folder, 0, "o: \\\n wind.so \\\n ./sail.so \\\n src/", "cat d");
    EXPECT(folder, 0, "\n./sail.so:\n", "cat d");
    free(folder);
}

/* --- threads, output, end --- */

static void plugin_called_by_many_threads_gives_equal_bytes(void** state) {
    char* folder = project("plugin_threads");
    char  name[64], text[1024];
    UNUSED(state);
    for (u32 i = 0; i < 300; i++) {
        snprintf(name, sizeof name, "many/l%u.level.json", i);
        snprintf(
            text, sizeof text,
            "{ \"entities\": [ { \"name\": \"m\", \"components\": { \"wind\": { \"from\": %u, "
            "\"speed_m_s\": %u } } },\n"
            "  { \"components\": { \"sail\": { \"cloths\": [[1, %u]], \"rig\": \"m:y%u\" } } }%s "
            "] }\n",
            i, i % 100, i, i,
            i % 50 == 7 ? ", { \"components\": { \"wind\": { \"from\": \"noth\" } } }" : "");
        test_write_text(folder, name, text);
    }
    TEST_DONE(folder, "for j in 1 8; do entc build many -o $j -j $j -q " BOTH " 2> errors.$j; "
                      "test $? -eq 3 || exit 1; done; cmp errors.1 errors.8 && "
                      "test $(grep -c E0205 errors.8) -eq 6");
    TEST_DONE(folder, "rm $(seq -f 'many/l%%g.level.json' 7 50 299) && for j in 1 8; do "
                      "entc build many -o $j -j $j -q " BOTH " || exit 1; done; diff -r 1 8 && "
                      "test $(ls 8 | wc -l) -eq 294");
    free(folder);
}

static void plugin_messages_are_printed_unless_quiet(void** state) {
    char* folder = project("plugin_log");
    UNUSED(state);
    TestRun run = test_command(folder, "entc build src -o out " BOTH);
    assert_string_equal(run.err, "entc: note: wind.so: wind is up\n");
    test_run_free(&run);
    run = test_command(folder, "entc build src -o out -q " BOTH);
    assert_string_equal(run.err, "");
    test_run_free(&run);
    free(folder);
}

/* Each variant has its own component types, but a library keeps what its setup allocated only once. */
static void command_that_reads_all_variants_sets_up_a_plugin_once(void** state) {
    char* folder = project("plugin_variants");
    UNUSED(state);
    test_write_text(folder, "src/b.entity.json", "{}");
    test_write_text(folder, "src/b.fr.entity.json",
                    "{ \"components\": { \"wind\": { \"speed_m_s\": 3 } } }");
    test_write_text(folder, "src/b.de.entity.json", "{}");
    TestRun run = test_command(folder, "entc refs src b.entity " BOTH);
    assert_int_equal(run.code, 0);
    assert_string_equal(run.err, "entc: note: wind.so: wind is up\n");
    test_run_free(&run);
    free(folder);
}

/* Also one whose setup failed. */
static void plugins_are_closed_and_unloaded_the_last_one_first(void** state) {
    char* folder = project("plugin_close");
    UNUSED(state);
    EXPECT(folder, 3,
           "entc: note: two.so: closed\nunloaded\nentc: note: invalid.so: closed\nunloaded\n",
           "cp invalid.so two.so && "
           "FAULT=close entc schema -o s --plugin invalid.so --plugin two.so");
    free(folder);
}

/* --- worlds --- */

static char reported[1024];

static void log_append(void* user, LogLevel level, const char* text) {
    UNUSED(user);
    UNUSED(level);
    const size_t used = strlen(reported);
    snprintf(reported + used, sizeof reported - used, "%s\n", text);
}

static ApiGet* plugin_of(const char* folder, const char* name, void** library) {
    char path[1200], reason[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    *library = shared_library_open(path, reason, sizeof reason);
    if (!*library) fail_msg("%s", reason);
    return (ApiGet*)shared_library_function(*library, "ent_get_plugin_api");
}

static void check_wind(World* world, const Entity* entities) {
    const Manager* m = ent_world_manager_by_name(world, "wind");
    assert_non_null(m);
    assert_int_equal(m->count, 2);
    const Vec3*   direction = m->column[0];
    const f32*    speed = m->column[1];
    const Entity* shelter = m->column[3];
    const f32*    now = m->column[4];
    assert_int_equal(ent_manager_row(m, world->entities, entities[1]), 0);
    assert_true(direction[0].z == -1 && direction[1].x == -1 && speed[1] == 2);
    assert_int_equal(shelter[0], entities[0]);
    assert_int_equal(shelter[1], ENTITY_NULL);
    assert_true(now[0] == speed[0] / 2 && now[1] == 1); /* set by its spawner */
}

/* What its spawner would recreate equals what was saved. */
static void check_wind_saved(World* world, const Blob* level, ApiGet* get) {
    const SaveSource  source = {level, NULL};
    const SaveOptions options = {.name = "saves/wind", .sources = &source, .source_count = 1};
    f32*              now = ent_world_manager_by_name(world, "wind")->column[4];
    Resource          save;
    World*            other;
    void*             bytes;
    size_t            size;
    now[0] = 77;
    assert_int_equal(ent_world_save(world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_resource_open_bytes(&save, bytes, size, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_create(&other, NULL), ENT_OK);
    assert_int_equal(ent_world_plugin(other, get), ENT_OK);
    assert_int_equal(ent_world_spawn(other, &save.blob, NULL, NULL), ENT_OK);
    const Manager* m = ent_world_manager_by_name(other, "wind");
    assert_int_equal(m->count, 2);
    assert_true(((const f32*)m->column[4])[0] == 77 && ((const f32*)m->column[4])[1] == 1);
    ent_world_destroy(other);
    ent_resource_close(&save);
    ent_world_save_free(world, bytes, size);
}

static void world_with_plugins_spawns_saves_and_frees_their_rows(void** state) {
    char*             folder = project("plugin_world");
    char              path[1200];
    Resource          level;
    World*            world;
    Entity            entities[4];
    void *            wind, *sail;
    CountingAllocator counting = {0};
    const WorldDesc desc = {.allocator = counting_allocator(&counting), .log = {log_append, NULL}};
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out " BOTH);
    if (!HOST_IS_LITTLE) EXPECT(folder, 0, "", "entc build src -o out --target big " BOTH);
    snprintf(path, sizeof path, "%s/out/levels/coast.level", folder);
    assert_int_equal(ent_resource_open(&level, path, NULL, NULL), ENT_OK);
    ApiGet* get = plugin_of(folder, "wind.so", &wind);
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    assert_int_equal(ent_world_plugin(world, get), ENT_OK);
    reported[0] = 0;
    const size_t bytes = counting.live_bytes;
    assert_int_equal(ent_world_plugin(world, get), ENT_EXISTS);
    assert_int_equal(counting.live_bytes, bytes);
    assert_string_equal(reported, "the plugin is in this world already\n");
    reported[0] = 0;
    ApiGet* compiler_only = plugin_of(folder, "sail.so", &sail);
    assert_int_equal(ent_world_plugin(world, compiler_only), ENT_BAD_PLUGIN);
    assert_string_equal(reported, "the plugin has no PLUGIN_RUNTIME of version 2\n");
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, entities), ENT_OK);
    check_wind(world, entities);
    check_wind_saved(world, &level.blob, get);
    ent_world_destroy(world);
    assert_int_equal(counting.live_bytes, 0);
    ent_resource_close(&level);
    shared_library_close(wind);
    shared_library_close(sail);
    free(folder);
}

static void entrun_with_plugins_spawns_their_components(void** state) {
    char* folder = project("plugin_entrun");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc build src -o out " BOTH);
    EXPECT(folder, 0, "\nwind                                2 ",
           "entrun out --level levels/coast --stats --plugin wind.so");
    EXPECT(folder, 3, "not registered",
           "entrun out --level levels/coast --strict --plugin wind.so");
    EXPECT(folder, 2, "the plugin \"nix.so\" cannot be loaded: ",
           "entrun out --level levels/coast --plugin wind.so --plugin nix.so");
    EXPECT(folder, 3, "the plugin \"sail.so\" cannot be used",
           "entrun out --level levels/coast --plugin sail.so");
    EXPECT(folder, 3, "the plugin \"ent.so\" exports no ent_get_plugin_api",
           "entrun out --level levels/coast --plugin ent.so");
    free(folder);
}

TEST_SUITE(plugin) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plugins_of_both_interface_versions_in_one_build_compile),
        cmocka_unit_test(interface_tables_keep_their_layout),
        cmocka_unit_test(plugin_in_cpp_without_warnings_compiles_and_loads),
        cmocka_unit_test(reading_commands_with_plugins_print_their_components),
        cmocka_unit_test(schemas_with_plugins_contain_their_components),
        cmocka_unit_test(level_without_its_plugin_is_refused_with_hint),
        cmocka_unit_test(error_in_plugin_component_names_the_plugin),
        cmocka_unit_test(plugin_with_error_in_its_setup_is_refused),
        cmocka_unit_test(plugin_with_error_in_its_compile_function_is_refused),
        cmocka_unit_test(plugin_that_cannot_be_loaded_is_refused),
        cmocka_unit_test(component_types_of_two_plugins_with_equal_names_are_refused),
        cmocka_unit_test(changed_plugin_recompiles_everything),
        cmocka_unit_test(cache_entries_of_different_plugins_are_separate),
        cmocka_unit_test(depfile_of_level_lists_its_plugins),
        cmocka_unit_test(plugin_called_by_many_threads_gives_equal_bytes),
        cmocka_unit_test(plugin_messages_are_printed_unless_quiet),
        cmocka_unit_test(command_that_reads_all_variants_sets_up_a_plugin_once),
        cmocka_unit_test(plugins_are_closed_and_unloaded_the_last_one_first),
        cmocka_unit_test(world_with_plugins_spawns_saves_and_frees_their_rows),
        cmocka_unit_test(entrun_with_plugins_spawns_their_components),
    };
    return TEST_RUN("plugin", tests);
}
