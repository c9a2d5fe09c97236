// canvas_hidden.glsl - whether a box is behind everything that is drawn where it would be seen.
#define PYRAMID_ACCESS readonly
#include "canvas_pyramid.glsl"

// The block of a level, and the ones right of it and below it if the box reaches them: the farthest depth.
float farthest_of(uint level, uvec2 low, uvec2 high) {
    const uint first = blocks_before(level), wide = blocks_of(level).x;
    float      farthest = 1;
    for (uint y = low.y; y <= high.y; y++)
        for (uint x = low.x; x <= high.x; x++) farthest = min(farthest, pyramid[first + y * wide + x].x);
    return farthest;
}

// Rows of the matrix from the world to the picture.
struct Clip { vec4 x, y, z, w; };

// `is_whole`: a box that reaches beyond the picture is not hidden, because the pyramid belongs to another camera.
bool is_hidden(Clip c, vec3 center, vec3 size, bool is_complete) {
    const vec4 middle = vec4(center, 1);
    const vec4 at = vec4(dot(c.x, middle), dot(c.y, middle), dot(c.z, middle), dot(c.w, middle));
    const vec4 x = vec4(c.x.x, c.y.x, c.z.x, c.w.x) * size.x;
    const vec4 y = vec4(c.x.y, c.y.y, c.z.y, c.w.y) * size.y;
    const vec4 z = vec4(c.x.z, c.y.z, c.z.z, c.w.z) * size.z;
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
    if (is_complete && (any(lessThan(low, vec2(-1))) || any(greaterThan(high, vec2(1))))) return false;
    // A sample more on each side, because lines and points cover samples beside them.
    const vec2  samples = vec2(eye.width, eye.height), side = vec2(CANVAS_BLOCK * eye.samples);
    const vec2  from = (low * 0.5 + 0.5) * samples - 1, to = (high * 0.5 + 0.5) * samples + 1;
    const uvec2 last = blocks_of(0) - 1;
    uvec2       a = min(uvec2(max(from, vec2(0)) / side), last), b = min(uvec2(max(to, vec2(0)) / side), last);
    uint        level = 0;
    for (; any(greaterThan(b - a, uvec2(1))); level++) a >>= 1, b >>= 1;
    return nearest < farthest_of(level, a, b) * (1 - 1e-5);
}
