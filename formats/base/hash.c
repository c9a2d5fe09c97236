/* hash.c - XXH3, inlined so that a host needs no further library. */
#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

u64 hash_bytes(const void* bytes, size_t count, u64 seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}

/* Truncates to ENT_ID_BITS, and keeps 0 free to mean "none". */
static u64 id_from(u64 hash, u32 bits) {
    const u32 keep = ENT_ID_BITS < bits ? ENT_ID_BITS : bits;
    const u64 id = keep == 64 ? hash : hash & ((1ull << keep) - 1);
    return id ? id : 1;
}

u32 hash_name(Text name) { return (u32)id_from(hash_bytes(name.at, name.bytes, 0), 32); }

u64 hash_resource(Text name, const char* type) {
    char         text[512];
    const size_t bytes = strlen(type);
    const size_t kept = MIN_OF((size_t)name.bytes, sizeof text - bytes - 1); /* longer: no name */
    if (kept) memcpy(text, name.at, kept); /* an empty name may be NULL */
    text[kept] = '.';
    memcpy(text + kept + 1, type, bytes);
    return id_from(hash_bytes(text, kept + 1 + bytes, 0), 64);
}

Hash128 hash_content(const void* bytes, size_t size) {
    const XXH128_hash_t hash = XXH3_128bits(bytes, size);
    return (Hash128){hash.low64, hash.high64};
}

Hash128 hash_content_parts(const FilePart* parts, size_t count) {
    XXH3_state_t state;
    XXH3_128bits_reset(&state);
    for (size_t i = 0; i < count; i++) XXH3_128bits_update(&state, parts[i].at, parts[i].bytes);
    const XXH128_hash_t hash = XXH3_128bits_digest(&state);
    return (Hash128){hash.low64, hash.high64};
}
