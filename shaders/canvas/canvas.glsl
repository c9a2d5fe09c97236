// canvas.glsl - the ray of a sample, its depth, and lighting: shared by all passes of a picture.
layout(binding = CANVAS_VIEW, scalar) readonly restrict buffer View { CanvasEye eye; };

vec4 clip_of(vec3 at) {
    const vec4 p = vec4(at, 1);
    return vec4(dot(eye.clip_x, p), dot(eye.clip_y, p), dot(eye.clip_z, p), dot(eye.clip_w, p));
}

// Converts depth to metres along `forward`, and back.
float distance_of(float depth) {
    const float d = eye.depth_scale * depth + eye.depth_bias;
    return eye.orthographic != 0 ? d : 1 / d;
}
float depth_of(float distance_m) {
    const float d = eye.orthographic != 0 ? distance_m : 1 / distance_m;
    return (d - eye.depth_bias) / eye.depth_scale;
}

// The position of a sample in the picture, from -1 to 1.
vec2 place_of(uint index) {
    const uvec2 at = uvec2(index % eye.width, index / eye.width);
    return (vec2(at) + 0.5) / vec2(eye.width, eye.height) * vec2(2, -2) + vec2(-1, 1);
}
vec3 ray_origin(vec2 place) {
    return eye.orthographic != 0 ? eye.origin + eye.right * place.x + eye.up * place.y : eye.origin;
}
vec3 ray_direction(vec2 place) { // one metre along `forward`
    return eye.orthographic != 0 ? eye.forward
                                 : eye.forward + eye.right * place.x + eye.up * place.y;
}

// The light of the sky on a surface whose normal has this y, and that of the sky in this direction.
vec3 sky_at(float up) { return mix(vec3(0.10, 0.10, 0.11), vec3(0.38, 0.43, 0.52), up * 0.5 + 0.5); }

// What is behind all surfaces.
vec3 background(vec2 place, vec3 ray) {
    if (eye.has_sky != 0) return sky_at(normalize(ray).y) * eye.sky;
    return mix(vec3(0.085, 0.101, 0.126), vec3(0.016, 0.021, 0.032), smoothstep(-1.0, 1.0, place.y));
}

// What no light of the world reaches is black in such a picture.
vec3 unreached(vec3 color) { return eye.shows == CANVAS_REACHED ? vec3(0) : color; }
