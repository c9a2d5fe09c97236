// sph_density_rows.comp - densities between planes that stand.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sph_density_rows.glsl"
