/* gltf_open.c - the container of a glTF file, and the tokens of its text. */
#include "diag.h"
#include "gltf_internal.h"

#define GLB_HEADER_BYTES 12u
#define GLB_CHUNK_BYTES  8u
#define GLB_JSON         0x4e4f534au /* "JSON" */
#define GLB_BIN          0x004e4942u /* "BIN" and a zero */

typedef struct Opening {
    GltfFile*     out;
    const Source* file;
    Arena*        arena;
    Diagnostics*  diag;
} Opening;

static bool glb_error(Opening* o, u32 offset, const char* what) {
    const u32 at = MIN_OF(offset, o->file->bytes);
    diag_error(o->diag, E0401, o->file, at, MIN_OF(4, o->file->bytes - at), "%s", what);
    return false;
}

static bool glb_header(Opening* o, const u8* bytes) {
    const u32 size = o->file->bytes;
    if (size < 4 || memcmp(bytes, "glTF", 4) != 0)
        return glb_error(o, 0,
                         "a .glb file must begin with the letters \"glTF\"; is this a .gltf file "
                         "with the wrong suffix?");
    if (size < GLB_HEADER_BYTES + GLB_CHUNK_BYTES)
        return glb_error(o, size, "the file is truncated: it ends inside its header");
    if (gltf_u32(bytes + 4) != 2)
        return glb_error(o, 4,
                         "unsupported version of the binary glTF container; expected version 2");
    if (gltf_u32(bytes + 8) > size)
        return glb_error(o, 8, "the file is truncated: it is shorter than its header states");
    if (gltf_u32(bytes + 8) < GLB_HEADER_BYTES + GLB_CHUNK_BYTES)
        return glb_error(o, 8, "the header states a length that is too short for a chunk");
    return true;
}

bool glb_json(const u8* file, size_t size, Text* json) {
    static_assert(GLB_JSON_AT == GLB_HEADER_BYTES + GLB_CHUNK_BYTES, "after two headers");
    if (size < GLB_JSON_AT || memcmp(file, "glTF", 4) != 0) return false;
    *json = (Text){(const char*)file + GLB_JSON_AT, gltf_u32(file + GLB_HEADER_BYTES)};
    return json->bytes > 0 && json->bytes <= size - GLB_JSON_AT &&
           gltf_u32(file + GLB_HEADER_BYTES + 4) == GLB_JSON;
}

/* What glTF does not allow between and behind the chunks. */
static void glb_fault(Opening* o, const char* text) {
    GltfFile* out = o->out;
    for (u32 i = 0; i < out->fault_count; i++)
        if (out->faults[i] == text) return;
    assert(out->fault_count < COUNT_OF(out->faults)); /* glb_open and glb_chunk have so many */
    out->faults[out->fault_count++] = text;
}

/* Adds one chunk to the model; `number` counts from 0. */
static bool glb_chunk(Opening* o, const u8* bytes, u32 offset, u32 number) {
    const u32  length = gltf_u32(bytes + offset), type = gltf_u32(bytes + offset + 4);
    const u8*  data = bytes + offset + GLB_CHUNK_BYTES;
    const Text text = {(const char*)data, length}; /* copied: a Source ends with a NUL */
    if (length > o->file->bytes - offset - GLB_CHUNK_BYTES)
        return glb_error(o, offset, "this chunk is longer than the file");
    if ((number == 0) != (type == GLB_JSON))
        return glb_error(o, offset + 4,
                         number ? "duplicate JSON chunk"
                                : "the first chunk must be the JSON chunk");
    if (type == GLB_JSON) {
        o->out->json = source_of(o->file->path, arena_text(o->arena, text), length);
        return length > 0 || glb_error(o, offset, "the JSON chunk is empty");
    }
    if (type != GLB_BIN) return true; /* of an extension */
    if (number != 1) glb_fault(o, "has a BIN chunk that is not the second chunk");
    if (o->out->chunk) {
        glb_fault(o, "has several BIN chunks; the first one is compiled");
        return true;
    }
    o->out->chunk = data;
    o->out->chunk_bytes = length;
    return true;
}

/* Behind the stated length nothing is read; what is too short for a chunk is skipped. */
static bool glb_open(Opening* o) {
    const u8* bytes = (const u8*)o->file->text;
    if (!glb_header(o, bytes)) return false;
    const u32 end = gltf_u32(bytes + 8);
    u32       offset = GLB_HEADER_BYTES;
    if (end < o->file->bytes) glb_fault(o, "has bytes behind the length that its header states");
    for (u32 number = 0; offset < end; number++) {
        if (end - offset < GLB_CHUNK_BYTES && number > 0) {
            glb_fault(o, "has bytes behind its last chunk");
            break;
        }
        if (!glb_chunk(o, bytes, offset, number)) return false;
        const u32 length = gltf_u32(bytes + offset);
        if (length % 4) glb_fault(o, "has a chunk whose length is not a multiple of 4");
        offset += GLB_CHUNK_BYTES + length;
        /* Such a chunk is followed by the next one or by padding, which is no type of a chunk. */
        const u32 padded = (u32)align_up(offset, 4);
        if (length % 4 && padded <= end && end - padded >= GLB_CHUNK_BYTES &&
            gltf_u32(bytes + padded + 4) == GLB_BIN)
            offset = padded;
    }
    return true;
}

static bool text_open(Opening* o) {
    o->out->json = *o->file;
    if (o->file->bytes >= 4 && memcmp(o->file->text, "glTF", 4) == 0)
        return glb_error(o, 0, "this is a binary glTF file: its name must end in .glb");
    return true;
}

bool gltf_open(GltfFile* out, const Source* file, bool binary, Arena* arena, Diagnostics* diag) {
    Opening   o = {out, file, arena, diag};
    const u32 errors = diag_error_count(diag);
    *out = (GltfFile){.json = *file, .bytes = file->bytes};
    out->is_open = (binary ? glb_open(&o) : text_open(&o)) &&
                   json_tokens_open_gltf(&out->tokens, &out->json, diag);
    out->has_errors = diag_error_count(diag) != errors;
    return out->is_open;
}

void gltf_close(GltfFile* file) { json_tokens_close(&file->tokens); }
