/* test_declaration.c - what a declaration may contain, rule by rule, and the field table that is
 * created from it. */
#include "test_raw.h"

#include <stdio.h>
#include <stdlib.h>

#include "declaration.h"
#include "hash.h"
#include "sections.h"

/* --- names and texts --- */

static void declaration_name_that_is_no_identifier_is_refused(void** state) {
    static const char* const both[] = {"a", "z", "a0", "a_b", "a_9", "q_w_e_r"};
    static const char* const enums[] = {"0", "9", "2nd", "9_z"};
    static const char* const neither[] = {
        "",    "_",   "_a",  "a_",  "a__b", "A", "aA", "Aa", "a-b",      "a b",      "a{b",
        "a`b", "a/b", "a:b", "a.b", "{",    "`", "/",  ":",  "\xc3\xa4", "a\xc3\xa4"};
    char name[DECLARATION_NAME_MAX + 1];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(both); i++) {
        assert_true(name_is_identifier(text_of(both[i])));
        assert_true(name_is_enum_text(text_of(both[i])));
    }
    for (u32 i = 0; i < COUNT_OF(enums); i++) {
        assert_false(name_is_identifier(text_of(enums[i])));
        assert_true(name_is_enum_text(text_of(enums[i])));
    }
    for (u32 i = 0; i < COUNT_OF(neither); i++) {
        if (name_is_identifier(text_of(neither[i]))) fail_msg("\"%s\"", neither[i]);
        if (name_is_enum_text(text_of(neither[i]))) fail_msg("\"%s\"", neither[i]);
    }
    memset(name, 'a', sizeof name);
    assert_false(name_is_enum_text((Text){name + 1, 0})); /* whatever is adjacent in memory */
    assert_true(name_is_enum_text((Text){name, DECLARATION_NAME_MAX}));
    assert_false(name_is_enum_text((Text){name, DECLARATION_NAME_MAX + 1}));
}

static void declaration_text_of_more_than_one_line_is_refused(void** state) {
    static const char* const valid[] = {"", " ", "~", "what it is", "\xc3\xa4\xe2\x82\xac"};
    static const char* const invalid[] = {"\n", "a\x1f", "a\x7f", "\x01", "\xc3", "a\x80"};
    char                     text[DECLARATION_CONTENT_MAX + 1];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(valid); i++) assert_true(text_is_one_line(text_of(valid[i])));
    for (u32 i = 0; i < COUNT_OF(invalid); i++) assert_false(text_is_one_line(text_of(invalid[i])));
    memset(text, 'a', sizeof text);
    assert_true(text_is_one_line((Text){text, DECLARATION_CONTENT_MAX}));
    assert_false(text_is_one_line((Text){text, DECLARATION_CONTENT_MAX + 1}));
}

/* --- a declaration of one or two fields --- */

typedef struct Built {
    DeclarationRecord   declaration;
    DeclaredFieldRecord field[5];
    EnumTextRecord      enum_text[40];
    char                text[1024];
    u32                 text_bytes, enum_texts;
} Built;

static u32 text_put(Built* m, const char* text) {
    const u32 at = m->text_bytes;
    m->text_bytes += (u32)snprintf(m->text + at, sizeof m->text - at, "%s", text) + 1;
    return at;
}

/* Texts in their order: "it", then "f0", "u", "t" and enum texts "e0", "e1" .. of each field. */
static Built built_of(const DeclaredFieldRecord* field, u32 count) {
    Built m = {.declaration = {.several = 1, .field_count = count}};
    m.declaration.name = text_put(&m, "it");
    m.declaration.text = text_put(&m, "what it is");
    for (u32 i = 0; i < count; i++) {
        char name[16];
        snprintf(name, sizeof name, "f%u", i);
        m.field[i] = field[i];
        m.field[i].name = text_put(&m, name);
        m.field[i].unit = text_put(&m, "u");
        m.field[i].text = text_put(&m, "t");
        m.field[i].first_text = field[i].text_count ? m.enum_texts : 0;
        for (u32 k = 0; k < field[i].text_count; k++) {
            snprintf(name, sizeof name, "e%u", k);
            m.enum_text[m.enum_texts++].text = text_put(&m, name);
        }
    }
    return m;
}

