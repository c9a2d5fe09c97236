/* test_expand.c - bundles whose frames expand too much: the beginning of each frame is checked
 * before memory is allocated for the rest, and the sum of all resources is limited. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "bundle_internal.h"
#include "ent.h"
#include "hash.h"

#define CONTENT_BYTES (64u << 20) /* bytes that a frame expands to */
#define ROOM          (1u << 20)  /* that the allocator provides at most */

/* --- bundles of one resource --- */

static BlobHeader header_valid(void) {
    return (BlobHeader){.magic = {'E', 'N', 'T', 'B'},
                        .byte_order = BLOB_BYTE_ORDER,
                        .version = BLOB_VERSION,
                        .resource_type = RESOURCE_LEVEL,
                        .resource = ent_resource_ref("a", RESOURCE_LEVEL),
                        .blob_bytes = CONTENT_BYTES};
}

/* A frame of a header and zeros; returns its bytes. */
static size_t frame_make(u8* frame, size_t room, const BlobHeader* header) {
    u8* complete = calloc(1, CONTENT_BYTES);
    memcpy(complete, header, sizeof *header);
    const size_t frame_bytes = ZSTD_compress(frame, room, complete, CONTENT_BYTES, 1);
    assert_false(ZSTD_isError(frame_bytes));
    free(complete);
    return frame_bytes;
}

static void bundle_write(const char* folder, const char* file, const u8* frame, size_t stored) {
    const char     name[] = "a";
    BundleHeader   header = {.magic = {'E', 'N', 'T', 'P'},
                             .byte_order = BLOB_BYTE_ORDER,
                             .version = BUNDLE_VERSION,
                             .resource_count = 1,
                             .name_bytes = sizeof name};
    const u64      index = bundle_index_bytes(&header);
    BundleResource row = {.type = RESOURCE_LEVEL,
                          .stored = (u32)stored,
                          .size = CONTENT_BYTES,
                          .codec = BUNDLE_ZSTD,
                          .dictionary = BUNDLE_NO_DICTIONARY,
                          .id = ent_resource_ref("a", RESOURCE_LEVEL),
                          .offset_lo = (u32)index,
                          .hash = resource_ref(hash_bytes(frame, stored, 0))};
    u8*            bytes = calloc(1, index + stored);
    header.bytes_lo = (u32)(index + stored);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, &row, sizeof row);
    memcpy(bytes + sizeof header + sizeof row, name, sizeof name);
    memcpy(bytes + index, frame, stored);
    header.hash = resource_ref(bundle_hash(bytes, index));
    memcpy(bytes, &header, sizeof header);
    test_write(folder, file, bytes, index + stored);
    free(bytes);
}

/* --- what is refused before memory is allocated --- */

static void* small_alloc(void* user, size_t bytes) {
    if (bytes <= ROOM) return calloc(1, align_up(bytes, 64));
    *(size_t*)user = bytes;
    return NULL;
}

static void small_free(void* user, void* at, size_t bytes) {
    UNUSED(user), UNUSED(bytes);
    free(at);
}

/* The library and the commands refuse it because of its first bytes. */
static void is_refused(const char* folder, const BlobHeader* header, ent_status wanted,
                       const char* field) {
    static u8   frame[64 << 10];
    size_t      asked = 0;
    Library     library;
    LibraryDesc desc = {.allocator = {small_alloc, small_free, &asked}};
    const Blob* blob;
    char        path[1200], text[200];
    bundle_write(folder, "a.pak", frame, frame_make(frame, sizeof frame, header));
    snprintf(path, sizeof path, "%s/a.pak", folder);
    assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "a", RESOURCE_LEVEL, &blob), wanted);
    assert_int_equal(asked, 0);
    if (!strstr(library.problem, field)) fail_msg("%s", library.problem);
    ent_library_close(&library);
    snprintf(text, sizeof text, "a.pak: a.level: error: %s", field);
    EXPECT(folder, 3, text, "entc verify a.pak");
    EXPECT(folder, 3, text, "entc unpack a.pak -o out");
}

