// scan.glsl - sums that the threads of a group compute together.

shared uint partial[SCAN_GROUP];

// Adds one value per thread. The sum of the group is in group_sum after a following barrier.
void group_add(uint sum) {
    sum = subgroupAdd(sum);
    if (subgroupElect()) partial[gl_SubgroupID] = sum;
}

uint group_sum() {
    uint sum = 0;
    for (uint i = 0; i < gl_NumSubgroups; i++) sum += partial[i];
    return sum;
}

// The exclusive prefix sum of one tile: thread t has words 4t to 4t + 3 of each quarter.
shared uint totals[SCAN_GROUP * 4 + 1];

// The sum of the tile before each of a thread's quarters, from their sums; `all` is the tile's sum.
uvec4 tile_before(uvec4 sum, out uint all) {
    uvec4 before;
    const uint slots = gl_NumSubgroups * 4;
    [[unroll]] for (uint k = 0; k < 4; k++) {
        before[k] = subgroupExclusiveAdd(sum[k]);
        if (gl_SubgroupInvocationID == gl_SubgroupSize - 1)
            totals[k * gl_NumSubgroups + gl_SubgroupID] = before[k] + sum[k];
    }
    barrier();
    if (gl_SubgroupID == 0) {
        uint carry = 0;
        for (uint first = 0; first < slots; first += gl_SubgroupSize) {
            const uint at = first + gl_SubgroupInvocationID;
            const uint value = at < slots ? totals[at] : 0;
            const uint mine = carry + subgroupExclusiveAdd(value);
            carry += subgroupAdd(value);
            if (at < slots) totals[at] = mine;
        }
        if (gl_SubgroupInvocationID == 0) totals[slots] = carry;
    }
    barrier();
    [[unroll]] for (uint k = 0; k < 4; k++) before[k] += totals[k * gl_NumSubgroups + gl_SubgroupID];
    all = totals[slots];
    return before;
}

// Replaces each word of a thread by the sum of the words before it.
uvec4 words_before(uvec4 w, uint before) {
    return uvec4(before, before + w.x, before + w.x + w.y, before + w.x + w.y + w.z);
}
