// shapes_discs.comp - the surface of a disc, on the side that is seen; heat is emission.
#version 460
#extension GL_GOOGLE_include_directive : require
#extension GL_KHR_shader_subgroup_ballot : require
#include "shapes_surface.glsl"

layout(binding = SHAPES_EXTRA) readonly restrict buffer Extra { vec4 extra[]; };

bool surface_fetch(Sample s, out Surface surface) {
    uint which;
    if (!is_of_draw(s, which)) return false;
    const vec3 x = vec3(push.pose_x.x, push.pose_y.x, push.pose_z.x), y = vec3(push.pose_x.y, push.pose_y.y, push.pose_z.y);
    const vec3 normal = unit_or(cross(x, y), s.to_eye);
    surface_set(s, sample_point(s), dot(normal, s.to_eye) < 0 ? -normal : normal, surface);
    const float heat = clamp(extra[which][push.word], 0, 1);
    if (push.speed_max_m_s > 0) surface.speed = length(extra[which].xy) / push.speed_max_m_s;
    if (push.life_shift != 0) {
        const float share = float(floatBitsToUint(elements[which].w) >> push.life_shift) * 5.96046448e-8;
        surface.look.color *= mix(vec3(1), push.color_end, share);
    }
    surface.look.color *= 1 - heat * heat;
    surface.look.emissive += vec3(1, 0.22, 0.03) * heat * heat;
    return true;
}
#include "lighting_shade.glsl"
