/* test_section_limit.c - levels with many component sections: the limit, duplicates, spawn order. */
#include "test_worlds_support.h"

#include <stdio.h>

#include "hash.h"
#include "sections.h"

#define SECTIONS_MAX (BLOB_SECTIONS_MAX + 1)

/* A level of one entity without a parent, which has one instance of each type; a section of a type has
 * the 4 bytes of its owner. */
typedef struct Table {
    _Alignas(16) u8 bytes[sizeof(BlobHeader) + SECTIONS_MAX * (sizeof(BlobSection) + 16)];
    BlobSection* section;
    u32          size;
} Table;

static Table* table_make(u32 sections, u32 (*identifier)(u32 index)) {
    static Table table;
    BlobHeader   h = {.byte_order = BLOB_BYTE_ORDER,
                      .version = BLOB_VERSION,
                      .resource_type = RESOURCE_LEVEL,
                      .resource = {1, 0},
                      .section_count = sections,
                      .element_count = 1};
    u32          end = (u32)(sizeof h + sections * sizeof(BlobSection));
    memset(&table, 0, sizeof table);
    table.section = (BlobSection*)(void*)(table.bytes + sizeof h);
    for (u32 i = 0; i < sections; i++, end += 16) {
        const u32 parent = NONE;
        table.section[i] = (BlobSection){SECTION_COMPONENT, 0, 7, 1, 0, end, 4, 0};
        if (i) table.section[i].identifier = identifier(i);
        if (i) continue;
        table.section[0] = (BlobSection){
            SECTION_PARENT, 0, record_layout_hash(section_record(SECTION_PARENT)), 1, 4, end, 4, 1};
        memcpy(table.bytes + end, &parent, 4);
    }
    table.size = h.blob_bytes = end;
    memcpy(h.magic, BLOB_MAGIC_BYTES, 4);
    memcpy(table.bytes, &h, sizeof h);
    return &table;
}

static ent_status table_open(Table* table, const BlobOptions* options, Blob* blob,
                             BlobFault* fault) {
    hash_fix(table->bytes, table->size);
    return ent_blob_open(blob, table->bytes, table->size, options, fault);
}

static u32 ascending(u32 index) { return 0x10000u + index; }
static u32 descending(u32 index) { return 0u - index; }
/* The identifiers whose slots are the same. */
static u32 colliding(u32 index) { return index << 26 | index >> 6 << 16 | 1u; }
/* An identifier may be equal to the number of a kind of section. */
static u32 small(u32 index) { return index; }

static void level_with_as_many_sections_as_the_limit_is_valid(void** state) {
    u32 (*const identifiers[])(u32) = {ascending, descending, colliding, small};
    Blob      blob;
    BlobFault fault;
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(identifiers); i++) {
        Table* table = table_make(BLOB_SECTIONS_MAX, identifiers[i]);
        if (table_open(table, NULL, &blob, &fault) != ENT_OK)
            fail_msg("%u: %s %s", i, fault.field, fault.reason);
        assert_ptr_equal(ent_blob_section(&blob, SECTION_PARENT), table->section);
        assert_ptr_equal(ent_blob_section(&blob, SECTION_COMPONENT), table->section + 1);
        assert_null(ent_blob_section(&blob, SECTION_NAME));
        for (u32 k = 1; k < BLOB_SECTIONS_MAX; k++)
            assert_ptr_equal(ent_blob_component(&blob, identifiers[i](k)), table->section + k);
    }
}

static void level_with_more_sections_than_the_limit_is_refused(void** state) {
    Blob      blob;
    BlobFault fault;
    UNUSED(state);
    Table* table = table_make(BLOB_SECTIONS_MAX + 1, ascending);
    assert_int_equal(table_open(table, NULL, &blob, &fault), ENT_LIMIT);
    assert_string_equal(fault.field, "header.section_count");
    assert_string_equal(fault.reason, "is 513; a blob has at most 512 sections");
}

/* Each section but the first repeats the identifier of another one. */
static void duplicate_section_at_any_distance_is_refused(void** state) {
    u32 (*const identifiers[])(u32) = {ascending, colliding};
    Blob      blob;
    BlobFault fault;
    UNUSED(state);
    for (u32 i = 0; i < 2 * COUNT_OF(identifiers) * 40; i++) {
        char         field[40];
        const u32    second = 2 + i * 3, first = 1 + (i * 7) % (second - 1);
        Table* const table = table_make(BLOB_SECTIONS_MAX, identifiers[i % 2]);
        table->section[second].identifier = table->section[first].identifier;
        snprintf(field, sizeof field, "section[%u].identifier", second);
        assert_int_equal(table_open(table, NULL, &blob, &fault), ENT_BAD_FIELD);
        assert_string_equal(fault.field, field);
        assert_non_null(strstr(fault.reason, "duplicate section of component type"));
    }
}

/* The third type must not be spawned before the first; sections between them are of unknown types. */
static void known_types_out_of_spawn_order_are_refused_across_unknown_ones(void** state) {
    static const Field   none = {.name = "v", .kind = FIELD_u32, .bytes = 4};
    ComponentType        type[3];
    const ComponentType* types[3];
    Blob                 blob;
    BlobFault            fault;
    UNUSED(state);
    for (u32 i = 0; i < 3; i++) {
        static const char* const names[] = {"one", "two", "three"};
        static const u32         order[] = {20, 30, 10};
        type[i] = (ComponentType){
            .record = {names[i], &none, 1, 4}, .order = order[i], .columns = BY_FIELD};
        ent_component_type_finish(&type[i]);
        types[i] = &type[i];
    }
    const BlobOptions options = {.types = types, .type_count = 3};
    Table*            table = table_make(8, ascending);
    table->section[7].identifier =
        type[0].id; /* whose shape is wrong too: its place is tested first */
    table->section[3].identifier = 99;
    assert_int_equal(table_open(table, &options, &blob, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[7].layout");
    BlobSection* s = table->section;
    for (u32 i = 0; i < 2; i++) {
        static const u32 place[] = {2, 6};
        BlobSection*     at = &s[place[i]];
        const u32        bytes = (u32)component_section_bytes(&type[0], 1);
        *at = (BlobSection){
            SECTION_COMPONENT, type[i ? 2 : 1].id, type[i ? 2 : 1].layout, 1, 4, 0, bytes, 1};
    }
    table->section[7].identifier = 98;
    u32 end = (u32)(sizeof(BlobHeader) + 8 * sizeof(BlobSection));
    for (u32 i = 0; i < 8; i++) {
        s[i].offset = end;
        end += (u32)align_up(s[i].bytes, 16);
    }
    assert_int_equal(table_open(table, &options, &blob, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[6].identifier");
    assert_string_equal(fault.reason,
                        "three must precede two; component sections must be in spawn order");
}

TEST_SUITE(section_limit) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_with_as_many_sections_as_the_limit_is_valid),
        cmocka_unit_test(level_with_more_sections_than_the_limit_is_refused),
        cmocka_unit_test(duplicate_section_at_any_distance_is_refused),
        cmocka_unit_test(known_types_out_of_spawn_order_are_refused_across_unknown_ones),
    };
    return TEST_RUN("section_limit", tests);
}
