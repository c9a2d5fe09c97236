// bench_decals.comp - bench_decals.glsl for tiles with bits of their elements.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "bench_decals.glsl"
