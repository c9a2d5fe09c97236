/* test_folder_watch.c - which changes of a folder are reported, and how long a watch waits for more of them.
 *
 * Invariants: a file that was closed or moved to its name ends the short wait, anything else the long one; the list has
 * every entry that was changed, or says that it is incomplete. */
#define _GNU_SOURCE
#include "test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "clock.h"
#include "folder_watch.h"

#define LONG_MS 60000u /* no test lasts so long */

static FolderWatch* watch_new(void) {
    FolderWatch* w;
    assert_int_equal(system("mkdir -p root/sub && echo 1 >root/a && echo 1 >root/sub/b"), 0);
    assert_int_equal(folder_watch_open(&w, "root"), ENT_OK);
    return w;
}

static bool is_listed(const FolderWatch* w, const char* path) {
    const FolderChanges* changes = folder_watch_changes(w);
    bool                 found = false;
    for (u32 i = 0; i < changes->count; i++) found |= strcmp(changes->path[i], path) == 0;
    return found;
}

/* Waits with a long time after everything but what a test expects; it would end with the time limit of the test. */
static void waits(FolderWatch* w, u32 complete_ms, u32 quiet_ms, u32 max_ms) {
    const WatchTimes times = {complete_ms, quiet_ms, max_ms};
    const u64        start = clock_ns();
    assert_int_equal(folder_watch_wait(w, &times), ENT_OK);
    assert_true(clock_ns() - start < (u64)LONG_MS * 1000000u);
}

static void closed_or_moved_file_ends_the_short_wait(void** state) {
    static const char* const scripts[] = {"echo 2 >root/a", "echo 2 >root/sub/b",
                                          "echo 3 >x && mv x root/a",
                                          "rm root/a && echo 4 >root/a"};
    const int                here = test_enter(test_folder("folder_watch/complete"));
    UNUSED(state);
    FolderWatch* w = watch_new();
    for (u32 i = 0; i < COUNT_OF(scripts); i++) {
        assert_int_equal(system(scripts[i]), 0);
        waits(w, 1, LONG_MS, LONG_MS);
        assert_true(is_listed(w, i == 1 ? "sub/b" : "a"));
        assert_false(is_listed(w, i == 1 ? "a" : "sub/b"));
        assert_false(folder_watch_changes(w)->is_incomplete);
    }
    folder_watch_close(w);
    test_leave(here);
}

static void file_that_is_still_open_ends_the_long_wait(void** state) {
    const int here = test_enter(test_folder("folder_watch/open"));
    UNUSED(state);
    FolderWatch* w = watch_new();
    const int    fd = open("root/a", O_WRONLY | O_CLOEXEC);
    assert_int_equal(write(fd, "5", 1), 1);
    waits(w, LONG_MS, 1, LONG_MS);
    assert_true(is_listed(w, "a"));
    assert_int_equal(unlink("root/sub/b"), 0);
    waits(w, LONG_MS, 1, LONG_MS);
    assert_true(is_listed(w, "sub/b"));
    assert_int_equal(write(fd, "6", 1), 1);
    waits(w, LONG_MS, LONG_MS, 1); /* however many changes follow */
    close(fd);
    waits(w, 1, LONG_MS, LONG_MS);
    folder_watch_close(w);
    test_leave(here);
}

static void hidden_entries_are_not_listed(void** state) {
    const int here = test_enter(test_folder("folder_watch/hidden"));
    UNUSED(state);
    FolderWatch* w = watch_new();
    assert_int_equal(
        system("echo 1 >root/.swp && rm root/.swp && touch root/sub/.x && echo 2 >root/a"), 0);
    assert_int_equal(folder_watch_poll(w), ENT_OK);
    assert_int_equal(folder_watch_changes(w)->count, 1);
    assert_true(is_listed(w, "a"));
    assert_int_equal(folder_watch_poll(w), ENT_OK);
    assert_int_equal(folder_watch_changes(w)->count, 0);
    folder_watch_close(w);
    test_leave(here);
}

static void list_without_all_changes_is_incomplete(void** state) {
    static const char* const scripts[] = {
        "mkdir root/new && echo 1 >root/new/c",
        "mv root/new root/old",
        "rm -r root/old",
        "mkdir -p out && echo 1 >out/d && mv out root/out",
        "i=0; while [ $i -lt 5000 ]; do echo >root/n$i; i=$((i + 1)); done",
        "mv root away && mkdir -p root/sub && echo 9 >root/a"};
    const int here = test_enter(test_folder("folder_watch/incomplete"));
    UNUSED(state);
    FolderWatch* w = watch_new();
    for (u32 i = 0; i < COUNT_OF(scripts); i++) {
        assert_int_equal(system(scripts[i]), 0);
        assert_int_equal(folder_watch_poll(w), ENT_OK);
        if (!folder_watch_changes(w)->is_incomplete) fail_msg("%s", scripts[i]);
        assert_int_equal(system("echo 2 >root/a"), 0);
        assert_int_equal(folder_watch_poll(w), ENT_OK);
        assert_false(folder_watch_changes(w)->is_incomplete);
        assert_true(is_listed(w, "a"));
    }
    folder_watch_close(w);
    test_leave(here);
}

TEST_SUITE(folder_watch) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(closed_or_moved_file_ends_the_short_wait),
        cmocka_unit_test(file_that_is_still_open_ends_the_long_wait),
        cmocka_unit_test(hidden_entries_are_not_listed),
        cmocka_unit_test(list_without_all_changes_is_incomplete),
    };
    return TEST_RUN("folder_watch", tests);
}
