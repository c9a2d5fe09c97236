/* test_cases.c - the messages of entc about sources: every case in tests/cases/NAME.txt.
 *
 *     === trailing comma                    begins a case; its parts follow
 *     --- file a.level.json                 a file in src/; the lines below are its text
 *     --- file "a b.json" escaped           \n \t \r \\ \" \xNN in the text; no newline at its end,
 *                                           and none where a line ends with a backslash
 *     --- file a.glb hex                    bytes as hex digits, texts in quotes with escapes,
 *                                           # comments
 *     --- file a.json repeat                each line: a count and a text; {i} counts from 0,
 *                                           {n} from 1; without newlines
 *     --- file p{i}.entity.json for 10      ten files, also with {i} and {n}
 *     --- link NAME TARGET                  a symbolic link in src/
 *     --- fifo NAME                         a pipe in src/
 *     --- folder NAME                       an empty folder in src/
 *     --- run COMMAND                       in the shell; entc build src -o out if there is none;
 *                                           $BOUNDED entc .. if it could hang
 *     --- expect 3                          the exit code, and the text on standard error
 *     --- stdout                            the text on standard output, if any
 *
 * A quoted name has escapes too. `make golden` rewrites the last two: review the diff as a user who
 * reads the message for the first time. When a command fails, out/ must be unchanged. */
#include "test.h"

#include <ctype.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "file.h"
#include "hash.h"
#include "sections.h"

#define OLD_TEXT  "an older blob\n"
#define OLD_BYTES (sizeof(BlobHeader) + sizeof OLD_TEXT)
#define CASES_MAX 1000

typedef struct Case {
    char        name[200];
    const char* stem; /* of the case file */
    u32         number;
    Text        parts;  /* from the first "--- " to the expectation */
    Text        expect; /* to the next case */
    char*       actual; /* the expectation that the run would meet */
} Case;

typedef enum Form { PLAIN_TEXT, ESCAPED, HEX, REPEAT } Form;

static Case cases[CASES_MAX];
static u32  case_count;
static bool golden;

/* --- lines and words --- */

static bool starts_with(Text text, const char* start) {
    const size_t bytes = strlen(start);
    return text.bytes >= bytes && memcmp(text.at, start, bytes) == 0;
}

static bool ends_with(const char* text, const char* end) {
    const size_t bytes = strlen(text), end_bytes = strlen(end);
    return bytes >= end_bytes && strcmp(text + bytes - end_bytes, end) == 0;
}

static void take(Text* text, u32 bytes) {
    text->at += bytes;
    text->bytes -= bytes;
}

/* The next line without its newline; false at the end. */
static bool line_next(Text* rest, Text* line) {
    if (rest->bytes == 0) return false;
    const char* newline = memchr(rest->at, '\n', rest->bytes);
    *line = (Text){rest->at, newline ? (u32)(newline - rest->at) : rest->bytes};
    take(rest, line->bytes + (newline != NULL));
    return true;
}

static Text trim_end(Text text) {
    while (text.bytes && isspace((u8)text.at[text.bytes - 1])) text.bytes--;
    return text;
}

/* --- escapes --- */

static u8 hex_byte(const char* at) {
    const char digits[3] = {at[0], at[1], 0};
    char*      end;
    const u8   byte = (u8)strtoul(digits, &end, 16);
    if (end != digits + 2) fail_msg("not two hex digits: \"%.8s\"", at);
    return byte;
}

static void unescape(FILE* out, Text text) {
    static const char from[] = "ntr\\\"", to[] = "\n\t\r\\\"";
    for (; text.bytes; take(&text, 1)) {
        if (*text.at != '\\' || text.bytes < 2) {
            fputc(*text.at, out);
            continue;
        }
        take(&text, 1);
        const char* simple = strchr(from, *text.at);
        if (simple) {
            fputc(to[simple - from], out);
        } else if (*text.at == 'x' && text.bytes >= 3) {
            fputc(hex_byte(text.at + 1), out);
            take(&text, 2);
        } else if (*text.at != '\n') {
            fail_msg("no such escape: \"\\%c\"", *text.at);
        }
    }
}

/* A word of a "--- " line, optionally in quotes, into `word`; false at the end of the line. */
static bool word_next(Text* line, char* word, size_t room) {
    while (line->bytes && *line->at == ' ') take(line, 1);
    if (line->bytes == 0) return false;
    const bool quoted = *line->at == '"';
    Text       text = {line->at + quoted, 0};
    take(line, quoted);
    while (line->bytes && *line->at != (quoted ? '"' : ' ')) {
        const u32 step = quoted && *line->at == '\\' && line->bytes > 1 ? 2 : 1;
        text.bytes += step;
        take(line, step);
    }
    if (quoted) take(line, 1);
    FILE* out = fmemopen(word, room, "w");
    if (quoted)
        unescape(out, text);
    else
        fwrite(text.at, 1, text.bytes, out);
    fputc(0, out);
    assert_int_equal(fclose(out), 0);
    return true;
}

