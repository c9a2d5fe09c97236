/* test_library_follow.c - a library follows the builds of a folder or a bundle: all changes or none, and what is open equals the
 * files on the disk. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "ent.h"
#include "hash.h"
#include "library_internal.h"
#include "output_index_internal.h"
#include "sections.h"
#include "test_worlds_support.h"

static const TestFile sources[] = {
    {"yard.level.json", "{ \"entities\": [ { \"name\": \"yard\", \"components\": { \"mesh\": { "
                        "\"resource\": \"models/box/box\" } } } ] }"},
    {"all.package.json",
     "{ \"roots\": [\"yard.level\", \"paints/*.material\", \"notes/*.data\"] }"},
    {"paints/wood.material.json", "{ \"roughness\": 0.5 }"},
    {"notes/readme.txt", "first"},
    {"entc.json", "{ \"data\": { \"files\": [\"notes/*.txt\"] } }"},
};

/* Compiled into out/, and packed into all.pak. The caller frees the name of the folder. */
static char* project_new(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    TEST_DONE(folder, "entc build src -o out -q && entc pack out -o all.pak");
    return folder;
}

static void build(const char* folder) {
    TEST_DONE(folder, "entc build src -o out -q && entc pack out -o all.pak");
}

static void library_begin(Library* library, const char* folder, const char* name,
                          const LibraryDesc* desc) {
    char        path[2048];
    const Blob* blob;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(ent_library_open(library, path, desc), ENT_OK);
    if (ent_library_load(library, "all", RESOURCE_PACKAGE, &blob) != ENT_OK)
        fail_msg("%s", library->problem);
}

/* Until a thread of the pool has read. */
static ent_status follow(Library* library, LibraryChanges* changes) {
    ent_status status;
    do {
        status = ent_library_follow(library, changes);
    } while (status == ENT_OK && library->follow->reading);
    return status;
}

static const LibraryEntry* entry_of(const Library* library, const char* name, u32 type) {
    const u64 id = resource_id(ent_resource_ref(name, type));
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        if (resource_id(entry->id) == id) return entry;
    }
    fail_msg("%s.%s is not open", name, ent_resource_suffix(type));
    return NULL;
}

static bool contains(const void* bytes, u32 size, const char* text) {
    return size == strlen(text) && memcmp(bytes, text, size) == 0;
}

static bool note_is(const Blob* blob, const char* text) {
    u32         size;
    const void* bytes = ent_blob_contents(blob, &size);
    return contains(bytes, size, text);
}

/* --- one change --- */

static void changed_resource_is_replaced_and_its_former_bytes_stay(void** state) {
    char*          folder = project_new("follow_one");
    Library        library;
    LibraryChanges changes;
    UNUSED(state);
    for (u32 bundle = 0; bundle < 2; bundle++) {
        test_write_text(folder, "src/notes/readme.txt", "first");
        build(folder);
        library_begin(&library, folder, bundle ? "all.pak" : "out", NULL);
        const LibraryEntry* note = entry_of(&library, "notes/readme", RESOURCE_DATA);
        const Blob*         blob = &note->resource.blob;
        u32                 size;
        const void*         first = ent_blob_contents(blob, &size);
        for (u32 i = 0; i < 2; i++) {
            assert_int_equal(follow(&library, &changes), ENT_OK);
            assert_int_equal(changes.count, 0);
        }
        test_write_text(folder, "src/notes/readme.txt", "second");
        build(folder);
        assert_int_equal(follow(&library, &changes), ENT_OK);
        assert_int_equal(changes.count, 1);
        assert_int_equal(changes.change[0].kind, LIBRARY_CHANGED);
        assert_ptr_equal(changes.change[0].entry, note);
        assert_true(note->version == 1 && library.version == 1);
        assert_true(note_is(blob, "second"));
        assert_true(note_is(changes.change[0].before, "first"));
        assert_true(contains(first, size, "first"));
        assert_int_equal(follow(&library, &changes), ENT_OK);
        assert_int_equal(changes.count, 0);
        ent_library_close(&library);
    }
    free(folder);
}

