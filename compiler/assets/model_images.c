/* model_images.c - images that belong to models: an image to which any model of the folder refers, also one
 * of another variant, is no resource of its own, unless settings with its name make it one.
 *
 * A build knows these images from the models that it lists. The compilation of one resource reads the
 * other models only when it refers to the texture of an image without settings. */
#include "assets.h"
#include "diag_codes.h"
#include "diag_print.h"
#include "model.h"
#include "path_alike.h"
#include "relative.h"

/* --- the images of one model --- */

typedef struct Reader {
    const Tree*     tree;
    const TreeFile* model;
    Arena*          arena;
    ModelImageAdd*  add;
    void*           user;
} Reader;

static void image_named(void* user, const char* uri) {
    const Reader* r = user;
    const char*   reason;
    const char*   path = path_beside(r->arena, r->model->path, uri);
    const size_t  root = strlen(r->tree->root);
    path = path_of_uri(r->tree, r->arena, path, &reason);
    if (strncmp(path, r->tree->root, root) == 0 && path[root] == '/')
        r->add(r->user, path + root + 1);
}

static const u8* image_read(void* user, const char* uri, size_t* bytes, const char** reason,
                            DiagCode* code) {
    UNUSED(bytes);
    UNUSED(code);
    image_named(user, uri);
    *reason = "it is not read here";
    return NULL;
}

void model_images_each(const Tree* tree, const TreeFile* model, AssetForm form,
                       const FileView* view, ModelImageAdd* add, void* user) {
    Arena           arena = {0};
    Reader          reader = {tree, model, &arena, add, user};
    const GltfFiles files = {image_read, image_named, &reader};
    Diagnostics*    diag = diag_create(); /* a build of its variant reports its errors */
    GltfModel       read;
    ModelNaming     naming = {0}; /* images do not depend on it */
    const Source    source = source_of(model->path, (const char*)view->bytes, (u32)view->size);
    GltfFile        file;
    if (gltf_open(&file, &source, form == ASSET_GLB, &arena, diag))
        UNUSED(gltf_read(&read, &file, &files, &naming, &arena, diag));
    gltf_close(&file);
    arena_drop(&arena);
    diag_destroy(diag);
}

/* --- the models of one image --- */

typedef struct Owner {
    const char* image; /* below the root */
    bool        found;
} Owner;

static void owner_compare(void* user, const char* path) {
    Owner* owner = user;
    owner->found |= strcmp(path, owner->image) == 0;
}

/* Has the last part of a URI, which ends at `end`, the canonical spelling of a name? */
static bool is_alike(const u8* begin, const u8* end, const char* name) {
    char      room[PATH_ALIKE_BYTES], other[PATH_ALIKE_BYTES];
    const u8* at = end;
    while (at > begin && at[-1] != '"' && at[-1] != '/' && end - at < 1024) at--;
    const Text last = {(const char*)at, (u32)(end - at)};
    return text_equal(path_canonical(last, room), path_canonical(text_of(name), other));
}

/* A URI ends with the extension of the file, or contains characters that are written in another way. Most models
 * contain neither, and need not be read. */
static bool may_name(const FileView* view, const char* name) {
    const char* extension = strrchr(name, '.');
    const u32   bytes = (u32)strlen(extension);
    const u8*   end = view->bytes + view->size;
    if (memchr(view->bytes, '%', view->size) || memchr(view->bytes, '\\', view->size)) return true;
    for (const u8* at = view->bytes; (at = memchr(at, '.', (size_t)(end - at))); at++) {
        if ((size_t)(end - at) <= bytes) return false;
        u32 same = 0;
        while (same < bytes && (at[same] | 0x20) == ((u8)extension[same] | 0x20)) same++;
        if (same == bytes && at[bytes] == '"' && is_alike(view->bytes, at + bytes, name))
            return true;
    }
    return false;
}

static bool model_refers_to(const Assets* assets, const TreeFile* model, AssetForm form,
                            const char* image) {
    FileView    view;
    FileStamp   stamp;
    Owner       owner = {image, false};
    const char* slash = strrchr(image, '/');
    if (file_copy_stamped(&view, model->path, &stamp, SOURCE_BYTES_MAX, NULL) != ENT_OK)
        return false; /* its own compilation reports this */
    if (view.size <= SOURCE_BYTES_MAX && may_name(&view, slash ? slash + 1 : image))
        model_images_each(assets->tree, model, form, &view, owner_compare, &owner);
    file_unmap(&view);
    return owner.found;
}

const char* assets_image_owner(const Assets* assets, const Asset* image) {
    const Tree* tree = assets->tree;
    const char* found = NULL;
    const char* path = image->source.path + strlen(assets->root) + 1;
    for (u32 i = 0; i < tree->files.count; i++) {
        const TreeFile* file = &tree->files.at[i];
        const Suffix    suffix = assets_suffix(assets, tree_relative(file));
        if (suffix.kind != SUFFIX_VALID || !form_is_model(suffix.form) ||
            (found && strcmp(found, file->path) <= 0))
            continue;
        if (model_refers_to(assets, file, suffix.form, path)) found = file->path;
    }
    return found;
}

bool assets_image_is_owned(const Assets* assets, Asset* image) {
    if (image->form != ASSET_IMAGE) return false;
    u32 owned = __atomic_load_n(&image->owned, __ATOMIC_RELAXED);
    if (owned == OWNER_UNKNOWN) { /* two threads find the same */
        owned = assets_image_owner(assets, image) ? OWNER_MODEL : OWNER_NONE;
        __atomic_store_n(&image->owned, owned, __ATOMIC_RELAXED);
    }
    return owned == OWNER_MODEL;
}
