/* model_write.h - compiles the resources of a model, and materials and textures that are files of their
 * own. Each function returns false, with diagnostics, when this fails; otherwise the caller owns the
 * bytes. `index` is the row in the model. */
#ifndef ENTC_MODEL_WRITE_H
#define ENTC_MODEL_WRITE_H

#include "compile.h"

/* A mesh, skeleton or clip, or another resource of a glTF file. */
bool compile_model_resource(Compile* compile, u8** bytes, size_t* size);

/* compile_material.c */
bool compile_material(Compile* compile, u8** bytes, size_t* size);
bool compile_model_material(Compile* compile, u32 index, u8** bytes, size_t* size);

/* compile_texture.c; also one of a glTF file */
bool compile_texture(Compile* compile, u8** bytes, size_t* size);

/* What a texture needs at most, known from the header of its image; all 0 when the header has an
 * error, which compiling it reports. */
typedef struct TextureCost {
    u64 bytes;   /* of the blob */
    u64 work;    /* of all memory while it is compiled, the blob included */
    u64 at_once; /* the same, if the blob is compressed as most are */
    u32 width, height;
} TextureCost;
TextureCost compile_texture_cost(const Asset* asset, u32 index);

#endif
