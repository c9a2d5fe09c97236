/* inspect.h - the commands that read blobs: verify, info, dump, diff. All of them validate with
 * ent_blob_open first; an invalid blob is reported with field and offset. */
#ifndef ENTC_INSPECT_H
#define ENTC_INSPECT_H

#include <stdio.h>

#include "base.h"
#include "blob.h"

typedef enum DumpForm { DUMP_TEXT, DUMP_JSON, DUMP_ANNOTATE, DUMP_TEXTCONV } DumpForm;
typedef enum DiffForm { DIFF_TEXT, DIFF_JSON, DIFF_STAT } DiffForm;

/* Each returns an exit code. `options` contains the known component types. */
/* `most`: limit for the bytes of all resources of a bundle together. */
int inspect_verify(const char* const* paths, u32 count, const BlobOptions* options, u64 max,
                   bool quiet);
int inspect_info(const char* path, const BlobOptions* options, u64 max, bool json);
int inspect_dump(const char* path, DumpForm form, const BlobOptions* options);
/* Writes a level of a texture as a PNG file. */
int inspect_picture(const char* path, u32 level, const char* to, const BlobOptions* options);
int inspect_diff(const char* a, const char* b, DiffForm form, const BlobOptions* options);

/* Writes the stable text of an open blob, which inspect_dump prints, for tests and goldens. */
void dump_text(FILE* out, const Blob* blob, const BlobOptions* options);

#endif
