/* container.h - the sections of every blob, and the records that do not belong to a single
 * component type or type of resource: references, parents, names, groups, declarations. */
#ifndef ENT_CONTAINER_H
#define ENT_CONTAINER_H

#include "record.h"
#include "resources.h"

#define REFERENCE_FIELDS(F, R)                                                                     \
    F(R, ResourceRef, id, REQUIRED, 0, 0, "", PLAIN, "strictly ascending")                         \
    F(R, Enum32, type, REQUIRED, 0, 0, "", ENUM_OF(RESOURCE_TEXTS), "type of the resource")        \
    F(R, u32, name, REQUIRED, 0, ALL, "", PLAIN, "offset in the reference names")
#define PARENT_FIELDS(F, R)                                                                        \
    F(R, u32, parent, REQUIRED, 0, ALL, "", PLAIN, "an earlier entity, or UINT32_MAX")
#define NAME_OFFSET_FIELDS(F, R)                                                                   \
    F(R, u32, offset, REQUIRED, 0, ALL, "", PLAIN, "offset of a NUL-terminated name in the names")
#define GROUP_FIELDS(F, R)                                                                         \
    F(R, NameRef, id, REQUIRED, 1, ALL, "", PLAIN, "hash of its name; strictly ascending")         \
    F(R, u32, first, REQUIRED, 0, ALL, "", PLAIN,                                                  \
      "its first entity; it ends where the next group begins")                                     \
    F(R, u32, name, REQUIRED, 0, ALL, "", PLAIN,                                                   \
      "offset in the group names; 0 when they were stripped")

RECORD(ReferenceRecord, REFERENCE_FIELDS)
RECORD(ParentRecord, PARENT_FIELDS)
RECORD(NameOffsetRecord, NAME_OFFSET_FIELDS)
RECORD(GroupRecord, GROUP_FIELDS)

#define DECLARATION_FIELDS(F, R)                                                                   \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "the JSON key")               \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "description")                \
    F(R, NameRef, id, REQUIRED, 1, ALL, "", PLAIN, "identifier of its sections")                   \
    F(R, u32, layout, REQUIRED, 0, ALL, "", PLAIN, "layout of its sections")                       \
    F(R, u32, order, V1(DECLARATION_ORDER), 0, DECLARATION_ORDER_MAX, "", PLAIN, "spawn order")    \
    F(R, Bool32, several, V1(0), 0, 1, "", PLAIN, "an entity may have multiple instances")         \
    F(R, u32, field_count, REQUIRED, 1, COMPONENT_FIELDS_MAX, "", PLAIN,                           \
      "its fields; they follow those of the previous declaration")

#define DECLARED_FIELD_FIELDS(F, R)                                                                \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "the JSON key")               \
    F(R, u32, unit, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "unit, or empty")             \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT), "description")                \
    F(R, Enum32, kind, REQUIRED, 0, 0, "", ENUM_OF(FIELD_KIND_TEXTS), "type of the value")         \
    F(R, Bool32, required, V1(0), 0, 1, "", PLAIN, "it has no default")                            \
    F(R, Vec4, value, V4(0, 0, 0, 0), LOW, HIGH, "", PLAIN, "default of float types; else 0")      \
    F(R, f32, lowest, V1(0), LOW, HIGH, "", PLAIN, "bound of float types; else 0")                 \
    F(R, f32, highest, V1(0), LOW, HIGH, "", PLAIN, "bound of float types; else 0")                \
    F(R, u32, word, V1(0), 0, ALL, "", PLAIN, "default of types without floats; else 0")           \
    F(R, u32, least, V1(0), 0, ALL, "", PLAIN, "bound of u32 and i32; else 0")                     \
    F(R, u32, most, V1(0), 0, ALL, "", PLAIN, "bound of u32 and i32; else 0")                      \
    F(R, Enum32, refers_to, V1(0), 0, 0, "", ENUM_OF(RESOURCE_TEXTS),                              \
      "type that a ResourceRef refers to; else none")                                              \
    F(R, u32, first_text, V1(0), 0, ALL, "", PLAIN,                                                \
      "of an Enum32 or Flags32: index of its first enum text; else 0")                             \
    F(R, u32, text_count, V1(0), 0, DECLARATION_TEXTS_MAX, "", PLAIN,                              \
      "of an Enum32 or Flags32: number of its texts; else 0")                                      \
    F(R, u32, array, V1(0), 0, RECORD_ARRAY_MAX, "", PLAIN, "elements of an array; 0: it is none")

