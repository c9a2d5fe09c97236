// normals_world.glsl - the word of a sample from its value and the differences to its neighbours: shared by the kernels
// that write normals, so that they write the same words.
#include "normals_word.glsl"

layout(binding = NORMALS_WORD) writeonly buffer Words { uint words[]; };

// x, y: from the middle of the picture.
uint word_at(float value, float step_x, float step_y, float x, float y) {
    if (value == 0) return NORMALS_NONE;
    float rest;
    if (is_missing(value, step_x, step_y)) { // faces the eye
        const bool flat_rays = KIND == NORMALS_ORTHOGRAPHIC;
        step_x = flat_rays ? 0 : push.pixel_x * push.pixel_x * x;
        step_y = flat_rays ? 0 : push.pixel_y * push.pixel_y * y;
        rest = 1;
    } else {
        rest = rest_of(value, step_x, step_y, x, y);
    }
    precise const vec3 n = fma(vec3(step_x), push.across.xyz, fma(vec3(step_y), push.down.xyz, push.to_eye.xyz * rest));
    return word_of(n);
}
