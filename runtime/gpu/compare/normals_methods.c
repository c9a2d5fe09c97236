/* normals_methods.c - normals of strips with two columns per thread, and of tiles in shared memory. */
#include "normals_methods.h"

#include "normals_pairs.comp.h"
#include "normals_shared.comp.h"

const NormalsMethod normals_pairs = {
    .slot = 3, .kernel = GPU_KERNEL_OF(normals_pairs, NORMALS_GROUP), .columns = 2};
const NormalsMethod normals_shared = {
    .slot = 4, .kernel = GPU_KERNEL_OF(normals_shared, NORMALS_GROUP), .wide = 1, .high = 1};
