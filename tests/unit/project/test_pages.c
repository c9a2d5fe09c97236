/* test_pages.c - every page (*.md) of the repository: its links resolve, its commands run and print
 * what the page shows, its C compiles, its JSON is valid.
 *
 * The blocks of a page are run in their order, in a folder of the page's own that begins empty;
 * tests/TESTING.md lists what a block can be. GOLDEN=1 writes the output of commands into the
 * pages. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "page_run.h"
#include "test.h"

#define README           "README.md"
#define README_LINES_MAX 140
#define PAGES_MAX        256

typedef struct Pages {
    char path[PAGES_MAX][256];
    u32  count;
} Pages;

static Pages pages; /* all of the repository, found once */

/* The files that `entc init` writes are pages of the new project. */
static const Pages* pages_found(void) {
    if (pages.count) return &pages;
    TestRun run =
        test_command(".", "find . -name '*.md' -not -path './build/*' -not -path './out/*' "
                          "-not -path './compiler/author/start/*' | LC_ALL=C sort");
    for (char* at = strtok(run.out, "\n"); at; at = strtok(NULL, "\n")) {
        assert_true(pages.count < PAGES_MAX);
        snprintf(pages.path[pages.count++], sizeof pages.path[0], "%s", at + 2);
    }
    test_run_free(&run);
    return &pages;
}

/* Calls `each` with every page, opened. */
static void pages_each(void (*each)(const Page* page)) {
    for (u32 i = 0; i < pages_found()->count; i++) {
        Page page;
        page_open(&page, pages.path[i]);
        each(&page);
        page_close(&page);
    }
}

/* --- form --- */

static void languages_check(const Page* page) {
    static const char* const known[] = {"sh",    "c",    "json",    "yaml", "make", "text",
                                        "ninja", "glsl", "mermaid", "run",  "file", "python"};
    for (u32 i = 0; i < page->block_count; i++) {
        const PageBlock* block = &page->block[i];
        bool             found = false;
        for (u32 k = 0; k < COUNT_OF(known); k++) found |= strcmp(block->language, known[k]) == 0;
        if (!found) {
            fail_msg("%s:%u: a block has no language, or one that no test checks: \"%s\"",
                     page->path, block->line, block->language);
        }
    }
}

static void blocks_of_pages_have_known_languages(void** state) {
    UNUSED(state);
    pages_each(languages_check);
}

static void readme_has_at_most_140_lines(void** state) {
    size_t size;
    char*  text = (char*)test_read(README, &size);
    u32    lines = 0;
    UNUSED(state);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++) lines += text[i] == '\n';
    assert_true(lines <= README_LINES_MAX);
    free(text);
}

/* Tables of figures have the values of tests/bench.csv. */
static void figures_in_pages_equal_bench_csv(void** state) {
    UNUSED(state);
    TEST_NEEDS("python3");
    TEST_DONE(".", "python3 tests/bench/figures.py --check");
}

/* --- links --- */

/* "runtime/gpu/SYSTEMS.md" and "../EMBEDDING.md" -> "runtime/EMBEDDING.md" */
static void path_join(const char* page, const char* target, char* out, size_t bytes) {
    snprintf(out, bytes, "%s", page);
    char* slash = strrchr(out, '/');
    *(slash ? slash : out) = 0;
    while (strncmp(target, "../", 3) == 0) {
        slash = strrchr(out, '/');
        *(slash ? slash : out) = 0;
        target += 3;
    }
    const size_t used = strlen(out);
    snprintf(out + used, bytes - used, "%s%s", used ? "/" : "", target);
}

static bool is_of_the_web(const char* target) { return strstr(target, "://") != NULL; }

static void link_check(void* user, const char* target, u32 line) {
    const Page* page = user;
    char        path[1024], target_path[512];
    if (is_of_the_web(target)) return;
    const char*  anchor = strchr(target, '#');
    const size_t bytes = anchor ? (size_t)(anchor - target) : strlen(target);
    snprintf(target_path, sizeof target_path, "%.*s", (int)bytes, target);
    if (bytes)
        path_join(page->path, target_path, path, sizeof path);
    else
        snprintf(path, sizeof path, "%s", page->path);
    if (access(path, F_OK) != 0) fail_msg("%s:%u: there is no %s", page->path, line, path);
    if (!anchor) return;
    Page other;
    page_open(&other, path);
    if (!page_has_anchor(&other, anchor + 1)) {
        fail_msg("%s:%u: %s has no heading %s", page->path, line, path, anchor);
    }
    page_close(&other);
}

static void links_check(const Page* page) { page_links(page, link_check, (void*)page); }

static void links_between_pages_resolve(void** state) {
    UNUSED(state);
    pages_each(links_check);
}

/* `formats/blob.h` in a text: a path of this repository. Patterns and what is built are not. */
static void code_check(void* user, const char* code, u32 line) {
    static const char* const roots[] = {"compiler/", "formats/", "runtime/",
                                        "shaders/",  "tests/",   ".ci/"};
    const Page*              page = user;
    for (u32 i = 0; i < COUNT_OF(roots); i++) {
        if (strncmp(code, roots[i], strlen(roots[i])) != 0) continue;
        if (code[strcspn(code, " *<>{}[],:")] || strstr(code, "NAME") || strstr(code, "xxx"))
            return;
        if (access(code, F_OK) != 0) fail_msg("%s:%u: there is no %s", page->path, line, code);
    }
}

static void codes_check(const Page* page) { page_codes(page, code_check, (void*)page); }

static void paths_in_pages_exist(void** state) {
    UNUSED(state);
    pages_each(codes_check);
}

