/* mesh_hull.c - convex hulls by Qhull. */
#include "mesh_hull.h"

#include <libqhull_r/libqhull_r.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define FLAT 1e-5 /* share of the extent: points that are nearer to a plane or line are on it */
#define SAME 1e-7 /* likewise: points that are nearer to a hull are on it */

/* Qhull calls it for each message: what goes wrong is known by its exit code. */
void qh_fprintf(qhT* qh, FILE* file, int code, const char* format, ...) {
    UNUSED(qh);
    UNUSED(file);
    UNUSED(code);
    UNUSED(format);
}

/* Memory is that of the process: without it, the process ends with a message. */
void* qh_malloc(size_t size) { return memory_alloc(size); }
void  qh_free(void* memory) { memory_free(memory); }

/* An error leaves qh_new_qhull with its code instead. */
void qh_exit(int code) {
    UNUSED(code);
    abort();
}

void qh_fprintf_stderr(int code, const char* format, ...) {
    UNUSED(code);
    UNUSED(format);
}

/* --- points --- */

/* Points that are all different, in f64. */
typedef struct Points {
    f64* at;     /* [count][3] */
    u32* source; /* [count] index of the first one with this position */
    u32  count;
    f64  extent;
} Points;

static const f64* point(const Points* p, u32 i) { return p->at + (size_t)i * 3; }

typedef struct Placed {
    Vec3 at;
    u32  index;
} Placed;

