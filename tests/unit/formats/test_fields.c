/* test_fields.c - the tables of field kinds and of sections: what is found in them, and what is not. */
#include <math.h>
#include <stdlib.h>

#include "fields.h"
#include "record_words.h"
#include "records.h"
#include "sections.h"
#include "test.h"

static void field_kind_is_found_by_its_name_and_by_its_declaration(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        const FieldKindInfo* kind = &field_kinds[i];
        assert_int_equal(field_kind_named(FIELD_KIND_TEXTS[i]), i);
        assert_int_equal(field_kind_declared(kind->declared, kind->words), i);
        assert_int_equal(field_kind_declared(kind->declared, kind->words + 7), FIELD_KIND_COUNT);
        assert_int_equal(field_kind_declared("string", kind->words), FIELD_KIND_COUNT);
    }
    assert_int_equal(field_kind_named("Vec9"), FIELD_KIND_COUNT);
    assert_int_equal(field_kind_named(""), FIELD_KIND_COUNT);
}

/* Zeros are the null value of some references, and an ordinary value of all numbers. */
static void only_references_have_a_null_value(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        const Field field = {.kind = (FieldKind)i, .bytes = field_kinds[i].words * 4};
        const u32   ones[4] = {1, 1, 1, 1};
        u32         words[4];
        field_null(&field, words);
        assert_int_equal(field_is_null(&field, words), field_is_link(&field));
        assert_false(field_is_null(&field, ones));
    }
}

static void text_expect(FieldKind kind, const void* words, const char* text, const char* json) {
    static const char* const texts[] = {"none", "first"};
    const Field              field = {
                     .kind = kind, .bytes = field_kinds[kind].words * 4, .texts = texts, .text_count = 2};
    char found[FIELD_TEXT_BYTES];
    field_value_text(&field, words, false, found);
    assert_string_equal(found, text);
    field_value_text(&field, words, true, found);
    assert_string_equal(found, json);
}

static void value_of_each_form_is_printed_as_text_and_as_json(void** state) {
    const Vec3 point = {0.1f, -2, 1e10f};
    const u32  word[] = {0, 1, 2, UINT32_MAX};
    UNUSED(state);
    text_expect(FIELD_Vec3, &point, "0.1 -2 1e+10", "[0.1, -2, 1e+10]");
    text_expect(FIELD_f32, &point, "0.1", "0.1");
    text_expect(FIELD_u32, &word[3], "4294967295", "4294967295");
    text_expect(FIELD_Bool32, &word[1], "true", "true");
    text_expect(FIELD_Bool32, &word[2], "2", "2");
    text_expect(FIELD_Enum32, &word[1], "first", "\"first\"");
    text_expect(FIELD_Enum32, &word[2], "2", "2");
    text_expect(FIELD_i32, &word[3], "-1", "-1");
    text_expect(FIELD_Flags32, &word[0], "[]", "[]");
    text_expect(FIELD_Flags32, &word[2], "first", "[\"first\"]");
    text_expect(FIELD_Flags32, &(u32){3}, "none first", "[\"none\", \"first\"]");
    text_expect(FIELD_Flags32, &(u32){4}, "4", "4");
}

/* A record with arrays, as a header in formats/components defines it. */
#define BAG_KIND(X) X(BAG_FIRE, "fire") X(BAG_ICE, "ice")
#define BAG_FIELDS(F, R)                                                                           \
    F##_ARRAY(R, 3, u32, slots, V1(7), 0, 9, "", PLAIN, "what it holds")                           \
        F##_ARRAY(R, 2, Vec2, corners, V2(1, 2), LOW, HIGH, "", PLAIN, "where it is")              \
            F##_ARRAY(R, 2, EntityRef, owners, NO_ENTITY, 0, ALL, "", PLAIN, "whose it is")        \
                F(R, Flags32, immune, V1(2), 0, 0, "", ENUM(BAG_KIND), "what does not harm it")
RECORD(BagRecord, BAG_FIELDS)
static const Field bag_fields[] = {BAG_FIELDS(FIELD_ROW, BagRecord)};

