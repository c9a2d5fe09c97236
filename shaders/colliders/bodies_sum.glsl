// bodies_sum.glsl - sums of impulses as integers, which do not depend on the order in which subgroups add theirs: for each axis 64 bits,
// of which 32 are behind the point.
uvec2 fixed_of(float x) {
    const float magnitude = abs(x), before = floor(magnitude);
    uvec2       f = uvec2(uint((magnitude - before) * 4294967296.0), uint(before));
    if (x < 0) f = uvec2(~f.x + 1, ~f.y + uint(f.x == 0));
    return f;
}

float fixed_value(uvec2 f) {
    const bool negative = int(f.y) < 0;
    if (negative) f = uvec2(~f.x + 1, ~f.y + uint(f.x == 0));
    const float value = float(f.y) + float(f.x) * 2.3283064365386963e-10;
    return negative ? -value : value;
}
