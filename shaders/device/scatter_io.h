/* scatter_io.h - the inputs and outputs of the kernel that writes single elements of an array. */
#ifndef ENT_SCATTER_IO_H
#define ENT_SCATTER_IO_H

#include "kernel_io.h"

#define SCATTER_GROUP 128u

#define SCATTER_FROM 0 /* bindings: numbers of elements, then the elements */
#define SCATTER_TO   1 /* the words of the array */

KERNEL_STRUCT(ScatterPush) {
    u32 count;         /* elements */
    u32 element_words; /* words of an element */
};

#endif
