/* canvas.c - the camera and the colours of a picture. */
#include "canvas_internal.h"
#include "vec.h"

#include <stdlib.h>

#include "canvas_depth.comp.h"
#include "canvas_level.comp.h"
#include "canvas_resolve.comp.h"
#include "canvas_rest.comp.h"

/* --- the camera --- */

/* Of the tone curve 0.5 + 0.5 log(1 + k t) / k with t = 2 c - 1, whose slope is continuous at 0.5: it is 1 for c = white
 * when log(1 + k t) = k. */
static f32 canvas_tone(f32 white) {
    const f64 t = 2 * (f64)white - 1;
    if (!(white > 0)) return 0;
    if (!(t > 1.001)) return 1e-3f; /* almost a straight line */
    f64 k = 2 * (log(t) + 1);       /* Newton's method from above: the other solution is 0 */
    for (u32 i = 0; i < 30; i++) k -= (log1p(k * t) - k) / (t / (1 + k * t) - 1);
    return (f32)k;
}

/* A row of the matrix: the dot product of `v` and a point relative to the eye. */
static Vec4 row_along(Vec3 v, Vec3 origin) { return (Vec4){v.x, v.y, v.z, -vec3_dot(v, origin)}; }

/* Depth is 1 at near_m; it is 0 at far_m, or at infinity without a far plane. */
static void eye_depth(CanvasEye* eye, const CameraRecord* camera) {
    const f32 near = camera->near_m;
    f32       far = camera->far_m;
    eye->near_m = near;
    eye->clip_z = eye->clip_w = row_along(eye->forward, eye->origin);
    if (eye->orthographic) {
        if (far <= near) far = near + 1000 * camera->height_m;
        eye->depth_scale = near - far;
        eye->depth_bias = far;
        const f32 scale = 1 / (near - far);
        eye->clip_z = row_along(vec3_scale(eye->forward, scale), eye->origin);
        eye->clip_z.w -= far * scale;
        eye->clip_w = (Vec4){0, 0, 0, 1};
    } else {
        eye->depth_bias = far > near ? 1 / far : 0;
        eye->depth_scale = 1 / near - eye->depth_bias;
        /* depth times distance: (1 - bias distance) / scale */
        eye->clip_z =
            row_along(vec3_scale(eye->forward, -eye->depth_bias / eye->depth_scale), eye->origin);
        eye->clip_z.w += 1 / eye->depth_scale;
    }
}

CanvasEye canvas_eye(const CanvasView* view, u32 width, u32 height, u32 samples) {
    const CameraRecord* camera = &view->camera;
    const bool          flat = camera->kind == CAMERA_ORTHOGRAPHIC;
    const f32           aspect = camera->aspect > 0 ? camera->aspect : (f32)width / (f32)height;
    const f32           high = flat ? camera->height_m / 2 : tanf(camera->vertical_fov_rad / 2);
    const Vec3          right = vec3_unit(mat34_column(&view->pose, 0)),
               up = vec3_unit(mat34_column(&view->pose, 1));
    CanvasEye eye = {.origin = mat34_column(&view->pose, 3),
                     .right = vec3_scale(right, high * aspect),
                     .up = vec3_scale(up, high),
                     .forward = vec3_scale(vec3_unit(mat34_column(&view->pose, 2)), -1),
                     .light = view->light,
                     .light_color = view->light_color,
                     .center = view->center,
                     .reach_m = view->reach_m,
                     .grid_m = view->grid_m,
                     .orthographic = flat,
                     .width = width * samples,
                     .height = height * samples,
                     .samples = samples,
                     .plane_count = view->plane_count,
                     .exposure = view->exposure,
                     .tone = canvas_tone(view->white),
                     .sky = 1 - view->dimmed,
                     .occlusion_m = view->occlusion_m,
                     .time_s = view->time_s,
                     .shows = view->shows,
                     .shadows = view->shadows,
                     .has_sky = view->has_sky != 0};
    eye.clip_x = row_along(vec3_scale(right, 1 / (high * aspect)), eye.origin);
    eye.clip_y = row_along(vec3_scale(up, -1 / high), eye.origin); /* in Vulkan, y points down */
    eye_depth(&eye, camera);
    canvas_pyramid_describe(&eye, width, height);
    return eye;
}

/* --- pictures --- */

