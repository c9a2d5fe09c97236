/* texture_settings.c - the field table of the settings of a texture. */
#include "texture_settings.h"

#define SETTINGS_TEXT(name, text) text,
#define SETTINGS_TEXTS(LIST)      static const char* const LIST##_TEXTS[] = {LIST(SETTINGS_TEXT)};

SETTINGS_TEXTS(TEXTURE_USAGE)
SETTINGS_TEXTS(TEXTURE_CHOICE)
SETTINGS_TEXTS(TEXTURE_WRAP)
SETTINGS_TEXTS(TEXTURE_FILTER)

static const Field fields[] = {TEXTURE_SETTINGS_FIELDS(FIELD_ROW, TextureSettings)};

const RecordType* texture_settings_type(void) {
    static const RecordType type = {"texture", fields, (u32)COUNT_OF(fields),
                                    (u32)sizeof(TextureSettings)};
    return &type;
}
