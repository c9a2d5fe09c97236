// sph_pair.glsl - adds the acceleration of a particle by another one, without the common factors.
//
// Based on: M. Mueller, D. Charypar, M. Gross, Particle-based fluid simulation for interactive
// applications, 2003, equations 10 and 14 with the kernels 21 and 22; and J. Turanszki, (Scalable)
// GPU fluid simulation, 2018, whose code contains the particle's own density a second time in the
// pressure, and the direction a second time in the viscosity, component by component.

struct Self {
    vec3  position, velocity;
    float inverse_density, pressure; // half of what it and one without density have together
};

// The velocity's w is the inverse of the density, as the density pass writes it.
Self self_of(vec4 p, vec4 v) {
    return Self(p.xyz, v.xyz, v.w, push.stiffness * (0.5 / v.w - push.rest_density));
}

// (pA + pB) / (2 rhoB) is linear in 1 / rhoB. Particles at the same position do not
// affect each other.
void pair_add(inout vec3 sum, Self a, vec3 d, vec4 v) {
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
