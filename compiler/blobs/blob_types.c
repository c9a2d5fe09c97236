/* blob_types.c - finds the component types that the project of a blob declares: in the blob itself,
 * in the output folder that contains it, or else with declaration_search.h.
 *
 * A blob contains its id, the hash of its name: the part of its path with this hash is its name,
 * and the path before it is the output folder. */
#include "blob_file.h"

#include <errno.h>

#include "declaration_search.h"
#include "exit_codes.h"
#include "failure.h"
#include "hash.h"
#include "sections.h"
#include "libc.h"

/* The bytes of the path before the resource name; NONE when the path does not end with the name. */
static u32 root_bytes(const char* path, const BlobHeader* h) {
    const char*  suffix = ent_resource_suffix(h->resource_type);
    const size_t bytes = strlen(path), end = strlen(suffix) + 1;
    if (bytes <= end || path[bytes - end] != '.' || strcmp(path + bytes - end + 1, suffix) != 0) {
        return NONE;
    }
    for (u32 at = 0; at < bytes - end; at++) {
        const Text name = {path + at, (u32)(bytes - end) - at};
        if (at > 0 && path[at - 1] != '/') continue;
        if (hash_resource(name, suffix) == resource_id(h->resource)) return at;
    }
    return NONE;
}

/* Records the first one, with errno. Only a regular file can be a declaration. */
static void unread(FileTypes* file_types, const char* path) {
    const int reason = errno;
    if (file_types->unread || reason == errno_of(SYSTEM_FOLDER) ||
        reason == errno_of(SYSTEM_INVALID))
        return;
    file_types->unread_reason = reason;
    file_types->unread = arena_text(&file_types->arena, text_of(path));
}

/* The output folder with a trailing '/', or "" for the working directory; NULL when it is not
 * known. */
static const char* root_find(FileTypes* file_types, const BlobFile* file) {
    char      real[4096];
    const u32 bytes = root_bytes(file->path, file->blob.header);
    if (bytes != NONE) return arena_text(&file_types->arena, (Text){file->path, bytes});
    const ent_status status = path_resolve(file->path, real, sizeof real);
    if (status != ENT_OK && status != ENT_NOT_FOUND) unread(file_types, file->path);
    if (status != ENT_OK) return NULL;
    const u32 real_bytes = root_bytes(real, file->blob.header);
    return real_bytes == NONE ? NULL : arena_text(&file_types->arena, (Text){real, real_bytes});
}

/* Only the first error is reported, once. */
static void problem(FileTypes* file_types, const char* text) {
    if (!file_types->problem) file_types->problem = text;
}

/* Reads it from the file, or from the container of the blob that needs it. */
static bool declaration_read_blob(const BlobFile* from, const char* path, const char* name,
                                  BlobFile* file) {
    *file = (BlobFile){.path = path};
    if (from->declaration) return from->declaration(from->user, name, file);
    const ent_status status = file_map(&file->view, path);
    if (status != ENT_OK && status != ENT_NOT_FOUND) unread(from->file_types, path);
    if (status != ENT_OK) return false;
    file->bytes = file->view.bytes;
    file->size = file->view.size;
    return true;
}

static bool declaration_open(const BlobFile* from, const char* path, const char* name,
                             ComponentType* type) {
    FileTypes* file_types = from->file_types;
    BlobFile   file;
    if (!declaration_read_blob(from, path, name, &file)) {
        problem(file_types,
                arena_print(&file_types->arena, "\"%s\": %s", path,
                            from->declaration ? "the bundle contains none" : strerror(errno)));
        blob_file_close(&file); /* of a bundle: memory was allocated before the damage was found */
        return false;
    }
    bool succeeded = blob_file_validate_alone(&file, NULL) == ENT_OK;
    if (!succeeded) {
        problem(file_types, arena_print(&file_types->arena, "\"%s\": %s at offset %u: %s", path,
                                        file.fault.field, file.fault.offset, file.fault.reason));
    } else if (file.blob.header->resource_type != RESOURCE_COMPONENT) {
        problem(file_types,
                arena_print(&file_types->arena, "\"%s\" is not a component declaration", path));
        succeeded = false;
    } else {
        void* memory = arena_alloc(&file_types->arena, ent_component_type_bytes(&file.blob));
        *type = ent_component_type_open(&file.blob, memory);
    }
    blob_file_close(&file);
    return succeeded;
}

