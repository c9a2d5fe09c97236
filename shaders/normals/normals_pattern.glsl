// normals_pattern.glsl - the points of the hemisphere around +z at which occlusion is looked up, how they are turned around z in
// each of 4 x 4 samples, and what a surface that is found there counts.
//
// Point i has the azimuth i times the golden angle, the sine of its angle to z is sqrt(u) with u = (i + 0.5) / 16, and it
// is at 0.1 + 0.9 t^2 of the radius with t = ((7 i) % 16 + 0.5) / 16.
const vec3 hemisphere[NORMALS_TAPS] =
    vec3[](vec3(0.01783304, 0.00000000, 0.09929016), vec3(-0.06722455, 0.06158320, 0.28345327),
           vec3(0.02899974, -0.33043708, 0.77081782), vec3(0.05872060, 0.07659063, 0.18238728),
           vec3(-0.33908808, -0.05997991, 0.55048477), vec3(0.07077429, -0.04502081, 0.11589704),
           vec3(-0.08068080, 0.30012855, 0.37571923), vec3(-0.03405229, -0.06556561, 0.07865237),
           vec3(0.24236600, 0.08851167, 0.24236991), vec3(-0.67281769, 0.27772936, 0.60208515),
           vec3(0.08533566, -0.18235736, 0.14571665), vec3(0.18794374, 0.59919425, 0.39282751),
           vec3(-0.13091792, -0.07586961, 0.08006745), vec3(0.50682813, -0.11142474, 0.22331270),
           vec3(-0.06678087, 0.09498892, 0.03734635), vec3(-0.05278105, -0.40730774, 0.07376629));

// The sample x, y of each 4 x 4 is turned by order[x + 4 y] times 22.5 degrees: neighbours by angles that differ much.
const uint order[16] = uint[](0, 8, 2, 10, 12, 4, 14, 6, 3, 11, 1, 9, 15, 7, 13, 5);
const vec2 turns[16] =
    vec2[](vec2(1.00000000, 0.00000000), vec2(0.92387953, 0.38268343), vec2(0.70710678, 0.70710678), vec2(0.38268343, 0.92387953),
           vec2(0.00000000, 1.00000000), vec2(-0.38268343, 0.92387953), vec2(-0.70710678, 0.70710678), vec2(-0.92387953, 0.38268343),
           vec2(-1.00000000, 0.00000000), vec2(-0.92387953, -0.38268343), vec2(-0.70710678, -0.70710678), vec2(-0.38268343, -0.92387953),
           vec2(0.00000000, -1.00000000), vec2(0.38268343, -0.92387953), vec2(0.70710678, -0.70710678), vec2(0.92387953, -0.38268343));

// The columns of a matrix that turns the pattern around z, then z to the normal. Normals that face the eye are never
// opposite to z, where this has no solution.
mat3 frame_of(vec3 n, vec2 turn) {
    const float a = 1 / (1 + n.z), b = -n.x * n.y * a;
    const vec3  x = vec3(1 - n.x * n.x * a, b, -n.x), y = vec3(b, 1 - n.y * n.y * a, -n.y);
    return mat3(x * turn.x + y * turn.y, y * turn.x - x * turn.y, n);
}

// How much a point is occluded by a surface so far before it, and so far above the plane of the sample; both in radii.
float occluded(float before, float above) {
    return clamp(before * 40, 0, 1) * clamp(2 - before, 0, 1) * clamp(above * 20 - 0.4, 0, 1);
}
