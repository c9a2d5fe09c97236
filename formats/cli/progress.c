/* progress.c - writes the line to standard error. */
#include "progress.h"

#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "process.h"

#define EVERY_NS   100000000u
#define ERASE_LINE "\r\033[K"

static bool is_set(const char* variable) {
    const char* value = getenv(variable);
    return value && *value;
}

bool progress_is_seen(void) {
    return !is_set("CI") && stderr_is_terminal() && is_set("TERM") &&
           strcmp(getenv("TERM"), "dumb") != 0;
}

void progress_begin(Progress* p, bool wanted, const char* what, u32 count) {
    *p = (Progress){.what = wanted ? what : NULL, .count = count, .next_ns = clock_ns() + EVERY_NS};
}

static u32 digits_of(u32 number) {
    u32 digits = 1;
    for (; number >= 10; number /= 10) digits++;
    return digits;
}

void progress_add(Progress* p, u32 done) {
    if (!p->what) return;
    const u32 now = __atomic_add_fetch(&p->done, done, __ATOMIC_RELAXED);
    const u64 now_ns = clock_ns();
    u64       next_ns = __atomic_load_n(&p->next_ns, __ATOMIC_RELAXED);
    if (now_ns < next_ns ||
        !__atomic_compare_exchange_n(&p->next_ns, &next_ns, now_ns + EVERY_NS, false,
                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
        return;
    }
    __atomic_store_n(&p->shown, 1, __ATOMIC_RELAXED);
    fprintf(stderr, ERASE_LINE "[%*u/%u] %s", (int)digits_of(p->count), now, p->count, p->what);
    fflush(stderr);
}

void progress_end(Progress* p) {
    if (p->shown) fputs(ERASE_LINE, stderr);
    *p = (Progress){0};
}
