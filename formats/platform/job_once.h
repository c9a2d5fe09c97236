/* job_once.h - something that is done by whoever of many threads needs it first. */
#ifndef ENT_JOB_ONCE_H
#define ENT_JOB_ONCE_H

#include "base.h"

/* Zero at the start. The others wait while it is being done. */
typedef struct JobOnce {
    u32 state;
} JobOnce;

/* True: nobody did it, the caller does and then says job_once_end. False: it is done, and what was
 * written is seen. */
MUST_CHECK bool job_once_begin(JobOnce* once);
void            job_once_end(JobOnce* once);

/* Was it done? */
bool job_once_done(const JobOnce* once);

#endif
