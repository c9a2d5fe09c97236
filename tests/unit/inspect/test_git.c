/* test_git.c - blobs in a real repository, set up with the output of `entc setup-git --print`. */
#include <stdio.h>
#include <stdlib.h>

#include "blob.h"
#include "test.h"

static const char level[] = "{ \"entities\": [ { \"name\": \"lamp\", \"components\": { \"light\": "
                            "{ \"range_m\": 7 } } } ] }\n";

/* A git that does not read the configuration of the user. */
#define GIT                                                                                        \
    "export HOME=$PWD/.. GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "            \
    "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_PAGER=cat; unset GIT_DIR GIT_WORK_TREE; "

/* A repository with one commit: a level and its blob. The caller frees the path. */
static char* repository_new(const char* name) {
    char path[600];
    snprintf(path, sizeof path, "%s/repository", test_folder(name));
    char* folder = strdup(path);
    test_write_text(folder, "src/yard.level.json", level);
    TEST_DONE(folder, GIT "git init -q && entc build src -o out");
    TEST_DONE(folder, GIT "entc setup-git --print | grep '^\\*' >> .gitattributes && "
                          "entc setup-git --print | grep '^git' | sh");
    TEST_DONE(folder, GIT "git add . && git commit -qm one");
    return folder;
}

static void change(const char* folder, const char* script) {
    TEST_DONE(folder, "sed -i '%s' src/yard.level.json && entc build src -o out", script);
}

#define GIT_PRINTS(folder, text, command)                                                          \
    do {                                                                                           \
        TestRun run_ = test_command(folder, GIT command);                                          \
        if (run_.code != 0 || !strstr(run_.out, text)) {                                           \
            fail_msg("%s: %d, no \"%s\": %s%s", command, run_.code, text, run_.out, run_.err);     \
        }                                                                                          \
        test_run_free(&run_);                                                                      \
    } while (0)

static void setup_git_prints_settings_and_changes_nothing(void** state) {
    const char* folder = test_folder("git/print");
    UNUSED(state);
    TestRun run = test_command(folder, "entc setup-git");
    assert_int_equal(run.code, 1);
    assert_string_equal(run.out, "");
    assert_non_null(strstr(run.err, "--print"));
    test_run_free(&run);
    run = test_command(folder, "entc setup-git --print");
    assert_int_equal(run.code, 0);
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        char line[64];
        snprintf(line, sizeof line, "\n*.%s diff=entc", ent_resource_suffix(type));
        if (!strstr(run.out, line)) fail_msg("no line for %s", ent_resource_suffix(type));
    }
    test_run_free(&run);
    char* left = test_tree(folder);
    assert_string_equal(left, "");
    free(left);
    run = test_command(folder, "entc setup-git --print extra");
    assert_int_equal(run.code, 1);
    test_run_free(&run);
}

static void git_diff_of_changed_blob_shows_changed_fields(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/diff");
    change(folder, "s/7/8/");
    GIT_PRINTS(folder, "range_m: 7", "git diff out");
    GIT_PRINTS(folder, "range_m: 8", "git diff out");
    GIT_PRINTS(folder, "range_m", "git diff out | grep '^[-+]'");
    GIT_PRINTS(folder, "2", "git diff out | grep -c '^[-+] .*range_m'");
    TEST_DONE(folder, GIT "git commit -qam two");
    GIT_PRINTS(folder, "range_m: 8", "git log -p -1 -- out");
    GIT_PRINTS(folder, "range_m: 7", "git show HEAD -- out");
    TEST_DONE(folder, GIT "test -z \"$(git status --porcelain)\"");
    /* A patch for a user without entc contains the bytes. */
    GIT_PRINTS(folder, "GIT binary patch", "git format-patch -1 --stdout");
    free(folder);
}

