/* bench_gpu_morph.c - morph targets: a million vertices with eight targets, of which two are active. */
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu.h"
#include "gpu_frame_internal.h"
#include "skinning.h"

#define VERTICES 1000000u
#define TARGETS  8u
#define ACTIVE   2u
#define MASKS    ((VERTICES + 31) / 32)

typedef struct Morph {
    Skinning      skinning;
    PoseTables    tables;
    GpuPool       pool;
    GpuBuffer     vertices, boxes, targets, masks;
    SkinningMesh  mesh;
    SkinningInput input;
    u32           rows; /* of a target */
} Morph;

static u32 random_of(u32* seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

static void* must_have(void* memory) {
    bench_must(memory ? ENT_OK : ENT_NO_MEMORY, "memory");
    return memory;
}

/* Every `step`-th vertex has a row, in each target. */
static void shapes_fill(Bench* b, Morph* m, u32 step) {
    SkinMask* const masks = must_have(calloc(TARGETS * (size_t)MASKS, sizeof *masks));
    SkinTarget      targets[TARGETS];
    u32             row = 0;
    for (u32 i = 0; i < TARGETS; i++) {
        targets[i] = (SkinTarget){i * MASKS, 1};
        for (u32 v = 0; v < VERTICES; v++) {
            SkinMask* mask = &masks[i * MASKS + v / 32];
            if (v % 32 == 0) mask->row = row;
            if (v % step) continue;
            mask->bits |= 1u << v % 32;
            row++;
        }
    }
    bench_must(gpu_upload(b->gpu, &m->targets, 0, targets, sizeof targets), "targets");
    bench_must(gpu_upload(b->gpu, &m->masks, 0, masks, m->masks.bytes), "targets");
    free(masks);
}

static void vertices_fill(Bench* b, const Morph* m, u64 words) {
    f32* const floats = must_have(malloc(words * sizeof *floats));
    u32        seed = 5;
    for (u64 i = 0; i < words; i++) floats[i] = (f32)random_of(&seed) / (f32)(1 << 23) - 1;
    bench_must(gpu_upload(b->gpu, &m->vertices, 0, floats, words * sizeof *floats), "vertices");
    free(floats);
}

static void morph_open(Bench* b, Morph* m, u32 step) {
    const u64              rows = TARGETS * (u64)((VERTICES + step - 1) / step);
    const u64              words = VERTICES * 6ull + rows * 6;
    const GpuBufferRequest requests[] = {
        {&m->vertices, words, 4, "vertices"},
        {&m->boxes, 1, sizeof(SkinBox), "boxes"},
        {&m->targets, TARGETS, sizeof(SkinTarget), "targets"},
        {&m->masks, TARGETS * (u64)MASKS, sizeof(SkinMask), "masks"}};
    const SkinBox box = {SKINNING_NONE, {-1, -1, -1}, {1, 1, 1}};
    u32           range;
    *m = (Morph){.rows = (u32)(rows / TARGETS)};
    bench_must(gpu_pool_create(&m->pool, b->gpu, requests, COUNT_OF(requests)), "vertices");
    bench_must(gpu_upload(b->gpu, &m->boxes, 0, &box, sizeof box), "boxes");
    vertices_fill(b, m, words);
    shapes_fill(b, m, step);
    m->mesh = (SkinningMesh){.range = {.vertex_count = VERTICES,
                                       .normal = VERTICES * 3,
                                       .tangent = SKINNING_NONE,
                                       .joints_1 = SKINNING_NONE,
                                       .move = VERTICES * 6,
                                       .move_normal = VERTICES * 6 + (u32)rows * 3,
                                       .move_along = SKINNING_NONE,
                                       .box_count = 1},
                             .target_count = TARGETS};
    m->input = (SkinningInput){&m->vertices, &m->boxes, &m->targets, &m->masks};
    bench_must(skinning_create(&m->skinning, b->gpu, &m->tables), "skinning");
    bench_must(skinning_range(&m->skinning, NONE, &m->mesh, &range), "a mesh");
    for (u32 i = 0; i < ACTIVE; i++) skinning_weights(&m->skinning, range)[i * 5] = 0.5f;
}

static f64 morph_run(Bench* b, Morph* m, BenchPasses* passes) {
    const GpuFramesDesc desc = {GPU_TIMES_PASSES, bench_passes_keep, passes};
    GpuFrames*          frames;
    GpuFrame*           frame;
    f64                 ms = 0;
    bench_must(ent_gpu_frames_create(&frames, b->gpu, &desc), "frames");
    for (u32 k = 0; k < BENCH_RUNS + 2; k++) {
        bench_must(ent_gpu_frame_begin(frames, &frame), "a frame");
        if (k == 0) bench_must(skinning_place(&m->skinning, frame), "skinning");
        bench_must(skinning_record(&m->skinning, frame, &m->input), "skinning");
        skinning_want_all(&m->skinning, &frame->list);
        skinning_skin(&m->skinning, &frame->list, &m->input);
        bench_must(ent_gpu_frame_end(frame), "a frame");
    }
    bench_must(ent_gpu_frames_wait(frames), "frames");
    ent_gpu_frames_destroy(frames);
    for (u32 i = 0; i < passes->count; i++)
        if (strcmp(passes->last[i].name, "skin") == 0)
            ms = bench_median(passes->ms[i], passes->runs);
    return ms;
}

void bench_morph(Bench* b) {
    static const u32 steps[] = {1, 20};
    if (!bench_is_selected(b, "morph targets", VERTICES)) return;
    for (u32 i = 0; i < COUNT_OF(steps); i++) {
        BenchPasses passes = {0};
        Morph       m;
        char        name[100];
        morph_open(b, &m, steps[i]);
        const f64 ms = morph_run(b, &m, &passes);
        snprintf(name, sizeof name, "morph targets: 2 active of 8, each of %u %% of the vertices",
                 100 / steps[i]);
        bench_report(b, name, VERTICES, ms, 0,
                     VERTICES * (24.0 + 16.0) + ACTIVE * (m.rows * 24.0 + MASKS * 8.0));
        bench_passes_report(&passes);
        skinning_destroy(&m.skinning);
        gpu_pool_destroy(&m.pool);
    }
}
