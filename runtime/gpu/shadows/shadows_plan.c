/* shadows_plan.c - which lights cast, the sides of their maps, the places of these in the atlas, and what they show. */
#include "shadows.h"

#include <math.h>
#include <stdlib.h>

#include "gpu_system_internal.h"
#include "rows.h"
#include "vec.h"

#define FAR_FIRST 2u /* cascade that may be drawn less often */
#define SIDE_MIN  SHADOWS_BLOCK

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

static u32 maps_of(const ShadowsSettings* o, const ShadowsLight* l) {
    return l->kind == LIGHT_DIRECTIONAL ? o->cascades : shadows_is_cone(l) ? 1 : SHADOWS_FACES;
}

static u32 side_of(const ShadowsSettings* o, const ShadowsLight* l) {
    return l->kind == LIGHT_DIRECTIONAL ? o->cascade_side
           : shadows_is_cone(l)         ? o->spot_side
                                        : o->face_side;
}

static ent_status lights_reserve(Shadows* s, u32 rows, u32 lights) {
    if (lights > s->light_room) {
        ShadowsLight* grown = realloc(s->light, lights * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        s->light = grown;
        s->light_room = lights;
    }
    if (rows > s->row_room) {
        u32* side = realloc(s->side, rows * sizeof *side);
        if (side) s->side = side;
        u32* row = realloc(s->row, rows * sizeof *row);
        if (row) s->row = row;
        if (!side || !row) return ENT_NO_MEMORY;
        memset(s->side + s->row_room, 0, (rows - s->row_room) * sizeof *side);
        s->row_room = rows;
    }
    s->row_count = rows;
    return ENT_OK;
}

ent_status shadows_lights_find(Shadows* s, World* world) {
    const LightRows rows = ent_light_rows(world);
    u32             count = 0;
    for (u32 i = 0; i < rows.count; i++)
        count += rows.record[i].casts_shadow && rows.record[i].intensity > 0;
    TRY(lights_reserve(s, rows.count, count));
    s->light_count = 0;
    for (u32 i = 0; i < rows.count && s->light_count < count; i++) {
        const LightRecord* from = &rows.record[i];
        const Mat34        pose = entity_pose(world, rows.entity[i]);
        if (!from->casts_shadow || !(from->intensity > 0)) continue;
        const Vec3 back = vec3_unit(mat34_column(&pose, 2));
        const f32  bright = MAX_OF(MAX_OF(from->color.x, from->color.y), from->color.z);
        s->light[s->light_count++] = (ShadowsLight){.row = i,
                                                    .kind = from->kind,
                                                    .at = mat34_column(&pose, 3),
                                                    .along = vec3_scale(back, -1),
                                                    .range_m = from->range_m,
                                                    .intensity = from->intensity * bright,
                                                    .half_angle = from->outer_angle_rad};
    }
    return ENT_OK;
}

u64 shadows_texels(const Shadows* s) {
    const ShadowsSettings o = shadows_settings(s);
    u64                   texels = 0;
    for (u32 i = 0; i < s->light_count; i++) {
        const u64 side = side_of(&o, &s->light[i]);
        texels += maps_of(&o, &s->light[i]) * side * side;
    }
    return texels;
}

/* --- sides --- */

/* The part of the view that the reach of a light may fill; directional lights come first. */
static f32 importance_of(const ShadowsLight* l, const CanvasEye* eye) {
    if (l->kind == LIGHT_DIRECTIONAL) return 4;
    const f32 distance_m = vec3_length(vec3_sub(l->at, eye->origin));
    return distance_m <= l->range_m ? 2 : 2 * l->range_m / distance_m;
}

/* A side is kept until it is half as large or more than twice as large as it should be, so that maps need not be
 * drawn again while the camera moves. */
static u32 side_wanted(const ShadowsSettings* o, const ShadowsLight* l, u32 before) {
    const u32 max = side_of(o, l);
    f32       side = (f32)max * MIN_OF(l->importance, 1.0f);
    u32       wanted = SIDE_MIN;
    while (wanted * 2 <= max && (f32)wanted < side) wanted *= 2;
    if (before && before <= max && (before == wanted * 2 || before * 2 == wanted)) return before;
    return MIN_OF(wanted, max);
}

static u64 area_of(const ShadowsLight* l) { return (u64)l->count * l->side * l->side; }

/* The light whose maps are made smaller: the least important one of those with the largest maps. */
static ShadowsLight* largest_of(Shadows* s) {
    ShadowsLight* found = NULL;
    for (u32 i = 0; i < s->light_count; i++) {
        ShadowsLight* l = &s->light[i];
        if (l->side == 0) continue;
        const bool same = found && l->side == found->side;
        if (!found || l->side > found->side || (same && l->importance <= found->importance))
            found = l;
    }
    return found;
}

static int importance_order(const void* a, const void* b) {
    const ShadowsLight *x = a, *y = b;
    if (x->importance != y->importance) return x->importance < y->importance ? 1 : -1;
    return (x->row > y->row) - (x->row < y->row);
}

static int row_order(const void* a, const void* b) {
    const ShadowsLight *x = a, *y = b;
    return (x->row > y->row) - (x->row < y->row);
}

static void refused_report(Shadows* s, u32 refused) {
    if (refused > s->refused)
        gpu_log(
            s->gpu, LOG_WARNING,
            "the shadow atlas is full: %u lights of this picture cast no shadow; the limit is %u "
            "maps in an atlas of %u x %u texels",
            refused, SHADOWS_MAPS_MAX, s->table.head.atlas_side, s->table.head.atlas_side);
    s->refused = MAX_OF(refused, s->refused);
}

/* Lights that do not fit with the smallest maps have none: the least important ones. */
static void sides_choose(Shadows* s, const CanvasEye* eye) {
    const ShadowsSettings o = shadows_settings(s);
    const u64             room = (u64)s->table.head.atlas_side * s->table.head.atlas_side;
    u64                   area = 0;
    u32                   maps = 0, refused = 0;
    for (u32 i = 0; i < s->light_count; i++)
        s->light[i].importance = importance_of(&s->light[i], eye);
    qsort(s->light, s->light_count, sizeof *s->light, importance_order);
    for (u32 i = 0; i < s->light_count; i++) {
        ShadowsLight* l = &s->light[i];
        l->count = maps_of(&o, l);
        l->side = side_wanted(&o, l, s->side[l->row]);
        const bool fits = maps + l->count <= SHADOWS_MAPS_MAX &&
                          (u64)(maps + l->count) * SIDE_MIN * SIDE_MIN <= room;
        if (!fits) l->count = l->side = 0;
        refused += !fits;
        maps += l->count;
        area += area_of(l);
    }
    while (area > room) {
        ShadowsLight* l = largest_of(s);
        area -= area_of(l);
        l->side /= 2;
        area += area_of(l);
    }
    qsort(s->light, s->light_count, sizeof *s->light, row_order);
    memset(s->side, 0, s->row_room * sizeof *s->side);
    for (u32 i = 0; i < s->light_count; i++) s->side[s->light[i].row] = s->light[i].side;
    refused_report(s, refused);
}

/* --- places --- */

/* Squares whose sides are powers of two, the largest first, are next to each other along a Z-order curve. */
static void place_put(ShadowMap* map, u64 texels) {
    u32 x = 0, y = 0;
    for (u32 bit = 0; bit < 16; bit++) {
        x |= (u32)(texels >> (2 * bit) & 1) << bit;
        y |= (u32)(texels >> (2 * bit + 1) & 1) << bit;
    }
    map->left = (f32)x;
    map->top = (f32)y;
}

static void places_find(Shadows* s) {
    u64 texels = 0;
    s->map_count = 0;
    for (u32 i = 0; i < s->light_count; i++) {
        s->light[i].first = s->map_count;
        s->map_count += s->light[i].count;
    }
    for (u32 side = 1u << 15; side >= SIDE_MIN; side /= 2) {
        for (u32 i = 0; i < s->light_count; i++) {
            const ShadowsLight* l = &s->light[i];
            if (l->side != side) continue;
            for (u32 k = 0; k < l->count; k++, texels += (u64)side * side) {
                place_put(&s->table.map[l->first + k], texels);
                s->table.map[l->first + k].side = (f32)side;
            }
        }
    }
}

/* --- the table --- */

static void rows_fill(Shadows* s) {
    if (s->row_count) memset(s->row, 0, s->row_count * sizeof *s->row);
    if (s->table.head.variant == CANVAS_SHADOWS_OFF) return;
    for (u32 i = 0; i < s->light_count; i++) {
        const ShadowsLight* l = &s->light[i];
        if (l->count == 0) continue;
        s->row[l->row] = (l->first + 1) | l->count << 16 |
                         (l->kind == LIGHT_DIRECTIONAL ? SHADOWS_IS_CASCADES : 0);
    }
}

/* --- which maps are drawn --- */

void shadows_add(ShadowsSpheres* spheres, Vec4 sphere) {
    if (sphere.w < 0) return;
    if (isfinite(sphere.w) && spheres->count < SHADOWS_SPHERES_MAX)
        spheres->at[spheres->count++] = sphere;
    else
        spheres->is_anywhere = true;
}

static f32 row_at(Vec4 row, Vec3 p) { return vec3_dot((Vec3){row.x, row.y, row.z}, p) + row.w; }

/* Is a sphere on the side of the sum of two rows of a map? */
static bool is_inside(Vec4 a, Vec4 b, f32 sign, Vec4 sphere) {
    const Vec3 n = {a.x + sign * b.x, a.y + sign * b.y, a.z + sign * b.z};
    return vec3_dot(n, (Vec3){sphere.x, sphere.y, sphere.z}) + a.w + sign * b.w >=
           -sphere.w * vec3_length(n) * 1.0001f;
}

/* As is_in_reach of shadows_reach.glsl. */
static bool sphere_reaches(const ShadowMap* m, Vec4 sphere) {
    const bool is_flat = m->w.x == 0 && m->w.y == 0 && m->w.z == 0;
    return is_inside(m->w, m->x, 1, sphere) && is_inside(m->w, m->x, -1, sphere) &&
           is_inside(m->w, m->y, 1, sphere) && is_inside(m->w, m->y, -1, sphere) &&
           is_inside(m->z, m->z, 0, sphere) && (is_flat || is_inside(m->w, m->z, -1, sphere));
}

static bool any_reaches(const ShadowsSpheres* spheres, const ShadowMap* m) {
    bool any = spheres->is_anywhere;
    for (u32 i = 0; i < spheres->count && !any; i++) any = sphere_reaches(m, spheres->at[i]);
    return any;
}

static ShadowsRect rect_join(ShadowsRect a, ShadowsRect b) {
    if (a.right <= a.left) return b;
    return (ShadowsRect){MIN_OF(a.left, b.left), MIN_OF(a.top, b.top), MAX_OF(a.right, b.right),
                         MAX_OF(a.bottom, b.bottom)};
}

/* The texel of a place from -1 to 1, within a map; a texel more for what is rounded. */
static u32 texel_of(f32 place, f32 side, f32 more) {
    return (u32)MAX_OF(MIN_OF((place * 0.5f + 0.5f) * side + more, side), 0.0f);
}

/* Of a map, that a sphere which reaches it may cover. */
static ShadowsRect sphere_rect(const ShadowMap* m, Vec4 sphere) {
    const ShadowsRect all = {0, 0, (u32)m->side, (u32)m->side};
    f32               low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY};
    for (u32 k = 0; k < 8; k++) {
        const Vec3 p = {sphere.x + (k & 1 ? sphere.w : -sphere.w),
                        sphere.y + (k & 2 ? sphere.w : -sphere.w),
                        sphere.z + (k & 4 ? sphere.w : -sphere.w)};
        const f32  w = row_at(m->w, p), at[2] = {row_at(m->x, p) / w, row_at(m->y, p) / w};
        if (!(w > 1e-4f)) return all;
        for (u32 i = 0; i < 2; i++) {
            low[i] = MIN_OF(low[i], at[i]);
            high[i] = MAX_OF(high[i], at[i]);
        }
    }
    return (ShadowsRect){texel_of(low[0], m->side, -1), texel_of(low[1], m->side, -1),
                         texel_of(high[0], m->side, 2), texel_of(high[1], m->side, 2)};
}

