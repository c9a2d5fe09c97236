/* lighting.c - the phases of a frame in which surfaces are lit. */
#include "lighting.h"

/* Binds the images of shadow maps; no commands that use the set are running. */
static void maps_bind(const Lighting* l) {
    const GpuTextures* t = l->textures;
    const Shadows*     s = &l->shadows;
    gpu_image_bind(t->gpu, t->set, SHADOWS_DEPTH, s->depth.view);
    gpu_image_bind_general(t->gpu, t->set, SHADOWS_FILTER, s->filter.view);
    gpu_image_bind_general(t->gpu, t->set, SHADOWS_FRONT, s->front.view);
    gpu_image_bind_stored(t->gpu, t->set, SHADOWS_FILTER_STORED, s->filter.view);
    gpu_image_bind_stored(t->gpu, t->set, SHADOWS_FRONT_STORED, s->front.view);
}

ent_status lighting_create(Lighting* l, Gpu* gpu, World* world, const GpuTextures* textures,
                           const GpuPlaces* places) {
    *l = (Lighting){.gpu = gpu, .world = world, .textures = textures, .places = places};
    normals_create(&l->normals, gpu);
    TRY(shadows_create(&l->shadows, gpu));
    maps_bind(l);
    return lights_create(&l->lights, gpu, world);
}

void lighting_destroy(Lighting* l) {
    if (!l->gpu) return;
    lighting_probes_destroy(l);
    shadows_destroy(&l->shadows);
    lights_destroy(&l->lights);
    normals_destroy(&l->normals);
    gpu_pool_destroy(&l->decal_pool);
}

ent_status lighting_place(Lighting* l, GpuFrame* frame) {
    const u32 images = l->shadows.images;
    TRY(lights_update(&l->lights, frame));
    TRY(lighting_decals_update(l, frame));
    TRY(lighting_probes_update(l, frame));
    TRY(shadows_update(&l->shadows, frame, l->world));
    if (images != l->shadows.images) maps_bind(l);
    return ENT_OK;
}

static bool shows_depth(const GpuPicture* picture) {
    return picture->view->shows == CANVAS_NORMALS_DEPTH ||
           picture->view->shows == CANVAS_NORMALS_PLAIN;
}

/* What is computed from depth: occlusion, at half resolution when a pixel has several samples, or the
 * normals that are shown. */
ent_status lighting_occlusion(Lighting* l, GpuPicture* picture) {
    GpuList* const list = &picture->frame->list;
    const f32      radius_m = picture->view->occlusion_m;
    const bool     plain = picture->view->shows == CANVAS_NORMALS_PLAIN;
    if (!(radius_m > 0) && !shows_depth(picture)) return ENT_OK;
    normals_resize(&l->normals, picture->width, picture->height);
    if (shows_depth(picture))
        return normals_record(&l->normals, list, picture,
                              plain ? &normals_plain : normals_method(&l->normals));
    return normals_occlusion_record(&l->normals, list, picture, radius_m,
                                    picture->view->samples > 1);
}

const GpuBuffer* lighting_open(const Lighting* l, const GpuPicture* picture) {
    return shows_depth(picture)             ? &l->normals.words
           : picture->view->occlusion_m > 0 ? &l->normals.visible
                                            : &l->lights.state;
}

ent_status lighting_lights(Lighting* l, GpuPicture* picture, u32 group) {
    const u32           tile = lights_tile(&l->lights, picture->width, picture->height);
    const LightsPicture lit = {.eye = picture->eye,
                               .view = picture->view,
                               .images = picture->images,
                               .width = picture->width,
                               .height = picture->height,
                               .matrices = GPU_MATRICES(l->places),
                               .owners = &l->places->transforms.entity,
                               .rows = &l->places->rows,
                               .transform_count = l->places->transforms.count,
                               .slot_count = l->places->row_slots,
                               .reports = !picture->is_captured};
    return lights_cull(&l->lights, picture->frame, &lit, tile * tile / group);
}
