/* test_transforms.c - poses, matrices and hierarchy, updated at once: kernels give the same bits,
 * moved rows are sorted, and attaching keeps world positions. */
#include "test_mirror.h"

#include <math.h>
#include <stdlib.h>

#include "jobs.h"
#include "transform_internal.h"
#include "rows.h"

/* --- worlds that contain only transforms --- */

static World* world_of(const Scene* s, JobPool* jobs) {
    const WorldDesc desc = {.jobs = jobs};
    World*          world = world_new(&desc);
    assert_int_equal(ent_world_spawn(world, &s->blob, NULL, NULL), ENT_OK);
    return world;
}

static bool in_order(World* w) {
    const TransformLinks* link = ent_transform_links(w);
    const u32             count = ent_transform_rows(w).count;
    for (u32 row = 0; row < count; row++) {
        if (link[row].parent != MANAGER_NO_ROW && link[row].parent >= row) return false;
    }
    return true;
}

/* --- many at once --- */

static void poses_set_together_equal_poses_set_one_by_one(void** state) {
    Random           random = {test_seed("many poses", 1)};
    const SceneShape shape = {.entity_count = 500, .reach = 9, .roots = 30, .transform = 90};
    Scene            s;
    UNUSED(state);
    scene_open(&s, &random, transform_type(), 1, shape);
    World *   one = world_of(&s, NULL), *many = world_of(&s, NULL), *touched = world_of(&s, NULL);
    const u32 rows = ent_transform_rows(one).count;
    for (u32 round = 0; round < 300; round++) {
        const u32        count = random_below(&random, round % 3 ? 20 : 2 * rows);
        u32*             row = calloc(count + 1, sizeof *row);
        TransformRecord* pose = calloc(count + 1, sizeof *pose);
        if (round % 5 == 0 && rows > 1) { /* the same exchange in all: rows are not always sorted */
            const u32 a = random_below(&random, rows), b = random_below(&random, rows);
            ent_manager_swap(one, world_transforms(one), a, b);
            ent_manager_swap(many, world_transforms(many), a, b);
            ent_manager_swap(touched, world_transforms(touched), a, b);
        }
        for (u32 i = 0; i < count; i++) {
            row[i] = random_below(&random, rows);
            pose[i] = tame_pose(&random);
            ent_transform_set_local(one, row[i], &pose[i]);
            pose_write(touched, row[i], &pose[i]);
        }
        ent_transform_set_locals(many, row, pose, count);
        ent_transform_touch(touched, row, count);
        assert_true(world_digest(one) == world_digest(many));
        assert_true(world_digest(one) == world_digest(touched));
        free(row);
        free(pose);
    }
    assert_matrices_fit(one);
    ent_world_destroy(one);
    ent_world_destroy(many);
    ent_world_destroy(touched);
    scene_close(&s);
}

/* After writes anywhere, and after exchanges that put children before their parents. */
static void update_of_all_rows_puts_parents_before_children(void** state) {
    Random           random = {test_seed("updating all", 2)};
    const SceneShape shape = {.entity_count = 300, .reach = 5, .roots = 20, .transform = 100};
    UNUSED(state);
    for (u32 round = 0; round < 24; round++) {
        JobPool* jobs = round % 3 == 2 ? ent_job_pool_create(2, NULL) : NULL;
        Scene    s;
        Mirror   mirror;
        Entity   entities[300];
        scene_open(&s, &random, transform_type(), 1, shape);
        const WorldDesc desc = {.jobs = jobs};
        World*          w = world_new(&desc);
        mirror_open(&mirror, w, transform_type(), 1);
        assert_int_equal(ent_world_spawn(w, &s.blob, NULL, entities), ENT_OK);
        mirror_spawn(&mirror, &s, entities);
        if (round & 1) ent_transform_defer(w, 1);
        for (u32 i = 0; i < 200; i++) {
            const u32 a = random_below(&random, 300), b = random_below(&random, 300);
            if (world_transforms(w)->tail == 0 || round % 2 == 0)
                ent_manager_swap(w, world_transforms(w), a, b);
        }
        for (u32 i = 0; i < 300; i++) {
            *mirror_pose(&mirror, mirror.at[i]) = tame_pose(&random);
            pose_write(w, ent_transform_row(w, mirror.at[i]->id),
                       mirror_pose(&mirror, mirror.at[i]));
        }
        ent_transform_update_all(w);
        assert_true(in_order(w));
        mirror_check(&mirror);
        assert_matrices_fit(w);
        mirror_close(&mirror);
        ent_world_destroy(w);
        scene_close(&s);
        if (jobs) ent_job_pool_destroy(jobs);
    }
}

