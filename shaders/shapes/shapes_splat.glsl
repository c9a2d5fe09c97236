// shapes_splat.glsl - depths and numbers of spheres without rasterising: each sample keeps the nearest
// depth by an atomic maximum of its bits, which is exact for positive floats; then the sphere with this
// depth writes its number, of several the first one. The result does not depend on the order in which
// threads run, and is that of shapes_spheres.vert and shapes_spheres.frag. Shadow maps have depths only.
layout(constant_id = 1) const uint PASS = 0; // 0: depths, 1: numbers, 2: depths of shadow maps
#define CASTS uint(PASS == 2)
#include "shapes_view.glsl"
#include "canvas_sphere.glsl"
layout(binding = SHAPES_NEAREST) restrict buffer Nearest { uint nearest_depth[]; };
layout(binding = SHAPES_NUMBER) restrict buffer Number { uint number[]; };
layout(binding = SHAPES_LARGE) restrict buffer Large {
    uint large_count;
    uint large[];
};

// Where spheres are found: the picture, or a square of the atlas of shadow maps.
struct Target {
    ShapeView view;
    uvec2     size; // samples
    uint      first, stride; // of the words of samples
    vec4      z, w; // of shadow maps
};

Target target_of(uint map) {
    const ShapeView v = view_of(map);
    if (CASTS == 0) return Target(v, uvec2(eye.width, eye.height), 0, eye.width, vec4(0), vec4(0));
    const ShadowMap m = shadow_maps[shadows.now[map]];
    const uint      stride = shadows.atlas_side;
    return Target(v, uvec2(m.side), uint(m.top) * stride + uint(m.left), stride, m.z, m.w);
}

// The samples that a sphere can cover. Spheres in which the eye is are not visible. Centres are from the eye.
Box box_of(Target t, vec3 center) {
    const ShapeView v = t.view;
    const float radius = push.radius_m;
    if (!v.is_flat && !(dot(center, center) > radius * radius && dot(center, v.forward) > -radius))
        return Box(uvec2(0), uvec2(0));
    return sphere_box(center, radius, v.right, v.up, v.forward, v.is_flat, t.size);
}

// The depth of a point on the ray of a sample, at `far` times the ray; negative: it is not visible. What is before a
// shadow map without perspective casts from its front.
float target_depth(Target t, vec3 from, vec3 ray, float far) {
    if (CASTS == 0) {
        precise const float depth = depth_of(far);
        return far >= eye.near_m && depth > 0 ? min(depth, 1) : -1;
    }
    const vec4  at = vec4(from + ray * far, 1);
    const float z = dot(t.z, at), w = dot(t.w, at);
    return w <= 0 || (!t.view.is_flat && z > w) ? -1 : min(z / w, 1);
}

// The bits of the depth at which the ray of a sample hits a sphere, 0: it does not. The same bits in
// both passes. The ray has a length of 1 along `forward`, so that what is left of it before the hit is a
// difference of distances.
uint depth_bits(Target t, vec3 center, uvec2 at) {
    const ShapeView v = t.view;
    const vec2 size = 2 / vec2(t.size);
    precise const vec2 place = (vec2(at) + 0.5) * vec2(size.x, -size.y) + vec2(-1, 1);
    precise const vec3 aside = v.right * place.x + v.up * place.y;
    precise vec3  ray = v.forward, to = center - aside;
    precise float inverse2 = 1;
    if (!v.is_flat) {
        ray = v.forward + aside;
        to = center;
        inverse2 = 1 / dot(ray, ray);
    }
    precise const float along = dot(to, ray) * inverse2;
    precise const vec3  off = to - ray * along;
    precise const float half2 = push.radius_m * push.radius_m - dot(off, off);
    if (!(half2 >= 0)) return 0;
    precise const float far = along - sqrt(half2 * inverse2);
    const float depth = target_depth(t, v.is_flat ? v.origin + aside : v.origin, ray, far);
    return depth > 0 ? floatBitsToUint(depth) : 0;
}

// The bits of a depth that no sample of a sphere exceeds, whatever is rounded: one in front of it.
uint front_bits(Target t, vec3 center) {
    const float before = push.radius_m + 1e-4 * (length(center) + push.radius_m);
    const float far = dot(center, t.view.forward) - before;
    if (CASTS == 0) return floatBitsToUint(far > eye.near_m ? clamp(depth_of(far), 0, 1) : 1.0);
    const vec4  at = vec4(t.view.origin + t.view.forward * far, 1);
    const float w = dot(t.w, at);
    return floatBitsToUint(w > 0 ? clamp(dot(t.z, at) / w, 0, 1) : 1.0);
}

void sample_splat(Target t, vec3 center, uint front, uint id, uvec2 at) {
    const uint index = t.first + at.y * t.stride + at.x;
    if (nearest_depth[index] > front) return; // hidden
    const uint bits = depth_bits(t, center, at);
    if (bits == 0) return;
    if (PASS != 1 && bits > nearest_depth[index]) atomicMax(nearest_depth[index], bits);
    if (PASS == 1 && bits == nearest_depth[index]) atomicMin(number[index], id);
}
