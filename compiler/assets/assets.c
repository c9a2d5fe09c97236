/* assets.c - lists the source folder, and finds its sources by name. */
#include "assets.h"

#include <errno.h>
#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "hash.h"
#include "libc.h"
#include "model.h"
#include "sections.h"

/* --- the files of the folder --- */

/* A source file, before the variant of its resource is selected. */
typedef struct Found {
    const char*     name;
    const TreeFile* file;
    Suffix          suffix;
    bool            is_renamed; /* the file has another name than the resource */
    u32             score;      /* number of tags that match the build; NONE: it has a tag that does
                            * not */
} Found;

typedef struct Scan {
    const Tree*     tree;
    Assets*         assets;
    const Settings* settings; /* or NULL */
    Diagnostics*    diag;
    ARRAY(Found) found;
} Scan;

/* A source of which only the path is known, for diagnostics about the complete file. */
static Source* path_source(Assets* assets, const char* path) {
    Source* source = ARENA_NEW(&assets->arena, Source, 1);
    *source = source_of(path, "", 0);
    return source;
}

/* "LAMP.ENTITY.JSON" would be a source if its suffix were in lower case, so it is reported instead
 * of ignored. */
static void scan_suffix_case(Scan* scan, const char* path, const char* file) {
    char* lower = arena_text(&scan->assets->arena, text_of(file));
    for (char* at = lower; *at; at++) {
        if (*at >= 'A' && *at <= 'Z') *at = (char)(*at - 'A' + 'a');
    }
    const Suffix suffix = suffix_of(text_of(lower));
    if (suffix.kind != SUFFIX_VALID && suffix.kind != SUFFIX_NOT_JSON) return;
    diag_error(scan->diag, E0301, path_source(scan->assets, path), 0, 1,
               "suffixes must be in lower case; rename the file to \"%s\"", lower);
}

bool assets_concern(const Settings* settings, const char* path) {
    char         lower[256];
    const char*  slash = strrchr(path, '/');
    const char*  file = slash ? slash + 1 : path;
    const char*  dot = strrchr(file, '.');
    const char*  reason;
    const Suffix suffix = settings_suffix(settings, path);
    if (suffix.form == ASSET_FILE) return true;
    if (!dot || strlen(dot) > 5) return false;
    if (suffix.kind == SUFFIX_VALID && suffix.form == ASSET_IMAGE) {
        source_name(path, &suffix, lower, &reason);
        return !reason; /* otherwise only a model may refer to it */
    }
    u32 bytes = 0;
    for (; file[bytes] && bytes < sizeof lower; bytes++) {
        const char c = file[bytes];
        lower[bytes] = c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
    }
    return suffix_of((Text){lower, bytes}).kind != SUFFIX_NONE;
}

static bool tag_is(Text tag, const char* wanted) {
    return wanted && text_equal(tag, text_of(wanted));
}

/* The number of tags that match the build; NONE when one does not match. */
static u32 tags_score(const Variant* variant, Text tags) {
    u32 score = 0;
    while (tags.bytes > 0) {
        u32 end = 0;
        while (end < tags.bytes && tags.at[end] != '.') end++;
        const Text tag = {tags.at, end};
        if (!tag_is(tag, variant->lang) && !tag_is(tag, variant->platform)) return NONE;
        score++;
        end = MIN_OF(end + 1, tags.bytes);
        tags = (Text){tags.at + end, tags.bytes - end};
    }
    return score;
}