/* --- the content of a file --- */

static void write_counted(FILE* out, Text text, u32 i) {
    for (; text.bytes; take(&text, 1)) {
        const bool zero = starts_with(text, "{i}"), one = starts_with(text, "{n}");
        if (zero || one) {
            fprintf(out, "%u", i + one);
            take(&text, 2);
        } else {
            fputc(*text.at, out);
        }
    }
}

static void write_repeated(FILE* out, Text body) {
    Text line;
    while (line_next(&body, &line)) {
        char*     end;
        const u32 count = (u32)strtoul(line.at, &end, 10);
        take(&line, MIN_OF((u32)(end - line.at) + 1, line.bytes));
        for (u32 i = 0; i < count; i++) write_counted(out, line, i);
    }
}

static void write_hex(FILE* out, Text body) {
    while (body.bytes) {
        const char* newline = memchr(body.at, '\n', body.bytes);
        if (*body.at == '"') {
            u32 close = 1;
            while (close < body.bytes && body.at[close] != '"')
                close += body.at[close] == '\\' ? 2 : 1;
            unescape(out, (Text){body.at + 1, close - 1});
            take(&body, MIN_OF(close + 1, body.bytes));
        } else if (*body.at == '#') {
            take(&body, newline ? (u32)(newline - body.at) : body.bytes);
        } else if (isspace((u8)*body.at)) {
            take(&body, 1);
        } else {
            fputc(hex_byte(body.at), out);
            take(&body, 2);
        }
    }
}

/* The bytes described by a body. The caller frees them. */
static char* content_make(Text body, Form form, bool counted, u32 i, size_t* bytes) {
    char* content = NULL;
    FILE* out = open_memstream(&content, bytes);
    switch (form) {
    case ESCAPED: unescape(out, trim_end(body)); break;
    case HEX: write_hex(out, trim_end(body)); break;
    case REPEAT: write_repeated(out, trim_end(body)); break;
    case PLAIN_TEXT:
        body = trim_end(body);
        if (counted)
            write_counted(out, body, i);
        else
            fwrite(body.at, 1, body.bytes, out);
        if (body.bytes) fputc('\n', out);
        break;
    }
    fclose(out);
    return content;
}

/* --- parts of a case --- */

/* The content of an output of an earlier build at "out/NAME.TYPE": its header names the resource, or a build
 * would not replace it. */
static void old_make(const char* path, u8* bytes) {
    const char* dot = strrchr(path, '.');
    BlobHeader  header = {.magic = {'E', 'N', 'T', 'B'}};
    if (dot) {
        const Text name = {path + 4, (u32)(dot - path) - 4};
        header.resource = resource_ref(hash_resource(name, dot + 1));
    }
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, OLD_TEXT, sizeof OLD_TEXT);
}

static void old_write(const char* folder, const char* path) {
    u8 bytes[OLD_BYTES];
    old_make(path, bytes);
    test_write(folder, path, bytes, sizeof bytes);
}

/* The path of the blob of a source, if it is one. */
static bool output_name(const char* source, char* name, size_t room) {
    const int bytes = (int)strlen(source);
    if (strncmp(source, "../", 3) == 0) return false;
    if (ends_with(source, ".json"))
        snprintf(name, room, "out/%.*s", bytes - 5, source);
    else if (ends_with(source, ".gltf"))
        snprintf(name, room, "out/%.*s.entity", bytes - 5, source);
    else if (ends_with(source, ".glb"))
        snprintf(name, room, "out/%.*s.entity", bytes - 4, source);
    else
        return false;
    return true;
}

static void file_part(const char* folder, Text head, Text body) {
    char name[600], word[100], path[1300], old[800], *end;
    Form form = PLAIN_TEXT;
    u32  copies = 0;
    assert_true(word_next(&head, name, sizeof name));
    while (word_next(&head, word, sizeof word)) {
        if (strcmp(word, "escaped") == 0)
            form = ESCAPED;
        else if (strcmp(word, "hex") == 0)
            form = HEX;
        else if (strcmp(word, "repeat") == 0)
            form = REPEAT;
        else if (strcmp(word, "for") == 0 && word_next(&head, word, sizeof word))
            copies = (u32)strtoul(word, &end, 10);
        else
            fail_msg("no such form of a file: %s", word);
    }
    for (u32 i = 0; i < MAX_OF(copies, 1u); i++) {
        size_t bytes;
        char*  content = content_make(body, form, copies > 0, i, &bytes);
        FILE*  out = fmemopen(path, sizeof path, "w");
        fputs("src/", out);
        if (copies)
            write_counted(out, text_of(name), i);
        else
            fputs(name, out);
        fputc(0, out);
        fclose(out);
        test_write(folder, path, content, bytes);
        if (output_name(path + 4, old, sizeof old)) old_write(folder, old);
        free(content);
    }
}

