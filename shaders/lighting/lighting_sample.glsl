// lighting_sample.glsl - what a shape reads to state the surface of a sample; after it, lighting_shade.glsl, or with IS_LAYER
// lighting_layers.glsl.
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "normals_io.h"
#include "normals_word.glsl"
#ifdef IS_LAYER
#define IS_TRANSPARENT true
#else
#define WORDS_ARE_UNIFORM // of the samples of a group
#define IS_TRANSPARENT false
#endif
#include "lighting_surface.glsl"

struct Sample {
    uint  index;
    uvec2 at, id;
    vec2  place; // from -1 to 1
    vec3  to_eye;
    float far;   // along the view
};

// The point that depth states.
vec3 sample_point(Sample s) { return ray_origin(s.place) + ray_direction(s.place) * s.far; }