ent_status canvas_begin(GpuPicture* picture) {
    Canvas* const     c = picture->canvas;
    const CanvasView* view = picture->desc;
    const CanvasDesc* desc = &c->desc;
    assert(view->plane_count <= GPU_PLANES_MAX);
    c->view = canvas_eye(view, desc->width, desc->height, desc->samples);
    picture->view = &c->view;
    picture->eye = &c->eyes[c->which];
    picture->eye_before = &c->eyes[!c->which];
    picture->color = &c->color;
    picture->pyramid = &c->pyramid;
    picture->has_pyramid = c->has_pyramid;
    picture->images = c->raster.images;
    picture->width = c->raster.width;
    picture->height = c->raster.height;
    return gpu_frame_upload(picture->frame, picture->eye, 0, &c->view, sizeof c->view);
}

void canvas_rest_record(const GpuPicture* picture) {
    const Canvas* c = picture->canvas;
    gpu_pass(
        &picture->frame->list,
        &(GpuPass){
            .name = "shade",
            .kernel = &c->rest,
            .images = c->raster.images,
            .use =
                {[CANVAS_VIEW] = {picture->eye, GPU_READ}, [CANVAS_COLOR] = {&c->color, GPU_WRITE}},
            .threads = (u64)c->raster.width * c->raster.height});
}

void canvas_resolve_record(const GpuPicture* picture) {
    const Canvas*  c = picture->canvas;
    GpuList* const list = &picture->frame->list;
    if (c->meter.is_on) {
        canvas_meter_record(c, list);
        return;
    }
    gpu_pass(list, &(GpuPass){.name = "resolve",
                              .kernel = &c->resolve,
                              .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                      [CANVAS_COLOR] = {&c->color, GPU_READ},
                                      [CANVAS_PIXEL] = {&c->pixel, GPU_WRITE}},
                              .threads = (u64)c->desc.width * c->desc.height});
}

void canvas_end(GpuPicture* picture, bool has_pyramid) {
    Canvas* const c = picture->canvas;
    c->has_pyramid = has_pyramid;
    c->which = !c->which;
}

void canvas_forget(Canvas* c) { c->has_pyramid = false; }

static void times_keep(void* user, const GpuFrameCost* cost, const GpuTime* times, u32 count) {
    Canvas* canvas = user;
    canvas->ms = cost->device_ms;
    canvas->time_count = MIN_OF(count, COUNT_OF(canvas->time));
    memcpy(canvas->time, times, canvas->time_count * sizeof *times);
}

ent_status canvas_frames(Canvas* canvas, GpuFrames** frames) {
    const GpuFramesDesc desc = {canvas->desc.times, times_keep, canvas};
    if (!canvas->frames) TRY(ent_gpu_frames_create(&canvas->frames, canvas->gpu, &desc));
    *frames = canvas->frames;
    return ENT_OK;
}

ent_status ent_canvas_read(Canvas* canvas, unsigned char* rgba) {
    return gpu_download(canvas->gpu, &canvas->pixel, 0, rgba,
                        (u64)canvas->desc.width * canvas->desc.height * 4);
}

ent_status ent_canvas_read_later(Canvas* canvas, GpuFrame* frame, GpuReadDone* done, void* user) {
    return gpu_frame_read(frame, &canvas->pixel, 0,
                          (u64)canvas->desc.width * canvas->desc.height * 4, done, user);
}

void ent_canvas_image(const Canvas* canvas, CanvasImage which, GpuImageView* image) {
    const CanvasRaster* r = &canvas->raster;
    const bool          depth = which == ENT_CANVAS_IMAGE_DEPTH;
    const GpuImage*     shown = depth ? &r->depth : &r->id;
    *image = (GpuImageView){.image = shown->image,
                            .view = shown->view,
                            .format = depth ? CANVAS_DEPTH_FORMAT : CANVAS_ID_FORMAT,
                            .width = r->width,
                            .height = r->height,
                            .layout = VK_IMAGE_LAYOUT_SHADER_READ_ONLY_OPTIMAL,
                            .stages = depth ? VK_PIPELINE_STAGE_EARLY_FRAGMENT_TESTS_BIT |
                                                  VK_PIPELINE_STAGE_LATE_FRAGMENT_TESTS_BIT
                                            : VK_PIPELINE_STAGE_COLOR_ATTACHMENT_OUTPUT_BIT,
                            .access = depth ? VK_ACCESS_DEPTH_STENCIL_ATTACHMENT_WRITE_BIT
                                            : VK_ACCESS_COLOR_ATTACHMENT_WRITE_BIT};
}

