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

/* The x of an element that does not exist: systems that draw leave it out. */
#define ELEMENT_ABSENT       3e38f
#define ELEMENT_IS_ABSENT(x) ((x) >= 1e38f)

/* The word of an element that has its number, where elements of several kinds, such as fluids that meet, are in one buffer. */
#define ELEMENT_KIND_SHIFT   27u
#define ELEMENT_KINDS_MAX    16u
#define ELEMENT_KIND(word)   ((word) >> ELEMENT_KIND_SHIFT & (ELEMENT_KINDS_MAX - 1))
#define ELEMENT_NUMBER(word) ((word) & ((1u << ELEMENT_KIND_SHIFT) - 1))

#endif