/* --- kernels --- */

#define KERNEL_ROWS 96

typedef struct KernelRows {
    u8*            memory;
    Rows           rows;
    Mat34          written[KERNEL_ROWS];
    TransformLinks links[KERNEL_ROWS];
} KernelRows;

/* Arrays that end where their memory ends, with this offset in bytes from any alignment. */
static void* array_off(u8** at, size_t bytes, u32 off) {
    u8* here = *at + off;
    *at = here + bytes;
    return here;
}

static void kernel_rows_open(KernelRows* k, Random* r, u32 off) {
    const size_t each = sizeof(TransformRecord) + sizeof(Mat34);
    u8*          at = k->memory = calloc(1, KERNEL_ROWS * each + sizeof(Mat34) + 4 * (size_t)off);
    k->rows = (Rows){.spare = KERNEL_ROWS, .links = k->links};
    k->rows.position = array_off(&at, KERNEL_ROWS * sizeof(Vec3), off);
    k->rows.rotation = array_off(&at, KERNEL_ROWS * sizeof(Quat), off);
    k->rows.scale = array_off(&at, KERNEL_ROWS * sizeof(Vec3), off);
    k->rows.world = array_off(&at, (KERNEL_ROWS + 1) * sizeof(Mat34), off);
    k->rows.world[KERNEL_ROWS] = (Mat34){{{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 1, 0}}};
    for (u32 i = 0; i < KERNEL_ROWS; i++) {
        const TransformRecord pose = tame_pose(r);
        k->rows.position[i] = pose.position;
        k->rows.rotation[i] = pose.rotation;
        k->rows.scale[i] = pose.scale;
    }
}

/* Rows [first, first + count) by a kernel; the matrices around them are unchanged. */
static void kernel_make(KernelRows* k, PassKernel kernel, u32 first, u32 count, const u32* parent) {
    Mat34 before[KERNEL_ROWS];
    u32   above[KERNEL_ROWS];
    for (u32 i = 0; i < count; i++) above[i] = MIN_OF(parent[i], KERNEL_ROWS) * sizeof(Mat34);
    for (u32 i = 0; i < KERNEL_ROWS * 12; i++) ((f32*)before)[i] = (f32)i / 16;
    memcpy(k->rows.world, before, sizeof before);
    kernel(&k->rows, first, count, above);
    memcpy(k->written, k->rows.world, sizeof k->written);
    assert_memory_equal(k->written, before, sizeof(Mat34) * first);
    assert_memory_equal(k->written + first + count, before + first + count,
                        sizeof(Mat34) * (KERNEL_ROWS - first - count));
}

static void compose_rows(const Rows* rows, u32 first, u32 count, const u32* above) {
    TransformLinks links[KERNEL_ROWS];
    Rows           linked = *rows;
    linked.links = links;
    for (u32 i = 0; i < count; i++) {
        const u32 parent = above[i] / (u32)sizeof(Mat34);
        links[first + i].parent = parent < KERNEL_ROWS ? parent : NONE;
        transform_compose(&linked, first + i);
    }
}

static void list_portable(const Rows* rows, u32 first, u32 count, const u32* above) {
    u32 list[KERNEL_ROWS];
    for (u32 i = 0; i < count; i++) list[i] = first + i;
    rows_kernel_portable(rows, list, count, above);
}

