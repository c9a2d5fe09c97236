/* fluid_step.h - the longest stable step of a fluid, and whether it begins with particles. */
#ifndef ENT_FLUID_STEP_H
#define ENT_FLUID_STEP_H

#include "status.h"
#ifdef ENT_BUILD
#include "fluid.h"
#else
#include "records.h"
#endif

/* The smallest term of the bound: the effect that becomes unstable when a step is too long. */
typedef enum EntFluidBound {
    ENT_FLUID_BOUND_NONE,
    ENT_FLUID_BOUND_SOUND,
    ENT_FLUID_BOUND_VISCOSITY,
    ENT_FLUID_BOUND_GRAVITY
} EntFluidBound;

#ifdef __cplusplus
extern "C" {
#endif

/* Does it have no particle at the start? */
ENT_API int ent_fluid_starts_empty(const EntFluidRecord* fluid);

/* The longest stable step; INFINITY when there is no bound. `bound` may be NULL. */
ENT_API float ent_fluid_step_max_s(const EntFluidRecord* fluid, EntFluidBound* bound);

#ifdef __cplusplus
}
#endif

#endif
