// shadows_table.glsl - the maps, for kernels that draw them and for those that read them.
layout(binding = SHADOWS_TABLE, scalar) readonly restrict buffer Shadows {
    ShadowsHead shadows;
    ShadowMap   shadow_maps[SHADOWS_MAPS_MAX];
    uint        shadow_rows[];
};

vec4 shadow_clip(ShadowMap m, vec3 at) {
    const vec4 p = vec4(at, 1);
    return vec4(dot(m.x, p), dot(m.y, p), dot(m.z, p), dot(m.w, p));
}

// A position of a map as one of the atlas.
vec4 atlas_clip(ShadowMap m, vec4 clip) {
    const float size = float(shadows.atlas_side), scale = m.side / size;
    const vec2  middle = (vec2(m.left, m.top) + m.side * 0.5) / size * 2 - 1;
    return vec4(clip.xy * scale + middle * clip.w, clip.zw);
}