const GpuBuffer* canvas_colors(const Canvas* canvas) { return &canvas->color; }

void ent_canvas_range(const Canvas* canvas, GpuRange* range) {
    *range = gpu_range_of(&canvas->pixel, VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                          VK_ACCESS_SHADER_WRITE_BIT);
}

double ent_canvas_ms(const Canvas* canvas) { return canvas->ms; }

uint32_t ent_canvas_times(const Canvas* canvas, GpuTime* times, uint32_t capacity) {
    const u32 count = MIN_OF(canvas->time_count, capacity);
    memcpy(times, canvas->time, count * sizeof *times);
    return count;
}

/* --- create and destroy --- */

/* The default is two samples along each side, if the device supports that size. */
static u32 samples_of(const Gpu* gpu, const CanvasDesc* desc) {
    const u64 bytes = (u64)desc->width * 2 * desc->height * 2 * sizeof(u32[2]);
    const u32 max = MIN_OF(gpu->limits.maxFramebufferWidth, gpu->limits.maxFramebufferHeight);
    if (desc->samples) return MIN_OF(desc->samples, 4);
    return bytes <= gpu->info.buffer_bytes && MAX_OF(desc->width, desc->height) <= max / 2 ? 2 : 1;
}

static ent_status kernels_create(Canvas* c) {
    TRY(gpu_kernel_create(&c->depth, c->gpu, &GPU_KERNEL(canvas_depth, CANVAS_GROUP)));
    TRY(gpu_kernel_create(&c->level, c->gpu, &GPU_KERNEL(canvas_level, CANVAS_LEVELS_GROUP)));
    TRY(gpu_kernel_create(&c->rest, c->gpu, &GPU_KERNEL(canvas_rest, CANVAS_GROUP)));
    return gpu_kernel_create(&c->resolve, c->gpu, &GPU_KERNEL(canvas_resolve, CANVAS_GROUP));
}

static ent_status canvas_fill(Canvas* c) {
    const u32              side = c->desc.samples = samples_of(c->gpu, &c->desc);
    const u64              pixels = (u64)c->desc.width * c->desc.height;
    const GpuBufferRequest requests[] = {
        {&c->color, pixels * side * side, sizeof(u32[2]), "samples of a picture"},
        {&c->pixel, pixels, sizeof(u32), "pixels of a picture"},
        {&c->eyes[0], 1, sizeof(CanvasEye), "the camera"},
        {&c->eyes[1], 1, sizeof(CanvasEye), "the camera"},
        {&c->pyramid, canvas_pyramid_blocks(c->desc.width, c->desc.height), sizeof(f32[2]),
         "depths of a picture"}};
    TRY(canvas_raster_create(&c->raster, c->gpu, c->desc.width * side, c->desc.height * side));
    TRY(gpu_pool_create(&c->pool, c->gpu, requests, COUNT_OF(requests)));
    return kernels_create(c);
}

ent_status ent_canvas_create(Canvas** out, Gpu* gpu, const CanvasDesc* desc) {
    Canvas* canvas = calloc(1, sizeof *canvas);
    *out = NULL;
    assert(desc->width > 0 && desc->height > 0);
    if (!canvas) return ENT_NO_MEMORY;
    canvas->gpu = gpu;
    canvas->desc = *desc;
    const ent_status status = canvas_fill(canvas);
    if (status == ENT_OK)
        *out = canvas;
    else
        ent_canvas_destroy(canvas);
    return status;
}

void ent_canvas_destroy(Canvas* canvas) {
    if (!canvas) return;
    gpu_wait(canvas->gpu);
    gpu_frames_forget(canvas->gpu, canvas);
    ent_gpu_frames_destroy(canvas->frames);
    gpu_kernel_destroy(&canvas->depth);
    gpu_kernel_destroy(&canvas->level);
    gpu_kernel_destroy(&canvas->rest);
    gpu_kernel_destroy(&canvas->resolve);
    canvas_meter_destroy(canvas);
    gpu_pool_destroy(&canvas->pool);
    canvas_layers_destroy(canvas);
    canvas_raster_destroy(&canvas->raster);
    free(canvas);
}