/* Reports a file whose name does not state a type, or a type that its content cannot have. */
static void scan_refuse(Scan* scan, const char* path, const Suffix* suffix) {
    static const char* const known[] = {"entity",  "level",   "material", "component",
                                        "package", "texture", "data",     "model"};
    const Source*            source = path_source(scan->assets, path);
    const Text               type = suffix->type_text;
    if (suffix->kind == SUFFIX_UNKNOWN)
        diag_error(scan->diag, E0301, source, 0, 1,
                   "unknown resource type \"%.*s\"; a JSON file must be named NAME.entity.json, "
                   "NAME.level.json, NAME.material.json, NAME.texture.json, NAME.component.json, "
                   "NAME.package.json, NAME.EXT.data.json or NAME.model.json%s%s%s",
                   (int)type.bytes, type.at,
                   DIAG_NEAREST(diag_nearest(type, known, COUNT_OF(known))));
    else if (suffix->kind == SUFFIX_BARE)
        diag_error(scan->diag, E0301, source, 0, 1,
                   "a resource of type data must have a file with an extension: NAME.EXT%s",
                   suffix->form == ASSET_JSON ? " with the settings NAME.EXT" DATA_SUFFIX : "");
    else
        diag_error(scan->diag, E0301, source, 0, 1,
                   "a %.*s cannot be defined in JSON; it is imported from a .gltf or .glb file",
                   (int)type.bytes, type.at);
}

static void scan_name_refuse(Scan* scan, const TreeFile* file, const Suffix* suffix,
                             const char* reason) {
    char       fixed[256];
    const Text name = {tree_relative(file), file->name - file->relative + suffix->name_bytes};
    name_fix(name, fixed);
    diag_error(scan->diag, E0301, path_source(scan->assets, file->path), 0, 1,
               "the name \"%.*s\" %s%s%s%s", (int)name.bytes, name.at, reason,
               *fixed ? "; rename the file to \"" : "", fixed, *fixed ? "\"" : "");
}

static void scan_source(Scan* scan, const TreeFile* file) {
    Assets*      assets = scan->assets;
    const char*  base = file->path + file->name;
    const Suffix suffix = settings_suffix(scan->settings, tree_relative(file));
    const char*  reason;
    char         fixed[256];
    if (suffix.kind == SUFFIX_NONE) {
        scan_suffix_case(scan, file->path, base);
        return;
    }
    if (suffix.kind != SUFFIX_VALID) {
        scan_refuse(scan, file->path, &suffix);
        return;
    }
    const Text name = source_name(tree_relative(file), &suffix, fixed, &reason);
    if (reason && suffix.form == ASSET_IMAGE) return; /* a model may refer to it */
    if (reason) {
        scan_name_refuse(scan, file, &suffix, reason);
        return;
    }
    if (suffix.tags.bytes && scan->settings) {
        settings_check_tags(scan->settings, path_source(assets, file->path), suffix.tags,
                            scan->diag);
    }
    *array_push(&scan->found) = (Found){.name = arena_text(&assets->arena, name),
                                        .file = file,
                                        .suffix = suffix,
                                        .is_renamed = name.at == fixed,
                                        .score = tags_score(&assets->variant, suffix.tags)};
}

/* Would the build read a file of that name as a source? */
static bool is_requested(const Scan* scan, const TreeFile* file) {
    return settings_suffix(scan->settings, tree_relative(file)).kind != SUFFIX_NONE;
}

/* Is the target of a symbolic link in the asset folder? If not, this is reported. Whether there is
 * one outside has no effect, because the author of a source need not be allowed to see it. */
static bool link_check(Scan* scan, const TreeFile* file) {
    Assets*          assets = scan->assets;
    char             real[4096];
    const size_t     root = strlen(assets->root_real);
    const ent_status status = path_resolve(file->path, real, sizeof real);
    if (status == ENT_OK && strncmp(real, assets->root_real, root) == 0 &&
        (real[root] == '/' || real[root] == 0)) {
        return true;
    }
    if (!is_requested(scan, file)) return false;
    if (status == ENT_OK || status == ENT_NOT_FOUND || errno == errno_of(SYSTEM_DENIED) ||
        errno == errno_of(SYSTEM_LOOP))
        diag_error(scan->diag, E0302, path_source(assets, file->path), 0, 1,
                   "the symbolic link does not lead to a file in the asset folder");
    else
        diag_error(scan->diag, diag_unread_code(errno), path_source(assets, file->path), 0, 1,
                   "the file cannot be read: %s", strerror(errno));
    return false;
}

