// lights_lamp.glsl - the light that arrives at a point, with the units and the falloff of KHR_lights_punctual: candela for
// point and spot lights, lux for directional ones.
vec3 light_arriving(LightsItem light, vec3 at, out vec3 to_light) {
    const uint kind = uint(light.w.x);
    to_light = -light.z.xyz;
    if (kind == LIGHTS_DIRECTIONAL) return light.y.xyz;
    const vec3  d = light.x.xyz - at;
    const float d2 = max(dot(d, d), 1e-8), far = d2 / (light.x.w * light.x.w);
    to_light = d * inversesqrt(d2);
    float share = clamp(1 - far * far, 0, 1) / d2;
    if (kind == LIGHTS_SPOT) {
        const float cone = clamp(dot(-to_light, light.z.xyz) * light.y.w + light.z.w, 0, 1);
        share *= cone * cone;
    }
    return light.y.xyz * share;
}
