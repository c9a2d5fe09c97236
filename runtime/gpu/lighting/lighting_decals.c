/* lighting_decals.c - how decals look: their colours and textures, as the kernels read them. */
#include "lighting_internal.h"

#include <math.h>
#include <stdlib.h>

#include "hash.h"
#include "rows.h"

static GpuTextureLayer layer_of(Lighting* l, ResourceRef texture) {
    if (resource_id(texture) == 0) return (GpuTextureLayer){LIGHTS_NONE, 0};
    return gpu_textures_layer(&l->textures, texture, &l->wrong_decal, "a decal");
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

ent_status lighting_decals_update(Lighting* l, GpuFrame* frame) {
    const DecalRows   rows = ent_decal_rows(l->world);
    const GpuColumns* source = &l->lights.sources[LIGHTS_DECALS];
    if (l->knows_decals && source->changed_count == 0 && !source->moved) return ENT_OK;
    l->knows_decals = false; /* also after a failure */
    TRY(gpu_frame_reserve(
        frame, &l->decal_pool, &l->decal_room,
        &(GpuBufferRequest){&l->decals, rows.count, sizeof(LightsDecal), "decals"}));
    l->knows_decals = rows.count == 0;
    if (rows.count == 0) return ENT_OK;
    LightsDecal* decals = malloc(rows.count * sizeof *decals);
    if (!decals) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) decals[i] = decal_of(l, &rows.record[i]);
    const ent_status status =
        gpu_frame_upload(frame, &l->decals, 0, decals, rows.count * sizeof *decals);
    free(decals);
    l->knows_decals = status == ENT_OK;
    return status;
}
