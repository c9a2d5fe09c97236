/* model_axes.c - x y z becomes x z -y, in texts of numbers, so that nothing is rounded. */
#include "model_axes.h"

#include "diag_print.h"
#include "json_tokens.h"

bool model_axes_are_z_up(const Model* model) {
    static const char blender[] = "Khronos glTF Blender I/O";
    if (model->settings.properties != AXES_AUTO) return model->settings.properties == AXES_Z_UP;
    const char* generator = model->gltf.generator;
    return strncmp(generator, blender, sizeof blender - 1) == 0;
}

/* 0 - y is not -0. */
Vec3 axes_vec3(Vec3 v) { return (Vec3){v.x, v.z, 0 - v.y}; }

/* Text that is being written. */
typedef struct Writer {
    char*   at;
    EntAxes axes;
} Writer;

static void text_put(Writer* w, const char* at, u32 bytes) {
    memcpy(w->at, at, bytes);
    w->at += bytes;
}

static void number_put(Writer* w, const JsonToken* number, bool negated) {
    const bool is_negative = *number->at == '-';
    if (!negated)
        text_put(w, number->at, number->bytes);
    else if (json_token_number(number) == 0)
        text_put(w, "0", 1);
    else if (is_negative)
        text_put(w, number->at + 1, number->bytes - 1);
    else
        text_put(w, "-", 1), text_put(w, number->at, number->bytes);
}

/* Is it an array of so many numbers? */
static bool is_vector(const JsonToken* value, u32 count) {
    if (!json_token_is(value, JSON_ARRAY) || json_token_count(value) != count) return false;
    const JsonToken* item = json_first(value);
    while (json_token_is(item, JSON_NUMBER)) item = json_next(item);
    return item == NULL;
}

static void vector_put(Writer* w, const JsonToken* value) {
    const JsonToken* item[4] = {0};
    u32              count = 0;
    for (const JsonToken* i = json_first(value); i; i = json_next(i)) item[count++] = i;
    text_put(w, "[", 1);
    number_put(w, item[0], false);
    text_put(w, ",", 1);
    number_put(w, item[2], false);
    text_put(w, ",", 1);
    number_put(w, item[1], w->axes != ENT_AXES_SIZE);
    if (count == 4) text_put(w, ",", 1), number_put(w, item[3], false);
    text_put(w, "]", 1);
}

/* Returns false when it is neither a vector nor a list of them. */
static bool value_put(Writer* w, const JsonToken* value, u32 words) {
    bool is_valid = json_token_is(value, JSON_ARRAY);
    if (is_vector(value, words)) {
        vector_put(w, value);
        return true;
    }
    text_put(w, "[", 1);
    for (const JsonToken* item = json_first(value); item && is_valid; item = json_next(item)) {
        is_valid = is_vector(item, words);
        if (is_valid) vector_put(w, item);
        if (json_next(item)) text_put(w, ",", 1);
    }
    text_put(w, "]", 1);
    return is_valid;
}

Text axes_text(Arena* arena, const Field* field, Text z_up) {
    if (field->axes == ENT_AXES_NONE) return z_up;
    const Source source =
        source_of("", arena_text(arena, z_up), z_up.bytes); /* it ends with a NUL */
    Diagnostics* ignored = diag_create();
    JsonTokens   tokens;
    Text         out = z_up;
    if (json_tokens_open(&tokens, &source, ignored)) {
        /* At most two more characters for each number. */
        char*            text = arena_alloc(arena, (size_t)z_up.bytes * 2 + 2);
        Writer           w = {text, field->axes};
        const JsonToken* root = json_tokens_root(&tokens);
        if (value_put(&w, root, field_kind(field)->words)) out = (Text){text, (u32)(w.at - text)};
    }
    json_tokens_close(&tokens);
    diag_destroy(ignored);
    return out;
}
