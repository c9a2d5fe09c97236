/* mesh_distance.c - a bound for the one-sided Hausdorff distance of two surfaces.
 *
 * The triangles of the second surface are the leaves of a tree of boxes. For each triangle of the
 * first one, the tree is searched for the triangle whose largest distance from the three corners is
 * least. The closest point of a triangle is found as in Christer Ericson: Real-Time Collision
 * Detection, 2005, section 5.1.5. */
#include "mesh_distance.h"

#include <math.h>
#include <stdlib.h>

#define LEAF_TRIANGLES 4u
#define DIVISIONS_MAX  7u
#define TOLERANCE      1e-4 /* of the size of the surface: smaller distances are not refined */
#define MARGIN         1.25 /* of the bound above the largest distance of a corner: saves work */
#define WORK_FREE      (1ull << 22) /* nodes that are searched for each surface, */
#define WORK_EACH      512u         /* and for each triangle of it; then bounds are not refined */
#define CROSSING_MIN   1e-3 /* of the size of a triangle: it is not cut closer to its corners */

typedef struct Point {
    f64 x, y, z;
} Point;

typedef struct Triangle {
    Point corner[3];
} Triangle;

typedef struct Box {
    Point low, high;
} Box;

/* A node has its children at `first` and `first + 1`; a leaf has `count` triangles from `first`. */
typedef struct Node {
    Box box;
    u32 first, count;
} Node;

typedef struct Tree {
    Triangle* triangles; /* [triangle_count] in the order of the leaves */
    Node*     nodes;     /* [node_count] the root first */
    u32       triangle_count, node_count;
    u64*      work; /* nodes that may still be searched */
} Tree;

static Point point_of(Vec3 v) { return (Point){(f64)v.x, (f64)v.y, (f64)v.z}; }

static Point minus(Point a, Point b) { return (Point){a.x - b.x, a.y - b.y, a.z - b.z}; }

static Point plus_scaled(Point a, Point b, f64 s) {
    return (Point){a.x + b.x * s, a.y + b.y * s, a.z + b.z * s};
}

static f64 dot(Point a, Point b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static f64 square(Point a) { return dot(a, a); }

static Triangle triangle_of(Surface s, u32 first) {
    return (Triangle){{point_of(s.positions[s.indices[first]]),
                       point_of(s.positions[s.indices[first + 1]]),
                       point_of(s.positions[s.indices[first + 2]])}};
}

/* --- distances --- */

static f64 segment_square(Point p, Point a, Point b) {
    const Point along = minus(b, a), to = minus(p, a);
    const f64   length = square(along);
    const f64   at = length > 0 ? dot(to, along) / length : 0;
    return square(minus(to, plus_scaled((Point){0}, along, MAX_OF(0, MIN_OF(at, 1)))));
}

/* Of a triangle without area, one of its sides is the closest. */
static f64 triangle_square(Point p, const Triangle* t) {
    const Point a = t->corner[0], b = t->corner[1], c = t->corner[2];
    const Point ab = minus(b, a), ac = minus(c, a), ap = minus(p, a);
    const f64   d1 = dot(ab, ab), d2 = dot(ab, ac), d3 = dot(ac, ac);
    const f64   e1 = dot(ap, ab), e2 = dot(ap, ac);
    const f64   area = d1 * d3 - d2 * d2;
    const f64   v = d3 * e1 - d2 * e2, w = d1 * e2 - d2 * e1;
    if (area > 0 && v >= 0 && w >= 0 && v + w <= area) {
        const Point inside = plus_scaled(plus_scaled(a, ab, v / area), ac, w / area);
        return square(minus(p, inside));
    }
    const f64 one = segment_square(p, a, b), two = segment_square(p, b, c);
    const f64 three = segment_square(p, c, a);
    return MIN_OF(one, MIN_OF(two, three));
}

static f64 box_square(Point p, const Box* b) {
    const f64 x = MAX_OF(MAX_OF(b->low.x - p.x, p.x - b->high.x), 0);
    const f64 y = MAX_OF(MAX_OF(b->low.y - p.y, p.y - b->high.y), 0);
    const f64 z = MAX_OF(MAX_OF(b->low.z - p.z, p.z - b->high.z), 0);
    return x * x + y * y + z * z;
}

static f64 corners_to_triangle(const Triangle* from, const Triangle* to) {
    const f64 a = triangle_square(from->corner[0], to), b = triangle_square(from->corner[1], to);
    const f64 c = triangle_square(from->corner[2], to);
    return MAX_OF(a, MAX_OF(b, c));
}

static f64 corners_to_box(const Triangle* from, const Box* to) {
    const f64 a = box_square(from->corner[0], to), b = box_square(from->corner[1], to);
    const f64 c = box_square(from->corner[2], to);
    return MAX_OF(a, MAX_OF(b, c));
}

/* --- the tree --- */

static void box_add(Box* box, Point p) {
    box->low = (Point){MIN_OF(box->low.x, p.x), MIN_OF(box->low.y, p.y), MIN_OF(box->low.z, p.z)};
    box->high =
        (Point){MAX_OF(box->high.x, p.x), MAX_OF(box->high.y, p.y), MAX_OF(box->high.z, p.z)};
}

static Box box_of(const Triangle* triangles, u32 count) {
    Box box = {triangles[0].corner[0], triangles[0].corner[0]};
    for (u32 i = 0; i < count; i++)
        for (u32 k = 0; k < 3; k++) box_add(&box, triangles[i].corner[k]);
    return box;
}

/* Three times the centre; the corners decide between equal ones, so that the order is defined. */
#define TRIANGLE_ORDER(axis)                                                                       \
    static int order_##axis(const void* a, const void* b) {                                        \
        const Triangle *s = a, *t = b;                                                             \
        const f64       x = s->corner[0].axis + s->corner[1].axis + s->corner[2].axis;             \
        const f64       y = t->corner[0].axis + t->corner[1].axis + t->corner[2].axis;             \
        return x != y ? (x > y) - (x < y) : memcmp(s, t, sizeof *s);                               \
    }
