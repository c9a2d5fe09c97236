// meshes_order.comp - one thread per blended part of an instance: its distance, by which these are sorted, the
// farthest first; what is not in the view comes last.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_view.glsl"
#include "meshes_wanted.glsl"

layout(binding = MESHES_BLENDED, scalar) readonly restrict buffer Blended { MeshBlended blended[]; };
layout(binding = MESHES_PAIR) writeonly restrict buffer Pairs { uvec2 pairs[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.draw_count) return;
    pairs[i] = uvec2(MESHES_NONE);
    if (i >= push.blended_count) return;
    const MeshInstance instance = instances[blended[i].instance];
    if (instance.mesh == MESHES_NONE || instance.shown == MESHES_UNSEEN) return;
    const Bounds bounds = bounds_of(instance, pose_of(instance.transform));
    if (!is_in_view(bounds.center, bounds.size)) return;
    seen_note(instance); // also where only surfaces that are not blended hide it
    const float distance_m = max(dot(eye.forward, bounds.center - eye.origin), 0);
    pairs[i] = uvec2(~floatBitsToUint(distance_m) & 0x7fffffffu, i);
}
