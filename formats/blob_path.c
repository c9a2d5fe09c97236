/* blob_path.c - paths of entities, as in sources: writes the path of an entity, and finds the
 * entity at a path.
 *
 * A name has no '/' and does not begin with '#', so that a path is unambiguous. */
#include "blob.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base.h"

typedef struct Paths {
    u32         count;
    bool        rooted;      /* entity 0 is "." and is not part of other paths */
    const u32*  parent;      /* [count] */
    const u32*  name_offset; /* [count]; NULL: there are no names */
    const char* names;
} Paths;

static Paths paths_of(const Blob* blob) {
    const BlobSection* parent = ent_blob_section(blob, SECTION_PARENT);
    const BlobSection* offset = ent_blob_section(blob, SECTION_NAME_OFFSET);
    const BlobSection* names = ent_blob_section(blob, SECTION_NAME);
    return (Paths){.count = parent ? parent->count : 0,
                   .rooted = blob->header->resource_type == RESOURCE_ENTITY,
                   .parent = parent ? ent_blob_data(blob, parent) : NULL,
                   .name_offset = offset && names ? ent_blob_data(blob, offset) : NULL,
                   .names = names ? ent_blob_data(blob, names) : NULL};
}

/* The entity's own segment of a path; `number` is a buffer for an entity without a name. */
static const char* paths_name(const Paths* p, u32 entity, char number[16]) {
    const char* name = p->name_offset ? p->names + p->name_offset[entity] : "";
    if (*name) return name;
    snprintf(number, 16, "#%u", entity);
    return number;
}

/* --- entity to path --- */

/* Appends what fits, and counts all of it. */
static void path_put(char* out, size_t bytes, size_t* used, const char* text) {
    const size_t length = strlen(text);
    if (*used < bytes) {
        const size_t fits = MIN_OF(length, bytes - *used - 1);
        memcpy(out + *used, text, fits);
        out[*used + fits] = 0;
    }
    *used += length;
}

size_t ent_blob_path(const Blob* blob, u32 index, char* out, size_t bytes) {
    const Paths p = paths_of(blob);
    size_t      used = 0;
    u32         depth = 0;
    char        number[16];
    assert(index < p.count);
    if (bytes) out[0] = 0;
    if (p.rooted && index == 0) path_put(out, bytes, &used, ".");
    for (u32 e = index; e != NONE; e = p.parent[e]) depth += !(p.rooted && e == 0);
    /* From the root down: each ancestor is searched for again, so that the depth is not limited. */
    for (u32 level = depth; level-- > 0;) {
        u32 e = index;
        for (u32 i = 0; i < level; i++) e = p.parent[e];
        path_put(out, bytes, &used, paths_name(&p, e, number));
        if (level) path_put(out, bytes, &used, "/");
    }
    return used;
}

/* --- path to entity --- */

/* The child of a parent, or for NONE the root, with this name. Children come after their parent. */
static u32 child_find(const Paths* p, u32 parent, const char* name, size_t length) {
    char number[16];
    for (u32 e = parent + 1; e < p->count; e++) { /* NONE + 1 is 0 */
        if (p->parent[e] != parent) continue;
        const char* own = paths_name(p, e, number);
        if (strncmp(own, name, length) == 0 && own[length] == 0) return e;
    }
    return NONE;
}

u32 ent_blob_path_find(const Blob* blob, const char* path) {
    const Paths p = paths_of(blob);
    u32         entity = p.rooted ? 0 : NONE;
    if (p.rooted && p.count && strcmp(path, ".") == 0) return 0;
    for (;;) {
        const size_t length = strcspn(path, "/");
        entity = child_find(&p, entity, path, length);
        if (entity == NONE || path[length] == 0) return entity;
        path += length + 1;
    }
}
