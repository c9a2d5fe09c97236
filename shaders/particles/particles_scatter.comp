// particles_scatter.comp - one thread per particle: moves it to its index in bin order.
#version 460
#include "particles.glsl"

layout(binding = PARTICLES_BODY) readonly restrict buffer Body { uvec4 body[]; };
layout(binding = PARTICLES_MOTION) readonly restrict buffer Motion { uvec4 motion[]; };
layout(binding = PARTICLES_BODY_OUT) writeonly restrict buffer BodyOut { uvec4 body_out[]; };
layout(binding = PARTICLES_MOTION_OUT) writeonly restrict buffer MotionOut { uvec4 motion_out[]; };
layout(binding = PARTICLES_FIRST) readonly restrict buffer First { uint first[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const uvec4 b = body[i];
    if (EMITS != 0) {
        if (i == 0) emission_advance(first[columns() * rows()]);
        if (b.w == EMISSION_NONE) return;
    }
    const uvec4 m = motion[i];
    const uint  to = first[bin_index(bin_of(uintBitsToFloat(b.xy)))] + b.w;
    body_out[to] = b;
    motion_out[to] = m;
}
