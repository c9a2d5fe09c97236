/* job_lock.c - threads wait for any lock at one condition: they are few, and mostly none waits. */
#include "job_lock.h"

#include <pthread.h>

enum { LOCK_FREE, LOCK_TAKEN, LOCK_WANTED };

static pthread_mutex_t wait_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  lock_given = PTHREAD_COND_INITIALIZER;

void job_lock_take(JobLock* lock) {
    u32 expected = LOCK_FREE;
    if (__atomic_compare_exchange_n(&lock->state, &expected, LOCK_TAKEN, false, __ATOMIC_ACQUIRE,
                                    __ATOMIC_RELAXED))
        return;
    pthread_mutex_lock(&wait_lock);
    while (__atomic_exchange_n(&lock->state, LOCK_WANTED, __ATOMIC_ACQUIRE) != LOCK_FREE)
        pthread_cond_wait(&lock_given, &wait_lock);
    pthread_mutex_unlock(&wait_lock);
}

/* One that takes it after it has waited leaves it wanted: others may wait too. */
void job_lock_give(JobLock* lock) {
    const u32 before = __atomic_exchange_n(&lock->state, LOCK_FREE, __ATOMIC_RELEASE);
    assert(before != LOCK_FREE);
    if (before != LOCK_WANTED) return;
    pthread_mutex_lock(&wait_lock);
    pthread_cond_broadcast(&lock_given);
    pthread_mutex_unlock(&wait_lock);
}
