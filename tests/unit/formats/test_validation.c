/* test_validation.c - the validator, rule by rule: blobs that break exactly one rule. Each rule
 * that no damage of a golden blob breaks alone is here, with the text of its message. Relations
 * between rows are in test_validation_meaning.c. */
#include "test_raw.h"

#include <stdio.h>

#include "hash.h"
#include "material.h"
#include "records.h"
#include "sections.h"

/* --- header and table --- */

static void blob_with_inconsistent_header_is_refused(void** state) {
    Raw raw = raw_begin(RESOURCE_LEVEL, 0);
    UNUSED(state);
    expect_valid(&raw);
    raw.extra_bytes = 4;
    expect_fault(&raw, "header.blob_bytes", "68 is not a multiple of 16");
    raw.extra_bytes = 16;
    expect_fault(&raw, "header.blob_bytes",
                 "the sections end at offset 64, but the blob has 80 bytes");
    for (u32 i = 0; i < COUNT_OF(raw.header.zero); i++) {
        raw = raw_begin(RESOURCE_LEVEL, 0);
        raw.header.zero[i] = 1u << 24;
        expect_fault(&raw, "header.zero", "must be 0");
    }
}

/* The first bytes of a blob, without the rest. */
static void blob_shorter_than_its_header_is_refused(void** state) {
    const Raw raw = raw_begin(RESOURCE_LEVEL, 0);
    Guard     guard;
    Blob      blob;
    BlobFault fault;
    UNUSED(state);
    guard_open(&guard, sizeof raw.header);
    for (u32 size = 0; size < sizeof raw.header; size++) {
        u8* at = memcpy(guard_at(&guard, size), &raw.header, size);
        assert_int_equal(ent_blob_open(&blob, at, size, NULL, &fault),
                         size < 4 ? ENT_NOT_A_BLOB : ENT_TRUNCATED);
        assert_string_equal(fault.field, size < 4 ? "header.magic" : "header");
    }
    guard_close(&guard);
}

/* The sections that a resource may have, written independently. */
static void resource_with_section_of_other_type_is_refused(void** state) {
    static const char* const allowed[RESOURCE_COUNT] = {
        [RESOURCE_ENTITY] = "parent component name_offset name reference reference_name "
                            "declaration declared_field enum_text declaration_text group "
                            "group_name string_offset string spawned spawned_entity ",
        [RESOURCE_LEVEL] = "parent component name_offset name reference reference_name "
                           "declaration declared_field enum_text declaration_text group "
                           "group_name string_offset string spawned spawned_entity ",
        [RESOURCE_MATERIAL] = "material reference reference_name material_texture ",
        [RESOURCE_MESH] = "mesh_bounds mesh_part position normal tangent uv vertex_joints "
                          "vertex_weights index reference reference_name uv_1 color "
                          "vertex_joints_1 vertex_weights_1 morph_target morph_name morph_vertex "
                          "morph_position morph_normal morph_tangent mesh_lod lod_range lod_index ",
        [RESOURCE_SKELETON] = "joint bind name_offset name ",
        [RESOURCE_CLIP] = "clip_info track key_time key_value morph_track morph_time "
                          "morph_weights key_packed clip_event event_name property_track "
                          "property_time property_value ",
        [RESOURCE_COMPONENT] = "declaration declared_field enum_text declaration_text former_name ",
        [RESOURCE_PACKAGE] = "reference reference_name ",
        [RESOURCE_TEXTURE] = "texture texture_level texture_data ",
        [RESOURCE_DATA] = "data "};
    UNUSED(state);
    for (u32 type = 1; type < RESOURCE_COUNT; type++) {
        char   text[512];
        size_t used = 0;
        for (u32 kind = 0; kind < SECTION_KIND_COUNT + 2; kind++) {
            if (!section_allowed(type, kind)) continue;
            used += (size_t)snprintf(text + used, sizeof text - used, "%s ", section_name(kind));
        }
        assert_string_equal(text, allowed[type]);
        const char* suffix = ent_resource_suffix(type);
        assert_int_equal(resource_from_suffix(text_of(suffix)), type);
    }
    assert_string_equal(section_name(SECTION_NONE), "section");
    assert_string_equal(section_name(SECTION_KIND_COUNT), "section");
    assert_null(section_record(SECTION_KIND_COUNT));
    assert_null(section_record(1u << 28)); /* far from the table */
    assert_null(ent_resource_suffix(1u << 28));
    assert_null(section_record(SECTION_NAME));
    assert_null(ent_resource_suffix(RESOURCE_NONE));
    assert_null(ent_resource_suffix(RESOURCE_COUNT));
    assert_int_equal(resource_from_suffix(text_of("none")), RESOURCE_NONE);
    assert_int_equal(resource_from_suffix(text_of("")), RESOURCE_NONE);
}

