/* response.c - reads response files (@FILE). */
#include "response.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "file.h"

struct WordBlock {
    WordBlock* previous;
    char       bytes[];
};

static _Noreturn void out_of_memory(const Line* line) {
    fprintf(stderr, "%s: error: out of memory for the command line\n", line->program);
    exit(EXIT_LIMIT);
}

void* line_alloc(Line* line, size_t bytes) {
    WordBlock* block = calloc(1, sizeof(WordBlock) + bytes);
    if (!block) out_of_memory(line);
    block->previous = line->blocks;
    line->blocks = block;
    return block->bytes;
}

void line_drop(Line* line) {
    for (WordBlock* block = line->blocks; block;) {
        WordBlock* previous = block->previous;
        free(block);
        block = previous;
    }
    free((void*)line->word);
    line->blocks = NULL, line->word = NULL, line->count = line->capacity = 0;
}

static void word_push(Line* line, const char* word) {
    if (line->count == line->capacity) {
        line->capacity = line->capacity ? line->capacity * 2 : 64;
        line->word = realloc((void*)line->word, sizeof(char*) * line->capacity);
        if (!line->word) out_of_memory(line);
    }
    line->word[line->count++] = word;
}

static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/* Copies the word at *at to `out`, without its quotes, and advances both. False: a quote is not
 * terminated. */
static bool word_read(const char** at, const char* end, char** out) {
    char quote = 0;
    for (; *at < end && (quote || !is_space(**at)); ++*at) {
        char c = **at;
        if (c == '\\' && *at + 1 < end)
            c = *++*at;
        else if (quote ? c == quote : c == '"' || c == '\'') {
            quote = quote ? 0 : c;
            continue;
        }
        *(*out)++ = c;
    }
    *(*out)++ = 0;
    return !quote;
}

static int word_add(Line* line, const char* word, u32 depth);

static int words_read(Line* line, const char* path, const char* at, const char* end, u32 depth) {
    const char* begin = at;
    /* A word and its NUL are not longer than a word and its separator. */
    char* out = line_alloc(line, (size_t)(end - at) + 1);
    for (;;) {
        while (at < end && is_space(*at)) at++;
        if (at == end) return EXIT_OK;
        const char* start = at;
        char*       word = out;
        if (!word_read(&at, end, &out)) {
            u32 number = 1;
            for (const char* c = begin; c < start; c++) number += *c == '\n';
            fprintf(stderr, "%s:%u: error: a quote is not terminated\n", path, number);
            return EXIT_USAGE;
        }
        const int code = word_add(line, word, depth);
        if (code != EXIT_OK) return code;
    }
}

static int file_add(Line* line, const char* path, u32 depth) {
    FileView view;
    if (depth == RESPONSE_DEPTH_MAX) {
        fprintf(stderr,
                "%s: error: \"@%s\" is nested %u deep; response files may be nested %u deep; check "
                "whether a file refers to itself\n",
                line->program, path, depth + 1, RESPONSE_DEPTH_MAX);
        return EXIT_LIMIT;
    }
    if (file_map(&view, path) != ENT_OK) {
        fprintf(stderr,
                "%s: error: cannot read the response file \"%s\": %s; an argument that begins with "
                "@ is written ./@\n",
                line->program, path, strerror(errno));
        return EXIT_IO;
    }
    const char* text = (const char*)view.bytes;
    int         code = EXIT_USAGE;
    if (view.size && memchr(text, 0, view.size))
        fprintf(stderr, "%s: error: not a response file: it contains a NUL byte\n", path);
    else
        code = words_read(line, path, text, text + view.size, depth + 1);
    file_unmap(&view);
    return code;
}

static int word_add(Line* line, const char* word, u32 depth) {
    if (word[0] == '@' && word[1]) return file_add(line, word + 1, depth);
    if (line->count == RESPONSE_WORDS_MAX) {
        fprintf(stderr,
                "%s: error: \"%.64s\" is word number %u of the command line; the limit is %u\n",
                line->program, word, line->count + 1, RESPONSE_WORDS_MAX);
        return EXIT_LIMIT;
    }
    word_push(line, word);
    return EXIT_OK;
}

int line_add(Line* line, const char* const* words, u32 count) {
    int code = EXIT_OK;
    for (u32 i = 0; i < count && code == EXIT_OK; i++) code = word_add(line, words[i], 0);
    return code;
}
