// meshes_hidden.glsl - whether a box is behind everything that is drawn where it would be seen.
#define PYRAMID_ACCESS readonly
#include "canvas_pyramid.glsl"

// The block of a level, and the ones right of it and below it if the box reaches them: the farthest depth.
float farthest_of(CanvasEye e, uint level, uvec2 low, uvec2 high) {
    const uint first = blocks_before(e, level), wide = blocks_of(e, level).x;
    float      farthest = 1;
    for (uint y = low.y; y <= high.y; y++)
        for (uint x = low.x; x <= high.x; x++) farthest = min(farthest, pyramid[first + y * wide + x].x);
    return farthest;
}

// `is_whole`: a box that reaches beyond the picture is not hidden, because the pyramid belongs to another camera.
bool is_hidden(CanvasEye e, vec3 center, vec3 size, bool is_whole) {
    const vec4 middle = vec4(center, 1);
    const vec4 at = vec4(dot(e.clip_x, middle), dot(e.clip_y, middle), dot(e.clip_z, middle), dot(e.clip_w, middle));
    const vec4 x = vec4(e.clip_x.x, e.clip_y.x, e.clip_z.x, e.clip_w.x) * size.x;
    const vec4 y = vec4(e.clip_x.y, e.clip_y.y, e.clip_z.y, e.clip_w.y) * size.y;
    const vec4 z = vec4(e.clip_x.z, e.clip_y.z, e.clip_z.z, e.clip_w.z) * size.z;
    if (at.w - abs(x.w) - abs(y.w) - abs(z.w) <= 0) return false; // beside or behind the eye
    vec2  low = vec2(2), high = vec2(-2);
    float nearest = 0;
    for (uint k = 0; k < 8; k++) {
        const vec4 corner = at + ((k & 1) != 0 ? x : -x) + ((k & 2) != 0 ? y : -y) + ((k & 4) != 0 ? z : -z);
        const vec3 place = corner.xyz * (1 / corner.w);
        low = min(low, place.xy);
        high = max(high, place.xy);
        nearest = max(nearest, place.z);
    }
    if (nearest >= 1) return false; // before the near plane
    if (is_whole && (any(lessThan(low, vec2(-1))) || any(greaterThan(high, vec2(1))))) return false;
    // A sample more on each side, because lines and points cover samples beside them.
    const vec2  samples = vec2(e.width, e.height), side = vec2(CANVAS_BLOCK * e.samples);
    const vec2  from = (low * 0.5 + 0.5) * samples - 1, to = (high * 0.5 + 0.5) * samples + 1;
    const uvec2 last = blocks_of(e, 0) - 1;
    uvec2       a = min(uvec2(max(from, vec2(0)) / side), last), b = min(uvec2(max(to, vec2(0)) / side), last);
    uint        level = 0;
    for (; any(greaterThan(b - a, uvec2(1))); level++) a >>= 1, b >>= 1;
    return nearest < farthest_of(e, level, a, b) * (1 - 1e-5);
}
