/* sections.h - the content of each kind of section. Private to formats/, the compiler and tools. */
#ifndef ENT_SECTIONS_H
#define ENT_SECTIONS_H

#include "blob.h"
#include "declaration.h"
#include "fields.h"

/* NULL for component sections and for text. */
const RecordType* section_record(u32 kind);

/* "mesh_part"; "section" for an unknown kind. */
const char* section_name(u32 kind);

/* The content of a section. */
typedef enum SectionContent {
    CONTENT_NONE, /* of an unknown kind */
    CONTENT_RECORDS,
    CONTENT_TEXT,
    CONTENT_BYTES,
    CONTENT_INSTANCES
} SectionContent;

SectionContent section_content(u32 kind);

static inline bool section_is_text(u32 kind) { return section_content(kind) == CONTENT_TEXT; }
static inline bool section_is_bytes(u32 kind) {
    return section_content(kind) == CONTENT_BYTES || section_is_text(kind);
}

/* Is the field the offset of a text? */
static inline bool field_is_text(const Field* f) {
    return field_form(f) == FORM_INTEGER && f->refers_to;
}

/* The first of the `count` sections that is of the kind, or NULL; they are in the order of their
 * kinds. */
const BlobSection* section_of_kind(const BlobSection* section, u32 count, u32 kind);

/* May a resource of this type have the section? */
bool section_allowed(u32 resource_type, u32 kind);

/* The type with this suffix; RESOURCE_NONE when there is none. */
ResourceType resource_from_suffix(Text suffix);

/* A name that is valid in C, C++ and JSON: a-z first, then a-z, 0-9 and single '_' in between. The
 * text of an enum may begin with a digit. */
bool name_is_identifier(Text name);
bool name_is_enum_text(Text name);
/* Is it a valid unit or description: UTF-8 without control characters, 255 bytes at most? */
bool text_is_one_line(Text text);

/* The bit of a layout that states how the instances are stored: as a structure of arrays, or, where it
 * is not set, as an array of structures. */
#define LAYOUT_BY_FIELD 0x80000000u

/* The older table with this id and layout, which a blob of that time contains without a declaration; or NULL. */
const ComponentType* component_former(u32 id, u32 layout);

/* The sections of a declaration that are inside their blob. */
typedef struct DeclarationParts {
    const DeclarationRecord*   declaration;
    const DeclaredFieldRecord* field;     /* [field_count] 1 to COMPONENT_FIELDS_MAX */
    const EnumTextRecord*      enum_text; /* [enum_text_count] up to DECLARATION_TEXTS_MAX */
    const char*                text;      /* of all declarations; the offsets of texts begin here */
    const FormerNameRecord*    former;    /* [former_count] */
    u32                        field_count, enum_text_count, text_bytes, former_count;
    u32 first_text; /* row of enum_text[0] in its section: other declarations are before it */
    u32 text_first; /* the texts are [text_first, text_first + text_bytes) of `text` */
    u32 declaration_count; /* of the blob; a part of one has 1 */
} DeclarationParts;

/* All that a blob has; NULL and 0 when it has none. */
DeclarationParts declaration_parts(const Blob* blob);

/* Moves `part` to the next declaration of these; one that is 0 to the first. False: there is none. */
bool declaration_next(const DeclarationParts* all, DeclarationParts* part);

/* The declaration with which a component section of an entity or level was written: of its identifier
 * and layout. False when the blob has none. */
bool declaration_of_section(const Blob* blob, const BlobSection* section, DeclarationParts* part);

/* As ent_component_type_bytes and ent_component_type_open, for one declaration of any blob. */
size_t        declared_type_bytes(const DeclarationParts* part);
ComponentType declared_type_open(const DeclarationParts* part, void* memory);

typedef struct RowFault {
    const void* at; /* in the blob */
    const char* table;
    u32         row;
    const char* field;
    const char* reason;
} RowFault;

/* Validates rules between the rows of declarations; `fault` receives the first violation. */
bool declarations_are_valid(const DeclarationParts* parts, RowFault* fault);

/* The rows of the sections that declare types; `description` of the only type, with its older names,
 * or NULL for declarations inside of an entity or level, which have neither. */
typedef struct DeclarationSizes {
    u32 declarations, fields, enum_texts, former_names, text_bytes;
} DeclarationSizes;

typedef struct DeclarationRows {
    DeclarationRecord*   declaration;
    DeclaredFieldRecord* field;
    EnumTextRecord*      enum_text;
    FormerNameRecord*    former_name;
    char*                text;
} DeclarationRows;

DeclarationSizes declarations_measure(const ComponentType* const* types, u32 count,
                                      const char* description);
void declarations_fill(const ComponentType* const* types, u32 count, const char* description,
                       const DeclarationRows* rows);

/* Has the field table of a type a declaration that follows all rules? `fault` receives the first rule
 * that is violated, and the index of the field. */
bool type_is_declarable(const ComponentType* type, RowFault* fault);

/* The groups of an entity or level. */
typedef struct Groups {
    const GroupRecord* row; /* [count] */
    u32                count;
    u32                entity_count;
} Groups;

Groups groups_of(const Blob* blob);

/* The group of an entity, or NONE: the base. */
u32 groups_find(const Groups* groups, u32 entity);

/* Validates the rows, of which there is at least one; `text` is [text_bytes] their names, which
 * were validated to follow each other, or NULL. */
bool groups_are_valid(const Groups* groups, const char* text, RowFault* fault);

/* The first of `count` entity references, `stride` bytes apart, that refers neither to the base nor
 * to the group of its owner, or `count`. Owners are ascending, and are entities of the blob; NULL:
 * row i belongs to entity i. */
u32 groups_first_crossing(const Groups* groups, const u32* owner, const u8* first, u32 count,
                          u32 stride);

#define NAME_BYTES_MAX 255 /* of a resource and of an entity */

/* Segments of a-z, 0-9, '_' and '-' with one '/' between them, 255 bytes at most. */
bool resource_name_is_canonical(Text name);

/* Bytes of a component section, and where a column begins in it. count <= 2^28. */
u64 component_section_bytes(const ComponentType* type, u64 count);
u64 component_column_start(const ComponentType* type, u64 count, u32 column);

/* The hash that the header contains, of a blob in any byte order. */
u64 blob_hash(const void* bytes, size_t size);

/* Rewrites a valid blob for the other byte order, in place; `native`: it is in the native byte
 * order before the call. swap(swap(x)) == x. */
void blob_swap(void* bytes, size_t size, bool native);

#endif
