/* bench_gpu_skinning.c - skinning ten million vertices with the bones in shared memory and in the buffer, and a
 * crowd of 10,000 instances from clips to vertices. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu.h"
#include "gpu_frame_internal.h"
#include "skinning.h"

#define MESH_VERTICES 10240u
#define INSTANCES     1000u
#define STREAM_WORDS  14u /* position, normal, tangent, joints, weights */
#define WRITTEN_WORDS 5u

typedef struct SkinCase {
    const char* what;
    u32         bones, vertices, instances, keys; /* keys: of each track; 0: no clip */
    bool        coherent;                         /* joints of a vertex are near each other */
} SkinCase;

static u32 random_of(u32* seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

static f32 float_of(u32* seed) { return (f32)random_of(seed) / (f32)(1 << 24) * 2 - 1; }

static void* must_have(void* memory) {
    bench_must(memory ? ENT_OK : ENT_NO_MEMORY, "memory");
    return memory;
}

/* A tree of joints, and a bone for each of them. */
static void skeleton_fill(PoseTables* t, const SkinCase* c, u32* seed) {
    t->skeleton = must_have(calloc(1, sizeof *t->skeleton));
    t->joint = must_have(calloc(c->bones, sizeof *t->joint));
    t->bind = must_have(calloc(c->bones, sizeof *t->bind));
    t->skeleton_count = 1;
    t->joint_count = t->bind_count = t->joint_max = c->bones;
    t->skeleton[0] = (PoseSkeleton){.joint_count = c->bones, .bind_count = c->bones};
    for (u32 i = 0; i < c->bones; i++) {
        t->joint[i] = (JointRecord){.parent = i ? (i - 1) / 2 : NONE,
                                    .position = {float_of(seed) * 0.1f, 0.1f, 0},
                                    .rotation = {0, 0, 0, 1},
                                    .scale = {1, 1, 1}};
        t->bind[i] = (BindRecord){i, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    }
}

static void clip_fill(PoseTables* t, const SkinCase* c, u32* seed) {
    const u32 words = c->keys * (1 + 4);
    if (c->keys == 0) return;
    t->set = must_have(calloc(1, sizeof *t->set));
    t->channel = must_have(calloc(c->bones * 3ull, sizeof *t->channel));
    t->key = must_have(calloc((size_t)c->bones * words, sizeof *t->key));
    t->set_count = 1;
    t->channel_count = c->bones * 3;
    for (u32 i = 0; i < c->bones; i++) {
        const u32 first = i * words;
        t->channel[i * 3 + 1] = (PoseChannel){first, first + c->keys, c->keys, CHANNEL_LINEAR, 0};
        for (u32 k = 0; k < c->keys; k++) {
            t->key[first + k] = (f32)k / 30;
            t->key[first + c->keys + k * 4] = float_of(seed) * 0.2f;
            t->key[first + c->keys + k * 4 + 3] = 1;
        }
    }
    t->key_count = c->bones * words;
}

static void tables_free(PoseTables* t) {
    free(t->skeleton);
    free(t->set);
    free(t->joint);
    free(t->bind);
    free(t->channel);
    free(t->key);
}

static u32* vertices_make(const SkinCase* c, u32* seed, SkinningMesh* mesh) {
    const u32 n = c->vertices;
    u32*      words = must_have(calloc(n, STREAM_WORDS * sizeof *words));
    f32*      floats = (f32*)(void*)words;
    mesh->range = (SkinRange){.vertex_count = n,
                              .normal = n * 3,
                              .tangent = n * 6,
                              .joints = n * 10,
                              .weights = n * 12,
                              .joints_1 = SKINNING_NONE,
                              .weights_1 = SKINNING_NONE,
                              .box_count = c->bones};
    mesh->target_count = 0;
    for (u32 i = 0; i < n * 10; i++) floats[i] = float_of(seed);
    for (u32 v = 0; v < n; v++) {
        const u32 center = (u32)((u64)v * c->bones / n);
        for (u32 k = 0; k < 2; k++) {
            u32 joint[2];
            for (u32 i = 0; i < 2; i++)
                joint[i] =
                    (c->coherent ? center + random_of(seed) % 8 : random_of(seed)) % c->bones;
            words[n * 10 + v * 2 + k] = joint[0] | joint[1] << 16;
            words[n * 12 + v * 2 + k] = 16384u | (k ? 16383u : 16384u) << 16;
        }
    }
    return words;
}

static void frames_run(Bench* b, Skinning* s, const SkinningInput* input, BenchPasses* passes) {
    const GpuFramesDesc desc = {GPU_TIMES_PASSES, bench_passes_keep, passes};
    const bool          plays = s->tables->set_count > 0;
    GpuFrames*          frames;
    GpuFrame*           frame;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 k = 0; k < BENCH_RUNS + 2; k++) {
        for (u32 i = 0; i < s->count.instances; i++) {
            const PosePlay play = {
                .set = plays ? 0 : NONE, .set_2 = NONE, .time_s = (f32)((i * 37 + k) % 30) / 30};
            skinning_play(s, i, &play);
        }
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        if (k == 0) bench_must(skinning_place(s, frame), "skinning");
        bench_must(skinning_record(s, frame, input), "skinning");
        skinning_want_all(s, &frame->list);
        skinning_skin(s, &frame->list, input);
        bench_must(ent_gpu_frame_end(frame), "a frame");
    }
    bench_must(ent_gpu_frames_wait(frames), "frames");
    ent_gpu_frames_destroy(frames);
}

/* The buffers of a case. */
typedef struct SkinBuffers {
    GpuPool   pool;
    GpuBuffer vertices, boxes, none;
} SkinBuffers;

static void buffers_create(Bench* b, SkinBuffers* buffers, const SkinCase* c, const u32* words) {
    SkinBox*               boxes = must_have(calloc(c->bones, sizeof *boxes));
    const GpuBufferRequest requests[] = {
        {&buffers->vertices, c->vertices, STREAM_WORDS * 4, "vertices"},
        {&buffers->boxes, c->bones, sizeof(SkinBox), "boxes"},
        {&buffers->none, 1, 4, "nothing"}};
    for (u32 i = 0; i < c->bones; i++) boxes[i] = (SkinBox){i, {-1, -1, -1}, {1, 1, 1}};
    bench_must(gpu_pool_create(&buffers->pool, b->gpu, requests, COUNT_OF(requests)), "vertices");
    bench_must(gpu_upload(b->gpu, &buffers->vertices, 0, words, buffers->vertices.bytes),
               "vertices");
    bench_must(gpu_upload(b->gpu, &buffers->boxes, 0, boxes, buffers->boxes.bytes), "vertices");
    free(boxes);
}

static void case_run(Bench* b, const SkinCase* c, u32 shared_max) {
    u32          seed = 7, which, range;
    SkinningMesh mesh;
    PoseTables   tables = {0};
    Skinning     s;
    SkinBuffers  buffers;
    BenchPasses  passes = {0};
    char         name[160];
    u32* const   words = vertices_make(c, &seed, &mesh);
    skeleton_fill(&tables, c, &seed);
    clip_fill(&tables, c, &seed);
    bench_must(skinning_create(&s, b->gpu, &tables), "skinning");
    s.shared_max = shared_max;
    for (u32 i = 0; i < c->instances; i++) {
        bench_must(skinning_instance(&s, 0, &which), "an instance");
        bench_must(skinning_range(&s, which, &mesh, &range), "a mesh");
    }
    buffers_create(b, &buffers, c, words);
    const SkinningInput input = {&buffers.vertices, &buffers.boxes, &buffers.none, &buffers.none};
    frames_run(b, &s, &input, &passes);
    const f64 skinned = (f64)c->vertices * c->instances;
    snprintf(name, sizeof name, "skinning: %s, %s", c->what,
             shared_max ? "bones in shared memory" : "bones in the buffer");
    bench_report(b, name, (u64)skinned, bench_passes_ms(&passes, "skin", NULL), 0,
                 skinned * WRITTEN_WORDS * 4 + (f64)c->vertices * STREAM_WORDS * 4 +
                     (f64)s.count.palettes * 48);
    bench_passes_report(&passes);
    skinning_destroy(&s);
    gpu_pool_destroy(&buffers.pool);
    tables_free(&tables);
    free(words);
}

void bench_skinning(Bench* b) {
    static const SkinCase cases[] = {
        {"64 bones, near each other", 64, MESH_VERTICES, INSTANCES, 0, true},
        {"64 bones, anywhere", 64, MESH_VERTICES, INSTANCES, 0, false},
        {"128 bones, near each other", 128, MESH_VERTICES, INSTANCES, 0, true},
        {"256 bones, near each other", 256, MESH_VERTICES, INSTANCES, 0, true},
        {"256 bones, anywhere", 256, MESH_VERTICES, INSTANCES, 0, false},
        {"a crowd with 24 joints", 24, 1728, 10000, 30, true}};
    for (u32 i = 0; i < COUNT_OF(cases); i++) {
        if (!bench_is_selected(b, "skinning", cases[i].vertices)) return;
        case_run(b, &cases[i], 256);
        case_run(b, &cases[i], 0);
    }
}
