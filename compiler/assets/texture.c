/* texture.c - finds the image of a texture: its own file, or the file to which its settings refer. */
#include "assets.h"
#include "relative.h"

const FileView* asset_image(const Asset* asset) {
    return asset->form == ASSET_IMAGE ? &asset->view : &asset->besides.at[0].view;
}

/* The value of "image", if there is one; other keys are read when the texture is compiled. False:
 * it is not valid, which was reported. */
static bool image_key(Asset* asset, Diagnostics* diag, JsonString* image) {
    JsonString key;
    JsonKind   kind = JSON_NULL;
    Json       check = json_open(&asset->source, 0, diag);
    Json       json = json_open(&asset->source, 0, diag);
    if (!json_skip(&check) || !json_end(&check)) return false;
    const u32 offset = json_offset(&json);
    if (!json_kind(&json, &kind)) return false;
    if (kind != JSON_OBJECT) {
        diag_error(diag, E0202, &asset->source, offset, 1, "a texture must be an object, not %s",
                   json_kind_name(kind));
        return false;
    }
    json_enter(&json, JSON_OBJECT);
    while (json_key(&json, &key)) {
        const u32 at = json_offset(&json);
        if (!json_equals(key, "image")) {
            json_skip(&json);
            continue;
        }
        asset->image_offset = at;
        if (json_kind(&json, &kind) && kind == JSON_STRING) return json_string(&json, image);
        diag_error(diag, E0202, &asset->source, at, 1,
                   "\"image\" must be a string, the path of a PNG or JPEG file, not %s",
                   json_kind_name(kind));
        return false;
    }
    return true;
}

static bool image_open(Assets* assets, Asset* asset, const char* path, Diagnostics* diag) {
    const char* why;
    DiagCode    code = E0302;
    if (asset_beside(assets, asset, path, &why, &code)) return true;
    diag_error(diag, code == E0405 ? E0302 : code, &asset->source, asset->image_offset, 1,
               "the image \"%s\" cannot be read: %s", path, why);
    return false;
}

bool texture_read(Assets* assets, Asset* asset, Diagnostics* diag) {
    JsonString image = {0};
    if (!image_key(asset, diag, &image)) return false;
    const char* own = asset->own_file;
    if (!asset->image_offset && own) return image_open(assets, asset, own, diag);
    if (!asset->image_offset) {
        diag_error(
            diag, E0204, &asset->source, 0, 1,
            "the texture has no image: expected \"image\", the path of a PNG or JPEG file, or "
            "such a file with the name of the texture");
        return false;
    }
    const char* uri = json_decode(image, &asset->arena);
    const char* path = path_beside(&asset->arena, asset->source.path, uri);
    if (*uri == '/' || !*uri) {
        diag_error(diag, E0302, &asset->source, asset->image_offset, image.raw.bytes + 2,
                   "\"image\" must be a path relative to this file");
        return false;
    }
    if (own && strcmp(own, path) != 0) {
        diag_error(diag, E0303, &asset->source, asset->image_offset, image.raw.bytes + 2,
                   "\"%s.texture\" has two sources: this image, and the image with the name of the "
                   "texture; rename one of them",
                   asset->name);
        return false;
    }
    return image_open(assets, asset, path, diag);
}