static void scan_file(Scan* scan, const TreeFile* file) {
    Assets* assets = scan->assets;
    if (assets_have_data(assets, tree_relative(file))) return; /* it is read with its settings */
    if (file->link && is_requested(scan, file) && !link_check(scan, file)) return;
    if (file->kind == FILE_FOLDER) {
        diag_error(scan->diag, file->link ? E0302 : E0309, path_source(assets, file->path), 0, 1,
                   file->link ? "symbolic links to folders are not followed" : TREE_TOO_DEEP);
    } else if (file->kind == FILE_REGULAR) {
        if (!file->link || link_check(scan, file)) scan_source(scan, file);
    } else if (is_requested(scan, file)) {
        diag_error(scan->diag, E0302, path_source(assets, file->path), 0, 1,
                   "it is neither a regular file nor a valid symbolic link");
    }
}

/* --- variants --- */

static int found_order(const void* a, const void* b) {
    const Found *x = a, *y = b;
    const int    name = strcmp(x->name, y->name);
    if (name) return name;
    if (x->suffix.type != y->suffix.type) return x->suffix.type < y->suffix.type ? -1 : 1;
    return strcmp(x->file->path, y->file->path);
}

static const AssetOutline no_outline;

static Asset* asset_add(Assets* assets, const Tree* tree, const Found* found) {
    Asset* asset = &assets->all[assets->count];
    asset->content = &assets->contents[assets->count];
    asset->name = found->name;
    asset->is_renamed = found->is_renamed;
    asset->type = found->suffix.type;
    asset->form = found->suffix.form;
    asset->outline =
        form_is_model(asset->form) ? &assets->outlines[assets->count] : (AssetOutline*)&no_outline;
    asset->stamp = found->file->stamp;
    asset->source = source_of(found->file->path, "", 0);
    if (asset->type == RESOURCE_DATA && asset->form == ASSET_JSON)
        asset->content_file = arena_print(
            &assets->arena, "%s/%s", assets->root,
            assets_data_path(assets, data_file_of(text_of(tree_relative(found->file)))));
    if (asset->content_file)
        asset->is_alike =
            !text_equal(text_of(asset->content_file), data_file_of(text_of(found->file->path)));
    asset->index = assets->count;
    asset->file = (u32)(found->file - tree->files.at);
    assets->asset[assets->count++] = asset;
    assets->of_file[asset->file] = asset;
    return asset;
}

/* The file with the most matching tags; `second` is another one with as many, or NULL. */
static const Found* found_best(const Found* found, u32 count, const Found** second) {
    const Found* best = NULL;
    *second = NULL;
    for (u32 i = 0; i < count; i++) {
        const Found* f = &found[i];
        if (f->score == NONE || (best && f->score < best->score)) continue;
        *second = best && f->score == best->score ? best : NULL;
        best = f;
    }
    return best;
}

static void second_report(Scan* scan, const Found* best, const Found* second) {
    const bool equal =
        second->suffix.tags.bytes == 0 || text_equal(second->suffix.tags, best->suffix.tags);
    diag_error(scan->diag, E0303, path_source(scan->assets, best->file->path), 0, 1,
               equal ? "\"%s.%s\" has two sources, \"%s\" and \"%s\"; rename one of them"
                     : "\"%s.%s\" has two variants that match this build equally well, \"%s\" and "
                       "\"%s\"; add a variant that has both tags",
               best->name, ent_resource_suffix(best->suffix.type), tree_relative(best->file),
               tree_relative(second->file));
    diag_note(scan->diag, path_source(scan->assets, second->file->path), 0, 1,
              "the other source is here");
}

/* Images that match a build as well as the best one. Models may refer to them, and then they have no names: which ones
 * have is known later. */