static void special_part(const char* folder, const char* kind, Text head) {
    char name[600], target[600], path[1800];
    assert_true(word_next(&head, name, sizeof name));
    snprintf(path, sizeof path, "%s/src/%s", folder, name);
    if (strcmp(kind, "link") == 0) {
        assert_true(word_next(&head, target, sizeof target));
        assert_int_equal(symlink(target, path), 0);
    } else if (strcmp(kind, "fifo") == 0) {
        assert_int_equal(mkfifo(path, 0666), 0);
    } else if (strcmp(kind, "folder") == 0) {
        assert_int_equal(mkdir(path, 0777), 0);
    } else {
        fail_msg("no such part of a case: --- %s", kind);
    }
}

/* Creates the files of a case, and sets the command if the case has one. */
static void parts_make(const char* folder, Text parts, char* command, size_t room) {
    Text line, body, rest;
    char kind[100];
    while (line_next(&parts, &line)) {
        if (!starts_with(line, "--- ")) continue;
        take(&line, 4);
        word_next(&line, kind, sizeof kind);
        body = (Text){parts.at, 0};
        for (rest = parts; rest.bytes && !starts_with(rest, "--- "); parts = rest) {
            Text skipped;
            line_next(&rest, &skipped);
        }
        body.bytes = (u32)(parts.at - body.at);
        if (strcmp(kind, "file") == 0)
            file_part(folder, line, body);
        else if (strcmp(kind, "run") == 0)
            snprintf(command, room, "%.*s", (int)line.bytes, line.at);
        else
            special_part(folder, kind, line);
    }
}

/* --- the result --- */

/* Bytes of the UTF-8 character at `at`, or 0. */
static u32 utf8_bytes(const u8* at) {
    if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7f ? 1 : 0;
    const u32 bytes = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : at[0] >= 0xc2 ? 2 : 0;
    for (u32 i = 1; i < bytes; i++) {
        if ((at[i] & 0xc0) != 0x80) return 0;
    }
    return bytes;
}

static bool is_printable(const char* text) {
    for (const u8* at = (const u8*)text; *at;) {
        const u32  bytes = *at == '\n' ? 1 : utf8_bytes(at);
        const bool first = at == (const u8*)text || at[-1] == '\n';
        if (bytes == 0 || (*at == ' ' && (at[1] == '\n' || !at[1]))) return false;
        if (first && (strncmp((const char*)at, "--- ", 4) == 0 || *at == '=')) return false;
        at += bytes;
    }
    return true;
}

static void print_escaped(FILE* out, const char* text) {
    for (const u8* at = (const u8*)text; *at; at++) {
        const bool first = at == (const u8*)text || at[-1] == '\n';
        if (*at == '\\')
            fputs("\\\\", out);
        else if (*at == '\n' || (*at > 0x20 && *at < 0x7f && !(first && strchr("-=", *at))))
            fputc(*at, out);
        else if (*at == ' ' && at[1] && at[1] != '\n')
            fputc(' ', out);
        else
            fprintf(out, "\\x%02x", *at);
    }
}

static void print_output(FILE* out, const char* text) {
    if (is_printable(text)) {
        fprintf(out, "\n%s", text);
    } else {
        fputs(" escaped\n", out);
        print_escaped(out, text);
    }
}

/* The expectation that this run would meet. */
static char* expectation_of(const TestRun* run) {
    char*  text = NULL;
    size_t bytes;
    FILE*  out = open_memstream(&text, &bytes);
    fprintf(out, "--- expect %d", run->code);
    print_output(out, run->err);
    if (run->out_bytes) {
        fputs("--- stdout", out);
        print_output(out, run->out);
    }
    fclose(out);
    return text;
}

/* There is nothing new in out/, and everything else in it is unchanged. */
static void check_untouched(const char* folder, const char* before) {
    char  path[1024], *after = test_tree(folder);
    char* line = strdup(before);
    assert_string_equal(after, before);
    for (char* name = strtok(line, "\n"); name; name = strtok(NULL, "\n")) {
        size_t bytes;
        if (strncmp(name, "./out/", 6) != 0) continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        u8* content = test_read(path, &bytes);
        u8  old[OLD_BYTES];
        assert_non_null(content);
        old_make(name + 2, old);
        assert_int_equal(bytes, OLD_BYTES);
        assert_memory_equal(content, old, OLD_BYTES);
        free(content);
    }
    free(line);
    free(after);
}

