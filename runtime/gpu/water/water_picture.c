/* water_picture.c - what is recorded of the surface of fluids in a picture: first where it is, then, when the blended layers behind it
 * were added, what it looks like.
 *
 * Sources  W. van der Laan, S. Green, M. Sainz, Screen space fluid rendering with curvature flow, 2009, for a surface that is found in
 *          the picture, and its thickness; N. Truong, C. Yuksel, A Narrow-Range Filter for Screen-Space Fluid Rendering, 2018. */
#include "water_internal.h"

#define LOOK_THREADS 262144u /* each of which looks at several particles */
#define DEPTH_RADII 1.5f /* of a sphere in depth: so particles at rest leave no holes */

void water_cull(const Water* w, GpuPicture* picture) { picture->has_water |= w->draw_count > 0; }

/* --- what kernels read --- */

/* A cell of thickness holds so many parts of the largest distance of particles. */
static f32 unit_of(const Water* w) {
    f32 spacing_m = 0;
    for (u32 i = 0; i < w->draw_count; i++) spacing_m = MAX_OF(spacing_m, w->draw[i].spacing_m);
    return spacing_m / 65536;
}

static WaterPush push_of(const Water* w, const GpuPicture* picture) {
    return (WaterPush){.width = w->width,
                       .height = w->height,
                       .cells_wide = (w->width + 1) / 2,
                       .cells_high = (w->height + 1) / 2,
                       .cells = w->cells,
                       .fluids = w->draw_count,
                       .unit_m = unit_of(w),
                       .has_layers = picture->blends,
                       .has_pyramid = picture->is_second};
}

static WaterPush fluid_push(const Water* w, u32 which) {
    const WaterDraw* d = &w->draw[which];
    WaterPush        push = w->push;
    push.fluid = which;
    push.count = d->count;
    push.radius_m = DEPTH_RADII * d->radius_m;
    push.spacing_m = d->spacing_m;
    push.h = d->h_m;
    return push;
}

static ent_status fluids_upload(const Water* w, GpuFrame* frame) {
    WaterFluid fluids[WATER_FLUIDS_MAX] = {0};
    for (u32 i = 0; i < w->draw_count; i++) {
        const WaterDraw* d = &w->draw[i];
        fluids[i] = (WaterFluid){.color = d->look.color,
                                 .roughness = d->look.roughness,
                                 .absorption_per_m = d->absorption_per_m,
                                 .index = d->index,
                                 .emissive = d->look.emissive,
                                 .metallic = d->look.metallic,
                                 .spacing_m = d->spacing_m,
                                 .smoothing_m = d->smoothing * 2 * d->spacing_m,
                                 .foam = d->foaming,
                                 .count = d->count};
    }
    return gpu_frame_upload(frame, &w->fluids, 0, fluids, w->draw_count * sizeof *fluids);
}

static u64 groups_of(u32 row) {
    return offsetof(WaterState, groups) + row * sizeof((WaterState){0}.groups[0]);
}

/* --- where the surface is --- */

static void look_record(const Water* w, const GpuPicture* picture) {
    GpuList* const list = &picture->frame->list;
    for (u32 i = 0; i < w->draw_count; i++) {
        const WaterPush push = fluid_push(w, i);
        gpu_pass(list, &(GpuPass){.name = "find",
                                  .kernel = &w->kernel.look,
                                  .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                          [WATER_POSITION] = {&w->draw[i].position, GPU_READ},
                                          [WATER_STATE] = {&w->state, GPU_READ_WRITE}},
                                  GPU_PUSH(push),
                                  .threads = MIN_OF(push.count, LOOK_THREADS)});
    }
    gpu_pass(list, &(GpuPass){.name = "find",
                              .kernel = &w->kernel.find,
                              .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                      [CANVAS_PYRAMID] = {picture->pyramid, GPU_READ},
                                      [WATER_FLUID] = {&w->fluids, GPU_READ},
                                      [WATER_STATE] = {&w->state, GPU_READ_WRITE}},
                              GPU_PUSH(w->push),
                              .threads = 1});
    gpu_pass(list, &(GpuPass){.name = "clear",
                              .kernel = &w->kernel.clear,
                              .use = {[WATER_NEAREST] = {&w->nearest, GPU_WRITE},
                                      [WATER_LARGE] = {&w->large, GPU_WRITE},
                                      [WATER_THICK] = {&w->thick, GPU_WRITE},
                                      [WATER_FOAMS] = {&w->foams, GPU_WRITE}},
                              GPU_PUSH(w->push),
                              .threads = 1,
                              .indirect = &w->state,
                              .indirect_offset = groups_of(WATER_OF_CLEAR)});
}

