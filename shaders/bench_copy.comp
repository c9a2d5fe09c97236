// bench_copy.comp - four words a thread from one buffer to another: what memory can do.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(push_constant, scalar) uniform Push { uint count; };
layout(binding = 0) readonly restrict buffer From { uvec4 from[]; };
layout(binding = 1) writeonly restrict buffer To { uvec4 to[]; };

void main() {
    const uint i = thread_index();
    if (i < count) to[i] = from[i];
}
