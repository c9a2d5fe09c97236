/* test_declared_limits.c - the limits of declarations inside of levels: enum texts and fields of each
 * declaration, however many declarations there are. */
#include <stdio.h>

#include "sections.h"
#include "test_raw.h"

#define TYPES_MAX  3u
#define FIELDS_MAX (COMPONENT_COLUMNS_MAX + 1)
#define TEXTS_MAX  600u

/* Types whose fields have so many enum texts each, and a level that has an instance of each type. */
typedef struct DeclaringLevel {
    Field               fields[TYPES_MAX][FIELDS_MAX];
    char                names[TYPES_MAX][4], field_names[FIELDS_MAX][4], texts[TEXTS_MAX][5];
    const char*         text[TEXTS_MAX];
    ComponentType       type[TYPES_MAX];
    u32                 rows[4 + 4 * FIELDS_MAX]; /* of entity 0, and zeros */
    DeclarationRecord   declaration[TYPES_MAX];
    DeclaredFieldRecord field[TYPES_MAX * FIELDS_MAX];
    EnumTextRecord      enum_text[TEXTS_MAX];
    char                bytes[RAW_BYTES_MAX];
} DeclaringLevel;

/*   texts  [field_count] how many each field has */
static void type_make(DeclaringLevel* l, u32 index, const u32* texts, u32 field_count) {
    ComponentType* type = &l->type[index];
    snprintf(l->names[index], sizeof l->names[index], "c%u", index);
    for (u32 i = 0; i < field_count; i++) {
        snprintf(l->field_names[i], sizeof l->field_names[i], "f%u", i);
        l->fields[index][i] = (Field){.name = l->field_names[i],
                                      .kind = texts[i] ? FIELD_Enum32 : FIELD_u32,
                                      .offset = 4 * i,
                                      .bytes = 4,
                                      .unit = "",
                                      .texts = l->text,
                                      .text_count = texts[i],
                                      .text = ""};
        field_fix(&l->fields[index][i]);
    }
    *type =
        (ComponentType){.record = {l->names[index], l->fields[index], field_count, 4 * field_count},
                        .columns = BY_RECORD,
                        .lookup = HASHED};
    ent_component_type_finish(type);
    type->columns = BY_FIELD; /* also of more fields than such a type may have */
    type->layout |= LAYOUT_BY_FIELD;
}

/* Every type has the same fields. */
static Raw level_raw(u32 types, const u32* texts, u32 field_count) {
    static DeclaringLevel l;
    const ComponentType*  type[TYPES_MAX];
    Raw                   raw = raw_level(1);
    memset(&l, 0, sizeof l);
    for (u32 i = 0; i < TEXTS_MAX; i++) {
        snprintf(l.texts[i], sizeof l.texts[i], "t%u", i);
        l.text[i] = l.texts[i];
    }
    for (u32 i = 0; i < types; i++) {
        type_make(&l, i, texts, field_count);
        type[i] = &l.type[i];
        raw_add(&raw,
                (BlobSection){.kind = SECTION_COMPONENT,
                              .identifier = type[i]->id,
                              .layout = type[i]->layout,
                              .count = 1,
                              .stride = type[i]->record.bytes,
                              .bytes = (u32)component_section_bytes(type[i], 1),
                              .column_count = field_count},
                l.rows);
    }
    const DeclarationSizes sizes = declarations_measure(type, types, NULL);
    const DeclarationRows  rows = {l.declaration, l.field, l.enum_text, NULL, l.bytes};
    assert_true(sizes.enum_texts <= TEXTS_MAX && sizes.text_bytes <= sizeof l.bytes);
    declarations_fill(type, types, NULL, &rows);
    raw_rows(&raw, SECTION_DECLARATION, l.declaration, sizes.declarations);
    raw_rows(&raw, SECTION_DECLARED_FIELD, l.field, sizes.fields);
    if (sizes.enum_texts) raw_rows(&raw, SECTION_ENUM_TEXT, l.enum_text, sizes.enum_texts);
    raw_rows(&raw, SECTION_DECLARATION_TEXT, l.bytes, sizes.text_bytes);
    return raw;
}

