/* test_pieces.c - the pieces of a bundle, with a hand-written index: frames and dictionaries that a
 * bundle cannot contain are refused, with the row and the reason, and with or without an argument
 * for the fault. */
#include <stdlib.h>

#define ZDICT_STATIC_LINKING_ONLY
#include <zdict.h>
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "bundle_internal.h"
#include "hash.h"
#include "test_worlds_support.h"

#define BLOB_BYTES (1u << 20) /* more than one block of a frame */
#define ROWS       2

/* An index and what follows it. */
typedef struct Pack {
    BundleHeader     header;
    BundleResource   row[ROWS];
    BundleDictionary dictionary[ROWS];
    u8               data[1 << 16];
    u32              used; /* of data */
    Bundle           bundle;
} Pack;

static Pack* pack_new(u32 dictionaries) {
    Pack* p = aligned_alloc(16, align_up(sizeof *p, 16));
    memset(p, 0, sizeof *p);
    p->header.resource_count = ROWS;
    p->header.dictionary_count = dictionaries;
    p->bundle =
        (Bundle){(const u8*)p, sizeof *p, &p->header, p->row, p->dictionary, (const char*)p->data};
    for (u32 i = 0; i < ROWS; i++) {
        p->row[i].type = RESOURCE_LEVEL;
        p->row[i].id = ent_resource_ref(i ? "b" : "a", RESOURCE_LEVEL);
        p->row[i].dictionary = BUNDLE_NO_DICTIONARY;
        p->row[i].offset_lo = offsetof(Pack, data);
    }
    return p;
}

static u32 pack_put(Pack* p, const void* bytes, size_t count) {
    const u32 at = p->used;
    assert_true(at + count <= sizeof p->data);
    memcpy(p->data + at, bytes, count);
    p->used += (u32)count;
    return (u32)offsetof(Pack, data) + at;
}

static void dictionary_put(Pack* p, u32 row, const void* bytes, size_t count) {
    BundleDictionary* d = &p->dictionary[row];
    *d = (BundleDictionary){.bytes = (u32)count, .hash = resource_ref(hash_bytes(bytes, count, 0))};
    d->offset_lo = pack_put(p, bytes, count);
}

static BundleResource* frame_put(Pack* p, u32 row, const void* frame, size_t stored, u32 size) {
    BundleResource* r = &p->row[row];
    r->codec = BUNDLE_ZSTD;
    r->stored = (u32)stored;
    r->size = size;
    r->hash = resource_ref(hash_bytes(frame, stored, 0));
    r->offset_lo = pack_put(p, frame, stored);
    return r;
}

static BundleDecoder decoder_new(const Pack* p, void** room) {
    BundleDecoder decoder;
    const size_t  bytes = bundle_decoder_bytes(&p->bundle);
    *room = bytes ? aligned_alloc(64, align_up(bytes, 64)) : NULL;
    bundle_decoder_init(&decoder, &p->bundle, *room);
    return decoder;
}

/* A dictionary that a frame can use: it contains the header of a blob. */
static size_t dictionary_new(u8* out, size_t room, const BlobHeader* header) {
    static u8 samples[200 * 64];
    size_t    size[200], bytes_out;
    Random    random = {7};
    u8        content[1024];
    for (u32 i = 0; i < sizeof samples; i++) samples[i] = (u8)random_below(&random, 7);
    for (u32 i = 0; i < COUNT_OF(size); i++) size[i] = 64;
    for (u32 i = 0; i < sizeof content; i++) content[i] = (u8)random_next(&random);
    memcpy(content + 512, header, sizeof *header);
    bytes_out = ZDICT_finalizeDictionary(out, room, content, sizeof content, samples, size,
                                         COUNT_OF(size), (ZDICT_params_t){0});
    assert_false(ZDICT_isError(bytes_out));
    return bytes_out;
}

/* A blob of a header and zeros, as the writer of bundles compresses it. */
static size_t frame_new(u8* out, size_t room, const BlobHeader* header, const void* dictionary,
                        size_t dictionary_bytes) {
    u8*        complete = calloc(1, BLOB_BYTES);
    ZSTD_CCtx* context = ZSTD_createCCtx();
    memcpy(complete, header, sizeof *header);
    ZSTD_CCtx_setParameter(context, ZSTD_c_dictIDFlag, 0);
    ZSTD_CCtx_loadDictionary(context, dictionary, dictionary_bytes);
    const size_t bytes_out = ZSTD_compress2(context, out, room, complete, BLOB_BYTES);
    assert_false(ZSTD_isError(bytes_out));
    ZSTD_freeCCtx(context);
    free(complete);
    return bytes_out;
}

