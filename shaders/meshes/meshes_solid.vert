// meshes_solid.vert - a vertex of an opaque part.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_moved.glsl"
#include "meshes_place.glsl"

void main() {
    MeshRow mesh;
    place(mesh);
}
