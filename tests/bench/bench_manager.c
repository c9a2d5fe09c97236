/* bench_manager.c - the cost of finding a row by array and by hash, and of removing rows of
 * destroyed entities.
 *
 *     bench_manager
 *
 * Two types of one record, the first found by an array of 4 bytes per entity slot, the second by a
 * hash map; and a third whose rows of destroyed entities are removed later. Every second entity has
 * them. */
#define _GNU_SOURCE
#include "bench_rows.h"
#include "ent.h"
#include "clock.h"
#include "file.h"

#define LOOKUPS 1000000u

typedef struct Mark {
    Vec3 at;
    u32  kind;
} Mark;

static const Field mark_fields[] = {{.name = "at",
                                     .kind = FIELD_Vec3,
                                     .offset = offsetof(Mark, at),
                                     .bytes = 12,
                                     .lo = -1e9,
                                     .hi = 1e9,
                                     .unit = "m",
                                     .text = ""},
                                    {.name = "kind",
                                     .kind = FIELD_u32,
                                     .offset = offsetof(Mark, kind),
                                     .bytes = 4,
                                     .hi = 4294967295.0,
                                     .unit = "",
                                     .text = ""}};

static Manager* type_add(World* w, const char* name, ComponentLookup lookup, int lazy) {
    const ManagerDesc desc = {
        .type = {.record = {name, mark_fields, COUNT_OF(mark_fields), sizeof(Mark)},
                 .order = 2000,
                 .lookup = lookup},
        .lazy = lazy};
    if (ent_world_register(w, &desc) != ENT_OK) exit(1);
    return ent_world_manager_by_name(w, name);
}

static f64 rows_create(World* w, Manager* m, const Entity* entity, u32 count) {
    const u64 start = clock_ns();
    for (u32 i = 0; i < count; i += 2) {
        u32 row;
        if (ent_manager_create(w, m, entity[i], &row) != ENT_OK) exit(1);
        ((Mark*)m->column[0])[row].kind = i;
    }
    return (f64)(clock_ns() - start) / (count / 2);
}

static u64 rows_find(World* w, const Manager* m, const Entity* entities) {
    const EntityPool* pool = ent_world_entities(w);
    u64               sum = 0;
    for (u32 i = 0; i < LOOKUPS; i++) {
        const u32 row = ent_manager_row(m, pool, entities[i]);
        if (row != MANAGER_NO_ROW) sum += ((const Mark*)m->column[0])[row].kind;
    }
    return sum;
}

/* Rows of a built-in type as a host walks them, fetched anew for each pass, against an array. */
static f32 rows_walk(World* w) {
    const LightRows lights = ent_light_rows(w);
    f32             sum = 0;
    for (u32 i = 0; i < lights.count; i++) sum += lights.record[i].intensity;
    return sum;
}

static f32 array_walk(const LightRecord* light, u32 count) {
    f32 sum = 0;
    for (u32 i = 0; i < count; i++) sum += light[i].intensity;
    return sum;
}

static void bench_walk(World* w, const Entity* entity, u32 n) {
    Manager*     m = ent_world_manager_by_name(w, "light");
    LightRecord* copy = malloc(sizeof *copy * n);
    BenchTimes   by_rows = {0}, by_hand = {0};
    f32          a = 0, b = 0;
    for (u32 i = 0; i < n; i++) {
        u32 row;
        if (ent_manager_create(w, m, entity[i], &row) != ENT_OK) exit(1);
    }
    memcpy(copy, m->column[0], sizeof *copy * n);
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(by_hand, b = array_walk(copy, n));
        BENCH_TIMED(by_rows, a = rows_walk(w));
    }
    if (a != b) exit(1);
    const f64 rows_ns = bench_median(&by_rows) / n, hand_ns = bench_median(&by_hand) / n;
    bench_row("ideal; read a field of all rows", n, hand_ns, "ns", 1, 0);
    bench_row("read a field of all rows / ideal", n, rows_ns, "ns", rows_ns / hand_ns, 1.1);
    free(copy);
}

static void bench_lookup(World* w, const Manager* direct, const Manager* hashed,
                         const Entity* entity, u32 n) {
    Entity*    entities = malloc(sizeof *entities * LOOKUPS);
    BenchTimes by_array = {0}, by_hash = {0};
    u64        a = 0, b = 0;
    u64        state = 99; /* not a sequence that a predictor of branches learns */
    for (u32 i = 0; i < LOOKUPS; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        entities[i] = entity[(state >> 32) * n >> 32];
    }
    for (u32 r = 0; r < BENCH_RUNS; r++) {
        BENCH_TIMED(by_array, a = rows_find(w, direct, entities));
        BENCH_TIMED(by_hash, b = rows_find(w, hashed, entities));
    }
    if (a != b) exit(1);
    const f64 array_ns = bench_median(&by_array) / LOOKUPS,
              hash_ns = bench_median(&by_hash) / LOOKUPS;
    bench_row("find a row by array; half are there", n, array_ns, "ns", 1, 0);
    bench_row("find a row by hash / by array", n, hash_ns, "ns", hash_ns / array_ns, 2);
    free(entities);
}

static void bench_gc(World* w, const Manager* lazy, Entity* entity, u32 n) {
    BenchTimes idle = {0};
    for (u32 r = 0; r < BENCH_RUNS; r++) BENCH_TIMED(idle, ent_world_gc(w));
    bench_row("gc with nothing dead", n, bench_median(&idle), "ns", 1, 0);
    const u32 dead = n / 2;
    if (ent_entity_destroy(w, entity, dead) != dead) exit(1);
    u32       calls = 0;
    const u64 start = clock_ns();
    for (const u32 min = lazy->count - dead / 2; lazy->count > min; calls++) ent_world_gc(w);
    const f64 ns = (f64)(clock_ns() - start);
    bench_row("gc of dead rows; ns a row", n, ns / (dead / 2), "ns/row", ns / (dead / 2), 60);
    bench_row("gc of dead rows; calls", n, calls, "calls", 1, 0);
}

static void bench_size(u32 n) {
    World*    w;
    WorldDesc desc = {.entity_count = n};
    Entity*   entity = malloc(sizeof *entity * n);
    if (ent_world_create(&w, &desc) != ENT_OK) exit(1);
    type_add(w, "by_array", DIRECT, 0);
    type_add(w, "by_hash", HASHED, 0);
    type_add(w, "by_and_by", HASHED, 1);
    Manager* direct = ent_world_manager_by_name(w, "by_array");
    Manager* hashed = ent_world_manager_by_name(w, "by_hash");
    Manager* lazy = ent_world_manager_by_name(w, "by_and_by");
    if (ent_entity_create(w, entity, n) != ENT_OK) exit(1);
    const f64 array_ns = rows_create(w, direct, entity, n);
    const f64 hash_ns = rows_create(w, hashed, entity, n);
    rows_create(w, lazy, entity, n);
    bench_row("create an instance; by array", n, array_ns, "ns", 1, 0);
    bench_row("create an instance; by hash / by array", n, hash_ns, "ns", hash_ns / array_ns, 1.6);
    bench_lookup(w, direct, hashed, entity, n);
    bench_walk(w, entity, n);
    bench_gc(w, lazy, entity, n);
    ent_world_destroy(w);
    free(entity);
}

int main(void) {
    bench_size(10000);
    bench_size(100000);
    bench_size(1000000);
    return 0;
}
