/* test_saved_types.c - saves whose component types have changed, where the type is not declared by a
 * project: types of the library, saves without declarations, and what a world and entc report. */
#include <stdio.h>
#include <stdlib.h>

#include "blob_write_internal.h"
#include "collider_plane.h"
#include "sections.h"
#include "snapshot.h"
#include "spawn.h"
#include "test_worlds_support.h"
#include "rows.h"
#include "world.h"

static char logged[2000];

static void log_append(void* user, LogLevel level, const char* text) {
    UNUSED(user);
    if (level != LOG_INFO)
        snprintf(logged + strlen(logged), sizeof logged - strlen(logged), "%s\n", text);
}

static World* world_logging(void) {
    const WorldDesc desc = {.log = {log_append, NULL}};
    World*          world;
    *logged = 0;
    assert_int_equal(ent_world_create(&world, &desc), ENT_OK);
    return world;
}

typedef struct Written {
    void*  at;
    size_t size;
} Written;

/* The blob refers to a declaration with the name of the type, as if a project had declared it. */
static void reference_write(BlobWriter* w, const ComponentType* type) {
    const char*      name = type->record.name;
    ReferenceRecord* record = blob_write_section(w, SECTION_REFERENCE, 1);
    char*            text = blob_write_section(w, SECTION_REFERENCE_NAME, strlen(name) + 1);
    if (!text) return;
    record->id = ent_resource_ref(name, RESOURCE_COMPONENT);
    record->type = RESOURCE_COMPONENT;
    memcpy(text, name, strlen(name) + 1);
}

static void instance_write(BlobWriter* w, const ComponentType* type) {
    u8* section = blob_write_component(w, type, 1);
    if (!section) return;
    *(u32*)(void*)section = 0;
    record_defaults(&type->record, section + component_column_start(type, 1, 0));
}

/* A level with one entity and one instance, with default values, and one of a second type, unless that
 * is NULL, which is never declared. */
static void level_walk(BlobWriter* w, void* bytes, u32 sections, const ComponentType* type,
                       bool declared, const ComponentType* second) {
    const DeclarationSizes sizes = declarations_measure(&type, declared, NULL);
    DeclarationRows        rows;
    blob_write_begin(w, bytes, sections);
    u32* parent = blob_write_section(w, SECTION_PARENT, 1);
    if (parent) *parent = NONE;
    instance_write(w, type);
    if (second) instance_write(w, second);
    if (declared) reference_write(w, type);
    rows.declaration = blob_write_section(w, SECTION_DECLARATION, sizes.declarations);
    rows.field = blob_write_section(w, SECTION_DECLARED_FIELD, sizes.fields);
    rows.enum_text = blob_write_section(w, SECTION_ENUM_TEXT, sizes.enum_texts);
    rows.text = blob_write_section(w, SECTION_DECLARATION_TEXT, sizes.text_bytes);
    if (rows.text) declarations_fill(&type, 1, NULL, &rows);
}

static Written level_written_with(const ComponentType* type, bool declared,
                                  const ComponentType* second) {
    BlobWriter w;
    Written    written;
    level_walk(&w, NULL, 0, type, declared, second);
    written.size = (size_t)blob_write_size(&w);
    written.at = memory_alloc(written.size);
    level_walk(&w, written.at, w.section_count, type, declared, second);
    written.size =
        (size_t)blob_write_finish(&w, RESOURCE_LEVEL, ent_resource_ref("a", RESOURCE_LEVEL), 1);
    return written;
}

static Written level_written(const ComponentType* type, bool declared) {
    return level_written_with(type, declared, NULL);
}

/* "camera" as an older library had it: fewer fields, in another order. */
static ComponentType older_camera(Field field[2]) {
    const ComponentType* now = &ent_component_types()[COMPONENT_CAMERA];
    u32                  bytes = 0;
    for (u32 i = 0; i < 2; i++) {
        field[i] = now->record.fields[now->record.field_count - 1 - i];
        field[i].offset = bytes;
        bytes += field[i].bytes;
    }
    ComponentType type = *now;
    type.record = (RecordType){"camera", field, 2, bytes};
    ent_component_type_finish(&type);
    assert_true(type.id == now->id && type.layout != now->layout);
    return type;
}

