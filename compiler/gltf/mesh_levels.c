/* mesh_levels.c - joins the levels of detail of a mesh. */
#include "mesh_levels.h"

#include <math.h>
#include <stdlib.h>

#include "mesh_distance.h"
#include "vec.h"

/* --- the place of a level --- */

static Vec3 scaled_to_one(Vec3 v, f64* length) {
    *length = sqrt((f64)v.x * (f64)v.x + (f64)v.y * (f64)v.y + (f64)v.z * (f64)v.z);
    if (!(*length > 0)) return v;
    return (Vec3){(f32)((f64)v.x / *length), (f32)((f64)v.y / *length), (f32)((f64)v.z / *length)};
}

/* Its largest number is 1: directions of normals do not depend on it. */
static Mat34 matrix_scaled(const Mat34* a) {
    Mat34 out = {{{0}}};
    f32   max = 0;
    for (u32 r = 0; r < 3; r++)
        for (u32 c = 0; c < 3; c++) max = MAX_OF(max, fabsf(a->m[r][c]));
    for (u32 r = 0; r < 3; r++)
        for (u32 c = 0; c < 3; c++) out.m[r][c] = max > 0 ? a->m[r][c] / max : 0;
    return out;
}

/* Of normals: the cofactors are the transposed inverse, but for a factor. */
static Mat34 cofactors_of(const Mat34* a) {
    Mat34 out = {{{0}}};
    for (u32 r = 0; r < 3; r++)
        for (u32 c = 0; c < 3; c++) {
            const u32 r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out.m[r][c] = a->m[r1][c1] * a->m[r2][c2] - a->m[r1][c2] * a->m[r2][c1];
        }
    return out;
}

static f32 determinant_of(const Mat34* a, const Mat34* cofactors) {
    f32 sum = 0;
    for (u32 c = 0; c < 3; c++) sum += a->m[0][c] * cofactors->m[0][c];
    return sum;
}

/* Numbers that a blob may have. */
static Vec3 finite(Vec3 v) {
    f32* const at = &v.x;
    for (u32 k = 0; k < 3; k++)
        at[k] = isnan(at[k]) ? 0 : MIN_OF(MAX_OF(at[k], (f32)LOW), (f32)HIGH);
    return v;
}

static Vec3* vectors_move(const Vec3* from, u32 count, const Mat34* by, bool points, Arena* arena) {
    if (!from) return NULL;
    Vec3* out = ARENA_NEW(arena, Vec3, count);
    for (u32 i = 0; i < count; i++)
        out[i] = finite(points ? mat34_point(by, from[i]) : mat34_direction(by, from[i]));
    return out;
}

/* Displacements of normals and tangents are as much shorter as their vectors become. */
static Vec3* bends_move(const Vec3* from, const f64* lengths, u32 count, const Mat34* by,
                        Arena* arena) {
    Vec3* out = vectors_move(from, count, by, false, arena);
    for (u32 i = 0; out && lengths && i < count; i++) {
        const f64 length = lengths[i] > 0 ? lengths[i] : 1;
        out[i].x = (f32)((f64)out[i].x / length);
        out[i].y = (f32)((f64)out[i].y / length);
        out[i].z = (f32)((f64)out[i].z / length);
    }
    return out;
}

static void indices_turn(GltfPrimitive* p, Arena* arena) {
    u32* indices = ARENA_NEW(arena, u32, p->index_count);
    for (u32 i = 0; i + 2 < p->index_count; i += 3) {
        indices[i] = p->indices[i];
        indices[i + 1] = p->indices[i + 2];
        indices[i + 2] = p->indices[i + 1];
    }
    p->indices = indices;
}

