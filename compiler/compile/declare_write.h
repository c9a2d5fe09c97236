/* declare_write.h - writes the sections of declarations. */
#ifndef ENTC_DECLARE_WRITE_H
#define ENTC_DECLARE_WRITE_H

#include "output.h"

/* Adds the declarations of [count] types. With a description of the only type also its older names:
 * then the blob is that of the declaration. */
void declarations_write(Output* out, const ComponentType* const* types, u32 count,
                        const char* description);

#endif
