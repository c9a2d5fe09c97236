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

/* --- blobs --- */

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
