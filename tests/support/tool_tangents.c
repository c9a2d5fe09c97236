/* tool_tangents.c - computes the tangents of triangles, for tests/oracles/tangent_reference.js.
 *
 * Reads from standard input the number of corners as a 32-bit integer, and of all corners the positions, the normals
 * and the texture coordinates as floats, in the byte order of this machine; writes four floats for each corner.
 * Exit code 1: the input is not complete. */
#include <stdio.h>

#include "mesh_tangents.h"

static void* floats_read(Arena* arena, u32 count, u32 components) {
    f32* at = ARENA_NEW(arena, f32, (size_t)count * components);
    return fread(at, components * sizeof *at, count, stdin) == count ? at : NULL;
}

int main(void) {
    Arena arena = {0};
    u32   count = 0;
    if (fread(&count, sizeof count, 1, stdin) != 1 || count % 3) return 1;
    u32* indices = ARENA_NEW(&arena, u32, count);
    for (u32 i = 0; i < count; i++) indices[i] = i;
    const Vec3*        positions = floats_read(&arena, count, 3);
    const Vec3*        normals = floats_read(&arena, count, 3);
    const Vec2*        uvs = floats_read(&arena, count, 2);
    const TangentInput in = {positions, normals, uvs, indices, count, count};
    Vec4*              out = ARENA_NEW(&arena, Vec4, count);
    if (!positions || !normals || !uvs) return 1;
    mesh_tangents(out, &in, &arena);
    fwrite(out, sizeof *out, count, stdout);
    arena_drop(&arena);
    return fflush(stdout) != 0;
}
