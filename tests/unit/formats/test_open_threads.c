/* test_open_threads.c - several threads validate a blob with the result of one thread, message by
 * message. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "blob.h"
#include "file.h"
#include "jobs.h"

#define ENTITIES 6000u
#define CHANGES  1500u

/* Writes a level whose columns are long: transforms, lights, meshes, masses, names and parents. */
static void level_write(const char* folder, const char* name) {
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    fputs("{ \"entities\": [", out);
    for (u32 i = 0; i < ENTITIES; i++) {
        fprintf(out, "%s{ \"name\": \"%s_%u\", ", i ? ",\n" : "", name, i);
        if (i % 2) fprintf(out, "\"parent\": \"%s_%u\", ", name, i - 1);
        fprintf(out,
                "\"components\": { \"transform\": { \"position\": [%u, 1, 2] }, \"light\": { "
                "\"range_m\": %u }, \"point_mass\": { \"mass\": 2 }, \"attach_to_joint\": { "
                "\"skin\": \"%s_%u\", \"joint\": \"hand\" } } }",
                i, 1 + i % 9, name, i - i % 2);
    }
    fputs("] }", out);
    fclose(out);
    test_write_text(folder, "src/a.level.json", text);
    free(text);
}

static void expect_equal(const BlobFault* a, const BlobFault* b) {
    assert_int_equal(a->status, b->status);
    assert_int_equal(a->offset, b->offset);
    assert_string_equal(a->field, b->field);
    assert_string_equal(a->reason, b->reason);
}

/* A level that was built and can be changed, beside the file. */
typedef struct Level {
    FileView view;
    u8*      bytes; /* [view.size] */
} Level;

static Level level_open(const char* folder, const char* name) {
    Level level;
    char  path[4096];
    level_write(folder, name);
    EXPECT(folder, 0, "", "entc build src -o out");
    snprintf(path, sizeof path, "%s/out/a.level", folder);
    assert_int_equal(file_map(&level.view, path), ENT_OK);
    level.bytes = aligned_alloc(16, level.view.size);
    memcpy(level.bytes, level.view.bytes, level.view.size);
    return level;
}

static void level_close(Level* level) {
    free(level->bytes);
    file_unmap(&level->view);
}

static void fault_in_any_word_is_the_same_with_any_number_of_threads(void** state) {
    static const u32  words[] = {0, 1, 0xffffffffu, 0x7fc00000u, 0x7f800000u, 0x80000000u, 7};
    const char*       folder = test_folder("open_threads");
    JobPool*          pool = ent_job_pool_create(2, NULL);
    const BlobOptions one = {.skip_hash = 1}, many = {.skip_hash = 1, .pool = pool};
    Level             level = level_open(folder, "entity");
    u8* const         bytes = level.bytes;
    const size_t      size = level.view.size;
    Blob              blob;
    u32               refused = 0;
    UNUSED(state);
    assert_int_equal(ent_blob_open(&blob, bytes, size, &many, NULL), ENT_OK);
    srand(5);
    for (u32 i = 0; i < CHANGES; i++) {
        BlobFault    fault, other;
        const size_t at = ((size_t)rand() * 4099 + (size_t)rand()) % (size / 4) * 4;
        const u32    word = i % 8 < 7 ? words[i % 7] : (u32)rand();
        memcpy(bytes + at, &word, 4);
        const ent_status status = ent_blob_open(&blob, bytes, size, &one, &fault);
        assert_int_equal(ent_blob_open(&blob, bytes, size, &many, &other), status);
        expect_equal(&fault, &other);
        refused += status != ENT_OK;
        memcpy(bytes + at, level.view.bytes + at, 4);
    }
    assert_in_range(refused, CHANGES / 4, CHANGES);
    level_close(&level);
    ent_job_pool_destroy(pool);
}

/* Each thread validates the names of some rows: where they do not meet, the blob is invalid. Names with
 * other characters than those of ASCII are validated in another way. */
static void names_that_do_not_meet_are_refused_by_several_threads(void** state) {
    static const char* const names[] = {"entity", "entit\xc3\xa9"};
    JobPool*                 pool = ent_job_pool_create(2, NULL);
    const BlobOptions        one = {.skip_hash = 1}, many = {.skip_hash = 1, .pool = pool};
    UNUSED(state);
    for (u32 n = 0; n < COUNT_OF(names); n++) {
        Level        level = level_open(test_folder("open_threads_names"), names[n]);
        u8* const    bytes = level.bytes;
        const size_t size = level.view.size;
        Blob         blob = {0};
        assert_int_equal(ent_blob_open(&blob, bytes, size, &many, NULL), ENT_OK);
        assert_ptr_equal(blob.bytes, bytes);
        const BlobSection* rows = ent_blob_section(&blob, SECTION_NAME_OFFSET);
        u32*               offset = (u32*)(void*)(bytes + rows->offset);
        assert_int_equal(rows->count, ENTITIES);
        for (u32 i = 0; i < ENTITIES; i += 250) {
            BlobFault fault, other;
            offset[i] += 1;
            assert_int_equal(ent_blob_open(&blob, bytes, size, &one, &fault), ENT_BAD_FIELD);
            assert_int_equal(ent_blob_open(&blob, bytes, size, &many, &other), ENT_BAD_FIELD);
            expect_equal(&fault, &other);
            offset[i] -= 1;
        }
        level_close(&level);
    }
    ent_job_pool_destroy(pool);
}

TEST_SUITE(open_threads) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fault_in_any_word_is_the_same_with_any_number_of_threads),
        cmocka_unit_test(names_that_do_not_meet_are_refused_by_several_threads),
    };
    return TEST_RUN("open_threads", tests);
}
