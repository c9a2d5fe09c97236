/* model_settings.c - the field table of the settings of a model. */
#include "model_settings.h"

static const Field fields[] = {MODEL_SETTINGS_FIELDS(FIELD_ROW, ModelSettings)};

const RecordType* model_settings_type(void) {
    static const RecordType type = {"model", fields, (u32)COUNT_OF(fields),
                                    (u32)sizeof(ModelSettings)};
    return &type;
}

const RecordType* model_lights_type(void) {
    static const Field      of_lights[] = {MODEL_LIGHTS_FIELDS(FIELD_ROW, ModelLights)};
    static const RecordType type = {"lights", of_lights, (u32)COUNT_OF(of_lights),
                                    (u32)sizeof(ModelLights)};
    return &type;
}

const RecordType* model_names_type(void) {
    static const Field      of_names[] = {MODEL_NAMES_FIELDS(FIELD_ROW, ModelNames)};
    static const RecordType type = {"names", of_names, (u32)COUNT_OF(of_names),
                                    (u32)sizeof(ModelNames)};
    return &type;
}
