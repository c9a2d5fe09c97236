/* test_paths.c - paths of entities: the path of each entity finds it again, with names and without,
 * and no other path finds anything. */
#include "test_source.h"

#include <stdio.h>

#include "entity.h"

/* --- from entity to path --- */

static void path_of_entity_consists_of_names_in_its_source(void** state) {
    Compiled level, entity;
    char     path[16];
    Source   root = *forest("r(a(b))");
    UNUSED(state);
    compile(&level, forest("alpha(b(c))"));
    assert_int_equal(ent_blob_path(&level.blob, 2, path, sizeof path), 9);
    assert_string_equal(path, "alpha/b/c");
    assert_int_equal(ent_blob_path(&level.blob, 2, path, 8), 9);
    assert_string_equal(path, "alpha/b");
    assert_int_equal(ent_blob_path(&level.blob, 2, path, 1), 9);
    assert_string_equal(path, "");
    assert_int_equal(ent_blob_path(&level.blob, 2, NULL, 0), 9);
    root.node[0].name[0] = 0;
    compile_as(&entity, &root, RESOURCE_ENTITY, true);
    ent_blob_path(&entity.blob, 0, path, sizeof path);
    assert_string_equal(path, ".");
    ent_blob_path(&entity.blob, 2, path, sizeof path);
    assert_string_equal(path, "a/b");
    bytes_free(&entity.bytes);
    compile_as(&entity, &root, RESOURCE_LEVEL, false);
    ent_blob_path(&entity.blob, 1, path, sizeof path);
    assert_string_equal(path, "#0/#1");
    bytes_free(&level.bytes);
    bytes_free(&entity.bytes);
}

/* --- from path to entity --- */

/* Each is found by its path, and by no path that is slightly longer or shorter. */
static void all_are_found(const Blob* blob) {
    char path[512];
    for (u32 i = 0; i < blob->header->element_count; i++) {
        const size_t length = ent_blob_path(blob, i, path, sizeof path - 2);
        assert_in_range(length, 1, sizeof path - 3);
        assert_int_equal(ent_blob_path_find(blob, path), i);
        path[length] = '/';
        path[length + 1] = 0;
        assert_int_equal(ent_blob_path_find(blob, path), NONE);
        path[length] = '~';
        assert_int_equal(ent_blob_path_find(blob, path), NONE);
        path[length] = 0;
        path[0] = '~';
        assert_int_equal(ent_blob_path_find(blob, path), NONE);
    }
}

static void path_of_any_entity_finds_that_entity(void** state) {
    static const ResourceType types[] = {RESOURCE_LEVEL, RESOURCE_ENTITY};
    Random                    random = {test_seed("paths", 11)};
    UNUSED(state);
    for (u32 round = 0; round < 200; round++) {
        Source   s;
        Compiled c;
        source_random(&random, &s, 1 + random_below(&random, 40));
        for (u32 i = 1; round % 2 && i < s.count; i++) { /* one root */
            if (s.node[i].parent == NONE) s.node[i].parent = 0;
            snprintf(s.node[i].name, sizeof s.node[i].name, "n%u", i);
        }
        compile_as(&c, &s, types[round % 2], random_below(&random, 4) > 0);
        all_are_found(&c.blob);
        bytes_free(&c.bytes);
    }
}

static void path_of_no_entity_finds_nothing(void** state) {
    static const char* const wrong[] = {"",  "/",  "a/",   "/a",     "a//b", "b",   "a/b/c/d",
                                        ".", "#0", "a/#1", "a/b/#2", "A",    "a/B", "a/b/c/."};
    Compiled                 level;
    UNUSED(state);
    compile(&level, forest("a(b(c)) d"));
    for (u32 i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(ent_blob_path_find(&level.blob, wrong[i]), NONE);
    assert_int_equal(ent_blob_path_find(&level.blob, "d"), node_named(forest("a(b(c)) d"), "d"));
    bytes_free(&level.bytes);
}

/* As a host does it: the entity spawned for a path. */
static void path_in_spawned_blob_gives_the_spawned_entity(void** state) {
    Compiled level;
    World*   world = world_new(NULL);
    Entity   spawned[4];
    UNUSED(state);
    compile(&level, forest("house(door(lock)) hero"));
    assert_int_equal(ent_world_spawn(world, &level.blob, NULL, spawned), ENT_OK);
    const Entity lock = spawned[ent_blob_path_find(&level.blob, "house/door/lock")];
    const Entity door = spawned[ent_blob_path_find(&level.blob, "house/door")];
    assert_true(ent_entity_alive(ent_world_entities(world), lock));
    assert_int_equal(ent_transform_parent(world, lock), door);
    ent_world_destroy(world);
    bytes_free(&level.bytes);
}

TEST_SUITE(paths) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(path_of_entity_consists_of_names_in_its_source),
        cmocka_unit_test(path_of_any_entity_finds_that_entity),
        cmocka_unit_test(path_of_no_entity_finds_nothing),
        cmocka_unit_test(path_in_spawned_blob_gives_the_spawned_entity),
    };
    return TEST_RUN("paths", tests);
}
