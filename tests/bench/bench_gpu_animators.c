/* bench_gpu_animators.c - where 100,000 entities of 1,000 animators are, compared with the kernels of skins for as many
 * joints of the same hierarchies, which play the same clip at the same times.
 *
 * BENCH_MACHINES: a folder into which the project of tests/support/make_machines.py was compiled. */
#include <stdlib.h>
#include <string.h>

#include "bench_gpu.h"
#include "gpu_frame_internal.h"
#include "gpu_places.h"
#include "rows.h"
#include "skinning.h"
#include "spawn.h"

typedef struct Machines {
    Library    library;
    World*     world;
    Animators* animators;
    GpuPlaces  places;
    PoseTables tables; /* of the skins */
    Skinning   skinning;
    u32        nodes; /* of each machine */
} Machines;

/* --- the same as skins --- */

/* The node of a clip in the order of the tables. */
static u32 node_find(const PoseTables* t, NameRef node) {
    u32 i = 0;
    while (t->node[i].node != node) i++;
    return i;
}

/* A skeleton whose joints are the nodes of the first machine, in the order in which its clip has channels. */
static void skeleton_fill(Machines* m) {
    const PoseTables*         from = ent_animators_tables(m->animators);
    const AnimatedNodeRows    nodes = ent_animated_node_rows(m->world);
    const EntTransformLinks*  links = ent_transform_links(m->world);
    const TransformRows       rows = ent_transform_rows(m->world);
    const Manager*            manager = ent_world_built_in(m->world, COMPONENT_ANIMATED_NODE);
    static const PoseSet      set = {.moves = 1};
    static const PoseSkeleton skeleton = {0};
    PoseTables* const         t = &m->tables;
    *t = *from;
    t->joint = calloc(m->nodes, sizeof *t->joint);
    t->bind = calloc(m->nodes, sizeof *t->bind);
    t->skeleton = malloc(sizeof *t->skeleton);
    t->set = malloc(sizeof *t->set);
    if (!t->joint || !t->bind || !t->skeleton || !t->set) bench_must(ENT_NO_MEMORY, "joints");
    *t->skeleton = skeleton;
    *t->set = set;
    t->skeleton->joint_count = t->skeleton->bind_count = m->nodes;
    t->set->first_channel = from->node[0].first_channel;
    t->joint_count = t->bind_count = t->joint_max = m->nodes;
    t->skeleton_count = t->set_count = 1;
    for (u32 i = 0; i < nodes.count; i++) {
        const AnimatedNodeRecord* n = &nodes.record[i];
        if (n->animator != nodes.record[0].animator) continue;
        const u32 at = node_find(from, n->node);
        const u32 parent = links[ent_transform_row(m->world, nodes.entity[i])].parent;
        const u32 above = parent == NONE ? NONE
                                         : ent_manager_row(manager, ent_world_entities(m->world),
                                                           rows.entity[parent]);
        t->joint[at] = (JointRecord){
            .parent = above == NONE ? NONE : node_find(from, nodes.record[above].node),
            .position = n->position,
            .rotation = n->rotation,
            .scale = n->scale};
        t->bind[at] = (BindRecord){at, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    }
}

static void skins_open(Machines* m, Bench* b) {
    const u32 count = ent_animator_rows(m->world).count;
    skeleton_fill(m);
    bench_must(skinning_create(&m->skinning, b->gpu, &m->tables), "skins");
    for (u32 i = 0, which; i < count; i++)
        bench_must(skinning_instance(&m->skinning, 0, &which), "a skin");
}

/* The times of the animators. */
static void skins_play(Machines* m) {
    for (u32 i = 0; i < m->skinning.count.instances; i++) {
        PosePlay play;
        ent_animators_playing(m->animators, i, &play);
        play.set = 0;
        skinning_play(&m->skinning, i, &play);
    }
}

/* --- frames --- */

static void frames_run(Machines* m, Bench* b, BenchPasses* passes) {
    const GpuFramesDesc desc = {GPU_TIMES_PASSES, bench_passes_keep, passes};
    const SkinningInput input = {0};
    GpuFrames*          frames;
    GpuFrame*           frame;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 k = 0; k < BENCH_RUNS + 2; k++) {
        bench_must(ent_animators_advance(m->animators, 1.0f / 60), "times");
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        bench_must(gpu_places_update(&m->places, frame), "places");
        skins_play(m);
        if (k == 0) bench_must(skinning_place(&m->skinning, frame), "skins");
        bench_must(skinning_record(&m->skinning, frame, &input), "skins");
        bench_must(ent_gpu_frame_end(frame), "a frame");
    }
    bench_must(ent_gpu_frames_wait(frames), "frames");
    ent_gpu_frames_destroy(frames);
}

static void machines_open(Machines* m, Bench* b, const char* folder) {
    const Blob* level;
    memset(m, 0, sizeof *m);
    bench_must(ent_library_open(&m->library, folder, NULL), folder);
    bench_must(ent_library_load(&m->library, "hall", RESOURCE_LEVEL, &level), m->library.problem);
    bench_must(ent_world_create(&m->world, NULL), "a world");
    bench_must(ent_world_spawn(m->world, level, NULL, NULL), "a level");
    bench_must(ent_animators_create(&m->animators, m->world, &m->library), "animators");
    bench_must(gpu_places_create(&m->places, b->gpu, m->world, m->animators), "places");
    bench_must(ent_animators_advance(m->animators, 0), "times");
    m->nodes = ent_animated_node_rows(m->world).count / ent_animator_rows(m->world).count;
    bench_must(ent_animators_pose(m->animators), "poses");
}

static void machines_close(Machines* m) {
    skinning_destroy(&m->skinning);
    gpu_places_destroy(&m->places);
    free(m->tables.joint), free(m->tables.bind);
    free(m->tables.skeleton), free(m->tables.set);
    ent_animators_destroy(m->animators);
    ent_world_destroy(m->world);
    ent_library_close(&m->library);
}

void bench_animators(Bench* b) {
    const char* folder = getenv("BENCH_MACHINES");
    BenchPasses passes = {0};
    Machines    m;
    if (!folder || !bench_is_selected(b, "animators", 100000)) return;
    machines_open(&m, b, folder);
    skins_open(&m, b);
    frames_run(&m, b, &passes);
    bench_report_beside(b, "animators: 100 entities each",
                        "the kernels of skins for as many joints",
                        m.nodes * m.skinning.count.instances,
                        bench_passes_ms(&passes, "animated", "animated places"),
                        bench_passes_ms(&passes, "sample", "palette"), 1.1);
    bench_passes_report(&passes);
    machines_close(&m);
}
