/* blob_names.c - validates tables of names: the offsets of one section into the text of another. */
#include "validation_internal.h"

#include "utf8.h"

static bool is_segment(u32 text_kind) {
    return text_kind == SECTION_NAME || text_kind == SECTION_GROUP_NAME;
}

/* Where the name at `first` ends; with `why`, where it is invalid. A segment of a path has
 * no '/'; a string may contain any characters. */
static u64 name_check(const u8* text, u64 first, u64 bytes, u32 kind, const char** reason) {
    const bool segment = is_segment(kind), any = kind == SECTION_STRING;
    u64        at = first;
    for (; at < bytes && text[at]; at++) {
        if (!any && (text[at] < 0x20 || text[at] == 0x7f || (segment && text[at] == '/'))) {
            *reason = "contains a character that is not allowed in names";
            return at;
        }
        if (text[at] < 0x80) continue;
        const u32 length = utf8_length((const char*)text + at, (const char*)text + bytes);
        if (length == 0) {
            *reason = "is not valid UTF-8";
            return at;
        }
        at += length - 1;
    }
    if (at == bytes) *reason = "its name does not end with a NUL";
    return at;
}

static u32 name_begin(const NameTable* t, u32 row) {
    u32 offset;
    memcpy(&offset, t->first + (u64)row * t->stride, 4);
    return offset;
}

/* Names follow each other without gaps: row i begins where the name of row i - 1 ended. */
static bool names_search(BlobValidation* g, const NameTable* t, RowRange rows) {
    u64 next = rows.first ? name_begin(t, rows.first) : 0;
    for (u32 i = rows.first; i < rows.end; i++) {
        const u64 at = validation_offset(g, t->first + (u64)i * t->stride);
        if (name_begin(t, i) != next || next >= t->text_bytes) {
            return validation_refuse_value(g, at, t->table, i, "",
                                           "does not begin at the end of the previous name");
        }
        const char* reason = NULL;
        const u64   name_end = name_check(t->text, next, t->text_bytes, t->text_kind, &reason);
        if (reason)
            return validation_refuse_value(g, t->text_offset + name_end, t->table, i, "", reason);
        next = name_end + 1;
    }
    if (rows.end < t->count) return next == name_begin(t, rows.end); /* for several threads */
    if (next == t->text_bytes) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, t->text_offset + next, t->table,
                             "there is text after the last name");
}

bool validation_name_range_check(BlobValidation* g, const NameTable* t, RowRange rows) {
    return validation_names_are_valid(t, rows, is_segment(t->text_kind)) ||
           names_search(g, t, rows);
}

bool validation_name_table_find(const BlobValidation* g, u32 offset_kind, u32 text_kind,
                                u32 first_word, u32 stride, NameTable* out) {
    const BlobSection* rows = validation_section(g, offset_kind);
    const BlobSection* text = validation_section(g, text_kind);
    *out =
        (NameTable){.table = section_name(offset_kind), .stride = stride, .text_kind = text_kind};
    if (rows) out->first = g->bytes + rows->offset + first_word, out->count = rows->count;
    if (!text) return false;
    out->text = g->bytes + text->offset;
    out->text_offset = text->offset, out->text_bytes = text->bytes;
    return rows;
}

bool validation_names_check(BlobValidation* g, u32 offset_kind, u32 text_kind, u32 first_word,
                            u32 stride) {
    NameTable t;
    if (validation_name_table_find(g, offset_kind, text_kind, first_word, stride, &t))
        return validation_name_range_check(g, &t, (RowRange){0, t.count});
    if (!t.first && !t.text) return true;
    return validation_refuse(g->fault, ENT_BAD_FIELD, 0, t.table,
                             "names and their offsets must both be present or both be absent");
}