/* Damage is shown as text, and two damages as two; git diff and git log continue after it. */
static void git_diff_of_damaged_blob_shows_error_and_continues(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/damaged");
    test_write_text(folder, "src/z.level.json", level);
    TEST_DONE(folder, GIT "entc build src -o out && git add . && git commit -qm z && "
                          "printf 'XXXX' | dd of=out/yard.level bs=1 seek=100 conv=notrunc && "
                          "sed -i 's/7/9/' src/z.level.json && "
                          "entc compile src z.level -o out/z.level");
    GIT_PRINTS(folder, "+refused: header.hash at offset", "git diff out");
    GIT_PRINTS(folder, "range_m: 9", "git diff out");
    TEST_DONE(folder, GIT "git commit -qam damaged && "
                          "printf 'YYYY' | dd of=out/yard.level bs=1 seek=100 conv=notrunc");
    GIT_PRINTS(folder, "+hash: ", "git diff out");
    TEST_DONE(folder, GIT ": > out/yard.level; git commit -qam empty");
    GIT_PRINTS(folder, "+bytes: 0", "git log -p -1 -- out");
    TestRun run = test_command(folder, "entc dump out/yard.level");
    assert_int_equal(run.code, 3);
    assert_string_equal(run.out, "");
    test_run_free(&run);
    run = test_command(folder, "entc dump --textconv nosuch");
    assert_int_equal(run.code, 2);
    test_run_free(&run);
    free(folder);
}

static void git_difftool_of_changed_blob_runs_entc_diff(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/difftool");
    change(folder, "s/7/8/");
    GIT_PRINTS(folder, "lamp: light[0].range_m: 7 -> 8", "git difftool -y -t entc -- out");
    GIT_PRINTS(folder, "lamp: light[0].range_m: 7 -> 8", "git difftool -d -t entc -- out");
    TEST_DONE(folder, GIT "git rm -q --cached out/yard.level && git commit -qm gone");
    GIT_PRINTS(folder, "only in B: ", "git add out && git difftool -y -t entc --cached -- out");
    TEST_DONE(folder, GIT "git commit -qm back && git rm -q out/yard.level");
    GIT_PRINTS(folder, "only in A: ", "git difftool -y -t entc --cached -- out");
    free(folder);
}

/* --- components that the project declares --- */

static const char declaration[] =
    "{ \"fields\": { \"points\": { \"type\": \"f32\", \"default\": 1, \"max\": 1000 },\n"
    "  \"speed\": { \"type\": \"f32\", \"default\": 1 },\n"
    "  \"team\": { \"type\": \"enum\", \"enum\": [\"red\", \"blue\"], \"required\": true } } }\n";

static const char town[] = "{ \"entities\": [ { \"name\": \"hero\", \"components\": { \"health\":\n"
                           "  { \"points\": 7, \"speed\": 0.3, \"team\": \"red\" } } } ] }\n";

/* The files in the index, and so in every commit. */
typedef enum Tracked { ALL_FILES, ONLY_BLOBS, NO_DECLARED_BLOBS, NO_DECLARATIONS } Tracked;

/* A repository whose levels hold a component of its own; three commits:
 *   one    points 7, speed 0.3, team red
 *   two    points 8, speed 0.4, team blue
 *   three  points 9; the declaration has a field more, and lower bounds */
static char* project_new(const char* name, Tracked tracked) {
    static const char* const ignored[] = {"", "src\n", "*.component\n",
                                          "*.component\n*.component.json\n"};
    char                     path[600];
    snprintf(path, sizeof path, "%s/repository", test_folder(name));
    char* folder = strdup(path);
    test_write_text(folder, "src/gameplay/health.component.json", declaration);
    test_write_text(folder, "src/levels/town.level.json", town);
    test_write_text(folder, ".gitignore", ignored[tracked]);
    TEST_DONE(folder, GIT "git init -q && entc setup-git --print | grep '^\\*' > .gitattributes && "
                          "entc setup-git --print | grep '^git' | sh");
    TEST_DONE(folder, GIT "entc build src -o out --strip && git add . && git commit -qm one");
    TEST_DONE(folder, GIT "sed -i 's/7/8/; s/0.3/0.4/; s/red/blue/' src/levels/town.level.json && "
                          "entc build src -o out --strip && git add . && git commit -qm two");
    TEST_DONE(
        folder,
        GIT "sed -i 's/\"speed\"/\"pace\": { \"type\": \"u32\", \"default\": 3 }, &/; s/1000/10/' "
            "src/gameplay/health.component.json && sed -i 's/8/9/' src/levels/town.level.json && "
            "entc build src -o out --strip && git add . && git commit -qm three");
    return folder;
}

