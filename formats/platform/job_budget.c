/* job_budget.c - one lock for all budgets: it is held for a few instructions. */
#include "job_budget.h"

#include <pthread.h>

static pthread_mutex_t budget_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  budget_given = PTHREAD_COND_INITIALIZER;

static bool budget_has_room(const JobBudget* budget, u64 bytes, u64 limit) {
    return budget->used == 0 || (bytes <= limit && budget->used <= limit - bytes);
}

void job_budget_take(JobBudget* budget, u64 bytes, u64 limit) {
    pthread_mutex_lock(&budget_lock);
    while (!budget_has_room(budget, bytes, limit)) pthread_cond_wait(&budget_given, &budget_lock);
    budget->used += bytes;
    pthread_mutex_unlock(&budget_lock);
}

void job_budget_give(JobBudget* budget, u64 bytes) {
    pthread_mutex_lock(&budget_lock);
    assert(budget->used >= bytes);
    budget->used -= bytes;
    pthread_cond_broadcast(&budget_given);
    pthread_mutex_unlock(&budget_lock);
}
