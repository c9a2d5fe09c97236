// lighting_cookie.glsl - the textures by which lights are multiplied: of a spot light across the square around its cone, of a point
// light as an equirectangular picture, whose middle is where the light shines.
#include "lights_turn.glsl"

vec3 cookie_of(LightsItem light, vec3 from_light) {
    const uint word = uint(light.w.z) - 1, kind = uint(light.w.x);
    const vec3 v = normalize(from_light) * turned_axes(light.z.xyz, light.w.w); // in the axes of the light
    vec2 at;
    if (kind == LIGHTS_SPOT) {
        const float c = clamp(-light.z.w / light.y.w, 1e-3, 1), wide = sqrt(1 - c * c) / c; // tangent of the half angle
        at = vec2(v.x, -v.y) / (max(-v.z, 1e-4) * max(wide, 1e-4)) * 0.5 + 0.5;
    } else {
        at = vec2(atan(v.x, -v.z) / (2 * PI) + 0.5, acos(clamp(v.y, -1, 1)) / PI);
    }
    return texel(word / LIGHTS_COOKIE_LAYERS, vec3(at, word % LIGHTS_COOKIE_LAYERS), vec2(0), vec2(0)).rgb;
}
