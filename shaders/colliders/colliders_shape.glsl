// colliders_shape.glsl - how a particle that moves meets a collider that moves.
//
// Both are moved into the space of the collider, in which it stands: the particle's way is then a line between two points, each in
// the space at its time. Shapes are convex. So the distance to a shape is a convex function along the line, and Newton's method,
// which finds the first contact from outside, never steps beyond it: nothing passes through, however thin a shape is. All points
// before the tangent plane of the contact are outside of the shape: the end of the way is projected onto this plane.

// Turns a vector by a quaternion, and back.
vec3 turned(vec4 q, vec3 v) {
    const vec3 t = 2 * cross(q.xyz, v);
    return v + q.w * t + cross(q.xyz, t);
}
vec3 turned_back(vec4 q, vec3 v) { return turned(vec4(-q.xyz, q.w), v); }

// The distance of a point from a shape, in its space, and the direction from the shape to the point. Negative: it is in the shape.
float shape_distance(ColliderShape c, vec3 p, out vec3 normal) {
    normal = vec3(0, 1, 0);
    if (c.is_plane != 0) return p.y;
    const vec3  off = p - clamp(p, -c.half_m, c.half_m);
    const float far2 = dot(off, off);
    if (far2 > 0) {
        const float inverse = inversesqrt(far2);
        normal = off * inverse;
        return far2 * inverse - c.radius_m;
    }
    const vec3 gap = c.half_m - abs(p); // to the sides of the box in which it is
    const vec3 side = mix(vec3(-1), vec3(1), greaterThanEqual(p, vec3(0)));
    const uint axis = gap.x <= gap.y && gap.x <= gap.z ? 0 : gap.y <= gap.z ? 1 : 2;
    normal = vec3(0);
    normal[axis] = side[axis];
    return -gap[axis] - c.radius_m;
}

// A point that is in a box only by rounding has come through one of the faces that are as near as the nearest one: the one that its way
// leads into most.
void face_choose(ColliderShape c, vec3 p, vec3 way, float rounded_m, inout vec3 normal, inout float far) {
    const vec3 gap = c.half_m - abs(p);
    if (c.is_plane != 0 || c.radius_m > 0 || far < -rounded_m) return;
    float most = -1e30;
    for (uint axis = 0; axis < 3; axis++) {
        const float side = p[axis] >= 0 ? 1 : -1;
        if (gap[axis] > rounded_m || -side * way[axis] <= most) continue;
        most = -side * way[axis];
        normal = vec3(0);
        normal[axis] = side;
        far = -gap[axis];
    }
}

struct Contact {
    vec3  normal;     // in the world
    float depth_m;    // how far the end of the way is behind the tangent plane, and a gap
    vec3  velocity;   // of the surface
};

const uint TRACES = 12;

// What is left between a ball and a surface that it has met, of all lengths that are rounded: else it could be in the shape in its next
// step, where at an edge the face that it has come from is not known.
const float GAP = 2e-6;

// Does a ball meet a collider on its way?
bool collider_met(ColliderShape c, vec3 from, vec3 to, float radius_m, float step_s, out Contact contact) {
    const float size = radius_m + c.radius_m + length(c.half_m);
    const vec3 a = turned_back(c.turn_was, from - c.at_was), b = turned_back(c.turn, to - c.at), way = b - a;
    vec3       normal, touched = a;
    float      far = shape_distance(c, a, normal) - radius_m;
    const float near_m = 1e-6 * (size + length(a));
    if (far <= 0) face_choose(c, a, way, 4 * near_m, normal, far);
    if (far > 0) {
        float       share = 0;
        for (uint k = 0; k < TRACES && far > near_m; k++) {
            const float nearing = -dot(normal, way);
            share += far / nearing;
            if (!(nearing > 0 && share < 1)) return false; // it moves away, or the end is outside, too
            touched = a + way * share;
            const vec3 before = normal;
            far = shape_distance(c, touched, normal) - radius_m;
            if (far + radius_m <= 0) normal = before; // rounding has put it into the shape, where the nearest face can be another one
        }
        if (far > near_m) { // a way that passes closely beside it
            touched = b;
            far = shape_distance(c, b, normal) - radius_m;
            if (far >= 0) return false;
        }
    }
    touched -= normal * min(far, 0);
    const float depth = dot(touched - b, normal);
    if (!(depth > 0)) return false;
    contact.depth_m = depth + GAP * (size + length(to) + length(c.at));
    contact.normal = turned(c.turn, normal);
    touched -= normal * radius_m;
    contact.velocity = (c.at - c.at_was + turned(c.turn, touched) - turned(c.turn_was, touched)) / step_s;
    return true;
}

// The velocity after a contact.
vec3 velocity_after(ColliderShape c, Contact contact, vec3 velocity) {
    vec3        along = velocity - contact.velocity;
    const float speed = dot(along, contact.normal);
    if (speed >= 0) return velocity;
    const float change = -speed * (1 + c.restitution);
    const vec3  slide = along - contact.normal * speed;
    along += contact.normal * change;
    along -= slide * min(c.friction * change / max(length(slide), 1e-20), 1);
    return contact.velocity + along;
}
