/* test_texts.c - texts in worlds: spawned, set, saved, patched. */
#include <stdio.h>
#include <stdlib.h>

#include "patch.h"
#include "resource.h"
#include "snapshot.h"
#include "spawn.h"
#include "test.h"
#include "world.h"

static const TestFile sources[] = {
    {"sign.component.json",
     "{ \"several\": true, \"fields\": { \"title\": { \"type\": \"text\" },\n"
     "  \"lines\": { \"type\": \"text\", \"array\": 2 } } }\n"},
    {"a.level.json",
     "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"sign\": [\n"
     "    { \"title\": \"first\", \"lines\": [\"x\", \"first\"] }, { \"title\": \"second\" } ] } "
     "},\n"
     "  { \"name\": \"b\", \"components\": { \"sign\": [{ \"lines\": [\"\", \"x\"] }] } } ] }\n"},
    {"b.level.json",
     "{ \"entities\": [ { \"name\": \"a\", \"components\": { \"sign\": [\n"
     "    { \"title\": \"other\", \"lines\": [\"x\", \"first\"] }, { \"title\": \"second\" } ] } "
     "},\n"
     "  { \"name\": \"b\", \"components\": { \"sign\": [{ \"lines\": [\"\", \"x\"] },\n"
     "    { \"title\": \"more\" }] } }, { \"name\": \"c\", \"components\": { \"sign\": { "
     "\"title\": \"x\" } } } ]\n"
     "}\n"}};

typedef struct Fixture {
    World*   world;
    Resource level, other, declaration;
    Entity   entities[2];
} Fixture;

static void resource_open(Resource* resource, const char* folder, const char* name) {
    char path[512];
    snprintf(path, sizeof path, "%s/out/%s", folder, name);
    assert_int_equal(ent_resource_open(resource, path, NULL, NULL), ENT_OK);
}

static World* world_open(const Fixture* f) {
    World* world;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_declare(world, &f->declaration.blob), ENT_OK);
    return world;
}

static Fixture fixture_open(const char* name) {
    const char* folder = test_folder(name);
    Fixture     f = {0};
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    TestRun run = test_command(folder, "entc build src -o out -q");
    assert_string_equal(run.err, "");
    test_run_free(&run);
    resource_open(&f.declaration, folder, "sign.component");
    resource_open(&f.level, folder, "a.level");
    resource_open(&f.other, folder, "b.level");
    f.world = world_open(&f);
    return f;
}

static void fixture_close(Fixture* f) {
    ent_world_destroy(f->world);
    ent_resource_close(&f->level);
    ent_resource_close(&f->other);
    ent_resource_close(&f->declaration);
}

/* "title|line|line;" of all rows. */
static char* signs_text(World* world) {
    const Manager* m = ent_world_manager_by_name(world, "sign");
    char*          text;
    size_t         bytes;
    FILE*          out = open_memstream(&text, &bytes);
    for (u32 row = 0; row < m->count; row++) {
        const TextRef* line = (const TextRef*)m->column[1] + 2 * row;
        fprintf(out, "%s|%s|%s;", ent_world_text(world, ((const TextRef*)m->column[0])[row]),
                ent_world_text(world, line[0]), ent_world_text(world, line[1]));
    }
    fclose(out);
    return text;
}

static void expect_signs(World* world, const char* wanted) {
    char* text = signs_text(world);
    assert_string_equal(text, wanted);
    free(text);
}

#define FIRST "first|x|first;second||;||x;"

static void spawned_texts_are_copies_that_the_world_owns(void** state) {
    Fixture f = fixture_open("texts_spawn");
    UNUSED(state);
    assert_int_equal(ent_world_spawn(f.world, &f.level.blob, NULL, NULL), ENT_OK);
    ent_resource_close(&f.level);
    expect_signs(f.world, FIRST);
    fixture_close(&f);
}

