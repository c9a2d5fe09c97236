// meshes_lamps.glsl - the light of a surface: the lights of its tile, directional lights, and its
// surroundings; or the light of the
// view in a world without lights.
vec3 lit_by_lamps(Look s, vec3 at, uint tile) {
    vec3   sum = vec3(0), to_light;
    uint   i;
    Cursor c = cursor_begin(tile, LIGHTS);
    while (cursor_next(c, i)) {
        const vec3 arriving = light_arriving(items[i], at, to_light);
        if (arriving != vec3(0)) sum += arriving * reflected(s, to_light);
    }
    for (uint k = 0; k < state.sun_count; k++) {
        const vec3 arriving = light_arriving(items[state.first_sun + k], at, to_light);
        sum += arriving * reflected(s, to_light);
    }
    return sum * (eye.exposure == 0 ? 1 : eye.exposure);
}

vec3 lit_surface(Look s, vec3 at, uint tile) {
    const vec3 direct = state.is_lit != 0 ? lit_by_lamps(s, at, tile) : reflected(s, eye.light) * eye.light_color * (PI * 0.9);
    return direct + surroundings(s, at, tile) * s.occlusion + s.emissive;
}
