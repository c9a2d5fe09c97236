// animated_sample.comp - one thread per entity that an animator moves: its pose at the time of the clip, and of the clip
// that is blended over it, as a matrix to the space of its parent.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "animated_io.h"
#include "pose_matrix.glsl"

layout(push_constant, scalar) uniform Push { AnimatedPush push; };
layout(binding = MOVED_NODE, scalar) readonly restrict buffer Nodes { AnimatedNode nodes[]; };
layout(binding = MOVED_PLAY, scalar) readonly restrict buffer Plays { AnimatedPlay plays[]; };
layout(binding = MOVED_CHANNEL, scalar) readonly restrict buffer Channels { ClipChannel channels[]; };
layout(binding = MOVED_KEY) readonly buffer Keys { float keys[]; };
layout(binding = MOVED_KEY) readonly buffer Words { uint words_of_keys[]; };
layout(binding = MOVED_LOCAL) writeonly restrict buffer Locals { vec4 locals[]; };

#include "pose_sample.glsl"

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const AnimatedNode node = nodes[i];
    const AnimatedPlay play = plays[node.animator];
    const Pose         rest = Pose(node.position, node.rotation, node.scale);
    Pose               pose = pose_at(rest, node.channels, play.time_s);
    if (play.blend > 0 && (node.channels & node.channels_2) != CHANNEL_NONE)
        pose = pose_between(pose, pose_at(rest, node.channels_2, play.time_2_s), min(play.blend, 1));
    const Rows m = rows_of_pose(pose);
    locals[node.slot * 3] = m.x;
    locals[node.slot * 3 + 1] = m.y;
    locals[node.slot * 3 + 2] = m.z;
}
