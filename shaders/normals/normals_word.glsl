// normals_word.glsl - the word of a sample: normals_io.h. Written so that it needs few instructions.

// Adding 1.5 * 2^23 rounds to an integer, which is then in the lowest bits.
uint word_of(vec3 n) {
    precise const float scale = 1 / (abs(n.x) + abs(n.y) + abs(n.z));
    precise vec2        p = n.xy * scale;
    if (n.z < 0) {
        const uvec2 signs = floatBitsToUint(p) & 0x80000000u;
        p = uintBitsToFloat(floatBitsToUint(1 - abs(p.yx)) | signs);
    }
    precise const vec2 rounded = fma(p, vec2(32767), vec2(12582912));
    return bitfieldInsert(floatBitsToUint(rounded.x), floatBitsToUint(rounded.y), 16, 16);
}

vec3 normal_of_word(uint word) {
    const vec2  p = unpackSnorm2x16(word);
    const float z = 1 - abs(p.x) - abs(p.y), outside = max(-z, 0);
    return normalize(vec3(p.x + (p.x < 0 ? outside : -outside), p.y + (p.y < 0 ? outside : -outside), z));
}
