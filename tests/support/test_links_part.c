/* test_links_part.c - reads and replaces the references in a build database. */
#include "test_links_part.h"

#include <stdio.h>
#include <stdlib.h>

#include "test.h"

#define PLACE       ".out.entc/database"
#define HASHED_FROM (offsetof(DatabaseHead, hash) + sizeof(Hash128))

static u8* database_bytes(const char* folder, size_t* size) {
    char path[4096];
    snprintf(path, sizeof path, "%s/" PLACE, folder);
    return test_read(path, size);
}

u8* links_part_read(const char* folder, size_t* size) {
    DatabaseHead head = {.links_bytes = 0};
    u8*          bytes = database_bytes(folder, size);
    u8*          part = NULL;
    if (bytes) memcpy(&head, bytes, sizeof head);
    if (head.links_bytes) {
        part = aligned_alloc(16, align_up(head.links_bytes, 16));
        memcpy(part, bytes + *size - head.links_bytes, head.links_bytes);
    }
    *size = head.links_bytes;
    free(bytes);
    return part;
}

u8* links_part_put(u8* database, size_t* size, const u8* part, size_t part_size) {
    DatabaseHead head;
    memcpy(&head, database, sizeof head);
    const size_t end = (size_t)database_rows_end(&head);
    const size_t begin = part_size ? align_up(end, DATABASE_LINKS_ALIGN) : end;
    u8*          bytes = aligned_alloc(16, align_up(begin + part_size, 16));
    memset(bytes + end, 0, begin - end);
    memcpy(bytes, database, end);
    if (part_size) memcpy(bytes + begin, part, part_size);
    head.links_bytes = (u32)part_size;
    memcpy(bytes, &head, sizeof head);
    head.hash = hash_content(bytes + HASHED_FROM, end - HASHED_FROM);
    memcpy(bytes, &head, sizeof head);
    free(database);
    *size = begin + part_size;
    return bytes;
}

void links_part_write(const char* folder, const u8* part, size_t size) {
    size_t bytes;
    u8*    database = database_bytes(folder, &bytes);
    assert_non_null(database);
    database = links_part_put(database, &bytes, part, size);
    test_write(folder, PLACE, database, bytes);
    free(database);
}
