/* transform_pass.c - world matrices of many rows in their order, parents first.
 *
 * The compiler writes rows with parents first and near their children, so that one forward pass
 * computes all matrices while parents are still in the cache. Multiple threads compute runs of
 * rows. A row whose parent is before the run, or is itself late, is late: it is computed
 * afterwards, in order. With parents near their children that is a handful of rows at each
 * border. The alternative, a pass for each level, would read the arrays once per level. */
#include "pose_internal.h"
#include "transform_internal.h"

#define PASS_BLOCK 2048  /* rows whose columns fit into the L2 cache */
#define PASS_RUN   8192  /* rows of a job: about 30 microseconds */
#define PASS_NEAR  32768 /* rows that the caches of a core hold, for the most part */
#define PASS_ALONE 16384 /* rows for which it does not pay to wake another thread */
#define PASS_RUNS  (ENTITY_COUNT_MAX / PASS_RUN + 1)

static inline void row_compose(const Rows* r, u32 row, const Mat34* above) {
    Mat34 local;
    mat34_from_pose(&local, &r->position[row], &r->rotation[row], &r->scale[row]);
    mat34_multiply(&r->world[row], above, &local);
}

/* The parent matrix of a root is a constant, so the compiler removes most multiplications. */
void transform_compose(const Rows* r, u32 row) {
    const u32 parent = r->links[row].parent;
    if (r->watch) watch_row(r->watch, row);
    if (parent == NONE)
        row_compose(r, row, &mat34_identity);
    else
        row_compose(r, row, &r->world[parent]);
}

void rows_kernel_portable(const Rows* r, const u32* row, u32 count, const u32* above) {
    for (u32 i = 0; i < count; i++) row_compose(r, row[i], pass_above(r, above[i]));
}

static void below_compose(const Rows* r, u32 top) {
    for (u32 row = top; (row = transform_below(r, top, row)) != NONE;) {
        row_compose(r, row, &r->world[r->links[row].parent]);
        r->still[row] = 0;
        if (r->watch) watch_row(r->watch, row);
    }
}

void transform_compose_subtree(const Rows* r, u32 top) {
    transform_compose(r, top);
    r->still[top] = 0;
    if (r->links[top].first_child != NONE) below_compose(r, top);
}

static void poses_to_matrices(const Rows* r, u32 row, u32 count, Mat34* out) {
    u32 i = 0;
    for (; i + 4 <= count; i += 4, row += 4) {
        mat34_from_four_poses(&out[i], &r->position[row], &r->rotation[row], &r->scale[row]);
    }
    for (; i < count; i++, row++) {
        mat34_from_pose(&out[i], &r->position[row], &r->rotation[row], &r->scale[row]);
    }
}

void pass_kernel_portable(const Rows* r, u32 row, u32 count, const u32* above) {
    Mat34 locals[PASS_CHUNK];
    assert(count <= PASS_CHUNK);
    poses_to_matrices(r, row, count, locals);
    for (u32 i = 0; i < count; i++) {
        mat34_multiply(&r->world[row + i], pass_above(r, above[i]), &locals[i]);
    }
}

#if defined(__x86_64__)
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}
PassKernel pass_kernel(void) { return has_avx512() ? pass_kernel_avx512 : pass_kernel_portable; }
PassKernel pass_kernel_ahead(void) {
    return has_avx512() ? pass_kernel_avx512_ahead : pass_kernel_portable;
}
RowsKernel  rows_kernel(void) { return has_avx512() ? rows_kernel_avx512 : rows_kernel_portable; }
AboveKernel above_kernel(void) {
    return has_avx512() ? above_kernel_avx512 : above_kernel_portable;
}
#else
PassKernel  pass_kernel(void) { return pass_kernel_portable; }
PassKernel  pass_kernel_ahead(void) { return pass_kernel_portable; }
RowsKernel  rows_kernel(void) { return rows_kernel_portable; }
AboveKernel above_kernel(void) { return above_kernel_portable; }
#endif

/* --- links --- */

/* Behind the last child of its parent. Written without branches. */
static inline void child_link(TransformLinks* links, u32 row) {
    TransformLinks* above = &links[links[row].parent];
    const u32       last = above->last_child;
    u32* place = pointer_select(last == NONE, &above->first_child, &links[last].next_sibling);
    links[row].previous_sibling = last;
    above->last_child = row;
    *place = row;
}

void transform_link(const Rows* r, u32 row, u32 parent) {
    TransformLinks* l = &r->links[row];
    l->parent = parent;
    l->next_sibling = l->previous_sibling = NONE;
    if (parent != NONE) child_link(r->links, row);
}

/* Links new rows, which have no children. Whether a row has a parent is unpredictable as well,
 * so those that have one are listed first. */
