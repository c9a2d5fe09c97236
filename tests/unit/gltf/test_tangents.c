/* test_tangents.c - computed tangents: planes with known answers, mirrored and collapsed texture coordinates, and
 * any numbers. tests/oracles/tangent_oracle.py compares those of compiled models with a plain model. */
#include <math.h>
#include <stdlib.h>

#include "mesh_tangents.h"
#include "test.h"
#include "vec.h"

#define SIDE    5u /* vertices */
#define SQUARES ((SIDE - 1) * (SIDE - 1))
#define CORNERS (SQUARES * 6)

typedef struct Grid {
    Vec3         positions[SIDE * SIDE], normals[SIDE * SIDE];
    Vec2         uvs[SIDE * SIDE];
    u32          indices[CORNERS];
    TangentInput in;
    Vec4         out[CORNERS];
} Grid;

/* A square in the plane z = 0, seen from above; u = x and v = y. */
static void grid_make(Grid* g) {
    u32 count = 0;
    for (u32 i = 0; i < SIDE * SIDE; i++) {
        const f32 x = (f32)(i % SIDE), y = (f32)(i / SIDE);
        g->positions[i] = (Vec3){x, y, 0};
        g->normals[i] = (Vec3){0, 0, 1};
        g->uvs[i] = (Vec2){x / 8, y / 8};
        if (i % SIDE == SIDE - 1 || i / SIDE == SIDE - 1) continue;
        const u32 corner[6] = {i, i + 1, i + SIDE, i + 1, i + SIDE + 1, i + SIDE};
        for (u32 k = 0; k < 6; k++) g->indices[count++] = corner[k];
    }
    assert_int_equal(count, CORNERS);
    g->in = (TangentInput){g->positions, g->normals, g->uvs, g->indices, SIDE * SIDE, CORNERS};
}

static void grid_compute(Grid* g) {
    Arena arena = {0};
    mesh_tangents(g->out, &g->in, &arena);
    arena_drop(&arena);
}

static void expect_tangent(Vec4 t, f64 x, f64 y, f64 z, f32 w) {
    const f64 distance = fabs((f64)t.x - x) + fabs((f64)t.y - y) + fabs((f64)t.z - z);
    if (distance > 1e-6 || t.w != w)
        fail_msg("%g %g %g %g instead of %g %g %g %g", (f64)t.x, (f64)t.y, (f64)t.z, (f64)t.w, x, y,
                 z, (f64)w);
}

/* The image is turned, mirrored, stretched and moved on the plane. */
static void tangents_of_a_plane_point_along_u(void** state) {
    Grid g;
    UNUSED(state);
    for (u32 i = 0; i < 24; i++) {
        const f64 angle = i * 0.55, c = cos(angle), s = sin(angle);
        const f32 mirror = i % 2 ? -1 : 1, wide = i % 3 ? 1 : 7;
        grid_make(&g);
        for (u32 k = 0; k < SIDE * SIDE; k++) {
            const f64 x = (f64)g.positions[k].x, y = (f64)g.positions[k].y;
            g.uvs[k] = (Vec2){(f32)(c * x + s * y) * wide - 3, (f32)(c * y - s * x) * mirror};
        }
        grid_compute(&g);
        /* the bitangent is where v is lower: cross(normal, tangent) * w */
        for (u32 k = 0; k < CORNERS; k++) expect_tangent(g.out[k], c, s, 0, -mirror);
    }
}

static void halves_with_a_mirrored_texture_have_both_signs(void** state) {
    Grid g;
    UNUSED(state);
    grid_make(&g);
    for (u32 k = 0; k < SIDE * SIDE; k++) g.uvs[k].x = fabsf(g.uvs[k].x - 0.25f);
    grid_compute(&g);
    for (u32 k = 0; k < CORNERS; k++) {
        f32 middle = 0;
        for (u32 n = 0; n < 3; n++) middle += g.positions[g.indices[k - k % 3 + n]].x / 3;
        expect_tangent(g.out[k], middle < 2 ? -1 : 1, 0, 0, middle < 2 ? 1 : -1);
    }
}

/* A square in the middle shows one point of the image. */
static void triangles_without_texture_area_have_tangents_of_their_neighbours(void** state) {
    Grid      g;
    const u32 first = SIDE + 1, corner[4] = {first, first + 1, first + SIDE, first + SIDE + 1};
    UNUSED(state);
    grid_make(&g);
    for (u32 k = 0; k < 4; k++) g.uvs[corner[k]] = g.uvs[first];
    grid_compute(&g);
    for (u32 k = 0; k < CORNERS; k++) {
        if (g.out[k].w != -1) fail_msg("corner %u: %g", k, (f64)g.out[k].w);
        if (g.out[k].x < 0.5f) fail_msg("corner %u: %g", k, (f64)g.out[k].x);
    }
}

