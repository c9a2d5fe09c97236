/* bundles.h - the commands that write and read bundles: pack, list, unpack, and what verify and
 * info say about one. formats/bundle.h says what a bundle is. */
#ifndef ENTC_BUNDLES_H
#define ENTC_BUNDLES_H

#include "bundle_internal.h"
#include "inspect_text.h"

typedef struct PackOptions {
    const char*        folder;        /* output folder of a build */
    const char*        file;          /* the bundle */
    const char* const* package;       /* [package_count] names; none: all that the folder has */
    u32                package_count; /* */
    u32                level;         /* of zstd; 0: everything is stored plain */
    bool               verbose;
} PackOptions;

#define PACK_LEVEL     19u
#define PACK_LEVEL_MAX 22u

/* Each returns an exit code. `known` names the component types that are known. */
int pack_run(const PackOptions* options, const BlobOptions* known);
int list_run(const char* path, bool json);
/* `most`: bytes that all resources may have together. */
int unpack_run(const char* path, const char* folder, const BlobOptions* known, u64 most,
               bool verbose);

/* A bundle of either byte order, open. */
typedef struct BundleFile {
    BlobFile      source;  /* its bytes, whatever they are */
    void*         swapped; /* the index of one in the other byte order; NULL: in this one's */
    Bundle        bundle;
    BundleDecoder decoder;
    void*         room; /* of the decoder */
} BundleFile;

/* Maps, proves the index and tells what is wrong; closed when it does not return EXIT_OK. */
int  bundle_file_open(BundleFile* file, const char* path);
void bundle_file_close(BundleFile* file);

/* EXIT_LIMIT, after telling so, when all resources together have more bytes than `most`. */
int bundle_file_count(const BundleFile* file, const char* path, u64 most);

/* Expands a resource and proves its blob; why it was refused stands in blob->fault. Close `blob`
 * with blob_file_close in any case, before the bundle. */
ent_status bundle_file_blob(BundleFile* file, const BundleResource* resource, BlobFile* blob,
                            const BlobOptions* known);

/* What a path that `verify` and `info` get leads to. Returns an exit code, after a message. */
typedef enum PathForm { PATH_BLOB, PATH_BUNDLE, PATH_FOLDER } PathForm;
int path_form(const char* path, PathForm* form);

/* Proves every resource in the order of names, tells what is wrong with each, and calls `visit`,
 * which may be NULL, for those that are good. The worst exit code wins. */
int bundle_each(BundleFile* file, const char* path, const BlobOptions* known,
                int (*visit)(void* user, const BundleFile* file, const BundleResource* resource,
                             const BlobFile* blob),
                void* user);

#endif
