/* product.c - calls the function for the type of a resource; materials are compiled here. */
#include "product.h"

#include "fields.h"
#include "material.h"
#include "sections.h"
#include "source_map_write.h"

/* material.json: the fields of the material record. */
static bool compile_material(Compile* c, u8** bytes, size_t* size) {
    const RecordType* type = section_record(SECTION_MATERIAL);
    MaterialRecord    record;
    JsonKind          kind = JSON_NULL;
    Json              json = json_open(&c->asset->source, 0, c->diag);
    Instance          instance = compile_instance(c, NULL, &record);
    const u32         errors = diag_error_count(c->diag);
    instance.offset = json_offset(&json);
    record_defaults(type, &record);
    if (!json_kind(&json, &kind)) return false;
    if (kind != JSON_OBJECT) {
        diag_error(c->diag, E0202, instance.source, instance.offset, 1,
                   "a material must be an object, not %s", json_kind_name(kind));
        return false;
    }
    record_compile_fields(&instance, type);
    record_require_fields(&instance, type);
    if (diag_error_count(c->diag) != errors) return false;
    Output out;
    output_begin(&out, RESOURCE_MATERIAL, text_of(c->name), 1, 1);
    output_section(&out, SECTION_MATERIAL, &record, 1);
    return compile_finish(c, &out, bytes, size);
}

static bool compile_type(Compile* c, ResourceType type, u32 index, u8** bytes, size_t* size) {
    if (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL) return compile_entity(c, bytes, size);
    if (type == RESOURCE_COMPONENT) return compile_declaration(c, bytes, size);
    if (type == RESOURCE_PACKAGE) return compile_package(c, bytes, size);
    if (type == RESOURCE_TEXTURE) return compile_texture(c, bytes, size);
    if (!form_is_model(c->asset->form)) return compile_material(c, bytes, size);
    return compile_model_resource(c, type, index, bytes, size);
}

bool compile_resource(Compile* c, Asset* asset, const char* name, ResourceType type, u32 index,
                      u8** bytes, size_t* size) {
    c->asset = asset;
    c->name = name;
    if (!compile_read(c, asset, NULL, 0)) return false;
    c->has_errors = asset->doc.has_errors;
    if (!compile_type(c, type, index, bytes, size)) return false;
    if (c->wants_map) source_map_write(c, type, index, *bytes);
    return true;
}
