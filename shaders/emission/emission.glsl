// emission.glsl - particles that begin and end. A kernel states before it:
//   float emission_step_s()           duration of a step
//   uint  emission_pool(uint word)    the pool of a particle, of the word that has its number
//   uint  emission_number(uint word)  and the number
//
// What is emitted depends on seed and step only, bit by bit: random numbers are hashes of integers, and what is computed from them are
// sums and products in a fixed order.
//
// Source: C. Wellons, Prospecting for hash functions, 2018: the hash of a word.
#include "emission_io.h"

layout(binding = EMISSION_TABLE, scalar) restrict buffer Emissions {
    EmissionState emission;
    EmissionPool  pools[];
};
layout(binding = EMISSION_LIVES, scalar) restrict buffer Lives { EmissionLife lives[]; };

// --- how many ---

// Particles that emitter e of pool p emits before a step.
uint emitted_before(uint p, uint e, uint step) {
    uint high, low;
    umulExtended(step, pools[p].rows.emitter[e].rate_part, high, low);
    return step * pools[p].rows.emitter[e].rate + high;
}

uint emitted_in(uint p, uint e, uint step) { return emitted_before(p, e, step + 1) - emitted_before(p, e, step); }

uint wanted_in(uint p, uint step) {
    uint sum = 0;
    for (uint e = 0; e < pools[p].rows.emitters; e++) sum = min(sum + min(emitted_in(p, e, step), 0x3fffffffu), 0x3fffffffu);
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
    uint  word;           // with its number
    float density;        // of its pool
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

// Particle `index` of emitter e of pool p.
Emitted emitted_at(uint p, uint e, uint index) {
    const EmissionEmitter its = pools[p].rows.emitter[e];
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
    precise const float steps = float(emission.step - pools[p].rows.step_first) + fraction;
    precise const float share = min(steps * pools[p].rows.step_inverse, 1.0), age = (1 - fraction) * emission_step_s();
    precise const vec3  x = its.side_x * aside.x, y = its.side_y * aside.y, across = x + y, v = its.velocity_m_s + across, way = v * age;
    precise const vec3  begin = vec3(row_times(row_between(its.was[0], its.now[0], share), at),
                                     row_times(row_between(its.was[1], its.now[1], share), at),
                                     row_times(row_between(its.was[2], its.now[2], share), at));
    precise const vec3  end = begin + way;
    return Emitted(end, v, 0, random, 0, pools[p].rows.density, its.life, its.life_inverse);
}

// Particle `nth` of those of a pool that begin in this step, as the `index`-th of an emitter.
Emitted emission_place(uint p, uint e, uint index, uint nth) {
    Emitted begun = emitted_at(p, e, index);
    const uint place = pools[p].rows.first + (pools[p].counts.head + nth) % pools[p].rows.capacity;
    begun.word = lives[place].is_free;
    begun.number = emission_number(begun.word);
    lives[begun.number].ends = begun.life == 0 ? EMISSION_ENDLESS : emission.step + begun.life;
    lives[begun.number].inverse = begun.life_inverse;
    return begun;
}

// Particle k of those that begin in this step. Returns false when there are not as many, or no room for it.
bool emission_begin(uint k, out Emitted begun) {
    uint left = k;
    for (uint p = 0; p < emission.pools; p++) {
        const uint room = pools[p].rows.capacity - pools[p].counts.alive;
        uint       before = 0; // of this pool
        for (uint e = 0; e < pools[p].rows.emitters; e++) {
            const uint count = min(emitted_in(p, e, emission.step), room - before);
            if (left < count) {
                begun = emission_place(p, e, emitted_before(p, e, emission.step) + left, before + left);
                return true;
            }
            left -= count;
            before += count;
        }
    }
    return false;
}

// --- the end ---

bool sink_takes(uint p, uint k, vec3 at) {
    const EmissionSink its = pools[p].rows.sink[k];
    const vec4 from = vec4(at, 1);
    const vec3 unit = vec3(dot(its.to_unit[0], from), dot(its.to_unit[1], from), dot(its.to_unit[2], from));
    if (its.is_disc != 0) return abs(unit.y) <= 1 && dot(unit.xz, unit.xz) <= 1;
    return all(lessThanEqual(abs(unit), vec3(1)));
}

// Is the life of a particle over at the end of a step?
bool emission_is_over(uint number) {
    const uint ends = lives[number].ends;
    return ends != EMISSION_ENDLESS && int(emission.step - ends) >= 0;
}

bool emission_is_in_sink(uint p, vec3 at) {
    bool taken = false;
    for (uint k = 0; k < pools[p].rows.sinks && !taken; k++) taken = sink_takes(p, k, at);
    return taken;
}

// A particle ends: its number is free.
void emission_end(uint word) {
    const uint p = emission_pool(word);
    lives[pools[p].rows.first + atomicAdd(pools[p].counts.tail, 1) % pools[p].rows.capacity].is_free = word;
}

// How much of its life a particle has had, from 0 to 1; 0: it has no end.
float emission_share(uint number) {
    const EmissionLife life = lives[number];
    return life.inverse == 0 ? 0 : clamp(1 - float(life.ends - emission.step) * life.inverse, 0, 1);
}

// --- the next step ---

void number_add(inout uint words[2], uint more) {
    words[0] += more;
    if (words[0] < more) words[1]++;
}

void pool_advance(uint p) {
    const uint capacity = pools[p].rows.capacity, ended = pools[p].counts.tail - pools[p].counts.tail_before;
    const uint wanted = wanted_in(p, emission.step), given = min(wanted, capacity - pools[p].counts.alive);
    number_add(pools[p].counts.emitted, given);
    number_add(pools[p].counts.refused, wanted - given);
    pools[p].counts.alive += given - ended;
    if (capacity == 0) return;
    pools[p].counts.head = (pools[p].counts.head + given) % capacity;
    pools[p].counts.tail %= capacity;
    pools[p].counts.tail_before = pools[p].counts.tail;
}

// By one thread, when the particles of this step have begun and ended: as many exist now.
void emission_advance(uint alive) {
    for (uint p = 0; p < emission.pools; p++) pool_advance(p);
    emission.alive = alive;
    emission.step++;
}
