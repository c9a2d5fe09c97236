/* compile_instance.c - resolves the references in fields of a component for the reader of
 * records. */
#include "flat.h"
#include "persistent.h"

static ResourceRef resource(Instance* in, u32 offset, JsonString name, ResourceType type) {
    return compile_resource_ref(in->compile, in->source, offset, name, type);
}

static u32 entity(Instance* in, u32 offset, JsonString path) {
    return compile_entity_ref(in->compile, in->source, offset, path, in->scope);
}

static u32 name(Instance* in, u32 offset, JsonString text) {
    return compile_name_ref(in->compile, in->source, offset, text);
}

static u32 persistent(Instance* in, u32 offset, JsonString path) {
    return persistent_path(in->compile, in->source, offset, path, in->scope);
}

static u32 text(Instance* in, u32 offset, JsonString content) {
    UNUSED(offset);
    return compile_string(in->compile, compile_text(in->compile, content));
}

static ResourceRef place(const Instance* in, u32 offset) {
    const Asset* asset =
        (const Asset*)(const void*)((const u8*)in->source - offsetof(Asset, source));
    return (ResourceRef){.lo = offset, .hi = asset->index};
}

Instance compile_instance(Compile* c, const ComponentType* type, void* record) {
    static const InstanceLinks links = {resource, entity, name, persistent, text, place};
    return (Instance){.compile = c,
                      .links = &links,
                      .asset_source = &c->asset->source,
                      .type = type,
                      .source = &c->asset->source,
                      .item = NONE,
                      .scope = NONE,
                      .diag = c->diag,
                      .record = record};
}
