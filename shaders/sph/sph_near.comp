// sph_near.comp - one thread per particle: the colliders that are near it at the beginning of a step. Used where sph_meet.comp has
// not found them at the end of the last step.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "sph_io.h"
#include "sph.glsl"
#include "sph_emission.glsl"
#include "sph_among.glsl"

layout(binding = SPH_POSITION_INPUT) readonly restrict buffer Position { vec4 position[]; };
layout(binding = SPH_VELOCITY_INPUT) restrict buffer Velocity { vec4 velocity[]; };
layout(binding = SPH_WALLS_INPUT) writeonly restrict buffer WallsAround { vec4 walls_around[]; };

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const vec3   p = position[i].xyz;
    if (EMITS && ELEMENT_IS_ABSENT(p.x)) return;
    const Around around = around_of(p, push.h);
    Walls walls = NO_WALLS;
    vec3  normal;
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER) continue;
        if (collider_is_near(n, p, push.h)) collider_wall(walls, colliders[n], colliders[n].at_was, colliders[n].turn_was, p, normal);
    }
    const float density = abs(velocity[i].w);
    velocity[i].w = walls.free < 1 ? -density : density;
    walls_around[i] = vec4(walls.push, walls.free);
}
