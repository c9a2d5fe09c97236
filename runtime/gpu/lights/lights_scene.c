/* lights_scene.c - the decals, probes and lights of a world on the device, in the order in which they are
 * numbered, and the passes that find those in a view. */
#include "lights.h"

#include <stdlib.h>

#include "rows.h"

#include "lights_nearest.comp.h"
#include "lights_place.comp.h"
#include "lights_seen.comp.h"

/* The kernels read the records as they lie. */
_Static_assert(sizeof(LightRecord) == 44 && offsetof(LightRecord, cookie) == 36, "LightSource");
_Static_assert(sizeof(DecalRecord) == 52 && offsetof(DecalRecord, order) == 32, "DecalSource");
_Static_assert(sizeof(EnvironmentProbeRecord) == 32, "ProbeSource");
_Static_assert((u32)LIGHT_SPOT == LIGHTS_SPOT && (u32)LIGHT_DIRECTIONAL == LIGHTS_DIRECTIONAL,
               "kinds of lights");

/* --- the order of elements --- */

/* The topmost first; of those with the same order, the one that was spawned last. */
static u64 decal_key(const DecalRows* rows, u32 row) {
    return (u64)(UINT32_MAX - rows->record[row].order) << 32 | (UINT32_MAX - row);
}

/* The smallest first: bits of positive floats have their order. */
static u64 probe_key(const EnvironmentProbeRows* rows, u32 row) {
    const Vec3 half = rows->record[row].half_extent_m;
    const f32  volume = half.x * half.y * half.z;
    u32        bits;
    memcpy(&bits, &volume, sizeof bits);
    return (u64)bits << 32 | row;
}

static int key_order(const void* a, const void* b) {
    const u64 x = *(const u64*)a, y = *(const u64*)b;
    return (x > y) - (x < y);
}

/* Keys of all decals, then of all probes; both are sorted.
 *
 *   key  [decals->count + probes->count] */
static void keys_sort(u64* key, const DecalRows* decals, const EnvironmentProbeRows* probes) {
    for (u32 i = 0; i < decals->count; i++) key[i] = decal_key(decals, i);
    for (u32 i = 0; i < probes->count; i++) key[decals->count + i] = probe_key(probes, i);
    qsort(key, decals->count, sizeof *key, key_order);
    qsort(key + decals->count, probes->count, sizeof *key, key_order);
}

static ent_status order_reserve(Lights* l, u32 count) {
    if (count <= l->order_room && l->order) return ENT_OK;
    const u32  room = MAX_OF(count + count / 2, 64u);
    u32* const grown = realloc(l->order, room * sizeof *grown);
    if (!grown) return ENT_NO_MEMORY;
    l->order = grown;
    l->order_room = room;
    return ENT_OK;
}

static void lights_order(Lights* l, const LightRows* lights) {
    u32 to = l->count.decals + l->count.probes;
    for (u32 pass = 0; pass < 2; pass++)
        for (u32 i = 0; i < lights->count; i++)
            if ((lights->record[i].kind == LIGHT_DIRECTIONAL) == (pass == 1)) l->order[to++] = i;
    l->count.suns = l->count.spots = 0;
    for (u32 i = 0; i < lights->count; i++) {
        l->count.suns += lights->record[i].kind == LIGHT_DIRECTIONAL;
        l->count.spots += lights->record[i].kind == LIGHT_SPOT;
    }
    l->count.lights = lights->count - l->count.suns;
}

static ent_status order_find(Lights* l) {
    const DecalRows            decals = ent_decal_rows(l->world);
    const EnvironmentProbeRows probes = ent_environment_probe_rows(l->world);
    const LightRows            lights = ent_light_rows(l->world);
    u64* const key = malloc(((size_t)decals.count + probes.count + 1) * sizeof *key);
    if (!key) return ENT_NO_MEMORY;
    const ent_status status = order_reserve(l, decals.count + probes.count + lights.count);
    if (status == ENT_OK) {
        keys_sort(key, &decals, &probes);
        l->count.decals = decals.count;
        l->count.probes = probes.count;
        for (u32 i = 0; i < decals.count; i++) l->order[i] = UINT32_MAX - (u32)key[i];
        for (u32 i = 0; i < probes.count; i++)
            l->order[decals.count + i] = (u32)key[decals.count + i];
        lights_order(l, &lights);
    }
    free(key);
    return status;
}

