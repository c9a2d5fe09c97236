/* blob_columns.c - validates complete columns without a branch per row, so that the loops are
 * vectorised. Where a column is invalid, the code in blob_open.c finds the row and the reason. */
#include "validation_internal.h"

#include "fields.h"
#include "hash.h"
#include "search.h"
#include "wide.h"

/* --- references to resources --- */

/* An id as it is stored: equal bytes are equal ids, and 0 is 0, in any byte order. */
static inline u64 reference_word(const void* ref) {
    u64 word;
    memcpy(&word, ref, 8);
    return word;
}

static inline u32 reference_hash(u64 word, u32 slots) {
    return (u32)(word * 0x9e3779b97f4a7c15u >> 32) & (slots - 1);
}

void validation_references_enter(BlobValidation* g, ReferenceSlots* slots) {
    g->reference_slot_count = 0;
    if (g->reference_count == 0 || g->reference_count > VALIDATION_REFERENCE_SLOTS / 2) return;
    u32 count = 4;
    while (count < g->reference_count * 2) count *= 2;
    memset(slots->at, 0, sizeof slots->at[0] * count);
    g->reference_slot = slots->at;
    g->reference_slot_count = count;
    for (u32 i = 0; i < g->reference_count; i++) {
        u32 slot = reference_hash(reference_word(&g->reference[i].id), count);
        while (slots->at[slot]) slot = (slot + 1) & (count - 1);
        slots->at[slot] = (u16)(i + 1);
    }
}

/* In the sorted table. */
static u32 reference_search(const BlobValidation* g, u64 id) {
    Search s = search_between(0, g->reference_count);
    while (search_continues(&s)) {
        search_narrow(&s, resource_id(g->reference[s.middle].id) < id);
    }
    return s.first < g->reference_count && resource_id(g->reference[s.first].id) == id
               ? s.first
               : g->reference_count;
}

static inline u32 reference_find(const BlobValidation* g, const u8* ref) {
    const u32 slots = g->reference_slot_count;
    const u64 word = reference_word(ref);
    if (slots == 0) {
        ResourceRef id;
        memcpy(&id, ref, sizeof id);
        return reference_search(g, resource_id(id));
    }
    for (u32 slot = reference_hash(word, slots); g->reference_slot[slot];
         slot = (slot + 1) & (slots - 1)) {
        const u32 at = g->reference_slot[slot] - 1u;
        if (reference_word(&g->reference[at].id) == word) return at;
    }
    return g->reference_count;
}

u32 validation_reference_find(const BlobValidation* g, ResourceRef ref) {
    return reference_find(g, (const u8*)&ref);
}

/* --- references --- */

static bool resources_are_valid(const BlobValidation* g, const Field* f, const u8* first, u32 count,
                                u32 stride) {
    bool valid = true;
    for (u32 i = 0; i < count && valid; i++) {
        const u8* ref = first + (size_t)i * stride;
        const u32 at = reference_word(ref) ? reference_find(g, ref) : NONE;
        valid = at == NONE ? !f->required
                           : at < g->reference_count && g->reference[at].type == f->refers_to;
    }
    return valid;
}

/* Is every word less than `count`, or NONE? */
static inline bool indices_in(const u8* first, u32 rows, u32 stride, u32 count) {
    u32 wrong = 0;
    for (u32 i = 0; i < rows; i++) {
        u32 index;
        memcpy(&index, first + (size_t)i * stride, 4);
        wrong |= (u32) - (index + 1u > count);
    }
    return !wrong;
}

/* Every word is less than `count`, where `least` is the lowest one. */
static bool texts_in(const u8* first, u32 rows, u32 stride, u32 least, u32 count) {
    u32 wrong = 0;
    for (u32 i = 0; i < rows; i++) {
        u32 index;
        memcpy(&index, first + (size_t)i * stride, 4);
        wrong |= (u32)(index < least) | (u32)(index >= MAX_OF(count, 1u));
    }
    return !wrong;
}

bool validation_links_are_valid(const BlobValidation* g, const Field* f, const u8* first, u32 count,
                                u32 stride) {
    const u32 entities = g->header.element_count;
    switch (field_form(f)) {
    case FORM_RESOURCE: return resources_are_valid(g, f, first, count, stride);
    case FORM_TEXT: return texts_in(first, count, stride, f->required ? 1 : 0, g->string_count);
    default: break;
    }
    return stride == 4 ? indices_in(first, count, 4, entities)
                       : indices_in(first, count, stride, entities);
}

