/* bundle.c - reads a validated bundle, changes its byte order, and decompresses frames. */
#include <stdio.h>

#define ZSTD_STATIC_LINKING_ONLY /* contexts in memory of the caller */
#include <zstd.h>

#include "bundle_internal.h"
#include "hash.h"
#include "named_rows.h"
#include "swap.h"

u64 bundle_index_bytes(const BundleHeader* h) {
    return sizeof *h + (u64)h->resource_count * sizeof(BundleResource) +
           (u64)h->dictionary_count * sizeof(BundleDictionary) + h->name_bytes;
}

u64 bundle_hash(const void* index, u64 index_bytes) {
    const size_t head = offsetof(BundleHeader, hash);
    assert(index_bytes >= sizeof(BundleHeader));
    return hash_bytes((const u8*)index + sizeof(BundleHeader),
                      (size_t)index_bytes - sizeof(BundleHeader), hash_bytes(index, head, 0));
}

void bundle_swap(void* index, bool native) {
    BundleHeader header, *h = index;
    memcpy(&header, h, sizeof header);
    words_swap((u32*)index + 1, sizeof *h - 4);
    const BundleHeader* readable = native ? &header : h;
    words_swap(h + 1, (size_t)bundle_index_bytes(readable) - sizeof *h - readable->name_bytes);
    /* The hash covers the bytes, which have changed; its own words have the byte order of the
     * bundle. */
    h->hash = resource_ref(bundle_hash(index, bundle_index_bytes(native ? &header : h)));
    if (native) words_swap(&h->hash, sizeof h->hash);
}

const BundleResource* ent_bundle_find(const Bundle* bundle, ResourceRef id) {
    const NamedRows rows = {bundle->resource, sizeof *bundle->resource,
                            bundle->header->resource_count, bundle->names,
                            bundle->header->name_bytes};
    return (const BundleResource*)named_row_find(&rows, id);
}

const char* ent_bundle_name(const Bundle* bundle, const BundleResource* resource) {
    return bundle->names + resource->name;
}

/* --- pieces --- */

static ent_status refuse(const Bundle* bundle, BlobFault* fault, ent_status status, const void* at,
                         const char* member, const char* reason) {
    const u64  offset = (u64)((const u8*)at - (const u8*)bundle->header);
    const bool second = at >= (const void*)bundle->dictionary;
    const u64  row = second ? (u64)((const u8*)at - (const u8*)bundle->dictionary) / 32
                            : (offset - sizeof(BundleHeader)) / 48;
    static_assert(sizeof(BundleResource) == 48 && sizeof(BundleDictionary) == 32, "as FORMAT.md");
    if (!fault) return status;
    fault->status = status;
    fault->offset = (u32)offset;
    snprintf(fault->field, sizeof fault->field, "%s[%u].%s", second ? "dictionary" : "resource",
             (u32)row, member);
    snprintf(fault->reason, sizeof fault->reason, "%s", reason);
    return status;
}

/* One frame as the bundle writer creates it: with content size, without dictionary id and checksum,
 * and without bytes after it. */
static const char* frame_fault(const u8* piece, const BundleResource* r) {
    ZSTD_frameHeader h;
    if (ZSTD_getFrameHeader(&h, piece, r->stored) != 0) return "its piece is not a zstd frame";
    if (h.frameType != ZSTD_frame || h.dictID != 0 || h.checksumFlag != 0) {
        return "its zstd frame must have no dictionary id and no checksum, and must not be "
               "skippable";
    }
    if (h.frameContentSize != r->size)
        return "the content size in its zstd frame differs from the size in the index";
    if (ZSTD_findFrameCompressedSize(piece, r->stored) != r->stored) {
        return "the end of its zstd frame differs from the end in the index";
    }
    return NULL;
}

/* The end of the data that precedes a piece. */
static const u8* piece_before(const Bundle* bundle, const BundleResource* r) {
    if (r > bundle->resource) return bundle_piece(bundle, r - 1) + r[-1].stored;
    const u32 count = bundle->header->dictionary_count;
    if (count == 0) return bundle->bytes + bundle_index_bytes(bundle->header);
    const BundleDictionary* last = &bundle->dictionary[count - 1];
    return bundle->bytes + bundle_u64(last->offset_lo, last->offset_hi) + last->bytes;
}