static void resource_name_that_is_not_canonical_is_refused(void** state) {
    static const char* const valid[] = {"a", "z", "0", "9", "_", "-", "a/b", "a-_9/z0/q"};
    static const char* const invalid[] = {"",  "/", "a/",  "/a",       "a//b", "A", "a.b", "`",
                                          "{", ":", "a b", "\xc3\xa4", "a\\b", "^", "a@",  "."};
    char                     name[257];
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(valid); i++) {
        assert_true(resource_name_is_canonical(text_of(valid[i])));
    }
    for (u32 i = 0; i < COUNT_OF(invalid); i++) {
        if (resource_name_is_canonical(text_of(invalid[i]))) fail_msg("\"%s\"", invalid[i]);
    }
    memset(name, 'a', sizeof name);
    assert_true(resource_name_is_canonical((Text){name, 255}));
    assert_false(resource_name_is_canonical((Text){name, 256}));
}

static void section_table_with_invalid_kind_or_order_is_refused(void** state) {
    static const u32 words[4] = {0, 1, 5, 6};
    Raw              raw = raw_level(2);
    UNUSED(state);
    raw_rows(&raw, SECTION_NONE, words, 1)->column_count = 1;
    expect_fault(&raw, "section[1].kind", "0 is not a kind of section");
    raw = raw_level(2);
    raw_rows(&raw, SECTION_KIND_COUNT, words, 1);
    expect_fault(&raw, "section[1].kind", "is not a kind of section");
    raw = raw_level(2);
    raw_rows(&raw, SECTION_INDEX, words, 1);
    expect_fault(&raw, "section[1].kind",
                 "a resource of type level must not have the section index");

    raw = raw_level(2);
    raw_unknown(&raw, 77, words, 2);
    expect_valid(&raw);
    raw.section[1].identifier = 0;
    expect_fault(&raw, "section[1].identifier", "must not be 0");
    raw = raw_level(2);
    raw.section[0].identifier = 1;
    expect_fault(&raw, "section[0].identifier", "must be 0; only component sections");

    /* Two kinds in the wrong order, the second one a component. */
    raw = raw_begin(RESOURCE_LEVEL, 0);
    raw_rows(&raw, SECTION_GROUP, (GroupRecord[]){{7, 0, 0}}, 1);
    raw_unknown(&raw, 77, words, 2);
    expect_fault(&raw, "section[1].kind", "section component is a duplicate or out of order");
    raw = raw_level(2);
    raw_rows(&raw, SECTION_PARENT, raw_no_parent, 2);
    expect_fault(&raw, "section[1].kind", "section parent is a duplicate or out of order");
    raw = raw_level(2);
    raw_unknown(&raw, 77, words, 2);
    raw_unknown(&raw, 78, words, 2);
    expect_valid(&raw);
    raw_unknown(&raw, 77, words, 2);
    expect_fault(&raw, "section[3].identifier", "duplicate section of component type 0x0000004d");
}

