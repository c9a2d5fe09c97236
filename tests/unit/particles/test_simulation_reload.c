/* test_simulation_reload.c - a fluid or a particle system whose component changes begins anew; the others go on as in a
 * world without the change. */
#include <stdlib.h>

#include "gpu_picture.h"
#include "particles_list_internal.h"
#include "sph_fluids_internal.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

enum { FLUIDS = 3, SYSTEMS = 2 };

/* Fluids 0 and 1 meet; 2 has another step. */
typedef struct Sea {
    World*     world;
    GpuFrames* frames;
    void*      state[2]; /* of fluids, and of particle systems */
    GpuPart    part[2];
    Entity     fluid[FLUIDS], system[SYSTEMS];
} Sea;

static FluidRecord* fluid_record(const Sea* s, u32 i) {
    const Manager* m = ent_world_built_in(s->world, COMPONENT_FLUID);
    const u32      row = ent_manager_row(m, ent_world_entities(s->world), s->fluid[i]);
    return &ent_fluid_rows(s->world).record[row];
}

static ParticleSystemRecord* system_record(const Sea* s, u32 i) {
    const Manager* m = ent_world_built_in(s->world, COMPONENT_PARTICLE_SYSTEM);
    const u32      row = ent_manager_row(m, ent_world_entities(s->world), s->system[i]);
    return &ent_particle_system_rows(s->world).record[row];
}

static void component_add(const Sea* s, u32 component, Entity* entity) {
    u32 row;
    assert_int_equal(ent_entity_create(s->world, entity, 1), ENT_OK);
    assert_int_equal(
        ent_manager_create(s->world, ent_world_built_in(s->world, component), *entity, &row),
        ENT_OK);
}

static void fluid_add(Sea* s, u32 i) {
    component_add(s, COMPONENT_FLUID, &s->fluid[i]);
    FluidRecord* f = fluid_record(s, i);
    f->half_extent_m = (Vec3){1, 1, 0.5f + 0.5f * (f32)i};
    f->spacing_m = 0.25f;
    f->smoothing_radius_m = 0.5f;
    f->step_s = i == 2 ? 0.002f : 0.001f;
}

static void world_fill(Sea* s) {
    assert_int_equal(ent_world_create(&s->world, NULL), ENT_OK);
    for (u32 i = 0; i < FLUIDS; i++) fluid_add(s, i);
    for (u32 i = 0; i < SYSTEMS; i++) {
        component_add(s, COMPONENT_PARTICLE_SYSTEM, &s->system[i]);
        system_record(s, i)->count = 60 + 40 * i;
    }
}

static void systems_create(Sea* s) {
    const GpuSystem* const system[2] = {ent_sph_system(), ent_particles_system()};
    const GpuScene         scene = {.world = s->world};
    const GpuFramesDesc    desc = {GPU_TIMES_NONE, 0, 0};
    GpuProblem             problem;
    for (u32 i = 0; i < 2; i++) {
        assert_int_equal(system[i]->create(&s->state[i], gpu_for_test(), &scene, &problem), ENT_OK);
        s->part[i] = (GpuPart){system[i], s->state[i]};
    }
    assert_int_equal(ent_gpu_frames_create(&s->frames, gpu_for_test(), &desc), ENT_OK);
}

static ent_status frame_run(const Sea* s) {
    const GpuParts parts = {s->part, 2};
    GpuFrame*      frame;
    TRY(ent_gpu_frame_begin(s->frames, &frame));
    const ent_status status = ent_picture_record(frame, &parts, NULL, NULL);
    const ent_status ended = ent_gpu_frame_end(frame);
    return status == ENT_OK ? ended : status;
}

static void frames_run(const Sea* s, u32 count) {
    for (u32 i = 0; i < count; i++) assert_int_equal(frame_run(s), ENT_OK);
    assert_int_equal(ent_gpu_frames_wait(s->frames), ENT_OK);
}

