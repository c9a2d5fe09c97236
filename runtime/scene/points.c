/* points.c - point masses: runs of them are moved, then those are kept out of colliders, then transforms follow. */
#include "points.h"

#include <stdlib.h>

#include "collider_contact_internal.h"
#include "jobs.h"
#include "rows.h"
#include "transform_manager.h"
#include "vec.h"
#include "world_internal.h"

#define RUN 256u /* masses, of which all values stay in the first-level cache */

/* A collider that is no plane, with its range along x during the step. */
typedef struct Solid {
    f32                   low, high;
    const ColliderMotion* at;
} Solid;

typedef struct Step {
    PointMassRows         mass;
    f32                   step_s, kept; /* share of the velocity */
    Vec3                  gravity_step; /* what gravity adds to it */
    const ColliderMotion* plane;        /* [plane_count] */
    Solid*                solid; /* [solid_count] wide ones first, then the others by `low` */
    const u32* body;   /* [mass.count] by row: as EntColliderMotion.body; NULL: none is a body */
    bool       leaves; /* bodies stay as they are */
    u32        plane_count, solid_count, wide_count;
    f32        solid_width; /* of the widest range of those that are not wide */
} Step;

/* --- colliders --- */

static int compare_solids(const void* a, const void* b) {
    const Solid *x = a, *y = b;
    if (x->low != y->low) return x->low < y->low ? -1 : 1;
    return x->at < y->at ? -1 : x->at > y->at;
}

#define WIDE 8 /* times the mean */

static void solids_fill(Step* s, const ColliderMotion* at, u32 count) {
    f64 sum = 0;
    s->plane = at; /* they are first */
    while (s->plane_count < count && at[s->plane_count].is_plane) s->plane_count++;
    s->solid_count = count - s->plane_count;
    for (u32 i = 0; i < s->solid_count; i++) {
        const ColliderMotion* c = &at[s->plane_count + i];
        s->solid[i] = (Solid){MIN_OF(c->at_was.x, c->at.x) - c->reach_m,
                              MAX_OF(c->at_was.x, c->at.x) + c->reach_m, c};
        sum += (f64)(s->solid[i].high - s->solid[i].low);
    }
    for (u32 i = 0; i < s->solid_count; i++) {
        const Solid solid = s->solid[i];
        const f32   width = solid.high - solid.low;
        if ((f64)width * s->solid_count > WIDE * sum) {
            s->solid[i] = s->solid[s->wide_count];
            s->solid[s->wide_count++] = solid;
        } else {
            s->solid_width = MAX_OF(s->solid_width, width);
        }
    }
    qsort(s->solid + s->wide_count, s->solid_count - s->wide_count, sizeof *s->solid,
          compare_solids);
}

/* The first one that begins at a place or behind it. */
static u32 solid_search(const Step* s, f32 low) {
    u32 first = s->wide_count, count = s->solid_count - s->wide_count;
    while (count > 0) {
        const u32 half = count / 2;
        if (s->solid[first + half].low < low)
            first += half + 1, count -= half + 1;
        else
            count = half;
    }
    return first;
}

/* Can a way and a collider meet, by spheres around both? */
static bool is_near(const ColliderMotion* c, Vec3 from, Vec3 to) {
    const Vec3 middle = vec3_scale(vec3_add(from, to), 0.5f);
    const Vec3 between = vec3_scale(vec3_add(c->at_was, c->at), 0.5f);
    const f32  reach =
        c->reach_m +
        (vec3_length(vec3_sub(to, from)) + vec3_length(vec3_sub(c->at, c->at_was))) / 2;
    const Vec3 apart = vec3_sub(middle, between);
    return vec3_dot(apart, apart) <= reach * reach;
}

/* It does not meet the colliders of its entity: `body`; 0: it has none. */
static bool point_bound(const Step* s, u32 body, Vec3 from, Vec3* to, Vec3* velocity) {
    bool met = false;
    for (u32 i = 0; i < s->plane_count; i++)
        met |= collider_meet(&s->plane[i], from, to, velocity, s->step_s);
    for (u32 i = 0; i < s->wide_count; i++)
        if (is_near(s->solid[i].at, from, *to) && (body == 0 || s->solid[i].at->body != body))
            met |= collider_meet(s->solid[i].at, from, to, velocity, s->step_s);
    const f32 low = MIN_OF(from.x, to->x), high = MAX_OF(from.x, to->x);
    for (u32 i = solid_search(s, low - s->solid_width); i < s->solid_count; i++) {
        const Solid* solid = &s->solid[i];
        if (solid->low > high) break;
        if (solid->high < low || !is_near(solid->at, from, *to)) continue;
        if (body && solid->at->body == body) continue;
        met |= collider_meet(solid->at, from, to, velocity, s->step_s);
    }
    return met;
}

/* --- a run --- */

/* Columns of vectors are arrays of floats: with a factor for each float, this is one loop without transposition. */
static void run_move(const Step* s, u32 first, u32 count) {
    const f32  step_s = s->step_s, kept = s->kept;
    f32        by_mass[3 * RUN], gravity[3 * RUN];
    f32*       position = &s->mass.position[first].x;
    f32*       velocity = &s->mass.velocity[first].x;
    const f32* force = &s->mass.force[first].x;
    assert(count * sizeof(Vec3) <= sizeof by_mass && count * sizeof(Vec3) <= sizeof gravity);
    for (u32 i = 0; i < count; i++) {
        by_mass[3 * i] = by_mass[3 * i + 1] = by_mass[3 * i + 2] = step_s / s->mass.mass[first + i];
        gravity[3 * i] = s->gravity_step.x;
        gravity[3 * i + 1] = s->gravity_step.y;
        gravity[3 * i + 2] = s->gravity_step.z;
    }
    for (u32 i = 0; i < 3 * count; i++) {
        velocity[i] = (velocity[i] + force[i] * by_mass[i] + gravity[i]) * kept;
        position[i] += velocity[i] * step_s;
    }
}

