// meshes_texel.glsl - reading a texture of a material in a fragment shader.

// `uvs`: both sets of coordinates. What is read from buffers is not part of what is derived: Mesa's llvmpipe 22.3 reads 0
// in the fragments beside a triangle, from which derivatives are computed.
vec4 texel_of(MeshTexture t, vec4 uvs) {
    const vec4 dx = dFdx(uvs), dy = dFdy(uvs);
    const bool first = t.uv_set == 0;
    const vec2 at = turned(t, first ? uvs.xy : uvs.zw) + t.offset;
    return texel(t.array, vec3(at, t.layer), turned(t, first ? dx.xy : dx.zw), turned(t, first ? dy.xy : dy.zw));
}
