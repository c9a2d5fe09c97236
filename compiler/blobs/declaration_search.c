/* declaration_search.c - see declaration_search.h. One process usually reads blobs of one project,
 * so results are stored until the end: for a folder of a thousand levels, git is run once. */
#include "search_internal.h"

#include <errno.h>
#include <stdio.h>

#include "declare.h"
#include "exit_codes.h"
#include "blob_file.h"
#include "failure.h"
#include "libc.h"

/* The result of a search. */
typedef struct Found {
    const char*          name;
    u32                  layout;
    const ComponentType* type;   /* NULL: there is none */
    const char*          reason; /* then */
    int                  unread;
} Found;

static struct Searches {
    const char* const* folders;
    u32                folder_count;
    Arena              arena;
    ARRAY(Found) found;
} all;

int declaration_search_in(const char* const* folders, u32 count) {
    all.folders = folders;
    all.folder_count = count;
    for (u32 i = 0; i < count; i++) {
        FileKind         kind;
        const ent_status status = file_look(folders[i], true, &kind);
        if (status == ENT_OK && kind == FILE_FOLDER) continue;
        if (status == ENT_OK)
            errno = errno_of(kind == FILE_NONE ? SYSTEM_ABSENT : SYSTEM_NOT_FOLDER);
        return io_failure("cannot read the folder of declarations", folders[i]);
    }
    return EXIT_OK;
}

void declaration_search_end(void) {
    arena_drop(&all.arena);
    array_drop(&all.found);
    all = (struct Searches){0};
}

static bool search_folders(Search* s, const char** reason) {
    const char* suffix = ent_resource_suffix(RESOURCE_COMPONENT);
    for (u32 i = 0; i < all.folder_count; i++) {
        const char* path =
            arena_print(&all.arena, "%s/%s.%s", all.folders[i], s->query->name, suffix);
        if (search_try_file(s, path, false)) return true;
        if (search_try_file(s, arena_print(&all.arena, "%s.json", path), true)) return true;
    }
    *reason = "was not found in the folders of --declarations";
    return false;
}

/* The result of a previous search for another blob with the same layout. */
static const Found* found_before(const SearchQuery* query) {
    for (u32 i = 0; i < all.found.count; i++) {
        const Found* f = &all.found.at[i];
        if (f->layout != query->layout || strcmp(f->name, query->name) != 0) continue;
        if (!f->type || query->verdict(query->user, f->type) == SEARCH_FITS) return f;
    }
    return NULL;
}

/* Folders that the user specified have priority, even if values of the blob are out of range. */
static const ComponentType* search_run(Search* s, const char** where) {
    const bool named = all.folder_count > 0;
    const bool fits = named ? search_folders(s, where) : search_git(s, s->query->name, where);
    return fits ? s->fits : named ? s->nearly : NULL;
}

const ComponentType* declaration_search(const SearchQuery* query, const char** reason,
                                        int* unread) {
    Search       search = {.query = query, .arena = &all.arena};
    const char*  where = "";
    const Found* before = found_before(query);
    if (!before) {
        Found found = {arena_text(&all.arena, text_of(query->name)), query->layout,
                       search_run(&search, &where), NULL, 0};
        found.unread = search.unread;
        found.reason = arena_print(&all.arena, "%s.component with the layout 0x%08x %s%s%s",
                                   query->name, query->layout, where,
                                   search.nearly   ? ", where it has different bounds"
                                   : search.others ? ", where it has a different layout"
                                                   : "",
                                   search.unreadable ? search.unreadable : "");
        *array_push(&all.found) = found;
        before = &all.found.at[all.found.count - 1];
    }
    *reason = before->reason;
    *unread = before->type ? 0 : before->unread;
    return before->type;
}