static bool stays(const Step* s, u32 row) { return s->leaves && s->body && s->body[row]; }

/* Those that stay are moved with the others, and put back. */
static void run_put_back(const Step* s, u32 first, u32 end, const Vec3* from, const Vec3* fast) {
    for (u32 i = first; i < end; i++) {
        if (!stays(s, i)) continue;
        s->mass.position[i] = from[i - first];
        s->mass.velocity[i] = fast[i - first];
    }
}

static void run_step(void* user, u32 first, u32 end, u32 worker) {
    const Step* s = user;
    const bool  leaves = s->leaves && s->body;
    Vec3        from[RUN], fast[RUN];
    UNUSED(worker);
    if (leaves || s->plane_count + s->solid_count > 0)
        memcpy(from, s->mass.position + first, (end - first) * sizeof *from);
    if (leaves) memcpy(fast, s->mass.velocity + first, (end - first) * sizeof *fast);
    run_move(s, first, end - first);
    if (leaves) run_put_back(s, first, end, from, fast);
    if (s->plane_count + s->solid_count == 0) return;
    for (u32 i = first; i < end; i++) {
        const u32 body = s->body ? s->body[i] : 0;
        bool      met = !(leaves && body);
        for (u32 round = 0; round < CONTACT_ROUNDS && met; round++)
            met = point_bound(s, body, from[i - first], &s->mass.position[i], &s->mass.velocity[i]);
    }
}

static void step_run(Step* s, JobPool* jobs) {
    const u32 count = s->mass.count;
    JobGroup  group = {0};
    if (jobs && count > RUN) {
        ent_job_dispatch(jobs, &group, count, RUN, run_step, s);
        ent_job_wait(jobs, &group);
        return;
    }
    for (u32 first = 0; first < count; first += RUN)
        run_step(s, first, MIN_OF(first + RUN, count), 0);
}

/* --- transforms --- */

/* `row` and `place` have room for all masses. */
static void transforms_follow(World* world, const Step* s, u32* row, Vec3* place) {
    const PointMassRows* mass = &s->mass;
    u32                  count = 0;
    for (u32 i = 0; i < mass->count; i++) {
        if (stays(s, i)) continue;
        row[count] = ent_transform_row(world, mass->entity[i]);
        place[count] = mass->position[i];
        count += row[count] != ENT_MANAGER_NO_ROW;
    }
    ent_transform_set_places(world, row, place, count);
}

/* Which masses have colliders. */
static void bodies_find(Step* s, World* world, const EntColliders* colliders, u32* number) {
    const Manager* masses = ent_world_built_in(world, COMPONENT_POINT_MASS);
    u32            count;
    const Body*    body = ent_colliders_bodies(colliders, &count);
    memset(number, 0, s->mass.count * sizeof *number);
    for (u32 i = 0; i < count; i++) {
        const u32 row = ent_manager_row(masses, ent_world_entities(world), body[i].entity);
        if (row != MANAGER_NO_ROW) number[row] = i + 1;
    }
    s->body = number;
}

/* Memory for so many bytes, which the world keeps. */
static ent_status memory_need(World* world, size_t bytes) {
    const size_t each = 3 * sizeof(u32);
    Plan         plan = {0};
    if (bytes / each >= UINT32_MAX) return ENT_NO_MEMORY;
    plan_scratch(&plan, world, (u32)((bytes + each - 1) / each));
    return plan_run(world, &plan);
}

ent_status ent_simulate_points(World* world, const PointsDesc* desc) {
    Step                  step = {.mass = ent_point_mass_rows(world),
                                  .step_s = desc->step_s,
                                  .leaves = desc->leaves_bodies,
                                  .kept = 1 / (1 + desc->drag_per_s * desc->step_s),
                                  .gravity_step = vec3_scale(desc->gravity_m_s2, desc->step_s)};
    const bool            follow = ent_transform_rows(world).count > 0;
    u32                   collider_count = 0;
    const ColliderMotion* collider =
        desc->colliders ? ent_colliders_list(desc->colliders, &collider_count) : NULL;
    u32 body_count = 0;
    if (desc->colliders) ent_colliders_bodies(desc->colliders, &body_count);
    const size_t solids = collider_count * sizeof(Solid),
                 rows = follow ? step.mass.count * (sizeof(u32) + sizeof(Vec3)) : 0,
                 bodies = body_count ? step.mass.count * sizeof(u32) : 0;
    assert(desc->step_s > 0 && desc->drag_per_s >= 0);
    if (step.mass.count == 0) return ENT_OK;
    TRY(memory_need(world, solids + rows + bodies));
    step.mass = ent_point_mass_rows(world);
    step.solid = (Solid*)(void*)world->scratch;
    if (collider_count) solids_fill(&step, collider, collider_count);
    if (body_count)
        bodies_find(&step, world, desc->colliders,
                    (u32*)(void*)((u8*)world->scratch + solids + rows));
    step_run(&step, world->jobs);
    if (follow) {
        Vec3* place = (Vec3*)(void*)((u8*)world->scratch + solids);
        transforms_follow(world, &step, (u32*)(void*)(place + step.mass.count), place);
    }
    return ENT_OK;
}
