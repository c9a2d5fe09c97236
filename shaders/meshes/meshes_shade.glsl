// meshes_shade.glsl - the surface of a sample in which a mesh is visible, or with IS_LAYER of a layer. The point of the triangle, and how texture
// coordinates change to the next samples, follow from the rays of the sample and of its neighbours.
#define HAS_COAT
#include "lighting_sample.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_normal.glsl"
#include "meshes_moved.glsl"
#include "meshes_texture.glsl"

layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_INDEX) readonly restrict buffer Indices { uint indices[]; };
layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };
#ifndef IS_LAYER
layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };
#endif

// The part with a primitive: the last one that does not begin behind it.
uint part_of(MeshRow mesh, uint first_index) {
    uint low = mesh.first_part, high = mesh.first_part + mesh.part_count * mesh.level_count;
    while (low + 1 < high) {
        const uint middle = (low + high) / 2;
        if (parts[middle].first_index <= first_index) low = middle;
        else high = middle;
    }
    return low;
}

struct Triangle {
    vec3 corner[3];
    vec3 normal; // of its plane; the length is twice the area
};

// The weights of the corners where a ray meets the plane of the triangle.
vec3 weights_at(Triangle t, vec2 where) {
    const vec3  from = ray_origin(where), ray = ray_direction(where);
    const float far = dot(t.corner[0] - from, t.normal) / dot(ray, t.normal);
    const vec3  at = from + ray * far;
    const float size = dot(t.normal, t.normal);
    const float b = dot(cross(at - t.corner[0], t.corner[2] - t.corner[0]), t.normal) / size;
    const float c = dot(cross(t.corner[1] - t.corner[0], at - t.corner[0]), t.normal) / size;
    return vec3(1 - b - c, b, c);
}

// What a sample reads of its triangle.
struct Seen {
    MeshInstance instance;
    MeshRow mesh;
    Pose    pose;
    uvec3   vertex;
    vec3    weight, weight_x, weight_y; // of the corners, here and at the next samples
};

Seen seen;

vec2 uv_of(uint set, vec3 weight) {
    if (set == MESHES_NONE) return vec2(0);
    return vec2_at(set, seen.vertex.x) * weight.x + vec2_at(set, seen.vertex.y) * weight.y +
           vec2_at(set, seen.vertex.z) * weight.z;
}

vec4 slot_at(MeshTexture t) {
    const uint set = t.uv_set == 0 ? seen.mesh.uv : seen.mesh.uv_1;
    const vec2 at = turned(t, uv_of(set, seen.weight)) + t.offset;
    const vec2 dx = turned(t, uv_of(set, seen.weight_x)) + t.offset - at;
    const vec2 dy = turned(t, uv_of(set, seen.weight_y)) + t.offset - at;
    return texel(t.array, vec3(at, t.layer), dx, dy);
}

vec4 vertex_color() {
    if (seen.mesh.color == MESHES_NONE) return vec4(1);
    return color_at(seen.mesh.color, seen.vertex.x) * seen.weight.x + color_at(seen.mesh.color, seen.vertex.y) * seen.weight.y +
           color_at(seen.mesh.color, seen.vertex.z) * seen.weight.z;
}

bool has_tangent() { return seen.mesh.tangent != MESHES_NONE; }

vec3 normal_from(vec3 normal, vec2 bump, float strength) {
    const vec4 t = tangent_at(seen.instance, seen.mesh, seen.vertex.x) * seen.weight.x +
                   tangent_at(seen.instance, seen.mesh, seen.vertex.y) * seen.weight.y +
                   tangent_at(seen.instance, seen.mesh, seen.vertex.z) * seen.weight.z;
    return bumped(normal, posed_along(seen.pose, t.xyz), (t.w < 0 ? -1.0 : 1.0) * sign(determinant_of(seen.pose)), bump,
                  strength);
}
#include "meshes_look.glsl"

vec3 smooth_normal(vec3 flat_normal) {
    if (seen.mesh.normal == MESHES_NONE) return flat_normal;
    const vec3 n = normal_at(seen.instance, seen.mesh, seen.vertex.x) * seen.weight.x +
                   normal_at(seen.instance, seen.mesh, seen.vertex.y) * seen.weight.y +
                   normal_at(seen.instance, seen.mesh, seen.vertex.z) * seen.weight.z;
    return unit_or(posed_normal(seen.pose, n), flat_normal);
}

