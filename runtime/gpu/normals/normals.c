/* normals.c - what kernels read of a camera, and the passes. */
#include "normals.h"

#include "vec.h"

#include "normals_direct.comp.h"
#include "normals_occlusion.comp.h"
#include "normals_plain.comp.h"
#include "normals_spread.comp.h"
#include "normals_strips.comp.h"

_Static_assert(sizeof(NormalsPush) <= GPU_PUSH_BYTES, "what is pushed");

/* --- the camera --- */

static u32 kind_of(const CanvasEye* eye) {
    if (eye->orthographic) return NORMALS_ORTHOGRAPHIC;
    return eye->depth_bias == 0 ? NORMALS_INFINITE : NORMALS_PERSPECTIVE;
}

static Vec4 with_w(Vec3 v, f32 w) { return (Vec4){v.x, v.y, v.z, w}; }

/* A plane is linear in the values of its samples: with the camera at the origin, n . p = c gives
 * n . ray = c / distance in perspective, and n . p is linear in the distance in orthographic pictures. */
static NormalsPush push_of(const CanvasEye* eye) {
    const f32   right = vec3_length(eye->right), up = vec3_length(eye->up);
    NormalsPush push = {.pixel_x = right * 2 / (f32)eye->width,
                        .pixel_y = -up * 2 / (f32)eye->height,
                        .scale = eye->depth_scale,
                        .width = eye->width,
                        .height = eye->height};
    f32         depth_add = 0;
    if (eye->orthographic) {
        push.bias = eye->depth_bias;
        push.slope_x = eye->depth_scale / push.pixel_x;
        push.slope_y = eye->depth_scale / push.pixel_y;
    } else {
        depth_add = eye->depth_bias / eye->depth_scale;
        push.slope_x = -1 / push.pixel_x;
        push.slope_y = -1 / push.pixel_y;
    }
    push.across = with_w(vec3_scale(eye->right, push.slope_x / right), -((f32)eye->width - 1) / 2);
    push.down = with_w(vec3_scale(eye->up, push.slope_y / up), -((f32)eye->height - 1) / 2);
    push.to_eye = with_w(vec3_scale(eye->forward, -1), depth_add);
    return push;
}

/* --- what is created when it is used --- */

static ent_status kernel_need(const Normals* n, GpuKernel* kernel, const GpuKernelDesc* desc,
                              u32 kind, u32 second) {
    const u32 constants[] = {kind, second,
                             n->gpu->info.subgroup_size}; /* KIND; ROWS or SIDE; LANES */
    if (kernel->pipeline) return ENT_OK;
    return gpu_kernel_create_with(kernel, n->gpu, desc, constants, COUNT_OF(constants));
}

static ent_status normals_kernel(Normals* n, const NormalsMethod* method, u32 kind) {
    return kernel_need(n, &n->normals[method->slot][kind], &method->kernel, kind,
                       n->rows[method->columns > 0]);
}

/* Destroys a buffer when the frame that may use it is complete. */
static void pool_drop(const Normals* n, GpuFrame* frame, GpuPool* pool) {
    if (frame) {
        gpu_frame_retire_pool(frame, pool);
    } else {
        gpu_wait(n->gpu);
        gpu_pool_destroy(pool);
    }
}

static ent_status buffer_need(const Normals* n, GpuFrame* frame, GpuPool* pool, u64* have,
                              const GpuBufferRequest* request) {
    if (*have >= request->count) return ENT_OK;
    *have = 0;
    pool_drop(n, frame, pool);
    TRY(gpu_pool_create(pool, n->gpu, request, 1));
    *have = request->count;
    return ENT_OK;
}

/* --- passes --- */

static u32 pieces(u32 count, u32 each) { return (count + each - 1) / each; }

/* Groups are squares of threads, each of which has some samples. */
static u64 threads_of(NormalsPush* push, u32 each_x, u32 each_y) {
    push->groups_wide = pieces(pieces(push->width, each_x), NORMALS_SIDE);
    return (u64)push->groups_wide * pieces(pieces(push->height, each_y), NORMALS_SIDE) *
           NORMALS_GROUP;
}

/* Strips of a subgroup, without its first and its last lane. */
static u64 strip_threads(const Normals* n, NormalsPush* push, u32 columns) {
    const u32 lanes = n->gpu->info.subgroup_size;
    push->groups_wide = pieces(push->width, (lanes - 2) * columns);
    return (u64)push->groups_wide * pieces(push->height, n->rows[1]) * lanes;
}

static u64 normals_threads(const Normals* n, NormalsPush* push, const NormalsMethod* method) {
    if (method->columns) return strip_threads(n, push, method->columns);
    return threads_of(push, method->wide, method->high ? method->high : n->rows[0]);
}

const NormalsMethod normals_direct = {
    .slot = 0, .kernel = GPU_KERNEL_OF(normals_direct, NORMALS_GROUP), .wide = NORMALS_EACH};
