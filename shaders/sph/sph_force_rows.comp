// sph_force_rows.comp - forces, and particles that move between planes that stand.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sph_force_rows.glsl"