static void section_with_invalid_count_or_stride_is_refused(void** state) {
    static const u32     words[8] = {0, 1, 5, 6};
    const ComponentType* light = &ent_component_types()[COMPONENT_LIGHT];
    const BlobSection    lights = {.kind = SECTION_COMPONENT,
                                   .identifier = light->id,
                                   .layout = light->layout ^ 1,
                                   .count = 1,
                                   .stride = light->record.bytes,
                                   .bytes = 4,
                                   .column_count = 1};
    Raw                  raw = raw_level(2);
    UNUSED(state);
    raw_unknown(&raw, 77, words, 0);
    expect_fault(&raw, "section[1].count", "an empty section must be omitted");
    raw = raw_level(2);
    raw_unknown(&raw, 77, words, 2)->bytes = 17;
    expect_fault(&raw, "section[1].bytes",
                 "is 17; it must be a multiple of 4, and at least 8 for 2 instances");
    raw.section[1].bytes = 4;
    expect_fault(&raw, "section[1].bytes",
                 "is 4; it must be a multiple of 4, and at least 8 for 2 instances");
    raw.section[1].bytes = 8;
    expect_valid(&raw);
    raw = raw_level(2);
    raw_add(&raw, lights, words);
    expect_fault(&raw, "section[1].layout", "the layout of light in this build is");
    raw = raw_level(2);
    raw.section[0].layout ^= 1;
    expect_fault(&raw, "section[0].layout", "the layout of parent in this build is");
    raw = raw_level(2);
    raw.section[0].column_count = 2;
    expect_fault(&raw, "section[0].column_count", "is 2, but must be 1");
    raw = raw_level(2);
    raw.section[0].bytes = 4;
    expect_fault(&raw, "section[0].bytes", "is 4, but 2 rows need 8");
}

static void section_with_invalid_offset_is_refused(void** state) {
    static const u32 words[8] = {0, 1, 5, 6};
    Raw              raw = raw_level(2);
    UNUSED(state);
    raw_unknown(&raw, 77, words, 2);
    raw.last_offset = 16;
    expect_fault(&raw, "section[1].offset", "must be");
    /* The extent of the section is outside the blob, and its counts are consistent. */
    raw = raw_begin(RESOURCE_LEVEL, 2);
    raw_unknown(&raw, 77, words, 2);
    _Alignas(16) u8 bytes[128] = {0};
    raw.section[0].offset = 96;
    raw.section[0].bytes = 64;
    raw.header.blob_bytes = sizeof bytes;
    memcpy(bytes, &raw.header, sizeof raw.header);
    memcpy(bytes + sizeof raw.header, raw.section, sizeof raw.section[0]);
    hash_fix(bytes, sizeof bytes);
    Blob      blob;
    BlobFault fault;
    assert_int_equal(ent_blob_open(&blob, bytes, sizeof bytes, NULL, &fault), ENT_BAD_FIELD);
    assert_string_equal(fault.field, "section[0].bytes");
    assert_non_null(
        strstr(fault.reason,
               "64 bytes at offset 96 extend beyond the end of the blob, which has 128 bytes"));
}

/* --- values --- */

#define OWNERS 5

/* The owners of instances of a type that the validator does not support, of which an entity may
 * have multiple. */
