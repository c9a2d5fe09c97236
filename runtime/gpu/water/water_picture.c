/* water_picture.c - what is recorded of the surface of fluids in a picture: first where it is, then, when the blended layers behind it
 * were added, what it looks like. */
#include "water_internal.h"

void water_cull(const Water* w, GpuPicture* picture) { picture->has_water |= w->draw_count > 0; }

static ent_status find(Water* w, GpuPicture* picture) {
    WaterView* const v = &w->view;
    const u32        side = picture->view->samples;
    TRY(water_need(w, picture->frame));
    TRY(water_view_need(w, v, picture->frame, picture->width / side, picture->height / side,
                        false));
    WaterScope scope = {.water = w,
                        .view = v,
                        .list = &picture->frame->list,
                        .eye = picture->eye,
                        .pyramid = picture->pyramid,
                        .images = picture->images,
                        .push = water_push(w, v)};
    scope.push.has_layers = picture->blends;
    scope.push.has_pyramid = picture->is_second;
    water_find(&scope);
    picture->fluids.depth = &v->nearest;
    return picture->frame->list.status;
}

static void behind_record(const Water* w, const GpuPicture* picture, const WaterPush* push) {
    const WaterView* v = &w->view;
    gpu_pass(&picture->frame->list, &(GpuPass){.name = "behind",
                                               .kernel = &w->kernel.behind,
                                               .images = picture->images,
                                               .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                                       [CANVAS_COLOR] = {picture->color, GPU_READ},
                                                       [WATER_STATE] = {&w->state, GPU_READ},
                                                       [WATER_NEAREST] = {&v->nearest, GPU_READ},
                                                       [WATER_BEHIND] = {&v->behind, GPU_WRITE},
                                                       [WATER_FAR] = {&v->far, GPU_WRITE}},
                                               GPU_PUSH(*push),
                                               .threads = 1,
                                               .indirect = &w->state,
                                               .indirect_offset = water_groups(WATER_OF_PICTURE)});
}

/* How much of the sky the surface sees, into the memory of its smoothing. */
static void open_record(const Water* w, const GpuPicture* picture, const WaterPush* push) {
    const WaterView* v = &w->view;
    if (!(picture->view->occlusion_m > 0)) return;
    gpu_pass(&picture->frame->list,
             &(GpuPass){.name = "occlusion",
                        .kernel = &w->kernel.open,
                        .images = picture->images,
                        .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                [WATER_STATE] = {&w->state, GPU_READ},
                                [WATER_FLUID] = {&w->fluids, GPU_READ},
                                [WATER_NEAREST] = {&v->nearest, GPU_READ},
                                [WATER_SMOOTHED] = {&v->smoothed, GPU_WRITE}},
                        GPU_PUSH(*push),
                        .threads = 1,
                        .indirect = &w->state,
                        .indirect_offset = water_groups(WATER_OF_BLOCKS)});
}

static ent_status shade(const Water* w, const GpuPicture* picture) {
    const WaterView* v = &w->view;
    WaterPush        push = water_push(w, v);
    push.has_layers = picture->fluids.front != NULL;
    behind_record(w, picture, &push);
    open_record(w, picture, &push);
    GpuPass pass = {
        .kernel = &w->kernel.shade,
        .use = {[CANVAS_COLOR] = {picture->color, GPU_READ_WRITE},
                [WATER_STATE] = {&w->state, GPU_READ},
                [WATER_FLUID] = {&w->fluids, GPU_READ},
                [WATER_NEAREST] = {&v->nearest, GPU_READ},
                [WATER_SMOOTHED] = {&v->smoothed, GPU_READ},
                [WATER_THICK] = {&v->thick, GPU_READ},
                [WATER_FOAMS] = {&v->foams, GPU_READ},
                [WATER_BEHIND] = {&v->behind, GPU_READ},
                [WATER_FAR] = {&v->far, GPU_READ},
                [WATER_FRONT] = {picture->fluids.front ? picture->fluids.front : &v->behind,
                                 GPU_READ}},
        GPU_PUSH(push),
        .indirect = &w->state,
        .indirect_offset = water_groups(WATER_OF_BLOCKS)};
    lighting_before(w->lighting, picture, &pass);
    return picture->frame->list.status;
}

ent_status water_record(Water* w, GpuPicture* picture) {
    if (w->draw_count == 0) return ENT_OK;
    return picture->stage == CANVAS_WATER_FIND ? find(w, picture) : shade(w, picture);
}
