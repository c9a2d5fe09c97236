// lights_volume.glsl - does an element touch a tile? In the space of the camera: x to the right, y up, z forward. An
// element has a sphere around it, with a negative radius when it is a cone, and three vec4: of a cone its apex and
// length, its axis, and cosine and sine of its half angle; of a box its half axes.
layout(binding = LIGHTS_SPHERE) readonly restrict buffer Spheres { vec4 spheres[]; };
layout(binding = LIGHTS_SHAPE) readonly restrict buffer Shapes { vec4 shapes[]; };
layout(binding = LIGHTS_STATE, scalar) restrict buffer State { LightsState state; };
layout(binding = LIGHTS_EDGE) readonly restrict buffer Edges { vec4 edges[]; };

// An edge between tiles is the plane x = slope z + constant, or y = ..; w is 1 / sqrt(1 + slope^2).
struct Tile {
    vec4  left, right, below, above;
    float near_m, far_m, reach_m;
    uint  mask;
    uint  first_light; // of all elements
    float slices_per_m;
    vec3  low, high;   // the box around its surfaces
    vec3  middle;      // and the sphere
    float radius;
};

// The edges of tiles x to x_end - 1 and y to y_end - 1.
Tile tile_edges(uint wide, uint x, uint x_end, uint y, uint y_end) {
    Tile t;
    t.left = edges[x];
    t.right = edges[x_end];
    t.above = edges[wide + 1 + y];
    t.below = edges[wide + 1 + y_end];
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
    t.low = vec3(t.left.y + min(t.left.x * n, t.left.x * f), t.below.y + min(t.below.x * n, t.below.x * f), n);
    t.high = vec3(t.right.y + max(t.right.x * n, t.right.x * f), t.above.y + max(t.above.x * n, t.above.x * f), f);
    t.middle = (t.low + t.high) * 0.5;
    t.radius = length(t.high - t.middle);
}

// Both return true when a sphere is on the inner side of the planes at least in part.
bool sphere_is_between(Tile t, vec3 at, float r) {
    return (at.x - t.left.x * at.z - t.left.y) * t.left.w > -r && (t.right.x * at.z + t.right.y - at.x) * t.right.w > -r &&
           (at.y - t.below.x * at.z - t.below.y) * t.below.w > -r && (t.above.x * at.z + t.above.y - at.y) * t.above.w > -r;
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
    return box_is_inside(at.x - t.left.x * at.z - t.left.y, vec3(1, 0, -t.left.x), axes) &&
           box_is_inside(t.right.x * at.z + t.right.y - at.x, vec3(-1, 0, t.right.x), axes) &&
           box_is_inside(at.y - t.below.x * at.z - t.below.y, vec3(0, 1, -t.below.x), axes) &&
           box_is_inside(t.above.x * at.z + t.above.y - at.y, vec3(0, -1, t.above.x), axes);
}
// The box of the tile in the space of the element's box, and the other way round.
bool box_touches_box(Tile t, vec3 at, mat3 axes) {
    const vec3 half_size = (t.high - t.low) * 0.5, d = t.middle - at;
    const vec3 own = abs(axes[0]) + abs(axes[1]) + abs(axes[2]);
    if (any(greaterThan(abs(d), half_size + own + 1e-5 * abs(at)))) return false;
    [[unroll]] for (uint k = 0; k < 3; k++) {
        const vec3 n = cross(axes[(k + 1) % 3], axes[(k + 2) % 3]); // of its face k
        if (abs(dot(d, n)) > (dot(abs(n), half_size) + abs(dot(n, axes[k]))) * 1.0001 + 1e-5 * dot(abs(n), abs(at)))
            return false;
    }
    return true;
}

// x: it touches surfaces of the tile; y: it touches what is at or before them.
bvec2 element_touches(Tile t, uint i, vec4 sphere) {
    const vec3  at = sphere.xyz;
    const float r = abs(sphere.w);
    bvec2 touches = bvec2(sphere_is_between(t, at, r) && sphere_is_before(t, at, r));
    if (!touches.y) return touches;
    touches.x = t.mask != 0;
    if (touches.x && (TESTS & LIGHTS_BY_BOX) != 0) touches.x = sphere_touches_box(t, at, r);
    else if (touches.x) touches.x = at.z + r >= t.near_m;
    if (touches.x && (TESTS & LIGHTS_BY_SLICE) != 0) touches.x = touches_slices(t, at.z - r, at.z + r);
    if (i < t.first_light) {
        const mat3 axes = mat3(shapes[i * 3].xyz, shapes[i * 3 + 1].xyz, shapes[i * 3 + 2].xyz);
        const vec3 size = abs(axes[0]) + abs(axes[1]) + abs(axes[2]);
        touches.y = box_is_between(t, at, axes) && at.z + size.z >= 0 && at.z - size.z <= t.reach_m;
        touches.x = touches.x && touches.y && ((TESTS & LIGHTS_BY_BOX) == 0 || box_touches_box(t, at, axes)) &&
                    ((TESTS & LIGHTS_BY_SLICE) == 0 || touches_slices(t, at.z - size.z, at.z + size.z));
    } else if (sphere.w < 0 && (TESTS & LIGHTS_BY_CONE) != 0) {
        touches.x = touches.x && cone_touches(i, t.middle, t.radius);
    }
    return touches;
}
