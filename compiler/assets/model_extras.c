/* model_extras.c - components from the custom properties of a glTF file. A property becomes the text
 * of an object { "health": { "points": 50 } }, which is read like the components of an entity. */
#include "model_extras.h"

#include "asset_name.h"
#include "diag.h"
#include "diag_print.h"
#include "model_axes.h"
#include "model_tops.h"
#include "sections.h"

#include <stdlib.h>

typedef struct Expand {
    const GltfModel* model;
    bool             is_z_up; /* vectors in single fields */
    const Registry*  registry;
    Source*          source;
    Arena*           arena;
    Diagnostics*     diag;
    ARRAY(char) text; /* generated */
    ARRAY(SourceOrigin) origins;
    ARRAY(u32) items; /* offsets of objects with components, in the order in which they are read */
} Expand;

#define LIGHTS "extensions.KHR_lights_punctual.lights"

/* The object that has the extras: "nodes[3]". */
typedef struct Owner {
    const char* list;
    u32         index;
    const char* name;
} Owner;

/* --- properties that are no components --- */

/* Returns the remark to be completed, or NULL when the same property was reported before: then no
 * similar name is searched. */
static GltfRemark* remark_new(Expand* x, const GltfProperty* p) {
    GltfRemark* remark = gltf_remark_add(x->model->remarks, REMARK_EXTRAS, p->key, x->arena);
    if (!remark) return NULL;
    remark->offset = p->offset;
    remark->bytes = 1;
    return remark;
}

static void remark_complete(Expand* x, GltfRemark* remark, Owner owner, const GltfProperty* p,
                            const char* reason, const char* meant) {
    char path[GLTF_PATH_BYTES], object[GLTF_OBJECT_BYTES];
    snprintf(path, sizeof path, "%s[%u].extras.%.64s", owner.list, owner.index, p->key);
    remark->text =
        arena_print(x->arena, "%s is not compiled: %s%s%s%s",
                    gltf_object_print(object, path, owner.name), reason, DIAG_NEAREST(meant));
}

static void property_remark(Expand* x, Owner owner, const GltfProperty* p, const char* reason) {
    GltfRemark* remark = remark_new(x, p);
    if (remark) remark_complete(x, remark, owner, p, reason, NULL);
}

static const RecordType* light_type(const Expand* x) {
    const u32 light = registry_find(x->registry, (JsonString){text_of("light"), false});
    return light == NONE ? NULL : &x->registry->types[light]->record;
}

/* The most similar name of a component, or of a field that the object has without the name of a component; or NULL. */
static const char* property_nearest(const Expand* x, Owner owner, Text name) {
    static const char* const material_keys[] = GLTF_MATERIAL_KEYS;
    const bool               is_light = strcmp(owner.list, LIGHTS) == 0;
    const RecordType*        light = is_light ? light_type(x) : NULL;
    ARRAY(const char*) names = {0};
    for (u32 i = 0; i < x->registry->count; i++) *array_push(&names) = x->registry->names[i];
    for (u32 i = 0; light && i < light->field_count; i++)
        *array_push(&names) = light->fields[i].name;
    for (u32 i = 0; strcmp(owner.list, "materials") == 0 && i < COUNT_OF(material_keys); i++)
        *array_push(&names) = material_keys[i];
    const char* near = diag_nearest(name, names.at, names.count);
    array_drop(&names);
    return near;
}

static void unknown_type(Expand* x, Owner owner, const GltfProperty* p, Text type) {
    GltfRemark* remark = remark_new(x, p);
    if (!remark) return;
    const char* near = property_nearest(x, owner, type);
    const char* reason = "a property must be named like a component, such as \"light\", or like a "
                         "field of one, such as \"light.range_m\"";
    if (near)
        reason = registry_find(x->registry, (JsonString){text_of(near), false}) == NONE
                     ? "there is no such field"
                     : "there is no such component";
    remark_complete(x, remark, owner, p, reason, near);
}

static void unknown_field(Expand* x, Owner owner, const GltfProperty* p, const RecordType* type,
                          Text field) {
    const char* names[96];
    u32         count = 0;
    GltfRemark* remark =
        type->field_count ? remark_new(x, p) : NULL; /* otherwise its declaration has errors */
    if (!remark) return;
    for (; count < type->field_count && count < COUNT_OF(names); count++)
        names[count] = type->fields[count].name;
    const char* reason = arena_print(x->arena, "the component \"%s\" has no field \"%.*s\"",
                                     type->name, (int)MIN_OF(field.bytes, 64u), field.at);
    remark_complete(x, remark, owner, p, reason, diag_nearest(field, names, count));
}

