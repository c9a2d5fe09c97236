// shadows_lookup.glsl - how much of a light arrives at a surface. A shader sets shadow_turn, the angle by which the kernel is
// turned at its sample, as turn_at(place of the sample).
//
// Taps are compared with the plane of the surface and not with the depth of the sample: a plane does not shadow itself,
// however steep it is, and shadows begin where surfaces touch.
//
// Source: J. Turanszki, Easy transparent shadow maps, wickedengine.net, 2018; the transparent depth is from D. Filion,
// R. McNaughton, Starcraft II: Effects and Techniques, 2008.
#extension GL_EXT_samplerless_texture_functions : require
#extension GL_EXT_control_flow_attributes : require
#include "shadows_table.glsl"

layout(set = SHADOWS_IMAGES, binding = SHADOWS_DEPTH) uniform texture2D shadow_depth;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FILTER) uniform texture2D shadow_filter;
layout(set = SHADOWS_IMAGES, binding = SHADOWS_FRONT) uniform texture2D shadow_front;

float shadow_turn;

// Differs much between neighbours: J. Jimenez, Next Generation Post Processing in Call of Duty: Advanced Warfare, 2014.
float turn_at(vec2 place) { return 6.2831853 * fract(52.9829189 * fract(dot(place, vec2(0.06711056, 0.00583715)))); }

// The change of depth per texel of a map along a plane. 0 for a plane along the rays of the light.
vec2 depth_slope(ShadowMap m, vec3 at, vec3 place, vec3 normal, float step_m) {
    const vec3 a = normalize(abs(normal.x) > 0.7 ? vec3(-normal.y, normal.x, 0) : vec3(0, -normal.z, normal.y));
    const vec3 b = cross(normal, a);
    const vec4 p = shadow_clip(m, at + a * step_m), q = shadow_clip(m, at + b * step_m);
    const vec3 u = p.xyz / p.w - place, v = q.xyz / q.w - place;
    const float area = u.x * v.y - u.y * v.x;
    if (abs(area) < 1e-3 * (dot(u.xy, u.xy) + dot(v.xy, v.xy))) return vec2(0);
    return vec2(u.z * v.y - v.z * u.y, v.z * u.x - u.z * v.x) / area * (2 / m.side);
}

// The colour by which the light is multiplied.
vec3 shadow_in(ShadowMap m, vec3 at, vec3 normal, vec3 to_light, bool is_transparent) {
    const float texel_m = m.texel_m * dot(m.w, vec4(at, 1));
    const vec4  clip = shadow_clip(m, at + to_light * (texel_m * 0.25));
    const vec3  place = clip.xyz / clip.w;
    const vec2  center = (place.xy * 0.5 + 0.5) * m.side, corner = vec2(m.left, m.top);
    const vec2  slope = depth_slope(m, at + to_light * (texel_m * 0.25), place, normal, texel_m);
    vec3        sum = vec3(0);
    [[dont_unroll]] for (uint i = 0; i < SHADOWS_TAPS; i++) {
        const float angle = float(i) * 2.39996323 + shadow_turn, radius = SHADOWS_RADIUS * sqrt((float(i) + 0.5) / float(SHADOWS_TAPS));
        const vec2  texel = clamp(floor(center + vec2(cos(angle), sin(angle)) * radius), vec2(0), vec2(m.side - 1));
        const float depth = max(place.z + dot(texel + 0.5 - center, slope), 0); // 0: nothing casts there
        const ivec2 from = ivec2(corner + texel);
        if (texelFetch(shadow_depth, from, 0).x > depth) continue;
        vec4 colored = vec4(1, 1, 1, 0);
        if (!is_transparent || (shadows.variant == CANVAS_SHADOWS_TWO_DEPTHS && texelFetch(shadow_front, from, 0).x > depth))
            colored = texelFetch(shadow_filter, from, 0);
        sum += colored.rgb + colored.a * SHADOWS_CAUSTICS;
    }
    return sum / float(SHADOWS_TAPS);
}

bool is_in_map(ShadowMap m, vec3 at) {
    const vec4 clip = shadow_clip(m, at);
    const float inside = (1 - 2 * SHADOWS_BORDER / m.side) * clip.w;
    return max(abs(clip.x), abs(clip.y)) <= inside;
}

// Of a point light: its six maps show +x, -x, +y, -y, +z, -z.
uint shadow_face(vec3 from_light) {
    const vec3 size = abs(from_light);
    if (size.x >= size.y && size.x >= size.z) return from_light.x > 0 ? 0 : 1;
    if (size.y >= size.z) return from_light.y > 0 ? 2 : 3;
    return from_light.z > 0 ? 4 : 5;
}

//   row         of the light
//   normal      of the plane of the surface, on either side
//   from_light  from the light to the point
vec3 shadow_of(uint row, vec3 at, vec3 normal, vec3 to_light, vec3 from_light, bool is_transparent) {
    const uint word = shadow_rows[row], count = word >> 16 & 0xffu;
    if (word == 0) return vec3(1);
    uint which = (word & 0xffffu) - 1;
    if (count == SHADOWS_FACES) which += shadow_face(from_light);
    if ((word & SHADOWS_IS_CASCADES) != 0) {
        const uint end = which + count;
        while (which < end && !is_in_map(shadow_maps[which], at)) which++;
        if (which == end) return vec3(1);
    }
    return shadow_in(shadow_maps[which], at, normal, to_light, is_transparent);
}
