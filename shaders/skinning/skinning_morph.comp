// skinning_morph.comp - a block of a mesh that only morph targets move: one vertex per thread, because reads that depend
// on each other take longer than the words that they read.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "skinning_io.h"
#include "skinning_buffers.glsl"

Rows bone_at(uint bone) { return Rows(vec4(0), vec4(0), vec4(0)); }

void bones_load(uint first, uint count) {}

#define HAS_BONES false
#define EACH      1
#include "skinning_skin.glsl"
