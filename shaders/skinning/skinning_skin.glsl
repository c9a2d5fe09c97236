// skinning_skin.glsl - skins the vertices of a block: positions, normals and tangents. The including kernel defines
// bone_at(bone), which reads a matrix of the palette; bones_load(first, count), which is called first; HAS_BONES; and
// EACH, the vertices of a thread.
vec3 vec3_at(uint first) {
    return vec3(words[first], words[first + 1], words[first + 2]);
}

// A unit vector as a point of the octahedron: two numbers of 16 bits.
uint octahedral(vec3 n) {
    n /= max(abs(n.x) + abs(n.y) + abs(n.z), 1e-20);
    const vec2 folded = (1 - abs(n.yx)) * vec2(n.x < 0 ? -1 : 1, n.y < 0 ? -1 : 1);
    return packSnorm2x16(n.z < 0 ? folded : n.xy);
}

void bone_add(inout Rows m, uint which, float weight) {
    const Rows bone = bone_at(which);
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

struct Vertex { vec3 at, normal, along; };

// A target has a row of displacements for each vertex that it moves.
void target_add(inout Vertex v, SkinRange range, uint number, uint which, float weight) {
    const uvec2 mask = masks[targets[range.first_target + which].first_mask + number / 32];
    const uint  bit = 1u << number % 32;
    if ((mask.x & bit) == 0) return;
    const uint row = mask.y + bitCount(mask.x & (bit - 1));
    if (range.move != SKINNING_NONE) v.at += vec3_at(range.move + row * 3) * weight;
    if (range.move_normal != SKINNING_NONE) v.normal += vec3_at(range.move_normal + row * 3) * weight;
    if (range.move_along != SKINNING_NONE) v.along += vec3_at(range.move_along + row * 3) * weight;
}

Vertex vertex_at(SkinRange range, uint number) {
    Vertex v = Vertex(vec3_at(range.position + number * 3), vec3(0), vec3(0));
    if (range.normal != SKINNING_NONE) v.normal = vec3_at(range.normal + number * 3);
    if (range.tangent != SKINNING_NONE) v.along = vec3_at(range.tangent + number * 4);
    if (range.first_weight == SKINNING_NONE) return v;
    for (uint at = range.first_weight; weights[at] != SKINNING_NONE; at += 2)
        target_add(v, range, number, weights[at], uintBitsToFloat(weights[at + 1]));
    return v;
}

Rows matrix_of(SkinRange range, uint v) {
    if (!HAS_BONES) return Rows(vec4(1, 0, 0, 0), vec4(0, 1, 0, 0), vec4(0, 0, 1, 0));
    Rows m = Rows(vec4(0), vec4(0), vec4(0));
    influences_add(m, pairs[range.joints / 2 + v], pairs[range.weights / 2 + v]);
    if (range.joints_1 != SKINNING_NONE) {
        const uvec2 four = pairs[range.weights_1 / 2 + v];
        if (four.x != 0) influences_add(m, pairs[range.joints_1 / 2 + v], four);
    }
    return m;
}

void vertex_skin(SkinRange range, uint number) {
    const Rows   m = matrix_of(range, number);
    const Vertex v = vertex_at(range, number);
    const vec4   at = vec4(v.at, 1);
    const vec3   x = m.x.xyz, y = m.y.xyz, z = m.z.xyz, yz = cross(y, z);
    const bool   mirrored = dot(x, yz) < 0;
    uint         normal = 0;
    // Normals are multiplied by the cofactors: they stay perpendicular under scales that differ by axis.
    if (range.normal != SKINNING_NONE) {
        const vec3 turned = vec3(dot(yz, v.normal), dot(cross(z, x), v.normal), dot(cross(x, y), v.normal));
        normal = octahedral(mirrored ? -turned : turned);
    }
    skinned[range.to / 4 + number] =
        uvec4(floatBitsToUint(vec3(dot(m.x, at), dot(m.y, at), dot(m.z, at))), normal);
    // The lowest bit is the side of the bitangent.
    if (range.tangent != SKINNING_NONE) {
        const bool left = (words[range.tangent + number * 4 + 3] < 0) != mirrored;
        tangents[range.to_tangent + number] =
            octahedral(vec3(dot(x, v.along), dot(y, v.along), dot(z, v.along))) & ~1u | (left ? 1u : 0u);
    }
}

void main() {
    const uint      which = group_index();
    const SkinBlock block = chosen[push.block_first[push.kernel] + which];
    if (which >= calls[push.kernel].count) return;
    const SkinRange range = ranges[block.range];
    if (HAS_BONES) bones_load(instances[range.instance].first_palette, range.bone_count);
    if (block.first == 0 && gl_LocalInvocationID.x == 0) wanted[block.range] = SKINNING_DONE;
    for (uint k = 0; k < EACH; k++) {
        const uint number = block.first + k * SKINNING_THREADS + gl_LocalInvocationID.x;
        if (number < range.vertex_count) vertex_skin(range, number);
    }
}
