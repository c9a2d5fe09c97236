/* host_internal.h - the allocator of the host, or the system's pages. */
#ifndef ENT_HOST_INTERNAL_H
#define ENT_HOST_INTERNAL_H

#include "file.h"
#include "pages.h"
#include "host.h"

static inline void* host_pages_alloc(void* user, size_t bytes) {
    UNUSED(user);
    return pages_alloc(bytes);
}

static inline void host_pages_free(void* user, void* at, size_t bytes) {
    UNUSED(user);
    pages_free(at, bytes);
}

static inline HostAllocator host_allocator(HostAllocator given) {
    const HostAllocator pages = {host_pages_alloc, host_pages_free, NULL};
    return given.alloc ? given : pages;
}

#endif
