/* bench_animators.c - 100,000 nodes of 1,000 animators on the CPU, with all world matrices, compared with a plain loop
 * over arrays of keys and poses.
 *
 *     bench_animators OUT LEVEL */
#include "bench_plain_pose.h"
#include "bench_rows.h"
#include "clip.h"
#include "ent.h"
#include "sections.h"

static void must(ent_status status, const char* what) {
    if (status == ENT_OK) return;
    fprintf(stderr, "bench_animators: %s: %s\n", what, ent_status_text(status));
    exit(1);
}

/* What a loop by hand knows: for each transform the keys that move it, its parent and its animator. */
typedef struct Plain {
    PlainChannel (*channel)[3]; /* [count] */
    u32*   parent;              /* [count] an earlier one, or NONE */
    u32*   animator;            /* [count] row, or NONE */
    Vec3 * position, *scale;
    Quat*  rotation;
    Mat34* world;
    f32*   time_s; /* [animators] */
    f32    duration_s;
    u32    count, animators;
} Plain;

static const void* rows_of(const EntBlob* blob, u32 kind, u32* count) {
    const EntBlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

static void channels_fill(const EntBlob* clip, NameRef node, PlainChannel* channel) {
    u32                count, values;
    const TrackRecord* track = rows_of(clip, SECTION_TRACK, &count);
    const f32*         time = rows_of(clip, SECTION_KEY_TIME, &values);
    f32*               value = (f32*)(uintptr_t)rows_of(clip, SECTION_KEY_VALUE, &values);
    for (u32 i = 0; i < count; i++)
        if (track[i].node == node)
            channel[track[i].channel] = (PlainChannel){
                time + track[i].first_time, value + track[i].first_value, track[i].key_count};
}

static void plain_fill(Plain* p, EntWorld* world, const EntBlob* clip) {
    const EntTransformRows    t = ent_transform_rows(world);
    const EntTransformLinks*  links = ent_transform_links(world);
    const EntAnimatedNodeRows nodes = ent_animated_node_rows(world);
    const EntAnimatorRows     rows = ent_animator_rows(world);
    const EntManager*         manager = ent_world_manager_by_name(world, "animator");
    *p = (Plain){calloc(t.count, sizeof *p->channel),
                 calloc(t.count, sizeof(u32)),
                 calloc(t.count, sizeof(u32)),
                 calloc(t.count, sizeof(Vec3)),
                 calloc(t.count, sizeof(Vec3)),
                 calloc(t.count, sizeof(Quat)),
                 calloc(t.count, sizeof(Mat34)),
                 calloc(rows.count, sizeof(f32)),
                 ent_clip_duration(clip),
                 t.count,
                 rows.count};
    for (u32 i = 0; i < t.count; i++) {
        p->parent[i] = links[i].parent;
        p->animator[i] = NONE;
        p->position[i] = t.position[i];
        p->rotation[i] = t.rotation[i];
        p->scale[i] = t.scale[i];
    }
    for (u32 i = 0; i < nodes.count; i++) {
        const u32 row = ent_transform_row(world, nodes.entity[i]);
        p->animator[row] =
            ent_manager_row(manager, ent_world_entities(world), nodes.record[i].animator);
        channels_fill(clip, nodes.record[i].node, p->channel[row]);
    }
    for (u32 i = 0; i < rows.count; i++) p->time_s[i] = rows.record[i].time_s;
}

static void plain_run(Plain* p, f32 seconds) {
    for (u32 i = 0; i < p->animators; i++)
        p->time_s[i] = fmodf(p->time_s[i] + seconds, p->duration_s);
    for (u32 i = 0; i < p->count; i++) {
        if (p->animator[i] != NONE) {
            const f32 time_s = p->time_s[p->animator[i]];
            plain_channel_sample(&p->channel[i][0], 3, time_s, &p->position[i].x);
            plain_channel_sample(&p->channel[i][1], 4, time_s, &p->rotation[i].x);
            plain_channel_sample(&p->channel[i][2], 3, time_s, &p->scale[i].x);
        }
        const Mat34 local = mat34_of_pose(&p->position[i], &p->rotation[i], &p->scale[i]);
        p->world[i] = p->parent[i] == NONE ? local : plain_product(&p->world[p->parent[i]], &local);
    }
}

static void animators_run(EntAnimators* animators, f32 seconds) {
    must(ent_animators_advance(animators, seconds), "times");
    must(ent_animators_pose(animators), "poses");
}

/* Do both have the same matrices? */
static void compare(const Plain* p, EntWorld* world) {
    const EntMat34* found = ent_transform_worlds(world);
    f32             max = 0;
    for (u32 i = 0; i < p->count; i++)
        for (u32 k = 0; k < 12; k++) {
            const f32 d = fabsf(found[i].m[k / 4][k % 4] - p->world[i].m[k / 4][k % 4]);
            max = MAX_OF(max, d);
        }
    if (!(max < 1e-2f)) must(ENT_BAD_HASH, "the same matrices");
}

int main(int argc, char** argv) {
    EntLibrary     library;
    EntWorld*      world;
    EntAnimators*  animators;
    const EntBlob *level, *clip;
    BenchTimes     plain_ns = {0}, ours_ns = {0};
    Plain          plain;
    if (argc != 3) must(ENT_BAD_FIELD, "bench_animators OUT LEVEL");
    must(ent_library_open(&library, argv[1], NULL), argv[1]);
    must(ent_library_load(&library, argv[2], RESOURCE_LEVEL, &level), argv[2]);
    must(ent_library_load(&library, "machine/run", RESOURCE_CLIP, &clip), "machine/run");
    must(ent_world_create(&world, NULL), "a world");
    must(ent_world_spawn(world, level, NULL, NULL), "a level");
    must(ent_animators_create(&animators, world, &library), "animators");
    plain_fill(&plain, world, clip);
    animators_run(animators, 0.01f); /* resolves everything */
    plain_run(&plain, 0.01f);
    for (u32 run = 0; run < BENCH_RUNS; run++) {
        BENCH_TIMED(plain_ns, plain_run(&plain, 1.0f / 60));
        BENCH_TIMED(ours_ns, animators_run(animators, 1.0f / 60));
    }
    compare(&plain, world);
    const u32 nodes = ent_animated_node_rows(world).count;
    const f64 ours = bench_median(&ours_ns) / nodes, theirs = bench_median(&plain_ns) / nodes;
    bench_row("animators: 100 nodes each, with matrices / a plain loop", nodes, ours, "ns/node",
              ours / theirs, 1.2);
    ent_animators_destroy(animators);
    ent_world_destroy(world);
    ent_library_close(&library);
    return 0;
}
