/* jobserver.h - a client of GNU make's jobserver: how many threads of all the programs that one
 * make runs may work at a time.
 *
 * Make hands out tokens, a byte each, through a pipe that MAKEFLAGS names. A program has the right
 * to one thread from the start; every further thread takes a token before it works and puts the
 * same byte back when it is done. The bytes that are held go back on every way out of the process
 * that it can still do something about: when the pool is closed, on exit() and on signals.
 *
 * Source   GNU make manual, POSIX Jobserver Interaction: --jobserver-auth=R,W and fifo:PATH, and
 *          --jobserver-fds=R,W of make before 4.2. */
#ifndef ENT_JOBSERVER_H
#define ENT_JOBSERVER_H

#include "base.h"
#include "jobs.h"

typedef enum JobserverState {
    JOBSERVER_NONE, /* there is none */
    JOBSERVER_SHUT, /* make has one and did not let this program in: run one thread */
    JOBSERVER_OPEN
} JobserverState;

/* Finds the jobserver that MAKEFLAGS names. One at a time for a process; JOBSERVER_OPEN fills in
 * `permit`, which asks it for every thread of a pool.
 *
 *   before   ent_job_pool_create; jobserver_close comes after ent_job_pool_destroy
 *
 * Reads go through a description of the pipe of our own, which does not block: make and its other
 * children keep theirs as it is. */
JobserverState jobserver_open(JobPermit* permit);
void           jobserver_close(void);

/* Puts back every token that is held. Safe in a signal handler; tokens are taken no more. */
void jobserver_leave(void);

/* Was make called with -n, to tell what it would do and do nothing? Then it runs lines with a `+`
 * all the same. */
bool make_is_dry_run(void);

#endif
