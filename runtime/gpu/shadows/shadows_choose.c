/* shadows_choose.c - which maps are drawn: those that do not show what they have to, and where something has moved. */
#include <math.h>

#include "hash.h"
#include "shadows.h"
#include "vec.h"

#define FAR_FIRST 2u /* cascade that may be drawn less often */

/* --- where something changes --- */

void shadows_add(ShadowsSpheres* spheres, Vec4 sphere) {
    if (sphere.w < 0) return;
    if (isfinite(sphere.w) && spheres->count < SHADOWS_SPHERES_MAX)
        spheres->at[spheres->count++] = sphere;
    else
        spheres->is_anywhere = true;
}

void shadows_follow(Shadows* s, ShadowsFollowed* f, ShadowsSpheres* moving, u64 shown, bool changed,
                    bool moved) {
    const Vec4 anywhere = {0, 0, 0, INFINITY};
    const bool moved_before = f->moves, exists = shown || f->shown;
    const bool differs = exists && (moved || changed || shown != f->shown);
    const u32  still = shadows_settings(s).still;
    f->still = differs ? 0 : MIN_OF(f->still + 1, still);
    if (differs && (moved || f->shown))
        f->moves = true;
    else if (f->still == still)
        f->moves = false;
    if (f->moves && differs) shadows_add(moving, anywhere);
    if (f->moves != moved_before || (differs && !f->moves)) shadows_add(&s->changed, anywhere);
    f->shown = shown;
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
    if (shadows_is_empty(a)) return b;
    if (shadows_is_empty(b)) return a;
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

/* --- which maps are drawn --- */

/* Is it a cascade beyond the first two? */
static bool is_far(const Shadows* s, u32 map) {
    for (u32 i = 0; i < s->lights.count; i++) {
        const ShadowsLight* l = &s->lights.at[i];
        if (map >= l->first && map < l->first + l->count)
            return l->kind == LIGHT_DIRECTIONAL && map >= l->first + FAR_FIRST;
    }
    return false;
}

/* Instances that were dropped may be needed when the camera has moved. */
static void eye_follow(Shadows* s, const CanvasEye* eye) {
    const Vec3 now[] = {eye->origin, eye->right, eye->up, eye->forward};
    const bool moved = memcmp(s->seen.eye, now, sizeof now) != 0;
    if (moved && s->seen.is_used && s->seen.movers)
        shadows_add(&s->moving, (Vec4){0, 0, 0, INFINITY});
    if (moved) s->seen.is_used = false;
    memcpy(s->seen.eye, now, sizeof now);
}

/* What a light shows, without its reach. */
static u64 look_of(const ShadowsLight* l) {
    const f32 look[] = {l->at.x,    l->at.y,    l->at.z,      l->along.x,    l->along.y,
                        l->along.z, l->range_m, l->intensity, l->half_angle, (f32)l->kind};
    return hash_bytes(look, sizeof look, l->counted);
}

/* Why a map does not show what it has to. */
static EntShadowCause cause_of(const ShadowsShown* shown, const ShadowMap* now, u64 look) {
    const ShadowMap* was = &shown->map;
    if (was->left != now->left || was->top != now->top || was->side != now->side)
        return ENT_SHADOW_CAUSE_SIZE;
    return shown->look != look ? ENT_SHADOW_CAUSE_LIGHT : ENT_SHADOW_CAUSE_CAMERA;
}

static void shown_forget(ShadowsShown* shown, EntShadowCause cause) {
    shown->map = (ShadowMap){0};
    shown->is_current = false;
    shown->old = (ShadowsRect){0};
    shown->cause = cause;
}

/* What a map shows is forgotten where it is old: it is drawn again also when this picture fails. */
static void shown_follow(Shadows* s, const ShadowsLight* l, u32 i) {
    const u32           number = i - l->first;
    const ShadowMap*    map = &s->table.map[i];
    ShadowsShown* const shown = &s->shown[i];
    const u64           look = look_of(l);
    if (shown->map.side == 0) {
        /* It was drawn by no picture that was complete. */
    } else if (shown->light != l->counted || shown->number != number)
        shown_forget(shown, ENT_SHADOW_CAUSE_NEW);
    else if (memcmp(&shown->map, map, sizeof *map) != 0)
        shown_forget(shown, cause_of(shown, map, look));
    else if (any_reaches(&s->changed, map))
        shown_forget(shown, ENT_SHADOW_CAUSE_MOVED);
    shown->light = l->counted;
    shown->number = number;
    shown->look = look;
    if (shown->map.side == 0) return;
    const ShadowsRect old = rect_of(&s->moving, map);
    shown->old = rect_join(shown->old, old);
    shown->is_current &= shadows_is_empty(old) && !any_reaches(&s->moving_filters, map);
}

static void all_follow(Shadows* s) {
    const bool moves = s->moving.count || s->moving.is_anywhere || s->moving_filters.count ||
                       s->moving_filters.is_anywhere;
    for (u32 i = 0; i < s->lights.count; i++) {
        const ShadowsLight* l = &s->lights.at[i];
        for (u32 k = 0; k < l->count; k++) shown_follow(s, l, l->first + k);
    }
    for (u32 i = s->lights.map_count; i < SHADOWS_MAPS_MAX; i++) s->shown[i] = (ShadowsShown){0};
    s->changed = s->moving = s->moving_filters = (ShadowsSpheres){0};
    if (!moves || s->atlas.has_kept) return;
    for (u32 i = 0; i < s->lights.map_count; i++) shown_forget(&s->shown[i], ENT_SHADOW_CAUSE_NEW);
    s->atlas.needs_kept = true;
}

void shadows_maps_choose(Shadows* s, const CanvasEye* eye) {
    ShadowsHead* const head = &s->table.head;
    const bool         far_too = s->pictures++ % shadows_settings(s).interval == 0;
    eye_follow(s, eye);
    all_follow(s);
    for (u32 i = 0; i < s->lights.map_count; i++)
        if (s->shown[i].map.side == 0) head->now[head->now_count++] = i;
    s->standing_count = head->now_count;
    for (u32 i = 0; i < s->lights.map_count; i++)
        if (s->shown[i].map.side != 0 && !s->shown[i].is_current && (far_too || !is_far(s, i)))
            head->now[head->now_count++] = i;
}
