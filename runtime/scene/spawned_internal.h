/* spawned_internal.h - the records of spawns, for spawning, patches and saves. Private.
 *
 * A record owns a list of entities in a block. Blocks have sizes of powers of two and are parts of a few
 * long chunks. Records and blocks that are released stay in lists, so that spawning the same again
 * allocates nothing. */
#ifndef ENT_SPAWNED_INTERNAL_H
#define ENT_SPAWNED_INTERNAL_H

#include "blob_write_internal.h"
#include "spawn.h"
#include "world_internal.h"

#define SPAWNED_CLASSES 24 /* of blocks: 2^n entities */

typedef struct SpawnRecord {
    SpawnedInfo     info;
    TransformRecord root;        /* with has_root: what the poses of its roots are relative to */
    bool            has_root;    /* */
    bool            used;        /* it is not in the list of free records */
    bool            is_open;     /* no job is creating its entities */
    bool            is_joined;   /* another record has, or had, the same set */
    u32             generation;  /* the high half of its number; the low half is its place + 1 */
    u32             next_free;   /* place + 1 */
    Spawned         chained;     /* see spawned_load */
    u32             block_class; /* of `entities` */
    Entity*         entities;    /* info.entities, to be written */
} SpawnRecord;

typedef struct SpawnRecords {
    SpawnRecord* at; /* [count] places */
    u32          count, capacity;
    u32          set_count;                   /* sets that were ever begun */
    u32          free;                        /* place + 1 of the first free record */
    void*        free_block[SPAWNED_CLASSES]; /* each begins with the address of the next one */
    Entity*      chunk;                       /* [chunk_size] of which [chunk_used] are blocks */
    u32          chunk_size, chunk_used;
} SpawnRecords;

/* A new record, whose entities are all null; `root` may be NULL. ENT_NO_MEMORY. */
MUST_CHECK ent_status spawned_add(World* world, const SpawnedInfo* info,
                                  const TransformRecord* root, SpawnRecord** out);
Spawned               spawned_number(const World* world, const SpawnRecord* record);

/* The same for `count` entities of a blob from `first` on. `entities`: [entities of the blob] what was spawned before, of
 * a part. `*out`: its number. */
MUST_CHECK ent_status spawned_begin(World* world, const Blob* blob, const SpawnOptions* options,
                                    const Entity* entities, u32 first, u32 count, Spawned* out);

/* The record of a number, or NULL. The pointer is valid until the next spawned_begin. */
SpawnRecord* spawned_find(const World* world, Spawned spawned);

void spawned_release(World* world, Spawned spawned);

/* Ensures that a record can have so many entities; its list does not change. ENT_NO_MEMORY. */
MUST_CHECK ent_status spawned_reserve(World* world, Spawned spawned, u32 count);

/* Writes the spawns of a world to a save; `index` returns the index of an entity in it, or NONE. */
void spawned_write(BlobWriter* writer, const World*                           world,
                   u32 (*index)(const void* user, Entity entity), const void* user);

/* The spawns that a save contains, as new records: first without entities, then with [entities of the
 * save] that were created. `*chain`: the last one, or SPAWNED_NONE. ENT_NO_MEMORY with nothing changed. */
MUST_CHECK ent_status spawned_load(World* world, const Blob* save, Spawned* chain);
void spawned_load_fill(World* world, const Blob* save, Spawned chain, const Entity* entities);
void spawned_load_undo(World* world, Spawned chain);

#endif
