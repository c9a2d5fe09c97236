/* inspect.c - opens blobs for the commands that read them, and provides their common text
 * output. */
#include "inspect_text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "f32_text.h"
#include "hash.h"
#include "search.h"
#include "streams.h"
#include "swap.h"

/* --- writer --- */

void writer_begin(Writer* w, FILE* file, TextForm form) {
    w->file = file;
    w->form = form;
    w->flushed = 0;
    w->used = 0;
}

static void writer_flush(Writer* w) {
    if (w->file) fwrite(w->text, 1, w->used, w->file);
    w->flushed += w->used;
    w->used = 0;
}

int writer_end(Writer* w) {
    writer_flush(w);
    if (w->file == stdout)
        return streams_flush() == 0 ? EXIT_OK : EXIT_IO; /* reported at the end */
    if (fflush(w->file) == 0 && !ferror(w->file)) return EXIT_OK;
    fprintf(stderr, "entc: error: the output could not be written\n");
    return EXIT_IO;
}

void put_bytes(Writer* w, const char* text, size_t bytes) {
    while (bytes > sizeof w->text - w->used) {
        const size_t part = sizeof w->text - w->used;
        memcpy(w->text + w->used, text, part);
        w->used += (u32)part;
        writer_flush(w);
        text += part, bytes -= part;
    }
    memcpy(w->text + w->used, text, bytes);
    w->used += (u32)bytes;
}

void put(Writer* w, const char* text) { put_bytes(w, text, strlen(text)); }

void put_u64(Writer* w, u64 value) {
    char  text[20];
    char* at = text + sizeof text;
    do *--at = (char)('0' + value % 10);
    while (value /= 10);
    put_bytes(w, at, (size_t)(text + sizeof text - at));
}

void put_hex(Writer* w, u64 value, u32 digits) {
    const char* quote = w->form == TEXT_JSON ? "\"" : "";
    put_format(w, "%s0x%0*llx%s", quote, (int)digits, (unsigned long long)value, quote);
}

void put_f32(Writer* w, f32 value) {
    char      text[F32_TEXT_BYTES];
    const u32 bytes = f32_text(text, value);
    put_bytes(w, text, bytes);
}

void put_format(Writer* w, const char* format, ...) {
    char    text[1024];
    va_list arguments;
    va_start(arguments, format);
    const int bytes = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    assert(bytes >= 0);
    put_bytes(w, text, MIN_OF((size_t)bytes, sizeof text - 1));
}

void put_column(Writer* w, u64 line_start, u32 column) {
    static const char spaces[] = "                                ";
    const u64         at = writer_at(w) - line_start;
    u64               left = at < column ? column - at : 1;
    for (; left >= sizeof spaces; left -= sizeof spaces - 1) put(w, spaces);
    put_bytes(w, spaces, left);
}

void put_name(Writer* w, const char* name, bool slash) {
    const char* escape = w->form == TEXT_JSON ? "\\" : "";
    for (const char* at = name; *at; at++) {
        const u8   c = (u8)*at;
        const bool plain = c > ' ' && c < 0x7f && c != '\\' && (slash || c != '/') &&
                           (at > name || c != '#'); /* "#12" is an entity without a name */
        if (plain && c == '"') put(w, escape);
        if (plain)
            put_bytes(w, at, 1);
        else
            put_format(w, "%s\\x%02x", escape, c);
    }
}

/* --- files --- */

typedef struct FolderWalk {
    PathList*   list;
    const char* root;
    const char* folder; /* relative, with a trailing '/', or "" */
    ARRAY(const char*) folders;
    const char* failed; /* path that could not be accessed, and the reason */
    int         why;
    u32         refused; /* names that were reported */
} FolderWalk;

/* An entry that may contain resources and is not read. A symbolic link to a folder may be
 * cyclic. */
static void folder_refuse(FolderWalk* walk, const char* whole, FileKind kind) {
    const char* what = kind == FILE_FOLDER ? "a symbolic link to a folder, which is not followed"
                       : kind == FILE_NONE ? "a broken symbolic link"
                                           : "not a regular file";
    fprintf(stderr, "%s: error: it is %s; remove it or replace it with the files\n", whole, what);
    walk->refused++;
}

/* Hidden files are not resources. */
static void folder_visit(void* user, const char* name) {
    FolderWalk* walk = user;
    const char* dot = strrchr(name, '.');
    if (name[0] == '.') return;
    const char* path = arena_print(&walk->list->arena, "%s%s", walk->folder, name);
    const char* whole = arena_print(&walk->list->arena, "%s/%s", walk->root, path);
    FileKind    itself, kind;
    if (file_look(whole, false, &itself) != ENT_OK || file_look(whole, true, &kind) != ENT_OK) {
        walk->failed = whole;
        walk->why = errno;
    } else if (itself == FILE_FOLDER) {
        *array_push(&walk->folders) = arena_print(&walk->list->arena, "%s/", path);
    } else if (itself == FILE_NONE) {
        return; /* it was removed in the meantime */
    } else if (kind == FILE_FOLDER) {
        folder_refuse(walk, whole, kind);
    } else if (dot && resource_from_suffix(text_of(dot + 1)) != RESOURCE_NONE) {
        if (kind == FILE_REGULAR)
            *array_push(&walk->list->paths) = path;
        else
            folder_refuse(walk, whole, kind);
    }
}