static ShadowsRect rect_of(const ShadowsSpheres* spheres, const ShadowMap* m) {
    ShadowsRect rect = {0};
    if (spheres->is_anywhere) return (ShadowsRect){0, 0, (u32)m->side, (u32)m->side};
    for (u32 i = 0; i < spheres->count; i++)
        if (sphere_reaches(m, spheres->at[i]))
            rect = rect_join(rect, sphere_rect(m, spheres->at[i]));
    return rect;
}

/* Is it a cascade beyond the first two? */
static bool is_far(const Shadows* s, u32 map) {
    for (u32 i = 0; i < s->light_count; i++) {
        const ShadowsLight* l = &s->light[i];
        if (map >= l->first && map < l->first + l->count)
            return l->kind == LIGHT_DIRECTIONAL && map >= l->first + FAR_FIRST;
    }
    return false;
}

/* What a map shows is forgotten where it is old: it is drawn again also when this picture fails. */
/* Instances that were dropped may be needed when the camera has moved. */
static void eye_follow(Shadows* s, const CanvasEye* eye) {
    const Vec3 now[] = {eye->origin, eye->right, eye->up, eye->forward};
    const bool moved = memcmp(s->seen.eye, now, sizeof now) != 0;
    if (moved && s->seen.is_used && s->seen.movers)
        shadows_add(&s->moving, (Vec4){0, 0, 0, INFINITY});
    if (moved) s->seen.is_used = false;
    memcpy(s->seen.eye, now, sizeof now);
}

