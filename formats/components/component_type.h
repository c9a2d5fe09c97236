/* component_type.h - defines a component type: its field table, and how a world stores it. */
#ifndef ENT_COMPONENT_TYPE_H
#define ENT_COMPONENT_TYPE_H

#include "lists.h"
#include "status.h"
#include "types.h"

/* One row of a field table. */
/* What a vector of three numbers, or a rotation of four, is in space: what happens to it when the axes of its space change.
 * Entc uses it for custom properties of models that were written with the axis z up. */
typedef enum EntAxes {
    ENT_AXES_NONE,      /* it stays as it is: colours, texture coordinates */
    ENT_AXES_POINT,     /* a position, or a difference of positions */
    ENT_AXES_DIRECTION, /* a direction, velocity or force */
    ENT_AXES_SIZE,      /* an extent along each axis, or a scale */
    ENT_AXES_ROTATION   /* a quaternion x y z w */
} EntAxes;

typedef struct EntField {
    const char*        name;       /* the JSON key */
    EntFieldKind       kind;       /* */
    uint32_t           offset;     /* bytes from the record's start */
    uint32_t           bytes;      /* of all elements: 4 to 256 */
    int                required;   /* no default: JSON must contain it */
    double             value[4];   /* the default of each element, when not required */
    double             lo, hi;     /* inclusive, of every number in the field */
    const char*        unit;       /* "" when it has none */
    const char* const* texts;      /* [text_count] of an EntEnum32 or EntFlags32 */
    uint32_t           text_count; /* */
    uint32_t    refers_to; /* EntResourceType of an EntResourceRef; text section of an offset */
    EntAxes     axes;      /* of a vector: what it is in space */
    const char* text;      /* one line for the manual */
} EntField;

/* One field table. */
typedef struct EntRecordType {
    const char*     name;        /* "light" */
    const EntField* fields;      /* [field_count] in the order of their offsets */
    uint32_t        field_count; /* */
    uint32_t        bytes;       /* sum of the fields: records have no padding */
} EntRecordType;

/* An older name, under which blobs contain a component type, a field or the text of an enum. */
typedef struct EntFormerName {
    const char* name;
    uint32_t    field; /* index; UINT32_MAX: the component type */
    uint32_t    text;  /* index of an enum's text; UINT32_MAX: the field, or the component type */
} EntFormerName;

typedef enum EntComponentSeveral { ENT_SINGLE, ENT_SEVERAL } EntComponentSeveral;
typedef enum EntComponentColumns { ENT_BY_RECORD, ENT_BY_FIELD } EntComponentColumns;
typedef enum EntComponentLookup { ENT_HASHED, ENT_DIRECT } EntComponentLookup;

/* A component type, as all parts use it: the compiler, the validator, the world, dump and diff.
 * Built-in types come from the list; others are registered by hosts and plugins. */
typedef struct EntComponentType {
    EntRecordType        record; /* its name is the JSON key */
    uint32_t             id;     /* hash of the name: the identifier in a blob */
    uint32_t             layout; /* hash of the field table's layout */
    uint32_t             order;  /* spawn order */
    EntComponentSeveral  several;
    EntComponentColumns  columns;
    EntComponentLookup   lookup;
    const EntFormerName* was; /* [was_count] NULL: none */
    uint32_t             was_count;
} EntComponentType;

#define ENT_COMPONENT_COLUMNS_MAX 16 /* fields of a ENT_BY_FIELD type */
#define ENT_COMPONENT_FIELDS_MAX  64 /* fields of any type */

#ifdef __cplusplus
extern "C" {
#endif

/* The built-in types, in list order: [ENT_COMPONENT_COUNT]. Ids and layouts are filled in; constant
 * after the first call, which is safe from any thread. */
ENT_API const EntComponentType* ent_component_types(void);

/* Fills id and layout from record, for a type that is not in the list. */
ENT_API void ent_component_type_finish(EntComponentType* type);

/* Number of columns, and the bytes of one element and the offset in the record of each. */
ENT_API uint32_t ent_component_column_count(const EntComponentType* type);
ENT_API uint32_t ent_component_column_bytes(const EntComponentType* type, uint32_t column);
ENT_API uint32_t ent_component_column_offset(const EntComponentType* type, uint32_t column);

#ifdef __cplusplus
}
#endif

#endif
