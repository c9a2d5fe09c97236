/* make fuzz target=inputs seconds=60
 *
 * An arbitrary list of inputs. Each line that is accepted is found again, is one of the list, and is accepted alone;
 * each file of it is below the folder, and none is opened. */
#include <stdio.h>
#include <stdlib.h>

#include "asset_name.h"
#include "diag.h"
#include "diag_print.h"
#include "fuzz.h"
#include "input_list.h"
#include "sections.h"

#define CHECKED_MAX 64u

void fuzz_inputs_repair(u8* data, size_t size) {
    if (size > 0) data[size - 1] = '\n'; /* otherwise the last line is incomplete */
}

static void seed_make(const char* name, const char* text) { fuzz_seed(name, text, strlen(text)); }

void fuzz_inputs_seeds(void) {
    seed_make("empty", "");
    seed_make("lines", "file props/lamp.entity.json\nfile models/A b.bin\nresource "
                       "props/door.entity\npart m/box.mesh\n");
    seed_make("double", "file a.entity.json\nresource a.entity\nfile a.entity.json\n");
    seed_make("foreign", "file ../a\nfile /etc/passwd\nfile .git/x\nfile a//b\nfile a/../b\n");
    seed_make("damaged", "resource lamp\nfile \nfile\nlamp\r\nresource Lamp.entity\nfile last");
}

/* Reads a list. Returns the number of errors. */
static u32 list_open(InputList* list, Tree* tree, const void* bytes, size_t size) {
    Diagnostics* diag = diag_create();
    fuzz_write("inputs/list", bytes, size);
    tree_begin(tree, fuzz_path("inputs/src"));
    *list = (InputList){0};
    if (input_list_read(list, fuzz_path("inputs/list"), tree, diag) != ENT_OK) abort();
    const u32 errors = diag_error_count(diag);
    diag_destroy(diag);
    return errors;
}

static void file_check(const Tree* tree, u32 file, const InputLine* line) {
    const TreeFile* f = &tree->files.at[file];
    const char*     path = tree_relative(f);
    if (!text_equal(text_of(path), line->text) || strlen(path) != line->text.bytes) abort();
    if (*path == '/' || *path == '.' || strstr(path, "/.") || strstr(path, "//")) abort();
    if (f->path[f->name - 1] != '/' || strchr(f->path + f->name, '/')) abort();
    if (strncmp(f->path, tree->root, strlen(tree->root)) != 0) abort();
}

/* A list of only this line is valid. */
static void line_check(const InputLine* line) {
    char       text[4096];
    InputList  list;
    Tree       tree;
    const bool is_file = line->type == RESOURCE_NONE;
    const int  bytes = snprintf(text, sizeof text, "%s %.*s%s%s\n",
                               is_file         ? "file"
                                : line->is_part ? "part"
                                                : "resource",
                                (int)line->text.bytes, line->text.at, is_file ? "" : ".",
                               is_file ? "" : ent_resource_suffix(line->type));
    if (bytes <= 0 || (size_t)bytes >= sizeof text) return;
    if (list_open(&list, &tree, text, (size_t)bytes) != 0 || list.lines.count != 1) abort();
    input_list_drop(&list);
    tree_drop(&tree);
}

void fuzz_inputs(const u8* data, size_t size) {
    InputList list;
    Tree      tree;
    u32       files = 0, lines = 0;
    for (size_t i = 0; i < size; i++) lines += data[i] == '\n';
    if (size && data[size - 1] != '\n') lines++;
    const u32 errors = list_open(&list, &tree, data, size);
    if (list.lines.count + errors != lines) abort();
    const u32 count = list.lines.count;
    for (u32 i = 0; i < count; i++) {
        const InputLine* line = &list.lines.at[i];
        const bool       is_file = line->type == RESOURCE_NONE;
        if (is_file) file_check(&tree, files++, line);
        if (!is_file && !resource_name_is_canonical(line->text)) abort();
        const InputLine* found =
            is_file ? input_list_file(&list, tree_relative(&tree.files.at[files - 1]))
                    : input_list_resource(&list, line->text, line->type);
        if (found != line) abort();
        if (i < CHECKED_MAX) line_check(line);
    }
    if (files != tree.files.count) abort();
    input_list_drop(&list);
    tree_drop(&tree);
}
