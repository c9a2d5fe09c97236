/* patch_internal.h - what the two halves of making a patch share.
 *
 * patch_match.c  who is the same entity
 * patch.c        what differs between those who are
 * patch_apply.c  a world that follows */
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
    u32*        match; /* [count] the same entity of the other blob, or NONE */
} PatchSide;

/* [entities of the blob] their parents; NULL when there are none. */
static inline const u32* patch_parents(const Blob* blob) {
    const BlobSection* s = ent_blob_section(blob, SECTION_PARENT);
    return s ? (const u32*)ent_blob_data(blob, s) : NULL;
}

/* Words that matching needs of memory, for so many entities in the two blobs. */
size_t patch_match_words(u32 old_count, u32 new_count);

/* Fills `match` of both sides. */
void patch_match(PatchSide* old_side, PatchSide* new_side, u32* memory);

#endif
