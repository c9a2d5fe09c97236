/* tool_pose.c - where the entities of a compiled model are at times of its animations, as text for pose_oracle.py:
 * a line for each time and entity with its world matrix, and one with the weights of its morph targets if a clip
 * animates them.
 *
 *     tool_pose OUT NAME TIME...
 *
 * A line has four fields between tabs: the number of the time, `matrix` or `weights`, the path of the entity, and the
 * numbers with spaces between them. Clips are held at their ends, as those of Blender are. */
#include <stdio.h>
#include <stdlib.h>

#include "animators.h"
#include "entity_names.h"
#include "rows.h"
#include "sections.h"
#include "skins.h"
#include "spawn.h"
#include "transform_manager.h"

#define WEIGHTS_MAX 64u

typedef struct Tool {
    Library    library;
    World*     world;
    Animators* animators;
    Skins*     skins;
    Entity*    entities; /* [entity_count] of the model */
    u32        entity_count;
} Tool;

static void must(ent_status status, const char* what) {
    if (status == ENT_OK) return;
    fprintf(stderr, "tool_pose: %s: %s\n", what, ent_status_text(status));
    exit(1);
}

static void tool_open(Tool* t, const char* folder, const char* name) {
    const Blob*     blob;
    const WorldDesc desc = {.names = 1};
    must(ent_library_open(&t->library, folder, NULL), folder);
    must(ent_library_load(&t->library, name, RESOURCE_ENTITY, &blob), name);
    must(ent_world_create(&t->world, &desc), "a world");
    t->entity_count = blob->header->element_count;
    t->entities = malloc((t->entity_count + 1) * sizeof *t->entities);
    must(t->entities ? ENT_OK : ENT_NO_MEMORY, "memory");
    must(ent_world_spawn(t->world, blob, NULL, t->entities), name);
    must(ent_animators_create(&t->animators, t->world, &t->library), "animators");
    must(ent_skins_create(&t->skins, t->world, &t->library), "skins");
}

static void tool_close(Tool* t) {
    ent_skins_destroy(t->skins);
    ent_animators_destroy(t->animators);
    ent_world_destroy(t->world);
    ent_library_close(&t->library);
    free(t->entities);
}

/* Everything is posed at a time, as a host does it that begins at 0 and makes one step. */
static void time_set(Tool* t, f32 time_s) {
    const AnimatorRows animators = ent_animator_rows(t->world);
    const SkinRows     skins = ent_skin_rows(t->world);
    for (u32 i = 0; i < animators.count; i++) {
        animators.record[i].time_s = 0;
        animators.record[i].end = PLAYING_HOLD;
    }
    for (u32 i = 0; i < skins.count; i++) {
        skins.record[i].time_s = 0;
        skins.record[i].end = PLAYING_HOLD;
    }
    must(ent_animators_advance(t->animators, time_s), "animators");
    must(ent_skins_advance(t->skins, time_s), "skins");
    must(ent_animators_pose(t->animators), "animators");
    must(ent_skins_attach(t->skins), "skins");
}

static void numbers_put(const f32* numbers, u32 count) {
    for (u32 i = 0; i < count; i++) printf("%s%.9g", i ? " " : "", (f64)numbers[i]);
    printf("\n");
}

/* The weights of the morph targets of an entity whose clip animates them. */
static void weights_put(const Tool* t, Entity entity, u32 time, const char* path) {
    const EntityPool* pool = ent_world_entities(t->world);
    const u32 mesh = ent_manager_row(ent_world_built_in(t->world, COMPONENT_MESH), pool, entity);
    const u32 skin = ent_manager_row(ent_world_built_in(t->world, COMPONENT_SKIN), pool, entity);
    f32       weights[WEIGHTS_MAX] = {0};
    if (mesh == MANAGER_NO_ROW || skin == MANAGER_NO_ROW) return;
    const Blob* blob = ent_library_find(&t->library, ent_mesh_rows(t->world).record[mesh].resource);
    const BlobSection* targets = blob ? ent_blob_section(blob, SECTION_MORPH_TARGET) : NULL;
    if (!targets || targets->count > WEIGHTS_MAX) return;
    must(ent_skins_weights(t->skins, skin, targets->count, weights), "weights");
    printf("%u\tweights\t%s\t", time, path);
    numbers_put(weights, targets->count);
}

static void entities_put(const Tool* t, u32 time) {
    char path[4096];
    for (u32 i = 0; i < t->entity_count; i++) {
        const Mat34* world = ent_transform_world(t->world, t->entities[i]);
        if (!world) continue;
        ent_world_path(t->world, t->entities[i], path, sizeof path);
        printf("%u\tmatrix\t%s\t", time, path);
        numbers_put(&world->m[0][0], 12);
        weights_put(t, t->entities[i], time, path);
    }
}

int main(int argc, char** argv) {
    Tool t = {0};
    if (argc < 4) must(ENT_BAD_FIELD, "tool_pose OUT NAME TIME...");
    tool_open(&t, argv[1], argv[2]);
    for (int i = 3; i < argc; i++) {
        time_set(&t, strtof(argv[i], NULL));
        entities_put(&t, (u32)i - 3);
    }
    tool_close(&t);
    return ferror(stdout) ? 1 : 0;
}
