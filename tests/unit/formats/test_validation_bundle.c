/* test_validation_bundle.c - the validator of bundles, rule by rule: indices that break exactly one
 * rule, with a matching checksum. Random damage is in test_bundle.c. */
#include "test_worlds_support.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include "bundle_internal.h"
#include "hash.h"

#define ROWS         4
#define DICTIONARIES 2

/* An index; its pieces are zeros, which the validator of an index does not read. */
typedef struct Pack {
    BundleHeader     header;
    BundleResource   row[ROWS];
    BundleDictionary dictionary[DICTIONARIES];
    char             names[64];
    u32              more; /* bytes after the last piece */
} Pack;

typedef enum Part { HEADER, ROW, DICTIONARY, NAMES } Part;

/* One word that is changed, before the pieces are placed or afterwards. */
typedef struct Change {
    Part        part;
    u32         row, member, value;
    bool        before;
    ent_status  status;
    const char *field, *reason;
} Change;

static int by_id(const void* a, const void* b) {
    const u64 x = resource_id(((const BundleResource*)a)->id);
    const u64 y = resource_id(((const BundleResource*)b)->id);
    return (x > y) - (x < y);
}

/* Two materials that use a dictionary, one of them plain; an entity with another one; a mesh. */
static Pack pack_new(void) {
    static const char* const  name[ROWS] = {"one", "two/b", "three", "four"};
    static const ResourceType type[ROWS] = {RESOURCE_MATERIAL, RESOURCE_ENTITY, RESOURCE_MESH,
                                            RESOURCE_MATERIAL};
    Pack                      p = {.header = {.byte_order = BLOB_BYTE_ORDER,
                                              .version = BUNDLE_VERSION,
                                              .resource_count = ROWS,
                                              .dictionary_count = DICTIONARIES}};
    u32                       bytes = 0;
    memcpy(p.header.magic, BUNDLE_MAGIC_BYTES, 4);
    for (u32 i = 0; i < ROWS; i++) {
        const bool plain = i == 2;
        p.row[i] = (BundleResource){.id = ent_resource_ref(name[i], type[i]),
                                    .type = type[i],
                                    .name = i,
                                    .stored = plain ? 96 : 33,
                                    .size = 96,
                                    .codec = plain ? BUNDLE_PLAIN : BUNDLE_ZSTD,
                                    .dictionary = BUNDLE_NO_DICTIONARY};
    }
    p.dictionary[0] = (BundleDictionary){.type = RESOURCE_ENTITY, .bytes = 21};
    p.dictionary[1] = (BundleDictionary){.type = RESOURCE_MATERIAL, .bytes = 7};
    if (p.dictionary[0].type > p.dictionary[1].type) {
        p.dictionary[0].type = RESOURCE_MATERIAL, p.dictionary[1].type = RESOURCE_ENTITY;
    }
    p.row[0].dictionary = p.dictionary[1].type == RESOURCE_MATERIAL;
    p.row[1].dictionary = !p.row[0].dictionary;
    qsort(p.row, ROWS, sizeof p.row[0], by_id);
    for (u32 i = 0; i < ROWS; i++) {
        const char* text = name[p.row[i].name];
        p.row[i].name = bytes;
        strcpy(p.names + bytes, text);
        bytes += (u32)strlen(text) + 1;
    }
    p.header.name_bytes = bytes;
    return p;
}

/* Sets all offsets, and the total size. */
static void pack_place(Pack* p) {
    u64 end = bundle_index_bytes(&p->header);
    for (u32 i = 0; i < p->header.dictionary_count; i++) {
        p->dictionary[i].offset_lo = (u32)end;
        end += p->dictionary[i].bytes;
    }
    for (u32 i = 0; i < p->header.resource_count; i++) {
        BundleResource* r = &p->row[i];
        if (r->codec == BUNDLE_PLAIN) end = align_up(end, BLOB_ALIGN);
        r->offset_lo = (u32)end;
        end += r->stored;
    }
    p->header.bytes_lo = (u32)end + p->more;
}

static void pack_change(Pack* p, const Change* c) {
    u8* part = (u8*)&p->header;
    if (c->part == ROW) part = (u8*)&p->row[c->row];
    if (c->part == DICTIONARY) part = (u8*)&p->dictionary[c->row];
    if (c->part == NAMES)
        p->names[c->member] = (char)c->value;
    else
        memcpy(part + c->member, &c->value, 4);
}

