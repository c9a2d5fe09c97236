// shadows_reach.glsl - which boxes may cast into a shadow map: without perspective also those that are before it.
bool is_in_reach(ShadowMap m, Bounds b) {
    const bool is_flat = m.w.xyz == vec3(0);
    return is_inside(m.w - m.x, b.center, b.size) && is_inside(m.w + m.x, b.center, b.size) &&
           is_inside(m.w - m.y, b.center, b.size) && is_inside(m.w + m.y, b.center, b.size) &&
           (is_flat || is_inside(m.w - m.z, b.center, b.size)) && is_inside(m.z, b.center, b.size);
}
