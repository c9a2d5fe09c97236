// sph_speed.glsl - slows a particle to the largest speed, and counts it.
layout(binding = SPH_SLOWED) restrict buffer Slowed { uint slowed[2]; };

vec3 speed_limited(vec3 v, float max_m_s) {
    const float speed2 = dot(v, v);
    if (speed2 <= max_m_s * max_m_s) return v;
    if (atomicAdd(slowed[0], 1) == 0xffffffffu) atomicAdd(slowed[1], 1);
    return v * (max_m_s * inversesqrt(speed2));
}
