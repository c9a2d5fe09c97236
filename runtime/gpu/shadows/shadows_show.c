/* shadows_show.c - what the maps of a light show: how far it reaches, and where its cascades are. Both change in steps,
 * between which maps that are kept stay valid. */
#include <math.h>

#include "gpu_system_internal.h"
#include "shadows.h"
#include "vec.h"

#define NEAR_SHARE  (1.0f / 500) /* of the reach of a light: nothing nearer casts */
#define SPLIT_SHARE 0.8f         /* of splits at equal ratios, the others at equal distances */
#define MOVE_SHARE  8.0f         /* a cascade moves by the width of its map divided by it */
#define STEPS       4.0f         /* of a distance that is doubled */
#define WHITE_SHARE                                                                                \
    512.0f /* light beyond its reach adds less than white divided by it to a white surface */

static f32 stepped(f32 distance_m) {
    return exp2f(ceilf(log2f(MAX_OF(distance_m, 1e-3f)) * STEPS) / STEPS);
}

/* --- a box within planes --- */

#define PLANES_MAX  4u
#define CORNERS_MAX (4u + PLANES_MAX)

typedef struct Polygon {
    Vec3 at[CORNERS_MAX];
    u32  count;
} Polygon;

static f32 side_of(Vec4 plane, Vec3 p) {
    return vec3_dot((Vec3){plane.x, plane.y, plane.z}, p) + plane.w;
}

/* What is on the positive side of a plane. */
static Polygon polygon_cut(const Polygon* from, Vec4 plane) {
    Polygon to = {.count = 0};
    for (u32 i = 0; i < from->count; i++) {
        const Vec3 a = from->at[i], b = from->at[(i + 1) % from->count];
        const f32  x = side_of(plane, a), y = side_of(plane, b);
        if (x >= 0 && to.count < CORNERS_MAX) to.at[to.count++] = a;
        if ((x >= 0) != (y >= 0) && to.count < CORNERS_MAX)
            to.at[to.count++] = vec3_add_scaled(a, vec3_sub(b, a), x / (x - y));
    }
    return to;
}

