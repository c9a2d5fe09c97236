/* meshes_host.c - culling and the buffers of meshes, for hosts with a renderer of their own. */
#include "meshes_internal.h"

/* A host reads what the kernels read. */
#define SAME(Host, Kernel, member)                                                                 \
    _Static_assert(sizeof(Host) == sizeof(Kernel) &&                                               \
                       offsetof(Host, member) == offsetof(Kernel, member),                         \
                   #Host " is " #Kernel)
SAME(EntMeshesTable, MeshRow, first_part);
SAME(EntMeshesTable, MeshRow, first_instance);
SAME(EntMeshesTable, MeshRow, normal);
SAME(EntMeshesTable, MeshRow, color);
SAME(EntMeshesTable, MeshRow, blended_count);
SAME(EntMeshesTable, MeshRow, scrolls);
SAME(EntMeshesPart, MeshPart, material);
SAME(EntMeshesPart, MeshPart, error_m);
SAME(EntMeshesTexture, MeshTexture, uv_set);
SAME(EntMeshesTexture, MeshTexture, offset);
SAME(EntMeshesMaterial, MeshMaterial, alpha_mode);
SAME(EntMeshesMaterial, MeshMaterial, caustics);
SAME(EntMeshesMaterial, MeshMaterial, bend);
SAME(EntMeshesMaterial, MeshMaterial, transmitted);
SAME(EntMeshesMaterial, MeshMaterial, transmission);
SAME(EntMeshesMaterial, MeshMaterial, thick_m);
SAME(EntMeshesMaterial, MeshMaterial, coat);
SAME(EntMeshesMaterial, MeshMaterial, coat_roughness);
SAME(EntMeshesMaterial, MeshMaterial, scroll);
SAME(EntMeshesMaterial, MeshMaterial, texture);
SAME(EntMeshesMover, SkinRange, joints);
SAME(EntMeshesMover, SkinRange, move);
SAME(EntMeshesMover, SkinRange, instance);
SAME(EntMeshesMover, SkinRange, first_box);
SAME(EntMeshesMover, SkinRange, to);
SAME(EntMeshesMover, SkinRange, to_tangent);

static ent_status eye_create(Meshes* m) {
    const GpuBufferRequest request = {&m->eye, 1, sizeof(CanvasEye), "the camera"};
    if (m->eye_pool.count) return ENT_OK;
    return gpu_pool_create(&m->eye_pool, m->gpu, &request, 1);
}

ent_status ent_meshes_cull(void* state, GpuFrame* frame, const CanvasView* view, u32 width,
                           u32 height) {
    Meshes*          m = state;
    const CanvasEye  eye = canvas_eye(view, width, height, 1);
    const GpuPicture picture = {
        .frame = frame, .eye = &m->eye, .eye_before = &m->eye, .pyramid = &m->eye};
    TRY(eye_create(m));
    if (m->slots.capacity == 0) {
        gpu_set(&frame->list, "list", &m->scene.total, 0);
        return frame->list.status;
    }
    TRY(gpu_frame_upload(frame, &m->eye, 0, &eye, sizeof eye));
    meshes_find(m, &picture);
    return frame->list.status;
}

void ent_meshes_range(const void* state, MeshesRange which, GpuRange* range) {
    const Meshes*    m = state;
    const GpuBuffer* buffers[] = {[ENT_MESHES_INSTANCES] = &m->scene.instances,
                                  [ENT_MESHES_MATRICES] = MESHES_MATRICES(m),
                                  [ENT_MESHES_VISIBLE] = &m->scene.visible,
                                  [ENT_MESHES_COUNT] = &m->scene.total,
                                  [ENT_MESHES_COMMANDS] = &m->scene.commands,
                                  [ENT_MESHES_DRAWS] = &m->scene.draws,
                                  [ENT_MESHES_INDICES] = &m->geometry.indices,
                                  [ENT_MESHES_VERTICES] = &m->geometry.vertices,
                                  [ENT_MESHES_TABLE] = &m->geometry.meshes_table,
                                  [ENT_MESHES_PARTS] = &m->geometry.parts,
                                  [ENT_MESHES_MATERIALS] = &m->geometry.material_table,
                                  [ENT_MESHES_RANGES] = &m->skin.skinning.buffer.ranges,
                                  [ENT_MESHES_MOVED] = &m->skin.skinning.buffer.to,
                                  [ENT_MESHES_BOXES] = &m->skin.skinning.buffer.boxes};
    /* Written by kernels, or by copies of the host's memory. */
    *range = gpu_range_of(buffers[which],
                          VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                          VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
}
