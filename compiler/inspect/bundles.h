/* bundles.h - the commands that read bundles: list, unpack, and the parts of verify and info for bundles.
 * formats/bundle.h describes the format. */
#ifndef ENTC_BUNDLES_H
#define ENTC_BUNDLES_H

#include "bundle_internal.h"
#include "inspect_text.h"

/* Each returns an exit code. `known` contains the known component types. */
int list_run(const char* path, bool json);
/* `most`: limit for the bytes of all resources together. */
int unpack_run(const char* path, const char* folder, const BlobOptions* known, u64 max,
               bool verbose);

/* An open bundle of either byte order. */
typedef struct BundleFile {
    BlobFile      source;  /* its bytes */
    void*         swapped; /* the converted index of a bundle in the other byte order; NULL: it has
                            * the byte order of this machine */
    Bundle        bundle;
    BundleDecoder decoder;
    void*         room; /* of the decoder */
} BundleFile;

/* Maps the file, validates the index and reports errors; the file is closed when it does not return
 * EXIT_OK. */
int  bundle_file_open(BundleFile* file, const char* path);
void bundle_file_close(BundleFile* file);

/* Returns EXIT_LIMIT, after reporting it, when all resources together have more bytes than
 * `most`. */
int bundle_file_count(const BundleFile* file, const char* path, u64 max);

/* Decompresses a resource and validates its blob; the error is in blob->fault. Always close `blob`
 * with blob_file_close, before the bundle. */
ent_status bundle_file_blob(BundleFile* file, const BundleResource* resource, BlobFile* blob,
                            const BlobOptions* known);

/* Determines the kind of a path argument of `verify` and `info`. Returns an exit code, after a
 * message. */
typedef enum PathForm { PATH_BLOB, PATH_BUNDLE, PATH_INDEX, PATH_FOLDER } PathForm;
int path_form(const char* path, PathForm* form);

/* Validates every resource in the order of names, reports the errors of each, and calls `visit`,
 * which may be NULL, for the valid ones. Returns the worst exit code. */
int bundle_each(BundleFile* file, const char* path, const BlobOptions* known,
                int (*visit)(void* user, const BundleFile* file, const BundleResource* resource,
                             const BlobFile* blob),
                void* user);

#endif
