// particles_settle.comp - one thread per particle: applies its collisions to its velocity and
// position and writes it in the order of creation.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"

layout(constant_id = PARTICLES_ORDERED) const uint ordered = 1;
layout(binding = PARTICLES_CONTACT) readonly restrict buffer Contact { uint contact[]; };
layout(binding = PARTICLES_SHIFT) readonly restrict buffer Shift { vec2 shift[]; };
#include "particles_bins.glsl"

Disc disc_of_lists(uint i) {
    Disc       d = disc_load(i);
    const uint touched = contact[i], hits = touched >> PARTICLES_PARTNER_BITS;
    const uint partner = touched & PARTICLES_PARTNER_MASK;
    if (hits == 0) return d;
    const bool is_pair = hits == 1 && contact[partner] >> PARTICLES_PARTNER_BITS == 1;
    disc_collide(d, hits, partner, is_pair, shift[i]);
    return d;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    if (EMITS != 0 && i >= emission.alive) { // a number that none has
        const uint number = lives[(pools[0].counts.head + i - emission.alive) % push.count].is_free;
        body_out[number] = uvec4(floatBitsToUint(vec3(ELEMENT_ABSENT, 0, 0)), 0);
        return;
    }
    Disc d;
    if (ordered == 1)
        d = disc_settled(i);
    else
        d = disc_of_lists(i);
    uint word = d.collisions;
    d.number = emission_number(d.number);
    if (EMITS != 0) word |= uint(emission_share(d.number) * 16777215.0) << PARTICLES_CONTACT_BITS;
    disc_store(d.number, d, word);
}
