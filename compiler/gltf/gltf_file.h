/* gltf_file.h - opens a glTF file, a text or a container of a text and a chunk. */
#ifndef ENTC_GLTF_FILE_H
#define ENTC_GLTF_FILE_H

#include "json_tokens.h"

/* An opened file.
 *
 *   json        its text, to which all offsets refer
 *   tokens      of the text
 *   chunk       [chunk_bytes] the BIN chunk of a .glb, or NULL
 *   bytes       of the complete file
 *   faults      [fault_count] what glTF does not allow in a container, and has no effect
 *   is_open     it can be read
 *   has_errors  errors were reported; what can be read is read in order to find further errors */
typedef struct GltfFile {
    Source      json;
    JsonTokens  tokens;
    const u8*   chunk;
    u64         chunk_bytes, bytes;
    const char* faults[4];
    u32         fault_count;
    bool        is_open, has_errors;
} GltfFile;

/* Opens a file: JSON text, or with `binary` a GLB container, which must outlive it. Always close it.
 * Returns false, with at least one diagnostic, when it cannot be read. */
bool gltf_open(GltfFile* out, const Source* file, bool binary, Arena* arena, Diagnostics* diag);
void gltf_close(GltfFile* file);

/* The JSON of a .glb, which begins after the headers of the file and of its first chunk. No NUL
 * follows it. Returns false when the file does not contain one; the rest of it is not validated. */
#define GLB_JSON_AT 20u
bool glb_json(const u8* file, size_t size, Text* json);

#endif
