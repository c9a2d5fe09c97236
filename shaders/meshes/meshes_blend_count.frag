// meshes_blend_count.frag - counts the layers of samples.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_EXT_scalar_block_layout : require
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_layers.glsl"

void main() { layer_count(); }
