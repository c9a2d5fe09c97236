/* emission.c - the table of emitters and sinks on the device, and what is counted there. */
#include "emission_internal.h"

#include <math.h>
#include <stdlib.h>

#include "gpu_frame_internal.h"

_Static_assert(ENT_EMISSION_EMITTERS_MAX == EMISSION_EMITTERS_MAX &&
                   ENT_EMISSION_SINKS_MAX == EMISSION_SINKS_MAX,
               "the table has a row for each");

ent_status emission_init(Emission* e, Gpu* gpu, u32 pools, f32 step_s) {
    assert(pools <= EMISSION_POOLS_MAX);
    *e = (Emission){.gpu = gpu, .pools = pools, .step_s = step_s};
    e->rows = calloc(pools, sizeof *e->rows);
    return e->rows ? ENT_OK : ENT_NO_MEMORY;
}

void emission_pool_set(Emission* e, u32 pool, u32 capacity, u32 alive, f32 density,
                       const char* name) {
    EmissionRows* const rows = &e->rows[pool];
    assert(pool < e->pools && (capacity == 0 || alive <= capacity));
    e->part[pool] = (EmissionPart){.capacity = capacity, .alive = alive, .name = name};
    rows->first = e->capacity;
    rows->capacity = capacity;
    rows->density = density;
    e->capacity += capacity;
}

void emission_destroy(Emission* e) {
    if (e->gpu) gpu_frames_forget(e->gpu, e);
    free(e->rows);
    e->rows = NULL;
}

/* --- the start --- */

static u64 pool_offset(u32 pool) { return sizeof(EmissionState) + pool * sizeof(EmissionPool); }

/* Places of a ring are those of the numbers that are free, in their order. */
static ent_status lives_start(const Emission* e, const u32* words) {
    EmissionLife* lives = calloc(e->capacity, sizeof *lives);
    if (!lives) return ENT_NO_MEMORY;
    for (u32 p = 0; p < e->pools; p++) {
        const u32 first = e->rows[p].first;
        for (u32 i = 0; i < e->part[p].capacity; i++) {
            lives[first + i].ends = EMISSION_ENDLESS;
            /* From `alive` on; more are not read. */
            lives[first + i].is_free = (words ? words[p] : 0) + first + i + e->part[p].alive;
        }
    }
    const ent_status status = gpu_upload(e->gpu, &e->lives, 0, lives, e->capacity * sizeof *lives);
    free(lives);
    return status;
}

ent_status emission_start(Emission* e, const u32* words) {
    EmissionState state = {.pools = e->pools};
    if (e->capacity == 0) return ENT_OK;
    TRY(lives_start(e, words));
    TRY(gpu_fill(e->gpu, &e->table, 0));
    for (u32 p = 0; p < e->pools; p++) {
        const u32            capacity = e->part[p].capacity, alive = e->part[p].alive;
        const u32            ring = capacity ? (capacity - alive) % capacity : 0;
        const EmissionCounts counts = {.alive = alive, .tail = ring, .tail_before = ring};
        TRY(gpu_upload(e->gpu, &e->table, pool_offset(p), &counts, sizeof counts));
        state.alive += alive;
        e->part[p].changed = true;
    }
    return gpu_upload(e->gpu, &e->table, 0, &state, sizeof state);
}

/* --- rows --- */

static void rows_of_matrix(Vec4 row[3], const Mat34* m) {
    for (u32 r = 0; r < 3; r++) row[r] = (Vec4){m->m[r][0], m->m[r][1], m->m[r][2], m->m[r][3]};
}

/* From the cube of half size 1 to the space of the particles. */
static Mat34 cube_matrix(const Mat34* pose, Vec3 half_m, const Mat34* to_space) {
    const Mat34 box = mat34_from_columns(
        vec3_scale(mat34_column(pose, 0), half_m.x), vec3_scale(mat34_column(pose, 1), half_m.y),
        vec3_scale(mat34_column(pose, 2), half_m.z), mat34_column(pose, 3));
    return mat34_product(to_space, &box);
}

