/* meshes_shape.c - where bones and morph targets move the vertices of meshes: a box for each bone, and
 * for each target the vertices that it moves. */
#include "meshes_internal.h"

#include <stdio.h>
#include <stdlib.h>

/* --- bones --- */

/* A section of joints or of weights: four numbers of 16 bits for each vertex. */
static u32 number_at(const u32* words, u32 vertex, u32 k) {
    return words[vertex * 2 + k / 2] >> k % 2 * 16 & 0xffffu;
}

static u32 bone_count_of(const u32* joints, u32 vertices) {
    u32 max = 0;
    for (u32 v = 0; v < vertices; v++) {
        for (u32 k = 0; k < 4; k++) max = MAX_OF(max, number_at(joints, v, k) + 1);
    }
    return max;
}

/* Adds each vertex to the boxes of its bones. */
static void boxes_extend(Bounds* box, const Vec3* position, const u32* joints, const u32* weights,
                         u32 vertices) {
    for (u32 v = 0; v < vertices; v++) {
        for (u32 k = 0; k < 4; k++) {
            if (number_at(weights, v, k)) bounds_add(&box[number_at(joints, v, k)], position[v]);
        }
    }
}

static const SectionKind sets[][2] = {{SECTION_VERTEX_JOINTS, SECTION_VERTEX_WEIGHTS},
                                      {SECTION_VERTEX_JOINTS_1, SECTION_VERTEX_WEIGHTS_1}};

static ent_status bones_add(MeshesShapes* shapes, const Blob* blob, MeshesMoved* mesh) {
    u32         vertices, count, rows;
    const Vec3* position = gpu_blob_rows(blob, SECTION_POSITION, &vertices);
    for (u32 s = 0; s < COUNT_OF(sets); s++) {
        const u32* joints = gpu_blob_rows(blob, sets[s][0], &count);
        mesh->bone_count = MAX_OF(mesh->bone_count, bone_count_of(joints, count));
    }
    Bounds* box = malloc(((size_t)mesh->bone_count + 1) * sizeof *box);
    if (!box) return ENT_NO_MEMORY;
    for (u32 i = 0; i < mesh->bone_count; i++) box[i] = bounds_empty();
    for (u32 s = 0; s < COUNT_OF(sets); s++) {
        const u32* joints = gpu_blob_rows(blob, sets[s][0], &count);
        boxes_extend(box, position, joints, gpu_blob_rows(blob, sets[s][1], &rows), count);
    }
    for (u32 i = 0; i < mesh->bone_count; i++) {
        if (!bounds_is_empty(&box[i]))
            shapes->box[shapes->box_count++] = (SkinBox){i, box[i].low, box[i].high};
    }
    free(box);
    return ENT_OK;
}

/* --- morph targets --- */

static u32 mask_words(u32 vertices) { return (vertices + 31) / 32; }

/* The bits of the vertices that have a row, and the row of the first of each word. */
static void masks_fill(SkinMask* mask, u32 words, const u32* vertex, u32 first_row, u32 count) {
    memset(mask, 0, words * sizeof *mask);
    for (u32 i = 0; i < count; i++) mask[vertex[i] / 32].bits |= 1u << vertex[i] % 32;
    for (u32 w = 0; w < words; w++) {
        mask[w].row = first_row;
        first_row += (u32)__builtin_popcount(mask[w].bits);
    }
}

/* Targets of one mesh that move nothing have the same masks, so that they cost no square. */
static void targets_add(MeshesShapes* shapes, const Blob* blob, MeshesMoved* mesh) {
    const u32                words = mask_words(mesh->moved.range.vertex_count);
    u32                      rows, empty = NONE;
    const u32*               vertex = gpu_blob_rows(blob, SECTION_MORPH_VERTEX, &rows);
    const MorphTargetRecord* from =
        gpu_blob_rows(blob, SECTION_MORPH_TARGET, &mesh->moved.target_count);
    mesh->moved.range.first_target = shapes->target_count;
    mesh->target = shapes->target + shapes->target_count;
    for (u32 i = 0; i < mesh->moved.target_count; i++) {
        const MorphTargetRecord* target = &from[i];
        const bool               shares = target->row_count == 0 && empty != NONE;
        SkinMask* const          mask = shapes->mask + shapes->mask_count;
        shapes->target[shapes->target_count] = from[i];
        shapes->masked[shapes->target_count++] =
            (SkinTarget){shares ? empty : shapes->mask_count, target->reach_m};
        if (shares) continue;
        if (target->row_count == 0) empty = shapes->mask_count;
        masks_fill(mask, words, vertex + target->first_row, target->first_row, target->row_count);
        shapes->mask_count += words;
    }
}

/* --- all meshes --- */

