// shapes_spheres.vert - one instance per sphere: the smallest square that contains its outline.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_vertex.glsl"

void main() {
    element_begin();
    if (is_absent(element))
        vertex_hide();
    else
        sphere_vertex(center_of(element), push.radius_m);
}
