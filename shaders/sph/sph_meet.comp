// sph_meet.comp - what colliders do to particles that are near them.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "sph_meet.glsl"
