// colliders_fill.glsl - puts colliders into the cells that particles can meet them from. Before it, a kernel declares `push` with `count`,
// `cell_m` and `near_m`.
layout(binding = COLLIDERS_CELL) restrict buffer Cells { uint cells[]; };
layout(binding = COLLIDERS_LIST) restrict buffer List { uint list[]; };

void listed_add(uint i) {
    if (atomicExchange(list[1 + push.count + i], 1) == 0) list[1 + atomicAdd(list[0], 1)] = i;
}

// Several cells of a collider can be the same slot. Numbers that others have not written yet are those of no collider.
bool is_in_slot(uint slot, uint i) {
    bool found = false;
    for (uint k = 0; k < min(cells[slot], COLLIDERS_WORDS - 1); k++) found = found || cells[slot + 1 + k] == i;
    return found;
}

void cells_add(uint i, ColliderShape c) {
    const float reach = c.reach_m + push.near_m;
    const ivec3 low = collider_cell(min(c.at, c.at_was) - reach, push.cell_m);
    const ivec3 high = collider_cell(max(c.at, c.at_was) + reach, push.cell_m);
    const vec3  size = vec3(high - low) + 1;
    if (size.x * size.y * size.z > COLLIDERS_WIDE) {
        listed_add(i);
        return;
    }
    for (int z = low.z; z <= high.z; z++) {
        for (int y = low.y; y <= high.y; y++) {
            for (int x = low.x; x <= high.x; x++) {
                const uint slot = collider_slot(ivec3(x, y, z));
                if (is_in_slot(slot, i)) continue;
                const uint rank = atomicAdd(cells[slot], 1);
                if (rank < COLLIDERS_WORDS - 1)
                    cells[slot + 1 + rank] = i;
                else
                    listed_add(i);
            }
        }
    }
}