/* Exactly these lines begin with one sign, so that a change of three fields is three lines. */
#define GIT_CHANGES(folder, wanted, command)                                                       \
    do {                                                                                           \
        TestRun run_ = test_command(folder, GIT "%s | grep '^[-+] ' | tr -s ' '", command);        \
        if (strcmp(run_.out, wanted) != 0) {                                                       \
            fail_msg("%s: %s%s", command, run_.out, run_.err);                                     \
        }                                                                                          \
        test_run_free(&run_);                                                                      \
    } while (0)

#define ONE_TO_TWO                                                                                 \
    "- points: 7\n- speed: 0.3\n- team: red\n+ points: 8\n+ speed: 0.4\n+ team: blue\n"
#define TWO_TO_THREE "- points: 8\n+ points: 9\n+ pace: 3\n"

static const char difftool_one_to_two[] = "~ #0: health.points: 7 -> 8\n"
                                          "~ #0: health.speed: 0.3 -> 0.4\n"
                                          "~ #0: health.team: red -> blue\n";

/* Every way in which git shows a change, with the current and the former declaration. */
static void every_form_is_decoded(const char* folder) {
    GIT_CHANGES(folder, ONE_TO_TWO, "git diff HEAD~2 HEAD~1 -- '*.level'");
    GIT_CHANGES(folder, TWO_TO_THREE, "git diff HEAD~1 HEAD -- '*.level'");
    GIT_CHANGES(folder, TWO_TO_THREE ONE_TO_TWO, "git log -p -2 --format=%%s -- '*.level'");
    GIT_CHANGES(folder, TWO_TO_THREE, "git show HEAD -- '*.level'");
    GIT_PRINTS(folder, difftool_one_to_two, "git difftool -y -t entc HEAD~2 HEAD~1 -- '*.level'");
    GIT_PRINTS(folder, difftool_one_to_two, "git difftool -d -t entc HEAD~2 HEAD~1 -- '*.level'");
    GIT_PRINTS(folder, "#0: health.points: 8 -> 9\n",
               "git difftool -y -t entc HEAD~1 HEAD -- '*.level'");
    GIT_PRINTS(folder, "#0: health.points: 8 -> 9\n",
               "git difftool -d -t entc HEAD~1 HEAD -- '*.level'");
}

static void git_diff_with_tracked_declarations_decodes_components(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/declared", ALL_FILES);
    every_form_is_decoded(folder);
    /* In the working tree and the index, and from a folder below the top. */
    TEST_DONE(folder,
              GIT "sed -i 's/9/5/' src/levels/town.level.json && entc build src -o out --strip");
    GIT_CHANGES(folder, "- points: 9\n+ points: 5\n", "cd src && git diff -- ../out");
    GIT_PRINTS(folder, "#0: health.points: 9 -> 5", "git difftool -y -t entc -- out");
    GIT_PRINTS(folder, "#0: health.points: 9 -> 5", "git difftool -d -t entc -- out");
    GIT_CHANGES(folder, "- points: 9\n+ points: 5\n", "git add . && git diff --cached -- out");
    /* A commit that no branch contains any more is found while the reflog has it. */
    TEST_DONE(folder, GIT "git commit -qm four && git reset -q --hard HEAD~3");
    GIT_CHANGES(folder, TWO_TO_THREE,
                "git diff HEAD@{2} HEAD@{1}~1 -- '*.level' ; "
                "git diff ORIG_HEAD~2 ORIG_HEAD~1 -- '*.level'");
    free(folder);
}

static void git_diff_with_only_sources_of_declarations_decodes_components(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/sources", NO_DECLARED_BLOBS);
    GIT_PRINTS(folder, "0\n", "git ls-files | grep -c 'component$' || true");
    every_form_is_decoded(folder);
    free(folder);
}

