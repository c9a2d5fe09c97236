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

/* A chain of three joints for each other one, and a bone for each joint. */
static void skeleton_fill(Skinning* s, const SkinCase* c, u32* seed) {
    s->skeleton = must_have(calloc(1, sizeof *s->skeleton));
    s->joint = must_have(calloc(c->bones, sizeof *s->joint));
    s->bind = must_have(calloc(c->bones, sizeof *s->bind));
    s->skeleton_count = 1;
    s->joint_count = s->bind_count = s->joint_most = s->bind_most = c->bones;
    s->skeleton[0] = (SkinningSkeleton){.joint_count = c->bones, .bind_count = c->bones};
    for (u32 i = 0; i < c->bones; i++) {
        s->joint[i] = (SkinJoint){i ? (i - 1) / 2 : SKINNING_NONE,
                                  {float_of(seed) * 0.1f, 0.1f, 0},
                                  {0, 0, 0, 1},
                                  {1, 1, 1}};
        s->bind[i] = (SkinBind){i, {1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}};
    }
}

static void clip_fill(Skinning* s, const SkinCase* c, u32* seed) {
    const u32 words = c->keys * (1 + 4);
    if (c->keys == 0) return;
    s->channel = must_have(calloc(c->bones * 3ull, sizeof *s->channel));
    s->key = must_have(calloc((size_t)c->bones * words, sizeof *s->key));
    s->channel_count = c->bones * 3;
    for (u32 i = 0; i < c->bones; i++) {
        const u32 first = i * words;
        s->channel[i * 3 + 1] = (SkinChannel){first, first + c->keys, c->keys, SKINNING_LINEAR};
        for (u32 k = 0; k < c->keys; k++) {
            s->key[first + k] = (f32)k / 30;
            s->key[first + c->keys + k * 4] = float_of(seed) * 0.2f;
            s->key[first + c->keys + k * 4 + 3] = 1;
        }
    }
    s->key_count = c->bones * words;
}

static u32* vertices_make(const SkinCase* c, u32* seed, SkinningStreams* streams) {
    const u32 n = c->vertices;
    u32*      words = must_have(calloc(n, STREAM_WORDS * sizeof *words));
    f32*      floats = (f32*)(void*)words;
    *streams = (SkinningStreams){n, 0, n * 3, n * 6, n * 10, n * 12, SKINNING_NONE, SKINNING_NONE};
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

typedef struct SkinTimes {
    BenchPasses passes;
} SkinTimes;

static void times_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    SkinTimes* kept = user;
    if (cost->frame <= 2 || kept->passes.runs == BENCH_RUNS) return;
    memcpy(kept->passes.last, times, count * sizeof *times);
    bench_passes_add(&kept->passes, count);
}

static void frames_run(Bench* b, Skinning* s, const GpuBuffer* vertices, SkinTimes* times) {
    const GpuFramesDesc desc = {GPU_TIMES_PASSES, times_keep, times};
    GpuFrames*          frames;
    GpuFrame*           frame;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 k = 0; k < BENCH_RUNS + 2; k++) {
        for (u32 i = 0; i < s->instance_count; i++)
            s->instance[i].time_s = (f32)((i * 37 + k) % 30) / 30;
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        bench_must(skinning_record(s, frame, vertices), "skinning");
        bench_must(ent_gpu_frame_end(frame), "a frame");
    }
    bench_must(ent_gpu_frames_wait(frames), "frames");
    ent_gpu_frames_destroy(frames);
}

static f64 pass_ms(const SkinTimes* t, const char* name) {
    f64 ms[BENCH_RUNS];
    for (u32 i = 0; i < t->passes.count; i++) {
        if (strcmp(t->passes.last[i].name, name) != 0) continue;
        memcpy(ms, t->passes.ms[i], t->passes.runs * sizeof *ms);
        return bench_median(ms, t->passes.runs);
    }
    return 0;
}

static void case_run(Bench* b, const SkinCase* c, u32 shared_most) {
    u32             seed = 7, which, range;
    SkinningStreams streams;
    Skinning        s;
    GpuPool         pool;
    GpuBuffer       vertices;
    SkinTimes       times = {0};
    char            name[160];
    u32* const      words = vertices_make(c, &seed, &streams);
    bench_must(skinning_create(&s, b->gpu), "skinning");
    s.shared_most = shared_most;
    skeleton_fill(&s, c, &seed);
    clip_fill(&s, c, &seed);
    for (u32 i = 0; i < c->instances; i++) {
        bench_must(skinning_instance(&s, 0, &which), "an instance");
        if (c->keys) s.instance[which].channels = 0;
        bench_must(skinning_range(&s, which, &streams, &range), "a mesh");
    }
    const GpuBufferWish wish = {&vertices, c->vertices, STREAM_WORDS * 4, "vertices"};
    bench_must(skinning_upload(&s), "skinning");
    bench_must(gpu_pool_create(&pool, b->gpu, &wish, 1), "vertices");
    bench_must(gpu_upload(b->gpu, &vertices, 0, words, vertices.bytes), "vertices");
    frames_run(b, &s, &vertices, &times);
    const f64 skinned = (f64)c->vertices * c->instances;
    snprintf(name, sizeof name, "skinning: %s, %s", c->what,
             shared_most ? "bones in shared memory" : "bones in the buffer");
    bench_report(b, name, (u64)skinned, pass_ms(&times, "skin"), 0,
                 skinned * WRITTEN_WORDS * 4 + (f64)c->vertices * STREAM_WORDS * 4 +
                     (f64)s.palette_count * 48);
    bench_passes_report(&times.passes);
    skinning_destroy(&s);
    gpu_pool_destroy(&pool);
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
