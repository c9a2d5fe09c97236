/* mesh_build.c - joins the primitives of a mesh, welds vertices, and orders triangles for the GPU.
 */
#include "mesh_build.h"

#include <math.h>
#include <meshoptimizer.h>
#include <stdlib.h>

#include "job_once.h"
#include "mesh_tangents.h"
#include "vec.h"
#include "order.h"

#define OVERDRAW_THRESHOLD 1.05f /* accepted loss of vertex cache efficiency for less overdraw */
#define WEIGHT_SUM         65535u
#define INFLUENCES_MAX     8u

/* Limit for the cost of ordering triangles for the vertex cache, in squares of valences: see
 * order_is_cheap. The first number means that the best order is always used for meshes of some
 * hundred triangles; beyond, it is used up to a mean square of 16 per index. A closed surface of
 * triangles has 6. */
#define ORDER_COST_FREE      (1u << 20)
#define ORDER_COST_PER_INDEX 16u
#define FIFO_VERTICES        16u /* the cache size for which the linear order is optimised */

#define WELD_STREAMS 15u /* that meshoptimizer compares at once, and the result so far */

enum {
    POSITIONS,
    NORMALS,
    TANGENTS,
    UVS,
    UVS_1,
    COLORS,
    JOINTS,
    WEIGHTS,
    JOINTS_1,
    WEIGHTS_1,
    TANGENT_UVS,  /* only in pieces */
    DISPLACEMENTS /* from here on: positions, normals and tangents of each morph target */
};

static u32 stream_bytes(u32 stream) {
    static const u32 bytes[DISPLACEMENTS] = {sizeof(PositionRecord),
                                             sizeof(NormalRecord),
                                             sizeof(TangentRecord),
                                             sizeof(UvRecord),
                                             sizeof(Uv1Record),
                                             sizeof(ColorRecord),
                                             sizeof(VertexJointsRecord),
                                             sizeof(VertexWeightsRecord),
                                             sizeof(VertexJoints1Record),
                                             sizeof(VertexWeights1Record),
                                             sizeof(Vec2)};
    return stream < DISPLACEMENTS ? bytes[stream] : (u32)sizeof(Vec3);
}

/* Vertices as streams of bytes, so that all streams are processed by the same code. */
typedef struct Vertices {
    void** stream; /* [stream_count] of [count] each, or NULL */
    u32    stream_count, count;
} Vertices;

/* One primitive that is being processed. */
typedef struct Piece {
    Vertices vertices;
    u32*     indices; /* [index_count] */
    u32      index_count;
} Piece;

/* --- weights --- */

/* Rounds four or eight weights to 16 bits so that their sum is 65535: the remainder is distributed,
 * unit by unit, to the weights with the largest rounding errors; of equal ones to the first. */
static void quantize_weights(const f32* weights, u32 count, u32* out) {
    f64 sum = 0, lost[INFLUENCES_MAX];
    u32 given = 0;
    for (u32 i = 0; i < count; i++) sum += (f64)weights[i];
    assert(sum > 0 && count <= INFLUENCES_MAX); /* four or eight */
    for (u32 i = 0; i < count; i++) {
        const f64 exact = (f64)weights[i] / sum * WEIGHT_SUM;
        out[i] = (u32)exact;
        lost[i] = exact - out[i];
        given += out[i];
    }
    for (; given < WEIGHT_SUM; given++) {
        u32 max = 0;
        for (u32 i = 1; i < count; i++)
            if (lost[i] > lost[max]) max = i;
        out[max]++;
        lost[max] -= 1;
    }
    for (u32 i = 0; given > WEIGHT_SUM; i = (i + 1) % count)
        if (out[i]) out[i]--, given--; /* rounding of the division; at most one or two units */
}

