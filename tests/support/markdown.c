/* markdown.c - splits a page into lines, blocks and notes. */
#include "markdown.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define FENCE      "```"
#define NOTE_BEGIN "<!-- "
#define NOTE_END   "-->"
#define BLOCKS_MAX 256

typedef struct Line {
    const char* at;
    size_t      bytes; /* without the line end */
    u32         number;
} Line;

/* The next line of the page; false behind the last one. */
static bool line_next(const Page* page, Line* line) {
    const char* end = page->text + page->size;
    line->at = line->at ? line->at + line->bytes + 1 : page->text;
    if (line->at >= end) return false;
    const char* stop = memchr(line->at, '\n', (size_t)(end - line->at));
    line->bytes = (size_t)((stop ? stop : end) - line->at);
    line->number++;
    return true;
}

static bool line_begins(const Line* line, const char* with) {
    return line->bytes >= strlen(with) && memcmp(line->at, with, strlen(with)) == 0;
}

static PageBlock* block_add(Page* page, const Line* line) {
    if (page->block_count == BLOCKS_MAX) fail_msg("%s has too many blocks", page->path);
    PageBlock* block = &page->block[page->block_count++];
    *block = (PageBlock){.line = line->number};
    return block;
}

static void block_end(Page* page, PageBlock* block, const char* begin, const char* end) {
    block->begin = (size_t)(begin - page->text);
    block->end = (size_t)(end - page->text);
    block->text = strndup(begin, (size_t)(end - begin));
    assert_non_null(block->text);
}

/* ```language word */
static void fence_read(Page* page, Line* line) {
    PageBlock* block = block_add(page, line);
    char       info[160];
    snprintf(info, sizeof info, "%.*s", (int)(line->bytes - strlen(FENCE)),
             line->at + strlen(FENCE));
    sscanf(info, "%31s %127s", block->language, block->word);
    const char* begin = line->at + line->bytes + 1;
    do {
        if (!line_next(page, line)) {
            fail_msg("%s:%u: the block has no end", page->path, block->line);
        }
    } while (!line_begins(line, FENCE));
    block_end(page, block, begin, line->at);
}

static bool text_is(const char* at, size_t bytes, const char* text) {
    return strlen(text) == bytes && memcmp(at, text, bytes) == 0;
}

/* <!-- kind: text -->, over any number of lines. Other comments are passed over. */
static void note_read(Page* page, Line* line) {
    const char* kind = line->at + strlen(NOTE_BEGIN);
    const char* end = strstr(kind, NOTE_END);
    if (!end) fail_msg("%s:%u: the comment has no end", page->path, line->number);
    const size_t bytes = strcspn(kind, ": ");
    if (kind[bytes] == ':' && (text_is(kind, bytes, "run") || text_is(kind, bytes, "c") ||
                               text_is(kind, bytes, "file"))) {
        PageBlock* block = block_add(page, line);
        block->note = true;
        snprintf(block->language, sizeof block->language, "%.*s", (int)bytes, kind);
        block_end(page, block, strchr(kind, ':') + 1, end);
    }
    while (line->at + line->bytes < end && line_next(page, line)) {
    }
}

void page_open(Page* page, const char* path) {
    Line line = {0};
    *page = (Page){0};
    snprintf(page->path, sizeof page->path, "%s", path);
    page->text = (char*)test_read(path, &page->size);
    page->block = calloc(BLOCKS_MAX, sizeof *page->block);
    if (!page->text || !page->block) fail_msg("%s cannot be read", path);
    while (line_next(page, &line)) {
        if (line_begins(&line, FENCE))
            fence_read(page, &line);
        else if (line_begins(&line, NOTE_BEGIN))
            note_read(page, &line);
    }
}

void page_close(Page* page) {
    for (u32 i = 0; i < page->block_count; i++) free(page->block[i].text);
    free(page->block);
    free(page->text);
}

/* --- links, code spans, headings --- */

/* The next line that is neither in a block nor in a note. */
static bool prose_next(const Page* page, Line* line) {
    while (line_next(page, line)) {
        const size_t at = (size_t)(line->at - page->text);
        bool         inside = false;
        for (u32 i = 0; i < page->block_count && !inside; i++) {
            inside = at >= page->block[i].begin && at < page->block[i].end;
        }
        if (!inside) return true;
    }
    return false;
}

void page_links(const Page* page, void (*each)(void* user, const char* target, u32 line),
                void*       user) {
    Line line = {0};
    char text[1024], target[512];
    while (prose_next(page, &line)) {
        snprintf(text, sizeof text, "%.*s", (int)line.bytes, line.at);
        for (const char* at = text; (at = strstr(at, "](")); at += 2) {
            if (sscanf(at, "](%511[^)]", target) == 1) each(user, target, line.number);
        }
    }
}

void page_codes(const Page* page, void (*each)(void* user, const char* code, u32 line),
                void*       user) {
    Line line = {0};
    char text[1024], code[512];
    while (prose_next(page, &line)) {
        if (line_begins(&line, FENCE)) continue;
        snprintf(text, sizeof text, "%.*s", (int)line.bytes, line.at);
        for (const char *at = strchr(text, '`'), *end; at; at = strchr(end + 1, '`')) {
            end = strchr(at + 1, '`');
            if (!end) break;
            snprintf(code, sizeof code, "%.*s", (int)(end - at - 1), at + 1);
            each(user, code, line.number);
        }
    }
}

/* Lower case; letters, digits, '-' and '_' stay, a space becomes '-', all else goes. */
static void anchor_of(const Line* line, char* out, size_t bytes) {
    size_t      to = 0, at = 0;
    const char* text = line->at;
    while (at < line->bytes && text[at] == '#') at++;
    while (at < line->bytes && text[at] == ' ') at++;
    for (; at < line->bytes && to + 1 < bytes; at++) {
        const unsigned char c = (unsigned char)text[at];
        if (isalnum(c) || c == '-' || c == '_') out[to++] = (char)tolower(c);
        if (c == ' ') out[to++] = '-';
    }
    out[to] = 0;
}

bool page_has_anchor(const Page* page, const char* anchor) {
    Line line = {0};
    char found[256];
    while (prose_next(page, &line)) {
        if (!line_begins(&line, "#")) continue;
        anchor_of(&line, found, sizeof found);
        if (strcmp(found, anchor) == 0) return true;
    }
    return false;
}
