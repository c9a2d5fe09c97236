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

// A matt surface with a small highlight, lit by a directional light and an ambient sky.
vec3 lit(vec3 color, vec3 normal, vec3 to_eye) {
    const vec3  sky = sky_at(normal.y);
    const float lamp = max(dot(normal, eye.light), 0);
    const float shine = pow(max(dot(normal, normalize(eye.light + to_eye)), 0), 40) * 0.2;
    return color * (sky + eye.light_color * lamp * 0.9) + eye.light_color * shine;
}

// What no light of the world reaches is black in such a picture.
vec3 unreached(vec3 color) { return eye.shows == CANVAS_REACHED ? vec3(0) : color; }