TRIANGLE_ORDER(x)
TRIANGLE_ORDER(y)
TRIANGLE_ORDER(z)

/* Divides a node at the middle of its triangles along its longest side. The depth is that of a
 * balanced tree. */
static void node_build(Tree* tree, u32 index, u32 first, u32 count) {
    Node* node = &tree->nodes[index];
    *node = (Node){box_of(tree->triangles + first, count), first, count};
    if (count <= LEAF_TRIANGLES) return;
    const Point side = minus(node->box.high, node->box.low);
    qsort(tree->triangles + first, count, sizeof *tree->triangles,
          side.x >= side.y && side.x >= side.z ? order_x
          : side.y >= side.z                   ? order_y
                                               : order_z);
    const u32 children = tree->node_count;
    tree->node_count += 2;
    node->first = children;
    node->count = 0;
    node_build(tree, children, first, count / 2);
    node_build(tree, children + 1, first + count / 2, count - count / 2);
}

static Tree tree_build(Surface s, Arena* arena) {
    const u32 count = s.index_count / 3;
    Tree      tree = {.triangle_count = count, .node_count = 1};
    tree.triangles = ARENA_NEW(arena, Triangle, count);
    tree.nodes = ARENA_NEW(arena, Node, 2 * (size_t)count); /* leaves have a triangle at least */
    for (u32 i = 0; i < count; i++) tree.triangles[i] = triangle_of(s, i * 3);
    node_build(&tree, 0, 0, count);
    return tree;
}

/* Returns the square of the bound for a triangle, or any value up to `enough` when it is not
 * larger than that. `closest` is the triangle of the tree to which it applies. */
