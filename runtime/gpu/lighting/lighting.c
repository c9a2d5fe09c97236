/* lighting.c - the system of lighting: create, and the phases of a frame in which surfaces are lit. */
#include "lighting_internal.h"

#include <math.h>
#include <stdlib.h>

#include "lighting_receivers.comp.h"

#define NOTHING_SEEN 0x7f7fffffu /* bits of a depth */

/* --- following the world --- */

/* Binds the images of shadow maps; no commands that use the set are running. */
static void maps_bind(const Lighting* l) {
    const GpuTextures*  t = &l->textures;
    const ShadowsAtlas* s = &l->shadows.atlas;
    const ShadowsLayer* kept = s->has_kept ? &s->kept : &s->shown;
    gpu_image_bind(t->gpu, t->sets.set, SHADOWS_DEPTH, s->shown.depth.view);
    gpu_image_bind(t->gpu, t->sets.set, SHADOWS_KEPT, kept->depth.view);
    gpu_image_bind_general(t->gpu, t->sets.set, SHADOWS_FILTER, s->shown.filter.view);
    gpu_image_bind_general(t->gpu, t->sets.set, SHADOWS_FRONT, s->shown.front.view);
    gpu_image_bind_stored(t->gpu, t->sets.set, SHADOWS_FILTER_STORED, s->shown.filter.view);
    gpu_image_bind_stored(t->gpu, t->sets.set, SHADOWS_FRONT_STORED, s->shown.front.view);
    gpu_image_bind_stored(t->gpu, t->sets.set, SHADOWS_KEPT_FILTER, kept->filter.view);
    gpu_image_bind_stored(t->gpu, t->sets.set, SHADOWS_KEPT_FRONT, kept->front.view);
}

void lighting_surfaces_changed(Lighting* l) {
    static const Vec4 anywhere = {0, 0, 0, INFINITY};
    shadows_add(&l->shadows.changed, anywhere);
    l->probes.is_old = true;
}

ent_status lighting_follow(Lighting* l, GpuFrame* frame) {
    const u32        sets = l->textures.sets.number;
    const ent_status status = gpu_textures_follow(&l->textures, frame, l->library);
    if (sets != l->textures.sets.number) maps_bind(l); /* also when the frame fails */
    TRY(status);
    if (l->texture_changes == l->textures.changes && l->dropped == l->gpu->dropped) return ENT_OK;
    l->texture_changes = l->textures.changes;
    l->dropped = l->gpu->dropped;
    l->knows_cookies = l->knows_decals = false;
    lighting_surfaces_changed(l);
    return ENT_OK;
}

static ent_status place(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    const u32       images = l->shadows.atlas.images;
    TRY(lighting_follow(l, picture->frame));
    TRY(gpu_places_update(&l->places, picture->frame));
    if (l->colliders) TRY(gpu_bodies_show(l->colliders, picture->frame, &l->places));
    TRY(lights_update(&l->lights, picture->frame));
    TRY(lighting_cookies_update(l, picture->frame));
    TRY(lighting_decals_update(l, picture->frame));
    TRY(lighting_probes_update(l, picture->frame));
    TRY(shadows_update(&l->shadows, picture->frame, &l->places));
    if (images != l->shadows.atlas.images) maps_bind(l);
    return ENT_OK;
}

/* --- pictures --- */

static bool shows_depth(const GpuPicture* picture) {
    return picture->view->shows == CANVAS_NORMALS_DEPTH ||
           picture->view->shows == CANVAS_NORMALS_PLAIN;
}

/* What is computed from depth: occlusion, at half resolution when a pixel has several samples, or the
 * normals that are shown. */
static ent_status occlusion(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    GpuList* const  list = &picture->frame->list;
    const f32       radius_m = picture->view->occlusion_m;
    const bool      plain = picture->view->shows == CANVAS_NORMALS_PLAIN;
    if (!(radius_m > 0) && !shows_depth(picture)) return ENT_OK;
    normals_resize(&l->normals, picture->width, picture->height);
    if (shows_depth(picture))
        return normals_record(&l->normals, list, picture,
                              plain ? &normals_plain : normals_method(&l->normals));
    return normals_occlusion_record(&l->normals, list, picture, radius_m,
                                    picture->view->samples > 1);
}