/* The ids that follow from the rest. */
static void ids_put(Built* m, u32 count) {
    u64 hash = 0;
    for (u32 i = 0; i < count; i++) {
        static const char* const   kinds[] = {"f32",       "Vec2",    "Vec3",        "Vec4",
                                              "Quat",      "u32",     "Bool32",      "Enum32",
                                              "EntityRef", "NameRef", "ResourceRef", "PersistentRef",
                                              "i32",       "Flags32", "TextRef"};
        const DeclaredFieldRecord* f = &m->field[i];
        const char*                kind = kinds[f->kind];
        hash = hash_bytes(m->text + f->name, strlen(m->text + f->name) + 1, hash);
        hash = hash_bytes(kind, strlen(kind) + 1, hash);
        if (f->array) {
            char elements[16];
            hash = hash_bytes(
                elements, (size_t)snprintf(elements, sizeof elements, "[%u]", f->array) + 1, hash);
        }
        for (u32 k = 0; k < f->text_count; k++) {
            const char* text = m->text + m->enum_text[f->first_text + k].text;
            hash = hash_bytes(text, strlen(text) + 1, hash);
        }
    }
    m->declaration.id = hash_name(text_of(m->text + m->declaration.name));
    m->declaration.layout = ((u32)hash & 0x7fffffffu) | 0x80000000u;
}

static Raw declaration_raw(const Built* m, u32 count) {
    Raw raw = raw_begin(RESOURCE_COMPONENT, count);
    raw_rows(&raw, SECTION_DECLARATION, &m->declaration, 1);
    raw_rows(&raw, SECTION_DECLARED_FIELD, m->field, count);
    if (m->enum_texts) raw_rows(&raw, SECTION_ENUM_TEXT, m->enum_text, m->enum_texts);
    raw_rows(&raw, SECTION_DECLARATION_TEXT, m->text, m->text_bytes);
    return raw;
}

/* --- fields --- */

/* Bounds and default of every kind, with and without a default, as in the field table. */
static void declared_field_of_each_kind_has_its_bounds_in_field_table(void** state) {
    static const struct {
        DeclaredFieldRecord field;
        f64                 lo, hi, value;
    } rows[] = {
        {{.kind = FIELD_f32, .lowest = -1, .highest = 9, .value = {2, 0, 0, 0}}, -1, 9, 2},
        {{.kind = FIELD_Vec3, .lowest = -1, .highest = 9, .value = {2, 3, 4, 0}}, -1, 9, 2},
        {{.kind = FIELD_u32, .least = 1, .most = 9, .word = 3}, 1, 9, 3},
        {{.kind = FIELD_u32, .required = 1, .least = 1, .most = 9}, 1, 9, 0},
        {{.kind = FIELD_Bool32, .word = 1}, 0, 1, 1},
        {{.kind = FIELD_Enum32, .text_count = 3, .word = 2}, 0, 2, 2},
        {{.kind = FIELD_EntityRef}, 0, ALL, ALL},
        {{.kind = FIELD_EntityRef, .required = 1}, 0, ALL, 0},
        {{.kind = FIELD_NameRef}, 0, ALL, 0},
        {{.kind = FIELD_NameRef, .required = 1}, 1, ALL, 0},
        {{.kind = FIELD_PersistentRef}, 0, ID31, 0},
        {{.kind = FIELD_PersistentRef, .required = 1}, 1, ID31, 0},
        {{.kind = FIELD_ResourceRef, .refers_to = RESOURCE_MESH}, 0, 0, 0},
        {{.kind = FIELD_ResourceRef, .refers_to = RESOURCE_MESH, .required = 1}, 0, 0, 0},
        {{.kind = FIELD_u32, .required = 1, .most = 9}, 0, 9, 0},
        {{.kind = FIELD_f32, .required = 1, .lowest = 1, .highest = 2}, 1, 2, 0},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        _Alignas(16) u8 memory[2048];
        Built           m = built_of(&rows[i].field, 1);
        Blob            blob;
        ids_put(&m, 1);
        Raw raw = declaration_raw(&m, 1);
        expect_valid(&raw);
        blob = raw_blob(&raw);
        assert_true(ent_component_type_bytes(&blob) <= sizeof memory);
        const ComponentType type = ent_component_type_open(&blob, memory);
        const Field*        f = &type.record.fields[0];
        assert_true(f->lo == rows[i].lo && f->hi == rows[i].hi && f->value[0] == rows[i].value);
        assert_int_equal(f->required, rows[i].field.required);
        assert_int_equal(f->text_count, rows[i].field.text_count);
        assert_true((f->texts != NULL) == (f->text_count > 0));
        assert_int_equal(type.several, SEVERAL);
    }
}

