// lighting_probe_map.comp - one thread per texel of the map of a probe: what a rough mirror reflects that is seen from
// above. Directions are chosen by the distribution of normals: Karis, Real Shading in Unreal Engine 4, 2013.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "lighting_io.h"
#include "lighting_sphere.glsl"

layout(push_constant, scalar) uniform Push { LightingProbePush push; };
layout(binding = LIGHTING_FACES) readonly restrict buffer Faces { uvec2 faces[]; };
layout(binding = LIGHTING_PROBE, scalar) restrict buffer Probes { LightingProbe probes[]; };

vec3 face_texel(uint face, ivec2 at) {
    const uvec2 clamped = uvec2(clamp(at, ivec2(0), ivec2(LIGHTING_FACE - 1)));
    const uvec2 word = faces[(face * LIGHTING_FACE + clamped.y) * LIGHTING_FACE + clamped.x];
    return vec3(unpackHalf2x16(word.x), unpackHalf2x16(word.y).x);
}

vec3 faces_at(vec3 v) {
    const uint face = face_of(v);
    const vec3 forward = face_forward(face), up = face_up(face);
    const vec2 place = vec2(dot(v, cross(forward, up)), -dot(v, up)) / dot(v, forward);
    const vec2 at = (place * 0.5 + 0.5) * LIGHTING_FACE - 0.5, share = fract(at);
    const ivec2 first = ivec2(floor(at));
    return mix(mix(face_texel(face, first), face_texel(face, first + ivec2(1, 0)), share.x),
               mix(face_texel(face, first + ivec2(0, 1)), face_texel(face, first + ivec2(1, 1)), share.x), share.y);
}

// A point of a square for sample i: equally spread.
vec2 spread_at(uint i) {
    return vec2((float(i) + 0.5) / float(LIGHTING_PROBE_SAMPLES), float(bitfieldReverse(i)) * 2.3283064e-10);
}

void main() {
    const uint t = thread_index(), level = t / (LIGHTING_MAP * LIGHTING_MAP), texel = t % (LIGHTING_MAP * LIGHTING_MAP);
    if (t >= LIGHTING_PROBE_TEXELS) return;
    const vec2 at = (vec2(texel % LIGHTING_MAP, texel / LIGHTING_MAP) + 0.5) / float(LIGHTING_MAP) * 2 - 1;
    const vec3 n = octahedron_direction(at);
    const float rough = float(level) / float(LIGHTING_MAP_LEVELS - 1), alpha2 = rough * rough * rough * rough;
    const vec3 x = normalize(abs(n.y) > 0.9 ? cross(n, vec3(1, 0, 0)) : cross(n, vec3(0, 1, 0))), y = cross(n, x);
    vec3 sum = vec3(0);
    float weight = 0;
    for (uint i = 0; i < (level == 0 ? 1 : LIGHTING_PROBE_SAMPLES); i++) {
        const vec2  s = spread_at(i);
        const float c = level == 0 ? 1 : sqrt((1 - s.x) / (1 + (alpha2 - 1) * s.x)), a = 6.2831853 * s.y;
        const float side = sqrt(max(1 - c * c, 0));
        const vec3  h = x * (side * cos(a)) + y * (side * sin(a)) + n * c;
        const vec3  l = h * (2 * dot(n, h)) - n;
        const float nl = dot(n, l);
        if (nl <= 0) continue;
        sum += faces_at(l) * nl;
        weight += nl;
    }
    sum = min(sum / weight, vec3(60000));
    probes[push.probe].map[t * 2] = packHalf2x16(sum.rg);
    probes[push.probe].map[t * 2 + 1] = packHalf2x16(vec2(sum.b, 1));
}
