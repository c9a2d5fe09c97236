/* test_validation_columns.c - columns of references, which are validated without a branch per row: the
 * results are those of each row alone. */
#include "test.h"

#include "hash.h"
#include "record_words.h"
#include "validation_internal.h"

#define MANY_REFERENCES 9000u

/* The ids of a table are 1 and others that are far greater than 4, in ascending order; two in three are
 * of meshes. */
static bool test_is_mesh(const ReferenceRecord* table, u32 count, u32 index) {
    return index < count && table[index].type == RESOURCE_MESH;
}

/* Columns of references are compared with buckets of ids, or searched for in one of two ways, which
 * depends on the number of ids. */
static void column_of_references_is_valid_if_each_of_them_is(void** state) {
    static const u32       counts[] = {0, 1, 2, 5, 300, 900, 1500, MANY_REFERENCES};
    static ReferenceRecord table[MANY_REFERENCES];
    static ReferenceSlots  slots;
    const Field field = {.kind = FIELD_ResourceRef, .bytes = 8, .refers_to = RESOURCE_MESH};
    UNUSED(state);
    for (u32 c = 0; c < COUNT_OF(counts); c++) {
        const u32      count = counts[c];
        BlobValidation g = {.reference = table, .reference_count = count, .size = 1u << 20};
        u64            id = 1;
        for (u32 i = 0; i < count; i++, id += (UINT64_MAX >> 1) / count - i) {
            table[i] =
                (ReferenceRecord){resource_ref(id), i % 3 ? RESOURCE_MESH : RESOURCE_CLIP, 0};
        }
        validation_references_enter(&g, &slots);
        for (u32 type = 0; type < RESOURCE_COUNT; type++) {
            const ReferenceBuckets* b = &g.buckets[type];
            if (!b->at) continue;
            assert_true(b->at + ((size_t)1 << (64 - b->shift)) <=
                        slots.bucket + VALIDATION_REFERENCE_BUCKETS);
        }
        for (u32 i = 0; i < 2 * count + 10; i++) {
            const bool        others = i % 4 == 1 && count > 2; /* meshes; or else null */
            const ResourceRef other = others ? table[1].id : resource_ref(0);
            ResourceRef       column[3] = {other, other, other};
            Field             asked = field;
            const u32         small = i % 5, index = i / 2 < count ? i / 2 : small == 1 ? 0 : NONE;
            asked.required = i % 2;
            column[i % 3] = i / 2 < count ? table[i / 2].id : resource_ref(small);
            const bool null = i / 2 >= count && small == 0;
            const bool mine = null ? !asked.required : test_is_mesh(table, count, index);
            assert_true(validation_links_are_valid(&g, &asked, (const u8*)column, 3, 8) ==
                        (mine && (others || !asked.required)));
        }
    }
}

/* Indices of entities, of which NONE is one, and of texts, of which 0 is the empty one; adjacent or in
 * records. */
static void column_of_indices_is_valid_if_each_of_them_is(void** state) {
    static const u32     indices[] = {0, 1, 6, 7, 8, NONE - 1, NONE};
    const BlobValidation g = {.header = {.element_count = 7}, .string_count = 7};
    const BlobValidation empty = {.string_count = 0};
    UNUSED(state);
    for (u32 i = 0; i < 4 * COUNT_OF(indices) * 9; i++) {
        const u32   stride = i % 2 ? 4 : 12, required = i / 2 % 2;
        const u32   index = indices[i / 4 % COUNT_OF(indices)], at = i / 4 / COUNT_OF(indices);
        const Field entity = {.kind = FIELD_EntityRef, .bytes = 4, .required = (int)required};
        const Field text = {.kind = FIELD_TextRef, .bytes = 4, .required = (int)required};
        u32         column[27];
        for (u32 k = 0; k < COUNT_OF(column); k++) column[k] = 3;
        column[at * stride / 4] = index;
        const u8* first = (const u8*)column;
        assert_true(validation_links_are_valid(&g, &entity, first, 9, stride) ==
                    (index < 7 || index == NONE));
        assert_true(validation_links_are_valid(&g, &text, first, 9, stride) ==
                    (index < 7 && index >= required));
        for (u32 k = 0; k < COUNT_OF(column); k++) column[k] = index;
        assert_true(validation_links_are_valid(&empty, &text, first, 9, stride) ==
                    (index == 0 && !required));
    }
}

/* Five ids whose products with the first factor are 1 to 5: no bucket has as many places, so that another
 * factor is used. */
static void references_that_share_a_bucket_get_another_factor(void** state) {
    static const u64      ids[] = {0xb9589367fe154031u, 0xc77a0f8664ddccf4u, 0xd59b8ba4cba659b7u,
                                   0xe3bd07c3326ee67au, 0xf1de83e19937733du};
    static ReferenceSlots slots;
    const Field           field = {
                  .kind = FIELD_ResourceRef, .bytes = 8, .refers_to = RESOURCE_MESH, .required = 1};
    ReferenceRecord table[5];
    ResourceRef     column[6] = {[5] = resource_ref(1)};
    BlobValidation  g = {.reference = table, .reference_count = 5, .size = 1u << 20};
    UNUSED(state);
    for (u32 i = 0; i < 5; i++) {
        column[i] = resource_ref(ids[i]);
        table[i] = (ReferenceRecord){column[i], RESOURCE_MESH, 0};
    }
    validation_references_enter(&g, &slots);
    assert_non_null(g.buckets[RESOURCE_MESH].at);
    assert_true(HOST_IS_LITTLE == (g.buckets[RESOURCE_MESH].factor != 0x9e3779b97f4a7c15u));
    assert_true(validation_links_are_valid(&g, &field, (const u8*)column, 5, 8));
    assert_false(validation_links_are_valid(&g, &field, (const u8*)column, 6, 8));
}