/* Opens `size` bytes of it; the memory after them cannot be read. */
static ent_status pack_open(const Pack* p, u32 rows, u64 size, bool repair, BlobFault* fault) {
    static Guard           guard;
    static _Alignas(16) u8 bytes[1 << 17];
    Bundle                 bundle;
    BundleHeader           header = p->header;
    u64                    at = sizeof header;
    if (!guard.memory) guard_open(&guard, sizeof bytes);
    memset(bytes, 0, sizeof bytes);
    memcpy(bytes + at, p->row, rows * sizeof p->row[0]), at += rows * sizeof p->row[0];
    memcpy(bytes + at, p->dictionary, sizeof p->dictionary), at += sizeof p->dictionary;
    memcpy(bytes + at, p->names, sizeof p->names);
    memcpy(bytes, &header, sizeof header);
    if (repair && bundle_index_bytes(&header) <= size) {
        header.hash = resource_ref(bundle_hash(bytes, bundle_index_bytes(&header)));
        memcpy(bytes, &header, sizeof header);
    }
    u8* here = memcpy(guard_at(&guard, (size_t)size), bytes, (size_t)size);
    return ent_bundle_open(&bundle, here, size, fault);
}

static void expect_change(const Change* c) {
    Pack      p = pack_new();
    BlobFault fault;
    if (c->before) pack_change(&p, c);
    pack_place(&p);
    const u32 size = p.header.bytes_lo;
    if (!c->before) pack_change(&p, c);
    const ent_status status = pack_open(&p, ROWS, size, true, &fault);
    if (status == c->status && (status == ENT_OK || (strcmp(fault.field, c->field) == 0 &&
                                                     strstr(fault.reason, c->reason)))) {
        return;
    }
    fail_msg("expected %d %s: %s, found %d %s: %s", c->status, c->field, c->reason, status,
             fault.field, fault.reason);
}

#define IN_HEADER(member, value, status, field, reason)                                            \
    { HEADER, 0, offsetof(BundleHeader, member), value, false, status, "header." field, reason }

static void bundle_with_inconsistent_header_is_refused(void** state) {
    static const Change changes[] = {
        IN_HEADER(version, BUNDLE_VERSION, ENT_OK, "", ""),
        IN_HEADER(magic, 7, ENT_NOT_A_BUNDLE, "magic", "are not ENTP"),
        IN_HEADER(byte_order, 0x04030201, ENT_OTHER_BYTE_ORDER, "byte_order", "--target"),
        IN_HEADER(byte_order, 7, ENT_BAD_FIELD, "byte_order", "is not a byte order"),
        IN_HEADER(version, 7, ENT_BAD_VERSION, "version", "bundle version 7"),
        IN_HEADER(bytes_lo, 1 << 20, ENT_TRUNCATED, "bytes", "is 1048576, but"),
        IN_HEADER(bytes_lo, 80, ENT_BAD_FIELD, "bytes", "is 80, but"),
        IN_HEADER(bytes_hi, 1, ENT_TRUNCATED, "bytes", "is 42949"),
        IN_HEADER(resource_count, BUNDLE_RESOURCES_MAX + 1, ENT_LIMIT, "resource_count",
                  "at most 16777216"),
        IN_HEADER(resource_count, BUNDLE_RESOURCES_MAX, ENT_BAD_FIELD, "name_bytes",
                  "does not fit into"),
        IN_HEADER(dictionary_count, RESOURCE_COUNT, ENT_BAD_FIELD, "dictionary_count",
                  "at most one"),
        IN_HEADER(name_bytes, 1 << 20, ENT_BAD_FIELD, "name_bytes", "does not fit into"),
        IN_HEADER(name_bytes, UINT32_MAX, ENT_BAD_FIELD, "name_bytes", "does not fit into"),
        IN_HEADER(zero[0], 1, ENT_BAD_FIELD, "zero", "must be 0"),
        IN_HEADER(zero[5], 1u << 31, ENT_BAD_FIELD, "zero", "must be 0"),
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(changes); i++) expect_change(&changes[i]);
    Pack      p = pack_new();
    BlobFault fault;
    pack_place(&p);
    for (u32 size = 0; size < sizeof(BundleHeader); size++) {
        assert_int_equal(pack_open(&p, ROWS, size, true, &fault),
                         size < 4 ? ENT_NOT_A_BUNDLE : ENT_TRUNCATED);
        assert_string_equal(fault.field, size < 4 ? "header.magic" : "header");
    }
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, false, &fault), ENT_BAD_HASH);
    assert_string_equal(fault.field, "header.hash");
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, false, NULL), ENT_BAD_HASH);
}

