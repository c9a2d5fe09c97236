/* meshes_geometry.c - the vertices of all meshes in one buffer, and their indices in another one. */
#include "meshes_internal.h"

#include <stdlib.h>

/* The streams of a mesh that are uploaded, and the member of MeshRow, or of the SkinRange of a mesh that
 * moves, that states where one begins. */
static const struct Stream {
    SectionKind kind;
    u32         words; /* of a row */
    size_t      member;
    bool        moves;
} streams[] = {{SECTION_POSITION, 3, offsetof(MeshRow, position), false},
               {SECTION_NORMAL, 3, offsetof(MeshRow, normal), false},
               {SECTION_TANGENT, 4, offsetof(MeshRow, tangent), false},
               {SECTION_UV, 2, offsetof(MeshRow, uv), false},
               {SECTION_UV_1, 2, offsetof(MeshRow, uv_1), false},
               {SECTION_COLOR, 2, offsetof(MeshRow, color), false},
               {SECTION_VERTEX_JOINTS, 2, offsetof(SkinRange, joints), true},
               {SECTION_VERTEX_WEIGHTS, 2, offsetof(SkinRange, weights), true},
               {SECTION_VERTEX_JOINTS_1, 2, offsetof(SkinRange, joints_1), true},
               {SECTION_VERTEX_WEIGHTS_1, 2, offsetof(SkinRange, weights_1), true},
               {SECTION_MORPH_POSITION, 3, offsetof(SkinRange, move), true},
               {SECTION_MORPH_NORMAL, 3, offsetof(SkinRange, move_normal), true},
               {SECTION_MORPH_TANGENT, 3, offsetof(SkinRange, move_along), true}};

static u32* stream_first(const Meshes* m, u32 which, const struct Stream* stream) {
    u8* const from =
        stream->moves ? (u8*)&m->shape.mesh[which].moved.range : (u8*)&m->geometry.mesh[which];
    return (u32*)(void*)(from + stream->member);
}

/* Streams begin at even words, because some are read as pairs. */
static u64 stream_words(const Meshes* m, u32 which, const struct Stream* stream) {
    u32 count;
    gpu_blob_rows(m->meshes.at[which], stream->kind, &count);
    return align_up((u64)count * stream->words, 2);
}

/* How much is needed for all meshes. */
typedef struct Sizes {
    u64 words, indices, parts;
} Sizes;

/* The stand-in for missing meshes: a cube with sides of 1 m. */
#define CUBE_VERTICES 24u
#define CUBE_INDICES  36u
#define CUBE_WORDS    (CUBE_VERTICES * 8u)

static u32 corners_of(const MeshPartRecord* part) {
    static const u32 corners[] = {[MESH_TRIANGLES] = 3, [MESH_LINES] = 2, [MESH_POINTS] = 1};
    return corners[part->topology];
}

/* Writes the parts of a level of a mesh: `range` has their indices, from `first` on. */
static void level_fill(Meshes* m, u32 which, const LodRangeRecord* range, u64 first, f32 error_m,
                       Sizes* sizes) {
    u32                   count;
    const MeshPartRecord* part = gpu_blob_rows(m->meshes.at[which], SECTION_MESH_PART, &count);
    for (u32 i = 0; i < count; i++) {
        const u32 material = meshes_material(m, which, part[i].material);
        m->geometry.part[sizes->parts++] = (MeshPart){
            .first_index = (u32)(first + (range ? range[i].first_index : part[i].first_index)),
            .index_count = range ? range[i].index_count : part[i].index_count,
            .material = material,
            .corners = corners_of(&part[i]),
            .error_m = error_m};
    }
}

