// particles_move.comp - the particles of a step where there are no colliders.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "particles_move.glsl"
