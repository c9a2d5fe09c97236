/* meshes_system.c - the system of meshes: everything that is needed to draw a world. */
#include "meshes_internal.h"

#include <stdlib.h>

/* --- resources of the library --- */

static int id_order(const void* a, const void* b) {
    const MeshesId *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

ent_status meshes_blobs_find(MeshesBlobs* blobs, const Library* library, ResourceType type) {
    u32 count = 0;
    for (u32 i = 0; i < library->count; i++)
        count += ent_library_entry(library, i)->resource.blob.header->resource_type == type;
    blobs->at = calloc((size_t)count + 1, sizeof *blobs->at);
    blobs->table.at = calloc((size_t)count + 1, sizeof *blobs->table.at);
    if (!blobs->at || !blobs->table.at) return ENT_NO_MEMORY;
    for (u32 i = 0; i < library->count; i++) {
        const LibraryEntry* entry = ent_library_entry(library, i);
        if (entry->resource.blob.header->resource_type != type) continue;
        blobs->table.at[blobs->count] = (MeshesId){resource_id(entry->id), blobs->count};
        blobs->at[blobs->count++] = &entry->resource.blob;
    }
    blobs->table.count = blobs->count;
    qsort(blobs->table.at, count, sizeof *blobs->table.at, id_order);
    return ENT_OK;
}

void meshes_blobs_free(MeshesBlobs* blobs) {
    free(blobs->at);
    free(blobs->table.at);
    *blobs = (MeshesBlobs){0};
}

const char* meshes_blob_name(const Blob* blob) {
    const u8* entry = (const u8*)blob - offsetof(LibraryEntry, resource.blob);
    return ((const LibraryEntry*)(const void*)entry)->name;
}

u32 meshes_row(const MeshesTable* table, ResourceRef id) {
    const MeshesId key = {resource_id(id), 0};
    if (table->count == 0) return NONE;
    const MeshesId* found = bsearch(&key, table->at, table->count, sizeof key, id_order);
    return found ? found->row : NONE;
}

const void* meshes_rows(const Blob* blob, SectionKind kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

/* --- the system --- */

static ent_status device_check(const Gpu* gpu, GpuProblem* problem) {
    const char* lacks = !gpu->can.indirect_draws ? "indirect draws with a first instance"
                        : !gpu->can.draw_numbers ? "the numbers of draws in vertex shaders"
                        : !gpu->can.primitives   ? "the numbers of primitives in fragment shaders"
                        : !gpu->can.clips        ? "distances at which vertex shaders clip"
                        : !gpu->can.blends ? "blending of several images, also of floats of 32 bits"
                        : !gpu->can.textures ? "32 sampled images in a kernel"
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
    meshes_scene_destroy(m);
    meshes_skin_destroy(m);
    meshes_probes_destroy(m);
    meshes_shadows_destroy(m);
    lights_destroy(&m->lights);
    normals_destroy(&m->normals);
    gpu_pool_destroy(&m->decal_pool);
    gpu_pool_destroy(&m->pool);
    gpu_pool_destroy(&m->eye_pool);
    meshes_textures_destroy(&m->textures);
    meshes_blobs_free(&m->meshes);
    meshes_blobs_free(&m->materials);
    free(m->mesh);
    free(m->part);
    free(m->material);
    free(m);
}

static ent_status meshes_pose(void* state, GpuPicture* picture) {
    Meshes* m = state;
    TRY(meshes_instances_update(m, picture->frame));
    return meshes_skin_record(m, picture->frame);
}

static ent_status meshes_place(void* state, GpuPicture* picture) {
    Meshes* m = state;
    TRY(meshes_matrices_update(m, picture->frame));
    TRY(meshes_follow_record(m, picture->frame));
    TRY(lights_update(&m->lights, picture->frame));
    TRY(meshes_decals_update(m, picture->frame));
    TRY(meshes_probes_update(m, picture->frame));
    return meshes_shadows_update(m, picture->frame);
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
    TRY(meshes_blobs_find(&m->meshes, scene->library, RESOURCE_MESH));
    TRY(meshes_blobs_find(&m->materials, scene->library, RESOURCE_MATERIAL));
    TRY(meshes_textures_create(&m->textures, m->gpu, scene->library, problem));
    TRY(meshes_geometry_create(m, problem));
    TRY(shadows_create(&m->shadow.shadows, m->gpu));
    meshes_maps_bind(&m->textures, &m->shadow.shadows);
    TRY(meshes_shape_create(m));
    TRY(meshes_skin_create(m, scene->library));
    TRY(meshes_scene_create(m));
    TRY(lights_create(&m->lights, m->gpu, m->world));
    TRY(meshes_kernels_create(m));
    TRY(scene_upload(m));
    return meshes_extent_find(m);
}

static ent_status meshes_create(void** state, Gpu* gpu, const GpuScene* scene,
                                GpuProblem* problem) {
    Meshes* m = calloc(1, sizeof *m);
    *state = NULL;
    if (!m) return ENT_NO_MEMORY;
    m->gpu = gpu;
    m->world = scene->world;
    normals_create(&m->normals, gpu);
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
                                     .create = meshes_create,
                                     .destroy = meshes_destroy,
                                     .extent = meshes_extent,
                                     .ids = meshes_ids,
                                     .capture = meshes_probes_capture,
                                     .phase = {[ENT_GPU_POSE] = meshes_pose,
                                               [ENT_GPU_PLACE] = meshes_place,
                                               [ENT_GPU_CULL] = meshes_cull,
                                               [ENT_GPU_SURFACES] = meshes_surfaces,
                                               [ENT_GPU_OCCLUSION] = meshes_occlusion,
                                               [ENT_GPU_LIGHTS] = meshes_lights,
                                               [ENT_GPU_SHADOWS] = meshes_shadows_record,
                                               [ENT_GPU_SHADE] = meshes_shade,
                                               [ENT_GPU_BLEND] = meshes_blend_record}};
    return &system;
}