static void images_add(Scan* scan, const Found* found, u32 count, const Found* best) {
    Asset** first = &scan->assets->asset[scan->assets->count - 1];
    for (u32 i = 0; i < count; i++)
        if (found[i].score == best->score && &found[i] != best)
            asset_add(scan->assets, scan->tree, &found[i]);
    for (u32 i = 0; first + i < scan->assets->asset + scan->assets->count; i++)
        first[i]->has_namesake = true;
}

/* The best matching file of one resource: the one with the most matching tags. Two such files are
 * an error, and so is a variant without a default file for other builds. */
static Asset* variant_choose(Scan* scan, const Found* found, u32 count) {
    const Found* second;
    const Found* best = found_best(found, count, &second);
    bool         plain = false;
    for (u32 i = 0; i < count; i++) plain |= found[i].suffix.tags.bytes == 0;
    if (!plain && !scan->tree->is_listed) {
        diag_error(scan->diag, E0303, path_source(scan->assets, (best ? best : found)->file->path),
                   0, 1,
                   "\"%.*s\" makes this file a variant of \"%s.%s\", which has no default file for "
                   "all other builds; add one, or write '_' instead of the '.'",
                   (int)found->suffix.tags.bytes, found->suffix.tags.at, found->name,
                   ent_resource_suffix(found->suffix.type));
    }
    Asset* asset = best ? asset_add(scan->assets, scan->tree, best) : NULL;
    if (second && best->suffix.form == ASSET_IMAGE &&
        text_equal(best->suffix.tags, second->suffix.tags))
        images_add(scan, found, count, best);
    else if (second)
        second_report(scan, best, second);
    return asset;
}

/* A file that belongs to a source because of its name: the one with the most matching tags. */
static const char* content_file_choose(Scan* scan, const Found* files, u32 count) {
    const Found* second;
    const Found* best = found_best(files, count, &second);
    if (second) second_report(scan, best, second);
    return best ? best->file->path : NULL;
}

static void settings_without_model(Scan* scan, const Found* settings) {
    diag_error(scan->diag, E0303, path_source(scan->assets, settings->file->path), 0, 1,
               "these are the settings of a model, but there is no file \"%s.gltf\" or \"%s.glb\"; "
               "rename or remove the settings",
               settings->name, settings->name);
}

/* The files of one resource. The settings of a texture are its source, and not an image of the same
 * name, which is the default of the settings. The settings of a model belong to the model. */
static void resource_choose(Scan* scan, Found* at, u32 count) {
    ARRAY(Found) entries = {0};
    bool has_settings = false;
    u32  kept = 0;
    for (u32 i = 0; i < count; i++) has_settings |= at[i].suffix.form == ASSET_JSON;
    for (u32 i = 0; i < count; i++) {
        const AssetForm form = at[i].suffix.form;
        if (form == ASSET_SETTINGS || (has_settings && form == ASSET_IMAGE))
            *array_push(&entries) = at[i];
        else
            at[kept++] = at[i];
    }
    Asset* asset = kept ? variant_choose(scan, at, kept) : NULL;
    if (entries.count && entries.at[0].suffix.form == ASSET_SETTINGS &&
        (kept == 0 || (asset && !form_is_model(asset->form))))
        settings_without_model(scan, &entries.at[0]);
    else if (asset && entries.count)
        asset->content_file = content_file_choose(scan, entries.at, entries.count);
    array_drop(&entries);
}

/* Models are levels if their settings say so: those that match the build. */
static void levels_choose(Found* at, u32 count) {
    ARRAY(Found) settings = {0};
    const Found* second;
    for (u32 i = 0; i < count; i++)
        if (at[i].suffix.form == ASSET_SETTINGS) *array_push(&settings) = at[i];
    const Found* best = settings.count ? found_best(settings.at, settings.count, &second) : NULL;
    const bool   is_level = best && model_settings_choose_level(best->file->path);
    for (u32 i = 0; i < count && is_level; i++)
        if (at[i].suffix.form == ASSET_SETTINGS || form_is_model(at[i].suffix.form))
            at[i].suffix.type = RESOURCE_LEVEL;
    array_drop(&settings);
}

