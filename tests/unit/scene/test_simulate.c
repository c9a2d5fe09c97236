/* test_simulate.c - a world under every operation of a host, in random order and with failing
 * allocations, compared with a naive model.
 *
 *     make simulate [seed=N] [steps=N]
 *
 * A run consists of games: each has its own seed, counted up from that of the run, so that a game
 * that failed can be repeated alone by its seed. A game is one world, or two that share their
 * entities. */
#include "test_simulate.h"
#include "manager_watch.h"
#include "rows.h"
#include "world_internal.h"

#include <stdio.h>
#include <stdlib.h>

#define GAME_STEPS  2500
#define CHECK_STEPS 16
#define HOST_MARK   0x5eed0000u /* in extra columns, with the owner */

/* The current position, for the report of a failure. */
static struct {
    u64 seed;
    u32 step;
} where;

Mirror* sim_any_mirror(Sim* sim) { return &sim->mirror[random_below(&sim->r, sim->world_count)]; }

static MirrorEntity* any_entity(Sim* sim, const Mirror* mirror) {
    return mirror->count ? mirror->at[random_below(&sim->r, mirror->count)] : NULL;
}

static MirrorEntity* any_transform(Sim* sim, const Mirror* mirror) {
    for (u32 i = 0; i < 8; i++) {
        MirrorEntity* e = any_entity(sim, mirror);
        if (e && e->count[mirror->transform]) return e;
    }
    return NULL;
}

/* Mostly an entity that is alive; also destroyed ones, and the null entity. */
Entity sim_any_handle(Sim* sim, const Mirror* mirror) {
    const u32 what = random_below(&sim->r, 40);
    if (what == 0) return ENTITY_NULL;
    if ((what < 3 || !mirror->count) && mirror->ever_count) {
        return mirror->ever[random_below(&sim->r, mirror->ever_count)];
    }
    return mirror->count ? any_entity(sim, mirror)->id : ENTITY_NULL;
}

/* The target of an action of the game: one in four may belong to a level that is edited. */
static Entity any_target(Sim* sim, const Mirror* mirror) {
    const Entity of_level = random_below(&sim->r, 4) ? ENTITY_NULL : sim_any_of_level(sim, mirror);
    return of_level == ENTITY_NULL ? sim_any_handle(sim, mirror) : of_level;
}

void sim_moved(Sim* sim, const Mirror* mirror) {
    sim->clean[mirror - sim->mirror] &= !sim->deferred[mirror - sim->mirror];
}

/* --- entities --- */

void sim_add(Sim* sim, Entity id) {
    for (u32 i = 0; i < sim->world_count; i++) mirror_add(&sim->mirror[i], id);
}

static void sim_create(Sim* sim) {
    Mirror*          mirror = sim_any_mirror(sim);
    Entity           entities[8];
    const u32        count = random_below(&sim->r, 8);
    const ent_status status = ent_entity_create(mirror->world, entities, count);
    if (status == ENT_NO_MEMORY) return;
    assert_int_equal(status, ENT_OK);
    for (u32 i = 0; i < count; i++) sim_add(sim, entities[i]);
}

/* Those that are alive, each once. */
static u32 living_count(const Mirror* mirror, const Entity* entities, u32 count) {
    u32 living = 0;
    for (u32 i = 0; i < count; i++) {
        bool first = mirror_find(mirror, entities[i]) != NULL;
        for (u32 k = 0; k < i; k++) first &= entities[k] != entities[i];
        living += first;
    }
    return living;
}

static void sim_destroy(Sim* sim) {
    Mirror* mirror = sim_any_mirror(sim);
    Entity  gone[16];
    u32     count = 1;
    gone[0] = sim_any_handle(sim, mirror);
    while (count < COUNT_OF(gone) && random_below(&sim->r, 6)) {
        gone[count++] = sim_any_handle(sim, mirror);
    }
    const u32 living = living_count(mirror, gone, count);
    assert_int_equal(ent_entity_destroy(mirror->world, gone, count), living);
    for (u32 i = 0; i < count; i++) {
        for (u32 k = 0; k < sim->world_count; k++) mirror_destroy(&sim->mirror[k], gone[i]);
    }
    for (u32 k = 0; k < sim->world_count && living; k++) sim_moved(sim, &sim->mirror[k]);
}

