/* transform_marks.c - rows that changed, found without a list of them, and computed where they are.
 *
 * Bits beside the rows state which may be dirty; `still` of a row states whether it is. Bits follow
 * rows that move. An update visits the dirty rows in their order, each with all its descendants; what
 * visits read is requested before, because dirty rows are far from each other. A row before its parent
 * may be visited a second time after an ancestor of it; it is then computed again, and counted once. */
#include "transform_internal.h"

#define VISITORS 128u /* dirty rows whose memory is requested together */
#define STEPS    4u   /* from these along links */

#define SUMMARY_ROWS ((ENTITY_COUNT_MAX + 1) / (TRANSFORM_SUMMARY * 64)) /* of a bit */

/* The bits of 64 rows. */
typedef struct MarkBits {
    u64 dirty, often, visited;
} MarkBits;

/* The list beside the rows: a summary, whose bits state where any of the others is set, and these. */
static u64*      summary_of(const Manager* m) { return (u64*)(void*)m->list; }
static MarkBits* bits_of(const Manager* m) {
    return (MarkBits*)(void*)(summary_of(m) + TRANSFORM_SUMMARY);
}

static void summary_set(const Manager* m, u32 row) {
    summary_of(m)[row / SUMMARY_ROWS / 64] |= (u64)1 << row / SUMMARY_ROWS % 64;
}

/* --- marks --- */

/* The place past the end, which swaps use, has bits as well. */
void marks_cover(Manager* m) {
    const u32 each = sizeof(MarkBits) / sizeof(u32);
    const u32 need = 2 * TRANSFORM_SUMMARY + (m->count / 64 + 1) * each;
    if (m->list_count >= need) return;
    memset(m->list + m->list_count, 0, sizeof(u32) * (need - m->list_count));
    m->list_count = need;
}

void marks_follow(Manager* m, u32 to) {
    MarkBits* bits = &bits_of(m)[to / 64];
    bits->dirty |= (u64)1 << to % 64;
    bits->often |= (u64)1 << to % 64;
    summary_set(m, to);
    m->marked_often++;
}

void transform_mark(Manager* m, u32 row) {
    const Rows r = rows_of(m);
    const u8   still = r.still[row];
    if (still & TRANSFORM_DIRTY) return;
    r.still[row] = still | TRANSFORM_DIRTY;
    if (row >= m->count - m->tail) return;
    m->marked++;
    bits_of(m)[row / 64].dirty |= (u64)1 << row % 64;
    summary_set(m, row);
    if (still & (TRANSFORM_AGAIN | TRANSFORM_DISORDERED)) marks_follow(m, row);
}

void transform_mark_disordered(Manager* m, u32 row) {
    transform_mark(m, row);
    if (row >= m->count - m->tail) return;
    rows_of(m).still[row] |= TRANSFORM_DISORDERED;
    marks_follow(m, row);
}

/* --- walks over bits --- */

/* Rows outside of the tail whose bit is set. */
typedef struct BitWalk {
    const Manager* m;
    size_t         which;     /* offset in MarkBits */
    u32            next, end; /* words */
} BitWalk;

static BitWalk walk_begin(const Manager* m, size_t which) {
    return (BitWalk){m, which, 0, (m->count - m->tail + 63) / 64};
}

/* Bits behind the last row are not read. */
static u64 word_at(const BitWalk* walk, u32 at) {
    const u32 rows = walk->m->count - walk->m->tail - at * 64;
    u64       word;
    memcpy(&word, (const u8*)&bits_of(walk->m)[at] + walk->which, sizeof word);
    return rows < 64 ? word & (((u64)1 << rows) - 1) : word;
}

/* The numbers of bits. Written without branches. */
static u32 word_take(u64 word, u32 first, u32 out[64]) {
    u32 count = 0;
    for (u32 i = 0; i < 2; i++) {
        out[count] = first + trailing_zeros(word | (u64)1 << 63);
        count += word != 0;
        word &= word - 1;
    }
    for (; word; word &= word - 1) out[count++] = first + trailing_zeros(word);
    return count;
}