/* Writes the rows of a mesh and its parts, behind those that `sizes` counts. */
static void mesh_fill(Meshes* m, u32 which, Sizes* sizes) {
    const Blob*             blob = m->meshes.at[which];
    MeshRow*                row = &m->geometry.mesh[which];
    MeshesPlaced*           at = &m->geometry.placed[which];
    u32                     count, index_count, lod_count;
    const MeshBoundsRecord* bounds = gpu_blob_rows(blob, SECTION_MESH_BOUNDS, &count);
    *row = (MeshRow){
        .low = bounds->bounds_min, .high = bounds->bounds_max, .first_part = (u32)sizes->parts};
    *at = (MeshesPlaced){.word = sizes->words, .index = sizes->indices};
    for (u32 s = 0; s < COUNT_OF(streams); s++) {
        const u64 words = stream_words(m, which, &streams[s]);
        *stream_first(m, which, &streams[s]) = words ? (u32)sizes->words : MESHES_NONE;
        sizes->words += words;
    }
    const LodRangeRecord* range = gpu_blob_rows(blob, SECTION_LOD_RANGE, &count);
    const MeshLodRecord*  lod = gpu_blob_rows(blob, SECTION_MESH_LOD, &row->level_count);
    gpu_blob_rows(blob, SECTION_MESH_PART, &row->part_count);
    gpu_blob_rows(blob, SECTION_INDEX, &index_count);
    gpu_blob_rows(blob, SECTION_LOD_INDEX, &lod_count);
    level_fill(m, which, NULL, sizes->indices, 0, sizes);
    for (u32 i = 0; i < row->level_count; i++)
        level_fill(m, which, range + i * row->part_count, sizes->indices + index_count,
                   lod[i].error_m, sizes);
    row->level_count =
        MIN_OF(row->level_count + 1, MESHES_LEVELS_MAX); /* the full mesh is level 0 */
    m->geometry.level_max = MAX_OF(m->geometry.level_max, row->level_count);
    at->words = sizes->words - at->word;
    at->indices = (u64)index_count + lod_count;
    sizes->indices += at->indices;
}

/* The stand-in is the last mesh. */
static void cube_fill(Meshes* m, Sizes* sizes) {
    const u32 words = (u32)sizes->words;
    m->geometry.placed[m->meshes.count] =
        (MeshesPlaced){sizes->words, CUBE_WORDS, sizes->indices, CUBE_INDICES};
    m->geometry.mesh[m->meshes.count] = (MeshRow){.low = {-0.5f, -0.5f, -0.5f},
                                                  .high = {0.5f, 0.5f, 0.5f},
                                                  .first_part = (u32)sizes->parts,
                                                  .part_count = 1,
                                                  .level_count = 1,
                                                  .position = words,
                                                  .normal = words + CUBE_VERTICES * 3,
                                                  .tangent = MESHES_NONE,
                                                  .uv = words + CUBE_VERTICES * 6,
                                                  .uv_1 = MESHES_NONE,
                                                  .color = MESHES_NONE};
    m->geometry.part[sizes->parts++] = (MeshPart){.first_index = (u32)sizes->indices,
                                                  .index_count = CUBE_INDICES,
                                                  .material = MESHES_CHECKER(m),
                                                  .corners = 3};
    m->geometry.level_max = MAX_OF(m->geometry.level_max, 1u);
}

/* Side 2a and 2a + 1 point along axis a, one to each end. */
static void cube_write(f32* words, u32* indices) {
    f32* const positions = words;
    f32* const normals = positions + (size_t)CUBE_VERTICES * 3;
    f32* const uvs = normals + (size_t)CUBE_VERTICES * 3;
    memset(normals, 0, sizeof(f32[CUBE_VERTICES][3]));
    for (u32 v = 0; v < CUBE_VERTICES; v++) {
        const u32  axis = v / 8;
        const f32  side = v / 4 % 2 ? 1 : -1, a = v & 1 ? 1 : -1, b = v & 2 ? 1 : -1;
        f32* const at = positions + (size_t)v * 3;
        at[axis] = side / 2;
        at[(axis + 1) % 3] = a * side / 2;
        at[(axis + 2) % 3] = b / 2;
        normals[v * 3 + axis] = side;
        uvs[v * 2] = (a + 1) / 2;
        uvs[v * 2 + 1] = (1 - b) / 2;
    }
    for (u32 i = 0; i < CUBE_INDICES; i++)
        indices[i] = i / 6 * 4 + (u32[]){0, 1, 3, 0, 3, 2}[i % 6];
}

