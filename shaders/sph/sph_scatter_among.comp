// sph_scatter_among.comp - moves particles, and which colliders are near them, to the order of their cells.
#version 460
#extension GL_GOOGLE_include_directive : require
#define AMONG_COLLIDERS
#include "sph_scatter.glsl"
