// meshes_blend.vert - a vertex of a blended part, with the number of its place: that does not depend on what is seen.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_moved.glsl"

invariant gl_Position; // as in meshes_blend_count.vert
#include "meshes_place.glsl"

void main() {
    MeshRow mesh;
    place(mesh);
    id = push.id_first + visible[gl_InstanceIndex] + 1;
}