/* Their descendants are destroyed as well, in each of the worlds; one may be listed twice. */
static void sim_destroy_subtrees(Sim* sim) {
    Mirror* mirror = sim_any_mirror(sim);
    Entity  named[4], *gone = calloc(mirror->count + COUNT_OF(named), sizeof *gone);
    u32     count = 1 + random_below(&sim->r, COUNT_OF(named)), living = 0, destroyed;
    for (u32 i = 0; i < count; i++) {
        named[i] = sim_any_handle(sim, mirror);
        if (mirror_find(mirror, named[i])) gone[living++] = named[i];
    }
    const ent_status status = ent_entity_destroy_subtrees(mirror->world, named, count, &destroyed);
    if (status != ENT_NO_MEMORY) assert_int_equal(status, ENT_OK);
    if (status == ENT_OK) {
        count = mirror_subtrees(sim->mirror, sim->world_count, gone, living);
        assert_int_equal(destroyed, count);
        for (u32 k = 0; k < sim->world_count; k++) {
            for (u32 i = 0; i < count; i++) mirror_destroy(&sim->mirror[k], gone[i]);
            sim_moved(sim, &sim->mirror[k]);
        }
    }
    free(gone);
}

/* Clearing the first world destroys all entities, clearing one that shares them only their
 * components. */
static void sim_clear(Sim* sim) {
    Mirror* mirror = sim_any_mirror(sim);
    ent_world_clear(mirror->world);
    if (mirror == sim->mirror) {
        for (u32 i = 0; i < sim->world_count; i++) mirror_clear(&sim->mirror[i]);
        return;
    }
    for (u32 i = 0; i < mirror->count; i++) {
        MirrorEntity* e = mirror->at[i];
        e->parent = ENTITY_NULL;
        e->children = 0;
        memset(e->count, 0, sizeof e->count);
    }
}

/* --- extra columns: zero when a row is created, then a value of the owner as long as the row
 * exists --- */

void sim_extras_mark(const Mirror* mirror) {
    for (u32 t = 0; t < PLUGIN_COUNT; t++) {
        const Manager* m = manager_of(mirror->world, &plugin_types()[t]);
        const u32      record_columns = ent_component_column_count(&m->desc.type);
        u64*           wide = m->column[record_columns];
        u32*           narrow = m->column[record_columns + 1];
        for (u32 row = 0; row < m->count; row++) {
            const u32 mark = HOST_MARK ^ m->entity[row];
            assert_true((wide[row] == 0 && narrow[row] == 0) ||
                        (wide[row] == mark && narrow[row] == mark));
            wide[row] = narrow[row] = mark;
        }
    }
}

/* --- spawning --- */

void sim_options_choose(Sim* sim, const Mirror* mirror, SpawnOptions* options,
                        TransformRecord* root) {
    *options = (SpawnOptions){.strict = 1};
    if (random_below(&sim->r, 3) == 0) options->parent = sim_any_handle(sim, mirror);
    if (random_below(&sim->r, 3) == 0) {
        *root = tame_pose(&sim->r);
        root->scale.y = root->scale.z = root->scale.x;
        options->root = root;
    }
}

/* The expected status of the call for options->parent. */
static ent_status options_status(const Mirror* mirror, const SpawnOptions* options) {
    const MirrorEntity* parent = mirror_find(mirror, options->parent);
    if (options->parent == ENTITY_NULL) return ENT_OK;
    if (!parent) return ENT_STALE;
    return parent->count[mirror->transform] ? ENT_OK : ENT_NO_TRANSFORM;
}

/* Gives an entity the components of the scene; the pose of a root is that of `root` times its
 * own. */
static void spawned_add(Mirror* mirror, const Scene* s, const Entity* entities, u32 e, Entity outer,
                        const TransformRecord* root) {
    if (!mirror_spawn_entity(mirror, s, entities, e, outer) || !root) return;
    MirrorEntity* owner = mirror_find(mirror, entities[e]);
    const Mat64   above = mat64_of(root), record_columns = mat64_of(mirror_pose(mirror, owner));
    const Mat64   want = mat64_multiply(&above, &record_columns);
    mirror_pose_read(mirror, owner);
    const Mat64 got = mat64_of(mirror_pose(mirror, owner));
    Mat34       narrow;
    for (u32 i = 0; i < 12; i++) narrow.m[i / 4][i % 4] = (f32)got.m[i / 4][i % 4];
    assert_matrix_near(&narrow, &want);
}

