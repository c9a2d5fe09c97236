// meshes_shade.glsl - one thread per sample of the tiles with surfaces: samples in which a mesh is visible get the colour
// of its material under the lights of the tile. The point of the triangle, and how texture coordinates change to the next samples, follow from
// the rays of the sample and of its neighbours.
#include "kernel.glsl"
#include "canvas_io.h"
#include "canvas.glsl"
#include "canvas_images.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_vertex.glsl"
#include "meshes_normal.glsl"
#include "meshes_moved.glsl"
#include "meshes_texture.glsl"
#include "meshes_light.glsl"
#include "lights_io.h"
#include "normals_io.h"
#include "shadows_io.h"
#include "normals_word.glsl"

#define WORDS_ARE_UNIFORM
#ifdef LISTS
#include "lights_list_cursor.glsl"
#else
#include "lights_cursor.glsl"
#endif
#include "lights_lamp.glsl"
#include "lighting_probes.glsl"
#include "shadows_lookup.glsl"
#define IS_TRANSPARENT false
#include "meshes_lamps.glsl"
#include "meshes_decals.glsl"
#include "meshes_shown.glsl"

layout(binding = MESHES_PART, scalar) readonly restrict buffer Parts { MeshPart parts[]; };
layout(binding = MESHES_COLOR) writeonly restrict buffer Colors { uvec2 colors[]; };
layout(binding = MESHES_INDEX) readonly restrict buffer Indices { uint indices[]; };
layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };
layout(binding = MESHES_VISIBLE) readonly restrict buffer Visible { uint visible[]; };
layout(binding = LIGHTS_TILE, scalar) readonly restrict buffer Occupied { LightsOccupied occupied; uint occupied_tiles[]; };

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

layout(binding = MESHES_OPEN) readonly restrict buffer Open { uint open_words[]; }; // or normals

bool shows_depth() { return eye.shows == CANVAS_NORMALS_DEPTH || eye.shows == CANVAS_NORMALS_PLAIN; }

// How much of the sky a sample sees.
float open_at(uint i) { return eye.occlusion_m > 0 && !shows_depth() ? float(open_words[i / 4] >> i % 4 * 8 & 0xffu) / 255 : 1; }

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

// What the passes of a sample read of its surface.
struct Surface {
    MeshInstance instance;
    MeshRow mesh;
    Pose    pose;
    uvec3   vertex;
    vec3    weight, weight_x, weight_y; // of the corners, here and at the next samples
};

Surface s;

vec2 uv_of(uint set, vec3 weight) {
    if (set == MESHES_NONE) return vec2(0);
    return vec2_at(set, s.vertex.x) * weight.x + vec2_at(set, s.vertex.y) * weight.y +
           vec2_at(set, s.vertex.z) * weight.z;
}

vec4 slot_at(MeshTexture t) {
    const uint set = t.uv_set == 0 ? s.mesh.uv : s.mesh.uv_1;
    const vec2 at = turned(t, uv_of(set, s.weight)) + t.offset;
    const vec2 dx = turned(t, uv_of(set, s.weight_x)) + t.offset - at;
    const vec2 dy = turned(t, uv_of(set, s.weight_y)) + t.offset - at;
    return texel(t.array, vec3(at, t.layer), dx, dy);
}

vec4 vertex_color() {
    if (s.mesh.color == MESHES_NONE) return vec4(1);
    return color_at(s.mesh.color, s.vertex.x) * s.weight.x + color_at(s.mesh.color, s.vertex.y) * s.weight.y +
           color_at(s.mesh.color, s.vertex.z) * s.weight.z;
}

bool has_tangent() { return s.mesh.tangent != MESHES_NONE; }

vec3 normal_from(vec3 normal, vec2 bump, float strength) {
    const vec4 t = tangent_at(s.instance, s.mesh, s.vertex.x) * s.weight.x +
                   tangent_at(s.instance, s.mesh, s.vertex.y) * s.weight.y +
                   tangent_at(s.instance, s.mesh, s.vertex.z) * s.weight.z;
    return bumped(normal, posed_along(s.pose, t.xyz), (t.w < 0 ? -1.0 : 1.0) * sign(determinant_of(s.pose)), bump,
                  strength);
}
#include "meshes_look.glsl"

