/* mesh_tangents.c - tangents as the generators of normal maps expect them.
 *
 * Vertices with equal attributes are one vertex. The triangles around a vertex form groups: two
 * belong to the same one when they share an edge at the vertex and have the same handedness of the
 * texture. The tangent of a group is the sum of the directions of u of its triangles, each projected
 * to the plane of the normal and weighted by the angle of the triangle at the vertex.
 *
 * Two decisions of the method depend on rounding, and are made with floats: whether the area of the
 * texture coordinates is zero, and its sign. */
#include "mesh_tangents.h"

#include <float.h>
#include <math.h>
#include <meshoptimizer.h>

#include "vec.h"

typedef struct Direction {
    f64 x, y, z;
} Direction;

/* A triangle; the edge `i` is that from corner `i` to the next one. */
typedef struct Face {
    Direction along;   /* of u, of length 1 or zero */
    u32       side[3]; /* [edge] the triangle behind it, or NONE */
    u32       group[3];
    bool      positive;  /* the corners have the same order in the texture as on the surface */
    bool      any;       /* no area in the texture: it belongs to any group */
    bool      is_broken; /* two corners at one position: it belongs to none */
} Face;

typedef struct Tangents {
    const TangentInput* in;
    u32*                vertex;   /* [index_count] equal vertices have the same number */
    Face*               faces;    /* [face_count] */
    bool*               positive; /* [group_count] */
    u32*                stack;    /* [2 * face_count + 2] of faces */
    u32                 face_count, group_count;
} Tangents;

/* --- vectors --- */

static Direction direction_between(Vec3 from, Vec3 to) {
    return (Direction){(f64)to.x - (f64)from.x, (f64)to.y - (f64)from.y, (f64)to.z - (f64)from.z};
}

static Direction scaled(Direction a, f64 s) { return (Direction){a.x * s, a.y * s, a.z * s}; }

static Direction sum_of(Direction a, Direction b) {
    return (Direction){a.x + b.x, a.y + b.y, a.z + b.z};
}

