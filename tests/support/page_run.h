/* page_run.h - runs the blocks of a page in their order, in one folder; tests/TESTING.md lists what a
 * block can be. GOLDEN=1 writes the output of commands into the page.
 *
 *     PageRun run = {.page = &page, .enter = ""};
 *     snprintf(run.folder, sizeof run.folder, "%s/page", test_folder("pages/README"));
 *     page_run(&run); */
#ifndef PAGE_RUN_H
#define PAGE_RUN_H

#include <stdio.h>

#include "markdown.h"

typedef struct PageRun {
    const Page*      page;
    char             folder[600]; /* in which the commands run; the folder above it is used too */
    char             environment[4096]; /* commands before those of each block */
    const char*      enter;             /* the command that runs the shell of a block, or "" */
    const PageBlock* declared;          /* for the next block of C; or NULL */
    FILE*            renewed;           /* the page with the output of its commands */
    size_t           copied;            /* bytes of the page that are in `renewed` */
} PageRun;

/* The test fails at the first block that does not do what the page shows. */
void page_run(PageRun* run);

#endif
