/* spawn_convert.c - instances of a blob that was written under an older declaration. */
#include "spawn_convert_internal.h"

#include "conversion.h"
#include "sections.h"

void convert_line_log(void* user, const char* text) { world_log(user, LOG_WARNING, "%s", text); }

const BlobSection* convert_section_find(const Blob* blob, const ComponentType* type) {
    const BlobSection* section = ent_blob_component(blob, type->id);
    for (u32 i = 0; i < blob->header->section_count && !section && type->was_count; i++) {
        const BlobSection* s = &blob->section[i];
        if (s->kind == SECTION_COMPONENT && conversion_is_former(type, s->identifier)) section = s;
    }
    return section;
}

static void* carve(u8* block, size_t* used, size_t bytes) {
    void* at = block ? block + *used : NULL;
    *used += (size_t)align_up(bytes, 16);
    return at;
}

/* Owners and columns of the new type. */
static size_t rows_carve(ConversionRows* rows, const ComponentType* to, u32 count, u8* block) {
    size_t used = 0;
    rows->owner = carve(block, &used, sizeof(u32) * count);
    for (u32 c = 0; c < ent_component_column_count(to); c++) {
        rows->column[c] = carve(block, &used, (size_t)count * ent_component_column_bytes(to, c));
    }
    return used;
}

/* Those of the blob are only read. */
static ConversionRows rows_of(const Blob* blob, const BlobSection* s, const ComponentType* type) {
    ConversionRows rows = {.count = s->count, .owner = (u32*)ent_blob_data(blob, s)};
    for (u32 c = 0; c < ent_component_column_count(type); c++) {
        rows.column[c] = (u8*)ent_blob_column(blob, s, type, c);
    }
    return rows;
}

ent_status convert_missing_report(const World* w, const ComponentType* to, const Field* field) {
    world_log(w, LOG_ERROR,
              "%s.%s is required, and instances of the blob, which is older, have no value of it: "
              "give the field a default",
              to->record.name, field->name);
    return ENT_BAD_FIELD;
}

static ent_status rows_convert(World* w, const Blob* blob, const BlobSection* section,
                               const ComponentType* from, const ComponentType* to, bool quiet,
                               ConvertedRows** out) {
    const HostAllocator* host = &w->allocator;
    Conversion           c;
    ConversionRows       rows = {0};
    const ConversionRows old = rows_of(blob, section, from);
    conversion_plan(&c, from, to);
    const Field* missing = conversion_fault(&c);
    if (missing) return convert_missing_report(w, to, missing);
    const size_t   head = (size_t)align_up(sizeof(ConvertedRows), 16);
    const size_t   bytes = head + rows_carve(&rows, to, section->count, NULL);
    ConvertedRows* converted = host->alloc(host->user, bytes);
    if (!converted) return ENT_NO_MEMORY;
    *converted = (ConvertedRows){.bytes = bytes};
    rows_carve(&rows, to, section->count, (u8*)converted + head);
    missing = conversion_run(&c, &old, &rows);
    if (missing) {
        convert_drop(w, converted);
        return convert_missing_report(w, to, missing);
    }
    if (!quiet) conversion_report(&c, convert_line_log, w);
    converted->count = rows.count;
    converted->owner = rows.owner;
    for (u32 i = 0; i < ent_component_column_count(to); i++) converted->column[i] = rows.column[i];
    *out = converted;
    return ENT_OK;
}

static ent_status fault_report(const World* w, const BlobFault* fault) {
    world_log(w, LOG_ERROR, "%s at offset %u: %s", fault->field, fault->offset, fault->reason);
    return fault->status;
}

static ent_status valid_convert(World* w, const Blob* blob, const BlobSection* section,
                                const ComponentType* from, const ComponentType* to, bool quiet,
                                ConvertedRows** out) {
    BlobFault fault;
    if (ent_blob_validate(blob, from, &fault) != ENT_OK) return fault_report(w, &fault);
    return rows_convert(w, blob, section, from, to, quiet, out);
}

/* From the declaration that the blob contains. */
static ent_status declared_convert(World* w, const Blob* blob, const BlobSection* section,
                                   const DeclarationParts* part, const ComponentType* to,
                                   bool quiet, ConvertedRows** out) {
    const HostAllocator* host = &w->allocator;
    const size_t         bytes = declared_type_bytes(part);
    void*                memory = host->alloc(host->user, bytes);
    if (!memory) return ENT_NO_MEMORY;
    const ComponentType from = declared_type_open(part, memory);
    const ent_status    status = valid_convert(w, blob, section, &from, to, quiet, out);
    host->free(host->user, memory, bytes);
    return status;
}

ent_status convert_find(World* w, const Blob* blob, const BlobSection* section,
                        const ComponentType* to, u32 flags, ConvertedRows** out) {
    const bool       copied = flags & CONVERT_COPIED, quiet = flags & CONVERT_QUIET;
    const bool       renamed = section->identifier != to->id;
    BlobFault        fault = {.status = ENT_OK};
    DeclarationParts part;
    *out = NULL;
    if (!renamed && ent_blob_validate(blob, to, &fault) == ENT_OK && !copied) return ENT_OK;
    if (declaration_of_section(blob, section, &part))
        return declared_convert(w, blob, section, &part, to, quiet, out);
    const ComponentType* former = component_former(section->identifier, section->layout);
    if (renamed && former) return valid_convert(w, blob, section, former, to, quiet, out);
    if (!renamed && fault.status == ENT_OK)
        return rows_convert(w, blob, section, to, to, quiet, out);
    if (!renamed && section->layout == to->layout) return fault_report(w, &fault);
    world_log(w, LOG_ERROR,
              "the instances of %s were written under another declaration of it, which the blob "
              "does not contain: compile a level again; a save can be loaded with the old "
              "declaration",
              to->record.name);
    return ENT_BAD_FIELD;
}

void convert_drop(World* w, ConvertedRows* rows) {
    if (rows) w->allocator.free(w->allocator.user, rows, rows->bytes);
}
