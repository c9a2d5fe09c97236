// colliders_cell.glsl - in which cell of space a point is.
ivec3 collider_cell(vec3 at, float cell_m) { return ivec3(floor(clamp(at / cell_m, vec3(-1e9), vec3(1e9)))); }

uint collider_slot(ivec3 c) {
    const uint hash = uint(c.x) * 73856093u ^ uint(c.y) * 19349663u ^ uint(c.z) * 83492791u;
    return (hash ^ hash >> 15) % COLLIDERS_CELLS * COLLIDERS_WORDS;
}
