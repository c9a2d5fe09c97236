// meshes_shade_lists.comp - meshes_shade.glsl for tiles with lists of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#define LISTS
#include "meshes_shade.glsl"
