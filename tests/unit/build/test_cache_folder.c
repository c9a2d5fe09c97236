/* test_cache_folder.c - the cache folder, called directly: entries that entc does not write are
 * reported, removed and not used; the least recently used entries are removed first. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cache.h"
#include "temporary_internal.h"
#include "test.h"
#include "test_cache_entry.h"

#define MANIFEST "entc\nwhat it depends on\n"
#define NOTES    "read a\n"
#define BYTES    "0123456789abcdef"

/* --- messages --- */

static int stderr_kept;

static void messages_begin(void) {
    stderr_kept = dup(STDERR_FILENO);
    fflush(stderr);
    if (!freopen("messages", "w+", stderr)) fail();
}

/* The messages printed since then, in the current folder. The caller frees them. */
static char* messages_end(void) {
    size_t size;
    fflush(stderr);
    dup2(stderr_kept, STDERR_FILENO);
    close(stderr_kept);
    return (char*)test_read("messages", &size);
}

/* --- entries --- */

static const char* entry_path(void) {
    static char path[200];
    FILE*       found = popen("find cache -type f -path 'cache/*/*'", "r");
    assert_non_null(fgets(path, sizeof path, found));
    assert_int_equal(fgetc(found), EOF);
    pclose(found);
    path[strcspn(path, "\n")] = 0;
    return path;
}

static void cache_new(Cache* cache) {
    assert_int_equal(system("rm -rf cache"), 0);
    assert_true(cache_open(cache, "cache"));
    cache_store(cache, text_of(MANIFEST), text_of(NOTES), BYTES, strlen(BYTES));
    assert_int_equal(cache->stores, 1);
    assert_int_equal(cache->refused, 0);
}

static bool is_found(Cache* cache, const char* manifest) {
    CacheEntry entry;
    const bool found = cache_find(cache, text_of(manifest), &entry);
    if (found) {
        assert_true(text_equal(entry.notes, text_of(NOTES)));
        assert_int_equal(entry.size, strlen(BYTES));
        assert_memory_equal(entry.bytes, BYTES, entry.size);
    }
    cache_release(&entry);
    return found;
}

static void another_magic(EntryHead* h) { h->magic[0] ^= 1; }
static void another_version(EntryHead* h) { h->version++; }
static void another_spare(EntryHead* h) { h->spare = 1; }
static void longer_manifest(EntryHead* h) { h->manifest_bytes++; }
static void longer_notes(EntryHead* h) { h->notes_bytes++; }
static void smaller_size(EntryHead* h) { h->size--; }
/* Numbers whose sum is valid in 64 bits. */
static void manifest_that_overflows(EntryHead* h) {
    h->manifest_bytes -= 40;
    h->notes_bytes += 20, h->size += 20;
}
static void endless_notes(EntryHead* h) { h->notes_bytes -= 8, h->size += 8; }
static void size_that_overflows(EntryHead* h) {
    h->notes_bytes = h->manifest_bytes + h->notes_bytes + h->size;
    h->size = 0 - h->manifest_bytes;
}

static void cache_entry_with_any_invalid_head_is_removed(void** state) {
    static const struct {
        const char* name;
        void (*forge)(EntryHead* h);
    } ways[] = {
#define WAY(forge) {#forge, forge}
        WAY(another_magic),
        WAY(another_version),
        WAY(another_spare),
        WAY(longer_manifest),
        WAY(longer_notes),
        WAY(smaller_size),
        WAY(manifest_that_overflows),
        WAY(endless_notes),
        WAY(size_that_overflows),
        {"damaged", NULL},
        {"short", NULL},
#undef WAY
    };
    const int here = test_enter(test_folder("cache_entries"));
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(ways); i++) {
        Cache     cache;
        EntryHead head;
        size_t    size;
        cache_new(&cache);
        const char* path = entry_path();
        u8*         bytes = test_read(path, &size);
        memcpy(&head, bytes, sizeof head);
        if (ways[i].forge) ways[i].forge(&head);
        memcpy(bytes, &head, sizeof head);
        if (i == COUNT_OF(ways) - 2) bytes[size - 1] ^= 1;
        if (i == COUNT_OF(ways) - 1) size = 20;
        test_write(".", path, bytes, size);
        free(bytes);
        messages_begin();
        const bool found = is_found(&cache, MANIFEST);
        char*      said = messages_end();
        char       wanted[400];
        snprintf(wanted, sizeof wanted,
                 "entc: warning: rebuilding the damaged cache entry \"%s\"\n", path);
        if (found || strcmp(said, wanted) != 0 || access(path, F_OK) == 0)
            fail_msg("%s: found %d: %s", ways[i].name, found, said);
        free(said);
    }
    test_leave(here);
}

