// water_normal.glsl - the normal of the surface, from the depths of neighbouring pixels.

// How depth changes from a pixel to the next one along a side; at an edge, on the side where it changes less.
float slope_along(ivec2 at, ivec2 aside, float depth, float edge_m) {
    const ivec2 low = at - aside, high = at + aside;
    const uint  a = is_in_rectangle(low) ? nearest[low.y * push.width + low.x] : 0;
    const uint  b = is_in_rectangle(high) ? nearest[high.y * push.width + high.x] : 0;
    const float before = depth - depth_in(a), after = depth_in(b) - depth;
    if (a == 0 || b == 0) return a != 0 ? before : b != 0 ? after : 0;
    if (difference_m(after - before, depth) < edge_m) return (before + after) * 0.5;
    return abs(before) < abs(after) ? before : after;
}

// Along x and y of pixels.
vec2 slope_of(ivec2 pixel, float depth, float edge_m) {
    return vec2(slope_along(pixel, ivec2(1, 0), depth, edge_m), slope_along(pixel, ivec2(0, 1), depth, edge_m));
}

// Depth is linear in the picture where the surface is a plane: its normal follows from two slopes. It faces the eye.
vec3 normal_of(vec2 slope_of_pixels, vec2 place, float depth, vec3 to_eye) {
    const vec2 slope = slope_of_pixels * vec2(push.width, -float(push.height)) * 0.5 * eye.depth_scale;
    const vec3 aside = eye.right * (slope.x / dot(eye.right, eye.right)) + eye.up * (slope.y / dot(eye.up, eye.up));
    const float w = eye.depth_scale * depth + eye.depth_bias - dot(slope, place);
    const vec3 normal = normalize(eye.orthographic != 0 ? aside - eye.forward : -aside - eye.forward * w);
    const float facing = dot(normal, to_eye);
    return facing > 0.02 ? normal : normalize(normal + to_eye * (0.02 - facing));
}