/* The bytes of the vertices and indices of a mesh. */
static u64 mesh_bytes(const Meshes* m, u32 which) {
    u32 count, lod_count;
    u64 words = 0;
    for (u32 s = 0; s < COUNT_OF(streams); s++) words += stream_words(m, which, &streams[s]);
    gpu_blob_rows(m->meshes.at[which], SECTION_INDEX, &count);
    gpu_blob_rows(m->meshes.at[which], SECTION_LOD_INDEX, &lod_count);
    return (words + count + lod_count) * sizeof(u32);
}

/* A row of `meshes`, which are not empty. */
static u32 mesh_largest(const Meshes* m) {
    u32 largest = 0;
    for (u32 i = 1; i < m->meshes.count; i++) {
        if (mesh_bytes(m, i) > mesh_bytes(m, largest)) largest = i;
    }
    return largest;
}

static ent_status sizes_check(Meshes* m, GpuProblem* problem, Sizes* sizes) {
    for (u32 i = 0; i < m->meshes.count; i++) {
        u32 count;
        for (u32 s = 0; s < COUNT_OF(streams); s++) sizes->words += stream_words(m, i, &streams[s]);
        gpu_blob_rows(m->meshes.at[i], SECTION_INDEX, &count);
        sizes->indices += count;
        gpu_blob_rows(m->meshes.at[i], SECTION_LOD_INDEX, &count);
        sizes->indices += count;
        gpu_blob_rows(m->meshes.at[i], SECTION_MESH_PART, &count);
        sizes->parts += count;
        gpu_blob_rows(m->meshes.at[i], SECTION_LOD_RANGE, &count);
        sizes->parts += count;
    }
    sizes->words += CUBE_WORDS;
    sizes->indices += CUBE_INDICES;
    sizes->parts++;
    for (u32 i = 0; i < m->geometry.views.count; i++) sizes->parts += meshes_views_parts(m, i);
    if (sizes->words < MESHES_NONE && sizes->indices < MESHES_NONE) return ENT_OK;
    const u32 largest = mesh_largest(m);
    return gpu_problem(
        problem, ENT_LIMIT,
        "the meshes have %llu numbers in vertices and %llu indices; the limit is %u of "
        "each; the largest mesh is \"%s\" with %llu bytes",
        (unsigned long long)sizes->words, (unsigned long long)sizes->indices, MESHES_NONE - 1,
        gpu_blob_name(m->meshes.at[largest]), (unsigned long long)mesh_bytes(m, largest));
}

/* The buffers for all meshes exceed a limit of the device. */
static ent_status buffers_refused(const Meshes* m, GpuProblem* problem) {
    const GpuInfo* info = &m->gpu->info;
    if (m->meshes.count == 0) return ENT_LIMIT;
    const u32 largest = mesh_largest(m);
    return gpu_problem(
        problem, ENT_LIMIT,
        "the meshes need %llu bytes for vertices and %llu bytes for indices on \"%s\"; the limit "
        "is "
        "%llu bytes for each of both, and %llu bytes for all memory, of which %llu are in use; the "
        "largest mesh, \"%s\", has %llu bytes",
        (unsigned long long)(m->geometry.word_count * sizeof(f32)),
        (unsigned long long)(m->geometry.index_count * sizeof(u32)), info->name,
        (unsigned long long)info->buffer_bytes, (unsigned long long)info->memory_bytes,
        (unsigned long long)m->gpu->memory.bytes, gpu_blob_name(m->meshes.at[largest]),
        (unsigned long long)mesh_bytes(m, largest));
}

/* What is between streams of an odd number of words is 0. */
static void mesh_write(const Meshes* m, u32 which, u8* words, u8* indices) {
    static const SectionKind kinds[] = {SECTION_INDEX, SECTION_LOD_INDEX};
    const Blob*              blob = m->meshes.at[which];
    u32                      count;
    for (u32 s = 0; s < COUNT_OF(streams); s++) {
        const u64   bytes = stream_words(m, which, &streams[s]) * sizeof(u32);
        const void* from = gpu_blob_rows(blob, streams[s].kind, &count);
        const u64   used = (u64)count * streams[s].words * sizeof(u32);
        if (used) memcpy(words, from, used);
        memset(words + used, 0, bytes - used);
        words += bytes;
    }
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        const void* from = gpu_blob_rows(blob, kinds[i], &count);
        if (count) memcpy(indices, from, (u64)count * sizeof(u32));
        indices += (u64)count * sizeof(u32);
    }
}