static void changes_add(void* user, const LibraryChange* change) {
    u32* counts = user;
    counts[change->kind]++;
}

/* A level that refers to another mesh opens it; what was removed stays, and what refers to it is stated. */
static void new_references_are_opened_and_removed_resources_stay(void** state) {
    char*             folder = project_new("follow_references");
    u32               counts[3] = {0};
    const LibraryDesc desc = {.changed = changes_add, .user = counts};
    Library           library;
    LibraryChanges    changes;
    UNUSED(state);
    library_begin(&library, folder, "out", &desc);
    TEST_DONE(folder, "mkdir src/rocks && cp src/models/* src/rocks && "
                      "sed -i 's,models/box,rocks/box,' src/yard.level.json && rm -r src/models");
    build(folder);
    assert_int_equal(follow(&library, &changes), ENT_OK);
    assert_true(counts[LIBRARY_CHANGED] == 1 && counts[LIBRARY_ADDED] >= 1);
    const LibraryEntry* box = entry_of(&library, "models/box/box", RESOURCE_MESH);
    assert_true(box->removed && box->resource.blob.header->element_count > 0);
    assert_false(entry_of(&library, "rocks/box/box", RESOURCE_MESH)->removed);
    for (u32 i = 0; i < changes.count; i++) {
        if (changes.change[i].kind == LIBRARY_REMOVED) assert_null(changes.change[i].referrer);
    }
    ent_library_close(&library);
    free(folder);
}

static void removed_resource_is_reported_with_what_refers_to_it(void** state) {
    char*          folder = project_new("follow_removed");
    Library        library;
    LibraryChanges changes;
    UNUSED(state);
    library_begin(&library, folder, "out", NULL);
    /* The graph of a build of someone else, in which the level was not compiled again. */
    TEST_DONE(folder, "rm out/models/box/box.mesh && entc index out");
    assert_int_equal(follow(&library, &changes), ENT_OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.change[0].kind, LIBRARY_REMOVED);
    assert_string_equal(changes.change[0].entry->name, "models/box/box");
    assert_string_equal(changes.change[0].referrer->name, "yard");
    TEST_DONE(folder, "entc build src -o out -q --force");
    assert_int_equal(follow(&library, &changes), ENT_OK);
    assert_int_equal(changes.count, 1);
    assert_int_equal(changes.change[0].kind, LIBRARY_ADDED);
    assert_false(changes.change[0].entry->removed);
    ent_library_close(&library);
    free(folder);
}

/* --- all or nothing --- */

