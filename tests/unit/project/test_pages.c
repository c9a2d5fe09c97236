/* test_pages.c - every page (*.md) of the repository: its links resolve, its commands run and print
 * what the page shows, its C compiles, its JSON is valid.
 *
 * The blocks of a page are run in their order, in a folder of the page's own that begins empty;
 * tests/TESTING.md lists what a block can be. GOLDEN=1 writes the output of commands into the
 * pages. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "exit_codes.h"
#include "markdown.h"
#include "test.h"

#define README           "README.md"
#define README_LINES_MAX 140
#define PAGES_MAX        256
#define OUTPUT_BYTES_MAX (64 * 1024)

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
                                        "ninja", "glsl", "mermaid", "run",  "file"};
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

/* Shared by the blocks of a page. */
typedef struct PageRun {
    const Page*      page;
    char             folder[600];
    char             environment[4096];
    const PageBlock* declared; /* for the next block of C; or NULL */
    FILE*            renewed;  /* the page with the output of its commands */
    size_t           copied;   /* bytes of the page that are in `renewed` */
} PageRun;

static void block_fail(const PageRun* run, const PageBlock* block, const TestRun* command) {
    fail_msg("%s:%u: exit code %d\n%s%s", run->page->path, block->line, command->code, command->out,
             command->err);
}

/* An installed entc and libent, which pkg-config finds, and a compiler that suits them. */
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
            "mkdir bin && printf '#!/bin/sh\\nexec gcc %s \"$@\"\\n' >bin/cc && chmod +x bin/cc",
            SANITIZED ? "-fsanitize=address,undefined" : "");
    }
    snprintf(run->environment, sizeof run->environment,
             "unset MAKEFLAGS MFLAGS MAKELEVEL GIT_DIR ENTC_CACHE_DIR; export ROOT='%s' LC_ALL=C "
             "PATH=\"%s/bin:%s/" TEST_BUILD "/examples:$PATH\" PKG_CONFIG_SYSROOT_DIR='%s' "
             "PKG_CONFIG_LIBDIR='%s/opt/ent/lib/pkgconfig' LD_LIBRARY_PATH='%s/opt/ent/lib' "
             "GIT_CONFIG_GLOBAL=/dev/null GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.c "
             "GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.c; ",
             here, stage, here, stage, stage, stage);
}

static TestRun script_run(const PageRun* run, const char* script) {
    test_write_text(run->folder, "../block", script);
    return test_command(run->folder, "%s $BOUNDED bash -e -o pipefail ../block 2>&1",
                        run->environment);
}

/* --- commands with their output --- */

/* Does the text match a pattern in which "..." is anything up to the next line end? */
static bool line_matches(const char* pattern, const char* text) {
    const char* dots = strstr(pattern, "...");
    if (!dots) return strcmp(pattern, text) == 0;
    const size_t before = (size_t)(dots - pattern), after = strlen(dots + 3);
    const size_t bytes = strlen(text);
    return bytes >= before + after && memcmp(pattern, text, before) == 0 &&
           strcmp(dots + 3, text + bytes - after) == 0;
}

/* The next line of a text, terminated by a NUL; NULL after the last one. */
static char* line_cut(char** text) {
    char* line = *text;
    if (!*line) return NULL;
    char* end = strchr(line, '\n');
    *text = end ? end + 1 : line + strlen(line);
    if (end) *end = 0;
    return line;
}

/* A line "..." alone is any number of lines. */
static bool output_matches(const char* shown, const char* printed) {
    char *pattern_text = strdup(shown), *text = strdup(printed);
    char *pattern_at = pattern_text, *at = text, *pattern, *line = NULL;
    bool  same = true;
    while (same && (pattern = line_cut(&pattern_at))) {
        if (strcmp(pattern, "...") == 0) {
            char* next = line_cut(&pattern_at);
            while ((line = line_cut(&at)) && next && !line_matches(next, line)) {
            }
            same = !next || line;
        } else {
            line = line_cut(&at);
            same = line && line_matches(pattern, line);
        }
    }
    same = same && !line_cut(&at);
    free(pattern_text);
    free(text);
    return same;
}

/* The form in which a page shows a printed line: a line that it showed before and that still
 * matches, or the line with "..." in place of the first time in it. */
