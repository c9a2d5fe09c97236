/* blob.h - the container: the meaning of its first bytes, and the one function that validates a
 * blob.
 *
 * formats/FORMAT.md is the specification. In short: a header of 64 bytes, a table of sections of 32
 * bytes each, then the sections, each aligned to 16 bytes with zeros between. Every section is an
 * array of records from a field table, or bytes of text; a component section is entity_index[count]
 * followed by the type's columns. A blob that ent_blob_open accepted can be read without checks. */
#ifndef ENT_BLOB_H
#define ENT_BLOB_H

#include <stddef.h>

#include "component_type.h"

#define ENT_BLOB_MAGIC_BYTES "ENTB"
#define ENT_BLOB_BYTE_ORDER  0x01020304u
#define ENT_BLOB_VERSION     1u
#define ENT_BLOB_ALIGN       16u
#define ENT_BLOB_BYTES_MAX   0xfffffff0u

/* A blob has at most so many sections: the kinds, and the component types of a level or an entity. */
#define ENT_BLOB_SECTIONS_MAX 512u

/* The maximum of entities of a level or an entity, and of a world at one time: an index has 22
 * bits, and index 0 of a world is the null entity. */
#define ENT_BLOB_ENTITIES_MAX 4194303u

typedef struct EntBlobHeader {
    unsigned char  magic[4];      /* "ENTB" in every byte order */
    uint32_t       byte_order;    /* ENT_BLOB_BYTE_ORDER as the target writes it */
    uint32_t       version;       /* ENT_BLOB_VERSION */
    uint32_t       resource_type; /* EntResourceType */
    EntResourceRef resource;      /* hash of `name.type` */
    uint32_t       blob_bytes;    /* of the complete blob, a multiple of 16 */
    uint32_t       section_count; /* rows of the table that follows */
    uint32_t
        element_count; /* entities, vertices, joints, tracks, fields, roots, levels; 1 for a material */
    uint32_t       zero[5]; /* must be 0 */
    EntResourceRef hash;    /* of all bytes before and after it */
} EntBlobHeader;

typedef struct EntBlobSection {
    uint32_t kind;         /* EntSectionKind */
    uint32_t identifier;   /* of the component type; 0 for other kinds */
    uint32_t layout;       /* layout hash of the field table; 0 for text */
    uint32_t count;        /* records, instances, or bytes of text */
    uint32_t stride;       /* bytes of a record; 1 for text */
    uint32_t offset;       /* from the blob's start, a multiple of 16 */
    uint32_t bytes;        /* without the zeros that follow */
    uint32_t column_count; /* of a component type; 1 for other kinds */
} EntBlobSection;

/* A blob that was validated. Points into the caller's bytes. */
typedef struct EntBlob {
    const unsigned char*  bytes;     /* [size] */
    size_t                size;      /* */
    const EntBlobHeader*  header;    /* */
    const EntBlobSection* section;   /* [header->section_count] */
    uint64_t              validated; /* bit i: the records of section i were validated */
} EntBlob;

/* Why a blob was refused. */
typedef struct EntBlobFault {
    EntStatus status;      /* */
    uint32_t  offset;      /* in the blob, of the field that is wrong */
    char      field[96];   /* "section[3].count", "light[7].range_m" */
    char      reason[160]; /* what is wrong and what would be right */
} EntBlobFault;

typedef struct EntBlobOptions {
    const EntComponentType* const*
             types;      /* [type_count] to check instances against; NULL: built-in */
    uint32_t type_count; /* */
    int      skip_hash;  /* do not check the hash, validate the fields only */
    struct EntJobPool*
        pool; /* NULL: one thread; otherwise its threads validate the columns of a long blob */
} EntBlobOptions;

