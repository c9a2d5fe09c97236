/* inspect_picture.c - writes a level of a texture as a picture: the colours that a GPU reads. */
#include "inspect_text.h"

#include <errno.h>

#include "blocks.h"
#include "exit_codes.h"
#include "failure.h"
#include "file.h"
#include "inspect.h"
#include "png_write.h"
#include "texture_shape.h"

/* The channels of the picture: those of the format; two are shown as red and green. */
static u32 channels_of(u32 format) {
    switch (format) {
    case TEXTURE_R8:
    case TEXTURE_BC4: return 1;
    case TEXTURE_BC1:
    case TEXTURE_BC5: return 3;
    default: return 4;
    }
}

static int level_write(const Blob* blob, u32 level, const char* to) {
    const TextureRecord* t = ent_blob_data(blob, ent_blob_section(blob, SECTION_TEXTURE));
    const u8*            data = ent_blob_data(blob, ent_blob_section(blob, SECTION_TEXTURE_DATA));
    const TextureLevelRecord* row = (const TextureLevelRecord*)ent_blob_data(
                                        blob, ent_blob_section(blob, SECTION_TEXTURE_LEVEL)) +
                                    level;
    u8*         rgba = memory_alloc_raw((size_t)row->width * row->height * 4);
    u8*         png = NULL;
    u64         bytes = 0;
    int         code = EXIT_OK;
    const char* fault;
    pixels_decode((PixelFormat)t->format, data + row->offset, row->width, row->height, rgba);
    fault = png_encode(rgba, row->width, row->height, channels_of(t->format), &png, &bytes);
    memory_free(rgba);
    if (fault) {
        fprintf(stderr, "entc: error: the picture \"%s\" %s\n", to, fault);
        code = EXIT_LIMIT;
    } else if (file_put(to, png, bytes, NULL) != ENT_OK) {
        code = io_failure("cannot write", to);
    }
    memory_free(png);
    return code;
}

static int blob_write(const BlobFile* file, const char* path, u32 level, const char* to) {
    const Blob* blob = &file->blob;
    if (blob->header->resource_type != RESOURCE_TEXTURE) {
        fprintf(stderr,
                "entc: error: \"%s\" is not a texture: its type is %s, which has no picture\n",
                path, ent_resource_suffix(blob->header->resource_type));
        return EXIT_USAGE;
    }
    if (level >= blob->header->element_count) {
        fprintf(stderr, "entc: error: \"%s\" has %u %s; --level must be at most %u\n", path,
                blob->header->element_count,
                element_noun(RESOURCE_TEXTURE, blob->header->element_count),
                blob->header->element_count - 1);
        return EXIT_USAGE;
    }
    return level_write(blob, level, to);
}

int inspect_picture(const char* path, u32 level, const char* to, const BlobOptions* options) {
    BlobFile file;
    int      code = blob_file_read(&file, path);
    if (code == EXIT_OK) {
        code = blob_file_validate(&file, options) == ENT_OK ? blob_write(&file, path, level, to)
                                                            : blob_file_report(&file, path);
    }
    blob_file_close(&file);
    return code;
}
