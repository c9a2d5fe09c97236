/* spawn.c - one call per component manager.
 *
 * A spawn is a list of steps, one for each component type of the blob that is registered in the
 * world, over runs of entities: one run of all entities; the entities of a part; or run after
 * run over frames. A step stores its next instance, because instances are in the order of their
 * entities. */
#include "spawn.h"

#include "clock.h"
#include "entity_names_internal.h"
#include "file.h"
#include "sections.h"
#include "snapshot_internal.h"
#include "spawned_internal.h"
#include "transform_manager.h"
#include "world_internal.h"

#define FRAME_RUN 512 /* entities between two queries of the clock */

/* A section of the blob and the manager that receives it. */
typedef struct Step {
    const BlobSection* section; /* NULL: of names */
    SnapshotState      state;   /* saved extra columns */
    Manager*           manager;
    ConvertedRows*     converted; /* from an older declaration; NULL: used as they are */
    const u32*         index;     /* [count] entities of the instances */
    u32                count;
    u32                next; /* instance */
} Step;

typedef struct Spawn {
    World*          world;
    const Blob*     blob;
    const u32*      parent_index;
    Entity*         entities; /* [entity_count] */
    u32             entity_count;
    SpawnOptions    options;
    TransformRecord root;    /* what options.root points to */
    TextRef*        texts;   /* [strings of the blob] in the world; NULL: it has none */
    Spawned         spawned; /* its number, or SPAWNED_NONE */
    Spawned         loaded;  /* the spawns of a save: see spawned_load */
    u32             step_count;
    Step            step[WORLD_MANAGERS_MAX];
} Spawn;

/* --- sections and managers --- */

static const u8* step_column(const Spawn* s, const Step* step, u32 column) {
    if (step->converted) return step->converted->column[column];
    return ent_blob_column(s->blob, step->section, &step->manager->desc.type, column);
}

/* Instances that the declaration of the world does not describe are converted, when the blob contains
 * the declaration with which it was written. */
static ent_status step_find(Spawn* s, Step* step) {
    const BlobSection* section = step->section;
    const Manager*     m = step->manager;
    TRY(convert_find(s->world, s->blob, section, &m->desc.type, 0, &step->converted));
    if (step->converted) {
        step->count = step->converted->count;
        step->index = step->converted->owner;
    }
    return snapshot_state_find(s->world, s->blob, m, section, step->converted != NULL,
                               &step->state);
}

/* Names are first: all other spawners may use them. */
static ent_status names_step(Spawn* s) {
    ConvertedRows* rows;
    TRY(names_rows(s->world, s->blob, &rows));
    if (!rows) return ENT_OK;
    s->step[s->step_count++] = (Step){.manager = names_manager(s->world),
                                      .converted = rows,
                                      .index = rows->owner,
                                      .count = rows->count};
    return ENT_OK;
}

static ent_status steps_find(Spawn* s) {
    World* w = s->world;
    u32    held = 0, known = 0; /* sections */
    TRY(names_step(s));
    for (u32 i = 0; i < w->manager_count; i++) {
        Manager*           m = &w->manager[i];
        const BlobSection* section =
            m->is_private ? NULL : convert_section_find(s->blob, &m->desc.type);
        if (!section) continue;
        Step* step = &s->step[s->step_count++];
        *step = (Step){.section = section,
                       .manager = m,
                       .index = ent_blob_data(s->blob, section),
                       .count = section->count};
        TRY(step_find(s, step));
        known += step->state.section ? 2 : 1;
    }
    for (u32 i = 0; i < s->blob->header->section_count; i++) {
        held += s->blob->section[i].kind == SECTION_COMPONENT;
    }
    if (known == held) return ENT_OK;
    world_log(w, LOG_WARNING, "%u of %u component types in the blob are not known to this world",
              held - known, held);
    return s->options.strict ? ENT_UNKNOWN_COMPONENT : ENT_OK;
}

static ent_status parent_check(const Spawn* s) {
    const Entity parent = s->options.parent;
    if (parent == ENTITY_NULL) return ENT_OK;
    if (!ent_entity_alive(s->world->entities, parent)) return ENT_STALE;
    return ent_transform_row(s->world, parent) == MANAGER_NO_ROW ? ENT_NO_TRANSFORM : ENT_OK;
}

static bool part_exists(const Spawn* s) {
    const SpawnOptions* o = &s->options;
    if (o->part == SPAWN_SUBTREE) return o->which < s->entity_count;
    return o->part != SPAWN_GROUP || o->which < ent_blob_group_count(s->blob);
}

