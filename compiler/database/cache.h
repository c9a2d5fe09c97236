/* cache.h - a folder of results, addressed by their inputs. Any number of processes and checkouts
 * may use it; a damaged entry is ignored.
 *
 * An entry is a file: a manifest, which describes everything that determines the bytes, as text;
 * then notes; then the bytes. The file is found with the hash of its manifest, and the manifest is
 * compared byte by byte, so that a hash collision cannot give a wrong result. */
#ifndef ENTC_CACHE_H
#define ENTC_CACHE_H

#include "file.h"
#include "hash.h"
#include "memory.h"

typedef struct Cache {
    const char* folder; /* NULL: there is none */
    u32         hits, stores;
    u32         refused; /* 1: a store failed, which was reported once */
} Cache;

/* The entry that was found; valid until cache_release. */
typedef struct CacheEntry {
    Text      notes;
    const u8* bytes;
    size_t    size;
    FileView  view;
} CacheEntry;

/* Creates the folder, and removes temporary files of killed processes. A folder of another user
 * that all users may write to is rejected. Returns false after reporting on stderr that it cannot
 * be used. */
bool cache_open(Cache* cache, const char* folder);

/* Any thread may call it. A damaged entry is reported and removed. */
bool cache_find(Cache* cache, Text manifest, CacheEntry* out);
void cache_release(CacheEntry* entry);

/* Any thread may call it. A failure is reported once, and only costs time. */
void cache_store(Cache* cache, Text manifest, Text notes, const void* bytes, size_t size);

/* Removes the least recently used entries until at most `most` bytes remain, and temporary files of
 * killed processes. Returns an exit code. */
int cache_trim(const char* folder, u64 limit_bytes, bool quiet);

#endif
