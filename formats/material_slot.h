/* material_slot.h - the rules between the fields of a texture of a material. */
#ifndef ENT_MATERIAL_SLOT_H
#define ENT_MATERIAL_SLOT_H

#include "base.h"
#include "material.h"
#include "sections.h"

/* The fields of a texture of a slot without the slot: in a source, it is the key. */
static inline RecordType material_texture_fields(void) {
    RecordType type = *section_record(SECTION_MATERIAL_TEXTURE);
    type.fields++;
    type.field_count--;
    return type;
}

/* Returns what is wrong with the strength of a slot, or NULL. */
static inline const char* material_strength_fault(u32 slot, f32 strength) {
    if (slot == MATERIAL_NORMAL) return NULL;
    if (slot == MATERIAL_OCCLUSION)
        return strength >= 0 && strength <= 1 ? NULL : "the strength of occlusion is from 0 to 1";
    return strength == 1 ? NULL : "only the slots normal and occlusion have a strength";
}

#endif