/* The entities of the part that do not exist yet. */
static u32 part_requested(const Scene* s, const SpawnOptions* options, const Entity* entities,
                          bool* wanted) {
    const bool all = options->part == SPAWN_ALL;
    u32        count = 0;
    for (u32 e = 0; e < s->entity_count; e++) {
        wanted[e] = all || e == options->which || (s->parent[e] != NONE && wanted[s->parent[e]]);
    }
    for (u32 e = 0; e < s->entity_count; e++) {
        wanted[e] = wanted[e] && (all || entities[e] == ENTITY_NULL);
        count += wanted[e];
    }
    return count;
}

bool sim_spawn_once(Sim* sim, Mirror* mirror, const Scene* s, const SpawnOptions* options,
                    Entity* entities) {
    bool             wanted[SCENE_MAX];
    const ent_status want = options_status(mirror, options);
    part_requested(s, options, entities, wanted);
    const ent_status status = ent_world_spawn(mirror->world, &s->blob, options, entities);
    if (status == ENT_NO_MEMORY) return false;
    assert_int_equal(status, want);
    if (status != ENT_OK) return false;
    for (u32 e = 0; e < s->entity_count; e++) {
        if (wanted[e]) sim_add(sim, entities[e]);
    }
    for (u32 e = 0; e < s->entity_count; e++) {
        if (wanted[e]) spawned_add(mirror, s, entities, e, options->parent, options->root);
    }
    sim_moved(sim, mirror);
    sim_extras_mark(mirror);
    return true;
}

static void sim_spawn(Sim* sim) {
    Mirror*         mirror = sim_any_mirror(sim);
    const Scene*    s = &sim->scene[random_below(&sim->r, SCENES)];
    SpawnOptions    options;
    TransformRecord root;
    Entity          entities[SCENE_MAX] = {0};
    if (mirror->count > LIVING_MAX) return;
    sim_options_choose(sim, mirror, &options, &root);
    if (random_below(&sim->r, 2)) options.part = SPAWN_SUBTREE;
    for (u32 parts = 0; parts < 3; parts++) {
        options.which = random_below(&sim->r, s->entity_count);
        if (!sim_spawn_once(sim, mirror, s, &options, entities)) return;
        if (options.part == SPAWN_ALL) return;
    }
}

/* --- spawning over frames --- */

static void job_begin(Sim* sim) {
    SimJob*      j = &sim->job;
    Mirror*      mirror = sim_any_mirror(sim);
    const Scene* s = &sim->scene[random_below(&sim->r, SCENES)];
    if (mirror->count > LIVING_MAX) return;
    *j = (SimJob){.scene = s, .mirror = mirror};
    sim_options_choose(sim, mirror, &j->options, &j->root);
    j->options.which = random_below(&sim->r, s->entity_count);
    if (random_below(&sim->r, 2)) j->options.part = SPAWN_SUBTREE;
    const ent_status want = options_status(mirror, &j->options);
    const ent_status status =
        ent_spawn_begin(&j->job, mirror->world, &s->blob, &j->options, j->entities);
    if (status == ENT_NO_MEMORY) return;
    assert_int_equal(status, want);
    assert_int_equal(j->job != NULL, status == ENT_OK);
}

/* Every entity of the level has a name, and the host adds none: an entity with a name was
 * completed. */
static bool job_serves(const SimJob* j, u32 e) {
    const u32 name = ent_component_types()[COMPONENT_NAME].id;
    return j->created[e] && !j->served[e] &&
           ent_manager_contains(ent_world_manager(j->mirror->world, name),
                                j->mirror->world->entities, j->entities[e]);
}

