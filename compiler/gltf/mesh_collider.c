/* mesh_collider.c - reduces a mesh to what a collider needs. */
#include "mesh_collider.h"

#include "mesh_hull.h"

/* The corners of all triangles, as positions that are not shared. */
static GltfPrimitive corners_of(const GltfMesh* mesh, Arena* arena) {
    GltfPrimitive out = {.topology = MESH_TRIANGLES, .material = NONE};
    for (u32 i = 0; i < mesh->primitive_count; i++)
        if (mesh->primitives[i].topology == MESH_TRIANGLES)
            out.vertex_count += mesh->primitives[i].index_count;
    out.index_count = out.vertex_count;
    out.positions = ARENA_NEW(arena, Vec3, out.vertex_count);
    out.indices = ARENA_NEW(arena, u32, out.vertex_count);
    for (u32 i = 0, next = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        for (u32 k = 0; p->topology == MESH_TRIANGLES && k < p->index_count; k++, next++) {
            out.positions[next] = p->positions[p->indices[k]];
            out.indices[next] = next;
        }
    }
    return out;
}

/* The hull of all positions that elements refer to: others may share the array. */
static bool hull_of(const GltfMesh* mesh, GltfPrimitive* out, Arena* arena) {
    MeshHull hull;
    u32      room = 0, count = 0;
    for (u32 i = 0; i < mesh->primitive_count; i++)
        room += MIN_OF(mesh->primitives[i].vertex_count, mesh->primitives[i].index_count);
    Vec3* points = ARENA_NEW(arena, Vec3, room);
    for (u32 i = 0; i < mesh->primitive_count; i++) {
        const GltfPrimitive* p = &mesh->primitives[i];
        bool*                is_used = ARENA_NEW(arena, bool, p->vertex_count);
        for (u32 k = 0; k < p->index_count; k++) {
            if (!is_used[p->indices[k]]) points[count++] = p->positions[p->indices[k]];
            is_used[p->indices[k]] = true;
        }
    }
    if (!mesh_hull(&hull, points, count, arena)) return false;
    *out = (GltfPrimitive){.topology = MESH_TRIANGLES,
                           .material = NONE,
                           .positions = hull.points,
                           .vertex_count = hull.point_count,
                           .indices = hull.indices,
                           .index_count = hull.index_count,
                           .indexed = true};
    return true;
}

bool mesh_collider_build(MeshBuild* out, const GltfMesh* mesh, Arena* arena) {
    GltfMesh* one = ARENA_NEW(arena, GltfMesh, 1);
    one->primitives = ARENA_NEW(arena, GltfPrimitive, 1);
    one->primitive_count = 1;
    one->primitives[0] = corners_of(mesh, arena);
    const bool has_hull = mesh->form != GLTF_HULL || hull_of(mesh, one->primitives, arena);
    const u32  triangles = one->primitives[0].index_count / 3;
    *out = (MeshBuild){0};
    if (!has_hull || triangles == 0) return false;
    mesh_build(out, one, arena);
    return out->degenerate[0] < triangles;
}
