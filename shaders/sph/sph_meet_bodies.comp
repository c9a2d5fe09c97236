// sph_meet_bodies.comp - the same, where particles push bodies back.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#define MOVES_BODIES
#include "sph_meet.glsl"
