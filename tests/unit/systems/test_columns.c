/* test_columns.c - copies of columns on the device: equal to the world after random operations, and
 * uploads of no more than what changed. */
#include <stdlib.h>

#include "gpu_columns.h"
#include "rows.h"
#include "test_gpu_support.h"
#include "test_simulate.h"
#include "transform_internal.h"

static struct {
    World*     world;
    GpuColumns of[WORLD_MANAGERS_MAX];
    u32        count;
} copies[2];

static void copies_open(u32 which, World* world) {
    copies[which].world = world;
    copies[which].count = world->manager_count;
    for (u32 i = 0; i < world->manager_count; i++)
        assert_int_equal(gpu_columns_create(&copies[which].of[i], gpu_for_test(), world,
                                            world->manager[i].desc.type.id, GPU_COLUMNS_ALL),
                         ENT_OK);
}

static void buffer_check(const GpuBuffer* buffer, const void* wanted, u64 bytes, const char* what) {
    u8* back = malloc(bytes);
    assert_int_equal(gpu_download(gpu_for_test(), buffer, 0, back, bytes), ENT_OK);
    if (memcmp(back, wanted, bytes) != 0) fail_msg("the copy of %s differs", what);
    free(back);
}

/* Extra columns of hosts are written without a report; poses of deferred changes are reported with
 * their matrices. */
static void columns_check(const GpuColumns* c, const Manager* m, bool clean) {
    const u32  record_columns = ent_component_column_count(&m->desc.type);
    const bool poses = m->hooks == &transform_hooks;
    assert_int_equal(c->count, m->count);
    if (m->count == 0) return;
    buffer_check(&c->entity, m->entity, m->count * sizeof(Entity), "owners");
    for (u32 k = 0; k < (poses ? record_columns + 1 : record_columns) && (clean || !poses); k++)
        buffer_check(&c->column[k], m->column[k], (u64)m->count * c->element_bytes[k],
                     m->desc.type.record.name);
}

static void columns_update(GpuColumns* columns, u32 count) {
    GpuFrames* frames;
    GpuFrame*  frame;
    assert_int_equal(gpu_alone_begin(gpu_for_test(), &frames, &frame), ENT_OK);
    for (u32 i = 0; i < count; i++)
        assert_int_equal(gpu_columns_update(&columns[i], frame), ENT_OK);
    assert_int_equal(gpu_alone_end(frames, frame, ENT_OK), ENT_OK);
}

static void copies_check(u32 which, bool clean) {
    columns_update(copies[which].of, copies[which].count);
    for (u32 i = 0; i < copies[which].count; i++) {
        const GpuColumns* c = &copies[which].of[i];
        columns_check(c, ent_world_manager(copies[which].world, c->type), clean);
    }
}

static void copies_close(u32 which) {
    for (u32 i = 0; i < copies[which].count; i++) gpu_columns_destroy(&copies[which].of[i]);
}

static void columns_on_the_device_equal_world_after_10000_operations(void** state) {
    const SimWatcher watcher = {copies_open, copies_check, copies_close};
    const u32        check_steps = SANITIZED ? 250 : 50;
    UNUSED(state);
    for (u64 seed = 200; seed < 204; seed++) sim_play(seed, 2500, check_steps, &watcher);
    test_gpu_silent();
}

/* --- how much is uploaded --- */

enum { ROWS = 100000 };

static World* world_of_roots(void) {
    World*  world = world_new(&(WorldDesc){0});
    Entity* entities = malloc(ROWS * sizeof *entities);
    u32     row;
    assert_int_equal(ent_entity_create(world, entities, ROWS), ENT_OK);
    for (u32 i = 0; i < ROWS; i++)
        assert_int_equal(ent_manager_create(world, world_transforms(world), entities[i], &row),
                         ENT_OK);
    free(entities);
    return world;
}

static void rows_move(World* world, u32 step, f32 x) {
    for (u32 row = step / 2; row < ROWS; row += step) {
        TransformRecord pose = ent_transform_local(world, row);
        pose.position.x = x;
        ent_transform_set_local(world, row, &pose);
    }
}

static void moving_one_percent_uploads_at_most_two_percent(void** state) {
    UNUSED(state);
    World*     world = world_of_roots();
    GpuColumns columns;
    assert_int_equal(gpu_columns_create(&columns, gpu_for_test(), world,
                                        world_transforms(world)->desc.type.id, GPU_COLUMNS_ALL),
                     ENT_OK);
    columns_update(&columns, 1);
    const u64 complete = columns.uploaded_bytes;
    columns_update(&columns, 1);
    assert_int_equal(columns.uploaded_bytes, 0);
    rows_move(world, 100, 7);
    columns_update(&columns, 1);
    assert_int_equal(columns.changed_count, ROWS / 100);
    assert_true(columns.uploaded_bytes > 0 && columns.uploaded_bytes * 50 <= complete);
    assert_false(columns.moved);
    columns_check(&columns, world_transforms(world), true);
    rows_move(world, 2, 9); /* then all rows are uploaded */
    columns_update(&columns, 1);
    assert_int_equal(columns.uploaded_bytes, complete);
    columns_check(&columns, world_transforms(world), true);
    gpu_columns_destroy(&columns);
    ent_world_destroy(world);
    test_gpu_silent();
}

static ent_status columns_record(void* columns, GpuFrame* frame) {
    return gpu_columns_update(columns, frame);
}

static void failing_driver_calls_leave_columns_destroyable(void** state) {
    UNUSED(state);
    World*    world = world_new(&(WorldDesc){0});
    const u32 type = world_transforms(world)->desc.type.id;
    for (u32 call = 1; call < 200; call++) {
        Gpu*             gpu = NULL;
        GpuColumns       columns;
        const ent_status opened = test_gpu_open(&gpu, call, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        if (opened != ENT_OK) continue;
        ent_status status = gpu_columns_create(&columns, gpu, world, type, GPU_COLUMNS_ALL);
        if (status == ENT_OK) status = test_gpu_frame(gpu, columns_record, &columns);
        gpu_columns_destroy(&columns);
        ent_gpu_destroy(gpu);
        assert_null(world_transforms(world)->watch);
        if (status == ENT_OK) {
            ent_world_destroy(world);
            return;
        }
        assert_int_equal(status, ENT_NO_MEMORY);
    }
    fail_msg("more than 200 calls");
}

TEST_SUITE(columns) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_on_the_device_equal_world_after_10000_operations),
        cmocka_unit_test(moving_one_percent_uploads_at_most_two_percent),
        cmocka_unit_test(failing_driver_calls_leave_columns_destroyable)};
    return gpu_suite_end(TEST_RUN("columns", tests));
}