static void list_wide(const Rows* rows, u32 first, u32 count, const u32* above) {
    u32 list[KERNEL_ROWS];
    for (u32 i = 0; i < count; i++) list[i] = first + i;
    rows_kernel()(rows, list, count, above);
}

static void kernels_of_each_width_give_equal_bits(void** state) {
    Random     random = {test_seed("kernels", 3)};
    KernelRows k;
    u32        parent[KERNEL_ROWS];
    bool       wide = false;
    UNUSED(state);
#if defined(__x86_64__)
    wide = __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
#endif
    for (u32 off = 0; off <= 60; off += 4) {
        kernel_rows_open(&k, &random, off);
        for (u32 count = 0; count <= 70; count++) {
            const u32 first = off == 60 ? KERNEL_ROWS - count : random_below(&random, 26);
            const u32 roots = random_below(&random, 3);
            for (u32 i = 0; i < count; i++) {
                const bool root =
                    roots == 2 || first + i == 0 || (roots && random_below(&random, 2));
                parent[i] = root ? NONE : random_below(&random, first + i);
                if (roots == 0 && first + i) parent[i] = first + i - 1; /* one chain */
            }
            kernel_make(&k, compose_rows, first, count, parent);
            KernelRows other = k;
            kernel_make(&other, pass_kernel_portable, first, count, parent);
            assert_memory_equal(k.written, other.written, sizeof k.written);
            kernel_make(&other, list_portable, first, count, parent);
            assert_memory_equal(k.written, other.written, sizeof k.written);
            kernel_make(&other, list_wide, first, count, parent);
            assert_memory_equal(k.written, other.written, sizeof k.written);
#if defined(__x86_64__)
            if (wide) kernel_make(&other, pass_kernel_avx512, first, count, parent);
            assert_memory_equal(k.written, other.written, sizeof k.written);
            if (wide) kernel_make(&other, pass_kernel_avx512_ahead, first, count, parent);
            assert_memory_equal(k.written, other.written, sizeof k.written);
#endif
        }
        free(k.memory);
    }
    print_message("kernels: portable%s\n", wide ? " and avx512" : "; this processor has no avx512");
}

/* What a kernel finds of the parents is what the rows state. */
static void parents_expect(AboveKernel kernel, const Rows* rows, u32 first, u32 count) {
    u32  above[KERNEL_ROWS + 1], lowest = 7, min = NONE;
    bool ordered = true;
    above[count] = 12345;
    const bool found = kernel(rows, first, count, above, &lowest);
    for (u32 i = 0; i < count; i++) {
        const u32 parent = rows->links[first + i].parent;
        ordered = ordered && (parent == NONE || parent < first + i);
        min = MIN_OF(min, parent);
        assert_int_equal(above[i], MIN_OF(parent, rows->spare) * sizeof(Mat34));
    }
    assert_int_equal(above[count], 12345);
    assert_int_equal(lowest, min);
    assert_int_equal(found, ordered);
}

static void parents_of_rows_are_found_at_each_width(void** state) {
    Random         random = {test_seed("parents", 3)};
    TransformLinks links[KERNEL_ROWS];
    const Rows     rows = {.spare = KERNEL_ROWS, .links = links};
    UNUSED(state);
    for (u32 i = 0; i < 4000; i++) {
        const u32 count = i % 71, first = random_below(&random, KERNEL_ROWS - count + 1);
        memset(links, 0xa5, sizeof links); /* what is behind no row's parent is not read */
        for (u32 k = first; k < first + count; k++) {
            const u32 below = i % 8 ? k : KERNEL_ROWS;
            links[k].parent =
                k == 0 || random_below(&random, 2) ? NONE : random_below(&random, below);
        }
        if (count && i % 5 == 0) links[first + random_below(&random, count)].parent = first + count;
        parents_expect(above_kernel_portable, &rows, first, count);
        parents_expect(above_kernel(), &rows, first, count);
    }
}

