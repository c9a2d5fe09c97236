/* tool_skin.c - what the device computes of the characters of a level, as numbers for skin_oracle.py: for each
 * clip and each time the vertices and bounds of each instance that moves.
 *
 *     tool_skin OUT LEVEL TIMES [CLIP...] > skins.json
 *
 * CLIP: clips that the level does not refer to. */
#include <stdio.h>
#include <stdlib.h>

#include "animation.h"
#include "gpu_picture.h"
#include "lit_system.h"
#include "meshes_internal.h"
#include "rows.h"
#include "spawn.h"

typedef struct Tool {
    Library    library;
    World*     world;
    Gpu*       gpu;
    GpuFrames* frames;
    LitSystem  lit;
    Meshes*    meshes;
    Entity*    entities; /* [entity_count] of the level */
    u32        entity_count;
} Tool;

static void must(ent_status status, const char* what) {
    if (status == ENT_OK) return;
    fprintf(stderr, "tool_skin: %s: %s\n", what, ent_status_text(status));
    exit(1);
}

static void tool_open(Tool* t, const char* folder, const char* level) {
    const Blob* blob;
    GpuProblem  problem = {0};
    must(ent_library_open(&t->library, folder, NULL), folder);
    must(ent_library_load(&t->library, level, RESOURCE_LEVEL, &blob), level);
    must(ent_world_create(&t->world, NULL), "a world");
    t->entity_count = blob->header->element_count;
    t->entities = malloc((t->entity_count + 1) * sizeof *t->entities);
    must(t->entities ? ENT_OK : ENT_NO_MEMORY, "memory");
    must(ent_world_spawn(t->world, blob, NULL, t->entities), level);
    must(ent_gpu_create(&t->gpu, &(GpuDesc){0}), "a device");
    must(ent_gpu_frames_create(&t->frames, t->gpu, &(GpuFramesDesc){0}), "frames");
    const GpuScene scene = {.world = t->world, .library = &t->library};
    must(lit_create(&t->lit, ent_meshes_system(), t->gpu, &scene, &problem), problem.text);
    t->meshes = t->lit.at[1].state;
}

static void tool_close(Tool* t) {
    lit_destroy(&t->lit);
    ent_gpu_frames_destroy(t->frames);
    ent_gpu_destroy(t->gpu);
    ent_world_destroy(t->world);
    ent_library_close(&t->library);
    free(t->entities);
}

/* Its number in the level. */
static u32 number_of(const Tool* t, Entity entity) {
    u32 i = 0;
    while (i < t->entity_count && t->entities[i] != entity) i++;
    return i;
}

/* Poses all skins. A clip that does not move a skeleton leaves it in its rest pose. */
static void frame_run(Tool* t, ResourceRef clip, f32 time_s) {
    const SkinRows rows = ent_skin_rows(t->world);
    const GpuParts parts = lit_parts(&t->lit);
    GpuFrame*      frame;
    for (u32 i = 0; i < rows.count; i++) {
        rows.record[i].clip = clip;
        rows.record[i].time_s = time_s;
        rows.record[i].end = PLAYING_HOLD;
    }
    must(ent_gpu_frame_begin(t->frames, &frame), "a frame");
    must(ent_picture_record(frame, &parts, NULL, NULL), "a frame");
    must(ent_meshes_move_all(t->meshes, frame), "a frame");
    must(ent_gpu_frame_end(frame), "a frame");
    must(ent_gpu_frames_wait(t->frames), "a frame");
}

static const char* name_of(const Tool* t, ResourceRef id) {
    for (u32 i = 0; i < t->library.count; i++) {
        const LibraryEntry* entry = ent_library_entry(&t->library, i);
        if (resource_id(entry->id) == resource_id(id)) return entry->name;
    }
    return "";
}