static void git_diff_with_only_blobs_decodes_components(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/blobs", ONLY_BLOBS);
    GIT_PRINTS(folder, "0\n", "git ls-files | grep -c json || true");
    every_form_is_decoded(folder);
    /* Without a working tree, and with the folder of the repository elsewhere. */
    TEST_DONE(folder, GIT "git clone -q --bare . ../bare.git && cd ../bare.git && "
                          "entc setup-git --print | grep '^\\*' > info/attributes && "
                          "entc setup-git --print | grep '^git' | sh");
    GIT_CHANGES(folder, TWO_TO_THREE, "cd ../bare.git && git show HEAD -- '*.level'");
    GIT_CHANGES(
        folder, ONE_TO_TWO,
        "mv .git ../moved.git && git --git-dir=../moved.git --work-tree=. diff HEAD~2 HEAD~1");
    free(folder);
}

static void git_diff_in_repository_of_output_folder_decodes_components(void** state) {
    char path[600];
    UNUSED(state);
    TEST_NEEDS("git");
    snprintf(path, sizeof path, "%s", test_folder("git/subfolder"));
    char* folder = strdup(path);
    test_write_text(folder, "src/gameplay/health.component.json", declaration);
    test_write_text(folder, "src/levels/town.level.json", town);
    TEST_DONE(folder,
              GIT "entc build src -o out --strip && cd out && git init -q && "
                  "entc setup-git --print | grep '^\\*' > .gitattributes && "
                  "entc setup-git --print | grep '^git' | sh && git add . && git commit -qm one");
    TEST_DONE(folder, GIT "sed -i 's/7/8/; s/0.3/0.4/; s/red/blue/' src/levels/town.level.json && "
                          "entc build src -o out --strip");
    GIT_CHANGES(folder, ONE_TO_TWO, "cd out/levels && git diff");
    TEST_DONE(folder, GIT "cd out && git commit -qam two");
    GIT_CHANGES(folder, ONE_TO_TWO, "cd out/levels && git show HEAD");
    free(folder);
}

/* Untracked and ignored files are used if git tracks none; without any declaration the words of the
 * blob are shown, with a note that lists where was searched. */
static void git_diff_with_untracked_declarations_uses_them_or_prints_note(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/untracked", NO_DECLARATIONS);
    GIT_PRINTS(folder, "0\n", "git ls-files | grep -c 'component' || true");
    GIT_PRINTS(folder, "points: 9", "git show HEAD -- '*.level'");
    GIT_PRINTS(folder, "-component unknown 0x", "git show HEAD -- '*.level'");
    TEST_DONE(folder,
              "cp -r out elsewhere && cp -r src sources && rm -r out/gameplay src/gameplay && "
              "mkdir ../other && mv elsewhere sources ../other && cp out/levels/town.level ..");
    GIT_PRINTS(
        folder,
        "gameplay/health.component with the layout 0x94eb8b4b was not found in the git repository",
        "entc dump ../town.level 2>&1");
    GIT_PRINTS(folder, "component unknown 0x", "entc dump ../town.level");
    /* --declarations: folders of blobs or of sources, for every command that reads blobs. */
    static const char* const folders[] = {"elsewhere", "sources"};
    for (u32 i = 0; i < COUNT_OF(folders); i++) {
        EXPECT(folder, 0, "points: 9", "entc dump --declarations ../other/%s ../town.level",
               folders[i]);
        EXPECT(folder, 0, "health ", "entc info --declarations ../other/%s ../town.level",
               folders[i]);
        EXPECT(folder, 0, ": ok (", "entc verify --declarations ../other/%s ../town.level",
               folders[i]);
        EXPECT(folder, 0, "", "entc diff --declarations ../other/%s ../town.level ../town.level",
               folders[i]);
    }
    EXPECT(folder, 2, "cannot read the folder of declarations \"nosuch\"",
           "entc dump --declarations nosuch ../town.level");
    EXPECT(folder, 0, "health.component\": Is a directory",
           "mkdir -p x/gameplay/health.component && entc dump --declarations x ../town.level");
    EXPECT(folder, 0, "git could not read the repository",
           "GIT_DIR=/dev/null entc dump ../town.level");
    EXPECT(folder, 0, "git could not read the repository",
           "mkdir y && entc=$(command -v entc) && PATH=$PWD/y $entc dump ../town.level");
    EXPECT(folder, 0, "and the working directory is not in a git repository",
           "top=$PWD && cd / && entc dump $top/../town.level");
    EXPECT(folder, 0, "in the folders of --declarations",
           "entc dump --declarations . ../town.level");
    TEST_DONE(folder, GIT "git config diff.entc.textconv "
                          "'entc dump --textconv --declarations ../other/sources'");
    GIT_PRINTS(folder, "+    points: 9", "git show HEAD -- '*.level'");
    free(folder);
}

