// particles_move.comp - one thread per particle: in bin order, first finds and applies the collisions
// of the previous step; then moves the particle, reflects it at walls, cools it, and adds it to its
// bin.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"
#include "particles_bins.glsl"

layout(constant_id = PARTICLES_ORDERED) const uint ordered = 1;
layout(binding = PARTICLES_COUNT) restrict buffer Count { uint bin_count[]; };

void walls_meet(inout Disc d) {
    const vec2 room = capacity_of(d.radius);
    const vec2 speed = abs(d.velocity);
    if (d.position.x > room.x) d.velocity.x = -speed.x;
    if (d.position.x < -room.x) d.velocity.x = speed.x;
    if (d.position.y > room.y) d.velocity.y = -speed.y;
    if (d.position.y < -room.y) d.velocity.y = speed.y;
    d.position = clamp(d.position, -room, room);
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    Disc d;
    if (ordered == 1)
        d = disc_settled(i);
    else
        d = disc_load(i);
    d.velocity += (push.attractor - d.position) * (push.attraction_s2 * push.step_s);
    d.position += d.velocity * push.step_s;
    walls_meet(d);
    d.temperature -= d.temperature * push.cooling;
    const uint bin = bin_index(bin_of(d.position));
    uint       word;
    if (ordered == 1)
        word = atomicAdd(bin_count[bin], 1);
    else
        word = atomicExchange(bin_count[bin], i);
    disc_store(i, d, word);
}
