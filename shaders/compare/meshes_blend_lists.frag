// meshes_blend_lists.frag - meshes_blend.glsl for tiles with lists of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#define LISTS
#include "meshes_blend.glsl"