/* Reports a declaration other than that with which the blob was compiled. */
static bool is_stale(BlobFile* file, const ComponentType* type, const char* path) {
    const BlobSection* s = ent_blob_component(&file->blob, type->id);
    if (!s || s->layout == type->layout) return false;
    BlobFault* fault = &file->file_types->stale;
    *fault = (BlobFault){.status = ENT_BAD_FIELD};
    fault->offset = (u32)((const u8*)&s->layout - file->blob.bytes);
    snprintf(fault->field, sizeof fault->field, "section[%u].layout",
             (u32)(s - file->blob.section));
    snprintf(fault->reason, sizeof fault->reason,
             "0x%08x, but \"%.80s\" declares %s with 0x%08x: compile both again", s->layout, path,
             type->record.name, type->layout);
    return true;
}

/* From the output folder that contains the blob; a root of NULL: it is not known. */
static const ComponentType* type_beside(BlobFile* file, const char* root, const char* name) {
    FileTypes*     file_types = file->file_types;
    ComponentType* type = ARENA_NEW(&file_types->arena, ComponentType, 1);
    if (!root) return NULL;
    const char* path = arena_print(&file_types->arena, "%s%s.component", root, name);
    if (!declaration_open(file, path, name, type) || is_stale(file, type, path)) return NULL;
    return type;
}

typedef struct Wanted {
    const Blob*        blob;
    const BlobSection* section;
} Wanted;

static SearchVerdict type_verdict(void* user, const ComponentType* type) {
    const Wanted* w = user;
    BlobFault     fault;
    if (type->id != w->section->identifier || type->layout != w->section->layout) {
        return SEARCH_OTHER;
    }
    return ent_blob_validate(w->blob, type, &fault) == ENT_OK ? SEARCH_FITS : SEARCH_NEARLY;
}

/* From other places, for the types of which the blob has instances. */
static const ComponentType* type_elsewhere(BlobFile* file, const char* name) {
    const char* slash = strrchr(name, '/');
    const u32   id = hash_name(text_of(slash ? slash + 1 : name));
    Wanted      wanted = {&file->blob, ent_blob_component(&file->blob, id)};
    const char* reason;
    if (!wanted.section) return NULL;
    const SearchQuery    query = {name, wanted.section->layout, type_verdict, &wanted};
    int                  error;
    const ComponentType* type = declaration_search(&query, &reason, &error);
    if (type) return type;
    errno = error;
    if (error) unread(file->file_types, name);
    problem(file->file_types, reason);
    file->file_types->searched = reason;
    return NULL;
}

static void file_type_add(BlobFile* file, const char* root, const char* name) {
    const ComponentType* type = type_beside(file, root, name);
    if (!type) type = type_elsewhere(file, name);
    if (!type || known_type_find(&file->known, type->id)) return;
    file->file_types->types[file->known.type_count++] = type;
}

static bool is_unknown(const BlobFile* file, const BlobSection* s) {
    return s->kind == SECTION_COMPONENT && !known_type_find(&file->known, s->identifier);
}

/* Was the section written under another declaration of a known type? */
static bool is_older(const BlobFile* file, const BlobSection* s) {
    const ComponentType* type =
        s->kind == SECTION_COMPONENT ? known_type_find(&file->known, s->identifier) : NULL;
    return type && type->layout != s->layout;
}

static bool has_unknown(const BlobFile* file) {
    bool any = false;
    for (u32 i = 0; i < file->blob.header->section_count; i++)
        any |= is_unknown(file, &file->blob.section[i]);
    return any;
}

static bool has_older(const BlobFile* file) {
    bool any = false;
    for (u32 i = 0; i < file->blob.header->section_count; i++)
        any |= is_older(file, &file->blob.section[i]);
    return any;
}

static void type_replace(BlobFile* file, const ComponentType* type) {
    for (u32 i = 0; i < file->known.type_count; i++) {
        if (file->known.types[i]->id == type->id) file->file_types->types[i] = type;
    }
}

/* Types of which the blob contains the declaration with which it was written. */
static void embedded_types_add(BlobFile* file) {
    const DeclarationParts all = declaration_parts(&file->blob);
    DeclarationParts       part = {0};
    FileTypes*             file_types = file->file_types;
    while (declaration_next(&all, &part)) {
        const BlobSection* s = ent_blob_component(&file->blob, part.declaration->id);
        const bool         older = s && is_older(file, s);
        if (!s || (!older && !is_unknown(file, s))) continue;
        ComponentType* type = ARENA_NEW(&file_types->arena, ComponentType, 1);
        *type =
            declared_type_open(&part, arena_alloc(&file_types->arena, declared_type_bytes(&part)));
        if (older)
            type_replace(file, type);
        else
            file_types->types[file->known.type_count++] = type;
    }
}

/* An older table of a built-in type that was renamed; or NULL. */
static const ComponentType* former_type(const BlobFile* file, const BlobSection* s) {
    return is_unknown(file, s) ? component_former(s->identifier, s->layout) : NULL;
}

