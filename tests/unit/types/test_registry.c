/* test_registry.c - the interface that plugins use, called directly: a component type with its own
 * compile function, which reads tokens, and its own manager.
 *
 * Invariants: the type is compiled, written at its position in spawn order, validated, dumped and
 * spawned like a built-in one; a duplicate name or id is refused by name; the error of a compile
 * function is reported with file, line and column. */
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "product.h"
#include "ent.h"
#include "fields.h"
#include "hash.h"
#include "inspect.h"
#include "json_tokens.h"
#include "test.h"
#include "world_internal.h"

typedef struct GaleRecord {
    Vec3 direction;
    f32  speed_m_s;
    u32  gusts;
} GaleRecord;

static const Field gale_fields[] = {
    FIELD_ROW(GaleRecord, Vec3, direction, V3(1, 0, 0), -1, 1, "", PLAIN, "where it blows")
        FIELD_ROW(GaleRecord, f32, speed_m_s, V1(2), 0, 100, "m/s", PLAIN, "how hard")
            FIELD_ROW(GaleRecord, u32, gusts, V1(0), 0, 9, "", PLAIN, "a minute")};

static const ComponentType gale_type = {
    .record = {"gale", gale_fields, COUNT_OF(gale_fields), sizeof(GaleRecord)},
    .order = 350, /* between mesh and skin */
    .several = SINGLE,
    .columns = BY_FIELD,
    .lookup = HASHED};

/* "north" .. or the fields: a rule that no field table can express. */
static void gale_compile(Instance* in) {
    GaleRecord*      gale = in->record;
    const JsonToken* from = json_get(in->value, "from");
    const JsonToken* beaufort = json_get(in->value, "beaufort");
    if (from && json_token_equals(from, "north"))
        gale->direction = (Vec3){0, 0, 1};
    else if (from) {
        diag_error(in->diag, E0205, in->source, json_token_offset(in->source, from), 1,
                   "gale blows from the north only");
    }
    if (beaufort) gale->speed_m_s = (f32)json_token_number(beaufort) * 1.5f;
}

static ComponentCompiler gale_compiler(const char* name) {
    ComponentCompiler compiler = {.type = gale_type, .compile = gale_compile, .from = "libgale.so"};
    compiler.type.record.name = name;
    return compiler;
}

typedef struct Fixture {
    Diagnostics* diag;
    Registry     registry;
    Tree         tree;
    Assets       assets;
    Compile      compile;
    u8*          bytes;
    size_t       size;
    bool         valid;
} Fixture;

static void compile_level(Fixture* f, const char* name, const char* text) {
    const char*             folder = test_folder(name);
    const char*             failed;
    const ComponentCompiler gale = gale_compiler("gale");
    *f = (Fixture){.diag = diag_create()};
    test_write_text(folder, "x.level.json", text);
    assert_true(registry_init(&f->registry, f->diag));
    assert_true(registry_add(&f->registry, &gale, f->diag));
    assert_int_equal(tree_read(&f->tree, folder, false, NULL, &failed), ENT_OK);
    assert_true(assets_open(&f->assets, &f->tree, &f->registry, NULL, (Variant){0}, f->diag));
    const CompileOptions options = {.target = HOST_IS_LITTLE ? TARGET_LITTLE : TARGET_BIG};
    compile_begin(&f->compile, &f->assets, f->diag, &options);
    Asset* asset = assets_file(&f->assets, text_of("x"), RESOURCE_LEVEL);
    assert_non_null(asset);
    compile_choose(&f->compile, asset, "x", RESOURCE_LEVEL, NONE);
    f->valid = compile_resource(&f->compile, &f->bytes, &f->size);
    assets_report(&f->assets, f->diag);
}

static void drop(Fixture* f) {
    memory_free(f->bytes);
    compile_end(&f->compile);
    memory_free(f->compile.read_stamp);
    memory_free(f->compile.asset_bytes);
    assets_close(&f->assets);
    tree_drop(&f->tree);
    diag_destroy(f->diag);
}

static const char galey[] =
    "{ \"entities\": [\n"
    "  { \"name\": \"hill\", \"components\": { \"transform\": {}, \"gale\": { \"from\": \"north\", "
    "\"beaufort\": 4 } } },\n"
    "  { \"name\": \"dale\", \"components\": { \"light\": {}, \"gale\": {} } } ] }\n";