static void instances_of_unknown_type_with_invalid_owner_are_refused(void** state) {
    static const struct {
        u32         owner[OWNERS];
        const char *field, *reason;
    } rows[] = {
        {{0, 1, 1, 2, 2}, NULL, NULL},
        {{0, 1, 2, 3, 3},
         "component[3].entity_index",
         "is not the index of an entity of this blob"},
        {{3, 4, 4, 4, 4},
         "component[0].entity_index",
         "is not the index of an entity of this blob"},
        {{0, 0, 2, 1, 2}, "component[3].entity_index", "must not be less than the index before it"},
        {{0, 2, 1, 1, 2}, "component[2].entity_index", "must not be less than the index before it"},
        {{1, 0, 1, 1, 2}, "component[1].entity_index", "must not be less than the index before it"},
        {{0, 1, 1, 2, 1}, "component[4].entity_index", "must not be less than the index before it"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        u32 words[2 * OWNERS] = {0};
        Raw raw = raw_level(3);
        memcpy(words, rows[i].owner, sizeof rows[i].owner);
        raw_unknown(&raw, 77, words, OWNERS);
        if (!rows[i].field)
            expect_valid(&raw);
        else
            expect_fault(&raw, rows[i].field, rows[i].reason);
    }
    for (u32 owner = 2; owner < 4; owner++) { /* the only instance is the first one */
        const u32 words[2] = {owner, 0};
        Raw       raw = raw_level(3);
        raw_unknown(&raw, 77, words, 1);
        if (owner == 2)
            expect_valid(&raw);
        else
            expect_fault(&raw, "component[0].entity_index",
                         "is not the index of an entity of this blob");
    }
}

/* Instances of a type of the list that is stored as array of structures, and their owners. */
static void raw_records(Raw* raw, const ComponentType* type, const u32* owner, const void* records,
                        u32 count, u8* data) {
    const u32 bytes = (u32)component_section_bytes(type, count);
    assert_int_equal(type->columns, BY_RECORD);
    memset(data, 0, bytes);
    memcpy(data, owner, 4 * count);
    memcpy(data + component_column_start(type, count, 0), records, count * type->record.bytes);
    raw_add(raw,
            (BlobSection){.kind = SECTION_COMPONENT,
                          .identifier = type->id,
                          .layout = type->layout,
                          .count = count,
                          .stride = type->record.bytes,
                          .bytes = bytes,
                          .column_count = 1},
            data);
}

/* Of a type of which an entity has at most one instance. */
static void instances_of_single_type_with_equal_owners_are_refused(void** state) {
    static const struct {
        u32         owner[OWNERS];
        const char *field, *reason;
    } rows[] = {
        {{0, 1, 2, 3, 4}, NULL, NULL},
        {{0, 1, 1, 3, 4}, "camera[2].entity_index", "must be greater than the index before it"},
        {{0, 3, 2, 3, 4}, "camera[2].entity_index", "must be greater than the index before it"},
        {{0, 1, 2, 6, 4}, "camera[3].entity_index", "is not the index of an entity of this blob"},
    };
    const ComponentType* type = &ent_component_types()[COMPONENT_CAMERA];
    UNUSED(state);
    assert_int_equal(type->several, SINGLE);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        u8     data[1024], records[OWNERS * 256];
        Random random = {3};
        Raw    raw = raw_level(6);
        for (u32 k = 0; k < OWNERS; k++) {
            random_record(&random, &type->record, 6, records + k * type->record.bytes);
        }
        raw_records(&raw, type, rows[i].owner, records, OWNERS, data);
        if (!rows[i].field)
            expect_valid(&raw);
        else
            expect_fault(&raw, rows[i].field, rows[i].reason);
    }
}

/* The first invalid row of three is reported, with the reason: a vector comparison finds that a row
 * is invalid, and a scalar one which. */
static void invalid_field_in_any_row_is_reported_with_reason(void** state) {
    MaterialRecord valid, invalid;
    Random         random = {3};
    UNUSED(state);
    random_record(&random, section_record(SECTION_MATERIAL), 0, &valid);
    Raw raw = raw_begin(RESOURCE_MATERIAL, 1);
    raw_rows(&raw, SECTION_MATERIAL, &valid, 1);
    expect_valid(&raw);
    raw.data[0] = &invalid;
    for (u32 i = 0; i < 4; i++) {
        const u32 word[] = {0x7fc00000, 0x7f800000, 0xff800000,
                            0xbf800000}; /* NaN, -+infinity, -1 */
        invalid = valid;
        memcpy(&invalid.roughness, &word[i], 4);
        expect_fault(&raw, "material[0].roughness", i < 3 ? "is not finite" : "is out of range");
    }
    invalid = valid;
    invalid.alpha_mode = MATERIAL_ALPHA_COUNT;
    expect_fault(&raw, "material[0].alpha_mode", "is out of range");
}

