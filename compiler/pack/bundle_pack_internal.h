/* bundle_pack_internal.h - a bundle that is being packed: bundle_pack.c finds the resources, bundle_item.c reads
 * them, bundle_plan.c decides about dictionaries and levels, bundle_frames.c compresses, bundle_write.c writes the
 * bundle. Private. */
#ifndef ENTC_BUNDLE_PACK_INTERNAL_H
#define ENTC_BUNDLE_PACK_INTERNAL_H

#include "blob_file.h"
#include "bundle_internal.h"
#include "bundle_pack.h"
#include "jobs.h"
#include "progress.h"
#include "slots.h"

#include <zstd.h>

/* Levels that are tried where none was specified. The highest two differ by a few percent on some inputs, in either
 * direction; between 9 and 18, levels take more time and gain little (measured on levels, meshes, textures). */
#define PACK_LEVELS      3, 9, 18, 19
#define PACK_LEVEL_COUNT 4u

/* Larger resources contain enough repetitions themselves: they have no dictionary. */
#define SAMPLE_BYTES_MAX (128u << 10)

/* A resource of the bundle. */
typedef struct PackItem {
    u64          id;
    const char*  name;
    ResourceType type;
    const char*  needed_by; /* "levels/town.level"; NULL: a root */
    ResourceRef  hash;      /* of the blob, as stored in the file */
    u32          size;      /* of the blob */
    BundleCodec  codec;
    bool         with_dictionary;
    ent_status   unread; /* the reason why it could not be read again; ENT_OK */
    int          unread_errno;
    u32          stored;
    u8*          piece; /* [stored] until it is written */
} PackItem;

/* What a thread compresses with. */
typedef struct PackWorker {
    ZSTD_CCtx* context;
    u8*        room; /* [capacity_bytes] for one frame */
    size_t     capacity_bytes;
    u8*        slices; /* [slices_bytes] of a large resource */
    size_t     slices_bytes;
} PackWorker;

/* How the resources of a type of at most SAMPLE_BYTES_MAX are compressed. */
typedef struct PackPlan {
    u32         level; /* 0: each is tried for itself */
    u8*         dictionary;
    u32         dictionary_bytes;
    ZSTD_CDict* digested; /* NULL: without a dictionary */
} PackPlan;

typedef struct Pack {
    const PackOptions* options;
    const BlobOptions* known;
    Arena              arena;
    ARRAY(PackItem) items;
    Slots       slots; /* of the items, by id */
    u32         first; /* item with the byte order that all others must have; NONE: none was read */
    bool        other_order;
    JobPool*    pool;
    PackWorker* worker; /* [workers of the pool] */
    PackPlan    plan[RESOURCE_COUNT];
    Progress    progress;
} Pack;

/* --- bundle_item.c --- */

const char* item_text(Pack* pack, const PackItem* item);
const char* item_path(Pack* pack, const PackItem* item);

/* Reports which resource needs the missing or invalid one; returns the code. */
int item_refused(const PackItem* item, int code);
int item_error(Pack* pack, const PackItem* item, int code, const char* reason);

/* The hash in the header of a blob. */
ResourceRef blob_hash_read(const BlobFile* file);

/* Maps the file of an item, without a message. Any thread may call it: it uses no memory of the pack. */
ent_status item_map(const Pack* pack, const PackItem* item, BlobFile* file);

/* The same for a blob that was validated. False: it cannot be read, or is another one; item->unread is the reason. */
bool item_read(const Pack* pack, PackItem* item, BlobFile* file);

/* Reports why item_read failed; returns an exit code. */
int item_unread_report(Pack* pack, const PackItem* item);

/* --- bundle_frames.c --- */

void workers_open(Pack* pack);
void workers_close(Pack* pack);

/* Compresses into worker->room; returns the size. The level is that of the dictionary where there is one. */
u32 frame_make(PackWorker* worker, u32 level, const ZSTD_CDict* with, const void* bytes,
               size_t size);

/* An uncompressed blob can be used in place; this advantage is valued at a sixteenth of its size. */
static inline bool frame_pays(u32 frame_bytes, u64 size) { return frame_bytes <= size - size / 16; }

/* The first level whose result is at most one percent larger than the smallest: a higher level costs much time. */
u32 level_choose(const u64 bytes[PACK_LEVEL_COUNT]);

/* Compresses items [first, end), by all threads. Returns an exit code. */
int frames_make(Pack* pack, u32 first, u32 end);

/* --- bundle_plan.c --- */

/* Decides about dictionaries and levels. Returns an exit code. */
int  plans_make(Pack* pack);
void plans_drop(Pack* pack);

/* --- bundle_write.c --- */

/* Compresses and writes the bundle. Returns an exit code. */
int bundle_write(Pack* pack);

#endif
