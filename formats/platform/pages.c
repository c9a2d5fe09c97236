/* pages.c - allocates memory in pages, see pages.h. */
#define _GNU_SOURCE
#include "pages.h"

#include "clock.h"

#include <errno.h>
#include <stdlib.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#include <sys/mman.h>

/* A huge page is worth the cost of zeroing it from half its size on; smaller blocks use small
 * pages, and blocks of a few pages the heap: its pages are often in use already, and the first access
 * to a page takes longer than zeroing it ten times. */
#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define HUGE_FROM_BYTES ((size_t)1 << 20)
#define HEAP_BELOW      ((size_t)96 << 10)
#define HEAP_ALIGN      64

/* Memory that is at any address, and may not be used completely. */
#define ADVISE_FROM_BYTES ((size_t)8 << 20)

static size_t pages_bytes(size_t bytes) {
    return (size_t)align_up(bytes, bytes >= HUGE_FROM_BYTES ? HUGE_PAGE_BYTES : 4096);
}

bool pages_are_zeros(size_t bytes) { return bytes >= HEAP_BELOW; }

/* What malloc returned is stored before the block. */
static void* heap_alloc(size_t bytes) {
    u8* const memory = malloc(bytes + 2 * HEAP_ALIGN);
    if (!memory) return NULL;
    u8* const at = (u8*)align_up((uintptr_t)memory + sizeof memory, HEAP_ALIGN);
    memcpy(at - sizeof memory, &memory, sizeof memory);
    return at;
}

static void heap_free(const u8* at) {
    void* memory;
    memcpy(&memory, at - sizeof memory, sizeof memory);
    free(memory);
}

void* pages_alloc(size_t bytes) {
    const size_t rounded = pages_bytes(bytes);
    const bool   huge = bytes >= HUGE_FROM_BYTES;
    const size_t spare = huge ? HUGE_PAGE_BYTES : 0; /* for the alignment; released below */
    if (!pages_are_zeros(bytes)) return heap_alloc(bytes);
    u8* at =
        mmap(NULL, rounded + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return NULL;
    if (!huge) return at;
    u8* aligned = (u8*)align_up((uintptr_t)at, HUGE_PAGE_BYTES);
    if (aligned > at) munmap(at, (size_t)(aligned - at));
    if (at + spare > aligned) munmap(aligned + rounded, (size_t)(at + spare - aligned));
    madvise(aligned, rounded, MADV_HUGEPAGE); /* optional: only affects speed */
    return aligned;
}

void pages_free(void* at, size_t bytes) {
    if (!at) return;
    if (pages_are_zeros(bytes))
        munmap(at, pages_bytes(bytes));
    else
        heap_free(at);
}

/* Where a hypervisor provides memory page by page on its first use, a new huge page costs more than
 * small pages, which the kernel reuses. The first use of each shows which is the case; after a slow
 * one, this process uses small pages. */
#define HUGE_SLOW_NS 400000u

static bool huge_is_slow; /* atomic */

void pages_advise(void* at, size_t bytes) {
    const uintptr_t first = (uintptr_t)align_up((uintptr_t)at, HUGE_PAGE_BYTES);
    const uintptr_t last = ((uintptr_t)at + bytes) & ~(uintptr_t)(HUGE_PAGE_BYTES - 1);
    if (bytes < ADVISE_FROM_BYTES || __atomic_load_n(&huge_is_slow, __ATOMIC_RELAXED)) return;
    const int kept = errno; /* all calls here are optional: they only affect speed */
    madvise((void*)first, last - first, MADV_HUGEPAGE);
    u64 before_ns = clock_ns();
    for (uintptr_t page = first; page < last; page += HUGE_PAGE_BYTES) {
        __atomic_fetch_or((u8*)page, 0, __ATOMIC_RELAXED);
        const u64 now_ns = clock_ns();
        if (now_ns - before_ns > HUGE_SLOW_NS) {
            __atomic_store_n(&huge_is_slow, true, __ATOMIC_RELAXED);
            madvise((void*)page, last - page, MADV_NOHUGEPAGE);
            break;
        }
        before_ns = now_ns;
    }
    errno = kept;
}

void pages_populate(void* at, size_t bytes) {
#if defined(MADV_POPULATE_WRITE)
    const uintptr_t first = (uintptr_t)align_up((uintptr_t)at, 4096);
    const uintptr_t last = ((uintptr_t)at + bytes) & ~(uintptr_t)4095;
    const int       kept = errno; /* optional: it only affects speed, and needs Linux 5.14 */
    if (last > first) madvise((void*)first, last - first, MADV_POPULATE_WRITE);
    errno = kept;
#else
    UNUSED(at), UNUSED(bytes);
#endif
}

/* glibc enlarges the heap of a thread by one page after the other, each time with a system call for which all other
 * threads of the process wait; what was freed again is used without one. */
#define RESERVE_BLOCK_BYTES ((size_t)120 << 10) /* larger ones would not be in the heap */
#define RESERVE_BLOCKS_MAX  256u

void pages_reserve(size_t bytes) {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    void* block[RESERVE_BLOCKS_MAX];
    u32   count = 0;
    while (count < MIN_OF(bytes / RESERVE_BLOCK_BYTES, (size_t)RESERVE_BLOCKS_MAX))
        block[count++] = malloc(RESERVE_BLOCK_BYTES); /* without memory: free accepts it */
    while (count > 0) free(block[--count]);
#else
    UNUSED(bytes);
#endif
}

void pages_trim(void) {
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}
