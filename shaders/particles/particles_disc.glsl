// particles_disc.glsl - the state of a particle after its collisions are applied.
layout(binding = PARTICLES_BODY) readonly restrict buffer Body { vec4 body[]; };
layout(binding = PARTICLES_MOTION) readonly restrict buffer Motion { uvec4 motion[]; };
layout(binding = PARTICLES_CONTACT) readonly restrict buffer Contact { uint contact[]; };
layout(binding = PARTICLES_SHIFT) readonly restrict buffer Shift { vec2 shift[]; };
layout(binding = PARTICLES_BODY_OUT) writeonly restrict buffer BodyOut { uvec4 body_out[]; };
layout(binding = PARTICLES_MOTION_OUT) writeonly restrict buffer MotionOut { uvec4 motion_out[]; };

struct Disc {
    vec2  position, velocity;
    float radius, temperature;
    uint  number, collisions;
};

Disc disc_load(uint i) {
    const vec4  b = body[i];
    const uvec4 m = motion[i];
    return Disc(b.xy, uintBitsToFloat(m.xy), b.z, uintBitsToFloat(m.z), m.w, 0);
}

void disc_store(uint i, Disc d, uint word) {
    body_out[i] = uvec4(floatBitsToUint(d.position), floatBitsToUint(d.radius), word);
    motion_out[i] = uvec4(floatBitsToUint(d.velocity), floatBitsToUint(d.temperature), d.number);
}

// Two particles that touch only each other collide elastically, with masses proportional to their
// areas. A particle that touches more than one, or one that does, is reflected as by a wall
// perpendicular to its displacement. Both cases conserve energy.
vec2 velocity_after(Disc d, uint partner, vec2 away) {
    const float away2 = dot(away, away);
    if (away2 == 0) return d.velocity;
    if (d.collisions == 1) {
        // All loads are issued together, even if a value is not used.
        const uint  touched = contact[partner];
        const uvec4 m = motion[partner];
        const float r = body[partner].z;
        const float nearing = max(dot(uintBitsToFloat(m.xy) - d.velocity, away), 0.0f);
        const float share = 2 * r * r / (d.radius * d.radius + r * r);
        if (touched >> PARTICLES_PARTNER_BITS == 1)
            return d.velocity + away * (nearing * share / away2);
    }
    return d.velocity - away * (2 * min(dot(d.velocity, away), 0.0f) / away2);
}

Disc disc_settled(uint i) {
    Disc       d = disc_load(i);
    const uint touched = contact[i];
    if (touched == 0) return d;
    const vec2 away = shift[i];
    const vec2 room = capacity_of(d.radius);
    d.collisions = touched >> PARTICLES_PARTNER_BITS;
    d.velocity = velocity_after(d, touched & PARTICLES_PARTNER_MASK, away);
    d.position = clamp(d.position + away, -room, room);
    d.temperature = 1;
    return d;
}