static void levels_find(Scan* scan) {
    const u32 count = scan->found.count;
    Found*    at = scan->found.at;
    bool      has_settings = false;
    for (u32 first = 0, end; first < count; first = end) {
        bool has_here = false;
        for (end = first; end < count && strcmp(at[first].name, at[end].name) == 0; end++)
            has_here |= at[end].suffix.form == ASSET_SETTINGS;
        if (has_here) levels_choose(at + first, end - first);
        has_settings |= has_here;
    }
    if (has_settings) qsort(at, count, sizeof(Found), found_order);
}

static void variants_choose(Scan* scan) {
    const u32 count = scan->found.count;
    Found*    at = scan->found.at;
    if (count) qsort(scan->found.at, count, sizeof(Found), found_order);
    levels_find(scan);
    for (u32 first = 0, end; first < count; first = end) {
        for (end = first + 1; end < count; end++) {
            if (strcmp(at[first].name, at[end].name) != 0 ||
                at[first].suffix.type != at[end].suffix.type) {
                break;
            }
        }
        resource_choose(scan, at + first, end - first);
    }
}

/* --- lookup --- */

static u64 asset_hash(Text name, ResourceType type) {
    return hash_bytes(name.at, name.bytes, (u64)type);
}

static void assets_index(Assets* assets) {
    const u32 count = slots_needed(assets->count, 64);
    assets->slots = (Slots){ARENA_NEW(&assets->arena, u32, count), count};
    for (u32 i = 0; i < assets->count; i++) {
        const Asset* asset = assets->asset[i];
        *slots_free(&assets->slots, asset_hash(text_of(asset->name), asset->type)) = i + 1;
    }
}

bool assets_open(Assets* assets, const Tree* tree, const Registry* registry,
                 const Settings* settings, Variant variant, Diagnostics* diag) {
    char real[4096];
    Scan scan = {.tree = tree, .assets = assets, .settings = settings, .diag = diag};
    *assets = (Assets){.registry = registry,
                       .root = tree->root,
                       .tree = tree,
                       .variant = variant,
                       .settings = settings,
                       .hashes = true};
    if (settings) {
        assets->rules = gltf_rules(settings_accepted(settings), false, settings_strict(settings));
        assets->rules.names_off = settings_names_off(settings);
    }
    if (path_resolve(tree->root, real, sizeof real) != ENT_OK) return false;
    assets->root_real = arena_text(&assets->arena, text_of(real));
    assets_data_find(assets);
    array_reserve(&scan.found, tree->files.count);
    for (u32 i = 0; i < tree->files.count; i++) scan_file(&scan, &tree->files.at[i]);
    assets->asset = ARENA_NEW(&assets->arena, Asset*, scan.found.count + 1);
    assets->of_file = ARENA_NEW(&assets->arena, Asset*, tree->files.count + 1);
    assets->all = ARENA_NEW(&assets->arena, Asset, scan.found.count + 1);
    assets->contents = memory_alloc_sparse(sizeof(AssetContent) * ((size_t)scan.found.count + 1));
    assets->outlines = memory_alloc_sparse(sizeof(AssetOutline) * ((size_t)scan.found.count + 1));
    assets->read = memory_alloc_sparse(sizeof(u32) * ((size_t)scan.found.count + 1));
    variants_choose(&scan);
    array_drop(&scan.found);
    assets_index(assets);
    return true;
}

static void content_close(AssetContent* content) {
    if (content->doc) doc_drop(content->doc);
    json_tokens_close(&content->tokens);
    file_unmap(&content->view);
    for (u32 i = 0; i < content->besides.count; i++) file_unmap(&content->besides.at[i].view);
    array_drop(&content->besides);
    arena_drop(&content->arena);
    arena_drop(&content->gltf_arena);
    source_lines_drop(&content->lines);
}

