/* bench_gpu_layout.c - skinning in the layout of other kernels: vertices that no instances share, 32 bytes
 * each, and 16 bytes of output. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench_gpu.h"
#include "bench_skin.comp.h"

#define INSTANCE_VERTICES 10240u
#define INSTANCES         1000u
#define VERTICES          (INSTANCE_VERTICES * INSTANCES)

typedef struct Layout {
    GpuPool   pool;
    GpuBuffer places, influences, palettes, out;
} Layout;

static u32 random_of(u32* seed) { return *seed = *seed * 1664525u + 1013904223u, *seed >> 8; }

static void layout_fill(Bench* b, const Layout* l, u32 bones, bool coherent) {
    u32  seed = 11 + bones;
    u32* words = malloc(VERTICES * 16ull);
    bench_must(words ? ENT_OK : ENT_NO_MEMORY, "memory");
    for (u64 i = 0; i < VERTICES * 4ull; i++) {
        const f32 at = (f32)random_of(&seed) / (f32)(1 << 23) - 1;
        if (i % 4 == 3)
            words[i] = random_of(&seed) | 1;
        else
            memcpy(&words[i], &at, sizeof at);
    }
    bench_must(gpu_upload(b->gpu, &l->places, 0, words, VERTICES * 16ull), "vertices");
    for (u64 v = 0; v < VERTICES; v++) {
        const u32 center = (u32)(v % INSTANCE_VERTICES * bones / INSTANCE_VERTICES);
        for (u32 k = 0; k < 2; k++) {
            u32 joint[2];
            for (u32 i = 0; i < 2; i++)
                joint[i] = (coherent ? center + random_of(&seed) % 8 : random_of(&seed)) % bones;
            words[v * 4 + k] = joint[0] | joint[1] << 16;
            words[v * 4 + 2 + k] = 16384u | (k ? 16383u : 16384u) << 16;
        }
    }
    bench_must(gpu_upload(b->gpu, &l->influences, 0, words, VERTICES * 16ull), "vertices");
    free(words);
    const u64  count = l->palettes.bytes / sizeof(f32);
    f32* const rows = malloc(l->palettes.bytes);
    bench_must(rows ? ENT_OK : ENT_NO_MEMORY, "memory");
    for (u64 i = 0; i < count; i++) rows[i] = (f32)random_of(&seed) / (f32)(1 << 23) - 1;
    bench_must(gpu_upload(b->gpu, &l->palettes, 0, rows, l->palettes.bytes), "bones");
    free(rows);
}

static void* buffer_read(Bench* b, const GpuBuffer* from, u64 first, u64 bytes) {
    void* to = malloc(bytes);
    bench_must(to ? ENT_OK : ENT_NO_MEMORY, "memory");
    bench_must(gpu_download(b->gpu, from, first, to, bytes), "vertices");
    return to;
}

/* The positions of one instance in double precision. */
static void layout_check(Bench* b, const Layout* l, u32 bones) {
    const u64  first = (INSTANCES / 2) * (u64)INSTANCE_VERTICES, bytes = INSTANCE_VERTICES * 16ull;
    u32* const place = buffer_read(b, &l->places, first * 16, bytes);
    u32* const influence = buffer_read(b, &l->influences, first * 16, bytes);
    f32* const palette = buffer_read(b, &l->palettes, INSTANCES / 2 * (u64)bones * 48, bones * 48);
    f32* const out = buffer_read(b, &l->out, first * 16, bytes);
    for (u32 v = 0; v < INSTANCE_VERTICES; v++) {
        f64 at[3] = {0};
        f32 from[4];
        memcpy(from, &place[v * 4], sizeof from);
        for (u32 n = 0; n < 4; n++) {
            const u32 joint = influence[v * 4 + n / 2] >> n % 2 * 16 & 0xffff;
            const u32 weight = influence[v * 4 + 2 + n / 2] >> n % 2 * 16 & 0xffff;
            for (u32 k = 0; k < 12; k++)
                at[k / 4] += (f64)palette[joint * 12 + k] * (f64)weight / 65535 *
                             (k % 4 < 3 ? (f64)from[k % 4] : 1);
        }
        for (u32 k = 0; k < 3; k++)
            if (!(fabs((f64)out[v * 4 + k] - at[k]) < 1e-5))
                bench_must(ENT_DEVICE_FAULT, "skinning: a vertex is wrong");
    }
    free(place);
    free(influence);
    free(palette);
    free(out);
}

static void layout_run(Bench* b, const Layout* l, u32 bones, bool coherent, bool shares,
                       f64 target_ms) {
    const u32 constants[] = {shares ? bones : 1, shares ? 8 : 4, shares},
              push[] = {bones, INSTANCE_VERTICES};
    GpuKernel kernel;
    GpuList   list;
    char      name[120];
    bench_must(gpu_kernel_create_with(&kernel, b->gpu, &GPU_KERNEL(bench_skin, 256), constants,
                                      COUNT_OF(constants)),
               "a kernel");
    bench_must(gpu_list_begin(&list, b->gpu, GPU_TIMES_LIST), "a list");
    gpu_pass(&list, &(GpuPass){.name = "skin",
                               .kernel = &kernel,
                               .use = {{&l->places, GPU_READ},
                                       {&l->influences, GPU_READ},
                                       {&l->palettes, GPU_READ},
                                       {&l->out, GPU_WRITE}},
                               .push = push,
                               .push_bytes = sizeof push,
                               .threads = VERTICES / constants[1]});
    bench_must(gpu_list_end(&list), "a list");
    snprintf(name, sizeof name, "skinning, 32 + 16 bytes: %u bones, %s, %s", bones,
             coherent ? "near each other" : "anywhere",
             shares ? "in shared memory" : "in the buffer");
    bench_report(b, name, VERTICES, bench_list(&list), target_ms,
                 VERTICES * 48.0 + (f64)INSTANCES * bones * 48);
    layout_check(b, l, bones);
    gpu_list_destroy(&list);
    gpu_kernel_destroy(&kernel);
}

void bench_skinning_layout(Bench* b) {
    static const f64 targets[] = {0, 0.174, 0.165, 0}; /* ms on an H200 */
    if (!bench_is_selected(b, "skinning", VERTICES)) return;
    for (u32 i = 0; i < 4; i++) {
        const u32              bones = i < 2 ? 64 : 256;
        Layout                 l;
        const GpuBufferRequest requests[] = {{&l.places, VERTICES, 16, "vertices"},
                                             {&l.influences, VERTICES, 16, "vertices"},
                                             {&l.palettes, (u64)INSTANCES * bones, 48, "bones"},
                                             {&l.out, VERTICES, 16, "vertices"}};
        bench_must(gpu_pool_create(&l.pool, b->gpu, requests, COUNT_OF(requests)), "vertices");
        layout_fill(b, &l, bones, i % 2 == 0);
        layout_run(b, &l, bones, i % 2 == 0, true, targets[i]);
        layout_run(b, &l, bones, i % 2 == 0, false, 0);
        gpu_pool_destroy(&l.pool);
    }
}