/* A joint with weight 0 is written as joint 0, so that each vertex has only one encoding. */
static void pack_influences(const GltfPrimitive* p, u32 from, Vertices* v, u32 to) {
    u32          w[INFLUENCES_MAX] = {0}, j[INFLUENCES_MAX] = {0};
    const size_t first = (size_t)from * p->influences;
    assert(p->influences <= INFLUENCES_MAX); /* four or eight */
    quantize_weights(p->weights + first, p->influences, w);
    for (u32 i = 0; i < p->influences; i++) j[i] = w[i] ? p->joints[first + i] : 0;
    ((VertexJointsRecord*)v->stream[JOINTS])[to] =
        (VertexJointsRecord){j[0] | j[1] << 16, j[2] | j[3] << 16};
    ((VertexWeightsRecord*)v->stream[WEIGHTS])[to] =
        (VertexWeightsRecord){w[0] | w[1] << 16, w[2] | w[3] << 16};
    if (p->influences == 4) return;
    ((VertexJoints1Record*)v->stream[JOINTS_1])[to] =
        (VertexJoints1Record){j[4] | j[5] << 16, j[6] | j[7] << 16};
    ((VertexWeights1Record*)v->stream[WEIGHTS_1])[to] =
        (VertexWeights1Record){w[4] | w[5] << 16, w[6] | w[7] << 16};
}

/* --- vertices that are used --- */

/* Vertices of a primitive's arrays: [count], or all of them when `at` is NULL. */
typedef struct Used {
    u32* at;
    u32  count;
} Used;

/* Numbers the vertices to which the indices refer, in their order in the file, and changes the
 * indices to these numbers. A thousand primitives may share one array of which each uses only a few
 * vertices: the cost depends on the indices, not on the array. */
static Used number_used(const GltfPrimitive* p, u32* indices, Arena* arena) {
    const u32 count = p->index_count;
    if (p->vertex_count <= count || !p->indexed) return (Used){NULL, p->vertex_count};
    Used used = {ARENA_NEW(arena, u32, count), 0};
    memcpy(used.at, indices, sizeof *indices * count);
    qsort(used.at, count, sizeof *indices, order_numbers);
    for (u32 i = 0; i < count; i++)
        if (i == 0 || used.at[i] != used.at[used.count - 1]) used.at[used.count++] = used.at[i];
    for (u32 i = 0; i < count; i++) {
        const u32* at = bsearch(&indices[i], used.at, used.count, sizeof *indices, order_numbers);
        indices[i] = (u32)(at - used.at);
    }
    return used;
}

/* --- streams --- */

/* The arrays of a primitive by stream; NULL for the ones that it does not have, and for influences,
 * which are packed. */
static const void* stream_source(const GltfPrimitive* p, u32 stream) {
    const void* const from[DISPLACEMENTS] = {[POSITIONS] = p->positions,
                                             [NORMALS] = p->normals,
                                             [TANGENTS] = p->tangents,
                                             [UVS] = p->uvs,
                                             [UVS_1] = p->uvs_1,
                                             [COLORS] = p->colors,
                                             [TANGENT_UVS] = p->tangent_uvs};
    if (stream < DISPLACEMENTS) return from[stream];
    const GltfTarget* target = &p->targets[(stream - DISPLACEMENTS) / 3];
    const void* const moved[] = {target->positions, target->normals, target->tangents};
    return moved[(stream - DISPLACEMENTS) % 3];
}

static bool has_stream(const GltfPrimitive* p, u32 stream) {
    if (stream == JOINTS || stream == WEIGHTS) return p->influences > 0;
    if (stream == JOINTS_1 || stream == WEIGHTS_1) return p->influences > 4;
    return stream_source(p, stream) != NULL;
}

static void* stream_new(Arena* arena, u32 stream, u32 count) {
    return arena_alloc(arena, (size_t)stream_bytes(stream) * count);
}

static void stream_gather(u8* to, const u8* from, u32 bytes, Used used) {
    if (!used.at) memcpy(to, from, (size_t)bytes * used.count);
    for (u32 i = 0; used.at && i < used.count; i++)
        memcpy(to + (size_t)i * bytes, from + (size_t)used.at[i] * bytes, bytes);
}

