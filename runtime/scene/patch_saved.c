/* patch_saved.c - finds the entities of a level in a world that was loaded from a save: by persistent
 * id, else by path. */
#include "patch_internal.h"

#include "persistent_manager.h"
#include "world_internal.h"

/* The level, and what its entities are matched with. */
typedef struct Saved {
    PatchSide level, save;
    u32 *     level_id, *save_id; /* persistent ids of all entities; 0: it has none */
    u32*      parent;             /* [entities of the save] */
    u32*      match;              /* memory */
} Saved;

static PatchSide side_of(const Blob* blob) {
    const BlobSection* offset = ent_blob_section(blob, SECTION_NAME_OFFSET);
    PatchSide          side = {
                 .blob = blob, .count = blob->header->element_count, .parent = patch_parents(blob)};
    if (!offset) return side;
    side.offset = ent_blob_data(blob, offset);
    side.names = ent_blob_data(blob, ent_blob_section(blob, SECTION_NAME));
    return side;
}

static size_t saved_carve(Saved* s, u32* at) {
    const size_t a = s->level.count, b = s->save.count;
    size_t       used = 0;
#define CARVE(member, count) (s->member = at ? at + used : NULL, used += (count))
    CARVE(level.match, a);
    CARVE(save.match, b);
    CARVE(level_id, a);
    CARVE(save_id, b);
    CARVE(parent, b);
    CARVE(match, patch_match_words((u32)a, (u32)b));
#undef CARVE
    return MAX_OF(used * sizeof(u32), (size_t)16);
}

static void ids_fill(const Blob* blob, u32 count, u32 seed, u32* id) {
    const ComponentType* type = &ent_component_types()[COMPONENT_PERSISTENT_ID];
    const BlobSection*   s = ent_blob_component(blob, type->id);
    memset(id, 0, sizeof(u32) * count);
    if (!s || s->layout != type->layout) return;
    const u32* owner = ent_blob_data(blob, s);
    const u32* row = ent_blob_column(blob, s, type, 0);
    for (u32 i = 0; i < s->count; i++) id[owner[i]] = ent_persistent_seeded(row[i], seed);
}

/* What the level was spawned below has no place in the paths of the level. */
static void parents_fill(Saved* s, const Entity* loaded, Entity parent) {
    u32 above = 0;
    while (above < s->save.count && (parent == ENTITY_NULL || loaded[above] != parent)) above++;
    for (u32 i = 0; i < s->save.count; i++)
        s->parent[i] = s->save.parent[i] == above ? NONE : s->save.parent[i];
    s->save.parent = s->parent;
}

static bool is_entity_blob(const Blob* blob) {
    const u32 type = blob->header->resource_type;
    return type == RESOURCE_ENTITY || type == RESOURCE_LEVEL;
}

/* Those that nothing identifies: they cannot be distinguished from those that the game destroyed. */
static u32 nameless_count(const Saved* s) {
    u32 count = 0;
    for (u32 i = 0; i < s->level.count; i++) {
        const bool named = s->level.offset && s->level.names[s->level.offset[i]];
        count += !named && s->level_id[i] == 0;
    }
    return count;
}

static ent_status found_report(const World* w, const Saved* s, u32 found) {
    const u32 nameless = nameless_count(s);
    if (nameless)
        world_log(w, LOG_WARNING,
                  "%u of the %u entities of the level have neither a name nor a persistent id: "
                  "they are not found in the save, and a patch does not change them",
                  nameless, s->level.count);
    if (found || s->level.count == 0) return ENT_OK;
    world_log(w, LOG_WARNING, "the save has no entity of the level: none has its path or id");
    return ENT_NOT_FOUND;
}

ent_status ent_saved_entities(World* w, const Blob* save, const Entity* loaded, const Blob* level,
                              const SpawnOptions* options, Entity* entities) {
    const HostAllocator* host = &w->allocator;
    u32                  count = 0;
    if (!is_entity_blob(save) || !is_entity_blob(level)) return ENT_WRONG_TYPE;
    Saved        s = {.level = side_of(level), .save = side_of(save)};
    const size_t bytes = saved_carve(&s, NULL);
    u32*         memory = host->alloc(host->user, bytes);
    if (!memory) return ENT_NO_MEMORY;
    saved_carve(&s, memory);
    ids_fill(level, s.level.count, options ? options->seed : 0, s.level_id);
    ids_fill(save, s.save.count, 0, s.save_id);
    parents_fill(&s, loaded, options ? options->parent : ENTITY_NULL);
    s.level.id = s.level_id, s.save.id = s.save_id;
    patch_match(&s.level, &s.save, s.match);
    for (u32 i = 0; i < s.level.count; i++) {
        const u32 at = s.level.match[i];
        entities[i] = at == NONE ? ENTITY_NULL : loaded[at];
        count += at != NONE;
    }
    const ent_status status = found_report(w, &s, count);
    host->free(host->user, memory, bytes);
    return status;
}
