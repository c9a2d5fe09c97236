/* job_once.h - work that is done once, by the first of many threads that needs it. */
#ifndef ENT_JOB_ONCE_H
#define ENT_JOB_ONCE_H

#include "base.h"

/* Zero at the start. Other threads wait while the work is being done. */
typedef struct JobOnce {
    u32 state;
} JobOnce;

/* True: the work was not done; the caller does it and then calls job_once_end. False: it is done,
 * and what it wrote is visible. */
MUST_CHECK bool job_once_begin(JobOnce* once);
void            job_once_end(JobOnce* once);

/* Was it done? */
bool job_once_done(const JobOnce* once);

#endif
