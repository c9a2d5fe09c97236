// particles_settle.comp - a particle a thread: what its collisions do to its speed and place, written
// in the order of creation.
#version 460
#include "particles.glsl"
#include "particles_disc.glsl"

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    const Disc d = disc_settled(i);
    disc_store(d.number, d, d.collisions);
}