/* Properties of a field table alone: kinds that no table of the list has with these bounds. */
static void field_of_each_kind_out_of_range_is_reported(void** state) {
    const u32   refers[3] = {9, 0, 0};
    const Field boolean = {.name = "b", .kind = FIELD_Bool32, .bytes = 4, .hi = 9};
    const Field resource = {.name = "r", .kind = FIELD_ResourceRef, .bytes = 8};
    const Field complete = {.name = "w", .kind = FIELD_u32, .bytes = 4, .lo = 2, .hi = 4};
    const u32   words[] = {0, 1, 2, 3, 4, 5};
    UNUSED(state);
    assert_null(field_fault(&boolean, &words[1]));
    assert_string_equal(field_fault(&boolean, &words[2]), "is out of range");
    assert_int_equal(field_first_fault(&boolean, words, 6, 4), 2);
    assert_null(field_fault(&resource, refers)); /* that is checked by the validator of the blob */
    assert_int_equal(field_first_fault(&resource, refers, 1, 8), 1);
    assert_int_equal(field_first_fault(&complete, words, 6, 4), 0);
    assert_int_equal(field_first_fault(&complete, words + 2, 4, 4), 3);
    assert_int_equal(field_first_fault(&complete, words + 2, 3, 4), 3);
    assert_int_equal(field_first_fault(&complete, words + 1, 2, 8), 0);
    assert_int_equal(field_first_fault(&complete, words + 2, 2, 8), 2);
}

static void required_field_without_default_is_filled_with_none(void** state) {
    const Field fields[] = {
        {.name = "e", .kind = FIELD_EntityRef, .bytes = 4, .required = true},
        {.name = "w", .kind = FIELD_u32, .offset = 4, .bytes = 4, .required = true, .value = {7}},
        {.name = "n", .kind = FIELD_EntityRef, .offset = 8, .bytes = 4, .value = {ALL}},
        {.name = "x", .kind = FIELD_u32, .offset = 12, .bytes = 4, .value = {8}}};
    const RecordType type = {"t", fields, COUNT_OF(fields), 16};
    u32              record[4];
    UNUSED(state);
    record_defaults(&type, record);
    assert_true(record[0] == NONE && record[1] == 7 && record[2] == NONE && record[3] == 8);
}

/* --- names --- */

typedef struct Names {
    u32         count; /* of rows, and of entities */
    u32         offset[4];
    const char* text;
    u32         bytes;
    const char *field, *reason; /* NULL: valid */
} Names;

#define TEXT(string) (string), sizeof(string)

