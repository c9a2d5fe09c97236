// emission.glsl - particles that begin and end. A kernel states before it:
//   uint emission_capacity()    the most particles
//   float emission_step_s()     duration of a step
//
// What is emitted depends on seed and step only, bit by bit: random numbers are hashes of integers, and what is computed from them are
// sums and products in a fixed order.
//
// Source: C. Wellons, Prospecting for hash functions, 2018: the hash of a word.
#include "emission_io.h"

layout(binding = EMISSION_TABLE, scalar) restrict buffer Emissions { EmissionTable emission; };
layout(binding = EMISSION_LIVES, scalar) restrict buffer Lives { EmissionLife lives[]; };

// --- how many ---

// Particles that an emitter emits before a step.
uint emitted_before(uint e, uint step) {
    uint high, low;
    umulExtended(step, emission.rows.emitter[e].rate_part, high, low);
    return step * emission.rows.emitter[e].rate + high;
}

uint emitted_in(uint e, uint step) { return emitted_before(e, step + 1) - emitted_before(e, step); }

uint wanted_in(uint step) {
    uint sum = 0;
    for (uint e = 0; e < emission.rows.emitters; e++) sum = min(sum + min(emitted_in(e, step), 0x3fffffffu), 0x3fffffffu);
    return sum;
}

// --- where ---

uint hashed(uint x) {
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

// From 0 to below 1, and from -1 to below 1.
float unit_of(uint bits) { return float(bits >> 8) * 5.9604644775390625e-8; }
float signed_of(uint bits) { return float(bits >> 8) * 1.1920928955078125e-7 - 1; }

// In the circle of radius 1: the first of some points that is. `random` differs by 1 for each number that is taken.
vec2 in_circle(inout uint random) {
    for (uint n = 0; n < 16; n++) {
        const vec2 at = vec2(signed_of(hashed(random)), signed_of(hashed(random + 1)));
        precise const float x2 = at.x * at.x, y2 = at.y * at.y, sum = x2 + y2;
        random += 2;
        if (sum <= 1) return at;
    }
    return vec2(0);
}

struct Emitted {
    vec3  position, velocity;
    uint  number, random; // `random`: for other properties, by hashed
    uint  life; // steps; 0: without end
    float life_inverse;
};

float row_times(vec4 row, vec3 at) {
    precise const float x = row.x * at.x, y = row.y * at.y, z = row.z * at.z;
    precise const float xy = x + y, xyz = xy + z, sum = xyz + row.w;
    return sum;
}

vec4 row_between(vec4 was, vec4 now, float share) {
    precise const vec4 way = now - was, part = way * share, row = was + part;
    return row;
}

// Particle `index` of an emitter.
Emitted emitted_at(uint e, uint index) {
    const EmissionEmitter its = emission.rows.emitter[e];
    uint        random = hashed(hashed(its.seed) + index) * 64;
    const float fraction = unit_of(bitfieldReverse(index)); // of the step
    vec3 at = vec3(0, signed_of(hashed(random)), 0);
    random++;
    if (its.is_disc != 0) {
        at.xz = in_circle(random);
    } else {
        at.xz = vec2(signed_of(hashed(random)), signed_of(hashed(random + 1)));
        random += 2;
    }
    const vec2 aside = in_circle(random);
    precise const float steps = float(emission.state.step - emission.rows.step_first) + fraction;
    precise const float share = min(steps * emission.rows.step_inverse, 1.0), age = (1 - fraction) * emission_step_s();
    precise const vec3  x = its.side_x * aside.x, y = its.side_y * aside.y, across = x + y, v = its.velocity_m_s + across, way = v * age;
    precise const vec3  begin = vec3(row_times(row_between(its.was[0], its.now[0], share), at),
                                     row_times(row_between(its.was[1], its.now[1], share), at),
                                     row_times(row_between(its.was[2], its.now[2], share), at));
    precise const vec3  end = begin + way;
    return Emitted(end, v, 0, random, its.life, its.life_inverse);
}

// Particle k of those that begin in this step. Returns false when there are not as many, or no room for it.
bool emission_begin(uint k, out Emitted p) {
    if (k >= emission_capacity() - emission.state.alive) return false;
    uint left = k;
    for (uint e = 0; e < emission.rows.emitters; e++) {
        const uint count = emitted_in(e, emission.state.step);
        if (left < count) {
            p = emitted_at(e, emitted_before(e, emission.state.step) + left);
            p.number = lives[(emission.state.head + k) % emission_capacity()].is_free;
            lives[p.number].ends = p.life == 0 ? EMISSION_ENDLESS : emission.state.step + p.life;
            lives[p.number].inverse = p.life_inverse;
            return true;
        }
        left -= count;
    }
    return false;
}

// --- the end ---

bool sink_takes(uint k, vec3 at) {
    const EmissionSink its = emission.rows.sink[k];
    const vec4 p = vec4(at, 1);
    const vec3 unit = vec3(dot(its.to_unit[0], p), dot(its.to_unit[1], p), dot(its.to_unit[2], p));
    if (its.is_disc != 0) return abs(unit.y) <= 1 && dot(unit.xz, unit.xz) <= 1;
    return all(lessThanEqual(abs(unit), vec3(1)));
}

// Does a particle end at the end of a step? Then its number is free.
bool emission_end(uint number, vec3 at) {
    const uint ends = lives[number].ends;
    bool       over = ends != EMISSION_ENDLESS && int(emission.state.step - ends) >= 0;
    for (uint k = 0; k < emission.rows.sinks && !over; k++) over = sink_takes(k, at);
    if (over) lives[atomicAdd(emission.state.tail, 1) % emission_capacity()].is_free = number;
    return over;
}

// How much of its life a particle has had, from 0 to 1; 0: it has no end.
float emission_share(uint number) {
    const EmissionLife life = lives[number];
    return life.inverse == 0 ? 0 : clamp(1 - float(life.ends - emission.state.step) * life.inverse, 0, 1);
}

// --- the next step ---

void number_add(inout uint words[2], uint more) {
    words[0] += more;
    if (words[0] < more) words[1]++;
}

// By one thread, when the particles of this step have begun and ended: as many exist now.
void emission_advance(uint alive) {
    const uint wanted = wanted_in(emission.state.step), given = min(wanted, emission_capacity() - emission.state.alive);
    number_add(emission.state.emitted, given);
    number_add(emission.state.refused, wanted - given);
    emission.state.head = (emission.state.head + given) % emission_capacity();
    emission.state.tail %= emission_capacity();
    emission.state.tail_before = emission.state.tail;
    emission.state.alive = alive;
    emission.state.step++;
}
