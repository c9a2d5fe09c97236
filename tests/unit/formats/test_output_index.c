/* test_output_index.c - the index of an output folder: what is written is read, in both byte orders; each rule of the
 * validator, by an index that breaks only this one; each truncation and each changed byte. */
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "output_index_internal.h"
#include "sections.h"
#include "swap.h"
#include "test_worlds_support.h"

#define ROWS 4

static const struct {
    const char* name;
    u32         type;
} resources[ROWS] = {{"one", RESOURCE_MATERIAL},
                     {"two/b", RESOURCE_ENTITY},
                     {"three", RESOURCE_MESH},
                     {"one", RESOURCE_TEXTURE}};

/* Aligned, for the caller to free. */
static u8* index_new(u32 count, bool other, size_t* size) {
    OutputIndexEntry entries[ROWS];
    for (u32 i = 0; i < count; i++) {
        const u64 id = resource_id(ent_resource_ref(resources[i].name, resources[i].type));
        entries[i] = (OutputIndexEntry){id, resources[i].type, resources[i].name, 100 + i};
    }
    *size = output_index_lay(entries, count);
    u8* bytes = aligned_alloc(16, align_up(*size, 16));
    output_index_write(entries, count, other, bytes);
    return bytes;
}

static void index_contains(const OutputIndex* index, u32 count) {
    assert_int_equal(index->header->resource_count, count);
    for (u32 i = 0; i < ROWS; i++) {
        const ResourceRef     id = ent_resource_ref(resources[i].name, resources[i].type);
        const OutputIndexRow* row = ent_output_index_find(index, id);
        if (i >= count) {
            assert_null(row);
            continue;
        }
        assert_non_null(row);
        assert_int_equal(row->type, resources[i].type);
        assert_string_equal(ent_output_index_name(index, row), resources[i].name);
        assert_true(resource_id(row->hash) == 100 + i);
    }
}

static void index_is_read_as_it_was_written(void** state) {
    UNUSED(state);
    for (u32 count = 0; count <= ROWS; count++) {
        OutputIndex index;
        BlobFault   fault;
        size_t      size, other_size;
        u8*         bytes = index_new(count, false, &size);
        u8*         other = index_new(count, true, &other_size);
        assert_int_equal(ent_output_index_open(&index, bytes, size, &fault), ENT_OK);
        index_contains(&index, count);
        assert_int_equal(ent_output_index_open(&index, other, size, &fault), ENT_OTHER_BYTE_ORDER);
        output_index_swap(other, other_size);
        assert_int_equal(size, other_size);
        assert_memory_equal(bytes, other, size);
        free(bytes);
        free(other);
    }
}

/* Opens bytes behind which no memory can be read. */
static ent_status guarded_open(const u8* bytes, size_t size, BlobFault* fault) {
    static Guard guard;
    OutputIndex  index;
    if (!guard.memory) guard_open(&guard, 1 << 16);
    return ent_output_index_open(&index, memcpy(guard_at(&guard, size), bytes, size), size, fault);
}

static void hash_repair(u8* bytes, size_t size) {
    OutputIndexHeader* header = (OutputIndexHeader*)bytes;
    header->hash = resource_ref(output_index_hash(bytes, size));
}

typedef struct Change {
    u32         at, value;
    bool        byte; /* instead of a word */
    ent_status  status;
    const char *field, *reason;
} Change;

#define HEADER(member) offsetof(OutputIndexHeader, member)
#define ROW(row, member)                                                                           \
    (u32)(sizeof(OutputIndexHeader) + (row)*24 + offsetof(OutputIndexRow, member))
#define NAMES (sizeof(OutputIndexHeader) + ROWS * 24)

