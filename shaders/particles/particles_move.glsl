// particles_move.glsl - one thread per particle: in bin order, first finds and applies the collisions
// of the previous step; then moves the particle, keeps it out of colliders, reflects it at walls, cools it, and adds it to its
// bin.
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

#ifdef AMONG_COLLIDERS
#include "colliders_meet.glsl"

vec3 in_world(vec2 at) { return push.origin + push.axis_x * at.x + push.axis_y * at.y; }

// A contact in space, as one in the plane of the discs: `gradient` is how the depth changes with the position there. A surface that
// is parallel to the plane moves nothing.
void contact_apply(inout Disc d, ColliderShape c, Contact contact) {
    const vec2  gradient = vec2(dot(contact.normal, push.axis_x), dot(contact.normal, push.axis_y));
    const float steep2 = dot(gradient, gradient) / max(dot(push.axis_x, push.axis_x), dot(push.axis_y, push.axis_y));
    if (steep2 < 0.01) return;
    const vec2  out_of = gradient / dot(gradient, gradient);
    const float speed = dot(d.velocity, gradient) - dot(contact.velocity, contact.normal);
    d.position += out_of * contact.depth_m;
    if (speed >= 0) return;
    const float change = -speed * (1 + c.restitution);
    const vec2  surface = vec2(dot(contact.velocity, push.axis_x) / dot(push.axis_x, push.axis_x),
                               dot(contact.velocity, push.axis_y) / dot(push.axis_y, push.axis_y));
    const vec2  along = d.velocity - surface, slide = along - out_of * dot(along, gradient);
    d.velocity += out_of * change;
    d.velocity -= slide * min(c.friction * change * length(out_of) / max(length(slide), 1e-20), 1);
}

// Returns whether it met any.
bool colliders_meet(vec2 from, inout Disc d) {
    const float radius = d.radius * max(length(push.axis_x), length(push.axis_y));
    const float near_m = radius + distance(in_world(from), in_world(d.position));
    const Around around = colliders_around(in_world(d.position), push.direct_count, push.collider_count, push.collider_cell_m,
                                           near_m > push.collider_near_m);
    bool met = false;
    for (uint k = 0; k < around.end; k++) {
        const uint number = collider_number(around, k, push.collider_count), n = push.collider_first + number;
        if (number == NO_COLLIDER) continue;
        if (!collider_is_near(n, in_world(d.position), near_m)) continue;
        const ColliderShape c = colliders[n];
        Contact contact;
        if (!collider_met(c, in_world(from), in_world(d.position), radius, push.step_s, contact)) continue;
        contact_apply(d, c, contact);
        met = true;
    }
    return met;
}

void colliders_apply(vec2 from, inout Disc d) {
    for (uint round = 0; round < COLLIDER_ROUNDS && colliders_meet(from, d); round++) {}
}
#else
void colliders_apply(vec2 from, Disc d) {}
#endif

// --- particles that end ---

bool disc_ends(Disc d) {
    const bool can = (d.number & ~PARTICLES_PARTNER_MASK) == tag_of(emission.step);
    return (can && emission_is_over(emission_number(d.number))) || emission_is_in_sink(0, vec3(d.position, 0));
}

void disc_leave(uint i) {
    body_out[i] = uvec4(floatBitsToUint(vec3(ELEMENT_ABSENT, 0, 0)), EMISSION_NONE);
}

void disc_move(inout Disc d) {
    d.velocity += (push.attractor - d.position) * (push.attraction_s2 * push.step_s);
    const vec2 from = d.position;
    d.position += d.velocity * push.step_s;
    colliders_apply(from, d);
    walls_meet(d);
    d.temperature -= d.temperature * push.cooling;
}

// A particle that exists, in its step. Returns false when it ends.
bool disc_step(uint i, out Disc d) {
    if (ordered == 1)
        d = disc_settled(i);
    else
        d = disc_load(i);
    disc_move(d);
    if (EMITS == 0) return true;
    const uint number = emission_number(d.number);
    if (disc_ends(d)) {
        emission_end(number);
        return false;
    }
    if (push.size_end != 1 && lives[number].inverse > 0) d.radius = lives[number].size * mix(1, push.size_end, emission_share(number));
    return true;
}

void main() {
    const uint i = thread_index();
    if (i >= push.count) return;
    Disc d;
    if ((EMITS != 0 && i >= emission.alive) || !disc_step(i, d)) {
        disc_leave(i);
        return;
    }
    const uint bin = bin_index(bin_of(d.position));
    uint       word;
    if (ordered == 1)
        word = atomicAdd(bin_count[bin], 1);
    else
        word = atomicExchange(bin_count[bin], i);
    disc_store(i, d, word);
}