/* --- generated text --- */

static void text_put(Expand* x, Text text) {
    if (text.bytes == 0) return;
    array_reserve(&x->text, x->text.count + text.bytes);
    memcpy(x->text.at + x->text.count, text.at, text.bytes);
    x->text.count += text.bytes;
}

/* { "TYPE": VALUE }, or { "TYPE": { "FIELD": VALUE } } */
static void component_put(Expand* x, const GltfProperty* p, Text type, Text field, Text value) {
    const u32 at = x->source->bytes + 1 + x->text.count;
    *array_push(&x->origins) = (SourceOrigin){at, p->offset};
    *array_push(&x->items) = at;
    text_put(x, text_of("{\""));
    text_put(x, type);
    text_put(x, text_of("\":"));
    if (field.bytes) {
        text_put(x, text_of("{\""));
        text_put(x, field);
        text_put(x, text_of("\":"));
    }
    text_put(x, value);
    text_put(x, text_of(field.bytes ? "}} " : "} "));
}

/* Tools without a type for truth values write 0 and 1. */
static Text field_value(const GltfProperty* p, const Field* f) {
    const Text value = p->value;
    if (field_form(f) != FORM_BOOL) return value;
    if (text_equal(value, text_of("1")) || text_equal(value, text_of("1.0")))
        return text_of("true");
    if (text_equal(value, text_of("0")) || text_equal(value, text_of("0.0")))
        return text_of("false");
    return value;
}

/* Is the text one complete object or array in JSON? */
static bool is_component(const char* text) {
    const Source source = source_of("", text, (u32)strlen(text));
    Diagnostics* ignored = diag_create();
    JsonTokens   tokens;
    const bool   valid = json_tokens_open(&tokens, &source, ignored) &&
                       json_token_is_open(json_tokens_root(&tokens));
    json_tokens_close(&tokens);
    diag_destroy(ignored);
    return valid;
}

static void complete_component(Expand* x, Owner owner, const GltfProperty* p,
                               const RecordType* type) {
    const Text value = p->text ? text_of(p->text) : p->value, none = {"", 0};
    if (p->text ? is_component(p->text) : *value.at == '{' || *value.at == '[')
        component_put(x, p, text_of(type->name), none, value);
    else
        property_remark(x, owner, p,
                        p->text ? "its text must be a component as JSON, such as {}"
                                : "its value must be a component, such as {}");
}

static void component_field(Expand* x, Owner owner, const GltfProperty* p, const RecordType* type,
                            Text field) {
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        if (!text_equal(field, text_of(f->name))) continue;
        const Text value = field_value(p, f);
        component_put(x, p, text_of(type->name), field,
                      x->is_z_up ? axes_text(x->arena, f, value) : value);
        return;
    }
    unknown_field(x, owner, p, type, field);
}

/* --- properties --- */

/* "/a", "../a", "a/./b": a path, which no name of a resource is. */
static bool is_path_of_file(const char* text) {
    if (*text == '/') return true;
    for (const char* at = text; *at; at += strcspn(at, "/"), at += *at == '/') {
        const size_t dots = strspn(at, ".");
        if (dots && (at[dots] == '/' || at[dots] == 0)) return true;
    }
    return false;
}

/* The name of a prefab as its author gave it to the object: "models/kit/Old Crate" is models/kit/old_crate. */
static void prefab_name(Expand* x, GltfProperty* p) {
    char fixed[NAME_BYTES_MAX + 1];
    if (!p->text || strlen(p->text) > NAME_BYTES_MAX || is_path_of_file(p->text)) return;
    name_fix(text_of(p->text), fixed);
    if (!*fixed || strcmp(fixed, p->text) == 0) return;
    const u32 at = x->source->bytes + 1 + x->text.count;
    *array_push(&x->origins) = (SourceOrigin){at, p->offset};
    text_put(x, text_of(arena_print(x->arena, "\"%s\" ", fixed)));
    p->offset = at;
}

