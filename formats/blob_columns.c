/* blob_columns.c - validates complete columns without a branch per row, so that the loops are
 * vectorised. Where a column is invalid, the code in blob_open.c finds the row and the reason. */
#include "validation_internal.h"

#include "fields.h"
#include "hash.h"
#include "record_words.h"
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

/* --- buckets of ids of one type --- */

#define REFERENCE_BYTES_MIN (16u << 10) /* a shorter blob has too few references to resources */

static inline WIDE_BODY u32 bucket_of(u64 word, u64 factor, u32 shift) {
    return (u32)(word * factor >> shift);
}

/* False: a bucket has too many ids, or too few fit. */
static bool buckets_fill(const BlobValidation* g, u32 type, ReferenceBuckets* out,
                         ReferenceBucket* bucket) {
    const u32 count = 1u << (64 - out->shift);
    const u64 other = 1; /* an id that is not in bucket 0, as 0 is */
    if (bucket_of(other, out->factor, out->shift) == 0) return false;
    memset(bucket, 0, sizeof *bucket * count);
    for (u32 k = 0; k < REFERENCE_BUCKET_IDS; k++) bucket[0].id[k] = other;
    for (u32 i = 0; i < g->reference_count; i++) {
        const u64 word = reference_word(&g->reference[i].id);
        const u32 at = bucket_of(word, out->factor, out->shift);
        const u64 empty = at ? 0 : other;
        u32       k = 0;
        if (g->reference[i].type != type) continue;
        while (k < REFERENCE_BUCKET_IDS && bucket[at].id[k] != empty) k++;
        if (k == REFERENCE_BUCKET_IDS) return false;
        bucket[at].id[k] = word;
    }
    out->at = bucket;
    return true;
}

/* Several factors are tried, because ids that share a bucket with one rarely do with another. */
static u32 buckets_enter(BlobValidation* g, u32 type, ReferenceBucket* bucket, u32 room) {
    ReferenceBuckets* out = &g->buckets[type];
    u32               found = 0, bits = 2;
    for (u32 i = 0; i < g->reference_count; i++) found += g->reference[i].type == type;
    while (1u << bits < found * 2) bits++;
    if (found == 0 || 1u << bits > room) return 0;
    out->shift = 64 - bits;
    out->factor = 0x9e3779b97f4a7c15u;
    for (u32 attempt = 0; attempt < 8; attempt++, out->factor *= 0xd1342543de82ef95u) {
        if (buckets_fill(g, type, out, bucket)) return 1u << bits;
    }
    return 0;
}