static void primitive_move(GltfPrimitive* p, u32 targets, const Mat34* by, Arena* arena) {
    const u32   count = p->vertex_count;
    const Mat34 linear = matrix_scaled(by), normal_by = cofactors_of(&linear);
    const f32   determinant = determinant_of(&linear, &normal_by);
    const bool  turns = determinant < 0;
    f64*        normal = p->normals ? ARENA_NEW(arena, f64, count) : NULL;
    f64*        tangent = p->tangents ? ARENA_NEW(arena, f64, count) : NULL;
    Vec4*       tangents = p->tangents ? ARENA_NEW(arena, Vec4, count) : NULL;
    Mat34       outward = normal_by;
    for (u32 r = 0; turns && r < 3; r++)
        for (u32 c = 0; c < 3; c++) outward.m[r][c] = -outward.m[r][c];
    p->positions = vectors_move(p->positions, count, by, true, arena);
    p->normals = vectors_move(p->normals, count, &outward, false, arena);
    for (u32 i = 0; normal && i < count; i++)
        p->normals[i] = scaled_to_one(p->normals[i], &normal[i]);
    for (u32 i = 0; tangents && i < count; i++) {
        const Vec4 t = p->tangents[i];
        const Vec3 moved =
            scaled_to_one(mat34_direction(&linear, (Vec3){t.x, t.y, t.z}), &tangent[i]);
        tangents[i] = (Vec4){moved.x, moved.y, moved.z, turns ? -t.w : t.w};
    }
    p->tangents = tangents;
    if (turns && p->topology == MESH_TRIANGLES) indices_turn(p, arena);
    for (u32 t = 0; t < targets; t++) {
        GltfTarget* at = &p->targets[t];
        *at = (GltfTarget){vectors_move(at->positions, count, by, false, arena),
                           bends_move(at->normals, normal, count, &outward, arena),
                           bends_move(at->tangents, tangent, count, &linear, arena)};
    }
}

/* --- parts --- */

/* A primitive of a level. */
typedef struct Piece {
    u32 material, topology, level, index;
    u32 turn;                     /* among those of the level with this material and topology */
    u32 first_level, first_index; /* of the piece of the lowest level in its part */
} Piece;

static int compare(u32 a, u32 b) { return a < b ? -1 : a > b; }

static int piece_order(const void* x, const void* y) {
    const Piece *a = x, *b = y;
    if (a->material != b->material) return compare(a->material, b->material);
    if (a->topology != b->topology) return compare(a->topology, b->topology);
    if (a->turn != b->turn) return compare(a->turn, b->turn);
    if (a->level != b->level) return compare(a->level, b->level);
    return compare(a->index, b->index);
}

static int part_order(const void* x, const void* y) {
    const Piece *a = x, *b = y;
    if (a->first_level != b->first_level) return compare(a->first_level, b->first_level);
    if (a->first_index != b->first_index) return compare(a->first_index, b->first_index);
    return compare(a->level, b->level);
}

static bool is_alike(const Piece* a, const Piece* b) {
    return a->material == b->material && a->topology == b->topology;
}

/* The pieces of a part follow each other by levels; parts are in the order of the lowest level. */
static void pieces_order(Piece* at, u32 count) {
    qsort(at, count, sizeof *at, piece_order); /* `turn` is 0: by levels and indices */
    for (u32 i = 1; i < count; i++)
        if (is_alike(&at[i], &at[i - 1]) && at[i].level == at[i - 1].level)
            at[i].turn = at[i - 1].turn + 1;
    qsort(at, count, sizeof *at, piece_order);
    for (u32 i = 0; i < count; i++) {
        const bool begins = i == 0 || !is_alike(&at[i], &at[i - 1]) || at[i].turn != at[i - 1].turn;
        at[i].first_level = begins ? at[i].level : at[i - 1].first_level;
        at[i].first_index = begins ? at[i].index : at[i - 1].first_index;
    }
    qsort(at, count, sizeof *at, part_order);
}

static const GltfMesh* level_mesh(const GltfMesh* mesh, u32 level) {
    return level == 0 ? mesh : &mesh->levels[level - 1].mesh;
}

static Piece* pieces_find(const GltfMesh* mesh, u32* count, Arena* arena) {
    *count = 0;
    for (u32 l = 0; l <= mesh->level_count; l++) *count += level_mesh(mesh, l)->primitive_count;
    Piece* at = ARENA_NEW(arena, Piece, *count);
    u32    next = 0;
    for (u32 l = 0; l <= mesh->level_count; l++)
        for (u32 i = 0; i < level_mesh(mesh, l)->primitive_count; i++) {
            const GltfPrimitive* p = &level_mesh(mesh, l)->primitives[i];
            at[next++] =
                (Piece){.material = p->material, .topology = p->topology, .level = l, .index = i};
        }
    pieces_order(at, *count);
    return at;
}

/* [target_count of the mesh] The morph target of a level with the same name; without names that with the same number; NONE:
 * the level does not have it. */
