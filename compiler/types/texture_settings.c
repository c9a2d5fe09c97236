/* texture_settings.c - the field table of the settings of a texture. */
#include "texture_settings.h"

static const Field fields[] = {TEXTURE_SETTINGS_FIELDS(FIELD_ROW, TextureSettings)};

const RecordType* texture_settings_type(void) {
    static const RecordType type = {"texture", fields, (u32)COUNT_OF(fields),
                                    (u32)sizeof(TextureSettings)};
    return &type;
}
