/* sph_methods.h - other ways to find the neighbours of the particles of a fluid, for sph_create_tuned: measurements
 * compare the one of the product with them, and tests use them as references. */
#ifndef ENT_SPH_METHODS_H
#define ENT_SPH_METHODS_H

#include "sph_internal.h"

extern const SphMethod
    sph_counted_hashed; /* counting sort; the number of a cell is the article's hash */
extern const SphMethod sph_sorted_wrapped; /* bitonic sort of indices by cell, as in the article */
extern const SphMethod sph_sorted_hashed;  /* the same, with the article's hash */
extern const SphMethod sph_all_pairs;      /* every pair is tested: for small counts */

#endif
