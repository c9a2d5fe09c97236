// meshes_list.comp - one thread per flag: the instances whose flags are set, in their order; and one thread
// per draw: how many instances it draws, and the first of them in that list.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "meshes_io.h"
#include "meshes.glsl"

layout(binding = MESHES_FLAG) readonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_SUM) readonly restrict buffer Sums { uint sums[]; };
layout(binding = MESHES_COMMAND) restrict buffer Commands { uint commands[]; };
layout(binding = MESHES_DRAW, scalar) readonly restrict buffer Draws { MeshDraw draws[]; };
layout(binding = MESHES_VISIBLE) writeonly restrict buffer Visible { uint visible[]; };

void main() {
    const uint i = thread_index();
    if (i < push.flag_stride * push.level_most * 2 && flags[i] != 0) visible[sums[i]] = i % push.flag_stride;
    if (i >= push.draw_count) return;
    const MeshRow mesh = meshes[draws[i].mesh];
    const uint    first = draws[i].flags * push.flag_stride + mesh.first_instance;
    commands[i * 5 + 1] = sums[first + mesh.instance_count] - sums[first];
    commands[i * 5 + 4] = sums[first];
}
