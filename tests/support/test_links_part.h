/* test_links_part.h - the references in the build database of FOLDER/out, as bytes. */
#ifndef TEST_LINKS_PART_H
#define TEST_LINKS_PART_H

#include "database.h"

/* Returns NULL when there is no database, or none are stored in it. Freed with free. */
u8* links_part_read(const char* folder, size_t* size);

/* Replaces them, with `size` 0 by none, in a database that is valid otherwise. */
void links_part_write(const char* folder, const u8* part, size_t size);

/* The same for a database in memory, which is freed: returns another one. */
u8* links_part_put(u8* database, size_t* size, const u8* part, size_t part_size);

#endif
