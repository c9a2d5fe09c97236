/* meshes_views.c - meshes with other materials: a view has the vertices of its mesh, and parts of its own with the materials
 * that mesh_material puts in place of others. Instances that replace the same materials of a mesh share a view, so that only
 * parts are stored more than once, and all passes draw a view as they draw a mesh. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "rows.h"

static Manager* materials_of(const Meshes* m) {
    return ent_world_built_in(m->world, COMPONENT_MESH_MATERIAL);
}

static Manager* meshes_of(const Meshes* m) { return ent_world_built_in(m->world, COMPONENT_MESH); }

/* --- what a mesh of an entity replaces --- */

/* Writes the pairs of mesh number `number` of an entity; returns how many there are. */
static u32 pairs_take(const Meshes* m, Entity entity, u32 number, MeshesPair* out) {
    const MeshMaterialRows rows = ent_mesh_material_rows(m->world);
    const Manager* const   manager = materials_of(m);
    u32 count = 0, row = ent_manager_row(manager, ent_world_entities(m->world), entity);
    for (; row != MANAGER_NO_ROW; row = ent_manager_next(manager, row)) {
        const MeshMaterialRecord* record = &rows.record[row];
        if (record->mesh != number) continue;
        if (out) out[count] = (MeshesPair){record->replaced, record->material};
        count++;
    }
    return count;
}

/* The number of a mesh among those of its entity. */
static u32 number_of(const Meshes* m, Entity entity, u32 mesh_row) {
    const Manager* const manager = meshes_of(m);
    u32 number = 0, row = ent_manager_row(manager, ent_world_entities(m->world), entity);
    for (; row != mesh_row && row != MANAGER_NO_ROW; row = ent_manager_next(manager, row)) number++;
    return number;
}

/* Is anything replaced of the meshes of an entity? Most worlds replace nothing. */
static bool has_pairs(const Meshes* m, Entity entity) {
    const Manager* const manager = materials_of(m);
    return manager->count &&
           ent_manager_row(manager, ent_world_entities(m->world), entity) != MANAGER_NO_ROW;
}

/* --- views --- */

static int view_order(const MeshesView* a, const MeshesPair* a_pairs, const MeshesView* b,
                      const MeshesPair* b_pairs) {
    const u64 x = resource_id(a->mesh), y = resource_id(b->mesh);
    if (x != y) return x < y ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    return a->count ? memcmp(a_pairs + a->first, b_pairs + b->first, a->count * sizeof *a_pairs)
                    : 0;
}

/* A view before it is sorted. */
typedef struct Wanted {
    MeshesView        view;
    const MeshesPair* pairs;
} Wanted;

static int wanted_order(const void* a, const void* b) {
    const Wanted *x = a, *y = b;
    return view_order(&x->view, x->pairs, &y->view, y->pairs);
}

/* All that the entities of the world want, each once, sorted. `views` is empty. */
static ent_status views_collect(const Meshes* m, MeshesViews* views) {
    const MeshRows rows = ent_mesh_rows(m->world);
    const u32      room = materials_of(m)->count;
    u32            count = 0, pairs = 0;
    if (room == 0) return ENT_OK;
    Wanted* const wanted = malloc(((size_t)room + 1) * sizeof *wanted);
    views->pair = malloc(((size_t)room + 1) * sizeof *views->pair);
    views->at = malloc(((size_t)room + 1) * sizeof *views->at);
    if (wanted && views->pair && views->at) {
        for (u32 row = 0; row < rows.count && count < room; row++) {
            const Entity entity = rows.entity[row];
            if (!has_pairs(m, entity)) continue;
            const u32 found = pairs_take(m, entity, number_of(m, entity, row), views->pair + pairs);
            if (found == 0) continue;
            wanted[count++] = (Wanted){{rows.record[row].resource, pairs, found, 0}, views->pair};
            pairs += found;
        }
        if (count) qsort(wanted, count, sizeof *wanted, wanted_order);
        for (u32 i = 0; i < count; i++)
            if (i == 0 || wanted_order(&wanted[i - 1], &wanted[i]) != 0)
                views->at[views->count++] = wanted[i].view;
    }
    const bool has_memory = wanted && views->pair && views->at;
    free(wanted);
    return has_memory ? ENT_OK : ENT_NO_MEMORY;
}

