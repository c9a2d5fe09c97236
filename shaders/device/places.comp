// places.comp - one thread per row: the row of its entity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "places_io.h"

layout(push_constant, scalar) uniform Push { PlacesPush push; };
layout(binding = PLACES_ENTITY) readonly restrict buffer Entities { uint entities[]; };
layout(binding = PLACES_ROW) writeonly restrict buffer Rows { uint rows[]; };

void main() {
    const uint i = thread_index();
    if (i < push.count) rows[entities[i] & PLACES_INDEX_MASK] = i;
}
