// particles_collide.comp - with lists, one thread per particle: finds the particles of the 3 x 3 bins
// around its own that touch it, and sums the displacements.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"

layout(binding = PARTICLES_CONTACT) writeonly restrict buffer Contact { uint contact[]; };
layout(binding = PARTICLES_SHIFT) writeonly restrict buffer Shift { vec2 shift[]; };
layout(binding = PARTICLES_FIRST) readonly restrict buffer First { uint first[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec3  self = body[i].xyz;
    const ivec2 bin = bin_of(self.xy);
    const ivec2 low = max(bin - 1, ivec2(0)), high = min(bin + 1, ivec2(columns(), rows()) - 1);
    uint        hits = 0, partner = 0;
    vec2        displacement = vec2(0), d;
    float       d2, reach;
    for (int y = low.y; y <= high.y; y++) {
        for (int x = low.x; x <= high.x; x++) {
            for (uint j = first[bin_index(ivec2(x, y))]; j != ~0u;) {
                const vec4 other = body[j];
                if (is_touching(self, other.xyz, d, d2, reach) && i != j) {
                    displacement += displacement_of(i, j, d, d2, reach);
                    partner = j;
                    hits++;
                }
                j = floatBitsToUint(other.w);
            }
        }
    }
    contact[i] = min(hits, PARTICLES_CONTACTS_MAX) << PARTICLES_PARTNER_BITS | partner;
    if (hits > 0) shift[i] = displacement;
}
