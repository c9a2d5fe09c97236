/* records.c - every field table, expanded from its list. */
#include "sections.h"

#include "clip.h"
#include "collider_plane.h"
#include "declaration.h"
#include "hash.h"
#include "job_once.h"
#include "material.h"
#include "mesh_data.h"
#include "records.h"
#include "skeleton.h"
#include "texture.h"

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
    {RECORD_TYPE(#name, name, Type), 0, 0, order, several, columns, lookup, NULL, 0},
static ComponentType types[] = {COMPONENT_LIST(COMPONENT_ROW)};

#define FORMER_TABLE(name, Type, NAME, NOW, columns) RECORD_TABLE(name, Type, NAME)
COMPONENT_FORMER_LIST(FORMER_TABLE)

#define FORMER_ROW(name, Type, NAME, NOW, columns)                                                 \
    {RECORD_TYPE(#name, name, Type), 0, 0, 0, SEVERAL, columns, HASHED, NULL, 0},
static ComponentType former_types[] = {COMPONENT_FORMER_LIST(FORMER_ROW)};

#define FORMER_NAME(name, Type, NAME, NOW, columns) {#name, NONE, NONE},
static const FormerName former_names[] = {COMPONENT_FORMER_LIST(FORMER_NAME)};
#define FORMER_NOW(name, Type, NAME, NOW, columns) COMPONENT_##NOW,
static const ComponentIndex former_now[] = {COMPONENT_FORMER_LIST(FORMER_NOW)};

/* Sections of records have a field table. */
#define SECTION_TABLE_RECORDS(name, Type, NAME) RECORD_TABLE(name, Type, NAME)
#define SECTION_TABLE_TEXT(name, Type, NAME)
#define SECTION_TABLE_BYTES(name, Type, NAME)
#define SECTION_TABLE_INSTANCES(name, Type, NAME)
#define SECTION_TABLE(NAME, content, name, Type, resources, text)                                  \
    SECTION_TABLE_##content(name, Type, NAME)
SECTION_LIST(SECTION_TABLE)

#define SECTION_RECORD_RECORDS(name, Type) RECORD_TYPE(#name, name, Type)
#define SECTION_RECORD_TEXT(name, Type)                                                            \
    { 0 }
#define SECTION_RECORD_BYTES(name, Type)                                                           \
    { 0 }
#define SECTION_RECORD_INSTANCES(name, Type)                                                       \
    { 0 }
#define OF(resource) (1u << RESOURCE_##resource)
#define SECTION_ROW(NAME, content, name, Type, resources, text)                                    \
    [SECTION_##NAME] = {#name, SECTION_RECORD_##content(name, Type), CONTENT_##content, resources},

static const struct {
    const char*    name;
    RecordType     record;
    SectionContent content;
    u32            resources; /* bit t: resources of type t may have it */
} sections[SECTION_KIND_COUNT] = {[SECTION_NONE] = {.name = "section"}, SECTION_LIST(SECTION_ROW)};

static u32 section_index(u32 kind) { return kind < SECTION_KIND_COUNT ? kind : SECTION_NONE; }

const RecordType* section_record(u32 kind) {
    const RecordType* record = &sections[section_index(kind)].record;
    return record->name ? record : NULL;
}

const char*    section_name(u32 kind) { return sections[section_index(kind)].name; }
SectionContent section_content(u32 kind) { return sections[section_index(kind)].content; }

bool section_allowed(u32 resource_type, u32 kind) {
    return resource_type < RESOURCE_COUNT &&
           sections[section_index(kind)].resources >> resource_type & 1;
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
    bool segment = false; /* a segment has begun */
    for (u32 i = 0; i < name.bytes; i++) {
        const char c = name.at[i];
        const bool is_valid =
            (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
        if (!is_valid && (c != '/' || !segment)) return false;
        segment = is_valid;
    }
    return segment && name.bytes <= NAME_BYTES_MAX;
}

/* --- the list of components, with ids --- */

static void types_finish(void) {
    for (u32 i = 0; i < COMPONENT_COUNT; i++) ent_component_type_finish(&types[i]);
    for (u32 i = 0; i < COUNT_OF(former_types); i++) {
        ComponentType* const now = &types[former_now[i]];
        ent_component_type_finish(&former_types[i]);
        former_types[i].order = now->order;
        if (now->was_count++ == 0) now->was = &former_names[i];
    }
}

const ComponentType* ent_component_types(void) {
    static JobOnce once;
    if (job_once_begin(&once)) {
        types_finish();
        job_once_end(&once);
    }
    return types;
}

const ComponentType* component_former(u32 id, u32 layout) {
    ent_component_types(); /* which completes both tables */
    for (u32 i = 0; i < COUNT_OF(former_types); i++)
        if (former_types[i].id == id && former_types[i].layout == layout) return &former_types[i];
    return NULL;
}

void ent_component_type_finish(ComponentType* type) {
    assert(type->columns == BY_RECORD || type->record.field_count <= COMPONENT_COLUMNS_MAX);
    type->id = hash_name(text_of(type->record.name));
    type->layout = record_layout_hash(&type->record);
    /* The same fields as a structure of arrays have another layout. */
    if (type->columns == BY_FIELD) type->layout |= LAYOUT_BY_FIELD;
}
