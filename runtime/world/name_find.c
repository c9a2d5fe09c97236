/* name_find.c - entities by the id of their name component. */
#include "hash.h"
#include "rows.h"
#include "world_internal.h"

Entity ent_name_find(World* w, const char* name) {
    const NameRows rows = ent_name_rows(w);
    const u32      id = hash_name(text_of(name));
    for (u32 i = 0; i < rows.count; i++) {
        if (rows.record[i].id == id) return rows.entity[i];
    }
    return ENTITY_NULL;
}