/* Copies what the primitive uses: the originals may be shared. */
static Piece piece_of(const GltfPrimitive* p, u32 stream_count, Arena* arena) {
    Piece     piece = {.index_count = p->index_count};
    Vertices* v = &piece.vertices;
    piece.indices = ARENA_NEW(arena, u32, p->index_count);
    memcpy(piece.indices, p->indices, sizeof *p->indices * p->index_count);
    const Used used = number_used(p, piece.indices, arena);
    *v = (Vertices){ARENA_NEW(arena, void*, stream_count), stream_count, used.count};
    for (u32 s = 0; s < stream_count; s++) {
        if (!has_stream(p, s)) continue;
        v->stream[s] = stream_new(arena, s, v->count);
        const void* from = stream_source(p, s);
        if (from) stream_gather(v->stream[s], from, stream_bytes(s), used);
    }
    for (u32 i = 0; p->influences && i < v->count; i++)
        pack_influences(p, used.at ? used.at[i] : i, v, i);
    return piece;
}

/* Moves vertices as defined by remap; `~0u` removes one. */
static void piece_remap(Piece* piece, const u32* remap, u32 count) {
    Vertices* v = &piece->vertices;
    for (u32 s = 0; s < v->stream_count; s++)
        if (v->stream[s])
            meshopt_remapVertexBuffer(v->stream[s], v->stream[s], v->count, stream_bytes(s), remap);
    for (u32 i = 0; i < piece->index_count; i++) piece->indices[i] = remap[piece->indices[i]];
    v->count = count;
}

/* Streams of vertices that are compared. */
typedef struct Streams {
    struct meshopt_Stream* at; /* [count] */
    u32                    count;
} Streams;

/* Numbers elements with streams that are equal byte by byte; returns how many there are. More streams than are
 * compared at once are compared in turn, each time with the numbers that the streams before have assigned.
 *
 *   indices  [index_count] the elements that are used, or NULL: all */
static u32 streams_number(u32* numbers, const Streams* streams, const u32* indices, u32 index_count,
                          u32 count, Arena* arena) {
    struct meshopt_Stream compared[WELD_STREAMS + 1];
    u32*                  before = ARENA_NEW(arena, u32, count);
    size_t                unique = 0;
    for (u32 s = 0; s < streams->count;) {
        u32 n = 0;
        if (s) compared[n++] = (struct meshopt_Stream){before, sizeof *before, sizeof *before};
        for (; s < streams->count && n <= WELD_STREAMS; s++) {
            assert(n < COUNT_OF(compared));
            compared[n++] = streams->at[s];
        }
        unique =
            meshopt_generateVertexRemapMulti(numbers, indices, index_count, count, compared, n);
        memcpy(before, numbers, sizeof *numbers * count);
    }
    return (u32)unique;
}

static struct meshopt_Stream stream_of(const void* at, u32 bytes) {
    return (struct meshopt_Stream){at, bytes, bytes};
}

/* Equal vertices are merged. */
static void piece_weld(Piece* piece, Arena* arena) {
    const Vertices* v = &piece->vertices;
    Streams         streams = {ARENA_NEW(arena, struct meshopt_Stream, v->stream_count), 0};
    u32*            remap = ARENA_NEW(arena, u32, v->count);
    for (u32 s = 0; s < v->stream_count; s++)
        if (v->stream[s]) streams.at[streams.count++] = stream_of(v->stream[s], stream_bytes(s));
    const u32 count =
        streams_number(remap, &streams, piece->indices, piece->index_count, v->count, arena);
    piece_remap(piece, remap, count);
}

/* --- missing streams of a primitive --- */

/* Values of vertices of a primitive that has no such stream; what is not set here is 0. Points and lines have no
 * normals of their own; triangles: piece_flatten. */
static void stream_fill(const Piece* piece, u32 stream) {
    const Vertices* v = &piece->vertices;
    for (u32 i = 0; i < v->count && stream == NORMALS; i++)
        ((Vec3*)v->stream[stream])[i] = (Vec3){0, 0, 1};
    for (u32 i = 0; i < v->count && stream == TANGENTS; i++)
        ((Vec4*)v->stream[stream])[i] = (Vec4){1, 0, 0, 1};
    for (u32 i = 0; i < v->count && stream == WEIGHTS; i++)
        ((VertexWeightsRecord*)v->stream[stream])[i] = (VertexWeightsRecord){WEIGHT_SUM, 0};
    if (stream == COLORS) memset(v->stream[stream], 0xff, v->count * sizeof(ColorRecord));
}

