/* threads.c - pools of threads for commands, and loops on them. */
#include "threads.h"

#include <errno.h>
#include <stdio.h>

#include "jobserver.h"
#include "memory.h"

JobPool* threads_open(u32 jobs) {
    JobPermit            permit;
    const JobserverState server = jobserver_open(&permit);
    if (!jobs) jobs = server == JOBSERVER_SHUT ? 1 : ent_job_processor_count();
    JobPool* pool = ent_job_pool_create(jobs - 1, server == JOBSERVER_OPEN ? &permit : NULL);
    if (!pool) fprintf(stderr, "entc: error: cannot start %u threads: %s\n", jobs, strerror(errno));
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

typedef struct HashWork {
    const void* bytes;
    size_t      size;
    Hash128*    pieces;
} HashWork;

static void pieces_hash(void* user, u32 first, u32 end, u32 worker) {
    const HashWork* work = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) work->pieces[i] = hash_piece(work->bytes, work->size, i);
}

Hash128 threads_hash(JobPool* pool, const void* bytes, size_t size) {
    const u32 count = hash_piece_count(size);
    HashWork  work = {.bytes = bytes, .size = size};
    if (count == 1 || threads_count(pool) == 1) return hash_content(bytes, size);
    work.pieces = memory_alloc_raw(sizeof *work.pieces * count);
    threads_run(pool, count, 1, pieces_hash, &work);
    const Hash128 hash = hash_of_pieces(work.pieces, count, size);
    memory_free(work.pieces);
    return hash;
}
