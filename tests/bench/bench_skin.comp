// bench_skin.comp - the kernel that skins with bones in shared memory or in the buffer, for vertices in 32 bytes, position
// and normal, joints and weights, and 16 bytes of output: the layout of kernels that it is compared with. Constant 1:
// bones for which there is shared memory; constant 2: vertices of a thread; constant 3: 1 for shared memory.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "pose_matrix.glsl"

layout(constant_id = 1) const uint BONES = 64;
layout(constant_id = 2) const uint EACH = 8;
layout(constant_id = 3) const uint SHARED = 1;
layout(push_constant, scalar) uniform Push { uint bone_count, vertices; };
layout(binding = 0) readonly restrict buffer Places { uvec4 places[]; };
layout(binding = 1) readonly restrict buffer Influences { uvec4 influences[]; };
layout(binding = 2) readonly restrict buffer Palettes { vec4 palettes[]; };
layout(binding = 3) writeonly restrict buffer Out { uvec4 skinned[]; };

shared vec4 bones[BONES * 3];

Rows bone_at(uint first, uint bone) {
    if (SHARED != 0) return Rows(bones[bone * 3], bones[bone * 3 + 1], bones[bone * 3 + 2]);
    const uint at = (first + bone) * 3;
    return Rows(palettes[at], palettes[at + 1], palettes[at + 2]);
}

void bone_add(inout Rows m, Rows bone, float weight) {
    m.x += bone.x * weight;
    m.y += bone.y * weight;
    m.z += bone.z * weight;
}

void main() {
    const uint block = gl_WorkGroupSize.x * EACH * group_index(), first = block / vertices * bone_count;
    const uint t = gl_LocalInvocationID.x;
    if (SHARED != 0) {
        for (uint i = t; i < bone_count * 3; i += gl_WorkGroupSize.x) bones[i] = palettes[first * 3 + i];
        barrier();
    }
    for (uint k = 0; k < EACH; k++) {
        const uint  v = block + k * gl_WorkGroupSize.x + t;
        const uvec4 place = places[v], influence = influences[v];
        const uvec4 j = uvec4(influence.x & 0xffffu, influence.x >> 16, influence.y & 0xffffu, influence.y >> 16);
        const vec4  w = vec4(influence.z & 0xffffu, influence.z >> 16, influence.w & 0xffffu, influence.w >> 16) / 65535.0;
        Rows        m = Rows(vec4(0), vec4(0), vec4(0));
        [[unroll]] for (uint n = 0; n < 4; n++) bone_add(m, bone_at(first, j[n]), w[n]);
        const vec4 at = vec4(uintBitsToFloat(place.xyz), 1);
        const vec3 n = unpackSnorm4x8(place.w).xyz;
        const vec3 turned = normalize(vec3(dot(m.x.xyz, n), dot(m.y.xyz, n), dot(m.z.xyz, n)));
        skinned[v] = uvec4(floatBitsToUint(vec3(dot(m.x, at), dot(m.y, at), dot(m.z, at))),
                           packSnorm4x8(vec4(turned, 0)));
    }
}
