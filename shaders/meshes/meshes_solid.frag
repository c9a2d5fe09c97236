// meshes_solid.frag - the number of the instance, and the first index of the primitive.
#version 460

layout(location = 0) flat in uint id;
layout(location = 1) flat in uint first_index;
layout(location = 2) flat in uint corners;
layout(location = 0) out uvec2 seen;

void main() { seen = uvec2(id, first_index + gl_PrimitiveID * corners); }
