/* test_scene.h - levels of random content with a copy of that content, and the content of a world
 * as records, matrices and one number: shared by the tests of everything that spawns. */
#ifndef TEST_SCENE_H
#define TEST_SCENE_H

#include "test_worlds_support.h"

#include "spawn.h"
#include "transform_manager.h"
#include "world.h"

#define RECORD_MAX 128 /* bytes of the largest record */

/* --- scenes --- */

typedef struct Scene {
    u32                         entity_count, type_count;
    const ComponentType* const* type;              /* [type_count] in spawn order */
    u32*                        parent;            /* [entity_count] */
    u32                         count[ALL_TYPES];  /* instances of each type */
    u32*                        owner[ALL_TYPES];  /* [count] */
    u8*                         record[ALL_TYPES]; /* [count] records as in the blob */
    Bytes                       bytes;
    Blob                        blob;
} Scene;

typedef struct SceneShape {
    u32 entity_count;
    u32 reach;     /* the maximum distance of a parent before its child; 1: chains; 0: no parents */
    u32 roots;     /* one entity in so many has no parent */
    u32 share;     /* of entities, in percent, that have a type */
    u32 transform; /* the same for transforms */
    u32 only;      /* 1 + index of the only type besides transform; 0: all */
    u32 named;     /* 1: every entity has a name, whatever the share */
} SceneShape;

void scene_open(Scene* scene, Random* r, const ComponentType* const* type, u32 type_count,
                SceneShape shape);
void scene_close(Scene* scene);

/* The expected record of instance `i` of type `t` in a world in which the entities of the scene are
 * `entities`. */
void scene_record(const Scene* scene, u32 t, u32 i, const Entity* entities, u8* out);

/* The built-in types, as all_types. */
const ComponentType* const* listed_types(void);   /* [COMPONENT_COUNT] */
const ComponentType* const* transform_type(void); /* [1] */

/* A pose that does not overflow when 200 of them are multiplied. */
TransformRecord tame_pose(Random* r);

/* --- reading a world --- */

World* world_new(const WorldDesc* desc);
/* With the types of the plugin, and two extra columns, of 8 and 4 bytes, for each of them. */
World*   world_wide(const WorldDesc* desc);
Manager* manager_of(World* world, const ComponentType* type);

/* A row as a complete record, whatever columns it is stored in. */
void row_record(const Manager* manager, u32 row, u8* out);
void assert_row_is(const Manager* manager, u32 row, Entity entity, const u8* record);

/* Everything observable of a world, as one number. */
u64 world_digest(World* world);

/* Writes as a host writes to TransformRows. */
void pose_write(World* world, u32 row, const TransformRecord* pose);
/* Every matrix equals bit by bit the product of its parent's matrix and its pose. */
void assert_matrices_fit(World* world);

/* --- matrices in double --- */

typedef struct Mat64 {
    f64 m[3][4];
} Mat64;

extern const Mat64 mat64_identity;

Mat64 mat64_of(const TransformRecord* pose);
Mat64 mat64_multiply(const Mat64* a, const Mat64* b);
void  assert_matrix_near(const Mat34* got, const Mat64* want);

#endif
