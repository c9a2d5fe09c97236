// meshes_blend_lists.comp - meshes_shade.glsl for layers, in tiles with lists of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#define IS_LAYER
#define LISTS
#include "meshes_shade.glsl"
