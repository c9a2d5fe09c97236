/* blob.h - the container: what the first bytes mean, and the one gate through which a blob is read.
 *
 * formats/FORMAT.md is the specification. In short: a header of 64 bytes, a table of sections of 32
 * bytes each, then the sections, each aligned to 16 bytes with zeros between. Every section is an
 * array of records from a field table, or bytes of text; a component section is entity_index[count]
 * followed by the type's columns. A blob that ent_blob_open accepted can be read without a check.
 */
#ifndef ENT_BLOB_H
#define ENT_BLOB_H

#include <stddef.h>

#include "components.h"
#include "resources.h"
#include "status.h"

#define BLOB_MAGIC_BYTES "ENTB"
#define BLOB_BYTE_ORDER  0x01020304u
#define BLOB_VERSION     1u
#define BLOB_ALIGN       16u
#define BLOB_BYTES_MAX   0xfffffff0u

/* Entities of a level or an entity, and of a world at a time: an index has 22 bits, and index 0 of
 * a world is the null entity. */
#define BLOB_ENTITIES_MAX 4194303u

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
typedef enum SectionKind {
    SECTION_NONE,
    SECTION_LIST(SECTION_ENUM) SECTION_KIND_COUNT
} SectionKind;
#undef SECTION_ENUM

typedef struct BlobHeader {
    unsigned char magic[4];      /* "ENTB" in every byte order */
    u32           byte_order;    /* BLOB_BYTE_ORDER as the target writes it */
    u32           version;       /* BLOB_VERSION */
    u32           resource_type; /* ResourceType */
    ResourceRef   resource;      /* hash of `name.type` */
    u32           blob_bytes;    /* of the whole blob, a multiple of 16 */
    u32           section_count; /* rows of the table that follows */
    u32 element_count; /* entities, vertices, joints, tracks, fields, roots; 1 for a material */
    u32 zero[5];       /* must be 0 */
    ResourceRef hash;  /* of all that precedes it and all that follows it */
} BlobHeader;

typedef struct BlobSection {
    u32 kind;         /* SectionKind */
    u32 identifier;   /* of the component type; 0 for other kinds */
    u32 layout;       /* layout hash of the field table; 0 for text */
    u32 count;        /* records, instances, or bytes of text */
    u32 stride;       /* bytes of a record; 1 for text */
    u32 offset;       /* from the blob's start, a multiple of 16 */
    u32 bytes;        /* without the zeros that follow */
    u32 column_count; /* of a component type; 1 for other kinds */
} BlobSection;

/* A blob that was proved. Points into the caller's bytes. */
typedef struct Blob {
    const unsigned char* bytes;   /* [size] */
    size_t               size;    /* */
    const BlobHeader*    header;  /* */
    const BlobSection*   section; /* [header->section_count] */
    uint64_t             proved;  /* bit i: the records of section i were looked into */
} Blob;

/* Why a blob was refused. */
typedef struct BlobFault {
    ent_status status;      /* */
    u32        offset;      /* in the blob, of the field that is wrong */
    char       field[96];   /* "section[3].count", "light[7].range_m" */
    char       reason[160]; /* what it says and what would be right */
} BlobFault;

typedef struct BlobOptions {
    const ComponentType* const* types; /* [type_count] to check instances against; NULL: built-in */
    u32                         type_count; /* */
    int                         skip_hash;  /* trust the bytes, check the fields only */
} BlobOptions;

