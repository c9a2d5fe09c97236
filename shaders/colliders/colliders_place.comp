// colliders_place.comp - one thread per collider and step: where it is at the beginning and the end of the step; and once for the frame,
// the cells that particles can meet it from.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "colliders_io.h"
#include "colliders_cell.glsl"
#include "colliders_shape.glsl"

layout(push_constant, scalar) uniform Push { CollidersPush push; };
layout(binding = COLLIDERS_FRAME, scalar) readonly restrict buffer Frame { ColliderShape frame[]; };
layout(binding = COLLIDERS_STEP, scalar) writeonly restrict buffer Colliders { ColliderShape colliders[]; };
layout(binding = COLLIDERS_CELL) restrict buffer Cells { uint cells[]; };
layout(binding = COLLIDERS_LIST) restrict buffer List { uint list[]; };

vec4 turn_at(ColliderShape c, float time) {
    const vec4 end = dot(c.turn_was, c.turn) < 0 ? -c.turn : c.turn;
    return time == 0 ? c.turn_was : time == 1 ? c.turn : normalize(mix(c.turn_was, end, time));
}

void listed_add(uint i) {
    if (atomicExchange(list[1 + push.count + i], 1) == 0) list[1 + atomicAdd(list[0], 1)] = i;
}

// Several cells of a collider can be the same slot. Numbers that others have not written yet are those of no collider.
bool is_in_slot(uint slot, uint i) {
    bool found = false;
    for (uint k = 0; k < min(cells[slot], COLLIDERS_WORDS - 1); k++) found = found || cells[slot + 1 + k] == i;
    return found;
}

void cells_add(uint i, ColliderShape c) {
    const float reach = c.reach_m + push.near_m;
    const ivec3 low = collider_cell(min(c.at, c.at_was) - reach, push.cell_m);
    const ivec3 high = collider_cell(max(c.at, c.at_was) + reach, push.cell_m);
    const vec3  size = vec3(high - low) + 1;
    if (size.x * size.y * size.z > COLLIDERS_WIDE) {
        listed_add(i);
        return;
    }
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            for (int x = low.x; x <= high.x; x++) {
                const uint slot = collider_slot(ivec3(x, y, z));
                if (is_in_slot(slot, i)) continue;
                const uint rank = atomicAdd(cells[slot], 1);
                if (rank < COLLIDERS_WORDS - 1)
                    cells[slot + 1 + rank] = i;
                else
                    listed_add(i);
            }
        }
    }
}

void main() {
    const uint thread = thread_index(), i = thread % push.count, step = thread / push.count;
    if (step >= max(push.steps, 1)) return;
    const float begin = push.steps == 0 ? 1 : float(step) / float(push.steps);
    const float end = push.steps == 0 ? 1 : float(step + 1) / float(push.steps);
    const ColliderShape c = frame[i];
    ColliderShape now = c;
    now.at_was = mix(c.at_was, c.at, begin);
    now.at = mix(c.at_was, c.at, end);
    now.turn_was = turn_at(c, begin);
    now.turn = turn_at(c, end);
    const float moved_m = length(now.at - now.at_was);
    now.reach_m = c.reach_m + moved_m;
    now.motion_m = moved_m + 2 * c.reach_m * min(length(now.turn - now.turn_was), length(now.turn + now.turn_was));
    if (c.is_plane != 0) {
        const bool stands = begin == end || (c.turn_was == c.turn && c.at_was == c.at);
        now.half_m = stands ? turned(c.turn, vec3(0, 1, 0)) : vec3(0);
        now.reach_m = 0;
    }
    colliders[thread] = now;
    if (step == 0 && i >= push.plane_count && push.cell_m > 0) cells_add(i, c);
}
