/* link_places.h - the references in the source of a resource that was compiled. */
#ifndef ENTC_LINK_PLACES_H
#define ENTC_LINK_PLACES_H

#include "links.h"

/* Adds the references of a resource of a file, which was compiled without errors and with `needs_links`.
 * Needs nothing of `links` but its arena and the places. Compiles the nodes that are outside of the
 * scene of a model, so that nothing but the places can be read from `compile` afterwards. */
void link_places_add(Links* links, const LinkFile* file, Compile* compile, ResourceType type);

/* Sorts references by path, then offset, and removes duplicates. Returns how many remain. */
u32 link_places_sort(LinkPlace* places, u32 count);

/* qsort for rows that are often in order already, or of which only the last ones are not. */
void rows_sort(void* rows, u32 count, size_t bytes, int (*order)(const void* a, const void* b));

#endif