/* --- attaching --- */

typedef struct Family {
    CountingAllocator counting;
    World*            world;
    Entity            entity[60];
} Family;

/* Entities with a transform each, in sequence, without parents. */
static void family_open(Family* h, Random* r, bool uneven) {
    *h = (Family){0};
    const WorldDesc desc = {.allocator = counting_allocator(&h->counting)};
    u32             row;
    h->world = world_new(&desc);
    assert_int_equal(ent_entity_create(h->world, h->entity, COUNT_OF(h->entity)), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(h->entity); i++) {
        TransformRecord pose = tame_pose(r);
        if (!uneven) pose.scale.y = pose.scale.z = pose.scale.x;
        assert_int_equal(
            ent_manager_create(h->world, world_transforms(h->world), h->entity[i], &row), ENT_OK);
        ent_transform_set_local(h->world, row, &pose);
    }
}

static void family_close(Family* h) {
    ent_world_destroy(h->world);
    assert_int_equal(h->counting.live_bytes, 0);
}

static f64 matrix_distance(const Mat34* a, const Mat34* b, u32 first_column) {
    f64 max = 0;
    for (u32 r = 0; r < 3; r++) {
        for (u32 c = first_column; c < 4; c++) {
            max = MAX_OF(max, fabs((f64)a->m[r][c] - b->m[r][c]));
        }
    }
    return max;
}

/* Attached and detached entities keep their matrices up to rounding, with all their descendants;
 * and sorted rows stay sorted. With uneven scales positions are kept and the rest is
 * approximated. */
static void entity_attached_or_detached_keeps_its_world_pose(void** state) {
    Random random = {test_seed("attaching", 5)};
    f64    worst = 0, worst_place = 0;
    UNUSED(state);
    for (u32 round = 0; round < 20; round++) {
        const bool uneven = round % 2;
        Family     h;
        family_open(&h, &random, uneven);
        for (u32 step = 0; step < 300; step++) {
            const Entity child = h.entity[random_below(&random, 60)];
            const Entity parent = h.entity[random_below(&random, 60)];
            const Mat34  before = *ent_transform_world(h.world, child);
            ent_status   status = random_below(&random, 4)
                                      ? ent_transform_attach(h.world, child, parent, 0)
                                      : ent_transform_detach(h.world, child);
            if (status == ENT_CYCLE) continue;
            assert_int_equal(status, ENT_OK);
            const Mat34* after = ent_transform_world(h.world, child);
            const f64    place = matrix_distance(&before, after, 3);
            const f64    all = matrix_distance(&before, after, 0);
            worst_place = MAX_OF(worst_place, place);
            if (!uneven) worst = MAX_OF(worst, all);
            assert_true(place < 1e-4 && all < (uneven ? 0.5 : 1e-4));
            const TransformRecord pose =
                ent_transform_local(h.world, ent_transform_row(h.world, child));
            const Quat q = pose.rotation;
            assert_true(fabsf(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w - 1) < 1e-5f);
            assert_true(in_order(h.world));
        }
        assert_matrices_fit(h.world);
        family_close(&h);
    }
    print_message("attaching moves by at most %g, evenly scaled %g\n", worst_place, worst);
}

/* A mirrored parent, and one of scale zero: there a pose cannot be kept, but all values stay
 * valid. */
