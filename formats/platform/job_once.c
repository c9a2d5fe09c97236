/* job_once.c - one lock for all work that is done once: it is held for a few instructions, and a
 * thread that comes after the work is done does not lock it. */
#include "job_once.h"

#include <pthread.h>

enum { ONCE_NEW, ONCE_BUSY, ONCE_DONE };

static pthread_mutex_t once_lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t  once_done = PTHREAD_COND_INITIALIZER;

/* Acquire: pairs with the release in job_once_end, which follows all writes of the work. */
bool job_once_done(const JobOnce* once) {
    return __atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == ONCE_DONE;
}

bool job_once_begin(JobOnce* once) {
    if (job_once_done(once)) return false;
    pthread_mutex_lock(&once_lock);
    while (once->state == ONCE_BUSY) pthread_cond_wait(&once_done, &once_lock);
    const bool first = once->state == ONCE_NEW;
    if (first) __atomic_store_n(&once->state, ONCE_BUSY, __ATOMIC_RELAXED);
    pthread_mutex_unlock(&once_lock);
    return first;
}

void job_once_end(JobOnce* once) {
    pthread_mutex_lock(&once_lock);
    __atomic_store_n(&once->state, ONCE_DONE, __ATOMIC_RELEASE);
    pthread_cond_broadcast(&once_done);
    pthread_mutex_unlock(&once_lock);
}
