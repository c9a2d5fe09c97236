// meshes_surface.glsl - what the textures of a blended surface say of light that passes it.
layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat in uint material;
layout(location = 1) in vec4 uvs;
layout(location = 2) in vec4 color;

vec4 slot_at(uint slot) { return texel_of(materials[material].texture[slot], uvs); }

bool has_slot(uint slot) { return materials[material].texture[slot].array != MESHES_NONE; }

// The base colour, and the opacity.
vec4 base_at() {
    const vec4 base = vec4(materials[material].base_color, materials[material].opacity) * color;
    return has_slot(MESHES_BASE_COLOR) ? base * slot_at(MESHES_BASE_COLOR) : base;
}