static void run_case(void** state) {
    Case* c = *state;
    char  name[300], command[2000] = "$BOUNDED entc build src -o out";
    snprintf(name, sizeof name, "cases/%s_%u", c->stem, c->number);
    char* folder = strdup(test_folder(name));
    snprintf(name, sizeof name, "%s/src", folder);
    assert_int_equal(mkdir(name, 0777), 0);
    parts_make(folder, c->parts, command, sizeof command);
    char*   before = test_tree(folder);
    TestRun run = test_command(folder, "%s", command);
    c->actual = expectation_of(&run);
    if (run.code != 0) check_untouched(folder, before);
    if (!golden) {
        char* expected = strndup(c->expect.at, trim_end(c->expect).bytes);
        char* actual = strndup(c->actual, trim_end(text_of(c->actual)).bytes);
        assert_string_equal(actual, expected);
        free(expected);
        free(actual);
    }
    test_run_free(&run);
    free(before);
    free(folder);
}

/* --- case files --- */

/* Splits a file into its cases; returns how many. */
static u32 cases_read(const char* stem, Text text) {
    Text line, rest = text;
    u32  first = case_count;
    for (Case* c = NULL; rest.bytes;) {
        const char* at = rest.at;
        line_next(&rest, &line);
        if (starts_with(line, "=== ")) {
            assert(case_count < CASES_MAX);
            c = &cases[case_count++];
            *c = (Case){.stem = stem, .number = case_count - first, .parts = {rest.at, 0}};
            snprintf(c->name, sizeof c->name, "%s: %.*s", stem, (int)line.bytes - 4, line.at + 4);
            c->expect.at = rest.at;
        } else if (c && c->expect.bytes == 0 && !starts_with(line, "--- expect")) {
            c->parts.bytes = (u32)(rest.at - c->parts.at);
            c->expect.at = rest.at;
        } else if (c) {
            c->expect.bytes = (u32)(at + line.bytes - c->expect.at);
        }
    }
    return case_count - first;
}

/* The case file with the results of this run. */
static void golden_write(const char* path, Text text, const Case* of, u32 count) {
    char*  complete = NULL;
    size_t bytes;
    FILE*  out = open_memstream(&complete, &bytes);
    Text   head = {text.at, count ? (u32)(of[0].parts.at - text.at) : text.bytes};
    for (u32 i = 0; i < count; i++) {
        const Case* c = &of[i];
        const Text  parts = trim_end(c->parts), actual = trim_end(text_of(c->actual));
        fwrite(head.at, 1, head.bytes, out);
        fwrite(parts.at, 1, parts.bytes, out);
        fprintf(out, "%s%.*s\n", parts.bytes ? "\n" : "", (int)actual.bytes, actual.at);
        if (i + 1 == count) break;
        fputc('\n', out);
        const char* end = of[i + 1].parts.at;
        head.at = end - 1;
        while (head.at[-1] != '\n') head.at--;
        head.bytes = (u32)(end - head.at);
    }
    fclose(out);
    FILE* file = fopen(path, "w");
    if (!file || fwrite(complete, 1, bytes, file) != bytes || fclose(file) != 0) perror(path);
    free(complete);
}

static int run_file(const char* path) {
    size_t            bytes;
    char              stem[100], suite[120];
    u8*               text = test_read(path, &bytes);
    const char*       base = strrchr(path, '/') + 1;
    struct CMUnitTest tests[CASES_MAX];
    assert(text);
    snprintf(stem, sizeof stem, "%.*s", (int)strlen(base) - 4, base);
    snprintf(suite, sizeof suite, "cases/%s", stem);
    case_count = 0;
    const Text complete = {(const char*)text, (u32)bytes};
    const u32  count = cases_read(stem, complete);
    for (u32 i = 0; i < count; i++) {
        tests[i] = (struct CMUnitTest){cases[i].name, run_case, NULL, NULL, &cases[i]};
    }
    const int failed = test_run_fixtures(suite, tests, count, NULL, NULL);
    bool      ran = count > 0;
    for (u32 i = 0; i < count; i++) ran = ran && cases[i].actual;
    if (golden && ran) golden_write(path, complete, cases, count);
    for (u32 i = 0; i < count; i++) free(cases[i].actual);
    free(text);
    return failed;
}

TEST_SUITE(cases) {
    glob_t found;
    int    failed = 0;
    golden = getenv("GOLDEN") != NULL;
    if (glob("tests/cases/*.txt", 0, NULL, &found) != 0) return 1;
    for (size_t i = 0; i < found.gl_pathc; i++) failed += run_file(found.gl_pathv[i]);
    globfree(&found);
    return failed;
}
