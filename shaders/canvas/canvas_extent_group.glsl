// canvas_extent_group.glsl - the box around the points of all threads of a group.
#include "canvas_extent.glsl"

shared uint group_low[3], group_high[3];

// Before any point is added, by all threads; then a barrier.
void group_clear(uint thread) {
    if (thread < 3) group_low[thread] = group_high[thread] = 0xffffffffu;
}

// The points of a thread are between two corners; without any, the first one is not below the other.
void group_add(vec3 from, vec3 to) {
    for (uint k = 0; k < 3; k++) {
        if (from[k] > to[k]) continue;
        atomicMin(group_low[k], ordered(from[k]));
        atomicMin(group_high[k], ~ordered(to[k]));
    }
}
