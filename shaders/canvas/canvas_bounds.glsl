// canvas_bounds.glsl - which boxes are in the view. Before it, a shader declares `eye`.

// A box, by its centre and half its size.
struct Bounds { vec3 center, size; };

// Is a box on the inner side of a plane at least in part?
bool is_inside(vec4 plane, vec3 center, vec3 size) {
    return dot(plane.xyz, center) + plane.w + dot(abs(plane.xyz), size) >= 0;
}

bool is_in_view(vec3 center, vec3 size) {
    return is_inside(eye.clip_w - eye.clip_x, center, size) && is_inside(eye.clip_w + eye.clip_x, center, size) &&
           is_inside(eye.clip_w - eye.clip_y, center, size) && is_inside(eye.clip_w + eye.clip_y, center, size) &&
           is_inside(eye.clip_w - eye.clip_z, center, size) && is_inside(eye.clip_z, center, size);
}