#ifdef __cplusplus
extern "C" {
#endif

/* Validates all of a blob, once: order, bounds, alignment, padding, layouts, ranges, indices,
 * finite floats, hash. Afterwards no call that reads the blob can fail because of its data.
 *
 *   bytes    [size], aligned to 16, unchanged for as long as `out` is used
 *   options  NULL: built-in component types, hash checked
 *   fault    filled when the blob is refused; may be NULL
 *
 * Needs    ent_blob_validate for types that `options` does not contain: of these only the bounds of
 *          the sections are validated here, not the instances.
 * Returns  ENT_OK, or a status for the kind of damage.
 * Cost     one pass over the bytes, two with the hash; no allocation. */
ENT_API ENT_MUST_CHECK EntStatus ent_blob_open(EntBlob* out, const void* bytes, size_t size,
                                               const EntBlobOptions* options, EntBlobFault* fault);

/* Validates the instances of a type that was not in the options when the blob was opened.
 *
 * Returns  ENT_OK, also when the blob has none or they were validated before; or ENT_BAD_FIELD. */
ENT_API ENT_MUST_CHECK EntStatus ent_blob_validate(const EntBlob*          blob,
                                                   const EntComponentType* type,
                                                   EntBlobFault*           fault);

/* The id of resource `name` of a type, as blobs refer to it. */
ENT_API EntResourceRef ent_resource_ref(const char* name, uint32_t resource_type);

/* "entity", "level", ..: the file name suffix of a resource type; NULL for an unknown type. */
ENT_API const char* ent_resource_suffix(uint32_t resource_type);

/* The section of a kind, or NULL.
 *
 * Cost     a binary search in the table of sections. */
ENT_API const EntBlobSection* ent_blob_section(const EntBlob* blob, uint32_t kind);

/* The section of a component type, or NULL.
 *
 * Cost     a search in the table of sections. */
ENT_API const EntBlobSection* ent_blob_component(const EntBlob* blob, uint32_t component_id);

/* First byte of a section's data: records, text, or entity_index of a component section. */
ENT_API const void* ent_blob_data(const EntBlob* blob, const EntBlobSection* section);

/* Column `column` of a component section whose type is `type`: [section->count] elements. */
ENT_API const void* ent_blob_column(const EntBlob* blob, const EntBlobSection* section,
                                    const EntComponentType* type, uint32_t column);

/* The file that a resource of type data was compiled from: its bytes, unchanged in either byte order.
 *
 *   size_bytes  receives how many there are; 0 for an empty file
 *
 * Needs    a resource of type data.
 * Returns  the first byte, aligned to 16, never NULL; valid as long as the blob.
 * Cost     a lookup in the section table; nothing is copied. */
ENT_API const void* ent_blob_contents(const EntBlob* blob, uint32_t* size_bytes);

/* NUL-terminated name of entity or joint `index`; "" when it has none or names were stripped. */
ENT_API const char* ent_blob_name(const EntBlob* blob, uint32_t index);

/* Path of an entity, as in sources: "house_2/door", "." for the root of an entity resource, whose
 * name is not part of the paths of other entities. "#7" is entity 7 when it has no name. Truncated
 * to `bytes` with the NUL; returns its full length.
 *
 * Needs    an entity or a level. */
ENT_API size_t ent_blob_path(const EntBlob* blob, uint32_t index, char* out, size_t bytes);

/* The entity at a path, as ent_blob_path writes it; UINT32_MAX: there is none. The entity that was
 * spawned for it is at this index of the array that ent_world_spawn filled.
 *
 * Cost     a pass over the parents for each name of the path: search once and keep the index. */
ENT_API uint32_t ent_blob_path_find(const EntBlob* blob, const char* path);

/* String `text` of the fields of type text; 0 is "". */
ENT_API const char* ent_blob_text(const EntBlob* blob, EntTextRef text);

/* Name of row `index` of the reference section, without its type. */
ENT_API const char* ent_blob_reference_name(const EntBlob* blob, uint32_t index);

/* --- groups: the parts of an entity or level that can be spawned separately ---
 *
 * The entities of a blob are its base, then group 0, group 1, ..: each part is contiguous, and so
 * are its rows in every component section, whose entity_index is ascending. Parents and references
 * refer to entities of the base or of the same group: the base is complete without any group, and
 * each group is complete with the base. A part that is UINT32_MAX is the base, which may be empty;
 * a group is not empty. */

/* How many groups the blob has, the base not counted; 0 for other types of resources. */
ENT_API uint32_t ent_blob_group_count(const EntBlob* blob);

/* The group of a name, also when names were stripped; UINT32_MAX: there is none.
 *
 * Cost     a binary search. */
ENT_API uint32_t ent_blob_group_find(const EntBlob* blob, const char* name);

/* The hash by which a group is found, and its name; "" when names were stripped. */
ENT_API EntNameRef  ent_blob_group_id(const EntBlob* blob, uint32_t group);
ENT_API const char* ent_blob_group_name(const EntBlob* blob, uint32_t group);

/* The range of entities of a group, or for UINT32_MAX of the base: [*first, *end). */
ENT_API void ent_blob_group_range(const EntBlob* blob, uint32_t group, uint32_t* first,
                                  uint32_t* end);

/* The group that an entity is in; UINT32_MAX: the base.
 *
 * Cost     a binary search. */
ENT_API uint32_t ent_blob_entity_group(const EntBlob* blob, uint32_t entity);

#ifdef __cplusplus
}
#endif

#endif