static void job_look(Sim* sim) {
    SimJob*    j = &sim->job;
    const bool has_parent = options_status(j->mirror, &j->options) == ENT_OK;
    if (!has_parent) j->options.parent = ENTITY_NULL;
    for (u32 e = 0; e < j->scene->entity_count; e++) {
        if (j->created[e] || j->entities[e] == ENTITY_NULL) continue;
        j->created[e] = true;
        sim_add(sim, j->entities[e]);
    }
    for (u32 e = 0; e < j->scene->entity_count; e++) {
        if (!job_serves(j, e)) continue;
        j->served[e] = true;
        spawned_add(j->mirror, j->scene, j->entities, e, j->options.parent,
                    j->options.root ? &j->root : NULL);
    }
    sim_moved(sim, j->mirror);
    sim_extras_mark(j->mirror);
}

static void job_end(SimJob* j) {
    ent_spawn_end(j->job);
    *j = (SimJob){0};
}

static void sim_job(Sim* sim) {
    SimJob* j = &sim->job;
    int     done = 0;
    if (!j->job) {
        job_begin(sim);
        return;
    }
    if (random_below(&sim->r, 30) == 0) {
        job_end(j);
        return;
    }
    const ent_status status = ent_spawn_step(j->job, 0, &done);
    job_look(sim);
    if (status != ENT_OK) assert_int_equal(status, ENT_NO_MEMORY);
    if (!done) return;
    for (u32 e = 0; e < j->scene->entity_count; e++) {
        assert_true(!j->created[e] || j->served[e] || !mirror_find(j->mirror, j->entities[e]));
    }
    job_end(j);
}

/* Was it created by the job, and does it wait for its components? */
static bool job_owes(const Sim* sim, const MirrorEntity* e) {
    const SimJob* j = &sim->job;
    for (u32 i = 0; j->job && i < j->scene->entity_count; i++) {
        if (j->entities[i] == e->id && !j->served[i]) return true;
    }
    return false;
}

/* --- instances --- */

/* The game sets fields without a default: without them nothing could be saved. */
static void required_fill(Sim* sim, const Manager* m, u32 row, u8* record) {
    const ComponentType* type = &m->desc.type;
    row_record(m, row, record);
    for (u32 f = 0; f < type->record.field_count; f++) {
        const Field* field = &type->record.fields[f];
        if (field->required) random_field(&sim->r, field, 0, record + field->offset);
    }
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        memcpy(ent_manager_get(m, row, c), record + ent_component_column_offset(type, c),
               ent_component_column_bytes(type, c));
    }
    ent_manager_changed((Manager*)m, &row, 1);
}

static void instance_create(Sim* sim, Mirror* mirror, u32 t) {
    const bool    several = mirror->type[t]->several == SEVERAL;
    const Entity  id = any_target(sim, mirror);
    MirrorEntity* e = mirror_find(mirror, id);
    Manager*      m = manager_of(mirror->world, mirror->type[t]);
    u32           row;
    /* Space for the rows still to come; and a name shows that it has been completed. */
    const u32 max = e && job_owes(sim, e) ? SIM_SEVERAL - 3 : SIM_SEVERAL;
    if (several && e && e->count[t] >= max) return;
    if (max < SIM_SEVERAL && strcmp(mirror->type[t]->record.name, "name") == 0) return;
    const ent_status status = ent_manager_create(mirror->world, m, id, &row);
    if (status == ENT_NO_MEMORY) return;
    assert_int_equal(status, !e ? ENT_STALE : !several && e->count[t] ? ENT_EXISTS : ENT_OK);
    if (status != ENT_OK) return;
    required_fill(sim, m, row, e->record[t][e->count[t]++]);
    if (t == mirror->transform) sim_moved(sim, mirror);
    sim_extras_mark(mirror);
}

static void instance_remove(Sim* sim, Mirror* mirror, u32 t) {
    MirrorEntity* e = mirror_find(mirror, any_target(sim, mirror));
    Manager*      m = manager_of(mirror->world, mirror->type[t]);
    if (!e || e->count[t] == 0) return;
    const u32 which = random_below(&sim->r, e->count[t]);
    u32       row = ent_manager_row(m, mirror->world->entities, e->id);
    for (u32 i = 0; i < which; i++) row = ent_manager_next(m, row);
    if (random_below(&sim->r, 2))
        ent_manager_remove(mirror->world, m, row);
    else
        ent_manager_remove_keep_order(mirror->world, m, row);
    memmove(e->record[t][which], e->record[t][which + 1],
            (size_t)(e->count[t] - which - 1) * RECORD_MAX);
    e->count[t]--;
    if (t != mirror->transform) return;
    mirror_orphan(mirror, e);
    mirror_set_parent(mirror, e, ENTITY_NULL);
    sim_moved(sim, mirror);
}

