/* product.h - compiles one resource of any type. */
#ifndef ENTC_PRODUCT_H
#define ENTC_PRODUCT_H

#include "compile.h"

/* Compiles the resource of compile_choose. Returns false, with diagnostics, when this fails; otherwise the caller
 * owns the bytes: memory_free. */
bool compile_resource(Compile* compile, u8** bytes, size_t* size);

/* The roots of a bundle: compile_package.c; the bytes of any file: compile_data.c. */
bool compile_package(Compile* compile, u8** bytes, size_t* size);
bool compile_data(Compile* compile, u8** bytes, size_t* size);

/* Does a pattern of a package match a source? The resources of a model are packed with the model. */
bool package_pattern_matches(const Assets* assets, const Asset* package, const char* pattern,
                             Asset* asset);

#endif