static u32* targets_match(const GltfMesh* mesh, const GltfMesh* level, Arena* arena) {
    u32* out = ARENA_NEW(arena, u32, mesh->target_count);
    bool named = level->target_count > 0;
    for (u32 t = 0; t < mesh->target_count; t++) named &= *mesh->target_names[t] != 0;
    for (u32 t = 0; t < level->target_count; t++) named &= *level->target_names[t] != 0;
    for (u32 t = 0, k = 0; t < mesh->target_count; t++) {
        const char* name = mesh->target_names[t];
        u32         tried = 0;
        out[t] = t < level->target_count ? t : NONE;
        if (!named) continue;
        /* They mostly have the same order: the search goes on where it ended. */
        while (tried < level->target_count && strcmp(level->target_names[k], name) != 0)
            k = (k + 1) % level->target_count, tried++;
        out[t] = tried < level->target_count ? k : NONE;
    }
    return out;
}

/* All pieces as primitives of one mesh, with the morph targets of the full mesh. */
static GltfMesh pieces_join(const GltfMesh* mesh, const Piece* at, u32 count, Arena* arena) {
    GltfMesh out = *mesh;
    out.primitive_count = count;
    out.primitives = ARENA_NEW(arena, GltfPrimitive, count);
    u32** targets = ARENA_NEW(arena, u32*, mesh->level_count + 1);
    for (u32 l = 0; l <= mesh->level_count; l++)
        targets[l] = targets_match(mesh, level_mesh(mesh, l), arena);
    for (u32 i = 0; i < count; i++) {
        const GltfMesh*      from = level_mesh(mesh, at[i].level);
        GltfPrimitive* const p = &out.primitives[i];
        *p = from->primitives[at[i].index];
        p->targets = ARENA_NEW(arena, GltfTarget, mesh->target_count);
        for (u32 t = 0; t < mesh->target_count; t++)
            if (targets[at[i].level][t] != NONE)
                p->targets[t] = from->primitives[at[i].index].targets[targets[at[i].level][t]];
        if (at[i].level && mesh->levels[at[i].level - 1].is_moved)
            primitive_move(p, mesh->target_count, &mesh->levels[at[i].level - 1].place, arena);
    }
    return out;
}

/* --- the result --- */

/* What is built of all levels: part i of `all` is piece i. */
typedef struct Join {
    const Piece* piece; /* [all->part_count] */
    MeshBuild*   all;
    MeshBuild*   out;
    MeshLods*    lods;
} Join;

/* Does a part begin with the piece? */
static bool is_first(const Join* j, u32 piece) {
    return piece == 0 || j->piece[piece].first_level != j->piece[piece - 1].first_level ||
           j->piece[piece].first_index != j->piece[piece - 1].first_index;
}

static void bounds_join(MeshPartRecord* to, const MeshPartRecord* from) {
    to->bounds_min.x = MIN_OF(to->bounds_min.x, from->bounds_min.x);
    to->bounds_min.y = MIN_OF(to->bounds_min.y, from->bounds_min.y);
    to->bounds_min.z = MIN_OF(to->bounds_min.z, from->bounds_min.z);
    to->bounds_max.x = MAX_OF(to->bounds_max.x, from->bounds_max.x);
    to->bounds_max.y = MAX_OF(to->bounds_max.y, from->bounds_max.y);
    to->bounds_max.z = MAX_OF(to->bounds_max.z, from->bounds_max.z);
}

/* Vertices of a part are those of its pieces, which follow each other; indices are set later. */
static void parts_join(Join* j, const GltfMesh* joined, Arena* arena) {
    MeshBuild* const out = j->out;
    const u32        count = j->all->part_count;
    out->parts = ARENA_NEW(arena, MeshPartRecord, count);
    out->materials = ARENA_NEW(arena, u32, count);
    out->degenerate = ARENA_NEW(arena, u32, count);
    out->sources = ARENA_NEW(arena, const GltfPrimitive*, count);
    out->part_count = 0;
    for (u32 i = 0; i < count; i++) {
        const MeshPartRecord* from = &j->all->parts[i];
        if (is_first(j, i)) {
            const u32 part = out->part_count++;
            out->parts[part] = *from;
            out->parts[part].index_count = 0;
            out->materials[part] = j->all->materials[i];
            out->degenerate[part] = j->all->degenerate[i];
            out->sources[part] = &joined->primitives[i];
            continue;
        }
        MeshPartRecord* part = &out->parts[out->part_count - 1];
        part->vertex_count += from->vertex_count;
        bounds_join(part, from);
    }
}

