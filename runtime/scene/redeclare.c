/* redeclare.c - converts the instances in a world to another declaration of their type. */
#include "redeclare.h"

#include "conversion.h"
#include "fields.h"
#include "spawn_convert_internal.h"
#include "world_internal.h"

/* The instances before and after the conversion, in one block of memory. */
typedef struct Redeclared {
    World*               world;
    Manager*             manager;
    const ComponentType* to;
    ConversionRows       before, after;
} Redeclared;

/* --- the instances of a world --- */

static void* carve(u8* block, size_t* used, size_t bytes) {
    void* at = block ? block + *used : NULL;
    *used += (size_t)align_up(bytes, 16);
    return at;
}

static size_t rows_carve(Redeclared* r, u8* block) {
    const ComponentType* from = &r->manager->desc.type;
    const size_t         count = r->manager->count;
    size_t               used = 0;
    r->before.owner = carve(block, &used, sizeof(u32) * count);
    r->after.owner = carve(block, &used, sizeof(u32) * count);
    for (u32 c = 0; c < ent_component_column_count(from); c++)
        r->before.column[c] = carve(block, &used, count * ent_component_column_bytes(from, c));
    for (u32 c = 0; c < ent_component_column_count(r->to); c++)
        r->after.column[c] = carve(block, &used, count * ent_component_column_bytes(r->to, c));
    return MAX_OF(used, (size_t)16);
}

static void row_gather(Redeclared* r, u32 row) {
    const Manager* m = r->manager;
    const u32      at = r->before.count++;
    r->before.owner[at] = m->entity[row];
    for (u32 c = 0; c < m->column_count; c++) {
        const u32 bytes = m->column_bytes[c];
        memcpy(r->before.column[c] + (size_t)at * bytes, (u8*)m->column[c] + (size_t)row * bytes,
               bytes);
    }
}

/* Those of an entity together, in their order. */
static void rows_gather(Redeclared* r) {
    const Manager* m = r->manager;
    for (u32 row = 0; row < m->count; row++) {
        if (ent_manager_row(m, r->world->entities, m->entity[row]) != row) continue;
        for (u32 at = row; at != MANAGER_NO_ROW; at = ent_manager_next(m, at)) row_gather(r, at);
    }
}

/* A default is that of a blob, in which no entity has another word than in a world. */
static void entities_resolve(Redeclared* r) {
    for (u32 f = 0; f < r->to->record.field_count; f++) {
        const Field* field = &r->to->record.fields[f];
        if (field_form(field) != FORM_ENTITY) continue;
        for (size_t at = 0; at < (size_t)r->after.count * field->bytes; at += sizeof(u32)) {
            u32 word;
            memcpy(&word, r->after.column[f] + at, sizeof word);
            if (word == NONE) word = ENTITY_NULL;
            memcpy(r->after.column[f] + at, &word, sizeof word);
        }
    }
}

/* --- the conversion --- */

static ent_status rows_replace(Redeclared* r, void* kept) {
    WorldRows rows = {.count = r->after.count, .owner = r->after.owner};
    for (u32 c = 0; c < ent_component_column_count(r->to); c++) rows.column[c] = r->after.column[c];
    entities_resolve(r);
    const ent_status status =
        world_manager_replace(r->world, (u32)(r->manager - r->world->manager), r->to, kept, &rows);
    if (status == ENT_EXISTS)
        world_log(r->world, LOG_ERROR,
                  "the instances of %s cannot become those of %s: that is the name of another type",
                  r->manager->desc.type.record.name, r->to->record.name);
    return status;
}

static ent_status rows_convert(Redeclared* r, void* kept) {
    World*               w = r->world;
    const HostAllocator* host = &w->allocator;
    Conversion           c;
    conversion_plan(&c, &r->manager->desc.type, r->to);
    const Field* missing = r->manager->count ? conversion_fault(&c) : NULL;
    if (missing) return convert_missing_report(w, r->to, missing);
    const size_t bytes = rows_carve(r, NULL);
    u8*          block = host->alloc(host->user, bytes);
    if (!block) return ENT_NO_MEMORY;
    rows_carve(r, block);
    rows_gather(r);
    missing = conversion_run(&c, &r->before, &r->after);
    ent_status status = missing ? convert_missing_report(w, r->to, missing) : ENT_OK;
    if (status == ENT_OK) {
        if (r->before.count) conversion_report(&c, convert_line_log, w);
        status = rows_replace(r, kept);
    }
    host->free(host->user, block, bytes);
    return status;
}

/* --- whose type it is --- */

/* Under its name, or an older one. */
static Manager* manager_find(World* w, const ComponentType* type) {
    Manager* m = ent_world_manager(w, type->id);
    for (u32 i = 0; i < w->manager_count && !m; i++) {
        if (conversion_is_former(type, w->manager[i].desc.type.id)) m = &w->manager[i];
    }
    return m;
}

static bool is_declared(const Manager* m) { return m->type_block && !m->plugin; }

static ent_status foreign_check(const World* w, const Manager* m, const ComponentType* type) {
    if (m->desc.type.id == type->id && m->desc.type.layout == type->layout) return ENT_OK;
    world_log(
        w, LOG_ERROR,
        "%s is declared with other fields now, but its instances belong to %s: build it for the "
        "new declaration, and restart",
        type->record.name, m->plugin ? "a plugin" : "the program");
    return ENT_EXISTS;
}

ent_status ent_world_redeclare(World* w, const Blob* blob) {
    const size_t bytes = ent_component_type_bytes(blob);
    if (bytes == 0) return ENT_WRONG_TYPE;
    void* kept = world_keep(w, bytes);
    if (!kept) return ENT_NO_MEMORY;
    const ComponentType type = ent_component_type_open(blob, kept);
    Redeclared          r = {.world = w, .manager = manager_find(w, &type), .to = &type};
    ent_status          status = ENT_NOT_FOUND;
    const bool          declared = r.manager && is_declared(r.manager);
    if (declared && w->spawn_jobs) {
        world_log(w, LOG_ERROR,
                  "the declaration of %s cannot be replaced before all spawn jobs have ended",
                  type.record.name);
        status = ENT_LIMIT;
    } else if (declared) {
        status = rows_convert(&r, kept);
        if (status == ENT_OK) return ENT_OK; /* the manager owns the description now */
    } else if (r.manager) {
        status = foreign_check(w, r.manager, &type);
    }
    world_drop(w, kept);
    return status;
}
