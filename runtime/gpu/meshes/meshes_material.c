/* meshes_material.c - materials as the kernels read them. */
#include "material.h"
#include "meshes_internal.h"

#include <math.h>
#include <stdlib.h>

_Static_assert(MATERIAL_EMISSIVE + 1 == MESHES_SLOTS && MATERIAL_BASE_COLOR == MESHES_BASE_COLOR,
               "the slots of materials are numbered as in meshes_io.h");

/* The texture is read at offset + rotation (scale uv), counter-clockwise as in
 * KHR_texture_transform: v points down there. */
static MeshTexture texture_of(const Meshes* m, u64 material, bool is_new,
                              const MaterialTextureRecord* t) {
    const f32 c = cosf(t->rotation_rad), s = sinf(t->rotation_rad);
    const u32 row = gpu_blob_row(&m->lighting->textures.blobs.table, t->texture);
    if (row == NONE && is_new)
        gpu_log(
            m->gpu, LOG_WARNING,
            "the texture 0x%016llx of the material 0x%016llx is not loaded: a checker pattern is "
            "drawn instead",
            (unsigned long long)resource_id(t->texture), (unsigned long long)material);
    const GpuTextureLayer at =
        row == NONE ? (GpuTextureLayer){0, 0} : m->lighting->textures.layer[row];
    return (MeshTexture){
        .array = at.array,
        .layer = at.layer,
        .uv_set = t->uv_set,
        .strength = t->strength,
        .rotation = {c * t->scale.x, s * t->scale.y, -s * t->scale.x, c * t->scale.y},
        .offset = t->offset};
}

static MeshMaterial material_of(const Meshes* m, u64 id, const Blob* blob) {
    u32                          count;
    const MaterialRecord*        record = gpu_blob_rows(blob, SECTION_MATERIAL, &count);
    const MaterialTextureRecord* texture = gpu_blob_rows(blob, SECTION_MATERIAL_TEXTURE, &count);
    MeshMaterial                 material = {.base_color = record->base_color,
                                             .opacity = record->opacity,
                                             .emissive = record->emissive,
                                             .alpha_mode = record->alpha_mode,
                                             .alpha_cutoff = record->alpha_cutoff,
                                             .roughness = record->roughness,
                                             .metallic = record->metallic,
                                             .two_sided = record->double_sided,
                                             .caustics = record->caustic_strength,
                                             .bend = record->refraction / 2,
                                             .transmitted = record->transmission_color,
                                             .transmission = record->transmission,
                                             .thick_m = record->thickness_m,
                                             .coat = record->clearcoat,
                                             .coat_roughness = record->clearcoat_roughness,
                                             .scroll = record->normal_scroll};
    const bool is_new = gpu_blob_changed(&m->source.taken, m->source.library, blob);
    for (u32 i = 0; i < MESHES_SLOTS; i++) material.texture[i].array = MESHES_NONE;
    for (u32 i = 0; i < count; i++)
        material.texture[texture[i].slot] = texture_of(m, id, is_new, &texture[i]);
    return material;
}

u32 meshes_material(const Meshes* m, u32 mesh, ResourceRef material) {
    const u32 row = gpu_blob_row(&m->materials.table, material);
    if (resource_id(material) == 0) return MESHES_PLAIN(m);
    if (row != NONE) return row;
    if (!gpu_blob_changed(&m->source.taken, m->source.library, m->meshes.at[mesh]))
        return MESHES_CHECKER(m); /* it was reported */
    u64 id = 0;
    for (u32 i = 0; i < m->meshes.count; i++) {
        if (m->meshes.table.at[i].row == mesh) id = m->meshes.table.at[i].id;
    }
    gpu_log(
        m->gpu, LOG_WARNING,
        "the material 0x%016llx of the mesh 0x%016llx is not loaded: a checker pattern is drawn "
        "instead",
        (unsigned long long)resource_id(material), (unsigned long long)id);
    return MESHES_CHECKER(m);
}

ent_status meshes_materials_fill(Meshes* m) {
    m->geometry.material = calloc(MESHES_MATERIALS(m), sizeof *m->geometry.material);
    if (!m->geometry.material) return ENT_NO_MEMORY;
    for (u32 i = 0; i < m->materials.count; i++) {
        const GpuBlobId* id = &m->materials.table.at[i];
        m->geometry.material[id->row] = material_of(m, id->id, m->materials.at[id->row]);
    }
    MeshMaterial* plain = &m->geometry.material[MESHES_PLAIN(m)];
    *plain = (MeshMaterial){.base_color = {0.8f, 0.8f, 0.8f}, .opacity = 1, .roughness = 1};
    for (u32 i = 0; i < MESHES_SLOTS; i++) plain->texture[i].array = MESHES_NONE;
    MeshMaterial* checker = &m->geometry.material[MESHES_CHECKER(m)];
    *checker = *plain;
    checker->base_color = (Vec3){1, 1, 1};
    checker->texture[MESHES_BASE_COLOR] = (MeshTexture){.strength = 1, .rotation = {1, 0, 0, 1}};
    return ENT_OK;
}