/* --- buffers --- */

static ent_status scene_reserve(Lights* l, GpuFrame* frame) {
    const u32              wanted = lights_elements(l) + l->count.suns;
    const u32              count = MAX_OF(wanted + wanted / 2, 64u);
    const GpuBufferRequest requests[] = {
        {&l->scene.order, count, sizeof(u32), "lights"},
        {&l->scene.flags, align_up(count, LIGHTS_GROUP) / 32, sizeof(u32), "flags of lights"},
        {&l->scene.keys, count, sizeof(u32), "distances of lights"},
        {&l->scene.spheres, MIN_OF(count, LIGHTS_MAX), sizeof(Vec4), "volumes of lights"},
        {&l->scene.shapes, MIN_OF(count, LIGHTS_MAX), sizeof(Vec4[3]), "volumes of lights"},
        {&l->scene.items, count, sizeof(LightsItem), "lights"}};
    if (l->scene.capacity && wanted <= l->scene.capacity) return ENT_OK;
    gpu_frame_retire_pool(frame, &l->scene.pool);
    l->scene.capacity = 0;
    TRY(gpu_pool_create(&l->scene.pool, l->gpu, requests, COUNT_OF(requests)));
    l->scene.capacity = count;
    return ENT_OK;
}

ent_status lights_update(Lights* l, GpuFrame* frame) {
    bool changed = !l->is_ordered;
    for (u32 i = 0; i < COUNT_OF(l->sources); i++) {
        TRY(gpu_columns_update(&l->sources[i], frame));
        changed |= l->sources[i].changed_count > 0 || l->sources[i].moved;
    }
    if (!changed) return ENT_OK;
    l->is_ordered = false;
    TRY(order_find(l));
    TRY(scene_reserve(l, frame));
    if (lights_elements(l) + l->count.suns)
        TRY(gpu_frame_upload(frame, &l->scene.order, 0, l->order,
                             (lights_elements(l) + l->count.suns) * sizeof *l->order));
    l->is_ordered = true;
    return ENT_OK;
}

/* --- the elements in a view --- */

static LightsPush push_of(const Lights* l, const LightsPicture* p, const LightsState* state) {
    const u32 limit = l->settings.view_limit ? l->settings.view_limit : LIGHTS_MAX;
    return (LightsPush){.decal_count = l->count.decals,
                        .probe_count = l->count.probes,
                        .light_count = l->count.lights,
                        .sun_count = l->count.suns,
                        .transform_count = p->transform_count,
                        .slot_count = p->slot_count,
                        .first_sun = lights_elements(l),
                        .limit = limit,
                        .tile = state->tile,
                        .wide = state->wide,
                        .stride = state->stride,
                        .skips = state->skips,
                        .skip_stride = state->skip_stride,
                        .has_cookies = p->cookies != NULL,
                        .is_lit = l->count.lights + l->count.suns > 0};
}

#define SOURCES(l, p)                                                                              \
    [LIGHTS_EYE] = {(p)->eye, GPU_READ}, [LIGHTS_ORDER] = {&(l)->scene.order, GPU_READ},           \
    [LIGHTS_MATRIX] = {(p)->matrices, GPU_READ}, [LIGHTS_OWNER] = {(p)->owners, GPU_READ},         \
    [LIGHTS_ROW] = {(p)->rows, GPU_READ},                                                          \
    [LIGHTS_ENTITY] = {&(l)->sources[LIGHTS_DECALS].entity, GPU_READ},                             \
    [LIGHTS_ENTITY_2] = {&(l)->sources[LIGHTS_PROBES].entity, GPU_READ},                           \
    [LIGHTS_ENTITY_3] = {&(l)->sources[LIGHTS_LIGHTS].entity, GPU_READ},                           \
    [LIGHTS_RECORD] = {&(l)->sources[LIGHTS_DECALS].column[0], GPU_READ},                          \
    [LIGHTS_RECORD_2] = {&(l)->sources[LIGHTS_PROBES].column[0], GPU_READ},                        \
    [LIGHTS_RECORD_3] = {&(l)->sources[LIGHTS_LIGHTS].column[0], GPU_READ}

