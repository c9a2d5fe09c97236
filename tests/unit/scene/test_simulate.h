/* test_simulate.h - a random game compared with its mirror: what its two files share.
 *
 * test_simulate.c        the games, and every operation on a world except those of the other file
 * test_simulate_level.c  levels that are edited while they run, and saves */
#ifndef TEST_SIMULATE_H
#define TEST_SIMULATE_H

#include "test_mirror.h"
#include "test_source.h"

#include "jobs.h"

#define SCENES     5
#define SCENE_MAX  100
#define LEVELS     2
#define LIVING_MAX 300 /* entities, about */
/* Instances of one type that the game gives an entity; an edited source adds its own. */
#define SIM_SEVERAL (MIRROR_SEVERAL - SEVERAL_MAX)

/* A spawn over frames in progress. */
typedef struct SimJob {
    SpawnJob*       job; /* NULL: none */
    const Scene*    scene;
    Mirror*         mirror;
    SpawnOptions    options;
    TransformRecord root;
    Entity          entities[SCENE_MAX];
    bool            created[SCENE_MAX], served[SCENE_MAX];
} SimJob;

/* A level whose source is edited while it runs. */
typedef struct SimLevel {
    Source* source; /* NULL: none */
    Scene   scene;  /* of the source */
    Mirror* mirror; /* of the world that it was spawned in */
    Entity  parent; /* the parent of its roots */
    Entity  entities[NODES_MAX];
} SimLevel;

typedef struct Sim {
    Random            r;
    CountingAllocator counting;
    JobPool*          jobs; /* of no threads: worlds are too small to be divided */
    Scene             scene[SCENES];
    Mirror            mirror[2];
    u32               world_count;
    bool              deferred[2], clean[2]; /* clean: no matrix needs an update */
    SimJob            job;
    SimLevel          level[LEVELS];
} Sim;

Mirror* sim_any_mirror(Sim* sim);
/* Mostly an entity that is alive; also destroyed ones, and the null entity. */
Entity sim_any_handle(Sim* sim, const Mirror* mirror);
/* An entity, destroyed or alive, of a level that is edited; ENTITY_NULL: this world has none. */
Entity sim_any_of_level(Sim* sim, const Mirror* mirror);

/* Adds a new entity to the mirrors of all worlds; transforms of one changed. */
void sim_add(Sim* sim, Entity id);
void sim_moved(Sim* sim, const Mirror* mirror);

/* Extra columns are zero when a row is created, then a value of the owner as long as the row
 * exists. */
void sim_extras_mark(const Mirror* mirror);

/* Spawns, and updates the mirror; false: nothing was spawned. */
void sim_options_choose(Sim* sim, const Mirror* mirror, SpawnOptions* options,
                        TransformRecord* root);
bool sim_spawn_once(Sim* sim, Mirror* mirror, const Scene* s, const SpawnOptions* options,
                    Entity* entities);

/* Keeps a copy of the worlds of a game. `clean`: no matrix needs an update. */
typedef struct SimWatcher {
    void (*open)(u32 which, World* world);
    void (*check)(u32 which, bool clean);
    void (*close)(u32 which);
} SimWatcher;

/* A game of its own, in which a copy is checked every `check_steps` steps. */
void sim_play(u64 seed, u32 steps, u32 check_steps, const SimWatcher* watcher);

/* Steps of a game. */
void sim_reload(Sim* sim); /* spawns a level, edits it, or leaves it to the game */
void sim_save(Sim* sim);
void sim_levels_close(Sim* sim);

#endif