static void chunk_link(TransformLinks* links, u32 row, u32 count, const u32* parent) {
    u32 list[PASS_CHUNK], children = 0;
    assert(count <= PASS_CHUNK);
    for (u32 i = 0; i < count; i++) {
        links[row + i] = (TransformLinks){parent[i], NONE, NONE, NONE, NONE};
        list[children] = row + i;
        children += parent[i] != NONE;
    }
    for (u32 i = 0; i < children; i++) child_link(links, list[i]);
}

/* --- runs --- */

typedef struct PassRuns {
    const Pass* pass;
    u32         late_count[PASS_RUNS];
    u32         disordered;            /* a child before its parent was found */
    u32         count, taken, side[2]; /* runs; that threads have taken; from each end */
} PassRuns;

static inline u32 pass_parent(const Pass* p, u32 row) {
    if (!p->parent) return p->rows->links[row].parent;
    const u32 index = p->parent[row - p->first];
    return index == NONE ? p->parent_of_roots : index + p->parent_add;
}

/* Parents of a chunk; false when one is behind its child. No branch depends on a row. */
static bool chunk_parents(const Pass* p, u32 row, u32 count, u32* parent) {
    const TransformLinks* links = &p->rows->links[row];
    const u32*            index = p->parent ? p->parent + (row - p->first) : NULL;
    const u32             add = p->parent_add, roots = p->parent_of_roots;
    u32                   disordered = 0;
    for (u32 i = 0; i < count && index; i++) {
        parent[i] = index[i] == NONE ? roots : index[i] + add;
    }
    for (u32 i = 0; i < count && !index; i++) parent[i] = links[i].parent;
    for (u32 i = 0; i < count; i++) disordered |= parent[i] + 1 > row + i; /* NONE + 1 is 0 */
    return !disordered;
}

/* Roots multiply with the identity in the spare place: an unpredictable branch costs more. */
static void rows_make(const Pass* p, u32 row, u32 count, const u32* parent) {
    u32 above[PASS_CHUNK];
    assert(count <= PASS_CHUNK);
    for (u32 i = 0; i < count; i++) {
        above[i] = pass_above_bytes(p->rows, parent[i]);
    }
    p->kernel(p->rows, row, count, above);
}

static void chunk_make(const Pass* p, u32 row, u32 count, const u32* parent) {
    if (p->link) chunk_link(p->rows->links, row, count, parent);
    if (p->kernel) rows_make(p, row, count, parent);
}

/* --- only matrices, of rows that are linked --- */

static bool only_matrices(const Pass* p) {
    return p->kernel && !p->parent && !p->link && !p->before;
}

static inline __attribute__((always_inline)) bool above_find(const TransformLinks* links, u32 row,
                                                             u32 count, u32            spare,
                                                             u32* restrict above, u32* lowest) {
    u32 disordered = 0, min = NONE;
    for (u32 i = 0; i < count; i++) {
        const u32 parent = links[i].parent;
        disordered |= parent + 1 > row + i; /* NONE + 1 is 0 */
        min = MIN_OF(parent, min);
        above[i] = MIN_OF(parent, spare) * (u32)sizeof(Mat34);
    }
    *lowest = min;
    return !disordered;
}

/* SSE4.1 has the minimum of words without a sign: 0.25 ns per row; without it 2.0, and with the gathers
 * of AVX2 0.9 (Zen 5). */
#if defined(__x86_64__)
__attribute__((target("sse4.1"))) static bool above_find_sse41(const Rows* r, u32 row, u32 count,
                                                               u32* above, u32* lowest) {
    return above_find(&r->links[row], row, count, r->spare, above, lowest);
}
#endif

bool above_kernel_portable(const Rows* r, u32 row, u32 count, u32* above, u32* lowest) {
#if defined(__x86_64__)
    if (__builtin_cpu_supports("sse4.1")) return above_find_sse41(r, row, count, above, lowest);
#endif
    return above_find(&r->links[row], row, count, r->spare, above, lowest);
}

static bool pass_matrices(const Pass* p) {
    const AboveKernel parents = above_kernel();
    u32               above[PASS_CHUNK], lowest;
    for (u32 row = p->first; row < p->end; row += PASS_CHUNK) {
        const u32 count = MIN_OF(p->end - row, (u32)PASS_CHUNK);
        if (!parents(p->rows, row, count, above, &lowest)) return false;
        p->kernel(p->rows, row, count, above);
    }
    return true;
}

/* Rows of a block are prepared before the first of them is processed. */
static void block_begin(const Pass* p, u32 first, u32 row, u32 end) {
    if (!p->before || (row - first) % PASS_BLOCK) return;
    p->before(p->user, row, MIN_OF(end, row + PASS_BLOCK));
}

/* All rows in their order, by one thread. */
static bool pass_alone(const Pass* p) {
    u32 parent[PASS_CHUNK];
    if (only_matrices(p)) return pass_matrices(p);
    for (u32 row = p->first; row < p->end; row += PASS_CHUNK) {
        const u32 count = MIN_OF(p->end - row, (u32)PASS_CHUNK);
        block_begin(p, p->first, row, p->end);
        if (!chunk_parents(p, row, count, parent)) return false;
        chunk_make(p, row, count, parent);
    }
    return true;
}