vec3 smooth_normal(vec3 flat_normal) {
    if (s.mesh.normal == MESHES_NONE) return flat_normal;
    const vec3 n = normal_at(s.instance, s.mesh, s.vertex.x) * s.weight.x +
                   normal_at(s.instance, s.mesh, s.vertex.y) * s.weight.y +
                   normal_at(s.instance, s.mesh, s.vertex.z) * s.weight.z;
    return unit_or(posed_normal(s.pose, n), flat_normal);
}

// Where a thread's sample is in its tile. Groups have blocks of 16 x 8 samples, in which 32 threads have 8 x 4.
uvec2 place_in_tile(uint block) {
    const uint t = gl_LocalInvocationID.x, across = state.tile / 16;
    const uvec2 corner = uvec2(block % across * 16, block / across * 8);
    return corner + uvec2(t / 32 % 2 * 8 + t % 8, t / 64 * 4 + t / 8 % 4);
}

void main() {
    const uint blocks = state.tile * state.tile / MESHES_GROUP, slot = group_index() / blocks;
    if (slot >= occupied.count) return;
    const uint tile = occupied_tiles[slot];
    const uvec2 sample_place = uvec2(tile % state.wide, tile / state.wide) * state.tile + place_in_tile(group_index() % blocks);
    if (sample_place.x >= eye.width || sample_place.y >= eye.height) return;
    const uint  i = sample_place.y * eye.width + sample_place.x;
    const uvec2 id = id_at(i);
    const uint  which = id.x - push.id_first - 1;
    if (id.x == 0 || which >= push.instance_count) return;
    s.instance = instances[visible[which]];
    s.mesh = meshes[s.instance.mesh];
    s.pose = pose_of(s.instance.transform);
    const MeshPart part = parts[part_of(s.mesh, id.y)];
    const uint     first = id.y, last = part.corners - 1;
    s.vertex = uvec3(indices[first], indices[first + min(1, last)], indices[first + min(2, last)]);
    const vec2 where = place_of(i), step = 2 / vec2(eye.width, eye.height);
    const vec3 to_eye = -normalize(ray_direction(where));
    const float far = distance_of(depth_at(i));
    vec3       at = ray_origin(where) + ray_direction(where) * far;
    vec3       flat_normal = to_eye, dx = vec3(0), dy = vec3(0);
    s.weight = s.weight_x = s.weight_y = vec3(1, 0, 0);
    if (part.corners == 3) {
        Triangle t;
        for (uint k = 0; k < 3; k++) t.corner[k] = posed(s.pose, position_at(s.instance, s.mesh, s.vertex[k]));
        t.normal = cross(t.corner[1] - t.corner[0], t.corner[2] - t.corner[0]);
        const vec3 exact = weights_at(t, where);
        s.weight_x = weights_at(t, where + vec2(step.x, 0));
        s.weight_y = weights_at(t, where - vec2(0, step.y));
        // Rasterised corners are rounded, so that a sample can be outside of the exact triangle: there, another
        // part of the texture could be read.
        s.weight = clamp(exact, vec3(0), vec3(1));
        s.weight /= s.weight.x + s.weight.y + s.weight.z;
        s.weight_x += s.weight - exact;
        s.weight_y += s.weight - exact;
        flat_normal = unit_or(t.normal * sign(determinant_of(s.pose)), to_eye);
        const mat3 corners = mat3(t.corner[0], t.corner[1], t.corner[2]);
        at = corners * s.weight; // more exact than depth, whose corners are rounded
        dx = corners * (s.weight_x - s.weight);
        dy = corners * (s.weight_y - s.weight);
    }
    vec3 normal = smooth_normal(flat_normal);
    if (dot(flat_normal, to_eye) < 0) { // seen from behind
        normal = -normal;
        flat_normal = -flat_normal;
    }
    plane_normal = flat_normal;
    shadow_turn = turn_at(vec2(sample_place));
    const uint set = tile * 2 + LIGHTS_SURFACES;
    Look look = look_of(materials[part.material], normal, to_eye);
    look.occlusion *= open_at(i);
    if ((s.instance.shown & MESHES_NO_DECALS) == 0) decals_add(look, at, dx, dy, flat_normal, set);
    vec3 color = shown(look, at, far, set);
    if (shows_depth()) color = pow(normal_of_word(open_words[i]) * 0.5 + 0.5, vec3(2.2));
    colors[i] = uvec2(packHalf2x16(min(color.rg, vec2(60000))), packHalf2x16(vec2(min(color.b, 60000), 1)));
}
