/* shapes_draws.c - the draws of a system: their elements, looks and push constants. */
#include "shapes_internal.h"

#include <math.h>

#include "hash.h"
#include "material.h"

static u32 ids_of(const ShapeDraw* draw) { return draw->id_count ? draw->id_count : draw->count; }

u32 shapes_ids(const void* state) {
    const Shapes* s = state;
    u32           ids = 0;
    for (u32 i = 0; i < s->draw_count; i++) ids += ids_of(&s->draw[i]);
    return ids;
}

ent_status shapes_add(Shapes* s, const ShapeDraw* draw) {
    if (!s->lighting || draw->count == 0) return ENT_OK;
    if (s->draw_count == SHAPES_DRAWS_MAX || (u64)shapes_ids(s) + ids_of(draw) >= UINT32_MAX) {
        gpu_log(s->gpu, LOG_ERROR, "a system holds %u draws of %u elements in all at most",
                SHAPES_DRAWS_MAX, UINT32_MAX - 1);
        return ENT_LIMIT;
    }
    s->draw[s->draw_count++] = *draw;
    return ENT_OK;
}

void shapes_clear(Shapes* s) { s->draw_count = 0; }

bool shapes_looks_differ(GpuSeen* seen, const Library* library) {
    if (!library || !gpu_seen_differs(seen, library)) return false;
    *seen = gpu_seen(library);
    return true;
}

EntShapesLook shapes_look(const Shapes* s, const Library* library, ResourceRef material,
                          Vec3 color) {
    const EntShapesLook plain = {.color = color, .roughness = 0.4f};
    u32                 count;
    if (resource_id(material) == 0) return plain;
    const Blob*           blob = ent_library_find(library, material);
    const MaterialRecord* record = blob ? gpu_blob_rows(blob, SECTION_MATERIAL, &count) : NULL;
    if (!record) {
        gpu_log(s->gpu, LOG_WARNING,
                "the material 0x%016llx is not loaded: the colour of the component is used instead",
                (unsigned long long)resource_id(material));
        return plain;
    }
    return (EntShapesLook){.color = record->base_color,
                           .roughness = record->roughness,
                           .metallic = record->metallic,
                           .emissive = record->emissive};
}

ShapesPush shapes_push(const Shapes* s, const GpuPicture* picture, u32 which) {
    const ShapeDraw* draw = &s->draw[which];
    const f32(*m)[4] = draw->pose.m;
    ShapesPush push = {.pose_x = {m[0][0], m[0][1], m[0][2], m[0][3]},
                       .pose_y = {m[1][0], m[1][1], m[1][2], m[1][3]},
                       .pose_z = {m[2][0], m[2][1], m[2][2], m[2][3]},
                       .color = draw->look.color,
                       .roughness = draw->look.roughness,
                       .emissive = draw->look.emissive,
                       .metallic = draw->look.metallic,
                       .radius_m = draw->radius_m,
                       .speed_max_m_s = draw->speed_max_m_s,
                       .word = draw->word,
                       .is_flat = draw->is_flat,
                       .id_first = picture->id_first,
                       .count = ids_of(draw),
                       .color_end = draw->color_end,
                       .kind = draw->of_kind,
                       .life_shift = draw->has_lives ? 8 : 0,
                       .draw = which};
    for (u32 i = 0; i < which; i++) push.id_first += ids_of(&s->draw[i]);
    return push;
}

void shapes_follow(Shapes* s, bool moved) {
    u64 shown = 0;
    s->has_bounds = false;
    if (!s->lighting) return;
    for (u32 i = 0; i < s->draw_count; i++) {
        const ShapeDraw* d = &s->draw[i];
        shown = hash_bytes(&d->pose, sizeof d->pose, shown ^ d->count);
        shown = hash_bytes(&d->radius_m, sizeof d->radius_m, shown);
    }
    Shadows* const shadows = &s->lighting->shadows;
    shadows_follow(shadows, &s->followed, &shadows->moving, shown, s->moved, moved);
    s->moved = false;
}

u64 shapes_command(u32 which, u32 member) {
    return which * sizeof(ShapesCommand) + member * sizeof(u32);
}
