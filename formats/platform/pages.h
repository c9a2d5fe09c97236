/* pages.h - memory in large blocks directly from the kernel, in small ones from the heap. */
#ifndef ENT_PAGES_H
#define ENT_PAGES_H

#include "base.h"

/* New memory, aligned to 64 bytes, in huge pages where it is large enough to benefit from them (page
 * faults determine the cost of first use). NULL when memory is exhausted. */
void* pages_alloc(size_t bytes);
void  pages_free(void* at, size_t bytes);

/* Uses huge pages for memory that is long, and is filled completely soon: it is touched here, as long as
 * this is quick. Its content does not change. */
void pages_advise(void* at, size_t bytes);

/* Provides the pages of memory that is written next, with one call instead of a fault for each. Its content
 * does not change. Useful for at most PAGES_WINDOW_BYTES at a time, which remain in the cache. */
#define PAGES_WINDOW_BYTES ((size_t)256 << 10)
void pages_populate(void* at, size_t bytes);

/* Makes room for small allocations of this thread, of at most some MiB. Optional: it only affects speed. */
void pages_reserve(size_t bytes);

/* Returns memory that the heap keeps after it was freed, where the C library can do so. */
void pages_trim(void);

/* Is such a block zeroed? Small ones are not. */
bool pages_are_zeros(size_t bytes);

#endif