static void spawn_over_frames_gives_the_same_texts(void** state) {
    Fixture   f = fixture_open("texts_frames");
    SpawnJob* job;
    int       done = 0;
    UNUSED(state);
    assert_int_equal(ent_spawn_begin(&job, f.world, &f.level.blob, NULL, NULL), ENT_OK);
    while (!done) assert_int_equal(ent_spawn_step(job, 1, &done), ENT_OK);
    ent_spawn_end(job);
    expect_signs(f.world, FIRST);
    fixture_close(&f);
}

/* Many texts, so that the tables grow; those that were returned before stay where they are. */
static void equal_texts_have_one_number_and_do_not_move(void** state) {
    Fixture     f = fixture_open("texts_add");
    TextRef     first, again, number[1000];
    const char* where;
    UNUSED(state);
    assert_int_equal(ent_world_text_add(f.world, "a text", &first), ENT_OK);
    where = ent_world_text(f.world, first);
    for (u32 i = 0; i < COUNT_OF(number); i++) {
        char text[32];
        snprintf(text, sizeof text, "text %u", i);
        assert_int_equal(ent_world_text_add(f.world, text, &number[i]), ENT_OK);
    }
    for (u32 i = 0; i < COUNT_OF(number); i++) {
        char text[32];
        snprintf(text, sizeof text, "text %u", i);
        assert_string_equal(ent_world_text(f.world, number[i]), text);
    }
    assert_int_equal(ent_world_text_add(f.world, "a text", &again), ENT_OK);
    assert_int_equal(first, again);
    assert_ptr_equal(ent_world_text(f.world, first), where);
    assert_int_equal(ent_world_text_add(f.world, "", &again), ENT_OK);
    assert_int_equal(again, 0);
    assert_string_equal(ent_world_text(f.world, 0), "");
    assert_int_equal(ent_world_text_add(f.world, "a\xff", &again), ENT_BAD_FIELD);
    fixture_close(&f);
}

static void save_contains_the_texts_in_use_and_loads_them(void** state) {
    Fixture           f = fixture_open("texts_save");
    const SaveSource  source = {&f.level.blob, f.entities};
    const SaveOptions options = {.name = "save", .sources = &source, .source_count = 1};
    void *            bytes, *again;
    size_t            size, size_again;
    Resource          save;
    TextRef           unused, set;
    UNUSED(state);
    assert_int_equal(ent_world_text_add(f.world, "unused", &unused), ENT_OK);
    assert_int_equal(ent_world_spawn(f.world, &f.level.blob, NULL, f.entities), ENT_OK);
    assert_int_equal(ent_world_text_add(f.world, "changed", &set), ENT_OK);
    ((TextRef*)ent_world_manager_by_name(f.world, "sign")->column[0])[1] = set;
    assert_int_equal(ent_world_save(f.world, &options, &bytes, &size), ENT_OK);
    assert_int_equal(ent_resource_open_bytes(&save, bytes, size, NULL, NULL), ENT_OK);
    assert_string_equal(ent_blob_text(&save.blob, 1), "first"); /* in the order of their use */
    assert_string_equal(ent_blob_text(&save.blob, 2), "changed");
    assert_int_equal(ent_blob_section(&save.blob, SECTION_STRING_OFFSET)->count, 4);
    World* loaded = world_open(&f);
    assert_int_equal(ent_world_spawn(loaded, &save.blob, NULL, f.entities), ENT_OK);
    expect_signs(loaded, "first|x|first;changed||;||x;");
    const SaveSource  from_save = {&save.blob, f.entities};
    const SaveOptions second = {.name = "save", .sources = &from_save, .source_count = 1};
    assert_int_equal(ent_world_save(loaded, &second, &again, &size_again), ENT_OK);
    assert_int_equal(size, size_again);
    assert_memory_equal(bytes, again, size);
    ent_world_save_free(loaded, again, size_again);
    ent_world_destroy(loaded);
    ent_resource_close(&save);
    ent_world_save_free(f.world, bytes, size);
    fixture_close(&f);
}

