/* product.h - compiles one resource of any type. */
#ifndef ENTC_PRODUCT_H
#define ENTC_PRODUCT_H

#include "compile.h"

/* Compiles resource `name` of `type` in `asset`. Returns false, with diagnostics, when this fails;
 * otherwise the caller owns the bytes: memory_free. */
bool compile_resource(Compile* compile, Asset* asset, const char* name, ResourceType type,
                      u32 index, u8** bytes, size_t* size);

/* The resource types, one function each. compile_entity.c: an entity or level, flattened and
 * grouped by component; declare_write.c: a component that the project declares; compile_package.c:
 * the roots of a bundle; compile_data.c: the bytes of any file; compile_material.c, compile_texture.c: also those of a glTF file;
 * model_write.c: the other resources of a glTF file. `index` is the row in the model. */
bool compile_entity(Compile* compile, u8** bytes, size_t* size);
bool compile_declaration(Compile* compile, u8** bytes, size_t* size);
bool compile_package(Compile* compile, u8** bytes, size_t* size);
bool compile_data(Compile* compile, u8** bytes, size_t* size);
bool compile_material(Compile* compile, u8** bytes, size_t* size);
bool compile_model_material(Compile* compile, u32 index, u8** bytes, size_t* size);
bool compile_texture(Compile* compile, u32 index, u8** bytes, size_t* size);
bool compile_model_resource(Compile* compile, ResourceType type, u32 index, u8** bytes,
                            size_t* size);

/* Does a pattern of a package match a source? The resources of a model are packed with the model. */
bool package_pattern_matches(const Assets* assets, const Asset* package, const char* pattern,
                             Asset* asset);

/* What a texture needs at most, known from the header of its image; all 0 when the header has an
 * error, which compiling it reports. */
typedef struct TextureCost {
    u64 bytes; /* of the blob */
    u64 work;  /* of all memory while it is compiled, the blob included */
    u32 width, height;
} TextureCost;
TextureCost compile_texture_cost(const Asset* asset, u32 index);

#endif
