/* compile_package.c - package.json: { "roots": ["levels/town.level", ..] }, the roots of a bundle.
 * Its blob contains only a table of references. */
#include <stdio.h>

#include "diag.h"
#include "path_pattern.h"
#include "product.h"
#include "sections.h"

#define PATTERN_BYTES_MAX 200

static void wrong_kind(Compile* c, const JsonToken* value, const char* what) {
    const Source* source = &c->asset->source;
    diag_error(c->diag, E0202, source, json_token_offset(source, value), 1, "%s, not %s", what,
               json_kind_name(json_token_kind(value)));
}

static bool root_exists(Compile* c, const char* root) {
    Text         name;
    ResourceType type;
    return resource_is_named(text_of(root), &name, &type) && assets_have(c->assets, name, type);
}

/* For "levels/town" or "levels/town.level.json": a suggestion, if there is such a resource. */
static const char* root_intended(Compile* c, Text text, Text suffix) {
    const char* suffixes[RESOURCE_COUNT];
    const char* meant = NULL;
    u32         count = 0;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        suffixes[count++] = ent_resource_suffix(type);
        if (!assets_file(c->assets, text, (ResourceType)type)) continue;
        return arena_print(&c->arena, "%.*s.%s", (int)text.bytes, text.at,
                           ent_resource_suffix(type));
    }
    const char* near = suffix.at ? diag_nearest(suffix, suffixes, count) : NULL;
    if (text_equal(suffix, text_of("json")))
        meant = arena_text(&c->arena, (Text){text.at, text.bytes - 5});
    else if (near)
        meant = arena_print(&c->arena, "%.*s%s", (int)(suffix.at - text.at), text.at, near);
    return meant && root_exists(c, meant) ? meant : NULL;
}

/* An image to which a model refers is no resource. */
bool package_pattern_matches(const Assets* assets, const Asset* package, const char* pattern,
                             Asset* asset) {
    char name[512]; /* the name of an asset has at most 255 bytes */
    snprintf(name, sizeof name, "%s.%s", asset->name, ent_resource_suffix(asset->type));
    if (asset == package || !path_pattern_matches(pattern, name)) return false;
    return !assets_image_is_owned(assets, asset);
}

