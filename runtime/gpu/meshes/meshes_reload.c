/* meshes_reload.c - meshes and materials that the library has changed: all are taken, or none. Meshes that did not change
 * are copied on the device, when others need more or less room. */
#include "meshes_internal.h"

#include <stdlib.h>

/* What the device has, while the next tables are made. */
typedef struct Former {
    GpuBlobs       meshes, materials;
    MeshesGeometry geometry;
    MeshesShapes   shape;
} Former;

typedef struct Reload {
    Former    former;
    bool      keeps_rows;      /* a mesh has the row that it had */
    bool      is_lost;         /* the device may have nothing of what was uploaded */
    bool      has_meshes;      /* some changed, or are new, also as views */
    bool      has_views;       /* the world replaces other materials */
    bool      has_new_streams; /* of vertices and indices */
    bool      has_new_tables;
    bool      has_new_shape_pool;
    u8*       is_new; /* [meshes.count] it is uploaded */
    GpuSpan   span;   /* of what is uploaded of these, in their order */
    GpuFrame* frame;
} Reload;

/* --- what is new --- */

static ent_status changes_find(const Meshes* m, Reload* r) {
    r->is_new = calloc((size_t)m->meshes.count + 1, sizeof *r->is_new);
    if (!r->is_new) return ENT_NO_MEMORY;
    for (u32 i = 0; i < m->meshes.count; i++) {
        r->is_new[i] = r->is_lost || !r->keeps_rows || i >= r->former.meshes.count ||
                       gpu_blob_changed(&m->source.taken, m->source.library, m->meshes.at[i]);
        r->has_meshes |= r->is_new[i];
    }
    r->has_meshes |= m->meshes.count != r->former.meshes.count || r->has_views;
    return ENT_OK;
}

static bool streams_fit(const Meshes* m, const Former* former) {
    const MeshesGeometry *now = &m->geometry, *then = &former->geometry;
    return m->meshes.count == former->meshes.count &&
           memcmp(now->placed, then->placed, (m->meshes.count + 1) * sizeof *now->placed) == 0;
}

static bool tables_fit(const Meshes* m, const Former* former) {
    const MeshesGeometry* then = &former->geometry;
    return MESHES_ROWS(m) * sizeof(MeshRow) <= then->meshes_table.bytes &&
           m->geometry.part_count * sizeof(MeshPart) <= then->parts.bytes &&
           MESHES_MATERIALS(m) * sizeof(MeshMaterial) <= then->material_table.bytes;
}

static bool shapes_fit(const MeshesShapes* now, const MeshesShapes* then) {
    return now->box_count * sizeof *now->box <= then->boxes.bytes &&
           now->target_count * sizeof *now->masked <= then->targets.bytes &&
           now->mask_count * sizeof *now->mask <= then->masks.bytes;
}

/* --- buffers --- */

static ent_status geometry_buffers(Meshes* m, Reload* r, GpuProblem* problem) {
    MeshesGeometry *const now = &m->geometry, *const then = &r->former.geometry;
    r->has_new_streams = !streams_fit(m, &r->former);
    r->has_new_tables = !tables_fit(m, &r->former);
    if (r->has_new_streams) {
        TRY(meshes_streams_create(m, problem));
    } else {
        now->pool = then->pool;
        now->vertices = then->vertices;
        now->indices = then->indices;
    }
    if (r->has_new_tables) return meshes_tables_create(m, true);
    now->table_pool = then->table_pool;
    now->meshes_table = then->meshes_table;
    now->parts = then->parts;
    now->material_table = then->material_table;
    return ENT_OK;
}

static ent_status shape_next(Meshes* m, Reload* r) {
    const MeshesShapes* const then = &r->former.shape;
    TRY(meshes_shape_fill(m));
    r->has_new_shape_pool = !shapes_fit(&m->shape, then);
    if (r->has_new_shape_pool) return meshes_shape_buffers_create(m);
    m->shape.pool = then->pool;
    m->shape.boxes = then->boxes;
    m->shape.targets = then->targets;
    m->shape.masks = then->masks;
    return ENT_OK;
}

/* The stand-in is uploaded too when the device may have lost it. */
static bool is_uploaded(const Meshes* m, const Reload* r, u32 mesh) {
    return mesh < m->meshes.count ? r->is_new[mesh] : r->is_lost;
}

static ent_status spans_take(const Meshes* m, Reload* r) {
    u64 words = 0;
    for (u32 i = 0; i <= m->meshes.count; i++)
        if (is_uploaded(m, r, i))
            words += m->geometry.placed[i].words + m->geometry.placed[i].indices;
    if (words == 0) return ENT_OK;
    TRY(gpu_frame_take(r->frame, words * sizeof(u32), &r->span));
    u8* at = r->span.at;
    for (u32 i = 0; i <= m->meshes.count; i++) {
        if (!is_uploaded(m, r, i)) continue;
        const MeshesPlaced* placed = &m->geometry.placed[i];
        meshes_streams_write(m, i, at, at + placed->words * sizeof(u32));
        at += (placed->words + placed->indices) * sizeof(u32);
    }
    return ENT_OK;
}