static void cache_entry_of_other_manifest_is_not_used(void** state) {
    Cache     cache, none = {0};
    char      first[200], command[500];
    const int here = test_enter(test_folder("cache_others"));
    UNUSED(state);
    cache_new(&cache);
    messages_begin();
    const bool found = is_found(&cache, MANIFEST), missing = is_found(&cache, "another");
    const bool in_none = is_found(&none, MANIFEST);
    cache_store(&none, text_of(MANIFEST), text_of(NOTES), BYTES, strlen(BYTES));
    char* said = messages_end();
    assert_string_equal(said, "");
    assert_true(found && !missing && !in_none);
    assert_int_equal(cache.hits, 1);
    assert_int_equal(none.stores, 0);
    assert_int_equal(access("(null)", F_OK), -1);
    free(said);
    /* As if two manifests had one hash: the entry is kept, and is not used. */
    strcpy(first, entry_path());
    assert_int_equal(rename(first, "kept"), 0);
    cache_store(&cache, text_of("another"), text_of(NOTES), BYTES, strlen(BYTES));
    snprintf(command, sizeof command, "cp kept %s", entry_path());
    assert_int_equal(system(command), 0);
    assert_false(is_found(&cache, "another"));
    assert_int_equal(access(entry_path(), F_OK), 0);
    test_leave(here);
}

/* --- folders --- */

static void cache_folder_that_cannot_be_used_is_reported_once(void** state) {
    Cache     cache;
    char      path[6000];
    const int here = test_enter(test_folder("cache_folders"));
    UNUSED(state);
    for (u32 i = 0; i < sizeof path - 1; i++) path[i] = i % 200 == 199 ? '/' : 'a';
    path[sizeof path - 2] = 'a', path[sizeof path - 1] = 0;
    test_write_text(".", "file", "");
    messages_begin();
    const bool opened = cache_open(&cache, NULL) || cache_open(&cache, "");
    char*      said = messages_end();
    assert_false(opened);
    assert_string_equal(said, "");
    free(said);
    messages_begin();
    const bool long_one = cache_open(&cache, path), file = cache_open(&cache, "file");
    said = messages_end();
    assert_false(long_one || file);
    assert_non_null(strstr(said, "aaa\": File name too long\n"));
    assert_non_null(strstr(said, "cannot use the cache folder \"file\": "));
    free(said);
    path[199] = 0;
    assert_int_equal(access(path, F_OK), -1); /* no part of it was created either */
    /* A folder that becomes a file: reported once. */
    cache_new(&cache);
    assert_int_equal(system("rm -r cache && touch cache"), 0);
    messages_begin();
    for (u32 i = 0; i < 3; i++)
        cache_store(&cache, text_of(MANIFEST), text_of(NOTES), BYTES, strlen(BYTES));
    said = messages_end();
    assert_int_equal(cache.stores, 1);
    assert_int_equal(cache.refused, 1);
    assert_string_equal(said, "entc: warning: cannot store results in the cache folder "
                              "\"cache\": Not a directory\n");
    free(said);
    test_leave(here);
}

/* In a folder whose path is too long for the names of entries, nothing is stored or found. */
static void cache_folder_with_too_long_path_stores_nothing(void** state) {
    char      path[4064];
    Cache     cache;
    const int here = test_enter(test_folder("cache_long"));
    UNUSED(state);
    for (u32 i = 0; i < sizeof path - 1; i++) path[i] = i % 200 == 199 ? '/' : 'a';
    path[sizeof path - 1] = 0;
    messages_begin();
    const bool opened = cache_open(&cache, path);
    cache_store(&cache, text_of(MANIFEST), text_of(NOTES), BYTES, strlen(BYTES));
    const bool found = is_found(&cache, MANIFEST);
    char*      said = messages_end();
    assert_string_equal(said, "");
    assert_true(opened && !found);
    assert_int_equal(cache.stores + cache.refused, 0);
    free(said);
    assert_int_equal(system("rm -r a*"), 0);
    test_leave(here);
}

static void temporary_files_of_killed_processes_in_cache_are_removed(void** state) {
    Cache      cache;
    Temporary* t;
    char       place[16] = "", file[100], folder[100];
    const int  here = test_enter(test_folder("cache_swept"));
    UNUSED(state);
    assert_true(cache_open(&cache, "cache"));
    const int fd = temporary_open(AT_FDCWD, "cache/x", &t);
    assert_true(fd >= 0);
    assert_int_equal(sscanf(strstr(t->path, ".entc.") + 6, "%8[0-9a-f]", place), 1);
    close(fd);
    temporary_close(t, false);
    snprintf(file, sizeof file, "cache/.entc.%s.2147483646.1.0.tmp", place);
    snprintf(folder, sizeof folder, "cache/.entc.%s.2147483646.1.1.tmp/x", place);
    test_write_text(".", file, "");
    messages_begin();
    const bool opened = cache_open(&cache, "cache");
    char*      said = messages_end();
    assert_true(opened);
    assert_string_equal(said, "");
    assert_int_equal(access(file, F_OK), -1);
    free(said);
    test_write_text(".", folder, "");
    messages_begin();
    (void)cache_open(&cache, "cache");
    said = messages_end();
    assert_non_null(strstr(said, "entc: warning: cannot remove \"cache/.entc."));
    free(said);
    test_leave(here);
}

/* --- trimming --- */

#define ENTRY(n) "cache/0" #n "/0123456789abcdef0123456789abcd"