static BlobHeader header_of(const BundleResource* r) {
    BlobHeader h = {.byte_order = BLOB_BYTE_ORDER,
                    .version = BLOB_VERSION,
                    .resource_type = r->type,
                    .resource = r->id,
                    .blob_bytes = BLOB_BYTES};
    Random     random = {3};
    memcpy(h.magic, BLOB_MAGIC_BYTES, sizeof h.magic);
    h.hash = (ResourceRef){random_next(&random) & UINT32_MAX, random_next(&random) & UINT32_MAX};
    return h;
}

/* Memory is needed when any resource is compressed, whichever it is. */
static void bundle_with_any_compressed_resource_needs_decoder_memory(void** state) {
    Guard guard;
    UNUSED(state);
    Pack* p = pack_new(0);
    guard_open(&guard, sizeof p->row);
    for (u32 compressed = 0; compressed < 1u << ROWS; compressed++) {
        for (u32 i = 0; i < ROWS; i++)
            p->row[i].codec = compressed >> i & 1 ? BUNDLE_ZSTD : BUNDLE_PLAIN;
        p->bundle.resource = memcpy(guard_at(&guard, sizeof p->row), p->row, sizeof p->row);
        const size_t bytes = bundle_decoder_bytes(&p->bundle);
        assert_int_equal(bytes > 0, compressed != 0);
    }
    guard_close(&guard);
    free(p);
}

static void frame_with_other_zstd_options_is_refused(void** state) {
    static const u8 complete[64] = {1, 2, 3};
    u8              frame[256];
    UNUSED(state);
    const size_t bytes_out = ZSTD_compress(frame, sizeof frame, complete, sizeof complete, 1);
    assert_false(ZSTD_isError(bytes_out));
    assert_int_equal(frame[4], 0x20); /* the size in one byte, and nothing else */
    static const struct {
        u32         cut, put, mask; /* bytes of the frame; a byte after the fifth; its bits */
        const char* reason;
    } rows[] = {
        {0, 0, 0, NULL},
        {3, 0, 0, "its piece is not a zstd frame"},
        {5, 0, 0, "its piece is not a zstd frame"},
        {0, 1, 1,
         "its zstd frame must have no dictionary id and no checksum, and must not be "
         "skippable"}, /* the id of a dictionary */
        {0, 0, 4,
         "its zstd frame must have no dictionary id and no checksum, and must not be "
         "skippable"}, /* a checksum */
    };
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        Pack*     p = pack_new(0);
        u8        piece[257];
        BlobFault fault = {.status = ENT_LIMIT};
        memcpy(piece, frame, 5);
        piece[4] = (u8)(frame[4] | rows[i].mask);
        piece[5] = 9;
        memcpy(piece + 5 + rows[i].put, frame + 5, bytes_out - 5);
        const size_t stored = rows[i].cut ? rows[i].cut : bytes_out + rows[i].put;
        p->header.resource_count = 1;
        p->row[1] = (BundleResource){0}; /* the bytes before the first piece are 0 */
        const BundleResource* r = frame_put(p, 0, piece, stored, sizeof complete);
        const ent_status      wanted = rows[i].reason ? ENT_BAD_FIELD : ENT_OK;
        assert_int_equal(bundle_piece_validate(&p->bundle, r, NULL), wanted);
        assert_int_equal(bundle_piece_validate(&p->bundle, r, &fault), wanted);
        assert_int_equal(fault.status, wanted);
        if (rows[i].reason) assert_string_equal(fault.reason, rows[i].reason);
        if (rows[i].reason) assert_string_equal(fault.field, "resource[0].size");
        free(p);
    }
}

/* Two resources, each of which needs a dictionary for its first block. */
static Pack* pack_of_dictionaries(void) {
    static u8 dictionary[2048], frame[4096];
    Pack*     p = pack_new(ROWS);
    size_t    bytes[ROWS];
    for (u32 i = 0; i < ROWS; i++) {
        const BlobHeader h = header_of(&p->row[i]);
        bytes[i] = dictionary_new(dictionary, sizeof dictionary, &h);
        dictionary_put(p, i, dictionary, bytes[i]);
    }
    for (u32 i = 0; i < ROWS; i++) {
        const BlobHeader h = header_of(&p->row[i]);
        const u8*        piece_dictionary = (const u8*)p + p->dictionary[i].offset_lo;
        const size_t     bytes_out = frame_new(frame, sizeof frame, &h, piece_dictionary, bytes[i]);
        frame_put(p, i, frame, bytes_out, BLOB_BYTES)->dictionary = i;
    }
    return p;
}