/* Reported in each call, and repaired by the next build. */
static void unusable_files_leave_the_old_state(void** state) {
    static const struct {
        const char* damage;
        ent_status  status;
        const char* text;
    } rows[] = {
        {"rm out/.entc.index", ENT_NOT_FOUND, "build the folder with `entc build`"},
        {"head -c 70 out/.entc.index >i && mv i out/.entc.index", ENT_TRUNCATED, "entc build"},
        {"echo no index >out/.entc.index", ENT_NOT_AN_INDEX, "header.magic at offset 0"},
        {"printf '\\002' | dd of=out/.entc.index bs=1 seek=8 conv=notrunc status=none",
         ENT_BAD_VERSION, "index version 2; this build reads version 1"},
        {"printf x | dd of=out/.entc.index bs=1 seek=90 conv=notrunc status=none", ENT_BAD_HASH,
         "checksum mismatch"},
        {"sed 's/first/other/' src/notes/readme.txt >/dev/null; mkdir -p two/notes && printf other "
         ">two/notes/readme.txt && cp src/entc.json two && entc build two -o two.out -q && "
         "cp two.out/notes/readme.data out/notes/readme.data && touch out/.entc.index",
         ENT_CHANGING, "out/notes/readme.data\" is not the one that the index"},
        {"rm out/notes/readme.data && touch out/.entc.index", ENT_CHANGING, "does not exist"},
        {"printf x >>out/notes/readme.data && touch out/.entc.index", ENT_BAD_FIELD,
         "readme.data\": header.blob_bytes at offset 24"},
        {"mv out gone", ENT_NOT_FOUND, "entc build"},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char           name[32];
        Library        library;
        LibraryChanges changes;
        snprintf(name, sizeof name, "follow_bad_%u", i);
        char* folder = project_new(name);
        library_begin(&library, folder, "out", NULL);
        const LibraryEntry* note = entry_of(&library, "notes/readme", RESOURCE_DATA);
        test_write_text(folder, "src/notes/readme.txt", "second");
        test_write_text(folder, "src/paints/wood.material.json", "{ \"roughness\": 0.25 }");
        build(folder);
        TEST_DONE(folder, "%s", rows[i].damage);
        for (u32 k = 0; k < 3; k++) {
            const ent_status status = follow(&library, &changes);
            if (status != rows[i].status || !strstr(library.problem, rows[i].text))
                fail_msg("row %u: %d: %s", i, status, library.problem);
            assert_int_equal(changes.count, 0);
        }
        assert_true(library.version == 0 && note_is(&note->resource.blob, "first"));
        TEST_DONE(folder, "entc build src -o out -q");
        assert_int_equal(follow(&library, &changes), ENT_OK);
        assert_int_equal(changes.count, 2);
        assert_true(note_is(&note->resource.blob, "second"));
        ent_library_close(&library);
        free(folder);
    }
}

static void each_failing_allocation_leaves_the_old_state(void** state) {
    char* folder = project_new("follow_memory");
    UNUSED(state);
    for (u32 bundle = 0; bundle < 2; bundle++) {
        CountingAllocator counting = {0};
        const LibraryDesc desc = {.allocator = counting_allocator(&counting)};
        Library           library;
        LibraryChanges    changes;
        u32               failed = 0;
        test_write_text(folder, "src/notes/readme.txt", "first");
        TEST_DONE(folder, "rm -f src/paints/new.material.json");
        build(folder);
        library_begin(&library, folder, bundle ? "all.pak" : "out", &desc);
        const LibraryEntry* note = entry_of(&library, "notes/readme", RESOURCE_DATA);
        const u32           count = library.count;
        test_write_text(folder, "src/notes/readme.txt", "second");
        test_write_text(folder, "src/paints/new.material.json", "{ \"roughness\": 0.125 }");
        build(folder);
        for (;; failed++) {
            counting.fail_at = counting.allocations + failed + 1;
            if (follow(&library, &changes) == ENT_OK) break;
            assert_non_null(strstr(library.problem, "out of memory"));
            assert_true(library.count == count && note_is(&note->resource.blob, "first"));
        }
        counting.fail_at = 0;
        assert_true(failed > 3 && library.count == count + 1);
        assert_true(note_is(&note->resource.blob, "second"));
        ent_library_close(&library);
        assert_int_equal(counting.frees, counting.allocations - counting.refused);
    }
    free(folder);
}

/* --- random histories --- */

#define PAINTS 8

typedef struct History {
    const char* folder;
    Random      random;
    Library     library;
    bool        bundle;
    u64         hash[64]; /* of each entry, before the last call */
    u32         known;
} History;

static void edit(History* h) {
    char      path[64], text[80];
    const u32 paint = random_below(&h->random, PAINTS);
    snprintf(path, sizeof path, "src/paints/p%u.material.json", paint);
    snprintf(text, sizeof text, "{ \"roughness\": 0.%u }", random_below(&h->random, 100));
    switch (random_below(&h->random, 5)) {
    case 0: TEST_DONE(h->folder, "rm -f %s", path); break;
    case 1: test_write_text(h->folder, "src/notes/readme.txt", text); break;
    case 2:
        TEST_DONE(h->folder,
                  "sed -i 's/\"name\": \"[a-z0-9]*\"/\"name\": \"n%u\"/' src/yard.level.json",
                  random_below(&h->random, 100));
        break;
    default: test_write_text(h->folder, path, text);
    }
}

