// meshes_light.glsl - how a surface with roughness and metallic reflects lights and a sky. The
// distribution of normals is GGX: Walter et al., Microfacet Models for Refraction through Rough Surfaces, 2007;
// the masking term is that of Heitz, Understanding the Masking-Shadowing Function, 2014; the Fresnel term that of
// Schlick, 1994. The reflected sky is approximated as in Karis, Physically Based Shading on Mobile, 2014.
struct Look {
    vec3  color, emissive; // linear
    vec3  normal, to_eye;  // of length 1
    float roughness, metallic, occlusion, opacity;
};

const float PI = 3.14159265;

vec3 sky_reflected(vec3 f0, float roughness, float facing) {
    const vec4  r = roughness * vec4(-1, -0.0275, -0.572, 0.022) + vec4(1, 0.0425, 1.04, -0.04);
    const float a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y;
    return f0 * (-1.04 * a + r.z) + (1.04 * a + r.w);
}

vec3 mirror_color(Look s) { return mix(vec3(0.04), s.color, s.metallic); }

// The share of the light from a direction that goes to the eye.
vec3 reflected(Look s, vec3 light) {
    const float rough = clamp(s.roughness, 0.04, 1), alpha = rough * rough, alpha2 = alpha * alpha;
    const vec3  matt = s.color * (1 - s.metallic), f0 = mirror_color(s);
    const vec3  middle = normalize(light + s.to_eye);
    const float nl = max(dot(s.normal, light), 0), nv = max(dot(s.normal, s.to_eye), 1e-4);
    const float nh = max(dot(s.normal, middle), 0), vh = max(dot(s.to_eye, middle), 0);
    const vec3  aside = cross(s.normal, middle); // 1 - nh^2 without cancellation
    const float d = nh * nh * alpha2 + dot(aside, aside);
    const float spread = alpha2 / (PI * d * d);
    const float mask = 0.5 / (nl * sqrt(nv * nv * (1 - alpha2) + alpha2) + nv * sqrt(nl * nl * (1 - alpha2) + alpha2));
    const vec3  fresnel = f0 + (1 - f0) * pow(1 - vh, 5);
    return nl > 0 ? (matt / PI * (1 - fresnel) + spread * mask * fresnel) * nl : vec3(0);
}

// What reaches the eye of the light around: `matt_light` of all directions by the cosine, `mirrored` from about the
// direction of the mirror.
vec3 around(Look s, vec3 matt_light, vec3 mirrored) {
    const vec3  matt = s.color * (1 - s.metallic);
    const float rough = clamp(s.roughness, 0.04, 1), nv = max(dot(s.normal, s.to_eye), 1e-4);
    return matt * matt_light + sky_reflected(mirror_color(s), rough, nv) * mirrored;
}