static void piece_fill(Piece* piece, const bool* wanted, Arena* arena) {
    Vertices* v = &piece->vertices;
    for (u32 s = 0; s < v->stream_count; s++) {
        if (v->stream[s] || !wanted[s]) continue;
        v->stream[s] = stream_new(arena, s, v->count);
        stream_fill(piece, s);
    }
}

/* --- flat normals --- */

/* Positions or normals as a morph target displaces them. */
static Vec3* displaced(const Piece* piece, u32 stream, u32 target, Arena* arena) {
    const Vertices* v = &piece->vertices;
    const Vec3*     from = v->stream[stream];
    const Vec3*     by = target == NONE ? NULL : v->stream[DISPLACEMENTS + target * 3 + stream];
    if (!from || !by) return v->stream[stream];
    Vec3* out = ARENA_NEW(arena, Vec3, v->count);
    for (u32 i = 0; i < v->count; i++) {
        out[i] = vec3_add(from[i], by[i]);
        if (stream == NORMALS) out[i] = vec3_unit(out[i]);
    }
    return out;
}

/* [index_count]: the normal of each corner's triangle. One without an area has the normal z. */
static Vec3* flat_normals(const Vec3* positions, const u32* indices, u32 index_count,
                          Arena* arena) {
    Vec3* out = ARENA_NEW(arena, Vec3, index_count);
    for (u32 i = 0; i + 2 < index_count; i += 3) {
        const Vec3 a = positions[indices[i]];
        const Vec3 b = positions[indices[i + 1]], c = positions[indices[i + 2]];
        const f64  u[3] = {(f64)b.x - (f64)a.x, (f64)b.y - (f64)a.y, (f64)b.z - (f64)a.z};
        const f64  v[3] = {(f64)c.x - (f64)a.x, (f64)c.y - (f64)a.y, (f64)c.z - (f64)a.z};
        const f64  n[3] = {u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2],
                           u[0] * v[1] - u[1] * v[0]};
        const f64  length = sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
        const bool known = length > 0 && length < HUGE_VAL;
        const Vec3 normal =
            known ? (Vec3){(f32)(n[0] / length), (f32)(n[1] / length), (f32)(n[2] / length)}
                  : (Vec3){0, 0, 1};
        for (u32 k = 0; k < 3; k++) out[i + k] = normal;
    }
    return out;
}

/* The vertices are those of the corners at `corner`, [count]. */
static void vertices_divide(Piece* piece, void* const* streams, const u32* corner, u32 count,
                            Arena* arena) {
    Vertices* v = &piece->vertices;
    u32*      vertex = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) vertex[i] = piece->indices[corner[i]];
    for (u32 s = 0; s < v->stream_count; s++) {
        const void* from = streams[s] ? streams[s] : v->stream[s];
        if (!from) continue;
        v->stream[s] = stream_new(arena, s, count);
        stream_gather(v->stream[s], from, stream_bytes(s),
                      (Used){(u32*)(uintptr_t)(streams[s] ? corner : vertex), count});
    }
    v->count = count;
}

/* Vertices whose corners have different values are divided; `by_corner`: [stream_count], NULL for the streams that
 * do not depend on the corner. */
static void piece_divide(Piece* piece, void* const* by_corner, Arena* arena) {
    const u32 corners = piece->index_count;
    u32*      numbers = ARENA_NEW(arena, u32, corners);
    u32*      corner = ARENA_NEW(arena, u32, corners);
    Streams   compared = {ARENA_NEW(arena, struct meshopt_Stream, piece->vertices.stream_count + 1),
                          0};
    u32       vertices = 0;
    compared.at[compared.count++] = stream_of(piece->indices, sizeof *piece->indices);
    for (u32 s = 0; s < piece->vertices.stream_count; s++)
        if (by_corner[s]) compared.at[compared.count++] = stream_of(by_corner[s], stream_bytes(s));
    streams_number(numbers, &compared, NULL, corners, corners, arena);
    for (u32 i = 0; i < corners; i++) /* numbered in the order of their first corner */
        if (numbers[i] == vertices) corner[vertices++] = i;
    vertices_divide(piece, by_corner, corner, vertices, arena);
    memcpy(piece->indices, numbers, sizeof *numbers * corners);
}

