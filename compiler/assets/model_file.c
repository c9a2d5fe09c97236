/* model_file.c - the settings of a model: the file NAME.model.json beside it. */
#include "assets.h"
#include "registry.h"

#include <stdio.h>

/* The value must be one object and nothing else. */
static bool settings_check(const Source* source, Diagnostics* diag, u32* offset) {
    JsonKind kind = JSON_NULL;
    Json     check = json_open(source, 0, diag);
    Json     json = json_open(source, 0, diag);
    if (!json_skip(&check) || !json_end(&check)) return false;
    *offset = json_offset(&json);
    if (!json_kind(&json, &kind)) return false;
    if (kind == JSON_OBJECT) return true;
    diag_error(diag, E0202, source, *offset, 1, "the settings of a model must be an object, not %s",
               json_kind_name(kind));
    return false;
}

bool model_settings_check(const Source* source, Diagnostics* diag, u32 offset, const char* what) {
    JsonKind kind = JSON_NULL;
    Json     json = json_open(source, offset, diag);
    if (!json_kind(&json, &kind)) return false;
    if (kind == JSON_OBJECT) return true;
    diag_error(diag, E0202, source, offset, 1, "%s must be an object, not %s", what,
               json_kind_name(kind));
    return false;
}

u32 model_settings_object(const Source* source, Diagnostics* diag, u32 offset, const char* key) {
    Json       json = json_open(source, offset, diag);
    JsonString found;
    char       what[64];
    u32        at = NONE;
    json_enter(&json, JSON_OBJECT);
    while (json_key(&json, &found)) {
        if (json_equals(found, key)) at = json_offset(&json);
        json_skip(&json);
    }
    snprintf(what, sizeof what, "\"%s\"", key);
    return at != NONE && model_settings_check(source, diag, at, what) ? at : NONE;
}

static void lights_read(Model* model, const Source* source, u32 offset, Diagnostics* diag) {
    Instance instance = {.source = source, .diag = diag, .record = &model->lights, .scope = NONE};
    instance.offset = model_settings_object(source, diag, offset, "lights");
    if (instance.offset == NONE) return;
    record_compile_fields(&instance, model_lights_type());
    model->lights_given = instance.given & 1; /* cast_shadows, the only field */
}

bool model_settings_read(Assets* assets, Asset* asset, Model* model, Diagnostics* diag) {
    static const char* const others[] = {"textures", "lights"};
    const u32                errors = diag_error_count(diag);
    const char*              why;
    DiagCode                 code = E0302;
    record_defaults(model_settings_type(), &model->settings);
    record_defaults(model_lights_type(), &model->lights);
    if (!asset->own_file) return true;
    Source* source = ARENA_NEW(&asset->arena, Source, 1);
    *source = source_of(asset->own_file, "", 0);
    const Beside* file = asset_beside(assets, asset, asset->own_file, &why, &code);
    if (!file || file->view.size > SOURCE_BYTES_MAX) {
        diag_error(diag, code == E0405 ? E0302 : code, source, 0, 1, "the file cannot be read: %s",
                   file ? "it is too large" : why);
        return false;
    }
    *source = source_of(asset->own_file, (const char*)file->view.bytes, (u32)file->view.size);
    Instance instance = {.source = source, .diag = diag, .record = &model->settings, .scope = NONE};
    if (!settings_check(source, diag, &instance.offset)) return false;
    record_compile_fields_beside(&instance, model_settings_type(), others, COUNT_OF(others));
    model_textures_read(&model->texture_rules, source, instance.offset, &asset->arena, diag);
    lights_read(model, source, instance.offset, diag);
    return diag_error_count(diag) == errors;
}