static void declarations_with_more_texts_in_total_than_one_may_have_are_valid(void** state) {
    static const u32 texts[] = {100, 80};
    UNUSED(state);
    Raw raw = level_raw(3, texts, COUNT_OF(texts));
    expect_valid(&raw);
    Blob             blob = raw_blob(&raw);
    DeclarationParts part;
    for (u32 i = 0; i < 3; i++) {
        _Alignas(16) u8 memory[8192];
        assert_true(declaration_of_section(&blob, &blob.section[1 + i], &part));
        assert_true(declared_type_bytes(&part) <= sizeof memory);
        const ComponentType type = declared_type_open(&part, memory);
        assert_int_equal(type.record.fields[1].text_count, 80);
        assert_string_equal(type.record.fields[1].texts[79], "t79");
    }
}

static void declaration_with_as_many_texts_as_the_limit_is_valid(void** state) {
    static const u32 one[] = {DECLARATION_TEXTS_MAX}, two[] = {DECLARATION_TEXTS_MAX - 1, 1};
    UNUSED(state);
    Raw raw = level_raw(2, one, COUNT_OF(one));
    expect_valid(&raw);
    raw = level_raw(2, two, COUNT_OF(two));
    expect_valid(&raw);
}

static void declaration_with_more_texts_than_the_limit_in_all_fields_is_refused(void** state) {
    static const u32 two[] = {DECLARATION_TEXTS_MAX, 1}, halves[] = {130, 130}, one[] = {257};
    UNUSED(state);
    Raw raw = level_raw(1, two, COUNT_OF(two));
    expect_fault(&raw, "declared_field[1].text_count", "at most 256 enum texts in total");
    raw = level_raw(2, halves, COUNT_OF(halves));
    expect_fault(&raw, "declared_field[1].text_count", "at most 256 enum texts in total");
    raw = level_raw(1, one, COUNT_OF(one));
    expect_fault(&raw, "declared_field[0].text_count", "is out of range");
}

static void declaration_in_a_level_with_too_many_fields_is_refused(void** state) {
    static const u32 texts[FIELDS_MAX] = {0};
    UNUSED(state);
    Raw raw = level_raw(2, texts, COMPONENT_COLUMNS_MAX);
    expect_valid(&raw);
    raw = level_raw(2, texts, FIELDS_MAX);
    expect_fault(&raw, "declaration[0].field_count", "must be 1 to 16");
}

/* Fields that no declaration counts, or that a declaration counts and that are not there. */
static void declared_fields_are_those_that_the_declarations_count(void** state) {
    static const u32    texts[] = {0, 0};
    DeclarationRecord   counted[2];
    DeclaredFieldRecord field[8];
    UNUSED(state);
    Raw raw = level_raw(2, texts, COUNT_OF(texts));
    expect_valid(&raw);
    memcpy(counted, raw.data[3], sizeof counted);
    memcpy(field, raw.data[4], 4 * sizeof *field);
    field[4] = field[3];
    raw.data[4] = field, raw.section[4].count = 5;
    raw.section[4].bytes = 5 * (u32)sizeof *field;
    expect_fault(&raw, "declared_field[4]", "belongs to no declaration");
    raw.section[4].count = 3, raw.section[4].bytes = 3 * (u32)sizeof *field;
    expect_fault(&raw, "declaration[1].field_count", "exceeds the number of declared fields");
    raw.section[4].count = 4, raw.section[4].bytes = 4 * (u32)sizeof *field;
    raw.data[3] = counted;
    counted[0].field_count = 0;
    expect_fault(&raw, "declaration[0].field_count", "is out of range");
}

/* Two rows for one section. */
static void declaration_of_the_section_of_the_previous_one_is_refused(void** state) {
    static const u32    texts[] = {0};
    DeclarationRecord   twice[2];
    DeclaredFieldRecord field[2];
    UNUSED(state);
    Raw raw = level_raw(1, texts, COUNT_OF(texts));
    expect_valid(&raw);
    twice[0] = twice[1] = *(const DeclarationRecord*)raw.data[2];
    field[0] = field[1] = *(const DeclaredFieldRecord*)raw.data[3];
    raw.data[2] = twice, raw.section[2].count = 2, raw.section[2].bytes *= 2;
    raw.data[3] = field, raw.section[3].count = 2, raw.section[3].bytes *= 2;
    expect_fault(&raw, "declaration[1].id", "no component section behind that of the previous");
}

