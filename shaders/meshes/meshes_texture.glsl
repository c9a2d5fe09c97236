// meshes_texture.glsl - coordinates in the textures of materials.
vec2 turned(MeshTexture t, vec2 uv) { return vec2(dot(t.rotation.xy, uv), dot(t.rotation.zw, uv)); }
