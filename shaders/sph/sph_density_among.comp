// sph_density_among.comp - densities among colliders of all kinds.
#version 460
#extension GL_GOOGLE_include_directive : require
#define AMONG_COLLIDERS
#include "sph_density_rows.glsl"
