// particles_bins.glsl - the collisions of a particle with those of the 3 x 3 bins around its own, in
// bin order. Nothing is stored for the other particle of a pair, which finds the same: whether it
// touches only this one is found by another search, of the few particles that touch only one.
layout(binding = PARTICLES_FIRST) readonly restrict buffer First { uint first[]; };

// Bins of a row are adjacent in memory: three rows. Before the first step, all bins are empty.
void rows_around(vec2 at, out uint from[3], out uint to[3]) {
    const ivec2 bin = bin_of(at);
    const int   low = max(bin.x - 1, 0), high = min(bin.x + 1, columns() - 1);
    [[unroll]] for (int k = 0; k < 3; k++) {
        const int y = bin.y + k - 1, row = clamp(y, 0, rows() - 1) * columns();
        from[k] = first[row + low];
        to[k] = y == clamp(y, 0, rows() - 1) ? first[row + high + 1] : 0;
    }
}

uint hits_of(uint i) {
    const vec3 self = body[i].xyz;
    uint       from[3], to[3], hits = 0;
    vec2       d;
    float      d2, reach;
    rows_around(self.xy, from, to);
    [[unroll]] for (int k = 0; k < 3; k++) {
        for (uint j = from[k]; j < to[k]; j++)
            hits += uint(is_touching(self, body[j].xyz, d, d2, reach) && i != j);
    }
    return hits;
}

Disc disc_settled(uint i) {
    Disc       result = disc_load(i);
    const vec3 self = vec3(result.position, result.radius);
    uint       from[3], to[3], hits = 0, partner = i;
    vec2       d;
    precise vec2 displacement = vec2(0);
    float      d2, reach;
    rows_around(self.xy, from, to);
    [[unroll]] for (int k = 0; k < 3; k++) {
        for (uint j = from[k]; j < to[k]; j++) {
            if (!is_touching(self, body[j].xyz, d, d2, reach) || i == j) continue;
            displacement += displacement_of(i, j, d, d2, reach);
            partner = j;
            hits++;
        }
    }
    if (hits == 0) return result;
    const bool is_pair = hits == 1 && hits_of(partner) == 1;
    disc_collide(result, hits, partner, is_pair, displacement);
    return result;
}
