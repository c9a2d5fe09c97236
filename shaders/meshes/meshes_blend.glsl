// meshes_blend.glsl - the colour of a blended surface, multiplied by its opacity.
#include "canvas_io.h"
#include "canvas.glsl"
#define IS_TRANSPARENT true
#include "lighting_surface.glsl"
#include "meshes_io.h"
#include "meshes.glsl"
#include "meshes_normal.glsl"
#include "meshes_texture.glsl"
#include "meshes_texel.glsl"

layout(binding = MESHES_MATERIAL, scalar) readonly restrict buffer Materials { MeshMaterial materials[]; };

layout(location = 0) flat in uvec2 kind;
layout(location = 1) in vec3 at;
layout(location = 2) in vec3 normal;
layout(location = 3) in vec4 tangent;
layout(location = 4) in vec4 uvs;
layout(location = 5) in vec4 color;
layout(location = 0) out vec4 drawn;

vec4 slot_at(MeshTexture t) { return texel_of(t, uvs); }
vec4 vertex_color() { return color; }
bool has_tangent() { return dot(tangent.xyz, tangent.xyz) > 0; }
vec3 normal_from(vec3 n, vec2 bump, float strength) {
    return bumped(n, tangent.xyz, (tangent.w < 0 ? -1.0 : 1.0) * ((kind.y & 1) != 0 ? -1 : 1), bump, strength);
}
#include "meshes_look.glsl"

void main() {
    const vec3 flat_normal = normalize(cross(dFdx(at), dFdy(at)));
    const vec3 to_eye = eye.orthographic != 0 ? -eye.forward : normalize(eye.origin - at);
    const bool front = gl_FrontFacing == ((kind.y & 1) == 0), has_normal = (kind.y & 2) != 0;
    if (!front && materials[kind.x].two_sided == 0) discard;
    vec3 n = has_normal ? unit_or(normal, flat_normal) : dot(flat_normal, to_eye) < 0 ? -flat_normal : flat_normal;
    if (has_normal && !front) n = -n;
    const uvec2 tile = uvec2(gl_FragCoord.xy) / state.tile;
    const uint  set = (tile.y * state.wide + tile.x) * 2 + LIGHTS_BEFORE;
    Surface s;
    s.at = at;
    s.dx = dFdx(at);
    s.dy = dFdy(at);
    s.plane = flat_normal;
    s.look = look_of(materials[kind.x], n, to_eye);
    s.has_decals = (kind.y & 4) == 0;
    s.speed = -1;
    s.cover = clamp(s.look.opacity, 0, 1);
    drawn = vec4(surface_color(s, gl_FragCoord.xy, dot(at - eye.origin, eye.forward), set) * s.cover, s.cover);
}
