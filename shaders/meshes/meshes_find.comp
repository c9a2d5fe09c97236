// meshes_find.comp - one thread per row of transforms: the row of its entity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "meshes_io.h"

layout(push_constant, scalar) uniform Push { MeshesPlace push; };
layout(binding = MESHES_ENTITY) readonly restrict buffer Entities { uint entities[]; };
layout(binding = MESHES_ROW) writeonly restrict buffer Rows { uint rows[]; };

void main() {
    const uint i = thread_index();
    if (i < push.transform_count) rows[entities[i] & MESHES_INDEX_MASK] = i;
}
