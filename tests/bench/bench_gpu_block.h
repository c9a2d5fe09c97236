/* bench_gpu_block.h - a million particles, as those of a fluid: a block with a distance of about half a metre, and its view. */
#ifndef BENCH_GPU_BLOCK_H
#define BENCH_GPU_BLOCK_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "bench_gpu.h"
#include "camera.h"
#include "canvas.h"

enum { BENCH_BLOCK = 1000000, BENCH_BLOCK_SIDE = 100 };

static inline void bench_block_upload(Bench* b, const GpuBuffer* position) {
    Vec4* at = malloc(sizeof *at * BENCH_BLOCK);
    u32   seed = 1;
    if (!at) bench_must(ENT_NO_MEMORY, "spheres");
    for (u32 i = 0; i < BENCH_BLOCK; i++) {
        const u32 place[] = {i % BENCH_BLOCK_SIDE, i / BENCH_BLOCK_SIDE % BENCH_BLOCK_SIDE,
                             i / BENCH_BLOCK_SIDE / BENCH_BLOCK_SIDE};
        f32       v[3];
        for (u32 k = 0; k < 3; k++) {
            seed = seed * 1664525u + 1013904223u;
            v[k] = 0.5f * ((f32)place[k] + 0.4f * (f32)(seed >> 8) / 16777216.0f) -
                   BENCH_BLOCK_SIDE / 4;
        }
        at[i] = (Vec4){v[0], v[1], v[2], 0};
        memcpy(&at[i].w, &i, sizeof i);
    }
    bench_must(gpu_upload(b->gpu, position, 0, at, sizeof *at * BENCH_BLOCK), "spheres");
    free(at);
}

/* It fills most of the picture. */
static inline CanvasView bench_block_view(void) {
    const f32 turn = 0.7f, s = sinf(turn), c = cosf(turn), far = 75;
    return (CanvasView){
        .camera = {.kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = 0.9f, .near_m = 0.1f},
        .pose = {{{c, 0, s, s * far}, {0, 1, 0, 5}, {-s, 0, c, c * far}}},
        .light = {0, 1, 0},
        .light_color = {1, 1, 1},
        .reach_m = 10,
        .grid_m = 1};
}

#endif
