// lights_dispatch.glsl - the list of tiles with surfaces, and the numbers of groups of an indirect dispatch over it, in
// rows as thread_index expects. Each group adds its tiles; the one that ends last writes the numbers of groups.
layout(binding = LIGHTS_TILE, scalar) coherent restrict buffer Occupied { LightsOccupied occupied; uint occupied_tiles[]; };

void dispatch_write() {
    const uint count = atomicExchange(occupied.adding, 0), groups = count * push.groups_each;
    const uint wide = min(groups, 65535u);
    occupied.count = count;
    occupied.groups[0] = wide;
    occupied.groups[1] = wide != 0 ? (groups + wide - 1) / wide : 0;
    occupied.groups[2] = 1;
}

shared uint with_surfaces, first_place;

// By all threads of each group, at its end. Of each tile, one thread passes its number in the group, below 32.
void tiles_add(bool has_surfaces, uint own, uint tile) {
    const uint t = gl_LocalInvocationID.x;
    if (t == 0) with_surfaces = 0;
    barrier();
    if (has_surfaces) atomicOr(with_surfaces, 1u << own);
    barrier();
    if (t == 0) {
        const uint count = bitCount(with_surfaces), groups = push.coarse_wide * push.coarse_high;
        if (count != 0) first_place = atomicAdd(occupied.adding, count);
        memoryBarrierBuffer();
        if (atomicAdd(occupied.done, 1) == groups - 1) {
            occupied.done = 0;
            dispatch_write();
        }
    }
    barrier();
    if (has_surfaces) occupied_tiles[first_place + bitCount(with_surfaces & ((1u << own) - 1))] = tile;
}
