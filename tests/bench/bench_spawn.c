/* bench_spawn.c - libent's spawn compared with a hand-written loop.
 *
 *     bench_spawn LEVEL...
 *
 * For each level: libent and the ideal alternate, each repetition in a newly forked process, so
 * that "fresh" means unused memory. The ideal has the four component types of the generated
 * level hard coded: one copy per column into one arena of huge pages, owner arrays, direct maps,
 * generations, ids from a free list. It fills world matrices with the identity; "ideal + world"
 * composes them, as libent does unless transforms are deferred. Where entities are destroyed one by
 * one, "ideal" moves the last row into the hole without updating the links to it; "ideal with
 * links" keeps the hierarchy correct, as a program must. Prints medians in ns per entity, and
 * their ratios. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench_rows.h"
#include "ent.h"
#include "clock.h"
#include "file.h"
#include "pages.h"
#include "jobs.h"

#define REPETITIONS 11
#define RESPAWNS    20
#define LOOKUPS     1000000u

enum { FRESH, AGAIN, CLEAR, RESTART, LAST_RESTART, LOOKUP, EACH, MANY, GROWN, RESULT_COUNT };
enum { LIBENT, DEFERRED, TWO_THREADS, IDEAL, IDEAL_WORLD, CONTENDER_COUNT };

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

/* A hypervisor may take free memory back: then the first use of a page takes up to thirty times as long,
 * and which contender uses such pages depends on their order. So each touches as much memory as it
 * needs, and frees it, before it is measured. */
