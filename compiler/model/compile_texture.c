/* compile_texture.c - decodes an image, filters its levels, and converts them to a format of the
 * GPU. */
#include "block_error.h"
#include "diag.h"
#include "flat.h"
#include "image_colors.h"
#include "levels.h"
#include "model.h"
#include "model_write.h"
#include "texture_settings.h"
#include "texture_shape.h"

static_assert((u32)PIXELS_RGBA8 == TEXTURE_RGBA8 && (u32)PIXELS_R8 == TEXTURE_R8 &&
                  (u32)PIXELS_BC1 == TEXTURE_BC1 && (u32)PIXELS_BC3 == TEXTURE_BC3 &&
                  (u32)PIXELS_BC4 == TEXTURE_BC4 && (u32)PIXELS_BC5 == TEXTURE_BC5,
              "the formats of a texture are numbered like those of pixels");
static_assert(IMAGE_SIDE_MAX == TEXTURE_SIDE_MAX, "every image can be a texture");

static bool texture_settings_read(Compile* c, TextureSettings* settings) {
    static const char* const others[] = {"image"};
    const RecordType*        type = texture_settings_type();
    const u32                errors = diag_error_count(c->diag);
    record_defaults(type, settings);
    if (c->asset->form == ASSET_IMAGE) return true;
    Instance instance = compile_instance(c, NULL, settings);
    instance_set(&instance, json_tokens_root(&c->asset->content->tokens)); /* see texture_read */
    record_compile_fields_beside(&instance, type, others, COUNT_OF(others));
    return diag_error_count(c->diag) == errors;
}

static bool is_opaque(const Image* image) {
    const size_t count = (size_t)image->info.width * image->info.height;
    u8           all = 255;
    for (size_t i = 0; i < count; i++) all &= image->pixels[i * 4 + 3];
    return all == 255;
}

static bool format_is_chosen(const TextureSettings* settings) { return settings->format != 0; }

/* The format if compression is possible. */
static Enum32 format_of(const TextureSettings* settings, const Image* image) {
    if (format_is_chosen(settings)) return settings->format - 1; /* after "auto" */
    if (settings->usage == TEXTURE_NORMAL) return TEXTURE_BC5;
    if (settings->usage == TEXTURE_MASK) return TEXTURE_BC4;
    return is_opaque(image) ? TEXTURE_BC1 : TEXTURE_BC3;
}

/* The same without compression. */
static Enum32 format_plain(const TextureSettings* settings) {
    return settings->usage == TEXTURE_MASK ? TEXTURE_R8 : TEXTURE_RGBA8;
}

#define PLAIN_SIDE_MAX 16u /* pixels: of images so small, blocks save nothing */

static bool is_small(const MipLevels* levels) {
    return MAX_OF(levels->width, levels->height) <= PLAIN_SIDE_MAX;
}

/* Pixels that are seen one by one must be exact. */
static bool must_be_plain(const TextureSettings* settings, const MipLevels* levels) {
    return !format_is_chosen(settings) &&
           (settings->magnify == TEXTURE_FILTER_NEAREST || is_small(levels));
}

static void contradiction_report(Compile* c, u32 index, const char* reason) {
    const Model*            model = form_is_model(c->asset->form) ? c->asset->content->model : NULL;
    const ModelTextureRule* rule = model ? model->textures[index].rule : NULL;
    if (rule)
        diag_error(c->diag, E0206, model->texture_rules.source, rule->offset, rule->bytes,
                   "the settings of \"%s.texture\" are not valid: %s", c->name, reason);
    else
        diag_error(c->diag, E0206, &c->asset->source, 0, 1, "%s", reason);
}

/* The settings that contradict each other. */
static bool settings_check(Compile* c, u32 index, const TextureSettings* settings) {
    const char* reason = NULL;
    if (settings->usage == TEXTURE_COLOR && format_is_chosen(settings) &&
        !texture_has_color(settings->format - 1))
        reason = "this format has no colours: it needs the usage \"data\", \"normal\" or \"mask\"";
    else if (settings->premultiplied && settings->usage != TEXTURE_COLOR)
        reason = "\"premultiplied\" needs the usage \"color\"";
    if (reason) contradiction_report(c, index, reason);
    return !reason;
}

