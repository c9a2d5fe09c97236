// sph_scatter.comp - moves particles to the order of their cells.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sph_scatter.glsl"