static void outline_close(AssetOutline* outline) {
    gltf_close(&outline->model_file);
    diag_destroy(outline->model_diag);
    array_drop(&outline->named);
    array_drop(&outline->sub_resources);
}

static void asset_close(Asset* asset) {
    if (job_once_done(&asset->load) || job_once_done(&asset->once)) content_close(asset->content);
    if (form_is_model(asset->form)) outline_close(asset->outline);
    diag_destroy(asset->diag);
}

static void source_forget(Assets* assets, Asset* asset) {
    if (job_once_done(&asset->load) || job_once_done(&asset->once)) {
        assets->kept -= asset->content->hold.bytes;
        content_close(asset->content);
        *asset->content = (AssetContent){0};
    }
    if (form_is_model(asset->form)) {
        outline_close(asset->outline);
        *asset->outline = (AssetOutline){0};
    }
    diag_destroy(asset->diag);
    asset->diag = NULL;
    asset->state = ASSET_NEW;
    asset->load = asset->once = (JobOnce){0};
    asset->unread = 0;
    asset->unneeded = false;
    asset->source = source_of(asset->source.path, "", 0);
}

/* Other docs know the parts of a model by their numbers. */
static void parts_forget(Assets* assets, const Asset* model) {
    for (u32 i = 0; i < assets->count; i++) {
        const Doc* doc = assets->asset[i]->content->doc;
        for (u32 k = 0; doc && k < doc->instances.count; k++)
            if (prefab_known(assets, doc, k).asset == model) doc->prefab[k] = 0;
    }
}

void asset_forget(Assets* assets, Asset* asset, FileStamp stamp) {
    u32 kept = 0;
    for (u32 i = 0; i < assets->read_count; i++) {
        if (assets->read[i] != asset->index) assets->read[kept++] = assets->read[i];
    }
    assets->read_count = kept;
    if (asset->content->parts) parts_forget(assets, asset);
    source_forget(assets, asset);
    asset->stamp = stamp;
}

void assets_forget(Assets* assets) {
    u32 kept = 0;
    for (u32 i = 0; i < assets->read_count; i++) {
        Asset* asset = assets->asset[assets->read[i]];
        if (asset->type == RESOURCE_COMPONENT)
            assets->read[kept++] = asset->index;
        else
            source_forget(assets, asset);
    }
    assets->read_count = kept;
    assets->zero_bytes = 0;
}

void assets_close(Assets* assets) {
    for (u32 i = 0; i < assets->count; i++) asset_close(assets->asset[i]);
    array_drop(&assets->data_files);
    memory_free(assets->contents);
    memory_free(assets->outlines);
    memory_free(assets->read);
    arena_drop(&assets->arena);
}

Asset* assets_file(const Assets* assets, Text name, ResourceType type) {
    Asset*     owned = NULL;
    const u32* slot = slots_first(&assets->slots, asset_hash(name, type));
    for (; *slot; slot = slots_next(&assets->slots, slot)) {
        Asset* asset = assets->asset[*slot - 1];
        if (asset->type != type || !text_equal(text_of(asset->name), name)) continue;
        if (!asset->has_namesake || !assets_image_is_owned(assets, asset)) return asset;
        owned = asset;
    }
    return owned;
}

static_assert(SOURCE_BYTES_MAX == GLTF_FILE_BYTES_MAX, "gltf_cost.h has the same limit");

Asset* assets_model(const Assets* assets, Text name) {
    Asset* asset = assets_file(assets, name, RESOURCE_ENTITY);
    if (!asset || !form_is_model(asset->form)) asset = assets_file(assets, name, RESOURCE_LEVEL);
    return asset && form_is_model(asset->form) ? asset : NULL;
}
