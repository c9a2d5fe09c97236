/* meshes_scene.c - the copy of a world on the device: instances, world matrices, and the draws of all
 * parts. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "meshes_place.comp.h"

#define FLAG_ALIGN                                                                                 \
    (4 * MESHES_BLOCK)   /* words: prefix sums are computed for four blocks at a time */
#define CHANGED_SHARE 4u /* when more than one place in four changed, all are uploaded */

/* --- draws --- */

static MeshesClass class_of(const Meshes* m, const MeshPart* part, bool mirrored) {
    const MeshMaterial* material = &m->geometry.material[part->material];
    const u32           side = material->two_sided ? 2 : mirrored;
    if (part->corners == 2) return MESHES_LINES;
    if (part->corners == 1) return MESHES_POINTS;
    return (MeshesClass)((material->alpha_mode ? MESHES_MASKED : MESHES_SOLID) + side);
}

/* The draws of all parts of all levels, mirrored and not, in the order of their classes; with NULL
 * they are only counted. */
static void draws_fill(Meshes* m, MeshDraw* draws) {
    u32 next[MESHES_CLASSES];
    memcpy(next, m->class_first, sizeof next);
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        const MeshRow* mesh = &m->geometry.mesh[i];
        const u32      parts = mesh->part_count * mesh->level_count;
        for (u32 k = 0; k < parts * 2 && mesh->instance_count; k++) {
            const u32 part = mesh->first_part + k / 2, level = k / 2 / mesh->part_count;
            const MeshesClass class = class_of(m, &m->geometry.part[part], k % 2);
            if (meshes_is_blended(m, &m->geometry.part[part])) continue;
            assert(class < MESHES_CLASSES);
            if (draws)
                draws[next[class]++] = (MeshDraw){i, part, level + k % 2 * m->geometry.level_max};
            else
                m->class_first[class + 1]++;
        }
    }
}

static void draws_count(Meshes* m) {
    memset(m->class_first, 0, sizeof m->class_first);
    draws_fill(m, NULL);
    for (u32 i = 0; i < MESHES_CLASSES; i++) m->class_first[i + 1] += m->class_first[i];
    m->draw_count = m->class_first[MESHES_CLASSES];
}

static ent_status draws_upload(Meshes* m, GpuFrame* frame) {
    MeshDraw* draws = calloc((size_t)m->draw_count + 1, sizeof *draws);
    if (!draws) return ENT_NO_MEMORY;
    draws_fill(m, draws);
    ent_status status = ENT_OK;
    if (m->draw_count)
        status = meshes_commands_upload(m, frame, &m->scene.commands, draws, m->draw_count);
    if (m->draw_count && status == ENT_OK)
        status = gpu_frame_upload(frame, &m->scene.draws, 0, draws, m->draw_count * sizeof *draws);
    free(draws);
    return status;
}

/* --- bounds --- */

ent_status meshes_extent_find(Meshes* m) {
    Bounds all = bounds_empty();
    for (u32 i = 0; i < m->slots.capacity; i++) {
        const MeshInstance* instance = &m->slots.slot[i];
        const Mat34         pose = gpu_places_pose(&m->lighting->places, instance->entity);
        Bounds              box;
        if (instance->mesh == MESHES_NONE) continue;
        const MeshRow* mesh = &m->geometry.mesh[instance->mesh];
        box = (Bounds){mesh->low, mesh->high};
        if (MESHES_IS_MOVED(instance->shown)) TRY(meshes_moved_bounds(m, i, 0, &box));
        for (u32 k = 0; k < 8; k++) bounds_add(&all, mat34_point(&pose, bounds_corner(&box, k)));
    }
    m->extent = (GpuExtent){.count = m->slots.row_count, .low = all.low, .high = all.high};
    return ENT_OK;
}

/* --- all instances --- */

u32 meshes_stride_of(u64 instances) {
    return (u32)align_up((instances + 31) / 32, FLAG_ALIGN) + FLAG_ALIGN;
}