/* What is open is what is on the disk, which entc wrote. */
static void entries_equal(const Library* library, const char* folder) {
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        const Blob*         blob = &entry->resource.blob;
        char                path[2048];
        size_t              size;
        snprintf(path, sizeof path, "%s/out/%s.%s", folder, entry->name,
                 ent_resource_suffix(blob->header->resource_type));
        u8* bytes = test_read(path, &size);
        if ((bytes == NULL) != (entry->removed != 0))
            fail_msg("%s: removed is %d", path, entry->removed);
        if (bytes) {
            assert_int_equal(size, blob->size);
            assert_memory_equal(bytes, blob->bytes, size);
        }
        free(bytes);
    }
}

/* Each entry that is new or has other bytes than before is one change, and nothing else is. */
static void changes_are_complete(const History* h, const LibraryChanges* changes) {
    u32 expected = 0;
    for (u32 i = 0; i < h->library.count; i++) {
        const LibraryEntry* entry = ent_library_entry(&h->library, i);
        const u64           hash = resource_id(entry->resource.blob.header->hash);
        u32                 found = 0;
        for (u32 k = 0; k < changes->count; k++) {
            const LibraryChange* c = &changes->change[k];
            if (c->entry != entry) continue;
            found++;
            if (c->kind == LIBRARY_CHANGED)
                assert_true(resource_id(c->before->header->hash) == h->hash[i]);
        }
        if (i >= h->known || h->hash[i] != hash) assert_int_equal(found, 1);
        expected += found;
    }
    assert_int_equal(expected, changes->count);
}

static void loaded_are_open(const History* h) {
    Library fresh;
    library_begin(&fresh, h->folder, "out", NULL);
    for (u32 i = 0; i < fresh.count; i++)
        assert_non_null(ent_library_find(&h->library, ent_library_entry(&fresh, i)->id));
    ent_library_close(&fresh);
}

static void history_run(const char* name, bool bundle, JobPool* pool, u32 rounds) {
    const LibraryDesc desc = {.pool = pool};
    History           h = {.folder = project_new(name), .bundle = bundle};
    h.random.state = test_seed(name, 41);
    library_begin(&h.library, h.folder, bundle ? "all.pak" : "out", &desc);
    for (u32 round = 0; round < rounds; round++) {
        LibraryChanges changes;
        for (u32 i = random_below(&h.random, 3); i <= 2; i++) edit(&h);
        h.known = h.library.count;
        assert_true(h.known < COUNT_OF(h.hash));
        for (u32 i = 0; i < h.known; i++)
            h.hash[i] = resource_id(ent_library_entry(&h.library, i)->resource.blob.header->hash);
        for (u32 i = 0; i <= random_below(&h.random, 2); i++) build(h.folder);
        if (follow(&h.library, &changes) != ENT_OK) fail_msg("%s", h.library.problem);
        changes_are_complete(&h, &changes);
        entries_equal(&h.library, h.folder);
        loaded_are_open(&h);
    }
    ent_library_close(&h.library);
    free((char*)h.folder);
}

static void random_builds_are_followed(void** state) {
    const u32 rounds = test_step(20, 6) == 1 ? 200 : test_step(20, 6);
    JobPool*  pool = ent_job_pool_create(1, NULL);
    UNUSED(state);
    assert_non_null(pool);
    history_run("follow_random", false, NULL, rounds);
    history_run("follow_random_pool", false, pool, rounds);
    history_run("follow_random_pak", true, NULL, rounds);
    history_run("follow_random_pak_pool", true, pool, rounds);
    ent_job_pool_destroy(pool);
}

/* --- beside a thread that reads --- */