static void default_of_an_array_is_that_of_each_element(void** state) {
    const RecordType bag = {"bag", bag_fields, COUNT_OF(bag_fields), sizeof(BagRecord)};
    BagRecord        record;
    char             text[FIELD_TEXT_BYTES];
    UNUSED(state);
    record_defaults(&bag, &record);
    for (u32 i = 0; i < 3; i++) assert_int_equal(record.slots[i], 7);
    for (u32 i = 0; i < 2; i++) {
        assert_true(record.corners[i].x == 1 && record.corners[i].y == 2);
        assert_int_equal(record.owners[i], NONE);
    }
    assert_int_equal(record.immune, 2);
    field_value_text(&bag_fields[1], record.corners, true, text);
    assert_string_equal(text, "[[1, 2], [1, 2]]");
    field_value_text(&bag_fields[0], record.slots, false, text);
    assert_string_equal(text, "7, 7, 7");
    assert_true(field_is_null(&bag_fields[2], record.owners));
    record.owners[1] = 0;
    assert_false(field_is_null(&bag_fields[2], record.owners));
}

/* In a column, and in records, where the values of a field are not adjacent. */
static void each_element_of_an_array_is_validated(void** state) {
    u32         words[] = {9, 0, 1, 2, 3, 10};
    const Field slots = {.kind = FIELD_u32, .bytes = 12, .hi = 9};
    const Field pair = {.kind = FIELD_u32, .bytes = 8, .hi = 9};
    UNUSED(state);
    assert_int_equal(field_first_fault(&slots, words, 1, 12), 1);
    assert_int_equal(field_first_fault(&slots, words, 2, 12), 1);
    assert_int_equal(field_first_fault(&pair, words, 2, 12), 2);
    assert_string_equal(field_fault(&slots, words + 3), "is out of range");
    assert_null(field_fault(&slots, words));
}

/* An array, a value and an array of another length have different layouts. */
static void layout_contains_the_number_of_elements(void** state) {
    u32 hash[3];
    UNUSED(state);
    for (u32 i = 0; i < 3; i++) {
        const Field      field = {.name = "slots", .kind = FIELD_u32, .bytes = 4 + 4 * i};
        const RecordType record = {"bag", &field, 1, field.bytes};
        hash[i] = record_layout_hash(&record);
    }
    assert_true(hash[0] != hash[1] && hash[1] != hash[2] && hash[0] != hash[2]);
}

static void signed_number_is_valid_within_its_bounds(void** state) {
    const i32   number[] = {-11, -10, 10, 11};
    const Field f = {.kind = FIELD_i32, .bytes = 4, .lo = -10, .hi = 10};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(number); i++) {
        const bool valid = number[i] >= -10 && number[i] <= 10;
        assert_true(!field_fault(&f, &number[i]) == valid);
        assert_int_equal(field_first_fault(&f, &number[i], 1, 4), valid);
    }
}

/* Every number that a word can hold is the same after it was stored. */
static void numbers_are_stored_in_words_and_read_back(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++) {
        const Field field = {.kind = (FieldKind)i, .bytes = field_kinds[i].words * 4};
        u32         word;
        if (field_is_link(&field)) continue;
        for (f64 number = -2; number <= 2; number += 0.5) {
            if (!field_form_info(&field)->holds(number)) continue;
            field_number_store(&field, number, &word);
            assert_true(field_number(&field, &word) == number);
        }
        assert_false(field_form_info(&field)->holds(1e39));
        assert_false(field_form_info(&field)->holds(-1e39));
        assert_true(field_form_info(&field)->holds(-0.5) == field_is_float(&field));
    }
}

/* A quaternion can be of unit length and have a component beyond the bounds of the field. */
static void quaternion_is_valid_within_bounds_and_of_unit_length(void** state) {
    static const struct {
        f32         value[4];
        const char* fault;
    } rows[] = {{{0, 0, 0, 1}, NULL},
                {{0, 0, 0, 0.5f}, "is not a unit quaternion"},
                {{0, 0, 0, NAN}, "is not finite"},
                {{1.0005f, 0, 0, 0}, "is out of range"},
                {{0, 2, 0, 0}, "is out of range"}};
    const Field field = {.kind = FIELD_Quat, .bytes = 16, .lo = -1, .hi = 1};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        const u8*   words = (const u8*)rows[i].value;
        const char* fault = field_fault(&field, words);
        assert_string_equal(fault ? fault : "", rows[i].fault ? rows[i].fault : "");
        assert_true(field_form_info(&field)->is_valid(&field, words, 1, 16) == !fault);
    }
}

/* --- words of records --- */

#define WORD_ROWS 21u /* more than are compared at once, and some more */

/* Is every field of a record without a fault, apart from what bounds of words do not state? */
static bool record_is_between_bounds(const RecordType* type, const u8* record) {
    for (u32 i = 0; i < type->field_count; i++) {
        Field f = type->fields[i];
        if (field_form(&f) == FORM_UNIT) f.kind = FIELD_Vec4;
        if (field_form(&f) == FORM_ENTITY || field_form(&f) == FORM_TEXT) continue;
        if (field_fault(&f, record + f.offset)) return false;
    }
    return true;
}

