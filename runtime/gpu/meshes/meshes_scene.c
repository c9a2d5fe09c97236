/* meshes_scene.c - the mesh instances of a world, and the draws of their parts.
 *
 * Instances are sorted by mesh, so that the visible ones of a mesh follow each other in the list of
 * visible instances: all parts of the mesh are drawn with the same range of that list. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "rows.h"

#define FLAG_ALIGN 4u /* prefix sums are computed for four words at a time */

/* --- instances --- */

/* Counts the instances of each mesh; of a mesh that the library does not have, the first entity is
 * reported. */
static ent_status instances_count(Meshes* m, World* world, u32* mesh_of, GpuProblem* problem) {
    const MeshRows rows = ent_mesh_rows(world);
    for (u32 i = 0; i < rows.count; i++) {
        mesh_of[i] = meshes_row(&m->meshes.table, rows.record[i].resource);
        if (mesh_of[i] == NONE)
            return gpu_problem(
                problem, ENT_NOT_FOUND, "the mesh 0x%016llx of the entity 0x%08x is not loaded",
                (unsigned long long)resource_id(rows.record[i].resource), rows.entity[i]);
        m->mesh[mesh_of[i]].instance_count++;
    }
    for (u32 i = 1; i < m->meshes.count; i++)
        m->mesh[i].first_instance = m->mesh[i - 1].first_instance + m->mesh[i - 1].instance_count;
    return ENT_OK;
}

static void instances_sort(Meshes* m, World* world, const u32* mesh_of, MeshInstance* instances) {
    const MeshRows rows = ent_mesh_rows(world);
    for (u32 i = 0; i < m->meshes.count; i++) m->mesh[i].instance_count = 0;
    for (u32 i = 0; i < rows.count; i++) {
        MeshRow*  mesh = &m->mesh[mesh_of[i]];
        const u32 transform = ent_transform_row(world, rows.entity[i]);
        instances[mesh->first_instance + mesh->instance_count++] =
            (MeshInstance){.transform = transform == MANAGER_NO_ROW ? MESHES_NONE : transform,
                           .mesh = mesh_of[i],
                           .visible = rows.record[i].visible};
    }
}

/* --- draws --- */

static MeshesClass class_of(const Meshes* m, const MeshPart* part, bool mirrored) {
    const MeshMaterial* material = &m->material[part->material];
    const u32           side = material->two_sided ? 2 : mirrored;
    if (part->corners == 2) return MESHES_LINES;
    if (part->corners == 1) return MESHES_POINTS;
    return (MeshesClass)((material->alpha_mode ? MESHES_MASKED : MESHES_SOLID) + side);
}

/* The draws of all parts of all levels, mirrored and not, in the order of their classes; with NULL they are only
 * counted. */
static void draws_fill(Meshes* m, MeshDraw* draws) {
    u32 next[MESHES_CLASSES];
    memcpy(next, m->class_first, sizeof next);
    for (u32 i = 0; i < m->meshes.count; i++) {
        const MeshRow* mesh = &m->mesh[i];
        const u32      parts = mesh->part_count * mesh->level_count;
        for (u32 k = 0; k < parts * 2 && mesh->instance_count; k++) {
            const u32 part = mesh->first_part + k / 2, level = k / 2 / mesh->part_count;
            const MeshesClass class = class_of(m, &m->part[part], k % 2);
            if (draws)
                draws[next[class]++] = (MeshDraw){i, part, level + k % 2 * m->level_most};
            else
                m->class_first[class + 1]++;
        }
    }
}

/* Indices count from the beginning of the Vulkan buffer: Mesa's llvmpipe 22.3 ignores the offset of
 * an index buffer in indirect draws. */
static ent_status draws_upload(Meshes* m, const MeshDraw* draws) {
    VkDrawIndexedIndirectCommand* commands = calloc(m->draw_count, sizeof *commands);
    const u32                     first = (u32)(m->indices.offset / sizeof(u32));
    ent_status                    status = commands ? ENT_OK : ENT_NO_MEMORY;
    for (u32 i = 0; commands && i < m->draw_count; i++) {
        const MeshPart* part = &m->part[draws[i].part];
        commands[i] = (VkDrawIndexedIndirectCommand){.indexCount = part->index_count,
                                                     .firstIndex = first + part->first_index};
    }
    if (commands)
        status = gpu_upload(m->gpu, &m->commands, 0, commands, m->draw_count * sizeof *commands);
    free(commands);
    if (status != ENT_OK) return status;
    return gpu_upload(m->gpu, &m->draws, 0, draws, m->draw_count * sizeof *draws);
}

