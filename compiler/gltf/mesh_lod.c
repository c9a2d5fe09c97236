/* mesh_lod.c - simplifies a mesh level by level. */
#include "mesh_lod.h"

#include <math.h>
#include <meshoptimizer.h>

#include "mesh_distance.h"

#define KEPT_MAX 0.95 /* a level with a larger share of the indices before it is not worth it */

typedef struct Levels {
    const MeshBuild*     mesh;
    const ModelSettings* settings;
    MeshLods*            out;
    f64                  side; /* the largest one of the bounds */
    f64                  share;
    u32*                 level; /* [mesh->index_count] indices of the level that is built */
} Levels;

static f64 side_of(Vec3 low, Vec3 high) {
    const f64 x = (f64)high.x - (f64)low.x, y = (f64)high.y - (f64)low.y;
    const f64 z = (f64)high.z - (f64)low.z;
    return MAX_OF(x, MAX_OF(y, z));
}

/* Where parts meet, both keep their borders, so that no gaps open between them. */
static u32 options_of(const MeshBuild* mesh) {
    return mesh->part_count > 1 ? meshopt_SimplifyLockBorder : 0;
}

/* Writes the triangles of a part; `most` is their number of indices in the level before. Returns
 * the new number; indices count from the first vertex of the part. */
static u32 part_simplify(const Levels* l, const MeshPartRecord* part, const u32* from, u32* to,
                         u32 max) {
    const f32*   positions = &l->mesh->positions[part->first_vertex].position.x;
    const size_t stride = sizeof(PositionRecord);
    const f64    scale = (f64)meshopt_simplifyScale(positions, part->vertex_count, stride);
    const f64    error = scale > 0 ? (f64)l->settings->lod_error * l->side / scale : 0;
    const u32    target = (u32)(part->index_count / 3 * l->share) * 3;
    const u32    count =
        (u32)meshopt_simplify(to, from, part->index_count, positions, part->vertex_count, stride,
                              target, (f32)MIN_OF(error, 1), options_of(l->mesh), NULL);
    if (count == 0 || count > max) return 0;
    meshopt_optimizeVertexCache(to, to, count, part->vertex_count);
    return count;
}

/* Of a part, the error of its range in the level. */
static f64 part_error(const Levels* l, const MeshPartRecord* part, const u32* from,
                      const u32* level, u32 count) {
    const Vec3* positions = &l->mesh->positions[part->first_vertex].position;
    const u32   vertices = part->vertex_count;
    return surface_distance((Surface){positions, from, vertices, part->index_count},
                            (Surface){positions, level, vertices, count});
}

/* The indices of a part, from its first vertex on. */
static u32* part_indices(const MeshBuild* mesh, const MeshPartRecord* part, Arena* arena) {
    u32* indices = ARENA_NEW(arena, u32, part->index_count);
    for (u32 i = 0; i < part->index_count; i++)
        indices[i] = mesh->indices[part->first_index + i].vertex - part->first_vertex;
    return indices;
}

/* The number of indices of a part in the level before. */
static u32 count_before(const Levels* l, u32 part) {
    const u32 at = l->out->lod_count * l->mesh->part_count + part;
    return l->out->lod_count ? l->out->ranges[at - l->mesh->part_count].index_count
                             : l->mesh->parts[part].index_count;
}

/* Writes what the level draws of a part behind the `used` indices of the other ones; returns the
 * number of indices. A part that cannot be simplified further is that of the level before. */
static u32 part_build(Levels* l, u32 index, u32 used, f64* error) {
    const MeshPartRecord* part = &l->mesh->parts[index];
    const LodRangeRecord* before =
        l->out->lod_count ? &l->out->ranges[(l->out->lod_count - 1) * l->mesh->part_count + index]
                          : NULL;
    Arena      scratch = {0};
    const u32* from = part_indices(l->mesh, part, &scratch);
    u32*       to = l->level + used;
    u32        count = 0;
    if (part->topology == MESH_TRIANGLES)
        count = part_simplify(l, part, from, to, count_before(l, index));
    if (count) {
        *error = MAX_OF(*error, part_error(l, part, from, to, count));
    } else {
        count = before ? before->index_count : part->index_count;
        for (u32 i = 0; i < count; i++)
            to[i] = before ? l->out->indices[before->first_index + i].vertex - part->first_vertex
                           : from[i];
    }
    for (u32 i = 0; i < count; i++) to[i] += part->first_vertex;
    arena_drop(&scratch);
    return count;
}

/* Builds the next level; returns false when it is not worth it. The indices of all levels are
 * together at most MODEL_LODS_MAX times those of the mesh. */
static bool level_build(Levels* l) {
    const MeshBuild* mesh = l->mesh;
    MeshLods*        out = l->out;
    LodRangeRecord*  range = out->ranges + (size_t)out->lod_count * mesh->part_count;
    const u32        first = out->index_count;
    u32              used = 0, before = 0;
    f64              error = out->lod_count ? (f64)out->lods[out->lod_count - 1].error_m : 0;
    for (u32 i = 0; i < mesh->part_count; i++) {
        const u32 count = part_build(l, i, used, &error);
        before += count_before(l, i);
        range[i] = (LodRangeRecord){first + used, count};
        used += count;
    }
    if (used > before * KEPT_MAX || error > (f64)l->settings->lod_error * l->side) return false;
    for (u32 i = 0; i < used; i++) out->indices[first + i].vertex = l->level[i];
    out->index_count += used;
    out->lods[out->lod_count++].error_m = nextafterf((f32)error, (f32)HIGH);
    return true;
}

void mesh_lods_build(MeshLods* out, const MeshBuild* mesh, const ModelSettings* settings,
                     Arena* arena) {
    Arena  scratch = {0};
    Levels levels = {.mesh = mesh, .settings = settings, .out = out, .share = 1};
    u64    room = 0;
    *out = (MeshLods){0};
    if (settings->lods == 0) return;
    room = (u64)mesh->index_count * settings->lods;
    if (room > UINT32_MAX / 4) room = UINT32_MAX / 4;
    levels.side = side_of(mesh->bounds.bounds_min, mesh->bounds.bounds_max);
    levels.level = ARENA_NEW(&scratch, u32, mesh->index_count);
    out->lods = ARENA_NEW(arena, MeshLodRecord, settings->lods);
    out->ranges = ARENA_NEW(arena, LodRangeRecord, (size_t)settings->lods * mesh->part_count);
    out->indices = ARENA_NEW(arena, LodIndexRecord, room);
    for (u32 i = 0; i < settings->lods; i++) {
        levels.share *= (f64)settings->lod_triangles;
        if ((u64)out->index_count + mesh->index_count > room || !level_build(&levels)) break;
    }
    arena_drop(&scratch);
}
