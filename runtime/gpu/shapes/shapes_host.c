/* shapes_host.c - elements of arrays of the host. */
#include "shapes_internal.h"

#include <stdlib.h>

/* Device memory for the arrays of a draw, used again after the draws are cleared. */
typedef struct HostSlot {
    GpuPool   pool;
    GpuBuffer element, extra;
    u32       count; /* capacity in elements */
} HostSlot;

typedef struct HostShapes {
    Shapes    shapes;
    GpuExtent extent;
    HostSlot  slot[SHAPES_DRAWS_MAX];
} HostShapes;

/* The bounds of what was added: shadows reach that far. */
static void extent_add(HostShapes* h, Vec3 at, f32 radius) {
    Bounds     bounds = {h->extent.low, h->extent.high};
    const Vec3 corner = {radius, radius, radius};
    if (h->extent.count++ == 0) bounds = bounds_empty();
    bounds_add(&bounds, vec3_sub(at, corner));
    bounds_add(&bounds, vec3_add(at, corner));
    h->extent.low = bounds.low;
    h->extent.high = bounds.high;
}

/* The memory of the next draw, with a capacity of at least `count` elements. */
static ent_status slot_of(HostShapes* h, u32 count, HostSlot** out) {
    HostSlot* slot = &h->slot[MIN_OF(h->shapes.draw_count, SHAPES_DRAWS_MAX - 1u)];
    *out = slot;
    h->shapes.moved = true;
    gpu_wait(h->shapes.gpu); /* earlier pictures read it */
    if (slot->count >= count) return ENT_OK;
    const GpuBufferRequest requests[] = {{&slot->element, count, sizeof(Vec4), "drawn elements"},
                                         {&slot->extra, count, sizeof(Vec4), "drawn elements"}};
    gpu_pool_destroy(&slot->pool);
    slot->count = 0;
    TRY(gpu_pool_create(&slot->pool, h->shapes.gpu, requests, COUNT_OF(requests)));
    slot->count = count;
    return ENT_OK;
}

/* Uploads vectors of three floats, each padded to four words. NULL: zeros. */
static ent_status upload_wide(Gpu* gpu, const GpuBuffer* to, const Vec3* from, u32 count) {
    enum { PIECE = 65536 };
    Vec4*      wide = from ? malloc(PIECE * sizeof *wide) : NULL;
    ent_status status = ENT_OK;
    if (!from) return gpu_fill(gpu, to, 0);
    if (!wide) return ENT_NO_MEMORY;
    for (u32 first = 0, n; first < count && status == ENT_OK; first += n) {
        n = MIN_OF(count - first, (u32)PIECE);
        for (u32 i = 0; i < n; i++) {
            const Vec3 v = from[first + i];
            wide[i] = (Vec4){v.x, v.y, v.z, 0};
        }
        status = gpu_upload(gpu, to, (u64)first * sizeof *wide, wide, n * sizeof *wide);
    }
    free(wide);
    return status;
}

ent_status ent_shapes_spheres(void* state, const EntShapesSpheres* s) {
    HostShapes* const h = state;
    HostSlot*         slot;
    if (s->count == 0) return ENT_OK;
    TRY(slot_of(h, s->count, &slot));
    TRY(upload_wide(h->shapes.gpu, &slot->element, s->position, s->count));
    TRY(upload_wide(h->shapes.gpu, &slot->extra, s->velocity, s->count));
    for (u32 i = 0; i < s->count; i++) extent_add(h, s->position[i], s->radius_m);
    return shapes_add(&h->shapes, &(ShapeDraw){.kind = &shape_spheres,
                                               .count = s->count,
                                               .element = slot->element,
                                               .extra = slot->extra,
                                               .pose = mat34_identity,
                                               .radius_m = s->radius_m,
                                               .speed_max_m_s = s->speed_max_m_s,
                                               .look = s->look});
}

/* In the world, a disc is not larger than its radius along the longer axis of the plane. */
static f32 radius_of(const EntShapesDiscs* d) {
    const f32 x = vec3_length(mat34_column(&d->pose, 0)),
              y = vec3_length(mat34_column(&d->pose, 1));
    f32 radius = 0;
    for (u32 i = 0; i < d->count; i++) radius = MAX_OF(radius, d->disc[i].z);
    return radius * (x + y);
}

ent_status ent_shapes_discs(void* state, const EntShapesDiscs* d) {
    HostShapes* const h = state;
    const f32         radius = radius_of(d);
    HostSlot*         slot;
    if (d->count == 0) return ENT_OK;
    TRY(slot_of(h, d->count, &slot));
    TRY(gpu_upload(h->shapes.gpu, &slot->element, 0, d->disc, (u64)d->count * sizeof *d->disc));
    for (u32 i = 0; i < d->count; i++)
        extent_add(h, mat34_point(&d->pose, (Vec3){d->disc[i].x, d->disc[i].y, 0}), radius);
    return shapes_add(&h->shapes, &(ShapeDraw){.kind = &shape_discs,
                                               .count = d->count,
                                               .element = slot->element,
                                               .extra = slot->element,
                                               .word = 3,
                                               .is_flat = true,
                                               .pose = d->pose,
                                               .radius_m = radius,
                                               .look = d->look});
}

void ent_shapes_clear(void* state) {
    HostShapes* const h = state;
    shapes_clear(&h->shapes);
    h->shapes.moved = true;
    h->extent.count = 0;
}

/* --- the system --- */

static void host_destroy(void* state) {
    HostShapes* h = state;
    shapes_destroy(&h->shapes);
    for (u32 i = 0; i < COUNT_OF(h->slot); i++) gpu_pool_destroy(&h->slot[i].pool);
    free(h);
}

static ent_status host_create(void** state, Gpu* gpu, const GpuScene* scene, GpuProblem* problem) {
    HostShapes* h = calloc(1, sizeof *h);
    UNUSED(problem); /* failures are logged by the device */
    *state = NULL;
    if (!h) return ENT_NO_MEMORY;
    const ent_status status = shapes_create(&h->shapes, gpu, scene->lighting);
    if (status == ENT_OK)
        *state = h;
    else
        host_destroy(h);
    return status;
}

static ent_status host_place(void* state, GpuPicture* picture) {
    HostShapes* const h = state;
    UNUSED(picture);
    shapes_follow(&h->shapes, false);
    return ENT_OK;
}

static const GpuExtent* host_extent(const void* state) {
    const HostShapes* h = state;
    return &h->extent;
}

const GpuSystem* ent_shapes_system(void) {
    static const GpuSystem system = {.name = "shapes",
                                     .create = host_create,
                                     .destroy = host_destroy,
                                     .extent = host_extent,
                                     .ids = shapes_ids,
                                     .phase = {[ENT_GPU_PLACE] = host_place, SHAPES_PHASES}};
    return &system;
}
