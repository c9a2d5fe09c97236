// canvas_sphere.glsl - the samples that a sphere can cover in a picture.

struct Box { // of samples
    uvec2 low, size;
};

uint area_of(Box box) { return box.size.x * box.size.y; }

// Places from -1 to 1, to samples: those whose centres are between two places, and not more than a
// small part of a sample beside them.
uvec2 samples_between(vec2 places, uint count) {
    const vec2 at = (places * 0.5 + 0.5) * float(count) - 0.5 + vec2(-0.05, 0.05);
    return uvec2(clamp(vec2(ceil(at.x), floor(at.y) + 1), vec2(0), vec2(count)));
}

// Tangents from the eye to a circle at x, z: lowest and highest x at a distance of 1 m.
vec2 tangents_of(float x, float z, float radius) {
    const float z2 = z * z - radius * radius, side = radius * sqrt(x * x + z2);
    return (x * z + vec2(-side, side)) / z2;
}

// `right` and `up`: half of the picture, at a distance of 1 m if it has perspective. Centres are from the eye.
Box sphere_box(vec3 center, float radius, vec3 right, vec3 up, vec3 forward, bool is_flat, uvec2 size) {
    const float wide = length(right), high = length(up), z = dot(center, forward);
    const float x = dot(center, right) / wide, y = dot(center, up) / high;
    vec2        across = vec2(-1, 1), upwards = vec2(-1, 1);
    if (is_flat) {
        across = (x + vec2(-radius, radius)) / wide;
        upwards = (y + vec2(-radius, radius)) / high;
    } else if (z > radius * 1.001) {
        across = tangents_of(x, z, radius) / wide;
        upwards = tangents_of(y, z, radius) / high;
    }
    const uvec2 columns = samples_between(across, size.x), rows = samples_between(-upwards.yx, size.y);
    return Box(uvec2(columns.x, rows.x),
               uvec2(max(columns.y, columns.x), max(rows.y, rows.x)) - uvec2(columns.x, rows.x));
}
