/* test_git.c - blobs in a real repository, set up with what `entc setup-git --print` prints. */
#include <stdio.h>
#include <stdlib.h>

#include "blob.h"
#include "test.h"

static const char level[] = "{ \"entities\": [ { \"name\": \"lamp\", \"components\": { \"light\": "
                            "{ \"range_m\": 7 } } } ] }\n";

/* A git that knows nothing of the user's own configuration. */
#define GIT                                                                                        \
    "export HOME=$PWD/.. GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b "            \
    "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b GIT_PAGER=cat; unset GIT_DIR GIT_WORK_TREE; "

/* A repository with one commit: a level and its blob; free it. */
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

#define GIT_SAYS(folder, text, command)                                                            \
    do {                                                                                           \
        TestRun run_ = test_command(folder, GIT command);                                          \
        if (run_.code != 0 || !strstr(run_.out, text)) {                                           \
            fail_msg("%s: %d, no \"%s\": %s%s", command, run_.code, text, run_.out, run_.err);     \
        }                                                                                          \
        test_run_free(&run_);                                                                      \
    } while (0)

static void it_only_prints(void** state) {
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

static void git_shows_what_changed(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/diff");
    change(folder, "s/7/8/");
    GIT_SAYS(folder, "range_m: 7", "git diff out");
    GIT_SAYS(folder, "range_m: 8", "git diff out");
    GIT_SAYS(folder, "range_m", "git diff out | grep '^[-+]'");
    GIT_SAYS(folder, "2", "git diff out | grep -c '^[-+] .*range_m'");
    TEST_DONE(folder, GIT "git commit -qam two");
    GIT_SAYS(folder, "range_m: 8", "git log -p -1 -- out");
    GIT_SAYS(folder, "range_m: 7", "git show HEAD -- out");
    TEST_DONE(folder, GIT "test -z \"$(git status --porcelain)\"");
    /* A patch for somebody without entc holds the bytes. */
    GIT_SAYS(folder, "GIT binary patch", "git format-patch -1 --stdout");
    free(folder);
}

/* Damage is shown as text, and two damages as two; git diff and git log go on behind it. */
static void git_lives_with_a_damaged_blob(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/damaged");
    test_write_text(folder, "src/z.level.json", level);
    TEST_DONE(folder, GIT "entc build src -o out && git add . && git commit -qm z && "
                          "printf 'XXXX' | dd of=out/yard.level bs=1 seek=100 conv=notrunc && "
                          "sed -i 's/7/9/' src/z.level.json && "
                          "entc compile src z.level -o out/z.level");
    GIT_SAYS(folder, "+refused: header.hash at offset", "git diff out");
    GIT_SAYS(folder, "range_m: 9", "git diff out");
    TEST_DONE(folder, GIT "git commit -qam damaged && "
                          "printf 'YYYY' | dd of=out/yard.level bs=1 seek=100 conv=notrunc");
    GIT_SAYS(folder, "+hash: ", "git diff out");
    TEST_DONE(folder, GIT ": > out/yard.level; git commit -qam empty");
    GIT_SAYS(folder, "+bytes: 0", "git log -p -1 -- out");
    TestRun run = test_command(folder, "entc dump out/yard.level");
    assert_int_equal(run.code, 3);
    assert_string_equal(run.out, "");
    test_run_free(&run);
    run = test_command(folder, "entc dump --textconv nosuch");
    assert_int_equal(run.code, 2);
    test_run_free(&run);
    free(folder);
}

static void difftool_calls_entc(void** state) {
    UNUSED(state);
    TEST_NEEDS("git");
    char* folder = repository_new("git/difftool");
    change(folder, "s/7/8/");
    GIT_SAYS(folder, "lamp: light[0].range_m: 7 -> 8", "git difftool -y -t entc -- out");
    GIT_SAYS(folder, "lamp: light[0].range_m: 7 -> 8", "git difftool -d -t entc -- out");
    TEST_DONE(folder, GIT "git rm -q --cached out/yard.level && git commit -qm gone");
    GIT_SAYS(folder, "only in B: ", "git add out && git difftool -y -t entc --cached -- out");
    TEST_DONE(folder, GIT "git commit -qm back && git rm -q out/yard.level");
    GIT_SAYS(folder, "only in A: ", "git difftool -y -t entc --cached -- out");
    free(folder);
}

int test_git(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_only_prints),
        cmocka_unit_test(git_shows_what_changed),
        cmocka_unit_test(git_lives_with_a_damaged_blob),
        cmocka_unit_test(difftool_calls_entc),
    };
    return TEST_RUN("git", tests);
}
