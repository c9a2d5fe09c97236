/* snapshot_state.c - restores columns that only the runtime has from a blob. */
#include "sections.h"
#include "snapshot_internal.h"

/* The same instances in the same order: then the state of instance i is row i of the section. */
static bool same_instances(const Blob* blob, const BlobSection* a, const BlobSection* b) {
    return a->count == b->count && memcmp(ent_blob_data(blob, a), ent_blob_data(blob, b),
                                          sizeof(u32) * (size_t)a->count) == 0;
}

ent_status snapshot_state_find(World* w, const Blob* blob, const Manager* m,
                               const BlobSection* instances, bool converted, SnapshotState* out) {
    *out = (SnapshotState){0};
    if (!m->desc.state) return ENT_OK;
    const ComponentType type = manager_state_type(m);
    const BlobSection*  section = ent_blob_component(blob, type.id);
    if (!section) return ENT_OK;
    if (!same_instances(blob, instances, section)) {
        world_log(w, LOG_ERROR, "%s is not of the instances of %s", type.record.name,
                  m->desc.type.record.name);
        return ENT_BAD_FIELD;
    }
    out->section = section;
    return convert_find(w, blob, section, &type, converted ? CONVERT_COPIED : 0, &out->converted);
}

void snapshot_state_restore(Manager* m, const Blob* blob, const SnapshotState* state, u32 first,
                            const SpawnBatch* batch, u32 base) {
    const ComponentType type = manager_state_type(m);
    const u32           record_columns = ent_component_column_count(&m->desc.type);
    for (u32 c = 0; c < type.record.field_count; c++) {
        const size_t bytes = m->column_bytes[record_columns + c];
        u8*          to = (u8*)m->column[record_columns + c] + base * bytes;
        const u8*    from = state->converted ? state->converted->column[c]
                                             : ent_blob_column(blob, state->section, &type, c);
        memcpy(to, from + first * bytes, batch->count * bytes);
        manager_links_resolve(&type.record.fields[c], batch, to, (u32)bytes, batch->count);
    }
}
