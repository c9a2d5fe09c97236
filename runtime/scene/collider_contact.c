/* collider_contact.c - see collider_contact_internal.h. */
#include "collider_contact_internal.h"

#include "vec.h"

/* Steps of Newton's method: the distance from a convex shape is a convex function along the way. */
#define TRACES 12u

/* What is left between a point and a surface that it has met, of all lengths that are rounded. */
#define GAP 2e-6f

static Vec3 axis_of(u32 axis, f32 side) {
    return (Vec3){axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0};
}

/* The distance of a point from a shape, in its space, and the direction from the shape to the point. */
static f32 distance_of(const ColliderMotion* c, Vec3 p, Vec3* normal) {
    const Vec3 half = c->half_m;
    *normal = (Vec3){0, 1, 0};
    if (c->is_plane) return p.y;
    const Vec3 inside = {MIN_OF(MAX_OF(p.x, -half.x), half.x), MIN_OF(MAX_OF(p.y, -half.y), half.y),
                         MIN_OF(MAX_OF(p.z, -half.z), half.z)};
    const Vec3 off = vec3_sub(p, inside);
    const f32  far = vec3_length(off);
    if (far > 0) {
        *normal = vec3_divide(off, far);
        return far - c->radius_m;
    }
    const f32 gap[3] = {half.x - fabsf(p.x), half.y - fabsf(p.y), half.z - fabsf(p.z)};
    const f32 at[3] = {p.x, p.y, p.z};
    const u32 axis = gap[0] <= gap[1] && gap[0] <= gap[2] ? 0 : gap[1] <= gap[2] ? 1 : 2;
    *normal = axis_of(axis, at[axis] >= 0 ? 1.0f : -1.0f);
    return -gap[axis] - c->radius_m;
}

/* A point that is in a box only by rounding has come through the face that its way leads into, of those that are near. */
static void face_choose(const ColliderMotion* c, Vec3 p, Vec3 way, f32 rounded_m, Vec3* normal,
                        f32* far) {
    const f32 gap[3] = {c->half_m.x - fabsf(p.x), c->half_m.y - fabsf(p.y),
                        c->half_m.z - fabsf(p.z)};
    const f32 at[3] = {p.x, p.y, p.z}, along[3] = {way.x, way.y, way.z};
    f32       into = -INFINITY;
    if (c->is_plane || c->radius_m > 0 || *far < -rounded_m) return;
    for (u32 axis = 0; axis < 3; axis++) {
        const f32 side = at[axis] >= 0 ? 1.0f : -1.0f;
        if (gap[axis] > rounded_m || -side * along[axis] <= into) continue;
        into = -side * along[axis];
        *normal = axis_of(axis, side);
        *far = -gap[axis];
    }
}

/* The first point of a way that touches the shape. Returns false when there is none. */
static bool touch_find(const ColliderMotion* c, Vec3 a, Vec3 b, f32 near_m, Vec3* touched,
                       Vec3* normal) {
    const Vec3 way = vec3_sub(b, a);
    f32        far = distance_of(c, a, normal), share = 0;
    *touched = a;
    if (far <= 0) face_choose(c, a, way, 4 * near_m, normal, &far);
    for (u32 k = 0; k < TRACES && far > near_m; k++) {
        const f32  nearing = -vec3_dot(*normal, way);
        const Vec3 before = *normal;
        share += far / nearing;
        if (!(nearing > 0 && share < 1))
            return false; /* it moves away, or the end is outside, too */
        *touched = vec3_add_scaled(a, way, share);
        far = distance_of(c, *touched, normal);
        if (far <= 0) *normal = before; /* rounding has put it into the shape */
    }
    if (far > near_m) { /* a way that passes closely beside it */
        *touched = b;
        far = distance_of(c, b, normal);
        if (far >= 0) return false;
    }
    *touched = vec3_add_scaled(*touched, *normal, -MIN_OF(far, 0));
    return true;
}

static Vec3 velocity_after(const ColliderMotion* c, Vec3 velocity, Vec3 surface, Vec3 normal) {
    const Vec3 along = vec3_sub(velocity, surface);
    const f32  speed = vec3_dot(along, normal), change = -speed * (1 + c->restitution);
    if (speed >= 0) return velocity;
    const Vec3 slide = vec3_add_scaled(along, normal, -speed);
    const f32  kept = c->friction * change / MAX_OF(vec3_length(slide), 1e-20f);
    return vec3_add_scaled(vec3_add_scaled(velocity, normal, change), slide, -MIN_OF(kept, 1));
}

bool collider_meet(const ColliderMotion* c, Vec3 from, Vec3* to, Vec3* velocity, f32 step_s) {
    const Vec3 a = quat_rotate_back(c->turn_was, vec3_sub(from, c->at_was));
    const Vec3 b = quat_rotate_back(c->turn, vec3_sub(*to, c->at));
    const f32  size = c->radius_m + vec3_length(c->half_m);
    Vec3       touched, normal;
    if (!touch_find(c, a, b, 1e-6f * (size + vec3_length(a)), &touched, &normal)) return false;
    const f32 depth = vec3_dot(vec3_sub(touched, b), normal);
    if (!(depth > 0)) return false;
    const Vec3 out = quat_rotate(c->turn, normal);
    const Vec3 turned = vec3_sub(quat_rotate(c->turn, touched), quat_rotate(c->turn_was, touched));
    const Vec3 moved = vec3_add(vec3_sub(c->at, c->at_was), turned);
    *velocity = velocity_after(c, *velocity, vec3_divide(moved, step_s), out);
    *to = vec3_add_scaled(*to, out, depth + GAP * (size + vec3_length(*to) + vec3_length(c->at)));
    return true;
}
