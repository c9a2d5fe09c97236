// scatter.comp - one thread per word: copies elements to their places in an array.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "scatter_io.h"

layout(push_constant, scalar) uniform Push { ScatterPush push; };
layout(binding = SCATTER_FROM) readonly restrict buffer From { uint from[]; };
layout(binding = SCATTER_TO) writeonly restrict buffer To { uint to[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count * push.element_words) return;
    const uint place = from[i / push.element_words];
    to[place * push.element_words + i % push.element_words] = from[push.count + i];
}