/* --- rows --- */

#define ROWS_MAX 2000u /* more than are validated while they are in the cache */

/* A field of each class, also as arrays, and a word for each of theirs that is invalid. */
static const Field row_fields[] = {
    {.name = "whole", .kind = FIELD_u32, .offset = 0, .bytes = 8, .hi = 9},
    {.name = "meshes",
     .kind = FIELD_ResourceRef,
     .offset = 8,
     .bytes = 16,
     .refers_to = RESOURCE_MESH},
    {.name = "others", .kind = FIELD_EntityRef, .offset = 24, .bytes = 8, .hi = ALL},
    {.name = "turn", .kind = FIELD_Quat, .offset = 32, .bytes = 16, .lo = -1, .hi = 1},
    {.name = "mass", .kind = FIELD_f32, .offset = 48, .bytes = 4, .lo = 0, .hi = 1},
    {.name = "place", .kind = FIELD_Vec3, .offset = 52, .bytes = 12, .lo = LOW, .hi = HIGH},
    {.name = "text", .kind = FIELD_TextRef, .offset = 64, .bytes = 4, .hi = ALL}};
#define ROW_WORDS 17u
static const u32 row_valid[ROW_WORDS] = {
    9, 0, [8] = 0, [11] = 0x3f800000u, [12] = 0x80000000u, [14] = 0xff7fffffu};
static const u32 row_invalid[ROW_WORDS] = {10,
                                           10,
                                           5,
                                           5,
                                           5,
                                           5,
                                           7,
                                           7,
                                           0x3e800000u,
                                           0x3e800000u,
                                           0x3f000000u,
                                           0x3f000000u,
                                           0x3f800001u,
                                           0x7f800000u,
                                           0xff800000u,
                                           0x7fc00000u,
                                           7};

/* Every word of some rows is invalid, one at a time. */
static void rows_expect(const BlobValidation* g, const Field* fields, u32 field_count, u32 count) {
    static u32 rows[ROWS_MAX * ROW_WORDS];
    const u32  from = fields[0].offset / 4, last = field_count - 1;
    const u32  words = (fields[last].offset + fields[last].bytes) / 4 - from;
    const u8*  first = (const u8*)rows;
    for (u32 i = 0; i < count * words; i++) rows[i] = row_valid[from + i % words];
    assert_true(validation_rows_are_valid(g, fields, field_count, first, count, words * 4));
    for (u32 i = 0; i < count * words;
         i += i % words == words - 1 && i > words ? 7 * words + 1 : 1) {
        const u32 kept = rows[i];
        rows[i] = row_invalid[from + i % words];
        assert_false(validation_rows_are_valid(g, fields, field_count, first, count, words * 4));
        rows[i] = kept;
    }
    rows[count * words - 1] = row_invalid[from + words - 1];
    assert_false(validation_rows_are_valid(g, fields, field_count, first, count, words * 4));
}

static void invalid_word_in_any_row_is_noticed(void** state) {
    static ReferenceSlots slots;
    BlobValidation        g = {.header = {.element_count = 7}, .string_count = 7, .size = 1u << 20};
    u32                   few[63 * ROW_WORDS];
    UNUSED(state);
    validation_references_enter(&g, &slots);
    for (u32 count = 64; count <= ROWS_MAX; count = count * 5 / 2 + 1) {
        rows_expect(&g, row_fields, COUNT_OF(row_fields), count);
        for (u32 i = 0; i < COUNT_OF(row_fields); i++) rows_expect(&g, &row_fields[i], 1, count);
    }
    /* Rows of many words, and few rows, are validated field by field, by the caller. */
    static const u32 many[64 * (WORD_RECORDS_MAX + 1)];
    const Field      array = {.kind = FIELD_u32, .bytes = 4 * (WORD_RECORDS_MAX + 1), .hi = 9};
    assert_false(validation_rows_are_valid(&g, &array, 1, (const u8*)many, 64, array.bytes));
    for (u32 i = 0; i < COUNT_OF(few); i++) few[i] = row_valid[i % ROW_WORDS];
    assert_false(validation_rows_are_valid(&g, row_fields, COUNT_OF(row_fields), (const u8*)few, 63,
                                           sizeof row_valid));
}

/* The words behind the last row belong to another section. */
static void names_are_compared_up_to_the_last_row_only(void** state) {
    static const u32 offsets[] = {0, 2, 4, 0, 0};
    UNUSED(state);
    for (u32 stride = 4; stride <= 8; stride += 4) {
        u8              rows[40] = {0};
        const NameTable table = {.first = rows,
                                 .count = 3,
                                 .stride = stride,
                                 .text = (const u8*)"a\0b\0c",
                                 .text_bytes = 6};
        for (u32 i = 0; i < 3; i++) memcpy(rows + (size_t)i * stride, &offsets[i], 4);
        assert_true(validation_names_are_valid(&table, (RowRange){0, 3}, true));
        memcpy(rows + (size_t)2 * stride, &offsets[1], 4);
        assert_false(validation_names_are_valid(&table, (RowRange){0, 3}, true));
    }
}

TEST_SUITE(validation_columns) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(column_of_references_is_valid_if_each_of_them_is),
        cmocka_unit_test(column_of_indices_is_valid_if_each_of_them_is),
        cmocka_unit_test(references_that_share_a_bucket_get_another_factor),
        cmocka_unit_test(invalid_word_in_any_row_is_noticed),
        cmocka_unit_test(names_are_compared_up_to_the_last_row_only),
    };
    return TEST_RUN("validation_columns", tests);
}
