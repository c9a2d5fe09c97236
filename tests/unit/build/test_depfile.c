/* test_depfile.c - `entc compile -MD` with the real ninja and make: a second run does nothing, each
 * changed input builds exactly the outputs that need it, and an input that is no longer referred to
 * may be deleted. */
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

/* Asset names contain no unusual characters; folders above them and files of a model may. */
static const TestFile sources[] = {
    {"levels/yard.level.json",
     "{ \"entities\": [ { \"name\": \"gate\", \"prefab\": \"props/gate\" } ] }\n"},
    {"props/gate.entity.json",
     "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" },\n"
     "    { \"name\": \"box\", \"prefab\": \"models/box\" } ] }\n"},
    {"props/lamp.entity.json", "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n"},
    {"mud.material.json", "{ \"roughness\": 0.9 }\n"},
};

#define ROOT "art #1 $x" /* the asset folder */

static void sources_write(const char* folder) {
    test_write_files(folder, ROOT, sources, COUNT_OF(sources));
    test_write_box(folder, ROOT);
}

/* Outputs, and what is written to `made` when one is compiled. */
static const char* const outputs[] = {"levels/yard.level", "models/box.entity",
                                      "models/box/box.mesh", "mud.material"};

static const char ninja_rules[] =
    "rule compile\n"
    "  command = entc compile 'art #1 $$x' $name -o $out -MD -MF $out.d && echo $name >> made\n"
    "  depfile = $out.d\n"
    "%s"
    "  restat = 1\n";

static void ninja_write(const char* folder, const char* deps) {
    char text[4096];
    int  at = snprintf(text, sizeof text, ninja_rules, deps);
    for (u32 i = 0; i < COUNT_OF(outputs); i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, "build out/%s: compile\n  name = %s\n",
                       outputs[i], outputs[i]);
    }
    test_write_text(folder, "build.ninja", text);
}

static void makefile_write(const char* folder) {
    char text[4096];
    int  at = snprintf(text, sizeof text, "all:");
    for (u32 i = 0; i < COUNT_OF(outputs); i++) {
        at += snprintf(text + at, sizeof text - (size_t)at, " out/%s", outputs[i]);
    }
    snprintf(text + at, sizeof text - (size_t)at,
             "\nout/%%:\n\tentc compile 'art #1 $$x' $* -o $@ -MD -MF $@.d && touch $@ && "
             "echo $* >> made\n-include $(shell find out -name '*.d' 2>/dev/null)\n");
    test_write_text(folder, "Makefile", text);
}

typedef struct Step {
    const char* name;
    const char* script;   /* which changes sources */
    const char* compiled; /* what is compiled then, sorted */
} Step;

static const Step steps[] = {
    {"from nothing", ":", "levels/yard.level models/box.entity models/box/box.mesh mud.material "},
    {"nothing changed", ":", ""},
    {"the source itself", "sed -i 's/0.9/0.8/' mud.material.json", "mud.material "},
    {"a prefab of a prefab", "sed -i 's/7/8/' props/lamp.entity.json", "levels/yard.level "},
    {"a prefab", "sed -i 's/\"lamp\"/\"bulb\"/' props/gate.entity.json", "levels/yard.level "},
    {"a model's buffer", "printf '\\000\\000\\000\\077' | dd of='models/box data.bin' conv=notrunc",
     "levels/yard.level models/box.entity models/box/box.mesh "},
    {"nothing again", ":", ""},
    {"a source beside them", "echo '{}' > props/new.entity.json", ""},
    {"an input is removed that no product needs",
     "echo '{ \"children\": [ { \"name\": \"x\" } ] }' > props/gate.entity.json; "
     "rm props/lamp.entity.json",
     "levels/yard.level "},
    {"and is not missed", ":", ""},
};

