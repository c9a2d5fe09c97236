/* transform_internal.h - the columns of transforms, and what their source files share. */
#ifndef ENT_TRANSFORM_INTERNAL_H
#define ENT_TRANSFORM_INTERNAL_H

#include "hooks_internal.h"
#include "jobs.h"
#include "transform_manager.h"
#include "vec.h"
#include "watch_internal.h"
#include "world_internal.h"

enum { COLUMN_POSITION, COLUMN_ROTATION, COLUMN_SCALE, COLUMN_WORLD, COLUMN_LINKS, COLUMN_STILL };

/* `still` of a row, while updates are deferred: TRANSFORM_DIRTY when the matrix is out of date. In the
 * tail: updates since the matrix was computed. Outside of the tail: the stamp of the last update in
 * which the row had changed, 0 for none. */
#define TRANSFORM_DIRTY      0x80u
#define TRANSFORM_DISORDERED 0x40u /* it got a parent that is behind it */
#define TRANSFORM_AGAIN      0x20u /* it had changed in the update before as well */
#define TRANSFORM_STAMP_BITS 0x1fu
#define TRANSFORM_STAMPS     31u
#define TRANSFORM_STILL      5u /* updates after which a row leaves the tail */

#define TRANSFORM_SUMMARY 64u /* words of the summary of marks */

static inline Manager* world_transforms(const World* world) {
    return (Manager*)&world->manager[world->built_in[COMPONENT_TRANSFORM]];
}

extern const ComponentHooks transform_hooks;

typedef struct Rows {
    Vec3*           position;
    Quat*           rotation;
    Vec3*           scale;
    Mat34*          world;
    TransformLinks* links;
    u8*             still;
    ManagerWatch*   watch; /* what is reported the rows whose matrices are computed, or NULL */
    u32             spare; /* the place past the last that there is room for: what passes keep the
                              matrix of a root's parent in */
} Rows;

static inline Rows rows_of(const Manager* m) {
    return (Rows){m->column[COLUMN_POSITION],
                  m->column[COLUMN_ROTATION],
                  m->column[COLUMN_SCALE],
                  m->column[COLUMN_WORLD],
                  m->column[COLUMN_LINKS],
                  m->column[COLUMN_STILL],
                  m->watch,
                  m->capacity};
}

/* Computes the matrices of rows [row, row + count) in their order; above[i] is the position of
 * the parent's matrix of row + i, in bytes from the first matrix. It is up to date when row + i
 * is computed. */
typedef void (*PassKernel)(const Rows* rows, u32 row, u32 count, const u32* above);

/* The fastest kernel that this processor supports; all produce the same bits. Of more rows than are in
 * the cache, `ahead` requests what is needed some rows later. */
PassKernel pass_kernel(void);
PassKernel pass_kernel_ahead(void);
void       pass_kernel_portable(const Rows* rows, u32 row, u32 count, const u32* above);
#if defined(__x86_64__)
void pass_kernel_avx512(const Rows* rows, u32 row, u32 count, const u32* above);
void pass_kernel_avx512_ahead(const Rows* rows, u32 row, u32 count, const u32* above);
#endif

static inline const Mat34* pass_above(const Rows* rows, u32 bytes) {
    return (const Mat34*)(const void*)((const u8*)rows->world + bytes);
}

static inline u32 pass_above_bytes(const Rows* rows, u32 parent) {
    return MIN_OF(parent, rows->spare) * (u32)sizeof(Mat34);
}

/* Writes for each of `count` linked rows the position of its parent's matrix, and the lowest parent, which
 * is NONE without any. False when a parent is behind its child. */
typedef bool (*AboveKernel)(const Rows* rows, u32 row, u32 count, u32* above, u32* lowest);
AboveKernel above_kernel(void);
bool        above_kernel_portable(const Rows* rows, u32 row, u32 count, u32* above, u32* lowest);
#if defined(__x86_64__)
bool above_kernel_avx512(const Rows* rows, u32 row, u32 count, u32* above, u32* lowest);
#endif