/* Entries of 100 bytes, whose order of use differs from that of their names; and files that are no
 * entries. */
#define ENTRIES                                                                                    \
    "rm -rf cache; mkdir -p cache/00 cache/01 cache/02 cache/03 cache/04 cache/05 && "             \
    "for i in 0 1 2 3; do head -c 100 /dev/zero > cache/0$i/0123456789abcdef0123456789abcd; "      \
    "done; touch -d 2001-01-04 " ENTRY(1) "; touch -d 2001-01-03 " ENTRY(                          \
        3) "; "                                                                                    \
           "touch -d 2001-01-02 " ENTRY(0) " " ENTRY(2) " && head -c 50 /dev/zero > cache/notes"

static void cache_trim_removes_least_recently_used_entries_first(void** state) {
    static const struct {
        u32         max;
        const char *text, *left;
    } rows[] = {
        {400, "removed 0 entries of 0 bytes; 400 bytes remain", "00 01 02 03"},
        {399, "removed 1 entries of 100 bytes; 300 bytes remain", "00 01 03"},
        {299, "removed 2 entries of 200 bytes; 200 bytes remain", "01 03"},
        {100, "removed 3 entries of 300 bytes; 100 bytes remain", "01"},
        {0, "removed 4 entries of 400 bytes; 0 bytes remain", ""},
    };
    const char* folder = test_folder("cache_trimmed");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        TEST_DONE(folder, ENTRIES);
        EXPECT(folder, 0, rows[i].text, "entc cache --trim %u --cache cache", rows[i].max);
        TEST_DONE(
            folder,
            "test \"$(find cache -mindepth 2 -type f | sort | cut -d/ -f2 | xargs)\" = \"%s\"",
            rows[i].left);
    }
    TEST_DONE(folder, "rm -rf cache; mkdir cache; test \"$(entc cache --trim 0 --cache cache)\" = "
                      "'removed 0 entries of 0 bytes; 0 bytes remain'");
    TEST_DONE(folder, ENTRIES " && test -z \"$(entc cache --trim 0 --cache cache -q)\"");
}

static void files_in_cache_that_are_no_entries_are_kept(void** state) {
    static const char* const names[] = {
        "00/0123456789abcdef0123456789abc",    "00/0123456789abcdef0123456789abcde",
        "00/0123456789abcdef0123456789abcx",   "0x/0123456789abcdef0123456789abcd",
        "000123456789abcdef0123456789abcde",   "00/0123456789abcdef0/23456789abcd",
        "00/0123456789abcdef0123456789abcd.x", "00x0123456789abcdef0123456789abcd",
    };
    const char* folder = test_folder("cache_foreign");
    char        path[100];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        snprintf(path, sizeof path, "cache/%s", names[i]);
        test_write_text(folder, path, "mine");
    }
    test_write_text(folder, ENTRY(2), "the newest, which is removed");
    TEST_DONE(folder,
              "mkdir cache/01 && ln -s ../../mine %s && touch -h -d 2001-01-01 %s && "
              "find cache -type f ! -path %s -exec touch -d 2001-01-01 {} +",
              ENTRY(1), ENTRY(1), ENTRY(2));
    TEST_DONE(folder,
              "find cache ! -type d ! -path %s | sort > before && "
              "entc cache --trim 0 --cache cache -q && "
              "find cache ! -type d | sort | diff before -",
              ENTRY(2));
}

/* The first entry that cannot be removed ends the command; none is removed after it. */
static void cache_entry_that_cannot_be_removed_ends_trim_with_error(void** state) {
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    const char* folder = test_folder("cache_stuck");
    TEST_DONE(folder, ENTRIES " && strace -f -o log -e trace=unlink,unlinkat -e "
                              "inject=unlink,unlinkat:error=EIO:when=2 entc cache --trim 0 --cache "
                              "cache > said 2>&1; test $? = 2 && ! grep -q removed said && "
                              "grep -q 'cannot remove' said && "
                              "test $(find cache -mindepth 2 -type f | wc -l) = 3");
    test_write_text(folder, "src/a.material.json", "{}");
    EXPECT(folder, 0, "entc: warning: cannot remove \"c/",
           "entc build src -o out --cache c && for f in c/*/*; do echo >> $f; done && "
           "strace -f -o log -e trace=unlink,unlinkat -e inject=unlink,unlinkat:error=EIO "
           "entc build src -o new --cache c");
}

TEST_SUITE(cache_folder) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cache_entry_with_any_invalid_head_is_removed),
        cmocka_unit_test(cache_entry_of_other_manifest_is_not_used),
        cmocka_unit_test(cache_folder_that_cannot_be_used_is_reported_once),
        cmocka_unit_test(cache_folder_with_too_long_path_stores_nothing),
        cmocka_unit_test(temporary_files_of_killed_processes_in_cache_are_removed),
        cmocka_unit_test(cache_trim_removes_least_recently_used_entries_first),
        cmocka_unit_test(files_in_cache_that_are_no_entries_are_kept),
        cmocka_unit_test(cache_entry_that_cannot_be_removed_ends_trim_with_error),
    };
    return TEST_RUN("cache_folder", tests);
}