static int paths_compare(const void* a, const void* b) {
    return strcmp(*(const char* const*)a, *(const char* const*)b);
}

int paths_collect(PathList* list, const char* folder) {
    FolderWalk walk = {.list = list, .root = folder};
    ent_status status = ENT_OK;
    *list = (PathList){0};
    *array_push(&walk.folders) = "";
    while (walk.folders.count > 0 && status == ENT_OK) {
        walk.folder = walk.folders.at[--walk.folders.count];
        const char* whole = arena_print(&list->arena, "%s/%s", folder, walk.folder);
        status = folder_list(whole, folder_visit, &walk);
        if (status == ENT_OK && walk.failed) {
            errno = walk.why, whole = walk.failed;
            status = errno_status(walk.why);
        }
        if (status != ENT_OK) unreadable_report(whole, status);
    }
    array_drop(&walk.folders);
    if (list->paths.count > 1) {
        qsort(list->paths.at, list->paths.count, sizeof *list->paths.at, paths_compare);
    }
    return status == ENT_OK && walk.refused ? EXIT_IO : exit_code_of(status);
}

void paths_drop(PathList* list) {
    array_drop(&list->paths);
    arena_drop(&list->arena);
}

int paths_each(const char* folder, int (*visit)(void* user, const char* path), void* user) {
    PathList list;
    int      worst = paths_collect(&list, folder);
    for (u32 i = 0; i < list.paths.count; i++) {
        const int code = visit(user, arena_print(&list.arena, "%s/%s", folder, list.paths.at[i]));
        worst = MAX_OF(worst, code);
    }
    paths_drop(&list);
    return worst;
}

/* --- blobs --- */

static const void* section_data(const Blob* blob, u32 kind, u32* count) {
    const BlobSection* section = ent_blob_section(blob, kind);
    if (count) *count = section ? section->count : 0;
    return section ? ent_blob_data(blob, section) : NULL;
}

BlobTables tables_open(const Blob* blob, const BlobOptions* options) {
    BlobTables t = {.blob = blob, .count = blob->header->element_count};
    t.parent = section_data(blob, SECTION_PARENT, NULL);
    t.name_offset = section_data(blob, SECTION_NAME_OFFSET, NULL);
    t.names = section_data(blob, SECTION_NAME, NULL);
    t.reference = section_data(blob, SECTION_REFERENCE, &t.reference_count);
    t.reference_names = section_data(blob, SECTION_REFERENCE_NAME, NULL);
    t.texts = section_data(blob, SECTION_DECLARATION_TEXT, NULL);
    t.strings = section_data(blob, SECTION_STRING, NULL);
    t.groups = groups_of(blob);
    t.ids = names_create();
    t.component = memory_alloc(sizeof(Instances) * known_type_count(options));
    for (u32 i = 0; i < blob->header->section_count; i++) {
        const BlobSection*   s = &blob->section[i];
        const ComponentType* type =
            s->kind == SECTION_COMPONENT ? known_type_find(options, s->identifier) : NULL;
        if (!type) continue;
        Instances* c = &t.component[t.component_count++];
        *c = (Instances){.type = type, .section = s, .owner = ent_blob_data(blob, s)};
        for (u32 k = 0; k < ent_component_column_count(type); k++) {
            c->column[k] = ent_blob_column(blob, s, type, k);
        }
    }
    return t;
}

const char* tables_texts(const BlobTables* tables, const Field* f) {
    if (!field_is_text(f)) return NULL;
    return f->refers_to == SECTION_STRING ? tables->strings : tables->texts;
}

void tables_close(BlobTables* tables) {
    memory_free(tables->component);
    names_destroy(tables->ids);
    *tables = (BlobTables){0};
}

const char* element_noun(u32 resource_type, u64 count) {
    switch (resource_type) {
    case RESOURCE_MESH: return count == 1 ? "vertex" : "vertices";
    case RESOURCE_SKELETON: return count == 1 ? "joint" : "joints";
    case RESOURCE_CLIP: return count == 1 ? "track" : "tracks";
    case RESOURCE_MATERIAL: return count == 1 ? "material" : "materials";
    case RESOURCE_COMPONENT: return count == 1 ? "field" : "fields";
    case RESOURCE_PACKAGE: return count == 1 ? "root" : "roots";
    case RESOURCE_TEXTURE: return count == 1 ? "level" : "levels";
    case RESOURCE_DATA: return count == 1 ? "byte" : "bytes";
    default: return count == 1 ? "entity" : "entities";
    }
}

