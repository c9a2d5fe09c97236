/* test_worlds_support.h - blobs in memory, random records, and allocators that count and fail:
 * shared by the tests of validation, of spawning and of animation. */
#ifndef TEST_WORLDS_SUPPORT_H
#define TEST_WORLDS_SUPPORT_H

#include "test.h"

#include "blob.h"
#include "fields.h"
#include "host.h"
#include "output.h"

/* --- random --- */

typedef struct Random {
    u64 state;
} Random;

u32 random_next(Random* r);
u32 random_below(Random* r, u32 limit); /* 0 when limit is 0 */
f32 random_float(Random* r, f32 lo, f32 hi);

/* A seed from TEST_SEED, or the given one; printed, so that a failed run can be repeated. */
u64 test_seed(const char* what, u64 usual);

/* Words that the validator accepts for a field of a blob of `entity_count` entities that refers to
 * test_references. Floats of unbounded range stay within +-100. */
void random_field(Random* r, const Field* field, u32 entity_count, void* words);
void random_record(Random* r, const RecordType* type, u32 entity_count, void* record);

/* --- blobs --- */

typedef struct Bytes {
    u8*    at;
    size_t size;
} Bytes;

/* One resource of each type that a field can refer to. */
#define TEST_REFERENCES 6

ResourceRef test_reference(u32 row); /* rising ids */
u32         test_reference_type(u32 row);
const char* test_reference_name(u32 row);

typedef struct LevelPart {
    const ComponentType* type;
    u32                  count;
    const u32*           owner; /* [count] */
    const void*
        records; /* [count] complete records, also of a type stored as structure of arrays */
} LevelPart;

typedef struct Level {
    ResourceType     resource;
    u32              entity_count;
    const u32*       parent; /* [entity_count]; NULL: no entity has one */
    u32              part_count;
    const LevelPart* part;       /* [part_count] in spawn order */
    bool             references; /* with the table of test_references */
    bool             names;      /* with "e0", "e1", .. */
} Level;

Target target_native(void);
Target target_other(void);

/* Free with bytes_free. `options` contains the types for the validation by the writer. */
Bytes level_bytes(const Level* level, Target target, const BlobOptions* options);
/* The same with names[entity_count] for its entities; NULL: the names of the level. */
Bytes level_bytes_named(const Level* level, const char* const* names, Target target,
                        const BlobOptions* options);
/* The same with groups that begin at `first`, [count] of them, named "g0", "g1", .. by `names`; not
 * in this order. */
Bytes level_bytes_in_groups(const Level* level, const u32* first, u32 count, Target target,
                            const BlobOptions* options);
Bytes output_bytes(Output* out, Target target, const BlobOptions* options);
void  bytes_free(Bytes* bytes);

/* Writes the checksum of the bytes, which are in the order of this machine. */
void hash_fix(u8* bytes, size_t size);

/* Opens a blob that must be valid. */
Blob blob_valid(Bytes bytes, const BlobOptions* options);

/* --- component types that are not in the list ---
 *
 * Together with the list they cover all eight ways to store a type. */

#define PROBE_MOOD(X)                                                                              \
    X(PROBE_CALM, "calm")                                                                          \
    X(PROBE_ANGRY, "angry")
#define PROBE_FIELDS(F, R)                                                                         \
    F(R, f32, health, V1(50), 0, 100, "", PLAIN, "")                                               \
    F(R, EntityRef, foe, NO_ENTITY, 0, ALL, "", PLAIN, "")                                         \
    F(R, ResourceRef, model, NO_RESOURCE, 0, 0, "", REFERS_TO(RESOURCE_MESH), "")                  \
    F(R, Enum32, mood, V1(1), 0, 1, "", ENUM(PROBE_MOOD), "")                                      \
    F(R, u32, rank, V1(3), 1, 10, "", PLAIN, "")                                                   \
    F(R, Quat, turn, V4(0, 0, 0, 1), -1, 1, "", PLAIN, "")                                         \
    F(R, PersistentRef, nemesis, NO_PERSISTENT, 0, ID31, "", PLAIN, "")
#define ORBIT_FIELDS(F, R)                                                                         \
    F(R, EntityRef, center, NO_ENTITY, 0, ALL, "", PLAIN, "")                                      \
    F(R, Vec3, axis, V3(0, 1, 0), -1, 1, "", PLAIN, "")                                            \
    F(R, Bool32, active, V1(1), 0, 1, "", PLAIN, "")
#define TAG_FIELDS(F, R)                                                                           \
    F(R, u32, color, V1(7), 0, ALL, "", PLAIN, "")                                                 \
    F(R, Vec2, at, V2(1, 2), LOW, HIGH, "", PLAIN, "")                                             \
    F(R, PersistentRef, buddy, NO_PERSISTENT, 0, ID31, "", PLAIN, "")

RECORD_ENUM(ProbeMood, PROBE_MOOD)
RECORD(ProbeRecord, PROBE_FIELDS)
RECORD(OrbitRecord, ORBIT_FIELDS)
RECORD(TagRecord, TAG_FIELDS)

/*  X(name, Type, NAME, order, several, columns, lookup): "tag" is spawned before all others. */
#define PLUGIN_LIST(X)                                                                             \
    X(tag, Tag, TAG, 50, SINGLE, BY_FIELD, HASHED)                                                 \
    X(probe, Probe, PROBE, 150, SEVERAL, BY_RECORD, HASHED)                                        \
    X(orbit, Orbit, ORBIT, 500, SEVERAL, BY_FIELD, DIRECT)

#define PLUGIN_ENUM(name, Type, NAME, order, several, columns, lookup) PLUGIN_##name,
enum { PLUGIN_LIST(PLUGIN_ENUM) PLUGIN_COUNT };

const ComponentType* plugin_types(void); /* [PLUGIN_COUNT] */

/* All types, those of the list and these, in spawn order; and options that contain them. */
#define ALL_TYPES (COMPONENT_COUNT + PLUGIN_COUNT)
const ComponentType* const* all_types(void); /* [ALL_TYPES] */
BlobOptions                 all_options(void);

/* --- memory that ends at an inaccessible page --- */

typedef struct Guard {
    u8*    memory;
    size_t mapped;
    u8*    end; /* the first byte that faults */
} Guard;

void guard_open(Guard* guard, size_t room);
void guard_close(Guard* guard);
/* Memory of `size` bytes, aligned to 16, that ends at most 15 bytes before the inaccessible
 * page. */
u8* guard_at(const Guard* guard, size_t size);

/* --- allocators --- */

typedef struct CountingAllocator {
    u32    allocations, frees, refused;
    u32    fail_at;    /* the allocation of this number, from 1, fails; 0: none */
    bool   fail_after; /* and all after it */
    size_t live_bytes;
    u32    live_blocks;
    struct {
        void*  at;
        size_t bytes;
    } block[512];
} CountingAllocator;

/* Fills memory with 0xAA; detects a block that is freed twice or with another size. */
HostAllocator counting_allocator(CountingAllocator* counting);

#endif
