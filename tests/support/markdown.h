/* markdown.h - the parts of a page that a test can check: fenced blocks, notes to the test, links.
 *
 *     ```sh                      run in the page's folder
 *     ```sh norun                not run
 *     ```json assets/a.json      written to that file of the page's folder
 *     <!-- run: COMMANDS -->     run, and not shown to a reader
 *     <!-- c: DECLARATIONS -->   put before the next block of C, which is a part of a function
 *     <!-- file: DECLARATIONS -->   the same, before a block that is a part of a file */
#ifndef MARKDOWN_H
#define MARKDOWN_H

#include "base.h"

typedef struct PageBlock {
    char   language[32]; /* "sh"; of a note "run", "c" or "file" */
    char   word[128];    /* the second word behind the fence: a path, "norun", or "" */
    bool   note;         /* a comment, which a reader does not see */
    u32    line;         /* of the fence or comment, from 1 */
    char*  text;         /* without the fences, with a NUL */
    size_t begin, end;   /* where the text is in the page */
} PageBlock;

typedef struct Page {
    char       path[256];
    char*      text; /* with a NUL */
    size_t     size;
    PageBlock* block; /* [block_count] */
    u32        block_count;
} Page;

/* Reads and splits a page; the test fails when it cannot be read or a block has no end. */
void page_open(Page* page, const char* path);
void page_close(Page* page);

/* Calls `each` for every link of the text outside of blocks: "tests/TESTING.md#figures". */
void page_links(const Page* page, void (*each)(void* user, const char* target, u32 line),
                void*       user);

/* The same for what is between backticks on one line, outside of blocks. */
void page_codes(const Page* page, void (*each)(void* user, const char* code, u32 line), void* user);

/* Has the page a heading with this anchor, as GitHub forms it? */
bool page_has_anchor(const Page* page, const char* anchor);

#endif
