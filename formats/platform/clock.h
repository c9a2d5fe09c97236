/* clock.h - the time, and waiting. */
#ifndef ENT_CLOCK_H
#define ENT_CLOCK_H

#include "base.h"

/* Nanoseconds of the clock by which the kernel stamps files: whatever is changed from now on has a
 * stamp that is not lower. */
u64 clock_wall_ns(void);

/* Nanoseconds on a clock that only rises. */
u64 clock_ns(void);

/* Sleeps. */
void clock_wait_ms(u32 ms);

#endif