/* Where a direction has its lowest and highest values, in a box within planes. Without one: low > high. */
static void box_range(const Bounds* box, const Vec4* plane, u32 planes, Vec3 along, f32* low,
                      f32* high) {
    static const u8 faces[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                   {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
    *low = INFINITY;
    *high = -INFINITY;
    for (u32 f = 0; f < COUNT_OF(faces); f++) {
        Polygon face = {.count = 4};
        for (u32 k = 0; k < 4; k++) face.at[k] = bounds_corner(box, faces[f][k]);
        for (u32 k = 0; k < planes; k++) face = polygon_cut(&face, plane[k]);
        for (u32 k = 0; k < face.count; k++) {
            const f32 at = vec3_dot(face.at[k], along);
            *low = MIN_OF(*low, at);
            *high = MAX_OF(*high, at);
        }
    }
}

/* --- maps --- */

static Vec4 row_along(Vec3 v, Vec3 origin, f32 scale) {
    const Vec3 w = vec3_scale(v, scale);
    return (Vec4){w.x, w.y, w.z, -vec3_dot(w, origin)};
}

static Vec3 aside_of(Vec3 along) {
    const Vec3 up = fabsf(along.y) < 0.99f ? (Vec3){0, 1, 0} : (Vec3){1, 0, 0};
    return vec3_unit(vec3_cross(along, up));
}

/* The share of a map that is inside of its border. */
static f32 inner_of(f32 side) { return (side - 2 * SHADOWS_BORDER) / side; }

/* `slope`: half the width at a distance of 1 m. */
static void map_perspective(ShadowMap* m, const ShadowsLight* l, Vec3 along, f32 slope) {
    const Vec3 right = aside_of(along), up = vec3_cross(right, along);
    const f32  wide = slope / inner_of(m->side), far = l->reach_m, near = far * NEAR_SHARE;
    m->x = row_along(right, l->at, 1 / wide);
    m->y = row_along(up, l->at, -1 / wide);
    m->z = row_along(along, l->at, -near / (far - near));
    m->z.w += near * far / (far - near);
    m->w = row_along(along, l->at, 1);
    m->texel_m = 2 * wide / m->side;
}

/* The sphere around a part of the view. */
static f32 slice_of(const CanvasEye* eye, f32 from_m, f32 to_m, Vec3* center) {
    const f32 middle = (from_m + to_m) / 2;
    f32       radius = 0;
    *center = vec3_add_scaled(eye->origin, eye->forward, middle);
    for (u32 k = 0; k < 8; k++) {
        const f32 far = k & 4 ? to_m : from_m, wide = eye->orthographic ? 1 : far;
        Vec3      at = vec3_add_scaled(eye->origin, eye->forward, far);
        at = vec3_add_scaled(at, eye->right, k & 1 ? wide : -wide);
        at = vec3_add_scaled(at, eye->up, k & 2 ? wide : -wide);
        radius = MAX_OF(radius, vec3_length(vec3_sub(at, *center)));
    }
    return radius;
}

static f32 split_at(const CanvasEye* eye, f32 reach_m, u32 k, u32 count) {
    const f32 near = MAX_OF(eye->near_m, reach_m / 1000), share = (f32)k / (f32)count;
    if (eye->orthographic) return near + (reach_m - near) * share;
    return SPLIT_SHARE * near * powf(reach_m / near, share) +
           (1 - SPLIT_SHARE) * (near + (reach_m - near) * share);
}

/* --- cascades --- */

/* Where the view leaves the box of what casts. */
static f32 reach_of(const Shadows* s, const ShadowsScene* scene) {
    const CanvasEye* eye = scene->eye;
    const Bounds     box = {scene->low, scene->high};
    const Vec3       axes[] = {eye->right, eye->up};
    Vec4             plane[PLANES_MAX];
    f32              low, high;
    if (s->settings.reach_m > 0) return s->settings.reach_m;
    for (u32 i = 0; i < PLANES_MAX; i++) {
        const Vec3 axis = vec3_scale(axes[i / 2], i % 2 ? -1.0f : 1.0f);
        const f32  wide = vec3_dot(axis, axis);
        const Vec3 n = eye->orthographic ? axis : vec3_add_scaled(axis, eye->forward, wide);
        const f32  w = eye->orthographic ? wide : 0;
        plane[i] = (Vec4){n.x, n.y, n.z, w - vec3_dot(n, eye->origin)};
    }
    box_range(&box, plane, PLANES_MAX, eye->forward, &low, &high);
    return stepped(MAX_OF(high - vec3_dot(eye->forward, eye->origin), 1.0f));
}

/* What casts within the column of a map, and what is within reach of the eye: also what has left the bounds. */
static void range_find(const ShadowsScene* scene, const ShadowMap* m, Vec3 along, f32 reach_m,
                       f32* low, f32* high) {
    const Bounds box = {scene->low, scene->high};
    const f32    step = reach_m / 4;
    const f32    at_eye = floorf(vec3_dot(scene->eye->origin, along) / step) * step;
    Vec4         plane[PLANES_MAX];
    for (u32 i = 0; i < PLANES_MAX; i++) {
        const Vec4 row = i < 2 ? m->x : m->y;
        const f32  sign = i % 2 ? -1.0f : 1.0f;
        plane[i] = (Vec4){row.x * sign, row.y * sign, row.z * sign, 1 + row.w * sign};
    }
    box_range(&box, plane, PLANES_MAX, along, low, high);
    *low = MIN_OF(floorf(*low / step) * step, at_eye - reach_m);
    *high = MAX_OF(ceilf(*high / step) * step, at_eye + reach_m + step);
}

/* Its center is on a grid, whose squares are some texels wide: a map exceeds its part of the view by half of a square
 * at each side, and is the same until that is used up. Texels keep their places in the world. */
static void map_cascade(ShadowMap* m, const ShadowsScene* scene, Vec3 along, f32 reach_m,
                        f32 from_m, f32 to_m) {
    const Vec3 right = aside_of(along), up = vec3_cross(right, along);
    Vec3       center;
    f32        low, high;
    const f32  radius = slice_of(scene->eye, from_m, to_m, &center);
    /* Rounded, because the radius of a view that turns is not exactly the same. */
    const f32 size = ceilf(radius * 64) / 64 / (inner_of(m->side) - 1 / MOVE_SHARE);
    const f64 square = 2 * (f64)size / (f64)MOVE_SHARE;
    const f64 x = floor((f64)vec3_dot(center, right) / square + 0.5) * square;
    const f64 y = floor((f64)vec3_dot(center, up) / square + 0.5) * square;
    m->x = (Vec4){right.x / size, right.y / size, right.z / size, (f32)(-x / (f64)size)};
    m->y = (Vec4){-up.x / size, -up.y / size, -up.z / size, (f32)(y / (f64)size)};
    range_find(scene, m, along, reach_m, &low, &high);
    const f32 deep = MAX_OF((high - low) * 1.1f, 0.01f), first = low - deep * 0.05f;
    m->z = (Vec4){-along.x / deep, -along.y / deep, -along.z / deep, 1 + first / deep};
    m->w = (Vec4){0, 0, 0, 1};
    m->texel_m = 2 * size / m->side;
}

/* --- settings --- */

ShadowsSettings shadows_settings(const Shadows* s) {
    ShadowsSettings o = s->settings;
    const u32       max = s->gpu->limits.maxImageDimension2D;
    if (!o.atlas_side) o.atlas_side = 4096;
    if (!o.cascade_side) o.cascade_side = 2048;
    if (!o.spot_side) o.spot_side = 1024;
    if (!o.face_side) o.face_side = 512;
    if (!o.cascades) o.cascades = 3;
    if (!o.interval) o.interval = 1;
    if (!o.still) o.still = 30;
    while (o.atlas_side > max) o.atlas_side /= 2;
    return o;
}

/* --- lights --- */

/* Of a light whose maps have a perspective. */
static f32 light_reach(const ShadowsLight* l, const CanvasEye* eye) {
    const f32 exposure = eye->exposure == 0 ? 1 : eye->exposure;
    const f32 bright_m = sqrtf(l->intensity * exposure * WHITE_SHARE / 3.14159265f);
    return MIN_OF(l->range_m, stepped(bright_m));
}

void shadows_light_fill(Shadows* s, ShadowsLight* l, const ShadowsScene* scene) {
    static const Vec3 faces[] = {{1, 0, 0},  {-1, 0, 0}, {0, 1, 0},
                                 {0, -1, 0}, {0, 0, 1},  {0, 0, -1}};
    const bool        is_flat = l->kind == LIGHT_DIRECTIONAL;
    const f32         reach_m = is_flat ? reach_of(s, scene) : light_reach(l, scene->eye);
    l->reach_m = reach_m;
    for (u32 k = 0; k < l->count; k++) {
        ShadowMap* m = &s->table.map[l->first + k];
        if (is_flat)
            map_cascade(m, scene, l->along, reach_m, split_at(scene->eye, reach_m, k, l->count),
                        split_at(scene->eye, reach_m, k + 1, l->count));
        else if (shadows_is_cone(l))
            map_perspective(m, l, l->along, tanf(MAX_OF(l->half_angle, 0.01f)));
        else
            map_perspective(m, l, faces[k], 1);
    }
}
