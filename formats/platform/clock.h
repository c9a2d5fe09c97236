/* clock.h - the time, and waiting. */
#ifndef ENT_CLOCK_H
#define ENT_CLOCK_H

#include "base.h"

/* Nanoseconds of the clock that the kernel uses for file time stamps: a file that is changed after
 * this call has a time stamp that is not lower. */
u64 clock_wall_ns(void);

/* Nanoseconds of a monotonic clock. */
u64 clock_ns(void);

/* Sleeps. */
void clock_wait_ms(u32 ms);

#endif
