/* test_reload.c - reload from the shell: `entc build --watch` and `entrun --watch` together, and
 * the example of a host.
 *
 * Invariants: a saved source reaches the running world, and a line reports it; a file that cannot
 * be used is reported in one line, once, and the old world continues; a signal ends both with exit
 * code 0. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#define YARD(position, more)                                                                       \
    "{ \"entities\": [\n"                                                                          \
    "  { \"name\": \"lamp\", \"components\": { \"transform\": { \"position\": " position " },\n"   \
    "    \"light\": {} } }" more " ] }\n"
#define BENCH ",\n  { \"name\": \"bench\", \"components\": { \"transform\": {} } }"

/* A folder with a level, and shell functions: await FILE PATTERN, put FILE < text. */
static char* project(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_text(folder, "src/levels/yard.level.json", YARD("[0, 0, 0]", ""));
    test_write_text(folder, "edited", YARD("[4, 0, 0]", BENCH));
    test_write_text(
        folder, "words.sh",
        "watchers=\n"
        "trap '[ -z \"$watchers\" ] || kill -9 $watchers' EXIT\n"
        "await() {\n"
        "    for i in $(seq 600); do\n"
        "        grep -qs -- \"$2\" \"$1\" && return 0\n"
        "        sleep 0.05\n"
        "    done\n"
        "    echo \"$1 has no $2:\"; cat \"$1\" err; exit 99\n"
        "}\n"
        "ended() {\n"
        "    for i in $(seq 600); do\n"
        "        kill -0 $1 2>gone || break\n"
        "        sleep 0.05\n"
        "    done\n"
        "    kill -9 $1 2>gone && echo \"process $1 has not ended\"\n"
        "    wait $1\n"
        "}\n"
        "run() { env --default-signal=INT entrun out --level levels/yard --watch "
        "\"$@\" >printed 2>err &\n"
        "    running=$!; watchers=\"$watchers $running\"; await printed '^watching'; }\n"
        "stop() { kill -$1 $running && ended $running || exit 98; watchers=; }\n"
        "save() { cp $1 new && mv new src/levels/yard.level.json; }\n");
    return folder;
}

static void source_saved_while_entrun_watches_changes_running_world(void** state) {
    char* folder = project("reload");
    UNUSED(state);
    EXPECT(folder, 0,
           "levels/yard: 1 entity spawned from 1 resource\n"
           "watching out/levels/yard.level\n"
           "+ entity bench\n"
           "~ lamp: transform.position: 0 0 0 -> 4 0 0\n"
           "reloaded: 1 added, 0 removed, 0 re-parented, 1 changed, ",
           ". ./words.sh; entc build src -o out --watch >built & watchers=$!; builder=$!\n"
           "await built '^built'\n"
           "run -v\n"
           "save edited; await printed '^reloaded'\n"
           "stop INT\n"
           "kill $builder && ended $builder || exit 97\n"
           "cat printed");
    free(folder);
}

static void reload_with_each_kind_of_change_reports_it(void** state) {
    char* folder = project("reload_kinds");
    UNUSED(state);
    test_write_text(folder, "src/clay.material.json", "{}");
    test_write_text(
        folder, "one",
        "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"transform\": {} },\n"
        "  \"children\": [ { \"name\": \"b\", \"components\": { \"light\": [ {}, {} ],\n"
        "    \"camera\": {}, \"decal\": { \"material\": \"clay\" } } } ] },\n"
        "  { \"name\": \"c\", \"components\": { \"name\": { \"id\": \"x\" } } } ] }");
    test_write_text(
        folder, "two",
        "{ \"entities\": [ { \"name\": \"a\", \"components\": {} },\n"
        "  { \"name\": \"b\", \"components\": { \"light\": [ { \"kind\": \"spot\" } ],\n"
        "    \"camera\": { \"target\": \"a\" }, \"decal\": {} } },\n"
        "  { \"name\": \"d\", \"components\": { \"light\": { \"casts_shadow\": true }\n"
        "  } } ] }");
    EXPECT(folder, 0,
           "- entity c\n"
           "+ entity d\n"
           "> entity a/b: is b\n"
           "- a: transform\n"
           "- b: light[1]\n"
           "~ b: light[0].kind: point -> spot\n"
           "~ b: camera.target: none -> a\n"
           "reloaded: 1 added, 1 removed, 1 re-parented, 4 changed, ",
           "sed -i 's/, \"decal\": { \"material\": \"clay\" }//; s/, \"decal\": {}//' one two\n"
           ". ./words.sh; save one; entc build src -o out >built && run -v\n"
           "save two; entc build src -o out >built && await printed '^reloaded'\n"
           "stop TERM; sed 's/a.b: light/b: light/' printed");
    free(folder);
}

