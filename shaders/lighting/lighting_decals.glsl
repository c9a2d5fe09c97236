// lighting_decals.glsl - the decals of a tile, from the topmost down to one that covers all.
layout(binding = LIGHTS_DECAL, scalar) readonly restrict buffer Decals { LightsDecal decals[]; };

vec3 in_box(LightsItem box, vec3 at) {
    const vec4 v = vec4(at, 1);
    return vec3(dot(box.x, v), dot(box.y, v), dot(box.z, v));
}
vec2 along_box(LightsItem box, vec3 v) { return vec2(dot(box.x.xyz, v), -dot(box.y.xyz, v)) * 0.5; }

// 1 where the surface faces the decal; it vanishes at the angle, over the last quarter of the cosine.
float decal_fade(LightsDecal d, LightsItem box, vec3 facing) {
    const float c = dot(facing, normalize(box.z.xyz));
    return clamp((c - d.fade_cos) / (0.25 * (1 - d.fade_cos) + 1e-4), 0, 1);
}

// dx, dy: how the point changes to the next samples. facing: the normal of the triangle, towards the eye.
void decals_add(inout Look look, vec3 at, vec3 dx, vec3 dy, vec3 facing, uint tile) {
    vec4 color = vec4(0), normal = vec4(0); // multiplied by how much they cover, and that
    uint i;
    Cursor c = cursor_begin(tile, DECALS);
    while (color.a < 0.999 && cursor_next(c, i)) {
        const LightsItem box = items[i];
        const vec3 p = in_box(box, at);
        if (any(greaterThan(abs(p), vec3(1)))) continue;
        const LightsDecal d = decals[uint(box.w.y)];
        const vec2 uv = vec2(p.x, -p.y) * 0.5 + 0.5, uv_x = along_box(box, dx), uv_y = along_box(box, dy);
        vec4 decal = vec4(d.color, d.opacity * decal_fade(d, box, facing));
        if (d.color_array != LIGHTS_NONE) decal *= texel(d.color_array, vec3(uv, d.color_layer), uv_x, uv_y);
        const float covers = decal.a * (1 - color.a);
        if (d.normal_array != LIGHTS_NONE) {
            const vec2 bump = texel(d.normal_array, vec3(uv, d.normal_layer), uv_x, uv_y).xy;
            normal += vec4(bumped(look.normal, box.x.xyz, 1, bump, 1), 1) * covers;
        }
        color += vec4(decal.rgb, 1) * covers;
    }
    look.color = look.color * (1 - color.a) + color.rgb;
    look.normal = unit_or(look.normal * (1 - normal.a) + normal.xyz, look.normal);
}