static ent_status kernels_need(Lights* l, bool few, bool many) {
    const u32 one = 1;
    if (!few && !l->kernel.seen.pipeline)
        TRY(gpu_kernel_create(&l->kernel.seen, l->gpu, &GPU_KERNEL(lights_seen, LIGHTS_GROUP)));
    if (!few && !l->kernel.place.pipeline)
        TRY(gpu_kernel_create(&l->kernel.place, l->gpu, &GPU_KERNEL(lights_place, LIGHTS_GROUP)));
    if (few && !l->kernel.place_few.pipeline)
        TRY(gpu_kernel_create_with(&l->kernel.place_few, l->gpu,
                                   &GPU_KERNEL(lights_place, LIGHTS_GROUP), &one, 1)); /* FEW */
    if (many && !l->kernel.seen_keys.pipeline)
        TRY(gpu_kernel_create_with(&l->kernel.seen_keys, l->gpu,
                                   &GPU_KERNEL(lights_seen, LIGHTS_GROUP), &one, 1)); /* KEYS */
    if (many && !l->kernel.nearest.pipeline)
        TRY(gpu_kernel_create(&l->kernel.nearest, l->gpu,
                              &GPU_KERNEL(lights_nearest, LIGHTS_GROUP)));
    return ENT_OK;
}

static void excess_report(void* user, const void* bytes, u64 count) {
    Lights*            l = user;
    const LightsState* state = bytes;
    UNUSED(count);
    if (state->excess == l->excess) return;
    l->excess = state->excess;
    if (state->excess)
        gpu_log(l->gpu, LOG_WARNING,
                "%u lights, decals and probes are in the view: the nearest %u of them are kept",
                state->count + state->excess, state->count);
}

/* Which elements are in the view, and of those beyond the limit the nearest. */
static void seen_record(const Lights* l, GpuList* list, const LightsPicture* p,
                        const LightsPush* push, bool many) {
    gpu_pass(list, &(GpuPass){.name = "elements",
                              .kernel = many ? &l->kernel.seen_keys : &l->kernel.seen,
                              .use = {SOURCES(l, p), [LIGHTS_FLAG] = {&l->scene.flags, GPU_WRITE},
                                      [LIGHTS_KEY] = {&l->scene.keys, GPU_WRITE}},
                              GPU_PUSH(*push),
                              .threads = lights_elements(l)});
    if (!many) return;
    gpu_pass(list, &(GpuPass){.name = "elements",
                              .kernel = &l->kernel.nearest,
                              .use = {[LIGHTS_FLAG] = {&l->scene.flags, GPU_WRITE},
                                      [LIGHTS_KEY] = {&l->scene.keys, GPU_READ},
                                      [LIGHTS_STATE] = {&l->state, GPU_READ_WRITE}},
                              GPU_PUSH(*push),
                              .threads = 1});
}

ent_status lights_place_record(Lights* l, GpuFrame* frame, const LightsPicture* p,
                               const LightsState* state) {
    const LightsPush push = push_of(l, p, state);
    const bool       many = lights_elements(l) > push.limit;
    const bool       few =
        lights_elements(l) <= MIN_OF(push.limit, LIGHTS_FEW) && !l->settings.numbers_seen;
    TRY(kernels_need(l, few, many));
    if (!few) seen_record(l, &frame->list, p, &push, many);
    gpu_pass(&frame->list,
             &(GpuPass){.name = "elements",
                        .kernel = few ? &l->kernel.place_few : &l->kernel.place,
                        .use = {SOURCES(l, p), [LIGHTS_FLAG] = {&l->scene.flags, GPU_READ},
                                [LIGHTS_SPHERE] = {&l->scene.spheres, GPU_WRITE},
                                [LIGHTS_SHAPE] = {&l->scene.shapes, GPU_WRITE},
                                [LIGHTS_STATE] = {&l->state, GPU_READ_WRITE},
                                [LIGHTS_COOKIE] = {p->cookies, GPU_READ},
                                [LIGHTS_ITEM] = {&l->scene.items, GPU_WRITE}},
                        GPU_PUSH(push),
                        .threads = (u64)lights_elements(l) + 1 + l->count.suns});
    if (!many || !p->reports) return frame->list.status;
    return gpu_frame_read(frame, &l->state, 0, sizeof(LightsState), excess_report, l);
}
