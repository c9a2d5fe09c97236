// shapes_view.glsl - rasterising elements: in the picture, or with CASTS in a shadow map, which has a camera of the same
// kind. An instance is an element; of shadow maps, those of each map follow each other.
#include "canvas_io.h"
#include "canvas.glsl"
#include "shadows_io.h"
#include "shadows_table.glsl"
#include "shapes_io.h"
#include "shapes.glsl"

#ifndef CASTS // of fragment shaders, which have no output then
layout(constant_id = 1) const uint CASTS = 0;
#define HAS_OUTPUT
#endif

// A camera, as CanvasEye; of a shadow map y points down.
struct ShapeView {
    vec3 origin, right, up, forward;
    bool is_flat;
};

// The vector whose dot product with points is a row of a map, as half the size of the map.
vec3 across(vec4 row) { return row.xyz / dot(row.xyz, row.xyz); }

ShapeView map_view(ShadowMap m) {
    const bool is_flat = m.w.xyz == vec3(0);
    const vec3 origin = -(across(m.x) * m.x.w + across(m.y) * m.y.w + across(is_flat ? m.z : m.w) * (is_flat ? m.z.w - 1 : m.w.w));
    return ShapeView(origin, across(m.x), -across(m.y), normalize(is_flat ? -m.z.xyz : m.w.xyz), is_flat);
}

ShapeView view_of(uint map) {
    if (CASTS != 0) return map_view(shadow_maps[shadows.now[map]]);
    return ShapeView(eye.origin, eye.right, eye.up, eye.forward, eye.orthographic != 0);
}
