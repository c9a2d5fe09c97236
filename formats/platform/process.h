/* process.h - this process, its user, its machine, and the objects that it has loaded. */
#ifndef ENT_PROCESS_H
#define ENT_PROCESS_H

#include "base.h"

/* Identifies this boot of this machine, or else this machine; "" when neither is known. */
void boot_name(char* out, size_t bytes);
void machine_name(char* out, size_t bytes);

/* The number of the effective user of this process. */
u64 user_number(void);

/* Is standard error a terminal? */
bool stderr_is_terminal(void);

#define OBJECT_ID_BYTES 129

/* The build id of the file of a library; false when it cannot be read or has none. */
bool object_file_id(const char* path, char id[OBJECT_ID_BYTES]);

/* Calls `each` for the program, whose name is "", and for each loaded library, by its file name.
 * `id` changes with the content: the linker's build id, or else a hash of the mapped segments that
 * are not writable. */
void process_objects(void (*each)(void* user, const char* name, const char* id), void* user);

#endif