/* What the host opens meanwhile is compared as well. */
static void resources_opened_while_a_thread_reads_are_followed(void** state) {
    char*             folder = project_new("follow_beside");
    JobPool*          pool = ent_job_pool_create(1, NULL);
    const LibraryDesc desc = {.pool = pool};
    Library           library;
    LibraryChanges    changes;
    const Blob*       blob;
    char              path[2048];
    UNUSED(state);
    snprintf(path, sizeof path, "%s/out", folder);
    for (u32 i = 0; i < 20; i++) {
        assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
        assert_int_equal(ent_library_resource(&library, "paints/wood", RESOURCE_MATERIAL, &blob),
                         ENT_OK);
        TEST_DONE(folder, "echo '{ \"roughness\": 0.%u }' >src/paints/wood.material.json", 10 + i);
        TEST_DONE(folder, "printf '%u' >src/notes/readme.txt", i);
        TEST_DONE(folder, "cp out/notes/readme.data old && entc build src -o out -q && "
                          "cp out/notes/readme.data new && cp old out/notes/readme.data");
        assert_int_equal(ent_library_follow(&library, &changes), ENT_OK);
        assert_true(library.follow->reading);
        assert_int_equal(ent_library_resource(&library, "notes/readme", RESOURCE_DATA, &blob),
                         ENT_OK);
        assert_int_equal(ent_library_load(&library, "all", RESOURCE_PACKAGE, &blob), ENT_OK);
        TEST_DONE(folder, "cp new out/notes/readme.data");
        if (follow(&library, &changes) != ENT_OK) fail_msg("%s", library.problem);
        assert_int_equal(changes.count, 2);
        snprintf(path, sizeof path, "%u", i);
        assert_true(
            note_is(&entry_of(&library, "notes/readme", RESOURCE_DATA)->resource.blob, path));
        snprintf(path, sizeof path, "%s/out", folder);
        ent_library_close(&library);
    }
    /* Closed while a thread may be reading. */
    assert_int_equal(ent_library_open(&library, path, &desc), ENT_OK);
    assert_int_equal(ent_library_load(&library, "all", RESOURCE_PACKAGE, &blob), ENT_OK);
    assert_int_equal(ent_library_follow(&library, &changes), ENT_OK);
    ent_library_close(&library);
    ent_job_pool_destroy(pool);
    free(folder);
}

/* --- memory --- */

static void memory_stays_the_same_over_many_reloads(void** state) {
    enum { ROUNDS = 1000 };
    char*             folder = project_new("follow_flat");
    CountingAllocator counting = {0};
    const LibraryDesc desc = {.allocator = counting_allocator(&counting)};
    Library           library;
    LibraryChanges    changes;
    char              to[2048], index[2048];
    u8*               blob[2];
    u8*               rows[2];
    size_t            size[2], rows_size[2];
    UNUSED(state);
    snprintf(to, sizeof to, "%s/out/notes/readme.data", folder);
    snprintf(index, sizeof index, "%s/out/.entc.index", folder);
    for (u32 i = 0; i < 2; i++) {
        TEST_DONE(folder, "printf '%u' >src/notes/readme.txt && entc build src -o out -q", i);
        blob[i] = test_read(to, &size[i]);
        rows[i] = test_read(index, &rows_size[i]);
    }
    library_begin(&library, folder, "out", &desc);
    u32 open = 0;
    for (u32 i = 0; i < ROUNDS; i++) {
        assert_int_equal(file_put(to, blob[i % 2], size[i % 2], NULL), ENT_OK);
        assert_int_equal(file_put(index, rows[i % 2], rows_size[i % 2], NULL), ENT_OK);
        assert_int_equal(follow(&library, &changes), ENT_OK);
        assert_int_equal(changes.count, 1);
        if (i == 2) open = counting.allocations - counting.frees;
    }
    assert_int_equal(counting.allocations - counting.frees, open);
    for (u32 i = 0; i < 2; i++) {
        free(blob[i]);
        free(rows[i]);
    }
    ent_library_close(&library);
    free(folder);
}

