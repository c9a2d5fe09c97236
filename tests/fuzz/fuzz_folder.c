/* fuzz_folder.c - the project that fuzz targets build, and its expected state afterwards. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "build.h"
#include "file.h"
#include "fuzz.h"
#include "tree.h"

#define MUST(condition)                                                                            \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                        \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

static void project_write(void) {
    static const struct {
        const char *path, *text;
    } files[] = {
        {"src/levels/yard.level.json",
         "{ \"entities\": [ { \"name\": \"gate\", \"prefab\": \"props/gate\" },\n"
         "    { \"components\": { \"mesh\": { \"resource\": \"models/box/box\" } } } ] }\n"},
        {"src/props/gate.entity.json",
         "{ \"children\": [ { \"name\": \"lamp\", \"prefab\": \"props/lamp\" } ] }\n"},
        {"src/props/lamp.entity.json", "{ \"components\": { \"light\": { \"range_m\": 7 } } }\n"},
        {"src/props/lamp.fr.entity.json",
         "{ \"components\": { \"light\": { \"range_m\": 9 } } }\n"},
        {"src/mud.material.json", "{ \"roughness\": 0.9 }\n"},
        {"src/models/box.gltf",
         "{ \"asset\": { \"version\": \"2.0\" }, \"buffers\": [ { \"uri\": \"box.bin\",\n"
         "  \"byteLength\": 36 } ], \"bufferViews\": [ { \"buffer\": 0, \"byteLength\": 36 } ],\n"
         "  \"accessors\": [ { \"bufferView\": 0, \"componentType\": 5126, \"count\": 3,\n"
         "    \"type\": \"VEC3\", \"min\": [0, 0, 0], \"max\": [1, 1, 0] } ],\n"
         "  \"meshes\": [ { \"name\": \"box\", \"primitives\": [ { \"attributes\": {\n"
         "    \"POSITION\": 0 } } ] } ], \"nodes\": [ { \"name\": \"box\", \"mesh\": 0 } ] }\n"},
        {"outside", "what no build may touch\n"},
    };
    static const float triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (u32 i = 0; i < COUNT_OF(files); i++)
        fuzz_write(files[i].path, files[i].text, strlen(files[i].text));
    fuzz_write("src/models/box.bin", triangle, sizeof triangle);
}

static void folder_make(char* folder, size_t bytes) {
    const char* given = getenv("FUZZ_FOLDER");
    snprintf(folder, bytes, "%s", given ? given : "/tmp/entc_fuzz_XXXXXX");
    MUST(given ? mkdir(folder, 0777) == 0 || errno == EEXIST : mkdtemp(folder) != NULL);
}

const char* fuzz_folder(void) {
    static char folder[1024];
    if (!*folder) {
        folder_make(folder, sizeof folder);
        project_write();
    }
    return folder;
}

const char* fuzz_path(const char* name) {
    static char path[16][4096];
    static u32  next;
    char*       at = path[next++ % COUNT_OF(path)];
    snprintf(at, sizeof path[0], "%s/%s", fuzz_folder(), name);
    return at;
}

void fuzz_write(const char* name, const void* bytes, size_t size) {
    MUST(file_put(fuzz_path(name), bytes, size, NULL) == ENT_OK);
}

u8* fuzz_read(const char* name, size_t* size) {
    FileView view;
    if (file_map(&view, fuzz_path(name)) != ENT_OK) return NULL;
    u8* bytes = malloc(view.size + 1);
    memcpy(bytes, view.bytes, view.size);
    bytes[*size = view.size] = 0;
    file_unmap(&view);
    return bytes;
}

void fuzz_seed(const char* name, const void* bytes, size_t size) {
    const char* folder = getenv("FUZZ_SEEDS");
    char        path[4096];
    if (!folder) return;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    MUST(file_put(path, bytes, size, NULL) == ENT_OK);
}

size_t fuzz_word(u8* data, size_t size, u32 seed) {
    static const u32 values[] = {0, 1, 2, 3, 7, 8, 16, 255, 0x7fffffff, 0x80000000, UINT32_MAX};
    const size_t     words = size / 4;
    u32              word, other;
    if (words == 0) return size;
    u8* at = data + (seed * 0x9e3779b1u >> 7) % words * 4;
    memcpy(&word, at, 4);
    memcpy(&other, data + (seed * 0x85ebca6bu >> 9) % words * 4, 4);
    switch (seed % 5) {
    case 0: word++; break;
    case 1: word--; break;
    case 2: word = values[seed / 5 % COUNT_OF(values)]; break;
    case 3: word = seed / 5 % 64; break;
    default: word = other; break;
    }
    memcpy(at, &word, 4);
    return size;
}

/* --- the earlier state of folders --- */