static void save_with_an_older_built_in_type_is_converted(void** state) {
    Field               field[2];
    const ComponentType older = older_camera(field);
    const Written       save = level_written(&older, true);
    World*              world = world_logging();
    BlobFault           fault;
    Blob                blob;
    u32                 expected[RECORD_ARRAY_MAX * 16];
    UNUSED(state);
    assert_int_equal(ent_blob_open(&blob, save.at, save.size, NULL, &fault), ENT_OK);
    assert_int_equal(ent_blob_validate(&blob, &ent_component_types()[COMPONENT_CAMERA], &fault),
                     ENT_BAD_FIELD);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    assert_string_equal(logged, "");
    const CameraRows rows = ent_camera_rows(world);
    assert_int_equal(rows.count, 1);
    const RecordType* record = &ent_component_types()[COMPONENT_CAMERA].record;
    record_defaults(record, expected);
    for (u32 f = 0; f < record->field_count; f++) {
        if (field_form(&record->fields[f]) == FORM_ENTITY)
            expected[record->fields[f].offset / 4] = ENTITY_NULL;
    }
    assert_memory_equal(rows.record, expected, sizeof *rows.record);
    ent_world_destroy(world);
    memory_free(save.at);
}

/* "fluid" as it was before it had a surface: without its last fields. */
static void save_with_a_fluid_without_surface_gets_its_defaults(void** state) {
    const ComponentType* now = &ent_component_types()[COMPONENT_FLUID];
    ComponentType        older = *now;
    World*               world = world_logging();
    FluidRecord          expected;
    BlobFault            fault;
    Blob                 blob;
    UNUSED(state);
    while (strcmp(older.record.fields[older.record.field_count - 1].name, "material") != 0)
        older.record.field_count--;
    older.record.bytes = older.record.fields[older.record.field_count].offset;
    ent_component_type_finish(&older);
    const Written save = level_written(&older, true);
    assert_int_equal(ent_blob_open(&blob, save.at, save.size, NULL, &fault), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    assert_string_equal(logged, "");
    record_defaults(&now->record, &expected);
    assert_int_equal(ent_fluid_rows(world).count, 1);
    assert_memory_equal(ent_fluid_rows(world).record, &expected, sizeof expected);
    assert_true(expected.draw == FLUID_SURFACE && expected.refraction_index > 1.3f);
    ent_world_destroy(world);
    memory_free(save.at);
}

/* Of blobs that were written before `collider_plane` was renamed: they contain no declaration of it. */
static void blob_with_a_renamed_built_in_type_is_converted(void** state) {
    const ComponentType*      former = component_former(0x7ba8236c, 0x31a39786);
    const ColliderPlaneRecord old = {{0, 0, 1}, 2, 0.25f};
    World*                    world = world_logging();
    BlobFault                 fault;
    Blob                      blob;
    UNUSED(state);
    assert_non_null(former);
    assert_null(component_former(0x7ba8236c, 1));
    assert_string_equal(former->record.name, "collider_plane");
    for (u32 declared = 0; declared < 2; declared++) {
        const Written save = level_written(former, declared);
        u8* const     section = (u8*)save.at;
        assert_int_equal(ent_blob_open(&blob, save.at, save.size, NULL, &fault), ENT_OK);
        const BlobSection* s = ent_blob_component(&blob, former->id);
        memcpy(section + s->offset + component_column_start(former, 1, 0), &old, sizeof old);
        assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
        assert_string_equal(logged, "");
        const ColliderRows rows = ent_collider_rows(world);
        assert_int_equal(rows.count, declared + 1);
        const ColliderRecord* now = &rows.record[declared];
        assert_true(now->kind == COLLIDER_PLANE && now->normal.z == 1 && now->offset_m == 2 &&
                    now->restitution == 0.25f && now->friction == 0);
        memory_free(save.at);
    }
    ent_world_destroy(world);
}

static void blob_with_an_older_built_in_type_without_declaration_is_refused(void** state) {
    Field               field[2];
    const ComponentType older = older_camera(field);
    const Written       save = level_written(&older, false);
    BlobFault           fault;
    Blob                blob;
    UNUSED(state);
    assert_int_equal(ent_blob_open(&blob, save.at, save.size, NULL, &fault), ENT_BAD_FIELD);
    assert_non_null(strstr(fault.reason, "the layout of camera in this build"));
    memory_free(save.at);
}

/* --- a type of the host --- */

static const Field one_field[] = {{.name = "points", .kind = FIELD_u32, .bytes = 4, .hi = 100}};
static const Field two_fields[] = {
    {.name = "points", .kind = FIELD_u32, .bytes = 4, .hi = 100},
    {.name = "armor", .kind = FIELD_u32, .offset = 4, .bytes = 4, .value = {7}, .hi = 100}};

static ComponentType host_type(const char* name, const Field* fields, u32 count) {
    ComponentType type = {
        .record = {name, fields, count, 4 * count}, .order = 3000, .columns = BY_RECORD};
    ent_component_type_finish(&type);
    return type;
}

static ComponentType health_type(const Field* fields, u32 count) {
    return host_type("health", fields, count);
}

static void save_without_declaration_of_a_changed_type_names_the_type(void** state) {
    const ComponentType older = health_type(one_field, 1), newer = health_type(two_fields, 2);
    const Written       save = level_written(&older, false);
    World*              world = world_logging();
    BlobFault           fault;
    Blob                blob;
    UNUSED(state);
    assert_int_equal(ent_world_register(world, &(ManagerDesc){.type = newer}), ENT_OK);
    assert_int_equal(ent_blob_open(&blob, save.at, save.size, NULL, &fault), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_BAD_FIELD);
    assert_int_equal(ent_entity_count(world), 0);
    assert_non_null(strstr(logged, "the instances of health were written under another "
                                   "declaration of it, which the blob does not contain"));
    ent_world_destroy(world);
    memory_free(save.at);
}

static void field_table_that_cannot_be_declared_is_refused_when_registered(void** state) {
    static const struct {
        Field       field;
        const char* reason;
    } rows[] = {
        {{.name = "hitPoints", .kind = FIELD_u32, .bytes = 4}, "must begin with a-z"},
        {{.name = "a", .kind = FIELD_u32, .bytes = 8, .offset = 4}, "does not begin"},
        {{.name = "a", .kind = FIELD_u32, .bytes = 6}, "bytes of 1 to 16 values"},
        {{.name = "a", .kind = FIELD_KIND_COUNT, .bytes = 4}, "has an unknown kind"},
        {{.kind = FIELD_u32, .bytes = 4}, "has no name"},
        {{.name = "a", .kind = FIELD_Enum32, .bytes = 4, .text_count = 2}, "has no texts"},
        {{.name = "a", .kind = FIELD_u32, .bytes = 4, .value = {9}, .hi = 8}, "valid default"},
        {{.name = "a", .kind = FIELD_f32, .bytes = 4, .lo = 2, .hi = 1}, "highest"},
        {{.name = "a", .kind = FIELD_Enum32, .bytes = 4}, "at least 1 for an enum"},
        {{.name = "a", .kind = FIELD_ResourceRef, .bytes = 8}, "must be a type for a ResourceRef"},
        {{.name = "a", .kind = FIELD_u32, .bytes = 4, .unit = "a\nb"}, "one line"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        World*            world = world_logging();
        const ManagerDesc desc = {
            .type = {.record = {"own", &rows[i].field, 1, rows[i].field.bytes},
                     .columns = BY_RECORD}};
        assert_int_equal(ent_world_register(world, &desc), ENT_BAD_FIELD);
        if (!strstr(logged, rows[i].reason)) fail_msg("row %u: %s", i, logged);
        assert_int_equal(ent_world_manager_count(world), COMPONENT_COUNT);
        ent_world_destroy(world);
    }
}

static void every_built_in_type_can_be_declared(void** state) {
    RowFault fault;
    UNUSED(state);
    for (u32 i = 0; i < COMPONENT_COUNT; i++) {
        const ComponentType* type = &ent_component_types()[i];
        if (!type_is_declarable(type, &fault))
            fail_msg("%s: %s[%u].%s %s", type->record.name, fault.table, fault.row, fault.field,
                     fault.reason);
    }
}

/* --- entc --- */

static void migrate_reports_what_it_can_convert(void** state) {
    Field               field[2];
    char*               folder = strdup(test_folder("saved_types"));
    const ComponentType older = older_camera(field);
    const ComponentType health = health_type(one_field, 1);
    const Written       camera = level_written(&older, true);
    const Written       undeclared = level_written(&health, false);
    const Written       declared = level_written(&health, true);
    UNUSED(state);
    test_write(folder, "camera.level", camera.at, camera.size);
    test_write(folder, "undeclared.level", undeclared.at, undeclared.size);
    test_write(folder, "declared.level", declared.at, declared.size);
    TEST_DONE(folder, "mkdir -p src out && entc build src -o out -q");
    EXPECT(folder, 0, "ok", "entc verify camera.level");
    EXPECT(folder, 0, "camera.level: rewritten with", "entc migrate out camera.level");
    EXPECT(folder, 0, "camera.level: up to date", "entc migrate out camera.level");
    EXPECT(folder, 0, "ok", "entc verify camera.level");
    EXPECT(folder, 0, "the instances of health are not converted",
           "entc migrate out declared.level 2>&1 >/dev/null");
    EXPECT(folder, 0, "declared.level: not rewritten", "entc migrate out declared.level");
    test_write_text(folder, "src/health.component.json",
                    "{ \"order\": 3000, \"fields\": { \"points\": { \"type\": \"u32\", "
                    "\"default\": 0, \"max\": 100 }, "
                    "\"armor\": { \"type\": \"u32\", \"default\": 7, \"max\": 100 } } }");
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 0, "declared.level: rewritten with", "entc migrate out declared.level");
    EXPECT(folder, 0, "armor: 7", "entc dump declared.level");
    EXPECT(folder, 3, "the instances of health were written under another declaration of it",
           "entc migrate out undeclared.level");
    memory_free(camera.at);
    memory_free(undeclared.at);
    memory_free(declared.at);
    free(folder);
}

/* One type is renamed, so that references are looked for in all instances; nothing describes those of
 * the other one. */
static void migrate_keeps_instances_of_which_nothing_is_declared(void** state) {
    char*               folder = strdup(test_folder("saved_types_unknown"));
    const ComponentType health = health_type(one_field, 1);
    const ComponentType secret = host_type("secret", one_field, 1);
    const Written       save = level_written_with(&health, true, &secret);
    UNUSED(state);
    test_write(folder, "s", save.at, save.size);
    test_write_quoted(
        folder, "src/life.component.json",
        "{ 'was': 'health', 'fields': { 'points': { 'type': 'u32', 'default': 0 } } }");
    TEST_DONE(folder, "entc build src -o out -q");
    EXPECT(folder, 0, "s: rewritten with", "entc migrate out s");
    EXPECT(folder, 0, "the instances of 0x", "entc migrate out s");
    EXPECT(folder, 0, "s: not rewritten", "entc migrate out s");
    memory_free(save.at);
    free(folder);
}

TEST_SUITE(saved_types) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(save_with_an_older_built_in_type_is_converted),
        cmocka_unit_test(blob_with_a_renamed_built_in_type_is_converted),
        cmocka_unit_test(save_with_a_fluid_without_surface_gets_its_defaults),
        cmocka_unit_test(blob_with_an_older_built_in_type_without_declaration_is_refused),
        cmocka_unit_test(save_without_declaration_of_a_changed_type_names_the_type),
        cmocka_unit_test(field_table_that_cannot_be_declared_is_refused_when_registered),
        cmocka_unit_test(every_built_in_type_can_be_declared),
        cmocka_unit_test(migrate_reports_what_it_can_convert),
        cmocka_unit_test(migrate_keeps_instances_of_which_nothing_is_declared),
    };
    return TEST_RUN("saved_types", tests);
}