static void sea_close(Sea* s) {
    ent_gpu_frames_destroy(s->frames);
    for (u32 i = 0; i < 2; i++) s->part[i].system->destroy(s->state[i]);
    ent_world_destroy(s->world);
}

/* --- what is simulated --- */

static const Fluid* fluid_of(const Sea* s, u32 i) {
    const Fluids* fluids = s->state[0];
    for (u32 k = 0; k < fluids->list.count; k++)
        if (fluids->list.fluid[k].entity == s->fluid[i]) return &fluids->list.fluid[k];
    return NULL;
}

static Sph* sph_of(const Sea* s, u32 i) {
    const Fluids* fluids = s->state[0];
    return fluids->list.group[fluid_of(s, i)->group].sph;
}

static Particles* particles_of(const Sea* s, u32 i) {
    const DiscsList* list = s->state[1];
    for (u32 k = 0; k < list->count; k++)
        if (list->discs[k].entity == s->system[i]) return list->discs[k].particles;
    return NULL;
}

/* The group of fluid i. Sums of pressures have any order. */
static void fluid_equals(const Sea* a, const Sea* b, u32 i) {
    const u32 count = ent_sph_count(sph_of(a, i));
    Vec3*     at[2];
    assert_int_equal(count, ent_sph_count(sph_of(b, i)));
    for (u32 k = 0; k < 2; k++) {
        at[k] = malloc(sizeof(Vec3) * count);
        assert_int_equal(ent_sph_read(sph_of(k ? b : a, i), at[k], NULL, NULL), ENT_OK);
    }
    for (u32 k = 0; k < count; k++) assert_true(vec3_length(vec3_sub(at[0][k], at[1][k])) < 1e-5f);
    free(at[0]);
    free(at[1]);
}

static bool particles_equal(const Sea* a, const Sea* b, u32 i) {
    Particles *x = particles_of(a, i), *y = particles_of(b, i);
    const u32  count = ent_particles_count(x);
    if (count != ent_particles_count(y)) return false;
    ParticleState* state[2];
    for (u32 k = 0; k < 2; k++) {
        state[k] = calloc(count, sizeof *state[k]);
        assert_int_equal(ent_particles_read(k ? y : x, state[k]), ENT_OK);
    }
    const bool equal = memcmp(state[0], state[1], sizeof *state[0] * count) == 0;
    free(state[0]);
    free(state[1]);
    return equal;
}

static void change(const Sea* s) {
    fluid_record(s, 2)->viscosity = 0.5f;
    fluid_record(s, 2)->spacing_m = 0.2f;
    system_record(s, 1)->seed = 9;
}

static void changed_component_begins_anew_and_others_go_on(void** state) {
    Sea sea = {0}, still = {0}, fresh = {0};
    UNUSED(state);
    world_fill(&sea);
    world_fill(&still);
    world_fill(&fresh);
    systems_create(&sea);
    systems_create(&still);
    frames_run(&sea, 4);
    frames_run(&still, 7);
    change(&sea);
    frames_run(&sea, 3);
    change(&fresh);
    systems_create(&fresh);
    frames_run(&fresh, 3);
    fluid_equals(&sea, &still, 0);
    fluid_equals(&sea, &fresh, 2);
    assert_true(particles_equal(&sea, &still, 0));
    assert_true(particles_equal(&sea, &fresh, 1));
    assert_false(particles_equal(&sea, &still, 1));
    sea_close(&sea);
    sea_close(&still);
    sea_close(&fresh);
    test_gpu_silent();
}

