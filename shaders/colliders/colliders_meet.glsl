// colliders_meet.glsl - the colliders that a particle can meet. Before it, a shader includes colliders_io.h.
layout(binding = COLLIDERS_STEP, scalar) readonly restrict buffer Colliders { ColliderShape colliders[]; };
layout(binding = COLLIDERS_CELL) readonly restrict buffer ColliderCells { uint collider_cells[]; };
layout(binding = COLLIDERS_LIST) readonly restrict buffer ColliderList { uint collider_list[]; };
#include "colliders_shape.glsl"
#include "colliders_cell.glsl"

// Can a ball that is at a point meet it on its way there? `n`: of the step.
bool collider_is_near(uint n, vec3 to) {
    const vec3 apart = to - colliders[n].at;
    return dot(apart, colliders[n].is_plane != 0 ? colliders[n].half_m : apart) <= colliders[n].reach_m;
}

// Those that all particles meet, then those that are in no cell, then those in the cell of the particle.
struct Around {
    uint direct, listed, end, slot;
};

// `direct`: how many all particles meet; `cell_m`: the size of cells; 0: there are none.
Around colliders_around(vec3 at, uint direct, float cell_m) {
    if (cell_m == 0) return Around(direct, direct, direct, 0);
    const uint slot = collider_slot(collider_cell(at, cell_m));
    const uint listed = direct + collider_list[0];
    return Around(direct, listed, listed + min(collider_cells[slot], COLLIDERS_WORDS - 1), slot);
}

uint collider_number(Around around, uint k) {
    if (k < around.direct) return k;
    return k < around.listed ? collider_list[1 + k - around.direct] : collider_cells[around.slot + 1 + k - around.listed];
}
