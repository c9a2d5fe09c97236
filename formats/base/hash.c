/* hash.c - XXH3, inlined so that a host links nothing more. */
#include "hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

u64 hash_bytes(const void* bytes, size_t count, u64 seed) {
    return XXH3_64bits_withSeed(bytes, count, seed);
}

/* Cuts to ENT_ID_BITS, and keeps 0 free to mean "none". */
static u64 id_from(u64 hash, u32 bits) {
    const u32 keep = ENT_ID_BITS < bits ? ENT_ID_BITS : bits;
    const u64 id = keep == 64 ? hash : hash & ((1ull << keep) - 1);
    return id ? id : 1;
}

u32 hash_name(Text name) { return (u32)id_from(hash_bytes(name.at, name.bytes, 0), 32); }

u64 hash_resource(Text name, const char* type) {
    XXH3_state_t state;
    XXH3_64bits_reset(&state);
    XXH3_64bits_update(&state, name.at, name.bytes);
    XXH3_64bits_update(&state, ".", 1);
    XXH3_64bits_update(&state, type, strlen(type));
    return id_from(XXH3_64bits_digest(&state), 64);
}
