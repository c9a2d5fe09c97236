/* water_find.c - the passes that find the surface of fluids as a camera sees it: box, depth, thickness, smoothed depth.
 *
 * Sources  W. van der Laan, S. Green, M. Sainz, Screen space fluid rendering with curvature flow, 2009, for a surface that is found in
 *          the picture, and its thickness; N. Truong, C. Yuksel, A Narrow-Range Filter for Screen-Space Fluid Rendering, 2018. */
#include "water_internal.h"

#define LOOK_THREADS 262144u /* each of which looks at several particles */

/* --- what kernels read --- */

/* A cell of thickness holds so many parts of the largest distance of particles. */
static f32 unit_of(const Water* w) {
    f32 spacing_m = 0;
    for (u32 i = 0; i < w->draw_count; i++) spacing_m = MAX_OF(spacing_m, w->draw[i].spacing_m);
    return spacing_m / 65536;
}

WaterPush water_push(const Water* w, const WaterView* v) {
    return (WaterPush){.width = v->width,
                       .height = v->height,
                       .cells_wide = (v->width + 1) / 2,
                       .cells_high = (v->height + 1) / 2,
                       .cells = v->cells,
                       .fluids = w->draw_count,
                       .unit_m = unit_of(w)};
}

static WaterPush fluid_push(const WaterScope* s, u32 which) {
    const WaterDraw* d = &s->water->draw[which];
    WaterPush        push = s->push;
    push.fluid = which;
    push.count = d->count;
    push.kind = d->kind;
    push.radius_m = WATER_DEPTH_RADII * d->radius_m;
    push.spacing_m = d->spacing_m;
    push.h = d->h_m;
    return push;
}

u64 water_groups(u32 row) {
    return offsetof(WaterState, groups) + row * sizeof((WaterState){0}.groups[0]);
}

/* --- where the surface is --- */

static void look_record(const WaterScope* s) {
    const WaterView* const v = s->view;
    GpuList* const         list = s->list;
    for (u32 i = 0; i < s->water->draw_count; i++) {
        const WaterPush push = fluid_push(s, i);
        gpu_pass(list,
                 &(GpuPass){.name = "find",
                            .kernel = &s->water->kernel.look,
                            .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                                    [WATER_POSITION] = {&s->water->draw[i].position, GPU_READ},
                                    [WATER_STATE] = {&s->water->state, GPU_READ_WRITE}},
                            GPU_PUSH(push),
                            .threads = MIN_OF(push.count, LOOK_THREADS)});
    }
    gpu_pass(list, &(GpuPass){.name = "find",
                              .kernel = &s->water->kernel.find,
                              .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                                      [CANVAS_PYRAMID] = {s->pyramid, GPU_READ},
                                      [WATER_FLUID] = {&s->water->fluids, GPU_READ},
                                      [WATER_STATE] = {&s->water->state, GPU_READ_WRITE}},
                              GPU_PUSH(s->push),
                              .threads = 1});
    gpu_pass(list, &(GpuPass){.name = "clear",
                              .kernel = &s->water->kernel.clear,
                              .use = {[WATER_NEAREST] = {&v->nearest, GPU_WRITE},
                                      [WATER_LARGE] = {&s->water->large, GPU_WRITE},
                                      [WATER_THICK] = {&v->thick, GPU_WRITE},
                                      [WATER_FOAMS] = {&v->foams, GPU_WRITE}},
                              GPU_PUSH(s->push),
                              .threads = 1,
                              .indirect = &s->water->state,
                              .indirect_offset = water_groups(WATER_OF_CLEAR)});
}

/* Some particles of a fluid, or the others. */
static void depth_record(const WaterScope* s, u32 which, u32 step) {
    const WaterView* const v = s->view;
    GpuList* const         list = s->list;
    WaterPush              push = fluid_push(s, which);
    push.step = step;
    GpuPass pass = {.name = step ? "depth" : "nearest",
                    .kernel = &s->water->kernel.splat,
                    .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                            [WATER_POSITION] = {&s->water->draw[which].position, GPU_READ},
                            [WATER_STATE] = {&s->water->state, GPU_READ},
                            [WATER_NEAREST] = {&v->nearest, GPU_READ_WRITE},
                            [WATER_HIDDEN] = {&v->hidden, GPU_READ},
                            [WATER_LARGE] = {&s->water->large, GPU_READ_WRITE}},
                    GPU_PUSH(push),
                    .threads = 1,
                    .indirect = &s->water->state,
                    .indirect_offset = water_groups(WATER_OF_FLUIDS + which)};
    gpu_pass(list, &pass);
    pass.kernel = &s->water->kernel.splat_large;
    pass.use[WATER_LARGE].access = GPU_READ;
    pass.indirect_offset = water_groups(WATER_OF_LARGE);
    gpu_pass(list, &pass);
}