static void attach_to_parent_that_cannot_be_inverted_keeps_local_pose(void** state) {
    Random                random = {test_seed("strange parents", 6)};
    const TransformRecord mirrored = {{1, 2, 3}, {0, 0.6f, 0, 0.8f}, {-2, 2, 2}};
    const TransformRecord nothing = {{1, 2, 3}, {0, 0, 0, 1}, {0, 0, 0}};
    Family                h;
    UNUSED(state);
    family_open(&h, &random, false);
    const u32             row = ent_transform_row(h.world, h.entity[9]);
    const TransformRecord local = ent_transform_local(h.world, row);
    const Mat34           before = *ent_transform_world(h.world, h.entity[9]);
    ent_transform_set_local(h.world, ent_transform_row(h.world, h.entity[3]), &mirrored);
    ent_transform_set_local(h.world, ent_transform_row(h.world, h.entity[4]), &nothing);
    assert_int_equal(ent_transform_attach(h.world, h.entity[9], h.entity[3], 0), ENT_OK);
    assert_true(matrix_distance(&before, ent_transform_world(h.world, h.entity[9]), 0) < 1e-5);
    assert_int_equal(ent_transform_detach(h.world, h.entity[9]), ENT_OK);
    assert_true(matrix_distance(&before, ent_transform_world(h.world, h.entity[9]), 0) < 1e-5);
    ent_transform_set_local(h.world, ent_transform_row(h.world, h.entity[9]), &local);
    assert_int_equal(ent_transform_attach(h.world, h.entity[9], h.entity[4], 0), ENT_OK);
    const TransformRecord now =
        ent_transform_local(h.world, ent_transform_row(h.world, h.entity[9]));
    assert_memory_equal(&now, &local, sizeof now); /* the local pose is kept instead */
    family_close(&h);
}

static void reparent_to_invalid_or_own_descendant_is_refused(void** state) {
    Random random = {7};
    Family h;
    Entity bare, dead;
    UNUSED(state);
    family_open(&h, &random, false);
    World* w = h.world;
    assert_int_equal(ent_entity_create(w, &bare, 1), ENT_OK);
    assert_int_equal(ent_entity_create(w, &dead, 1), ENT_OK);
    assert_int_equal(ent_entity_destroy(w, &dead, 1), 1);
    for (u32 i = 0; i + 1 < 10; i++) {
        assert_int_equal(ent_transform_reparent(w, h.entity[i + 1], h.entity[i]), ENT_OK);
    }
    const u64 before = world_digest(w);
    for (u32 deferred = 0; deferred < 2; deferred++) {
        for (u32 i = 0; i < 10; i++) { /* under itself, and under each of its descendants */
            assert_int_equal(ent_transform_attach(w, h.entity[0], h.entity[i], 0), ENT_CYCLE);
            assert_int_equal(ent_transform_reparent(w, h.entity[0], h.entity[i]), ENT_CYCLE);
        }
        assert_int_equal(ent_transform_attach(w, dead, h.entity[0], 0), ENT_STALE);
        assert_int_equal(ent_transform_attach(w, h.entity[0], dead, 0), ENT_STALE);
        assert_int_equal(ent_transform_attach(w, h.entity[0], ENTITY_NULL, 0), ENT_STALE);
        assert_int_equal(ent_transform_reparent(w, dead, ENTITY_NULL), ENT_STALE);
        assert_int_equal(ent_transform_reparent(w, h.entity[0], dead), ENT_STALE);
        assert_int_equal(ent_transform_detach(w, dead), ENT_STALE);
        assert_int_equal(ent_transform_detach(w, ENTITY_NULL), ENT_STALE);
        assert_int_equal(ent_transform_attach(w, bare, h.entity[0], 0), ENT_NO_TRANSFORM);
        assert_int_equal(ent_transform_attach(w, h.entity[0], bare, 0), ENT_NO_TRANSFORM);
        assert_int_equal(ent_transform_reparent(w, bare, ENTITY_NULL), ENT_NO_TRANSFORM);
        assert_int_equal(ent_transform_detach(w, bare), ENT_NO_TRANSFORM);
        assert_int_equal(ent_transform_detach(w, h.entity[0]), ENT_OK); /* without a parent */
        assert_true(before == world_digest(w));
        ent_transform_defer(w, 1);
    }
    family_close(&h);
}

static ent_status attach_only(World* w, Entity child, Entity parent) {
    return ent_transform_attach(w, child, parent, 0);
}

