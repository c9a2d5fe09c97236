// particles_settle.comp - one thread per particle: applies its collisions to its velocity and
// position and writes it in the order of creation.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const Disc d = disc_settled(i);
    disc_store(d.number, d, d.collisions);
}