#ifdef IS_LAYER
// Light that is not reflected at once passes glass, by `transmission`, and is not scattered by it.
// The far side of a body is not coloured again.
void glass_add(inout Surface surface, MeshMaterial m, bool is_behind) {
    const float share = m.transmission * (1 - surface.look.metallic);
    const bool  is_lit = eye.shows == CANVAS_LIT || eye.shows == CANVAS_REACHED;
    if (m.transmission <= 0 || !is_lit) return;
    const float facing = clamp(dot(surface.look.normal, surface.look.to_eye), 0, 1), n = m.bend / (2 + m.bend);
    surface.look.mirror = n * n;
    const float reflected = surface.look.mirror + (1 - surface.look.mirror) * pow(1 - facing, 5);
    surface.passes = is_behind && m.thick_m > 0 ? vec3(1 - reflected) : surface.look.color * m.transmitted * (share * (1 - reflected));
    surface.look.color *= 1 - share;
    surface.thick_m = m.thick_m * pow(abs(determinant_of(seen.pose)), 1.0 / 3);
    if (m.thick_m <= 0) surface.bend = 0;
}
#endif

bool surface_fetch(Sample s, out Surface surface) {
    const uint which = s.id.x - push.id_first - 1;
    if (which >= push.instance_count) return false;
#ifdef IS_LAYER
    seen.instance = instances[which];
#else
    seen.instance = instances[visible[which]];
#endif
    seen.mesh = meshes[seen.instance.mesh];
    seen.pose = pose_of(seen.instance.transform);
    const MeshPart part = parts[part_of(seen.mesh, s.id.y)];
    const uint     first = s.id.y, last = part.corners - 1;
    seen.vertex = uvec3(indices[first], indices[first + min(1, last)], indices[first + min(2, last)]);
    const vec2 step = 2 / vec2(eye.width, eye.height);
    vec3       flat_normal = s.to_eye;
    surface.at = sample_point(s);
    surface.dx = surface.dy = vec3(0);
    seen.weight = seen.weight_x = seen.weight_y = vec3(1, 0, 0);
    if (part.corners == 3) {
        Triangle t;
        for (uint k = 0; k < 3; k++)
            t.corner[k] = posed(seen.pose, position_at(seen.instance, seen.mesh, seen.vertex[k]));
        t.normal = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
        const vec3 exact = weights_at(t, s.place);
        seen.weight_x = weights_at(t, s.place + vec2(step.x, 0));
        seen.weight_y = weights_at(t, s.place - vec2(0, step.y));
        // Rasterised corners are rounded, so that a sample can be outside of the exact triangle: there, another
        // part of the texture could be read.
        seen.weight = clamp(exact, vec3(0), vec3(1));
        seen.weight /= seen.weight.x + seen.weight.y + seen.weight.z;
        seen.weight_x += seen.weight - exact;
        seen.weight_y += seen.weight - exact;
        flat_normal = unit_or(t.normal * sign(determinant_of(seen.pose)), s.to_eye);
        const mat3 corners = mat3(t.corner[0], t.corner[1], t.corner[2]);
        surface.at = corners * seen.weight; // more exact than depth, whose corners are rounded
        surface.dx = corners * (seen.weight_x - seen.weight);
        surface.dy = corners * (seen.weight_y - seen.weight);
    }
    vec3 normal = smooth_normal(flat_normal);
    const bool is_behind = dot(flat_normal, s.to_eye) < 0;
    if (is_behind) {
        normal = -normal;
        flat_normal = -flat_normal;
    }
    surface.plane = flat_normal;
    surface.look = look_of(materials[part.material], normal, s.to_eye);
    surface.has_decals = (seen.instance.shown & MESHES_NO_DECALS) == 0;
    surface.cover = 1;
    surface.bend = is_behind ? 0 : materials[part.material].bend;
    surface.thick_m = 60000;
    surface.passes = vec3(-1);
    surface.speed = -1;
#ifdef IS_LAYER
    glass_add(surface, materials[part.material], is_behind);
#endif
    return true;
}
#ifdef IS_LAYER
#include "lighting_layers.glsl"
#else
#include "lighting_shade.glsl"
#endif
