// lights_view.glsl - is an element in the view?
// Is a sphere on the inner side of a plane at least in part? The length of the plane's normal is not 1.
bool is_inside(vec4 plane, Element e) {
    return dot(plane.xyz, e.center) + plane.w >= -e.radius * 1.0001 * length(plane.xyz);
}

bool is_in_view(Element e) {
    return is_inside(eye.clip_w - eye.clip_x, e) && is_inside(eye.clip_w + eye.clip_x, e) &&
           is_inside(eye.clip_w - eye.clip_y, e) && is_inside(eye.clip_w + eye.clip_y, e) &&
           is_inside(eye.clip_w - eye.clip_z, e) && is_inside(eye.clip_z, e);
}
