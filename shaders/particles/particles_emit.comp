// particles_emit.comp - a thread per particle that begins in a step, behind those that exist: after these have moved.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"

layout(binding = PARTICLES_COUNT) restrict buffer Count { uint bin_count[]; };

void main() {
    Emitted    begun;
    const uint k = thread_index();
    if (!emission_begin(k, begun)) return;
    precise const float more = (push.radius_max_m - push.radius_min_m) * unit_of(hashed(begun.random)), radius = push.radius_min_m + more;
    const vec2 room = capacity_of(radius), at = clamp(begun.position.xy, -room, room);
    const uint word = begun.number | tag_of(lives[begun.number].ends);
    lives[begun.number].size = radius;
    disc_store(emission.alive + k, Disc(at, begun.velocity.xy, radius, 0, word, 0), atomicAdd(bin_count[bin_index(bin_of(at))], 1));
}