/* The first resource whose name is not before the folder, which ends with a slash. */
static u32 folder_first(const Assets* assets, Text folder) {
    u32 lo = 0, hi = assets->count;
    while (lo < hi) {
        const u32 middle = lo + (hi - lo) / 2;
        if (strncmp(assets->asset[middle]->name, folder.at, folder.bytes) < 0)
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

/* The folder that a pattern names before its first '*' or '?'; empty: it selects in any folder. Only the
 * resources of the folder are compared with the pattern: a package may have one for each folder. */
static Text pattern_folder(const char* pattern) {
    u32 bytes = (u32)strcspn(pattern, "*?");
    while (bytes > 0 && pattern[bytes - 1] != '/') bytes--;
    return (Text){pattern, bytes};
}

/* Those of a list of inputs that only have to exist, and have no file in it. */
static void listed_add(Compile* c, CompilePattern* pattern) {
    const InputList* inputs = c->assets->inputs;
    for (u32 i = 0; i < inputs->lines.count; i++) {
        const InputLine* line = &inputs->lines.at[i];
        char             name[512];
        if (line->type == RESOURCE_NONE || line->is_part) continue;
        if (assets_file(c->assets, line->text, line->type)) continue;
        snprintf(name, sizeof name, "%.*s.%s", (int)line->text.bytes, line->text.at,
                 ent_resource_suffix(line->type));
        if (!path_pattern_matches(pattern->text, name)) continue;
        compile_resource_named(c, pattern->source, pattern->offset, line->text, line->type);
        pattern->matches++;
    }
}

/* The resources that a pattern matches; another root may be one of them. */
static void pattern_add(Compile* c, u32 offset, JsonString string, const char* text) {
    const Source*  source = &c->asset->source;
    const char*    fault = path_pattern_fault(text);
    CompilePattern pattern = {text, source, offset, 0};
    if (fault || strlen(text) > PATTERN_BYTES_MAX) {
        diag_error(c->diag, E0301, source, offset, string.raw.bytes + 2, "invalid pattern: %s",
                   fault ? fault : "it must not be longer than 200 bytes");
        return;
    }
    const Text folder = pattern_folder(text);
    if (c->assets->inputs) listed_add(c, &pattern);
    for (u32 i = folder_first(c->assets, folder); i < c->assets->count; i++) {
        Asset* asset = c->assets->asset[i];
        if (strncmp(asset->name, folder.at, folder.bytes) != 0) break;
        if (!package_pattern_matches(c->assets, c->asset, text, asset)) continue;
        compile_link(c, source,
                     (CompileLink){LINK_PATTERN, offset, string.raw.bytes + 2, text_of(asset->name),
                                   asset->type});
        compile_resource_named(c, source, offset, text_of(asset->name), asset->type);
        pattern.matches++;
    }
    *array_push(&c->patterns) = pattern;
    if (pattern.matches > 0) return;
    diag_error(c->diag, E0302, source, offset, string.raw.bytes + 2,
               "the pattern \"%s\" matches no resource", text);
}

static void root_add(Compile* c, u32 offset, JsonString string) {
    const Source* source = &c->asset->source;
    const char*   decoded = json_decode(string, &c->arena);
    if (path_pattern_is(decoded)) {
        pattern_add(c, offset, string, decoded);
        return;
    }
    const Text         text = text_of(decoded);
    const u32          before = c->references.count, errors = diag_error_count(c->diag);
    const char*        dot = strrchr(decoded, '.');
    const Text         suffix = dot ? text_of(dot + 1) : (Text){NULL, 0};
    const ResourceType type = suffix.at ? resource_from_suffix(suffix) : RESOURCE_NONE;
    if (type == RESOURCE_NONE) {
        const char* meant = root_intended(c, text, suffix);
        diag_error(c->diag, E0301, source, offset, string.raw.bytes + 2,
                   "a root must have the form NAME.TYPE%s%s%s%s",
                   meant ? "" : ", such as \"levels/town.level\"", DIAG_NEAREST(meant));
        return;
    }
    const Text name = {text.at, text.bytes - suffix.bytes - 1};
    compile_link(c, source, (CompileLink){LINK_ROOT, offset, string.raw.bytes + 2, name, type});
    compile_resource_named(c, source, offset, name, type);
    if (c->references.count != before || diag_error_count(c->diag) != errors || c->unlinked) return;
    diag_error(c->diag, E0209, source, offset, string.raw.bytes + 2,
               "duplicate root \"%.*s\"; remove one of the two", (int)text.bytes, text.at);
}

static void roots_read(Compile* c, const JsonToken* roots) {
    if (!json_token_is(roots, JSON_ARRAY)) {
        wrong_kind(c, roots, "\"roots\" must be an array of strings");
        return;
    }
    for (const JsonToken* root = json_first(roots); root; root = json_next(root)) {
        if (json_token_is(root, JSON_STRING))
            root_add(c, json_token_offset(&c->asset->source, root), json_token_string(root));
        else
            wrong_kind(c, root, "a root must be a string such as \"levels/town.level\"");
    }
}

static void package_read(Compile* c, const JsonToken* package) {
    static const char* const known[] = {"roots"};
    const Source*            source = &c->asset->source;
    for (const JsonToken* m = json_first(package); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        if (json_equals(key, "roots"))
            roots_read(c, m);
        else if (!json_key_is_note(key))
            diag_error(c->diag, E0201, source, json_token_offset(source, m - 1), key.raw.bytes + 2,
                       "unknown key \"%.*s\" of a package, which may contain only \"roots\"%s%s%s",
                       (int)key.raw.bytes, key.raw.at,
                       DIAG_NEAREST(diag_nearest(key.raw, known, COUNT_OF(known))));
    }
    if (json_get(package, "roots")) return;
    diag_error(c->diag, E0204, source, json_token_offset(source, package), 1,
               "a package needs \"roots\", an array of strings");
}

bool compile_package(Compile* c, u8** bytes, size_t* size) {
    const u32        errors = diag_error_count(c->diag);
    const JsonToken* package = json_tokens_root(&c->asset->content->tokens);
    if (!json_token_is(package, JSON_OBJECT)) {
        wrong_kind(c, package, "a package must be an object");
        return false;
    }
    package_read(c, package);
    if (diag_error_count(c->diag) != errors) return false;
    Output out;
    output_begin(&out, RESOURCE_PACKAGE, text_of(c->name), c->references.count, 2);
    compile_write_references(c, &out);
    return compile_finish(c, &out, bytes, size);
}