static void frame_with_invalid_header_is_refused_before_allocation(void** state) {
    char*      folder = strdup(test_folder("expand_header"));
    BlobHeader h = {.zero = {0}};
    UNUSED(state);
    is_refused(folder, &h, ENT_NOT_A_BLOB, "header.magic");
    h = header_valid();
    h.byte_order = 0x04030201u;
    is_refused(folder, &h, ENT_OTHER_BYTE_ORDER, "header.byte_order");
    h = header_valid();
    h.blob_bytes -= 16;
    is_refused(folder, &h, ENT_BAD_FIELD, "header.blob_bytes");
    h = header_valid();
    h.resource.lo ^= 1;
    is_refused(folder, &h, ENT_BAD_FIELD, "header.resource");
    h = header_valid();
    h.resource_type = RESOURCE_ENTITY;
    is_refused(folder, &h, ENT_BAD_FIELD, "header.resource");
    free(folder);
}

/* Memory is allocated only for a valid header. */
static void frame_with_valid_header_requests_its_memory(void** state) {
    static u8        frame[64 << 10];
    const char*      folder = test_folder("expand_valid");
    const BlobHeader h = header_valid();
    size_t           asked = 0;
    Library          library;
    LibraryDesc      desc = {.allocator = {small_alloc, small_free, &asked}};
    const Blob*      blob;
    char             path[1200];
    UNUSED(state);
    const size_t stored = frame_make(frame, sizeof frame, &h);
    bundle_write(folder, "a.pak", frame, stored);
    snprintf(path, sizeof path, "%s/a.pak", folder);
    assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "a", RESOURCE_LEVEL, &blob), ENT_NO_MEMORY);
    assert_int_equal(asked, CONTENT_BYTES);
    ent_library_close(&library);
    /* With enough memory, the checksum of the blob is compared. */
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "a", RESOURCE_LEVEL, &blob), ENT_BAD_HASH);
    assert_non_null(strstr(library.problem, "header.hash"));
    assert_int_equal(library.count, 0);
    ent_library_close(&library);
    EXPECT(folder, 3, "header.hash", "entc verify a.pak");
    /* A frame whose first block is damaged. */
    frame[13] |= 3; /* literals that need the tree of a previous block */
    bundle_write(folder, "a.pak", frame, stored);
    EXPECT(folder, 3, "resource[0].stored", "entc verify a.pak");
}

/* --- the limit of the sum --- */

static char* paints_new(const char* name) {
    char  file[60], text[100];
    char* folder = strdup(test_folder(name));
    for (u32 i = 0; i < 20; i++) {
        snprintf(file, sizeof file, "src/p%u.material.json", i);
        snprintf(text, sizeof text, "{ \"roughness\": 0.%u }", i + 1);
        test_write_text(folder, file, text);
    }
    TEST_DONE(folder, "entc build src -o out && entc pack out -o a.pak");
    return folder;
}

static void library_beyond_its_limit_refuses_next_resource(void** state) {
    char*       folder = paints_new("expand_library");
    Library     library;
    const Blob* blob;
    char        path[1200];
    UNUSED(state);
    snprintf(path, sizeof path, "%s/a.pak", folder);
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "p0", RESOURCE_MATERIAL, &blob), ENT_OK);
    const u64 one = blob->size;
    assert_int_equal(library.expanded, one);
    ent_library_close(&library);

    const LibraryDesc desc = {.expanded_max = 3 * one};
    assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
    for (u32 round = 0; round < 2; round++) { /* closed resources do not count */
        for (u32 i = 0; i < 3; i++) {
            char name[8];
            snprintf(name, sizeof name, "p%u", i);
            assert_int_equal(ent_library_resource(&library, name, RESOURCE_MATERIAL, &blob),
                             ENT_OK);
        }
        assert_int_equal(ent_library_resource(&library, "p3", RESOURCE_MATERIAL, &blob), ENT_LIMIT);
        assert_non_null(strstr(library.problem, "of others were expanded before; the limit is "));
        assert_int_equal(ent_library_resource(&library, "p1", RESOURCE_MATERIAL, &blob), ENT_OK);
        ent_library_clear(&library);
    }
    ent_library_close(&library);
    /* What is not compressed needs no memory, and is not counted. */
    TEST_DONE(folder, "entc pack out -o a.pak --level 0");
    const LibraryDesc none = {.expanded_max = 1};
    assert_int_equal(ent_library_open(&library, path, &none), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "p0", RESOURCE_MATERIAL, &blob), ENT_OK);
    assert_int_equal(library.expanded, 0);
    ent_library_close(&library);
    free(folder);
}