/* One word of one of many valid records is any number: then both ways to validate agree. */
static void bounds_of_all_words_are_those_of_each_field(void** state) {
    static const u32 words[] = {0,           1,           2,           31,          32,
                                0x7fffffffu, 0x80000000u, 0xffffffffu, 0x7f800000u, 0xff800000u,
                                0x7fc00000u, 0x3f800000u, 0x3f800001u, 0xbf800000u, 0xbf800001u,
                                0x7f7fffffu, 0xff7fffffu, 0x3a83126fu, 0x3a83126eu, 0x49742400u};
    u32              records[WORD_ROWS * WORD_RECORDS_MAX], outside = 0, inside = 0;
    WordBounds       bounds;
    UNUSED(state);
    srand(3);
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        const RecordType* type = &ent_component_types()[t].record;
        const u32         count = type->bytes / 4;
        assert_true(word_bounds_make(&bounds, type->fields, type->field_count, type->bytes));
        for (u32 i = 0; i < WORD_ROWS; i++) {
            record_defaults(type, &records[i * count]);
            for (u32 f = 0; f < type->field_count; f++) {
                const Field* field = &type->fields[f];
                FieldBounds  all;
                if (!field->required) continue;
                assert_true(field_bounds(field, &all));
                const u32 min = (i32)all.min < 0 ? all.min ^ all.flip : all.min;
                for (u32 w = 0; w < field_words(field); w++)
                    records[i * count + field->offset / 4 + w] = min;
            }
        }
        for (u32 i = 0; i < 4000; i++) {
            const u32 row = (u32)rand() % WORD_ROWS, at = row * count + (u32)rand() % count;
            const u32 kept = records[at];
            records[at] = i % 4 ? words[(u32)rand() % COUNT_OF(words)] : (u32)rand() * 2654435761u;
            const u32  rows = row + 1 + (u32)rand() % (WORD_ROWS - row);
            const bool valid = record_is_between_bounds(type, (u8*)&records[row * count]);
            assert_true(word_bounds_hold(&bounds, records, rows) == valid);
            outside += !valid, inside += valid;
            records[at] = kept;
        }
    }
    assert_true(outside > 1000 && inside > 1000);
}

static void record_with_more_words_than_are_compared_at_once_has_no_bounds(void** state) {
    const Field max = {.kind = FIELD_u32, .bytes = 4 * WORD_RECORDS_MAX, .hi = 9};
    const Field more = {.kind = FIELD_u32, .bytes = 4 * (WORD_RECORDS_MAX + 1), .hi = 9};
    WordBounds  bounds;
    UNUSED(state);
    assert_true(word_bounds_make(&bounds, &max, 1, max.bytes));
    assert_false(word_bounds_make(&bounds, &more, 1, more.bytes));
}

/* Bounds of floats that are 0 hold for -0 too, as comparisons do. */
static void zero_has_no_sign_in_bounds(void** state) {
    const f32   values[] = {-0.0f, 0.0f, -1e-45f, 1e-45f};
    const Field from = {.kind = FIELD_f32, .bytes = 4, .lo = 0, .hi = 1};
    const Field to = {.kind = FIELD_f32, .bytes = 4, .lo = -1, .hi = -0.0};
    const Field none = {.kind = FIELD_f32, .bytes = 4, .lo = 1, .hi = 0};
    WordBounds  bounds;
    UNUSED(state);
    assert_false(word_bounds_make(&bounds, &none, 1, 4));
    assert_true(word_bounds_make(&bounds, &from, 1, 4));
    for (u32 i = 0; i < 4; i++) assert_true(word_bounds_hold(&bounds, &values[i], 1) == (i != 2));
    assert_true(word_bounds_make(&bounds, &to, 1, 4));
    for (u32 i = 0; i < 4; i++) assert_true(word_bounds_hold(&bounds, &values[i], 1) == (i != 3));
}

/* Bounds of floats are compared as floats. */
static void bound_that_is_the_same_float_as_that_of_its_kind_is_none(void** state) {
    const Field all = {
        .kind = FIELD_f32, .bytes = 4, .lo = LOW * (1 - 1e-12), .hi = HIGH * (1 - 1e-12)};
    const Field narrow = {.kind = FIELD_f32, .bytes = 4, .lo = LOW / 2, .hi = HIGH / 2};
    const Field complete = {.kind = FIELD_u32, .bytes = 4, .lo = 1, .hi = ALL - 1};
    UNUSED(state);
    assert_false(field_has_lowest(&all) || field_has_highest(&all));
    assert_true(field_has_lowest(&narrow) && field_has_highest(&narrow));
    assert_true(field_has_lowest(&complete) && field_has_highest(&complete));
}

