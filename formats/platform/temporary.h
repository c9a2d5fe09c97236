/* temporary.h - what happens to unfinished files when a process is ended. */
#ifndef ENT_TEMPORARY_H
#define ENT_TEMPORARY_H

#include "base.h"

/* From now on SIGINT, SIGTERM and SIGHUP remove the temporaries before they end the process. */
void file_clean_on_signals(void);

/* What the handler calls before that, safe in a handler; NULL: nothing more. */
void signals_call(void (*also)(void));

/* The process then ends with that exit code, where the signal would have ended it. */
void signals_exit_with(int code);

/* Is it the name of a temporary whose process has ended, on this boot of this machine? */
bool temporary_is_dead(const char* name);

/* Removes what killed processes left beside a file. Who writes a file calls this first. */
void folder_sweep(const char* path);

#endif
