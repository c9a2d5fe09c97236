/* bench_spawn.c - how far libent's spawn is from the loop that one would write by hand.
 *
 *     bench_spawn LEVEL...
 *
 * For each level: libent and the ideal in turn, each repetition in a freshly forked process, so
 * that "fresh" means untouched memory. The ideal has the four component types of the generated
 * level hard coded: one copy per column into one arena of huge pages, owner arrays, direct maps,
 * generations, ids from a free list. It fills world matrices with the identity; "ideal + world"
 * composes them, as libent always does. Prints medians in ns an entity, and ratios of these. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base.h"
#include "ent.h"
#include "file.h"

#define REPETITIONS 11
#define RESPAWNS    9

enum { FRESH, AGAIN, RESULT_COUNT };

/* --- the ideal --- */

typedef struct Links {
    i32 parent, first, next, previous;
} Links;

typedef struct Source {
    u32         count[COMPONENT_COUNT];
    const u32*  owner[COMPONENT_COUNT];
    const void* column[COMPONENT_COUNT][COMPONENT_COLUMNS_MAX];
    const u32*  parent;
    Links*      links;
    u32         entities;
} Source;

typedef struct Ideal {
    u8*  generation;
    u32 *handle, *ring, *owner[COMPONENT_COUNT], *row[COMPONENT_COUNT];
    u8*  column[COMPONENT_COUNT][COMPONENT_COLUMNS_MAX];
    f32 (*world)[16];
    Links* links;
    bool   used;
} Ideal;

static u8* arena_at;

static void* arena_take(size_t bytes) {
    u8* at = arena_at;
    arena_at += align_up(bytes, 64);
    return at;
}

static void arena_open(size_t bytes) {
    const size_t huge = (size_t)2 << 20;
    u8*          at = mmap(NULL, bytes + huge, PROT_READ | PROT_WRITE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) exit(1);
    arena_at = (u8*)align_up((uintptr_t)at, huge);
    madvise(arena_at, bytes, MADV_HUGEPAGE);
}

static Source source_read(const Blob* blob) {
    Source s = {.entities = blob->header->element_count};
    s.parent = ent_blob_data(blob, ent_blob_section(blob, SECTION_PARENT));
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        const ComponentType* type = &ent_component_types()[t];
        const BlobSection*   section = ent_blob_component(blob, type->id);
        if (!section) continue;
        s.count[t] = section->count;
        s.owner[t] = ent_blob_data(blob, section);
        for (u32 c = 0; c < ent_component_column_count(type); c++) {
            s.column[t][c] = ent_blob_column(blob, section, type, c);
        }
    }
    s.links = malloc(sizeof(Links) * s.entities);
    for (u32 i = 0; i < s.entities; i++) s.links[i] = (Links){(i32)s.parent[i], -1, -1, -1};
    for (u32 i = s.entities; i-- > 0;) {
        if (s.parent[i] == NONE) continue;
        Links* parent = &s.links[s.parent[i]];
        s.links[i].next = parent->first;
        if (parent->first >= 0) s.links[parent->first].previous = (i32)i;
        parent->first = (i32)i;
    }
    return s;
}

static void ideal_reserve(Ideal* w, const Source* s) {
    const u32 n = s->entities;
    arena_open((size_t)1 << 30);
    *w = (Ideal){.generation = arena_take(n),
                 .handle = arena_take(n * 4ull),
                 .ring = arena_take(n * 4ull),
                 .world = arena_take(n * 64ull),
                 .links = arena_take(n * sizeof(Links))};
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        const ComponentType* type = &ent_component_types()[t];
        if (!s->count[t]) continue;
        w->owner[t] = arena_take(s->count[t] * 4ull);
        w->row[t] = arena_take(n * 4ull);
        for (u32 c = 0; c < ent_component_column_count(type); c++) {
            w->column[t][c] = arena_take((size_t)s->count[t] * ent_component_column_bytes(type, c));
        }
    }
}

static void pose_rows(const Vec3* p, const Quat* q, const Vec3* s, f32* m) {
    const f32 x = q->x, y = q->y, z = q->z, w = q->w;
    m[0] = (1 - 2 * (y * y + z * z)) * s->x, m[1] = 2 * (x * y + z * w) * s->x;
    m[2] = 2 * (x * z - y * w) * s->x, m[3] = 0;
    m[4] = 2 * (x * y - z * w) * s->y, m[5] = (1 - 2 * (x * x + z * z)) * s->y;
    m[6] = 2 * (y * z + x * w) * s->y, m[7] = 0;
    m[8] = 2 * (x * z + y * w) * s->z, m[9] = 2 * (y * z - x * w) * s->z;
    m[10] = (1 - 2 * (x * x + y * y)) * s->z, m[11] = 0;
    m[12] = p->x, m[13] = p->y, m[14] = p->z, m[15] = 1;
}