/* --- every module, every page --- */

static void modules_of_makefile_have_a_readme(void** state) {
    u32 count = 0;
    UNUSED(state);
    TestRun run =
        test_command(".", "unset MAKEFLAGS MFLAGS MAKELEVEL; make -s sees | sed 's/ .*//'");
    for (char* at = strtok(run.out, "\n"); at; at = strtok(NULL, "\n"), count++) {
        char path[256];
        snprintf(path, sizeof path, "%s/%s", at, README);
        if (access(path, F_OK) != 0) fail_msg("the module %s has no %s", at, README);
    }
    assert_true(count > 20);
    test_run_free(&run);
}

static bool reached[PAGES_MAX];
static bool reached_more;

/* A link to a folder leads to the README.md of each folder in it. */
static bool is_reached_by(const char* page, const char* path) {
    const size_t bytes = strlen(path);
    if (strcmp(page, path) == 0) return true;
    if (bytes == 0 || path[bytes - 1] != '/' || strncmp(page, path, bytes) != 0) return false;
    const char* slash = strchr(page + bytes, '/');
    return slash && strcmp(slash + 1, README) == 0;
}

static void link_follow(void* user, const char* target, u32 line) {
    char  path[1024];
    Page* page = user;
    UNUSED(line);
    if (is_of_the_web(target)) return;
    path_join(page->path, target, path, sizeof path);
    path[strcspn(path, "#")] = 0;
    for (u32 i = 0; i < pages.count; i++) {
        if (reached[i] || !is_reached_by(pages.path[i], path)) continue;
        reached[i] = reached_more = true;
    }
}

static void pages_are_reachable_by_links_from_readme(void** state) {
    UNUSED(state);
    pages_found();
    for (u32 i = 0; i < pages.count; i++) reached[i] = strcmp(pages.path[i], README) == 0;
    do {
        reached_more = false;
        for (u32 i = 0; i < pages.count; i++) {
            Page page;
            if (!reached[i]) continue;
            page_open(&page, pages.path[i]);
            page_links(&page, link_follow, &page);
            page_close(&page);
        }
    } while (reached_more);
    for (u32 i = 0; i < pages.count; i++) {
        if (!reached[i]) fail_msg("no link leads from %s to %s", README, pages.path[i]);
    }
}

/* --- blocks --- */

/* An installed entc and libent, which pkg-config finds, and a compiler that suits them. The loader
 * does not search the folder of this libent: programs are linked with its path. */
static void environment_write(PageRun* run) {
    static char stage[600];
    char        here[400];
    assert_non_null(getcwd(here, sizeof here));
    if (!*stage) {
        snprintf(stage, sizeof stage, "%s", test_folder("pages_stage"));
        TEST_DONE(".",
                  "unset MAKEFLAGS MFLAGS MAKELEVEL; config=" TEST_BUILD
                  "; make -s BUILD=" TEST_BUILD
                  " config=${config##*/} install DESTDIR='%s' PREFIX=/opt/ent",
                  stage);
        TEST_DONE(
            stage,
            "mkdir bin && printf '#!/bin/sh\\nexec gcc %%s \"$@\" -Wl,-rpath,\"%%s\"\\n' '%s' "
            "\"$PWD/opt/ent/lib\" >bin/cc && chmod +x bin/cc",
            SANITIZED ? "-fsanitize=address,undefined" : "");
    }
    snprintf(run->environment, sizeof run->environment,
             "unset MAKEFLAGS MFLAGS MAKELEVEL GIT_DIR ENTC_CACHE_DIR; export ROOT='%s' LC_ALL=C "
             "PATH=\"%s/bin:%s/" TEST_BUILD "/examples:$PATH\" PKG_CONFIG_SYSROOT_DIR='%s' "
             "PKG_CONFIG_LIBDIR='%s/opt/ent/lib/pkgconfig' "
             "GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c "
             "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; ",
             here, stage, here, stage, stage);
}

/* The complete page. The state of the test is its path. */
static void blocks_of_a_page_run(void** state) {
    PageRun run = {.enter = ""};
    Page    page;
    char    name[300] = "pages/";
    TEST_NEEDS("pkg-config");
    TEST_NEEDS("git");
    TEST_NEEDS("ninja");
    page_open(&page, *state);
    run.page = &page;
    for (size_t i = 0; page.path[i]; i++) name[6 + i] = page.path[i] == '/' ? '_' : page.path[i];
    environment_write(&run);
    snprintf(run.folder, sizeof run.folder, "%s/page", test_folder(name));
    TEST_DONE(".", "mkdir '%s'", run.folder);
    page_run(&run);
    page_close(&page);
}

TEST_SUITE(pages) {
    static struct CMUnitTest tests[PAGES_MAX + 8] = {
        cmocka_unit_test(blocks_of_pages_have_known_languages),
        cmocka_unit_test(readme_has_at_most_140_lines),
        cmocka_unit_test(figures_in_pages_equal_bench_csv),
        cmocka_unit_test(links_between_pages_resolve),
        cmocka_unit_test(paths_in_pages_exist),
        cmocka_unit_test(modules_of_makefile_have_a_readme),
        cmocka_unit_test(pages_are_reachable_by_links_from_readme),
    };
    u32 count = 7;
    for (u32 i = 0; i < pages_found()->count; i++, count++) {
        tests[count] = (struct CMUnitTest){.name = pages.path[i],
                                           .test_func = blocks_of_a_page_run,
                                           .initial_state = pages.path[i]};
    }
    return test_run_fixtures("pages", tests, count, NULL, NULL);
}
