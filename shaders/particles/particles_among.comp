// particles_among.comp - the particles of a step among colliders.
#version 460
#extension GL_GOOGLE_include_directive : require
#define AMONG_COLLIDERS
#include "particles_move.glsl"
