// sph_rows.glsl - the nine rows of three cells around a particle's, in a wrapped grid whose cells
// stand in memory x first: a row is one range of particles, unless it crosses the border.
layout(constant_id = 3) const uint LANES = 1; // threads that share a particle: 1 or 4
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };

const uint ROWS = 9, ROW_BITS = 32;

uint row_slot(ivec3 c, uint r) {
    return (uint(c.y + int(r % 3) - 1) & push.mask_y) << push.shift_y |
           (uint(c.z + int(r / 3) - 1) & push.mask_z) << push.shift_z;
}

// False: it is two ranges.
bool row_range(ivec3 c, uint r, out uint first, out uint end) {
    const uint row = row_slot(c, r);
    const uint a = uint(c.x - 1) & push.mask_x, b = uint(c.x + 1) & push.mask_x;
    first = start[row | a];
    end = start[(row | b) + 1];
    return a < b;
}

// One cell of a row, from -1 to 1.
void cell_range(ivec3 c, uint r, int x, out uint first, out uint end) {
    const uint slot = row_slot(c, r) | uint(c.x + x) & push.mask_x;
    first = start[slot];
    end = start[slot + 1];
}
