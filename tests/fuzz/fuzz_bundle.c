/* make fuzz target=bundle seconds=60
 *
 * Of whatever index the validator accepts, every resource is opened; nothing after the validation
 * may fail. Checksums are corrected, so that mutations are not refused because of them. */
#include <stdlib.h>

#include "bundle_internal.h"
#include "fuzz.h"
#include "hash.h"

#define BLOB_CAPACITY (1u << 22)

static void resource_open(BundleDecoder* decoder, const Bundle* bundle, const BundleResource* r) {
    const BlobOptions options = {.skip_hash = 1};
    Blob              blob;
    BlobFault         fault;
    if (r->size > BLOB_CAPACITY || bundle_piece_validate(bundle, r, &fault) != ENT_OK) return;
    u8* bytes = aligned_alloc(16, r->size);
    if (r->codec == BUNDLE_PLAIN) {
        memcpy(bytes, bundle_piece(bundle, r), r->size);
    } else if (bundle_head_validate(decoder, bundle, r, &fault) != ENT_OK ||
               bundle_decode(decoder, bundle, r, bytes, &fault) != ENT_OK) {
        free(bytes);
        return;
    }
    if (ent_blob_open(&blob, bytes, r->size, &options, &fault) == ENT_OK &&
        bundle_blob_validate(&blob, r, &fault) == ENT_OK && ent_bundle_find(bundle, r->id) != r) {
        abort();
    }
    free(bytes);
}

static void hashes_fix(u8* bytes, const Bundle* bundle) {
    BundleResource*   row = (BundleResource*)(bytes + sizeof(BundleHeader));
    BundleDictionary* dictionary = (BundleDictionary*)(row + bundle->header->resource_count);
    for (u32 i = 0; i < bundle->header->resource_count; i++) {
        row[i].hash = resource_ref(hash_bytes(bundle_piece(bundle, &row[i]), row[i].stored, 0));
    }
    for (u32 i = 0; i < bundle->header->dictionary_count; i++) {
        const u64 at = bundle_u64(dictionary[i].offset_lo, dictionary[i].offset_hi);
        dictionary[i].hash = resource_ref(hash_bytes(bytes + at, dictionary[i].bytes, 0));
    }
}

void fuzz_bundle_seeds(void) {}

/* The checksum of the index, for functions that verify it; those of the resources are corrected
 * when it is read. */
void fuzz_bundle_repair(u8* data, size_t size) {
    BundleHeader header;
    if (size < sizeof header) return;
    memcpy(&header, data, sizeof header);
    const u64 index = bundle_index_bytes(&header);
    if (index > size) return;
    header.hash = resource_ref(bundle_hash(data, index));
    memcpy(data, &header, sizeof header);
}

void fuzz_bundle(const u8* data, size_t size) {
    Bundle        bundle;
    BundleDecoder decoder;
    BlobFault     fault;
    u8*           bytes = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(bytes, data, size);
    if (ent_bundle_open(&bundle, bytes, size, &fault) != fault.status) abort();
    if (bundle_validate(&bundle, bytes, bytes, size, true, NULL) == ENT_OK) {
        const size_t capacity_bytes = bundle_decoder_bytes(&bundle);
        void*        room = capacity_bytes ? aligned_alloc(64, align_up(capacity_bytes, 64)) : NULL;
        hashes_fix(bytes, &bundle);
        bundle_decoder_init(&decoder, &bundle, room);
        for (u32 i = 0; i < bundle.header->resource_count; i++) {
            resource_open(&decoder, &bundle, &bundle.resource[i]);
        }
        free(room);
    }
    free(bytes);
}

FUZZ_TARGET(bundle)
