// bench_decals_lists.comp - bench_decals.glsl for tiles with lists of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#define LISTS
#include "bench_decals.glsl"