typedef f32 f32x4 __attribute__((vector_size(16)));

static void product(const f32* local, const f32* parent, f32* out) {
    f32x4 p[4];
    memcpy(p, parent, sizeof p);
    for (int r = 0; r < 4; r++) {
        f32x4 row = local[r * 4] * p[0] + local[r * 4 + 1] * p[1] + local[r * 4 + 2] * p[2] +
                    local[r * 4 + 3] * p[3];
        memcpy(out + r * 4, &row, sizeof row);
    }
}

static void ideal_worlds(Ideal* w, const Source* s, bool compose) {
    static const f32 identity[16] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
    const Vec3 *p = s->column[COMPONENT_TRANSFORM][0], *scale = s->column[COMPONENT_TRANSFORM][2];
    const Quat* q = s->column[COMPONENT_TRANSFORM][1];
    for (u32 i = 0; i < s->entities; i++) {
        f32 local[16];
        if (!compose) {
            memcpy(w->world[i], identity, sizeof identity);
            continue;
        }
        if (s->parent[i] == NONE) {
            pose_rows(&p[i], &q[i], &scale[i], w->world[i]);
            continue;
        }
        pose_rows(&p[i], &q[i], &scale[i], local);
        product(local, w->world[s->parent[i]], w->world[i]);
    }
}

static void ideal_spawn(Ideal* w, const Source* s, bool compose) {
    const u32 n = s->entities;
    for (u32 i = 0; i < n && !w->used; i++) w->handle[i] = i;
    for (u32 i = 0; i < n && w->used; i++) {
        const u32 index = w->ring[i];
        w->handle[i] = index | (u32)w->generation[index] << 24;
    }
    w->used = true;
    memcpy(w->links, s->links, sizeof(Links) * n);
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        const ComponentType* type = &ent_component_types()[t];
        for (u32 c = 0; s->count[t] && c < ent_component_column_count(type); c++) {
            memcpy(w->column[t][c], s->column[t][c],
                   (size_t)s->count[t] * ent_component_column_bytes(type, c));
        }
        for (u32 i = 0; i < s->count[t]; i++) w->owner[t][i] = w->handle[s->owner[t][i]];
        for (u32 i = 0; i < s->count[t]; i++) w->row[t][w->owner[t][i] & 0xffffff] = i + 1;
    }
    ideal_worlds(w, s, compose);
}

static void ideal_clear(Ideal* w, const Source* s) {
    for (u32 i = 0; i < s->entities; i++) w->generation[i]++;
    for (u32 i = 0; i < s->entities; i++) w->ring[i] = w->handle[i] & 0xffffff;
    for (u32 t = 0; t < COMPONENT_COUNT; t++) {
        if (s->count[t]) memset(w->row[t], 0, s->entities * 4ull);
    }
}

/* --- what is timed --- */

static int order(const void* a, const void* b) {
    const f64 x = *(const f64*)a, y = *(const f64*)b;
    return x < y ? -1 : x > y;
}

static f64 median(f64* values, u32 count) {
    qsort(values, count, sizeof *values, order);
    return values[count / 2];
}

static void run_ideal(const Source* s, bool compose, f64* result) {
    Ideal     w;
    f64       again[RESPAWNS];
    const u64 start = clock_ns();
    ideal_reserve(&w, s);
    ideal_spawn(&w, s, compose);
    result[FRESH] = (f64)(clock_ns() - start);
    for (u32 i = 0; i < RESPAWNS; i++) {
        ideal_clear(&w, s);
        const u64 second = clock_ns();
        ideal_spawn(&w, s, compose);
        again[i] = (f64)(clock_ns() - second);
    }
    result[AGAIN] = median(again, RESPAWNS);
}

static void run_libent(const Blob* blob, f64* result) {
    World*    world;
    f64       again[RESPAWNS];
    const u64 start = clock_ns();
    if (ent_world_create(&world, NULL) != ENT_OK) exit(1);
    if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) exit(1);
    result[FRESH] = (f64)(clock_ns() - start);
    for (u32 i = 0; i < RESPAWNS; i++) {
        ent_world_clear(world);
        const u64 second = clock_ns();
        if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) exit(1);
        again[i] = (f64)(clock_ns() - second);
    }
    result[AGAIN] = median(again, RESPAWNS);
}