/* What surfaces read of ambient occlusion. */
static const GpuBuffer* open_of(const Lighting* l, const GpuPicture* picture) {
    return shows_depth(picture)             ? &l->normals.words
           : picture->view->occlusion_m > 0 ? &l->normals.visible
                                            : &l->lights.state;
}

static ent_status lights(void* state, GpuPicture* picture) {
    Lighting* const     l = state;
    const u32           tile = lights_tile(&l->lights, picture->width, picture->height);
    const LightsPicture lit = {.eye = picture->eye,
                               .view = picture->view,
                               .images = picture->images,
                               .width = picture->width,
                               .height = picture->height,
                               .matrices = GPU_MATRICES(&l->places),
                               .owners = &l->places.transforms.entity,
                               .rows = &l->places.rows,
                               .transform_count = l->places.transforms.count,
                               .slot_count = l->places.row_slots,
                               .cookies = l->has_cookies ? &l->cookies : NULL,
                               .reports = !picture->is_captured};
    return lights_cull(&l->lights, picture->frame, &lit, tile * tile / LIGHTING_GROUP);
}

/* Chooses the maps that have to be drawn. */
static ent_status maps_choose(Lighting* l, const GpuPicture* picture) {
    const Vec3         at = picture->view->origin; /* where nothing casts */
    const bool         is_empty = bounds_is_empty(&picture->bounds);
    const u32          images = l->shadows.atlas.images;
    const ShadowsScene scene = {.world = l->world,
                                .eye = picture->view,
                                .low = is_empty ? at : picture->bounds.low,
                                .high = is_empty ? at : picture->bounds.high};
    TRY(shadows_plan(&l->shadows, picture->frame, &scene));
    TRY(shadows_kept_need(&l->shadows, &picture->frame->list));
    if (images != l->shadows.atlas.images) maps_bind(l);
    return ENT_OK;
}

/* They are also erased when there are no transparent surfaces any more. */
static bool has_filters(const Lighting* l, const GpuPicture* picture) {
    return (picture->filters || l->has_filters) && lighting_maps(l, picture) > 0;
}

/* The squares of maps over which surfaces are seen. */
static ent_status seen_find(Lighting* l, const GpuPicture* picture) {
    const LightsGrid        grid = lights_grid(&l->lights, picture->width, picture->height);
    const LightingReceivers push = {grid.wide, grid.high, grid.tile,
                                    picture->blends || picture->has_water};
    ShadowsSeen* const      seen = &l->shadows.seen;
    GpuList* const          list = &picture->frame->list;
    if (!l->receivers.pipeline)
        TRY(gpu_kernel_create(&l->receivers, l->gpu,
                              &GPU_KERNEL(lighting_receivers, SHADOWS_GROUP)));
    seen->is_used = true;
    gpu_set(list, "casters", &seen->squares, NOTHING_SEEN);
    gpu_pass(list, &(GpuPass){.name = "casters",
                              .kernel = &l->receivers,
                              .use = {[CANVAS_VIEW] = {picture->eye, GPU_READ},
                                      [LIGHTS_BOUNDS] = {&l->lights.picture.bounds, GPU_READ},
                                      [SHADOWS_SEEN] = {&seen->squares, GPU_READ_WRITE},
                                      [SHADOWS_TABLE] = {&l->shadows.buffer, GPU_READ}},
                              GPU_PUSH(push),
                              .threads = (u64)push.wide * push.high * lighting_maps(l, picture)});
    return list->status;
}

static ent_status casters(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    if (picture->stage == SHADOWS_STANDING) return maps_choose(l, picture);
    if (lighting_drops(l, picture)) TRY(seen_find(l, picture));
    if (picture->stage >= SHADOWS_FILTERS_STANDING && has_filters(l, picture))
        shadows_filters_erase(&l->shadows, &picture->frame->list, (ShadowsStage)picture->stage,
                              l->textures.sets.set);
    return picture->frame->list.status;
}