/* Of all that decides which views there are. */
static u64 world_hash(const Meshes* m) {
    const MeshMaterialRows rows = ent_mesh_material_rows(m->world);
    const MeshRows         meshes = ent_mesh_rows(m->world);
    const Manager* const   manager = meshes_of(m);
    u64                    hash = rows.count;
    for (u32 i = 0; i < rows.count; i++) {
        u32 row = ent_manager_row(manager, ent_world_entities(m->world), rows.entity[i]);
        hash = hash_bytes(&rows.entity[i], sizeof rows.entity[i], hash);
        hash = hash_bytes(&rows.record[i], sizeof rows.record[i], hash);
        for (; row != MANAGER_NO_ROW; row = ent_manager_next(manager, row))
            hash = hash_bytes(&meshes.record[row].resource, sizeof(ResourceRef), hash);
    }
    return hash;
}

bool meshes_views_differ(const Meshes* m) {
    if (materials_of(m)->count == 0)
        return m->geometry.views.count > 0 || m->geometry.views.hash != 0;
    return world_hash(m) != m->geometry.views.hash;
}

void meshes_views_keep(Meshes* m) {
    m->geometry.views.hash = materials_of(m)->count ? world_hash(m) : 0;
    m->geometry.views.are_former = true;
}

ent_status meshes_views_find(Meshes* m) {
    MeshesViews      views = {.hash = materials_of(m)->count ? world_hash(m) : 0};
    const ent_status status = views_collect(m, &views);
    if (status == ENT_OK)
        m->geometry.views = views;
    else
        meshes_views_free(&views);
    return status;
}

void meshes_views_free(MeshesViews* views) {
    free(views->at);
    free(views->pair);
    *views = (MeshesViews){0};
}

u32 meshes_view_row(const Meshes* m, u32 mesh_row, u32 mesh) {
    const MeshRows rows = ent_mesh_rows(m->world);
    const Entity   entity = rows.entity[mesh_row];
    MeshesPair     few[16], *pairs = few;
    if (m->geometry.views.count == 0 || !has_pairs(m, entity)) return mesh;
    const u32  number = number_of(m, entity, mesh_row);
    MeshesView wanted = {rows.record[mesh_row].resource, 0, pairs_take(m, entity, number, NULL), 0};
    if (wanted.count == 0) return mesh;
    if (wanted.count > COUNT_OF(few)) pairs = malloc(wanted.count * sizeof *pairs);
    if (!pairs) return mesh;
    pairs_take(m, entity, number, pairs);
    u32 low = 0, high = m->geometry.views.count;
    while (low < high) {
        const u32 middle = low + (high - low) / 2;
        if (view_order(&m->geometry.views.at[middle], m->geometry.views.pair, &wanted, pairs) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    const bool exists =
        low < m->geometry.views.count &&
        view_order(&m->geometry.views.at[low], m->geometry.views.pair, &wanted, pairs) == 0 &&
        m->geometry.views.at[low].is_drawn;
    if (pairs != few) free(pairs);
    return exists ? m->meshes.count + 1 + low : mesh;
}

/* --- parts --- */

u32 meshes_views_parts(const Meshes* m, u32 view) {
    const u32 mesh = gpu_blob_row(&m->meshes.table, m->geometry.views.at[view].mesh);
    u32       parts, ranges;
    if (mesh == NONE) return 0;
    gpu_blob_rows(m->meshes.at[mesh], SECTION_MESH_PART, &parts);
    gpu_blob_rows(m->meshes.at[mesh], SECTION_LOD_RANGE, &ranges);
    return parts + ranges;
}

/* The material of a part: the first pair that replaces it decides. */
static u32 material_of(const Meshes* m, const MeshesView* view, u32 mesh, ResourceRef material) {
    for (u32 i = view->first; i < view->first + view->count; i++)
        if (resource_id(m->geometry.views.pair[i].replaced) == resource_id(material))
            return meshes_material(m, mesh, m->geometry.views.pair[i].material);
    return meshes_material(m, mesh, material);
}

void meshes_view_fill(Meshes* m, u32 view, u32 first_part) {
    MeshesGeometry* const g = &m->geometry;
    MeshesView* const     at = &m->geometry.views.at[view];
    const u32             mesh = gpu_blob_row(&m->meshes.table, at->mesh);
    const u32             count = meshes_views_parts(m, view);
    MeshRow* const        row = &g->mesh[m->meshes.count + 1 + view];
    u32                   parts;
    at->is_drawn = mesh != NONE; /* the library lacks it: the stand-in is drawn */
    *row = g->mesh[at->is_drawn ? mesh : m->meshes.count];
    if (!at->is_drawn) return;
    const MeshPartRecord* record = gpu_blob_rows(m->meshes.at[mesh], SECTION_MESH_PART, &parts);
    for (u32 i = 0; i < count; i++) {
        g->part[first_part + i] = g->part[row->first_part + i];
        g->part[first_part + i].material = material_of(m, at, mesh, record[i % parts].material);
    }
    row->first_part = first_part;
}