static const Names names[] = {
    {2, {0, 2}, TEXT("a\0bc"), NULL, NULL},
    {2, {0, 2}, TEXT("a\0\xc3\xa4"), NULL, NULL},
    {2, {0, 4}, TEXT("\xe2\x82\xac\0b"), NULL, NULL},
    {2, {0, 1}, TEXT("\0"), NULL, NULL}, /* two empty names */
    {2,
     {0, 2},
     TEXT("a\0b\x1f"),
     "name_offset[1]",
     "contains a character that is not allowed in names"},
    {2,
     {0, 2},
     TEXT("a\0b\x01"),
     "name_offset[1]",
     "contains a character that is not allowed in names"},
    {2,
     {0, 2},
     TEXT("a\0b\x7f"),
     "name_offset[1]",
     "contains a character that is not allowed in names"},
    {2,
     {0, 2},
     TEXT("a\0b/c"),
     "name_offset[1]",
     "contains a character that is not allowed in names"},
    {2,
     {0, 2},
     TEXT("a\0\xc3\xa4/"),
     "name_offset[1]",
     "contains a character that is not allowed in names"},
    {2, {0, 2}, TEXT("a\0b\x80"), "name_offset[1]", "is not valid UTF-8"},
    {2, {0, 2}, TEXT("a\0b\xc3"), "name_offset[1]", "is not valid UTF-8"},
    {2, {0, 2}, "a\0bc", 4, "name_offset[1]", "its name does not end with a NUL"},
    {2, {0, 2}, "a\0bcdefghijklmno", 16, "name_offset[1]", "its name does not end with a NUL"},
    {2, {0, 2}, "a\0b\0c", 5, "name_offset", "there is text after the last name"},
    {2, {0, 2}, TEXT("a\0b\0c"), "name_offset", "there is text after the last name"},
    {2, {0, 2}, TEXT("a\0b\0"), "name_offset", "there is text after the last name"},
    {2, {0, 3}, TEXT("a\0bc"), "name_offset[1]", "does not begin at the end of"},
    {2, {0, 1}, TEXT("a\0bc"), "name_offset[1]", "does not begin at the end of"},
    {2, {0, 0}, TEXT("a\0bc"), "name_offset[1]", "does not begin at the end of"},
    {2, {0, 9}, TEXT("a\0bc"), "name_offset[1]", "does not begin at the end of"},
    {2, {2, 0}, TEXT("a\0bc"), "name_offset[0]", "does not begin at the end of"},
    {2, {1, 2}, TEXT("a\0bc"), "name_offset[0]", "does not begin at the end of"},
    {2, {2, 5}, TEXT("a\0bc\0d"), "name_offset[0]", "does not begin at the end of"},
    {3, {0, 2, 4}, TEXT("a\0bcd"), "name_offset[2]", "does not begin at the end of"},
    {3, {0, 2, 5}, TEXT("a\0bc"), "name_offset[2]", "does not begin at the end of"},
    {3, {0, 2, 5}, TEXT("\xc3\0bc\0"), "name_offset[0]", "is not valid UTF-8"},
};

static void entity_name_that_is_invalid_or_unterminated_is_refused(void** state) {
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(names); i++) {
        const Names* n = &names[i];
        Raw          raw = raw_level(n->count);
        raw_rows(&raw, SECTION_NAME_OFFSET, n->offset, n->count);
        raw_rows(&raw, SECTION_NAME, n->text, n->bytes);
        if (!n->field)
            expect_valid(&raw);
        else
            expect_fault(&raw, n->field, n->reason);
    }
}

/* Names have none of these characters. */
static void string_with_any_character_is_valid(void** state) {
    static const char text[] = "\0a\n\x1f\x7f/b\0\xc3\xa9";
    const u32         offset[] = {0, 1, 8};
    Raw               raw = raw_level(1);
    UNUSED(state);
    raw_rows(&raw, SECTION_STRING_OFFSET, offset, 3);
    raw_rows(&raw, SECTION_STRING, text, sizeof text);
    expect_valid(&raw);
}

/* Groups of one entity each, named "one" and others. */
static Raw groups_begin(GroupRecord* row, const char* const* name, u32 count, char* text) {
    Raw raw = raw_level(count);
    u32 bytes = 0;
    for (u32 i = 0; i < count; i++) {
        row[i] = (GroupRecord){hash_name(text_of(name[i])), i, bytes};
        bytes += (u32)sprintf(text + bytes, "%s", name[i]) + 1;
    }
    raw_rows(&raw, SECTION_GROUP, row, count);
    raw_rows(&raw, SECTION_GROUP_NAME, text, bytes);
    return raw;
}

/* The name of a group is one segment of a path, whether its text is checked in one pass or
 * alone. */
