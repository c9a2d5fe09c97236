/* temporary.h - removes unfinished files when a process ends. */
#ifndef ENT_TEMPORARY_H
#define ENT_TEMPORARY_H

#include "base.h"

/* After this call, SIGINT, SIGTERM and SIGHUP, and `exit`, remove the temporary files before they end the process. */
void file_clean_on_end(void);

/* The function that the handler calls before that, async-signal-safe; NULL: none. */
void signals_call(void (*also)(void));

/* The process then ends with that exit code instead of being ended by the signal. */
void signals_exit_with(int code);

/* Is it the name of a temporary file whose process has ended, on this boot of this machine? */
bool temporary_is_abandoned(const char* name);

/* Removes what killed processes left beside a file. Called before a file is written. */
void folder_sweep(const char* path);

#endif