static void maps_choose(Shadows* s) {
    ShadowsHead* const head = &s->table.head;
    const bool         far_too = s->pictures++ % shadows_settings(s).interval == 0;
    const bool         moves = s->moving.count || s->moving.is_anywhere;
    for (u32 i = 0; i < s->map_count; i++) {
        const ShadowMap*    map = &s->table.map[i];
        ShadowsShown* const shown = &s->shown[i];
        if (memcmp(&shown->map, map, sizeof *map) != 0 || any_reaches(&s->changed, map))
            *shown = (ShadowsShown){0};
        if (shown->map.side == 0) continue;
        const ShadowsRect old = rect_of(&s->moving, map);
        if (old.right > old.left) shown->old = rect_join(shown->old, old);
        shown->is_current &= old.right <= old.left;
    }
    for (u32 i = s->map_count; i < SHADOWS_MAPS_MAX; i++) s->shown[i] = (ShadowsShown){0};
    s->changed = s->moving = (ShadowsSpheres){0};
    if (moves && !s->atlas.has_kept) {
        memset(s->shown, 0, sizeof s->shown);
        s->atlas.needs_kept = true;
    }
    for (u32 i = 0; i < s->map_count; i++)
        if (s->shown[i].map.side == 0) head->now[head->now_count++] = i;
    s->standing_count = head->now_count;
    for (u32 i = 0; i < s->map_count; i++)
        if (s->shown[i].map.side != 0 && !s->shown[i].is_current && (far_too || !is_far(s, i)))
            head->now[head->now_count++] = i;
}

