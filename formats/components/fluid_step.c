/* fluid_step.c - see fluid_step.h. */
#include "fluid_step.h"

#include <math.h>

#include "base.h"

f32 ent_fluid_step_max_s(const FluidRecord* fluid, FluidBound* bound) {
    const Vec3 g = fluid->gravity_m_s2;
    const f64  gravity = sqrt((f64)g.x * g.x + (f64)g.y * g.y + (f64)g.z * g.z);
    const f64  h = fluid->smoothing_radius_m, p0 = fluid->rest_density_kg_m3;
    const f64  term[] = {
         [FLUID_BOUND_NONE] = INFINITY, /* and so is a term with a divisor of zero */
         [FLUID_BOUND_SOUND] = 0.4 * h / sqrt((f64)fluid->stiffness),
         [FLUID_BOUND_VISCOSITY] = 0.125 * h * h * p0 / (f64)fluid->viscosity,
         [FLUID_BOUND_GRAVITY] = 0.25 * sqrt(h / gravity),
    };
    FluidBound min = FLUID_BOUND_NONE;
    for (u32 i = 0; i < COUNT_OF(term); i++) {
        if (term[i] < term[min]) min = (FluidBound)i;
    }
    if (bound) *bound = min;
    return (f32)term[min];
}