static void group_name_that_is_no_path_segment_is_refused(void** state) {
    static const char* const valid[] = {"one"};
    static const char* const slash[] = {"o/e"};
    static const char* const wide[] = {"\xc3\xa4/e"};
    static const char* const control[] = {"o\x07"};
    static const char* const empty[] = {""};
    GroupRecord              row[2];
    char                     text[64];
    Raw                      raw = groups_begin(row, valid, 1, text);
    UNUSED(state);
    expect_valid(&raw);
    row[0].id ^= 1;
    expect_fault(&raw, "group[0].id", "is not the hash of its name");
    raw = groups_begin(row, slash, 1, text);
    expect_fault(&raw, "group[0]", "contains a character that is not allowed in names");
    raw = groups_begin(row, wide, 1, text);
    expect_fault(&raw, "group[0]", "contains a character that is not allowed in names");
    raw = groups_begin(row, control, 1, text);
    expect_fault(&raw, "group[0]", "contains a character that is not allowed in names");
    raw = groups_begin(row, empty, 1, text);
    row[0].id = 1;
    expect_fault(&raw, "group[0].name", "the name of a group must not be empty");
    raw = raw_level(1);
    row[0] = (GroupRecord){1, 0, 0};
    raw_rows(&raw, SECTION_GROUP, row, 1);
    expect_valid(&raw);
    row[0].id = 0;
    expect_fault(&raw, "group[0].id", "ids must be in strictly ascending order, and not 0");
}

/* The only instance of a group is the last data of the blob. */
static void reference_from_last_instance_into_other_group_is_refused(void** state) {
    const ComponentType* type = &ent_component_types()[COMPONENT_CAMERA];
    const GroupRecord    row[] = {{1, 0, 0}, {2, 1, 0}};
    u8                   data[256];
    CameraRecord         camera;
    UNUSED(state);
    record_defaults(&type->record, &camera);
    for (u32 owner = 0; owner < 2; owner++) {
        for (u32 target = 0; target < 2; target++) {
            Raw raw = raw_level(2);
            camera.target = target;
            raw_records(&raw, type, &owner, &camera, 1, data);
            raw_rows(&raw, SECTION_GROUP, row, 2);
            if (owner == target)
                expect_valid(&raw);
            else
                expect_fault(&raw, "camera[0].target", "of the base or of the same group");
        }
    }
}

/* --- files --- */

static void data_of_another_size_than_the_header_states_is_refused(void** state) {
    static const u8 bytes[5] = {1, 2, 3, 4, 5};
    UNUSED(state);
    for (u32 count = 0; count < 8; count++) {
        Raw raw = raw_begin(RESOURCE_DATA, count);
        raw_rows(&raw, SECTION_DATA, bytes, sizeof bytes);
        if (count == sizeof bytes)
            expect_valid(&raw);
        else
            expect_fault(&raw, "section[0].count", "is 5, but must be");
    }
    Raw raw = raw_begin(RESOURCE_DATA, 5);
    expect_fault(&raw, "header.section_count", "the section data is missing");
    raw = raw_begin(RESOURCE_DATA, 0);
    expect_valid(&raw);
}

/* --- references --- */

static Raw references_begin(ReferenceRecord* row, u32 count, char* text) {
    Raw raw = raw_begin(RESOURCE_PACKAGE, count);
    u32 bytes = 0;
    for (u32 i = 0; i < count; i++) {
        row[i] = (ReferenceRecord){test_reference(i), test_reference_type(i), bytes};
        bytes += (u32)sprintf(text + bytes, "%s", test_reference_name(i)) + 1;
    }
    raw_rows(&raw, SECTION_REFERENCE, row, count);
    raw_rows(&raw, SECTION_REFERENCE_NAME, text, bytes);
    return raw;
}