static void section_is_allowed_only_in_the_resources_of_its_row(void** state) {
    u32 allowed = 0;
    UNUSED(state);
    for (u32 kind = 0; kind < SECTION_KIND_COUNT; kind++) {
        for (u32 type = 0; type < RESOURCE_COUNT; type++) allowed += section_allowed(type, kind);
        for (u32 type = RESOURCE_COUNT; type < 100; type++) {
            if (section_allowed(type, kind)) fail_msg("type %u, section %u", type, kind);
        }
    }
    assert_true(allowed >= SECTION_KIND_COUNT - 1);
    assert_true(section_allowed(RESOURCE_MESH, SECTION_POSITION));
    assert_false(section_allowed(RESOURCE_CLIP, SECTION_POSITION));
    assert_false(section_allowed(RESOURCE_MESH, SECTION_KIND_COUNT));
}

/* A copy of formats/components in which one line of record.h is another one. */
static void record_h_change(const char* folder, const char* change) {
    TEST_DONE(".",
              "rm -rf '%s/components' && cp -r formats/components '%s' && "
              "sed -i '%s' '%s/components/record.h'",
              folder, folder, change, folder);
}

#define COMPILE                                                                                    \
    "cc -std=c11 -D_POSIX_C_SOURCE=200809L -DENT_BUILD -fsyntax-only -I'%s/components' -Iformats " \
    "-Iformats/base -Iformats/platform -Icompiler/text -Icompiler/types "

/* A row that a table of functions does not serve is a compile error. */
static void kind_or_form_without_functions_is_not_compiled(void** state) {
    static const struct {
        const char *change, *file, *text; /* `text`: an error, or NULL */
    } rows[] = {
        {"", "formats/fields.c", NULL},
        {"", "compiler/types/field_forms.c", NULL},
        {"s/X(i32, \"int32_t\", 1, SIGNED/X(i32, \"int32_t\", 2, SIGNED/", "formats/fields.c",
         "i32: the functions of the form SIGNED do not serve so many words"},
        {"s/X(Quat, \"EntQuat\", 4, UNIT/X(Quat, \"EntQuat\", 3, UNIT/", "formats/fields.c",
         "Quat: the functions of the form UNIT do not serve so many words"},
        {"s/X(BOOL, CHOICE, 1, 1/X(HALF, CHOICE, 1, 1/", "formats/fields.c", "HALF_CODE"},
        {"s/X(BOOL, CHOICE, 1, 1/X(HALF, CHOICE, 1, 1/", "compiler/types/field_forms.c",
         "HALF_COMPILER"},
    };
    const char* folder = test_folder("field_kinds");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        record_h_change(folder, rows[i].change);
        EXPECT(".", rows[i].text ? 1 : 0, rows[i].text ? rows[i].text : "", COMPILE "%s", folder,
               rows[i].file);
    }
}

TEST_SUITE(fields) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(field_kind_is_found_by_its_name_and_by_its_declaration),
        cmocka_unit_test(only_references_have_a_null_value),
        cmocka_unit_test(value_of_each_form_is_printed_as_text_and_as_json),
        cmocka_unit_test(numbers_are_stored_in_words_and_read_back),
        cmocka_unit_test(quaternion_is_valid_within_bounds_and_of_unit_length),
        cmocka_unit_test(bound_that_is_the_same_float_as_that_of_its_kind_is_none),
        cmocka_unit_test(bounds_of_all_words_are_those_of_each_field),
        cmocka_unit_test(record_with_more_words_than_are_compared_at_once_has_no_bounds),
        cmocka_unit_test(zero_has_no_sign_in_bounds),
        cmocka_unit_test(default_of_an_array_is_that_of_each_element),
        cmocka_unit_test(each_element_of_an_array_is_validated),
        cmocka_unit_test(layout_contains_the_number_of_elements),
        cmocka_unit_test(signed_number_is_valid_within_its_bounds),
        cmocka_unit_test(section_is_allowed_only_in_the_resources_of_its_row),
        cmocka_unit_test(kind_or_form_without_functions_is_not_compiled),
    };
    return TEST_RUN("fields", tests);
}
