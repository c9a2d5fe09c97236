// shapes_fragment.glsl - depth and id of an element whose surface a ray meets: after shapes_view.glsl.
layout(location = 0) flat in uint element;
layout(location = 1) flat in uint map;
layout(location = 2) in vec3 at;
#ifdef HAS_OUTPUT
layout(location = 0) out uvec2 seen;
#endif

// The ray of a fragment: from `from` along `ray`, of length 1.
void fragment_ray(out vec3 from, out vec3 ray) {
    const ShapeView v = view_of(map);
    from = v.is_flat ? at : v.origin;
    ray = v.is_flat ? v.forward : normalize(at - v.origin);
}

// The point of a ray. What is before a map without perspective casts from its front.
void fragment_set(vec3 from, vec3 ray, float along) {
#ifdef HAS_OUTPUT
    seen = uvec2(push.id_first + element + 1, 0);
#endif
    if (CASTS != 0) {
        const ShadowMap m = shadow_maps[shadows.now[map]];
        const vec4      clip = shadow_clip(m, from + ray * along);
        if (clip.w <= 0 || clip.z < 0 || (m.w.xyz != vec3(0) && clip.z > clip.w)) discard;
        gl_FragDepth = min(clip.z / clip.w, 1);
        return;
    }
    const float far = dot(from - eye.origin + ray * along, eye.forward), depth = depth_of(far);
    if (far < eye.near_m || depth < 0) discard;
    gl_FragDepth = depth;
}