static void declared_type_without_several_is_single(void** state) {
    _Alignas(16) u8           memory[2048];
    const DeclaredFieldRecord field = {.kind = FIELD_Bool32};
    Built                     m = built_of(&field, 1);
    UNUSED(state);
    m.declaration.several = 0;
    ids_put(&m, 1);
    Raw raw = declaration_raw(&m, 1);
    expect_valid(&raw);
    const Blob blob = raw_blob(&raw);
    assert_int_equal(ent_component_type_open(&blob, memory).several, SINGLE);
    raw = raw_begin(RESOURCE_LEVEL, 0);
    expect_valid(&raw);
    const Blob level = raw_blob(&raw);
    assert_int_equal(ent_component_type_bytes(&level), 0);
}

static const struct {
    DeclaredFieldRecord field;
    const char *        member, *reason;
} broken_fields[] = {
    {{.kind = FIELD_f32, .lowest = 2, .highest = 1, .required = 1},
     "lowest",
     "must not be greater than"},
    {{.kind = FIELD_f32, .highest = 1, .value = {2, 0, 0, 0}}, "value", "is out of range"},
    {{.kind = FIELD_f32, .highest = 1, .value = {1, 1, 0, 0}}, "value", "does not use must be 0"},
    {{.kind = FIELD_Vec3, .highest = 1, .value = {1, 1, 1, 1}}, "value", "does not use must be 0"},
    {{.kind = FIELD_Vec3, .highest = 1, .value = {1, 1, 1, -0.0f}},
     "value",
     "does not use must be 0"},
    {{.kind = FIELD_f32, .highest = 1, .value = {1, 0, 0, 0}, .required = 1},
     "value",
     "does not use must be 0"},
    {{.kind = FIELD_Quat, .lowest = -1, .highest = 2, .value = {0, 0, 0, 1}}, "lowest", "-1 and 1"},
    {{.kind = FIELD_Quat, .lowest = -2, .highest = 1, .value = {0, 0, 0, 1}}, "lowest", "-1 and 1"},
    {{.kind = FIELD_Quat, .lowest = -1, .highest = 1, .value = {0, 0, 0, 0}}, "value", "unit"},
    {{.kind = FIELD_f32, .word = 1}, "word", "is not a valid default"},
    {{.kind = FIELD_i32, .least = (u32)-5, .most = 5, .word = (u32)-6},
     "word",
     "is not a valid default"},
    {{.kind = FIELD_i32, .least = 5, .most = (u32)-5, .word = 0}, "least", "must not be greater"},
    {{.kind = FIELD_Flags32, .text_count = 3, .word = 8}, "word", "is not a valid default"},
    {{.kind = FIELD_Flags32, .text_count = 3, .array = 2}, "array", "and 0 for flags"},
    {{.kind = FIELD_Flags32, .text_count = 0}, "text_count", "must be at least 1"},
    {{.kind = FIELD_Flags32, .text_count = 33}, "text_count", "must be at most 32 for flags"},
    {{.kind = FIELD_u32, .most = 9, .array = 1}, "array", "must be 0 or 2 to 16"},
    {{.kind = FIELD_TextRef, .word = 1}, "word", "is not a valid default"},
    {{.kind = FIELD_EntityRef, .word = 1}, "word", "is not a valid default"},
    {{.kind = FIELD_ResourceRef, .refers_to = RESOURCE_MESH, .word = 1},
     "word",
     "is not a valid default"},
    {{.kind = FIELD_u32, .most = 9, .required = 1, .word = 1}, "word", "is not a valid default"},
    {{.kind = FIELD_u32, .least = 2, .most = 9, .word = 1}, "word", "is not a valid default"},
    {{.kind = FIELD_u32, .least = 2, .most = 9, .word = 10}, "word", "is not a valid default"},
    {{.kind = FIELD_u32, .least = 9, .most = 2, .required = 1},
     "least",
     "must not be greater than"},
    {{.kind = FIELD_Bool32, .word = 2}, "word", "is not a valid default"},
    {{.kind = FIELD_Enum32, .text_count = 2, .word = 2}, "word", "is not a valid default"},
    {{.kind = FIELD_Bool32, .least = 1, .most = 1, .word = 1},
     "least",
     "must be 0 for fields that are not u32"},
    {{.kind = FIELD_Bool32, .most = 1}, "least", "must be 0 for fields that are not u32"},
    {{.kind = FIELD_Bool32, .least = 1}, "least", "must be 0 for fields that are not u32"},
    {{.kind = FIELD_f32, .most = 1}, "least", "must be 0 for fields that are not u32"},
    {{.kind = FIELD_u32, .value = {1, 0, 0, 0}}, "value", "must be 0 for fields without floats"},
    {{.kind = FIELD_NameRef, .value = {0, 0, 0, 1}},
     "value",
     "must be 0 for fields without floats"},
    {{.kind = FIELD_u32, .lowest = 1}, "lowest", "must be 0 for fields without floats"},
    {{.kind = FIELD_u32, .highest = 1}, "lowest", "must be 0 for fields without floats"},
    {{.kind = FIELD_ResourceRef}, "refers_to", "must be a type for a ResourceRef"},
    {{.kind = FIELD_u32, .refers_to = RESOURCE_MESH},
     "refers_to",
     "must be a type for a ResourceRef"},
};

