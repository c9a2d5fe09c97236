/* product.c - calls the function for the type of a resource. */
#include "product.h"

#include "compile_entity.h"
#include "declare_write.h"
#include "model_write.h"
#include "source_map_write.h"

static bool compile_type(Compile* c, ResourceType type, u32 index, u8** bytes, size_t* size) {
    if (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL) return compile_entity(c, bytes, size);
    if (type == RESOURCE_COMPONENT) return compile_declaration(c, bytes, size);
    if (type == RESOURCE_PACKAGE) return compile_package(c, bytes, size);
    if (type == RESOURCE_DATA) return compile_data(c, bytes, size);
    if (type == RESOURCE_TEXTURE) return compile_texture(c, index, bytes, size);
    if (!form_is_model(c->asset->form)) return compile_material(c, bytes, size);
    return compile_model_resource(c, type, index, bytes, size);
}

bool compile_resource(Compile* c, Asset* asset, const char* name, ResourceType type, u32 index,
                      u8** bytes, size_t* size) {
    c->asset = asset;
    c->name = name;
    if (!compile_read(c, asset, NULL, 0)) return false;
    c->has_errors = asset->doc.has_errors;
    const bool is_compiled = compile_type(c, type, index, bytes, size);
    if (is_compiled && c->needs_map) source_map_write(c, type, index, *bytes);
    map_draft_destroy(c->map);
    c->map = NULL;
    return is_compiled;
}
