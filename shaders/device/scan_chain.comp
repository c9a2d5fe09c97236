// scan_chain.comp - one group per tile: writes the sum of all words before each word, and reads each
// word once. A group publishes the sum of its tile, then adds up what the groups before it have
// published, back to a tile whose sum includes all tiles before it, and publishes its own such sum.
//
// Tiles are numbered in the order in which groups begin, so that a group waits only for groups that
// have begun. Vulkan does not guarantee that these proceed: after a limited number of attempts a
// group gives up and leaves its words as they are. All groups have published the sums of their tiles
// when the pass ends; another pass (IS_REST) then does what is left without waiting, and the last tile
// if it is not full.
//
// Source   D. Merrill, M. Garland, Single-pass Parallel Prefix Scan with Decoupled Look-back, NVIDIA,
//          2016.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_arithmetic : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "kernel.glsl"
#include "scan_io.h"

layout(push_constant, scalar) uniform Push { ScanPush push; };
layout(constant_id = SCAN_CLEARS) const uint CLEARS = 0;
layout(constant_id = SCAN_ATTEMPTS) const uint ATTEMPTS = 0;
layout(constant_id = SCAN_IS_REST) const uint IS_REST = 0;
layout(constant_id = SCAN_VECTORS) const uint VECTORS = 4;
layout(binding = SCAN_WORDS) buffer Words { uvec4 words[]; };
layout(binding = SCAN_OUT) writeonly buffer Out { uvec4 sums_before[]; };
layout(binding = SCAN_STATE, scalar) coherent volatile restrict buffer State {
    uint  ticket;
    uint  gave_up;
    uvec2 published[]; // per tile
};

#include "scan.glsl"

shared uint shared_ticket, shared_before, is_known;

// A sum with its kind and the number of the run, in two words that are complete independently of each
// other: the upper half of each has half of the sum, the lower half is equal in both.
const uint NOTHING = 0, OF_TILE = 1, OF_ALL = 2;

uvec2 packed(uint sum, uint kind, uint run) {
    const uint tag = run << 2 | kind;
    return uvec2(sum << 16 | tag, sum & 0xffff0000u | tag);
}

uint unpacked(uvec2 p, uint run, out uint kind) {
    const uint tag = p.x & 0xffffu;
    const bool is_valid = tag == (p.y & 0xffffu) && tag >> 2 == run;
    kind = is_valid ? tag & 3 : NOTHING;
    return p.x >> 16 | p.y & 0xffff0000u;
}

// By the first subgroup: the sum of all tiles before one. False: it gives up. Each thread reads some
// sums together, of tiles as many as a subgroup has threads apart.
const uint AHEAD = 4;

bool look_back(uint tile, uint run, out uint before) {
    const uint none = gl_SubgroupSize;
    int        last = int(tile) - 1; // the last tile that is not included yet
    bool       is_complete = false;
    before = 0;
    for (uint attempts = 0; attempts < ATTEMPTS && !is_complete;) {
        uvec2 read[AHEAD];
        uint  known = 0, had = 0;
        [[unroll]] for (uint n = 0; n < AHEAD; n++)
            read[n] = published[max(last - int(n * none + gl_SubgroupInvocationID), 0)];
        [[unroll]] for (uint n = 0; n < AHEAD; n++) {
            if (had != n * none || is_complete) break; // the same in all threads
            uint        kind;
            const uint  sum = unpacked(read[n], run, kind);
            const int   at = last - int(n * none + gl_SubgroupInvocationID);
            const bool  is_all = kind == OF_ALL || at < 0;
            const uvec4 all = subgroupBallot(is_all), missing = subgroupBallot(!is_all && kind == NOTHING);
            const uint  first_all = all != uvec4(0) ? subgroupBallotFindLSB(all) : none;
            const uint  first_missing = missing != uvec4(0) ? subgroupBallotFindLSB(missing) : none;
            known = min(first_all + 1, first_missing);
            before += subgroupAdd(gl_SubgroupInvocationID < known && at >= 0 ? sum : 0);
            is_complete = first_all < first_missing;
            had += known;
        }
        last -= int(had);
        attempts += uint(had == 0);
    }
    return is_complete;
}

void tile_publish(uint tile, uint run, uint all) {
    if (IS_REST == 0 && gl_SubgroupID == 0)
        published[tile] = packed(all, tile == 0 ? OF_ALL : OF_TILE, run);
}