/* Rows are exchanged, inside the tail or outside of it. */
static void instance_move(Sim* sim, Mirror* mirror, u32 t) {
    Manager*  m = manager_of(mirror->world, mirror->type[t]);
    const u32 front = m->count - m->tail;
    const u32 a = random_below(&sim->r, m->count);
    if (m->count == 0) return;
    const u32 b = a < front ? random_below(&sim->r, front) : front + random_below(&sim->r, m->tail);
    if (random_below(&sim->r, 2))
        ent_manager_swap(mirror->world, m, a, b);
    else
        ent_manager_move_item(mirror->world, m, a, b);
}

static void sim_instance(Sim* sim) {
    Mirror*   mirror = sim_any_mirror(sim);
    const u32 t =
        random_below(&sim->r, 4) ? random_below(&sim->r, mirror->type_count) : mirror->transform;
    const u32 what = random_below(&sim->r, 8);
    if (what < 4)
        instance_create(sim, mirror, t);
    else if (what < 7)
        instance_remove(sim, mirror, t);
    else
        instance_move(sim, mirror, t);
}

static void sim_gc(Sim* sim) {
    World* world = sim_any_mirror(sim)->world;
    u32    before = 0, after = 0;
    for (u32 i = 0; i < world->manager_count; i++) before += world->manager[i].count;
    const u32 removed = ent_world_gc(world);
    for (u32 i = 0; i < world->manager_count; i++) after += world->manager[i].count;
    assert_int_equal(before - after, removed);
}

/* --- transforms --- */

static void sim_pose(Sim* sim) {
    Mirror*       mirror = sim_any_mirror(sim);
    MirrorEntity* e = any_transform(sim, mirror);
    if (!e) return;
    const TransformRecord pose = tame_pose(&sim->r);
    *mirror_pose(mirror, e) = pose;
    ent_transform_set_local(mirror->world, ent_transform_row(mirror->world, e->id), &pose);
    sim_moved(sim, mirror);
}

/* Many at once, some twice; by the call or by hand. */
static void sim_poses(Sim* sim) {
    Mirror*         mirror = sim_any_mirror(sim);
    const u32       max = random_below(&sim->r, 60);
    u32             count = 0;
    const bool      call = random_below(&sim->r, 2);
    u32             rows[60];
    TransformRecord poses[60];
    for (u32 i = 0; i < max; i++) {
        MirrorEntity* e = any_transform(sim, mirror);
        if (!e) break;
        const TransformRows t = ent_transform_rows(mirror->world);
        rows[i] = ent_transform_row(mirror->world, e->id);
        poses[i] = tame_pose(&sim->r);
        *mirror_pose(mirror, e) = poses[i];
        count++;
        if (call) continue;
        t.position[rows[i]] = poses[i].position;
        t.rotation[rows[i]] = poses[i].rotation;
        t.scale[rows[i]] = poses[i].scale;
    }
    if (call)
        ent_transform_set_locals(mirror->world, rows, poses, count);
    else
        ent_transform_touch(mirror->world, rows, count);
    sim_moved(sim, mirror);
}

static ent_status reparent_status(const Mirror* mirror, Entity child, Entity parent,
                                  bool null_is_valid) {
    const MirrorEntity *c = mirror_find(mirror, child), *p = mirror_find(mirror, parent);
    if (!c || (!p && !(null_is_valid && parent == ENTITY_NULL))) return ENT_STALE;
    if (!c->count[mirror->transform] || (p && !p->count[mirror->transform]))
        return ENT_NO_TRANSFORM;
    return p && mirror_below(mirror, p, child) ? ENT_CYCLE : ENT_OK;
}

/* The position in the world before and after; rotated and unevenly scaled parents allow no more. */
static void place_check(const Mat64* before, const Mat64* after) {
    for (u32 r = 0; r < 3; r++) {
        const f64 off = after->m[r][3] - before->m[r][3];
        assert_true(off < 0.01 && off > -0.01);
    }
}

