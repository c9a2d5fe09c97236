/* test_conversion.c - conversion of instances: random pairs of types against a plain model, and types with more enum texts
 * than a plan stores. */
#include "test_worlds_support.h"

#include <math.h>
#include <stdio.h>

#include "conversion.h"
#include "fields.h"
#include "hash.h"
#include "sections.h"

#define TEXTS 200u

static const char* enum_text[TEXTS + 1];

/* Two enums, the numbers of which are one lower in the older type. */
static ComponentType enums_type(Field field[2], u32 first) {
    for (u32 i = 0; i < 2; i++) {
        field[i] = (Field){.name = i ? "b" : "a",
                           .kind = FIELD_Enum32,
                           .offset = 4 * i,
                           .bytes = 4,
                           .texts = enum_text + first,
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
        enum_text[i] = name[i];
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

/* --- random pairs of types --- */

#define FIELDS      6u
#define TEXTS_MAX   3000u /* more than a declaration may have with its older names */
#define OLDER_MAX   1500u
#define ROWS        12u
#define WORDS_MAX   12u
#define NAMES_COUNT 4000u

typedef struct Side {
    Field         field[FIELDS];
    const char*   texts[FIELDS][TEXTS_MAX];
    FormerName    was[OLDER_MAX];
    u32           was_count;
    ComponentType type;
    u32           words[ROWS][FIELDS * WORDS_MAX]; /* of records */
} Side;

static char            names[NAMES_COUNT][8];
static Side            older, newer;
static const FieldKind kinds[] = {FIELD_f32,    FIELD_Vec2,    FIELD_Vec3,      FIELD_u32,
                                  FIELD_i32,    FIELD_Bool32,  FIELD_Enum32,    FIELD_Flags32,
                                  FIELD_Enum32, FIELD_NameRef, FIELD_EntityRef, FIELD_ResourceRef};

static u32 words_of(FieldKind kind) {
    return kind == FIELD_Vec2 || kind == FIELD_ResourceRef ? 2 : kind == FIELD_Vec3 ? 3 : 1;
}

static bool counts(FieldKind kind) {
    return kind <= FIELD_Vec3 || kind == FIELD_u32 || kind == FIELD_i32;
}
static bool chooses(FieldKind kind) { return kind == FIELD_Enum32 || kind == FIELD_Flags32; }

/* Texts of a field: of a host, there may be more than in a declaration. */
static void texts_random(Random* r, Side* side, u32 i) {
    static const u32 enums[] = {1, 3, 40, 300, TEXTS_MAX};
    Field*           f = &side->field[i];
    const bool       flags = f->kind == FIELD_Flags32;
    f->text_count = flags ? 1 + random_below(r, 32) : enums[random_below(r, COUNT_OF(enums))];
    f->texts = side->texts[i];
    const u32 first = random_below(r, 40), step = 1 + 2 * random_below(r, 3);
    for (u32 t = 0; t < f->text_count;
         t++) /* NAMES_COUNT and the step have no common factor but 5 */
        side->texts[i][t] = names[(first + (step == 5 ? 3 : step) * t) % NAMES_COUNT];
    if (!flags) f->value[0] = random_below(r, f->text_count);
}

static void bounds_random(Random* r, Field* f) {
    if (f->kind == FIELD_u32)
        f->lo = (const f64[]){0, 3, 16777217}[random_below(r, 3)],
        f->hi = f->lo + (const f64[]){0, 3, 4e9}[random_below(r, 3)];
    else if (f->kind == FIELD_i32)
        f->lo = -(f64)random_below(r, 9), f->hi = random_below(r, 9);
    else
        f->lo = -0.3 * random_below(r, 9), f->hi = 0.7 * random_below(r, 9);
    for (u32 w = 0; w < words_of(f->kind); w++)
        f->value[w] = f->required ? 0 : random_below(r, 2) ? f->lo : f->hi;
}

static void side_random(Random* r, Side* side, bool is_new) {
    const u32 columns = random_below(r, 2);
    u32       bytes = 0;
    memset(side, 0, sizeof *side);
    for (u32 i = 0; i < FIELDS; i++) {
        Field*    f = &side->field[i];
        const u32 elements = random_below(r, 3) ? 1 : 2 + random_below(r, 3);
        f->kind = kinds[random_below(r, COUNT_OF(kinds))];
        f->name = names[is_new || random_below(r, 3) ? i : 100 + i]; /* the same, or an older one */
        f->offset = bytes;
        f->bytes = 4 * words_of(f->kind) * (f->kind == FIELD_Flags32 ? 1 : elements);
        f->unit = f->text = "";
        f->required = f->kind != FIELD_EntityRef && random_below(r, 2) == 0;
        if (chooses(f->kind)) texts_random(r, side, i);
        if (f->kind == FIELD_ResourceRef)
            f->refers_to = random_below(r, 2) ? RESOURCE_MESH : RESOURCE_LEVEL;
        if (counts(f->kind)) bounds_random(r, f);
        if (f->required) f->value[0] = 0;
        field_fix(f);
        bytes += f->bytes;
    }
    side->type = (ComponentType){.record = {"it", side->field, FIELDS, bytes},
                                 .columns = columns ? BY_FIELD : BY_RECORD,
                                 .several = random_below(r, 2) ? SEVERAL : SINGLE,
                                 .lookup = HASHED};
}

/* Older names of fields and of texts, and of the component, in any order. */
static void older_random(Random* r, Side* side) {
    const bool many = random_below(r, 4) == 0;
    for (u32 i = 0; i < FIELDS; i++) {
        FormerName* was = side->was;
        if (random_below(r, 3)) was[side->was_count++] = (FormerName){names[100 + i], i, NONE};
        const Field* f = &side->field[i];
        const u32    texts = f->text_count ? random_below(r, many ? 200 : 6) : 0;
        for (u32 t = 0; t < texts; t++)
            was[side->was_count++] = (FormerName){names[random_below(r, NAMES_COUNT)], i,
                                                  random_below(r, f->text_count)};
        if (random_below(r, 4) == 0) was[side->was_count++] = (FormerName){names[i], NONE, NONE};
    }
    side->type.was = side->was, side->type.was_count = side->was_count;
    assert_true(side->was_count <= OLDER_MAX);
}

static void word_random(Random* r, const Field* f, u32* word) {
    const f32 bound =
        (f32)(random_below(r, 2) ? 0.7 * random_below(r, 9) : -0.3 * random_below(r, 9));
    const f32 number = random_below(r, 2) ? random_float(r, -9, 9) : bound;
    if (f->kind <= FIELD_Vec3)
        memcpy(word, &number, 4);
    else if (f->kind == FIELD_i32)
        *word = random_below(r, 19) - 9;
    else if (f->kind == FIELD_Enum32)
        *word = random_below(r, f->text_count);
    else if (f->kind == FIELD_Flags32)
        *word = random_next(r) & (u32)((1ull << f->text_count) - 1);
    else if (f->kind == FIELD_Bool32)
        *word = random_below(r, 2);
    else if (f->kind == FIELD_u32 && random_below(r, 4) == 0)
        *word = 16777217; /* no 32-bit float */
    else
        *word = random_below(r, 3) ? random_below(r, 7) : random_next(r);
}

/* --- the model --- */

static const Field* source_of(const Field* to, u32 index) {
    for (u32 i = 0; i < FIELDS; i++)
        if (strcmp(older.field[i].name, to->name) == 0) return &older.field[i];
    for (u32 k = 0; k < newer.was_count; k++) {
        if (newer.was[k].field != index || newer.was[k].text != NONE) continue;
        for (u32 i = 0; i < FIELDS; i++)
            if (strcmp(older.field[i].name, newer.was[k].name) == 0) return &older.field[i];
    }
    return NULL;
}

static bool may_become(const Field* from, const Field* to) {
    const bool numbers = counts(from->kind) || from->kind == FIELD_Bool32;
    if (numbers) return counts(to->kind) || to->kind == FIELD_Bool32;
    if (from->kind == FIELD_Enum32) return chooses(to->kind);
    return from->kind == to->kind && from->refers_to == to->refers_to;
}

/* The number of a text in the new field, or NONE. */
static u32 text_now(const Field* to, u32 index, const char* name) {
    for (u32 t = 0; t < to->text_count; t++)
        if (strcmp(to->texts[t], name) == 0) return t;
    for (u32 k = 0; k < newer.was_count; k++) {
        const FormerName* was = &newer.was[k];
        if (was->field == index && was->text != NONE && strcmp(was->name, name) == 0)
            return was->text;
    }
    return NONE;
}

static u32 number_now(const Field* from, const Field* to, u32 word) {
    f32 real;
    memcpy(&real, &word, 4);
    f64       x = from->kind <= FIELD_Vec3  ? (f64)real
                  : from->kind == FIELD_i32 ? (f64)(i32)word
                                            : (f64)word;
    const f64 lo = to->kind == FIELD_Bool32 ? 0 : to->lo,
              hi = to->kind == FIELD_Bool32 ? 1 : to->hi;
    if (to->kind <= FIELD_Vec3) {
        real = (f32)x;
        real = real < (f32)lo ? (f32)lo : real > (f32)hi ? (f32)hi : real;
        memcpy(&word, &real, 4);
        return word;
    }
    x = floor(x + 0.5);
    x = x < lo ? lo : x > hi ? hi : x;
    return to->kind == FIELD_i32 ? (u32)(i32)x : (u32)x;
}

static u32 choice_now(const Field* from, const Field* to, u32 index, u32 word, u32 usual) {
    if (from->kind == FIELD_Enum32) {
        const u32 text = text_now(to, index, from->texts[word]);
        return text == NONE ? usual : to->kind == FIELD_Flags32 ? 1u << text : text;
    }
    u32 flags = 0;
    for (u32 i = 0; i < from->text_count; i++) {
        const u32 text = word >> i & 1 ? text_now(to, index, from->texts[i]) : NONE;
        if (text != NONE) flags |= 1u << text;
    }
    return flags;
}

static f64 number_of(const Field* f, u32 word) {
    f32 real;
    memcpy(&real, &word, 4);
    return f->kind <= FIELD_Vec3 ? (f64)real : f->kind == FIELD_i32 ? (f64)(i32)word : (f64)word;
}

/* Was something of a value lost? */
static bool is_changed(const Field* from, const Field* to, u32 index, u32 was, u32 now) {
    if (counts(from->kind) || from->kind == FIELD_Bool32)
        return number_of(from, was) != number_of(to, now);
    if (from->kind == FIELD_Enum32) return text_now(to, index, from->texts[was]) == NONE;
    bool changed = false;
    for (u32 i = 0; from->kind == FIELD_Flags32 && i < from->text_count; i++)
        changed |= (was >> i & 1) && text_now(to, index, from->texts[i]) == NONE;
    return changed;
}

/* What a field of one instance becomes. Returns the number of its elements that changed. */
static u32 field_now(const Field* to, u32 index, u32 row, u32* out) {
    const Field* from = source_of(to, index);
    const u32    words = words_of(to->kind), elements = to->bytes / 4 / words;
    record_defaults(&(RecordType){"",
                                  &(Field){.kind = to->kind,
                                           .bytes = to->bytes,
                                           .required = to->required,
                                           .value = {to->value[0], to->value[1], to->value[2], 0},
                                           .unit = ""},
                                  1, to->bytes},
                    out);
    if (!from || !may_become(from, to)) return 0;
    u32       changed = 0;
    const u32 from_words = words_of(from->kind), from_elements = from->bytes / 4 / from_words;
    for (u32 e = 0; e < MIN_OF(elements, from_elements); e++) {
        bool is_other = false;
        for (u32 w = 0; w < MIN_OF(words, from_words); w++) {
            const u32 word = older.words[row][from->offset / 4 + e * from_words + w];
            u32*      at = &out[e * words + w];
            if (chooses(from->kind))
                *at = choice_now(from, to, index, word, *at);
            else if (counts(from->kind) || from->kind == FIELD_Bool32)
                *at = number_now(from, to, word);
            else
                *at = word;
            is_other |= is_changed(from, to, index, word, *at);
        }
        changed += is_other;
    }
    return changed;
}

/* Columns of a side in memory, filled from its records. */
static void columns_make(Side* side, u32* memory, ConversionRows* rows) {
    const RecordType* record = &side->type.record;
    rows->column[0] = (u8*)memory;
    if (side->type.columns == BY_RECORD) {
        for (u32 i = 0; i < ROWS; i++)
            memcpy((u8*)memory + i * record->bytes, side->words[i], record->bytes);
        return;
    }
    for (u32 k = 0, at = 0; k < FIELDS; k++) {
        const Field* f = &side->field[k];
        rows->column[k] = (u8*)memory + at;
        for (u32 i = 0; i < ROWS; i++)
            memcpy(rows->column[k] + i * f->bytes, (u8*)side->words[i] + f->offset, f->bytes);
        at += ROWS * f->bytes;
    }
}

static const u8* word_at(const Side* side, const ConversionRows* rows, u32 field, u32 row) {
    const Field* f = &side->field[field];
    return side->type.columns == BY_FIELD
               ? rows->column[field] + row * f->bytes
               : rows->column[0] + row * side->type.record.bytes + f->offset;
}

/* Is a required value none, or not valid? */
static bool is_missing(const Field* f, const u32* value) {
    const u32 words = words_of(f->kind);
    bool      missing = false;
    for (u32 e = 0; e < f->bytes / 4 / words; e++) {
        bool null = true, low = false;
        for (u32 w = 0; w < words; w++) {
            f32       real;
            const u32 word = value[e * words + w];
            memcpy(&real, &word, 4);
            null &= word == 0;
            if (f->kind <= FIELD_Vec3) low |= real < (f32)f->lo || real > (f32)f->hi;
            if (f->kind == FIELD_u32) low |= word < f->lo || word > f->hi;
            if (f->kind == FIELD_i32) low |= (i32)word < f->lo || (i32)word > f->hi;
        }
        const bool link = f->kind == FIELD_NameRef || f->kind == FIELD_ResourceRef;
        missing |= low || (link && null);
    }
    return f->required && missing;
}

/* Compares what was converted with the model; returns the first field of which a value is missing. */
static const Field* rows_compare(const Conversion* plan, const ConversionRows* to, const u32* owner,
                                 u32 round) {
    const Field* missing = NULL;
    for (u32 k = 0; k < FIELDS; k++) {
        const Field* f = &newer.field[k];
        const Field* source = source_of(f, k); /* without one: conversion_fault */
        const bool   is_converted = source && may_become(source, f);
        u32          row = 0, changed = 0;
        for (u32 i = 0; i < ROWS; i++) {
            u32 want[WORDS_MAX];
            if (newer.type.several == SINGLE && i && owner[i] == owner[i - 1]) continue;
            changed += field_now(f, k, i, want);
            if (memcmp(word_at(&newer, to, k, row), want, f->bytes) != 0)
                fail_msg("round %u, field %u, row %u", round, k, row);
            assert_int_equal(to->owner[row], owner[i]);
            if (!missing && is_converted && is_missing(f, want)) missing = f;
            row++;
        }
        assert_int_equal(to->count, row);
        assert_int_equal(plan->field[k].changed, changed);
    }
    return missing;
}

static void any_type_is_converted_as_a_plain_model_does(void** state) {
    static Conversion plan;
    static u32        from_memory[ROWS * FIELDS * WORDS_MAX], to_memory[ROWS * FIELDS * WORDS_MAX];
    Random            r = {test_seed("conversion", 6)};
    UNUSED(state);
    for (u32 i = 0; i < NAMES_COUNT; i++) snprintf(names[i], sizeof names[i], "n%u", i);
    for (u32 round = 0; round < 400; round++) {
        u32 owner[ROWS], to_owner[ROWS];
        side_random(&r, &older, false);
        side_random(&r, &newer, true);
        older_random(&r, &newer);
        ent_component_type_finish(&older.type);
        ent_component_type_finish(&newer.type);
        for (u32 i = 0; i < ROWS; i++) {
            owner[i] = i / 2 + (i > 6);
            for (u32 k = 0; k < FIELDS; k++)
                for (u32 w = 0; w < older.field[k].bytes / 4; w++)
                    word_random(&r, &older.field[k],
                                &older.words[i][older.field[k].offset / 4 + w]);
        }
        ConversionRows from = {.count = ROWS, .owner = owner}, to = {.owner = to_owner};
        columns_make(&older, from_memory, &from);
        columns_make(&newer, to_memory, &to);
        conversion_plan(&plan, &older.type, &newer.type);
        const Field* unfilled = NULL;
        for (u32 k = FIELDS; k-- > 0;) {
            const Field* source = source_of(&newer.field[k], k);
            if (newer.field[k].required && !(source && may_become(source, &newer.field[k])))
                unfilled = &newer.field[k];
        }
        assert_ptr_equal(conversion_fault(&plan), unfilled);
        const Field* missing = conversion_run(&plan, &from, &to);
        assert_ptr_equal(missing, rows_compare(&plan, &to, owner, round));
        for (u32 i = 0; i < FIELDS; i++) {
            bool is_former = false;
            for (u32 k = 0; k < newer.was_count; k++)
                is_former |= newer.was[k].field == NONE && newer.was[k].name == names[i];
            assert_int_equal(conversion_is_former(&newer.type, hash_name(text_of(names[i]))),
                             is_former);
        }
    }
}

/* Two fields of which the only instance has no value: the first one is returned. */
static void first_of_several_missing_fields_is_returned(void** state) {
    static Conversion plan;
    const Field       required[] = {
              {.name = "a", .kind = FIELD_Bool32, .bytes = 4, .unit = ""},
              {.name = "b", .kind = FIELD_NameRef, .offset = 4, .bytes = 4, .required = 1, .unit = ""},
              {.name = "c", .kind = FIELD_NameRef, .offset = 8, .bytes = 4, .required = 1, .unit = ""}};
    const ComponentType  type = {.record = {"it", required, 3, 12}, .columns = BY_RECORD};
    u32                  owner = 0, words[3] = {1, 0, 0}, to_owner, to_words[3];
    const ConversionRows from = {.count = 1, .owner = &owner, .column = {(u8*)words}};
    ConversionRows       to = {.count = 1, .owner = &to_owner, .column = {(u8*)to_words}};
    UNUSED(state);
    conversion_plan(&plan, &type, &type);
    assert_ptr_equal(conversion_run(&plan, &from, &to), &required[1]);
}

/* A field had the name that one of its texts had too. */
static void older_name_of_a_field_is_no_text(void** state) {
    static const char* const few[] = {"x", "y"};
    static const FormerName  was[] = {{"z", 0, NONE}, {"z", 1, 0}, {"z", 0, 1}, {"text", 0, 1}};
    static const char*       many[TEXTS_MAX];
    static char              name[TEXTS_MAX][8];
    UNUSED(state);
    for (u32 i = 0; i < TEXTS_MAX; i++)
        snprintf(name[i], sizeof name[i], "m%u", i), many[i] = name[i];
    for (u32 large = 0; large < 2; large++) {
        const Field       field = {.name = "f",
                                   .kind = FIELD_Enum32,
                                   .bytes = 4,
                                   .texts = large ? many : few,
                                   .text_count = large ? TEXTS_MAX : 2,
                                   .unit = ""};
        const char* const old[] = {"z", "none"};
        const Field       from = {.kind = FIELD_Enum32, .bytes = 4, .texts = old, .text_count = 2};
        const ComponentType to = {.record = {"it", &field, 1, 4}, .was = was, .was_count = 4};
        u16                 target[2];
        conversion_texts(&to, 0, &from, target);
        assert_int_equal(target[0], 1);
        assert_int_equal(target[1], CONVERSION_NO_TEXT);
        const Field text_field = {.name = "text", .kind = FIELD_Enum32, .bytes = 4, .unit = ""};
        const ComponentType before = {.record = {"it", &text_field, 1, 4}};
        assert_int_equal(conversion_source(&before, &to, 0), NONE);
    }
}

TEST_SUITE(conversion) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(older_name_of_a_field_is_no_text),
        cmocka_unit_test(first_of_several_missing_fields_is_returned),
        cmocka_unit_test(any_type_is_converted_as_a_plain_model_does),
        cmocka_unit_test(second_enum_behind_256_texts_is_converted_by_its_own_texts),
    };
    return TEST_RUN("conversion", tests);
}