/* All that can fail. */
static ent_status next_create(Meshes* m, Reload* r, GpuProblem* problem) {
    const Library* library = m->source.library;
    TRY(gpu_blobs_find(&m->meshes, library, RESOURCE_MESH));
    TRY(gpu_blobs_find(&m->materials, library, RESOURCE_MATERIAL));
    TRY(meshes_views_find(m));
    TRY(changes_find(m, r));
    if (r->has_meshes) m->shape = (MeshesShapes){0};
    TRY(meshes_geometry_fill(m, problem));
    if (r->has_meshes) TRY(shape_next(m, r));
    TRY(geometry_buffers(m, r, problem));
    return spans_take(m, r);
}

/* --- commands --- */

static void copy(const Reload* r, const GpuBuffer* from, u64 from_word, const GpuBuffer* to,
                 u64 to_word, u64 words) {
    gpu_copy(&r->frame->list, &(GpuCopy){.name = "upload",
                                         .from = from,
                                         .to = to,
                                         .from_offset = from_word * sizeof(u32),
                                         .to_offset = to_word * sizeof(u32),
                                         .bytes = words * sizeof(u32)});
}

static void streams_record(const Meshes* m, const Reload* r) {
    const MeshesGeometry *now = &m->geometry, *then = &r->former.geometry;
    u64                   word = 0;
    for (u32 i = 0; i <= m->meshes.count; i++) {
        const MeshesPlaced *to = &now->placed[i], *from;
        if (is_uploaded(m, r, i)) {
            copy(r, &r->span.buffer, word, &now->vertices, to->word, to->words);
            copy(r, &r->span.buffer, word + to->words, &now->indices, to->index, to->indices);
            word += to->words + to->indices;
        } else if (r->has_new_streams) {
            from = &then->placed[i < m->meshes.count ? i : r->former.meshes.count];
            copy(r, &then->vertices, from->word, &now->vertices, to->word, to->words);
            copy(r, &then->indices, from->index, &now->indices, to->index, to->indices);
        }
    }
}

static ent_status tables_record(Meshes* m, const Reload* r) {
    const MeshesGeometry* g = &m->geometry;
    const MeshesShapes*   s = &m->shape;
    GpuFrame* const       frame = r->frame;
    TRY(gpu_mirror_upload(&m->mirror.parts, frame, &g->parts, g->part,
                          g->part_count * sizeof *g->part));
    TRY(gpu_mirror_upload(&m->mirror.materials, frame, &g->material_table, g->material,
                          MESHES_MATERIALS(m) * sizeof *g->material));
    if (!r->has_meshes) return ENT_OK;
    TRY(gpu_mirror_upload(&m->mirror.boxes, frame, &s->boxes, s->box,
                          s->box_count * sizeof *s->box));
    TRY(gpu_mirror_upload(&m->mirror.targets, frame, &s->targets, s->masked,
                          s->target_count * sizeof *s->masked));
    return gpu_mirror_upload(&m->mirror.masks, frame, &s->masks, s->mask,
                             s->mask_count * sizeof *s->mask);
}

static void former_retire(Reload* r) {
    Former* const f = &r->former;
    if (r->has_new_streams) gpu_frame_retire_pool(r->frame, &f->geometry.pool);
    if (r->has_new_tables) gpu_frame_retire_pool(r->frame, &f->geometry.table_pool);
    if (r->has_new_shape_pool) gpu_frame_retire_pool(r->frame, &f->shape.pool);
    meshes_geometry_free(&f->geometry);
    if (r->has_meshes) meshes_shape_free(&f->shape);
    gpu_blobs_free(&f->meshes);
    gpu_blobs_free(&f->materials);
}

/* --- all of it, or nothing --- */

static bool surfaces_differ(const Meshes* m, const Former* former) {
    const MeshesGeometry *now = &m->geometry, *then = &former->geometry;
    if (now->draws != then->draws || now->part_count != then->part_count ||
        m->materials.count != former->materials.count)
        return true;
    return memcmp(now->part, then->part, now->part_count * sizeof *now->part) != 0 ||
           memcmp(now->material, then->material, MESHES_MATERIALS(m) * sizeof *now->material) != 0;
}

static void next_take(Meshes* m, Reload* r) {
    MeshesSource* const source = &m->source;
    source->renews |= r->has_meshes || r->has_new_tables || r->has_new_streams ||
                      m->geometry.draws != r->former.geometry.draws ||
                      m->geometry.level_max != r->former.geometry.level_max;
    if (!source->renews) { /* places keep their instances */
        for (u32 i = 0; i < MESHES_ROWS(m); i++) {
            m->geometry.mesh[i].first_instance = r->former.geometry.mesh[i].first_instance;
            m->geometry.mesh[i].instance_count = r->former.geometry.mesh[i].instance_count;
        }
    }
    streams_record(m, r);
    const ent_status tables = tables_record(m, r);
    if (tables != ENT_OK && r->frame->list.status == ENT_OK) r->frame->list.status = tables;
    if (r->has_meshes) meshes_shape_uploaded(&m->shape);
    const bool is_seen = r->has_meshes || surfaces_differ(m, &r->former);
    former_retire(r);
    source->taken = source->seen;
    source->texture_changes = m->lighting->textures.changes;
    source->dropped = r->frame->gpu->dropped;
    if (is_seen) lighting_surfaces_changed(m->lighting);
}