/* Some particles of a fluid, or the others. */
static void depth_record(const Water* w, const GpuPicture* picture, u32 which, u32 step) {
    GpuList* const list = &picture->frame->list;
    WaterPush      push = fluid_push(w, which);
    push.step = step;
    GpuPass pass = {.name = step ? "depth" : "nearest",
                            .kernel = &w->kernel.splat,
                            .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                    [WATER_POSITION] = {&w->draw[which].position, GPU_READ},
                                    [WATER_STATE] = {&w->state, GPU_READ},
                                    [WATER_NEAREST] = {&w->nearest, GPU_READ_WRITE},
                                    [WATER_HIDDEN] = {&w->hidden, GPU_READ},
                                    [WATER_LARGE] = {&w->large, GPU_READ_WRITE}},
                            GPU_PUSH(push),
                            .threads = 1,
                            .indirect = &w->state,
                            .indirect_offset = groups_of(WATER_OF_FLUIDS + which)};
    gpu_pass(list, &pass);
    pass.kernel = &w->kernel.splat_large;
    pass.use[WATER_LARGE].access = GPU_READ;
    pass.indirect_offset = groups_of(WATER_OF_LARGE);
    gpu_pass(list, &pass);
}

static void hide_record(const Water* w, const GpuPicture* picture) {
    gpu_pass(&picture->frame->list, &(GpuPass){.name = "depth",
                                               .kernel = &w->kernel.hide,
                                               .use = {[WATER_STATE] = {&w->state, GPU_READ},
                                                       [WATER_NEAREST] = {&w->nearest, GPU_READ},
                                                       [WATER_LARGE] = {&w->large, GPU_WRITE},
                                                       [WATER_HIDDEN] = {&w->hidden, GPU_WRITE}},
                                               GPU_PUSH(w->push),
                                               .threads = 1,
                                               .indirect = &w->state,
                                               .indirect_offset = groups_of(WATER_OF_BLOCKS)});
}

static void thick_record(const Water* w, const GpuPicture* picture, u32 which) {
    const WaterDraw* d = &w->draw[which];
    const WaterPush  push = fluid_push(w, which);
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "thickness",
                        .kernel = &w->kernel.thick,
                        .images = picture->images,
                        .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [WATER_POSITION] = {&d->position, GPU_READ},
                                [WATER_FOAM] = {&d->foam, GPU_READ},
                                [WATER_STATE] = {&w->state, GPU_READ},
                                [WATER_NEAREST] = {&w->nearest, GPU_READ},
                                [WATER_THICK] = {&w->thick, GPU_READ_WRITE},
                                [WATER_FOAMS] = {&w->foams, GPU_READ_WRITE}},
                        GPU_PUSH(push),
                        .threads = 1,
                        .indirect = &w->state,
                        .indirect_offset = groups_of(WATER_OF_FLUIDS + which)});
}

static void total_record(const Water* w, const GpuPicture* picture) {
    gpu_pass(&picture->frame->list, &(GpuPass){.name = "thickness",
                                               .kernel = &w->kernel.total,
                                               .use = {[WATER_STATE] = {&w->state, GPU_READ},
                                                       [WATER_THICK] = {&w->thick, GPU_READ_WRITE},
                                                       [WATER_FOAMS] = {&w->foams, GPU_READ_WRITE}},
                                               GPU_PUSH(w->push),
                                               .threads = 1,
                                               .indirect = &w->state,
                                               .indirect_offset = groups_of(WATER_OF_BLOCKS)});
}

