/* make fuzz target=blob seconds=60
 *
 * Whatever the validator accepts is spawned, posed and dumped; nothing after the validation may
 * fail. The checksum is not verified, but corrected nevertheless: some ways of opening verify it
 * later. */
#include <stdlib.h>

#include "ent.h"
#include "fuzz.h"
#include "hash.h"
#include "inspect.h"
#include "sections.h"

void fuzz_blob_seeds(void) {}

void fuzz_blob_repair(u8* data, size_t size) {
    if (size < sizeof(BlobHeader)) return;
    const ResourceRef hash = resource_ref(blob_hash(data, size));
    memcpy(data + offsetof(BlobHeader, hash), &hash, sizeof hash);
}

static void pose(const Blob* blob) {
    const u32        joints = ent_skeleton_joint_count(blob), binds = ent_skeleton_bind_count(blob);
    TransformRecord* poses = calloc(joints + 1, sizeof *poses);
    Mat34*           model = calloc(joints + 1, sizeof *model);
    Mat34*           palette = calloc(binds + 1, sizeof *palette);
    ent_clip_sample(NULL, blob, 0, poses);
    ent_skeleton_palette(blob, poses, model, palette);
    free(poses);
    free(model);
    free(palette);
}

static void spawn(const Blob* blob) {
    World* world;
    if (blob->header->element_count > 100000 || ent_world_create(&world, NULL) != ENT_OK) return;
    if (ent_world_spawn(world, blob, NULL, NULL) == ENT_OK) ent_transform_depth(world);
    ent_world_clear(world);
    if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) abort();
    ent_world_destroy(world);
}

static void declare(const Blob* blob) {
    World* world;
    if (ent_world_create(&world, NULL) != ENT_OK) return;
    const ent_status status = ent_world_declare(world, blob);
    if (status != ENT_OK && status != ENT_EXISTS) abort();
    ent_world_destroy(world);
}

/* Opened as a host does it: nothing is skipped. */
static void open_complete(const void* bytes, size_t size) {
    Blob             blob;
    BlobFault        fault;
    const ent_status status = ent_blob_open(&blob, bytes, size, NULL, &fault);
    if (status != fault.status || (status != ENT_OK && !fault.reason[0])) abort();
}

void fuzz_blob(const u8* data, size_t size) {
    static FILE*      null;
    const BlobOptions options = {.skip_hash = 1};
    Blob              blob;
    void*             bytes = aligned_alloc(16, align_up(size + 1, 16));
    if (!null) null = fopen("/dev/null", "w");
    memcpy(bytes, data, size);
    open_complete(bytes, size);
    if (ent_blob_open(&blob, bytes, size, &options, NULL) == ENT_OK) {
        const u32 type = blob.header->resource_type;
        if (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL) spawn(&blob);
        if (type == RESOURCE_SKELETON) pose(&blob);
        if (type == RESOURCE_COMPONENT) declare(&blob);
        if (type != RESOURCE_ENTITY && type != RESOURCE_LEVEL) dump_text(null, &blob, NULL);
    }
    free(bytes);
}

FUZZ_TARGET(blob)