/* --- the scene --- */

static void extent_find(Meshes* m, World* world, const MeshInstance* instances) {
    const Mat34* worlds = ent_transform_worlds(world);
    Bounds       all = bounds_empty();
    for (u32 i = 0; i < m->instance_count; i++) {
        const MeshRow* mesh = &m->mesh[instances[i].mesh];
        const Mat34*   pose = instances[i].transform == MESHES_NONE ? &mat34_identity
                                                                    : &worlds[instances[i].transform];
        for (u32 k = 0; k < 8; k++)
            bounds_add(&all, mat34_point(pose, (Vec3){k & 1 ? mesh->high.x : mesh->low.x,
                                                      k & 2 ? mesh->high.y : mesh->low.y,
                                                      k & 4 ? mesh->high.z : mesh->low.z}));
    }
    m->extent = (GpuExtent){
        .count = m->instance_count, .low = all.low, .high = all.high, .draws_surfaces = 1};
}

static ent_status buffers_create(Meshes* m, u32 transforms) {
    const u32           flags = m->flag_stride * m->level_most * 2;
    const GpuBufferWish wishes[] = {
        {&m->instances, m->instance_count, sizeof(MeshInstance), "mesh instances"},
        {&m->matrices, transforms, sizeof(Mat34), "world matrices"},
        {&m->draws, m->draw_count, sizeof(MeshDraw), "draws of parts"},
        {&m->flags, flags, sizeof(u32), "flags of instances"},
        {&m->sums, flags, sizeof(u32), "sums of flags"},
        {&m->commands, m->draw_count, sizeof(VkDrawIndexedIndirectCommand), "draws of parts"},
        {&m->visible, m->instance_count, sizeof(u32), "visible instances"}};
    TRY(gpu_pool_create(&m->scene, m->gpu, wishes, COUNT_OF(wishes)));
    TRY(gpu_fill(m->gpu, &m->flags, 0)); /* also the ones behind the last instance */
    return scan_create(&m->scan, m->gpu, flags, false);
}

static ent_status scene_upload(Meshes* m, World* world, const MeshInstance* instances) {
    const u32 transforms = ent_transform_rows(world).count;
    draws_fill(m, NULL);
    for (u32 i = 0; i < MESHES_CLASSES; i++) m->class_first[i + 1] += m->class_first[i];
    m->draw_count = m->class_first[MESHES_CLASSES];
    m->flag_stride = (u32)align_up((u64)m->instance_count + 1, FLAG_ALIGN);
    TRY(buffers_create(m, transforms));
    MeshDraw* draws = calloc((size_t)m->draw_count + 1, sizeof *draws);
    if (!draws) return ENT_NO_MEMORY;
    draws_fill(m, draws);
    const ent_status status = m->draw_count ? draws_upload(m, draws) : ENT_OK;
    free(draws);
    if (status != ENT_OK) return status;
    if (transforms)
        TRY(gpu_upload(m->gpu, &m->matrices, 0, ent_transform_worlds(world),
                       transforms * sizeof(Mat34)));
    TRY(gpu_upload(m->gpu, &m->meshes_table, 0, m->mesh, m->meshes.count * sizeof *m->mesh));
    return gpu_upload(m->gpu, &m->instances, 0, instances, m->instance_count * sizeof *instances);
}

ent_status meshes_scene_create(Meshes* m, World* world, GpuProblem* problem) {
    const MeshRows rows = ent_mesh_rows(world);
    u32*           mesh_of = calloc((size_t)rows.count + 1, sizeof *mesh_of);
    MeshInstance*  instances = calloc((size_t)rows.count + 1, sizeof *instances);
    ent_status     status = mesh_of && instances ? ENT_OK : ENT_NO_MEMORY;
    m->instance_count = rows.count;
    if (status == ENT_OK) status = instances_count(m, world, mesh_of, problem);
    if (status == ENT_OK) {
        instances_sort(m, world, mesh_of, instances);
        extent_find(m, world, instances);
        status = scene_upload(m, world, instances);
    }
    free(mesh_of);
    free(instances);
    return status;
}
