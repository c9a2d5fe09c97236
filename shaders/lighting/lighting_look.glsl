// lighting_look.glsl - how a surface with roughness and metallic reflects lights and a sky. The
// distribution of normals is GGX: Walter et al., Microfacet Models for Refraction through Rough Surfaces, 2007;
// the masking term is that of Heitz, Understanding the Masking-Shadowing Function, 2014; the Fresnel term that of
// Schlick, 1994. What the Fresnel term adds to a reflected sky is approximated as in Karis, Physically Based Shading on Mobile,
// 2014; what a perfect mirror keeps of it, by polynomials that were fitted to the integral of `reflected`.
struct Look {
    vec3  color, emissive; // linear
    vec3  normal, to_eye;  // of length 1
    float roughness, metallic, occlusion, opacity;
    float mirror; // what a dielectric reflects of light along its normal
    float coat, coat_roughness; // lacquer: the share of the surface that it covers; used where a shader defines HAS_COAT
    vec3  coat_normal;
};

const float MIRROR = 0.04; // of glass, and of what is not known

const float PI = 3.14159265;

// The share of a white sky that a perfect mirror of this roughness reflects once, within 0.022 from a cosine of 0.15 on.
float mirror_kept(float roughness, float facing) {
    const mat4 by_facing = mat4(1.1694, -0.4504, 0.2193, -0.0285, -2.0670, 7.3899, -6.6531, 2.2757,
                                4.0835, -18.6303, 19.3162, -7.0600, -2.3709, 10.7437, -12.3536, 4.7049);
    const float r = max(roughness, 0.1), v = max(facing, 0.15);
    return min(dot(vec4(1, v, v * v, v * v * v) * by_facing, vec4(1, r, r * r, r * r * r)), 1);
}

vec3 sky_reflected(vec3 f0, float roughness, float facing) {
    const vec3  r = roughness * vec3(-1, -0.0275, 0.022) + vec3(1, 0.0425, -0.04);
    const float a = min(r.x * r.x, exp2(-9.28 * facing)) * r.x + r.y, added = 1.04 * a + r.z;
    return f0 * (mirror_kept(roughness, facing) - added) + added;
}

vec3 mirror_color(Look s) { return mix(vec3(s.mirror), s.color, s.metallic); }

// What mirrors of this roughness reflect of the light from a direction, without the Fresnel term; 0 behind the surface.
float mirrored_by(vec3 normal, vec3 to_eye, vec3 light, vec3 middle, float roughness) {
    const float rough = clamp(roughness, 0.04, 1), alpha = rough * rough, alpha2 = alpha * alpha;
    const float nl = max(dot(normal, light), 0), nv = max(dot(normal, to_eye), 1e-4), nh = max(dot(normal, middle), 0);
    const vec3  aside = cross(normal, middle); // 1 - nh^2 without cancellation
    const float d = nh * nh * alpha2 + dot(aside, aside);
    const float spread = alpha2 / (PI * d * d);
    const float mask = 0.5 / (nl * sqrt(nv * nv * (1 - alpha2) + alpha2) + nv * sqrt(nl * nl * (1 - alpha2) + alpha2));
    return nl > 0 ? spread * mask * nl : 0;
}

// The share that lacquer reflects, and keeps from the surface below it: as in KHR_materials_clearcoat, by the direction to the eye.
float coat_share(Look s) {
    return s.coat * (MIRROR + (1 - MIRROR) * pow(1 - clamp(dot(s.coat_normal, s.to_eye), 0, 1), 5));
}

// The share of the light from a direction that goes to the eye.
vec3 reflected(Look s, vec3 light) {
    const vec3  matt = s.color * (1 - s.metallic), f0 = mirror_color(s);
    const vec3  middle = normalize(light + s.to_eye);
    const float nl = max(dot(s.normal, light), 0), grazing = pow(1 - clamp(dot(s.to_eye, middle), 0, 1), 5);
    const vec3  fresnel = f0 + (1 - f0) * grazing;
    const vec3  matt_part = matt / PI * (1 - fresnel) * nl;
    const vec3  bare = nl > 0 ? matt_part + mirrored_by(s.normal, s.to_eye, light, middle, s.roughness) * fresnel : vec3(0);
#ifndef HAS_COAT
    return bare;
#else
    if (s.coat <= 0) return bare;
    const float coat = coat_share(s);
    return bare * (1 - coat) + mirrored_by(s.coat_normal, s.to_eye, light, middle, s.coat_roughness) * coat;
#endif
}

// What reaches the eye of the light around: `matt_light` of all directions by the cosine, `mirrored` from about the
// direction of the mirror, `coat_mirrored` from that of the lacquer.
vec3 around(Look s, vec3 matt_light, vec3 mirrored, vec3 coat_mirrored) {
    const vec3  matt = s.color * (1 - s.metallic);
    const float rough = clamp(s.roughness, 0.04, 1), nv = max(dot(s.normal, s.to_eye), 1e-4);
    const vec3  bare = matt * matt_light + sky_reflected(mirror_color(s), rough, nv) * mirrored;
#ifndef HAS_COAT
    return bare;
#else
    if (s.coat <= 0) return bare;
    const float coat = coat_share(s);
    return bare * (1 - coat) + coat_mirrored * (coat * mirror_kept(s.coat_roughness, dot(s.coat_normal, s.to_eye)));
#endif
}
