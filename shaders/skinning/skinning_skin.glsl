// skinning_skin.glsl - skins the vertices of a block: positions, normals and tangents. The including kernel defines
// bone_at(bind), which reads a matrix of the palette, and bones_load(range), which is called first.
vec3 vec3_at(uint first) {
    return vec3(words[first], words[first + 1], words[first + 2]);
}

// A unit vector as a point of the octahedron: two numbers of 16 bits.
uint octahedral(vec3 n) {
    n /= max(abs(n.x) + abs(n.y) + abs(n.z), 1e-20);
    const vec2 folded = (1 - abs(n.yx)) * vec2(n.x < 0 ? -1 : 1, n.y < 0 ? -1 : 1);
    return packSnorm2x16(n.z < 0 ? folded : n.xy);
}

void bone_add(inout Rows m, uint bind, float weight) {
    const Rows bone = bone_at(bind);
    m.x += bone.x * weight;
    m.y += bone.y * weight;
    m.z += bone.z * weight;
}

// Four influences of a vertex, or the second four; the weights of a mesh with eight are in descending order.
void influences_add(inout Rows m, uvec2 joints, uvec2 weights) {
    const vec4  w = vec4(weights.x & 0xffffu, weights.x >> 16, weights.y & 0xffffu, weights.y >> 16) / 65535.0;
    const uvec4 j = uvec4(joints.x & 0xffffu, joints.x >> 16, joints.y & 0xffffu, joints.y >> 16);
    [[unroll]] for (uint k = 0; k < 4; k++) bone_add(m, j[k], w[k]);
}

void vertex_skin(SkinRange range, uint v) {
    Rows m = Rows(vec4(0), vec4(0), vec4(0));
    influences_add(m, pairs[range.joints / 2 + v], pairs[range.weights / 2 + v]);
    if (range.joints_1 != SKINNING_NONE) {
        const uvec2 weights = pairs[range.weights_1 / 2 + v];
        if (weights.x != 0) influences_add(m, pairs[range.joints_1 / 2 + v], weights);
    }
    const vec4 at = vec4(vec3_at(range.position + v * 3), 1);
    const vec3 x = m.x.xyz, y = m.y.xyz, z = m.z.xyz, yz = cross(y, z);
    const bool mirrored = dot(x, yz) < 0;
    uint       normal = 0;
    // Normals are multiplied by the cofactors: they stay perpendicular under scales that differ by axis.
    if (range.normal != SKINNING_NONE) {
        const vec3 n = vec3_at(range.normal + v * 3);
        const vec3 turned = vec3(dot(yz, n), dot(cross(z, x), n), dot(cross(x, y), n));
        normal = octahedral(mirrored ? -turned : turned);
    }
    skinned[range.to / 4 + v] =
        uvec4(floatBitsToUint(vec3(dot(m.x, at), dot(m.y, at), dot(m.z, at))), normal);
    // The lowest bit is the side of the bitangent.
    if (range.tangent != SKINNING_NONE) {
        const vec3 t = vec3_at(range.tangent + v * 4);
        const bool left = (words[range.tangent + v * 4 + 3] < 0) != mirrored;
        tangents[range.to_tangent + v] = octahedral(vec3(dot(x, t), dot(y, t), dot(z, t))) & ~1u | (left ? 1u : 0u);
    }
}

void main() {
    const SkinBlock block = blocks[push.first_block + group_index()];
    const SkinRange range = ranges[block.range];
    bones_load(range);
    for (uint k = 0; k < SKINNING_EACH; k++) {
        const uint v = block.first + k * SKINNING_THREADS + gl_LocalInvocationID.x;
        if (v < range.vertex_count) vertex_skin(range, v);
    }
}
