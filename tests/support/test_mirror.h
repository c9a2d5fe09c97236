/* test_mirror.h - a naive model of a world: every entity with its records, told of everything that
 * is done to the world and then compared with it. */
#ifndef TEST_MIRROR_H
#define TEST_MIRROR_H

#include "test_scene.h"

#define MIRROR_SEVERAL 9 /* instances of one type on one entity */

typedef struct MirrorEntity {
    Entity id;
    Entity parent;   /* of the transform */
    u32    children; /* whose parent it is */
    u32    place;    /* in the mirror's list */
    u64    hung;     /* rises with every link that is made: siblings stand in its order */
    Mat64  world;
    u32    made; /* the mirror's stamp when `world` was made */
    u32    count[ALL_TYPES];
    u8     record[ALL_TYPES][MIRROR_SEVERAL][RECORD_MAX];
} MirrorEntity;

typedef struct Mirror {
    World*                      world;
    const ComponentType* const* type;
    u32                         type_count, transform;
    MirrorEntity**              at; /* [count] in any order */
    u32                         count, capacity;
    MirrorEntity**              by_index; /* [index_count] of an entity's index */
    u32                         index_count;
    Entity* ever; /* [ever_count] every id there was, to see that none returns */
    u32     ever_count, ever_capacity;
    u64     hung;
    u32     stamp;
} Mirror;

void mirror_open(Mirror* mirror, World* world, const ComponentType* const* type, u32 count);
void mirror_clear(Mirror* mirror); /* nobody is left */
void mirror_close(Mirror* mirror);

MirrorEntity* mirror_add(Mirror* mirror, Entity id);
MirrorEntity* mirror_find(const Mirror* mirror, Entity id); /* NULL: not alive */
void          mirror_destroy(Mirror* mirror, Entity id);    /* nothing when not alive */

/* Makes a list of entities that of them and their descendants, as any of the mirrors of worlds that
 * share their entities has them. Room for all that are alive. Returns how many, each once. */
u32 mirror_subtrees(const Mirror* mirrors, u32 mirror_count, Entity* list, u32 count);

/* The entities of a scene that was spawned at once, under nobody. */
void mirror_spawn(Mirror* mirror, const Scene* scene, const Entity* entities);
/* What one of them gets beside what it has, when its ancestors have got theirs. Roots hang on
 * `outer`; true for one that gets a transform. */
bool mirror_spawn_entity(Mirror* mirror, const Scene* scene, const Entity* entities, u32 e,
                         Entity outer);

/* Transforms: as the last child, or under nobody; and those below one that goes. */
void mirror_hang(Mirror* mirror, MirrorEntity* child, Entity parent);
void mirror_orphan(Mirror* mirror, MirrorEntity* parent);

TransformRecord* mirror_pose(const Mirror* mirror, MirrorEntity* e);
void             mirror_worlds(Mirror* mirror);                 /* makes all MirrorEntity.world */
const Mat64*     mirror_world(Mirror* mirror, MirrorEntity* e); /* makes one's */
/* Is `top` an ancestor of it, or it? */
bool mirror_below(const Mirror* mirror, const MirrorEntity* e, Entity top);
/* Takes over what a call made of a pose. */
void mirror_pose_read(Mirror* mirror, MirrorEntity* e);

/* The world is as the mirror: entities, rows of type `t`, links, matrices; all of these. */
void mirror_check_entities(const Mirror* mirror);
void mirror_check_rows(const Mirror* mirror, u32 t);
void mirror_check_links(const Mirror* mirror);
void mirror_check_matrices(Mirror* mirror);
void mirror_check(Mirror* mirror);
/* No id came twice. Needs fewer than 256 x 1,024 creations. */
void mirror_check_ids(Mirror* mirror);

#endif
