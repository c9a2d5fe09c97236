/* picture.h - pictures as PNG files. */
#ifndef ENTRUN_PICTURE_H
#define ENTRUN_PICTURE_H

#include "base.h"

/* Writes a picture atomically; missing folders of the path are created. Equal pictures give equal
 * files.
 *
 *   rgba  [height * width * 4] sRGB, the top row first; alpha is ignored
 *
 * Returns  ENT_OK, ENT_IO with errno, ENT_NO_MEMORY. */
MUST_CHECK ent_status picture_write(const char* path, u32 width, u32 height, const u8* rgba);

#endif
