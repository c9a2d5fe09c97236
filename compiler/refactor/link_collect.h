/* link_collect.h - stores the references of a folder during a build that finds all of them, so that the
 * first `refs`, `unused` or `mv` after it does not compile the folder once more.
 *
 * A reference costs about 0.15 us. Where there are so many for each file, or so long sources, that the
 * build would take noticeably longer, nothing is stored.
 *
 *     LinksBuild          links = {0};
 *     const BuildObserver observer = links_build_observer(&links);
 *     options.observer = &observer;
 *     code = build_run(&options, NULL);
 *     links_build_close(&links); */
#ifndef ENTC_LINK_COLLECT_H
#define ENTC_LINK_COLLECT_H

#include "links.h"

typedef struct LinksBuild {
    const Assets* assets;
    Links         all;  /* when the build has ended */
    Links*        part; /* [workers] what each thread has found */
    u32           workers;
    u32           found; /* references, of all threads; atomic */
    u32           max;   /* limit for them */
    LinkFile*     file;  /* [assets->count] */
    u8*           bytes; /* of the part of the database */
} LinksBuild;

/* The file that it writes is the one that links_open_stored would write after the build, but for the
 * time of the list. When this fails, there is a warning: the build has succeeded. */
BuildObserver links_build_observer(LinksBuild* links);
void          links_build_close(LinksBuild* links);

#endif
