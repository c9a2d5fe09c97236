// canvas_extent.glsl - the box around points, as words that atomic minima extend: bits whose order is that of the floats, those of the
// high side inverted. All bits are set in those of an empty box.
uint ordered(float x) {
    const uint bits = floatBitsToUint(x);
    return (bits >> 31) != 0 ? ~bits : bits | 0x80000000u;
}

float float_of(uint ordered) { return uintBitsToFloat((ordered >> 31) != 0 ? ordered & 0x7fffffffu : ~ordered); }

// A corner; `inverted`: all bits, for the high side.
vec3 point_of(uint words[3], uint inverted) {
    return vec3(float_of(words[0] ^ inverted), float_of(words[1] ^ inverted), float_of(words[2] ^ inverted));
}