void meshes_streams_write(const Meshes* m, u32 mesh, u8* words, u8* indices) {
    if (mesh < m->meshes.count)
        mesh_write(m, mesh, words, indices);
    else
        cube_write((f32*)(void*)words, (u32*)(void*)indices);
}

static bool material_scrolls(const Meshes* m, u32 material) {
    const Vec4 v = m->geometry.material[material].scroll;
    return v.x != 0 || v.y != 0 || v.z != 0 || v.w != 0;
}

/* Opaque and blended parts. */
static void kinds_count(Meshes* m) {
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        MeshRow* const mesh = &m->geometry.mesh[i];
        for (u32 k = 0; k < mesh->part_count; k++) {
            const MeshPart* part = &m->geometry.part[mesh->first_part + k];
            mesh->opaque_count += part->corners == 3 && !meshes_is_blended(m, part);
            mesh->blended_count += meshes_is_blended(m, part);
            mesh->scrolls |= meshes_is_blended(m, part) && material_scrolls(m, part->material);
        }
    }
}

/* What decides in which draws, and how, the parts of all levels are drawn. */
static u64 draws_hash(const Meshes* m) {
    u64 hash = m->geometry.part_count;
    for (u32 i = 0; i < m->geometry.part_count; i++) {
        const MeshPart*     part = &m->geometry.part[i];
        const MeshMaterial* material = &m->geometry.material[part->material];
        const u32           key[] = {part->first_index,
                                     part->index_count,
                                     part->corners,
                                     material->alpha_mode,
                                     material->two_sided,
                                     meshes_material_bends(material),
                                     material_scrolls(m, part->material)};
        hash = hash_bytes(key, sizeof key, hash);
    }
    return hash;
}

ent_status meshes_geometry_fill(Meshes* m, GpuProblem* problem) {
    MeshesGeometry* const g = &m->geometry;
    const size_t          meshes = MESHES_ROWS(m);
    Sizes                 sizes = {0}, filled = {0};
    TRY(sizes_check(m, problem, &sizes));
    g->mesh = calloc(meshes, sizeof *g->mesh);
    g->placed = calloc(meshes, sizeof *g->placed);
    g->part = calloc(sizes.parts + 1, sizeof *g->part);
    if (!m->shape.mesh) m->shape.mesh = calloc(meshes, sizeof *m->shape.mesh);
    if (!g->mesh || !g->placed || !g->part || !m->shape.mesh) return ENT_NO_MEMORY;
    for (u32 i = 0; i < m->meshes.count; i++) mesh_fill(m, i, &filled);
    cube_fill(m, &filled);
    for (u32 i = 0; i < m->geometry.views.count; i++) {
        meshes_view_fill(m, i, (u32)filled.parts);
        filled.parts += meshes_views_parts(m, i);
    }
    g->part_count = (u32)filled.parts;
    g->word_count = sizes.words;
    g->index_count = sizes.indices;
    TRY(meshes_materials_fill(m));
    kinds_count(m);
    g->draws = draws_hash(m);
    return ENT_OK;
}

ent_status meshes_streams_create(Meshes* m, GpuProblem* problem) {
    MeshesGeometry* const  g = &m->geometry;
    const GpuBufferRequest requests[] = {
        {&g->vertices, g->word_count, sizeof(f32), "numbers of vertices"},
        {&g->indices, g->index_count, sizeof(u32), "indices"}};
    const ent_status status = gpu_pool_create(&g->pool, m->gpu, requests, COUNT_OF(requests));
    return status == ENT_LIMIT ? buffers_refused(m, problem) : status;
}