static void line_renew(const char* shown, const char* printed, FILE* out) {
    char *text = strdup(shown), *at = text, *line;
    bool  kept = false;
    while (!kept && (line = line_cut(&at))) {
        kept = strcmp(line, "...") != 0 && line_matches(line, printed);
        if (kept) fprintf(out, "%s\n", line);
    }
    free(text);
    if (kept) return;
    const char* time = strstr(printed, " ms");
    const char* begin = time;
    while (begin && begin > printed && strchr("0123456789.", begin[-1])) begin--;
    if (time)
        fprintf(out, "%.*s...%s\n", (int)(begin - printed), printed, time);
    else
        fprintf(out, "%s\n", printed);
}

/* Without a device there is no output to compare; where REQUIRE_GPU is 1, that is an error. */
static bool lacks_device(const TestRun* found) {
    const char* required = getenv("REQUIRE_GPU");
    return found->code == EXIT_DEVICE && (!required || strcmp(required, "1") != 0);
}

/* One "$ COMMAND" of a block, with backslashes at the ends of lines, and what follows it. */
static char* command_run(const PageRun* run, const PageBlock* block, char* at, FILE* out) {
    char   command[4096] = "", shown[OUTPUT_BYTES_MAX] = "";
    char*  line = line_cut(&at);
    size_t used = 0;
    for (char* part = line + 2; part; part = line_cut(&at)) {
        used += (size_t)snprintf(command + used, sizeof command - used, "%s\n", part);
        fprintf(out, "%s%s\n", part == line + 2 ? "$ " : "", part);
        if (part[strlen(part) - 1] != '\\') break;
    }
    for (used = 0; *at && strncmp(at, "$ ", 2) != 0;) {
        used += (size_t)snprintf(shown + used, sizeof shown - used, "%s\n", line_cut(&at));
        assert_true(used < sizeof shown);
    }
    char script[sizeof command + 64];
    /* The driver of a device may not free its memory; the suites of the GPU look for leaks. */
    const bool on_device = SANITIZED && strncmp(command, "entrun ", 7) == 0;
    snprintf(script, sizeof script, "%s%s", on_device ? "export LSAN_OPTIONS=detect_leaks=0\n" : "",
             command);
    TestRun found = script_run(run, script);
    char    printed[OUTPUT_BYTES_MAX];
    used = (size_t)snprintf(printed, sizeof printed, "%s", found.out);
    assert_true(used + 64 < sizeof printed);
    if (found.code != 0)
        snprintf(printed + used, sizeof printed - used, "[exit code %d]\n", found.code);
    const bool same = output_matches(shown, printed) || lacks_device(&found);
    if (!same && !run->renewed) {
        fail_msg("%s:%u: %sthe page shows\n%sand what is printed is\n%s(GOLDEN=1 renews it)",
                 run->page->path, block->line, command, shown, printed);
    }
    if (same)
        fputs(shown, out);
    else
        for (char *rest = printed, *part; (part = line_cut(&rest));) line_renew(shown, part, out);
    test_run_free(&found);
    return at;
}

/* Replaces the text of the block. */
static void block_renew(PageRun* run, const PageBlock* block, const char* text, size_t bytes) {
    fwrite(run->page->text + run->copied, 1, block->begin - run->copied, run->renewed);
    fwrite(text, 1, bytes, run->renewed);
    run->copied = block->end;
}

static void transcript_run(PageRun* run, const PageBlock* block) {
    char*  text = strdup(block->text);
    char*  renewed = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&renewed, &bytes);
    for (char* at = text; *at;) {
        if (strncmp(at, "$ ", 2) != 0)
            fail_msg("%s:%u: the block begins with output", run->page->path, block->line);
        at = command_run(run, block, at, out);
    }
    fclose(out);
    if (run->renewed) block_renew(run, block, renewed, bytes);
    free(renewed);
    free(text);
}

static void sh_run(PageRun* run, const PageBlock* block) {
    if (strcmp(block->word, "norun") == 0) return;
    if (!block->note && strncmp(block->text, "$ ", 2) == 0) {
        transcript_run(run, block);
        return;
    }
    TestRun found = script_run(run, block->text);
    if (found.code != 0) block_fail(run, block, &found);
    test_run_free(&found);
}

/* --- C --- */

/* A block that includes a header, or begins with a definition, is a file or a part of one, and so
 * is one whose declarations belong to a file; any other block is a part of a function. */
static bool is_file_of_c(const PageRun* run, const char* text) {
    return strstr(text, "#include") || strncmp(text, "static ", 7) == 0 ||
           (run->declared && strcmp(run->declared->language, "file") == 0);
}

