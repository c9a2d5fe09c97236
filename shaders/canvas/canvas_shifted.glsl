// canvas_shifted.glsl - what refracted rays reach: a picture of a sample a pixel, between its pixels. Before it, a shader declares
// behind[], colours, and behind_depths[].

vec4 color_of(uvec2 words) { return vec4(unpackHalf2x16(words.x), unpackHalf2x16(words.y)); }

// The picture at a position in pixels, without what stands before a depth; the alpha is 0 where all of it does.
vec4 behind_at(vec2 pixel, float depth) {
    const ivec2 size = ivec2(eye.width, eye.height) / int(eye.samples), last = size - 1;
    const vec2  at = clamp(pixel, vec2(0.5), vec2(size) - 0.5) - 0.5, share = fract(at);
    vec4        sum = vec4(0);
    for (int k = 0; k < 4; k++) {
        const ivec2 aside = ivec2(k & 1, k >> 1), tap = min(ivec2(at) + aside, last);
        const vec2  each = mix(1 - share, share, vec2(aside));
        const int   i = tap.y * size.x + tap.x;
        if (behind_depths[i] < depth) sum += each.x * each.y * vec4(color_of(behind[i]).rgb, 1);
    }
    return sum.a > 1e-3 ? sum / sum.a : vec4(0);
}

// The same at a shifted place, or nearer to `here` if something stands before that; else `color`.
vec3 shifted_at(vec2 here, vec2 shift, float depth, vec3 color) {
    for (float share = 1; share > 0.2; share *= 0.5) {
        const vec4 shifted = behind_at(here + shift * share, depth);
        if (shifted.a > 0) return shifted.rgb;
    }
    return color;
}
