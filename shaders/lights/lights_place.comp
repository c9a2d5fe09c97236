// lights_place.comp - one thread per element: those in the view get numbers without gaps, and what culling and shading
// read of them is written. The threads behind them do the same for directional lights. When there are few elements, one
// pass is sufficient: each keeps its own number, and those outside of the view touch nothing.
#version 460
#extension GL_GOOGLE_include_directive : require
#include "kernel.glsl"
#include "canvas_io.h"
#include "lights_io.h"
#include "lights_source.glsl"

layout(constant_id = 1) const uint FEW = 0;

layout(binding = LIGHTS_EYE, scalar) readonly restrict buffer View { CanvasEye eye; };
#include "lights_view.glsl"
#include "lights_turn.glsl"
layout(binding = LIGHTS_COOKIE) readonly restrict buffer Cookies { uint cookies[]; };
layout(binding = LIGHTS_FLAG) readonly restrict buffer Flags { uint flags[]; };
layout(binding = LIGHTS_SPHERE) writeonly restrict buffer Spheres { vec4 spheres[]; };
layout(binding = LIGHTS_SHAPE) writeonly restrict buffer Shapes { vec4 shapes[]; };
layout(binding = LIGHTS_STATE, scalar) restrict buffer State { LightsState state; };
layout(binding = LIGHTS_ITEM, scalar) writeonly restrict buffer Items { LightsItem items[]; };

shared uint before_group;

// A direction in the space of the camera: x to the right, y up, z forward.
vec3 seen_along(vec3 v) { return vec3(dot(v, normalize(eye.right)), dot(v, normalize(eye.up)), dot(v, eye.forward)); }

// Spheres are a little larger than they are, so that rounding does not lose what touches a tile.
void volume_write(uint to, Element e) {
    const vec3  center = seen_along(e.center - eye.origin);
    const float radius = e.radius * 1.0001 + 1e-6 * (abs(center.x) + abs(center.y) + abs(center.z));
    spheres[to] = vec4(center, e.half_angle > 0 && !e.is_box ? -radius : radius);
    if (e.is_box) {
        for (uint k = 0; k < 3; k++) shapes[to * 3 + k] = vec4(seen_along(e.axes[k]) * 1.0001, 0);
        return;
    }
    if (e.half_angle == 0) return;
    shapes[to * 3] = vec4(seen_along(e.apex - eye.origin), light_sources[e.row].range_m * 1.0001);
    shapes[to * 3 + 1] = vec4(seen_along(e.along), 0);
    shapes[to * 3 + 2] = vec4(cos(e.half_angle), sin(e.half_angle), 0, 0);
}

LightsItem light_item(Element e) {
    const LightSource s = light_sources[e.row];
    const vec3  color = s.color * s.intensity;
    float scale = 0, offset = 1;
    if (s.kind == LIGHTS_SPOT) { // as KHR_lights_punctual
        scale = 1 / max(0.001, cos(s.inner) - cos(s.outer));
        offset = -cos(s.outer) * scale;
    }
    const uint cookie = push.has_cookies != 0 ? cookies[e.row] : 0;
    const float turn = cookie != 0 ? turn_of(e.along, axes_of(pose_of_entity(light_owners[e.row]))[0]) : 0;
    return LightsItem(vec4(e.apex, s.range_m), vec4(color, scale), vec4(e.along, offset), vec4(s.kind, e.row, cookie, turn));
}

// The matrix from the world to the box. A box without a volume has no inside.
LightsItem box_item(Element e) {
    const float size = determinant(e.axes);
    LightsItem item = LightsItem(vec4(0, 0, 0, 2), vec4(0, 0, 0, 2), vec4(0, 0, 0, 2),
                                 vec4(0, e.row, 0, 0));
    if (size == 0) return item;
    const vec3 x = cross(e.axes[1], e.axes[2]) / size, y = cross(e.axes[2], e.axes[0]) / size,
               z = cross(e.axes[0], e.axes[1]) / size;
    item.x = vec4(x, -dot(x, e.center));
    item.y = vec4(y, -dot(y, e.center));
    item.z = vec4(z, -dot(z, e.center));
    return item;
}

// Numbers of elements at which the classes begin, and what does not depend on elements.
void state_write(uint i, uint number) {
    if (i == push.decal_count) state.first_probe = number;
    if (i == push.decal_count + push.probe_count) state.first_light = number;
    if (i != element_count()) return;
    state.count = number;
    state.overflows = 0;
    if (FEW != 0) state.excess = 0;
    state.tile = push.tile;
    state.wide = push.wide;
    state.stride = push.stride;
    state.skips = push.skips;
    state.skip_stride = push.skip_stride;
    state.first_sun = push.first_sun;
    state.sun_count = push.sun_count;
    state.is_lit = push.is_lit;
}

void element_write(uint to, Element e) {
    volume_write(to, e);
    if (e.is_box) items[to] = box_item(e);
    else items[to] = light_item(e);
}

// The number of an element: how many flags are set before it. For all threads of a group.
uint number_of(uint i, out bool is_seen) {
    const uint t = gl_LocalInvocationID.x, word_end = (element_count() + 31) / 32;
    const uint first_word = group_index() * (LIGHTS_GROUP / 32), word = i / 32, bit = i % 32;
    if (t == 0) before_group = 0;
    barrier();
    uint bits = 0;
    for (uint w = t; w < min(first_word, word_end); w += LIGHTS_GROUP) bits += bitCount(flags[w]);
    if (bits != 0) atomicAdd(before_group, bits);
    barrier();
    uint number = before_group;
    for (uint w = first_word; w < min(word, word_end); w++) number += bitCount(flags[w]);
    const uint flag = word < word_end ? flags[word] : 0;
    is_seen = (flag >> bit & 1) != 0;
    return number + bitCount(flag & ((1u << bit) - 1));
}

void main() {
    const uint i = thread_index(), count = element_count();
    uint number = i;
    bool is_seen = true;
    if (FEW == 0) number = number_of(i, is_seen);
    if (i > count && i <= count + push.sun_count) {
        const uint sun = i - count - 1;
        items[push.first_sun + sun] = light_item(light_element(order[count + sun]));
    }
    if (i > count) return;
    state_write(i, number);
    if (i == count || !is_seen || number >= push.limit) return;
    const Element e = element_at(i);
    element_write(number, e);
    if (FEW != 0 && !is_in_view(e)) spheres[number] = vec4(0, 0, -3e38, 0);
}
