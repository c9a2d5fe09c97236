/* meshes_decal.c - how decals look: their colours and textures, as the kernels read them. */
#include "meshes_internal.h"

#include <math.h>
#include <stdlib.h>

#include "rows.h"

/* A missing texture is the checker pattern of layer 0, after a warning. */
static GpuTextureLayer layer_of(Meshes* m, ResourceRef texture) {
    const u64 id = resource_id(texture);
    const u32 row = gpu_blob_row(&m->textures.blobs.table, texture);
    if (id == 0) return (GpuTextureLayer){MESHES_NONE, 0};
    if (row != NONE) return m->textures.layer[row];
    if (m->wrong_decal != id)
        gpu_log(
            m->gpu, LOG_WARNING,
            "the texture 0x%016llx of a decal is not loaded: a checker pattern is drawn instead",
            (unsigned long long)id);
    m->wrong_decal = id;
    return (GpuTextureLayer){0, 0};
}

static LightsDecal decal_of(Meshes* m, const DecalRecord* record) {
    const GpuTextureLayer color = layer_of(m, record->color_texture);
    const GpuTextureLayer normal = layer_of(m, record->normal_texture);
    return (LightsDecal){.color = record->color,
                         .opacity = record->opacity,
                         .fade_cos = cosf(record->fade_angle_rad),
                         .color_array = color.array,
                         .color_layer = color.layer,
                         .normal_array = normal.array,
                         .normal_layer = normal.layer};
}

static ent_status decals_reserve(Meshes* m, GpuFrame* frame, u32 count) {
    const u32              room = MAX_OF(count + count / 2, 16u);
    const GpuBufferRequest request = {&m->decals, room, sizeof(LightsDecal), "decals"};
    if (m->decal_room && count <= m->decal_room) return ENT_OK;
    gpu_frame_retire_pool(frame, &m->decal_pool);
    m->decal_room = 0;
    TRY(gpu_pool_create(&m->decal_pool, m->gpu, &request, 1));
    m->decal_room = room;
    return ENT_OK;
}

ent_status meshes_decals_update(Meshes* m, GpuFrame* frame) {
    const DecalRows   rows = ent_decal_rows(m->world);
    const GpuColumns* source = &m->lights.sources[LIGHTS_DECALS];
    if (m->decal_room && source->changed_count == 0 && !source->moved) return ENT_OK;
    TRY(decals_reserve(m, frame, rows.count));
    if (rows.count == 0) return ENT_OK;
    LightsDecal* decals = malloc(rows.count * sizeof *decals);
    if (!decals) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) decals[i] = decal_of(m, &rows.record[i]);
    const ent_status status =
        gpu_frame_upload(frame, &m->decals, 0, decals, rows.count * sizeof *decals);
    free(decals);
    return status;
}
