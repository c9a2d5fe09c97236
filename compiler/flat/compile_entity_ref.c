/* compile_entity_ref.c - resolves the path of an entity in a field. */
#include "compile_rename.h"
#include "diag.h"
#include "flat.h"

/* `reachable`: only entities to which compile->entity may refer. */
static const char* flat_nearest(Compile* c, u32 scope, Text path, bool reachable) {
    ARRAY(const char*) names = {0};
    for (u32 i = scope == NONE ? 0 : scope + 1;
         i < c->flat->entities.count && names.count < FLAT_CANDIDATES_MAX; i++) {
        u32 at = i;
        if (reachable && !flat_group_reaches(c, i)) continue;
        while (at != scope && at != NONE) at = c->flat->entities.at[at].parent;
        const char* name = at == scope ? flat_path(c, c->flat, scope, i) : NULL;
        if (name && !strchr(name, FLAT_NAMELESS)) *array_push(&names) = name;
    }
    const char* near = diag_nearest(path, names.at, names.count);
    array_drop(&names);
    return near;
}

static u32 entity_named(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope,
                        bool reachable) {
    const Text path = compile_text(c, text);
    const u32  entity = c->flat ? flat_find(c, scope, path) : NONE;
    if (entity != NONE) rename_path(c, source, offset, text, scope, entity);
    if (entity != NONE || c->incomplete || c->has_errors) return entity;
    const char* near = NULL;
    if (c->flat && !diag_is_flooded(c->diag)) near = flat_nearest(c, scope, path, reachable);
    diag_error(c->diag, E0306, source, offset, path.bytes + 2,
               "unresolved reference: there is no entity \"%.*s\"%s%s%s%s", (int)path.bytes,
               path.at, scope == NONE ? " in this level" : " below the root of this file",
               DIAG_NEAREST(near));
    return NONE;
}

u32 compile_entity_named(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope) {
    return entity_named(c, source, offset, text, scope, false);
}

u32 compile_entity_ref(Compile* c, const Source* source, u32 offset, JsonString text, u32 scope) {
    const u32 entity = entity_named(c, source, offset, text, scope, true);
    if (entity != NONE && c->flat->groups.count) {
        flat_group_check(c, source, offset, compile_text(c, text), entity);
    }
    return entity;
}
