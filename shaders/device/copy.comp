// copy.comp - one thread per four words: measures the memory bandwidth, as a reference for kernels.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(binding = 0) readonly restrict buffer From { uvec4 from[]; };
layout(binding = 1) writeonly restrict buffer To { uvec4 to[]; };

void main() {
    const uint i = thread_index();
    if (i < from.length()) to[i] = from[i];
}