/* A parent that gets a transform for its first child: at the origin, so that the child stays where it is. */
static void attach_creates_transform_of_parent_when_asked(void** state) {
    Random random = {9};
    Family h;
    Entity bare, child, other;
    UNUSED(state);
    family_open(&h, &random, true);
    World*         w = h.world;
    const Manager* m = world_transforms(w);
    child = h.entity[7];
    assert_int_equal(ent_entity_create(w, &bare, 1), ENT_OK);
    assert_int_equal(ent_entity_create(w, &other, 1), ENT_OK);
    const Mat34 before = *ent_transform_world(w, child);
    const u32   count = m->count;
    assert_int_equal(ent_transform_attach(w, child, bare, 0), ENT_NO_TRANSFORM);
    assert_int_equal(ent_transform_attach(w, other, bare, ATTACH_CREATE), ENT_NO_TRANSFORM);
    assert_int_equal(ent_transform_row(w, bare), MANAGER_NO_ROW);
    const u64 digest = world_digest(w);
    for (u32 fail = 1; fail < 4; fail++) {
        h.counting.fail_at = h.counting.allocations + fail;
        h.counting.fail_after = true;
        const ent_status status = ent_transform_attach(w, child, bare, ATTACH_CREATE);
        h.counting.fail_at = 0;
        h.counting.fail_after = false;
        if (status == ENT_OK) break;
        assert_int_equal(status, ENT_NO_MEMORY);
        assert_true(digest == world_digest(w));
    }
    if (ent_transform_parent(w, child) != bare)
        assert_int_equal(ent_transform_attach(w, child, bare, ATTACH_CREATE), ENT_OK);
    assert_int_equal(m->count, count + 1);
    assert_int_equal(ent_transform_parent(w, child), bare);
    assert_true(in_order(w));
    const Mat34* after = ent_transform_world(w, child);
    for (u32 i = 0; i < 12; i++)
        assert_float_equal(((const f32*)after)[i], ((const f32*)&before)[i], 1e-4f);
    assert_int_equal(ent_transform_attach(w, bare, child, ATTACH_CREATE), ENT_CYCLE);
    family_close(&h);
}

static void reparent_with_failing_allocation_changes_nothing(void** state) {
    Random random = {8};
    Family h;
    UNUSED(state);
    for (u32 keep = 0; keep < 2; keep++) {
        family_open(&h, &random, true);
        const u64 before = world_digest(h.world);
        h.counting.fail_at = h.counting.allocations + 1;
        h.counting.fail_after = true;
        ent_status (*call)(World*, Entity, Entity) = keep ? attach_only : ent_transform_reparent;
        /* A parent after it: rows would have to be exchanged. */
        assert_int_equal(call(h.world, h.entity[3], h.entity[50]), ENT_NO_MEMORY);
        assert_true(before == world_digest(h.world));
        assert_int_equal(call(h.world, h.entity[50], h.entity[3]), ENT_OK);
        assert_int_equal(ent_transform_detach(h.world, h.entity[50]), ENT_OK);
        h.counting.fail_after = false;
        h.counting.fail_at = 0;
        assert_int_equal(call(h.world, h.entity[3], h.entity[50]), ENT_OK);
        assert_true(in_order(h.world));
        family_close(&h);
    }
}

TEST_SUITE(transforms) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(poses_set_together_equal_poses_set_one_by_one),
        cmocka_unit_test(attach_creates_transform_of_parent_when_asked),
        cmocka_unit_test(update_of_all_rows_puts_parents_before_children),
        cmocka_unit_test(kernels_of_each_width_give_equal_bits),
        cmocka_unit_test(parents_of_rows_are_found_at_each_width),
        cmocka_unit_test(entity_attached_or_detached_keeps_its_world_pose),
        cmocka_unit_test(attach_to_parent_that_cannot_be_inverted_keeps_local_pose),
        cmocka_unit_test(reparent_to_invalid_or_own_descendant_is_refused),
        cmocka_unit_test(reparent_with_failing_allocation_changes_nothing),
    };
    return TEST_RUN("transforms", tests);
}