/* Whatever memory contains that nothing was written to: here, the bytes of NONE. */
static void* filled_alloc(void* user, size_t bytes) {
    void* at = aligned_alloc(16, (size_t)align_up(bytes, 16));
    UNUSED(user);
    if (at) memset(at, 0xff, (size_t)align_up(bytes, 16));
    return at;
}
static void filled_free(void* user, void* at, size_t bytes) {
    UNUSED(user), UNUSED(bytes);
    free(at);
}

/* A number that is no text of the world could not be loaded: the first after the last text, and a
 * higher one. The array of the texts' strings does not end at a multiple of 16 bytes, so that what
 * follows it was not written to. */
static void save_with_an_unknown_text_is_refused(void** state) {
    Fixture           f = fixture_open("texts_unknown");
    const SaveSource  source = {&f.level.blob, f.entities};
    const SaveOptions options = {.name = "save", .sources = &source, .source_count = 1};
    const WorldDesc   desc = {.allocator = {filled_alloc, filled_free, NULL}};
    void*             bytes = NULL;
    size_t            size;
    TextRef           last = 0;
    UNUSED(state);
    ent_world_destroy(f.world);
    assert_int_equal(ent_world_create(&f.world, &desc), ENT_OK);
    assert_int_equal(ent_world_declare(f.world, &f.declaration.blob), ENT_OK);
    assert_int_equal(ent_world_spawn(f.world, &f.level.blob, NULL, f.entities), ENT_OK);
    for (u32 i = 0; i == 0 || (last + 1) % 4 == 0; i++) {
        char text[32];
        snprintf(text, sizeof text, "more %u", i);
        assert_int_equal(ent_world_text_add(f.world, text, &last), ENT_OK);
    }
    TextRef* title = (TextRef*)ent_world_manager_by_name(f.world, "sign")->column[0] + 1;
    *title = last + 1;
    assert_int_equal(ent_world_save(f.world, &options, &bytes, &size), ENT_BAD_FIELD);
    *title = 1000;
    assert_int_equal(ent_world_save(f.world, &options, &bytes, &size), ENT_BAD_FIELD);
    assert_null(bytes);
    *title = last;
    assert_int_equal(ent_world_save(f.world, &options, &bytes, &size), ENT_OK);
    ent_world_save_free(f.world, bytes, size);
    fixture_close(&f);
}

static void patch_writes_changed_and_added_texts(void** state) {
    Fixture              f = fixture_open("texts_patch");
    void*                memory = malloc(ent_component_type_bytes(&f.declaration.blob));
    const ComponentType  type = ent_component_type_open(&f.declaration.blob, memory);
    const ComponentType* types[] = {&type};
    Patch*               patch;
    PatchResult          result;
    Entity               now[3];
    UNUSED(state);
    assert_int_equal(ent_world_spawn(f.world, &f.level.blob, NULL, f.entities), ENT_OK);
    assert_int_equal(ent_patch_create(&patch, NULL, &f.level.blob, &f.other.blob,
                                      &(PatchOptions){.types = types, .type_count = 1}),
                     ENT_OK);
    assert_int_equal(ent_world_patch(f.world, patch, NULL, f.entities, now, &result), ENT_OK);
    assert_int_equal(result.fields_written, 1); /* equal texts have other numbers */
    expect_signs(f.world, "other|x|first;second||;||x;x||;more||;");
    ent_patch_destroy(patch);
    free(memory);
    fixture_close(&f);
}

TEST_SUITE(texts) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spawned_texts_are_copies_that_the_world_owns),
        cmocka_unit_test(spawn_over_frames_gives_the_same_texts),
        cmocka_unit_test(equal_texts_have_one_number_and_do_not_move),
        cmocka_unit_test(save_contains_the_texts_in_use_and_loads_them),
        cmocka_unit_test(save_with_an_unknown_text_is_refused),
        cmocka_unit_test(patch_writes_changed_and_added_texts),
    };
    return TEST_RUN("texts", tests);
}