/* Two unit vectors across another one. */
static void sides_of(Vec3 v, Vec3 side[2]) {
    const Vec3 a = {fabsf(v.x), fabsf(v.y), fabsf(v.z)};
    const Vec3 other = a.x <= a.y && a.x <= a.z ? (Vec3){1, 0, 0}
                       : a.y <= a.z             ? (Vec3){0, 1, 0}
                                                : (Vec3){0, 0, 1};
    side[0] = vec3_unit(vec3_cross(v, other));
    side[1] = vec3_unit(vec3_cross(v, side[0]));
}

static void rate_set(EmissionEmitter* row, f64 per_step) {
    const f64 all = floor(per_step * 4294967296.0 + 0.5);
    row->rate = (u32)(all / 4294967296.0);
    row->rate_part = (u32)(all - 4294967296.0 * row->rate);
}

static void emitter_fill(EmissionEmitter* row, const EntEmitterAt* at, const Mat34* to_space,
                         f32 step_s) {
    const EmitterRecord* r = &at->record;
    const Mat34          cube = cube_matrix(&at->pose, r->half_extent_m, to_space);
    Vec3                 v = {0, 0, 0}, side[2];
    const f32            velocity[3] = {r->velocity_m_s.x, r->velocity_m_s.y, r->velocity_m_s.z};
    for (u32 a = 0; a < 3; a++)
        v = vec3_add_scaled(v, vec3_unit(mat34_column(&at->pose, a)), velocity[a]);
    sides_of(v, side);
    const f32 across = vec3_length(v) * tanf(r->spread_rad);
    const f64 life = floor((f64)r->life_s / (f64)step_s + 0.5);
    rows_of_matrix(row->now, &cube);
    row->velocity_m_s = mat34_direction(to_space, v);
    row->side_x = mat34_direction(to_space, vec3_scale(side[0], across));
    row->side_y = mat34_direction(to_space, vec3_scale(side[1], across));
    row->is_disc = r->shape == EMITTER_DISC;
    row->seed = r->seed;
    row->life = r->life_s > 0 ? (u32)MIN_OF(MAX_OF(life, 1), 2147483647.0) : 0;
    row->life_inverse = row->life ? 1 / (f32)row->life : 0;
    rate_set(row, (f64)r->rate_per_s * (f64)step_s);
}

/* Returns false when it has no volume. */
static bool sink_fill(EmissionSink* row, const EntSinkAt* at, const Mat34* to_space) {
    const Mat34 cube = cube_matrix(&at->pose, at->record.half_extent_m, to_space);
    Mat34       inverse;
    if (!mat34_invert(&inverse, &cube)) return false;
    rows_of_matrix(row->to_unit, &inverse);
    row->is_disc = at->record.shape == EMITTER_DISC;
    return true;
}

static void many_warn(const Emission* e, EmissionPart* part, const EntEmission* from) {
    if (part->warned[1] ||
        (from->emitter_count <= EMISSION_EMITTERS_MAX && from->sink_count <= EMISSION_SINKS_MAX))
        return;
    part->warned[1] = true;
    gpu_log(e->gpu, LOG_WARNING,
            "%s has %u emitters and %u sinks: only the first %u of each have an effect", part->name,
            from->emitter_count, from->sink_count, EMISSION_EMITTERS_MAX);
}

/* What stays as it is when rows are replaced. */
static void rows_clear(EmissionRows* rows, const EmissionRows* before) {
    memset(rows, 0, sizeof *rows);
    rows->first = before->first;
    rows->capacity = before->capacity;
    rows->density = before->density;
    rows->step_first = before->step_first;
    rows->step_inverse = before->step_inverse;
}

void emission_set(Emission* e, u32 pool, const EntEmission* from, const Mat34* space) {
    EmissionRows* const rows = &e->rows[pool];
    EmissionPart* const part = &e->part[pool];
    const EmissionRows  before = *rows;
    Mat34               to_space = mat34_identity;
    if (space && !mat34_invert(&to_space, space)) to_space = mat34_identity;
    many_warn(e, part, from);
    rows_clear(rows, &before);
    rows->emitters = MIN_OF(from->emitter_count, EMISSION_EMITTERS_MAX);
    part->most = 0;
    for (u32 i = 0; i < rows->emitters; i++) {
        EmissionEmitter* row = &rows->emitter[i];
        emitter_fill(row, &from->emitter[i], &to_space, e->step_s);
        const bool follows = rows->emitters == before.emitters;
        memcpy(row->was, follows ? before.emitter[i].now : row->now, sizeof row->was);
        part->most = MIN_OF(part->most + MIN_OF(row->rate, part->capacity) + 1, part->capacity);
    }
    for (u32 i = 0; i < from->sink_count && i < EMISSION_SINKS_MAX; i++)
        rows->sinks += sink_fill(&rows->sink[rows->sinks], &from->sink[i], &to_space);
    part->changed |= memcmp(&before, rows, sizeof before) != 0;
}