static void hide_record(const WaterScope* s) {
    const WaterView* const v = s->view;
    gpu_pass(s->list, &(GpuPass){.name = "depth",
                                 .kernel = &s->water->kernel.hide,
                                 .use = {[WATER_STATE] = {&s->water->state, GPU_READ},
                                         [WATER_NEAREST] = {&v->nearest, GPU_READ},
                                         [WATER_LARGE] = {&s->water->large, GPU_WRITE},
                                         [WATER_HIDDEN] = {&v->hidden, GPU_WRITE}},
                                 GPU_PUSH(s->push),
                                 .threads = 1,
                                 .indirect = &s->water->state,
                                 .indirect_offset = water_groups(WATER_OF_BLOCKS)});
}

static void thick_record(const WaterScope* s, u32 which) {
    const WaterView* const v = s->view;
    const WaterDraw*       d = &s->water->draw[which];
    const WaterPush        push = fluid_push(s, which);
    gpu_pass(s->list,
             &(GpuPass){.name = "thickness",
                        .kernel = &s->water->kernel.thick[s->push.is_map + s->push.is_kept],
                        .images = s->images,
                        .textures = s->water->lighting->textures.sets.set,
                        .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                                [SHADOWS_TABLE] = {&s->water->lighting->shadows.buffer, GPU_READ},
                                [WATER_POSITION] = {&d->position, GPU_READ},
                                [WATER_FOAM] = {&d->foam, GPU_READ},
                                [WATER_STATE] = {&s->water->state, GPU_READ},
                                [WATER_NEAREST] = {&v->nearest, GPU_READ},
                                [WATER_THICK] = {&v->thick, GPU_READ_WRITE},
                                [WATER_FOAMS] = {&v->foams, GPU_READ_WRITE}},
                        GPU_PUSH(push),
                        .threads = 1,
                        .indirect = &s->water->state,
                        .indirect_offset = water_groups(WATER_OF_FLUIDS + which)});
}

static void total_record(const WaterScope* s) {
    const WaterView* const v = s->view;
    gpu_pass(s->list, &(GpuPass){.name = "thickness",
                                 .kernel = &s->water->kernel.total,
                                 .use = {[WATER_STATE] = {&s->water->state, GPU_READ},
                                         [WATER_THICK] = {&v->thick, GPU_READ_WRITE},
                                         [WATER_FOAMS] = {&v->foams, GPU_READ_WRITE}},
                                 GPU_PUSH(s->push),
                                 .threads = 1,
                                 .indirect = &s->water->state,
                                 .indirect_offset = water_groups(WATER_OF_BLOCKS)});
}

/* Two steps each leave the result where it was. */
static void smooth_record(const WaterScope* s) {
    const WaterView* const v = s->view;
    for (u32 step = 0; step < WATER_STEPS; step++) {
        WaterPush push = s->push;
        push.step = step;
        const bool is_back = step % 2 != 0;
        gpu_pass(s->list,
                 &(GpuPass){
                     .name = "smooth",
                     .kernel = &s->water->kernel.smooth[step == 0],
                     .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                             [WATER_FLUID] = {&s->water->fluids, GPU_READ},
                             [WATER_STATE] = {&s->water->state, GPU_READ},
                             [WATER_NEAREST] = {is_back ? &v->smoothed : &v->nearest, GPU_READ},
                             [WATER_SMOOTHED] = {is_back ? &v->nearest : &v->smoothed, GPU_WRITE}},
                     GPU_PUSH(push),
                     .threads = 1,
                     .indirect = &s->water->state,
                     .indirect_offset = water_groups(WATER_OF_STEPS + step / 2)});
    }
}

void water_find(const WaterScope* s) {
    const u32 fluids = s->water->draw_count;
    look_record(s);
    for (u32 i = 0; i < fluids; i++) depth_record(s, i, 0);
    hide_record(s);
    for (u32 i = 0; i < fluids; i++) depth_record(s, i, 1);
    for (u32 i = 0; i < fluids; i++) thick_record(s, i);
    total_record(s);
    smooth_record(s);
}
