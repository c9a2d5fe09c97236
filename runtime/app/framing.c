/* framing.c - cameras, and default views without a camera. */
#include "framing.h"

#include "gpu_system_internal.h"

#define FEET_REACH 4.0f  /* planes within this number of radii belong to the scene */
#define FILL       0.94f /* fraction of the picture that the scene fills */
#define FOV_RAD    0.7f
#define YAW_RAD    0.45f
#define PITCH_RAD  0.32f
#define GRID_CELLS 12.0f /* approximate number of grid lines across the scene */

/* The pose of an upright camera at `at` that looks in the direction opposite to `back`. */
static Mat34 pose_facing(Vec3 at, Vec3 back) {
    const Vec3 z = vec3_unit(back), up = {0, 1, 0}, up_beside_it = {0, 0, -z.y};
    const Vec3 x = vec3_unit(vec3_cross(fabsf(z.y) > 0.9999f ? up_beside_it : up, z));
    return mat34_from_columns(x, vec3_cross(z, x), z, at);
}

/* --- bounds --- */

static Vec3 center_of(const Bounds* b) {
    return (Vec3){(b->low.x + b->high.x) / 2, (b->low.y + b->high.y) / 2,
                  (b->low.z + b->high.z) / 2};
}

static f32 radius_of(const Bounds* b) {
    const Vec3 half = vec3_sub(b->high, center_of(b));
    return MAX_OF(vec3_length(half), 1e-3f);
}

/* The bounds of all systems, extended to the nearest points of the planes around them, such as
 * the walls of a tank that is not full yet. */
static Bounds scene_bounds(const Simulation* s) {
    Bounds b = s->bounds;
    if (bounds_is_empty(&b)) return (Bounds){{-1, -1, -1}, {1, 1, 1}};
    const Vec3 center = center_of(&b);
    const f32  reach = radius_of(&b) * FEET_REACH;
    for (u32 i = 0; i < s->drawn_count; i++) {
        const Vec3 normal = {s->drawn[i].x, s->drawn[i].y, s->drawn[i].z};
        const f32  above = vec3_dot(normal, center) - s->drawn[i].w;
        if (above < reach && above > -reach)
            bounds_add(&b, vec3_add_scaled(center, normal, -above));
    }
    return b;
}

/* --- without a camera --- */

/* The nearest position from which all corners of the box are in the picture. */
static void look_from_aside(CanvasView* view, const Bounds* b, f32 aspect) {
    const Vec3   center = center_of(b), half = vec3_sub(b->high, center);
    const Bounds around = {vec3_scale(half, -1), half}; /* the origin */
    const Vec3   back = {sinf(YAW_RAD) * cosf(PITCH_RAD), sinf(PITCH_RAD),
                         cosf(YAW_RAD) * cosf(PITCH_RAD)};
    const f32    high = tanf(FOV_RAD / 2) * FILL, wide = high * aspect;
    f32          distance_m = 0;
    view->pose = pose_facing(center, back);
    for (u32 i = 0; i < 8; i++) {
        const Vec3 p = bounds_corner(&around, i);
        const f32  x = fabsf(vec3_dot(p, mat34_column(&view->pose, 0)));
        const f32  y = fabsf(vec3_dot(p, mat34_column(&view->pose, 1)));
        distance_m = MAX_OF(distance_m,
                            vec3_dot(p, mat34_column(&view->pose, 2)) + MAX_OF(x / wide, y / high));
    }
    view->pose = pose_facing(vec3_add_scaled(center, back, distance_m), back);
    view->camera = (CameraRecord){
        .kind = CAMERA_PERSPECTIVE, .vertical_fov_rad = FOV_RAD, .near_m = distance_m / 100};
}

/* True when all systems are seen best from one side; false when there is no system. */
static bool have_front(const Simulation* s) {
    for (u32 i = 0; i < s->extent_count; i++) {
        if (!(vec3_length(mat34_column(&s->extent[i]->front, 0)) > 0)) return false;
    }
    return s->extent_count > 0;
}

/* Adds the corners of a box, as coordinates along the axes, from `first`. */
static void corners_add(Bounds* b, const Mat34* box, const Vec3* axis, Vec3 first) {
    const Bounds unit = {{-1, -1, -1}, {1, 1, 1}};
    for (u32 i = 0; i < 8; i++) {
        const Vec3 p = vec3_sub(mat34_point(box, bounds_corner(&unit, i)), first);
        bounds_add(b, (Vec3){vec3_dot(p, axis[0]), vec3_dot(p, axis[1]), vec3_dot(p, axis[2])});
    }
}