void put_path(Writer* w, const BlobTables* tables, u32 entity) {
    u32 level[PATH_LEVELS_MAX], count = 0;
    for (; entity != NONE && count < COUNT_OF(level); entity = tables->parent[entity]) {
        level[count++] = entity;
    }
    if (entity != NONE) put_format(w, "#%u/", entity);
    while (count-- > 0) {
        const char* name = element_name(tables, level[count]);
        if (*name)
            put_name(w, name, false);
        else
            put_format(w, "#%u", level[count]);
        if (count) put(w, "/");
    }
}

static const ReferenceRecord* reference_find(const BlobTables* tables, ResourceRef ref) {
    Search s = search_between(0, tables->reference_count);
    while (search_continues(&s)) {
        search_narrow(&s, resource_id(tables->reference[s.middle].id) < resource_id(ref));
    }
    if (s.first == tables->reference_count) return NULL;
    const ReferenceRecord* r = &tables->reference[s.first];
    return resource_id(r->id) == resource_id(ref) ? r : NULL;
}

void put_resource(Writer* w, const BlobTables* tables, ResourceRef ref) {
    const ReferenceRecord* r = tables ? reference_find(tables, ref) : NULL;
    const char*            name = r ? tables->reference_names + r->name : "";
    if (!r || hash_resource(text_of(name), ent_resource_suffix(r->type)) != resource_id(ref)) {
        put_hex(w, resource_id(ref), 16);
        return;
    }
    const char* quote = w->form == TEXT_JSON ? "\"" : "";
    put(w, quote);
    put_name(w, name, true);
    put(w, ".");
    put(w, ent_resource_suffix(r->type));
    put(w, quote);
}

static void put_entity(Writer* w, const BlobTables* tables, u32 entity) {
    if (!tables || !tables->parent || entity >= tables->count) {
        put_u64(w, entity);
        return;
    }
    if (w->form == TEXT_JSON) put_format(w, "{\"index\": %u, \"path\": \"", entity);
    put_path(w, tables, entity);
    if (w->form == TEXT_JSON)
        put(w, "\"}");
    else
        put_format(w, " (%u)", entity);
}

static void put_name_id(Writer* w, const BlobTables* tables, u32 id) {
    const char* name = name_find(tables, id);
    const char* quote = w->form == TEXT_JSON ? "\"" : "";
    if (!name) {
        put_hex(w, id, 8);
        return;
    }
    put(w, quote);
    put_name(w, name, true);
    put(w, quote);
}

static void put_persistent(Writer* w, const BlobTables* tables, u32 id) {
    const u32 entity = persistent_find(tables, id);
    if (entity == NONE) {
        put_u64(w, id);
        return;
    }
    if (w->form == TEXT_JSON) put_format(w, "{\"id\": %u, \"path\": \"", id);
    put_path(w, tables, entity);
    if (w->form == TEXT_JSON)
        put(w, "\"}");
    else
        put_format(w, " (%u)", id);
}

void put_text(Writer* w, const char* text) {
    put(w, "\"");
    for (const char* at = text; *at; at++) {
        if ((u8)*at < 0x20)
            put_format(w, "\\u%04x", (u8)*at);
        else
            put_format(w, *at == '"' || *at == '\\' ? "\\%c" : "%c", *at);
    }
    put(w, "\"");
}

static void put_element(Writer* w, const BlobTables* tables, const Field* f, const void* words) {
    char text[FIELD_TEXT_BYTES];
    u32  word[4] = {0};
    assert(f->bytes <= sizeof word);
    memcpy(word, words, f->bytes);
    const bool is_null = field_is_null(f, words);
    if (field_form(f) == FORM_TEXT && tables) {
        put_text(w, ent_blob_text(tables->blob, word[0]));
        return;
    }
    if (is_null && field_form(f) != FORM_NAME) {
        put(w, w->form == TEXT_JSON ? "null" : "none");
        return;
    }
    switch (field_form(f)) {
    case FORM_NAME: put_name_id(w, tables, word[0]); return;
    case FORM_PERSISTENT: put_persistent(w, tables, word[0]); return;
    case FORM_ENTITY: put_entity(w, tables, word[0]); return;
    case FORM_RESOURCE: put_resource(w, tables, (ResourceRef){word[0], word[1]}); return;
    default: break;
    }
    const char* texts = tables ? tables_texts(tables, f) : NULL;
    if (texts) {
        put_text(w, texts + word[0]);
        return;
    }
    field_value_text(f, word, w->form == TEXT_JSON, text);
    put(w, text);
}

void put_field(Writer* w, const BlobTables* tables, const Field* f, const void* words) {
    const Field element = field_element(f);
    const bool  brackets = field_is_array(f) && w->form == TEXT_JSON;
    if (brackets) put(w, "[");
    for (u32 i = 0; i < field_elements(f); i++) {
        if (i) put(w, ", ");
        put_element(w, tables, &element, (const u8*)words + i * element.bytes);
    }
    if (brackets) put(w, "]");
}
