/* gpu_system.c - collider planes, and functions shared by all systems. */
#include "gpu_system_internal.h"
#include "rows.h"

#include <stdarg.h>
#include <stdio.h>

ent_status gpu_problem(GpuProblem* problem, ent_status status, const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    vsnprintf(problem->text, sizeof problem->text, text, arguments);
    va_end(arguments);
    return status;
}

/* --- planes --- */

/* A normal is transformed by the cofactors of the matrix: it stays perpendicular to its plane after
 * any scale, and it keeps its side unless the matrix mirrors. */
static Vec3 normal_turned(const Mat34* m, Vec3 n) {
    const Vec3  x = mat34_column(m, 0), y = mat34_column(m, 1), z = mat34_column(m, 2);
    const Vec3  yz = vec3_cross(y, z);
    const Mat34 cofactors =
        mat34_from_columns(yz, vec3_cross(z, x), vec3_cross(x, y), (Vec3){0, 0, 0});
    return vec3_scale(mat34_direction(&cofactors, n), vec3_dot(x, yz) < 0 ? -1.0f : 1.0f);
}

static Vec4 plane_of(const Mat34* pose, const ColliderPlaneRecord* record) {
    const Vec3 local = record->normal;
    const Vec3 at = mat34_point(pose, vec3_scale(local, record->offset_m / vec3_length(local)));
    const Vec3 n = normal_turned(pose, local);
    const f32  scale = 1 / vec3_length(n);
    return (Vec4){n.x * scale, n.y * scale, n.z * scale, vec3_dot(n, at) * scale};
}

ent_status ent_gpu_planes(GpuPlanes* planes, World* world, GpuProblem* problem) {
    const ColliderPlaneRows rows = ent_collider_plane_rows(world);
    planes->count = 0;
    if (rows.count > GPU_PLANES_MAX)
        return gpu_problem(problem, ENT_LIMIT, "the level has %u collider planes; %d would fit",
                           rows.count, GPU_PLANES_MAX);
    for (u32 i = 0; i < rows.count; i++) {
        const Mat34 pose = entity_pose(world, rows.entity[i]);
        const Vec4  plane = plane_of(&pose, &rows.record[i]);
        if (!isfinite(plane.x + plane.y + plane.z + plane.w))
            return gpu_problem(problem, ENT_BAD_FIELD,
                               "a collider plane is squeezed flat by its entity");
        planes->plane[i] = plane;
        planes->restitution[i] = rows.record[i].restitution;
        planes->count++;
    }
    return ENT_OK;
}
