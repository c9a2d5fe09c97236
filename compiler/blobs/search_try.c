/* search_try.c - examines the candidates of a search for a declaration. */
#include "search_internal.h"

#include <errno.h>
#include <string.h>

#include "declare.h"
#include "blob_file.h"
#include "diag.h"
#include "diag_print.h"
#include "libc.h"

#define DECLARATION_BYTES_MAX (1u << 20) /* of a declaration that is examined */

static bool blob_type(Arena* arena, const void* bytes, size_t size, ComponentType* type) {
    BlobFile   file = {.path = "", .bytes = bytes, .size = size};
    const bool succeeded = blob_file_validate_alone(&file, NULL) == ENT_OK &&
                           file.blob.header->resource_type == RESOURCE_COMPONENT;
    if (succeeded) {
        void* memory = arena_alloc(arena, ent_component_type_bytes(&file.blob));
        *type = ent_component_type_open(&file.blob, memory);
    }
    blob_file_close(&file);
    return succeeded;
}

/* A source with errors is ignored. */
static bool source_type(Arena* arena, const char* name, const void* bytes, size_t size,
                        ComponentType* type) {
    Diagnostics* diag = diag_create();
    Source*      source = ARENA_NEW(arena, Source, 1);
    const char*  text = arena_text(arena, (Text){bytes, (u32)size});
    *source = source_of(name, text, (u32)size);
    *type = declaration_read(source, name, arena, diag)->type;
    const bool succeeded = diag_error_count(diag) == 0;
    diag_destroy(diag);
    return succeeded;
}

bool search_try(Search* s, const void* bytes, size_t size, bool json) {
    ComponentType type;
    if (size == 0 || size > DECLARATION_BYTES_MAX) return false;
    if (json ? !source_type(s->arena, s->query->name, bytes, size, &type)
             : !blob_type(s->arena, bytes, size, &type)) {
        return false;
    }
    const SearchVerdict verdict = s->query->verdict(s->query->user, &type);
    if (verdict == SEARCH_OTHER) {
        s->others++;
        return false;
    }
    ComponentType* kept = ARENA_NEW(s->arena, ComponentType, 1);
    *kept = type;
    if (verdict == SEARCH_FITS) s->fits = kept;
    if (!s->nearly) s->nearly = kept;
    return verdict == SEARCH_FITS;
}

void search_unread(Search* s, int reason) {
    const bool none =
        reason == errno_of(SYSTEM_FOLDER) ||
        reason == errno_of(SYSTEM_INVALID); /* not a regular file: not a declaration */
    if (!s->unread && !none) s->unread = reason;
}

bool search_try_file(Search* s, const char* path, bool json) {
    FileView         view;
    const ent_status status = file_map(&view, path);
    if (status != ENT_OK && status != ENT_NOT_FOUND && !s->unreadable) {
        search_unread(s, errno);
        s->unreadable = arena_print(s->arena, "; \"%s\": %s", path, strerror(errno));
    }
    if (status != ENT_OK) return false;
    const bool succeeded = search_try(s, view.bytes, view.size, json);
    file_unmap(&view);
    return succeeded;
}