static f64 tree_search(const Tree* tree, const Triangle* from, f64 enough, u32* closest) {
    u32 stack[128], depth = 0; /* two for each level of a balanced tree of 2^32 triangles */
    f64 best = HUGE_VAL;
    stack[depth++] = 0;
    while (depth > 0 && best > enough) {
        const Node* node = &tree->nodes[stack[--depth]];
        *tree->work -= *tree->work > 0;
        if (corners_to_box(from, &node->box) >= best) continue;
        for (u32 i = node->first; i < node->first + node->count; i++) {
            const f64 here = corners_to_triangle(from, &tree->triangles[i]);
            if (here >= best) continue;
            best = here;
            *closest = i;
        }
        if (node->count) continue;
        const f64 one = corners_to_box(from, &tree->nodes[node->first].box);
        const f64 two = corners_to_box(from, &tree->nodes[node->first + 1].box);
        assert(depth + 2 <= COUNT_OF(stack));        /* a search goes one level down each time */
        stack[depth++] = node->first + (one <= two); /* the closer one is searched first */
        stack[depth++] = node->first + (one > two);
    }
    return best;
}

/* The square of the distance of a point, or any value up to `enough` when it is not larger. */
static f64 point_search(const Tree* tree, Point p, f64 enough) {
    u32 stack[128], depth = 0;
    f64 best = HUGE_VAL;
    stack[depth++] = 0;
    while (depth > 0 && best > enough) {
        const Node* node = &tree->nodes[stack[--depth]];
        *tree->work -= *tree->work > 0;
        if (box_square(p, &node->box) >= best) continue;
        for (u32 i = node->first; i < node->first + node->count; i++) {
            const f64 square = triangle_square(p, &tree->triangles[i]);
            best = MIN_OF(best, square);
        }
        if (node->count) continue;
        const f64 one = box_square(p, &tree->nodes[node->first].box);
        const f64 two = box_square(p, &tree->nodes[node->first + 1].box);
        assert(depth + 2 <= COUNT_OF(stack)); /* a search goes one level down each time */
        stack[depth++] = node->first + (one <= two);
        stack[depth++] = node->first + (one > two);
    }
    return best;
}

/* --- the bound --- */