ent_status meshes_tables_create(Meshes* m, bool grows) {
    MeshesGeometry* const  g = &m->geometry;
    const u64              materials = MESHES_MATERIALS(m), meshes = MESHES_ROWS(m);
    const u64              half = grows ? 2 : UINT32_MAX;
    const GpuBufferRequest requests[] = {
        {&g->meshes_table, meshes + meshes / half, sizeof(MeshRow), "meshes"},
        {&g->parts, g->part_count + g->part_count / half, sizeof(MeshPart), "parts of meshes"},
        {&g->material_table, materials + materials / half, sizeof(MeshMaterial), "materials"}};
    return gpu_pool_create(&g->table_pool, m->gpu, requests, COUNT_OF(requests));
}

static ent_status mesh_upload(const Meshes* m, u32 which) {
    static const SectionKind kinds[] = {SECTION_INDEX, SECTION_LOD_INDEX};
    const Blob*              blob = m->meshes.at[which];
    u64                      first_index = m->geometry.placed[which].index;
    u32                      count;
    for (u32 s = 0; s < COUNT_OF(streams); s++) {
        const u32   first = *stream_first(m, which, &streams[s]);
        const void* from = gpu_blob_rows(blob, streams[s].kind, &count);
        if (!from) continue;
        TRY(gpu_upload_add(m->gpu, &m->geometry.vertices, (u64)first * 4, from,
                           (u64)count * streams[s].words * 4));
    }
    for (u32 i = 0; i < COUNT_OF(kinds); i++) {
        const void* indices = gpu_blob_rows(blob, kinds[i], &count);
        TRY(gpu_upload_add(m->gpu, &m->geometry.indices, first_index * 4, indices, (u64)count * 4));
        first_index += count;
    }
    return ENT_OK;
}

static ent_status streams_upload(const Meshes* m) {
    const MeshesPlaced* cube = &m->geometry.placed[m->meshes.count];
    f32                 words[CUBE_WORDS];
    u32                 indices[CUBE_INDICES];
    for (u32 i = 0; i < m->meshes.count; i++) TRY(mesh_upload(m, i));
    cube_write(words, indices);
    TRY(gpu_upload_add(m->gpu, &m->geometry.vertices, cube->word * 4, words, sizeof words));
    return gpu_upload(m->gpu, &m->geometry.indices, cube->index * 4, indices, sizeof indices);
}

ent_status meshes_geometry_create(Meshes* m, GpuProblem* problem) {
    const MeshesGeometry* const g = &m->geometry;
    TRY(meshes_geometry_fill(m, problem));
    TRY(meshes_streams_create(m, problem));
    TRY(meshes_tables_create(m, false));
    TRY(streams_upload(m));
    TRY(gpu_upload(m->gpu, &g->parts, 0, g->part, g->part_count * sizeof *g->part));
    TRY(gpu_upload(m->gpu, &g->material_table, 0, g->material,
                   MESHES_MATERIALS(m) * sizeof *g->material));
    TRY(gpu_mirror_note(&m->mirror.parts, m->gpu, &g->parts, g->part,
                        g->part_count * sizeof *g->part));
    return gpu_mirror_note(&m->mirror.materials, m->gpu, &g->material_table, g->material,
                           MESHES_MATERIALS(m) * sizeof *g->material);
}

void meshes_geometry_free(MeshesGeometry* g) {
    free(g->mesh);
    free(g->placed);
    free(g->part);
    free(g->material);
    meshes_views_free(&g->views);
    *g = (MeshesGeometry){0};
}

/* --- draws --- */

/* Indices count from the beginning of the Vulkan buffer: Mesa's llvmpipe 22.3 ignores the offset of
 * an index buffer in indirect draws. */
ent_status meshes_commands_upload(const Meshes* m, GpuFrame* frame, const GpuBuffer* to,
                                  const MeshDraw* draws, u32 count) {
    VkDrawIndexedIndirectCommand* commands = calloc(count, sizeof *commands);
    const u32                     first = (u32)(m->geometry.indices.offset / sizeof(u32));
    if (!commands) return ENT_NO_MEMORY;
    for (u32 i = 0; i < count; i++) {
        const MeshPart* part = &m->geometry.part[draws[i].part];
        commands[i] = (VkDrawIndexedIndirectCommand){.indexCount = part->index_count,
                                                     .firstIndex = first + part->first_index};
    }
    const ent_status status = gpu_frame_upload(frame, to, 0, commands, count * sizeof *commands);
    free(commands);
    return status;
}
