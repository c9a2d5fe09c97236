/* tool_host.c - a host that uses most of libent, for faults_all.py, which makes its calls fail.
 *
 *     tool_host FOLDER LEVEL OLD NEW     a folder or bundle, a level in it, two states of one level
 *
 * Does everything twice, in two worlds that share nothing. If the first time fails, everything is
 * freed, the step and the status are printed to stderr, and the second time must give the result of
 * an undisturbed run. Exit code: that of the first failure. */
#include "base.h"
#include "ent.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exit_codes.h"

typedef struct Session {
    const char* const* paths; /* the four arguments */
    JobPool*           pool;
    Library            library;
    Resource           old, new;
    World *            world, *again;
    Patch*             patch;
    void*              save;
    size_t             save_bytes;
    Entity             spawned[4096];
    int                has_library, has_old, has_new;
    const char*        step;
} Session;

#define STEP(name, call)                                                                           \
    do {                                                                                           \
        s->step = name;                                                                            \
        TRY(call);                                                                                 \
    } while (0)

static ent_status pool_create(Session* s) {
    s->pool = ent_job_pool_create(1, NULL);
    return s->pool ? ENT_OK : ENT_NO_MEMORY;
}

/* With the component types that the project declares. */
static ent_status world_create(Session* s, World** out) {
    const WorldDesc desc = {.jobs = s->pool};
    TRY(ent_world_create(out, &desc));
    for (u32 i = 0; i < s->library.count; i++) {
        const Blob* blob = &ent_library_entry(&s->library, i)->resource.blob;
        if (blob->header->resource_type == RESOURCE_COMPONENT) TRY(ent_world_declare(*out, blob));
    }
    return ENT_OK;
}

static ent_status levels_open(Session* s, const Blob** level) {
    STEP("open a library", ent_library_open(&s->library, s->paths[0], NULL));
    s->has_library = 1;
    STEP("load a level", ent_library_load(&s->library, s->paths[1], RESOURCE_LEVEL, level));
    STEP("open the old level", ent_resource_open(&s->old, s->paths[2], NULL, NULL));
    s->has_old = 1;
    STEP("open the new level", ent_resource_open(&s->new, s->paths[3], NULL, NULL));
    s->has_new = 1;
    return ENT_OK;
}

/* The spawned world is saved, and the save spawned in another world. */
static ent_status saved_spawns(Session* s, const Blob* level) {
    const SaveSource  source = {level, s->spawned};
    const SaveOptions options = {.name = "saves/quick", .sources = &source, .source_count = 1};
    BlobFault         fault;
    Blob              saved;
    STEP("spawn", ent_world_spawn(s->world, level, NULL, s->spawned));
    STEP("save", ent_world_save(s->world, &options, &s->save, &s->save_bytes));
    STEP("create a second world", world_create(s, &s->again));
    STEP("open the save", ent_blob_open(&saved, s->save, s->save_bytes, NULL, &fault));
    STEP("spawn the save", ent_world_spawn(s->again, &saved, NULL, NULL));
    return ENT_OK;
}

static ent_status patched_follows(Session* s, PatchResult* result) {
    ent_world_clear(s->world);
    STEP("spawn the old level", ent_world_spawn(s->world, &s->old.blob, NULL, s->spawned));
    STEP("compare", ent_patch_create(&s->patch, s->world, &s->old.blob, &s->new.blob, NULL));
    STEP("patch", ent_world_patch(s->world, s->patch, NULL, s->spawned, s->spawned, result));
    return ENT_OK;
}

static ent_status session_run(Session* s) {
    const Blob* level;
    PatchResult result;
    STEP("create a job pool", pool_create(s));
    TRY(levels_open(s, &level));
    STEP("create a world", world_create(s, &s->world));
    TRY(saved_spawns(s, level));
    TRY(patched_follows(s, &result));
    printf("%u resources, %u and %u rows, a save of %zu bytes, %u fields\n", s->library.count,
           ent_transform_rows(s->world).count, ent_transform_rows(s->again).count, s->save_bytes,
           result.fields_written);
    return ENT_OK;
}

static void session_end(Session* s) {
    ent_patch_destroy(s->patch);
    if (s->save) ent_world_save_free(s->world, s->save, s->save_bytes);
    ent_world_destroy(s->again);
    ent_world_destroy(s->world);
    if (s->has_new) ent_resource_close(&s->new);
    if (s->has_old) ent_resource_close(&s->old);
    if (s->has_library) ent_library_close(&s->library);
    ent_job_pool_destroy(s->pool);
}

static ent_status session(const char* const* paths) {
    static Session s;
    s = (Session){.paths = paths};
    const ent_status status = session_run(&s);
    session_end(&s);
    if (status != ENT_OK) {
        fprintf(stderr, "error: cannot %s: %s\n", s.step, ent_status_text(status));
    }
    return status;
}

int main(int count, char** words) {
    if (count != 5) return EXIT_USAGE;
    const char* const paths[] = {words[1], words[2], words[3], words[4]};
    const ent_status  first = session(paths);
    const ent_status  second = session(paths);
    if (first == ENT_OK && fflush(stdout) != 0) {
        fputs("error: cannot write to standard output\n", stderr);
        return EXIT_IO;
    }
    return exit_code_of(first != ENT_OK ? first : second);
}