/* A part of the rows that one thread makes. */
typedef struct Run {
    const Pass* pass;
    u32         first;
    u8          late[PASS_RUN]; /* of each row so far */
} Run;

/* Excludes late rows from a chunk: until the end of the pass they are roots. A row whose parent
 * is before the complete pass is late only when both are linked, because other threads may link
 * to the same parent. */
static u32 chunk_set_late(Run* run, u32 row, u32 count, u32* parent, u32* list) {
    const Pass* p = run->pass;
    u32         found = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 above = parent[i];
        bool      waits = false;
        if (above != NONE) {
            waits =
                above < run->first ? above >= p->first || p->link : run->late[above - run->first];
        }
        run->late[row + i - run->first] = waits;
        list[found] = row + i;
        found += waits;
        if (waits) parent[i] = NONE;
    }
    return found;
}

/* Late rows are at the beginning of a run: in chunks whose parents are all behind them there are none,
 * and nothing but matrices has to be computed there. `bound` is the row behind the last late one. */
static bool chunk_make_early(const Pass* p, u32 row, u32 count, u32 bound) {
    u32 above[PASS_CHUNK], lowest;
    if (!only_matrices(p) || !above_kernel()(p->rows, row, count, above, &lowest)) return false;
    if (lowest < bound) return false;
    p->kernel(p->rows, row, count, above);
    return true;
}

static void run_make(PassRuns* runs, u32 run) {
    const Pass* p = runs->pass;
    const u32   first = p->first + run * PASS_RUN, end = MIN_OF(p->end, first + PASS_RUN);
    u32         parent[PASS_CHUNK], late_count = 0, bound = first;
    Run         now = {.pass = p, .first = first};
    u32         list[PASS_CHUNK];
    for (u32 row = first; row < end; row += PASS_CHUNK) {
        const u32 count = MIN_OF(end - row, (u32)PASS_CHUNK);
        if (chunk_make_early(p, row, count, bound)) continue;
        block_begin(p, first, row, end);
        if (!chunk_parents(p, row, count, parent)) {
            __atomic_store_n(&runs->disordered, 1, __ATOMIC_RELAXED);
            return;
        }
        const u32 found = chunk_set_late(&now, row, count, parent, list);
        memcpy(p->late + (first - p->first) + late_count, list, sizeof *list * found);
        late_count += found;
        if (found) bound = list[found - 1] + 1;
        chunk_make(p, row, count, parent);
    }
    runs->late_count[run] = late_count;
}

/* A thread takes runs from the same end of the rows in every pass: what it wrote in the one before may
 * still be in the cache of its core. */
static void runs_make(void* user, u32 first, u32 end, u32 worker) {
    PassRuns*  runs = user;
    const bool last = worker % 2;
    UNUSED(first);
    UNUSED(end);
    while (__atomic_fetch_add(&runs->taken, 1, __ATOMIC_RELAXED) < runs->count) {
        const u32 run = __atomic_fetch_add(&runs->side[last], 1, __ATOMIC_RELAXED);
        run_make(runs, last ? runs->count - 1 - run : run);
    }
}

static void row_make_late(const Pass* p, u32 row) {
    const u32 parent = pass_parent(p, row);
    if (p->link) transform_link(p->rows, row, parent);
    if (p->kernel) rows_make(p, row, 1, &parent);
}

static bool pass_do(const Pass* pass, JobPool* jobs) {
    const u32 count = pass->end - pass->first, run_count = (count + PASS_RUN - 1) / PASS_RUN;
    PassRuns  runs = {.pass = pass, .count = run_count};
    JobGroup  group = {0};
    if (pass->kernel) watch_rows(pass->rows->watch, pass->first, pass->end);
    pass_prepare(pass->rows);
    if (!jobs || !pass->late || count <= PASS_ALONE || ent_job_worker_count(jobs) < 2)
        return pass_alone(pass);
    ent_job_dispatch(jobs, &group, MIN_OF(run_count, ent_job_worker_count(jobs)), 1, runs_make,
                     &runs);
    ent_job_wait(jobs, &group);
    if (runs.disordered) return false;
    for (u32 run = 0; run < run_count; run++) {
        const u32* late = pass->late + (size_t)run * PASS_RUN;
        for (u32 i = 0; i < runs.late_count[run]; i++) row_make_late(pass, late[i]);
    }
    return true;
}

/* New rows were written just before: they are in the cache. */
bool pass_run(const Pass* pass, JobPool* jobs) {
    Pass      ahead = *pass;
    const u32 count = pass->end - pass->first;
    if (count == 0) return true;
    if (only_matrices(pass) && count > PASS_NEAR) ahead.kernel = pass_kernel_ahead();
    return pass_do(&ahead, jobs);
}