static void blocks_count(Shadows* s) {
    ShadowsHead* const head = &s->table.head;
    u32                blocks = 0;
    for (u32 i = 0; i < head->now_count; i++) {
        const u32 wide = (u32)s->table.map[head->now[i]].side / SHADOWS_BLOCK;
        head->block_first[i] = blocks;
        blocks += wide * wide;
    }
    head->block_first[head->now_count] = blocks;
}

ent_status shadows_plan(Shadows* s, GpuFrame* frame, const ShadowsScene* scene) {
    const ShadowsTable before = s->table;
    ShadowsHead* const head = &s->table.head;
    head->variant = scene->eye->shadows;
    head->now_count = 0;
    s->atlas.has_nearest = false;
    if (s->light_count) sides_choose(s, scene->eye);
    places_find(s);
    for (u32 i = 0; i < s->light_count; i++) shadows_light_fill(s, &s->light[i], scene);
    rows_fill(s);
    s->standing_count = 0;
    if (head->variant != CANVAS_SHADOWS_OFF) {
        eye_follow(s, scene->eye);
        maps_choose(s);
    }
    blocks_count(s);
    if (s->is_uploaded && memcmp(&before, &s->table, sizeof before) == 0) return ENT_OK;
    s->is_uploaded = true;
    TRY(gpu_frame_upload(frame, &s->buffer, 0, &s->table, sizeof s->table));
    return gpu_frame_upload(frame, &s->buffer, sizeof s->table, s->row,
                            s->row_count * sizeof *s->row);
}

void shadows_end(Shadows* s) {
    const ShadowsHead* head = &s->table.head;
    for (u32 i = 0; i < head->now_count; i++) {
        const u32 map = head->now[i];
        s->shown[map] = (ShadowsShown){.map = s->table.map[map], .is_current = true};
    }
}
