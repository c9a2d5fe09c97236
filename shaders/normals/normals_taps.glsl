// normals_taps.glsl - depths of neighbouring samples, and the differences from which the plane of a surface follows.
//
// The value of a sample is a number that is linear along planes in the picture: 1 / distance in perspective, the depth
// in orthographic pictures, in units in which depth is stored. So the differences between a sample and a neighbour in
// each direction are those of the plane through the three, without a reciprocal. 0 is the value where there is no
// surface, and outside of the picture.
#extension GL_EXT_samplerless_texture_functions : require
layout(constant_id = 1) const uint KIND = 0;

layout(push_constant, scalar) uniform Push { NormalsPush push; };
layout(set = CANVAS_IMAGES, binding = CANVAS_DEPTH) uniform texture2D depth_image;

float value_of(float depth) { return KIND == NORMALS_PERSPECTIVE ? (depth > 0 ? depth + push.to_eye.w : 0) : depth; }

float distance_of(float value) {
    const float d = push.scale * value;
    return KIND == NORMALS_ORTHOGRAPHIC ? d + push.bias : 1 / d;
}

float value_at(int x, int y) {
    if (uint(x) >= push.width || uint(y) >= push.height) return 0;
    return value_of(texelFetch(depth_image, ivec2(x, y), 0).x);
}

// A distance from the sample is compared as  |a - b| / (a b),  multiplied by all three values.
float weight_of(float value) { return KIND == NORMALS_ORTHOGRAPHIC ? (value > 0 ? 1 : 0) : value; }

// The difference per sample to the neighbour whose distance is nearer to that of the center. A neighbour without a
// surface is used if the other one has none either: then the difference is the value of the center.
float step_of(float before, float center, float after) {
    const float back = center - before, on = after - center;
    return abs(on) * weight_of(before) < abs(back) * weight_of(after) ? on : back;
}

// Four samples of a row, with the samples beside them.
struct Row { float before; vec4 at; float after; };

// `inner`: these and the samples around them are inside of the picture.
vec4 four_at(ivec2 at, bool inner) {
    if (!inner) return vec4(value_at(at.x, at.y), value_at(at.x + 1, at.y), value_at(at.x + 2, at.y), value_at(at.x + 3, at.y));
    return vec4(value_of(texelFetch(depth_image, at, 0).x),
                value_of(texelFetchOffset(depth_image, at, 0, ivec2(1, 0)).x),
                value_of(texelFetchOffset(depth_image, at, 0, ivec2(2, 0)).x),
                value_of(texelFetchOffset(depth_image, at, 0, ivec2(3, 0)).x));
}
Row row_at(ivec2 at, bool inner) {
    if (!inner) return Row(value_at(at.x - 1, at.y), four_at(at, false), value_at(at.x + 4, at.y));
    return Row(value_of(texelFetchOffset(depth_image, at, 0, ivec2(-1, 0)).x), four_at(at, true),
               value_of(texelFetchOffset(depth_image, at, 0, ivec2(4, 0)).x));
}
bool is_inner(int x, int y, int rows) {
    return x > 0 && y > 0 && x + 4 < int(push.width) && y + rows < int(push.height);
}

vec4 steps_across(Row row) {
    return vec4(step_of(row.before, row.at.x, row.at.y), step_of(row.at.x, row.at.y, row.at.z),
                step_of(row.at.y, row.at.z, row.at.w), step_of(row.at.z, row.at.w, row.after));
}
vec4 steps_down(vec4 above, vec4 at, vec4 below) {
    return vec4(step_of(above.x, at.x, below.x), step_of(above.y, at.y, below.y),
                step_of(above.z, at.z, below.z), step_of(above.w, at.w, below.w));
}

bool is_missing(float value, float step_x, float step_y) { return step_x == value || step_y == value; }

// Of the plane through a sample: how much `to_eye` contributes to the normal.
float rest_of(float value, float step_x, float step_y, float x, float y) {
    return KIND == NORMALS_ORTHOGRAPHIC ? 1 : fma(-step_x, x, fma(-step_y, y, value));
}
