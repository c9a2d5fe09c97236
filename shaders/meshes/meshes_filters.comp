// meshes_filters.comp - one thread per blended part of an instance: lists the shadow maps that are drawn and that it may
// cast into, and writes its draw.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "shadows_io.h"
#include "meshes.glsl"
#include "meshes_view.glsl"
#include "meshes_wanted.glsl"
#include "shadows_table.glsl"
#include "shadows_reach.glsl"

layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_COMMAND) writeonly restrict buffer Commands { uint commands[]; };
layout(binding = MESHES_PAIR) writeonly restrict buffer Pairs { uvec2 pairs[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.blended_count) return;
    const MeshInstance instance = instances[blended[i].instance];
    const bool         exists = instance.mesh != MESHES_NONE && instance.shown != MESHES_UNSEEN;
    uint               count = 0;
    if (exists) {
        const Bounds bounds = bounds_of(instance, pose_of(instance.transform));
        for (uint k = 0; k < push.maps; k++)
            if (is_in_reach(shadow_maps[shadows.now[k]], bounds)) pairs[i * push.maps + count++] = uvec2(k, i);
    }
    if (count != 0) seen_note(instance);
    const MeshPart part = parts[blended[i].part];
    commands[i * 5] = part.index_count;
    commands[i * 5 + 1] = count;
    commands[i * 5 + 2] = push.index_first + part.first_index;
    commands[i * 5 + 3] = 0;
    commands[i * 5 + 4] = i * push.maps;
}