/* Is the property of a light a field of its component? */
static bool light_field(Expand* x, Owner owner, const GltfProperty* p) {
    const RecordType* type = light_type(x);
    bool              found = false;
    for (u32 i = 0; type && i < type->field_count; i++)
        found |= strcmp(type->fields[i].name, p->key) == 0;
    if (found) component_field(x, owner, p, type, text_of(p->key));
    return found;
}

static void property_expand(Expand* x, Owner owner, GltfProperty* p) {
    const char* dot = strchr(p->key, '.');
    const Text  name = {p->key, dot ? (u32)(dot - p->key) : (u32)strlen(p->key)};
    if (strcmp(p->key, "components") == 0) {
        *array_push(&x->items) = p->offset;
        return;
    }
    if (strcmp(owner.list, "nodes") == 0 && model_property_is_structure(p)) {
        if (strcmp(p->key, "prefab") == 0) prefab_name(x, p);
        return;
    }
    const u32 type = registry_find(x->registry, (JsonString){name, false});
    if (type == NONE && !dot && strcmp(owner.list, LIGHTS) == 0 && light_field(x, owner, p)) return;
    if (type == NONE)
        unknown_type(x, owner, p, name);
    else if (dot)
        component_field(x, owner, p, &x->registry->types[type]->record, text_of(dot + 1));
    else
        complete_component(x, owner, p, &x->registry->types[type]->record);
}

/* Returns the range of the items. */
static ExtrasRange extras_expand(Expand* x, const char* list, u32 index, const GltfExtras* extras) {
    const Owner owner = {list, index, extras->name};
    const u32   first = x->items.count;
    for (u32 i = 0; i < extras->count; i++) property_expand(x, owner, &extras->properties[i]);
    return (ExtrasRange){first, x->items.count - first};
}

/* Appends the generated text to that of the model. */
static void source_extend(Expand* x) {
    if (x->text.count == 0) return;
    const u32 source_bytes = x->source->bytes;
    char*     text = arena_alloc(x->arena, (size_t)source_bytes + x->text.count + 2);
    memcpy(text, x->source->text, source_bytes);
    memcpy(text + source_bytes + 1, x->text.at, x->text.count);
    SourceOrigin* origins = ARENA_NEW(x->arena, SourceOrigin, x->origins.count);
    memcpy(origins, x->origins.at, sizeof *origins * x->origins.count);
    *x->source = (Source){.path = x->source->path,
                          .text = text,
                          .bytes = source_bytes + 1 + x->text.count,
                          .origins = origins,
                          .origin_count = x->origins.count,
                          .file_bytes = source_bytes};
}

/* --- components --- */

/* Reads the components of a range of items. */
static ExtrasRange items_read(ModelExtras* extras, Expand* x, ExtrasRange items) {
    const ExtrasRange empty = {extras->at.count, 0};
    Doc               doc = {.source = x->source, .tokens = extras->tokens};
    for (u32 i = items.first; i < items.first + items.count; i++) {
        /* Strict: unlike other extras, these must follow our rules. */
        Json      json = json_open(x->source, x->items.at[i], x->diag);
        const u32 token = json_tokens_read(&doc.tokens, &json);
        if (token != NONE) doc_components_take(&doc, token, x->registry, x->diag);
    }
    for (u32 i = 0; i < doc.components.count; i++) *array_push(&extras->at) = doc.components.at[i];
    const ExtrasRange range = {empty.first, doc.components.count};
    array_drop(&doc.components);
    extras->tokens = doc.tokens;
    return range;
}

static void range_append(ModelExtras* extras, ExtrasRange range) {
    for (u32 i = 0; i < range.count; i++) {
        const DocComponent component = extras->at.at[range.first + i];
        *array_push(&extras->at) = component;
    }
}

/* The components of a mesh: those of its materials, each once, and its own. */
static void meshes_read(ModelExtras* extras, Expand* x, const ExtrasRange* materials,
                        const ExtrasRange* source_bytes) {
    const GltfModel* g = x->model;
    u32*             stamp = memory_alloc(sizeof(u32) * ((size_t)g->material_count + 1));
    for (u32 i = 0; i < g->mesh_count; i++) {
        const u32 first = extras->at.count;
        for (u32 k = 0; k < g->meshes[i].primitive_count; k++) {
            const u32 material = g->meshes[i].primitives[k].material;
            if (material == NONE || stamp[material] == i + 1) continue;
            stamp[material] = i + 1;
            range_append(extras, materials[material]);
        }
        range_append(extras, source_bytes[i]);
        extras->meshes[i] = (ExtrasRange){first, extras->at.count - first};
    }
    memory_free(stamp);
}

