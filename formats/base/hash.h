/* hash.h - the ids of everything that has a name, and the hash of a blob's bytes.
 *
 * Source   XXH3, Y. Collet; frozen since xxHash 0.8.0, the same on every machine. */
#ifndef ENT_HASH_H
#define ENT_HASH_H

#include "base.h"

/* A test build truncates ids to a few bits to force the collisions that do not occur in a real
 * build. */
#ifndef ENT_ID_BITS
#define ENT_ID_BITS 64
#endif

u64 hash_bytes(const void* bytes, size_t count, u64 seed);

/* 32-bit id of a component, an enum text or an entity's name; never 0. */
u32 hash_name(Text name);

/* 64-bit id of `name.type`; never 0. */
u64 hash_resource(Text name, const char* type);

static inline EntResourceRef resource_ref(u64 id) {
    const EntResourceRef r = {(u32)id, (u32)(id >> 32)};
    return r;
}
static inline u64 resource_id(EntResourceRef r) { return (u64)r.hi << 32 | r.lo; }

/* Of a complete content: in practice, different contents have different hashes. */
typedef struct Hash128 {
    u64 low, high;
} Hash128;

Hash128 hash_content(const void* bytes, size_t size);

/* The same for content that consists of parts. */
Hash128 hash_content_parts(const FilePart* parts, size_t count);

static inline bool hash_equal(Hash128 a, Hash128 b) { return a.low == b.low && a.high == b.high; }

#endif