static void sim_reparent(Sim* sim) {
    Mirror*       mirror = sim_any_mirror(sim);
    World*        w = mirror->world;
    const u32     what = random_below(&sim->r, 8);
    const Entity  child = any_target(sim, mirror), parent = what < 2 ? 0 : any_target(sim, mirror);
    MirrorEntity* c = mirror_find(mirror, child);
    const Mat64   before =
        c && c->count[mirror->transform] ? *mirror_world(mirror, c) : mat64_identity;
    const bool       attach = what >= 5, detach = what == 0;
    const ent_status want = reparent_status(mirror, child, parent, !attach);
    const bool       stays = detach && c && !c->parent;
    const ent_status status = attach   ? ent_transform_attach(w, child, parent, 0)
                              : detach ? ent_transform_detach(w, child)
                                       : ent_transform_reparent(w, child, parent);
    if (status == ENT_NO_MEMORY) return;
    assert_int_equal(status, want);
    if (status != ENT_OK || stays) return;
    mirror_set_parent(mirror, c, parent);
    if (attach || detach) {
        mirror_pose_read(mirror, c);
        place_check(&before, mirror_world(mirror, c));
    }
    sim_moved(sim, mirror);
}

static void sim_update(Sim* sim) {
    const u32 at = random_below(&sim->r, sim->world_count);
    World*    w = sim->mirror[at].world;
    switch (random_below(&sim->r, 8)) {
    case 0:
        sim->deferred[at] = !sim->deferred[at];
        ent_transform_defer(w, sim->deferred[at]);
        sim->clean[at] |= !sim->deferred[at];
        break;
    case 1:
        ent_transform_update_all(w);
        sim->clean[at] = true;
        break;
    default:
        ent_transform_update(w);
        sim->clean[at] = true;
        /* If a world is clean, no matrix needs an update. */
        assert_int_equal(ent_transform_update(w), 0);
    }
}

/* --- games --- */

static void sim_check(Sim* sim) {
    for (u32 i = 0; i < sim->world_count; i++) {
        Mirror* mirror = &sim->mirror[i];
        mirror_check_entities(mirror);
        for (u32 t = 0; t < mirror->type_count; t++) mirror_check_rows(mirror, t);
        mirror_check_links(mirror);
        if (sim->clean[i]) mirror_check_matrices(mirror);
        sim_extras_mark(mirror);
    }
}

/* X(share of steps in a thousand, function) */
#define STEP_LIST(X)                                                                               \
    X(50, sim_spawn)                                                                               \
    X(120, sim_job)                                                                                \
    X(40, sim_create)                                                                              \
    X(75, sim_destroy)                                                                             \
    X(25, sim_destroy_subtrees)                                                                    \
    X(260, sim_instance)                                                                           \
    X(105, sim_pose)                                                                               \
    X(40, sim_poses)                                                                               \
    X(150, sim_reparent)                                                                           \
    X(80, sim_update)                                                                              \
    X(20, sim_gc)                                                                                  \
    X(30, sim_reload)                                                                              \
    X(5, sim_save)
#define STEP_TRY(share, call)                                                                      \
    if (!done && what < (sum += share)) {                                                          \
        call(sim);                                                                                 \
        done = true;                                                                               \
    }

static void sim_step(Sim* sim) {
    const u32 what = random_below(&sim->r, 1000), refused = sim->counting.refused;
    u32       sum = 0;
    bool      done = false;
    sim->counting.fail_at = random_below(&sim->r, 8) ? 0 : sim->counting.allocations + 1;
    if (random_below(&sim->r, 600) == 0) {
        sim_clear(sim);
        done = true;
    }
    STEP_LIST(STEP_TRY)
    sim->counting.fail_at = 0;
    if (sim->counting.refused != refused) sim_check(sim);
}

