// meshes_cull.comp - one thread per instance: when it is seen, sets its bit of the coarsest level whose error is at
// most one pixel. In the first phase, an instance is seen when its bounds are in the view and not hidden in the last
// picture; in the second one, those that the last picture hides are compared with what the first phase has drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_basic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "meshes_io.h"
#include "meshes.glsl"

#include "meshes_view.glsl"
#include "canvas_hidden.glsl"
layout(binding = MESHES_EYE_BEFORE, scalar) readonly restrict buffer ViewBefore { CanvasEye eye_before; };
layout(binding = MESHES_FLAG) writeonly restrict buffer Flags { uint flags[]; };
layout(binding = MESHES_COUNT) writeonly restrict buffer Counts { uint counts[]; };
layout(binding = MESHES_HIDDEN) restrict buffer Hidden { uint hidden[]; };
#include "meshes_wanted.glsl"
#include "meshes_level.glsl"
#include "meshes_bits.glsl"

const uint WORDS = MESHES_BLOCK; // of bits, for the instances of a group

shared uint seen[WORDS * 2 * MESHES_LEVELS_MAX], concealed[WORDS];

// Pixels for a metre at the point of the bounds that is closest to the eye.
float pixels_at(vec3 center, float radius) {
    const float high = float(eye.height / eye.samples) * 0.5 / length(eye.up);
    if (eye.orthographic != 0) return high;
    return high / max(distance(center, eye.origin) - radius, eye.near_m);
}

const uint NOWHERE = 0xfffffffeu, BEHIND = 0xffffffffu; // instead of the flags that it sets

uint instance_cull(uint i) {
    const MeshInstance instance = instances[i];
    if (instance.mesh == MESHES_NONE || instance.shown == MESHES_UNSEEN) return NOWHERE;
    const Pose pose = pose_of(instance.transform);
    const Bounds bounds = bounds_of(instance, pose);
    const vec3   center = bounds.center, size = bounds.size;
    if (!is_in_view(center, size)) return NOWHERE;
    if (push.phase == MESHES_FIRST && push.has_pyramid != 0) {
        const Clip before = Clip(eye_before.clip_x, eye_before.clip_y, eye_before.clip_z, eye_before.clip_w);
        if (is_hidden(before, center, size, true)) return BEHIND;
    }
    if (push.phase == MESHES_LAYERS && meshes[instance.mesh].blended_count == 0) return NOWHERE;
    if (push.phase != MESHES_FIRST &&
        is_hidden(Clip(eye.clip_x, eye.clip_y, eye.clip_z, eye.clip_w), center, size, false)) return NOWHERE;
    seen_note(instance);
    const uint level = level_of(meshes[instance.mesh], scale_of(pose) * pixels_at(center, length(size)));
    return level + (determinant_of(pose) < 0 ? push.level_max : 0);
}

void main() {
    const uint i = thread_index(), t = gl_LocalInvocationID.x, words = WORDS * 2 * push.level_max;
    const uint word = t / 32, bit = 1u << t % 32, first = group_index() * WORDS;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP) seen[n] = 0;
    if (t < WORDS) concealed[t] = 0;
    barrier();
    uint drawn = NOWHERE;
    if (i < push.instance_count && (push.phase != MESHES_SECOND || (hidden[first + word] & bit) != 0))
        drawn = instance_cull(i);
    // Threads are numbered subgroup by subgroup; one thread sets the bits of a subgroup, or of half a large one.
    const uint first_bit = (t - gl_SubgroupInvocationID) % 32;
    const bool sets = gl_SubgroupInvocationID % 32 == 0;
    for (uint n = 0; n < 2 * push.level_max; n++) {
        const uint bits = bits_of(drawn == n, first_bit);
        if (sets && bits != 0) atomicOr(seen[n * WORDS + word], bits);
    }
    const uint behind = bits_of(drawn == BEHIND, first_bit);
    if (sets && behind != 0) atomicOr(concealed[word], behind);
    barrier();
    if (first >= push.flag_stride - WORDS) return;
    for (uint n = t; n < words; n += MESHES_CULL_GROUP)
        flags[n / WORDS * push.flag_stride + first + n % WORDS] = seen[n];
    for (uint n = t; n < 2 * push.level_max; n += MESHES_CULL_GROUP) {
        uint count = 0;
        for (uint w = 0; w < WORDS; w++) count += bitCount(seen[n * WORDS + w]);
        counts[(n * push.flag_stride + first) / WORDS] = count;
    }
    if (push.phase == MESHES_FIRST && t < WORDS) hidden[first + t] = concealed[t];
}