static inline WIDE_BODY bool owners_ascend(const u32* owner, u32 count, u32 least) {
    u32 wrong = 0;
    if (least) {
        for (u32 i = 1; i < count; i++) wrong |= (u32) - (owner[i] <= owner[i - 1]);
    } else {
        for (u32 i = 1; i < count; i++) wrong |= (u32) - (owner[i] < owner[i - 1]);
    }
    return !wrong;
}

WIDE_TARGET static bool owners_ascend_wide(const u32* owner, u32 count, u32 least) {
    return owners_ascend(owner, count, least);
}

/* Ascending numbers are less than a limit if the last one is. */
bool validation_owners_are_valid(const u32* owner, u32 count, u32 entities, u32 least) {
    assert(least <= 1);
    return owner[count - 1] < entities &&
           (wide_is_available() ? owners_ascend_wide(owner, count, least)
                                : owners_ascend(owner, count, least));
}

/* --- names --- */

/* Bytes that are counted together: a byte counts at most 255 of them. */
#define NAME_BYTES 240u

typedef struct NameBytes {
    u32 ends;
    u8  wrong;
} NameBytes;

static inline WIDE_BODY NameBytes name_bytes_of(const u8* text, u32 bytes, u8 apart) {
    u8 ends = 0, wrong = 0;
    for (u32 i = 0; i < bytes; i++) {
        const u8 c = text[i], end = (u8) - (c == 0); /* 0 or 255, as a vector compares */
        const u8 low = (u8) - ((int8_t)c < 0x20);    /* signed: also from 0x80 on */
        ends = (u8)(ends - end);
        wrong |= (u8)((low & ~end) | (u8) - (c == 0x7f) | (u8) - (c == apart));
    }
    return (NameBytes){ends, wrong};
}

/* Does the text consist of exactly `count` terminated names of plain characters? */
static inline WIDE_BODY bool names_are_plain(const u8* text, u32 bytes, u32 count, bool segment) {
    const u8  apart = segment ? '/' : 0x7f;
    u32       ends = 0, at = 0;
    u8        wrong = 0;
    NameBytes part;
    for (; bytes - at >= NAME_BYTES; at += NAME_BYTES) {
        part = name_bytes_of(text + at, NAME_BYTES, apart);
        ends += part.ends, wrong |= part.wrong;
    }
    part = name_bytes_of(text + at, bytes - at, apart);
    return !(wrong | part.wrong) && ends + part.ends == count && text[bytes - 1] == 0;
}

static inline WIDE_BODY u32 name_offset(const u8* row, u32 stride, u32 i) {
    u32 offset;
    memcpy(&offset, row + (size_t)i * stride, 4);
    return offset;
}

/* There are as many rows as terminators in the text, each row after another terminator, and the
 * first at the beginning of the text: so there are no gaps. */
static inline WIDE_BODY bool names_follow(const u8* row, u32 rows, u32 stride, const u8* text,
                                          u32 bytes) {
    u32 wrong = name_offset(row, stride, 0);
    u8  between = 0;
    for (u32 i = 1; i < rows; i++) {
        wrong |= (u32) - (name_offset(row, stride, i) <= name_offset(row, stride, i - 1));
    }
    if (wrong || name_offset(row, stride, rows - 1) >= bytes) return false;
    for (u32 i = 1; i < rows; i++) between |= text[name_offset(row, stride, i) - 1];
    return between == 0;
}

WIDE_TARGET static bool names_are_valid_wide(const u8* row, u32 rows, const u8* text, u32 bytes,
                                             bool segment) {
    return names_are_plain(text, bytes, rows, segment) && names_follow(row, rows, 4, text, bytes);
}

bool validation_names_are_valid(const u8* row, u32 rows, u32 stride, const u8* text, u32 bytes,
                                bool segment) {
    if (stride == 4 && wide_is_available()) {
        return names_are_valid_wide(row, rows, text, bytes, segment);
    }
    return names_are_plain(text, bytes, rows, segment) &&
           (stride == 4 ? names_follow(row, rows, 4, text, bytes)
                        : names_follow(row, rows, stride, text, bytes));
}