#ifdef __cplusplus
extern "C" {
#endif

/* Proves everything about a blob, once: order, bounds, alignment, padding, layouts, ranges,
 * indices, finite floats, hash. Nothing behind this call can fail on data.
 *
 *   bytes    [size], aligned to 16, unchanged for as long as `out` is used
 *   options  NULL: built-in component types, hash checked
 *   fault    filled when the blob is refused; may be NULL
 *
 * Needs    types that a blob holds and `options` does not name are bounded but not looked into.
 * Returns  ENT_OK, or a status that names the kind of damage.
 * Cost     one pass over the bytes, two with the hash; no allocation. */
ENT_API MUST_CHECK ent_status ent_blob_open(Blob* out, const void* bytes, size_t size,
                                            const BlobOptions* options, BlobFault* fault);

/* Looks into the instances of a type that was not named when the blob was opened.
 *
 * Returns  ENT_OK, also when the blob has none or they were proved before; or ENT_BAD_FIELD. */
ENT_API MUST_CHECK ent_status ent_blob_prove(const Blob* blob, const ComponentType* type,
                                             BlobFault* fault);

/* The id of resource `name` of a type, as blobs refer to it. */
ENT_API ResourceRef ent_resource_ref(const char* name, u32 resource_type);

/* "entity", "level", ..: how files of a resource type end; NULL outside of the list. */
ENT_API const char* ent_resource_suffix(u32 resource_type);

/* The section of a kind, or NULL. Constant time in practice: a table of a few rows. */
ENT_API const BlobSection* ent_blob_section(const Blob* blob, u32 kind);

/* The section of a component type, or NULL. */
ENT_API const BlobSection* ent_blob_component(const Blob* blob, u32 component_id);

/* First byte of a section's data: records, text, or entity_index of a component section. */
ENT_API const void* ent_blob_data(const Blob* blob, const BlobSection* section);

/* Column `column` of a component section whose type is `type`: [section->count] elements. */
ENT_API const void* ent_blob_column(const Blob* blob, const BlobSection* section,
                                    const ComponentType* type, u32 column);

/* NUL-terminated name of entity or joint `index`; "" when it has none or names were stripped. */
ENT_API const char* ent_blob_name(const Blob* blob, u32 index);

/* Path of an entity, as sources name it: "house_2/door", "." for the root of an entity resource,
 * whose name is not part of the others' paths. "#7" stands for entity 7 where it has no name. Cut
 * to `bytes` with the NUL; returns its whole length.
 *
 * Needs    an entity or a level. */
ENT_API size_t ent_blob_path(const Blob* blob, u32 index, char* out, size_t bytes);

/* The entity at a path, which is what ent_blob_path tells of it; UINT32_MAX: there is none. Who was
 * spawned for it: what ent_world_spawn filled, at this index.
 *
 * Cost     a pass over the parents for each name of the path: look once, keep the index. */
ENT_API u32 ent_blob_path_find(const Blob* blob, const char* path);

/* Name of row `index` of the reference section, without its type. */
ENT_API const char* ent_blob_reference_name(const Blob* blob, u32 index);

/* --- groups: what an entity or level can be spawned in parts by ---
 *
 * The entities of a blob are its base, then group 0, group 1, ..: each part stands together, and so
 * do its rows in every component section, whose entity_index rises. Parents and references lead
 * into the base or stay inside of their own group: the base is whole without any group, and with
 * the base each group is. A part that is UINT32_MAX is the base, which may be empty; a group never
 * is. */

/* How many groups the blob has, the base not counted; 0 for other types of resources. */
ENT_API u32 ent_blob_group_count(const Blob* blob);

/* The group of a name, also when names were stripped; UINT32_MAX: there is none.
 *
 * Cost     a binary search. */
ENT_API u32 ent_blob_group_find(const Blob* blob, const char* name);

/* The hash that a group's name is found by, and the name; "" when names were stripped. */
ENT_API NameRef     ent_blob_group_id(const Blob* blob, u32 group);
ENT_API const char* ent_blob_group_name(const Blob* blob, u32 group);

/* The entities of a group, or with UINT32_MAX of the base: *first to before *end. */
ENT_API void ent_blob_group_range(const Blob* blob, u32 group, u32* first, u32* end);

/* The group that an entity is in; UINT32_MAX: the base.
 *
 * Cost     a binary search. */
ENT_API u32 ent_blob_entity_group(const Blob* blob, u32 entity);

#ifdef __cplusplus
}
#endif

#endif