/* Triangles without normals are flat, also beside primitives that have some, and as morph targets move them. */
static void piece_flatten(Piece* piece, const GltfPrimitive* p, Arena* arena) {
    const u32 stream_count = piece->vertices.stream_count, corners = piece->index_count;
    void**    by_corner = ARENA_NEW(arena, void*, stream_count);
    Vec3*     base = by_corner[NORMALS] =
        flat_normals(piece->vertices.stream[POSITIONS], piece->indices, corners, arena);
    for (u32 t = 0; DISPLACEMENTS + t * 3 < stream_count; t++) {
        if (!p->targets[t].positions) continue;
        Vec3* by = by_corner[DISPLACEMENTS + t * 3 + 1] =
            flat_normals(displaced(piece, POSITIONS, t, arena), piece->indices, corners, arena);
        for (u32 i = 0; i < corners; i++) by[i] = vec3_sub(by[i], base[i]);
    }
    piece_divide(piece, by_corner, arena);
}

/* --- computed tangents --- */

/* Every corner is a vertex of its own, with the normal of its triangle. */
static TangentInput flat_input(const TangentInput* in, Arena* arena) {
    const u32 count = in->index_count;
    Vec3*     positions = ARENA_NEW(arena, Vec3, count);
    Vec2*     uvs = ARENA_NEW(arena, Vec2, count);
    u32*      indices = ARENA_NEW(arena, u32, count);
    for (u32 i = 0; i < count; i++) {
        positions[i] = in->positions[in->indices[i]];
        uvs[i] = in->uvs[in->indices[i]];
        indices[i] = i;
    }
    const Vec3* normals = flat_normals(positions, indices, count, arena);
    return (TangentInput){positions, normals, uvs, indices, count, count};
}

/* Of each corner; `target`: of the displaced surface, or NONE. */
static Vec4* corner_tangents(const Piece* piece, u32 target, Arena* arena) {
    Vec4*        out = ARENA_NEW(arena, Vec4, piece->index_count);
    Arena        scratch = {0};
    TangentInput in = {displaced(piece, POSITIONS, target, &scratch),
                       displaced(piece, NORMALS, target, &scratch),
                       piece->vertices.stream[TANGENT_UVS],
                       piece->indices,
                       piece->vertices.count,
                       piece->index_count};
    if (!in.normals) in = flat_input(&in, &scratch);
    mesh_tangents(out, &in, &scratch);
    arena_drop(&scratch);
    return out;
}

static bool target_bends(const GltfPrimitive* p, u32 target) {
    return p->targets[target].positions || p->targets[target].normals;
}

/* [stream_count] by corner: tangents, and how morph targets displace them; the others are NULL. */
static void** corner_streams(const Piece* piece, const GltfPrimitive* p, Arena* arena) {
    const u32 stream_count = piece->vertices.stream_count;
    void**    out = ARENA_NEW(arena, void*, stream_count);
    Vec4*     base = out[TANGENTS] = corner_tangents(piece, NONE, arena);
    for (u32 s = DISPLACEMENTS; s < stream_count; s += 3) {
        const u32 target = (s - DISPLACEMENTS) / 3;
        if (!target_bends(p, target)) continue;
        const Vec4* bent = corner_tangents(piece, target, arena);
        Vec3*       by = out[s + 2] = ARENA_NEW(arena, Vec3, piece->index_count);
        for (u32 i = 0; i < piece->index_count; i++)
            by[i] = (Vec3){bent[i].x - base[i].x, bent[i].y - base[i].y, bent[i].z - base[i].z};
    }
    return out;
}

static void piece_tangents(Piece* piece, const GltfPrimitive* p, Arena* arena) {
    piece_divide(piece, corner_streams(piece, p, arena), arena);
}

/* --- order --- */

/* Removes triangles with two corners at the same vertex, which are never visible. If there are no
 * others, the first one is kept, because a part has at least one. Returns their number. */
