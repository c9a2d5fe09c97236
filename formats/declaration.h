/* declaration.h - a component type that a project declares as data, and how a program that was not
 * built with it learns it from the blob of its declaration.
 *
 *     void* memory = malloc(ent_component_type_bytes(&blob));    of OUT/gameplay/health.component
 *     const ComponentType type = ent_component_type_open(&blob, memory);
 *
 * Such a type is kept by field and looked up by hash. A level that holds instances of it has its
 * declaration in the table of references. A host that spawns calls ent_world_declare(). */
#ifndef ENT_DECLARATION_H
#define ENT_DECLARATION_H

#include "blob.h"

#define DECLARATION_ORDER       2000 /* spawn order of who does not care: behind the built-in ones */
#define DECLARATION_TEXTS_MAX   256  /* of all enums of a declaration */
#define DECLARATION_NAME_MAX    63   /* bytes of a component's, a field's or an enum text's name */
#define DECLARATION_ORDER_MAX   1000000
#define DECLARATION_CONTENT_MAX 255 /* bytes of a unit or a description */

#define DECLARATION_FIELDS(F, R)                                                                   \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "the JSON key")               \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "what it is")                 \
    F(R, NameRef, id, REQUIRED, 1, ALL, "", PLAIN, "identifier of its sections")                   \
    F(R, u32, layout, REQUIRED, 0, ALL, "", PLAIN, "layout of its sections")                       \
    F(R, u32, order, V1(DECLARATION_ORDER), 0, DECLARATION_ORDER_MAX, "", PLAIN, "spawn order")    \
    F(R, Bool32, several, V1(0), 0, 1, "", PLAIN, "an entity may have more than one")

#define DECLARED_FIELD_FIELDS(F, R)                                                                \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "the JSON key")               \
    F(R, u32, unit, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "empty when it has none")     \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "what it means")              \
    F(R, Enum32, kind, REQUIRED, 0, 0, "", ENUM(FIELD_KIND), "type of the value")                  \
    F(R, Bool32, required, V1(0), 0, 1, "", PLAIN, "it has no default")                            \
    F(R, Vec4, value, V4(0, 0, 0, 0), LOW, HIGH, "", PLAIN, "default of float types; else 0")      \
    F(R, f32, lowest, V1(0), LOW, HIGH, "", PLAIN, "bound of float types; else 0")                 \
    F(R, f32, highest, V1(0), LOW, HIGH, "", PLAIN, "bound of float types; else 0")                \
    F(R, u32, word, V1(0), 0, ALL, "", PLAIN, "default of u32, Bool32 and Enum32; else 0")         \
    F(R, u32, least, V1(0), 0, ALL, "", PLAIN, "bound of u32; else 0")                             \
    F(R, u32, most, V1(0), 0, ALL, "", PLAIN, "bound of u32; else 0")                              \
    F(R, Enum32, refers_to, V1(0), 0, 0, "", ENUM(RESOURCE), "of a ResourceRef; else none")        \
    F(R, u32, first_text, V1(0), 0, ALL, "", PLAIN, "of an Enum32: into the enum texts; else 0")   \
    F(R, u32, text_count, V1(0), 0, DECLARATION_TEXTS_MAX, "", PLAIN, "of an Enum32; else 0")

#define ENUM_TEXT_FIELDS(F, R)                                                                     \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "in the order of its numbers")

RECORD(DeclarationRecord, DECLARATION_FIELDS)
RECORD(DeclaredFieldRecord, DECLARED_FIELD_FIELDS)
RECORD(EnumTextRecord, ENUM_TEXT_FIELDS)

#ifdef __cplusplus
extern "C" {
#endif

/* Room that ent_component_type_open needs; 0 when the blob is no declaration. */
ENT_API size_t ent_component_type_bytes(const Blob* blob);

/* The type that a `component` blob declares.
 *
 *   memory  [ent_component_type_bytes(blob)] aligned to 8: field table, names and texts. The type
 *           points into it; the blob is not needed afterwards
 *
 * Needs    a blob that ent_blob_open accepted and that is a declaration (asserted).
 * Cost     no allocation. */
ENT_API ComponentType ent_component_type_open(const Blob* blob, void* memory);

#ifdef __cplusplus
}
#endif

#endif
