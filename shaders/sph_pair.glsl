// sph_pair.glsl - the acceleration that a particle gives another one, less what is common to all.
//
// Based on: M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
// applications, 2003, equations 10 and 14 with the kernels 21 and 22; and J. Turanszki, (Scalable)
// GPU fluid simulation, 2018, whose code has the density of the particle itself once more in the
// pressure, and the direction in the viscosity, component by component.
layout(constant_id = 1) const uint MODEL = 0; // FluidModel

struct Self {
    vec3  position, velocity;
    float density, pressure; // of it and of another one with density 0, over the stiffness
};

Self self_of(vec4 p, vec4 v) {
    return Self(p.xyz, v.xyz, v.w, push.stiffness * (v.w - 2 * push.rest_density));
}

vec3 pair_acceleration(Self a, vec3 d, vec4 v) {
    const float r2 = dot(d, d);
    const float inverse_r = r2 > 0 ? inversesqrt(r2) : 0;
    const float w = max(push.h - r2 * inverse_r, 0);
    const float g = r2 > 0 ? w / v.w : 0;
    const float pressure = fma(push.stiffness, v.w, a.pressure) * 0.5 * g * w * inverse_r;
    if (MODEL == 0) return d * pressure + (v.xyz - a.velocity) * (push.viscosity * g);
    return d * (pressure / a.density) + (v.xyz - a.velocity) * d * (push.viscosity * g * inverse_r);
}

vec3 acceleration_of(Self a, vec3 sum) { return push.gravity + sum * (push.force_scale / a.density); }
