// sph_rows.glsl - the nine rows of three cells around a particle, in a wrapped grid whose cells are
// stored with x fastest: a row is one range of particles, unless it crosses the border.
layout(constant_id = 3) const uint LANES = 1; // threads that share a particle: 1 or 4
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };

const uint ROWS = 9, ROW_BITS = 32; // of the last candidates of the first range

uint row_slot(ivec3 c, uint r) {
    return (uint(c.y + int(r % 3) - 1) & push.mask_y) << push.shift_y |
           (uint(c.z + int(r / 3) - 1) & push.mask_z) << push.shift_z;
}

// Particles [x, y) of the row, and [z, w) of its part across the border; else an empty range.
uvec4 row_ranges(ivec3 c, uint r) {
    const uint row = row_slot(c, r);
    const uint a = uint(c.x - 1) & push.mask_x, b = uint(c.x + 1) & push.mask_x;
    if (a < b) return uvec4(start[row | a], start[(row | b) + 1], 0, 0);
    return uvec4(start[row | a], start[(row | push.mask_x) + 1], start[row], start[(row | b) + 1]);
}
