// water_depth.glsl - the surface at a pixel. While particles are added, a word is a key of which the largest wins: the bits of the
// nearest depth, or from inside those of the farthest one, inverted; the lowest bits are the number of the fluid. Afterwards
// it is a float: the depth, negative from inside, with the same bits; 0: there is no surface.

// The key of a depth.
uint key_of(float depth, uint fluid) {
    const uint bits = floatBitsToUint(depth);
    return (water.is_inside != 0 ? ~bits : bits) & ~WATER_FLUID_BITS | fluid;
}

uint word_of(float depth, uint fluid) { return floatBitsToUint(depth) & ~WATER_FLUID_BITS | fluid; }

// A depth of a key, as it is stored afterwards.
uint decoded(uint key) {
    if (key == 0) return 0;
    return water.is_inside != 0 ? (~key & 0x7ffffff0u) | 0x80000000u | (key & WATER_FLUID_BITS) : key;
}

uint  fluid_of(uint word) { return word & WATER_FLUID_BITS; }
float depth_in(uint word) { return abs(uintBitsToFloat(word & ~WATER_FLUID_BITS)); }

// How far a difference of depth is, at a depth.
float difference_m(float difference, float depth) {
    const float far = distance_of(depth);
    return abs(difference * eye.depth_scale) * (eye.orthographic != 0 ? 1 : far * far);
}

// Pixels of a metre at a depth, along both sides.
vec2 pixels_of_metre(float depth) {
    const vec2 half_size = vec2(length(eye.right), length(eye.up)) * (eye.orthographic != 0 ? 1 : distance_of(depth));
    return vec2(push.width, push.height) * 0.5 / half_size;
}
