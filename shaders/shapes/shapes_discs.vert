// shapes_discs.vert - one instance per disc: the square around it, in the plane of its draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_vertex.glsl"

layout(location = 3) out vec2 corner;

void main() {
    element_begin();
    const vec4 disc = elements[element];
    corner = vec2(0);
    if (is_absent(element)) {
        vertex_hide();
        return;
    }
    corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;
    vertex_set(posed(vec3(disc.xy + corner * disc.z, 0)));
}