/* Begins the render pass into which systems draw what casts. */
static ent_status maps(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    if (lighting_maps(l, picture) > 0)
        shadows_begin(&l->shadows, &picture->frame->list, (ShadowsStage)picture->stage);
    return picture->frame->list.status;
}

/* The same of transparent surfaces. */
static ent_status filters(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    if (has_filters(l, picture))
        shadows_begin(&l->shadows, &picture->frame->list, (ShadowsStage)picture->stage);
    if (picture->stage == SHADOWS_FILTERS) l->has_filters |= picture->filters;
    return picture->frame->list.status;
}

/* Before it, all maps were drawn. */
static ent_status shade(void* state, GpuPicture* picture) {
    Lighting* const l = state;
    if (lighting_maps_all(l) == 0 || picture->frame->list.status != ENT_OK) return ENT_OK;
    return shadows_end(&l->shadows, picture->frame);
}

/* --- for shapes --- */

ent_status lighting_kernel_need(const Lighting* l, GpuFrame* frame, GpuKernel* kernel,
                                const GpuKernelDesc* desc) {
    const u32 arrays = gpu_textures_constant(&l->textures);
    GpuKernel next = {0};
    if (kernel->pipeline && kernel->constant == arrays) return ENT_OK;
    const ent_status status = gpu_kernel_create_with(&next, l->gpu, desc, &arrays, 1);
    if (status != ENT_OK) {
        gpu_kernel_destroy(&next);
        return status; /* the former one stays */
    }
    if (frame) gpu_frame_retire_kernel(frame, kernel);
    *kernel = next;
    return ENT_OK;
}

static void pass_complete(const Lighting* l, const GpuPicture* picture, GpuPass* pass,
                          const GpuUse use[GPU_BINDINGS]) {
    for (u32 i = 0; i < GPU_BINDINGS; i++)
        if (use[i].buffer) pass->use[i] = use[i];
    pass->name = "shade";
    pass->textures = l->textures.sets.set;
    pass->images = picture->images;
    pass->threads = 1;
}

void lighting_shade(const Lighting* l, const GpuPicture* picture, GpuPass* pass) {
    const GpuUse use[GPU_BINDINGS] = {LIGHTING_READ(l), [CANVAS_VIEW] = {picture->eye, GPU_READ},
                                      [CANVAS_COLOR] = {picture->color, GPU_WRITE},
                                      [LIGHTING_OPEN] = {open_of(l, picture), GPU_READ},
                                      [LIGHTS_TILE] = {&l->lights.picture.tiles, GPU_READ}};
    pass_complete(l, picture, pass, use);
    pass->indirect = &l->lights.picture.tiles;
    pass->indirect_offset = LIGHTS_GROUPS_OFFSET;
    gpu_pass(&picture->frame->list, pass);
}

void lighting_layers_shade(const Lighting* l, const GpuPicture* picture,
                           const CanvasLayersOf* layers, GpuPass* pass) {
    const GpuUse use[GPU_BINDINGS] = {
        LIGHTING_READ(l),
        [CANVAS_VIEW] = {picture->eye, GPU_READ},
        [CANVAS_LAYER] = {&layers->layers, GPU_READ},
        [CANVAS_LAYER_COLOR] = {&layers->colors, GPU_READ_WRITE},
        [CANVAS_LAYER_BEND] = {picture->bends ? &layers->bends : NULL, GPU_WRITE},
        [CANVAS_LAYERS] = {&layers->all, GPU_READ}};
    pass_complete(l, picture, pass, use);
    pass->name = "light";
    pass->indirect = &layers->all;
    pass->indirect_offset = canvas_layers_groups(picture);
    gpu_pass(&picture->frame->list, pass);
}

void lighting_before(const Lighting* l, const GpuPicture* picture, GpuPass* pass) {
    const GpuUse use[GPU_BINDINGS] = {LIGHTING_READ(l), [CANVAS_VIEW] = {picture->eye, GPU_READ}};
    pass_complete(l, picture, pass, use);
    gpu_pass(&picture->frame->list, pass);
}

/* --- the system --- */