/* Rows without a parent use the identity in the spare place as parent matrix. */
static inline void pass_prepare(const Rows* rows) { rows->world[rows->spare] = mat34_identity; }

#define PASS_CHUNK 256 /* rows whose parents are gathered before their matrices are computed */

/* Rows to be computed in their order, by multiple threads when there are jobs: each thread
 * computes runs of them and defers rows whose parent is before the run. */
typedef struct Pass {
    const Rows* rows;
    PassKernel  kernel;     /* NULL: no matrices */
    const u32*  parent;     /* [end - first] indices of parents, or NONE; NULL: from the links */
    u32         parent_add; /* what makes an index a row, */
    u32         parent_of_roots; /* and the row of those without; NONE: none */
    bool        link;            /* links rows to their parents */
    u32         first, end;      /* */
    u32*        late;            /* [end - first] room; NULL: one thread does it all */
    /* Called for rows before they are processed, a few thousand at a time, so that what it
     * writes is still in the cache. NULL: not called. */
    void (*before)(void* user, u32 row, u32 end);
    void* user;
} Pass;

/* False, with some rows not computed, when a child is before its parent. */
bool pass_run(const Pass* pass, JobPool* jobs);

/* Makes a pose relative to `root`: a pose without a parent becomes a child pose of it. */
void transform_place(TransformRecord* pose, const TransformRecord* root);

/* One row's matrix from its pose and its parent's matrix. */
void transform_compose(const Rows* rows, u32 row);

/* The same of rows that are not adjacent: row[i] in this order. */
typedef void (*RowsKernel)(const Rows* rows, const u32* row, u32 count, const u32* above);
RowsKernel rows_kernel(void);
void       rows_kernel_portable(const Rows* rows, const u32* row, u32 count, const u32* above);
#if defined(__x86_64__)
void rows_kernel_avx512(const Rows* rows, const u32* row, u32 count, const u32* above);
#endif

/* The matrices of a row and of all below it. */
void transform_compose_subtree(const Rows* rows, u32 top);

/* The row after `row` and all below it, below `top`; NONE behind the last. */
static inline u32 transform_beside(const Rows* r, u32 top, u32 row) {
    while (row != top && r->links[row].next_sibling == NONE) row = r->links[row].parent;
    return row == top ? NONE : r->links[row].next_sibling;
}

/* The row after `row` below `top`, depth first, parents first; NONE behind the last. */
static inline u32 transform_below(const Rows* r, u32 top, u32 row) {
    const u32 child = r->links[row].first_child;
    return child != NONE ? child : transform_beside(r, top, row);
}

void transform_link(const Rows* rows, u32 row, u32 parent); /* as the last child */
void transform_unlink(const Rows* rows, u32 row);           /* without a parent from then on */

/* A row's matrix is out of date: computes it and those of all descendants, or marks the row. */
void transform_changed(Manager* m, u32 row);

/* Marks a row for the next update. */
void transform_mark(Manager* m, u32 row);

/* The same of a row that got a parent that is behind it: the update orders them. */
void transform_mark_disordered(Manager* m, u32 row);

/* Where marks of rows are found again: called when rows were added, and when a dirty row moves. */
void marks_cover(Manager* m);
void marks_follow(Manager* m, u32 to);
void marks_clear(Manager* m);

/* Moves rows that change often, with all their descendants, into the tail. */
void marks_into_tail(Manager* m, const Rows* rows);
/* Computes marked rows outside of the tail and their descendants; marks those in the tail. Returns the
 * number of matrices that were computed. */
u32 marks_visit(Manager* m, const Rows* rows);

/* Moves a row and all its descendants to the front of the tail. */
void subtree_into_tail(Manager* m, const Rows* rows, u32 top);

/* Swaps rows until every parent is before its children, in rows [first, count). */
void transform_order(Manager* m, u32 first);

#endif
