// meshes_look.glsl - what the textures of a material say of a point of a surface. Before it, a shader declares:
//   vec4 slot_at(MeshTexture t)       the texture at the point
//   vec4 vertex_color()               the colour of the vertices at the point
//   bool has_tangent()
//   vec3 normal_from(vec3 normal, vec2 bump, float strength)
#include "meshes_scroll.glsl"

Look look_of(MeshMaterial m, vec3 normal, vec3 to_eye) {
    const vec4 painted = vertex_color();
    Look look = Look(m.base_color * painted.rgb, m.emissive, normal, to_eye, m.roughness, m.metallic, 1, m.opacity * painted.a, MIRROR,
                     m.coat, m.coat_roughness, normal);
    for (uint slot = 0; slot < MESHES_SLOTS; slot++) {
        if (m.texture[slot].array == MESHES_NONE) continue;
        const bool moves = slot == MESHES_NORMAL && scrolls(m);
        vec4 read = slot_at(moves ? scrolled(m.texture[slot], m.scroll.xy, eye.time_s) : m.texture[slot]);
        if (moves) read = (read + slot_at(scrolled(m.texture[slot], m.scroll.zw, eye.time_s))) * 0.5;
        const float strength = m.texture[slot].strength;
        if (slot == MESHES_BASE_COLOR) look.color *= read.rgb, look.opacity *= read.a;
        if (slot == MESHES_METALLIC_ROUGHNESS) look.roughness *= read.g, look.metallic *= read.b;
        if (slot == MESHES_NORMAL && has_tangent()) look.normal = normal_from(normal, read.xy, strength);
        if (slot == MESHES_OCCLUSION) look.occlusion = 1 + strength * (read.r - 1);
        if (slot == MESHES_EMISSIVE) look.emissive *= read.rgb;
    }
    return look;
}
