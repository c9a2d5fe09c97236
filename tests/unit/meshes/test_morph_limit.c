/* test_morph_limit.c - meshes whose morph targets times vertices would take more memory than there is. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "meshes_internal.h"
#include "sections.h"
#include "spawn.h"
#include "test_gpu_support.h"
#include "test_worlds_support.h"

enum { TRIANGLES = 60000, VERTICES = TRIANGLES + 2, MASK_WORDS = (VERTICES + 31) / 32, PARTS = 40 };
#define MESH "out/shape/mesh_0.mesh"

typedef struct Part {
    BlobSection section;
    const void* data;
} Part;

static int part_order(const void* a, const void* b) {
    const Part *x = a, *y = b;
    return x->section.kind < y->section.kind ? -1 : 1;
}

static Part part_make(SectionKind kind, const void* data, u32 count, u32 stride) {
    const u32 layout = kind == SECTION_MORPH_NAME ? 0 : record_layout_hash(section_record(kind));
    return (Part){{kind, 0, layout, count, stride, 0, count * stride, 1}, data};
}

static void mesh_write(const char* folder, const BlobHeader* old, Part* part, u32 count) {
    u64 end = sizeof *old + count * sizeof(BlobSection);
    qsort(part, count, sizeof *part, part_order);
    for (u32 i = 0; i < count; i++) {
        end = (end + 15) & ~15ull;
        part[i].section.offset = (u32)end;
        end += part[i].section.bytes;
    }
    end = (end + 15) & ~15ull;
    u8*         bytes = calloc(1, end);
    BlobHeader* header = (void*)bytes;
    assert_non_null(bytes);
    *header = *old;
    header->section_count = count;
    header->blob_bytes = (u32)end;
    for (u32 i = 0; i < count; i++) {
        memcpy(bytes + sizeof *old + i * sizeof(BlobSection), &part[i].section,
               sizeof(BlobSection));
        memcpy(bytes + part[i].section.offset, part[i].data, part[i].section.bytes);
    }
    hash_fix(bytes, end);
    test_write(folder, MESH, bytes, end);
    free(bytes);
}

/* Adds morph targets to the mesh; each moves so many vertices: 0 or 1. */
static void targets_add(const char* folder, u32 count, u32 rows) {
    char path[1100];
    Part part[PARTS];
    snprintf(path, sizeof path, "%s/first.mesh", folder);
    size_t             size;
    u8*                file = test_read(path, &size);
    const BlobHeader*  old = (const void*)file;
    const BlobSection* section = (const void*)(file + sizeof *old);
    MorphTargetRecord* target = calloc(count, sizeof *target);
    u8*                zeros = calloc(count, sizeof(MorphPositionRecord));
    u32                parts = 0;
    assert_true(target && zeros && old->section_count + 4 <= PARTS);
    for (u32 i = 0; i < count; i++)
        target[i] = (MorphTargetRecord){.name = i, .first_row = i * rows, .row_count = rows};
    for (; parts < old->section_count; parts++)
        part[parts] = (Part){section[parts], file + section[parts].offset};
    part[parts++] = part_make(SECTION_MORPH_TARGET, target, count, sizeof *target);
    part[parts++] = part_make(SECTION_MORPH_NAME, zeros, count, 1);
    if (rows) {
        part[parts++] = part_make(SECTION_MORPH_VERTEX, zeros, count, sizeof(MorphVertexRecord));
        part[parts++] =
            part_make(SECTION_MORPH_POSITION, zeros, count, sizeof(MorphPositionRecord));
    }
    mesh_write(folder, old, part, parts);
    free(file);
    free(zeros);
    free(target);
}

/* A level with a strip of triangles. */
static const char* strip_folder(void) {
    static char* folder;
    if (folder) return folder;
    folder = strdup(test_folder("morph_limit"));
    TEST_DONE(".", "python3 tests/sweeps/shapes_models.py strip %u '%s/src'", TRIANGLES, folder);
    test_write_text(folder, "src/a.level.json",
                    "{ \"entities\": [ { \"name\": \"e\", \"components\": { \"transform\": {}, "
                    "\"mesh\": { \"resource\": \"shape/mesh_0\" } } } ] }");
    TEST_DONE(folder, "entc build src -o out -q && cp " MESH " first.mesh");
    return folder;
}

/* Creates the system for the level, and compares its status. Returns the bytes of the masks. */
static u64 masks_create(ent_status expected) {
    GpuProblem  problem = {0};
    Library     library;
    World*      world;
    const Blob* blob;
    void*       meshes = NULL;
    char        path[1100];
    snprintf(path, sizeof path, "%s/out", strip_folder());
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_load(&library, "a", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_world_create(&world, NULL), ENT_OK);
    assert_int_equal(ent_world_spawn(world, blob, NULL, NULL), ENT_OK);
    const GpuScene scene = {.world = world, .library = &library};
    assert_int_equal(
        test_system_create(ent_meshes_system(), &meshes, gpu_for_test(), &scene, &problem),
        expected);
    const u64 bytes = expected == ENT_OK ? ((const Meshes*)meshes)->shape.masks.bytes : 0;
    if (expected == ENT_OK) test_system_destroy(ent_meshes_system(), meshes);
    ent_world_destroy(world);
    ent_library_close(&library);
    test_gpu_silent();
    return bytes;
}

static u64 peak_bytes(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (u64)usage.ru_maxrss << 10;
}

/* One mask more than a buffer of the device may have: the memory of the host is not filled first. */
static void masks_above_limit_of_device_are_refused_before_allocation(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    const u64 limit = ent_gpu_info(gpu_for_test())->buffer_bytes;
    const u64 targets = limit / (MASK_WORDS * sizeof(SkinMask)) + 1;
    if (targets > 400000) TEST_SKIP("the device accepts larger buffers than a test can exceed");
    targets_add(strip_folder(), (u32)targets, 1);
    const u64 before = peak_bytes();
    masks_create(ENT_LIMIT);
    assert_non_null(
        strstr(test_gpu_message(), "vertices of morph targets, most of them in \"shape/mesh_0\""));
    if (!SANITIZED) assert_true(peak_bytes() - before < limit / 2);
}

static void targets_that_move_nothing_share_one_mask(void** state) {
    UNUSED(state);
    TEST_NEEDS_RASTER;
    TEST_NEEDS("python3");
    targets_add(strip_folder(), 40000, 0);
    assert_in_range(masks_create(ENT_OK), 1, 4 * MASK_WORDS * sizeof(SkinMask));
}

TEST_SUITE(morph_limit) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(masks_above_limit_of_device_are_refused_before_allocation),
        cmocka_unit_test(targets_that_move_nothing_share_one_mask)};
    return gpu_suite_end(TEST_RUN("morph_limit", tests));
}
