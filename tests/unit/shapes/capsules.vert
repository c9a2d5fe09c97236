// capsules.vert - the square around a sphere that contains the capsule.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "shapes_view.glsl"
#include "shapes_vertex.glsl"

void main() {
    element_begin();
    sphere_vertex(center_of(element), push.radius_m);
}
