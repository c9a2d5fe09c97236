/* threads.h - the threads of a command, as many as its options or make's jobserver permit. */
#ifndef ENTC_THREADS_H
#define ENTC_THREADS_H

#include "base.h"
#include "jobs.h"

/*   jobs  0: as many as this process has processors, or one when make's jobserver cannot be used
 *
 * Returns NULL after a message, when threads cannot be started: EXIT_LIMIT. At most one pool at a time. */
JobPool* threads_open(u32 jobs);
void     threads_close(JobPool* pool);

#endif
