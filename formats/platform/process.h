/* process.h - this process, its user, its machine, and what is loaded into it. */
#ifndef ENT_PROCESS_H
#define ENT_PROCESS_H

#include "base.h"

/* What names this boot of this machine, or this machine; "" when nothing does. */
void boot_name(char* out, size_t bytes);
void machine_name(char* out, size_t bytes);

/* Of the user whose rights this process has. */
u64 user_number(void);

/* Is standard error a terminal? */
bool stderr_is_terminal(void);

#define OBJECT_ID_BYTES 129

/* Calls `each` for the program, whose name is "", and for each library that is loaded, by its file
 * name. `id` changes with the content: the linker's build id, or else a hash of what is mapped and
 * cannot have been written to. */
void process_objects(void (*each)(void* user, const char* name, const char* id), void* user);

#endif
