// copy.comp - one thread four words: what memory can do, which other kernels are measured by.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"

layout(binding = 0) readonly restrict buffer From { uvec4 from[]; };
layout(binding = 1) writeonly restrict buffer To { uvec4 to[]; };

void main() {
    const uint i = thread_index();
    if (i < from.length()) to[i] = from[i];
}