/* Rows and their names. The number of a row is its position in the order of ids. */
static void bundle_with_invalid_name_or_id_is_refused(void** state) {
    Pack valid = pack_new();
    u32  last = ROWS - 1;
    UNUSED(state);
    const Change changes[] = {
        {ROW, 1, offsetof(BundleResource, type), 0, true, ENT_BAD_FIELD, "resource[1].type",
         "0 is not a resource type"},
        {ROW, 1, offsetof(BundleResource, type), RESOURCE_COUNT, true, ENT_BAD_FIELD,
         "resource[1].type", "is not a resource type"},
        {ROW, 0, offsetof(BundleResource, id), valid.row[0].id.lo ^ 1, true, ENT_BAD_FIELD,
         "resource[0].id", "is not the hash of its name and type"},
        {ROW, last, offsetof(BundleResource, name), valid.row[last].name + 1, true, ENT_BAD_FIELD,
         "resource[3].name", "does not begin at the end of"},
        {ROW, 0, offsetof(BundleResource, name), 1, true, ENT_BAD_FIELD, "resource[0].name",
         "does not begin at the end of"},
        {HEADER, 0, offsetof(BundleHeader, name_bytes), valid.row[last].name, true, ENT_BAD_FIELD,
         "resource[3].name", "does not begin at the end of"},
        {HEADER, 0, offsetof(BundleHeader, name_bytes), valid.row[last].name + 2, true,
         ENT_BAD_FIELD, "resource[3].name", "its name does not end with a NUL"},
        {HEADER, 0, offsetof(BundleHeader, name_bytes), valid.header.name_bytes + 1, true,
         ENT_BAD_FIELD, "header.name_bytes", "there is text after the last name"},
        {NAMES, 0, valid.row[1].name, 'A', true, ENT_BAD_FIELD, "resource[1].name",
         "is not a valid name of a resource"},
        {NAMES, 0, valid.row[1].name, 'z', true, ENT_BAD_FIELD, "resource[1].id",
         "is not the hash of its name and type"},
    };
    for (u32 i = 0; i < COUNT_OF(changes); i++) expect_change(&changes[i]);
    for (u32 i = 1; i < ROWS; i++) { /* the same twice, and a descending one */
        for (u32 back = 0; back < 2; back++) {
            Pack      p = pack_new();
            BlobFault fault;
            char      field[32];
            p.row[i].id = p.row[i - 1].id;
            if (back) p.row[i].id.lo--;
            pack_place(&p);
            snprintf(field, sizeof field, "resource[%u].id", i);
            assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
            assert_string_equal(fault.field, field);
            assert_string_equal(fault.reason, "ids must be in strictly ascending order");
        }
    }
}

