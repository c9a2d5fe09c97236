// lighting_probe_light.comp - one group per coefficient: the light of all directions around a probe.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "lighting_io.h"
#include "lighting_sphere.glsl"

layout(push_constant, scalar) uniform Push { LightingProbePush push; };
layout(binding = LIGHTING_FACES) readonly restrict buffer Faces { uvec2 faces[]; };
layout(binding = LIGHTING_PROBE, scalar) restrict buffer Probes { LightingProbe probes[]; };

shared vec4 sums[LIGHTING_PROBE_GROUP];

void main() {
    const uint k = group_index(), t = gl_LocalInvocationID.x, side = LIGHTING_FACE;
    vec4 sum = vec4(0); // and of the solid angles, which are 4 pi but for rounding
    for (uint i = t; i < 6 * side * side; i += LIGHTING_PROBE_GROUP) {
        const vec2  place = (vec2(i % side, i / side % side) + 0.5) / float(side) * vec2(2, -2) + vec2(-1, 1);
        const vec3  v = face_direction(i / (side * side), place);
        const float d2 = dot(v, v), angle = 4 / (float(side * side) * d2 * sqrt(d2));
        const uvec2 word = faces[i];
        const vec3  color = vec3(unpackHalf2x16(word.x), unpackHalf2x16(word.y).x);
        sum += vec4(color * harmonic(k, v * inversesqrt(d2)), 1) * angle;
    }
    sums[t] = sum;
    for (uint step = LIGHTING_PROBE_GROUP / 2; step > 0; step /= 2) {
        barrier();
        if (t < step) sums[t] += sums[t + step];
    }
    if (t == 0)
        probes[push.probe].light[k] = vec4(sums[0].rgb * (12.5663706 / sums[0].a) * cosine_of_band(k), 0);
}