/* A declaration whose only field breaks one rule, with the ids that follow from it. */
static void declared_field_that_breaks_one_rule_is_refused(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(broken_fields); i++) {
        char  field[48];
        Built m = built_of(&broken_fields[i].field, 1);
        ids_put(&m, 1);
        Raw raw = declaration_raw(&m, 1);
        snprintf(field, sizeof field, "declared_field[0].%s", broken_fields[i].member);
        expect_fault(&raw, field, broken_fields[i].reason);
    }
}

static void declared_fields_of_more_than_1024_bytes_are_refused(void** state) {
    const DeclaredFieldRecord large = {.kind = FIELD_Vec4, .array = 16, .highest = 1};
    const DeclaredFieldRecord all[] = {large, large, large, large, {.kind = FIELD_Bool32}};
    UNUSED(state);
    for (u32 count = 4; count <= 5; count++) {
        Built m = built_of(all, count);
        ids_put(&m, count);
        Raw raw = declaration_raw(&m, count);
        if (count == 4)
            expect_valid(&raw);
        else
            expect_fault(&raw, "declared_field[0].array", "more than 1024 bytes in total");
    }
}

/* --- texts --- */

static const DeclaredFieldRecord two_enums[] = {{.kind = FIELD_Enum32, .text_count = 2},
                                                {.kind = FIELD_Enum32, .text_count = 2}};

static void expect_built_fault(Built* m, const char* field, const char* reason) {
    ids_put(m, 2);
    Raw raw = declaration_raw(m, 2);
    expect_fault(&raw, field, reason);
}

