/* model_value.c - objects in the settings of a model. */
#include "assets.h"
#include "model.h"

#include <stdio.h>

const JsonToken* model_settings_object(const Source* source, Diagnostics* diag,
                                       const JsonToken* settings, const char* key) {
    char             what[64];
    const JsonToken* value = json_get(settings, key);
    snprintf(what, sizeof what, "\"%s\"", key);
    return value && json_object_check(source, diag, value, what) ? value : NULL;
}