static u32 drop_degenerate(Piece* piece) {
    u32 kept = 0;
    for (u32 i = 0; i < piece->index_count; i += 3) {
        const u32 a = piece->indices[i], b = piece->indices[i + 1], c = piece->indices[i + 2];
        if (a == b || b == c || c == a) continue;
        piece->indices[kept] = a;
        piece->indices[kept + 1] = b;
        piece->indices[kept + 2] = c;
        kept += 3;
    }
    const u32 dropped = (piece->index_count - kept) / 3;
    piece->index_count = MAX_OF(kept, 3u);
    return dropped;
}

/* For each triangle, the best order examines all triangles of the vertices in the cache: its cost
 * grows with the squares of the valences. Their sum is known in advance. */
static bool order_is_cheap(const Piece* piece, Arena* arena) {
    const u64 triangles = piece->index_count / 3;
    if (3 * triangles * triangles <= ORDER_COST_FREE) return true; /* a valence is at most that */
    u32* valence = ARENA_NEW(arena, u32, piece->vertices.count);
    u64  cost = 0;
    for (u32 i = 0; i < piece->index_count; i++)
        cost += 2ull * valence[piece->indices[i]]++ + 1; /* (n + 1)^2 - n^2 */
    return cost <= ORDER_COST_FREE + (u64)ORDER_COST_PER_INDEX * piece->index_count;
}

/* If the best order is too expensive, a linear one that is almost as good is used. */
static void order_triangles(Piece* piece, Arena* arena) {
    const f32* positions = piece->vertices.stream[POSITIONS];
    const u32  count = piece->vertices.count;
    if (order_is_cheap(piece, arena))
        meshopt_optimizeVertexCache(piece->indices, piece->indices, piece->index_count, count);
    else
        meshopt_optimizeVertexCacheFifo(piece->indices, piece->indices, piece->index_count, count,
                                        FIFO_VERTICES);
    meshopt_optimizeOverdraw(piece->indices, piece->indices, piece->index_count, positions, count,
                             sizeof(PositionRecord), OVERDRAW_THRESHOLD);
}

/* Vertices in the order of the first index that refers to them; unused ones are removed. The same
 * as the fetch order of meshoptimizer, which accepts only triangles. */
static void order_vertices(Piece* piece, Arena* arena) {
    u32* remap = ARENA_NEW(arena, u32, piece->vertices.count);
    u32  next = 0;
    memset(remap, 0xff, sizeof *remap * piece->vertices.count);
    for (u32 i = 0; i < piece->index_count; i++)
        if (remap[piece->indices[i]] == NONE) remap[piece->indices[i]] = next++;
    piece_remap(piece, remap, next);
}

/* --- joining --- */

static void bounds_of(const Vec3* positions, u32 count, Vec3* low, Vec3* high) {
    *low = *high = positions[0];
    for (u32 i = 1; i < count; i++) {
        const Vec3 p = positions[i];
        *low = (Vec3){MIN_OF(low->x, p.x), MIN_OF(low->y, p.y), MIN_OF(low->z, p.z)};
        *high = (Vec3){MAX_OF(high->x, p.x), MAX_OF(high->y, p.y), MAX_OF(high->z, p.z)};
    }
}

static Piece piece_build(const GltfPrimitive* p, const bool* wanted, u32 stream_count,
                         u32* degenerate, Arena* arena) {
    const bool triangles = p->topology == MESH_TRIANGLES;
    Piece      piece = piece_of(p, stream_count, arena);
    if (triangles && !p->indexed) piece_weld(&piece, arena);
    if (triangles) *degenerate = drop_degenerate(&piece);
    if (triangles && wanted[NORMALS] && !p->normals) piece_flatten(&piece, p, arena);
    piece_fill(&piece, wanted, arena);
    if (p->tangent_uvs) piece_tangents(&piece, p, arena);
    if (triangles) order_triangles(&piece, arena);
    order_vertices(&piece, arena);
    return piece;
}

static void part_of(const GltfPrimitive* p, const Piece* piece, MeshPartRecord* out) {
    *out = (MeshPartRecord){.topology = p->topology,
                            .index_count = piece->index_count,
                            .vertex_count = piece->vertices.count};
    bounds_of(piece->vertices.stream[POSITIONS], piece->vertices.count, &out->bounds_min,
              &out->bounds_max);
}