/* Runs one contender in a process of its own. */
static void forked(const Blob* blob, const Source* s, int contender, f64* result) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    const pid_t child = fork();
    if (child == 0) {
        f64 values[RESULT_COUNT];
        if (contender == 0)
            run_libent(blob, values);
        else
            run_ideal(s, contender == 2, values);
        const ssize_t wrote = write(ends[1], values, sizeof values);
        _exit(wrote != sizeof values);
    }
    int           status = 1;
    const ssize_t got = read(ends[0], result, sizeof(f64) * RESULT_COUNT);
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    if (status != 0 || got != (ssize_t)(sizeof(f64) * RESULT_COUNT)) exit(1);
}

static void report(const char* what, u32 n, f64 value, const char* unit, f64 ratio, f64 target) {
    printf("%s,%u,%.3f,%s,%.2f,%.2f\n", what, n, value, unit, ratio, target);
}

static void bench_spawn(const Blob* blob) {
    const Source s = source_read(blob);
    f64          times[3][RESULT_COUNT][REPETITIONS], middle[3][RESULT_COUNT];
    for (u32 r = 0; r < REPETITIONS; r++) {
        for (int contender = 0; contender < 3; contender++) {
            f64 result[RESULT_COUNT];
            forked(blob, &s, contender, result);
            for (u32 k = 0; k < RESULT_COUNT; k++) times[contender][k][r] = result[k] / s.entities;
        }
    }
    for (int c = 0; c < 3; c++) {
        for (u32 k = 0; k < RESULT_COUNT; k++) middle[c][k] = median(times[c][k], REPETITIONS);
    }
    static const char* const names[2] = {"fresh world", "cleared world"};
    for (u32 k = 0; k < RESULT_COUNT; k++) {
        char name[64];
        snprintf(name, sizeof name, "spawn into a %s / ideal", names[k]);
        report(name, s.entities, middle[0][k], "ns/entity", middle[0][k] / middle[1][k], 1.5);
        snprintf(name, sizeof name, "spawn into a %s / ideal + world", names[k]);
        report(name, s.entities, middle[0][k], "ns/entity", middle[0][k] / middle[2][k], 1.5);
        snprintf(name, sizeof name, "ideal %s", names[k]);
        report(name, s.entities, middle[1][k], "ns/entity", 1, 0);
        snprintf(name, sizeof name, "ideal + world %s", names[k]);
        report(name, s.entities, middle[2][k], "ns/entity", 1, 0);
    }
    free(s.links);
}

static void bench_open(const FileView* view, const Blob* blob) {
    f64 fields[REPETITIONS], whole[REPETITIONS], copy[REPETITIONS];
    u8* target = pages_alloc(view->size);
    for (u32 r = 0; r < REPETITIONS; r++) {
        const BlobOptions fields_only = {.skip_hash = 1};
        Blob              opened;
        const u64         a = clock_ns();
        const ent_status  first =
            ent_blob_open(&opened, view->bytes, view->size, &fields_only, NULL);
        const u64        b = clock_ns();
        const ent_status second = ent_blob_open(&opened, view->bytes, view->size, NULL, NULL);
        const u64        c = clock_ns();
        memcpy(target, view->bytes, view->size);
        const u64 d = clock_ns();
        if (first != ENT_OK || second != ENT_OK) exit(1);
        fields[r] = (f64)view->size / (f64)(b - a);
        whole[r] = (f64)view->size / (f64)(c - b);
        copy[r] = (f64)view->size / (f64)(d - c);
    }
    const u32 n = blob->header->element_count;
    const f64 f = median(fields, REPETITIONS), w = median(whole, REPETITIONS),
              m = median(copy, REPETITIONS);
    report("open and verify / copy", n, f, "GB/s", f / m, 0);
    report("open and verify with hash / copy", n, w, "GB/s", w / m, 0);
    report("copy", n, m, "GB/s", 1, 0);
    pages_free(target, view->size);
}

int main(int argc, char** argv) {
    for (int i = 1; i < argc; i++) {
        FileView view;
        Blob     blob;
        if (file_map(&view, argv[i]) != ENT_OK ||
            ent_blob_open(&blob, view.bytes, view.size, NULL, NULL) != ENT_OK) {
            fprintf(stderr, "bench_spawn: cannot open %s\n", argv[i]);
            return 1;
        }
        bench_open(&view, &blob);
        bench_spawn(&blob);
        fflush(stdout);
        file_unmap(&view);
    }
    return 0;
}
