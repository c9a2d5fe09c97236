/* particles_lists.c - a step of particles in lists: it reads buffers 0, writes buffers 1, and applies the collisions on the
 * way back to buffers 0. */
#include "particles_lists.h"

#include <stdlib.h>

#include "particles_clear.comp.h"
#include "particles_collide.comp.h"

typedef struct Extra {
    GpuKernel clear, collide;
    GpuPool   pool;
    GpuBuffer contact, shift;
} Extra;

static ent_status lists_create(Particles* p) {
    Extra* x = p->extra = calloc(1, sizeof(Extra));
    if (!x) return ENT_NO_MEMORY;
    const GpuBufferRequest requests[] = {
        {&x->contact, p->push.count, sizeof(u32), "particles' contacts"},
        {&x->shift, p->push.count, sizeof(Vec2), "particles' collisions"}};
    TRY(gpu_pool_create(&x->pool, p->gpu, requests, COUNT_OF(requests)));
    TRY(particles_kernels_create(p, 0));
    TRY(gpu_kernel_create(&x->collide, p->gpu,
                          &GPU_KERNEL(particles_collide, PARTICLES_COLLIDE_GROUP)));
    return gpu_kernel_create(&x->clear, p->gpu, &GPU_KERNEL(particles_clear, PARTICLES_GROUP));
}

static void lists_destroy(Particles* p) {
    Extra* x = p->extra;
    if (!x) return;
    gpu_kernel_destroy(&x->clear);
    gpu_kernel_destroy(&x->collide);
    if (x->pool.gpu) gpu_pool_destroy(&x->pool);
    free(x);
}

static void lists_collide(const Particles* p, GpuList* list) {
    const Extra* x = p->extra;
    particles_pass(p, list,
                   (GpuPass){.name = "collide",
                             .kernel = &x->collide,
                             .use = {[PARTICLES_BODY] = {&p->body[1], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[1], GPU_READ},
                                     [PARTICLES_CONTACT] = {&x->contact, GPU_WRITE},
                                     [PARTICLES_SHIFT] = {&x->shift, GPU_WRITE},
                                     [PARTICLES_FIRST] = {&p->first, GPU_READ}}});
    particles_pass(p, list,
                   (GpuPass){.name = "settle",
                             .kernel = &p->kernel.settle,
                             .use = {[PARTICLES_BODY] = {&p->body[1], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[1], GPU_READ},
                                     [PARTICLES_CONTACT] = {&x->contact, GPU_READ},
                                     [PARTICLES_SHIFT] = {&x->shift, GPU_READ},
                                     [PARTICLES_BODY_OUT] = {&p->body[0], GPU_WRITE},
                                     [PARTICLES_MOTION_OUT] = {&p->motion[0], GPU_WRITE}}});
}

static void lists_step(const Particles* p, GpuList* list) {
    const Extra* x = p->extra;
    gpu_pass(list, &(GpuPass){.name = "clear",
                              .kernel = &x->clear,
                              .push = &p->push,
                              .push_bytes = sizeof p->push,
                              .use = {[PARTICLES_FIRST] = {&p->first, GPU_WRITE}},
                              .threads = p->push.words / 4});
    particles_pass(p, list,
                   (GpuPass){.name = "move",
                             .kernel = &p->kernel.move,
                             .use = {[PARTICLES_BODY] = {&p->body[0], GPU_READ},
                                     [PARTICLES_MOTION] = {&p->motion[0], GPU_READ},
                                     [PARTICLES_BODY_OUT] = {&p->body[1], GPU_WRITE},
                                     [PARTICLES_MOTION_OUT] = {&p->motion[1], GPU_WRITE},
                                     [PARTICLES_COUNT] = {&p->first, GPU_READ_WRITE}}});
    lists_collide(p, list);
}

const ParticlesMethod particles_lists = {
    .settled = 0, .create = lists_create, .destroy = lists_destroy, .step = lists_step};
