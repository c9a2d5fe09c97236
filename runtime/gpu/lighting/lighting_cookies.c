/* lighting_cookies.c - which textures multiply lights, as the kernels read them. */
#include "lighting_internal.h"

#include <stdlib.h>

#include "hash.h"
#include "rows.h"

static u32 cookie_of(Lighting* l, ResourceRef texture) {
    if (resource_id(texture) == 0) return 0;
    const GpuTextureLayer at =
        gpu_textures_layer(&l->textures, texture, &l->wrong_cookie, "a light");
    return 1 + at.array * LIGHTS_COOKIE_LAYERS + at.layer;
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
    TRY(gpu_frame_reserve(
        frame, &l->cookie_pool, &l->cookie_room,
        &(GpuBufferRequest){&l->cookies, rows.count, sizeof(u32), "cookies of lights"}));
    u32* words = malloc(rows.count * sizeof *words);
    if (!words) return ENT_NO_MEMORY;
    for (u32 i = 0; i < rows.count; i++) words[i] = cookie_of(l, rows.record[i].cookie);
    const ent_status status =
        gpu_frame_upload(frame, &l->cookies, 0, words, rows.count * sizeof *words);
    free(words);
    l->has_cookies = l->knows_cookies = status == ENT_OK;
    return status;
}
