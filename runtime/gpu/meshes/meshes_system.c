/* meshes_system.c - the system of meshes: everything that is needed to draw a world. */
#include "meshes_internal.h"

#include <stdlib.h>

static ent_status device_check(const Gpu* gpu, GpuProblem* problem) {
    const char* lacks = !gpu->can.draw_numbers ? "the numbers of draws in vertex shaders"
                        : !gpu->can.primitives ? "the numbers of primitives in fragment shaders"
                        : !gpu->can.stores     ? "stores to buffers in fragment shaders"
                        : !gpu->can.blends ? "blending of several images, also of floats of 32 bits"
                                           : NULL;
    if (!lacks) return ENT_OK;
    return gpu_problem(problem, ENT_NO_DEVICE, "\"%s\" cannot draw meshes: it lacks %s",
                       gpu->info.name, lacks);
}

static void meshes_destroy(void* state) {
    Meshes* m = state;
    if (!m) return;
    gpu_wait(m->gpu);
    meshes_kernels_destroy(m);
    meshes_blend_destroy(m);
    meshes_scene_destroy(m);
    meshes_skin_destroy(m);
    meshes_shadows_destroy(m);
    meshes_moves_destroy(m);
    gpu_pool_destroy(&m->geometry.pool);
    gpu_pool_destroy(&m->geometry.table_pool);
    gpu_pool_destroy(&m->shape.pool);
    gpu_pool_destroy(&m->eye_pool);
    gpu_blobs_free(&m->meshes);
    gpu_blobs_free(&m->materials);
    meshes_geometry_free(&m->geometry);
    meshes_shape_free(&m->shape);
    GpuMirror* const mirrors[] = {&m->mirror.parts, &m->mirror.materials, &m->mirror.boxes,
                                  &m->mirror.targets, &m->mirror.masks};
    for (u32 i = 0; i < COUNT_OF(mirrors); i++) gpu_mirror_free(mirrors[i]);
    free(m);
}

static ent_status meshes_pose(void* state, GpuPicture* picture) {
    Meshes* m = state;
    TRY(lighting_follow(m->lighting, picture->frame));
    TRY(meshes_reload(m, picture->frame));
    TRY(meshes_instances_update(m, picture->frame));
    return meshes_skin_record(m, picture->frame);
}

static ent_status meshes_place(void* state, GpuPicture* picture) {
    Meshes* m = state;
    TRY(meshes_matrices_update(m, picture->frame));
    TRY(meshes_follow_record(m, picture->frame));
    return meshes_moves_update(m, picture->frame,
                               picture->canvas ? picture->desc->time_s : m->moves.time_s);
}

static ent_status scene_upload(Meshes* m) {
    GpuFrames* frames;
    GpuPicture picture = {0};
    TRY(gpu_alone_begin(m->gpu, &frames, &picture.frame));
    ent_status status = meshes_pose(m, &picture);
    if (status == ENT_OK) status = meshes_place(m, &picture);
    return gpu_alone_end(frames, picture.frame, status);
}

static ent_status meshes_fill(Meshes* m, const GpuScene* scene, GpuProblem* problem) {
    TRY(device_check(m->gpu, problem));
    TRY(gpu_blobs_find(&m->meshes, scene->library, RESOURCE_MESH));
    TRY(gpu_blobs_find(&m->materials, scene->library, RESOURCE_MATERIAL));
    TRY(meshes_views_find(m));
    TRY(meshes_geometry_create(m, problem));
    TRY(meshes_shape_create(m));
    m->source.taken = m->source.seen;
    TRY(meshes_skin_create(m));
    TRY(meshes_scene_create(m));
    TRY(meshes_kernels_create(m));
    TRY(meshes_blend_create(m));
    TRY(scene_upload(m));
    return meshes_extent_find(m);
}

static ent_status meshes_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    Meshes* m = calloc(1, sizeof *m);
    assert(scene->lighting);
    *state = NULL;
    if (!m) return ENT_NO_MEMORY;
    m->gpu = gpu;
    m->world = scene->world;
    m->source = (MeshesSource){
        .library = scene->library,
        .seen = gpu_seen(scene->library),
        .taken = {.cleared = NONE}, /* all of it is new */

        .texture_changes = ((const Lighting*)scene->lighting)->textures.changes,
        .dropped = gpu->dropped,
        .arrays = gpu_textures_constant(&((const Lighting*)scene->lighting)->textures)};
    m->lighting = scene->lighting;
    const ent_status status = meshes_fill(m, scene, problem);
    if (status == ENT_OK)
        *state = m;
    else
        meshes_destroy(m);
    return status;
}

static const GpuExtent* meshes_extent(const void* state) {
    const Meshes* m = state;
    return &m->extent;
}

static u32 meshes_ids(const void* state) {
    const Meshes* m = state;
    return m->slots.capacity;
}

const GpuSystem* ent_meshes_system(void) {
    static const GpuSystem system = {.name = "meshes",
                                     .component = "mesh",
                                     .is_captured = 1,
                                     .create = meshes_create,
                                     .destroy = meshes_destroy,
                                     .extent = meshes_extent,
                                     .ids = meshes_ids,
                                     .phase = {[ENT_GPU_POSE] = meshes_pose,
                                               [ENT_GPU_PLACE] = meshes_place,
                                               [ENT_GPU_CULL] = meshes_cull,
                                               [ENT_GPU_SURFACES] = meshes_surfaces,
                                               [ENT_GPU_CASTERS] = meshes_casters,
                                               [ENT_GPU_SHADOWS] = meshes_shadows,
                                               [ENT_GPU_FILTERS] = meshes_filters,
                                               [ENT_GPU_SHADE] = meshes_shade,
                                               [ENT_GPU_BLEND] = meshes_blend_record}};
    return &system;
}
