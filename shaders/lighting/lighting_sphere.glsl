// lighting_sphere.glsl - directions: six faces, an octahedron, and spherical harmonics of three bands.
// Ramamoorthi and Hanrahan, An Efficient Representation for Irradiance Environment Maps, 2001.

// Face f looks along +x, -x, +y, -y, +z, -z.
vec3 face_forward(uint f) {
    const vec3 axis = f < 2 ? vec3(1, 0, 0) : f < 4 ? vec3(0, 1, 0) : vec3(0, 0, 1);
    return f % 2 == 0 ? axis : -axis;
}
vec3 face_up(uint f) { return f == 2 ? vec3(0, 0, 1) : f == 3 ? vec3(0, 0, -1) : vec3(0, 1, 0); }

vec3 face_direction(uint f, vec2 place) {
    const vec3 forward = face_forward(f), up = face_up(f);
    return forward + cross(forward, up) * place.x + up * place.y;
}

uint face_of(vec3 v) {
    const vec3 a = abs(v);
    if (a.x >= a.y && a.x >= a.z) return v.x > 0 ? 0 : 1;
    if (a.y >= a.z) return v.y > 0 ? 2 : 3;
    return v.z > 0 ? 4 : 5;
}

// From -1 to 1, and back.
vec2 octahedron_of(vec3 v) {
    const vec3 n = v / (abs(v.x) + abs(v.y) + abs(v.z));
    const vec2 folded = (1 - abs(n.yx)) * mix(vec2(-1), vec2(1), greaterThanEqual(n.xy, vec2(0)));
    return n.z >= 0 ? n.xy : folded;
}
vec3 octahedron_direction(vec2 at) {
    const float z = 1 - abs(at.x) - abs(at.y);
    const vec2  folded = (1 - abs(at.yx)) * mix(vec2(-1), vec2(1), greaterThanEqual(at, vec2(0)));
    return normalize(vec3(z >= 0 ? at : folded, z));
}

float harmonic(uint k, vec3 n) {
    switch (k) {
    case 0: return 0.282095;
    case 1: return 0.488603 * n.y;
    case 2: return 0.488603 * n.z;
    case 3: return 0.488603 * n.x;
    case 4: return 1.092548 * n.x * n.y;
    case 5: return 1.092548 * n.y * n.z;
    case 6: return 0.315392 * (3 * n.z * n.z - 1);
    case 7: return 1.092548 * n.x * n.z;
    default: return 0.546274 * (n.x * n.x - n.y * n.y);
    }
}
// Of the cosine, divided by pi: a sky of brightness 1 gives 1.
float cosine_of_band(uint k) { return k == 0 ? 1.0 : k < 4 ? 2.0 / 3 : 0.25; }