/* Nothing that is simulated depends on a colour. */
static void changed_look_does_not_begin_anew(void** state) {
    Sea sea = {0};
    UNUSED(state);
    world_fill(&sea);
    systems_create(&sea);
    frames_run(&sea, 2);
    const Sph *      first = sph_of(&sea, 0), *other = sph_of(&sea, 2);
    const Particles* system = particles_of(&sea, 0);
    fluid_record(&sea, 0)->color = (Vec3){1, 0.5f, 0.25f};
    fluid_record(&sea, 0)->smoothing = 0.25f;
    system_record(&sea, 0)->color = (Vec3){0, 1, 0};
    frames_run(&sea, 2);
    assert_true(sph_of(&sea, 0) == first && sph_of(&sea, 2) == other);
    assert_ptr_equal(particles_of(&sea, 0), system);
    assert_true(fluid_of(&sea, 0)->draw.look.color.y == 0.5f);
    assert_true(fluid_of(&sea, 0)->draw.smoothing == 0.25f);
    const DiscsList* list = sea.state[1];
    assert_true(list->discs[0].look.color.y == 1);
    sea_close(&sea);
    test_gpu_silent();
}

/* A fluid that is removed takes its group with it, and one that is added begins with those that it meets. */
static void added_and_removed_components_change_only_their_group(void** state) {
    Sea sea = {0};
    UNUSED(state);
    world_fill(&sea);
    systems_create(&sea);
    frames_run(&sea, 2);
    const Sph*       first = sph_of(&sea, 0);
    const Particles* second = particles_of(&sea, 1);
    const u64        memory = ent_gpu_bytes(gpu_for_test());
    for (u32 round = 0; round < 4; round++) {
        assert_int_equal(ent_entity_destroy(sea.world, &sea.fluid[2], 1), 1);
        assert_int_equal(ent_entity_destroy(sea.world, &sea.system[0], 1), 1);
        frames_run(&sea, 2);
        assert_null(fluid_of(&sea, 2));
        assert_null(particles_of(&sea, 0));
        assert_ptr_equal(sph_of(&sea, 0), first);
        fluid_add(&sea, 2);
        component_add(&sea, COMPONENT_PARTICLE_SYSTEM, &sea.system[0]);
        system_record(&sea, 0)->count = 60;
        frames_run(&sea, 2);
        assert_non_null(sph_of(&sea, 2));
        assert_int_equal(ent_particles_count(particles_of(&sea, 0)), 60);
        assert_ptr_equal(sph_of(&sea, 0), first);
        assert_ptr_equal(particles_of(&sea, 1), second);
    }
    frames_run(&sea, 3); /* what was replaced is destroyed with its frame */
    assert_true(ent_gpu_bytes(gpu_for_test()) <= memory);
    fluid_record(&sea, 2)->step_s = 0.001f;
    frames_run(&sea, 1);
    assert_ptr_equal(sph_of(&sea, 0), sph_of(&sea, 2));
    sea_close(&sea);
    test_gpu_silent();
}

/* Rows move when another fluid is removed: what they are the rows of goes on, each with its own look. */
static void removed_fluid_does_not_restart_those_whose_rows_move(void** state) {
    Sea sea = {0}, still = {0};
    UNUSED(state);
    for (u32 k = 0; k < 2; k++) {
        Sea* s = k ? &still : &sea;
        world_fill(s);
        fluid_record(s, 0)->step_s = 0.003f; /* alone; the others meet */
        fluid_record(s, 2)->step_s = 0.001f;
        systems_create(s);
        frames_run(s, 3);
    }
    const Sph* group = sph_of(&sea, 1);
    assert_ptr_equal(group, sph_of(&sea, 2));
    assert_int_equal(ent_entity_destroy(sea.world, &sea.fluid[0], 1), 1);
    assert_int_equal(ent_fluid_rows(sea.world).entity[0], sea.fluid[2]); /* was behind the other */
    fluid_record(&sea, 1)->color = (Vec3){0, 0.5f, 0};
    frames_run(&sea, 2);
    frames_run(&still, 2);
    assert_ptr_equal(sph_of(&sea, 1), group);
    assert_ptr_equal(sph_of(&sea, 2), group);
    fluid_equals(&sea, &still, 1);
    for (u32 i = 1; i < 3; i++) {
        assert_int_equal(fluid_of(&sea, i)->number, fluid_of(&still, i)->number);
        assert_int_equal(ent_fluid_rows(sea.world).entity[fluid_of(&sea, i)->row], sea.fluid[i]);
        const f32 green = fluid_of(&sea, i)->draw.look.color.y;
        assert_true(green == (i == 1 ? 0.5f : fluid_of(&still, i)->draw.look.color.y));
        fluid_record(&sea, i)->smoothing = 0.1f * (f32)i;
    }
    frames_run(&sea, 1);
    assert_ptr_equal(sph_of(&sea, 1), group);
    for (u32 i = 1; i < 3; i++) assert_true(fluid_of(&sea, i)->draw.smoothing == 0.1f * (f32)i);
    sea_close(&sea);
    sea_close(&still);
    test_gpu_silent();
}

