/* normals_methods.h - other ways to compute normals from depth, which give the same words: measurements compare those of
 * the product with them. */
#ifndef ENT_NORMALS_METHODS_H
#define ENT_NORMALS_METHODS_H

#include "normals.h"

extern const NormalsMethod normals_pairs;  /* two columns per thread */
extern const NormalsMethod normals_shared; /* a tile in shared memory */

#endif
