/* bundle_pack.h - the command that writes bundles. formats/bundle.h describes the format. */
#ifndef ENTC_BUNDLE_PACK_H
#define ENTC_BUNDLE_PACK_H

#include "base.h"
#include "blob.h"

typedef struct PackOptions {
    const char*        folder;  /* output folder of a build */
    const char*        file;    /* the bundle */
    const char* const* package; /* [package_count] names; none: all packages of the folder */
    u32                package_count;
    const char* const* root; /* [root_count] "levels/town.level" or a pattern; in addition */
    u32                root_count;
    u32                level; /* of zstd; 0: no compression; PACK_LEVEL_CHOSEN */
    u32                jobs;  /* number of threads; 0: as of a build */
    bool               verbose;
    bool               progress; /* is shown */
} PackOptions;

#define PACK_LEVEL_CHOSEN 255u /* by the sizes of samples and trials */
#define PACK_LEVEL_MAX    22u

/* Returns an exit code. `known` contains the known component types. */
int pack_run(const PackOptions* options, const BlobOptions* known);

#endif
