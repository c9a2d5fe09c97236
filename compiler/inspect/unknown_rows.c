/* unknown_rows.c - see unknown_rows.h. */
#include "unknown_rows.h"

#include "search.h"

static bool is_zero(const u8* at, u64 bytes) {
    u8 any = 0;
    for (u64 i = 0; i < bytes; i++) any |= at[i];
    return any == 0;
}

/* One column of records, or columns of one word each; another mix of columns may have any sizes. */
bool unknown_rows_open(UnknownRows* rows, const Blob* blob, const BlobSection* s) {
    const u8* at = ent_blob_data(blob, s);
    const u32 columns = s->column_count;
    const u64 owners = (u64)s->count * sizeof(u32), start = align_up(owners, BLOB_ALIGN);
    if (columns == 0 || columns > COMPONENT_COLUMNS_MAX || s->stride == 0 || s->stride % 4) {
        return false;
    }
    if (columns > 1 && s->stride != columns * 4) return false;
    const u64 column = columns == 1 ? (u64)s->count * s->stride : owners;
    const u64 step = align_up(column, BLOB_ALIGN);
    if (s->bytes != start + (columns - 1) * step + column) return false;
    if (!is_zero(at + owners, start - owners)) return false;
    for (u32 c = 0; c + 1 < columns; c++) {
        if (!is_zero(at + start + c * step + column, step - column)) return false;
    }
    *rows = (UnknownRows){.owner = (const u32*)(const void*)at,
                          .first = (const u32*)(const void*)(at + start),
                          .count = s->count,
                          .words = s->stride / 4,
                          .columns = columns,
                          .stride = (u32)(step / 4)};
    return true;
}

u32 unknown_rows_word(const UnknownRows* rows, u32 row, u32 word) {
    if (rows->columns == 1) return rows->first[(size_t)row * rows->words + word];
    return rows->first[(size_t)word * rows->stride + row];
}

u32 unknown_rows_first(const UnknownRows* rows, u32 entity) {
    return search_words(rows->owner, rows->count, entity);
}

static bool row_equal(const UnknownRows* a, u32 row_a, const UnknownRows* b, u32 row_b) {
    bool equal = true;
    for (u32 w = 0; w < a->words; w++) {
        equal &= unknown_rows_word(a, row_a, w) == unknown_rows_word(b, row_b, w);
    }
    return equal;
}

bool unknown_rows_equal(const UnknownRows* a, u32 first, u32 count, const UnknownRows* b,
                        u32 entity) {
    const u32 other = unknown_rows_first(b, entity);
    if (unknown_rows_first(b, entity + 1) - other != count) return false;
    bool equal = true;
    for (u32 i = 0; i < count; i++) equal &= row_equal(a, first + i, b, other + i);
    return equal;
}
