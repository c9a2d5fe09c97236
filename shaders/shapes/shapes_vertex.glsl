// shapes_vertex.glsl - the vertices of an element: after shapes_view.glsl.
#include "shadows_cast.glsl"

layout(location = 0) flat out uint element;
layout(location = 1) flat out uint map;
layout(location = 2) out vec3 at;

void element_begin() {
    element = CASTS != 0 ? gl_InstanceIndex % push.count : gl_InstanceIndex;
    map = CASTS != 0 ? gl_InstanceIndex / push.count : 0;
}

void vertex_set(vec3 where) {
    at = where;
    if (CASTS != 0) {
        cast_to(map, where);
        return;
    }
    gl_Position = clip_of(where);
    for (uint i = 0; i < 4; i++) gl_ClipDistance[i] = 1;
}

// Nothing is drawn: the eye is in the element.
void vertex_hide() {
    at = vec3(0);
    gl_Position = vec4(2, 2, 0, 1);
    for (uint i = 0; i < 4; i++) gl_ClipDistance[i] = -1;
}

// A corner of the smallest square around the outline of a sphere.
void sphere_vertex(vec3 center, float radius) {
    const ShapeView v = view_of(map);
    const vec2 corner = vec2(gl_VertexIndex & 1, gl_VertexIndex >> 1) * 2 - 1;
    const vec3 to = center - v.origin;
    float      half_side = radius;
    vec3       x = normalize(v.right), y = normalize(v.up);
    if (!v.is_flat) {
        const float d2 = dot(to, to), out2 = d2 - radius * radius;
        if (out2 <= 0) {
            vertex_hide();
            return;
        }
        half_side *= sqrt(d2 / out2);
        x = normalize(cross(to, y));
        y = cross(x, to) * inversesqrt(d2);
    }
    vertex_set(center + (x * corner.x + y * corner.y) * half_side);
}
