// sph_pair.glsl - adds the acceleration of a particle by another one, without the common factors.
//
// Based on: M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
// applications, 2003, equations 10 and 14 with the kernels 21 and 22; and J. Turanszki, (Scalable)
// GPU fluid simulation, 2018, whose code contains the particle's own density a second time in the
// pressure, and the direction a second time in the viscosity, component by component.

struct Self {
    vec3  position, velocity;
    float inverse_density, pressure; // half of what it and one without density have together
    float viscosity;                 // half of it
};

// The velocity's w is the inverse of the density, as the density pass writes it.
Self self_of(vec4 p, vec4 v) {
    const SphKind kind = kind_of(p.w);
    if (MIXED) return Self(p.xyz, v.xyz, v.w, 0.5 * kind.stiffness * (1 / v.w - kind.rest_density), 0.5 * kind.viscosity);
    return Self(p.xyz, v.xyz, v.w, push.stiffness * (0.5 / v.w - push.rest_density), 0);
}

// Of another fluid, with its rest density, stiffness and viscosity: both have the same pressure at their border, because densities are
// those of numbers of particles times the mass of the own fluid, and the volume of a neighbour is the inverse of its number.
//
// Based on: B. Solenthaler, R. Pajarola, Density contrast SPH interfaces, 2008.
void pair_add_other(inout vec3 sum, Self a, vec3 d, vec4 v, SphKind kind) {
    const float r2 = dot(d, d), inverse_r = inversesqrt(max(r2, 1e-37));
    const float w = r2 > 0 ? push.h - r2 * inverse_r : 0, volume = v.w * kind.pair_mass;
    const float pressure = fma(a.pressure - kind.pair_rest, volume, kind.pair_stiffness) * w * (w * inverse_r);
    const float viscosity = fma(0.5, kind.viscosity, a.viscosity) * volume * w;
    const vec3  between = v.xyz - a.velocity;
    if (MODEL == 0)
        sum = fma(between, vec3(viscosity), fma(d, vec3(pressure), sum));
    else
        sum = fma(between * d, vec3(viscosity * inverse_r), fma(d, vec3(pressure * a.inverse_density), sum));
}

// (pA + pB) / (2 rhoB) is linear in 1 / rhoB. Particles at the same position do not
// affect each other. `word`: that with the number of the neighbour.
void pair_add(inout vec3 sum, Self a, vec3 d, vec4 v, float word) {
    if (MIXED) {
        pair_add_other(sum, a, d, v, kind_of(word));
        return;
    }
    const float r2 = dot(d, d);
    const float inverse_r = inversesqrt(max(r2, 1e-37));
    const float w = r2 > 0 ? push.h - r2 * inverse_r : 0;
    const float pressure = fma(a.pressure, v.w, 0.5 * push.stiffness) * w * (w * inverse_r);
    const float viscosity = push.viscosity * v.w * w;
    const vec3  between = v.xyz - a.velocity;
    if (MODEL == 0)
        sum = fma(between, vec3(viscosity), fma(d, vec3(pressure), sum));
    else
        sum = fma(between * d, vec3(viscosity * inverse_r), fma(d, vec3(pressure * a.inverse_density), sum));
}

vec3 acceleration_of(Self a, vec3 sum) {
    return push.gravity + sum * (push.force_scale * a.inverse_density);
}