/* Appends a piece to the previous ones. */
static void append(MeshBuild* out, Vertices* all, const Piece* piece, MeshPartRecord* part) {
    part->first_index = out->index_count;
    part->first_vertex = out->vertex_count;
    for (u32 s = 0; s < all->stream_count; s++)
        if (all->stream[s])
            memcpy((u8*)all->stream[s] + (size_t)stream_bytes(s) * out->vertex_count,
                   piece->vertices.stream[s], (size_t)stream_bytes(s) * piece->vertices.count);
    for (u32 i = 0; i < piece->index_count; i++)
        out->indices[out->index_count + i].vertex = piece->indices[i] + out->vertex_count;
    out->index_count += piece->index_count;
    out->vertex_count += piece->vertices.count;
}

static void take_streams(MeshBuild* out, const Vertices* all) {
    out->positions = all->stream[POSITIONS];
    out->normals = all->stream[NORMALS];
    out->tangents = all->stream[TANGENTS];
    out->uvs = all->stream[UVS];
    out->uvs_1 = all->stream[UVS_1];
    out->colors = all->stream[COLORS];
    out->joints = all->stream[JOINTS];
    out->weights = all->stream[WEIGHTS];
    out->joints_1 = all->stream[JOINTS_1];
    out->weights_1 = all->stream[WEIGHTS_1];
    bounds_of(all->stream[POSITIONS], out->vertex_count, &out->bounds.bounds_min,
              &out->bounds.bounds_max);
}

/* When memory is exhausted, meshoptimizer throws C++ exceptions, which cannot be caught in C. */
static void take_over_memory(void) {
    static JobOnce once;
    if (!job_once_begin(&once)) return;
    meshopt_setAllocator(memory_alloc_raw, memory_free);
    job_once_end(&once);
}

/* --- morph targets --- */

static bool is_moved(const Vertices* all, u32 target, u32 vertex) {
    static const Vec3 zero;
    for (u32 s = DISPLACEMENTS + target * 3; s < DISPLACEMENTS + target * 3 + 3; s++) {
        const Vec3* d = all->stream[s];
        if (d && (d[vertex].x != zero.x || d[vertex].y != zero.y || d[vertex].z != zero.z))
            return true;
    }
    return false;
}

/* Adds the vertices that a target moves; with NULL arrays they are only counted. */
static void morph_rows(MeshMorphs* m, const Vertices* all, u32 target) {
    MorphTargetRecord* record = &m->targets[target];
    Vec3* const        to[] = {(Vec3*)m->positions, (Vec3*)m->normals, (Vec3*)m->tangents};
    void* const*       from_target = all->stream + DISPLACEMENTS + target * 3;
    if (!from_target[0] && !from_target[1] && !from_target[2]) return; /* it moves nothing */
    for (u32 i = 0; i < all->count; i++) {
        if (!is_moved(all, target, i)) continue;
        for (u32 k = 0; k < 3; k++) {
            const Vec3* from = from_target[k];
            if (to[k] && from) to[k][m->row_count] = from[i];
        }
        if (m->vertices) m->vertices[m->row_count].vertex = i;
        m->row_count++;
        record->row_count++;
    }
}

static f32 reach_of(const Vec3* moved, u32 count) {
    f64 max = 0;
    for (u32 i = 0; moved && i < count; i++) {
        const f64 x = moved[i].x, y = moved[i].y, z = moved[i].z;
        max = MAX_OF(max, x * x + y * y + z * z);
    }
    return (f32)MIN_OF(sqrt(max), HIGH);
}

static void morph_names(MeshMorphs* m, const GltfMesh* mesh, Arena* arena) {
    for (u32 t = 0; t < m->target_count; t++)
        m->name_bytes += (u32)strlen(mesh->target_names[t]) + 1;
    m->names = arena_alloc(arena, m->name_bytes);
    for (u32 t = 0, at = 0; t < m->target_count; t++) {
        m->targets[t].name = at;
        strcpy(m->names + at, mesh->target_names[t]);
        at += (u32)strlen(mesh->target_names[t]) + 1;
    }
}

