/* test_hosts.c - the installed headers beside other libraries, in C and in C++; and a plugin and a
 * host that are written in C++.
 *
 * Invariants: whatever another library defines, before or after the headers of ent, no names
 * conflict and a compiler with all warnings enabled reports none; and every visible name has the
 * prefix of ent. */
#include <stdio.h>

#include "test.h"

#define INCLUDE "-I../../include"

/* Names that games and engines use, as types and as macros. */
static const char hostile[] =
    "#define ALL 1\n#define LOW 2\n#define HIGH 3\n#define TRY 4\n#define DIRECT 5\n"
    "#define SINGLE 6\n#define LOG_ERROR 7\n#define RECORD 8\n#define REQUIRED 9\n"
    "#define PLAIN 10\n#define NONE 11\n#define SEVERAL 12\n#define HASHED 13\n"
    "typedef struct World { int x; } World;\ntypedef int Entity, Mat34, Resource, Library;\n"
    "typedef int Manager, Patch, Blob, Field, u32, f32, Quat, Rows, Bundle, JobPool;\n"
    "typedef struct Vec3 { double x, y, z; } Vec3;\n";

static const char program[] = "int main(void) {\n"
                              "    EntWorld* world;\n"
                              "    if (ent_world_create(&world, 0) != ENT_OK) return 1;\n"
                              "    const EntLightRows lights = ent_light_rows(world);\n"
                              "    ent_world_destroy(world);\n"
                              "    return lights.count != 0;\n"
                              "}\n";

typedef struct Language {
    const char* compiler; /* the program that must be installed */
    const char* command;
} Language;

#define WARNINGS_C   "-Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"
#define WARNINGS_CPP WARNINGS_C " -Wold-style-cast -Wzero-as-null-pointer-constant"

static const Language languages[] = {
    {"gcc", "gcc -x c -std=c11 " WARNINGS_C},
    {"clang", "clang -x c -std=c11 " WARNINGS_C},
    {"g++", "g++ -x c++ -std=c++17 " WARNINGS_CPP},
    {"clang++", "clang++ -x c++ -std=c++17 " WARNINGS_CPP},
    {"g++", "g++ -x c++ -std=c++20 " WARNINGS_CPP},
    {"clang++", "clang++ -x c++ -std=c++20 " WARNINGS_CPP},
};

static bool is_available(const char* format, const char* what) {
    TestRun    run = test_command(".", format, what);
    const bool succeeds = run.code == 0;
    test_run_free(&run);
    return succeeds;
}

/* Compiles a host that includes ent.h before and after `other`, with every compiler. */
static void expect_beside(const char* other) {
    static const char ours[] = "#include <ent/ent.h>\n";
    const char* const folder = test_folder("hosts");
    char              text[4096];
    test_write_text(folder, "hostile.h", hostile);
    for (u32 i = 0; i < COUNT_OF(languages) * 2; i++) {
        const Language* language = &languages[i / 2];
        const bool      first = i % 2 == 0;
        if (!is_available("command -v %s", language->compiler)) continue;
        snprintf(text, sizeof text, "%s#include %s\n%s%s%s", first ? ours : "", other,
                 first ? "" : ours, ours, strchr(language->command, '+') ? "" : program);
        test_write_text(folder, "host.txt", text);
        TEST_DONE(folder, "%s " INCLUDE " -I. -fsyntax-only host.txt", language->command);
    }
}

static void ent_h_alone_compiles_without_warning(void** state) {
    UNUSED(state);
    expect_beside("<ent/version.h>");
}

static void ent_h_beside_conflicting_names_compiles_without_warning(void** state) {
    UNUSED(state);
    expect_beside("\"hostile.h\"");
}

static void ent_h_beside_syslog_compiles_without_warning(void** state) {
    UNUSED(state);
    expect_beside("<syslog.h>");
}

static void ent_h_beside_x11_compiles_without_warning(void** state) {
    UNUSED(state);
    if (!is_available("echo '#include <%s>' | gcc -E -x c - >/dev/null", "X11/Xutil.h"))
        TEST_SKIP("the headers of X11 are not installed");
    expect_beside("<X11/Xutil.h>");
}