static f64 dot_of(Direction a, Direction b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

/* Zero stays zero. */
static Direction unit_of(Direction a) {
    const f64 length = sqrt(dot_of(a, a));
    return length > FLT_MIN ? scaled(a, 1 / length) : a;
}

/* Its part in the plane of a normal, of length 1. */
static Direction in_plane(Direction a, Vec3 normal) {
    const Direction n = {(f64)normal.x, (f64)normal.y, (f64)normal.z};
    return unit_of(sum_of(a, scaled(n, -dot_of(n, a))));
}

/* A direction in the plane of a normal. */
static Vec4 any_tangent(Vec3 n) {
    const f32  x = fabsf(n.x), y = fabsf(n.y), z = fabsf(n.z);
    const Vec3 axis = x <= y && x <= z ? (Vec3){1, 0, 0}
                      : y <= z         ? (Vec3){0, 1, 0}
                                       : (Vec3){0, 0, 1};
    const Vec3 t = vec3_unit(vec3_cross(axis, n));
    return vec3_dot(t, t) > 0 ? (Vec4){t.x, t.y, t.z, 1} : (Vec4){1, 0, 0, 1};
}

/* --- vertices --- */

/* The zeros of a copy are positive: equal floats have equal bits. */
static const f32* plain_copy(const void* floats, size_t count, Arena* arena) {
    const f32* from = floats;
    f32*       to = ARENA_NEW(arena, f32, count);
    for (size_t i = 0; i < count; i++) to[i] = from[i] + 0.0f;
    return to;
}

static void vertices_number(Tangents* t, Arena* arena) {
    const TangentInput*         in = t->in;
    const size_t                count = in->vertex_count;
    const struct meshopt_Stream streams[] = {
        {plain_copy(in->positions, count * 3, arena), sizeof(Vec3), sizeof(Vec3)},
        {plain_copy(in->normals, count * 3, arena), sizeof(Vec3), sizeof(Vec3)},
        {plain_copy(in->uvs, count * 2, arena), sizeof(Vec2), sizeof(Vec2)}};
    u32* number = ARENA_NEW(arena, u32, count);
    meshopt_generateVertexRemapMulti(number, in->indices, in->index_count, count, streams,
                                     COUNT_OF(streams));
    t->vertex = ARENA_NEW(arena, u32, in->index_count);
    for (u32 i = 0; i < in->index_count; i++) t->vertex[i] = number[in->indices[i]];
}

/* --- triangles --- */

static bool is_same(Vec3 a, Vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

static void face_make(Face* f, const TangentInput* in, const u32* corner) {
    const Vec3      a = in->positions[corner[0]], b = in->positions[corner[1]];
    const Vec3      c = in->positions[corner[2]];
    const Vec2      s = in->uvs[corner[0]], p = in->uvs[corner[1]], q = in->uvs[corner[2]];
    const f32       pu = p.x - s.x, pv = p.y - s.y, qu = q.x - s.x, qv = q.y - s.y;
    const f32       area = pu * qv - pv * qu; /* twice, with its sign */
    const f64       sign = area > 0 ? 1 : -1;
    const Direction along = sum_of(scaled(direction_between(a, b), (f64)qv * sign),
                                   scaled(direction_between(a, c), (f64)pv * -sign));
    const Direction across = sum_of(scaled(direction_between(a, b), (f64)qu * -sign),
                                    scaled(direction_between(a, c), (f64)pu * sign));
    *f = (Face){.side = {NONE, NONE, NONE}, .group = {NONE, NONE, NONE}};
    f->positive = area > 0;
    f->is_broken = is_same(a, b) || is_same(b, c) || is_same(c, a);
    f->any = !(fabsf(area) > FLT_MIN && fabsf(area) <= FLT_MAX);
    if (f->any) return;
    f->along = unit_of(along);
    f->any = !(dot_of(f->along, f->along) > 0.5) || !(dot_of(across, across) > 0);
}

static void faces_make(Tangents* t, Arena* arena) {
    t->face_count = t->in->index_count / 3;
    t->faces = ARENA_NEW(arena, Face, t->face_count);
    for (u32 i = 0; i < t->face_count; i++)
        face_make(&t->faces[i], t->in, t->in->indices + (size_t)i * 3);
}

/* --- edges --- */

/* The edge of a triangle: 3 times the triangle + its number. */
static u32 edge_end(const Tangents* t, u32 edge, bool second) {
    return t->vertex[second ? edge - edge % 3 + (edge + 1) % 3 : edge];
}

static u32 edge_key(const Tangents* t, u32 edge, bool high) {
    const u32 a = edge_end(t, edge, false), b = edge_end(t, edge, true);
    return high ? MAX_OF(a, b) : MIN_OF(a, b);
}

/* Sorts by the higher or by the lower vertex of the edges; equal ones keep their order. */
static void edges_sort(const Tangents* t, const u32* from, u32* to, u32 count, bool high,
                       u32* first) {
    memset(first, 0, sizeof *first * ((size_t)t->in->vertex_count + 1));
    for (u32 i = 0; i < count; i++) first[edge_key(t, from[i], high) + 1]++;
    for (u32 i = 0; i < t->in->vertex_count; i++) first[i + 1] += first[i];
    for (u32 i = 0; i < count; i++) to[first[edge_key(t, from[i], high)]++] = from[i];
}

static void edges_join(Tangents* t, u32 a, u32 b) {
    t->faces[a / 3].side[a % 3] = b / 3;
    t->faces[b / 3].side[b % 3] = a / 3;
}

/* Edges between the same two vertices, in the order of the triangles: each is joined to the first
 * one before it that has the other direction and no partner. All that wait have one direction. */
static void edges_pair(Tangents* t, const u32* edges, u32 count, u32* waiting) {
    u32 head = 0, tail = 0;
    for (u32 i = 0; i < count; i++) {
        const bool turned =
            head < tail && edge_end(t, edges[i], false) != edge_end(t, waiting[head], false);
        if (turned)
            edges_join(t, waiting[head++], edges[i]);
        else
            waiting[tail++] = edges[i];
    }
}

static void faces_join(Tangents* t, Arena* arena) {
    u32* edges = ARENA_NEW(arena, u32, t->in->index_count);
    u32* sorted = ARENA_NEW(arena, u32, t->in->index_count);
    u32* first = ARENA_NEW(arena, u32, (size_t)t->in->vertex_count + 1);
    u32  count = 0;
    for (u32 i = 0; i < t->face_count * 3; i++)
        if (!t->faces[i / 3].is_broken) edges[count++] = i;
    edges_sort(t, edges, sorted, count, true, first);
    edges_sort(t, sorted, edges, count, false, first);
    for (u32 i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count &&
                          edge_key(t, edges[end], false) == edge_key(t, edges[i], false) &&
                          edge_key(t, edges[end], true) == edge_key(t, edges[i], true);)
            end++;
        edges_pair(t, edges + i, end - i, sorted);
    }
}

/* --- groups --- */

static u32 corner_at(const Tangents* t, u32 face, u32 vertex) {
    u32 i = 0;
    while (i < 2 && t->vertex[face * 3 + i] != vertex) i++;
    return i;
}

/* The triangles at the two edges of a corner are the next ones, that at the edge from it first. */
static u32 sides_push(Tangents* t, u32 face, u32 corner, u32 depth) {
    const Face* f = &t->faces[face];
    const u32   to = f->side[corner], back = f->side[(corner + 2) % 3];
    if (back != NONE) t->stack[depth++] = back;
    if (to != NONE) t->stack[depth++] = to;
    return depth;
}

/* Adds all triangles around the vertex that can be reached over edges. */
static void group_grow(Tangents* t, u32 face, u32 corner) {
    const u32 vertex = t->vertex[face * 3 + corner], group = t->group_count++;
    t->positive[group] = t->faces[face].positive;
    t->faces[face].group[corner] = group;
    for (u32 depth = sides_push(t, face, corner, 0); depth;) {
        const u32 next = t->stack[--depth], at = corner_at(t, next, vertex);
        Face*     f = &t->faces[next];
        if (f->group[at] != NONE) continue;
        /* The first group determines how a triangle without area is oriented. */
        if (f->any && f->group[0] == NONE && f->group[1] == NONE && f->group[2] == NONE)
            f->positive = t->positive[group];
        if (f->positive != t->positive[group]) continue;
        f->group[at] = group;
        depth = sides_push(t, next, at, depth);
    }
}

static void groups_make(Tangents* t, Arena* arena) {
    t->positive = ARENA_NEW(arena, bool, t->in->index_count);
    t->stack = ARENA_NEW(arena, u32, (size_t)t->face_count * 2 + 2);
    for (u32 i = 0; i < t->face_count * 3; i++) {
        const Face* f = &t->faces[i / 3];
        if (!f->is_broken && !f->any && f->group[i % 3] == NONE) group_grow(t, i / 3, i % 3);
    }
}

/* --- tangents --- */

/* What a corner contributes to the tangent of its group. */
static Direction corner_part(const Tangents* t, u32 face, u32 corner) {
    const u32*      at = t->in->indices + (size_t)face * 3;
    const u32       here = at[corner];
    const Vec3      normal = t->in->normals[here], position = t->in->positions[here];
    const Direction to = direction_between(position, t->in->positions[at[(corner + 1) % 3]]);
    const Direction back = direction_between(position, t->in->positions[at[(corner + 2) % 3]]);
    const f64       cosine = dot_of(in_plane(to, normal), in_plane(back, normal));
    return scaled(in_plane(t->faces[face].along, normal), acos(MAX_OF(-1, MIN_OF(1, cosine))));
}

static Direction* groups_sum(const Tangents* t, Arena* arena) {
    Direction* sums = ARENA_NEW(arena, Direction, (size_t)t->group_count + 1);
    for (u32 i = 0; i < t->face_count * 3; i++) {
        const Face* f = &t->faces[i / 3];
        const u32   group = f->group[i % 3];
        if (group != NONE && !f->any)
            sums[group] = sum_of(sums[group], corner_part(t, i / 3, i % 3));
    }
    return sums;
}

static Vec4 group_tangent(const Tangents* t, const Direction* sums, u32 group, Vec3 normal) {
    if (group == NONE) return any_tangent(normal);
    const Direction along = unit_of(sums[group]);
    Vec4            out = any_tangent(normal);
    if (dot_of(along, along) > 0.5) out = (Vec4){(f32)along.x, (f32)along.y, (f32)along.z, 1};
    out.w = t->positive[group] ? -1 : 1; /* v points down */
    return out;
}

/* The corners of a triangle with two corners at one position have the tangent of another corner at the same vertex. */
static void broken_faces_fill(const Tangents* t, Vec4* out, Arena* arena) {
    u32* same = ARENA_NEW(arena, u32, t->in->vertex_count); /* the first such corner + 1 */
    for (u32 i = 0; i < t->face_count * 3; i++)
        if (!t->faces[i / 3].is_broken && !same[t->vertex[i]]) same[t->vertex[i]] = i + 1;
    for (u32 i = 0; i < t->face_count * 3; i++)
        if (t->faces[i / 3].is_broken && same[t->vertex[i]]) out[i] = out[same[t->vertex[i]] - 1];
}

void mesh_tangents(Vec4* out, const TangentInput* in, Arena* arena) {
    Tangents t = {.in = in};
    vertices_number(&t, arena);
    faces_make(&t, arena);
    faces_join(&t, arena);
    groups_make(&t, arena);
    const Direction* sums = groups_sum(&t, arena);
    for (u32 i = 0; i < in->index_count; i++)
        out[i] = group_tangent(&t, sums, t.faces[i / 3].group[i % 3], in->normals[in->indices[i]]);
    broken_faces_fill(&t, out, arena);
}
