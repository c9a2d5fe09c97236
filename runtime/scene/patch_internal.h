/* patch_internal.h - declarations that the source files of patches share.
 *
 * patch_match.c  matches the entities of two blobs
 * patch_saved.c  matches those of a level and a save
 * patch.c        finds the differences between matched entities
 * patch_apply.c  applies a patch to a world */
#ifndef ENT_PATCH_INTERNAL_H
#define ENT_PATCH_INTERNAL_H

#include "base.h"
#include "patch.h"

/* Entities of one blob. */
typedef struct PatchSide {
    const Blob* blob;
    u32         count;
    const u32*  parent; /* [count] */
    const u32*  offset; /* [count] of names; NULL: there are none */
    const char* names;
    const u32*  id;    /* [count] persistent ids by which they are matched first, or 0: those
                          without a name are not matched by their position then. NULL: by paths */
    u32*        match; /* [count] the same entity of the other blob, or NONE */
} PatchSide;

/* [entities of the blob] their parents; NULL when there are none. */
static inline const u32* patch_parents(const Blob* blob) {
    const BlobSection* s = ent_blob_section(blob, SECTION_PARENT);
    return s ? (const u32*)ent_blob_data(blob, s) : NULL;
}

/* The number of words of memory that matching needs for these numbers of entities. */
size_t patch_match_words(u32 old_count, u32 new_count);

/* Fills `match` of both sides. */
void patch_match(PatchSide* old_side, PatchSide* new_side, u32* memory);

#endif
