// shapes_find.comp - one thread for a draw: is it seen as a whole? In the first phase, it is drawn when its bounds are in the view
// and not hidden in the last picture; in the second one, what the last picture hides is compared with what the first phase has drawn.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "shapes_io.h"

layout(push_constant, scalar) uniform Push { ShapesFind push; };
layout(binding = CANVAS_VIEW, scalar) readonly restrict buffer View { CanvasEye eye; };
layout(binding = SHAPES_EYE_BEFORE, scalar) readonly restrict buffer ViewBefore { CanvasEye eye_before; };
layout(binding = SHAPES_COMMAND, scalar) writeonly restrict buffer Commands { ShapesCommand commands[]; };
#include "canvas_bounds.glsl"
#include "canvas_hidden.glsl"
#include "shapes_box.glsl"

bool is_seen() {
    const bool was_hidden = boxes[push.draw].is_hidden != 0;
    boxes[push.draw].is_hidden = 0;
    if (box_is_empty(push.draw) || (push.is_second != 0 && !was_hidden)) return false;
    const Bounds b = box_of(push.draw, push.radius_m);
    if (!is_in_view(b.center, b.size)) return false;
    if (push.is_second != 0)
        return !is_hidden(Clip(eye.clip_x, eye.clip_y, eye.clip_z, eye.clip_w), b.center, b.size, false);
    const Clip before = Clip(eye_before.clip_x, eye_before.clip_y, eye_before.clip_z, eye_before.clip_w);
    if (push.has_pyramid == 0 || !is_hidden(before, b.center, b.size, true)) return true;
    boxes[push.draw].is_hidden = 1;
    return false;
}

void main() {
    if (thread_index() != 0) return;
    const bool seen = is_seen();
    const uint groups = seen ? (push.count + SHAPES_GROUP - 1) / SHAPES_GROUP : 0, wide = min(groups, 65535u);
    ShapesCommand c;
    c.vertices = push.is_splatted != 0 ? 3 : push.vertex_count;
    c.instances = !seen ? 0 : push.is_splatted != 0 ? 1 : push.count;
    c.first_vertex = c.first_instance = c.unused = 0;
    c.groups[0] = wide;
    c.groups[1] = wide != 0 ? (groups + wide - 1) / wide : 0;
    c.groups[2] = 1;
    commands[push.draw] = c;
}