static void declaration_with_texts_out_of_order_is_refused(void** state) {
    Built m = built_of(two_enums, 2);
    UNUSED(state);
    ids_put(&m, 2);
    Raw raw = declaration_raw(&m, 2);
    expect_valid(&raw);
    m.declaration.id ^= 1;
    expect_fault(&raw, "declaration[0].id", "is not the hash of the name");
    ids_put(&m, 2);
    m.declaration.layout ^= 1;
    expect_fault(&raw, "declaration[0].layout", "is not the layout hash of the fields");
    ids_put(&m, 2);
    m.declaration.layout &= ~LAYOUT_BY_FIELD;
    expect_fault(&raw, "declaration[0].layout", "must be that of a structure of arrays");

    m = built_of(two_enums, 2);
    m.text[0] = '_';
    expect_built_fault(&m, "declaration[0].name", "must begin with a-z");
    m = built_of(two_enums, 2);
    m.text[m.declaration.text] = '\n';
    expect_built_fault(&m, "declaration[0].text", "must be one line of UTF-8");
    m = built_of(two_enums, 2);
    m.text[m.field[1].name + 1] = '0'; /* "f0" again */
    expect_built_fault(&m, "declared_field[1].name",
                       "is a duplicate; the names of fields must be unique");
    m = built_of(two_enums, 2);
    m.text[m.field[1].name] = '1';
    expect_built_fault(&m, "declared_field[1].name", "must begin with a-z");
    m = built_of(two_enums, 2);
    m.text[m.field[1].unit] = '\t';
    expect_built_fault(&m, "declared_field[1].unit", "must be one line of UTF-8");
    m = built_of(two_enums, 2);
    m.text[m.field[1].text] = '\t';
    expect_built_fault(&m, "declared_field[1].text", "must be one line of UTF-8");
    m = built_of(two_enums, 2);
    m.text[m.enum_text[3].text] = 'E';
    expect_built_fault(&m, "enum_text[3].text", "must contain only a-z");
    m = built_of(two_enums, 2);
    m.text[m.enum_text[3].text + 1] = '0';
    expect_built_fault(&m, "enum_text[3].text",
                       "is a duplicate; the texts of an enum must be unique");
}

static void declaration_with_unused_or_shared_text_is_refused(void** state) {
    Built m = built_of(two_enums, 2);
    UNUSED(state);
    m.enum_text[m.enum_texts++].text = text_put(&m, "more");
    expect_built_fault(&m, "enum_text[4]", "belongs to no enum");
    m = built_of(two_enums, 2);
    text_put(&m, "more");
    expect_built_fault(&m, "declaration_text[0]",
                       "there is text after the last name or description");
    m = built_of(two_enums, 2);
    m.field[1].first_text = 1;
    expect_built_fault(&m, "declared_field[1].first_text", "must be the end of the previous enum");
    m = built_of(two_enums, 2);
    m.enum_texts = 3;
    expect_built_fault(&m, "declared_field[1].text_count", "exceeds the number of enum texts");
    m = built_of(two_enums, 2);
    m.field[1].kind = FIELD_Bool32;
    expect_built_fault(&m, "declared_field[1].text_count", "must be at least 1 for an enum");
    m = built_of(two_enums, 2);
    m.field[1].text_count = 0;
    expect_built_fault(&m, "declared_field[1].text_count", "must be at least 1 for an enum");
    m = built_of(two_enums, 2);
    m.field[0].unit++;
    expect_built_fault(&m, "declared_field[0].unit", "does not begin at the end of");
    m = built_of(two_enums, 2);
    ids_put(&m, 2);
    m.field[1].name++;
    Raw raw = declaration_raw(&m, 2);
    expect_fault(&raw, "declared_field[1].name", "does not begin at the end of");
    m.field[1].name = 1u << 30; /* far from the blob, where nothing can be read */
    expect_fault(&raw, "declared_field[1].name", "does not begin at the end of");
    m = built_of(two_enums, 2);
    ids_put(&m, 2);
    m.enum_text[3].text = 1u << 30;
    expect_fault(&raw, "enum_text[3].text", "does not begin at the end of");
    m = built_of(two_enums, 2);
    m.text_bytes--; /* the last text is not terminated */
    ids_put(&m, 2);
    raw = declaration_raw(&m, 2);
    expect_fault(&raw, "enum_text[3].text", "does not end with a NUL");
    m.text_bytes = m.enum_text[3].text; /* and does not begin */
    raw = declaration_raw(&m, 2);
    expect_fault(&raw, "enum_text[3].text", "does not begin at the end of");
}

TEST_SUITE(declaration) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declaration_name_that_is_no_identifier_is_refused),
        cmocka_unit_test(declaration_text_of_more_than_one_line_is_refused),
        cmocka_unit_test(declared_field_of_each_kind_has_its_bounds_in_field_table),
        cmocka_unit_test(declared_type_without_several_is_single),
        cmocka_unit_test(declared_field_that_breaks_one_rule_is_refused),
        cmocka_unit_test(declared_fields_of_more_than_1024_bytes_are_refused),
        cmocka_unit_test(declaration_with_texts_out_of_order_is_refused),
        cmocka_unit_test(declaration_with_unused_or_shared_text_is_refused),
    };
    return TEST_RUN("declaration", tests);
}