#define ENUM_TEXT_FIELDS(F, R)                                                                     \
    F(R, u32, text, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT),                               \
      "text of an enum or of flags, in the order of the numbers")

#define FORMER_NAME_FIELDS(F, R)                                                                   \
    F(R, u32, name, REQUIRED, 0, ALL, "", TEXT_IN(DECLARATION_TEXT),                               \
      "a name under which older blobs have it")                                                    \
    F(R, u32, field, V1(ALL), 0, ALL, "", PLAIN, "index of the field; UINT32_MAX: the component")  \
    F(R, u32, text, V1(ALL), 0, ALL, "", PLAIN,                                                    \
      "number of the enum text of the field; UINT32_MAX: the field itself")

#define STRING_OFFSET_FIELDS(F, R)                                                                 \
    F(R, u32, offset, REQUIRED, 0, ALL, "", TEXT_IN(STRING), "a string; the first one is empty")

/* What a spawn has made, in a save of the world. */
#define SPAWNED_FIELDS(F, R)                                                                       \
    F(R, u32, resource_lo, REQUIRED, 0, ALL, "", PLAIN, "id of the entity or level, low half")     \
    F(R, u32, resource_hi, REQUIRED, 0, ALL, "", PLAIN, "high half")                               \
    F(R, u32, hash_lo, REQUIRED, 0, ALL, "", PLAIN, "hash of its blob, low half")                  \
    F(R, u32, hash_hi, REQUIRED, 0, ALL, "", PLAIN, "high half")                                   \
    F(R, u32, blob_entities, REQUIRED, 0, ALL, "", PLAIN, "entities of its blob")                  \
    F(R, u32, part, V1(0), 0, 3, "", PLAIN, "0: all, 1: a subtree, 2: the base, 3: a group")       \
    F(R, u32, which, V1(0), 0, ALL, "", PLAIN, "entity of the blob, or id of the group; else 0")   \
    F(R, u32, seed, V1(0), 0, ALL, "", PLAIN, "of persistent ids")                                 \
    F(R, EntityRef, parent, NO_ENTITY, 0, ALL, "", PLAIN, "to which its roots were attached")      \
    F(R, Bool32, has_root, V1(0), 0, 1, "", PLAIN, "poses are relative to the following one")      \
    F(R, Vec3, root_position, V3(0, 0, 0), LOW, HIGH, "m", PLAIN, "")                              \
    F(R, Quat, root_rotation, V4(0, 0, 0, 1), -1, 1, "", PLAIN, "")                                \
    F(R, Vec3, root_scale, V3(1, 1, 1), LOW, HIGH, "", PLAIN, "")                                  \
    F(R, u32, first, V1(0), 0, ALL, "", PLAIN, "entity of its blob for the first row")             \
    F(R, u32, count, V1(0), 0, ALL, "", PLAIN, "rows of spawned_entity, after those before it")    \
    F(R, u32, set, V1(0), 0, ALL, "", PLAIN, "first row of the parts that belong together")

#define SPAWNED_ENTITY_FIELDS(F, R)                                                                \
    F(R, EntityRef, entity, NO_ENTITY, 0, ALL, "", PLAIN, "that was made; none: it is destroyed")

RECORD(SpawnedRecord, SPAWNED_FIELDS)
RECORD(SpawnedEntityRecord, SPAWNED_ENTITY_FIELDS)

RECORD(StringOffsetRecord, STRING_OFFSET_FIELDS)
RECORD(FormerNameRecord, FORMER_NAME_FIELDS)
RECORD(DeclarationRecord, DECLARATION_FIELDS)
RECORD(DeclaredFieldRecord, DECLARED_FIELD_FIELDS)
RECORD(EnumTextRecord, ENUM_TEXT_FIELDS)

/* A component contains its own declaration, an entity or level those of the types that it has
 * instances of. */
#define DECLARING OF(COMPONENT) | OF(ENTITY) | OF(LEVEL)