/* Looks along the third axis of the first system, with the boxes of all systems in the picture. */
static void look_at_front(CanvasView* view, const Simulation* s, f32 aspect) {
    const Mat34* front = &s->extent[0]->front;
    const Vec3   x = vec3_unit(mat34_column(front, 0)), y = vec3_unit(mat34_column(front, 1));
    const Vec3   axis[3] = {x, y, vec3_cross(x, y)}, first = mat34_column(front, 3);
    Bounds       b = bounds_empty();
    for (u32 i = 0; i < s->extent_count; i++) corners_add(&b, &s->extent[i]->front, axis, first);
    const Vec3 middle = center_of(&b), size = vec3_sub(b.high, b.low);
    const f32  height = MAX_OF(size.y, size.x / aspect), distance_m = height + size.z;
    Vec3       at = vec3_add_scaled(vec3_add_scaled(first, axis[0], middle.x), axis[1], middle.y);
    at = vec3_add_scaled(at, axis[2], b.high.z + distance_m);
    view->pose = mat34_from_columns(axis[0], axis[1], axis[2], at);
    view->camera = (CameraRecord){.kind = CAMERA_ORTHOGRAPHIC,
                                  .height_m = height / FILL,
                                  .near_m = distance_m / 2,
                                  .far_m = 2 * distance_m + size.z};
}

/* --- camera and light of the level --- */

/* The first camera; false: there is none. */
static bool camera_find(World* world, CanvasView* view) {
    const CameraRows rows = ent_camera_rows(world);
    if (rows.count == 0) return false;
    const Mat34* target = ent_transform_world(world, rows.record[0].target);
    view->camera = rows.record[0];
    view->pose = entity_pose(world, rows.entity[0]);
    if (!target) return true;
    const Vec3 at = mat34_column(&view->pose, 3), back = vec3_sub(at, mat34_column(target, 3));
    if (vec3_dot(back, back) > 0) view->pose = pose_facing(at, back);
    return true;
}

/* The first directional light; false: there is none. */
static bool sun_find(World* world, CanvasView* view) {
    const LightRows rows = ent_light_rows(world);
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34* pose = ent_transform_world(world, rows.entity[i]);
        if (rows.record[i].kind != LIGHT_DIRECTIONAL) continue;
        view->light = pose ? vec3_unit(mat34_column(pose, 2)) : (Vec3){0, 0, 1};
        view->light_color = rows.record[i].color;
        return true;
    }
    return false;
}

/* The light of a world without lights; else that of what shows the view: the first directional light. Without one,
 * but with other lights, it is night. */
static void light_find(World* world, CanvasView* view) {
    view->light = vec3_unit((Vec3){0.45f, 0.8f, 0.5f});
    view->light_color = (Vec3){1, 0.98f, 0.94f};
    if (!sun_find(world, view) && ent_light_rows(world).count > 0)
        view->light_color = (Vec3){0.05f, 0.05f, 0.06f};
}

void framing_follow(World* world, CanvasView* view) {
    camera_find(world, view);
    sun_find(world, view);
}

/* 1, 2 or 5 times a power of ten. */
static f32 grid_of(f32 reach_m) {
    const f32 rough = 2 * reach_m / GRID_CELLS, ten = powf(10, floorf(log10f(rough)));
    const f32 ones = rough / ten;
    return ten * (ones < 1.5f ? 1 : ones < 3.5f ? 2 : ones < 7.5f ? 5 : 10.0f);
}

CanvasView framing_view(World* world, const Simulation* s, f32 aspect) {
    const Bounds b = scene_bounds(s);
    const f32    reach = radius_of(&b);
    CanvasView   view = {.plane = s->drawn,
                         .plane_count = simulation_draws_surfaces(s) ? 0 : s->drawn_count,
                         .center = center_of(&b),
                         .reach_m = reach,
                         .grid_m = grid_of(reach),
                         .fall_m = b.high.y - b.low.y};
    light_find(world, &view);
    if (camera_find(world, &view)) return view;
    if (have_front(s))
        look_at_front(&view, s, aspect);
    else
        look_from_aside(&view, &b, aspect);
    return view;
}
