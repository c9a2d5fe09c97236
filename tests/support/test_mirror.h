/* test_mirror.h - a naive model of a world: every entity with its records. It is updated for every
 * operation on the world and then compared with it. */
#ifndef TEST_MIRROR_H
#define TEST_MIRROR_H

#include "test_scene.h"

#define MIRROR_SEVERAL 9 /* instances of one type on one entity */

typedef struct MirrorEntity {
    Entity id;
    Entity parent;     /* of the transform */
    u32    children;   /* whose parent is this entity */
    u32    place;      /* in the list of the mirror */
    u64    link_order; /* increases with every link: siblings are in this order */
    Mat64  world;
    u32    computed; /* the stamp of the mirror when `world` was computed */
    u32    count[ALL_TYPES];
    u8     record[ALL_TYPES][MIRROR_SEVERAL][RECORD_MAX];
} MirrorEntity;

typedef struct Mirror {
    World*                      world;
    const ComponentType* const* type;
    u32                         type_count, transform;
    MirrorEntity**              at; /* [count] in any order */
    u32                         count, capacity;
    MirrorEntity**              by_index; /* [index_count] by the index of an entity */
    u32                         index_count;
    Entity* ever; /* [ever_count] every id so far, to check that none is reused */
    u32     ever_count, ever_capacity;
    u64     link_order;
    u32     stamp;
} Mirror;

void mirror_open(Mirror* mirror, World* world, const ComponentType* const* type, u32 count);
void mirror_clear(Mirror* mirror); /* no entity is left */
void mirror_close(Mirror* mirror);

MirrorEntity* mirror_add(Mirror* mirror, Entity id);
MirrorEntity* mirror_find(const Mirror* mirror, Entity id); /* NULL: not alive */
void          mirror_destroy(Mirror* mirror, Entity id);    /* no effect when not alive */

/* Replaces a list of entities by them and their descendants, as any of the mirrors of worlds that
 * share their entities has them. The list has space for all alive entities. Returns how many, each
 * once. */
u32 mirror_subtrees(const Mirror* mirrors, u32 mirror_count, Entity* list, u32 count);

/* The entities of a scene that was spawned at once, without a parent. */
void mirror_spawn(Mirror* mirror, const Scene* scene, const Entity* entities);
/* Adds the components of the scene to one of them, after its ancestors have theirs. The parent of
 * roots is `outer`; true for one that gets a transform. */
bool mirror_spawn_entity(Mirror* mirror, const Scene* scene, const Entity* entities, u32 e,
                         Entity outer);

/* Transforms: as the last child, or without a parent; and the children of a removed one. */
void mirror_set_parent(Mirror* mirror, MirrorEntity* child, Entity parent);
void mirror_orphan(Mirror* mirror, MirrorEntity* parent);

TransformRecord* mirror_pose(const Mirror* mirror, MirrorEntity* e);
void             mirror_worlds(Mirror* mirror); /* computes all MirrorEntity.world */
const Mat64*     mirror_world(Mirror* mirror, MirrorEntity* e); /* computes that of one */
/* Is `top` an ancestor of it, or it? */
bool mirror_below(const Mirror* mirror, const MirrorEntity* e, Entity top);
/* Copies the pose that a call computed. */
void mirror_pose_read(Mirror* mirror, MirrorEntity* e);

/* The world equals the mirror: entities, rows of type `t`, links, matrices; all of these. */
void mirror_check_entities(const Mirror* mirror);
void mirror_check_rows(const Mirror* mirror, u32 t);
void mirror_check_links(const Mirror* mirror);
void mirror_check_matrices(Mirror* mirror);
void mirror_check(Mirror* mirror);
/* No id was used twice. Needs fewer than 256 x 1,024 creations. */
void mirror_check_ids(Mirror* mirror);

#endif
