// water.glsl - blocks of pixels, and cells of thickness: shared by all passes of the surface of particles.
layout(push_constant, scalar) uniform Push { WaterPush push; };
layout(binding = WATER_STATE, scalar) WATER_STATE_ACCESS restrict buffer Waters { WaterState water; };

// The pixel of a thread in the rectangle; false: it is outside of the picture.
bool pixel_of(out uvec2 at) {
    const uint block = group_index(), t = gl_LocalInvocationID.x;
    at = (uvec2(water.left, water.top) + uvec2(block % water.wide, block / water.wide)) * uvec2(WATER_WIDE, WATER_HIGH) +
         uvec2(t % WATER_WIDE, t / WATER_WIDE);
    return block < water.wide * water.high && at.x < push.width && at.y < push.height;
}

// Blocks of a row of the picture.
uint blocks_wide() { return (push.width + WATER_WIDE - 1) / WATER_WIDE; }

// Is a pixel in the rectangle? Words of others are not set.
bool is_in_rectangle(ivec2 at) {
    const ivec2 low = ivec2(water.left * WATER_WIDE, water.top * WATER_HIGH);
    const ivec2 high = min(low + ivec2(water.wide * WATER_WIDE, water.high * WATER_HIGH), ivec2(push.width, push.height));
    return all(greaterThanEqual(at, low)) && all(lessThan(at, high));
}

// A place of the picture from -1 to 1, of a position in pixels.
vec2 place_in_picture(vec2 at) { return at / vec2(push.width, push.height) * vec2(2, -2) + vec2(-1, 1); }

uvec2 cells_of(uint level) {
    return uvec2((push.cells_wide + (1u << level) - 1) >> level, (push.cells_high + (1u << level) - 1) >> level);
}
