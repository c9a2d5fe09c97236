/* job_lock.h - a lock in four bytes, for data of which there are very many. */
#ifndef ENT_JOB_LOCK_H
#define ENT_JOB_LOCK_H

#include "base.h"

/* Zero at the start. */
typedef struct JobLock {
    u32 state;
} JobLock;

/* Waits until no other thread has it. Cost: one atomic operation each, if no other thread waits. */
void job_lock_take(JobLock* lock);
void job_lock_give(JobLock* lock);

#endif
