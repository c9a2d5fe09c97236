/* threads.c - pools of threads for commands, and loops on them. */
#include "threads.h"

#include <errno.h>
#include <stdio.h>

#include "job_help.h"
#include "jobserver.h"

JobPool* threads_open(u32 jobs) {
    JobPermit            permit;
    const JobserverState server = jobserver_open(&permit);
    if (!jobs) jobs = server == JOBSERVER_SHUT ? 1 : ent_job_processor_count();
    JobPool* pool = ent_job_pool_create(jobs - 1, server == JOBSERVER_OPEN ? &permit : NULL);
    if (!pool) fprintf(stderr, "entc: error: cannot start %u threads: %s\n", jobs, strerror(errno));
    if (pool) job_pool_help(pool);
    return pool;
}

void threads_close(JobPool* pool) {
    ent_job_pool_destroy(pool);
    jobserver_close();
}

void threads_run(JobPool* pool, u32 count, u32 group, JobFunction call, void* user) {
    JobGroup jobs = {0};
    if (pool) {
        ent_job_dispatch(pool, &jobs, count, group, call, user);
        ent_job_wait(pool, &jobs);
        return;
    }
    for (u32 first = 0; first < count; first += MIN_OF(group, count - first))
        call(user, first, first + MIN_OF(group, count - first), 0);
}