/* Floats are printed as the shortest decimal that reads back, and names where the blob has them. */
static void reload_report_prints_values_in_the_form_of_dump(void** state) {
    char* folder = project("reload_values");
    UNUSED(state);
    test_write_text(folder, "src/tag.component.json",
                    "{ \"fields\": { \"of\": { \"type\": \"name\" },\n"
                    "  \"keeper\": { \"type\": \"persistent\" },\n"
                    "  \"weight\": { \"type\": \"f32\", \"default\": 0 } } }");
    test_write_text(folder, "one",
                    "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"persistent_id\": {\n"
                    "  \"id\": 4711 }, \"tag\": { \"of\": \"nowhere\" } } },\n"
                    "  { \"name\": \"b\" } ] }");
    test_write_text(folder, "two",
                    "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"persistent_id\": {\n"
                    "  \"id\": 4711 }, \"tag\": { \"of\": \"b\", \"keeper\": \"a\",\n"
                    "  \"weight\": 0.3 } } }, { \"name\": \"b\" } ] }");
    EXPECT(folder, 0,
           " -> b\n"
           "~ a: tag.keeper: none -> a (4711)\n"
           "~ a: tag.weight: 0 -> 0.3\n"
           "reloaded: 0 added, 0 removed, 0 re-parented, 3 changed, ",
           ". ./words.sh; save one; entc build src -o out >built && run -v\n"
           "save two; entc build src -o out >built && await printed '^reloaded'\n"
           "stop TERM; cat printed");
    free(folder);
}

static void reload_of_damaged_file_leaves_world_unchanged(void** state) {
    char* folder = project("reload_damaged");
    UNUSED(state);
    EXPECT(folder, 0,
           "watching out/levels/yard.level\n"
           "not reloaded: \"out/levels/yard.level\": header.blob_bytes at offset 24: ",
           ". ./words.sh; entc build src -o out >built && run\n"
           "save edited; entc build src -o two >built\n"
           "head -c 200 two/levels/yard.level >half; mv half out/levels/yard.level\n"
           "cp two/.entc.index half; mv half out/.entc.index\n"
           "await printed '^not reloaded.*blob_bytes'\n"
           /* The same problem is not reported again. */
           "touch out/.entc.index; rm out/levels/yard.level\n"
           "await printed '^not reloaded.*does not exist; another build'\n"
           "entc build src -o out >built && await printed '^reloaded: 1 added'\n"
           "stop HUP; [ $(wc -l <printed) = 5 ] || exit 96; cat printed");
    free(folder);
}

/* Instances of a changed declaration are converted, and a type that is new is registered. */
static void reload_follows_changed_and_new_component_types(void** state) {
    static const char declared[] = "{ \"text\": \"x\", \"fields\": { \"%s\": { \"type\": \"f32\", "
                                   "\"default\": 1, \"text\": \"x\" } } }";
    char*             folder = project("reload_types");
    char              text[200];
    UNUSED(state);
    snprintf(text, sizeof text, declared, "points");
    test_write_text(folder, "src/health.component.json", text);
    snprintf(text, sizeof text, declared, "lives");
    test_write_text(folder, "other", text);
    test_write_text(folder, "one",
                    YARD("[0, 0, 0]", ",\n{ \"name\": \"x\", \"components\": { "
                                      "\"health\": {} } }"));
    test_write_text(folder, "two",
                    YARD("[1, 0, 0]", ",\n{ \"name\": \"x\", \"components\": { "
                                      "\"health\": {}, \"mana\": { \"lives\": 3 } } }"));
    test_write_text(folder, "three",
                    YARD("[1, 0, 0]", ",\n{ \"name\": \"x\", \"components\": { "
                                      "\"health\": { \"lives\": 5 }, \"mana\": {} } }"));
    EXPECT(folder, 0,
           "+ x: mana\n"
           "reloaded: 0 added, 0 removed, 0 re-parented, 2 changed, \n"
           "~ x: health.lives: converted -> 5\n"
           "~ x: mana.lives: 3 -> 1\n"
           "reloaded: 0 added, 0 removed, 0 re-parented, 2 changed, \n"
           "entrun: warning: health.points: the values were dropped, because the field does not "
           "exist any more\n",
           ". ./words.sh; save one; entc build src -o out >built && run -v --strict\n"
           "cp other src/mana.component.json; save two; entc build src -o out >built\n"
           "await printed '^reloaded'\n"
           "cp other src/health.component.json; save three; entc build src -o out >built\n"
           "await printed '^~ x: mana'; stop TERM\n"
           "grep -E '^(. x|reloaded)' printed | sed 's/changed, .*/changed, /'; cat err");
    free(folder);
}