static void reference_table_with_invalid_row_is_refused(void** state) {
    ReferenceRecord row[3];
    char            text[1024];
    Raw             raw = references_begin(row, 3, text);
    UNUSED(state);
    expect_valid(&raw);
    row[0].id = (ResourceRef){0, 0};
    expect_fault(&raw, "reference[0].id", "ids must be in strictly ascending order, and not 0");
    raw = references_begin(row, 3, text);
    row[1].id = row[0].id;
    expect_fault(&raw, "reference[1].id", "ids must be in strictly ascending order");
    raw = references_begin(row, 3, text);
    row[2].id = row[0].id;
    expect_fault(&raw, "reference[2].id", "ids must be in strictly ascending order");
    raw = references_begin(row, 3, text);
    row[2].type = RESOURCE_COUNT;
    expect_fault(&raw, "reference[2].type", "is not a resource type");
    /* Names of other resources: the text of each row is another one, and the rows are otherwise
     * valid. */
    for (u32 i = 0; i < 3; i++) {
        raw = references_begin(row, 3, text);
        char* first = text + row[i].name;
        *first = *first == 'z' ? 'y' : 'z';
        char field[32];
        snprintf(field, sizeof field, "reference[%u].id", i);
        expect_fault(&raw, field, "is not the hash of its name and type");
    }
}

/* With a table that lacks the resource, with one that has another type for this id, without any. */
static void resource_field_without_row_in_reference_table_is_refused(void** state) {
    const ComponentType* type = &ent_component_types()[COMPONENT_MESH];
    const u32            owner = 0;
    ReferenceRecord      row[TEST_REFERENCES];
    MeshRecord           mesh;
    u8                   data[256];
    char                 text[1024];
    UNUSED(state);
    record_defaults(&type->record, &mesh);
    for (u32 i = 0; i < TEST_REFERENCES; i++) {
        const bool right = test_reference_type(i) == RESOURCE_MESH;
        for (u32 count = 0; count <= TEST_REFERENCES; count++) {
            Raw references = references_begin(row, count, text), raw = raw_level(1);
            mesh.resource = test_reference(i);
            raw_records(&raw, type, &owner, &mesh, 1, data);
            for (u32 k = 0; k < 2 && count; k++) {
                raw_add(&raw, references.section[k], references.data[k]);
            }
            if (i < count && right)
                expect_valid(&raw);
            else
                expect_fault(&raw, "mesh[0].resource",
                             i < count ? "refers to a resource of the wrong type"
                                       : "is not in the table of references");
        }
    }
}

TEST_SUITE(validation) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(blob_with_inconsistent_header_is_refused),
        cmocka_unit_test(blob_shorter_than_its_header_is_refused),
        cmocka_unit_test(resource_with_section_of_other_type_is_refused),
        cmocka_unit_test(resource_name_that_is_not_canonical_is_refused),
        cmocka_unit_test(section_table_with_invalid_kind_or_order_is_refused),
        cmocka_unit_test(section_with_invalid_count_or_stride_is_refused),
        cmocka_unit_test(section_with_invalid_offset_is_refused),
        cmocka_unit_test(instances_of_unknown_type_with_invalid_owner_are_refused),
        cmocka_unit_test(instances_of_single_type_with_equal_owners_are_refused),
        cmocka_unit_test(invalid_field_in_any_row_is_reported_with_reason),
        cmocka_unit_test(field_of_each_kind_out_of_range_is_reported),
        cmocka_unit_test(required_field_without_default_is_filled_with_none),
        cmocka_unit_test(entity_name_that_is_invalid_or_unterminated_is_refused),
        cmocka_unit_test(string_with_any_character_is_valid),
        cmocka_unit_test(group_name_that_is_no_path_segment_is_refused),
        cmocka_unit_test(reference_from_last_instance_into_other_group_is_refused),
        cmocka_unit_test(data_of_another_size_than_the_header_states_is_refused),
        cmocka_unit_test(reference_table_with_invalid_row_is_refused),
        cmocka_unit_test(resource_field_without_row_in_reference_table_is_refused),
    };
    return TEST_RUN("validation", tests);
}
