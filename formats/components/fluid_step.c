/* fluid_step.c - see fluid_step.h. */
#include "fluid_step.h"

#include <math.h>

#include "base.h"

int ent_fluid_starts_empty(const FluidRecord* f) {
    const Vec3 half = f->half_extent_m;
    return f->capacity > 0 && half.x <= 0 && half.y <= 0 && half.z <= 0 &&
           (f->points.lo | f->points.hi) == 0;
}

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
