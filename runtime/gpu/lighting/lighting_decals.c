/* lighting_decals.c - how decals look: their colours and textures, as the kernels read them. */
#include "lighting_internal.h"

#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "rows.h"

/* A missing texture is the checker pattern of layer 0, after a warning. */
static GpuTextureLayer layer_of(Lighting* l, ResourceRef texture) {
    const u64 id = resource_id(texture);
    const u32 row = gpu_blob_row(&l->textures.blobs.table, texture);
    if (id == 0) return (GpuTextureLayer){LIGHTS_NONE, 0};
    if (row != NONE) return l->textures.layer[row];
    if (l->wrong_decal != id)
        gpu_log(
            l->gpu, LOG_WARNING,
            "the texture 0x%016llx of a decal is not loaded: a checker pattern is drawn instead",
            (unsigned long long)id);
    l->wrong_decal = id;
    return (GpuTextureLayer){0, 0};
}

static LightsDecal decal_of(Lighting* l, const DecalRecord* record) {
    const GpuTextureLayer color = layer_of(l, record->color_texture);
    const GpuTextureLayer normal = layer_of(l, record->normal_texture);
    return (LightsDecal){.color = record->color,
                         .opacity = record->opacity,
                         .fade_cos = cosf(record->fade_angle_rad),
                         .color_array = color.array,
                         .color_layer = color.layer,
                         .normal_array = normal.array,
                         .normal_layer = normal.layer};
}

static ent_status decals_reserve(Lighting* l, GpuFrame* frame, u32 count) {
    const u32              room = MAX_OF(count + count / 2, 16u);
    const GpuBufferRequest request = {&l->decals, room, sizeof(LightsDecal), "decals"};
    if (l->decal_room && count <= l->decal_room) return ENT_OK;
    gpu_frame_retire_pool(frame, &l->decal_pool);
    l->decal_room = 0;
    TRY(gpu_pool_create(&l->decal_pool, l->gpu, &request, 1));
    l->decal_room = room;
    return ENT_OK;
}

ent_status lighting_decals_update(Lighting* l, GpuFrame* frame) {
    const DecalRows   rows = ent_decal_rows(l->world);
    const GpuColumns* source = &l->lights.sources[LIGHTS_DECALS];
    if (l->decal_room && source->changed_count == 0 && !source->moved) return ENT_OK;
    TRY(decals_reserve(l, frame, rows.count));
    if (rows.count == 0) return ENT_OK;
    LightsDecal* decals = malloc(rows.count * sizeof *decals);
    if (!decals) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) decals[i] = decal_of(l, &rows.record[i]);
    const ent_status status =
        gpu_frame_upload(frame, &l->decals, 0, decals, rows.count * sizeof *decals);
    free(decals);
    return status;
}