/* The resources that refer to others. */
#define REFERRING OF(ENTITY) | OF(LEVEL) | OF(MESH) | OF(PACKAGE) | OF(MATERIAL)

/* Every kind of section, in the order in which a blob has them. A row has all that the modules use
 * of it; records.c expands it.
 *
 *     X(enumerator, content, name, Type, resources that may have it, what it holds)
 *
 *   content   RECORDS: of the field table TYPE_FIELDS of TypeRecord; TEXT; BYTES: the same in every
 *             byte order; INSTANCES: of a component type, whose record is in the list of
 *             components */
#define SECTION_LIST(X)                                                                            \
    X(PARENT, RECORDS, parent, Parent, OF(ENTITY) | OF(LEVEL), "parent of each entity")            \
    X(COMPONENT, INSTANCES, component, u32, OF(ENTITY) | OF(LEVEL), "the instances of one type")   \
    X(MATERIAL, RECORDS, material, Material, OF(MATERIAL), "the material")                         \
    X(MESH_BOUNDS, RECORDS, mesh_bounds, MeshBounds, OF(MESH), "bounds of the mesh")               \
    X(MESH_PART, RECORDS, mesh_part, MeshPart, OF(MESH), "parts of the mesh")                      \
    X(POSITION, RECORDS, position, Position, OF(MESH), "vertex positions")                         \
    X(NORMAL, RECORDS, normal, Normal, OF(MESH), "vertex normals")                                 \
    X(TANGENT, RECORDS, tangent, Tangent, OF(MESH), "vertex tangents")                             \
    X(UV, RECORDS, uv, Uv, OF(MESH), "vertex texture coordinates")                                 \
    X(VERTEX_JOINTS, RECORDS, vertex_joints, VertexJoints, OF(MESH), "vertex joints")              \
    X(VERTEX_WEIGHTS, RECORDS, vertex_weights, VertexWeights, OF(MESH), "vertex weights")          \
    X(INDEX, RECORDS, index, Index, OF(MESH), "vertex indices")                                    \
    X(JOINT, RECORDS, joint, Joint, OF(SKELETON), "joints, parents first")                         \
    X(BIND, RECORDS, bind, Bind, OF(SKELETON), "the skin's joint list with inverse bind matrices") \
    X(CLIP_INFO, RECORDS, clip_info, ClipInfo, OF(CLIP), "length of the clip")                     \
    X(TRACK, RECORDS, track, Track, OF(CLIP), "tracks of the clip")                                \
    X(KEY_TIME, RECORDS, key_time, KeyTime, OF(CLIP), "times of keys")                             \
    X(KEY_VALUE, RECORDS, key_value, KeyValue, OF(CLIP), "values of keys")                         \
    X(NAME_OFFSET, RECORDS, name_offset, NameOffset, OF(ENTITY) | OF(LEVEL) | OF(SKELETON),        \
      "where each entity's or joint's name begins")                                                \
    X(NAME, TEXT, name, char, OF(ENTITY) | OF(LEVEL) | OF(SKELETON),                               \
      "names of entities or joints")                                                               \
    X(REFERENCE, RECORDS, reference, Reference, REFERRING, "resources that the blob refers to")    \
    X(REFERENCE_NAME, TEXT, reference_name, char, REFERRING, "their names")                        \
    X(DECLARATION, RECORDS, declaration, Declaration, DECLARING, "declared component types")       \
    X(DECLARED_FIELD, RECORDS, declared_field, DeclaredField, DECLARING, "their fields")           \
    X(ENUM_TEXT, RECORDS, enum_text, EnumText, DECLARING, "texts of their enums")                  \
    X(DECLARATION_TEXT, TEXT, declaration_text, char, DECLARING,                                   \
      "their names, units and descriptions")                                                       \
    X(GROUP, RECORDS, group, Group, OF(ENTITY) | OF(LEVEL),                                        \
      "groups of entities that can be spawned separately")                                         \
    X(GROUP_NAME, TEXT, group_name, char, OF(ENTITY) | OF(LEVEL), "names of groups")               \
    X(TEXTURE, RECORDS, texture, Texture, OF(TEXTURE), "size, format and sampler")                 \
    X(TEXTURE_LEVEL, RECORDS, texture_level, TextureLevel, OF(TEXTURE), "levels, largest first")   \
    X(TEXTURE_DATA, BYTES, texture_data, u8, OF(TEXTURE), "the pixels of all levels")              \
    X(MATERIAL_TEXTURE, RECORDS, material_texture, MaterialTexture, OF(MATERIAL),                  \
      "textures of the material")                                                                  \
    X(UV_1, RECORDS, uv_1, Uv1, OF(MESH), "second texture coordinates of vertices")                \
    X(COLOR, RECORDS, color, Color, OF(MESH), "vertex colors")                                     \
    X(VERTEX_JOINTS_1, RECORDS, vertex_joints_1, VertexJoints1, OF(MESH), "four more joints")      \
    X(VERTEX_WEIGHTS_1, RECORDS, vertex_weights_1, VertexWeights1, OF(MESH), "four more weights")  \
    X(MORPH_TARGET, RECORDS, morph_target, MorphTarget, OF(MESH), "morph targets of the mesh")     \
    X(MORPH_NAME, TEXT, morph_name, char, OF(MESH), "names of morph targets")                      \
    X(MORPH_VERTEX, RECORDS, morph_vertex, MorphVertex, OF(MESH), "vertices that targets move")    \
    X(MORPH_POSITION, RECORDS, morph_position, MorphPosition, OF(MESH),                            \
      "displacements of positions")                                                                \
    X(MORPH_NORMAL, RECORDS, morph_normal, MorphNormal, OF(MESH), "displacements of normals")      \
    X(MORPH_TANGENT, RECORDS, morph_tangent, MorphTangent, OF(MESH), "displacements of tangents")  \
    X(MORPH_TRACK, RECORDS, morph_track, MorphTrack, OF(CLIP), "tracks of morph weights")          \
    X(MORPH_TIME, RECORDS, morph_time, MorphTime, OF(CLIP), "times of their keys")                 \
    X(MORPH_WEIGHTS, RECORDS, morph_weights, MorphWeights, OF(CLIP), "weights at their keys")      \
    X(MESH_LOD, RECORDS, mesh_lod, MeshLod, OF(MESH), "levels of detail")                          \
    X(LOD_RANGE, RECORDS, lod_range, LodRange, OF(MESH), "what levels draw of each part")          \
    X(LOD_INDEX, RECORDS, lod_index, LodIndex, OF(MESH), "vertex indices of levels")               \
    X(KEY_PACKED, RECORDS, key_packed, KeyPacked, OF(CLIP), "packed values of keys")               \
    X(FORMER_NAME, RECORDS, former_name, FormerName, OF(COMPONENT), "names in older declarations") \
    X(STRING_OFFSET, RECORDS, string_offset, StringOffset, OF(ENTITY) | OF(LEVEL),                 \
      "where each string of text fields begins")                                                   \
    X(STRING, TEXT, string, char, OF(ENTITY) | OF(LEVEL), "strings of text fields")                \
    X(DATA, BYTES, data, u8, OF(DATA), "the bytes of the file")                                    \
    X(SPAWNED, RECORDS, spawned, Spawned, OF(ENTITY) | OF(LEVEL), "spawns of a saved world")       \
    X(SPAWNED_ENTITY, RECORDS, spawned_entity, SpawnedEntity, OF(ENTITY) | OF(LEVEL),              \
      "entities that they made")                                                                   \
    X(CLIP_EVENT, RECORDS, clip_event, ClipEvent, OF(CLIP), "events of the clip")                  \
    X(EVENT_NAME, TEXT, event_name, char, OF(CLIP), "names of events")                             \
    X(PROPERTY_TRACK, RECORDS, property_track, PropertyTrack, OF(CLIP),                            \
      "tracks of lights and cameras")                                                              \
    X(PROPERTY_TIME, RECORDS, property_time, PropertyTime, OF(CLIP), "times of their keys")        \
    X(PROPERTY_VALUE, RECORDS, property_value, PropertyValue, OF(CLIP), "values at their keys")

#define SECTION_ENUM(NAME, ...) SECTION_##NAME,
typedef enum EntSectionKind {
    SECTION_NONE,
    SECTION_LIST(SECTION_ENUM) SECTION_KIND_COUNT
} EntSectionKind;
typedef EntSectionKind SectionKind;
#undef SECTION_ENUM

#endif
