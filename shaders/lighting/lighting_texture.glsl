// lighting_texture.glsl - reading textures. Every case names its array with a constant, because not every
// device can index an array of images with a value that differs between threads. The level is computed here
// and not by the device, because some devices use one level for several neighbouring threads.
layout(set = 1, binding = 0) uniform sampler2DArray textures[32];
layout(constant_id = 1) const uint ARRAY_COUNT = 32; // arrays that exist: no others are read

// The level at which a sample covers one pixel along its longer side.
float level_of(vec2 size, vec2 dx, vec2 dy) {
    const vec2 x = dx * size, y = dy * size;
    return 0.5 * log2(max(max(dot(x, x), dot(y, y)), 1e-12));
}

#define ARRAY(n)                                                                                                   \
    case n:                                                                                                        \
        if (n < ARRAY_COUNT) return textureLod(textures[n], at, level_of(vec2(textureSize(textures[n], 0)), dx, dy)); \
        break;
#define ARRAYS(n) ARRAY(n) ARRAY(n + 1) ARRAY(n + 2) ARRAY(n + 3) ARRAY(n + 4) ARRAY(n + 5) ARRAY(n + 6) ARRAY(n + 7)

// dx, dy: how the coordinates change to the next samples.
vec4 texel(uint array, vec3 at, vec2 dx, vec2 dy) {
    switch (array) {
    ARRAYS(0) ARRAYS(8) ARRAYS(16) ARRAYS(24)
    }
    return vec4(1);
}
