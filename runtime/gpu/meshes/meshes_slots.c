/* meshes_slots.c - the mesh instances of a world in places of a table, which the device has a copy of.
 *
 * The places of a mesh follow each other, so that its visible instances follow each other in the list
 * of visible instances: all parts of the mesh are drawn with one range of that list. An instance keeps
 * its place when other instances are added or removed; a free place is drawn by nothing. */
#include "meshes_internal.h"

#include <stdlib.h>

#include "rows.h"

#define SLACK                                                                                      \
    4u /* after the first time, each mesh gets a free place for every four instances, and four */

static const MeshInstance nothing = {ENTITY_NULL, MESHES_NONE, 0, MESHES_NONE};

static Manager* manager_of(const Meshes* m) { return ent_world_built_in(m->world, COMPONENT_MESH); }

/* The row of a mesh in the table; of a mesh that the library does not have, the stand-in's, and a
 * warning for the first one of several entities. */
static u32 mesh_of(Meshes* m, u32 row) {
    const MeshRows rows = ent_mesh_rows(m->world);
    const u32      mesh = gpu_blob_row(&m->meshes.table, rows.record[row].resource);
    const u64      id = resource_id(rows.record[row].resource);
    if (mesh != NONE) return meshes_view_row(m, row, mesh);
    if (id == m->source.missing) return m->meshes.count;
    m->source.missing = id;
    gpu_log(m->gpu, LOG_WARNING,
            "the mesh 0x%016llx of the entity 0x%08x is not loaded: a cube is drawn instead",
            (unsigned long long)id, rows.entity[row]);
    return m->meshes.count;
}

/* --- all instances --- */

static ent_status arrays_create(Meshes* m, u32 rows, u32 places) {
    MeshesSlots* s = &m->slots;
    const u32    row_capacity = rows + rows / 2 + 64;
    meshes_slots_free(m);
    s->slot = malloc(((size_t)places + 1) * sizeof *s->slot);
    s->owner = malloc(((size_t)places + 1) * sizeof *s->owner);
    s->next_free = malloc(((size_t)places + 1) * sizeof *s->next_free);
    s->dirty = malloc(((size_t)places + 1) * sizeof *s->dirty);
    s->is_dirty = calloc((size_t)places + 1, sizeof *s->is_dirty);
    s->free_of = malloc((size_t)MESHES_ROWS(m) * sizeof *s->free_of);
    s->of_row = malloc(row_capacity * sizeof *s->of_row);
    s->rows = malloc(row_capacity * sizeof *s->rows);
    s->watch.changed = calloc(MANAGER_WATCH_WORDS(row_capacity), sizeof(u64));
    if (!s->slot || !s->owner || !s->next_free || !s->dirty || !s->is_dirty || !s->free_of ||
        !s->of_row || !s->rows || !s->watch.changed)
        return ENT_NO_MEMORY;
    s->watch.capacity = row_capacity;
    s->capacity = places;
    return ENT_OK;
}

static u32 shown_of(const MeshRecord* mesh) {
    if (!mesh->visible) return MESHES_UNSEEN;
    return MESHES_RIGID | (mesh->receives_decals ? 0 : MESHES_NO_DECALS);
}

static void slot_fill(Meshes* m, u32 slot, u32 row, u32 mesh) {
    const MeshRows rows = ent_mesh_rows(m->world);
    m->slots.slot[slot] =
        (MeshInstance){rows.entity[row], mesh, shown_of(&rows.record[row]), MESHES_NONE};
    m->slots.owner[slot] = rows.entity[row];
    m->slots.of_row[row] = slot;
    m->slots.moved |= meshes_can_move(m, mesh);
}

/* The places of each mesh: as many as it has instances, and some more when the world has shown that
 * instances are added. */
static u32 ranges_set(Meshes* m, const u32* mesh_of_row, u32 rows) {
    u32 places = 0;
    for (u32 i = 0; i < MESHES_ROWS(m); i++) m->geometry.mesh[i].instance_count = 0;
    for (u32 row = 0; row < rows; row++) m->geometry.mesh[mesh_of_row[row]].instance_count++;
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        const u32 count = m->geometry.mesh[i].instance_count;
        m->geometry.mesh[i].first_instance = places;
        if (m->slots.grows) m->geometry.mesh[i].instance_count += count / SLACK + SLACK;
        places += m->geometry.mesh[i].instance_count;
    }
    return places;
}