/* Up to VISITORS + 63 rows; 0: there are no more. */
static u32 walk_take(BitWalk* walk, u32 out[VISITORS + 64]) {
    const u32 per_bit = SUMMARY_ROWS / 64;
    u32       count = 0;
    while (count < VISITORS && walk->next < walk->end) {
        const u32 bit = walk->next / per_bit;
        if (walk->next % per_bit == 0 && !(summary_of(walk->m)[bit / 64] >> bit % 64 & 1)) {
            walk->next += per_bit;
            continue;
        }
        count += word_take(word_at(walk, walk->next), walk->next * 64, out + count);
        walk->next++;
    }
    return count;
}

void marks_clear(Manager* m) {
    const u32 per_bit = SUMMARY_ROWS / 64, words = m->count / 64 + 1;
    u64*      summary = summary_of(m);
    m->marked = m->marked_often = 0;
    for (u32 i = 0; i < m->list_count && i < TRANSFORM_SUMMARY; i++) {
        for (; summary[i]; summary[i] &= summary[i] - 1) {
            const u32 first = (i * 64 + trailing_zeros(summary[i])) * per_bit;
            const u32 count = first < words ? MIN_OF(words - first, per_bit) : 0;
            memset(&bits_of(m)[first], 0, sizeof(MarkBits) * count);
        }
    }
}

/* --- rows that change often --- */

static u8 stamp_of(u32 update) { return (u8)(update % TRANSFORM_STAMPS + 1); }

static bool goes_into_tail(const Manager* m, const Rows* r, u32 row) {
    const u8 still = r->still[row], third = stamp_of(m->updates - 1) | TRANSFORM_AGAIN;
    if (row >= m->count - m->tail || !(still & TRANSFORM_DIRTY)) return false;
    return (still & TRANSFORM_DISORDERED) || (still & (u8)~TRANSFORM_DIRTY) == third;
}

/* Whether rows have moved. */
static bool often_into_tail(Manager* m, const Rows* r) {
    const u32 tail = m->tail;
    u32       rows[VISITORS + 64];
    BitWalk   walk = walk_begin(m, offsetof(MarkBits, often));
    for (u32 count; (count = walk_take(&walk, rows)) > 0;) {
        Entity chosen[VISITORS + 64];
        u32    chosen_count = 0;
        assert(count <= COUNT_OF(chosen));
        for (u32 i = 0; i < count; i++) {
            if (goes_into_tail(m, r, rows[i])) chosen[chosen_count++] = m->entity[rows[i]];
        }
        for (u32 i = 0; i < chosen_count; i++) {
            const u32 row = m->row[ent_entity_index(chosen[i])] - 1;
            if (goes_into_tail(m, r, row)) subtree_into_tail(m, r, row);
        }
    }
    return m->tail > tail;
}

/* A row may move to a place that was read before. It must not be missed: its parent may be in the
 * tail. */
void marks_into_tail(Manager* m, const Rows* r) {
    while (m->marked_often && often_into_tail(m, r)) {
    }
}

/* --- visits --- */

/* Rows, parents first, whose matrices are computed when there are enough of them. */
typedef struct Visit {
    const Manager* m;
    const Rows*    r;
    RowsKernel     kernel;
    u32            row[VISITORS], above[VISITORS];
    u32            count, new_count;
} Visit;

/* The rows that were added first: the memory of the others may still be on its way. */
static void visit_compute(Visit* v, u32 count) {
    v->kernel(v->r, v->row, count, v->above);
    v->count -= count;
    memmove(v->row, v->row + count, sizeof(u32) * v->count);
    memmove(v->above, v->above + count, sizeof(u32) * v->count);
}

/* Is this the first visit of the row in this update? */
static bool row_is_new(const Manager* m, u32 row) {
    MarkBits* bits = &bits_of(m)[row / 64];
    const u64 had = bits->visited, bit = (u64)1 << row % 64;
    bits->visited = had | bit;
    summary_set(m, row);
    return !(had & bit);
}