/* Frees what spawn_describe allocated. */
static void spawn_close(Spawn* s) {
    world_drop(s->world, s->texts);
    s->texts = NULL;
    for (u32 i = 0; i < s->step_count; i++) {
        convert_drop(s->world, s->step[i].converted);
        convert_drop(s->world, s->step[i].state.converted);
    }
}

static ent_status spawn_describe(Spawn* s, World* w, const Blob* blob, const SpawnOptions* options,
                                 Entity* entities) {
    const u32 type = blob->header->resource_type;
    *s = (Spawn){.world = w,
                 .blob = blob,
                 .entities = entities,
                 .entity_count = blob->header->element_count};
    if (options) s->options = *options;
    if (s->options.spawned) *s->options.spawned = SPAWNED_NONE;
    if (s->options.root) s->root = *s->options.root;
    if (type != RESOURCE_ENTITY && type != RESOURCE_LEVEL) return ENT_WRONG_TYPE;
    const BlobSection* parent = ent_blob_section(blob, SECTION_PARENT);
    s->parent_index = parent ? ent_blob_data(blob, parent) : NULL;
    if (!part_exists(s)) return ENT_NOT_FOUND;
    TRY(parent_check(s));
    ent_status status = steps_find(s);
    if (status == ENT_OK) status = world_texts_of(w, blob, &s->texts);
    if (status != ENT_OK) spawn_close(s);
    return status;
}

/* Instances of a step that belong to requested entities; NULL: all are requested. */
static u32 step_count(const Step* step, const u8* wanted) {
    u32 count = 0;
    if (!wanted) return step->count;
    for (u32 i = 0; i < step->count; i++) count += wanted[step->index[i]];
    return count;
}

static ent_status spawn_reserve(const Spawn* s, u32 entities, const u8* wanted) {
    Plan plan = {0};
    TRY(plan_entities(&plan, s->world, entities));
    for (u32 i = 0; i < s->step_count; i++) {
        const Step* step = &s->step[i];
        TRY(plan_rows(&plan, s->world, step->manager, step_count(step, wanted)));
    }
    plan_scratch(&plan, s->world, s->entity_count);
    return plan_run(s->world, &plan);
}

/* --- runs --- */

static u32 instances_before(const u32* entity_index, u32 from, u32 count, u32 entity) {
    while (from < count && entity_index[from] < entity) from++;
    return from;
}

/* Instances of entities [first, end): from the step's next on. */
static u32 step_take(Step* step, u32 first, u32 end, u32 entity_count) {
    const u32 count = step->count;
    step->next = first == 0 ? 0 : instances_before(step->index, step->next, count, first);
    return end == entity_count ? count : instances_before(step->index, step->next, count, end);
}

/* The step's next instances, which entities [first, end) own. */
static void step_batch(Spawn* s, Step* step, u32 first, u32 end, u32 count) {
    const void*          columns[COMPONENT_COLUMNS_MAX];
    Manager*             m = step->manager;
    const ComponentType* type = &m->desc.type;
    assert(ent_component_column_count(type) <= COUNT_OF(columns)); /* of a valid type */
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        columns[c] =
            step_column(s, step, c) + (size_t)step->next * ent_component_column_bytes(type, c);
    }
    const SpawnBatch batch = {.entities = s->entities,
                              .parent_index = s->parent_index,
                              .entity_count = s->entity_count,
                              .entity_first = first,
                              .entity_end = end,
                              .count = count,
                              .entity_index = step->index + step->next,
                              .columns = columns,
                              .scratch = s->world->scratch + s->world->scratch_capacity,
                              .seed = s->options.seed,
                              .parent = s->options.parent,
                              .root = s->options.root ? &s->root : NULL,
                              .texts = s->texts};
    const u32        base = m->count, before = step->next;
    step->next += count;
    if (m->desc.spawn) {
        m->desc.spawn(s->world, m, &batch);
    } else {
        manager_append(m, &batch, s->world->jobs);
        manager_zero_extras(m, base, count);
    }
    if (step->state.section) snapshot_state_restore(m, s->blob, &step->state, before, &batch, base);
}

static void step_run(Spawn* s, Step* step, u32 first, u32 end) {
    const u32 last = step_take(step, first, end, s->entity_count);
    if (step->next < last) step_batch(s, step, first, end, last - step->next);
}

static void run_spawn(Spawn* s, u32 first, u32 end) {
    for (u32 i = 0; i < s->step_count; i++) step_run(s, &s->step[i], first, end);
}

