/* records.c - every field table, expanded from its list. */
#include "sections.h"

#include "clip.h"
#include "declaration.h"
#include "hash.h"
#include "job_once.h"
#include "material.h"
#include "mesh_data.h"
#include "skeleton.h"

#define TEXTS(LIST) static const char* const LIST##_TEXTS[] = {LIST(ENUM_TEXT)};

TEXTS(LIGHT_KIND)
TEXTS(CAMERA_KIND)
TEXTS(FLUID_MODEL)
TEXTS(MATERIAL_ALPHA)
TEXTS(MESH_TOPOLOGY)
TEXTS(CLIP_CHANNEL)
TEXTS(CLIP_INTERPOLATION)

#define RESOURCE_TEXT(name, suffix, text) suffix,
static const char* const RESOURCE_TEXTS[] = {"none", RESOURCE_LIST(RESOURCE_TEXT)};

#define RECORD_TABLE(name, Type, NAME)                                                             \
    static const Field name##_fields[] = {NAME##_FIELDS(FIELD_ROW, Type##Record)};                 \
    static_assert(sizeof(Type##Record) % 4 == 0, "records are made of 32-bit words");

#define RECORD_TYPE(text, name, Type)                                                              \
    { text, name##_fields, (u32)COUNT_OF(name##_fields), (u32)sizeof(Type##Record) }

#define COMPONENT_TABLE(name, Type, NAME, order, several, columns, lookup)                         \
    RECORD_TABLE(name, Type, NAME)
COMPONENT_LIST(COMPONENT_TABLE)

#define COMPONENT_ROW(name, Type, NAME, order, several, columns, lookup)                           \
    {RECORD_TYPE(#name, name, Type), 0, 0, order, several, columns, lookup},
static ComponentType types[] = {COMPONENT_LIST(COMPONENT_ROW)};

/* Sections that are arrays of records:  X(name, Type, NAME, SECTION) */
#define SECTION_RECORD_LIST(X)                                                                     \
    X(parent, Parent, PARENT)                                                                      \
    X(material, Material, MATERIAL)                                                                \
    X(mesh_bounds, MeshBounds, MESH_BOUNDS)                                                        \
    X(mesh_part, MeshPart, MESH_PART)                                                              \
    X(position, Position, POSITION)                                                                \
    X(normal, Normal, NORMAL)                                                                      \
    X(tangent, Tangent, TANGENT)                                                                   \
    X(uv, Uv, UV)                                                                                  \
    X(vertex_joints, VertexJoints, VERTEX_JOINTS)                                                  \
    X(vertex_weights, VertexWeights, VERTEX_WEIGHTS)                                               \
    X(index, Index, INDEX)                                                                         \
    X(joint, Joint, JOINT)                                                                         \
    X(bind, Bind, BIND)                                                                            \
    X(clip_info, ClipInfo, CLIP_INFO)                                                              \
    X(track, Track, TRACK)                                                                         \
    X(key_time, KeyTime, KEY_TIME)                                                                 \
    X(key_value, KeyValue, KEY_VALUE)                                                              \
    X(name_offset, NameOffset, NAME_OFFSET)                                                        \
    X(reference, Reference, REFERENCE)                                                             \
    X(declaration, Declaration, DECLARATION)                                                       \
    X(declared_field, DeclaredField, DECLARED_FIELD)                                               \
    X(enum_text, EnumText, ENUM_TEXT)                                                              \
    X(group, Group, GROUP)

#define SECTION_TABLE(name, Type, NAME) RECORD_TABLE(name, Type, NAME)
SECTION_RECORD_LIST(SECTION_TABLE)

#define SECTION_ROW(name, Type, NAME) [SECTION_##NAME] = RECORD_TYPE(#name, name, Type),
static const RecordType section_records[SECTION_KIND_COUNT] = {SECTION_RECORD_LIST(SECTION_ROW)};

const RecordType* section_record(u32 kind) {
    if (kind >= SECTION_KIND_COUNT || !section_records[kind].name) return NULL;
    return &section_records[kind];
}

const char* section_name(u32 kind) {
#define SECTION_NAME_ROW(NAME, record, text) #record,
    static const char* const names[] = {"section", SECTION_LIST(SECTION_NAME_ROW)};
#undef SECTION_NAME_ROW
    if (kind == SECTION_REFERENCE_NAME) return "reference_name";
    if (kind == SECTION_NAME) return "name";
    if (kind == SECTION_DECLARATION_TEXT) return "declaration_text";
    if (kind == SECTION_GROUP_NAME) return "group_name";
    return names[kind < SECTION_KIND_COUNT ? kind : SECTION_NONE];
}

bool section_allowed(u32 resource_type, u32 kind) {
    switch (resource_type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL:
        return kind == SECTION_PARENT || kind == SECTION_COMPONENT ||
               (kind >= SECTION_NAME_OFFSET && kind <= SECTION_REFERENCE_NAME) ||
               kind == SECTION_GROUP || kind == SECTION_GROUP_NAME;
    case RESOURCE_MESH:
        return (kind >= SECTION_MESH_BOUNDS && kind <= SECTION_INDEX) ||
               kind == SECTION_REFERENCE || kind == SECTION_REFERENCE_NAME;
    case RESOURCE_SKELETON:
        return kind == SECTION_JOINT || kind == SECTION_BIND || kind == SECTION_NAME_OFFSET ||
               kind == SECTION_NAME;
    case RESOURCE_CLIP: return kind >= SECTION_CLIP_INFO && kind <= SECTION_KEY_VALUE;
    case RESOURCE_MATERIAL: return kind == SECTION_MATERIAL;
    case RESOURCE_COMPONENT: return kind >= SECTION_DECLARATION && kind <= SECTION_DECLARATION_TEXT;
    case RESOURCE_PACKAGE: return kind == SECTION_REFERENCE || kind == SECTION_REFERENCE_NAME;
    default: return false;
    }
}

const char* ent_resource_suffix(u32 type) {
    return type > RESOURCE_NONE && type < RESOURCE_COUNT ? RESOURCE_TEXTS[type] : NULL;
}

ResourceType resource_from_suffix(Text suffix) {
    for (u32 i = RESOURCE_NONE + 1; i < RESOURCE_COUNT; i++) {
        if (text_equal(suffix, text_of(RESOURCE_TEXTS[i]))) return (ResourceType)i;
    }
    return RESOURCE_NONE;
}

bool resource_name_is_canonical(Text name) {
    bool segment = false; /* has begun */
    for (u32 i = 0; i < name.bytes; i++) {
        const char c = name.at[i];
        const bool good = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!good && (c != '/' || !segment)) return false;
        segment = good;
    }
    return segment && name.bytes <= 255;
}

/* --- the list of components, with ids --- */

static void types_finish(void) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) ent_component_type_finish(&types[i]);
}

const ComponentType* ent_component_types(void) {
    static JobOnce once;
    if (job_once_begin(&once)) {
        types_finish();
        job_once_end(&once);
    }
    return types;
}

void ent_component_type_finish(ComponentType* type) {
    assert(type->columns == BY_RECORD || type->record.field_count <= COMPONENT_COLUMNS_MAX);
    type->id = hash_name(text_of(type->record.name));
    type->layout = record_layout_hash(&type->record);
    /* The same fields in columns are other bytes. */
    if (type->columns == BY_FIELD) type->layout ^= 0x80000000u;
}
