/* snapshot_types.c - the component types of a save, and their declarations. */
#include "sections.h"
#include "snapshot_internal.h"

void snapshot_types_add(SnapshotTypes* types, const Manager* m) {
    types->type[types->count++] = &m->desc.type;
    if (!m->desc.state) return;
    types->state[types->state_count] = manager_state_type(m);
    types->type[types->count++] = &types->state[types->state_count++];
}

void snapshot_declarations_write(BlobWriter* w, const SnapshotTypes* types) {
    const DeclarationSizes sizes = declarations_measure(types->type, types->count, NULL);
    DeclarationRows        rows = {0};
    rows.declaration = blob_write_section(w, SECTION_DECLARATION, sizes.declarations);
    rows.field = blob_write_section(w, SECTION_DECLARED_FIELD, sizes.fields);
    rows.enum_text = blob_write_section(w, SECTION_ENUM_TEXT, sizes.enum_texts);
    rows.text = blob_write_section(w, SECTION_DECLARATION_TEXT, sizes.text_bytes);
    if (rows.text) declarations_fill(types->type, types->count, NULL, &rows);
}