u32 emission_step_max(const Emission* e) {
    u32 most = 0;
    for (u32 p = 0; p < e->pools; p++) most += e->part[p].most;
    return most;
}

/* --- frames --- */

static bool rows_move(const EmissionRows* rows) {
    for (u32 i = 0; i < rows->emitters; i++)
        if (memcmp(rows->emitter[i].was, rows->emitter[i].now, sizeof rows->emitter[i].was) != 0)
            return true;
    return false;
}

static void rows_stand(EmissionRows* rows) {
    for (u32 i = 0; i < rows->emitters; i++)
        memcpy(rows->emitter[i].was, rows->emitter[i].now, sizeof rows->emitter[i].was);
}

static ent_status pool_update(Emission* e, u32 pool, GpuFrame* frame, u32 steps) {
    EmissionRows* const rows = &e->rows[pool];
    EmissionPart* const part = &e->part[pool];
    const u64           at = pool_offset(pool) + offsetof(EmissionPool, rows);
    const bool          moves = rows_move(rows);
    if (!part->changed && !moves) return ENT_OK;
    if (!frame) rows_stand(rows);
    rows->step_first = e->steps;
    rows->step_inverse = steps ? 1 / (f32)steps : 0;
    part->changed = true; /* also after a failure */
    TRY(frame ? gpu_frame_upload(frame, &e->table, at, rows, sizeof *rows)
              : gpu_upload(e->gpu, &e->table, at, rows, sizeof *rows));
    part->changed = frame && moves; /* the next frame begins where they are then */
    rows_stand(rows);
    return ENT_OK;
}

ent_status emission_update(Emission* e, GpuFrame* frame, u32 steps) {
    if (e->capacity == 0) return ENT_OK;
    for (u32 p = 0; p < e->pools; p++) TRY(pool_update(e, p, frame, steps));
    e->steps += steps;
    return ENT_OK;
}

/* --- counts --- */

static u64 number_of(const u32 words[2]) { return words[0] | (u64)words[1] << 32; }

static void refused_report(void* user, const void* bytes, u64 count) {
    Emission* const e = user;
    for (u32 p = 0; p < e->pools; p++) {
        EmissionPart* const part = &e->part[p];
        EmissionCounts      counts;
        if (part->warned[0] || count < pool_offset(p) + sizeof counts) continue;
        memcpy(&counts, (const u8*)bytes + pool_offset(p), sizeof counts);
        if (number_of(counts.refused) == 0) continue;
        part->warned[0] = true;
        gpu_log(e->gpu, LOG_WARNING,
                "%s has reached its capacity of %u particles: emitters emit into it only when "
                "others have ended",
                part->name, part->capacity);
    }
}

ent_status emission_report(Emission* e, GpuFrame* frame) {
    bool needed = false;
    for (u32 p = 0; p < e->pools; p++) needed |= e->part[p].most > 0 && !e->part[p].warned[0];
    if (!needed) return ENT_OK;
    return gpu_frame_count(frame, &e->table, pool_offset(e->pools - 1) + sizeof(EmissionCounts),
                           refused_report, e);
}

ent_status emission_counts(const Emission* e, u32 pool, EntEmissionCounts* out) {
    EmissionCounts counts = {0};
    TRY(gpu_download(e->gpu, &e->table, pool_offset(pool), &counts, sizeof counts));
    *out = (EntEmissionCounts){.capacity = e->part[pool].capacity,
                               .alive = counts.alive - (counts.tail - counts.tail_before),
                               .emitted = number_of(counts.emitted),
                               .refused = number_of(counts.refused)};
    return ENT_OK;
}
