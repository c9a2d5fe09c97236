/* job_budget.h - a number of bytes that several threads share: a thread waits until its part is
 * free. */
#ifndef ENT_JOB_BUDGET_H
#define ENT_JOB_BUDGET_H

#include "base.h"

/* Zero at the start. */
typedef struct JobBudget {
    u64 used;
} JobBudget;

/* Waits until `bytes` more do not exceed `limit`, or until no other thread uses any. The caller must
 * not wait for other threads before it calls job_budget_give with the same number. */
void job_budget_take(JobBudget* budget, u64 bytes, u64 limit);
void job_budget_give(JobBudget* budget, u64 bytes);

#endif