static void slots_enter(BlobValidation* g, ReferenceSlots* slots) {
    u32 count = 4;
    if (g->reference_count == 0 || g->reference_count > VALIDATION_REFERENCE_SLOTS / 2) return;
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

void validation_references_enter(BlobValidation* g, ReferenceSlots* slots) {
    u32 used = 0;
    g->reference_slot_count = 0;
    slots_enter(g, slots);
    if (g->reference_count > VALIDATION_REFERENCE_BUCKETS || g->size < REFERENCE_BYTES_MIN) return;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        used += buckets_enter(g, type, slots->bucket + used, VALIDATION_REFERENCE_BUCKETS - used);
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

/* Compares a reference with all ids of its bucket, of which at most one is equal. */
static inline WIDE_BODY u64 resources_found_body(const ReferenceBuckets* b, const u8* first,
                                                 u32 count, u32 stride) {
    const ReferenceBucket* const at = b->at;
    const u64                    factor = b->factor;
    const u32                    shift = b->shift;
    ReferenceLanes               found = {0};
    for (u32 i = 0; i < count; i++) {
        const u64 word = reference_word(first + (size_t)i * stride);
        found -= (ReferenceLanes)(at[bucket_of(word, factor, shift)].id ==
                                  (ReferenceLanes){word, word, word, word});
    }
    return found[0] + found[1] + found[2] + found[3];
}
WIDE_VERSIONS(u64, resources_found,
              (const ReferenceBuckets* b, const u8* first, u32 count, u32 stride),
              (b, first, count, stride))

static u32 resources_null(const u8* first, u32 count, u32 stride) {
    u32 nulls = 0;
    for (u32 i = 0; i < count; i++) nulls += reference_word(first + (size_t)i * stride) == 0;
    return nulls;
}

static bool resources_are_valid(const BlobValidation* g, const Field* f, const u8* first, u32 count,
                                u32 stride) {
    const u32               type = f->refers_to < RESOURCE_COUNT ? f->refers_to : RESOURCE_NONE;
    const ReferenceBuckets* buckets = &g->buckets[type]; /* of RESOURCE_NONE there are none */
    bool                    valid = true;
    if (buckets->at) {
        const u32 nulls = f->required ? 0 : resources_null(first, count, stride);
        return nulls + resources_found(buckets, first, count, stride) == count;
    }
    for (u32 i = 0; i < count && valid; i++) {
        const u8* ref = first + (size_t)i * stride;
        const u32 at = reference_word(ref) ? reference_find(g, ref) : NONE;
        valid = at == NONE ? !f->required
                           : at < g->reference_count && g->reference[at].type == f->refers_to;
    }
    return valid;
}

/* Is every word less than `count`, or NONE? */
static inline WIDE_BODY bool indices_in(const u8* first, u32 rows, u32 stride, u32 count) {
    u32 wrong = 0;
    for (u32 i = 0; i < rows; i++) {
        u32 index;
        memcpy(&index, first + (size_t)i * stride, 4);
        wrong |= (u32) - (index + 1u > count);
    }
    return !wrong;
}

static inline WIDE_BODY bool indices_adjacent_body(const u8* first, u32 rows, u32 count) {
    return indices_in(first, rows, 4, count);
}
WIDE_VERSIONS(bool, indices_adjacent, (const u8* first, u32 rows, u32 count), (first, rows, count))

/* Every word is less than `count`, where `least` is the lowest one. */
static bool texts_in(const u8* first, u32 rows, u32 stride, u32 min, u32 count) {
    u32 wrong = 0;
    for (u32 i = 0; i < rows; i++) {
        u32 index;
        memcpy(&index, first + (size_t)i * stride, 4);
        wrong |= (u32)(index < min) | (u32)(index >= MAX_OF(count, 1u));
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
    return stride == 4 ? indices_adjacent(first, count, entities)
                       : indices_in(first, count, stride, entities);
}

/* --- rows --- */

/* Rows whose words are compared one field after another while they are in the first cache. */
#define ROWS_BYTES 16384u
/* Of fewer, the fields are validated one by one: the bounds of all words would take longer. */
#define ROWS_MIN 64u

static bool field_is_linked(const Field* f) {
    const FieldForm form = field_form(f);
    return form == FORM_RESOURCE || form == FORM_ENTITY || form == FORM_TEXT;
}

/* What bounds of words do not state. */
static bool field_rest_is_valid(const BlobValidation* g, const Field* f, const u8* first, u32 count,
                                u32 stride) {
    bool valid = true;
    if (field_form(f) == FORM_UNIT) return field_first_fault(f, first, count, stride) == count;
    if (!field_is_linked(f)) return true;
    for (u32 e = 0; e < f->bytes; e += field_element_bytes(f)) {
        valid &= validation_links_are_valid(g, f, first + e, count, stride);
    }
    return valid;
}

bool validation_rows_are_valid(const BlobValidation* g, const Field* fields, u32 field_count,
                               const u8* first, u32 count, u32 stride) {
    const u32  max = MAX_OF(ROWS_BYTES / stride, 1u);
    WordBounds bounds;
    bool       valid = true;
    if (count < ROWS_MIN) return false;
    if (field_count == 1 && !field_is_linked(fields) && !field_is_array(fields))
        return field_first_fault(fields, first, count, stride) == count;
    if (!word_bounds_make(&bounds, fields, field_count, stride)) return false;
    for (u32 row = 0, rows; row < count && valid; row += rows) {
        const u8* part = first + (size_t)row * stride;
        rows = MIN_OF(count - row, max);
        valid = word_bounds_hold(&bounds, part, rows);
        for (u32 i = 0; i < field_count && valid; i++) {
            const u8* at = part + fields[i].offset - fields[0].offset;
            valid = field_rest_is_valid(g, &fields[i], at, rows, stride);
        }
    }
    return valid;
}

/* --- entities --- */

static inline WIDE_BODY bool owners_ascend_body(const u32* owner, u32 count, u32 min) {
    u32 wrong = 0;
    if (min) {
        for (u32 i = 1; i < count; i++) wrong |= (u32) - (owner[i] <= owner[i - 1]);
    } else {
        for (u32 i = 1; i < count; i++) wrong |= (u32) - (owner[i] < owner[i - 1]);
    }
    return !wrong;
}

WIDE_VERSIONS(bool, owners_ascend, (const u32* owner, u32 count, u32 min), (owner, count, min))

/* Ascending numbers are less than a limit if the last one is. */
bool validation_owners_are_valid(const u32* owner, u32 count, u32 entities, u32 min) {
    assert(min <= 1);
    return owner[count - 1] < entities && owners_ascend(owner, count, min);
}

static inline WIDE_BODY bool parents_precede_body(const u32* parent, u32 count) {
    u32 wrong = 0;
    for (u32 i = 0; i < count; i++) wrong |= (u32) - (parent[i] + 1 > i); /* NONE + 1 is 0 */
    return !wrong;
}
WIDE_VERSIONS(bool, parents_precede, (const u32* parent, u32 count), (parent, count))

bool validation_parents_precede(const u32* parent, u32 count) {
    return parents_precede(parent, count);
}

/* --- names --- */

#define NAME_ROWS 1024u /* whose text is still in the cache when their offsets are compared */

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
static inline WIDE_BODY bool names_are_plain_body(const u8* text, u32 bytes, u32 count, u8 apart) {
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
WIDE_VERSIONS(bool, names_are_plain, (const u8* text, u32 bytes, u32 count, u8 apart),
              (text, bytes, count, apart))

static inline WIDE_BODY u32 name_offset(const u8* row, u32 stride, u32 i) {
    u32 offset;
    memcpy(&offset, row + (size_t)i * stride, 4);
    return offset;
}

/* Are the offsets of the rows in ascending order, and behind that of the row before? */
static inline WIDE_BODY bool name_offsets_ascend(const u8* row, RowRange rows, u32 stride) {
    u32 wrong = 0;
    for (u32 i = MAX_OF(rows.first, 1u); i < rows.end; i++) {
        wrong |= (u32) - (name_offset(row, stride, i) <= name_offset(row, stride, i - 1));
    }
    return !wrong;
}

/* The bits of the bytes before the names of rows (first, end), which are behind the first byte. */
static inline WIDE_BODY u8 names_between(const NameTable* t, u32 stride, RowRange rows) {
    const u8 *row = t->first, *text = t->text;
    u8        a = 0, b = 0, c = 0, d = 0;
    u32       i = rows.first + 1;
    for (; i + 4 <= rows.end; i += 4) {
        a |= text[name_offset(row, stride, i) - 1], b |= text[name_offset(row, stride, i + 1) - 1];
        c |= text[name_offset(row, stride, i + 2) - 1],
            d |= text[name_offset(row, stride, i + 3) - 1];
    }
    for (; i < rows.end; i++) a |= text[name_offset(row, stride, i) - 1];
    return a | b | c | d;
}

/* The names of the rows are the text from that of the first one to that of the row behind them, or to the end of the
 * text. There are as many terminators as rows, and one before each further row and at the end: so there are no
 * others. */
static inline WIDE_BODY bool names_in(const NameTable* t, u32 stride, RowRange rows, u32 text_end,
                                      u8 apart) {
    const u32 begin = name_offset(t->first, stride, rows.first);
    return names_are_plain(t->text + begin, text_end - begin, rows_count(rows), apart) &&
           names_between(t, stride, rows) == 0;
}

/* `stride` is that of the table: a constant where it is usual. */
static inline WIDE_BODY bool names_follow_body(const NameTable* t, u32 stride, RowRange rows,
                                               u8 apart) {
    const u32 bytes = (u32)t->text_bytes;
    for (RowRange part = rows; part.first < rows.end; part.first = part.end) {
        part.end = MIN_OF(rows.end, part.first + NAME_ROWS);
        const u32 beyond = MIN_OF(t->count, part.end + 1);
        if (!name_offsets_ascend(t->first, (RowRange){part.first, beyond}, stride)) return false;
        if (name_offset(t->first, stride, beyond - 1) >= bytes) return false;
        const u32 text_end = part.end < t->count ? name_offset(t->first, stride, part.end) : bytes;
        if (!names_in(t, stride, part, text_end, apart)) return false;
    }
    return rows.first > 0 || name_offset(t->first, stride, 0) == 0;
}

static inline WIDE_BODY bool names_adjacent_body(const NameTable* t, RowRange rows, u8 apart) {
    return names_follow_body(t, 4, rows, apart);
}
WIDE_VERSIONS(bool, names_adjacent, (const NameTable* t, RowRange rows, u8 apart), (t, rows, apart))

bool validation_names_are_valid(const NameTable* t, RowRange rows, bool segment) {
    const u8 apart = segment ? '/' : 0x7f;
    return t->stride == 4 ? names_adjacent(t, rows, apart)
                          : names_follow_body(t, t->stride, rows, apart);
}
