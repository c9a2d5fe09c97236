// particles_disc.glsl - a particle, and what collisions do to it.
layout(binding = PARTICLES_BODY) readonly restrict buffer Body { vec4 body[]; };
layout(binding = PARTICLES_MOTION) readonly restrict buffer Motion { uvec4 motion[]; };
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

// Is the distance of two centres shorter than the sum of the radii? The answer is the same for both
// particles, in every place where it is computed. `d` is from a to b.
bool is_touching(vec3 a, vec3 b, out vec2 d, out float d2, out float reach) {
    d = b.xy - a.xy;
    precise const float square = d.x * d.x + d.y * d.y;
    precise const float sum = a.z + b.z;
    precise const float least = sum * sum;
    d2 = square;
    reach = sum;
    return square < least;
}

// By how much particle i is displaced because it touches particle k. The bits are the same in every kernel, because the direction of a
// sum of opposite ones follows from the last of them. Of two particles at the same
// position, the one that was created first is displaced to the left. The result for the other
// particle of the pair is the same except for the sign.
vec2 displacement_of(uint i, uint k, vec2 d, float d2, float reach) {
    precise const float ratio = reach * inversesqrt(d2), over = ratio - 1, share = -PARTICLES_SHARE * max(over, 0.0f);
    precise const vec2  displacement = d * share;
    if (d2 > 0) return displacement;
    return vec2(motion[i].w < motion[k].w ? -1 : 1, 0) * (PARTICLES_SHARE * reach);
}

// Two particles that touch only each other (`is_pair`) collide elastically, with masses proportional
// to their areas. A particle that touches more than one, or one that does, is reflected as by a wall
// perpendicular to its displacement. Both cases conserve energy.
vec2 velocity_after(Disc d, uint partner, bool is_pair, vec2 displacement) {
    const float displacement_squared = dot(displacement, displacement);
    if (displacement_squared == 0) return d.velocity;
    if (is_pair) {
        const float r = body[partner].z;
        const float nearing =
            max(dot(uintBitsToFloat(motion[partner].xy) - d.velocity, displacement), 0.0f);
        return d.velocity + displacement * (nearing * 2 * r * r / (d.radius * d.radius + r * r) / displacement_squared);
    }
    return d.velocity - displacement * (2 * min(dot(d.velocity, displacement), 0.0f) / displacement_squared);
}

// Applies collisions, of which there is at least one.
void disc_collide(inout Disc d, uint hits, uint partner, bool is_pair, vec2 displacement) {
    const vec2 room = capacity_of(d.radius);
    d.collisions = min(hits, PARTICLES_CONTACTS_MAX);
    d.velocity = velocity_after(d, partner, is_pair, displacement);
    d.position = clamp(d.position + displacement, -room, room);
    d.temperature = 1;
}
