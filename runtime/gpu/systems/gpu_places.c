/* gpu_places.c - world matrices on the device, and the row of each entity. */
#include "gpu_places.h"

#include "gpu_system_internal.h"
#include "places_io.h"

#include "places.comp.h"

ent_status gpu_places_create(GpuPlaces* p, Gpu* gpu, World* world, Animators* animators) {
    const Manager* transforms = ent_world_built_in(world, COMPONENT_TRANSFORM);
    *p = (GpuPlaces){.gpu = gpu, .world = world, .dropped = gpu->dropped};
    TRY(gpu_animated_create(&p->animated, gpu, world, animators));
    TRY(gpu_kernel_create(&p->find, gpu, &GPU_KERNEL(places, PLACES_GROUP)));
    return gpu_columns_create(&p->transforms, gpu, world, transforms->desc.type.id,
                              1u << COLUMN_WORLD);
}

void gpu_places_destroy(GpuPlaces* p) {
    gpu_animated_destroy(&p->animated);
    gpu_columns_destroy(&p->transforms);
    gpu_pool_destroy(&p->pool);
    gpu_kernel_destroy(&p->find);
}

static ent_status rows_reserve(GpuPlaces* p, GpuFrame* frame) {
    const u32              slots = ent_world_entities(p->world)->slot_capacity;
    const GpuBufferRequest request = {&p->rows, slots, sizeof(u32), "entities"};
    if (slots <= p->row_slots) return ENT_OK;
    gpu_frame_retire_pool(frame, &p->pool);
    p->row_slots = 0;
    TRY(gpu_pool_create(&p->pool, p->gpu, &request, 1));
    p->row_slots = slots;
    gpu_set(&frame->list, "place", &p->rows, 0);
    return ENT_OK;
}

ent_status gpu_places_update(GpuPlaces* p, GpuFrame* frame) {
    GpuColumns* const t = &p->transforms;
    const u32         slots = p->row_slots;
    TRY(gpu_columns_update(t, frame));
    TRY(gpu_animated_record(&p->animated, frame, t));
    if (p->dropped != p->gpu->dropped) p->row_slots = 0; /* what a failed frame has set */
    p->dropped = p->gpu->dropped;
    TRY(rows_reserve(p, frame));
    const PlacesPush push = {t->count};
    if (t->moved || slots != p->row_slots)
        gpu_pass(&frame->list, &(GpuPass){.name = "place",
                                          .kernel = &p->find,
                                          .use = {[PLACES_ENTITY] = {&t->entity, GPU_READ},
                                                  [PLACES_ROW] = {&p->rows, GPU_WRITE}},
                                          GPU_PUSH(push),
                                          .threads = t->count});
    return frame->list.status;
}

Mat34 gpu_places_pose(const GpuPlaces* p, Entity entity) {
    Mat34 pose;
    if (p->animated.animators &&
        gpu_animated_pose(&p->animated, ent_transform_row(p->world, entity), &pose))
        return pose;
    return entity_pose(p->world, entity);
}
