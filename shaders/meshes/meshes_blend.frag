// meshes_blend.frag - meshes_blend.glsl for tiles with bits of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "meshes_blend.glsl"
