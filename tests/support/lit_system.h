/* lit_system.h - a system that draws, with the lighting that it needs, and frames of both. */
#ifndef LIT_SYSTEM_H
#define LIT_SYSTEM_H

#include "gpu_picture.h"
#include "lighting.h"

typedef struct LitSystem {
    GpuPart at[2]; /* lighting, and the system */
} LitSystem;

static inline void lit_destroy(LitSystem* lit) {
    for (u32 i = 2; i-- > 0;)
        if (lit->at[i].state) lit->at[i].system->destroy(lit->at[i].state);
    *lit = (LitSystem){0};
}

static inline ent_status lit_create(LitSystem* lit, const GpuSystem* system, Gpu* gpu,
                                    const GpuScene* scene, GpuProblem* problem) {
    GpuScene lit_scene = *scene;
    *lit = (LitSystem){.at = {{ent_lighting_system(), NULL}, {system, NULL}}};
    ent_status status = lit->at[0].system->create(&lit->at[0].state, gpu, &lit_scene, problem);
    lit_scene.lighting = lit->at[0].state;
    if (status == ENT_OK) status = system->create(&lit->at[1].state, gpu, &lit_scene, problem);
    if (status != ENT_OK) lit_destroy(lit);
    return status;
}

static inline GpuParts lit_parts(const LitSystem* lit) { return (GpuParts){lit->at, 2}; }

#endif
