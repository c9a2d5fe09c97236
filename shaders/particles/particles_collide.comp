// particles_collide.comp - one thread per particle: finds the particles of the 3 x 3 bins around
// its own that touch it, and sums the displacements.
#version 460
#include "particles.glsl"

layout(constant_id = PARTICLES_ORDERED) const uint ordered = 1;
layout(binding = PARTICLES_BODY) readonly restrict buffer Body { uvec4 body[]; };
layout(binding = PARTICLES_MOTION) readonly restrict buffer Motion { uvec4 motion[]; };
layout(binding = PARTICLES_CONTACT) writeonly restrict buffer Contact { uint contact[]; };
layout(binding = PARTICLES_SHIFT) writeonly restrict buffer Shift { vec2 shift[]; };
layout(binding = PARTICLES_FIRST) readonly restrict buffer First { uint first[]; };

uint me;
vec3 self;
vec2 away = vec2(0);
uint hits = 0, partner = 0;

// Of two particles at the same position, the one that was created first is displaced to the left.
vec2 elder_first(uint other) { return vec2(motion[me].w < motion[other].w ? 1 : -1, 0); }

// The results for the other particle of the pair are the same except for the sign.
void meet(uint i, vec3 other) {
    const vec2  d = other.xy - self.xy;
    const float d2 = dot(d, d);
    const float reach = self.z + other.z;
    if (d2 >= reach * reach || i == me) return;
    if (d2 > 0)
        away -= d * (PARTICLES_SHARE * max(reach * inversesqrt(d2) - 1, 0.0f));
    else
        away -= elder_first(i) * (PARTICLES_SHARE * reach);
    partner = i;
    hits++;
}

// Bins of a row are adjacent in memory: three rows, whose ends are all loaded before they are used.
void meet_ordered(ivec2 bin) {
    const int low = max(bin.x - 1, 0), high = min(bin.x + 1, columns() - 1);
    uint      from[3], to[3];
    [[unroll]] for (int k = 0; k < 3; k++) {
        const int  y = bin.y + k - 1;
        const int  row = clamp(y, 0, rows() - 1) * columns();
        from[k] = first[row + low];
        to[k] = y == clamp(y, 0, rows() - 1) ? first[row + high + 1] : 0;
    }
    [[unroll]] for (int k = 0; k < 3; k++) {
        for (uint i = from[k]; i < to[k]; i++) meet(i, uintBitsToFloat(body[i].xyz));
    }
}

void meet_lists(ivec2 bin) {
    const ivec2 low = max(bin - 1, ivec2(0)), high = min(bin + 1, ivec2(columns(), rows()) - 1);
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            uint i = first[bin_index(ivec2(x, y))];
            while (i != ~0u) {
                const uvec4 other = body[i];
                meet(i, uintBitsToFloat(other.xyz));
                i = other.w;
            }
        }
    }
}

void main() {
    me = thread_index();
    if (me >= push.count) return;
    self = uintBitsToFloat(body[me].xyz);
    if (ordered == 1)
        meet_ordered(bin_of(self.xy));
    else
        meet_lists(bin_of(self.xy));
    contact[me] = min(hits, PARTICLES_CONTACTS_MAX) << PARTICLES_PARTNER_BITS | partner;
    if (hits > 0) shift[me] = away;
}
