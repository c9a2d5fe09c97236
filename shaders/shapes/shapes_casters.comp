// shapes_casters.comp - one thread per shadow map: the draw, where the map is drawn and its bounds may cast into it.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "shadows_io.h"
#include "shapes_io.h"

layout(push_constant, scalar) uniform Push { ShapesFind push; };
layout(binding = CANVAS_VIEW, scalar) readonly restrict buffer View { CanvasEye eye; };
layout(binding = SHAPES_CAST) writeonly restrict buffer Casts { uint casts[]; };
#include "canvas_bounds.glsl"
#include "shadows_table.glsl"
#include "shadows_reach.glsl"
#include "shadows_tally.glsl"
#include "shapes_box.glsl"

void main() {
    const uint i = thread_index(), at = (push.draw * SHADOWS_MAPS_MAX + i) * 4;
    if (i >= SHADOWS_MAPS_MAX) return;
    const bool reaches = i < push.maps && !box_is_empty(push.draw) && is_in_reach(shadow_maps[shadows.now[i]], box_of(push.draw, push.radius_m));
    if (reaches) tally_add(i, push.moves != 0 ? SHADOWS_TALLY_MOVING : SHADOWS_TALLY_STANDING, push.count);
    casts[at] = push.vertex_count;
    casts[at + 1] = reaches ? push.count : 0;
    casts[at + 2] = 0;
    casts[at + 3] = i * push.count;
}