static u32 former_type_count(const BlobFile* file) {
    u32 count = 0;
    for (u32 i = 0; i < file->blob.header->section_count; i++)
        count += former_type(file, &file->blob.section[i]) != NULL;
    return count;
}

static void former_types_add(BlobFile* file) {
    for (u32 i = 0; i < file->blob.header->section_count; i++) {
        const ComponentType* type = former_type(file, &file->blob.section[i]);
        if (type) file->file_types->types[file->known.type_count++] = type;
    }
}

/* Types that the table of references names, from the project. */
static void project_types_add(BlobFile* file, const BlobSection* references) {
    const ReferenceRecord* reference = ent_blob_data(&file->blob, references);
    FileTypes*             file_types = file->file_types;
    const char*            root = file->declaration ? "" : root_find(file_types, file);
    if (!root) {
        problem(file_types,
                "the path does not end with the resource name of the blob, so that the output "
                "folder cannot be determined");
    }
    for (u32 i = 0; i < references->count; i++) {
        if (reference[i].type != RESOURCE_COMPONENT) continue;
        file_type_add(file, root, ent_blob_reference_name(&file->blob, i));
    }
}

int file_types_read(const BlobFile* file) {
    if (!file->file_types || !file->file_types->unread) return EXIT_OK;
    errno = file->file_types->unread_reason;
    return io_failure("cannot read", file->file_types->unread);
}

void file_types_report(const BlobFile* file) {
    if (!file->file_types || !has_unknown(file)) return;
    if (file->file_types->problem) {
        const char* searched = file->file_types->searched;
        const bool  both = searched && searched != file->file_types->problem;
        fprintf(stderr, "%s: note: unknown component types of its project: %s%s%s\n", file->path,
                file->file_types->problem, both ? "; " : "", both ? searched : "");
    }
    if (file->file_types->stale.status != ENT_OK) {
        fprintf(stderr, "%s: note: %s is %s\n", file->path, file->file_types->stale.field,
                file->file_types->stale.reason);
    }
}

bool file_types_find(BlobFile* file) {
    const BlobSection* references = ent_blob_section(&file->blob, SECTION_REFERENCE);
    const BlobSection* declarations = ent_blob_section(&file->blob, SECTION_DECLARATION);
    const u32          known = known_type_count(&file->known);
    u32                declared = 0;
    const bool         older = has_older(file);
    if (!older && !has_unknown(file)) return false;
    for (u32 i = 0; references && i < references->count; i++) {
        const ReferenceRecord* r = (const ReferenceRecord*)ent_blob_data(&file->blob, references);
        declared += r[i].type == RESOURCE_COMPONENT;
    }
    if (!file->path && !file->declaration) declared = 0;
    const u32 formers = former_type_count(file);
    if (declared == 0 && !declarations && formers == 0) return false;
    FileTypes* file_types = file->file_types = memory_alloc(sizeof *file_types);
    file_types->types =
        ARENA_NEW(&file_types->arena, const ComponentType*,
                  known + declared + formers + (declarations ? declarations->count : 0));
    for (u32 i = 0; i < known; i++) file_types->types[i] = known_type(&file->known, i);
    file->known.types = file_types->types;
    file->known.type_count = known;
    embedded_types_add(file);
    former_types_add(file);
    if (declared && has_unknown(file)) project_types_add(file, references);
    return older || file->known.type_count > known;
}

ent_status blob_file_validate_types(BlobFile* file, const BlobOptions* options) {
    file->known = options ? *options : (BlobOptions){0};
    if (!file_types_find(file)) return ENT_OK;
    BlobOptions again = file->known;
    again.skip_hash = 1; /* it was checked just before */
    return ent_blob_open(&file->blob, file->blob.bytes, file->size, &again, &file->fault);
}

ent_status blob_file_validate(BlobFile* file, const BlobOptions* options) {
    const ent_status status = blob_file_validate_alone(file, options);
    if (status == ENT_OK) return blob_file_validate_types(file, options);
    file->known = options ? *options : (BlobOptions){0};
    return status;
}

int blob_file_open_types(BlobFile* file, const char* path, const BlobOptions* options) {
    int code = EXIT_OK;
    file->path = path;
    if (blob_file_validate_types(file, options) != ENT_OK) code = blob_file_report(file, path);
    if (code == EXIT_OK) code = file_types_read(file);
    if (code != EXIT_OK) blob_file_close(file);
    return code;
}

int blob_file_open(BlobFile* file, const char* path, const BlobOptions* options) {
    int code = blob_file_read(file, path);
    if (code == EXIT_OK && blob_file_validate(file, options) != ENT_OK) {
        code = blob_file_report(file, path);
    }
    if (code == EXIT_OK) code = file_types_read(file);
    if (code != EXIT_OK) blob_file_close(file);
    return code;
}
