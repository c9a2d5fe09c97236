/* light_masks.c - the nearest lights, decals and probes of a view, and which of them touch a box.
 *
 * Source   S. Gottschalk, M. Lin, D. Manocha, OBBTree: A Hierarchical Structure for Rapid Interference
 *          Detection, 1996: boxes are apart if they are apart along one of 15 axes. */
#include "light_masks.h"

#include <math.h>
#include <string.h>

#include "base.h"
#include "rows.h"
#include "vec.h"

_Static_assert(ENT_LIGHT_PICKS_LIGHTS >= ENT_LIGHT_PICKS_DECALS &&
                   ENT_LIGHT_PICKS_LIGHTS >= ENT_LIGHT_PICKS_PROBES,
               "the capacity of a selection");

/* --- the nearest rows --- */

/* In the order of distance, then of rows. */
typedef struct Nearest {
    u32 count, max;
    u32 row[ENT_LIGHT_PICKS_LIGHTS];
    f32 far[ENT_LIGHT_PICKS_LIGHTS];
} Nearest;

/* Rows are added in ascending order, so that one that is as far as another one is behind it. */
static void nearest_add(Nearest* n, u32 row, f32 far) {
    u32 at = n->count;
    if (at == n->max && !(far < n->far[at - 1])) return;
    if (at == n->max)
        at--;
    else
        n->count++;
    for (; at > 0 && far < n->far[at - 1]; at--) {
        n->row[at] = n->row[at - 1];
        n->far[at] = n->far[at - 1];
    }
    n->row[at] = row;
    n->far[at] = far;
}

/* --- volumes --- */

static const Mat34* pose_of(const World* world, Entity entity) {
    const Mat34* pose = ent_transform_world(world, entity);
    return pose ? pose : &mat34_identity;
}

/* Of a spot light with a narrow cone, the apex and the rim are on the sphere; otherwise, the rim is its largest
 * circle. */
static LightSphere sphere_of(const LightRecord* light, const Mat34* pose) {
    const Vec3 at = mat34_column(pose, 3), back = mat34_column(pose, 2);
    const f32  cosine = cosf(light->outer_angle_rad), length = vec3_length(back);
    if (light->kind == LIGHT_DIRECTIONAL) return (LightSphere){at, INFINITY};
    if (light->kind == LIGHT_POINT || !(length > 0)) return (LightSphere){at, light->range_m};
    const bool is_narrow = cosine * cosine > 0.5f;
    const f32  along = is_narrow ? light->range_m / (2 * cosine) : light->range_m * cosine;
    const f32  radius = is_narrow ? along : light->range_m * sinf(light->outer_angle_rad);
    return (LightSphere){vec3_add_scaled(at, back, -along / length), radius};
}

static LightBox box_of(Vec3 half_extent_m, const Mat34* pose) {
    return (LightBox){mat34_column(pose, 3),
                      {vec3_scale(mat34_column(pose, 0), half_extent_m.x),
                       vec3_scale(mat34_column(pose, 1), half_extent_m.y),
                       vec3_scale(mat34_column(pose, 2), half_extent_m.z)}};
}

static f32 sphere_distance(const LightSphere* sphere, Vec3 eye) {
    if (isinf(sphere->radius_m)) return -1; /* before all others */
    return MAX_OF(vec3_length(vec3_sub(sphere->center, eye)) - sphere->radius_m, 0.0f);
}

/* Of a sheared box, that of a box with the same axes at right angles. */
static f32 box_distance(const LightBox* box, Vec3 eye) {
    const Vec3 from = vec3_sub(eye, box->center);
    Vec3       rest = from;
    f32        sum = 0;
    for (u32 i = 0; i < 3; i++) {
        const f32 half = vec3_length(box->half_axis[i]);
        if (!(half > 0)) continue;
        const Vec3 axis = vec3_scale(box->half_axis[i], 1 / half);
        const f32  along = vec3_dot(from, axis), outside = MAX_OF(fabsf(along) - half, 0.0f);
        rest = vec3_add_scaled(rest, axis, -along);
        sum += outside * outside;
    }
    return sqrtf(sum + vec3_dot(rest, rest)); /* the rest: along axes of a flat box */
}

/* --- selection --- */

static void lights_pick(LightPicks* p, World* world, Vec3 eye) {
    const LightRows rows = ent_light_rows(world);
    Nearest         nearest = {.max = ENT_LIGHT_PICKS_LIGHTS};
    for (u32 i = 0; i < rows.count; i++) {
        const LightSphere sphere = sphere_of(&rows.record[i], pose_of(world, rows.entity[i]));
        nearest_add(&nearest, i, sphere_distance(&sphere, eye));
    }
    p->light_count = nearest.count;
    for (u32 i = 0; i < nearest.count; i++) {
        const u32 row = p->light[i] = nearest.row[i];
        p->light_sphere[i] = sphere_of(&rows.record[row], pose_of(world, rows.entity[row]));
    }
}

