/* declare_write.h - writes declarations: their sections, and the blob of one. */
#ifndef ENTC_DECLARE_WRITE_H
#define ENTC_DECLARE_WRITE_H

#include "compile.h"

/* Adds the declarations of [count] types. With a description of the only type also its older names:
 * then the blob is that of the declaration. */
void declarations_write(Output* out, const ComponentType* const* types, u32 count,
                        const char* description);

/* Compiles a component that the project declares. Returns false, with diagnostics, when this fails;
 * otherwise the caller owns the bytes. */
bool compile_declaration(Compile* compile, u8** bytes, size_t* size);

#endif
