// lights_volume.glsl - does an element touch a tile? In the space of the camera: x to the right, y up, z forward. An
// element has a sphere around it, with a negative radius when it is a cone, and three vec4: of a cone its apex and
// length, its axis, and cosine and sine of its half angle; of a box its half axes.
layout(binding = LIGHTS_SPHERE) readonly restrict buffer Spheres { vec4 spheres[]; };
layout(binding = LIGHTS_SHAPE) readonly restrict buffer Shapes { vec4 shapes[]; };
layout(binding = LIGHTS_STATE, scalar) restrict buffer State { LightsState state; };
layout(binding = LIGHTS_EDGE) readonly restrict buffer Edges { vec4 edges[]; };

// An edge between tiles is the plane x = slope z + constant, or y = ..: a vec4 with slope, constant and
// 1 / sqrt(1 + slope^2).
struct Tile {
    vec4  x_low, x_high, y_low, y_high; // edges
    float near_m, far_m, reach_m;
    uint  mask;
    uint  first_light; // of all elements
    float slices_per_m;
    vec3  low, high;   // the box around its surfaces
};

// The edges of tiles x to x_end - 1 and y to y_end - 1.
Tile tile_edges(uint wide, uint x, uint x_end, uint y, uint y_end) {
    Tile t;
    t.x_low = edges[x];
    t.x_high = edges[x_end];
    t.y_high = edges[wide + 1 + y];
    t.y_low = edges[wide + 1 + y_end];
    return t;
}

void tile_bound(inout Tile t, LightsBounds b) {
    t.near_m = b.near_m;
    t.far_m = b.far_m;
    t.reach_m = b.reach_m;
    t.mask = b.mask;
    t.first_light = state.first_light;
    t.slices_per_m = b.far_m > b.near_m ? LIGHTS_SLICES / (b.far_m - b.near_m) : 0;
    const float n = min(b.near_m, b.far_m), f = b.far_m; // an empty tile is not tested any more
    t.low = vec3(t.x_low.y + min(t.x_low.x * n, t.x_low.x * f), t.y_low.y + min(t.y_low.x * n, t.y_low.x * f), n);
    t.high = vec3(t.x_high.y + max(t.x_high.x * n, t.x_high.x * f), t.y_high.y + max(t.y_high.x * n, t.y_high.x * f), f);
}

// The distance of a point from an edge, to the right or upwards: two multiplications.
float distance_from(vec4 edge, float at, float z) { return at * edge.z + (z * (-edge.x * edge.z) - edge.y * edge.z); }

// Both return true when a sphere is on the inner side of the planes at least in part.
bool sphere_is_between(Tile t, vec3 at, float r) {
    return min(min(distance_from(t.x_low, at.x, at.z), -distance_from(t.x_high, at.x, at.z)),
               min(distance_from(t.y_low, at.y, at.z), -distance_from(t.y_high, at.y, at.z))) > -r;
}
bool sphere_is_before(Tile t, vec3 at, float r) { return at.z > -r && at.z - r < t.reach_m; }

bool sphere_touches_box(Tile t, vec3 at, float r) {
    const vec3 d = at - clamp(at, t.low, t.high);
    return dot(d, d) <= r * r;
}

// The slices of an element are those from `a` to `b`: a mask by shifts.
bool touches_slices(Tile t, float low, float high) {
    const float top = float(LIGHTS_SLICES - 1);
    const uint a = uint(clamp((low - t.near_m) * t.slices_per_m, 0, top));
    const uint b = uint(clamp((high - t.near_m) * t.slices_per_m, 0, top));
    return ((0xffffffffu >> (LIGHTS_SLICES - 1 - (b - a))) << a & t.mask) != 0;
}

// Against the sphere around the surfaces of the tile.
bool cone_touches(uint i, vec3 at, float r) {
    const vec4  apex = shapes[i * 3];
    const vec3  axis = shapes[i * 3 + 1].xyz, d = at - apex.xyz;
    const vec2  angle = shapes[i * 3 + 2].xy;
    const float along = dot(d, axis), aside = sqrt(max(dot(d, d) - along * along, 0));
    return angle.x * aside - along * angle.y <= r * 1.0001 + 1e-5 && along <= apex.w + r && along >= -r;
}