static void lighting_destroy(void* state) {
    Lighting* const l = state;
    if (!l) return;
    gpu_wait(l->gpu);
    lighting_probes_destroy(l);
    gpu_kernel_destroy(&l->receivers);
    shadows_destroy(&l->shadows);
    lights_destroy(&l->lights);
    normals_destroy(&l->normals);
    gpu_places_destroy(&l->places);
    gpu_textures_destroy(&l->textures);
    gpu_pool_destroy(&l->decal_pool);
    gpu_pool_destroy(&l->cookie_pool);
    free(l);
}

static ent_status world_upload(Lighting* l) {
    GpuFrames* frames;
    GpuPicture picture = {0};
    TRY(gpu_alone_begin(l->gpu, &frames, &picture.frame));
    return gpu_alone_end(frames, picture.frame, place(l, &picture));
}

/* Also what all surfaces need to be drawn, in pictures and shadow maps. */
static ent_status device_check(const Gpu* gpu, GpuProblem* problem) {
    const char* lacks = !gpu->can.indirect_draws ? "indirect draws with a first instance"
                        : !gpu->can.clips        ? "distances at which vertex shaders clip"
                        : !gpu->can.textures     ? "32 sampled images in a kernel"
                                                 : NULL;
    if (!lacks) return ENT_OK;
    return gpu_problem(problem, ENT_NO_DEVICE, "\"%s\" cannot light surfaces: it lacks %s",
                       gpu->info.name, lacks);
}

static ent_status lighting_fill(Lighting* l, const GpuScene* scene, GpuProblem* problem) {
    TRY(device_check(l->gpu, problem));
    normals_create(&l->normals, l->gpu);
    TRY(gpu_textures_create(&l->textures, l->gpu, scene->library, problem));
    TRY(gpu_places_create(&l->places, l->gpu, l->world, scene->animators));
    TRY(shadows_create(&l->shadows, l->gpu));
    maps_bind(l);
    TRY(lights_create(&l->lights, l->gpu, l->world));
    return world_upload(l);
}

static ent_status lighting_create(void** state, Gpu* gpu, const GpuScene* scene,
                                  GpuProblem* problem) {
    Lighting* l = calloc(1, sizeof *l);
    *state = NULL;
    if (!l) return ENT_NO_MEMORY;
    l->gpu = gpu;
    l->world = scene->world;
    l->library = scene->library;
    l->dropped = gpu->dropped;
    l->colliders = scene->colliders;
    const ent_status status = lighting_fill(l, scene, problem);
    if (status == ENT_OK)
        *state = l;
    else
        lighting_destroy(l);
    return status;
}

void ent_lighting_shadows(void* state, const EntLightingShadows* shadows) {
    Lighting* const l = state;
    assert(shadows->cascades <= 4 && shadows->reach_m >= 0);
    shadows_set(&l->shadows, &(ShadowsSettings){.atlas_side = shadows->atlas_side,
                                                .cascade_side = shadows->cascade_side,
                                                .spot_side = shadows->spot_side,
                                                .face_side = shadows->face_side,
                                                .cascades = shadows->cascades,
                                                .reach_m = shadows->reach_m,
                                                .interval = shadows->interval});
}

const EntShadowCounts* ent_lighting_shadow_counts(const void* state, u32* count) {
    const Lighting* const l = state;
    *count = l->shadows.counts.count;
    return l->shadows.counts.at;
}

void ent_lighting_capture(void* state) {
    Lighting* const l = state;
    l->probes.is_old = true;
}

const GpuSystem* ent_lighting_system(void) {
    static const GpuSystem system = {.name = "lighting",
                                     .is_captured = 1,
                                     .create = lighting_create,
                                     .destroy = lighting_destroy,
                                     .capture = lighting_capture,
                                     .phase = {[ENT_GPU_PLACE] = place,
                                               [ENT_GPU_OCCLUSION] = occlusion,
                                               [ENT_GPU_LIGHTS] = lights,
                                               [ENT_GPU_CASTERS] = casters,
                                               [ENT_GPU_SHADOWS] = maps,
                                               [ENT_GPU_FILTERS] = filters,
                                               [ENT_GPU_SHADE] = shade}};
    return &system;
}
