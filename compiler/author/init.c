/* init.c - writes the starting project. */
#include "init.h"
#include "order.h"

#include <stdlib.h>

#include "exit_codes.h"
#include "failure.h"
#include "print.h"
#include "schema.h"
#include "temporary.h"
#include "tree.h"

#define SCHEMA_FOLDER ".entc/schema"
#define NAMES_SHOWN   3 /* of what is in a folder that is not empty */

/* Exists while the project is incomplete, so that init can continue in a folder that is not
 * empty. */
#define MARK_NAME ".entc.init"
#define MARK_TEXT "entc init was interrupted; run it again\n"

/* Every file of compiler/author/start/, as listed by the Makefile. */
static const struct {
    const char *path, *text;
} files[] = {
#define START_FILE(path, text) {path, text},
#include "start_files.h"
#undef START_FILE
};

/* --- the folder --- */

typedef struct Listing {
    Arena arena;
    ARRAY(const char*) names;
    bool begun; /* by an init that was interrupted */
} Listing;

/* A folder of a new git repository counts as empty. */
static void listing_add(void* user, const char* name) {
    Listing* listing = user;
    if (strcmp(name, ".git") == 0) return;
    listing->begun |= strcmp(name, MARK_NAME) == 0;
    *array_push(&listing->names) = arena_text(&listing->arena, text_of(name));
}

static int not_empty(const char* folder, const Listing* listing) {
    const u32 count = listing->names.count, shown = MIN_OF(count, (u32)NAMES_SHOWN);
    qsort(listing->names.at, count, sizeof *listing->names.at, order_texts);
    fprintf(stderr, "entc: error: \"%s\" is not empty: it contains ", folder);
    for (u32 i = 0; i < shown; i++) {
        fprintf(stderr, "%s\"%s\"", i ? ", " : "", listing->names.at[i]);
    }
    if (count > shown) fprintf(stderr, " and %u more", count - shown);
    fputs("; specify a new or empty folder\n", stderr);
    return EXIT_IO;
}

static int folder_check(Arena* arena, const char* folder) {
    Listing  listing = {0};
    FileKind kind, itself;
    int      code = EXIT_OK;
    if (file_look(folder, true, &kind) != ENT_OK || file_look(folder, false, &itself) != ENT_OK)
        return io_failure("cannot access", folder);
    if (kind == FILE_NONE && itself == FILE_NONE) return EXIT_OK;
    if (kind != FILE_FOLDER) {
        fprintf(stderr, "entc: error: \"%s\" exists and is not a folder\n", folder);
        return EXIT_IO;
    }
    folder_sweep(arena_print(arena, "%s/" MARK_NAME, folder));
    if (folder_list(folder, listing_add, &listing) != ENT_OK)
        code = io_failure("cannot read", folder);
    else if (listing.names.count && !listing.begun)
        code = not_empty(folder, &listing);
    array_drop(&listing.names);
    arena_drop(&listing.arena);
    return code;
}

/* --- the files --- */

/* A file that an earlier init wrote is kept, and a file that was changed since is not
 * overwritten. */
static int file_write(Arena* arena, const char* folder, const char* path, const char* text) {
    const char*  full = arena_print(arena, "%s/%s", folder, path);
    const size_t bytes = strlen(text);
    bool         same;
    FileKind     kind;
    folder_sweep(full);
    if (file_look(full, false, &kind) != ENT_OK) return io_failure("cannot access", full);
    if (kind == FILE_NONE) {
        if (file_put(full, text, bytes, NULL) == ENT_OK) return EXIT_OK;
        return io_failure("cannot write", full);
    }
    if (file_compare(full, text, bytes, &same) != ENT_OK) return io_failure("cannot read", full);
    if (same) return EXIT_OK;
    fprintf(stderr,
            "entc: error: \"%s\" was changed after init was interrupted; move it to another folder "
            "and run init again\n",
            full);
    return EXIT_IO;
}

/* Maps file names to schemas, for files without "$schema". */
static int settings_write(Arena* arena, const char* folder) {
    Print  print;
    Pretty w = {.out = print_begin(&print)};
    pretty_object(&w, NULL);
    pretty_array(&w, "json.schemas");
    schema_associations(&w, "./" SCHEMA_FOLDER);
    pretty_end(&w);
    pretty_end(&w);
    const int code = file_write(arena, folder, ".vscode/settings.json", print_end(&print).at);
    print_drop(&print);
    return code;
}

static int schemas_write(Arena* arena, const char* folder) {
    const BuildOptions options = {.source = arena_print(arena, "%s/assets", folder),
                                  .out = arena_print(arena, "%s/" SCHEMA_FOLDER, folder)};
    return schema_run(&options);
}

static int mark_remove(Arena* arena, const char* folder) {
    const char* mark = arena_print(arena, "%s/" MARK_NAME, folder);
    return file_remove(mark) == ENT_OK ? EXIT_OK : io_failure("cannot remove", mark);
}

int init_run(const char* folder, bool quiet) {
    Arena arena = {0};
    int   code = folder_check(&arena, folder);
    if (code == EXIT_OK) code = file_write(&arena, folder, MARK_NAME, MARK_TEXT);
    for (u32 i = 0; i < COUNT_OF(files) && code == EXIT_OK; i++) {
        code = file_write(&arena, folder, files[i].path, files[i].text);
    }
    if (code == EXIT_OK) code = settings_write(&arena, folder);
    if (code == EXIT_OK) code = schemas_write(&arena, folder);
    if (code == EXIT_OK) code = mark_remove(&arena, folder);
    if (code == EXIT_OK && !quiet) {
        printf("created a project in \"%s\"; compile it and inspect the result:\n"
               "    cd %s\n"
               "    entc build assets -o out\n"
               "    entc info out\n",
               folder, folder);
    }
    arena_drop(&arena);
    return code;
}