static u32 spawn_calls, rows_before;

static void gale_spawn(World* world, Manager* manager, const SpawnBatch* batch) {
    spawn_calls++;
    rows_before = ent_transform_rows(world).count * 10 + ent_light_rows(world).count;
    ent_manager_append(manager, batch);
}

static void registered_type_is_compiled_dumped_and_spawned(void** state) {
    Fixture f;
    Blob    blob;
    World*  world;
    UNUSED(state);
    compile_level(&f, "registry", galey);
    assert_true(f.valid);
    const BlobOptions options = registry_options(&f.registry);
    assert_int_equal(ent_blob_open(&blob, f.bytes, f.size, &options, NULL), ENT_OK);
    ManagerDesc desc = {.type = gale_type, .spawn = gale_spawn};
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_register(world, &desc), ENT_OK);
    assert_int_equal(ent_world_register(world, &desc), ENT_EXISTS);
    const SpawnOptions strict = {.strict = 1};
    Entity             entities[2];
    spawn_calls = 0;
    assert_int_equal(ent_world_spawn(world, &blob, &strict, entities), ENT_OK);
    assert_int_equal(spawn_calls, 1);
    assert_int_equal(rows_before, 10); /* after transforms, before lights */
    const Manager* m = ent_world_manager_by_name(world, "gale");
    const u32      row = ent_manager_row(m, world->entities, entities[0]);
    assert_int_equal(row, 0);
    const Vec3* direction = m->column[0];
    const f32*  speed = m->column[1];
    assert_true(direction[0].z == 1 && direction[1].x == 1);
    assert_true(speed[0] == 6 && speed[1] == 2);
    ent_world_destroy(world);
    drop(&f);
}

static void registered_type_unknown_to_world_is_skipped(void** state) {
    Fixture f;
    Blob    blob;
    World*  world;
    UNUSED(state);
    compile_level(&f, "registry", galey);
    const SpawnOptions strict = {.strict = 1};
    assert_int_equal(ent_blob_open(&blob, f.bytes, f.size, NULL, NULL), ENT_OK);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, &blob, &strict, NULL), ENT_UNKNOWN_COMPONENT);
    assert_int_equal(ent_entity_count(world), 0);
    assert_int_equal(ent_world_spawn(world, &blob, NULL, NULL), ENT_OK);
    assert_int_equal(ent_light_rows(world).count, 1);
    ent_world_destroy(world);
    drop(&f);
}

static void error_of_registered_type_is_reported_with_its_position(void** state) {
    Fixture f;
    char*   text = NULL;
    size_t  bytes = 0;
    UNUSED(state);
    compile_level(
        &f, "registry",
        "{ \"entities\": [\n  { \"components\": { \"gale\": { \"from\": \"south\" } } } ] }\n");
    assert_false(f.valid);
    FILE* out = open_memstream(&text, &bytes);
    diag_print(f.diag, out, DIAG_TEXT, false);
    fclose(out);
    assert_non_null(
        strstr(text, "x.level.json:2:39: error: gale blows from the north only [E0205]"));
    free(text);
    drop(&f);
}

static void register_of_type_with_duplicate_name_is_refused(void** state) {
    Diagnostics*            diag = diag_create();
    static Registry         registry;
    const ComponentCompiler light = gale_compiler("light");
    char*                   text = NULL;
    size_t                  bytes = 0;
    UNUSED(state);
    assert_true(registry_init(&registry, diag));
    assert_false(registry_add(&registry, &light, diag));
    FILE* out = open_memstream(&text, &bytes);
    diag_print(diag, out, DIAG_TEXT, false);
    fclose(out);
    assert_non_null(strstr(text,
                           "\"light\" of libgale.so cannot be added: \"light\" of entc has the "
                           "same name"));
    free(text);
    diag_destroy(diag);
}

TEST_SUITE(registry) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(registered_type_is_compiled_dumped_and_spawned),
        cmocka_unit_test(registered_type_unknown_to_world_is_skipped),
        cmocka_unit_test(error_of_registered_type_is_reported_with_its_position),
        cmocka_unit_test(register_of_type_with_duplicate_name_is_refused)};
    return TEST_RUN("registry", tests);
}
