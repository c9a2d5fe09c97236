// sph_rows.glsl - the nine rows of cells around particles, in a wrapped grid whose cells are stored with
// x fastest: a row is one range of particles, unless it crosses the border. Cells that are shorter along
// x make rows shorter: from 3 h to 2.5 h with halves, and 2.25 h with quarters.
//
// Two particles that follow each other can have the same rows, so that each candidate is loaded once
// for both.
layout(constant_id = 3) const uint LANES = 1;  // threads that share a particle: 1, 2 or 4
layout(constant_id = 5) const uint SHARED = 1; // particles that share their rows: 1, or 2 with one lane
layout(binding = SPH_START) readonly restrict buffer Start { uint start[]; };

const uint ROWS = 9, ROW_BITS = 32; // of a word: of the last candidates of the first range, and others

struct Window {
    int low, high; // cells along x
    int y, z;      // of the row in the middle
};

// Do particles of these cells share their rows? Cells that are not far from each other in one row.
bool is_together(ivec3 c, ivec3 d) {
    return c.y == d.y && c.z == d.z && abs(c.x - d.x) * 2 <= int(push.reach_x);
}

// The first candidate of the last ROW_BITS of a range.
uint last_bits(uvec4 range) { return max(range.x + ROW_BITS, range.y) - ROW_BITS; }

Window window_of(ivec3 c, ivec3 d) {
    const int reach = int(push.reach_x);
    return Window(min(c.x, d.x) - reach, max(c.x, d.x) + reach, c.y, c.z);
}

uint row_slot(Window w, uint r) { return row_of(w.y + int(r % 3) - 1, w.z + int(r / 3) - 1); }

// Hashed rows can be the same, of which the first one is searched.
bool is_repeated(Window w, uint r) {
    if (HASHED == SPH_ROWS_WRAPPED) return false;
    bool repeated = false;
    for (uint k = 0; k < r; k++) repeated = repeated || row_slot(w, k) == row_slot(w, r);
    return repeated;
}

// The first particle of a row.
uint row_begin(Window w, uint r) { return start[row_slot(w, r)]; }

// Particles [x, y) of a row, and [z, w) of its part across the border; else an empty range.
uvec4 row_ranges(Window w, uint r) {
    if (is_repeated(w, r)) return uvec4(0);
    const uint row = row_slot(w, r);
    const uint a = uint(w.low) & push.mask_x, b = uint(w.high) & push.mask_x;
    if (a < b) return uvec4(start[row | a], start[(row | b) + 1], 0, 0);
    return uvec4(start[row | a], start[(row | push.mask_x) + 1], start[row], start[(row | b) + 1]);
}
