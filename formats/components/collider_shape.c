/* collider_shape.c - colliders as rigid shapes: how an entity places them, and distances to them. */
#include "collider_shape.h"

#include <math.h>

#include "vec.h"

/* A normal is transformed by the cofactors of the matrix: it stays perpendicular to its plane after
 * any scale, and it keeps its side unless the matrix mirrors. */
static Vec3 normal_turned(const Mat34* m, Vec3 n) {
    const Vec3  x = mat34_column(m, 0), y = mat34_column(m, 1), z = mat34_column(m, 2);
    const Vec3  yz = vec3_cross(y, z);
    const Mat34 cofactors =
        mat34_from_columns(yz, vec3_cross(z, x), vec3_cross(x, y), (Vec3){0, 0, 0});
    return vec3_scale(mat34_direction(&cofactors, n), vec3_dot(x, yz) < 0 ? -1.0f : 1.0f);
}

/* Without scale, shear and mirroring. */
static Quat turn_of(const Mat34* pose) {
    Vec3 axis[3] = {vec3_unit(mat34_column(pose, 0)), mat34_column(pose, 1), {0, 0, 0}};
    axis[2] = vec3_unit(vec3_cross(axis[0], axis[1]));
    axis[1] = vec3_cross(axis[2], axis[0]);
    return quat_unit(quat_from_axes(axis));
}

/* The shortest turn from one unit vector to another one. */
static Quat turn_between(Vec3 from, Vec3 to) {
    const f32  cosine = vec3_dot(from, to);
    const Vec3 across = vec3_cross(from, to);
    const Vec3 side = fabsf(from.x) < 0.6f ? (Vec3){1, 0, 0} : (Vec3){0, 0, 1};
    const Vec3 any = vec3_unit(vec3_cross(from, side));
    if (cosine < -0.99999f) return (Quat){any.x, any.y, any.z, 0};
    return quat_unit((Quat){across.x, across.y, across.z, 1 + cosine});
}

static void plane_fill(ColliderMotion* c, const ColliderRecord* r, const Mat34* pose) {
    const Vec3 up = {0, 1, 0}, local = vec3_unit(r->normal);
    const Vec3 normal = vec3_unit(normal_turned(pose, local));
    const Quat turn = quat_multiply(turn_of(pose), turn_between(up, local));
    c->is_plane = 1;
    c->at = mat34_point(pose, vec3_scale(local, r->offset_m));
    c->turn = quat_unit(quat_multiply(turn_between(quat_rotate(turn, up), normal), turn));
}

static void solid_fill(ColliderMotion* c, const ColliderRecord* r, const Mat34* pose) {
    const f32 x = vec3_length(mat34_column(pose, 0)), y = vec3_length(mat34_column(pose, 1)),
              z = vec3_length(mat34_column(pose, 2));
    c->at = mat34_point(pose, r->center_m);
    c->turn = turn_of(pose);
    if (r->kind == COLLIDER_BOX) {
        c->half_m = (Vec3){r->half_extent_m.x * x, r->half_extent_m.y * y, r->half_extent_m.z * z};
    } else if (r->kind == COLLIDER_CAPSULE) {
        c->half_m = (Vec3){0, r->length_m / 2 * y, 0};
        c->radius_m = r->radius_m * MAX_OF(x, z);
    } else {
        c->radius_m = r->radius_m * MAX_OF(x, MAX_OF(y, z));
    }
    c->reach_m = vec3_length(c->half_m) + c->radius_m;
}

int ent_collider_of(ColliderMotion* c, const ColliderRecord* r, const Mat34* pose) {
    *c = (ColliderMotion){.friction = r->friction, .restitution = r->restitution};
    if (r->kind != COLLIDER_PLANE && !COLLIDER_IS_SOLID(r->kind)) return false;
    if (r->kind == COLLIDER_PLANE)
        plane_fill(c, r, pose);
    else
        solid_fill(c, r, pose);
    c->at_was = c->at;
    c->turn_was = c->turn;
    const f32 volume =
        vec3_dot(mat34_column(pose, 0), vec3_cross(mat34_column(pose, 1), mat34_column(pose, 2)));
    return volume != 0 && isfinite(volume + c->at.x + c->at.y + c->at.z + c->turn.x + c->turn.y +
                                   c->turn.z + c->turn.w + c->reach_m);
}

Vec4 ent_collider_plane(const ColliderMotion* c) {
    const Vec3 n = quat_rotate(c->turn, (Vec3){0, 1, 0});
    return (Vec4){n.x, n.y, n.z, vec3_dot(n, c->at)};
}

f32 ent_collider_distance(const ColliderMotion* c, Vec3 point) {
    const Vec3 p = quat_rotate_back(c->turn, vec3_sub(point, c->at)), half = c->half_m;
    if (c->is_plane) return p.y;
    const Vec3 off = {fabsf(p.x) - half.x, fabsf(p.y) - half.y, fabsf(p.z) - half.z};
    const Vec3 outside = {MAX_OF(off.x, 0), MAX_OF(off.y, 0), MAX_OF(off.z, 0)};
    const f32  inside = MAX_OF(off.x, MAX_OF(off.y, off.z));
    return vec3_length(outside) + MIN_OF(inside, 0) - c->radius_m;
}