/* Components of meshes and materials that no node has. */
static void unused_remark(Expand* x, const char* list, u32 index, const GltfExtras* extras) {
    char        path[GLTF_PATH_BYTES], object[GLTF_OBJECT_BYTES];
    GltfRemark* remark =
        extras->count ? gltf_remark_add(x->model->remarks, REMARK_EXTRAS, list, x->arena) : NULL;
    if (!remark) return;
    remark->offset = extras->properties[0].offset;
    remark->bytes = 1;
    snprintf(path, sizeof path, "%s[%u].extras", list, index);
    remark->text =
        arena_print(x->arena, "%s is not compiled: no node of the default scene uses this object",
                    gltf_object_print(object, path, extras->name));
}

static void unused_report(Expand* x) {
    const GltfModel* g = x->model;
    bool*            meshes = memory_alloc((size_t)g->mesh_count + 1);
    bool*            materials = memory_alloc((size_t)g->material_count + 1);
    for (u32 i = 0; i < g->node_count; i++) {
        if (g->nodes[i].mesh != NONE) meshes[g->nodes[i].mesh] = true;
    }
    for (u32 i = 0; i < g->mesh_count; i++) {
        for (u32 k = 0; meshes[i] && k < g->meshes[i].primitive_count; k++) {
            const u32 material = g->meshes[i].primitives[k].material;
            if (material != NONE) materials[material] = true;
        }
        if (!meshes[i]) unused_remark(x, "meshes", i, &g->meshes[i].extras);
    }
    for (u32 i = 0; i < g->material_count; i++) {
        if (!materials[i]) unused_remark(x, "materials", i, &g->materials[i].extras);
    }
    memory_free(meshes);
    memory_free(materials);
}

void model_extras_read(ModelExtras* extras, Source* source, const Model* of,
                       const Registry* registry, Arena* arena, Diagnostics* diag) {
    const GltfModel* model = &of->gltf;
    Expand           x = {.model = model,
                          .is_z_up = model_axes_are_z_up(of),
                          .registry = registry,
                          .source = source,
                          .arena = arena,
                          .diag = diag};
    ExtrasRange*     meshes = ARENA_NEW(arena, ExtrasRange, model->mesh_count);
    ExtrasRange*     materials = ARENA_NEW(arena, ExtrasRange, model->material_count);
    *extras = (ModelExtras){.nodes = ARENA_NEW(arena, ExtrasRange, model->node_count),
                            .meshes = ARENA_NEW(arena, ExtrasRange, model->mesh_count),
                            .lights = ARENA_NEW(arena, ExtrasRange, model->light_count)};
    const ExtrasRange scene = extras_expand(&x, "scenes", model->scene, &model->scene_extras);
    for (u32 i = 0; i < model->node_count; i++)
        extras->nodes[i] =
            extras_expand(&x, "nodes", model->nodes[i].source, &model->nodes[i].extras);
    for (u32 i = 0; i < model->mesh_count; i++)
        meshes[i] = extras_expand(&x, "meshes", i, &model->meshes[i].extras);
    for (u32 i = 0; i < model->material_count; i++)
        materials[i] = extras_expand(&x, "materials", i, &model->materials[i].extras);
    for (u32 i = 0; i < model->light_count; i++)
        extras->lights[i] = extras_expand(&x, LIGHTS, i, &model->light_extras[i]);
    source_extend(&x);
    extras->scene = items_read(extras, &x, scene);
    for (u32 i = 0; i < model->node_count; i++)
        extras->nodes[i] = items_read(extras, &x, extras->nodes[i]);
    for (u32 i = 0; i < model->mesh_count; i++) meshes[i] = items_read(extras, &x, meshes[i]);
    for (u32 i = 0; i < model->material_count; i++)
        materials[i] = items_read(extras, &x, materials[i]);
    for (u32 i = 0; i < model->light_count; i++)
        extras->lights[i] = items_read(extras, &x, extras->lights[i]);
    meshes_read(extras, &x, materials, meshes);
    unused_report(&x);
    array_drop(&x.text);
    array_drop(&x.origins);
    array_drop(&x.items);
}

void model_extras_drop(ModelExtras* extras) { array_drop(&extras->at); }