static void steps_check(const char* folder, const char* build) {
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        TEST_DONE(folder, "cd '" ROOT "' && %s", steps[i].script);
        TestRun run = test_command(folder,
                                   "unset MAKEFLAGS MFLAGS MAKELEVEL; rm -f made; touch made; "
                                   "%s >&2 && sort made | tr '\\n' ' '",
                                   build);
        if (run.code != 0 || strcmp(run.out, steps[i].compiled) != 0) {
            fail_msg("%s, %s: %d, compiled \"%s\", expected \"%s\": %s", build, steps[i].name,
                     run.code, run.out, steps[i].compiled, run.err);
        }
        test_run_free(&run);
        TEST_DONE(folder, "sleep 0.02"); /* the clock of a file system is coarse */
    }
    /* A missing input that is still needed is reported, by entc and with a message. */
    TestRun run = test_command(
        folder, "unset MAKEFLAGS MFLAGS MAKELEVEL; rm '" ROOT "/props/gate.entity.json'; %s 2>&1",
        build);
    assert_int_not_equal(run.code, 0);
    assert_non_null(strstr(run.out, "unresolved reference: there is no entity \"props/gate\""));
    test_run_free(&run);
}

static void ninja_with_depfiles_rebuilds_outputs_of_changed_inputs(void** state) {
    /* ninja reads depfiles directly, or imports them into its own log. */
    static const char* const deps[] = {"", "  deps = gcc\n"};
    UNUSED(state);
    TEST_NEEDS("ninja");
    for (u32 i = 0; i < COUNT_OF(deps); i++) {
        char* folder = strdup(test_folder("depfile/ninja"));
        sources_write(folder);
        ninja_write(folder, deps[i]);
        steps_check(folder, "ninja");
        free(folder);
    }
}

static void make_with_depfiles_in_folder_of_odd_name_rebuilds_changes(void** state) {
    char* folder = strdup(test_folder("depfile/make"));
    UNUSED(state);
    sources_write(folder);
    makefile_write(folder);
    steps_check(folder, "make -s all");
    free(folder);
}

/* An edit that changes no byte of the blob: it is built once, and what depends on the blob is
 * not. */
static void edit_that_keeps_bytes_of_blob_rebuilds_no_dependents(void** state) {
    UNUSED(state);
    TEST_NEEDS("ninja");
    char* folder = strdup(test_folder("depfile/restat"));
    sources_write(folder);
    ninja_write(folder, "  deps = gcc\n");
    TEST_DONE(folder,
              "printf 'rule count\\n  command = echo used >> made && touch $out\\n"
              "build used: count out/mud.material\\n' >> build.ninja && ninja && rm made && "
              "echo ' ' >> '" ROOT "/mud.material.json' && ninja");
    TEST_DONE(folder, "test \"$(cat made)\" = mud.material && rm made && ninja && ! test -e made");
    free(folder);
}

static void depfile_with_mt_or_mf_option_uses_given_names(void** state) {
    const char* folder = test_folder("depfile/target");
    UNUSED(state);
    sources_write(folder);
    TEST_DONE(folder, "entc compile '" ROOT "' mud.material -o a/b -MD -MP -MT 'c d/#e' && "
                      "head -n 1 a/b.d | grep -qxF 'c\\ d/\\#e: \\'");
    TEST_DONE(folder, "entc compile '" ROOT "' mud.material -o a/b -MF named && "
                      "head -n 1 named | grep -qxF 'a/b: \\'");
}

/* An output that stays as it was still depends on what it was compiled from. */
static void depfile_stays_when_one_of_several_resources_has_an_error(void** state) {
    const char* folder = test_folder("depfile/error");
    UNUSED(state);
    sources_write(folder);
    TEST_DONE(folder,
              "entc compile '" ROOT "' models/box.entity mud.material -o out -MF d && "
              "grep -q 'box.*data.bin' d && cp d before && rm '" ROOT "/models/box data.bin' && "
              "entc compile '" ROOT "' models/box.entity mud.material -o out -MF d; "
              "test $? = 3 && cmp d before");
}

TEST_SUITE(depfile) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ninja_with_depfiles_rebuilds_outputs_of_changed_inputs),
        cmocka_unit_test(make_with_depfiles_in_folder_of_odd_name_rebuilds_changes),
        cmocka_unit_test(edit_that_keeps_bytes_of_blob_rebuilds_no_dependents),
        cmocka_unit_test(depfile_with_mt_or_mf_option_uses_given_names),
        cmocka_unit_test(depfile_stays_when_one_of_several_resources_has_an_error),
    };
    return TEST_RUN("depfile", tests);
}