/* --- the number of the spawn --- */

/* For entities [first, end) of the blob. */
static ent_status number_begin(Spawn* s, u32 first, u32 end) {
    if (!s->options.spawned) return ENT_OK;
    return spawned_begin(s->world, s->blob, &s->options, s->entities, first, end - first,
                         &s->spawned);
}

static Entity* number_entities(const Spawn* s) {
    SpawnRecord* record = spawned_find(s->world, s->spawned);
    return record ? record->entities : NULL;
}

/* Entities [first, end) of the blob exist, of those that are requested. */
static void number_fill(const Spawn* s, const u8* wanted, u32 first, u32 end) {
    SpawnRecord* record = spawned_find(s->world, s->spawned);
    if (!record || record->entities == s->entities) return;
    for (u32 e = first; e < end; e++) {
        if (!wanted || wanted[e]) record->entities[e - record->info.first] = s->entities[e];
    }
}

/* May patches change the spawn? Not while a job creates its entities. */
static void number_open(const Spawn* s, bool open) {
    SpawnRecord* record = spawned_find(s->world, s->spawned);
    if (record) record->is_open = open;
}

/* After a failure there is no such spawn. */
static ent_status number_end(Spawn* s, ent_status status) {
    if (status != ENT_OK) {
        spawned_release(s->world, s->spawned);
        spawned_load_undo(s->world, s->loaded);
    }
    if (s->options.spawned) *s->options.spawned = status == ENT_OK ? s->spawned : SPAWNED_NONE;
    return status;
}

/* --- a complete blob --- */

static ent_status spawn_all(Spawn* s) {
    TRY(number_begin(s, 0, s->entity_count));
    TRY(spawned_load(s->world, s->blob, &s->loaded));
    TRY(spawn_reserve(s, s->entity_count, NULL));
    if (s->entity_count == 0) return ENT_OK;
    if (!s->entities) s->entities = number_entities(s);
    if (!s->entities) s->entities = s->world->scratch;
    pool_create(s->world->entities, s->entities, s->entity_count);
    number_fill(s, NULL, 0, s->entity_count);
    spawned_load_fill(s->world, s->blob, s->loaded, s->entities);
    run_spawn(s, 0, s->entity_count);
    return ENT_OK;
}

/* --- parts --- */

static void part_choose(const Spawn* s, u8* wanted) {
    u32 first = 0, end = s->entity_count;
    if (s->options.part == SPAWN_BASE) ent_blob_group_range(s->blob, NONE, &first, &end);
    if (s->options.part == SPAWN_GROUP)
        ent_blob_group_range(s->blob, s->options.which, &first, &end);
    if (s->options.part != SPAWN_SUBTREE) {
        memset(wanted, 0, s->entity_count);
        memset(wanted + first, 1, end - first);
        return;
    }
    for (u32 e = 0; e < s->entity_count; e++) {
        const u32 parent = s->parent_index[e];
        wanted[e] = e == s->options.which || (parent != NONE && wanted[parent]);
    }
}

/* Marks the part's entities that are not spawned yet; returns their number. */
static u32 part_mark(const Spawn* s, u8* wanted) {
    const bool all = s->options.part == SPAWN_ALL;
    u32        count = 0;
    part_choose(s, wanted);
    for (u32 e = 0; e < s->entity_count; e++) {
        wanted[e] = wanted[e] && (all || s->entities[e] == ENTITY_NULL);
        count += wanted[e];
    }
    return count;
}

/* The end of the next run of requested entities. */
static u32 part_run_end(const u8* wanted, u32 first, u32 max) {
    u32 end = first;
    while (end < max && wanted[end]) end++;
    return end;
}

/* From the first to the last one that is requested. */
static ent_status part_number_begin(Spawn* s, const u8* wanted) {
    u32 first = 0, end = s->entity_count;
    while (first < end && !wanted[first]) first++;
    while (end > first && !wanted[end - 1]) end--;
    return number_begin(s, first, end);
}

static void part_number_fill(const Spawn* s, const u8* wanted) {
    const SpawnRecord* record = spawned_find(s->world, s->spawned);
    if (record) number_fill(s, wanted, record->info.first, record->info.first + record->info.count);
}

/* All are created before the first gets components: references inside the part may refer to any
 * of them. */
