/* sph_pass.c - kernels with the constants of a fluid, and passes with its buffers. */
#include "sph_internal.h"

static u32 hashed_of(const Sph* sph) {
    if (sph->method->hashed) return SPH_CELLS_HASHED;
    return sph->desc.hash_primes[0] ? SPH_ROWS_HASHED : SPH_ROWS_WRAPPED;
}

ent_status sph_kernel_create(const Sph* sph, GpuKernel* kernel, const GpuKernelDesc* desc) {
    const SphTune* t = &sph->tune;
    const u32*     prime = sph->desc.hash_primes;
    const u32      emits = sph->emission.capacity ? SPH_EMITS : 0,
              mixed = sph->fluids > 1 ? SPH_MIXED : 0, has_walls = sph->desc.colliders != NULL;
    const u32 constants[] = {sph->model, hashed_of(sph), t->lanes, t->unroll, t->shared,
                             has_walls,  emits | mixed,  prime[0], prime[1]};
    const u32 count = COUNT_OF(constants) - (prime[0] ? 0 : 2);
    return gpu_kernel_create_with(kernel, sph->gpu, desc, constants, count);
}

void sph_pass(const Sph* sph, GpuList* list, GpuPass pass, u32 reads, u32 writes) {
    pass.push = &sph->push;
    pass.push_bytes = sizeof sph->push;
    for (u32 i = 0; i < SPH_BUFFERS; i++) {
        const u32  access = (reads >> i & 1 ? GPU_READ : 0u) | (writes >> i & 1 ? GPU_WRITE : 0u);
        const bool met = i == SPH_PLANES && sph->desc.colliders;
        const GpuBuffer* buffer = met ? &sph->desc.colliders->planes : &sph->buffer[i];
        if (access) pass.use[i] = (GpuUse){buffer, (GpuAccess)access};
    }
    pass.use[SPH_KINDS] = (GpuUse){&sph->buffer[SPH_KINDS], GPU_READ};
    pass.use[EMISSION_TABLE] = (GpuUse){&sph->emission.table, EMISSION_ACCESS(&sph->emission)};
    pass.use[EMISSION_LIVES] = (GpuUse){&sph->emission.lives, EMISSION_ACCESS(&sph->emission)};
    gpu_pass(list, &pass);
}
