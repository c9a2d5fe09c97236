// meshes_blend_store.frag - stores a layer: the number of the place of its instance, and the first index of the primitive.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "meshes_io.h"
#define STORES
#include "canvas_layers.glsl"

layout(push_constant, scalar) uniform Push { MeshesPush push; };
layout(location = 0) flat in uint id;
layout(location = 1) flat in uint first_index;
layout(location = 2) flat in uint corners;

void main() { layer_store(push.round, id, first_index + gl_PrimitiveID * corners); }
