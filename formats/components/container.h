/* container.h - the sections of every blob, and the records of those that belong to no component type
 * and no type of resource alone: references, parents, names, groups, declarations. */
#ifndef ENT_CONTAINER_H
#define ENT_CONTAINER_H

#include "record.h"
#include "resources.h"

#define REFERENCE_FIELDS(F, R)                                                                     \
    F(R, ResourceRef, id, REQUIRED, 0, 0, "", PLAIN, "rising; each one once")                      \
    F(R, Enum32, type, REQUIRED, 0, RESOURCE_COUNT - 1, "", ENUM(RESOURCE), "of the resource")     \
    F(R, u32, name, REQUIRED, 0, ALL, "", PLAIN, "offset in the reference names")
#define PARENT_FIELDS(F, R)                                                                        \
    F(R, u32, parent, REQUIRED, 0, ALL, "", PLAIN, "an entity before this one, or UINT32_MAX")
#define NAME_OFFSET_FIELDS(F, R)                                                                   \
    F(R, u32, offset, REQUIRED, 0, ALL, "", PLAIN, "of a NUL-terminated name in the names")
#define GROUP_FIELDS(F, R)                                                                         \
    F(R, NameRef, id, REQUIRED, 1, ALL, "", PLAIN, "hash of its name; rising, each one once")      \
    F(R, u32, first, REQUIRED, 0, ALL, "", PLAIN,                                                  \
      "its first entity; it ends where the next one begins")                                       \
    F(R, u32, name, REQUIRED, 0, ALL, "", PLAIN,                                                   \
      "offset in the group names; 0 when they were stripped")

RECORD(ReferenceRecord, REFERENCE_FIELDS)
RECORD(ParentRecord, PARENT_FIELDS)
RECORD(NameOffsetRecord, NAME_OFFSET_FIELDS)
RECORD(GroupRecord, GROUP_FIELDS)

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

/*  X(enumerator, record or TEXT, what it holds). The order is the order in a blob. */
#define SECTION_LIST(X)                                                                            \
    X(PARENT, parent, "parent_index of each entity")                                               \
    X(COMPONENT, component, "one type's instances")                                                \
    X(MATERIAL, material, "the material")                                                          \
    X(MESH_BOUNDS, mesh_bounds, "bounds of the mesh")                                              \
    X(MESH_PART, mesh_part, "parts of the mesh")                                                   \
    X(POSITION, position, "vertex positions")                                                      \
    X(NORMAL, normal, "vertex normals")                                                            \
    X(TANGENT, tangent, "vertex tangents")                                                         \
    X(UV, uv, "vertex texture coordinates")                                                        \
    X(VERTEX_JOINTS, vertex_joints, "vertex joints")                                               \
    X(VERTEX_WEIGHTS, vertex_weights, "vertex weights")                                            \
    X(INDEX, index, "vertex indices")                                                              \
    X(JOINT, joint, "joints, parents first")                                                       \
    X(BIND, bind, "the skin's joint list with inverse bind matrices")                              \
    X(CLIP_INFO, clip_info, "length of the clip")                                                  \
    X(TRACK, track, "tracks of the clip")                                                          \
    X(KEY_TIME, key_time, "times of keys")                                                         \
    X(KEY_VALUE, key_value, "values of keys")                                                      \
    X(NAME_OFFSET, name_offset, "where each entity's or joint's name begins")                      \
    X(NAME, text, "names of entities or joints")                                                   \
    X(REFERENCE, reference, "resources referred to")                                               \
    X(REFERENCE_NAME, text, "their names")                                                         \
    X(DECLARATION, declaration, "the component type")                                              \
    X(DECLARED_FIELD, declared_field, "its fields")                                                \
    X(ENUM_TEXT, enum_text, "texts of its enums")                                                  \
    X(DECLARATION_TEXT, text, "its names, units and descriptions")                                 \
    X(GROUP, group, "entities that can be spawned by themselves")                                  \
    X(GROUP_NAME, text, "names of groups")

#define SECTION_ENUM(NAME, record, text) SECTION_##NAME,
typedef enum EntSectionKind {
    SECTION_NONE,
    SECTION_LIST(SECTION_ENUM) SECTION_KIND_COUNT
} EntSectionKind;
typedef EntSectionKind SectionKind;
#undef SECTION_ENUM

#endif
