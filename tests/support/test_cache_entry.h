/* test_cache_entry.h - how an entry of the cache folder begins: written down again, so that tests can forge one. */
#ifndef TEST_CACHE_ENTRY_H
#define TEST_CACHE_ENTRY_H

#include "hash.h"

typedef struct EntryHead {
    char    magic[8];
    u32     version, spare;
    u64     manifest_bytes, notes_bytes, size;
    Hash128 hash; /* of everything behind the head */
} EntryHead;

#endif
