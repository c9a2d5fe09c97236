/* cache.h - a folder of results, addressed by what they were made of: any number of processes, any
 * number of checkouts, and a damaged entry is as good as none.
 *
 * An entry is a file: a manifest, which is everything that decides about the bytes, as text; then
 * notes; then the bytes. The file is found by the hash of its manifest, and the manifest is
 * compared byte for byte, so that two that share a hash do not serve each other's results. */
#ifndef ENTC_CACHE_H
#define ENTC_CACHE_H

#include "file.h"
#include "hash.h"
#include "memory.h"

typedef struct Cache {
    const char* folder; /* NULL: there is none */
    u32         hits, stores;
    u32         refused; /* 1: a store failed, which was told once */
} Cache;

/* What was found; good until cache_release. */
typedef struct CacheEntry {
    Text      notes;
    const u8* bytes;
    size_t    size;
    FileView  view;
} CacheEntry;

/* Makes the folder, and removes what killed processes left in it. One that others may write to and
 * that belongs to somebody else is refused. False, told on stderr: it is of no use. */
bool cache_open(Cache* cache, const char* folder);

/* Any thread. An entry that is damaged is told of, and removed. */
bool cache_find(Cache* cache, Text manifest, CacheEntry* out);
void cache_release(CacheEntry* entry);

/* Any thread. That it cannot be stored is told once, and costs nothing but time. */
void cache_store(Cache* cache, Text manifest, Text notes, const void* bytes, size_t size);

/* Removes what was used longest ago until no more than `most` bytes are left, and what killed
 * processes left. Returns an exit code. */
int cache_trim(const char* folder, u64 most_bytes, bool quiet);

#endif