static void unpack_and_verify_beyond_max_output_are_refused(void** state) {
    char* folder = paints_new("expand_commands");
    UNUSED(state);
    EXPECT(folder, 0, "", "entc unpack a.pak -o un --max-output 10K");
    EXPECT(folder, 4, "a.pak: error: its 20 resources have ", "entc verify a.pak --max-output 1K");
    EXPECT(folder, 4, "--max-output allows 1000; the largest is \"",
           "entc info a.pak --max-output 1K");
    EXPECT(folder, 4, "--max-output allows 1000", "entc unpack a.pak -o un2 --max-output 1K");
    EXPECT(folder, 1, "", "test -e un2");
    EXPECT(folder, 1, "number of bytes greater than 0", "entc unpack a.pak -o un2 --max-output x");
    free(folder);
}

/* --- leaks --- */

/* A declaration in the bundle whose frame is damaged: memory was allocated for it before that is
 * detected. This is useful under a sanitizer that searches for leaks. */
static void refused_declaration_in_bundle_leaks_no_memory(void** state) {
    char*  folder = strdup(test_folder("expand_leak"));
    char   path[1200];
    size_t size;
    Bundle bundle;
    UNUSED(state);
    test_write_text(
        folder, "src/health.component.json",
        "{ \"fields\": { \"points\": { \"type\": \"f32\", \"default\": 1, \"text\": "
        "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\" } } }");
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [ { \"components\": { \"health\": {} } } ] }");
    TEST_DONE(folder, "entc build src -o out && entc pack out -o a.pak");
    snprintf(path, sizeof path, "%s/a.pak", folder);
    u8* bytes = test_read(path, &size);
    assert_int_equal(ent_bundle_open(&bundle, bytes, size, NULL), ENT_OK);
    const BundleResource* r =
        ent_bundle_find(&bundle, ent_resource_ref("health", RESOURCE_COMPONENT));
    assert_non_null(r);
    assert_int_equal(r->codec, BUNDLE_ZSTD);
    u8* piece = bytes + r->offset_lo;
    for (u32 i = r->stored / 2; i < r->stored; i++) piece[i] ^= 0x5a;
    ((BundleResource*)r)->hash = resource_ref(hash_bytes(piece, r->stored, 0));
    BundleHeader* header = (BundleHeader*)bytes;
    header->hash = resource_ref(bundle_hash(bytes, bundle_index_bytes(header)));
    test_write(folder, "b.pak", bytes, size);
    EXPECT(folder, 3, "health.component: error: ", "entc unpack b.pak -o un");
    EXPECT(folder, 3, "health.component: error: ", "entc verify b.pak");
    free(bytes);
    free(folder);
}

TEST_SUITE(expand) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frame_with_invalid_header_is_refused_before_allocation),
        cmocka_unit_test(frame_with_valid_header_requests_its_memory),
        cmocka_unit_test(library_beyond_its_limit_refuses_next_resource),
        cmocka_unit_test(unpack_and_verify_beyond_max_output_are_refused),
        cmocka_unit_test(refused_declaration_in_bundle_leaks_no_memory),
    };
    return TEST_RUN("expand", tests);
}
