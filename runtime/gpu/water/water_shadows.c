/* water_shadows.c - fluids in shadow maps: the surface is found as the light sees it, at half the size of the map, and kernels add it to
 * the filters of the map. */
#include "water_internal.h"

#include "hash.h"

void water_follow(Water* w, bool moved) {
    u64 shown = 0;
    if (!w->lighting) return;
    for (u32 i = 0; i < w->draw_count; i++) {
        const WaterDraw* d = &w->draw[i];
        shown = hash_bytes(&d->absorption_per_m, sizeof d->absorption_per_m, shown ^ d->count);
        shown = hash_bytes(&d->radius_m, sizeof d->radius_m, shown);
        shown = hash_bytes(&d->index, sizeof d->index, shown);
    }
    Shadows* const shadows = &w->lighting->shadows;
    shadows_follow(shadows, &w->followed, &shadows->moving_filters, shown, false, moved);
}

/* --- the camera of a map --- */

static Vec3 row_of(Vec4 v) { return (Vec3){v.x, v.y, v.z}; }

/* The vector whose dot product with points is a row. */
static Vec3 along(Vec4 row) {
    const Vec3 v = row_of(row);
    return vec3_scale(v, 1 / vec3_dot(v, v));
}

/* Depth is a linear function of distance, or of its inverse. */
static CanvasEye map_eye(const ShadowMap* m) {
    const u32  side = (u32)m->side / 2;
    const bool is_flat = m->w.x == 0 && m->w.y == 0 && m->w.z == 0;
    const Vec3 forward = is_flat ? vec3_scale(row_of(m->z), -1) : row_of(m->w);
    CanvasEye  eye = {.clip_x = m->x,
                      .clip_y = m->y,
                      .clip_z = m->z,
                      .clip_w = m->w,
                      .right = along(m->x),
                      .up = vec3_scale(along(m->y), -1),
                      .forward = vec3_unit(forward),
                      .orthographic = is_flat,
                      .width = side,
                      .height = side,
                      .samples = 1};
    const Vec3 aside = vec3_add(vec3_scale(along(m->x), m->x.w), vec3_scale(along(m->y), m->y.w));
    const Vec3 ahead =
        is_flat ? vec3_scale(along(m->z), m->z.w - 1) : vec3_scale(along(m->w), m->w.w);
    eye.origin = vec3_scale(vec3_add(aside, ahead), -1);
    const f32 slope = vec3_dot(row_of(m->z), eye.forward);
    const f32 start = vec3_dot(row_of(m->z), eye.origin) + m->z.w; /* depth times w at the origin */
    if (is_flat) {
        eye.near_m = -1e30f; /* what is before the map casts from its front */
        eye.depth_scale = 1 / slope;
        eye.depth_bias = -start / slope;
    } else {
        const f32 each = vec3_dot(row_of(m->w), eye.forward); /* w of a metre */
        eye.near_m = start / (each - slope);
        eye.depth_scale = each / start;
        eye.depth_bias = -slope / start;
    }
    return eye;
}

/* --- maps --- */

typedef struct Cast {
    Water*      water;
    GpuPicture* picture;
    bool        is_kept, covered;
} Cast;

/* The list does not track images: passes that write them declare that they write the table, as shadows_filters_erase. */
static void texels_record(const Cast* c, const WaterScope* s) {
    const Water*     w = c->water;
    const WaterView* v = s->view;
    const Shadows*   shadows = &w->lighting->shadows;
    const GpuBuffer* covered = &shadows->atlas.covered;
    gpu_pass(s->list, &(GpuPass){.name = "water",
                                 .kernel = &w->kernel.cast[c->is_kept],
                                 .textures = w->lighting->textures.sets.set,
                                 .use = {[CANVAS_VIEW] = {s->eye, GPU_READ},
                                         [WATER_STATE] = {&w->state, GPU_READ},
                                         [WATER_FLUID] = {&w->fluids, GPU_READ},
                                         [WATER_NEAREST] = {&v->nearest, GPU_READ},
                                         [WATER_THICK] = {&v->thick, GPU_READ},
                                         [WATER_FOAMS] = {&v->foams, GPU_READ},
                                         [SHADOWS_COVERED] = {covered->handle ? covered : &v->thick,
                                                              GPU_READ},
                                         [SHADOWS_TABLE] = {&shadows->buffer, GPU_READ_WRITE}},
                                 GPU_PUSH(s->push),
                                 .threads = 1,
                                 .indirect = &w->state,
                                 .indirect_offset = water_groups(WATER_OF_BLOCKS)});
}

static ent_status map_cast(const Cast* c, u32 which) {
    Water* const        w = c->water;
    const ShadowsTable* table = &w->lighting->shadows.table;
    const ShadowMap*    m = &table->map[table->head.now[which]];
    const u32           side = (u32)m->side / 2;
    const CanvasEye     eye = map_eye(m);
    GpuFrame* const     frame = c->picture->frame;
    TRY(water_view_need(w, &w->map, frame, side, side, true));
    TRY(gpu_frame_upload(frame, &w->eye, 0, &eye, sizeof eye));
    WaterScope scope = {.water = w,
                        .view = &w->map,
                        .list = &frame->list,
                        .eye = &w->eye,
                        .pyramid = c->picture->pyramid,
                        .images = c->picture->images,
                        .push = water_push(w, &w->map)};
    scope.push.is_map = 1;
    scope.push.map = which;
    scope.push.is_kept = c->is_kept && w->lighting->shadows.atlas.has_kept;
    scope.push.covered = c->covered;
    water_find(&scope);
    texels_record(c, &scope);
    return frame->list.status;
}

/* Fluids that stand are kept as other transparent surfaces; where moving opaque surfaces cover them, they are drawn again. */
ent_status water_casters(Water* w, GpuPicture* picture) {
    const u32 maps = w->lighting ? lighting_maps(w->lighting, picture) : 0;
    picture->filters |= w->draw_count > 0;
    if (w->draw_count == 0 || maps == 0 || picture->stage < SHADOWS_FILTERS_STANDING) return ENT_OK;
    const bool is_kept = picture->stage == SHADOWS_FILTERS_STANDING, moves = w->followed.moves;
    const Cast cast = {.water = w,
                       .picture = picture,
                       .is_kept = is_kept,
                       .covered = !is_kept && !moves && w->lighting->shadows.atlas.has_kept};
    if (is_kept && moves) return ENT_OK;
    TRY(water_need(w, picture->frame));
    for (u32 i = 0; i < maps; i++) TRY(map_cast(&cast, i));
    return picture->frame->list.status;
}
