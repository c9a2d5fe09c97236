// water_cells.glsl - reading the cells of thickness and foam, which water_total.comp has completed.
layout(binding = WATER_THICK) readonly restrict buffer Thick { uint thick[]; };
layout(binding = WATER_FOAMS) readonly restrict buffer Foams { uint foams[]; };

// Thickness and foam at a position in pixels, between four cells.
vec2 thickness_at(vec2 pixel) {
    const vec2  at = pixel * 0.5 - 0.5, share = fract(at);
    const ivec2 low = ivec2(floor(at)), last = ivec2(push.cells_wide, push.cells_high) - 1;
    vec2        sum = vec2(0);
    for (int k = 0; k < 4; k++) {
        const ivec2 aside = ivec2(k & 1, k >> 1), cell = clamp(low + aside, ivec2(0), last);
        const vec2  each = mix(1 - share, share, vec2(aside));
        const uint  i = cell.y * push.cells_wide + cell.x;
        if (is_in_rectangle(cell * 2)) sum += each.x * each.y * uintBitsToFloat(uvec2(thick[i], foams[i]));
    }
    return sum;
}
