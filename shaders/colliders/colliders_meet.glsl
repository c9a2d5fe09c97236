// colliders_meet.glsl - the colliders that a particle can meet. Before it, a shader includes colliders_io.h.
layout(binding = COLLIDERS_STEP, scalar) readonly restrict buffer Colliders { ColliderShape colliders[]; };
layout(binding = COLLIDERS_CELL) readonly restrict buffer ColliderCells { uint collider_cells[]; };
layout(binding = COLLIDERS_LIST) readonly restrict buffer ColliderList { uint collider_list[]; };
#include "colliders_shape.glsl"
#include "colliders_cell.glsl"

// Can a collider have been within near_m of a point during the step? For a particle that has moved there, near_m is the length of its way
// plus its radius. `n`: of the step. Only spheres around the colliders are tested.
bool collider_is_near(uint n, vec3 at, float near_m) {
    const vec3  apart = at - colliders[n].at;
    const float reach_m = colliders[n].reach_m + near_m;
    if (colliders[n].is_plane != 0) return dot(apart, colliders[n].half_m) <= reach_m;
    return dot(apart, apart) <= reach_m * reach_m;
}

// The same for those that are near, by their shapes.
bool collider_reaches(uint n, vec3 at, float near_m) {
    const ColliderShape c = colliders[n];
    vec3 normal;
    return c.is_plane != 0 || shape_distance(c, turned_back(c.turn, at - c.at), normal) <= near_m + c.motion_m;
}

// Those that all particles meet, then those that are in no cell, then those in the cell of the particle.
struct Around {
    uint direct, listed, end, slot;
};

// Of `count` colliders, all particles meet the first `direct` ones; `cell_m`: the size of cells; 0: there are none. `is_far`: colliders
// can be met that are farther away than those in cells.
Around colliders_around(vec3 at, uint direct, uint count, float cell_m, bool is_far) {
    if (cell_m == 0 || is_far) return Around(count, count, count, 0);
    const uint slot = collider_slot(collider_cell(at, cell_m));
    const uint listed = direct + collider_list[0];
    return Around(direct, listed, listed + min(collider_cells[slot], COLLIDERS_WORDS - 1), slot);
}

// Number k; in a cell, those that are listed as well have been found before: NO_COLLIDER.
const uint NO_COLLIDER = 0xffffffffu;

uint collider_number(Around around, uint k, uint count) {
    if (k < around.direct) return k;
    if (k < around.listed) return collider_list[1 + k - around.direct];
    const uint n = collider_cells[around.slot + 1 + k - around.listed];
    return collider_list[1 + count + n] == 0 ? n : NO_COLLIDER;
}
