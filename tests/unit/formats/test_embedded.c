/* test_embedded.c - declarations and strings inside of levels: what the validator refuses. */
#include "declare_write.h"
#include "sections.h"
#include "test_raw.h"

static const Field pair_fields[] = {
    {.name = "a", .kind = FIELD_u32, .bytes = 4, .hi = ALL, .unit = "", .text = ""},
    {.name = "b",
     .kind = FIELD_TextRef,
     .offset = 4,
     .bytes = 4,
     .hi = ALL,
     .unit = "",
     .text = ""}};

typedef struct Declaring {
    u32                 owner[4], a[4], b[4]; /* one instance, and the padding of its columns */
    DeclarationRecord   declaration;
    DeclaredFieldRecord field[2];
    char                text[64];
    u32                 text_bytes;
    u32                 offset[3];
    char                string[8];
} Declaring;

static ComponentType pair_type(void) {
    ComponentType type = {
        .record = {"pair", pair_fields, 2, 8}, .columns = BY_FIELD, .lookup = HASHED};
    ent_component_type_finish(&type);
    return type;
}

static Declaring level_built(void) {
    const ComponentType    type = pair_type(), *types = &type;
    const DeclarationSizes sizes = declarations_measure(&types, 1, NULL);
    Declaring              l = {.b = {1}, .offset = {0, 1, 3}, .string = "\0x\0yz"};
    const DeclarationRows  rows = {&l.declaration, l.field, NULL, NULL, l.text};
    declarations_fill(&types, 1, NULL, &rows);
    l.text_bytes = sizes.text_bytes;
    return l;
}

static Raw level_raw(const Declaring* l) {
    const u32 entities = 1;
    Raw       raw = raw_begin(RESOURCE_LEVEL, entities);
    raw_rows(&raw, SECTION_PARENT, raw_no_parent, entities);
    raw_add(&raw,
            (BlobSection){.kind = SECTION_COMPONENT,
                          .identifier = pair_type().id,
                          .layout = pair_type().layout,
                          .count = 1,
                          .stride = 8,
                          .bytes = 36,
                          .column_count = 2},
            l);
    raw_rows(&raw, SECTION_DECLARATION, &l->declaration, 1);
    raw_rows(&raw, SECTION_DECLARED_FIELD, l->field, 2);
    raw_rows(&raw, SECTION_DECLARATION_TEXT, l->text, l->text_bytes);
    raw_rows(&raw, SECTION_STRING_OFFSET, l->offset, 3);
    raw_rows(&raw, SECTION_STRING, l->string, 6);
    return raw;
}

static void level_with_its_declarations_and_strings_is_valid(void** state) {
    const Declaring l = level_built();
    Raw             raw = level_raw(&l);
    UNUSED(state);
    expect_valid(&raw);
}

static void declaration_of_no_section_of_the_level_is_refused(void** state) {
    Declaring l = level_built();
    UNUSED(state);
    l.declaration.layout ^= 1;
    Raw raw = level_raw(&l);
    expect_fault(&raw, "declaration[0].id", "no component section");
}

static void declaration_with_other_number_of_fields_is_refused(void** state) {
    Declaring l = level_built();
    UNUSED(state);
    l.declaration.field_count = 3;
    Raw raw = level_raw(&l);
    expect_fault(&raw, "declaration[0].field_count", "exceeds");
    l.declaration.field_count = 1;
    raw = level_raw(&l);
    expect_fault(&raw, "declaration[0].layout", "is not the layout hash");
}

static void strings_that_are_empty_or_out_of_order_are_refused(void** state) {
    Declaring l = level_built();
    UNUSED(state);
    l.string[0] = 'a';
    Raw raw = level_raw(&l);
    expect_fault(&raw, "string_offset[1]", "does not begin at the end");
    l = level_built();
    l.string[1] = 0;
    raw = level_raw(&l);
    expect_fault(&raw, "string_offset[2]", "does not begin at the end");
    l = level_built();
    l.string[3] = (char)0xff;
    raw = level_raw(&l);
    expect_fault(&raw, "string_offset[2]", "is not valid UTF-8");
}

TEST_SUITE(embedded) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(level_with_its_declarations_and_strings_is_valid),
        cmocka_unit_test(declaration_of_no_section_of_the_level_is_refused),
        cmocka_unit_test(declaration_with_other_number_of_fields_is_refused),
        cmocka_unit_test(strings_that_are_empty_or_out_of_order_are_refused),
    };
    return TEST_RUN("embedded", tests);
}
