// lighting_probes.glsl - the surroundings of a surface: the probes of its tile from the smallest on, and the sky for what
// they leave.
#include "lighting_sphere.glsl"

layout(binding = LIGHTING_PROBE, scalar) readonly restrict buffer Probes { LightingProbe probes[]; };

vec3 probe_matt(uint p, vec3 n) {
    vec3 sum = vec3(0);
    for (uint k = 0; k < 9; k++) sum += probes[p].light[k].rgb * harmonic(k, n);
    return max(sum, vec3(0));
}

vec3 map_texel(uint p, uint level, ivec2 at) {
    const int side = int(LIGHTING_MAP);
    if (at.x < 0 || at.x >= side) at = ivec2(clamp(at.x, 0, side - 1), side - 1 - at.y); // behind an edge of the octahedron
    if (at.y < 0 || at.y >= side) at = ivec2(side - 1 - at.x, clamp(at.y, 0, side - 1));
    const uint i = (level * LIGHTING_MAP + uint(at.y)) * LIGHTING_MAP + uint(at.x);
    return vec3(unpackHalf2x16(probes[p].map[i * 2]), unpackHalf2x16(probes[p].map[i * 2 + 1]).x);
}

vec3 level_at(uint p, uint level, vec3 v) {
    const vec2  at = (octahedron_of(v) * 0.5 + 0.5) * LIGHTING_MAP - 0.5, share = fract(at);
    const ivec2 first = ivec2(floor(at));
    return mix(mix(map_texel(p, level, first), map_texel(p, level, first + ivec2(1, 0)), share.x),
               mix(map_texel(p, level, first + ivec2(0, 1)), map_texel(p, level, first + ivec2(1, 1)), share.x), share.y);
}

vec3 probe_mirrored(uint p, vec3 v, float rough) {
    const float at = clamp(rough, 0, 1) * float(LIGHTING_MAP_LEVELS - 1);
    const uint  low = min(uint(at), LIGHTING_MAP_LEVELS - 2);
    return mix(level_at(p, low, v), level_at(p, low + 1, v), at - float(low));
}

vec3 turned_to_box(LightsItem box, vec3 v) { return vec3(dot(box.x.xyz, v), dot(box.y.xyz, v), dot(box.z.xyz, v)); }

// The direction from the centre of a probe to where a ray from inside leaves its box.
vec3 corrected(LightsItem box, vec3 center, vec3 inside, vec3 at, vec3 ray) {
    const vec3  v = turned_to_box(box, ray), s = mix(vec3(-1), vec3(1), greaterThanEqual(v, vec3(0)));
    const vec3  far = (s - inside) / (abs(v) + 1e-6) * s;
    return at + ray * min(min(far.x, far.y), far.z) - center;
}

// 1 inside, 0 at the edge, over blend_m.
float probe_share(LightsItem box, vec3 inside, float blend_m) {
    const vec3 size = inversesqrt(vec3(dot(box.x.xyz, box.x.xyz), dot(box.y.xyz, box.y.xyz), dot(box.z.xyz, box.z.xyz)));
    const vec3 edge = (1 - abs(inside)) * size;
    return clamp(min(min(edge.x, edge.y), edge.z) / max(blend_m, 1e-4), 0, 1);
}

vec3 surroundings(Look s, vec3 at, uint tile) {
    const vec3 mirror = reflect(-s.to_eye, s.normal), coat_mirror = reflect(-s.to_eye, s.coat_normal);
    vec3   matt_light = vec3(0), mirrored = vec3(0), coat_mirrored = vec3(0);
    float  left = 1;
    uint   i;
    Cursor c = cursor_begin(tile, PROBES);
    while (left > 0.001 && cursor_next(c, i)) {
        const LightsItem box = items[i];
        const vec3 inside = turned_to_box(box, at) + vec3(box.x.w, box.y.w, box.z.w);
        if (any(greaterThan(abs(inside), vec3(1)))) continue;
        const uint  p = uint(box.w.y);
        const float share = left * probe_share(box, inside, probes[p].blend_m) * probes[p].is_captured;
        if (share == 0) continue;
        const vec3 v = corrected(box, probes[p].center, inside, at, mirror);
        matt_light += probe_matt(p, s.normal) * probes[p].tint * share;
        mirrored += probe_mirrored(p, normalize(v), s.roughness) * probes[p].tint * share;
#ifdef HAS_COAT
        if (s.coat > 0) {
            const vec3 w = corrected(box, probes[p].center, inside, at, coat_mirror);
            coat_mirrored += probe_mirrored(p, normalize(w), s.coat_roughness) * probes[p].tint * share;
        }
#endif
        left -= share;
    }
    matt_light += sky_at(s.normal.y) * eye.sky * left;
    mirrored += sky_at(mirror.y) * eye.sky * left;
    coat_mirrored += sky_at(coat_mirror.y) * eye.sky * left;
    return around(s, matt_light, mirrored, coat_mirrored);
}