static void ent_h_beside_glfw_compiles_without_warning(void** state) {
    UNUSED(state);
    if (!is_available("echo '#include <%s>' | gcc -E -x c - >/dev/null", "GLFW/glfw3.h"))
        TEST_SKIP("the headers of GLFW are not installed");
    expect_beside("<GLFW/glfw3.h>");
}

static void ent_h_beside_sdl2_compiles_without_warning(void** state) {
    UNUSED(state);
    if (!is_available("echo '#include <%s>' | gcc -E -x c - >/dev/null", "SDL2/SDL.h"))
        TEST_SKIP("the headers of SDL2 are not installed");
    expect_beside("<SDL2/SDL.h>");
}

/* Checks macros, and with ctags all other names. */
static void ent_h_included_defines_only_prefixed_names(void** state) {
    const char* folder = test_folder("hosts");
    UNUSED(state);
    test_write_text(folder, "before.c",
                    "#include <stdint.h>\n#include <stddef.h>\n#include <stdbool.h>\n");
    test_write_text(folder, "after.c", "#include <ent/ent.h>\n");
    TEST_DONE(folder, "for f in before after; do gcc " INCLUDE " -dM -E $f.c >$f.txt || exit 1; "
                      "sed 's/^#define //; s/[ (].*//' $f.txt | sort >$f.names; done; "
                      "grep -q ENT_ENT_H after.names");
    EXPECT(folder, 0, "", "comm -13 before.names after.names | grep -v '^ENT_' && exit 1; exit 0");
    TEST_NEEDS("ctags");
    EXPECT(folder, 0, "",
           "ctags --languages=C --langmap=C:.c.h --kinds-C=degtsufp -f - "
           "../../include/ent/*.h | cut -f1 | grep -vE '^(Ent[A-Z]|ENT_|ent_|__anon)' && exit 1; "
           "exit 0");
}

/* --- a plugin and a host in C++ --- */

static const char breeze[] =
    "#include <ent/plugin.h>\n"
    "#include <ent/world_plugin.h>\n"
    "#define BREEZE_KIND(X) X(BREEZE_WARM, \"warm\") X(BREEZE_COLD, \"cold\")\n"
    "#define BREEZE_FIELDS(F, R) \\\n"
    "    F(R, Vec3, direction, V3(1, 0, 0), -1, 1, \"\", PLAIN, \"direction\") \\\n"
    "    F(R, f32, speed_m_s, V1(3), 0, 100, \"m/s\", PLAIN, \"speed\") \\\n"
    "    F(R, Enum32, kind, V1(0), 0, 1, \"\", ENUM(BREEZE_KIND), \"temperature\")\n"
    "ENT_PLUGIN_ENUM(BreezeKind, BREEZE_KIND)\n"
    "ENT_PLUGIN_RECORD(Breeze, BREEZE_FIELDS)\n"
    "ENT_PLUGIN_TEXTS(BREEZE_KIND)\n"
    "static const EntPluginField1 fields[] = {BREEZE_FIELDS(ENT_PLUGIN_FIELD, Breeze)};\n"
    "static void check(EntPluginInstance*, void* record, void*) {\n"
    "    Breeze* b = static_cast<Breeze*>(record);\n"
    "    if (b->kind == BREEZE_COLD) b->speed_m_s *= 2;\n"
    "}\n"
    "static const EntPluginComponent1 component = {\"breeze\", fields, 3, sizeof(Breeze), 5000, "
    "0,\n"
    "    0, 0, nullptr, check, nullptr};\n"
    "static const char* compiler_setup(EntPluginHost* host, EntApiGet* get) {\n"
    "    const auto* entc = static_cast<const EntApiCompiler1*>(get(ENT_API_COMPILER, 1));\n"
    "    return entc && entc->add_component(host, &component) ? nullptr : \"too old\";\n"
    "}\n"
    "static const char* world_setup(EntWorld* world, EntApiGet* get) {\n"
    "    static EntPluginManager3 manager;\n"
    "    const auto* ent = static_cast<const EntApiWorld3*>(get(ENT_API_WORLD, 3));\n"
    "    manager.component = &component;\n"
    "    return ent && ent->add_manager(world, &manager) ? nullptr : \"too old\";\n"
    "}\n"
    "static const EntPluginCompiler2 compiler = {compiler_setup, nullptr};\n"
    "static const EntPluginRuntime2 runtime = {world_setup, nullptr, nullptr};\n"
    "const void* ent_get_plugin_api(uint32_t id, uint32_t version) {\n"
    "    if (version != 2) return nullptr;\n"
    "    if (id == ENT_PLUGIN_COMPILER) return &compiler;\n"
    "    return id == ENT_PLUGIN_RUNTIME ? &runtime : nullptr;\n"
    "}\n";

