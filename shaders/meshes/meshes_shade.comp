// meshes_shade.comp - meshes_shade.glsl for tiles with bits of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "meshes_shade.glsl"
