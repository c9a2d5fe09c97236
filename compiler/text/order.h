/* order.h - orders for qsort and bsearch. */
#ifndef ENTC_ORDER_H
#define ENTC_ORDER_H

#include <string.h>

#include "base.h"

/* Of elements that are u32. */
static inline int order_numbers(const void* a, const void* b) {
    const u32 x = *(const u32*)a, y = *(const u32*)b;
    return (x > y) - (x < y);
}

/* Of elements that are pointers to texts. */
static inline int order_texts(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

#endif
