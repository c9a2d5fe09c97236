/* fluid_step.h - how long a step of a fluid may be. */
#ifndef ENT_FLUID_STEP_H
#define ENT_FLUID_STEP_H

#include "records.h"
#include "status.h"

/* Which term of the bound is the least: what runs too far in a step that is too long. */
typedef enum EntFluidBound {
    ENT_FLUID_BOUND_NONE,
    ENT_FLUID_BOUND_SOUND,
    ENT_FLUID_BOUND_VISCOSITY,
    ENT_FLUID_BOUND_GRAVITY
} EntFluidBound;

#ifdef __cplusplus
extern "C" {
#endif

/* The longest stable step; INFINITY when nothing binds. `bound` may be NULL. */
ENT_API float ent_fluid_step_max_s(const EntFluidRecord* fluid, EntFluidBound* bound);

#ifdef __cplusplus
}
#endif

#endif
