/* model_file.c - the settings of a model: the file NAME.model.json beside it. */
#include "assets.h"
#include "diag.h"
#include "diag_print.h"
#include "model.h"
#include "registry.h"

#include <stdio.h>

static void lights_read(Model* model, const Source* source, const JsonToken* settings,
                        Diagnostics* diag) {
    Instance instance = {.source = source, .diag = diag, .record = &model->lights, .scope = NONE};
    const JsonToken* lights = model_settings_object(source, diag, settings, "lights");
    if (!lights) return;
    instance_set(&instance, lights);
    record_compile_fields(&instance, model_lights_type());
    model->lights_given = instance.given & 1; /* cast_shadows, the only field */
}

/* As the project states. */
static void names_begin(const Assets* assets, ModelNaming* out) {
    const RecordType* type = model_names_type();
    const u32         off = assets->rules.names_off;
    record_defaults(type, &out->rules);
    for (u32 i = 0; i < type->field_count; i++) {
        const Bool32 none = 0, is_off = off >> i & 1;
        if (is_off) memcpy((u8*)&out->rules + type->fields[i].offset, &none, sizeof none);
        memcpy((u8*)&out->stated + type->fields[i].offset, &is_off, sizeof is_off);
    }
}

static void names_read(Model* model, const Source* source, const JsonToken* settings,
                       Diagnostics* diag) {
    Instance instance = {
        .source = source, .diag = diag, .record = &model->naming.rules, .scope = NONE};
    const JsonToken* names = model_settings_object(source, diag, settings, "names");
    ModelNames*      stated = &model->naming.stated;
    if (!names) return;
    instance_set(&instance, names);
    record_compile_fields(&instance, model_names_type());
    for (u32 i = 0; i < model_names_type()->field_count; i++) {
        const Field* field = &model_names_type()->fields[i];
        const Bool32 is_stated = 1;
        if (json_get(names, field->name))
            memcpy((u8*)stated + field->offset, &is_stated, sizeof is_stated);
    }
}

static void split_check(const Model* model, const Source* source, const JsonToken* settings,
                        Diagnostics* diag) {
    const JsonToken* split = json_get(settings, "split");
    if (model->settings.as != AS_LEVEL || model->settings.split == SPLIT_NONE) return;
    diag_error(diag, E0206, source, json_token_offset(source, split), json_token_mark(split),
               "\"split\" makes prefabs of a model, but \"as\": \"level\" makes a level of it; "
               "remove one of them");
}

static void object_read(Model* model, const Source* source, const JsonToken* settings, Arena* arena,
                        Diagnostics* diag) {
    static const char* const others[] = {"textures", "lights", "names"};
    Instance instance = {.source = source, .diag = diag, .record = &model->settings, .scope = NONE};
    if (!json_object_check(source, diag, settings, "the settings of a model")) return;
    instance_set(&instance, settings);
    record_compile_fields_beside(&instance, model_settings_type(), others, COUNT_OF(others));
    model_textures_read(&model->texture_rules, source, settings, arena, diag);
    split_check(model, source, settings, diag);
    lights_read(model, source, settings, diag);
    names_read(model, source, settings, diag);
}

/* What is not valid is reported when the model is read. */
bool model_settings_choose_level(const char* path) {
    Diagnostics* ignored = diag_create();
    JsonTokens   tokens = {0};
    FileView     view = {0};
    bool         is_level = false;
    if (file_map(&view, path) == ENT_OK && view.size <= SOURCE_BYTES_MAX) {
        const Source source = source_of(path, (const char*)view.bytes, (u32)view.size);
        if (json_tokens_open(&tokens, &source, ignored)) {
            const JsonToken* as = json_get(json_tokens_root(&tokens), "as");
            is_level = json_token_is(as, JSON_STRING) && json_token_equals(as, "level");
        }
        json_tokens_close(&tokens);
    }
    file_unmap(&view);
    diag_destroy(ignored);
    return is_level;
}

bool model_settings_read(Assets* assets, Asset* asset, Model* model, Diagnostics* diag) {
    const u32   errors = diag_error_count(diag);
    const char* reason;
    DiagCode    code = E0302;
    JsonTokens  tokens;
    record_defaults(model_settings_type(), &model->settings);
    record_defaults(model_lights_type(), &model->lights);
    names_begin(assets, &model->naming);
    if (!asset->content_file) return true;
    Source* source = ARENA_NEW(&asset->content->arena, Source, 1);
    *source = source_of(asset->content_file, "", 0);
    const Beside* file = asset_beside(assets, asset, asset->content_file, &reason, &code);
    if (!file || file->view.size > SOURCE_BYTES_MAX) {
        diag_error(diag, code == E0405 ? E0302 : code, source, 0, 1, "the file cannot be read: %s",
                   file ? "it is too large" : reason);
        return false;
    }
    *source = source_of(asset->content_file, (const char*)file->view.bytes, (u32)file->view.size);
    if (json_tokens_open(&tokens, source, diag))
        object_read(model, source, json_tokens_root(&tokens), &asset->content->arena, diag);
    json_tokens_close(&tokens);
    return diag_error_count(diag) == errors;
}