static bool is_above(const DecalRows* rows, u32 row, u32 other) {
    const u32 order = rows->record[row].order, other_order = rows->record[other].order;
    return order != other_order ? order > other_order : row > other;
}

static void decals_pick(LightPicks* p, World* world, Vec3 eye) {
    const DecalRows rows = ent_decal_rows(world);
    Nearest         nearest = {.max = ENT_LIGHT_PICKS_DECALS};
    for (u32 i = 0; i < rows.count; i++) {
        const LightBox box = box_of(rows.record[i].half_extent_m, pose_of(world, rows.entity[i]));
        nearest_add(&nearest, i, box_distance(&box, eye));
    }
    p->decal_count = nearest.count;
    for (u32 i = 0; i < nearest.count; i++) {
        u32 at = i;
        for (; at > 0 && is_above(&rows, nearest.row[i], p->decal[at - 1]); at--)
            p->decal[at] = p->decal[at - 1];
        p->decal[at] = nearest.row[i];
    }
    for (u32 i = 0; i < p->decal_count; i++)
        p->decal_box[i] = box_of(rows.record[p->decal[i]].half_extent_m,
                                 pose_of(world, rows.entity[p->decal[i]]));
}

static void probes_pick(LightPicks* p, World* world, Vec3 eye) {
    const EnvironmentProbeRows rows = ent_environment_probe_rows(world);
    Nearest                    nearest = {.max = ENT_LIGHT_PICKS_PROBES};
    for (u32 i = 0; i < rows.count; i++) {
        const LightBox box = box_of(rows.record[i].half_extent_m, pose_of(world, rows.entity[i]));
        nearest_add(&nearest, i, box_distance(&box, eye));
    }
    p->probe_count = nearest.count;
    for (u32 i = 0; i < nearest.count; i++) {
        const u32 row = p->probe[i] = nearest.row[i];
        p->probe_box[i] = box_of(rows.record[row].half_extent_m, pose_of(world, rows.entity[row]));
    }
}

void ent_light_picks(LightPicks* picks, World* world, Vec3 eye) {
    memset(picks, 0, sizeof *picks);
    lights_pick(picks, world, eye);
    decals_pick(picks, world, eye);
    probes_pick(picks, world, eye);
}

/* --- masks --- */

static f32 outside_of(f32 at, f32 low, f32 high) {
    return at < low ? low - at : at > high ? at - high : 0;
}

static bool sphere_touches(const LightSphere* sphere, Vec3 low, Vec3 high) {
    const Vec3 c = sphere->center;
    const Vec3 off = {outside_of(c.x, low.x, high.x), outside_of(c.y, low.y, high.y),
                      outside_of(c.z, low.z, high.z)};
    return isinf(sphere->radius_m) || vec3_dot(off, off) <= sphere->radius_m * sphere->radius_m;
}

/* Is there a gap between the boxes along an axis? An axis of length 0 separates nothing. */
static bool is_apart(const LightBox* box, Vec3 from, Vec3 half, Vec3 axis) {
    f32 reach = half.x * fabsf(axis.x) + half.y * fabsf(axis.y) + half.z * fabsf(axis.z);
    for (u32 i = 0; i < 3; i++) reach += fabsf(vec3_dot(box->half_axis[i], axis));
    return fabsf(vec3_dot(from, axis)) > reach;
}

static bool box_touches(const LightBox* box, Vec3 low, Vec3 high) {
    static const Vec3 units[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const Vec3        half = vec3_scale(vec3_sub(high, low), 0.5f);
    const Vec3        from = vec3_sub(box->center, vec3_add(low, half));
    const Vec3*       box_axis = box->half_axis;
    for (u32 i = 0; i < 3; i++) {
        if (is_apart(box, from, half, units[i])) return false;
        if (is_apart(box, from, half, vec3_cross(box_axis[i], box_axis[(i + 1) % 3]))) return false;
    }
    for (u32 i = 0; i < 9; i++)
        if (is_apart(box, from, half, vec3_cross(box_axis[i / 3], units[i % 3]))) return false;
    return true;
}

LightMask ent_light_mask(const LightPicks* picks, Vec3 low, Vec3 high) {
    LightMask mask = {0};
    for (u32 i = 0; i < picks->light_count; i++)
        mask.lights |= (u64)sphere_touches(&picks->light_sphere[i], low, high) << i;
    for (u32 i = 0; i < picks->decal_count; i++)
        mask.decals |= (u32)box_touches(&picks->decal_box[i], low, high) << i;
    for (u32 i = 0; i < picks->probe_count; i++)
        mask.probes |= (u32)box_touches(&picks->probe_box[i], low, high) << i;
    return mask;
}