static MipOptions options_of(const Compile* c, const TextureSettings* settings) {
    static const MipUsage usages[] = {[TEXTURE_COLOR] = MIP_COLOR,
                                      [TEXTURE_DATA] = MIP_LINEAR,
                                      [TEXTURE_NORMAL] = MIP_NORMAL,
                                      [TEXTURE_MASK] = MIP_LINEAR};
    return (MipOptions){.usage = usages[settings->usage],
                        .alpha_cutoff = settings->alpha_cutoff,
                        .is_premultiplied = settings->premultiplied,
                        .side_max = settings->largest,
                        .overwrites = true,
                        .pool = c->assets->pool};
}

static TextureRecord record_of(const TextureSettings* settings, const MipLevels* levels,
                               Enum32 format) {
    const u32 max = settings->levels ? settings->levels : TEXTURE_LEVELS_MAX;
    return (TextureRecord){.width = levels->width,
                           .height = levels->height,
                           .layers = 1,
                           .level_count = MIN_OF(levels->count, max),
                           .format = format,
                           .color_space =
                               settings->usage == TEXTURE_COLOR ? TEXTURE_SRGB : TEXTURE_LINEAR,
                           .wrap_u = settings->wrap_u,
                           .wrap_v = settings->wrap_v,
                           .magnify = settings->magnify,
                           .minify = settings->minify,
                           .between_levels = settings->between_levels,
                           .premultiplied = settings->premultiplied};
}

/* What compression changes in levels of more than PLAIN_SIDE_MAX pixels is added to `error`. */
static void levels_write(MipLevels* levels, const TextureRecord* t, TextureLevelRecord* rows,
                         u8* data, BlockError* error) {
    u64 end = 0;
    for (u32 i = 0; i < t->level_count; i++) {
        rows[i] = texture_level(t, i, align_up(end, TEXTURE_ALIGN));
        end = (u64)rows[i].offset + rows[i].bytes;
        mip_levels_encode(levels, (PixelFormat)t->format, data + rows[i].offset,
                          is_small(levels) ? NULL : error);
        mip_levels_next(levels);
    }
}

typedef enum Compression {
    COMPRESSION_TRIED,
    COMPRESSION_HARMS, /* the image needs a plain format; nothing was written */
    COMPRESSION_NONE   /* a plain format */
} Compression;

/* Writes the blob. If compression is tried, not required and harms the image, which is overwritten
 * then, it only sets *compression. */
static bool image_compile(Compile* c, const TextureSettings* settings, const Image* image,
                          Compression* compression, u8** bytes, size_t* size) {
    const MipOptions options = options_of(c, settings);
    Enum32           format = format_of(settings, image);
    BlockError       error = {.alpha_hides = settings->usage == TEXTURE_COLOR};
    MipLevels        levels;
    Output           out;
    mip_levels_open(&levels, &options, image->pixels, image->info.width, image->info.height);
    if (*compression == COMPRESSION_NONE || must_be_plain(settings, &levels))
        format = format_plain(settings);
    const TextureRecord t = record_of(settings, &levels, format);
    const u32           data_bytes = texture_bytes(&t);
    output_begin(&out, RESOURCE_TEXTURE, text_of(c->name), t.level_count, 3);
    output_reserve(&out, (u64)data_bytes + 4096);
    output_section(&out, SECTION_TEXTURE, &t, 1);
    output_section(&out, SECTION_TEXTURE_LEVEL, NULL, t.level_count);
    u8*                 data = output_section(&out, SECTION_TEXTURE_DATA, NULL, data_bytes);
    TextureLevelRecord* rows = output_section_bytes(&out, SECTION_TEXTURE_LEVEL);
    levels_write(&levels, &t, rows, data, &error);
    mip_levels_close(&levels);
    if (format_is_chosen(settings) || !block_error_is_large(&error))
        return compile_finish(c, &out, bytes, size);
    output_drop(&out);
    *compression = COMPRESSION_HARMS;
    return true;
}

/* The bytes of an image file. */
typedef struct ImageFile {
    const u8* bytes; /* [size] */
    u64       size;
    u32       offset; /* of the reference to it in the source */
} ImageFile;

static ImageFile image_file(const Asset* asset, u32 index) {
    if (form_is_model(asset->form)) {
        const GltfTexture* texture = &asset->content->model->gltf.textures[index];
        return (ImageFile){texture->bytes, texture->size, texture->offset};
    }
    const FileView* view = asset_image(asset);
    return (ImageFile){view->bytes, view->size, asset->content->image_offset};
}

