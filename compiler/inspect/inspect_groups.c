/* inspect_groups.c - the groups of an entity or level, for dump, diff and info. */
#include "inspect_text.h"

#include "pretty.h"

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

/* Its name, or its id when the names were stripped; NULL: the base. */
static const char* group_name(const Blob* blob, u32 group, char id[16]) {
    const char* name = group == NONE ? NULL : ent_blob_group_name(blob, group);
    if (!name || *name) return name;
    snprintf(id, 16, "0x%08x", ent_blob_group_id(blob, group));
    return id;
}

static u32 group_entities(const Blob* blob, u32 group) {
    u32 first, end;
    ent_blob_group_range(blob, group, &first, &end);
    return end - first;
}

static void group_print(const Blob* blob, u32 group) {
    char        id[16];
    const char* name = group_name(blob, group, id);
    printf("%-33s %12u\n", name ? name : "(base)", group_entities(blob, group));
}

static void group_json(Pretty* w, const Blob* blob, u32 group) {
    char        id[16];
    const char* name = group_name(blob, group, id);
    pretty_object(w, NULL);
    if (name)
        pretty_text(w, "name", name);
    else
        pretty_null(w, "name");
    pretty_number(w, "entities", group_entities(blob, group));
    pretty_end(w);
}

void groups_json(Pretty* w, const Blob* blob) {
    const u32 count = ent_blob_group_count(blob);
    if (count == 0) return;
    pretty_array(w, "groups");
    group_json(w, blob, NONE);
    for (u32 i = 0; i < count; i++) group_json(w, blob, i);
    pretty_end(w);
}

void groups_print(const Blob* blob) {
    const u32 count = ent_blob_group_count(blob);
    if (count == 0) return;
    printf("\n%-33s %12s\n", "group", "entities");
    group_print(blob, NONE);
    for (u32 i = 0; i < count; i++) group_print(blob, i);
}
