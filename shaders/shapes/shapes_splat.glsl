// shapes_splat.glsl - depths and numbers of spheres without rasterising: each sample keeps the nearest
// depth by an atomic maximum of its bits, which is exact for positive floats; then the sphere with this
// depth writes its number, of several the first one. The result does not depend on the order in which
// threads run, and is that of shapes_spheres.vert and shapes_spheres.frag.
#include "shapes.glsl"
layout(constant_id = 1) const uint NUMBERS = 0; // 0: the pass of depths, 1: that of numbers
layout(binding = SHAPES_NEAREST) restrict buffer Nearest { uint nearest_depth[]; };
layout(binding = SHAPES_NUMBER) restrict buffer Number { uint number[]; };
layout(binding = SHAPES_LARGE) restrict buffer Large {
    uint large_count;
    uint large[];
};

struct Box { // of samples
    uvec2 low, size;
};

uint area_of(Box box) { return box.size.x * box.size.y; }

// Places from -1 to 1, to samples: those whose centres are between two places, and not more than a
// small part of a sample beside them.
uvec2 samples_between(vec2 places, uint count) {
    const vec2 at = (places * 0.5 + 0.5) * float(count) - 0.5 + vec2(-0.05, 0.05);
    return uvec2(clamp(vec2(ceil(at.x), floor(at.y) + 1), vec2(0), vec2(count)));
}

// Tangents from the eye to a circle at x, z: lowest and highest x at a distance of 1 m.
vec2 tangents_of(float x, float z, float radius) {
    const float z2 = z * z - radius * radius, side = radius * sqrt(x * x + z2);
    return (x * z + vec2(-side, side)) / z2;
}

// The samples that a sphere can cover. Spheres in which the eye is are not visible.
Box box_of(vec3 center) {
    const float radius = push.radius_m, z = dot(center, eye.forward);
    const float wide = length(eye.right), high = length(eye.up);
    const float x = dot(center, eye.right) / wide, y = dot(center, eye.up) / high;
    vec2        across = vec2(-1, 1), up = vec2(-1, 1);
    if (eye.orthographic != 0) {
        across = (x + vec2(-radius, radius)) / wide;
        up = (y + vec2(-radius, radius)) / high;
    } else if (!(dot(center, center) > radius * radius && z > -radius)) {
        return Box(uvec2(0), uvec2(0));
    } else if (z > radius * 1.001) {
        across = tangents_of(x, z, radius) / wide;
        up = tangents_of(y, z, radius) / high;
    }
    const uvec2 columns = samples_between(across, eye.width), rows = samples_between(-up.yx, eye.height);
    return Box(uvec2(columns.x, rows.x),
               uvec2(max(columns.y, columns.x), max(rows.y, rows.x)) - uvec2(columns.x, rows.x));
}

// The bits of the depth at which the ray of a sample hits a sphere, 0: it does not. The same bits in
// both passes. The ray has a length of 1 along `forward`, so that what is left of it before the hit is a
// difference of distances.
uint depth_bits(vec3 center, uvec2 at) {
    const vec2 size = 2 / vec2(eye.width, eye.height);
    precise const vec2 place = (vec2(at) + 0.5) * vec2(size.x, -size.y) + vec2(-1, 1);
    precise const vec3 aside = eye.right * place.x + eye.up * place.y;
    precise vec3  ray = eye.forward, to = center - aside;
    precise float inverse2 = 1;
    if (eye.orthographic == 0) {
        ray = eye.forward + aside;
        to = center;
        inverse2 = 1 / dot(ray, ray);
    }
    precise const float along = dot(to, ray) * inverse2;
    precise const vec3  off = to - ray * along;
    precise const float half2 = push.radius_m * push.radius_m - dot(off, off);
    if (!(half2 >= 0)) return 0;
    precise const float far = along - sqrt(half2 * inverse2);
    precise const float depth = depth_of(far);
    return far >= eye.near_m && depth > 0 ? floatBitsToUint(min(depth, 1)) : 0;
}

// The bits of a depth that no sample of a sphere exceeds, whatever is rounded: one in front of it.
uint front_bits(vec3 center) {
    const float before = push.radius_m + 1e-4 * (length(center) + push.radius_m);
    const float far = dot(center, eye.forward) - before;
    return floatBitsToUint(far > eye.near_m ? clamp(depth_of(far), 0, 1) : 1.0);
}

void sample_splat(vec3 center, uint front, uint id, uvec2 at) {
    const uint index = at.y * eye.width + at.x;
    if (nearest_depth[index] > front) return; // hidden
    const uint bits = depth_bits(center, at);
    if (bits == 0) return;
    if (NUMBERS == 0 && bits > nearest_depth[index]) atomicMax(nearest_depth[index], bits);
    if (NUMBERS == 1 && bits == nearest_depth[index]) atomicMin(number[index], id);
}
