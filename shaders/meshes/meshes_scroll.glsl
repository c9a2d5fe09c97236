// meshes_scroll.glsl - the normal map of a material whose two layers move.

bool scrolls(MeshMaterial m) { return m.scroll != vec4(0); }

// A layer at a time. The texture repeats: whole numbers do not matter.
MeshTexture scrolled(MeshTexture t, vec2 velocity, float time_s) {
    t.offset += fract(velocity * time_s);
    return t;
}