static void c_check(PageRun* run, const PageBlock* block) {
    const bool  file = is_file_of_c(run, block->text);
    const char* before = run->declared ? run->declared->text : "";
    char*       text = NULL;
    size_t      bytes = 0;
    FILE*       out = open_memstream(&text, &bytes);
    if (!strstr(block->text, "#include")) {
        fputs("#include <ent/ent.h>\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdlib.h>\n"
              "#include <string.h>\n",
              out);
        if (strstr(block->text, "ent_gpu_") || strstr(block->text, "ent_canvas_"))
            fputs("#include <ent/particles.h>\n#include <ent/sph.h>\n", out);
    }
    if (file)
        fprintf(out, "%s\n#line %u \"%s\"\n%s", before, block->line + 1, run->page->path,
                block->text);
    else
        fprintf(out, "int block(void);\nint block(void) {\n%s\n#line %u \"%s\"\n%sreturn 0;\n}\n",
                before, block->line + 1, run->page->path, block->text);
    fclose(out);
    test_write_text(run->folder, "../block.c", text);
    TestRun found = test_command(
        run->folder,
        "%s cc -std=c11 -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter -fsyntax-only "
        "$(pkg-config --cflags libent_gpu) ../block.c",
        run->environment);
    if (found.code != 0) block_fail(run, block, &found);
    test_run_free(&found);
    free(text);
    run->declared = NULL;
}

static void json_check(const PageRun* run, const PageBlock* block) {
    const char* end;
    cJSON*      json = cJSON_ParseWithOpts(block->text, &end, 1);
    if (!json) {
        fail_msg("%s:%u: this is not JSON, from here on: %.40s", run->page->path, block->line, end);
    }
    cJSON_Delete(json);
}

/* ```mermaid graph: the modules as drawn by `make graph`. */
static void graph_check(PageRun* run, const PageBlock* block) {
    TestRun found = test_command(".", "unset MAKEFLAGS MFLAGS MAKELEVEL; make -s graph");
    if (found.code != 0) block_fail(run, block, &found);
    if (run->renewed) {
        block_renew(run, block, found.out, strlen(found.out));
    } else if (strcmp(found.out, block->text) != 0) {
        fail_msg("%s:%u: this is not what `make graph` prints", run->page->path, block->line);
    }
    test_run_free(&found);
}

static void block_run(PageRun* run, const PageBlock* block) {
    const char* language = block->language;
    const bool  is_c = strcmp(language, "c") == 0;
    if (block->note && strcmp(language, "run") != 0) {
        run->declared = block;
        return;
    }
    if (strcmp(language, "mermaid") == 0 && strcmp(block->word, "graph") == 0) {
        graph_check(run, block);
        return;
    }
    if (*block->word && strcmp(block->word, "norun") != 0)
        test_write_text(run->folder, block->word, block->text);
    if (strcmp(language, "sh") == 0 || strcmp(language, "run") == 0)
        sh_run(run, block);
    else if (is_c)
        c_check(run, block);
    else if (strcmp(language, "json") == 0)
        json_check(run, block);
}

/* The complete page. The state of the test is its path. */
static void blocks_of_a_page_run(void** state) {
    PageRun run = {0};
    Page    page;
    char    name[300] = "pages/";
    char*   renewed = NULL;
    size_t  bytes = 0;
    TEST_NEEDS("pkg-config");
    TEST_NEEDS("git");
    TEST_NEEDS("ninja");
    page_open(&page, *state);
    run.page = &page;
    for (size_t i = 0; page.path[i]; i++) name[6 + i] = page.path[i] == '/' ? '_' : page.path[i];
    environment_write(&run);
    snprintf(run.folder, sizeof run.folder, "%s/page", test_folder(name));
    TEST_DONE(".", "mkdir '%s'", run.folder);
    if (getenv("GOLDEN")) run.renewed = open_memstream(&renewed, &bytes);
    for (u32 i = 0; i < page.block_count; i++) block_run(&run, &page.block[i]);
    if (run.renewed) {
        fwrite(page.text + run.copied, 1, page.size - run.copied, run.renewed);
        fclose(run.renewed);
        if (bytes != page.size || memcmp(renewed, page.text, bytes) != 0)
            test_write(".", page.path, renewed, bytes);
        free(renewed);
    }
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