static void morphs_build(MeshMorphs* m, const GltfMesh* mesh, const Vertices* all, Arena* arena) {
    void** const to[] = {(void**)&m->positions, (void**)&m->normals, (void**)&m->tangents};
    m->target_count = mesh->target_count;
    m->targets = ARENA_NEW(arena, MorphTargetRecord, m->target_count);
    morph_names(m, mesh, arena);
    for (u32 t = 0; t < m->target_count; t++) morph_rows(m, all, t);
    m->vertices = ARENA_NEW(arena, MorphVertexRecord, m->row_count);
    for (u32 s = DISPLACEMENTS; s < all->stream_count; s++) {
        void** stream = to[(s - DISPLACEMENTS) % 3];
        if (all->stream[s] && !*stream) *stream = ARENA_NEW(arena, Vec3, m->row_count);
    }
    m->row_count = 0;
    for (u32 t = 0; t < m->target_count; t++) {
        MorphTargetRecord* record = &m->targets[t];
        record->weight = mesh->target_weights ? mesh->target_weights[t] : 0;
        record->reach_m = reach_of(all->stream[DISPLACEMENTS + t * 3], all->count);
        record->first_row = m->row_count;
        record->row_count = 0;
        morph_rows(m, all, t);
    }
}

/* --- the mesh --- */

/* The streams that a primitive of the mesh has or gains. */
static bool* streams_requested(const GltfMesh* mesh, u32 stream_count, Arena* arena) {
    bool* wanted = ARENA_NEW(arena, bool, stream_count);
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        for (u32 s = 0; s < stream_count; s++) wanted[s] |= has_stream(p, s);
        if (!p->tangent_uvs) continue;
        wanted[TANGENTS] = true;
        for (u32 t = 0; t < mesh->target_count; t++)
            wanted[DISPLACEMENTS + t * 3 + 2] |= target_bends(p, t);
    }
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        const bool           flat = wanted[NORMALS] && !p->normals && p->topology == MESH_TRIANGLES;
        for (u32 t = 0; flat && t < mesh->target_count; t++)
            wanted[DISPLACEMENTS + t * 3 + 1] |= p->targets[t].positions != NULL;
    }
    wanted[TANGENT_UVS] = false;
    return wanted;
}

static void pieces_join(MeshBuild* out, const Piece* pieces, const bool* wanted, Vertices* all,
                        Arena* arena, Arena* scratch) {
    u64 indices = 0, vertices = 0;
    for (u32 i = 0; i < out->part_count; i++) {
        indices += pieces[i].index_count;
        vertices += pieces[i].vertices.count;
    }
    assert(indices < NONE && vertices < NONE);
    out->indices = ARENA_NEW(arena, IndexRecord, indices);
    all->count = (u32)vertices;
    for (u32 s = 0; s < all->stream_count; s++)
        if (wanted[s])
            all->stream[s] = stream_new(s < DISPLACEMENTS ? arena : scratch, s, all->count);
    for (u32 i = 0; i < out->part_count; i++) append(out, all, &pieces[i], &out->parts[i]);
    take_streams(out, all);
}

void mesh_build(MeshBuild* out, const GltfMesh* mesh, Arena* arena) {
    const u32   count = mesh->primitive_count;
    const u32   stream_count = DISPLACEMENTS + 3 * mesh->target_count;
    Arena       scratch = {0};
    Vertices    all = {ARENA_NEW(&scratch, void*, stream_count), stream_count, 0};
    Piece*      pieces = ARENA_NEW(&scratch, Piece, count);
    const bool* wanted = streams_requested(mesh, stream_count, &scratch);
    assert(count > 0);
    take_over_memory();
    *out = (MeshBuild){.parts = ARENA_NEW(arena, MeshPartRecord, count),
                       .materials = ARENA_NEW(arena, u32, count),
                       .degenerate = ARENA_NEW(arena, u32, count),
                       .part_count = count};
    for (u32 i = 0; i < count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        pieces[i] = piece_build(p, wanted, stream_count, &out->degenerate[i], &scratch);
        out->materials[i] = p->material;
        part_of(p, &pieces[i], &out->parts[i]);
    }
    pieces_join(out, pieces, wanted, &all, arena, &scratch);
    if (mesh->target_count) morphs_build(&out->morphs, mesh, &all, arena);
    arena_drop(&scratch);
}