/* A type that is read from a level has a copy of its own texts only. */
static void declaration_of_a_level_needs_memory_for_its_own_texts(void** state) {
    static const u32 texts[] = {100};
    size_t           bytes[2];
    UNUSED(state);
    for (u32 types = 1; types <= 2; types++) {
        DeclarationParts part;
        Raw              raw = level_raw(types == 1 ? 1 : 3, texts, COUNT_OF(texts));
        Blob             blob = raw_blob(&raw);
        assert_true(declaration_of_section(&blob, &blob.section[1], &part));
        bytes[types - 1] = declared_type_bytes(&part);
    }
    assert_int_equal(bytes[0], bytes[1]);
}

/* --- older names --- */

/*   was  [count] older names of the component "it", which has a field "f" */
static Raw former_raw(const FormerName* was, u32 count) {
    static Field               field[2];
    static ComponentType       type;
    static char                bytes[RAW_BYTES_MAX];
    static FormerNameRecord    former[DECLARATION_FORMER_MAX + 1];
    static DeclarationRecord   declaration;
    static DeclaredFieldRecord fields[2];
    static EnumTextRecord      enum_text[4];
    static const char* const   text[] = {"on", "off"};
    const ComponentType*       types = &type;
    field[0] = (Field){.name = "f", .kind = FIELD_Enum32, .bytes = 4, .unit = "", .text = ""};
    field[0].texts = text, field[0].text_count = 2;
    field_fix(&field[0]);
    field[1] = field[0];
    field[1].name = "g", field[1].offset = 4;
    type = (ComponentType){.record = {"it", field, 2, 8},
                           .columns = BY_FIELD,
                           .lookup = HASHED,
                           .was = was,
                           .was_count = count};
    ent_component_type_finish(&type);
    const DeclarationSizes sizes = declarations_measure(&types, 1, "");
    const DeclarationRows  rows = {&declaration, fields, enum_text, former, bytes};
    assert_true(count <= COUNT_OF(former) && sizes.text_bytes <= sizeof bytes);
    declarations_fill(&types, 1, "", &rows);
    Raw raw = raw_begin(RESOURCE_COMPONENT, 2);
    raw_rows(&raw, SECTION_DECLARATION, &declaration, 1);
    raw_rows(&raw, SECTION_DECLARED_FIELD, fields, 2);
    raw_rows(&raw, SECTION_ENUM_TEXT, enum_text, 4);
    raw_rows(&raw, SECTION_DECLARATION_TEXT, bytes, sizes.text_bytes);
    if (count) raw_rows(&raw, SECTION_FORMER_NAME, former, count);
    return raw;
}

