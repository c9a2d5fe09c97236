/* page_run.c - runs the blocks of a page: commands, whose output has to be what the page shows, C,
 * which has to compile, JSON and files. */
#include "page_run.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "test.h"

#define OUTPUT_BYTES_MAX (64 * 1024)

static void block_fail(const PageRun* run, const PageBlock* block, const TestRun* command) {
    fail_msg("%s:%u: exit code %d\n%s%s", run->page->path, block->line, command->code, command->out,
             command->err);
}

static TestRun script_run(const PageRun* run, const char* script) {
    test_write_text(run->folder, "../block", script);
    return test_command(run->folder, "%s $BOUNDED %s bash -e -o pipefail ../block 2>&1",
                        run->environment, run->enter);
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
        if (strstr(block->text, "ent_gpu_") || strstr(block->text, "EntGpu") ||
            strstr(block->text, "ent_canvas_"))
            fputs(
                "#include <ent/gpu_picture.h>\n#include <ent/lighting.h>\n#include <ent/meshes.h>\n"
                "#include <ent/particles.h>\n#include <ent/sph.h>\n",
                out);
    }
    if (file)
        fprintf(out, "%s\n#line %u \"%s\"\n%s", before, block->line + 1, run->page->path,
                block->text);
    else
        fprintf(out, "int block(void);\nint block(void) {\n%s\n#line %u \"%s\"\n%sreturn 0;\n}\n",
                before, block->line + 1, run->page->path, block->text);
    fclose(out);
    test_write_text(run->folder, "../block.c", text);
    TestRun found =
        script_run(run, "cc -std=c11 -Wall -Wextra -Werror -Wno-unused -Wno-unused-parameter "
                        "-fsyntax-only $(pkg-config --cflags libent_gpu) ../block.c");
    if (found.code != 0) block_fail(run, block, &found);
    test_run_free(&found);
    free(text);
    run->declared = NULL;
}

/* The blocks need Blender, which tests/sweeps/blender_addon.sh runs them in. */
static void python_check(PageRun* run, const PageBlock* block) {
    test_write_text(run->folder, "../block.py", block->text);
    TestRun found =
        script_run(run, "python3 -c 'import ast; ast.parse(open(\"../block.py\").read())'");
    if (found.code != 0) block_fail(run, block, &found);
    test_run_free(&found);
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
    else if (strcmp(language, "python") == 0)
        python_check(run, block);
}

void page_run(PageRun* run) {
    const Page* page = run->page;
    char*       renewed = NULL;
    size_t      bytes = 0;
    if (getenv("GOLDEN")) run->renewed = open_memstream(&renewed, &bytes);
    for (u32 i = 0; i < page->block_count; i++) block_run(run, &page->block[i]);
    if (!run->renewed) return;
    fwrite(page->text + run->copied, 1, page->size - run->copied, run->renewed);
    fclose(run->renewed);
    if (bytes != page->size || memcmp(renewed, page->text, bytes) != 0)
        test_write(".", page->path, renewed, bytes);
    free(renewed);
}
