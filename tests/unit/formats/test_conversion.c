/* test_conversion.c - conversion of instances whose type has more enum texts than a plan stores. */
#include "test_worlds_support.h"

#include <stdio.h>

#include "conversion.h"
#include "sections.h"

#define TEXTS 200u

static const char* text[TEXTS + 1];

/* Two enums, the numbers of which are one lower in the older type. */
static ComponentType enums_type(Field field[2], u32 first) {
    for (u32 i = 0; i < 2; i++) {
        field[i] = (Field){.name = i ? "b" : "a",
                           .kind = FIELD_Enum32,
                           .offset = 4 * i,
                           .bytes = 4,
                           .texts = text + first,
                           .text_count = TEXTS,
                           .unit = "",
                           .text = ""};
        field_fix(&field[i]);
    }
    ComponentType type = {.record = {"it", field, 2, 8}, .columns = BY_FIELD, .lookup = HASHED};
    ent_component_type_finish(&type);
    return type;
}

static void second_enum_behind_256_texts_is_converted_by_its_own_texts(void** state) {
    static char       name[TEXTS + 1][8];
    static Field      old_field[2], new_field[2];
    static Conversion plan;
    u32               owner[2] = {0, 1}, a[2] = {5, 7}, b[2] = {9, TEXTS - 1};
    u32               to_owner[2], to_a[2], to_b[2];
    UNUSED(state);
    for (u32 i = 0; i <= TEXTS; i++) {
        snprintf(name[i], sizeof name[i], "t%u", i);
        text[i] = name[i];
    }
    const ComponentType old = enums_type(old_field, 1), now = enums_type(new_field, 0);
    ConversionRows      from = {.count = 2, .owner = owner, .column = {(u8*)a, (u8*)b}};
    ConversionRows      to = {.count = 2, .owner = to_owner, .column = {(u8*)to_a, (u8*)to_b}};
    conversion_plan(&plan, &old, &now);
    assert_null(conversion_run(&plan, &from, &to));
    assert_int_equal(to_a[0], 6);
    assert_int_equal(to_a[1], 8);
    assert_int_equal(to_b[0], 10);
    assert_int_equal(to_b[1], 0); /* "t200" does not exist any more: the default stays */
    assert_int_equal(plan.field[1].changed, 1);
}

TEST_SUITE(conversion) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(second_enum_behind_256_texts_is_converted_by_its_own_texts),
    };
    return TEST_RUN("conversion", tests);
}