/* A repository is data: no program that its settings name is started. */
static void git_settings_of_repository_start_no_program(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/settings", ALL_FILES);
    TEST_DONE(folder,
              "cp out/levels/town.level .. && printf '#!/bin/sh\ntouch %s/started\n' > hook && "
              "chmod +x hook",
              folder);
    TEST_DONE(folder,
              GIT "git config core.fsmonitor $PWD/hook && git config log.showSignature true && "
                  "git config gpg.program $PWD/hook && git config core.pager $PWD/hook && "
                  "git config core.sshCommand $PWD/hook && git config diff.external $PWD/hook && "
                  "git config diff.entc.textconv $PWD/hook && git config log.follow true");
    /* A signature that git would verify with the program that the settings name. */
    TEST_DONE(folder, GIT "{ git cat-file commit HEAD | sed '/^$/q' | sed '$d'; "
                          "printf 'gpgsig -----BEGIN PGP SIGNATURE-----\\n \\n x\\n "
                          "-----END PGP SIGNATURE-----\\n\\nsigned\\n'; } | "
                          "git hash-object -t commit -w --stdin > id && "
                          "git update-ref refs/heads/signed $(cat id)");
    TEST_DONE(folder, GIT "git show HEAD~1:out/levels/town.level > old; rm -rf started");
    EXPECT(folder, 0, "points: 8", "entc dump old");
    EXPECT(folder, 0, "points: 9", "entc dump ../town.level");
    TEST_DONE(folder, "test ! -e started");
    free(folder);
}

/* A git that never answers, one that prints nonsense without end, and one that fails. */
static void git_that_hangs_floods_or_fails_is_reported_in_3_seconds(void** state) {
    static const struct {
        const char *script, *reported;
    } rows[] = {{"exec sleep 600", "was not found in the git repository within 3 s"},
                {"exec yes", "was not found in the git repository within 3 s"},
                {"exit 3", "git could not read the repository"}};
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = project_new("git/bounded", ALL_FILES);
    TEST_DONE(folder, "cp out/levels/town.level .. && mkdir bin");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char text[100];
        snprintf(text, sizeof text, "#!/bin/sh\n%s\n", rows[i].script);
        test_write_text(folder, "bin/git", text);
        EXPECT(folder, 0, rows[i].reported,
               "chmod +x bin/git && PATH=$PWD/bin:$PATH $BOUNDED entc dump ../town.level");
    }
    free(folder);
}

TEST_SUITE(git) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setup_git_prints_settings_and_changes_nothing),
        cmocka_unit_test(git_diff_of_changed_blob_shows_changed_fields),
        cmocka_unit_test(git_diff_of_damaged_blob_shows_error_and_continues),
        cmocka_unit_test(git_difftool_of_changed_blob_runs_entc_diff),
        cmocka_unit_test(git_diff_with_tracked_declarations_decodes_components),
        cmocka_unit_test(git_diff_with_only_sources_of_declarations_decodes_components),
        cmocka_unit_test(git_diff_with_only_blobs_decodes_components),
        cmocka_unit_test(git_diff_in_repository_of_output_folder_decodes_components),
        cmocka_unit_test(git_diff_with_untracked_declarations_uses_them_or_prints_note),
        cmocka_unit_test(git_settings_of_repository_start_no_program),
        cmocka_unit_test(git_that_hangs_floods_or_fails_is_reported_in_3_seconds),
    };
    return TEST_RUN("git", tests);
}