static void image_make_opaque(Image* image) {
    const size_t count = (size_t)image->info.width * image->info.height;
    for (size_t i = 0; i < count; i++) image->pixels[i * 4 + 3] = 255;
}

/* --- memory --- */

/* Pixels, levels of f32 in their memory or beside it, rows of each thread, and the blob. */
static u64 work_bytes(const ImageInfo* info, u64 blob_bytes) {
    const u64 pixels = (u64)info->width * info->height;
    return MAX_OF(image_decode_bytes(info), pixels * 8 + blob_bytes);
}

/* rgba8 with all levels, and the head of a blob. */
static u64 blob_bytes_max(const ImageInfo* info) { return (u64)info->width * info->height * 6; }

TextureCost compile_texture_cost(const Asset* asset, u32 index) {
    ImageInfo info = {0};
    if (form_is_model(asset->form)) {
        if (!asset->content->model->textures[index].has_image) return (TextureCost){0};
        info = asset->content->model->textures[index].image;
    } else if (image_look(asset_image(asset)->bytes, asset_image(asset)->size, &info)) {
        return (TextureCost){0};
    }
    const u64 blob = blob_bytes_max(&info);
    const u64 pixels = (u64)info.width * info.height;
    return (TextureCost){.bytes = blob,
                         .work = work_bytes(&info, blob),
                         .at_once = MAX_OF(image_decode_bytes(&info), pixels * 8) + pixels * 3,
                         .width = info.width, /* in the file */
                         .height = info.height};
}

/* --- the complete texture --- */

static bool file_decode(Compile* c, const TextureSettings* settings, const ImageFile* file,
                        Image* image) {
    const char* fault = image_decode(file->bytes, file->size, image);
    if (fault)
        diag_error(c->diag, E0412, &c->asset->source, file->offset, 1,
                   "the image of \"%s.texture\" %s", c->name, fault);
    if (fault && c->asset->form == ASSET_IMAGE) c->unusable = arena_text(&c->arena, text_of(fault));
    if (fault) return false;
    if (settings->opaque) image_make_opaque(image);
    if (!form_is_model(c->asset->form))
        image_orient(image, image_orientation(file->bytes, file->size));
    return true;
}

/* The image of a model is used as glTF defines it, and remarks about it are those of the model. */
static void colors_report(Compile* c, const TextureSettings* settings, const ImageFile* file) {
    char        clause[IMAGE_CLAUSE_BYTES];
    const char* other = image_colors_other(file->bytes, file->size, clause);
    if (form_is_model(c->asset->form) || settings->usage != TEXTURE_COLOR || !other) return;
    diag_warning(
        c->diag, W0413, &c->asset->source, file->offset, 1,
        "the image of \"%s.texture\" %s, which is ignored: its colours are compiled as sRGB",
        c->name, other);
}

/* An image that compression harms is decoded a second time, because its levels were computed in the
 * memory of its pixels. */
static bool file_compile(Compile* c, const TextureSettings* settings, const ImageFile* file,
                         u8** bytes, size_t* size) {
    Compression compression = COMPRESSION_TRIED;
    Image       image = {0};
    bool        is_compiled = file_decode(c, settings, file, &image) &&
                       image_compile(c, settings, &image, &compression, bytes, size);
    if (is_compiled && compression == COMPRESSION_HARMS) {
        compression = COMPRESSION_NONE;
        image_drop(&image);
        is_compiled = file_decode(c, settings, file, &image) &&
                      image_compile(c, settings, &image, &compression, bytes, size);
    }
    image_drop(&image);
    return is_compiled;
}

bool compile_texture(Compile* c, u8** bytes, size_t* size) {
    TextureSettings settings;
    const ImageFile file = image_file(c->asset, c->index);
    if (form_is_model(c->asset->form))
        settings = c->asset->content->model->textures[c->index].settings;
    else if (!texture_settings_read(c, &settings))
        return false;
    if (!settings_check(c, c->index, &settings)) return false;
    const bool is_compiled = file_compile(c, &settings, &file, bytes, size);
    if (is_compiled) colors_report(c, &settings, &file);
    return is_compiled;
}