static ent_status buffers_create(Meshes* m, GpuFrame* frame) {
    const u32              places = m->slots.capacity, flags = meshes_flag_words(m);
    const GpuBufferRequest requests[] = {
        {&m->scene.instances, places, sizeof(MeshInstance), "mesh instances"},
        {&m->scene.draws, m->draw_count, sizeof(MeshDraw), "draws of parts"},
        {&m->scene.flags, flags, sizeof(u32), "flags of instances"},
        {&m->scene.counts, flags / MESHES_BLOCK, sizeof(u32), "counts of flags"},
        {&m->scene.sums, flags / MESHES_BLOCK, sizeof(u32), "sums of flags"},
        {&m->scene.hidden, m->flag_stride, sizeof(u32), "flags of instances"},
        {&m->scene.total, 1, sizeof(u32), "a number of instances"},
        {&m->blend.draws, m->blend.count, sizeof(MeshDraw), "blended parts"},
        {&m->blend.visible, m->blend.count ? places : 0, sizeof(u32), "blended parts"},
        {&m->blend.commands, m->blend.count, sizeof(VkDrawIndexedIndirectCommand), "blended parts"},
        {&m->scene.commands, m->draw_count, sizeof(VkDrawIndexedIndirectCommand), "draws of parts"},
        {&m->scene.visible, places, sizeof(u32), "visible instances"}};
    TRY(gpu_pool_create(&m->scene.pool, m->gpu, requests, COUNT_OF(requests)));
    gpu_set(&frame->list, "upload", &m->scene.flags,
            0); /* also the words behind the last instance */
    gpu_set(&frame->list, "upload", &m->scene.counts, 0);
    gpu_set(&frame->list, "upload", &m->scene.hidden, 0);
    return scan_create(&m->scene.scan, m->gpu, flags / MESHES_BLOCK, false);
}

static ent_status instances_upload(Meshes* m, GpuFrame* frame) {
    meshes_slots_clean(m);
    return gpu_frame_upload(frame, &m->scene.instances, 0, m->slots.slot,
                            m->slots.capacity * sizeof *m->slots.slot);
}

/* Also when instances were added for which there is no place. */
static ent_status instances_create(Meshes* m, GpuFrame* frame) {
    TRY(meshes_slots_create(m));
    m->slots.moved = true; /* every place is new */
    TRY(meshes_skin_assign(m, frame));
    draws_count(m);
    meshes_blend_draws_count(m);
    m->flag_stride = meshes_stride_of(m->slots.capacity);
    scan_retire(&m->scene.scan, frame);
    gpu_frame_retire_pool(frame, &m->scene.pool);
    TRY(buffers_create(m, frame));
    TRY(draws_upload(m, frame));
    TRY(meshes_blend_draws_upload(m, frame));
    TRY(gpu_frame_upload(frame, &m->geometry.meshes_table, 0, m->geometry.mesh,
                         MESHES_ROWS(m) * sizeof *m->geometry.mesh));
    return instances_upload(m, frame);
}

/* The row of the transform of each instance; after the phase `place` of the lighting. */
static void rows_record(const Meshes* m, GpuList* list) {
    const GpuPlaces*  p = &m->lighting->places;
    const GpuColumns* t = &p->transforms;
    const MeshesPlace push = {t->count, m->slots.capacity, p->row_slots};
    gpu_pass(list, &(GpuPass){.name = "place",
                              .kernel = &m->kernel.place,
                              .use = {[MESHES_ENTITY] = {&t->entity, GPU_READ},
                                      [MESHES_ROW] = {&p->rows, GPU_READ},
                                      [MESHES_INSTANCE] = {&m->scene.instances, GPU_READ_WRITE}},
                              GPU_PUSH(push),
                              .threads = m->slots.capacity});
}

/* --- changes --- */

/* True when instances have other places. */
static ent_status instances_update(Meshes* m, GpuFrame* frame, bool* changed) {
    *changed = true;
    if (m->source.renews || !m->slots.watched || !meshes_slots_update(m)) {
        TRY(instances_create(m, frame));
        if (m->source.renews) TRY(meshes_extent_find(m));
        m->source.renews = false;
        return ENT_OK;
    }
    TRY(meshes_skin_assign(m, frame));
    *changed = m->slots.dirty_count > 0;
    meshes_moves_note(m);
    if (m->slots.dirty_count > m->slots.capacity / CHANGED_SHARE) return instances_upload(m, frame);
    scatter_record(&m->scene.changes, frame, &m->scene.instances, sizeof(MeshInstance) / 4,
                   m->slots.slot, (ScatterRows){m->slots.dirty, m->slots.dirty_count});
    meshes_slots_clean(m);
    return frame->list.status;
}

ent_status meshes_instances_update(Meshes* m, GpuFrame* frame) {
    TRY(instances_update(m, frame, &m->instances_changed));
    return frame->list.status;
}

ent_status meshes_matrices_update(Meshes* m, GpuFrame* frame) {
    m->instances_changed |= m->lighting->places.transforms.moved;
    if (m->instances_changed) rows_record(m, &frame->list);
    return frame->list.status;
}

ent_status meshes_scene_create(Meshes* m) {
    TRY(gpu_kernel_create(&m->kernel.place, m->gpu, &GPU_KERNEL(meshes_place, MESHES_GROUP)));
    return scatter_create(&m->scene.changes, m->gpu);
}

void meshes_scene_destroy(Meshes* m) {
    meshes_slots_free(m);
    scan_destroy(&m->scene.scan);
    scatter_destroy(&m->scene.changes);
    gpu_pool_destroy(&m->scene.pool);
    gpu_kernel_destroy(&m->kernel.place);
}