static void next_drop(Meshes* m, Reload* r) {
    if (r->has_new_streams) gpu_pool_destroy(&m->geometry.pool);
    if (r->has_new_tables) gpu_pool_destroy(&m->geometry.table_pool);
    if (r->has_new_shape_pool) gpu_pool_destroy(&m->shape.pool);
    meshes_geometry_free(&m->geometry);
    if (r->has_meshes) meshes_shape_free(&m->shape);
    gpu_blobs_free(&m->meshes);
    gpu_blobs_free(&m->materials);
    m->meshes = r->former.meshes;
    m->materials = r->former.materials;
    m->geometry = r->former.geometry;
    meshes_views_keep(m); /* they are not tried again before something else changes */
    m->shape = r->former.shape;
}

/* The former materials, with the textures where they are now. */
static ent_status layers_refresh(Meshes* m, GpuFrame* frame) {
    MeshesGeometry* const g = &m->geometry;
    MeshMaterial* const   former = g->material;
    const bool            exists = m->source.taken.cleared == m->source.library->cleared;
    ent_status            status = ENT_OK;
    if (exists) status = meshes_materials_fill(m);
    MeshMaterial* const now = exists && status == ENT_OK ? g->material : NULL;
    if (exists && status != ENT_OK) free(g->material);
    g->material = former;
    for (u32 i = 0; i < m->materials.count; i++) {
        for (u32 k = 0; k < MESHES_SLOTS; k++) {
            former[i].texture[k].array = now ? now[i].texture[k].array : MESHES_NONE;
            former[i].texture[k].layer = now ? now[i].texture[k].layer : 0;
        }
    }
    free(now);
    return gpu_mirror_upload(&m->mirror.materials, frame, &g->material_table, former,
                             MESHES_MATERIALS(m) * sizeof *former);
}

/* Pipelines read as many arrays of textures as there are. */
static void pipelines_renew(Meshes* m, GpuFrame* frame) {
    const u32 arrays = gpu_textures_constant(&m->lighting->textures);
    if (m->source.arrays == arrays) return;
    m->source.arrays = arrays;
    for (u32 i = 0; i < MESHES_CLASSES; i++) gpu_frame_retire_pipeline(frame, &m->pipeline[i]);
    for (u32 i = 0; i < MESHES_CASTS; i++) gpu_frame_retire_pipeline(frame, &m->shadow.pipeline[i]);
}

ent_status meshes_reload(Meshes* m, GpuFrame* frame) {
    MeshesSource* const source = &m->source;
    const bool          differs = gpu_seen_differs(&source->seen, source->library);
    Reload              r = {.frame = frame, .is_lost = source->dropped != frame->gpu->dropped};
    GpuProblem          problem = {0};
    pipelines_renew(m, frame);
    const bool moved = source->texture_changes != m->lighting->textures.changes;
    if (source->library->count == 0) { /* cleared: what was uploaded is drawn */
        source->renews |= r.is_lost;
        source->dropped = frame->gpu->dropped;
        return ENT_OK;
    }
    r.has_views = meshes_views_differ(m);
    if (!differs && !r.is_lost && !moved && !r.has_views) return ENT_OK;
    if (!r.is_lost && !moved && !r.has_views &&
        !gpu_seen_concerns(&source->taken, source->library,
                           GPU_OF_TYPE(RESOURCE_MESH) | GPU_OF_TYPE(RESOURCE_MATERIAL))) {
        source->seen = source->taken = gpu_seen(source->library);
        return ENT_OK;
    }
    r.has_views |= m->geometry.views.are_former;
    r.former = (Former){m->meshes, m->materials, m->geometry, m->shape};
    r.keeps_rows = source->taken.cleared == source->library->cleared;
    m->meshes = m->materials = (GpuBlobs){0};
    m->geometry = (MeshesGeometry){0};
    source->seen = gpu_seen(source->library);
    const ent_status before = frame->list.status;
    const ent_status status = next_create(m, &r, &problem);
    if (status == ENT_OK) {
        next_take(m, &r);
    } else {
        next_drop(m, &r);
        frame->list.status = before;
        source->texture_changes = m->lighting->textures.changes;
        const ent_status refreshed = layers_refresh(m, frame);
        if (refreshed != ENT_OK && frame->list.status == ENT_OK) frame->list.status = refreshed;
        if (differs || r.has_views)
            gpu_log(m->gpu, LOG_WARNING,
                    "meshes or materials that changed or were added cannot be used on \"%s\": %s; "
                    "the former ones are drawn",
                    m->gpu->info.name, problem.text[0] ? problem.text : gpu_reason(status));
    }
    free(r.is_new);
    return status == ENT_DEVICE_LOST ? status : frame->list.status;
}