/* Two steps each leave the result where it was. */
static void smooth_record(const Water* w, const GpuPicture* picture) {
    for (u32 step = 0; step < WATER_STEPS; step++) {
        WaterPush push = w->push;
        push.step = step;
        const bool is_back = step % 2 != 0;
        gpu_pass(&picture->frame->list,
                 &(GpuPass){.name = "smooth",
                            .kernel = &w->kernel.smooth[step == 0],
                            .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                    [WATER_FLUID] = {&w->fluids, GPU_READ},
                                    [WATER_STATE] = {&w->state, GPU_READ},
                                    [WATER_NEAREST] = {is_back ? &w->smoothed : &w->nearest, GPU_READ},
                                    [WATER_SMOOTHED] = {is_back ? &w->nearest : &w->smoothed,
                                                        GPU_WRITE}},
                            GPU_PUSH(push),
                            .threads = 1,
                            .indirect = &w->state,
                            .indirect_offset = groups_of(WATER_OF_STEPS + step / 2)});
    }
}

static ent_status find(Water* w, GpuPicture* picture) {
    TRY(water_need(w, picture));
    TRY(fluids_upload(w, picture->frame));
    w->push = push_of(w, picture);
    look_record(w, picture);
    for (u32 i = 0; i < w->draw_count; i++) depth_record(w, picture, i, 0);
    hide_record(w, picture);
    for (u32 i = 0; i < w->draw_count; i++) depth_record(w, picture, i, 1);
    for (u32 i = 0; i < w->draw_count; i++) thick_record(w, picture, i);
    total_record(w, picture);
    smooth_record(w, picture);
    picture->water = &w->nearest;
    return picture->frame->list.status;
}

/* --- what it looks like --- */

static ent_status shade(Water* w, const GpuPicture* picture) {
    GpuList* const list = &picture->frame->list;
    w->push.has_layers = picture->front != NULL;
    gpu_pass(list, &(GpuPass){.name = "behind",
                              .kernel = &w->kernel.behind,
                              .images = picture->images,
                              .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                      [CANVAS_COLOR] = {picture->color, GPU_READ},
                                      [WATER_STATE] = {&w->state, GPU_READ},
                                      [WATER_NEAREST] = {&w->nearest, GPU_READ},
                                      [WATER_BEHIND] = {&w->behind, GPU_WRITE},
                                      [WATER_FAR] = {&w->far, GPU_WRITE}},
                              GPU_PUSH(w->push),
                              .threads = 1,
                              .indirect = &w->state,
                              .indirect_offset = groups_of(WATER_OF_PICTURE)});
    GpuPass pass = {.name = "shade",
                    .kernel = &w->kernel.shade,
                    .use = {[CANVAS_COLOR] = {picture->color, GPU_READ_WRITE},
                            [WATER_STATE] = {&w->state, GPU_READ},
                            [WATER_FLUID] = {&w->fluids, GPU_READ},
                            [WATER_NEAREST] = {&w->nearest, GPU_READ},
                            [WATER_THICK] = {&w->thick, GPU_READ},
                            [WATER_FOAMS] = {&w->foams, GPU_READ},
                            [WATER_BEHIND] = {&w->behind, GPU_READ},
                            [WATER_FAR] = {&w->far, GPU_READ},
                            [WATER_FRONT] = {picture->front ? picture->front : &w->behind, GPU_READ}},
                    GPU_PUSH(w->push),
                    .indirect = &w->state,
                    .indirect_offset = groups_of(WATER_OF_BLOCKS)};
    lighting_before(w->lighting, picture, &pass);
    return list->status;
}

ent_status water_record(Water* w, GpuPicture* picture) {
    if (w->draw_count == 0) return ENT_OK;
    return picture->stage == CANVAS_WATER_FIND ? find(w, picture) : shade(w, picture);
}
