// shadows_cast.glsl - a vertex in a shadow map: primitives are clipped at the sides of the map.
out gl_PerVertex {
    vec4  gl_Position;
    float gl_ClipDistance[4];
};

void cast_to(uint map, vec3 at) {
    const ShadowMap m = shadow_maps[shadows.now[map]];
    const vec4      clip = shadow_clip(m, at);
    gl_ClipDistance[0] = clip.w - clip.x;
    gl_ClipDistance[1] = clip.w + clip.x;
    gl_ClipDistance[2] = clip.w - clip.y;
    gl_ClipDistance[3] = clip.w + clip.y;
    gl_Position = atlas_clip(m, clip);
    // What is before a map without perspective casts from its front.
    if (m.w.xyz == vec3(0)) gl_Position.z = clamp(gl_Position.z, 0, gl_Position.w);
}
