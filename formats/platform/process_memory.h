/* process_memory.h - how much memory this process may use, and has used. */
#ifndef ENT_PROCESS_MEMORY_H
#define ENT_PROCESS_MEMORY_H

#include "base.h"

/* The smallest of the machine's memory, the limits of the control groups of this process, and its own limit of
 * addresses, in bytes. */
u64 process_memory_limit(void);

/* The largest number of bytes that this process had in memory at any time; 0: it is not known. */
u64 process_memory_peak(void);

#endif