ent_status bundle_piece_validate(const Bundle* bundle, const BundleResource* r, BlobFault* fault) {
    const u8* piece = bundle_piece(bundle, r);
    if (fault) *fault = (BlobFault){.status = ENT_OK};
    for (const u8* at = piece_before(bundle, r); at < piece; at++) {
        if (*at == 0) continue;
        return refuse(bundle, fault, ENT_BAD_FIELD, &r->offset_lo, "offset_lo",
                      "the bytes before its piece must be 0");
    }
    if (hash_bytes(piece, r->stored, 0) != resource_id(r->hash)) {
        return refuse(bundle, fault, ENT_BAD_HASH, &r->hash, "hash",
                      "checksum mismatch of its piece: the file was changed or damaged");
    }
    const char* reason = r->codec == BUNDLE_ZSTD ? frame_fault(piece, r) : NULL;
    return reason ? refuse(bundle, fault, ENT_BAD_FIELD, &r->size, "size", reason) : ENT_OK;
}

/* --- decompression --- */

#define CAPACITY_ALIGN 64u
#define HEAD_CAPACITY                                                                              \
    (ZSTD_BLOCKSIZE_MAX + sizeof(BlobHeader)) /* a part of a header, then a block */

static u64 dictionary_capacity(const BundleDictionary* d) {
    return align_up(ZSTD_estimateDDictSize(d->bytes, ZSTD_dlm_byRef), CAPACITY_ALIGN);
}

size_t bundle_decoder_bytes(const Bundle* bundle) {
    u64  bytes = 0;
    bool any = false;
    for (u32 i = 0; i < bundle->header->resource_count && !any; i++) {
        any = bundle->resource[i].codec == BUNDLE_ZSTD;
    }
    if (!any) return 0;
    for (u32 i = 0; i < bundle->header->dictionary_count; i++) {
        bytes += dictionary_capacity(&bundle->dictionary[i]);
    }
    bytes += align_up(HEAD_CAPACITY, CAPACITY_ALIGN);
    return (size_t)(bytes + align_up(ZSTD_estimateDCtxSize(), CAPACITY_ALIGN));
}

void bundle_decoder_init(BundleDecoder* decoder, const Bundle* bundle, void* memory) {
    u8*          at = memory;
    const size_t context_bytes = (size_t)align_up(ZSTD_estimateDCtxSize(), CAPACITY_ALIGN);
    *decoder = (BundleDecoder){0};
    if (!memory) return;
    decoder->context = ZSTD_initStaticDCtx(at, context_bytes);
    assert(decoder->context);
    at += context_bytes;
    decoder->head = at;
    at += align_up(HEAD_CAPACITY, CAPACITY_ALIGN);
    for (u32 i = 0; i < bundle->header->dictionary_count; i++) {
        decoder->room[i] = at;
        at += dictionary_capacity(&bundle->dictionary[i]);
    }
}

static ent_status dictionary_ready(BundleDecoder* decoder, const Bundle* bundle, u32 row,
                                   BlobFault* fault) {
    const BundleDictionary* d = &bundle->dictionary[row];
    const u8*               bytes = bundle->bytes + bundle_u64(d->offset_lo, d->offset_hi);
    if (decoder->dictionary[row]) return ENT_OK;
    if (hash_bytes(bytes, d->bytes, 0) != resource_id(d->hash)) {
        return refuse(bundle, fault, ENT_BAD_HASH, &d->hash, "hash",
                      "checksum mismatch of the dictionary: the file was changed or damaged");
    }
    decoder->dictionary[row] =
        ZSTD_initStaticDDict(decoder->room[row], (size_t)dictionary_capacity(d), bytes, d->bytes,
                             ZSTD_dlm_byRef, ZSTD_dct_fullDict);
    if (decoder->dictionary[row]) return ENT_OK;
    return refuse(bundle, fault, ENT_BAD_FIELD, &d->bytes, "bytes", "it is not a zstd dictionary");
}

/* Decompresses the first blocks, up to the end of the blob's header. False: the frame
 * is damaged. */
static bool head_expand(BundleDecoder* decoder, const u8* piece, u32 stored,
                        const ZSTD_DDict* dictionary) {
    size_t head_bytes = 0, taken = 0;
    if (ZSTD_isError(ZSTD_decompressBegin_usingDDict(decoder->context, dictionary))) return false;
    while (head_bytes < sizeof(BlobHeader)) {
        const size_t next = ZSTD_nextSrcSizeToDecompress(decoder->context);
        if (next == 0 || next > stored - taken) return false;
        const size_t got = ZSTD_decompressContinue(decoder->context, decoder->head + head_bytes,
                                                   HEAD_CAPACITY - head_bytes, piece + taken, next);
        if (ZSTD_isError(got)) return false;
        head_bytes += got;
        taken += next;
    }
    return true;
}

