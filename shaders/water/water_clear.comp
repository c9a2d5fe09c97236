// water_clear.comp - one thread per pixel, and cell: nothing is there yet.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "water_io.h"

layout(push_constant, scalar) uniform Push { WaterPush push; };
layout(binding = WATER_NEAREST) writeonly restrict buffer Nearest { uint nearest[]; };
layout(binding = WATER_THICK) writeonly restrict buffer Thick { uint thick[]; };
layout(binding = WATER_LARGE) writeonly restrict buffer Large { uint large_count[]; };
layout(binding = WATER_FOAMS) writeonly restrict buffer Foams { uint foams[]; };

void main() {
    const uint i = thread_index();
    if (i < push.width * push.height) nearest[i] = 0;
    if (i < WATER_FLUIDS_MAX) large_count[i] = 0;
    if (i < push.cells) thick[i] = foams[i] = 0;
}