static void older_name_that_is_a_duplicate_of_its_kind_is_refused(void** state) {
    static const struct {
        FormerName  was[3];
        const char *member, *reason; /* of the fault of the third; NULL: all are valid */
    } rows[] = {
        {{{"a", NONE, NONE}, {"b", NONE, NONE}, {"c", NONE, 0}},
         "field",
         "a component has no texts"},
        {{{"a", 0, NONE}, {"b", 0, NONE}, {"c", NONE, 1}}, "field", "a component has no texts"},
        {{{"a", 0, NONE}, {"b", 0, NONE}, {"c", 2, NONE}}, "field", "is not the index of a field"},
        {{{"a", 0, NONE}, {"b", 0, NONE}, {"c", 0, 2}}, "field", "is not the number of a text"},
        {{{"a", NONE, NONE}, {"b", NONE, NONE}, {"it", NONE, NONE}},
         "name",
         "the declaration has now"},
        {{{"f", NONE, NONE}, {"on", 0, NONE}, {"f", 0, 1}}, NULL, NULL},
        {{{"a", NONE, NONE}, {"it", 0, NONE}, {"1a", 0, 1}}, NULL, NULL},
        {{{"a", NONE, NONE}, {"b", 0, NONE}, {"1a", 0, NONE}}, "name", "must contain only a-z"},
        {{{"a", NONE, NONE}, {"b", 0, NONE}, {"a b", 0, 1}}, "name", "must contain only a-z"},
        {{{"a", NONE, NONE}, {"b", NONE, NONE}, {"a", NONE, NONE}}, "name", "is a duplicate"},
        {{{"a", NONE, NONE}, {"a", 0, NONE}, {"b", 1, NONE}}, NULL, NULL},
        {{{"a", 0, NONE}, {"b", 0, NONE}, {"a", 1, NONE}}, "name", "is a duplicate"},
        {{{"a", 0, 0}, {"b", 0, 0}, {"a", 0, 1}}, "name", "is a duplicate"},
        {{{"a", 0, NONE}, {"a", 0, 1}, {"a", 1, 1}}, NULL, NULL},
        {{{"a", 0, NONE}, {"a", 0, 1}, {"off", 1, 0}},
         "name",
         "is a name that the declaration has now"},
        {{{"a", 0, NONE}, {"b", 0, NONE}, {"g", 0, NONE}},
         "name",
         "is a name that the declaration has now"},
        {{{"a", 1, NONE}, {"b", 1, NONE}, {"c", 0, NONE}},
         "field",
         "in the order of fields and texts"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char field[24];
        Raw  raw = former_raw(rows[i].was, 3);
        if (!rows[i].reason) {
            expect_valid(&raw);
            continue;
        }
        snprintf(field, sizeof field, "former_name[2].%s", rows[i].member);
        expect_fault(&raw, field, rows[i].reason);
    }
}

static void older_name_that_does_not_follow_the_texts_before_is_refused(void** state) {
    static const FormerName was[] = {{"a", 0, NONE}, {"b", 0, NONE}};
    static const i32        moved[] = {-1, 1, 1 << 20, INT32_MIN};
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(moved); i++) {
        Raw              raw = former_raw(was, COUNT_OF(was));
        FormerNameRecord former[2];
        memcpy(former, raw.data[4], sizeof former);
        raw.data[4] = former;
        expect_valid(&raw);
        former[1].name += (u32)moved[i];
        expect_fault(&raw, "former_name[1].name", "end of the previous text");
    }
}

static void more_older_names_than_the_limit_are_refused(void** state) {
    static char       name[DECLARATION_FORMER_MAX + 1][4];
    static FormerName was[DECLARATION_FORMER_MAX + 1];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(was); i++) {
        name[i][0] = 'a';
        name[i][1] = (char)('a' + i % 26), name[i][2] = (char)('a' + i / 26 % 26);
        was[i] = (FormerName){name[i], i < 600 ? 0 : 1, NONE};
        name[i][0] = (char)('a' + i / 26 / 26);
    }
    Raw raw = former_raw(was, DECLARATION_FORMER_MAX);
    expect_valid(&raw);
    raw = former_raw(was, DECLARATION_FORMER_MAX + 1);
    expect_fault(&raw, "former_name[1024].name", "at most 1024 older names");
}

TEST_SUITE(declared_limits) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(declarations_with_more_texts_in_total_than_one_may_have_are_valid),
        cmocka_unit_test(declaration_with_as_many_texts_as_the_limit_is_valid),
        cmocka_unit_test(declaration_with_more_texts_than_the_limit_in_all_fields_is_refused),
        cmocka_unit_test(declaration_in_a_level_with_too_many_fields_is_refused),
        cmocka_unit_test(declared_fields_are_those_that_the_declarations_count),
        cmocka_unit_test(declaration_of_the_section_of_the_previous_one_is_refused),
        cmocka_unit_test(declaration_of_a_level_needs_memory_for_its_own_texts),
        cmocka_unit_test(older_name_that_is_a_duplicate_of_its_kind_is_refused),
        cmocka_unit_test(older_name_that_does_not_follow_the_texts_before_is_refused),
        cmocka_unit_test(more_older_names_than_the_limit_are_refused),
    };
    return TEST_RUN("declared_limits", tests);
}