static ent_status head_refuse(BlobFault* fault, ent_status status, u32 offset, const char* field,
                              const char* reason) {
    if (!fault) return status;
    *fault = (BlobFault){.status = status, .offset = offset};
    snprintf(fault->field, sizeof fault->field, "header.%s", field);
    snprintf(fault->reason, sizeof fault->reason, "%s", reason);
    return status;
}

/* The same error as in bundle_blob_validate, for the header alone. */
static ent_status resource_refuse(BlobFault* fault) {
    return head_refuse(
        fault, ENT_BAD_FIELD, offsetof(BlobHeader, resource), "resource",
        "the id or the type of the blob differs from that in the index of the bundle");
}

/* The blob has the byte order of the bundle; the index was swapped if that is not the
 * native order. */
static ent_status head_check(const u8* head, const Bundle* bundle, const BundleResource* r,
                             BlobFault* fault) {
    BlobHeader h;
    char       reason[96];
    memcpy(&h, head, sizeof h);
    if (memcmp(h.magic, BLOB_MAGIC_BYTES, sizeof h.magic) != 0) {
        return head_refuse(fault, ENT_NOT_A_BLOB, 0, "magic", "the first four bytes are not ENTB");
    }
    if ((const u8*)bundle->header != bundle->bytes) words_swap(&h.byte_order, sizeof h - 4);
    if (h.byte_order != BLOB_BYTE_ORDER) {
        return head_refuse(fault, ENT_OTHER_BYTE_ORDER, offsetof(BlobHeader, byte_order),
                           "byte_order", "the bundle has the other byte order");
    }
    if (h.blob_bytes != r->size) {
        snprintf(reason, sizeof reason, "is %u, but the size in the index of the bundle is %u",
                 h.blob_bytes, r->size);
        return head_refuse(fault, ENT_BAD_FIELD, offsetof(BlobHeader, blob_bytes), "blob_bytes",
                           reason);
    }
    if (resource_id(h.resource) != resource_id(r->id) || h.resource_type != r->type) {
        return resource_refuse(fault);
    }
    return ENT_OK;
}

ent_status bundle_head_validate(BundleDecoder* decoder, const Bundle* bundle,
                                const BundleResource* r, BlobFault* fault) {
    const ZSTD_DDict* dictionary = NULL;
    assert(decoder->context && r->codec == BUNDLE_ZSTD);
    if (r->size <= ZSTD_BLOCKSIZE_MAX) return ENT_OK;
    if (r->dictionary != BUNDLE_NO_DICTIONARY) {
        TRY(dictionary_ready(decoder, bundle, r->dictionary, fault));
        dictionary = decoder->dictionary[r->dictionary];
    }
    if (!head_expand(decoder, bundle_piece(bundle, r), r->stored, dictionary)) {
        return refuse(bundle, fault, ENT_BAD_FIELD, &r->stored, "stored",
                      "its zstd frame is damaged in its first block");
    }
    return head_check(decoder->head, bundle, r, fault);
}

ent_status bundle_decode(BundleDecoder* decoder, const Bundle* bundle, const BundleResource* r,
                         void* out, BlobFault* fault) {
    const ZSTD_DDict* dictionary = NULL;
    assert(decoder->context && r->codec == BUNDLE_ZSTD);
    if (r->dictionary != BUNDLE_NO_DICTIONARY) {
        TRY(dictionary_ready(decoder, bundle, r->dictionary, fault));
        dictionary = decoder->dictionary[r->dictionary];
    }
    const size_t got = ZSTD_decompress_usingDDict(decoder->context, out, r->size,
                                                  bundle_piece(bundle, r), r->stored, dictionary);
    if (ZSTD_isError(got)) {
        return refuse(bundle, fault, ENT_BAD_FIELD, &r->stored, "stored", ZSTD_getErrorName(got));
    }
    if (got == r->size) return ENT_OK;
    return refuse(bundle, fault, ENT_BAD_FIELD, &r->size, "size",
                  "its zstd frame does not expand to the size in the index");
}

ent_status bundle_blob_validate(const Blob* blob, const BundleResource* r, BlobFault* fault) {
    const BlobHeader* h = blob->header;
    if (resource_id(h->resource) == resource_id(r->id) && h->resource_type == r->type) {
        return ENT_OK;
    }
    return resource_refuse(fault);
}
