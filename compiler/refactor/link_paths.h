/* link_paths.h - relative paths in sources: of the buffers and images of a model, and "image" in the
 * settings of a texture. They change when the source or the file to which they refer moves. */
#ifndef ENTC_LINK_PATHS_H
#define ENTC_LINK_PATHS_H

#include "links.h"

typedef struct LinkPath {
    u32         offset, bytes; /* of the value in the source, including its quotes */
    const char* relative;      /* decoded */
    const char* uri;           /* as it is written; NULL: it is not a URI */
} LinkPath;

typedef void LinkPathVisit(void* user, LinkFile* file, const LinkPath* path);

/* Calls `visit` for every relative path in a source, whose content has to be in memory. */
void link_paths_visit(Links* links, LinkFile* file, LinkPathVisit* visit, void* user);

/* The absolute path of the file to which a relative one refers; the folder's is `root_real`. A URI may be spelled in
 * another way than the path: path_of_uri. */
const char* link_path_target(Links* links, const LinkFile* file, const LinkPath* link);

#endif
