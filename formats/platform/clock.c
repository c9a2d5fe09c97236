/* clock.c - see clock.h. */
#define _GNU_SOURCE
#include "clock.h"

#include <errno.h>
#include <time.h>

u64 clock_wall_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

u64 clock_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (u64)now.tv_sec * 1000000000u + (u64)now.tv_nsec;
}

void clock_wait_ms(u32 ms) {
    struct timespec rest = {(time_t)(ms / 1000), (long)(ms % 1000) * 1000000};
    while (nanosleep(&rest, &rest) != 0 && errno == EINTR) continue;
}
