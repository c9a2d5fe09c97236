// meshes_place.comp - one thread per instance: the row of the transform of its entity.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "meshes_io.h"

layout(push_constant, scalar) uniform Push { MeshesPlace push; };
layout(binding = MESHES_ENTITY) readonly restrict buffer Entities { uint entities[]; };
layout(binding = MESHES_ROW) readonly restrict buffer Rows { uint rows[]; };
layout(binding = MESHES_INSTANCE, scalar) restrict buffer Instances { MeshInstance instances[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.instance_count) return;
    const uint entity = instances[i].entity, slot = entity & MESHES_INDEX_MASK;
    const uint row = slot < push.slot_count ? rows[slot] : MESHES_NONE;
    const bool found = row < push.transform_count && entities[row] == entity;
    instances[i].transform = found ? row : MESHES_NONE;
}
