/* texture.c - finds the image of a texture: its own file, or the file to which its settings refer. */
#include "assets.h"
#include "diag.h"
#include "model.h"
#include "relative.h"

const FileView* asset_image(const Asset* asset) {
    return asset->form == ASSET_IMAGE ? &asset->content->view : &asset->content->besides.at[0].view;
}

/* The value of "image"; NULL when there is none. Other keys are read when the texture is compiled.
 * False: it is not valid, which was reported. */
static bool image_key(Asset* asset, Diagnostics* diag, const JsonToken** image) {
    const Source* source = &asset->source;
    *image = NULL;
    if (!json_tokens_open(&asset->content->tokens, source, diag)) return false;
    const JsonToken* root = json_tokens_root(&asset->content->tokens);
    if (!json_object_check(source, diag, root, "a texture")) return false;
    *image = json_get(root, "image");
    if (!*image) return true;
    asset->content->image_offset = json_token_offset(source, *image);
    if (json_token_is(*image, JSON_STRING)) return true;
    diag_error(diag, E0202, source, asset->content->image_offset, 1,
               "\"image\" must be a string, the path of a PNG or JPEG file, not %s",
               json_kind_name(json_token_kind(*image)));
    return false;
}

static bool image_open(Assets* assets, Asset* asset, const char* path, Diagnostics* diag) {
    const char* reason;
    DiagCode    code = E0302;
    if (asset_beside(assets, asset, path, &reason, &code)) return true;
    diag_error(diag, code == E0405 ? E0302 : code, &asset->source, asset->content->image_offset, 1,
               "the image \"%s\" cannot be read: %s", path, reason);
    return false;
}

bool texture_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    const JsonToken* image;
    if (!image_key(asset, diag, &image)) return false;
    const char* image_file = asset->content_file;
    if (!asset->content->image_offset && image_file)
        return image_open(assets, asset, image_file, diag);
    if (!asset->content->image_offset) {
        diag_error(
            diag, E0204, &asset->source, 0, 1,
            "the texture has no image: expected \"image\", the path of a PNG or JPEG file, or "
            "such a file with the name of the texture");
        return false;
    }
    const char* uri = json_decode(json_token_string(image), &asset->content->arena);
    const char* path = path_beside(&asset->content->arena, asset->source.path, uri);
    if (*uri == '/' || !*uri) {
        diag_error(diag, E0302, &asset->source, asset->content->image_offset, image->bytes,
                   "\"image\" must be a path relative to this file");
        return false;
    }
    if (image_file && strcmp(image_file, path) != 0) {
        diag_error(diag, E0303, &asset->source, asset->content->image_offset, image->bytes,
                   "\"%s.texture\" has two sources: this image, and the image with the name of the "
                   "texture; rename one of them",
                   asset->name);
        return false;
    }
    return image_open(assets, asset, path, diag);
}
