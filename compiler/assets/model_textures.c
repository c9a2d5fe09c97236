/* model_textures.c - the settings of the textures of a model: what its file states, changed by
 * "textures" in NAME.model.json. */
#include "assets.h"
#include "diag.h"
#include "image_colors.h"
#include "model.h"
#include "registry.h"

#include <stdio.h>
#include <stdlib.h>

#define ALL_IMAGES "*"

/* --- settings --- */

static void rule_read(ModelTextureRule* rule, const Source* source, Diagnostics* diag,
                      const JsonToken* value) {
    Instance instance = {.source = source, .diag = diag, .record = &rule->settings, .scope = NONE};
    record_defaults(texture_settings_type(), &rule->settings);
    if (!json_object_check(source, diag, value, "the settings of a texture")) return;
    instance_set(&instance, value);
    record_compile_fields(&instance, texture_settings_type());
    rule->given = instance.given;
}

void model_textures_read(ModelTextureRules* rules, const Source* source, const JsonToken* settings,
                         Arena* arena, Diagnostics* diag) {
    const JsonToken* textures = model_settings_object(source, diag, settings, "textures");
    *rules = (ModelTextureRules){.source = source};
    if (!textures) return;
    rules->at = ARENA_NEW(arena, ModelTextureRule, json_token_count(textures));
    for (const JsonToken* m = json_first(textures); m; m = json_next(m)) {
        if (json_key_is_note(json_token_key(m))) continue;
        ModelTextureRule* rule = &rules->at[rules->count++];
        rule->image = json_decode(json_token_key(m), arena);
        rule->offset = json_token_offset(source, m - 1);
        rule->bytes = m[-1].bytes;
        rule_read(rule, source, diag, m);
    }
}

/* --- application --- */

static int rule_order(const void* a, const void* b) {
    const ModelTextureRule *const *x = a, *const *y = b;
    return strcmp((*x)->image, (*y)->image);
}

static int rule_compare(const void* name, const void* rule) {
    const ModelTextureRule* const* row = rule;
    return strcmp(name, (*row)->image);
}

/* The rules in the order of their names. */
typedef struct Sorted {
    ModelTextureRule** at; /* [count] */
    u32                count;
} Sorted;

static ModelTextureRule* rule_of(Sorted rules, const char* name) {
    if (!rules.count) return NULL;
    ModelTextureRule** found = bsearch(name, rules.at, rules.count, sizeof *rules.at, rule_compare);
    if (found) (*found)->is_used = true;
    return found ? *found : NULL;
}

static void rule_apply(ModelTexture* texture, const ModelTextureRule* rule) {
    const RecordType* type = texture_settings_type();
    for (u32 i = 0; rule && i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        if (!(rule->given >> i & 1)) continue;
        memcpy((u8*)&texture->settings + f->offset, (const u8*)&rule->settings + f->offset,
               field_words(f) * sizeof(u32));
    }
    if (rule) texture->rule = rule;
}

/* "oak" of "models/house/oak": what an image without a name is called. */
static const char* texture_name(const Model* model, u32 index) {
    const GltfTexture* texture = &model->gltf.textures[index];
    if (*texture->name) return texture->name;
    return strrchr(model_resource(model, RESOURCE_TEXTURE, index)->name, '/') + 1;
}

static void unknown_report(const ModelTextureRules* rules, const ModelTextureRule* rule,
                           const char* const* names, u32 count, Diagnostics* diag) {
    char        list[160];
    const char* near = diag_nearest(text_of(rule->image), names, count);
    if (count == 0)
        diag_error(diag, E0302, rules->source, rule->offset, rule->bytes,
                   "the model has no image \"%.64s\"; it has no images with a name", rule->image);
    else
        diag_error(diag, E0302, rules->source, rule->offset, rule->bytes,
                   "the model has no image \"%.64s\", but has %s%s%s%s", rule->image,
                   diag_names(list, sizeof list, names, count, count), DIAG_NEAREST(near));
}