static void bundle_with_invalid_dictionary_is_refused(void** state) {
    const Pack   valid = pack_new();
    const Change changes[] = {
        {DICTIONARY, 0, offsetof(BundleDictionary, type), 0, true, ENT_BAD_FIELD,
         "dictionary[0].type", "is not a resource type"},
        {DICTIONARY, 1, offsetof(BundleDictionary, type), valid.dictionary[0].type, true,
         ENT_BAD_FIELD, "dictionary[1].type", "or not greater than the type before it"},
        {DICTIONARY, 1, offsetof(BundleDictionary, bytes), 0, true, ENT_BAD_FIELD,
         "dictionary[1].bytes", "is not between 1 and"},
        {DICTIONARY, 1, offsetof(BundleDictionary, bytes), BUNDLE_DICTIONARY_BYTES_MAX + 1, false,
         ENT_BAD_FIELD, "dictionary[1].bytes", "is not between 1 and"},
        {DICTIONARY, 1, offsetof(BundleDictionary, bytes), BUNDLE_DICTIONARY_BYTES_MAX, false,
         ENT_BAD_FIELD, "dictionary[1].bytes", "extend beyond the end of the bundle"},
        {DICTIONARY, 1, offsetof(BundleDictionary, offset_lo), 64, false, ENT_BAD_FIELD,
         "dictionary[1].offset_lo", "must be"},
        {DICTIONARY, 1, offsetof(BundleDictionary, offset_hi), 1, false, ENT_BAD_FIELD,
         "dictionary[1].offset_lo", "must be"},
        {DICTIONARY, 0, offsetof(BundleDictionary, zero[1]), 1, false, ENT_BAD_FIELD,
         "dictionary[0].zero", "must be 0"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(changes); i++) expect_change(&changes[i]);
    /* A dictionary that nothing uses. */
    for (u32 i = 0; i < DICTIONARIES; i++) {
        Pack      p = pack_new();
        BlobFault fault;
        char      field[32];
        for (u32 k = 0; k < ROWS; k++) {
            if (p.row[k].dictionary == i) p.row[k].dictionary = BUNDLE_NO_DICTIONARY;
        }
        pack_place(&p);
        snprintf(field, sizeof field, "dictionary[%u].type", i);
        assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, field);
        assert_string_equal(fault.reason, "no resource uses the dictionary");
    }
}

/* The row of a plain resource, or of one that is compressed and has a dictionary or none. */
static u32 row_of(u32 codec, bool dictionary) {
    const Pack p = pack_new();
    for (u32 i = 0; i < ROWS; i++) {
        const bool has = p.row[i].dictionary != BUNDLE_NO_DICTIONARY;
        if (p.row[i].codec == codec && has == dictionary) return i;
    }
    return NONE;
}

static void expect_row(u32 row, u32 member, u32 value, bool before, const char* name,
                       const char* reason) {
    char field[48];
    snprintf(field, sizeof field, "resource[%u].%s", row, name);
    expect_change(&(Change){ROW, row, member, value, before, ENT_BAD_FIELD, field, reason});
}

#define EXPECT_ROW(row, member, value, before, reason)                                             \
    expect_row(row, offsetof(BundleResource, member), value, before, #member, reason)

static void bundle_row_with_invalid_size_or_codec_is_refused(void** state) {
    const u32 plain = row_of(BUNDLE_PLAIN, false), framed = row_of(BUNDLE_ZSTD, false);
    const u32 wordy = row_of(BUNDLE_ZSTD, true);
    const u32 other = 1 - pack_new().row[wordy].dictionary;
    UNUSED(state);
    EXPECT_ROW(plain, size, 48, true, "48 is not the size of a blob");
    EXPECT_ROW(plain, size, 97, true, "97 is not the size of a blob");
    EXPECT_ROW(plain, codec, BUNDLE_CODEC_COUNT, true, "is not a codec");
    EXPECT_ROW(plain, stored, 80, true, "is 80, but must be 96");
    EXPECT_ROW(framed, stored, 0, true, "0 is not between 1 and 95");
    EXPECT_ROW(framed, stored, 96, true, "96 is not between 1 and 95");
    EXPECT_ROW(framed, size, 34 * BUNDLE_RATIO_MAX, true, "a frame of 33 bytes cannot expand to");
    EXPECT_ROW(plain, dictionary, 0, true,
               "must be 0xffffffff; a resource without compression has no dictionary");
    EXPECT_ROW(framed, dictionary, DICTIONARIES, true, "is not a dictionary for resources of type");
    EXPECT_ROW(wordy, dictionary, other, true, "is not a dictionary for resources of type");
    expect_change(&(Change){ROW, framed, offsetof(BundleResource, size), 33 * BUNDLE_RATIO_MAX,
                            true, ENT_OK, "", ""});
    expect_change(
        &(Change){ROW, framed, offsetof(BundleResource, stored), 95, true, ENT_OK, "", ""});
    expect_change(
        &(Change){ROW, framed, offsetof(BundleResource, stored), 1, true, ENT_OK, "", ""});
}

static void bundle_with_piece_out_of_place_is_refused(void** state) {
    Pack      p = pack_new();
    BlobFault fault;
    UNUSED(state);
    EXPECT_ROW(0, offset_lo, 64, false, "must be");
    expect_row(ROWS - 1, offsetof(BundleResource, offset_hi), 1, false, "offset_lo", "must be");
    p.more = 1;
    pack_place(&p);
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "header.bytes");
    assert_non_null(strstr(fault.reason, "the last piece ends at"));
    /* The last piece ends one byte after the bundle: only its end is missing. */
    p = pack_new();
    pack_place(&p);
    p.header.bytes_lo--;
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "resource[3].stored");
    /* So does a piece of the largest size that a word can store. */
    const u32 framed = row_of(BUNDLE_ZSTD, false);
    p = pack_new();
    pack_place(&p);
    p.row[framed].stored = UINT32_MAX - 15, p.row[framed].size = UINT32_MAX - 15;
    p.row[framed].stored--;
    char field[32];
    snprintf(field, sizeof field, "resource[%u].stored", framed);
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, field);
    assert_non_null(strstr(fault.reason, "extend beyond the end of the bundle"));
}