static int placed_order(const void* x, const void* y) {
    const Placed *a = x, *b = y;
    if (a->at.x != b->at.x) return a->at.x < b->at.x ? -1 : 1;
    if (a->at.y != b->at.y) return a->at.y < b->at.y ? -1 : 1;
    if (a->at.z != b->at.z) return a->at.z < b->at.z ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static bool is_at(const Placed* a, const Placed* b) {
    return a->at.x == b->at.x && a->at.y == b->at.y && a->at.z == b->at.z;
}

/* In the order of their positions: the result does not depend on that in the file. */
static Points points_of(const Vec3* from, u32 count, Arena* arena) {
    Placed* placed = ARENA_NEW(arena, Placed, count);
    Points  out = {ARENA_NEW(arena, f64, count * 3ull), ARENA_NEW(arena, u32, count), 0, 0};
    f64     low[3] = {HUGE_VAL, HUGE_VAL, HUGE_VAL}, high[3] = {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL};
    for (u32 i = 0; i < count; i++) placed[i] = (Placed){from[i], i};
    if (count) qsort(placed, count, sizeof *placed, placed_order);
    for (u32 i = 0; i < count; i++) {
        if (i && is_at(&placed[i], &placed[i - 1])) continue;
        f64* const at = out.at + (size_t)out.count * 3;
        at[0] = (f64)placed[i].at.x, at[1] = (f64)placed[i].at.y, at[2] = (f64)placed[i].at.z;
        for (u32 k = 0; k < 3; k++)
            low[k] = MIN_OF(low[k], at[k]), high[k] = MAX_OF(high[k], at[k]);
        out.source[out.count++] = placed[i].index;
    }
    for (u32 k = 0; k < 3 && count; k++) out.extent = MAX_OF(out.extent, high[k] - low[k]);
    return out;
}

/* --- the space that the points have --- */

static void difference(const f64* a, const f64* b, f64* out) {
    for (u32 k = 0; k < 3; k++) out[k] = a[k] - b[k];
}

static f64 dot(const f64* a, const f64* b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

static void cross(const f64* a, const f64* b, f64* out) {
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

/* Makes its length 1. Returns what it was. */
static f64 unit(f64* v) {
    const f64 length = sqrt(dot(v, v));
    for (u32 k = 0; k < 3 && length > 0; k++) v[k] /= length;
    return length;
}

/* How far a point is from the first one, from a line through it along an axis, or from a plane through it. */
static f64 apart(const Points* p, u32 i, u32 dimensions, f64 (*axis)[3]) {
    f64 v[3];
    difference(point(p, i), point(p, 0), v);
    if (dimensions == 2) return fabs(dot(v, axis[1]));
    const f64 along = dimensions == 1 ? dot(v, axis[0]) : 0;
    for (u32 k = 0; k < 3 && dimensions == 1; k++) v[k] -= along * axis[0][k];
    return sqrt(dot(v, v));
}

static u32 farthest(const Points* p, u32 dimensions, f64 (*axis)[3], f64* distance) {
    u32 found = 0;
    *distance = 0;
    for (u32 i = 0; i < p->count; i++) {
        const f64 d = apart(p, i, dimensions, axis);
        if (d > *distance) *distance = d, found = i;
    }
    return found;
}

/* Points that span the space that all have: two of a line, three of a plane, four of a volume. `axis`: of the line,
 * then the normal of the plane. */
static u32 simplex_find(const Points* p, u32 simplex[4], f64 axis[2][3]) {
    f64 distance, v[3];
    simplex[0] = 0;
    simplex[1] = farthest(p, 0, axis, &distance);
    if (!(distance > 0)) return 1;
    difference(point(p, simplex[1]), point(p, 0), axis[0]);
    unit(axis[0]);
    simplex[2] = farthest(p, 1, axis, &distance);
    if (distance <= FLAT * p->extent) return 2;
    difference(point(p, simplex[2]), point(p, 0), v);
    cross(axis[0], v, axis[1]);
    unit(axis[1]);
    simplex[3] = farthest(p, 2, axis, &distance);
    return distance <= FLAT * p->extent ? 3 : 4;
}

/* --- hulls --- */

typedef f64 Plane[4];
typedef u32 Triangle[3];

/* The facets of a hull: triangles, or edges in a plane, each with its plane or line: what is outside is above it. */
typedef struct Facets {
    Plane*    plane;  /* [count] unit normal, and what is added to the dot product with it */
    Triangle* corner; /* [count] rows of the points that were given */
    u32       count;
} Facets;

/* What is computed: in `dimensions` coordinates of each point, of which the extent is 1. */
typedef struct Hull {
    const Points* all;
    f64*          at; /* [all->count][dimensions] */
    u32           dimensions;
    Arena*        arena;
} Hull;

static void facet_take(qhT* qh, const facetT* facet, u32 dimensions, Facets* out) {
    vertexT *vertex, **vertexp;
    u32      corner = 0;
    f64*     plane = out->plane[out->count];
    FOREACHvertex_(facet->vertices) {
        if (corner < 3) out->corner[out->count][corner++] = (u32)qh_pointid(qh, vertex->point);
    }
    plane[0] = plane[1] = plane[2] = 0;
    for (u32 k = 0; k < dimensions; k++) plane[k] = facet->normal[k];
    plane[3] = facet->offset;
    out->count++;
}

/* Of some of the points, or with NULL of all. Returns false when Qhull finds none. */
static bool facets_find(const Hull* h, const u32* chosen, u32 count, Facets* out) {
    static char options[] = "qhull Qt Pp";
    qhT         memory;
    qhT* const  qh = &memory;
    facetT*     facet;
    int         curlong, totlong;
    f64*        at = ARENA_NEW(h->arena, f64, (size_t)count * h->dimensions);
    for (u32 i = 0; i < count; i++)
        memcpy(at + (size_t)i * h->dimensions,
               h->at + (size_t)(chosen ? chosen[i] : i) * h->dimensions,
               h->dimensions * sizeof *at);
    qh_zero(qh, NULL);
    const bool is_found =
        qh_new_qhull(qh, (int)h->dimensions, (int)count, at, 0, options, NULL, NULL) == 0;
    *out = (Facets){0};
    if (is_found) {
        const u32 facets = (u32)qh->num_facets;
        out->plane = ARENA_NEW(h->arena, Plane, facets);
        out->corner = ARENA_NEW(h->arena, Triangle, facets);
        FORALLfacets { facet_take(qh, facet, h->dimensions, out); }
    }
    qh_freeqhull(qh, !qh_ALL);
    qh_memfreeshort(qh, &curlong, &totlong);
    return is_found && out->count > 0;
}

/* How far a point is outside of a hull: negative inside. */
static f64 outside(const Hull* h, const Facets* f, u32 index) {
    const f64* at = h->at + (size_t)index * h->dimensions;
    f64        max = -HUGE_VAL;
    for (u32 i = 0; i < f->count; i++) {
        f64 d = f->plane[i][3];
        for (u32 k = 0; k < h->dimensions; k++) d += f->plane[i][k] * at[k];
        max = MAX_OF(max, d);
    }
    return max;
}

/* The point that is farthest outside, or NONE. Points inside are removed from those that are left: the hull grows. */
static u32 outermost(const Hull* h, const Facets* f, u32* left, u32* count) {
    u32 found = NONE, kept = 0;
    f64 max = SAME;
    for (u32 i = 0; i < *count; i++) {
        const f64 d = outside(h, f, left[i]);
        if (d <= SAME) continue;
        left[kept++] = left[i];
        if (d > max) max = d, found = left[i];
    }
    *count = kept;
    return found;
}

/* Begins with the simplex, and adds the point that is farthest outside until there is none, or the limit is reached. Returns
 * their number, with the last hull; 0: Qhull finds none. */
static u32 corners_choose(const Hull* h, const u32* simplex, u32 chosen[HULL_VERTICES_MAX]) {
    u32*   left = ARENA_NEW(h->arena, u32, h->all->count);
    u32    used = h->dimensions + 1, count = h->all->count;
    Facets f;
    for (u32 i = 0; i < count; i++) left[i] = i;
    memcpy(chosen, simplex, used * sizeof *chosen);
    for (; used < HULL_VERTICES_MAX; used++) {
        if (!facets_find(h, chosen, used, &f)) return 0;
        const u32 next = outermost(h, &f, left, &count);
        if (next == NONE) break;
        chosen[used] = next;
    }
    return used;
}

/* --- the result --- */

static int triangle_order(const void* x, const void* y) {
    const u32 *a = x, *b = y;
    for (u32 k = 0; k < 3; k++)
        if (a[k] != b[k]) return a[k] < b[k] ? -1 : 1;
    return 0;
}

/* Begins with its lowest corner. */
static void triangle_put(MeshHull* out, u32 a, u32 b, u32 c) {
    u32* const at = out->indices + out->index_count;
    const u32  first = MIN_OF(a, MIN_OF(b, c));
    at[0] = first;
    at[1] = first == a ? b : first == b ? c : a;
    at[2] = first == a ? c : first == b ? a : b;
    out->index_count += 3;
}

/* Counterclockwise, seen from where the normal points. */
static void facet_put(MeshHull* out, const Hull* h, const u32* chosen, const Facets* f, u32 facet) {
    const u32* c = f->corner[facet];
    f64        ab[3], ac[3], normal[3];
    difference(point(h->all, chosen[c[1]]), point(h->all, chosen[c[0]]), ab);
    difference(point(h->all, chosen[c[2]]), point(h->all, chosen[c[0]]), ac);
    cross(ab, ac, normal);
    if (dot(normal, f->plane[facet]) > 0)
        triangle_put(out, c[0], c[1], c[2]);
    else
        triangle_put(out, c[0], c[2], c[1]);
}

/* The corners of a polygon in their order around it: each is an end of two edges. */
static u32 polygon_order(const Facets* f, u32 count, u32* order) {
    u32 used = 0, at = f->corner[0][0], edge = NONE;
    while (used < count) {
        u32 next = NONE;
        order[used++] = at;
        for (u32 i = 0; i < f->count && next == NONE; i++) {
            if (i == edge || (f->corner[i][0] != at && f->corner[i][1] != at)) continue;
            next = f->corner[i][f->corner[i][0] == at];
            edge = i;
        }
        if (next == NONE || next == order[0]) break;
        at = next;
    }
    return used;
}

/* Both sides of a polygon. */
static void polygon_put(MeshHull* out, const Facets* f, u32 count, Arena* arena) {
    u32*      order = ARENA_NEW(arena, u32, count);
    const u32 corners = polygon_order(f, count, order);
    for (u32 i = 1; i + 1 < corners; i++) {
        triangle_put(out, order[0], order[i], order[i + 1]);
        triangle_put(out, order[0], order[i + 1], order[i]);
    }
}

/* At most HULL_VERTICES_MAX: by their places in the file. */
static void chosen_order(const Points* p, u32* chosen, u32 count) {
    for (u32 i = 1; i < count; i++)
        for (u32 k = i; k > 0 && p->source[chosen[k]] < p->source[chosen[k - 1]]; k--) {
            const u32 swap = chosen[k];
            chosen[k] = chosen[k - 1];
            chosen[k - 1] = swap;
        }
}

/* The points that are corners of facets get the numbers of the result. */
static void points_put(MeshHull* out, const Hull* h, const Vec3* points, const u32* chosen,
                       u32 count, Facets* f) {
    u32  place[HULL_VERTICES_MAX] = {0};
    bool is_used[HULL_VERTICES_MAX] = {0};
    assert(count <= HULL_VERTICES_MAX);
    out->points = ARENA_NEW(h->arena, Vec3, count);
    for (u32 i = 0; i < f->count; i++)
        for (u32 k = 0; k < h->dimensions; k++) is_used[f->corner[i][k]] = true;
    for (u32 i = 0; i < count; i++) {
        place[i] = out->point_count;
        if (is_used[i]) out->points[out->point_count++] = points[h->all->source[chosen[i]]];
    }
    for (u32 i = 0; i < out->index_count; i++) out->indices[i] = place[out->indices[i]];
    qsort(out->indices, out->index_count / 3, sizeof(Triangle), triangle_order);
}

static bool hull_build(MeshHull* out, const Hull* h, const u32* simplex, const Vec3* points) {
    u32       chosen[HULL_VERTICES_MAX];
    Facets    f;
    const u32 count = corners_choose(h, simplex, chosen);
    chosen_order(h->all, chosen, count);
    if (count == 0 || !facets_find(h, chosen, count, &f)) return false;
    out->indices = ARENA_NEW(h->arena, u32, (size_t)f.count * 6 + 6);
    if (h->dimensions == 2) polygon_put(out, &f, count, h->arena);
    for (u32 i = 0; i < f.count && h->dimensions == 3; i++) facet_put(out, h, chosen, &f, i);
    points_put(out, h, points, chosen, count, &f);
    return true;
}

/* Their coordinates in the space that they have, of extent 1. */
static f64* coordinates_of(const Points* p, u32 dimensions, f64 axis[2][3], Arena* arena) {
    f64* out = ARENA_NEW(arena, f64, (size_t)p->count * dimensions);
    f64  across[3];
    cross(axis[1], axis[0], across);
    for (u32 i = 0; i < p->count; i++) {
        f64  v[3];
        f64* at = out + (size_t)i * dimensions;
        difference(point(p, i), point(p, 0), v);
        for (u32 k = 0; k < 3; k++) v[k] /= p->extent;
        for (u32 k = 0; k < 3 && dimensions == 3; k++) at[k] = v[k];
        if (dimensions == 2) at[0] = dot(v, axis[0]), at[1] = dot(v, across);
    }
    return out;
}

bool mesh_hull(MeshHull* out, const Vec3* points, u32 count, Arena* arena) {
    Arena        scratch = {0};
    const Points all = points_of(points, count, &scratch);
    u32          simplex[4];
    f64          axis[2][3] = {{0}};
    MeshHull     found = {0};
    const u32    corners = all.count ? simplex_find(&all, simplex, axis) : 0;
    const Hull hull = {&all, corners > 2 ? coordinates_of(&all, corners - 1, axis, &scratch) : NULL,
                       corners - 1, &scratch};
    *out = (MeshHull){0};
    const bool is_found = corners > 2 && hull_build(&found, &hull, simplex, points);
    if (is_found) {
        *out = found;
        out->points = ARENA_NEW(arena, Vec3, found.point_count);
        out->indices = ARENA_NEW(arena, u32, found.index_count);
        memcpy(out->points, found.points, found.point_count * sizeof *out->points);
        memcpy(out->indices, found.indices, found.index_count * sizeof *out->indices);
    }
    arena_drop(&scratch);
    return is_found;
}