// A box, given by half axes, against a plane with this inner distance of its centre.
bool box_is_inside(float distance_m, vec3 normal, mat3 axes) {
    return distance_m + abs(dot(normal, axes[0])) + abs(dot(normal, axes[1])) + abs(dot(normal, axes[2])) >= 0;
}
bool box_is_between(Tile t, vec3 at, mat3 axes) {
    return box_is_inside(at.x - t.x_low.x * at.z - t.x_low.y, vec3(1, 0, -t.x_low.x), axes) &&
           box_is_inside(t.x_high.x * at.z + t.x_high.y - at.x, vec3(-1, 0, t.x_high.x), axes) &&
           box_is_inside(at.y - t.y_low.x * at.z - t.y_low.y, vec3(0, 1, -t.y_low.x), axes) &&
           box_is_inside(t.y_high.x * at.z + t.y_high.y - at.y, vec3(0, -1, t.y_high.x), axes);
}
// The box of the tile in the space of the element's box, and the other way round.
bool box_touches_box(Tile t, vec3 at, mat3 axes) {
    const vec3 half_size = (t.high - t.low) * 0.5, d = (t.high + t.low) * 0.5 - at;
    const vec3 half_axes = abs(axes[0]) + abs(axes[1]) + abs(axes[2]);
    if (any(greaterThan(abs(d), half_size + half_axes + 1e-5 * abs(at)))) return false;
    [[unroll]] for (uint k = 0; k < 3; k++) {
        const vec3 n = cross(axes[(k + 1) % 3], axes[(k + 2) % 3]); // of its face k
        if (abs(dot(d, n)) > (dot(abs(n), half_size) + abs(dot(n, axes[k]))) * 1.0001 + 1e-5 * dot(abs(n), abs(at)))
            return false;
    }
    return true;
}

bvec2 box_touches(Tile t, uint i, vec3 at, bool is_at_surface) {
    const mat3 axes = mat3(shapes[i * 3].xyz, shapes[i * 3 + 1].xyz, shapes[i * 3 + 2].xyz);
    const vec3 size = abs(axes[0]) + abs(axes[1]) + abs(axes[2]);
    if (!box_is_between(t, at, axes) || at.z + size.z < 0 || at.z - size.z > t.reach_m) return bvec2(false);
    return bvec2(is_at_surface && ((TESTS & LIGHTS_BY_BOX) == 0 || box_touches_box(t, at, axes)) &&
                     ((TESTS & LIGHTS_BY_SLICE) == 0 || touches_slices(t, at.z - size.z, at.z + size.z)), true);
}

// x: it touches surfaces of the tile; y: it touches what is at or before them.
bvec2 element_touches(Tile t, uint i, vec4 sphere) {
    const vec3  at = sphere.xyz;
    const float r = abs(sphere.w);
    const bool  is_before = sphere_is_between(t, at, r) && sphere_is_before(t, at, r);
    bool is_at = is_before && t.mask != 0;
    if ((TESTS & LIGHTS_BY_BOX) != 0) is_at = is_at && sphere_touches_box(t, at, r);
    else is_at = is_at && at.z + r >= t.near_m;
    if ((TESTS & LIGHTS_BY_SLICE) != 0) is_at = is_at && touches_slices(t, at.z - r, at.z + r);
    if ((TESTS & LIGHTS_HAS_BOXES) != 0 && is_before && i < t.first_light) return box_touches(t, i, at, is_at);
    if ((TESTS & LIGHTS_BY_CONE) != 0 && (TESTS & LIGHTS_HAS_SPOTS) != 0 && is_at && sphere.w < 0)
        is_at = cone_touches(i, (t.low + t.high) * 0.5, length(t.high - t.low) * 0.5);
    return bvec2(is_at, is_before);
}
