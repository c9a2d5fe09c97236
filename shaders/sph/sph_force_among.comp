// sph_force_among.comp - forces, and particles that move among colliders of all kinds.
#version 460
#extension GL_GOOGLE_include_directive : require
#define AMONG_COLLIDERS
#include "sph_force_rows.glsl"