static ent_status spawn_part(Spawn* s) {
    Plan plan = {0};
    assert(s->entities);
    plan_scratch(&plan, s->world, s->entity_count);
    TRY(plan_run(s->world, &plan));
    u8*       wanted = (u8*)s->world->scratch;
    const u32 more = part_mark(s, wanted);
    TRY(part_number_begin(s, wanted));
    TRY(spawn_reserve(s, more, wanted));
    for (u32 e = 0; e < s->entity_count; e++) {
        if (wanted[e]) pool_create(s->world->entities, &s->entities[e], 1);
    }
    part_number_fill(s, wanted);
    for (u32 e = 0, end; e < s->entity_count; e = MAX_OF(end, e + 1)) {
        end = part_run_end(wanted, e, s->entity_count);
        if (end > e) run_spawn(s, e, end);
    }
    return ENT_OK;
}

ent_status ent_world_spawn(World* w, const Blob* blob, const SpawnOptions* options,
                           Entity* entities) {
    Spawn spawn;
    TRY(spawn_describe(&spawn, w, blob, options, entities));
    const ent_status status =
        spawn.options.part == SPAWN_ALL ? spawn_all(&spawn) : spawn_part(&spawn);
    spawn_close(&spawn);
    return number_end(&spawn, status);
}

/* --- over frames --- */

struct SpawnJob {
    Spawn spawn;
    Blob  blob;    /* as it was when the job began */
    u32   created; /* entities before this one are created, when requested, */
    u32   spawned; /* and before this one have their components */
    u32   given;   /* instances that the host had created when the job began */
    u8*   wanted;  /* [entity_count] */
};

/* Instances that the host created, in managers that the job fills. */
static u32 job_given(const Spawn* s) {
    u32 given = 0;
    for (u32 i = 0; i < s->step_count; i++) given += s->step[i].manager->given;
    return given;
}

/* Allocates the job, and behind it the entities, unless they are the host's, and the marks. */
static SpawnJob* job_open(const Spawn* spawn) {
    const size_t head = align_up(sizeof(SpawnJob), 16);
    const size_t entities = spawn->entities ? 0 : sizeof(Entity) * spawn->entity_count;
    SpawnJob*    job = world_keep(spawn->world, head + entities + spawn->entity_count);
    if (!job) return NULL;
    *job = (SpawnJob){
        .spawn = *spawn, .given = job_given(spawn), .wanted = (u8*)job + head + entities};
    if (entities) job->spawn.entities = (Entity*)(void*)((u8*)job + head);
    if (job->spawn.options.root) job->spawn.options.root = &job->spawn.root;
    job->blob = *spawn->blob;
    job->spawn.blob = &job->blob; /* a library may replace what is at the former address */
    return job;
}

ent_status ent_spawn_begin(SpawnJob** out, World* w, const Blob* blob, const SpawnOptions* options,
                           Entity* entities) {
    Spawn spawn;
    TRY(spawn_describe(&spawn, w, blob, options, entities));
    assert(spawn.options.part == SPAWN_ALL || entities);
    SpawnJob* job = job_open(&spawn);
    if (!job) {
        spawn_close(&spawn);
        return ENT_NO_MEMORY;
    }
    const u32  more = part_mark(&job->spawn, job->wanted);
    ent_status status = part_number_begin(&job->spawn, job->wanted);
    if (status == ENT_OK) status = spawn_reserve(&job->spawn, more, job->wanted);
    if (number_end(&job->spawn, status) != ENT_OK) {
        spawn_close(&job->spawn);
        world_drop(w, job);
        return status;
    }
    number_open(&job->spawn, false);
    *out = job;
    w->spawn_jobs++;
    return ENT_OK;
}

static ent_status job_create(SpawnJob* job) {
    Spawn*    s = &job->spawn;
    const u32 first = job->created, end = MIN_OF(s->entity_count, first + FRAME_RUN);
    Plan      plan = {0};
    u32       more = 0;
    for (u32 e = job->created; e < end; e++) more += job->wanted[e];
    TRY(plan_entities(&plan, s->world, more));
    TRY(plan_run(s->world, &plan));
    const bool loads = end == s->entity_count && s->options.part == SPAWN_ALL;
    if (loads) TRY(spawned_load(s->world, s->blob, &s->loaded));
    for (; job->created < end; job->created++) {
        if (job->wanted[job->created])
            pool_create(s->world->entities, &s->entities[job->created], 1);
        else if (s->options.part == SPAWN_ALL)
            s->entities[job->created] = ENTITY_NULL;
    }
    number_fill(s, job->wanted, first, end);
    if (loads) spawned_load_fill(s->world, s->blob, s->loaded, s->entities);
    return ENT_OK;
}