static void triangle_with_two_corners_at_one_position_has_those_of_the_vertex(void** state) {
    Grid g;
    UNUSED(state);
    grid_make(&g);
    g.indices[1] = g.indices[0]; /* the first triangle; others have its other corners */
    grid_compute(&g);
    for (u32 k = 2; k < CORNERS; k++) expect_tangent(g.out[k], 1, 0, 0, -1);
    assert_true(fabsf(vec3_dot((Vec3){g.out[0].x, g.out[0].y, g.out[0].z}, g.normals[0])) < 1e-6f);
}

static void plane_without_texture_area_has_unit_tangents_in_the_plane(void** state) {
    Grid g;
    UNUSED(state);
    grid_make(&g);
    for (u32 k = 0; k < SIDE * SIDE; k++) g.uvs[k] = (Vec2){0.5f, 0.5f};
    grid_compute(&g);
    for (u32 k = 0; k < CORNERS; k++) {
        const Vec3 t = {g.out[k].x, g.out[k].y, g.out[k].z};
        assert_true(fabsf(vec3_length(t) - 1) < 1e-5f && fabsf(t.z) < 1e-6f && g.out[k].w == 1);
    }
}

/* Many triangles at one edge and around one vertex, with numbers of every size. */
static void any_triangles_have_unit_tangents(void** state) {
    static const f32 sizes[] = {1, 0, 1e-30f, 1e30f, 3e38f, 1e-38f};
    const u32        triangles = 200000, vertices = 70000;
    Vec3 *           positions = calloc(vertices, sizeof *positions),
         *normals = calloc(vertices, sizeof *normals);
    Vec2* uvs = calloc(vertices, sizeof *uvs);
    u32*  indices = calloc(triangles, 3 * sizeof *indices);
    Vec4* out = calloc(triangles, 3 * sizeof *out);
    u32   dice = 5;
    UNUSED(state);
    for (u32 size = 0; size < COUNT_OF(sizes); size++) {
        for (u32 i = 0; i < vertices; i++) {
            f32 r[5];
            for (u32 k = 0; k < 5; k++)
                r[k] = (f32)((dice = dice * 1664525u + 1013904223u) >> 8) / 16777216.0f - 0.5f;
            positions[i] = (Vec3){r[0] * sizes[size], r[1] * sizes[size], r[2]};
            normals[i] = vec3_unit((Vec3){r[1], r[2], r[3] + 1});
            uvs[i] = (Vec2){r[3] * sizes[size], r[4]};
        }
        for (u32 i = 0; i < triangles; i++) { /* a third at one edge, a third around one vertex */
            indices[i * 3] = i % 3 < 2 ? 0 : i % vertices;
            indices[i * 3 + 1] = i % 3 == 0 ? 1 : (i * 7 + 1) % vertices;
            indices[i * 3 + 2] = (i * 7 + 8) % vertices;
        }
        Arena arena = {0};
        mesh_tangents(out,
                      &(TangentInput){positions, normals, uvs, indices, vertices, triangles * 3},
                      &arena);
        arena_drop(&arena);
        for (u32 i = 0; i < triangles * 3; i++) {
            const f32 length = vec3_length((Vec3){out[i].x, out[i].y, out[i].z});
            if (!(fabsf(length - 1) < 1e-4f) || (out[i].w != 1 && out[i].w != -1))
                fail_msg("size %u, corner %u: length %g, %g", size, i, (f64)length, (f64)out[i].w);
        }
    }
    free(positions);
    free(normals);
    free(uvs);
    free(indices);
    free(out);
}

TEST_SUITE(tangents) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tangents_of_a_plane_point_along_u),
        cmocka_unit_test(halves_with_a_mirrored_texture_have_both_signs),
        cmocka_unit_test(triangles_without_texture_area_have_tangents_of_their_neighbours),
        cmocka_unit_test(triangle_with_two_corners_at_one_position_has_those_of_the_vertex),
        cmocka_unit_test(plane_without_texture_area_has_unit_tangents_in_the_plane),
        cmocka_unit_test(any_triangles_have_unit_tangents),
    };
    return TEST_RUN("tangents", tests);
}
