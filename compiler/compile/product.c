/* product.c - calls the function for the type of a resource. */
#include "product.h"

#include "compile_entity.h"
#include "declare_write.h"
#include "model_write.h"
#include "source_map_write.h"

bool compile_resource(Compile* c, u8** bytes, size_t* size) {
    bool is_compiled = false;
    if (!compile_read(c, c->asset, NULL, 0)) return false;
    c->has_errors = c->asset->content->has_errors;
    switch (c->type) {
    case RESOURCE_ENTITY:
    case RESOURCE_LEVEL: is_compiled = compile_entity(c, bytes, size); break;
    case RESOURCE_COMPONENT: is_compiled = compile_declaration(c, bytes, size); break;
    case RESOURCE_PACKAGE: is_compiled = compile_package(c, bytes, size); break;
    case RESOURCE_DATA: is_compiled = compile_data(c, bytes, size); break;
    case RESOURCE_TEXTURE: is_compiled = compile_texture(c, bytes, size); break;
    default:
        is_compiled = form_is_model(c->asset->form) ? compile_model_resource(c, bytes, size)
                                                    : compile_material(c, bytes, size);
    }
    if (is_compiled && c->options.source_map) source_map_write(c, *bytes);
    map_draft_destroy(c->map);
    c->map = NULL;
    return is_compiled;
}
