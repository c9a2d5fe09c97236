/* pages.h - memory straight from the kernel. */
#ifndef ENT_PAGES_H
#define ENT_PAGES_H

#include "base.h"

/* Fresh zeroed memory, in huge pages where it is large enough for them to pay (page faults decide
 * what first use costs). NULL when there is none. */
void* pages_alloc(size_t bytes);
void  pages_free(void* at, size_t bytes);

#endif
