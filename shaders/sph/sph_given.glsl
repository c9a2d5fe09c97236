// sph_given.glsl - what a particle gives to bodies: the opposite of what they change of its velocity. With MOVES_BODIES; else nothing.
#ifdef MOVES_BODIES
#include "bodies_io.h"
#include "bodies_sum.glsl"
layout(binding = SPH_BODIES, scalar) restrict buffer States { BodyState states[]; };

// To one body: a particle that is near several gives to each as soon as it has met the next one.
struct Given {
    uint body;   // plus 1; 0: none
    vec3 change; // of the velocity of the particle
};

const Given NOTHING_GIVEN = Given(0, vec3(0));

// `impulse`: in masses of a particle of the first fluid. What is not finite would stay in the body.
void body_push(uint body, vec3 impulse) {
    for (uint a = 0; a < 3; a++) {
        if (!(abs(impulse[a]) < 1e9)) continue;
        const uvec2 f = fixed_of(impulse[a]);
        const uint  before = atomicAdd(states[body - 1].sum[2 * a], f.x);
        atomicAdd(states[body - 1].sum[2 * a + 1], f.y + uint(before + f.x < before));
    }
}

float mass_share(SphKind kind) { return MIXED ? kind.mass_kg / kinds[0].mass_kg : 1; }

void given_add(inout Given given, SphKind kind, ColliderShape c, vec3 change) {
    if (c.body == 0) return;
    if (given.body != c.body) {
        if (given.body != 0) body_push(given.body, -given.change * mass_share(kind));
        given = Given(c.body, vec3(0));
    }
    given.change += change;
}

// Threads of a subgroup whose particles are near the same body add what they give first.
void given_end(Given given, SphKind kind) {
    for (bool left = given.body != 0; left;) {
        const uint body = subgroupBroadcastFirst(given.body);
        if (body != given.body) continue;
        const vec3 sum = subgroupAdd(-given.change * mass_share(kind));
        if (subgroupElect()) body_push(body, sum);
        left = false;
    }
}
#else
struct Given {
    uint none;
};

const Given NOTHING_GIVEN = Given(0);

void given_add(inout Given given, SphKind kind, ColliderShape c, vec3 change) {}
void given_end(Given given, SphKind kind) {}
#endif
