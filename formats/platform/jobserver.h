/* jobserver.h - a client of GNU make's jobserver, which limits how many threads of all the programs
 * that one make runs may work at a time.
 *
 * Make provides tokens, one byte each, through a pipe that MAKEFLAGS names. A program may run one
 * thread from the start; every further thread takes a token before it works and writes the same
 * byte back when it is done. The held bytes are returned on every exit of the process that it can
 * handle: when the pool is closed, on exit() and on signals.
 *
 * Source   GNU make manual, POSIX Jobserver Interaction: --jobserver-auth=R,W and fifo:PATH, and
 *          --jobserver-fds=R,W of make before 4.2. */
#ifndef ENT_JOBSERVER_H
#define ENT_JOBSERVER_H

#include "base.h"
#include "jobs.h"

typedef enum JobserverState {
    JOBSERVER_NONE, /* there is none */
    JOBSERVER_SHUT, /* make has one but did not pass it to this program: run one thread */
    JOBSERVER_OPEN
} JobserverState;

/* Opens the jobserver that MAKEFLAGS names. At most one per process; JOBSERVER_OPEN fills in
 * `permit`, which requests a token for every thread of a pool.
 *
 *   before   ent_job_pool_create; jobserver_close comes after ent_job_pool_destroy
 *
 * Tokens are read through a separate description of the pipe, which does not block: the
 * descriptions of make and its other children do not change. */
JobserverState jobserver_open(JobPermit* permit);
void           jobserver_close(void);

/* For a child after fork: closes what it has of the jobserver, without the tokens that its parent holds. */
void jobserver_forget(void);

/* Returns every held token. Safe in a signal handler; no token is taken afterwards. */
void jobserver_leave(void);

/* Was make called with -n, to print the commands without running them? It still runs lines with
 * `+`. */
bool make_is_dry_run(void);

#endif
