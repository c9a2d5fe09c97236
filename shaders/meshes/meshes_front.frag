// meshes_front.frag - depth of a blended surface, where it is not completely transparent.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "meshes_io.h"
#include "shadows_io.h"
#include "meshes_texture.glsl"
#include "meshes_texel.glsl"
#include "meshes_surface.glsl"

void main() {
    if (base_at().a < 1.0 / 255) discard;
}
