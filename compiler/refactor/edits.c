/* edits.c - changes to texts as splices of files. */
#include "edits.h"

#include <stdlib.h>

#include "exit_codes.h"
#include "failure.h"

void edit_add(Edits* e, const LinkFile* file, u32 offset, u32 bytes, const char* text) {
    const Text now = {file->asset->source.text + offset, bytes};
    if (text_equal(now, text_of(text))) return;
    *array_push(&e->list) = (TextEdit){file, offset, bytes, text};
}

static int edit_order(const void* a, const void* b) {
    const TextEdit *x = a, *y = b;
    const int       path = strcmp(x->file->path, y->file->path);
    return path ? path : x->offset < y->offset ? -1 : x->offset > y->offset;
}

static Text word_text(Arena* arena, u32 value) {
    char* bytes = arena_alloc(arena, 4);
    for (u32 i = 0; i < 4; i++) bytes[i] = (char)(value >> 8 * i);
    return (Text){bytes, 4};
}

/* The JSON of a .glb is padded with spaces to a multiple of 4. Other spaces before these are kept,
 * so that the reverse change gives the same bytes. */
static u32 glb_splices(Arena* arena, const Asset* asset, Splice* splices, u32 count) {
    const Source json = source_file_text(&asset->source);
    const char*  file = (const char*)asset->content->view.bytes;
    u32          spaces = 0, length = json.bytes;
    while (json.text[json.bytes - 1 - spaces] == ' ') spaces++;
    spaces %= 4;
    for (u32 i = 0; i < count; i++) length += splices[i].after.bytes - splices[i].before.bytes;
    const u32 text = length - spaces, filled = (u32)align_up(text, 4) - text;
    length = text + filled;
    memmove(splices + 2, splices, sizeof(Splice) * count);
    for (u32 i = 0; i < count; i++) splices[i + 2].offset += GLB_JSON_AT;
    const u32 total = (u32)asset->content->view.size + length - json.bytes;
    splices[0] = (Splice){8, {file + 8, 4}, word_text(arena, total)};
    splices[1] = (Splice){12, {file + 12, 4}, word_text(arena, length)};
    const u32 end = GLB_JSON_AT + json.bytes - spaces;
    splices[count + 2] = (Splice){end, {file + end, spaces}, {"   ", filled}};
    return count + 3;
}

static void file_add(Edits* e, Steps* steps, const char* path, const TextEdit* edits, u32 count) {
    const Asset* asset = edits->file->asset;
    Arena*       arena = &e->links->arena;
    const Text   text = {(const char*)asset->content->view.bytes, (u32)asset->content->view.size};
    Splice*      splices = ARENA_NEW(arena, Splice, count + 3);
    Arena        scratch = {0};
    size_t       size = text.bytes;
    FileMove     change = {path, path, text, splices, count, count, asset->form == ASSET_GLB};
    for (u32 i = 0; i < count; i++) {
        const Text before = {asset->source.text + edits[i].offset, edits[i].bytes};
        splices[i] = (Splice){edits[i].offset, before, text_of(edits[i].text)};
    }
    if (change.binary) change.splice_count = glb_splices(arena, asset, splices, count);
    const u8* after = splices_apply(&scratch, asset->content->view.bytes, &size, splices,
                                    change.splice_count, false);
    *array_push(&steps->edits) = (StepEdit){path, asset->content->hash, hash_content(after, size),
                                            splices, change.splice_count};
    *array_push(&e->files) = change;
    arena_drop(&scratch);
}

/* A symbolic link is not changed if its target is a source, which is changed itself: then NULL.
 * Other targets are never changed. */
static const char* edit_path(Edits* e, const LinkFile* file) {
    const Assets* assets = &e->links->projects.at[0]->assets;
    const char*   source = file->asset->source.path;
    char          real[4096];
    if (!file->link) return file->path;
    if (path_resolve(source, real, sizeof real) != ENT_OK) {
        e->code = io_failure("cannot access", source);
        return NULL;
    }
    const char* path = real + strlen(assets->root_real) + 1;
    for (u32 i = 0; i < e->links->files.count; i++) {
        if (strcmp(e->links->files.at[i]->path, path) == 0) return NULL;
    }
    fprintf(stderr,
            "entc: error: %s: \"%s\" contains a reference that must be changed, but is a symbolic "
            "link to \"%s\", which is not a source; replace the link with its target file\n",
            e->command, source, path);
    e->code = EXIT_INVALID;
    return NULL;
}

void edits_collect_files(Edits* e, Steps* steps) {
    const u32 count = e->list.count;
    if (count) qsort(e->list.at, count, sizeof(TextEdit), edit_order);
    for (u32 first = 0, end; first < count; first = end) {
        const LinkFile* file = e->list.at[first].file;
        for (end = first + 1; end < count && e->list.at[end].file == file;) end++;
        const char* path = edit_path(e, file);
        if (path) file_add(e, steps, path, e->list.at + first, end - first);
    }
}

/* The paths relative to the working folder, if the files are in it. */
static const char* diff_prefix(Edits* e) {
    const char* root = e->links->root;
    while (root[0] == '.' && root[1] == '/') root += 2;
    if (strcmp(root, ".") == 0 || *root == '/' || strncmp(root, "..", 2) == 0) return "";
    return arena_print(&e->links->arena, "%s/", root);
}

int edits_do(Edits* e, const Steps* steps, const BuildOptions* options, const char* report) {
    if (options->mode == BUILD_DRY_RUN) {
        const char* prefix = diff_prefix(e);
        for (u32 i = 0; i < e->files.count; i++) file_move_print(stdout, prefix, &e->files.at[i]);
        return EXIT_OK;
    }
    tree_sweep(&e->links->projects.at[0]->tree);
    const int code = steps_take(steps, e->links->root);
    if (code == EXIT_OK && !options->messages.quiet)
        fprintf(stderr, "entc: %s; %s\n", steps->text, report);
    return code;
}

void edits_drop(Edits* e) {
    array_drop(&e->list);
    array_drop(&e->files);
}
