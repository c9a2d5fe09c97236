/* png_context.c - memory for libspng, and for zlib, which it calls. */
#include "png_context.h"

#include "memory.h"

static void* array_alloc(size_t count, size_t size) {
    if (size && count > SIZE_MAX / size) memory_exhausted(SIZE_MAX);
    return memory_alloc(count * size);
}

static void* memory_resize(void* at, size_t bytes) {
    void* resized = realloc(at, bytes ? bytes : 1);
    if (!resized) memory_exhausted(bytes);
    return resized;
}

spng_ctx* png_context(int flags) {
    struct spng_alloc functions = {.malloc_fn = memory_alloc_raw,
                                   .realloc_fn = memory_resize,
                                   .calloc_fn = array_alloc,
                                   .free_fn = memory_free};
    return spng_ctx_new2(&functions, flags);
}