static void vertices_put(const u32* words, const SkinRange* range) {
    for (u32 v = 0; v < range->vertex_count; v++) {
        f32        at[3];
        const u32* vertex = words + range->to + v * 4;
        memcpy(at, vertex, sizeof at);
        printf("%s[%.9g,%.9g,%.9g,%u]", v ? "," : "", (f64)at[0], (f64)at[1], (f64)at[2],
               range->normal == SKINNING_NONE ? 0 : vertex[3]);
    }
}

static void ranges_put(Tool* t) {
    const Skinning* s = &t->meshes->skin.skinning;
    u32* const      words = malloc(s->buffer.to.bytes);
    SkinBounds*     boxes = malloc(s->buffer.boxes.bytes);
    must(words && boxes ? ENT_OK : ENT_NO_MEMORY, "memory");
    must(gpu_download(t->gpu, &s->buffer.to, 0, words, s->buffer.to.bytes), "vertices");
    must(gpu_download(t->gpu, &s->buffer.boxes, 0, boxes, s->buffer.boxes.bytes), "bounds");
    for (u32 i = 0; i < s->count.ranges; i++) {
        const u32      slot = t->meshes->skin.range_slot[i];
        const Entity   owner = t->meshes->slots.owner[slot];
        const Manager* meshes = ent_world_built_in(t->world, COMPONENT_MESH);
        const Manager* skins = ent_world_built_in(t->world, COMPONENT_SKIN);
        const u32      mesh = ent_manager_row(meshes, ent_world_entities(t->world), owner);
        const u32      skin = ent_manager_row(skins, ent_world_entities(t->world), owner);
        printf("%s{\"entity\":%u,\"mesh\":\"%s\",\"skeleton\":\"%s\",\"normals\":%d,\n\"low\":[%."
               "9g,%.9g,%.9g],"
               "\"high\":[%.9g,%.9g,%.9g],\"vertices\":[",
               i ? ",\n" : "", number_of(t, owner),
               name_of(t, ent_mesh_rows(t->world).record[mesh].resource),
               skin == MANAGER_NO_ROW || s->range[i].instance == SKINNING_NONE
                   ? ""
                   : name_of(t, ent_skin_rows(t->world).record[skin].skeleton),
               s->range[i].normal != SKINNING_NONE, (f64)boxes[i].low.x, (f64)boxes[i].low.y,
               (f64)boxes[i].low.z, (f64)boxes[i].high.x, (f64)boxes[i].high.y,
               (f64)boxes[i].high.z);
        vertices_put(words, &s->range[i]);
        printf("]}");
    }
    free(words);
    free(boxes);
}

int main(int argc, char** argv) {
    Tool t = {0};
    bool first = true;
    if (argc < 4) must(ENT_BAD_FIELD, "tool_skin OUT LEVEL TIMES [CLIP...]");
    const u32 times = (u32)strtoul(argv[3], NULL, 10);
    tool_open(&t, argv[1], argv[2]);
    for (int i = 4; i < argc; i++) {
        const Blob* clip;
        must(ent_library_resource(&t.library, argv[i], RESOURCE_CLIP, &clip), argv[i]);
    }
    printf("{\"poses\":[");
    for (u32 i = 0; i < t.library.count; i++) {
        const LibraryEntry* entry = ent_library_entry(&t.library, i);
        if (entry->resource.blob.header->resource_type != RESOURCE_CLIP) continue;
        const f32 duration_s = ent_clip_duration(&entry->resource.blob);
        for (u32 k = 0; k < times; k++) {
            const f32 time_s = duration_s * (f32)k / (f32)MAX_OF(times - 1, 1u);
            frame_run(&t, entry->id, time_s);
            printf("%s{\"clip\":\"%s\",\"time\":%.9g,\"ranges\":[", first ? "" : ",\n", entry->name,
                   (f64)time_s);
            ranges_put(&t);
            printf("]}");
            first = false;
        }
    }
    printf("]}\n");
    tool_close(&t);
    return ferror(stdout) ? 1 : 0;
}