static int name_order(const void* a, const void* b) {
    const char *const *x = a, *const *y = b;
    return strcmp(*x, *y);
}

/* The names of all images and textures, each once; marks the rules that have one of them. */
static u32 names_list(const Model* model, Sorted rules, const char** names) {
    u32 count = 0, kept = 0;
    for (u32 i = 0; i < model->gltf.image_count; i++)
        if (*model->gltf.image_names[i]) names[count++] = model->gltf.image_names[i];
    for (u32 i = 0; i < model->gltf.texture_count; i++) names[count++] = texture_name(model, i);
    if (count) qsort(names, count, sizeof *names, name_order);
    for (u32 i = 0; i < count; i++) {
        if (i > 0 && strcmp(names[i], names[i - 1]) == 0) continue;
        rule_of(rules, names[i]);
        names[kept++] = names[i];
    }
    return kept;
}

static void unknown_check(const Model* model, Sorted rules, Arena* scratch, Diagnostics* diag) {
    const ModelTextureRules* all = &model->texture_rules;
    const char**             names = ARENA_NEW(scratch, const char*,
                                               (size_t)model->gltf.image_count + model->gltf.texture_count);
    const u32                count = names_list(model, rules, names);
    for (u32 i = 0; i < all->count; i++) {
        const ModelTextureRule* rule = &all->at[i];
        if (!rule->is_used && strcmp(rule->image, ALL_IMAGES) != 0)
            unknown_report(all, rule, names, count, diag);
    }
}

void model_textures_apply(Model* model, Arena* arena, Diagnostics* diag) {
    const ModelTextureRules* all = &model->texture_rules;
    const GltfModel*         g = &model->gltf;
    Arena                    scratch = {0};
    Sorted rules = {ARENA_NEW(&scratch, ModelTextureRule*, all->count), all->count};
    model->textures = ARENA_NEW(arena, ModelTexture, g->texture_count);
    for (u32 i = 0; i < all->count; i++) rules.at[i] = &all->at[i];
    if (rules.count) qsort(rules.at, rules.count, sizeof *rules.at, rule_order);
    const ModelTextureRule* every = rule_of(rules, ALL_IMAGES);
    for (u32 i = 0; i < g->texture_count; i++) {
        const GltfTexture* texture = &g->textures[i];
        model->textures[i].settings = texture->settings;
        model->textures[i].has_image =
            !image_look(texture->bytes, texture->size, &model->textures[i].image);
        rule_apply(&model->textures[i], every);
        rule_apply(&model->textures[i], rule_of(rules, texture_name(model, i)));
    }
    unknown_check(model, rules, &scratch, diag);
    arena_drop(&scratch);
}

/* --- remarks --- */

static void image_remark(const Model* model, const GltfTexture* texture, Arena* arena) {
    char        clause[IMAGE_CLAUSE_BYTES];
    const char* other = image_colors_other(texture->bytes, texture->size, clause);
    GltfRemark* remark =
        other ? gltf_remark_add(model->gltf.remarks, REMARK_COLORS, "", arena) : NULL;
    if (!remark) return;
    remark->offset = texture->offset;
    remark->bytes = 1;
    char path[GLTF_PATH_BYTES], object[GLTF_OBJECT_BYTES];
    snprintf(path, sizeof path, "images[%u]", texture->image);
    remark->text = arena_print(
        arena, "%s %s, which is ignored, as glTF requires: its colours are compiled as sRGB",
        gltf_object_print(object, path, texture->name), other);
}

void model_images_remark(const Model* model, Arena* arena) {
    const GltfModel* g = &model->gltf;
    Arena            scratch = {0};
    bool*            seen = ARENA_NEW(&scratch, bool, g->image_count);
    for (u32 i = 0; i < g->texture_count; i++) {
        const GltfTexture* texture = &g->textures[i];
        if (model->textures[i].settings.usage != TEXTURE_COLOR || seen[texture->image]) continue;
        seen[texture->image] = true;
        image_remark(model, texture, arena);
    }
    arena_drop(&scratch);
}
