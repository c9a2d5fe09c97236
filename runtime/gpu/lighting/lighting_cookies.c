/* lighting_cookies.c - which textures multiply lights, as the kernels read them. */
#include "lighting_internal.h"

#include <stdlib.h>

#include "hash.h"
#include "rows.h"

/* A missing texture is the checker pattern of layer 0, after a warning. */
static u32 cookie_of(Lighting* l, ResourceRef texture) {
    const u64 id = resource_id(texture);
    const u32 row = gpu_blob_row(&l->textures.blobs.table, texture);
    if (id == 0) return 0;
    if (row != NONE) {
        const GpuTextureLayer at = l->textures.layer[row];
        return 1 + at.array * LIGHTS_COOKIE_LAYERS + at.layer;
    }
    if (l->wrong_cookie != id)
        gpu_log(l->gpu, LOG_WARNING,
                "the texture 0x%016llx of a light is not loaded: a checker pattern is projected "
                "instead",
                (unsigned long long)id);
    l->wrong_cookie = id;
    return 1;
}

static ent_status cookies_reserve(Lighting* l, GpuFrame* frame, u32 count) {
    const u32              room = MAX_OF(count + count / 2, 64u);
    const GpuBufferRequest request = {&l->cookies, room, sizeof(u32), "cookies of lights"};
    if (count <= l->cookie_room) return ENT_OK;
    gpu_frame_retire_pool(frame, &l->cookie_pool);
    l->cookie_room = 0;
    TRY(gpu_pool_create(&l->cookie_pool, l->gpu, &request, 1));
    l->cookie_room = room;
    return ENT_OK;
}

ent_status lighting_cookies_update(Lighting* l, GpuFrame* frame) {
    const LightRows   rows = ent_light_rows(l->world);
    const GpuColumns* source = &l->lights.sources[LIGHTS_LIGHTS];
    bool              any = false;
    if (l->knows_cookies && source->changed_count == 0 && !source->moved) return ENT_OK;
    l->has_cookies = l->knows_cookies = false; /* also after a failure */
    for (u32 i = 0; i < rows.count; i++) any |= resource_id(rows.record[i].cookie) != 0;
    if (!any) {
        l->knows_cookies = true;
        return ENT_OK;
    }
    TRY(cookies_reserve(l, frame, rows.count));
    u32* words = malloc(rows.count * sizeof *words);
    if (!words) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) words[i] = cookie_of(l, rows.record[i].cookie);
    const ent_status status =
        gpu_frame_upload(frame, &l->cookies, 0, words, rows.count * sizeof *words);
    free(words);
    l->has_cookies = l->knows_cookies = status == ENT_OK;
    return status;
}