static Point cross(Point a, Point b) {
    return (Point){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/* The plane through a side of a triangle, at a right angle to it. */
typedef struct Plane {
    Point at, normal; /* of length 1 */
} Plane;

static f64 plane_side(const Plane* plane, Point p) {
    return dot(minus(p, plane->at), plane->normal);
}

static bool side_plane(const Triangle* t, u32 side, Plane* plane) {
    const Point a = t->corner[side], b = t->corner[(side + 1) % 3], c = t->corner[(side + 2) % 3];
    const Point along = minus(b, a);
    plane->at = a;
    plane->normal = cross(along, cross(along, minus(c, a)));
    const f64 length = sqrt(square(plane->normal));
    if (!(length > 0)) return false;
    plane->normal = plus_scaled((Point){0}, plane->normal, 1 / length);
    return true;
}

/* Finds the side plane of `to` that cuts `from` farthest from its corners. */
static bool cut_find(const Triangle* from, const Triangle* to, Plane* cut) {
    const f64 size = MAX_OF(square(minus(from->corner[1], from->corner[0])),
                            square(minus(from->corner[2], from->corner[0])));
    f64       deepest = sqrt(size) * CROSSING_MIN;
    bool      found = false;
    for (u32 side = 0; side < 3; side++) {
        Plane plane;
        if (!side_plane(to, side, &plane)) continue;
        f64 low = HUGE_VAL, high = -HUGE_VAL;
        for (u32 k = 0; k < 3; k++) {
            const f64 d = plane_side(&plane, from->corner[k]);
            low = MIN_OF(low, d);
            high = MAX_OF(high, d);
        }
        const f64 depth = MIN_OF(-low, high);
        if (depth <= deepest) continue;
        deepest = depth;
        *cut = plane;
        found = true;
    }
    return found;
}

static Point cut_point(const Plane* cut, Point a, Point b) {
    const f64 x = plane_side(cut, a), y = plane_side(cut, b);
    return plus_scaled(a, minus(b, a), x / (x - y));
}

static Point middle(Point a, Point b) { return plus_scaled(a, minus(b, a), 0.5); }

/* Divides a triangle: along a plane, the one corner on its side is cut off; else in the middles of
 * the sides. Returns the number of parts. */
static u32 triangle_divide(const Triangle* from, const Plane* cut, Triangle* parts) {
    const Point* p = from->corner;
    if (!cut) {
        const Point ab = middle(p[0], p[1]), bc = middle(p[1], p[2]), ca = middle(p[2], p[0]);
        parts[0] = (Triangle){{p[0], ab, ca}};
        parts[1] = (Triangle){{ab, p[1], bc}};
        parts[2] = (Triangle){{ca, bc, p[2]}};
        parts[3] = (Triangle){{ab, bc, ca}};
        return 4;
    }
    bool above[3];
    u32  count = 0, alone = 0;
    for (u32 k = 0; k < 3; k++) count += above[k] = plane_side(cut, p[k]) > 0;
    while (above[alone] != (count == 1)) alone++;
    const Point a = p[alone], b = p[(alone + 1) % 3], c = p[(alone + 2) % 3];
    const Point ab = cut_point(cut, a, b), ac = cut_point(cut, a, c);
    parts[0] = (Triangle){{a, ab, ac}};
    parts[1] = (Triangle){{ab, b, c}};
    parts[2] = (Triangle){{ab, c, ac}};
    return 3;
}

/* Returns the larger one of `most` and the bound of the triangle, in squares. A triangle beside
 * more than one of the tree is cut where they meet, so that equal surfaces have the bound 0. */
static f64 triangle_bound(const Tree* tree, const Triangle* from, f64 max, u32 divisions) {
    Triangle  parts[4];
    Plane     cut;
    u32       closest = 0;
    const f64 bound = tree_search(tree, from, max, &closest);
    if (bound <= max) return max;
    if (divisions == 0 || *tree->work == 0) return bound;
    const bool is_cut = cut_find(from, &tree->triangles[closest], &cut);
    const u32  count = triangle_divide(from, is_cut ? &cut : NULL, parts);
    assert(count <= COUNT_OF(parts));
    for (u32 i = 0; i < count && max < bound; i++) {
        const f64 of_part = triangle_bound(tree, &parts[i], max, divisions - 1);
        max = MIN_OF(bound, of_part);
    }
    return max;
}

/* The largest distance of a corner, in squares: the surface has at least this one. */
static f64 corners_bound(const Tree* tree, Surface from, f64 max, Arena* arena) {
    bool* is_done = ARENA_NEW(arena, bool, from.position_count);
    for (u32 i = 0; i < from.index_count; i++) {
        if (is_done[from.indices[i]]) continue;
        is_done[from.indices[i]] = true;
        max = MAX_OF(max, point_search(tree, point_of(from.positions[from.indices[i]]), max));
    }
    return max;
}

/* The square of the largest distance that any points of the surface and of the box have. */
static f64 size_of_both(Surface from, Box box) {
    Point low = box.low, high = box.high;
    for (u32 i = 0; i < from.index_count; i++) {
        const Point p = point_of(from.positions[from.indices[i]]);
        low = (Point){MIN_OF(low.x, p.x), MIN_OF(low.y, p.y), MIN_OF(low.z, p.z)};
        high = (Point){MAX_OF(high.x, p.x), MAX_OF(high.y, p.y), MAX_OF(high.z, p.z)};
    }
    return square(minus(high, low));
}

f64 surface_distance(Surface from, Surface to) {
    Arena     arena = {0};
    u64       work = WORK_FREE + from.index_count / 3 * (u64)WORK_EACH;
    u64       rest = work; /* for bounds that are not refined */
    Tree      tree = tree_build(to, &arena);
    const Box box = tree.nodes[0].box;
    f64       max = square(minus(box.high, box.low)) * TOLERANCE * TOLERANCE;
    tree.work = &work;
    max = corners_bound(&tree, from, max, &arena) * MARGIN * MARGIN;
    for (u32 i = 0; i < from.index_count && rest > 0; i += 3) {
        const Triangle triangle = triangle_of(from, i);
        if (work == 0) tree.work = &rest;
        max = triangle_bound(&tree, &triangle, max, work ? DIVISIONS_MAX : 0);
    }
    if (rest == 0) max = MAX_OF(max, size_of_both(from, box));
    arena_drop(&arena);
    return sqrt(max);
}
