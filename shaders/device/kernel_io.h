/* kernel_io.h - declares a struct that C and GLSL share. Its members are 32-bit words, so that both
 * languages use the same layout. */
#ifndef ENT_KERNEL_IO_H
#define ENT_KERNEL_IO_H

#include "shared.h"

#ifdef GL_core_profile
#define KERNEL_STRUCT(Name) struct Name
#else
#define KERNEL_STRUCT(Name)                                                                        \
    typedef struct Name Name;                                                                      \
    struct Name
#endif

#endif
