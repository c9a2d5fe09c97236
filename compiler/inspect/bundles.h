/* bundles.h - the commands that read bundles: list, unpack, and the parts of verify and info for bundles.
 * formats/bundle.h describes the format. */
#ifndef ENTC_BUNDLES_H
#define ENTC_BUNDLES_H

#include "bundle_internal.h"
#include "inspect_text.h"
#include "jobs.h"

/* Each returns an exit code. `known` contains the known component types. */
int list_run(const char* path, bool json);
/* `most`: limit for the bytes of all resources together. */
int unpack_run(const char* path, const char* folder, const BlobOptions* known, u64 max, u32 jobs,
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

/* Determines the kind of a path argument of `verify` and `info`. Returns an exit code, after a
 * message. */
typedef enum PathForm { PATH_BLOB, PATH_BUNDLE, PATH_INDEX, PATH_FOLDER } PathForm;
int path_form(const char* path, PathForm* form);

/* What is done with each valid resource. */
typedef struct BundleVisitor {
    /* On any thread, after the blob was validated without the types of its project; `place` is different from that of
     * all other resources whose `visit` was not called yet, and less than BUNDLE_PLACES. May be NULL. */
    void (*work)(void* user, const BundleFile* file, const BundleResource* resource,
                 const BlobFile* blob, u32 place);
    /* One after another, in the order of names. Returns an exit code. May be NULL. */
    int (*visit)(void* user, const BundleFile* file, const BundleResource* resource,
                 const BlobFile* blob, u32 place);
    void* user;
} BundleVisitor;

#define BUNDLE_PLACES 256u

/* Validates every resource, by all threads of the pool, which may be NULL, and reports the errors of each. Returns the
 * worst exit code. */
int bundle_each(BundleFile* file, const char* path, const BlobOptions* known, JobPool* pool,
                const BundleVisitor* visitor);

#endif