/* A plain piece begins after the end: the offset before it is no multiple of 16 bytes. */
static void bundle_with_plain_piece_after_its_end_is_refused(void** state) {
    const u32 plain = row_of(BUNDLE_PLAIN, false);
    Pack      p = pack_new();
    BlobFault fault;
    char      field[32];
    UNUSED(state);
    pack_place(&p);
    const BundleResource*   before = &p.row[plain - 1];
    const BundleDictionary* last = &p.dictionary[DICTIONARIES - 1];
    p.header.bytes_lo = plain ? before->offset_lo + before->stored : last->offset_lo + last->bytes;
    assert_true(p.header.bytes_lo < p.row[plain].offset_lo);
    snprintf(field, sizeof field, "resource[%u].stored", plain);
    assert_int_equal(pack_open(&p, ROWS, p.header.bytes_lo, true, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, field);
}

/* The index of a large bundle may not exceed the range of an offset; nothing of it is read. */
static void bundle_index_beyond_4_gib_is_refused(void** state) {
    static _Alignas(16) BundleHeader header;
    Pack                             p = pack_new();
    Bundle                           bundle;
    BlobFault                        fault;
    UNUSED(state);
    header = p.header;
    header.resource_count = BUNDLE_RESOURCES_MAX;
    header.name_bytes = UINT32_MAX;
    header.bytes_hi = 2;
    assert_int_equal(ent_bundle_open(&bundle, &header, 2ull << 32, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "header.name_bytes");
}

/* Every resource of the bundle is found, and no other. */
static void bundle_lookup_finds_exactly_its_resources(void** state) {
    Pack   p = pack_new();
    Bundle bundle;
    UNUSED(state);
    pack_place(&p);
    for (u32 count = 0; count <= ROWS; count++) {
        bundle = (Bundle){.header = &p.header, .resource = p.row, .names = p.names};
        p.header.resource_count = count;
        for (u32 i = 0; i < ROWS; i++) {
            const BundleResource* found = ent_bundle_find(&bundle, p.row[i].id);
            assert_ptr_equal(found, i < count ? &p.row[i] : NULL);
            if (found) assert_string_equal(ent_bundle_name(&bundle, found), p.names + found->name);
            ResourceRef other = p.row[i].id;
            other.lo++;
            assert_null(ent_bundle_find(&bundle, other));
            other.lo -= 2;
            assert_null(ent_bundle_find(&bundle, other));
        }
    }
}

TEST_SUITE(validation_bundle) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bundle_with_inconsistent_header_is_refused),
        cmocka_unit_test(bundle_with_invalid_name_or_id_is_refused),
        cmocka_unit_test(bundle_with_invalid_dictionary_is_refused),
        cmocka_unit_test(bundle_row_with_invalid_size_or_codec_is_refused),
        cmocka_unit_test(bundle_with_piece_out_of_place_is_refused),
        cmocka_unit_test(bundle_with_plain_piece_after_its_end_is_refused),
        cmocka_unit_test(bundle_index_beyond_4_gib_is_refused),
        cmocka_unit_test(bundle_lookup_finds_exactly_its_resources),
    };
    return TEST_RUN("validation_bundle", tests);
}
