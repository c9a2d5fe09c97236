// sph.glsl - cells and densities. h is the smoothing radius.
layout(push_constant, scalar) uniform Push { SphPush push; };

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

uint slot_wrapped(ivec3 c) {
    return uint(c.x) & push.mask_x | (uint(c.y) & push.mask_y) << push.shift_y |
           (uint(c.z) & push.mask_z) << push.shift_z;
}

uint slot_hashed(ivec3 c) {
    return (uint(c.x) * 73856093u ^ uint(c.y) * 19349663u ^ uint(c.z) * 83492791u) & push.cell_mask;
}

layout(constant_id = 2) const uint HASHED = 0;
uint slot_of(ivec3 c) { return HASHED == 1 ? slot_hashed(c) : slot_wrapped(c); }

// The inverse is stored because forces divide by the density more often than they multiply by it.
float inverse_density_of(float sum) {
    return 1 / max(push.rest_density, sum * push.inverse_h6 * push.density_scale);
}