/* A row that has changed is stamped. */
static void row_stamp(const Manager* m, u8* still) {
    const u8 had = *still & TRANSFORM_STAMP_BITS;
    if (!(*still & TRANSFORM_DIRTY)) return;
    *still = stamp_of(m->updates) | (*still & TRANSFORM_DISORDERED);
    if (had == stamp_of(m->updates - 1)) *still |= TRANSFORM_AGAIN;
}

/* A matrix may be in two lines of the cache. */
static void matrix_prefetch(const Mat34* matrix) {
    PREFETCH(matrix);
    PREFETCH(&matrix->m[2][3]);
}

static void row_visit(Visit* v, u32 row) {
    const u32 above = pass_above_bytes(v->r, v->r->links[row].parent);
    if (v->count == VISITORS) visit_compute(v, VISITORS / 2);
    if (v->r->watch) watch_row(v->r->watch, row);
    row_stamp(v->m, &v->r->still[row]);
    v->new_count += row_is_new(v->m, row);
    PREFETCH(&v->r->position[row]);
    PREFETCH(&v->r->rotation[row]);
    PREFETCH(&v->r->scale[row]);
    matrix_prefetch(&v->r->world[row]);
    matrix_prefetch(pass_above(v->r, above));
    v->row[v->count] = row;
    v->above[v->count++] = above;
}

/* The row after `row` below `top`, without the descendants of `row`; NONE behind the last. */
static u32 behind_subtree(const Rows* r, u32 top, u32 row) {
    while (row != top && r->links[row].next_sibling == NONE) row = r->links[row].parent;
    return row == top ? NONE : r->links[row].next_sibling;
}

/* Rows of the tail are marked: its traversal computes them and all below them. */
static void subtree_visit(Visit* v, u32 top) {
    const Rows* r = v->r;
    const u32   end = v->m->count - v->m->tail;
    for (u32 row = top; row != NONE;) {
        if (row < end) {
            row_visit(v, row);
            row = transform_below(r, top, row);
        } else {
            r->still[row] |= TRANSFORM_DIRTY;
            row = behind_subtree(r, top, row);
        }
    }
}

/* The children of rows, and the siblings after them, up to VISITORS: their links are requested. */
static u32 links_prefetch(const Rows* r, u32 rows[2 * VISITORS], u32 count, bool siblings) {
    u32 next[2 * VISITORS], found = 0;
    assert(2 * count <= COUNT_OF(next)); /* two of each */
    for (u32 i = 0; i < count; i++) {
        const TransformLinks* l = &r->links[rows[i]];
        next[found] = l->first_child;
        found += l->first_child != NONE;
        next[found] = l->next_sibling;
        found += siblings && l->next_sibling != NONE;
    }
    found = MIN_OF(found, VISITORS);
    for (u32 i = 0; i < found; i++) PREFETCH(&r->links[rows[i] = next[i]]);
    return found;
}

/* Requests what the visits of these rows read: one row after the other would wait for memory for
 * each step of the links. */
static void visitors_prefetch(const Rows* r, const u32* rows, u32 count) {
    u32 front[2 * VISITORS], step = 0;
    for (u32 i = 0; i < count; i++) {
        PREFETCH(&r->links[rows[i]]);
        PREFETCH(&r->still[rows[i]]);
    }
    count = MIN_OF(count, VISITORS);
    memcpy(front, rows, sizeof *rows * count);
    for (; count && step < STEPS; step++) count = links_prefetch(r, front, count, step > 0);
}

u32 marks_visit(Manager* m, const Rows* r) {
    Visit v = {.m = m, .r = r, .kernel = rows_kernel(), .count = 0};
    u32   rows[VISITORS + 64];
    pass_prepare(r);
    BitWalk walk = walk_begin(m, offsetof(MarkBits, dirty));
    for (u32 count; (count = walk_take(&walk, rows)) > 0;) {
        visitors_prefetch(r, rows, count);
        for (u32 i = 0; i < count; i++) {
            if (r->still[rows[i]] & TRANSFORM_DIRTY) subtree_visit(&v, rows[i]);
        }
    }
    visit_compute(&v, v.count);
    marks_clear(m);
    return v.new_count;
}