static ent_status shape_add(Meshes* m, MeshesShapes* shapes, u32 which) {
    const Blob*    blob = m->meshes.at[which];
    MeshesMoved*   mesh = &m->shape.mesh[which];
    SkinRange*     range = &mesh->moved.range;
    const MeshRow* row = &m->geometry.mesh[which];
    gpu_blob_rows(blob, SECTION_POSITION, &range->vertex_count);
    range->position = row->position;
    range->normal = row->normal;
    range->tangent = row->tangent;
    range->first_box = shapes->box_count;
    shapes->box[shapes->box_count++] = (SkinBox){SKINNING_NONE, row->low, row->high};
    if (range->joints != MESHES_NONE) TRY(bones_add(shapes, blob, mesh));
    range->box_count = shapes->box_count - range->first_box - 1;
    targets_add(shapes, blob, mesh);
    return ENT_OK;
}

/* Targets with masks of their own; of those that move nothing only the first. */
static u32 masked_count(const MorphTargetRecord* target, u32 count) {
    u32 moving = 0;
    for (u32 i = 0; i < count; i++) moving += target[i].row_count > 0;
    return moving + (moving < count);
}

/* Room for all shapes: a joint of a vertex is a number of 16 bits. */
static ent_status arrays_create(const Meshes* m, MeshesShapes* shapes) {
    u64  boxes = 1, targets = 1, masks = 1, max = 0;
    char name[64 + sizeof((LibraryEntry*)0)->name] = "vertices of morph targets";
    for (u32 i = 0; i < m->meshes.count; i++) {
        u32                      target_count, vertices, joints;
        const MorphTargetRecord* target =
            gpu_blob_rows(m->meshes.at[i], SECTION_MORPH_TARGET, &target_count);
        gpu_blob_rows(m->meshes.at[i], SECTION_POSITION, &vertices);
        gpu_blob_rows(m->meshes.at[i], SECTION_VERTEX_JOINTS, &joints);
        boxes += 1 + MIN_OF((u64)joints * 8, UINT16_MAX + 1ull);
        targets += target_count;
        const u64 bytes = (u64)masked_count(target, target_count) * mask_words(vertices);
        masks += bytes;
        if (bytes <= max) continue;
        max = bytes;
        snprintf(name, sizeof name, "vertices of morph targets, most of them in \"%s\"",
                 gpu_blob_name(m->meshes.at[i]));
    }
    /* A square of the size of a mesh is compared with the device before it is allocated here. */
    const GpuBufferRequest requests[] = {{NULL, targets, sizeof(SkinTarget), "morph targets"},
                                         {NULL, masks, sizeof(SkinMask), name}};
    TRY(gpu_requests_check(m->gpu, requests, COUNT_OF(requests)));
    shapes->box = malloc(boxes * sizeof *shapes->box);
    shapes->target = malloc(targets * sizeof *shapes->target);
    shapes->masked = malloc(targets * sizeof *shapes->masked);
    shapes->mask = malloc(masks * sizeof *shapes->mask);
    return shapes->box && shapes->target && shapes->masked && shapes->mask ? ENT_OK : ENT_NO_MEMORY;
}

ent_status meshes_shape_fill(Meshes* m) {
    TRY(arrays_create(m, &m->shape));
    for (u32 i = 0; i < m->meshes.count; i++) TRY(shape_add(m, &m->shape, i));
    for (u32 i = 0; i < m->geometry.views.count; i++) {
        const u32 mesh = gpu_blob_row(&m->meshes.table, m->geometry.views.at[i].mesh);
        if (mesh != NONE) m->shape.mesh[m->meshes.count + 1 + i] = m->shape.mesh[mesh];
    }
    return ENT_OK;
}

ent_status meshes_shape_buffers_create(Meshes* m) {
    MeshesShapes* const    s = &m->shape;
    const GpuBufferRequest requests[] = {
        {&s->boxes, s->box_count, sizeof(SkinBox), "boxes of bones"},
        {&s->targets, s->target_count, sizeof(SkinTarget), "morph targets"},
        {&s->masks, s->mask_count, sizeof(SkinMask), "vertices of morph targets"}};
    return gpu_pool_create(&s->pool, m->gpu, requests, COUNT_OF(requests));
}

static ent_status table_upload(const Meshes* m, GpuMirror* mirror, const GpuBuffer* buffer,
                               const void* from, u64 bytes) {
    TRY(gpu_upload(m->gpu, buffer, 0, from, bytes));
    return gpu_mirror_note(mirror, m->gpu, buffer, from, bytes);
}

void meshes_shape_uploaded(MeshesShapes* s) {
    free(s->masked);
    free(s->mask);
    s->masked = NULL;
    s->mask = NULL;
}

void meshes_shape_free(MeshesShapes* s) {
    meshes_shape_uploaded(s);
    free(s->mesh);
    free(s->box);
    free(s->target);
    *s = (MeshesShapes){0};
}

ent_status meshes_shape_create(Meshes* m) {
    MeshesShapes* const s = &m->shape;
    TRY(meshes_shape_fill(m));
    TRY(meshes_shape_buffers_create(m));
    TRY(table_upload(m, &m->mirror.boxes, &s->boxes, s->box, s->box_count * sizeof *s->box));
    TRY(table_upload(m, &m->mirror.targets, &s->targets, s->masked,
                     s->target_count * sizeof *s->masked));
    TRY(table_upload(m, &m->mirror.masks, &s->masks, s->mask, s->mask_count * sizeof *s->mask));
    meshes_shape_uploaded(s);
    return ENT_OK;
}
