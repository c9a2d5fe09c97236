/* diff_declared.c - a save contains the declarations of more types than a compiled level: blobs that
 * differ in nothing else have the same content. */
#include "diff_internal.h"

static bool is_declared(u32 kind) {
    return kind == SECTION_DECLARATION || kind == SECTION_DECLARED_FIELD ||
           kind == SECTION_ENUM_TEXT || kind == SECTION_DECLARATION_TEXT;
}

static bool section_equals(const Blob* a, const BlobSection* x, const Blob* b,
                           const BlobSection* y) {
    return x->kind == y->kind && x->identifier == y->identifier && x->layout == y->layout &&
           x->count == y->count && x->bytes == y->bytes &&
           memcmp(ent_blob_data(a, x), ent_blob_data(b, y), x->bytes) == 0;
}

static u32 section_next(const Blob* blob, u32 i) {
    while (i < blob->header->section_count && is_declared(blob->section[i].kind)) i++;
    return i;
}

static bool sections_equal(const Blob* a, const Blob* b) {
    u32 i = section_next(a, 0), k = section_next(b, 0);
    while (i < a->header->section_count && k < b->header->section_count) {
        if (!section_equals(a, &a->section[i], b, &b->section[k])) return false;
        i = section_next(a, i + 1), k = section_next(b, k + 1);
    }
    return i == a->header->section_count && k == b->header->section_count;
}

/* The rows of one declaration alone, so that they do not depend on those around it. */
static u8* rows_alone(Arena* arena, const DeclarationParts* part, size_t* bytes) {
    const ComponentType type =
        declared_type_open(part, arena_alloc(arena, declared_type_bytes(part)));
    const ComponentType*   types = &type;
    const DeclarationSizes sizes = declarations_measure(&types, 1, NULL);
    const size_t           fields = sizeof(DeclaredFieldRecord) * sizes.fields;
    const size_t           texts = sizeof(EnumTextRecord) * sizes.enum_texts;
    *bytes = sizeof(DeclarationRecord) + fields + texts + sizes.text_bytes;
    u8*             at = arena_alloc(arena, *bytes);
    DeclarationRows rows = {.declaration = (DeclarationRecord*)(void*)at};
    rows.field = (DeclaredFieldRecord*)(void*)(rows.declaration + 1);
    rows.enum_text = (EnumTextRecord*)(void*)((u8*)rows.field + fields);
    rows.text = (char*)rows.enum_text + texts;
    declarations_fill(&types, 1, NULL, &rows);
    return at;
}

/* Are the declarations of the types that both blobs declare equal? */
static bool declarations_agree(Arena* arena, const Blob* a, const Blob* b) {
    const DeclarationParts all = declaration_parts(a);
    DeclarationParts       part = {0};
    while (declaration_next(&all, &part)) {
        const BlobSection* s = ent_blob_component(b, part.declaration->id);
        DeclarationParts   other;
        size_t             x_bytes, y_bytes;
        if (!s || !declaration_of_section(b, s, &other)) continue;
        const u8* const x = rows_alone(arena, &part, &x_bytes);
        const u8* const y = rows_alone(arena, &other, &y_bytes);
        if (x_bytes != y_bytes || memcmp(x, y, x_bytes) != 0) return false;
    }
    return true;
}

bool declarations_alone_differ(const Blob* a, const Blob* b) {
    Arena      arena = {0};
    const bool alone = a->header->element_count == b->header->element_count &&
                       sections_equal(a, b) && declarations_agree(&arena, a, b);
    arena_drop(&arena);
    return alone;
}
