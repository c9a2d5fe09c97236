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

/* Writes the part of a text that is in front of the last byte of `out`. */
static void path_put(char* out, size_t bytes, size_t at, const char* text, size_t length) {
    if (at + 1 < bytes) memcpy(out + at, text, MIN_OF(length, bytes - 1 - at));
}

/* Is the entity part of the paths of its descendants? */
static bool paths_has(const Paths* p, u32 entity) {
    return entity != NONE && !(p->rooted && entity == 0);
}

size_t ent_blob_path(const Blob* blob, u32 index, char* out, size_t bytes) {
    const Paths p = paths_of(blob);
    size_t      length = 0;
    char        number[16];
    assert(index < p.count);
    for (u32 e = index; paths_has(&p, e); e = p.parent[e])
        length += strlen(paths_name(&p, e, number)) + (e != index); /* a '/' after ancestors */
    if (!paths_has(&p, index)) length = 1;
    if (bytes == 0) return length;
    out[MIN_OF(length, bytes - 1)] = 0;
    if (!paths_has(&p, index)) path_put(out, bytes, 0, ".", 1);
    /* Backwards: each ancestor is visited once, and the depth is not limited. */
    size_t at = length;
    for (u32 e = index; paths_has(&p, e); e = p.parent[e]) {
        const char*  name = paths_name(&p, e, number);
        const size_t name_bytes = strlen(name);
        if (e != index) path_put(out, bytes, --at, "/", 1);
        at -= name_bytes;
        path_put(out, bytes, at, name, name_bytes);
    }
    return length;
}

/* --- path to entity --- */

/* The child of a parent, or for NONE the root, with this name. Children come after their parent. */
static u32 child_find(const Paths* p, u32 parent, const char* name, size_t length) {
    char number[16];
    for (u32 e = parent + 1; e < p->count; e++) { /* NONE + 1 is 0 */
        if (p->parent[e] != parent) continue;
        const char* name_bytes = paths_name(p, e, number);
        if (strncmp(name_bytes, name, length) == 0 && name_bytes[length] == 0) return e;
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
