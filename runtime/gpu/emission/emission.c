/* emission.c - the table of emitters and sinks on the device, and what is counted there. */
#include "emission_internal.h"

#include <math.h>
#include <stdlib.h>

#include "gpu_frame_internal.h"

_Static_assert(ENT_EMISSION_EMITTERS_MAX == EMISSION_EMITTERS_MAX &&
                   ENT_EMISSION_SINKS_MAX == EMISSION_SINKS_MAX,
               "the table has a row for each");

ent_status emission_init(Emission* e, Gpu* gpu, u32 capacity, f32 step_s, const char* name) {
    *e = (Emission){.gpu = gpu, .capacity = capacity, .step_s = step_s, .name = name};
    e->rows = calloc(1, sizeof *e->rows);
    return e->rows ? ENT_OK : ENT_NO_MEMORY;
}

void emission_destroy(Emission* e) {
    if (e->gpu) gpu_frames_forget(e->gpu, e);
    free(e->rows);
    e->rows = NULL;
}

/* --- the start --- */

/* Places of the ring are those of the numbers that are free, in their order. */
ent_status emission_start(Emission* e, u32 alive) {
    const u32           ring = e->capacity ? (e->capacity - alive) % e->capacity : 0;
    const EmissionState state = {.alive = alive, .tail = ring, .tail_before = ring};
    const u64           bytes = MAX_OF(e->capacity, 1u) * sizeof(EmissionLife);
    EmissionLife*       lives = calloc(1, bytes);
    if (!lives) return ENT_NO_MEMORY;
    for (u32 i = 0; i < e->capacity; i++) {
        lives[i].ends = EMISSION_ENDLESS;
        lives[i].is_free = i + alive; /* of the numbers from `alive` on; more are not read */
    }
    ent_status status = gpu_upload(e->gpu, &e->lives, 0, lives, bytes);
    free(lives);
    if (status == ENT_OK) status = gpu_fill(e->gpu, &e->table, 0);
    if (status == ENT_OK) status = gpu_upload(e->gpu, &e->table, 0, &state, sizeof state);
    return status;
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

static void many_warn(Emission* e, const EntEmission* from) {
    if (e->warned[1] ||
        (from->emitter_count <= EMISSION_EMITTERS_MAX && from->sink_count <= EMISSION_SINKS_MAX))
        return;
    e->warned[1] = true;
    gpu_log(e->gpu, LOG_WARNING,
            "%s has %u emitters and %u sinks: only the first %u of each have an effect", e->name,
            from->emitter_count, from->sink_count, EMISSION_EMITTERS_MAX);
}

void emission_set(Emission* e, const EntEmission* from, const Mat34* space) {
    EmissionRows* const rows = e->rows;
    const EmissionRows  before = *rows;
    Mat34               to_space = mat34_identity;
    if (space && !mat34_invert(&to_space, space)) to_space = mat34_identity;
    many_warn(e, from);
    memset(rows, 0, sizeof *rows);
    rows->emitters = MIN_OF(from->emitter_count, EMISSION_EMITTERS_MAX);
    e->most = 0;
    for (u32 i = 0; i < rows->emitters; i++) {
        EmissionEmitter* row = &rows->emitter[i];
        emitter_fill(row, &from->emitter[i], &to_space, e->step_s);
        const bool follows = rows->emitters == before.emitters;
        memcpy(row->was, follows ? before.emitter[i].now : row->now, sizeof row->was);
        e->most = MIN_OF(e->most + MIN_OF(row->rate, e->capacity) + 1, e->capacity);
    }
    for (u32 i = 0; i < from->sink_count && i < EMISSION_SINKS_MAX; i++)
        rows->sinks += sink_fill(&rows->sink[rows->sinks], &from->sink[i], &to_space);
    rows->step_first = before.step_first;
    rows->step_inverse = before.step_inverse;
    e->changed |= memcmp(&before, rows, sizeof before) != 0;
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

ent_status emission_update(Emission* e, GpuFrame* frame, u32 steps) {
    EmissionRows* const rows = e->rows;
    const u64           at = offsetof(EmissionTable, rows);
    if (e->capacity == 0) return ENT_OK;
    if (!frame && rows_move(rows)) {
        rows_stand(rows);
        e->changed = true;
    }
    e->moved = rows_move(rows);
    if (e->changed || e->moved) {
        rows->step_first = e->steps;
        rows->step_inverse = steps ? 1 / (f32)steps : 0;
        e->changed = true; /* also after a failure */
        TRY(frame ? gpu_frame_upload(frame, &e->table, at, rows, sizeof *rows)
                  : gpu_upload(e->gpu, &e->table, at, rows, sizeof *rows));
        e->changed = e->moved; /* the next frame begins where they are then */
        rows_stand(rows);
    }
    e->steps += steps;
    return ENT_OK;
}

/* --- counts --- */

static u64 number_of(const u32 words[2]) { return words[0] | (u64)words[1] << 32; }

static void refused_report(void* user, const void* bytes, u64 count) {
    Emission* const e = user;
    EmissionState   state;
    if (e->warned[0] || count < sizeof state) return;
    memcpy(&state, bytes, sizeof state);
    if (number_of(state.refused) == 0) return;
    e->warned[0] = true;
    gpu_log(e->gpu, LOG_WARNING,
            "%s has reached its capacity of %u particles: emitters emit into it only when others "
            "have ended",
            e->name, e->capacity);
}

ent_status emission_report(Emission* e, GpuFrame* frame) {
    if (e->most == 0 || e->warned[0]) return ENT_OK;
    return gpu_frame_count(frame, &e->table, sizeof(EmissionState), refused_report, e);
}

ent_status emission_counts(const Emission* e, EntEmissionCounts* counts) {
    EmissionState state = {0};
    TRY(gpu_download(e->gpu, &e->table, 0, &state, sizeof state));
    *counts = (EntEmissionCounts){.capacity = e->capacity,
                                  .alive = state.alive - (state.tail - state.tail_before),
                                  .emitted = number_of(state.emitted),
                                  .refused = number_of(state.refused)};
    return ENT_OK;
}