static void large_resource_with_dictionary_is_decoded(void** state) {
    Pack*         p = pack_of_dictionaries();
    void*         room;
    BundleDecoder decoder = decoder_new(p, &room);
    BlobFault     fault;
    UNUSED(state);
    for (u32 i = 0; i < ROWS; i++) {
        assert_int_equal(bundle_piece_validate(&p->bundle, &p->row[i], &fault), ENT_OK);
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, &p->row[i], &fault), ENT_OK);
        BundleResource without = p->row[i];
        without.dictionary = BUNDLE_NO_DICTIONARY;
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, &without, &fault),
                         ENT_BAD_FIELD);
    }
    /* A frame that ends early: nothing after it is read. */
    p->row[1].stored = 24;
    assert_int_equal(bundle_head_validate(&decoder, &p->bundle, &p->row[1], &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "resource[1].stored");
    free(room);
    free(p);
}

static void resource_with_damaged_dictionary_is_refused(void** state) {
    static const char* const fields[ROWS] = {"dictionary[0].hash", "dictionary[1].hash"};
    UNUSED(state);
    for (u32 i = 0; i < ROWS; i++) {
        Pack*         p = pack_of_dictionaries();
        void*         room;
        BundleDecoder decoder = decoder_new(p, &room);
        BlobFault     fault = {.status = ENT_OK};
        ((u8*)p)[p->dictionary[i].offset_lo + 9] ^= 1;
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, &p->row[i], NULL),
                         ENT_BAD_HASH);
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, &p->row[i], &fault),
                         ENT_BAD_HASH);
        assert_int_equal(fault.status, ENT_BAD_HASH);
        assert_string_equal(fault.field, fields[i]);
        assert_int_equal(fault.offset, offsetof(Pack, dictionary) + i * sizeof *p->dictionary +
                                           offsetof(BundleDictionary, hash));
        free(room);
        free(p);
    }
}

/* The header of a large blob, from a bundle in either byte order. */
static void large_resource_of_other_byte_order_than_bundle_is_refused(void** state) {
    static u8 frame[4096];
    UNUSED(state);
    for (u32 other = 0; other < 2; other++) {
        Pack*      p = pack_new(0);
        void*      room;
        BlobHeader h = header_of(&p->row[0]);
        u32        word[sizeof h / 4];
        BlobFault  fault;
        memcpy(word, &h, sizeof h);
        for (u32 i = 1; other && i < COUNT_OF(word); i++) word[i] = __builtin_bswap32(word[i]);
        memcpy(&h, word, sizeof h);
        const BundleResource* r =
            frame_put(p, 0, frame, frame_new(frame, sizeof frame, &h, NULL, 0), BLOB_BYTES);
        BundleDecoder decoder = decoder_new(p, &room);
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, r, &fault),
                         other ? ENT_OTHER_BYTE_ORDER : ENT_OK);
        if (other)
            assert_int_equal(bundle_head_validate(&decoder, &p->bundle, r, NULL), fault.status);
        const BundleHeader swapped = p->header; /* separate from the pieces */
        p->bundle.header = &swapped;
        assert_int_equal(bundle_head_validate(&decoder, &p->bundle, r, &fault),
                         other ? ENT_OK : ENT_OTHER_BYTE_ORDER);
        free(room);
        free(p);
    }
}

static void blob_of_other_type_than_its_bundle_row_is_refused(void** state) {
    BlobFault      fault;
    BundleResource r = {.type = RESOURCE_LEVEL, .id = ent_resource_ref("a", RESOURCE_LEVEL)};
    BlobHeader     h = header_of(&r);
    const Blob     blob = {.header = &h};
    UNUSED(state);
    assert_int_equal(bundle_blob_validate(&blob, &r, &fault), ENT_OK);
    h.resource_type = RESOURCE_ENTITY;
    assert_int_equal(bundle_blob_validate(&blob, &r, NULL), ENT_BAD_FIELD);
    assert_int_equal(bundle_blob_validate(&blob, &r, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "header.resource");
}

TEST_SUITE(pieces) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_with_any_compressed_resource_needs_decoder_memory),
        cmocka_unit_test(frame_with_other_zstd_options_is_refused),
        cmocka_unit_test(large_resource_with_dictionary_is_decoded),
        cmocka_unit_test(resource_with_damaged_dictionary_is_refused),
        cmocka_unit_test(large_resource_of_other_byte_order_than_bundle_is_refused),
        cmocka_unit_test(blob_of_other_type_than_its_bundle_row_is_refused),
    };
    return TEST_RUN("pieces", tests);
}