static void places_fill(Meshes* m, const u32* mesh_of_row, u32 rows) {
    MeshesSlots* s = &m->slots;
    for (u32 i = 0; i < MESHES_ROWS(m); i++) {
        const u32 first = m->geometry.mesh[i].first_instance,
                  end = first + m->geometry.mesh[i].instance_count;
        s->free_of[i] = NONE;
        for (u32 slot = end; slot-- > first;) {
            s->slot[slot] = nothing;
            s->next_free[slot] = s->free_of[i];
            s->free_of[i] = slot;
        }
    }
    for (u32 row = 0; row < rows; row++) {
        const u32 mesh = mesh_of_row[row], slot = s->free_of[mesh];
        s->free_of[mesh] = s->next_free[slot];
        slot_fill(m, slot, row, mesh);
    }
    s->row_count = rows;
}

ent_status meshes_slots_create(Meshes* m) {
    Manager*  manager = manager_of(m);
    const u32 rows = manager->count;
    u32*      mesh_of_row = malloc(((size_t)rows + 1) * sizeof *mesh_of_row);
    if (!mesh_of_row) return ENT_NO_MEMORY;
    for (u32 row = 0; row < rows; row++) mesh_of_row[row] = mesh_of(m, row);
    const u32        places = ranges_set(m, mesh_of_row, rows);
    const ent_status status = arrays_create(m, rows, places);
    if (status == ENT_OK) {
        places_fill(m, mesh_of_row, rows);
        ent_manager_watch(manager, &m->slots.watch);
        m->slots.watched = true;
        m->slots.grows = true;
    }
    free(mesh_of_row);
    return status;
}

void meshes_slots_free(Meshes* m) {
    MeshesSlots* s = &m->slots;
    const bool   grows = s->grows;
    const u32    renewed = s->renewed;
    if (s->watched) ent_manager_unwatch(manager_of(m), &s->watch);
    free(s->slot);
    free(s->owner);
    free(s->next_free);
    free(s->dirty);
    free(s->is_dirty);
    free(s->free_of);
    free(s->of_row);
    free(s->rows);
    free(s->watch.changed);
    *s = (MeshesSlots){.grows = grows, .renewed = renewed + 1};
}

/* --- changes --- */

void meshes_slot_mark(MeshesSlots* s, u32 slot) {
    if (s->is_dirty[slot]) return;
    s->is_dirty[slot] = 1;
    s->dirty[s->dirty_count++] = slot;
}

static void slot_release(Meshes* m, u32 slot) {
    MeshesSlots* s = &m->slots;
    const u32    mesh = s->slot[slot].mesh;
    s->moved |= meshes_can_move(m, mesh);
    s->slot[slot] = nothing;
    s->next_free[slot] = s->free_of[mesh];
    s->free_of[mesh] = slot;
    meshes_slot_mark(s, slot);
}

static bool slot_take(Meshes* m, u32 row) {
    MeshesSlots* s = &m->slots;
    const u32    mesh = mesh_of(m, row), slot = s->free_of[mesh];
    if (slot == NONE) return false;
    s->free_of[mesh] = s->next_free[slot];
    slot_fill(m, slot, row, mesh);
    meshes_slot_mark(s, slot);
    return true;
}

/* A row that changed may now have another entity: the places of all these rows are released before
 * the first one gets another. */
bool meshes_slots_update(Meshes* m) {
    MeshesSlots*   s = &m->slots;
    const Manager* manager = manager_of(m);
    const u32      before = s->row_count, rows = manager->count;
    bool           fits = true;
    if (s->watch.overflow || rows > s->watch.capacity) return false;
    const u32 changed =
        gpu_columns_take(&s->watch, MAX_OF(rows, before), s->rows, s->watch.capacity);
    for (u32 i = 0; i < changed; i++) {
        if (s->rows[i] < MIN_OF(before, rows)) slot_release(m, s->of_row[s->rows[i]]);
    }
    for (u32 row = rows; row < before; row++) slot_release(m, s->of_row[row]);
    for (u32 i = 0; i < changed && fits; i++) {
        if (s->rows[i] < rows) fits = slot_take(m, s->rows[i]);
    }
    s->row_count = rows;
    return fits;
}

void meshes_slots_clean(Meshes* m) {
    MeshesSlots* s = &m->slots;
    for (u32 i = 0; i < s->dirty_count; i++) s->is_dirty[s->dirty[i]] = 0;
    s->dirty_count = 0;
}
