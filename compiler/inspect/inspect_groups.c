/* inspect_groups.c - the groups of an entity or level, for dump, diff and info. */
#include "inspect_text.h"

void put_group(Writer* w, const BlobTables* tables, u32 group) {
    const char* name = group == NONE ? NULL : ent_blob_group_name(tables->blob, group);
    const char* quote = w->form == TEXT_JSON ? "\"" : "";
    if (!name) {
        put(w, w->form == TEXT_JSON ? "null" : "(base)");
    } else if (*name) {
        put(w, quote);
        put_name(w, name, true);
        put(w, quote);
    } else {
        put_hex(w, tables->groups.row[group].id, 8);
    }
}

static void group_print(const Blob* blob, u32 group) {
    const char* name = group == NONE ? "(base)" : ent_blob_group_name(blob, group);
    char        id[16];
    u32         first, end;
    ent_blob_group_range(blob, group, &first, &end);
    if (!*name) {
        snprintf(id, sizeof id, "0x%08x", ent_blob_group_id(blob, group));
        name = id;
    }
    printf("%-33s %12u\n", name, end - first);
}

void groups_print(const Blob* blob) {
    const u32 count = ent_blob_group_count(blob);
    if (count == 0) return;
    printf("\n%-33s %12s\n", "group", "entities");
    group_print(blob, NONE);
    for (u32 i = 0; i < count; i++) group_print(blob, i);
}