// Finds the sum of all tiles before one, shared_before. False if the group gives up. Threads of a
// subgroup take the same branches wherever a sum of the subgroup follows, and all write the same words
// of the group: threads may continue one by one after a branch of one of them, even behind a barrier.
bool tiles_add(uint tile, uint run, uint all) {
    if (gl_SubgroupID == 0) {
        uint       before = 0;
        const bool known = tile == 0 || look_back(tile, run, before);
        if (known && tile > 0) published[tile] = packed(before + all, OF_ALL, run);
        if (!known) gave_up = 1;
        shared_before = before;
        is_known = uint(known);
    }
    barrier();
    return is_known == 1;
}

uint sum_of(uvec4 w) { return w.x + w.y + w.z + w.w; }

void words_write(uint at, uvec4 w, uint before) {
    if (CLEARS == 1) words[at] = uvec4(0);
    sums_before[at] = words_before(w, before);
}

// Thread t of a subgroup has every subgroup-size-th vector of the words of the subgroup.
void tile_scan(uint tile, uint run) {
    uvec4      w[VECTORS];
    uint       sum[VECTORS], sum_here = 0, carry = 0;
    const uint first = (tile * gl_WorkGroupSize.x + gl_SubgroupID * gl_SubgroupSize) * VECTORS +
                       gl_SubgroupInvocationID;
    [[unroll]] for (uint k = 0; k < VECTORS; k++) w[k] = words[first + k * gl_SubgroupSize];
    [[unroll]] for (uint k = 0; k < VECTORS; k++) sum_here += sum[k] = sum_of(w[k]);
    partial[gl_SubgroupID] = subgroupAdd(sum_here);
    barrier();
    const uint all = group_sum();
    tile_publish(tile, run, all);
    [[unroll]] for (uint k = 0; k < VECTORS; k++) {
        const uint mine = sum[k];
        sum[k] = carry + subgroupExclusiveAdd(mine);
        carry += subgroupAdd(mine);
    }
    if (!tiles_add(tile, run, all)) return;
    uint before = shared_before;
    for (uint i = 0; i < gl_SubgroupID; i++) before += partial[i];
    [[unroll]] for (uint k = 0; k < VECTORS; k++)
        words_write(first + k * gl_SubgroupSize, w[k], before + sum[k]);
}

// The last tile if it is not full, without sums of subgroups: with those of tile_scan and conditions for
// each vector, the NVIDIA driver 580.159.04 gave wrong sums before vectors that are only partly there.
shared uint sums[gl_WorkGroupSize.x];

void last_scan(uint tile, uint run) {
    const uint thread = gl_LocalInvocationID.x, end = push.count / 4;
    const uint first = (tile * gl_WorkGroupSize.x + thread) * VECTORS;
    uint       sum_here = 0;
    for (uint at = first; at < min(first + VECTORS, end); at++) sum_here += sum_of(words[at]);
    sums[thread] = sum_here;
    barrier();
    for (uint step = 1; step < gl_WorkGroupSize.x; step *= 2) {
        const uint more = thread >= step ? sums[thread - step] : 0;
        barrier();
        sums[thread] += more;
        barrier();
    }
    if (!tiles_add(tile, run, sums[gl_WorkGroupSize.x - 1])) return;
    uint before = shared_before + sums[thread] - sum_here;
    for (uint at = first; at < min(first + VECTORS, end); at++) {
        const uvec4 w = words[at];
        words_write(at, w, before);
        before += sum_of(w);
    }
}

// What groups have given up, which happens rarely.
void rest_scan(uint full_tiles, uint run) {
    for (uint tile = group_index(); tile < full_tiles; tile += gl_NumWorkGroups.x) {
        uint kind;
        unpacked(published[tile], run, kind);
        shared_ticket = kind;
        barrier();
        if (shared_ticket != OF_ALL) tile_scan(tile, run);
        barrier();
    }
}

void main() {
    const uint full_tiles = push.count / 4 / (gl_WorkGroupSize.x * VECTORS);
    if (IS_REST == 1) {
        const uint run = (ticket >> SCAN_TICKET_BITS) - 1 & SCAN_RUN_MASK;
        if (gave_up == 1) rest_scan(full_tiles, run);
        const bool is_last = push.count / 4 > full_tiles * gl_WorkGroupSize.x * VECTORS;
        if (is_last && group_index() == 0) last_scan(full_tiles, run);
        return;
    }
    if (gl_LocalInvocationID.x == 0) shared_ticket = atomicAdd(ticket, 1);
    barrier();
    const uint tile = shared_ticket & SCAN_TICKET_MASK;
    if (tile < full_tiles) tile_scan(tile, shared_ticket >> SCAN_TICKET_BITS);
    // All tickets of this run are taken: the next run has the next number, and begins with tile 0. After
    // everything else, because threads do not have to continue together after this branch.
    if (gl_LocalInvocationID.x == 0 && tile == push.tiles - 1)
        atomicAdd(ticket, SCAN_TICKET_MASK + 1 - push.tiles);
}