void fuzz_keep(FuzzFiles* files, const char* folder) {
    Tree        tree;
    const char* failed;
    MUST(tree_read(&tree, fuzz_path(folder), false, NULL, &failed) == ENT_OK);
    files->count = 0;
    for (u32 i = 0; i < tree.files.count; i++) {
        char path[4096];
        MUST(files->count < COUNT_OF(files->file));
        FuzzFile* file = &files->file[files->count++];
        file->name = strdup(tree_relative(&tree.files.at[i]));
        snprintf(path, sizeof path, "%s/%s", folder, file->name);
        file->bytes = fuzz_read(path, &file->size);
    }
    tree_drop(&tree);
}

static const FuzzFile* file_find(const FuzzFiles* files, const char* name) {
    for (u32 i = 0; i < files->count; i++) {
        if (strcmp(files->file[i].name, name) == 0) return &files->file[i];
    }
    return NULL;
}

/* An entry that cannot be read, such as a link to a folder, is equal as long as it cannot be
 * read. */
static bool file_same(const FuzzFile* file, const char* folder) {
    char   path[4096];
    size_t size;
    snprintf(path, sizeof path, "%s/%s", folder, file->name);
    u8*        bytes = fuzz_read(path, &size);
    const bool same = !bytes || !file->bytes
                          ? !bytes && !file->bytes
                          : size == file->size && memcmp(bytes, file->bytes, size) == 0;
    free(bytes);
    return same;
}

/* All other entries of the folder are removed, or are a reason to abort. */
static void others_remove(const FuzzFiles* files, const char* folder, bool may) {
    Tree        tree;
    const char* failed;
    if (tree_read(&tree, fuzz_path(folder), false, NULL, &failed) == ENT_OK) {
        for (u32 i = 0; i < tree.files.count; i++) {
            if (files && file_find(files, tree_relative(&tree.files.at[i]))) continue;
            if (!may) fprintf(stderr, "%s should not be there\n", tree.files.at[i].path);
            MUST(may && file_remove(tree.files.at[i].path) == ENT_OK);
            folders_remove_empty(tree.files.at[i].path, strlen(tree.root));
        }
    }
    tree_drop(&tree);
}

void fuzz_restore(const FuzzFiles* files, const char* folder) {
    others_remove(files, folder, true);
    for (u32 i = 0; i < files->count; i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/%s", folder, files->file[i].name);
        if (!file_same(&files->file[i], folder))
            fuzz_write(path, files->file[i].bytes, files->file[i].size);
    }
}

void fuzz_same(const FuzzFiles* files, const char* folder, const char* but) {
    others_remove(files, folder, false);
    for (u32 i = 0; i < files->count; i++) {
        const FuzzFile* file = &files->file[i];
        if (but && strcmp(file->name, but) == 0) continue;
        if (!file_same(file, folder)) fprintf(stderr, "%s differs\n", file->name);
        MUST(file_same(file, folder));
    }
}

void fuzz_remove(const char* folder) { others_remove(NULL, folder, true); }

int fuzz_build(const BuildOptions* options, const char* out) {
    BuildOptions all = *options;
    all.source = fuzz_path("src");
    all.out = fuzz_path(out);
    all.jobs = 1;
    all.messages.quiet = true;
    return build_run(&all, NULL);
}