/* Memory pages of the system, which are zero, or memory that fails and is not zero. */
static World* sim_world(Sim* sim, World* owner, bool lazy, bool pages) {
    const WorldDesc desc = {.allocator =
                                pages ? (HostAllocator){0} : counting_allocator(&sim->counting),
                            .entity_count = random_below(&sim->r, 3) ? 0 : 500,
                            .jobs = random_below(&sim->r, 2) ? sim->jobs : NULL,
                            .entities_of = owner};
    World*          world = world_new(&desc);
    for (u32 i = 0; i < PLUGIN_COUNT; i++) {
        const ManagerDesc type = {.type = plugin_types()[i], .extra_bytes = {8, 4}, .lazy = lazy};
        assert_int_equal(ent_world_register(world, &type), ENT_OK);
    }
    return world;
}

static void game_open(Sim* sim, u64 seed) {
    *sim = (Sim){.r = {seed}, .clean = {true, true}, .jobs = ent_job_pool_create(0, NULL)};
    sim->world_count = 1 + random_below(&sim->r, 2);
    const bool pages = random_below(&sim->r, 6) == 0;
    for (u32 i = 0; i < SCENES; i++) {
        const SceneShape shape = {.entity_count = 1 + random_below(&sim->r, SCENE_MAX),
                                  .reach = random_below(&sim->r, 20),
                                  .roots = 2 + random_below(&sim->r, 20),
                                  .share = random_below(&sim->r, 70),
                                  .transform = 30 + random_below(&sim->r, 71),
                                  .named = 1};
        scene_open(&sim->scene[i], &sim->r, all_types(), ALL_TYPES, shape);
    }
    for (u32 i = 0; i < sim->world_count; i++) {
        World* owner = i ? sim->mirror[0].world : NULL;
        World* world = sim_world(sim, owner, random_below(&sim->r, 2), pages);
        mirror_open(&sim->mirror[i], world, all_types(), ALL_TYPES);
    }
}

static void game_close(Sim* sim) {
    job_end(&sim->job);
    for (u32 i = sim->world_count; i-- > 0;) {
        mirror_check_ids(&sim->mirror[i]);
        ent_world_destroy(sim->mirror[i].world);
        mirror_close(&sim->mirror[i]);
    }
    for (u32 i = 0; i < SCENES; i++) scene_close(&sim->scene[i]);
    sim_levels_close(sim);
    ent_job_pool_destroy(sim->jobs);
    assert_int_equal(sim->counting.live_bytes, 0);
}

static void game_check(Sim* sim, const SimWatcher* watcher) {
    sim_check(sim);
    for (u32 i = 0; watcher && i < sim->world_count; i++) watcher->check(i, sim->clean[i]);
}

void sim_play(u64 seed, u32 steps, u32 check_steps, const SimWatcher* watcher) {
    static Sim sim;
    where.seed = seed;
    game_open(&sim, seed);
    for (u32 i = 0; watcher && i < sim.world_count; i++) watcher->open(i, sim.mirror[i].world);
    for (where.step = 0; where.step < steps; where.step++) {
        sim_step(&sim);
        if (where.step % check_steps == 0) game_check(&sim, watcher);
    }
    for (u32 i = 0; i < sim.world_count; i++) {
        ent_transform_update(sim.mirror[i].world);
        sim.clean[i] = true;
    }
    game_check(&sim, watcher);
    for (u32 i = 0; watcher && i < sim.world_count; i++) watcher->close(i);
    game_close(&sim);
    where.seed = 0;
}

static void world_after_random_operations_agrees_with_naive_model(void** state) {
    const char* given = getenv("SIMULATE_STEPS");
    u64         steps = given ? strtoull(given, NULL, 0) : 30000;
    u64         seed = test_seed("simulate", 1);
    UNUSED(state);
    print_message("counted: %llu steps\n", (unsigned long long)steps);
    for (; steps > 0; seed++) {
        const u32 some = (u32)MIN_OF(steps, (u64)GAME_STEPS);
        sim_play(seed, some, CHECK_STEPS, NULL);
        steps -= some;
    }
}

static int position_print(void** state) {
    UNUSED(state);
    if (where.seed) {
        print_message("simulate: failed at step %u of TEST_SEED=%llu\n", where.step,
                      (unsigned long long)where.seed);
    }
    return 0;
}

TEST_SUITE(simulate) {
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(
        world_after_random_operations_agrees_with_naive_model, position_print)};
    return TEST_RUN("simulate", tests);
}