/* A field without a default has no value in the running world: the level stays as it is until the field has one. */
static void reload_of_a_declaration_that_is_refused_is_made_up_for(void** state) {
    char* folder = project("reload_required");
    UNUSED(state);
    test_write_quoted(folder, "src/health.component.json",
                      "{ 'fields': { 'a': { 'type': 'u32', 'default': 1 } } }");
    test_write_quoted(
        folder, "two",
        "{ 'fields': { 'a': { 'type': 'u32', 'default': 1 }, 'b': { 'type': 'u32' } } }");
    test_write_quoted(folder, "three",
                      "{ 'fields': { 'a': { 'type': 'u32', 'default': 1 }, 'b': { 'type': 'u32', "
                      "'default': 2 } } }");
    test_write_text(
        folder, "one",
        YARD("[0, 0, 0]", ",\n{ \"name\": \"x\", \"components\": { \"health\": {} } }"));
    test_write_text(
        folder, "other",
        YARD("[3, 0, 0]", ",\n{ \"name\": \"x\", \"components\": { \"health\": { \"b\": 7 } } }"));
    EXPECT(folder, 0,
           "not reloaded: the fields of the component \"health\" have changed; restart required\n"
           "~ lamp: transform.position: 0 0 0 -> 3 0 0\n"
           "~ x: health.b: converted -> 7\n"
           "reloaded: 0 added, 0 removed, 0 re-parented, 2 changed, ",
           ". ./words.sh; save one; entc build src -o out >built && run -v\n"
           "cp two src/health.component.json; save other; entc build src -o out >built\n"
           "await printed '^not reloaded'\n"
           "cp three src/health.component.json; entc build src -o out >built\n"
           "await printed '^reloaded'; stop TERM; grep -vE '^. (levels|health)' printed");
    free(folder);
}

static void watch_follows_bundles_and_folders_that_return(void** state) {
    char* folder = project("reload_refused");
    UNUSED(state);
    EXPECT(folder, 0, "reloaded: 1 added, 0 removed, 0 re-parented, 1 changed, ",
           ". ./words.sh; entc build src -o out && entc pack out -o a.pak\n"
           "env --default-signal=INT entrun a.pak --level levels/yard --watch >printed 2>err &\n"
           "running=$!; watchers=$running; await printed '^watching'\n"
           "save edited; entc build src -o out && entc pack out -o a.pak\n"
           "await printed '^reloaded'; stop INT; cat printed");
    EXPECT(folder, 0, "not reloaded: there is no index \"out/.entc.index\"; build the folder",
           ". ./words.sh; rm printed; run; mv out moved; await printed '^not reloaded'\n"
           "sed -i s/bench/table/ src/levels/yard.level.json; entc build src -o out >built\n"
           "await printed '^reloaded: 1 added, 1 removed'; stop TERM\n"
           "[ $(grep -c '^not reloaded' printed) = 1 ] || exit 96; cat printed");
    free(folder);
}

/* Three frames, an edit, three more frames. */
static void hot_reload_example_applies_edit_between_frames(void** state) {
    char* folder = project("reload_example");
    UNUSED(state);
    test_write_text(folder, "fast",
                    YARD("[0, 0, 0]",
                         BENCH ",\n{ \"name\": \"cart\", "
                               "\"components\": { \"transform\": { \"scale\": [2, 2, 2] "
                               "}, \"point_mass\": { \"velocity\": [2, 0, 0] } } }"));
    TestRun run = test_command(
        folder,
        ". ./words.sh; game=$(dirname $(command -v entc))/examples/hot_reload;\n"
        "sed 's/\"scale\": .2, 2, 2./\"scale\": [1, 1, 1]/' fast >slow\n"
        "cp slow src/levels/yard.level.json; entc build src -o out >built || exit 9\n"
        "mkfifo frames; \"$game\" out levels/yard <frames >printed & exec 3>frames\n"
        "await() { for i in $(seq 600); do [ $(wc -l <printed) = $1 ] && return; sleep 0.05; "
        "done; exit 99; }\n"
        "echo >&3; echo >&3; await 2; cp fast src/levels/yard.level.json\n"
        "entc build src -o out >built || exit 9; echo >&3; await 5\n"
        "head -c 9 out/.entc.index >half; mv half out/.entc.index\n"
        "echo >&3; exec 3>&-; ended $!; code=$?; cat printed; exit $code");
    assert_int_equal(run.code, 0);
    assert_string_equal(run.out,
                        "1 of 1: 1 0 0\n"
                        "1 of 1: 2 0 0\n"
                        "changed: levels/yard.level\n"
                        "reloaded: 0 added, 0 removed, 1 fields written\n"
                        "1 of 1: 3 0 0\n"
                        "not reloaded: \"out/.entc.index\": header at offset 9: the header "
                        "has 64 bytes, but only 9 bytes are available; build the folder "
                        "again with `entc build`\n"
                        "1 of 1: 4 0 0\n");
    test_run_free(&run);
    free(folder);
}

TEST_SUITE(reload) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_saved_while_entrun_watches_changes_running_world),
        cmocka_unit_test(reload_with_each_kind_of_change_reports_it),
        cmocka_unit_test(reload_report_prints_values_in_the_form_of_dump),
        cmocka_unit_test(reload_of_damaged_file_leaves_world_unchanged),
        cmocka_unit_test(reload_follows_changed_and_new_component_types),
        cmocka_unit_test(reload_of_a_declaration_that_is_refused_is_made_up_for),
        cmocka_unit_test(watch_follows_bundles_and_folders_that_return),
        cmocka_unit_test(hot_reload_example_applies_edit_between_frames),
    };
    return TEST_RUN("reload", tests);
}