static const char host[] =
    "#include <ent/ent.h>\n"
    "#include <dlfcn.h>\n"
    "#include <cstdio>\n"
    "int main() {\n"
    "    void* library = dlopen(\"./breeze.so\", RTLD_NOW | RTLD_LOCAL);\n"
    "    if (!library) return 1;\n"
    "    auto* get = reinterpret_cast<EntApiGet*>(dlsym(library, \"ent_get_plugin_api\"));\n"
    "    EntWorld* world;\n"
    "    EntResource level;\n"
    "    if (ent_world_create(&world, nullptr) != ENT_OK) return 2;\n"
    "    if (ent_world_plugin(world, get) != ENT_OK) return 3;\n"
    "    if (ent_resource_open(&level, \"out/x.level\", nullptr, nullptr) != ENT_OK) return 4;\n"
    "    if (ent_world_spawn(world, &level.blob, nullptr, nullptr) != ENT_OK) return 5;\n"
    "    const EntManager* m = ent_world_manager_by_name(world, \"breeze\");\n"
    "    struct Breeze { EntVec3 direction; float speed_m_s; uint32_t kind; };\n"
    "    std::printf(\"%u %g\\n\", m->count,\n"
    "                static_cast<double>(static_cast<const Breeze*>(m->column[0])->speed_m_s));\n"
    "    ent_world_destroy(world);\n"
    "    ent_resource_close(&level);\n"
    "    return 0;\n"
    "}\n";

static void plugin_and_host_in_cpp_compile_and_run(void** state) {
    const char* folder = test_folder("hosts");
    const char* sanitize = SANITIZED ? "-fsanitize=address,undefined" : "";
    UNUSED(state);
    TEST_NEEDS("g++");
    test_write_text(folder, "breeze.cc", breeze);
    test_write_text(folder, "host.cc", host);
    test_write_text(folder, "src/x.level.json",
                    "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"breeze\": { "
                    "\"speed_m_s\": 4, \"kind\": \"cold\" } } } ] }\n");
    TEST_DONE(folder,
              "g++ -std=c++17 " WARNINGS_CPP " " INCLUDE " %s -fPIC -shared breeze.cc -o breeze.so",
              sanitize);
    TEST_DONE(folder, "entc build src -o out --plugin ./breeze.so");
    TEST_DONE(folder,
              "g++ -std=c++17 " WARNINGS_CPP " " INCLUDE " %s host.cc ../../libent.a -o host "
              "-lzstd -lm -ldl -pthread",
              sanitize);
    TestRun run = test_command(folder, "./host");
    assert_string_equal(run.out, "1 8\n");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
}

TEST_SUITE(hosts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ent_h_alone_compiles_without_warning),
        cmocka_unit_test(ent_h_beside_conflicting_names_compiles_without_warning),
        cmocka_unit_test(ent_h_beside_syslog_compiles_without_warning),
        cmocka_unit_test(ent_h_beside_x11_compiles_without_warning),
        cmocka_unit_test(ent_h_beside_glfw_compiles_without_warning),
        cmocka_unit_test(ent_h_beside_sdl2_compiles_without_warning),
        cmocka_unit_test(ent_h_included_defines_only_prefixed_names),
        cmocka_unit_test(plugin_and_host_in_cpp_compile_and_run),
    };
    return TEST_RUN("hosts", tests);
}