/* The indices of the full mesh, or those of a level. Returns their number. */
static u32 indices_take(const Join* j, u32 level, u32* to, u32 first, LodRangeRecord* ranges) {
    u32 used = 0, part = NONE;
    for (u32 i = 0; i < j->all->part_count; i++) {
        const MeshPartRecord* from = &j->all->parts[i];
        if (is_first(j, i)) {
            part++; /* from NONE to 0 */
            ranges[part] = (LodRangeRecord){first + used, 0};
        }
        if (j->piece[i].level != level) continue;
        ranges[part].index_count = from->index_count;
        for (u32 k = 0; k < from->index_count; k++)
            to[used++] = j->all->indices[from->first_index + k].vertex;
    }
    return used;
}

/* The triangles of a level, or of the full mesh. */
static Surface surface_of(const Join* j, u32 level, Arena* arena) {
    u32* indices = ARENA_NEW(arena, u32, j->all->index_count);
    u32  count = 0;
    for (u32 i = 0; i < j->all->part_count; i++) {
        const MeshPartRecord* from = &j->all->parts[i];
        if (j->piece[i].level != level || from->topology != MESH_TRIANGLES) continue;
        for (u32 k = 0; k < from->index_count; k++)
            indices[count++] = j->all->indices[from->first_index + k].vertex;
    }
    return (Surface){&j->all->positions[0].position, indices, j->all->vertex_count, count};
}

/* Without triangles, a level is as far away as the mesh is large. */
static f64 error_of(const Join* j, u32 level) {
    const Vec3*   low = &j->all->bounds.bounds_min;
    const Vec3*   high = &j->all->bounds.bounds_max;
    Arena         scratch = {0};
    const Surface full = surface_of(j, 0, &scratch), other = surface_of(j, level, &scratch);
    f64           error = (f64)vec3_length(vec3_sub(*high, *low));
    if (full.index_count && other.index_count)
        error = MAX_OF(surface_distance(full, other), surface_distance(other, full));
    arena_drop(&scratch);
    return error;
}

static void lods_join(Join* j, u32 levels, Arena* arena) {
    MeshLods* const lods = j->lods;
    const u32       parts = j->out->part_count;
    f64             error = 0;
    *lods = (MeshLods){.lods = ARENA_NEW(arena, MeshLodRecord, levels),
                       .ranges = ARENA_NEW(arena, LodRangeRecord, (size_t)levels * parts),
                       .indices = ARENA_NEW(arena, LodIndexRecord, j->all->index_count),
                       .lod_count = levels};
    for (u32 l = 0; l < levels; l++) {
        lods->index_count += indices_take(j, l + 1, &lods->indices[lods->index_count].vertex,
                                          lods->index_count, lods->ranges + (size_t)l * parts);
        error = MAX_OF(error, error_of(j, l + 1));
        lods->lods[l].error_m = nextafterf((f32)error, (f32)HIGH);
    }
}

void mesh_levels_build(MeshBuild* out, MeshLods* lods, const GltfMesh* mesh, Arena* arena) {
    Arena           scratch = {0};
    MeshBuild       all;
    u32             count;
    const Piece*    pieces = pieces_find(mesh, &count, &scratch);
    GltfMesh*       joined = ARENA_NEW(arena, GltfMesh, 1);
    LodRangeRecord* ranges = ARENA_NEW(&scratch, LodRangeRecord, count);
    *joined = pieces_join(mesh, pieces, count, arena);
    mesh_build(&all, joined, arena);
    *out = all;
    Join join = {pieces, &all, out, lods};
    parts_join(&join, joined, arena);
    out->indices = ARENA_NEW(arena, IndexRecord, all.index_count);
    out->index_count = indices_take(&join, 0, &out->indices[0].vertex, 0, ranges);
    for (u32 i = 0; i < out->part_count; i++) {
        out->parts[i].first_index = ranges[i].first_index;
        out->parts[i].index_count = ranges[i].index_count;
    }
    lods_join(&join, mesh->level_count, arena);
    arena_drop(&scratch);
}
