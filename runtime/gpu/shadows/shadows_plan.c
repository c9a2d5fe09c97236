/* shadows_plan.c - which lights cast, the sides of their maps, and the places of these in the atlas. */
#include "shadows.h"

#include <math.h>
#include <stdlib.h>

#include "gpu_system_internal.h"
#include "rows.h"
#include "vec.h"

#define SIDE_MIN SHADOWS_BLOCK

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
    if (lights > s->lights.room) {
        ShadowsLight* grown = realloc(s->lights.at, lights * sizeof *grown);
        if (!grown) return ENT_NO_MEMORY;
        s->lights.at = grown;
        s->lights.room = lights;
    }
    if (rows > s->lights.row_room) {
        u32* side = realloc(s->lights.side, rows * sizeof *side);
        if (side) s->lights.side = side;
        u32* row = realloc(s->lights.row, rows * sizeof *row);
        if (row) s->lights.row = row;
        u32* counted = realloc(s->lights.counted, rows * sizeof *counted);
        if (counted) s->lights.counted = counted;
        if (!side || !row || !counted) return ENT_NO_MEMORY;
        memset(s->lights.counted + s->lights.row_room, 0,
               (rows - s->lights.row_room) * sizeof *counted);
        memset(s->lights.side + s->lights.row_room, 0, (rows - s->lights.row_room) * sizeof *side);
        s->lights.row_room = rows;
    }
    s->lights.row_count = rows;
    return ENT_OK;
}

ent_status shadows_lights_find(Shadows* s, const GpuPlaces* places) {
    const LightRows rows = ent_light_rows(places->world);
    u32             count = 0;
    for (u32 i = 0; i < rows.count; i++)
        count += rows.record[i].casts_shadow && rows.record[i].intensity > 0;
    TRY(lights_reserve(s, rows.count, count));
    s->lights.count = 0;
    for (u32 i = 0; i < rows.count && s->lights.count < count; i++) {
        const LightRecord* from = &rows.record[i];
        u32                counted = s->lights.counted[i];
        if (!from->casts_shadow || !(from->intensity > 0)) continue;
        const Mat34 pose = gpu_places_pose(places, rows.entity[i]);
        TRY(shadows_counted_find(&s->counts, rows.entity[i], &counted));
        s->lights.counted[i] = counted;
        const Vec3 back = vec3_unit(mat34_column(&pose, 2));
        const f32  bright = MAX_OF(MAX_OF(from->color.x, from->color.y), from->color.z);
        s->lights.at[s->lights.count++] = (ShadowsLight){.row = i,
                                                         .counted = counted,
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
    for (u32 i = 0; i < s->lights.count; i++) {
        const u64 side = side_of(&o, &s->lights.at[i]);
        texels += maps_of(&o, &s->lights.at[i]) * side * side;
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
    for (u32 i = 0; i < s->lights.count; i++) {
        ShadowsLight* l = &s->lights.at[i];
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
    if (refused > s->lights.refused)
        gpu_log(
            s->gpu, LOG_WARNING,
            "the shadow atlas is full: %u lights of this picture cast no shadow; the limit is %u "
            "maps in an atlas of %u x %u texels",
            refused, SHADOWS_MAPS_MAX, s->table.head.atlas_side, s->table.head.atlas_side);
    s->lights.refused = MAX_OF(refused, s->lights.refused);
}

/* Lights that do not fit with the smallest maps have none: the least important ones. */
static void sides_choose(Shadows* s, const CanvasEye* eye) {
    const ShadowsSettings o = shadows_settings(s);
    const u64             room = (u64)s->table.head.atlas_side * s->table.head.atlas_side;
    u64                   area = 0;
    u32                   maps = 0, refused = 0;
    for (u32 i = 0; i < s->lights.count; i++)
        s->lights.at[i].importance = importance_of(&s->lights.at[i], eye);
    qsort(s->lights.at, s->lights.count, sizeof *s->lights.at, importance_order);
    for (u32 i = 0; i < s->lights.count; i++) {
        ShadowsLight* l = &s->lights.at[i];
        l->count = maps_of(&o, l);
        l->side = side_wanted(&o, l, s->lights.side[l->row]);
        const bool fits = maps + l->count <= SHADOWS_MAPS_MAX &&
                          (u64)(maps + l->count) * SIDE_MIN * SIDE_MIN <= room;
        l->refused = fits ? 0 : l->count;
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
    qsort(s->lights.at, s->lights.count, sizeof *s->lights.at, row_order);
    memset(s->lights.side, 0, s->lights.row_room * sizeof *s->lights.side);
    for (u32 i = 0; i < s->lights.count; i++)
        s->lights.side[s->lights.at[i].row] = s->lights.at[i].side;
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
    s->lights.map_count = 0;
    for (u32 i = 0; i < s->lights.count; i++) {
        s->lights.at[i].first = s->lights.map_count;
        s->lights.map_count += s->lights.at[i].count;
    }
    for (u32 side = 1u << 15; side >= SIDE_MIN; side /= 2) {
        for (u32 i = 0; i < s->lights.count; i++) {
            const ShadowsLight* l = &s->lights.at[i];
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
    if (s->lights.row_count) memset(s->lights.row, 0, s->lights.row_count * sizeof *s->lights.row);
    if (s->table.head.variant == CANVAS_SHADOWS_OFF) return;
    for (u32 i = 0; i < s->lights.count; i++) {
        const ShadowsLight* l = &s->lights.at[i];
        if (l->count == 0) continue;
        s->lights.row[l->row] = (l->first + 1) | l->count << 16 |
                                (l->kind == LIGHT_DIRECTIONAL ? SHADOWS_IS_CASCADES : 0);
    }
}

/* --- a picture --- */

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
    if (s->lights.count) sides_choose(s, scene->eye);
    places_find(s);
    for (u32 i = 0; i < s->lights.count; i++) shadows_light_fill(s, &s->lights.at[i], scene);
    rows_fill(s);
    s->standing_count = 0;
    if (head->variant != CANVAS_SHADOWS_OFF) {
        shadows_maps_choose(s, scene->eye);
        TRY(shadows_counts_begin(s, frame));
    }
    blocks_count(s);
    if (s->is_uploaded && memcmp(&before, &s->table, sizeof before) == 0) return ENT_OK;
    s->is_uploaded = true;
    TRY(gpu_frame_upload(frame, &s->buffer, 0, &s->table, sizeof s->table));
    return gpu_frame_upload(frame, &s->buffer, sizeof s->table, s->lights.row,
                            s->lights.row_count * sizeof *s->lights.row);
}

ent_status shadows_end(Shadows* s, GpuFrame* frame) {
    const ShadowsHead* head = &s->table.head;
    for (u32 i = 0; i < head->now_count; i++) {
        const u32 map = head->now[i];
        s->shown[map].map = s->table.map[map];
        s->shown[map].is_current = true;
        s->shown[map].old = (ShadowsRect){0};
    }
    return shadows_counts_end(s, frame);
}
