// lighting_lamps.glsl - the light of a surface: the lights of its tile, directional lights, and its surroundings; or the light
// of the view in a world without lights. Before it, a shader declares IS_TRANSPARENT.
vec3 plane_normal; // of the plane of the surface

vec3 lit_by(LightsItem light, Look s, vec3 at) {
    vec3       to_light;
    const vec3 arriving = light_arriving(light, at, to_light);
    if (arriving == vec3(0)) return vec3(0);
    const vec3 color = arriving * reflected(s, to_light);
    if (color == vec3(0)) return vec3(0);
    const vec3 cookie = light.w.z != 0 ? cookie_of(light, at - light.x.xyz) : vec3(1);
    return color * cookie * shadow_of(uint(light.w.y), at, plane_normal, to_light, at - light.x.xyz, IS_TRANSPARENT);
}

vec3 lit_by_lamps(Look s, vec3 at, uint tile) {
    vec3   sum = vec3(0);
    uint   i, suns = 0;
    Cursor c = cursor_begin(tile, LIGHTS);
    // One loop for both, because what it contains is much code.
    [[dont_unroll]] for (;;) {
        if (!cursor_next(c, i)) {
            if (suns == state.sun_count) break;
            i = state.first_sun + suns++;
        }
        sum += lit_by(items[i], s, at);
    }
    return sum * (eye.exposure == 0 ? 1 : eye.exposure);
}

vec3 lit_surface(Look s, vec3 at, uint tile) {
    const vec3 direct = state.is_lit != 0 ? lit_by_lamps(s, at, tile) : reflected(s, eye.light) * eye.light_color * (PI * 0.9);
#ifdef HAS_COAT
    const vec3 emitted = s.coat > 0 ? s.emissive * (1 - coat_share(s)) : s.emissive;
#else
    const vec3 emitted = s.emissive;
#endif
    return direct + surroundings(s, at, tile) * s.occlusion + emitted;
}