static void memory_provide(u32 entities) {
    const size_t bytes = (size_t)entities * 400;
    arena_open(bytes);
    for (size_t at = 0; at < bytes; at += 4096) arena_at[at] = 1;
    munmap(arena_at, bytes);
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

/* Forward: every removal really moves the last row. The four types of the level by name, as in
 * hand-written code. */
#define COLUMN(t, Type, c) ((Type*)(void*)w->column[t][c])
#define MOVE(t, Type, c)   COLUMN(t, Type, c)[row] = COLUMN(t, Type, c)[last]
#define REMOVE(t, ...)                                                                             \
    do {                                                                                           \
        u32 row = w->row[t][i];                                                                    \
        if (row--) {                                                                               \
            const u32 last = --count[t], moved = w->owner[t][last];                                \
            w->owner[t][row] = moved;                                                              \
            w->row[t][moved & 0xffffff] = row + 1;                                                 \
            w->row[t][i] = 0;                                                                      \
            __VA_ARGS__;                                                                           \
        }                                                                                          \
    } while (0)

#define REMOVE_OTHERS()                                                                            \
    do {                                                                                           \
        REMOVE(COMPONENT_MESH, MOVE(COMPONENT_MESH, MeshRecord, 0));                               \
        REMOVE(COMPONENT_LIGHT, MOVE(COMPONENT_LIGHT, LightRecord, 0));                            \
        REMOVE(COMPONENT_POINT_MASS, MOVE(COMPONENT_POINT_MASS, Vec3, 0);                          \
               MOVE(COMPONENT_POINT_MASS, Vec3, 1); MOVE(COMPONENT_POINT_MASS, Vec3, 2);           \
               MOVE(COMPONENT_POINT_MASS, f32, 3));                                                \
    } while (0)

static void ideal_destroy_each(Ideal* w, const Source* s) {
    u32 count[COMPONENT_COUNT];
    memcpy(count, s->count, sizeof count);
    for (u32 i = 0; i < s->entities; i++) {
        w->generation[i]++;
        REMOVE(COMPONENT_TRANSFORM, MOVE(COMPONENT_TRANSFORM, Vec3, 0);
               MOVE(COMPONENT_TRANSFORM, Quat, 1); MOVE(COMPONENT_TRANSFORM, Vec3, 2);
               memcpy(w->world[row], w->world[last], 64); w->links[row] = w->links[last]);
        REMOVE_OTHERS();
    }
}

/* A row and all its descendants, from their poses. */
static void ideal_compose(Ideal* w, i32 top) {
    const Vec3 *p = COLUMN(COMPONENT_TRANSFORM, Vec3, 0), *s = COLUMN(COMPONENT_TRANSFORM, Vec3, 2);
    const Quat* q = COLUMN(COMPONENT_TRANSFORM, Quat, 1);
    pose_rows(&p[top], &q[top], &s[top], w->world[top]);
    for (i32 row = w->links[top].first; row >= 0;) {
        f32 local[16];
        pose_rows(&p[row], &q[row], &s[row], local);
        product(local, w->world[w->links[row].parent], w->world[row]);
        if (w->links[row].first >= 0) {
            row = w->links[row].first;
            continue;
        }
        while (row != top && w->links[row].next < 0) row = w->links[row].parent;
        row = row == top ? -1 : w->links[row].next;
    }
}

/* A row is removed from its parent and its siblings; its children become roots. */
static void ideal_unlink(Ideal* w, u32 row) {
    Links* const links = w->links;
    const Links  l = links[row];
    if (l.previous >= 0)
        links[l.previous].next = l.next;
    else if (l.parent >= 0)
        links[l.parent].first = l.next;
    if (l.next >= 0) links[l.next].previous = l.previous;
    for (i32 child = l.first, next; child >= 0; child = next) {
        next = links[child].next;
        links[child].parent = links[child].next = links[child].previous = -1;
        ideal_compose(w, child);
    }
}

/* The links of the last row's relatives are set to the hole. */
static void ideal_relink(Ideal* w, u32 last, u32 row) {
    Links* const links = w->links;
    const Links  l = links[last];
    if (l.previous >= 0)
        links[l.previous].next = (i32)row;
    else if (l.parent >= 0)
        links[l.parent].first = (i32)row;
    if (l.next >= 0) links[l.next].previous = (i32)row;
    for (i32 child = l.first; child >= 0; child = links[child].next) {
        links[child].parent = (i32)row;
    }
    links[row] = l;
}

static void ideal_destroy_each_linked(Ideal* w, const Source* s) {
    u32 count[COMPONENT_COUNT];
    memcpy(count, s->count, sizeof count);
    for (u32 i = 0; i < s->entities; i++) {
        w->generation[i]++;
        if (w->row[COMPONENT_TRANSFORM][i]) ideal_unlink(w, w->row[COMPONENT_TRANSFORM][i] - 1);
        REMOVE(COMPONENT_TRANSFORM, MOVE(COMPONENT_TRANSFORM, Vec3, 0);
               MOVE(COMPONENT_TRANSFORM, Quat, 1); MOVE(COMPONENT_TRANSFORM, Vec3, 2);
               memcpy(w->world[row], w->world[last], 64); ideal_relink(w, last, row));
        REMOVE_OTHERS();
    }
}

/* --- the measurements --- */

static f64 resident_bytes(void) {
    long  pages = 0, rest = 0;
    FILE* f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &rest, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return (f64)pages * 4096;
}

static u32* places_random(u32 count) {
    u32* place = malloc(sizeof *place * LOOKUPS);
    u64  state = 99;
    for (u32 i = 0; i < LOOKUPS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        place[i] = (u32)((state >> 32) * count >> 32);
    }
    return place;
}

typedef struct Rounds {
    f64 clear[RESPAWNS], again[RESPAWNS], restart[RESPAWNS];
} Rounds;

static void rounds_report(Rounds* r, f64* result) {
    result[LAST_RESTART] = r->restart[RESPAWNS - 1];
    result[CLEAR] = bench_median_of(r->clear, RESPAWNS);
    result[AGAIN] = bench_median_of(r->again, RESPAWNS);
    result[RESTART] = bench_median_of(r->restart, RESPAWNS);
}

/* Both lookups are functions, not loops in a long function in which no register is free. */
#define LOOP __attribute__((noinline))

static LOOP f32 ideal_look_up(const Ideal* w, const u32* place) {
    const Vec3* position = COLUMN(COMPONENT_TRANSFORM, Vec3, 0);
    const u8*   generation = w->generation;
    const u32*  row = w->row[COMPONENT_TRANSFORM];
    f32         sum = 0;
    for (u32 i = 0; i < LOOKUPS; i++) {
        if (generation[place[i]] == RESPAWNS) sum += position[row[place[i]] - 1].x;
    }
    return sum;
}

static void run_ideal(const Source* s, bool compose, f64* result) {
    Ideal     w;
    Rounds    rounds;
    const f64 resident = resident_bytes();
    u32*      place = NULL;
    const u64 start = clock_ns();
    ideal_reserve(&w, s);
    ideal_spawn(&w, s, compose);
    result[FRESH] = (f64)(clock_ns() - start);
    result[GROWN] = resident_bytes() - resident;
    for (u32 i = 0; i < RESPAWNS; i++) {
        const u64 first = clock_ns();
        ideal_clear(&w, s);
        const u64 second = clock_ns();
        ideal_spawn(&w, s, compose);
        const u64 third = clock_ns();
        rounds.clear[i] = (f64)(second - first);
        rounds.again[i] = (f64)(third - second);
        rounds.restart[i] = (f64)(third - first);
    }
    rounds_report(&rounds, result);
    place = places_random(s->entities);
    f32 sum = 0;
    for (u32 k = 0; k < 2; k++) { /* the first time to warm up */
        const u64 fourth = clock_ns();
        sum += ideal_look_up(&w, place);
        result[LOOKUP] = (f64)(clock_ns() - fourth);
    }
    const u64 fifth = clock_ns();
    if (compose)
        ideal_destroy_each_linked(&w, s);
    else
        ideal_destroy_each(&w, s);
    result[EACH] = (f64)(clock_ns() - fifth) + (sum == 0.123f);
    free(place);
}

static LOOP f32 libent_look_up(World* world, const Entity* asked) {
    const ManagerFinder find = ent_manager_finder(ent_world_manager_by_name(world, "transform"),
                                                  ent_world_entities(world));
    const Vec3*         position = ent_transform_rows(world).position;
    f32                 sum = 0;
    for (u32 i = 0; i < LOOKUPS; i++) {
        const u32 row = ent_finder_row(find, asked[i]);
        if (row != MANAGER_NO_ROW) sum += position[row].x;
    }
    return sum;
}

static void lookup_libent(World* world, u32 n, f64* result) {
    const TransformRows t = ent_transform_rows(world);
    u32*                place = places_random(n);
    Entity*             entity = malloc(sizeof(Entity) * n);
    f32                 sum = 0;
    memcpy(entity, t.entity, sizeof(Entity) * MIN_OF(n, t.count));
    for (u32 i = 0; i < LOOKUPS; i++) place[i] = entity[place[i]];
    for (u32 k = 0; k < 2; k++) {
        const u64 start = clock_ns();
        sum += libent_look_up(world, place);
        result[LOOKUP] = (f64)(clock_ns() - start) + (sum == 0.123f);
    }
    free(place);
    free(entity);
}

/* All entities in the order of their transforms, `group` at a time. */
static f64 destroy_libent(World* world, u32 group) {
    const TransformRows t = ent_transform_rows(world);
    Entity*             entity = malloc(sizeof(Entity) * t.count);
    const u32           n = t.count;
    memcpy(entity, t.entity, sizeof(Entity) * n);
    const u64 start = clock_ns();
    for (u32 i = 0; i < n; i += group) {
        if (ent_entity_destroy(world, &entity[i], MIN_OF(group, n - i)) != MIN_OF(group, n - i))
            exit(1);
    }
    const u64 ns = clock_ns() - start;
    free(entity);
    return (f64)ns;
}

static void run_libent(const Blob* blob, int contender, f64* result) {
    World*          world;
    Rounds          rounds;
    const WorldDesc desc = {.jobs = contender == TWO_THREADS ? ent_job_pool_create(1, NULL) : NULL};
    const f64       resident = resident_bytes();
    const u64       start = clock_ns();
    if (ent_world_create(&world, &desc) != ENT_OK) exit(1);
    if (contender == DEFERRED) ent_transform_defer(world, 1);
    if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) exit(1);
    result[FRESH] = (f64)(clock_ns() - start);
    result[GROWN] = resident_bytes() - resident;
    for (u32 i = 0; i < RESPAWNS; i++) {
        const u64 first = clock_ns();
        ent_world_clear(world);
        const u64 second = clock_ns();
        if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) exit(1);
        const u64 third = clock_ns();
        rounds.clear[i] = (f64)(second - first);
        rounds.again[i] = (f64)(third - second);
        rounds.restart[i] = (f64)(third - first);
    }
    rounds_report(&rounds, result);
    lookup_libent(world, blob->header->element_count, result);
    result[EACH] = destroy_libent(world, 1);
    if (ent_world_spawn(world, blob, NULL, NULL) != ENT_OK) exit(1);
    result[MANY] = destroy_libent(world, 1000);
}