static void each_broken_rule_is_reported_with_its_field(void** state) {
    static const Change changes[] = {
        {HEADER(magic), 7, false, ENT_NOT_AN_INDEX, "header.magic", "are not ENTI"},
        {HEADER(byte_order), 0x04030201, false, ENT_OTHER_BYTE_ORDER, "header.byte_order",
         "build with --target"},
        {HEADER(byte_order), 5, false, ENT_BAD_FIELD, "header.byte_order", "is not a byte order"},
        {HEADER(version), 2, false, ENT_BAD_VERSION, "header.version",
         "index version 2; this build reads version 1"},
        {HEADER(resource_count), OUTPUT_INDEX_ROWS_MAX + 1, false, ENT_LIMIT,
         "header.resource_count", "an index has at most"},
        {HEADER(resource_count), ROWS + 1, false, ENT_TRUNCATED, "header.name_bytes", "in a file"},
        {HEADER(resource_count), ROWS - 1, false, ENT_BAD_FIELD, "header.name_bytes", "in a file"},
        {HEADER(name_bytes), UINT32_MAX, false, ENT_TRUNCATED, "header.name_bytes", "in a file"},
        {HEADER(zero) + 32, 1, false, ENT_BAD_FIELD, "header.zero", "must be 0"},
        {ROW(1, type), 0, false, ENT_BAD_FIELD, "resource[1].type", "is not a resource type"},
        {ROW(1, type), RESOURCE_COUNT, false, ENT_BAD_FIELD, "resource[1].type", "must be 1 to"},
        {ROW(1, id) + 4, 0, false, ENT_BAD_FIELD, "resource[1].id", "strictly ascending"},
        {ROW(0, id), 0, false, ENT_BAD_FIELD, "resource[0].id", "is not the hash"},
        {ROW(2, name), 1, false, ENT_BAD_FIELD, "resource[2].name", "does not begin at the end"},
        {NAMES, '/', true, ENT_BAD_FIELD, "resource[0].name", "is not a valid name"},
        {NAMES, 'q', true, ENT_BAD_FIELD, "resource[0].id", "is not the hash"},
    };
    size_t size;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(changes); i++) {
        const Change* c = &changes[i];
        BlobFault     fault;
        u8*           bytes = index_new(ROWS, false, &size);
        if (c->byte)
            bytes[c->at] = (u8)c->value;
        else
            memcpy(bytes + c->at, &c->value, 4);
        hash_repair(bytes, size);
        const ent_status status = guarded_open(bytes, size, &fault);
        if (status != c->status || strcmp(fault.field, c->field) != 0 ||
            !strstr(fault.reason, c->reason))
            fail_msg("row %u: %d %s: %s", i, status, fault.field, fault.reason);
        assert_int_equal(fault.status, status);
        free(bytes);
    }
}

/* The last name, and the text behind it. */
static void names_end_with_the_file(void** state) {
    BlobFault fault;
    size_t    size;
    u8*       bytes = index_new(ROWS, false, &size);
    UNUSED(state);
    bytes[size - 1] = 'x';
    hash_repair(bytes, size);
    assert_int_equal(guarded_open(bytes, size, &fault), ENT_BAD_FIELD);
    assert_non_null(strstr(fault.reason, "does not end with a NUL"));
    free(bytes);
    bytes = index_new(ROWS, false, &size);
    u8* longer = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(longer, bytes, size);
    longer[size] = 0;
    ((OutputIndexHeader*)longer)->name_bytes++;
    hash_repair(longer, size + 1);
    assert_int_equal(guarded_open(longer, size + 1, &fault), ENT_BAD_FIELD);
    assert_non_null(strstr(fault.reason, "there is text after the last name"));
    free(longer);
    free(bytes);
}

static void each_truncated_or_changed_index_is_refused(void** state) {
    BlobFault fault;
    size_t    size;
    u8*       bytes = index_new(ROWS, false, &size);
    UNUSED(state);
    for (size_t i = 0; i < size; i++) assert_int_not_equal(guarded_open(bytes, i, &fault), ENT_OK);
    for (size_t i = 0; i < size * 8; i++) {
        bytes[i / 8] ^= (u8)(1u << i % 8);
        assert_int_not_equal(guarded_open(bytes, size, &fault), ENT_OK);
        bytes[i / 8] ^= (u8)(1u << i % 8);
    }
    assert_int_equal(guarded_open(bytes, size, NULL), ENT_OK);
    free(bytes);
}

/* An index of the other byte order that is damaged is not changed, and refused afterwards. */
static void damaged_index_of_the_other_byte_order_is_refused(void** state) {
    OutputIndex index;
    size_t      size;
    UNUSED(state);
    u8* bytes = index_new(ROWS, true, &size);
    for (size_t i = 0; i < size; i++) {
        u8* copy = aligned_alloc(16, align_up(size, 16));
        memcpy(copy, bytes, size);
        copy[i] ^= 1;
        output_index_swap(copy, size);
        assert_int_not_equal(ent_output_index_open(&index, copy, size, NULL), ENT_OK);
        memcpy(copy, bytes, size);
        output_index_swap(copy, i); /* only so much of it is there */
        assert_memory_equal(copy, bytes, size);
        free(copy);
    }
    /* More rows than the file has. */
    OutputIndexHeader* header = (OutputIndexHeader*)bytes;
    header->resource_count = word_swap(word_swap(header->resource_count) + 1000);
    header->hash = resource_swap(resource_ref(output_index_hash(bytes, size)));
    u8* copy = aligned_alloc(16, align_up(size, 16));
    memcpy(copy, bytes, size);
    output_index_swap(copy, size);
    assert_memory_equal(copy, bytes, size);
    free(copy);
    free(bytes);
}

TEST_SUITE(output_index) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(index_is_read_as_it_was_written),
        cmocka_unit_test(each_broken_rule_is_reported_with_its_field),
        cmocka_unit_test(names_end_with_the_file),
        cmocka_unit_test(each_truncated_or_changed_index_is_refused),
        cmocka_unit_test(damaged_index_of_the_other_byte_order_is_refused),
    };
    return TEST_RUN("output_index", tests);
}
