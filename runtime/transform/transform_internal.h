/* transform_internal.h - the columns of transforms, and what the files about them share. */
#ifndef ENT_TRANSFORM_INTERNAL_H
#define ENT_TRANSFORM_INTERNAL_H

#include "hooks_internal.h"
#include "jobs.h"
#include "transform_manager.h"
#include "vec.h"
#include "world_internal.h"

enum { COLUMN_POSITION, COLUMN_ROTATION, COLUMN_SCALE, COLUMN_WORLD, COLUMN_LINKS, COLUMN_STILL };

/* `still` of a row: updates since its matrix was made, while it stands in the tail; TRANSFORM_DIRTY
 * when the matrix is not right. */
#define TRANSFORM_DIRTY 0x80u
#define TRANSFORM_STILL 5u /* updates after which a row leaves the tail */

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
                  m->capacity};
}

/* Makes the matrices of rows [row, row + count) in their order; above[i] is where the matrix stands
 * that row + i hangs on and that is right by then, in bytes from the first one. */
typedef void (*PassKernel)(const Rows* rows, u32 row, u32 count, const u32* above);

/* The fastest that this processor has; all give the same bits. */
PassKernel pass_kernel(void);
void       pass_kernel_portable(const Rows* rows, u32 row, u32 count, const u32* above);
#if defined(__x86_64__)
void pass_kernel_avx512(const Rows* rows, u32 row, u32 count, const u32* above);
#endif

static inline const Mat34* pass_above(const Rows* rows, u32 bytes) {
    return (const Mat34*)(const void*)((const u8*)rows->world + bytes);
}

static inline u32 pass_above_bytes(const Rows* rows, u32 parent) {
    return MIN_OF(parent, rows->spare) * (u32)sizeof(Mat34);
}

/* What hangs on nobody hangs on the identity in the spare place. */
static inline void pass_prepare(const Rows* rows) { rows->world[rows->spare] = mat34_identity; }

#define PASS_CHUNK 256 /* rows whose parents are gathered before their matrices are made */

/* Rows to be made in their order, by several threads when there are jobs: each takes runs of them
 * and leaves what hangs on rows before its run to be done afterwards. */
typedef struct Pass {
    const Rows* rows;
    PassKernel  kernel;     /* NULL: no matrices */
    const u32*  parent;     /* [end - first] indices of parents, or NONE; NULL: as the links say */
    u32         parent_add; /* what makes an index a row, */
    u32         parent_of_roots; /* and the row of those without; NONE: none */
    bool        link;            /* hangs rows on their parents */
    u32         first, end;      /* */
    u32*        late;            /* [end - first] room; NULL: one thread does it all */
    /* Called for rows before they are looked at, a few thousand at a time, so that what it writes
     * is still in the cache. NULL: nothing. */
    void (*before)(void* user, u32 row, u32 end);
    void* user;
} Pass;

/* False, with some rows undone, when a child stands before its parent. */
bool pass_run(const Pass* pass, JobPool* jobs);

/* A pose that is relative to another one. What stood nowhere stands under `root`. */
void transform_place(TransformRecord* pose, const TransformRecord* root);

/* One row's matrix from its pose and its parent's matrix. */
void transform_compose(const Rows* rows, u32 row);

/* The matrices of a row and of all below it. */
void transform_compose_subtree(const Rows* rows, u32 top);

/* The row after `row` below `top`, depth first, parents first; NONE behind the last. */
static inline u32 transform_below(const Rows* r, u32 top, u32 row) {
    if (r->links[row].first_child != NONE) return r->links[row].first_child;
    while (row != top && r->links[row].next_sibling == NONE) row = r->links[row].parent;
    return row == top ? NONE : r->links[row].next_sibling;
}

void transform_link(const Rows* rows, u32 row, u32 parent); /* as the last child */
void transform_unlink(const Rows* rows, u32 row);           /* without a parent from then on */

/* A row's matrix is not right any more: makes it, and all below it, or notes it. */
void transform_changed(Manager* m, u32 row);

/* Notes that a row has to be made by the next update. */
void transform_mark(Manager* m, u32 row);

/* Swaps until every parent stands before its children, in rows [first, count). */
void transform_order(Manager* m, u32 first);

#endif
