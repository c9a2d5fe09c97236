/* compile_material.c - writes materials: the fields of NAME.material.json with the textures of its
 * slots, or a material of a glTF file. */
#include "diag.h"
#include "flat.h"
#include "material_slot.h"
#include "model.h"
#include "model_write.h"
#include "sections.h"

typedef struct MaterialTextures {
    MaterialTextureRecord slot[MATERIAL_SLOT_COUNT];
    bool                  used[MATERIAL_SLOT_COUNT];
} MaterialTextures;

/* --- the textures of a file --- */

static u32 slot_of(Compile* c, JsonString key) {
    const Source* source = &c->asset->source;
    const Field*  slot = section_record(SECTION_MATERIAL_TEXTURE)->fields;
    for (u32 i = 0; i < slot->text_count; i++) {
        if (json_equals(key, slot->texts[i])) return i;
    }
    char        names[160];
    const char* near = diag_nearest(key.raw, slot->texts, slot->text_count);
    diag_error(c->diag, E0201, source, (u32)(key.raw.at - source->text) - 1, key.raw.bytes + 2,
               "a material has no texture \"%.*s\", but may have %s%s%s%s", (int)key.raw.bytes,
               key.raw.at,
               diag_names(names, sizeof names, slot->texts, slot->text_count, slot->text_count),
               DIAG_NEAREST(near));
    return NONE;
}

static void slot_read(Compile* c, const JsonToken* value, u32 slot, MaterialTextures* out) {
    const RecordType       type = material_texture_fields();
    MaterialTextureRecord* row = &out->slot[slot];
    Instance               instance = compile_instance(c, NULL, row);
    if (!json_object_check(&c->asset->source, c->diag, value, "the texture of a slot")) return;
    const u32 errors = diag_error_count(c->diag);
    instance_set(&instance, value);
    record_defaults(&type, row);
    row->slot = slot;
    record_compile_fields(&instance, &type);
    record_require_fields(&instance, &type);
    const char* reason = material_strength_fault(slot, row->strength);
    if (reason && diag_error_count(c->diag) == errors)
        diag_error(c->diag, E0206, &c->asset->source, instance.offset, 1, "%s", reason);
    out->used[slot] = true;
}

/* Reads "textures" of a material. */
static void textures_read(Compile* c, const JsonToken* material, MaterialTextures* out) {
    const JsonToken* textures = json_get(material, "textures");
    if (!textures || !json_object_check(&c->asset->source, c->diag, textures, "\"textures\""))
        return;
    for (const JsonToken* m = json_first(textures); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        const u32        slot = json_key_is_note(key) ? NONE : slot_of(c, key);
        if (slot != NONE) slot_read(c, m, slot, out);
    }
}

/* --- the blob --- */

static bool material_write(Compile* c, const MaterialRecord* record,
                           const MaterialTextures* textures, u8** bytes, size_t* size) {
    MaterialTextureRecord rows[MATERIAL_SLOT_COUNT];
    u32                   count = 0;
    Output                out;
    for (u32 i = 0; i < MATERIAL_SLOT_COUNT; i++) {
        if (textures->used[i]) rows[count++] = textures->slot[i];
    }
    output_begin(&out, RESOURCE_MATERIAL, text_of(c->name), 1, 4);
    output_section(&out, SECTION_MATERIAL, record, 1);
    compile_write_references(c, &out);
    output_section(&out, SECTION_MATERIAL_TEXTURE, rows, count);
    return compile_finish(c, &out, bytes, size);
}

static void scroll_check(Compile* c, const JsonToken* root, const MaterialRecord* record,
                         const MaterialTextures* textures) {
    const Source* source = &c->asset->source;
    const Vec4    v = record->normal_scroll;
    if ((v.x == 0 && v.y == 0 && v.z == 0 && v.w == 0) || textures->used[MATERIAL_NORMAL]) return;
    const JsonToken* value = json_get(root, "normal_scroll");
    diag_error(c->diag, E0206, source, value ? json_token_offset(source, value) : 0,
               value ? value->bytes : 1,
               "normal_scroll moves a normal map, but the material has none; add \"normal\" to its "
               "\"textures\", or remove normal_scroll");
}

static void glass_check(Compile* c, const JsonToken* root, const MaterialRecord* record) {
    static const char* const of_glass[] = {"thickness_m", "transmission_color"};
    const JsonToken*         value = json_get(root, "transmission");
    for (u32 i = 0; i < COUNT_OF(of_glass) && record->transmission == 0; i++) {
        const JsonToken* other = json_get(root, of_glass[i]);
        if (other)
            diag_error(c->diag, E0206, &c->asset->source,
                       json_token_offset(&c->asset->source, other), other->bytes,
                       "%s is that of glass; add \"transmission\", or remove it", of_glass[i]);
    }
    if (record->transmission == 0 || record->alpha_mode == MATERIAL_BLEND || !value) return;
    diag_error(c->diag, E0206, &c->asset->source, json_token_offset(&c->asset->source, value),
               value->bytes,
               "transmission shows what is behind a surface, which needs \"alpha_mode\": "
               "\"blend\"");
}

bool compile_material(Compile* c, u8** bytes, size_t* size) {
    static const char* const others[] = {"textures"};
    const RecordType*        type = section_record(SECTION_MATERIAL);
    MaterialRecord           record;
    MaterialTextures         textures = {0};
    const JsonToken*         root = json_tokens_root(&c->asset->content->tokens);
    Instance                 instance = compile_instance(c, NULL, &record);
    const u32                errors = diag_error_count(c->diag);
    instance_set(&instance, root);
    record_defaults(type, &record);
    if (!json_object_check(&c->asset->source, c->diag, root, "a material")) return false;
    record_compile_fields_beside(&instance, type, others, COUNT_OF(others));
    record_require_fields(&instance, type);
    textures_read(c, root, &textures);
    scroll_check(c, root, &record, &textures);
    glass_check(c, root, &record);
    if (diag_error_count(c->diag) != errors) return false;
    return material_write(c, &record, &textures, bytes, size);
}

bool compile_model_material(Compile* c, u32 index, u8** bytes, size_t* size) {
    const Model*        model = c->asset->content->model;
    const GltfMaterial* material = &model->gltf.materials[index];
    MaterialTextures    textures = {0};
    for (u32 i = 0; i < material->texture_count; i++) {
        const GltfMaterialTexture* from = &material->textures[i];
        const ModelResource*       texture = model_resource(model, RESOURCE_TEXTURE, from->texture);
        MaterialTextureRecord*     to = &textures.slot[from->record.slot];
        *to = from->record;
        to->texture = compile_reference(c, texture->name, RESOURCE_TEXTURE, &c->asset->source,
                                        material->offset);
        textures.used[to->slot] = true;
    }
    return material_write(c, &material->record, &textures, bytes, size);
}