/* Packed in other ways: nothing has changed, and what only former bundles need is closed. */
static void bundle_that_is_packed_again_keeps_at_most_the_first_one(void** state) {
    char*          folder = project_new("follow_again");
    Library        library;
    LibraryChanges changes;
    UNUSED(state);
    library_begin(&library, folder, "all.pak", NULL);
    for (u32 i = 0; i < 6; i++) {
        TEST_DONE(folder, "entc pack out -o all.pak --level %u", i % 2 ? 19 : 0);
        for (u32 k = 0; k < 2; k++) {
            assert_int_equal(follow(&library, &changes), ENT_OK);
            assert_int_equal(changes.count, 0);
        }
        u32 open = 0;
        for (LibrarySource* s = library.source; s; s = s->next) open++;
        assert_true(open <= 2);
        entries_equal(&library, folder);
    }
    ent_library_close(&library);
    free(folder);
}

/* --- worlds --- */

/* All spawns of a level with a number are patched, once. */
static void spawns_of_changed_levels_are_patched_once(void** state) {
    char*          folder = project_new("follow_world");
    Spawned        number[3] = {0};
    Entity         part[8] = {0};
    SpawnOptions   options = {0};
    WorldFollowed  followed;
    LibraryChanges changes;
    Library        library;
    const Blob*    yard;
    World*         world;
    UNUSED(state);
    library_begin(&library, folder, "out", NULL);
    yard = &entry_of(&library, "yard", RESOURCE_LEVEL)->resource.blob;
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    for (u32 i = 0; i < 3; i++) {
        options.spawned = &number[i];
        options.part = i == 2 ? SPAWN_BASE : SPAWN_ALL;
        assert_int_equal(ent_world_spawn(world, yard, &options, i == 2 ? part : NULL), ENT_OK);
    }
    assert_int_equal(ent_entity_count(world), 3);
    test_write_text(folder, "src/yard.level.json",
                    "{ \"entities\": [ { \"name\": \"yard\" }, { \"name\": \"gate\" } ] }");
    build(folder);
    assert_int_equal(follow(&library, &changes), ENT_OK);
    for (u32 again = 0; again < 2; again++) {
        assert_int_equal(ent_world_follow(world, &changes, &followed), ENT_OK);
        assert_null(followed.failed);
        assert_int_equal(followed.spawns, again ? 0 : 3);
        assert_int_equal(followed.left, 0);
        assert_int_equal(followed.result.entities_added, again ? 0 : 3);
        assert_int_equal(followed.result.instances_removed, again ? 0 : 3); /* of `mesh` */
        assert_int_equal(ent_entity_count(world), 6);
    }
    assert_int_equal(ent_world_unspawn(world, number[0], 0, NULL), ENT_OK);
    assert_int_equal(ent_entity_count(world), 4);
    ent_world_destroy(world);
    ent_library_close(&library);
    free(folder);
}

TEST_SUITE(library_follow) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_resource_is_replaced_and_its_former_bytes_stay),
        cmocka_unit_test(new_references_are_opened_and_removed_resources_stay),
        cmocka_unit_test(removed_resource_is_reported_with_what_refers_to_it),
        cmocka_unit_test(unusable_files_leave_the_old_state),
        cmocka_unit_test(each_failing_allocation_leaves_the_old_state),
        cmocka_unit_test(random_builds_are_followed),
        cmocka_unit_test(resources_opened_while_a_thread_reads_are_followed),
        cmocka_unit_test(memory_stays_the_same_over_many_reloads),
        cmocka_unit_test(bundle_that_is_packed_again_keeps_at_most_the_first_one),
        cmocka_unit_test(spawns_of_changed_levels_are_patched_once),
    };
    return TEST_RUN("library_follow", tests);
}
