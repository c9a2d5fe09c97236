// lighting_shown.glsl - what a picture shows instead of light.
vec3 heat_of(uint tile) {
    uint   count = 0, i;
    Cursor c = cursor_begin(tile, LIGHTS);
    while (cursor_next(c, i)) count++;
    const float n = float(count);
    const vec3 low = mix(vec3(0), vec3(0, 0, 1), clamp(n / 16, 0, 1));
    const vec3 middle = mix(low, vec3(0, 1, 0), clamp(n / 16 - 1, 0, 1));
    const vec3 high = mix(middle, vec3(1, 0, 0), clamp(n / 32 - 1, 0, 1));
    return mix(high, vec3(1), clamp(n / 64 - 1, 0, 1));
}

vec3 distance_shown(float far) {
    const float line = smoothstep(0.0, 0.06, abs(fract(far + 0.5) - 0.5));
    return vec3(1 / (1 + far * 0.1)) * mix(0.6, 1.0, line);
}

// From blue at rest through cyan to white; grey is what is not simulated.
vec3 speed_shown(Look s, float speed) {
    const float x = clamp(speed, 0, 1) * 2;
    const vec3  slow = vec3(0.010, 0.070, 0.330), middle = vec3(0.030, 0.480, 0.700);
    const vec3  color = speed < 0 ? vec3(0.1) : x < 1 ? mix(slow, middle, x) : mix(middle, vec3(0.95), x - 1);
    return color * (0.5 + 0.5 * max(dot(s.normal, s.to_eye), 0));
}

// Only where a light reaches a surface.
vec3 reached_by_light(Look s, vec3 at, uint tile) {
    const vec3 direct = lit_by_lamps(s, at, tile);
    return direct == vec3(0) ? vec3(0) : direct + surroundings(s, at, tile) * s.occlusion;
}

// `far`: along the view.
vec3 shown(Look s, vec3 at, float far, uint tile) {
    if (eye.shows == CANVAS_ALBEDO) return s.color;
    if (eye.shows == CANVAS_NORMALS) return pow(s.normal * 0.5 + 0.5, vec3(2.2));
    if (eye.shows == CANVAS_DISTANCE) return distance_shown(far);
    if (eye.shows == CANVAS_OCCLUSION) return vec3(s.occlusion);
    if (eye.shows == CANVAS_HEAT) return heat_of(tile) * (0.5 + 0.5 * max(dot(s.normal, s.to_eye), 0));
    if (eye.shows == CANVAS_REACHED) return reached_by_light(s, at, tile);
    return lit_surface(s, at, tile);
}
