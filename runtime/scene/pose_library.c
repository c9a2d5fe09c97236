/* pose_library.c - follows the changes of a library. */
#include "pose_library_internal.h"

#include "hash.h"
#include "host_internal.h"
#include "library_internal.h"
#include "world_internal.h"

PoseLibrary pose_library_of(World* world, const Library* library) {
    return (PoseLibrary){.world = world,
                         .library = library,
                         .tables = {.allocator = host_allocator(world->allocator)},
                         .version = library->version,
                         .taken = library->version,
                         .cleared = library->cleared};
}

void pose_library_free(PoseLibrary* p) { pose_tables_free(&p->tables); }

void* pose_library_take(const PoseLibrary* p, size_t bytes) {
    return p->tables.allocator.alloc(p->tables.allocator.user, bytes);
}

void pose_library_return(const PoseLibrary* p, void* at, size_t bytes) {
    if (at) p->tables.allocator.free(p->tables.allocator.user, at, bytes);
}

void* pose_library_grow(const PoseLibrary* poses, void* old, u32 room, u32 grown, size_t bytes) {
    void* const out = pose_library_take(poses, grown * bytes);
    if (!out) return NULL;
    if (room) memcpy(out, old, room * bytes);
    pose_library_return(poses, old, room * bytes);
    return out;
}

const Blob* pose_library_find(const PoseLibrary* p, ResourceRef id, ResourceType type) {
    const Blob* blob = resource_id(id) ? ent_library_find(p->library, id) : NULL;
    return blob && blob->header->resource_type == type ? blob : NULL;
}

ent_status pose_library_clip(PoseLibrary* p, ResourceRef id, u32* clip) {
    const Blob* blob = pose_library_find(p, id, RESOURCE_CLIP);
    *clip = NONE;
    return blob ? pose_tables_clip(&p->tables, blob, clip) : ENT_OK;
}

static bool is_changed(const PoseLibrary* p, const Blob* blob) {
    const u8* entry = (const u8*)blob - offsetof(LibraryEntry, resource.blob);
    return ((const LibraryEntry*)(const void*)entry)->version > p->taken;
}

static bool tables_differ(const PoseLibrary* p) {
    const PoseTables* t = &p->tables;
    bool              any = false;
    for (u32 i = 0; i < t->skeleton_count; i++) any |= is_changed(p, t->skeleton[i].blob);
    for (u32 i = 0; i < t->clip_count; i++) any |= is_changed(p, t->clip[i].blob);
    return any;
}

/* False: there is no memory for the new ones. */
static bool tables_renew(PoseLibrary* p) {
    PoseTables       next = {.allocator = p->tables.allocator};
    const ent_status status = pose_tables_renew(&next, &p->tables);
    if (status != ENT_OK) {
        pose_tables_free(&next);
        world_log(p->world, LOG_WARNING,
                  "skeletons or clips that changed cannot be used (%s): the former ones stay",
                  ent_status_text(status));
        return false;
    }
    pose_tables_free(&p->tables);
    p->tables = next;
    return true;
}

bool pose_library_follow(PoseLibrary* p) {
    const Library* l = p->library;
    if (p->version == l->version && p->cleared == l->cleared) return false;
    const bool forgets = p->cleared != l->cleared;
    p->version = l->version;
    if (forgets) {
        const u32 version = p->tables.version;
        pose_tables_free(&p->tables);
        p->tables.version = version + 1;
    } else if (tables_differ(p) && !tables_renew(p)) {
        return false;
    }
    p->taken = l->version;
    p->cleared = l->cleared;
    return forgets;
}
