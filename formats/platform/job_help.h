/* job_help.h - a pool for programs that do nothing but its work.
 *
 * While the thread that is not of the pool waits for a group, an item that another thread runs may dispatch work. That
 * thread is idle then, unless the pool has this property: it helps with such work too, when it waits outside of items.
 * So it may run for longer than the group that it waits for, and must not hold a lock that items need: this is not for
 * the pool of a host, whose frames must not wait for what was begun beside them. */
#ifndef JOB_HELP_H
#define JOB_HELP_H

#include "jobs.h"

/* Needs   no work that was dispatched before. */
void job_pool_help(JobPool* pool);

#endif