/* One of more particles than fit does not keep the looks of others from being set. */
static void looks_are_set_while_a_fluid_is_refused(void** state) {
    Sea sea = {0};
    UNUSED(state);
    world_fill(&sea);
    systems_create(&sea);
    frames_run(&sea, 1);
    const Sph* former = sph_of(&sea, 2);
    fluid_record(&sea, 2)->spacing_m = 1e-5f;
    for (u32 i = 0; i < 3; i++) {
        fluid_record(&sea, 0)->color = (Vec3){0, 0.25f * (f32)i, 0};
        frames_run(&sea, 2);
        assert_non_null(strstr(test_gpu_message(), "the fluids cannot follow their components"));
        assert_ptr_equal(sph_of(&sea, 2), former);
        assert_true(fluid_of(&sea, 0)->draw.look.color.y == 0.25f * (f32)i);
    }
    fluid_record(&sea, 2)->spacing_m = 0.2f;
    frames_run(&sea, 2);
    assert_true(sph_of(&sea, 2) != former);
    sea_close(&sea);
    test_gpu_silent();
}

/* Each call of the driver in the frame that takes a change fails: the former ones go on, or the new ones do. */
static void failing_call_leaves_the_former_or_the_new_simulation(void** state) {
    u32 kept = 0, taken = 0;
    UNUSED(state);
    for (u32 call = 1; call < 200; call += 7) {
        Gpu* const gpu = gpu_for_test();
        Sea        sea = {0};
        world_fill(&sea);
        systems_create(&sea);
        frames_run(&sea, 2);
        const Sph* former = sph_of(&sea, 2);
        change(&sea);
        gpu->desc.fault_call = gpu->calls + call;
        gpu->desc.fault_result = VK_ERROR_OUT_OF_DEVICE_MEMORY;
        const ent_status status = frame_run(&sea);
        const bool       reached = gpu->calls >= gpu->desc.fault_call;
        gpu->desc.fault_call = 0;
        if (!gpu->lost) {
            frames_run(&sea, 2);
            kept += sph_of(&sea, 2) == former;
            taken += sph_of(&sea, 2) != former;
            const Sph* now = sph_of(&sea, 2);
            fluid_record(&sea, 2)->viscosity =
                0.25f; /* it is tried again when the component changes */
            frames_run(&sea, 2);
            assert_true(sph_of(&sea, 2) != now);
        }
        sea_close(&sea);
        if (gpu->lost) gpu_renewed_for_test();
        if (!reached) {
            assert_int_equal(status, ENT_OK);
            break;
        }
    }
    assert_true(kept > 0 && taken > 0);
}

TEST_SUITE(simulation_reload) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_component_begins_anew_and_others_go_on),
        cmocka_unit_test(changed_look_does_not_begin_anew),
        cmocka_unit_test(added_and_removed_components_change_only_their_group),
        cmocka_unit_test(removed_fluid_does_not_restart_those_whose_rows_move),
        cmocka_unit_test(looks_are_set_while_a_fluid_is_refused),
        cmocka_unit_test(failing_call_leaves_the_former_or_the_new_simulation)};
    return gpu_suite_end(TEST_RUN("simulation_reload", tests));
}
