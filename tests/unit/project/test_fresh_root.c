/* test_fresh_root.c - the tutorial as root on a new system: after `make install`, its commands work as
 * they are shown, with nothing in the environment that a new system does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "page_run.h"
#include "test.h"

typedef struct FreshRoot {
    char path[500];
    char enter[1400]; /* the command before a command that is to run there */
} FreshRoot;

/* False where this machine does not permit mounts. */
static bool fresh_root_create(FreshRoot* root, const char* name) {
    char here[400];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(root->path, sizeof root->path, "%s/root", test_folder(name));
    snprintf(root->enter, sizeof root->enter, "'%s/tests/support/fresh_root.sh' '%s'", here,
             root->path);
    TestRun    run = test_command(".", "%s true", root->enter);
    const bool permitted = run.code != 77;
    if (permitted && run.code != 0) fail_msg("%d: %s%s", run.code, run.out, run.err);
    test_run_free(&run);
    return permitted;
}

#define NEEDS_FRESH_ROOT(root, name)                                                               \
    FreshRoot root;                                                                                \
    TEST_NEEDS("unshare");                                                                         \
    if (!fresh_root_create(&root, name)) TEST_SKIP("this machine does not permit mounts")

static void fresh_root_install(const FreshRoot* root, const char* values) {
    TEST_DONE(".",
              "config=" TEST_BUILD "; %s make -s -C /src BUILD=" TEST_BUILD
              " config=${config##*/} install %s",
              root->enter, values);
    if (!SANITIZED) return;
    test_write_text(root->path, "local/bin/cc",
                    "#!/bin/sh\nexec gcc -fsanitize=address,undefined \"$@\"\n");
    TEST_DONE(root->path, "chmod +x local/bin/cc");
}

/* What is installed there stays there: /usr/local of this machine is not changed. */
static void fresh_root_is_separate_from_this_machine(void** state) {
    UNUSED(state);
    NEEDS_FRESH_ROOT(root, "fresh_root/separate");
    TEST_DONE(".",
              "%s sh -c 'test \"$(id -u)\" = 0 && test -z \"$(ls -A /usr/local; ls -A /root)\" && "
              "touch /usr/local/mark /etc/mark && ! touch /usr/mark 2>/dev/null'",
              root.enter);
    TEST_DONE(root.path, "test -e local/mark && test -e etc/mark && test ! -e /usr/local/mark && "
                         "test ! -e /etc/mark");
}

static void tutorial_in_a_fresh_root_works_as_it_is_shown(void** state) {
    PageRun run = {0};
    Page    page;
    char    enter[1600];
    UNUSED(state);
    TEST_NEEDS("pkg-config");
    NEEDS_FRESH_ROOT(root, "fresh_root/tutorial");
    fresh_root_install(&root, "");
    page_open(&page, "compiler/TUTORIAL.md");
    run.page = &page;
    snprintf(run.folder, sizeof run.folder, "%s/root/tutorial", root.path);
    snprintf(enter, sizeof enter, "%s env -C /root/tutorial", root.enter);
    run.enter = enter;
    TEST_DONE(".", "mkdir '%s'", run.folder);
    page_run(&run);
    page_close(&page);
}

/* `make install` installs for the multiarch folder of Debian as well, which the loader searches. */
static void program_in_a_fresh_root_finds_a_library_in_libdir(void** state) {
    UNUSED(state);
    TEST_NEEDS("pkg-config");
    NEEDS_FRESH_ROOT(root, "fresh_root/libdir");
    fresh_root_install(&root, "LIBDIR=lib/$(gcc -dumpmachine)");
    test_write_text(root.path, "root/host.c",
                    "#include <ent/ent.h>\n#include <stdio.h>\n"
                    "int main(void) { return puts(ent_version()) < 0; }\n");
    TestRun run = test_command(".",
                               "%s sh -c 'cd /root && cc host.c $(pkg-config --cflags --libs "
                               "libent) -o host && ./host'",
                               root.enter);
    assert_string_equal(run.err, "");
    assert_int_equal(run.code, 0);
    test_run_free(&run);
}

TEST_SUITE(fresh_root) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fresh_root_is_separate_from_this_machine),
        cmocka_unit_test(tutorial_in_a_fresh_root_works_as_it_is_shown),
        cmocka_unit_test(program_in_a_fresh_root_finds_a_library_in_libdir),
    };
    return TEST_RUN("fresh_root", tests);
}
