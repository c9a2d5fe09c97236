/* particles_start.c - the initial state of particles. It uses only integers, products and sums, so
 * that the result is the same on every machine. */
#include "particles_internal.h"

static u64 random_next(u64* state) {
    u64 x = *state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static f32 random_unit(u64* state) { return (f32)(random_next(state) >> 40) * 0x1p-24f; }
static f32 random_signed(u64* state) { return random_unit(state) * 2 - 1; }

/* A random vector in the disc of radius 1. */
static Vec2 random_direction(u64* state) {
    Vec2 v;
    do {
        v.x = random_signed(state);
        v.y = random_signed(state);
    } while (v.x * v.x + v.y * v.y > 1);
    return v;
}

static ParticleState particle_start(const ParticleSystemRecord* s, u32 i) {
    u64           random = (u64)s->seed << 32 | i;
    ParticleState p = {0};
    random = random_next(&random); /* differs strongly from that of the next particle */
    p.radius = s->radius_min_m + (s->radius_max_m - s->radius_min_m) * random_unit(&random);
    const Vec2 room = {MAX_OF(s->half_extent_m.x - p.radius, 0.0f),
                       MAX_OF(s->half_extent_m.y - p.radius, 0.0f)};
    p.position.x = room.x * random_signed(&random);
    p.position.y = room.y * random_signed(&random);
    const Vec2 direction = random_direction(&random);
    p.velocity = (Vec2){direction.x * s->speed_max_m_s, direction.y * s->speed_max_m_s};
    return p;
}

void particles_start(const ParticleSystemRecord* system, u32 first, u32 count,
                     ParticleState* state) {
    for (u32 i = 0; i < count; i++) state[i] = particle_start(system, first + i);
}
