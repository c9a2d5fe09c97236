// meshes_blend_shade.comp - meshes_shade.glsl for layers, in tiles with bits of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#define IS_LAYER
#include "meshes_shade.glsl"