/* The next run begins at job->spawned: up to FRAME_RUN entities that are requested and have not
 * been destroyed meanwhile. Returns its end. */
static u32 job_run_find(SpawnJob* job) {
    Spawn*    s = &job->spawn;
    const u32 max = MIN_OF(s->entity_count, job->spawned + FRAME_RUN);
    for (u32 e = job->spawned; e < max; e++) {
        if (!job->wanted[e] || ent_entity_alive(s->world->entities, s->entities[e])) continue;
        s->entities[e] = ENTITY_NULL;
        job->wanted[e] = 0;
    }
    while (job->spawned < max && !job->wanted[job->spawned]) job->spawned++;
    return part_run_end(job->wanted, job->spawned, max);
}

/* What an entity of the blob is spawned below. */
static Entity parent_given(const Spawn* s, u32 e) {
    const u32 above = s->parent_index ? s->parent_index[e] : NONE;
    return above == NONE ? s->options.parent : s->entities[above];
}

/* An instance that the host added to an entity stays: a type that allows one instance is left
 * out, multiple ones are added behind it, one by one. */
static void step_run_beside(Spawn* s, Step* step, u32 e) {
    const Manager* m = step->manager;
    const u32      last = step_take(step, e, e + 1, s->entity_count);
    const bool     has = ent_manager_contains(m, s->world->entities, s->entities[e]);
    if (has && m->desc.type.several == SINGLE) step->next = last;
    if (has && m->is_private) names_place(s->world, s->entities[e], parent_given(s, e));
    while (step->next < last) step_batch(s, step, e, e + 1, has ? 1 : last - step->next);
}

/* Did the host add a component of a type of the blob to any of these entities? */
static bool run_has_any(const Spawn* s, u32 first, u32 end) {
    for (u32 i = 0; i < s->step_count; i++) {
        const Manager* m = s->step[i].manager;
        for (u32 e = first; e < end; e++) {
            if (ent_manager_contains(m, s->world->entities, s->entities[e])) return true;
        }
    }
    return false;
}

static void run_spawn_beside(Spawn* s, u32 first, u32 end) {
    for (u32 e = first; e < end; e++) {
        for (u32 i = 0; i < s->step_count; i++) step_run_beside(s, &s->step[i], e);
    }
}

static ent_status job_spawn(SpawnJob* job) {
    Spawn*    s = &job->spawn;
    const u32 end = job_run_find(job), first = job->spawned;
    Plan      plan = {0};
    if (end == first) return ENT_OK;
    for (u32 i = 0; i < s->step_count; i++) {
        Step*     step = &s->step[i];
        const u32 last = step_take(step, first, end, s->entity_count);
        TRY(plan_rows(&plan, s->world, step->manager, last - step->next));
    }
    plan_scratch(&plan, s->world, s->entity_count);
    TRY(plan_run(s->world, &plan));
    if (job->given == job_given(s) || !run_has_any(s, first, end))
        run_spawn(s, first, end);
    else
        run_spawn_beside(s, first, end);
    job->spawned = end;
    return ENT_OK;
}

/* Was it removed by its number? */
static bool job_is_removed(const SpawnJob* job) {
    const Spawned spawned = job->spawn.spawned;
    return spawned != SPAWNED_NONE && !spawned_find(job->spawn.world, spawned);
}

ent_status ent_spawn_step(SpawnJob* job, u32 budget_us, int* done) {
    const u64 until = clock_ns() + (u64)budget_us * 1000;
    const u32 count = job->spawn.entity_count;
    if (job_is_removed(job)) {
        for (u32 e = job->created; e < count; e++) {
            if (job->spawn.options.part == SPAWN_ALL) job->spawn.entities[e] = ENTITY_NULL;
        }
        job->created = job->spawned = count;
        *done = 1;
        return ENT_OK;
    }
    if (parent_check(&job->spawn) != ENT_OK) job->spawn.options.parent = ENTITY_NULL;
    do {
        if (job->created < count)
            TRY(job_create(job));
        else if (job->spawned < count)
            TRY(job_spawn(job));
    } while (job->spawned < count && clock_ns() < until);
    *done = job->spawned == count;
    if (*done) number_open(&job->spawn, true);
    return ENT_OK;
}

void ent_spawn_end(SpawnJob* job) {
    if (!job) return;
    World* w = job->spawn.world;
    number_open(&job->spawn, true);
    w->spawn_jobs--;
    spawn_close(&job->spawn);
    world_drop(w, job);
}
