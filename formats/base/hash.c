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

/* --- contents --- */

static Hash128 hash128(XXH128_hash_t hash) { return (Hash128){hash.low64, hash.high64}; }

/* A content in pieces. */
typedef struct PieceHash {
    XXH3_state_t piece; /* of the current one */
    XXH3_state_t all;   /* of the hashes of those before it */
    size_t       left;  /* bytes of the current one that are missing */
    size_t       size;  /* of the content */
} PieceHash;

static void pieces_begin(PieceHash* p, size_t size) {
    p->left = HASH_PIECE_BYTES;
    p->size = size;
    XXH3_128bits_reset(&p->piece);
    XXH3_INITSTATE(&p->all);
    XXH3_128bits_reset_withSeed(
        &p->all, size); /* a list of hashes that is a content itself has another hash */
}

/* The bytes of a hash are the same on every machine. */
static void piece_add(PieceHash* p, Hash128 hash) {
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, (XXH128_hash_t){hash.low, hash.high});
    XXH3_128bits_update(&p->all, &canonical, sizeof canonical);
}

static void pieces_add(PieceHash* p, const u8* at, size_t bytes) {
    while (bytes) {
        const size_t taken = MIN_OF(bytes, p->left);
        XXH3_128bits_update(&p->piece, at, taken);
        at += taken, bytes -= taken, p->left -= taken;
        if (p->left || p->size <= HASH_PIECE_BYTES) continue;
        piece_add(p, hash128(XXH3_128bits_digest(&p->piece)));
        XXH3_128bits_reset(&p->piece);
        p->left = HASH_PIECE_BYTES;
    }
}

static Hash128 pieces_end(PieceHash* p) {
    if (p->size <= HASH_PIECE_BYTES) return hash128(XXH3_128bits_digest(&p->piece));
    if (p->left < HASH_PIECE_BYTES) piece_add(p, hash128(XXH3_128bits_digest(&p->piece)));
    return hash128(XXH3_128bits_digest(&p->all));
}

Hash128 hash_content(const void* bytes, size_t size) {
    const FilePart part = {bytes, size};
    return size <= HASH_PIECE_BYTES ? hash128(XXH3_128bits(bytes, size))
                                    : hash_content_parts(&part, 1);
}

Hash128 hash_content_parts(const FilePart* parts, size_t count) {
    PieceHash p;
    size_t    size = 0;
    for (size_t i = 0; i < count; i++) size += parts[i].bytes;
    pieces_begin(&p, size);
    for (size_t i = 0; i < count; i++) pieces_add(&p, parts[i].at, parts[i].bytes);
    return pieces_end(&p);
}

Hash128 hash_piece(const void* bytes, size_t size, u32 piece) {
    const size_t first = (size_t)piece * HASH_PIECE_BYTES;
    return hash128(XXH3_128bits((const u8*)bytes + first, MIN_OF(size - first, HASH_PIECE_BYTES)));
}

Hash128 hash_of_pieces(const Hash128* pieces, u32 count, size_t size) {
    PieceHash p;
    assert(count == hash_piece_count(size));
    if (count == 1) return pieces[0];
    pieces_begin(&p, size);
    for (u32 i = 0; i < count; i++) piece_add(&p, pieces[i]);
    return pieces_end(&p);
}
