// sph.glsl - cells and densities. h is the smoothing radius.
layout(push_constant, scalar) uniform Push { SphPush push; };
layout(constant_id = 1) const uint MODEL = 0; // FluidModel

// The cell in which a coordinate lies: the greatest c with c size <= p, exactly. Then particles that
// are less than h apart are at most reach_x cells apart along x, and one along y and z, at any
// distance from the origin.
ivec3 cell_of(vec3 p) {
    const vec3   size = vec3(push.cell_x, push.h, push.h);
    precise vec3 c = floor(p * vec3(push.inverse_cell_x, push.inverse_h, push.inverse_h));
    precise vec3 rest = fma(-c, size, p);
    c += mix(vec3(0), vec3(1), greaterThanEqual(rest, size));
    c -= mix(vec3(0), vec3(1), lessThan(rest, vec3(0)));
    return ivec3(c);
}

layout(constant_id = 7) const uint PARTS = 0;
const bool EMITS = (PARTS & SPH_EMITS) != 0, MIXED = (PARTS & SPH_MIXED) != 0;
layout(binding = SPH_KINDS, scalar) readonly restrict buffer Kinds { SphKind kinds[]; };

// The fluid of a particle, by the word that has its number.
SphKind kind_of(float word) {
    if (MIXED) return kinds[ELEMENT_KIND(floatBitsToUint(word))];
    return SphKind(0.5 * push.stiffness * push.rest_density, 1, 0.5 * push.stiffness, push.viscosity, push.density_scale, push.rest_density,
                   push.stiffness, push.wall_scale, push.speed_max_m_s, 0, uint[2](0, 0));
}

layout(constant_id = 2) const uint HASHED = SPH_ROWS_WRAPPED;
layout(constant_id = 8) const uint PRIME_Y = 19349663;
layout(constant_id = 9) const uint PRIME_Z = 83492791;

// The first cell of a row along x.
uint row_of(int y, int z) {
    if (HASHED == SPH_ROWS_WRAPPED) return (uint(y) & push.mask_y) << push.shift_y | (uint(z) & push.mask_z) << push.shift_z;
    return (uint(y) * PRIME_Y ^ uint(z) * PRIME_Z) << push.shift_y & push.cell_mask;
}

uint slot_of(ivec3 c) {
    if (HASHED == SPH_CELLS_HASHED) return (uint(c.x) * 73856093u ^ uint(c.y) * PRIME_Y ^ uint(c.z) * PRIME_Z) & push.cell_mask;
    return row_of(c.y, c.z) | uint(c.x) & push.mask_x;
}

// The inverse is stored because forces divide by the density more often than they multiply by it. `free`: the share of the kernel
// without walls.
float inverse_density_of(SphKind kind, float sum, float free) {
    return free / max(kind.rest_density * free, sum * push.inverse_h6 * kind.density_scale);
}