/* Runs one contender in a separate process. */
static void forked(const Blob* blob, const Source* s, int contender, f64* result) {
    int ends[2];
    if (pipe(ends) != 0) exit(1);
    const pid_t child = fork();
    if (child == 0) {
        f64 values[RESULT_COUNT];
        memory_provide(s->entities);
        if (contender < IDEAL)
            run_libent(blob, contender, values);
        else
            run_ideal(s, contender == IDEAL_WORLD, values);
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

/* One result of one contender beside the same of another. */
static void compare(const char* what, u32 n, f64 (*middle)[RESULT_COUNT], int mine, int other,
                    int result, f64 target) {
    bench_row(what, n, middle[mine][result], "ns/entity",
              middle[mine][result] / middle[other][result], target);
}

static void report_all(u32 n, f64 (*m)[RESULT_COUNT]) {
    compare("ideal; fresh world", n, m, IDEAL, IDEAL, FRESH, 0);
    compare("spawn into a fresh world; deferred / ideal", n, m, DEFERRED, IDEAL, FRESH, 1.2);
    compare("ideal; restart", n, m, IDEAL, IDEAL, RESTART, 0);
    compare("clear and spawn again; deferred / ideal", n, m, DEFERRED, IDEAL, RESTART,
            n == 100000 ? 1.1 : 1.2);
    bench_row("the 20th restart / the median of them", n, m[DEFERRED][LAST_RESTART], "ns/entity",
              m[DEFERRED][LAST_RESTART] / m[DEFERRED][RESTART], 0);
    compare("ideal with world matrices; fresh world", n, m, IDEAL_WORLD, IDEAL_WORLD, FRESH, 0);
    compare("spawn into a fresh world / ideal with world matrices", n, m, LIBENT, IDEAL_WORLD,
            FRESH, 1.2);
    compare("ideal with world matrices; again", n, m, IDEAL_WORLD, IDEAL_WORLD, AGAIN, 0);
    compare("spawn again / ideal with world matrices", n, m, LIBENT, IDEAL_WORLD, AGAIN, 1.2);
    bench_row("two threads; spawn again / one thread", n, m[TWO_THREADS][AGAIN], "ns/entity",
              m[LIBENT][AGAIN] / m[TWO_THREADS][AGAIN], n >= 1000000 ? -1.25 : 0);
    bench_row("clear a world; ns an entity", n, m[LIBENT][CLEAR], "ns/entity", m[LIBENT][CLEAR], 2);
    compare("ideal; look up", n, m, IDEAL, IDEAL, LOOKUP, 0);
    compare("look up with generation / ideal", n, m, LIBENT, IDEAL, LOOKUP,
            n >= 1000000 ? 1.05 : 1.2);
    compare("ideal; destroy one by one", n, m, IDEAL, IDEAL, EACH, 0);
    compare("destroy one by one / ideal", n, m, LIBENT, IDEAL, EACH, 0);
    compare("ideal with links; destroy one by one", n, m, IDEAL_WORLD, IDEAL_WORLD, EACH, 0);
    compare("destroy one by one / ideal with links", n, m, LIBENT, IDEAL_WORLD, EACH, 1.15);
    compare("destroy one by one; deferred / ideal with links", n, m, DEFERRED, IDEAL_WORLD, EACH,
            1.15);
    bench_row("destroy 1000 at once / one by one", n, m[LIBENT][MANY], "ns/entity",
              m[LIBENT][MANY] / m[LIBENT][EACH], 0.5);
    bench_row("memory of a fresh world / ideal", n, m[LIBENT][GROWN] * n / 1048576, "MiB",
              m[LIBENT][GROWN] / m[IDEAL][GROWN], n == 10000 ? 1.15 : 0);
}

static void bench_spawn(const Blob* blob) {
    const Source s = source_read(blob);
    static f64   times[CONTENDER_COUNT][RESULT_COUNT][REPETITIONS];
    f64          middle[CONTENDER_COUNT][RESULT_COUNT];
    for (u32 r = 0; r < REPETITIONS; r++) {
        for (int contender = 0; contender < CONTENDER_COUNT; contender++) {
            f64 result[RESULT_COUNT];
            forked(blob, &s, contender, result);
            for (u32 k = 0; k < RESULT_COUNT; k++) {
                times[contender][k][r] = result[k] / (k == LOOKUP ? LOOKUPS : s.entities);
            }
        }
    }
    for (int c = 0; c < CONTENDER_COUNT; c++) {
        for (u32 k = 0; k < RESULT_COUNT; k++)
            middle[c][k] = bench_median_of(times[c][k], REPETITIONS);
    }
    report_all(s.entities, middle);
    free(s.links);
}

/* --- a small level --- */

#define SMALL 1000 /* entities; smaller levels are only spawned into new worlds */

/* ns of creating a world and of the first spawn into it, in a newly forked process. */
static f64 first_spawn(const Blob* blob, bool had_one) {
    int ends[2];
    f64 ns = 0;
    if (pipe(ends) != 0) exit(1);
    const pid_t child = fork();
    if (child == 0) {
        World* w;
        for (u32 r = 0; r <= had_one; r++) {
            const u64 start = clock_ns();
            if (ent_world_create(&w, NULL) != ENT_OK) _exit(1);
            if (ent_world_spawn(w, blob, NULL, NULL) != ENT_OK) _exit(1);
            ns = (f64)(clock_ns() - start);
            ent_world_destroy(w);
        }
        _exit(write(ends[1], &ns, sizeof ns) != sizeof ns);
    }
    int           status = 1;
    const ssize_t got = read(ends[0], &ns, sizeof ns);
    waitpid(child, &status, 0);
    close(ends[0]);
    close(ends[1]);
    if (status != 0 || got != sizeof ns) exit(1);
    return ns / blob->header->element_count;
}

static void bench_small(const Blob* blob) {
    f64 first[101], next[101];
    for (u32 r = 0; r < COUNT_OF(first); r++) {
        first[r] = first_spawn(blob, false);
        next[r] = first_spawn(blob, true);
    }
    const u32 n = blob->header->element_count;
    const f64 a = bench_median_of(first, COUNT_OF(first)),
              b = bench_median_of(next, COUNT_OF(next));
    bench_row("a small level into a new world; first of a process; ns", n, a, "ns/entity", a, 0);
    bench_row("a small level into a new world; ns an entity", n, b, "ns/entity", b, 150);
}

static void bench_open(const FileView* view, const Blob* blob) {
    f64      fields[REPETITIONS], threads[REPETITIONS], complete[REPETITIONS], copy[REPETITIONS];
    u8*      target = pages_alloc(view->size);
    JobPool* pool = ent_job_pool_create(1, NULL);
    for (u32 r = 0; r < REPETITIONS; r++) {
        const BlobOptions fields_only = {.skip_hash = 1}, by_two = {.skip_hash = 1, .pool = pool};
        Blob              opened;
        const u64         a = clock_ns();
        const ent_status  first =
            ent_blob_open(&opened, view->bytes, view->size, &fields_only, NULL);
        const u64        b = clock_ns();
        const ent_status second = ent_blob_open(&opened, view->bytes, view->size, NULL, NULL);
        const u64        c = clock_ns();
        memcpy(target, view->bytes, view->size);
        const u64        d = clock_ns();
        const ent_status third = ent_blob_open(&opened, view->bytes, view->size, &by_two, NULL);
        const u64        e = clock_ns();
        if (first != ENT_OK || second != ENT_OK || third != ENT_OK) exit(1);
        threads[r] = (f64)view->size / (f64)(e - d);
        fields[r] = (f64)view->size / (f64)(b - a);
        complete[r] = (f64)view->size / (f64)(c - b);
        copy[r] = (f64)view->size / (f64)(d - c);
    }
    const u32 n = blob->header->element_count;
    const f64 f = bench_median_of(fields, REPETITIONS), w = bench_median_of(complete, REPETITIONS),
              m = bench_median_of(copy, REPETITIONS), t = bench_median_of(threads, REPETITIONS);
    bench_row("open and verify / copy", n, f, "GB/s", f / m, n >= 1000000 ? -0.9 : 0);
    bench_row("open and verify with two threads / copy", n, t, "GB/s", t / m,
              n >= 1000000 ? -1 : 0);
    bench_row("open and verify with hash / copy", n, w, "GB/s", w / m, 0);
    bench_row("copy", n, m, "GB/s", 1, 0);
    pages_free(target, view->size);
    ent_job_pool_destroy(pool);
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
        if (blob.header->element_count < SMALL) {
            bench_small(&blob);
        } else {
            bench_open(&view, &blob);
            bench_spawn(&blob);
        }
        fflush(stdout);
        file_unmap(&view);
    }
    return 0;
}