const NormalsMethod normals_strips = {
    .slot = 1, .kernel = GPU_KERNEL_OF(normals_strips, NORMALS_GROUP), .columns = 1};
const NormalsMethod normals_plain = {.slot = 2,
                                     .kernel = GPU_KERNEL_OF(normals_plain, NORMALS_GROUP),
                                     .wide = NORMALS_EACH,
                                     .high = 1};

const NormalsMethod* normals_method(const Normals* n) {
    const u32 lanes = n->gpu->info.subgroup_size;
    return lanes >= 32 && lanes <= NORMALS_GROUP ? &normals_strips : &normals_direct;
}

ent_status normals_record(Normals* n, GpuList* list, const GpuPicture* picture,
                          const NormalsMethod* method) {
    const u32              kind = kind_of(picture->view);
    const GpuBufferRequest request = {&n->words, (u64)n->width * n->height, sizeof(u32),
                                      "normals of a picture"};
    NormalsPush            push = push_of(picture->view);
    assert(push.width == n->width && push.height == n->height);
    TRY(buffer_need(n, picture->frame, &n->word_pool, &n->word_count, &request));
    TRY(normals_kernel(n, method, kind));
    const u64 threads = normals_threads(n, &push, method);
    gpu_pass(list, &(GpuPass){.name = "normals",
                              .kernel = &n->normals[method->slot][kind],
                              .images = picture->images,
                              .use = {[NORMALS_WORD] = {&n->words, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = threads});
    return list->status;
}

static ent_status occlusion_need(Normals* n, GpuFrame* frame, u32 kind, bool half) {
    const u32              side = half ? 2 : 1;
    const GpuBufferRequest raw = {&n->raw, (u64)pieces(n->width, side) * pieces(n->height, side),
                                  sizeof(NormalsRaw), "occlusion before it is smoothed"};
    const GpuBufferRequest visible = {&n->visible, ((u64)n->width * n->height + 3) / 4, sizeof(u32),
                                      "occlusion of a picture"};
    TRY(buffer_need(n, frame, &n->raw_pool, &n->raw_count, &raw));
    TRY(buffer_need(n, frame, &n->visible_pool, &n->visible_count, &visible));
    TRY(kernel_need(n, &n->occlusion[half][kind], &GPU_KERNEL(normals_occlusion, NORMALS_GROUP),
                    kind, side));
    return kernel_need(n, &n->spread[half][kind], &GPU_KERNEL(normals_spread, NORMALS_SPREAD_GROUP),
                       kind, side);
}

ent_status normals_occlusion_record(Normals* n, GpuList* list, const GpuPicture* picture,
                                    f32 radius_m, bool half) {
    const u32   kind = kind_of(picture->view), side = half ? 2 : 1;
    NormalsPush push = push_of(picture->view);
    assert(push.width == n->width && push.height == n->height && radius_m > 0);
    push.radius_m = radius_m;
    TRY(occlusion_need(n, picture->frame, kind, half));
    const u64 threads = threads_of(&push, side, side);
    gpu_pass(list, &(GpuPass){.name = "occlusion",
                              .kernel = &n->occlusion[half][kind],
                              .images = picture->images,
                              .use = {[NORMALS_RAW] = {&n->raw, GPU_WRITE}},
                              GPU_PUSH(push),
                              .threads = threads});
    gpu_pass(
        list,
        &(GpuPass){
            .name = "occlusion spread",
            .kernel = &n->spread[half][kind],
            .images = picture->images,
            .use =
                {[NORMALS_RAW] = {&n->raw, GPU_READ}, [NORMALS_VISIBLE] = {&n->visible, GPU_WRITE}},
            GPU_PUSH(push),
            .threads = ((u64)n->width * n->height + 3) / 4});
    return list->status;
}

/* --- create and destroy --- */

void normals_create(Normals* n, Gpu* gpu) {
    *n = (Normals){.gpu = gpu, .rows = {NORMALS_ROWS, NORMALS_STRIP_ROWS}};
}

void normals_resize(Normals* n, u32 width, u32 height) {
    assert(width > 0 && height > 0);
    n->width = width;
    n->height = height;
}

void normals_destroy(Normals* n) {
    if (!n->gpu) return;
    gpu_wait(n->gpu);
    for (u32 kind = 0; kind < NORMALS_KINDS; kind++) {
        for (u32 i = 0; i < NORMALS_SLOTS; i++) gpu_kernel_destroy(&n->normals[i][kind]);
        for (u32 half = 0; half < 2; half++) {
            gpu_kernel_destroy(&n->occlusion[half][kind]);
            gpu_kernel_destroy(&n->spread[half][kind]);
        }
    }
    gpu_pool_destroy(&n->word_pool);
    gpu_pool_destroy(&n->raw_pool);
    gpu_pool_destroy(&n->visible_pool);
    *n = (Normals){0};
}
