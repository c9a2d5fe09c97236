// shadows_reach.glsl - which boxes may cast into a shadow map: without perspective also those that are before it.
bool is_in_reach(ShadowMap m, Bounds b) {
    const bool is_flat = m.w.xyz == vec3(0);
    return is_inside(m.w - m.x, b.center, b.size) && is_inside(m.w + m.x, b.center, b.size) &&
           is_inside(m.w - m.y, b.center, b.size) && is_inside(m.w + m.y, b.center, b.size) &&
           (is_flat || is_inside(m.w - m.z, b.center, b.size)) && is_inside(m.z, b.center, b.size);
}

struct MapBox {
    vec2  low, high; // from -1 to 1 in the map
    float nearest;   // depth
};

// What a box covers in a map. False: a part of it is beside or behind the light.
bool map_box(ShadowMap m, Bounds b, out MapBox box) {
    box = MapBox(vec2(1e9), vec2(-1e9), 0);
    for (uint k = 0; k < 8; k++) {
        const vec4 clip = shadow_clip(m, b.center + (vec3(k & 1, k >> 1 & 1, k >> 2) * 2 - 1) * b.size);
        if (clip.w < 1e-4) return false;
        box.low = min(box.low, clip.xy / clip.w);
        box.high = max(box.high, clip.xy / clip.w);
        box.nearest = max(box.nearest, clip.z / clip.w);
    }
    return true;
}
