/* source_map_write.c - writes source maps: FORMAT.md, section 12. */
#include "source_map_write.h"

#include <stdarg.h>
#include <stdio.h>

#include "flat.h"
#include "hash.h"
#include "model.h"
#include "search.h"
#include "source_map.h"
#include "swap.h"

#define WORDS_BYTES_MAX 64 /* of a position and the text after it */

/* --- text --- */

static void text_reserve(MapText* text, u32 bytes) {
    if (text->capacity - text->count < bytes) array_reserve(text, text->count + bytes);
}

static void text_add(MapText* text, const char* at, u32 bytes) {
    if (bytes == 0) return;
    text_reserve(text, bytes);
    memcpy(text->at + text->count, at, bytes);
    text->count += bytes;
}

static void text_print(MapText* text, const char* format, ...) PRINTF_LIKE(2, 3);
static void text_print(MapText* text, const char* format, ...) {
    char    line[512];
    va_list arguments;
    va_start(arguments, format);
    const int bytes = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    assert(bytes >= 0 && (size_t)bytes < sizeof line);
    text_add(text, line, (u32)bytes);
}

/* Up to WORDS_BYTES_MAX further bytes fit without a check. */
static char* number_put(char* to, u32 value) {
    char digits[10];
    u32  count = 0;
    do digits[count++] = (char)('0' + value % 10);
    while (value /= 10);
    assert(count <= COUNT_OF(digits)); /* of 4294967295 */
    while (count > 0) *to++ = digits[--count];
    return to;
}

static char* hex_put(char* to, u64 value) {
    u32 shift = 60;
    while (shift > 0 && value >> shift == 0) shift -= 4;
    for (;; shift -= 4) {
        *to++ = "0123456789abcdef"[value >> shift & 15];
        if (shift == 0) return to;
    }
}

static bool was_read(const Compile* c, const Asset* asset) {
    return c->read_stamp[asset->index].stamp == c->stamp;
}

static u32 file_row(const Compile* c, const Asset* asset) {
    assert(was_read(c, asset));
    return c->read_stamp[asset->index].row;
}

/* FILE:LINE:COLUMN */
static char* place_put(char* to, const Compile* c, Asset* asset, u32 offset) {
    const LinePlace place = source_lines_at(asset_lines(asset), offset);
    to = number_put(to, file_row(c, asset));
    *to++ = ':';
    to = number_put(to, place.line);
    *to++ = ':';
    return number_put(to, place.column);
}

/* The same; positions in prefabs are repeated for each of their instances. */
static char* known_put(char* to, MapDraft* draft, Asset* asset, u32 offset) {
    MapPlace* known = &draft->known[(offset ^ asset->index * 37u) % MAP_PLACES];
    if (known->asset != asset || known->offset != offset) {
        *known = (MapPlace){.asset = asset, .offset = offset};
        known->bytes = (u32)(place_put(known->text, draft->compile, asset, offset) - known->text);
    }
    memcpy(to, known->text, sizeof known->text);
    return to + known->bytes;
}

/* The own file of the resource does not come from a prefab, wherever its paths begin. */
static char* scope_put(char* to, const Compile* c, const Asset* asset, u32 scope) {
    if (scope == NONE || asset == c->asset) return to;
    *to++ = '@';
    return number_put(to, scope);
}

/* The file of the prefab of a node; none when it is not available, which was reported. */
static char* prefab_put(char* to, const Compile* c, const Asset* asset, const DocNode* node) {
    if (doc_instance(asset->content->doc, node).prefab == 0) return to;
    const Prefab prefab = prefab_known(c->assets, asset->content->doc, node->instance - 1);
    if (!prefab.asset || !was_read(c, prefab.asset)) return to;
    *to++ = '>';
    return number_put(to, file_row(c, prefab.asset));
}

/* --- entities and instances --- */

MapDraft* map_draft_create(const Compile* compile) {
    MapDraft* draft = memory_alloc(sizeof *draft);
    draft->compile = compile;
    return draft;
}

void map_draft_destroy(MapDraft* draft) {
    if (!draft) return;
    array_drop(&draft->entities);
    for (u32 i = 0; i < REGISTRY_TYPES_MAX; i++) array_drop(&draft->rows[i]);
    array_drop(&draft->layers);
    memory_free(draft);
}

void map_draft_clear(MapDraft* draft) {
    draft->entities.count = draft->layers.count = 0;
    for (u32 i = 0; i < REGISTRY_TYPES_MAX; i++) draft->rows[i].count = 0;
}

void map_draft_entity(MapDraft* draft, u32 entity) {
    const Compile*    c = draft->compile;
    const FlatEntity* e = &c->flat->entities.at[entity];
    Asset*            asset = c->assets->asset[e->asset];
    const DocNode*    node = &asset->content->doc->nodes.at[e->node];
    MapText*          text = &draft->entities;
    text_reserve(text, WORDS_BYTES_MAX);
    char* to = known_put(text->at + text->count, draft, asset, node->offset);
    to = scope_put(to, c, asset, e->scope);
    to = prefab_put(to, c, asset, node);
    *to++ = '\n';
    text->count = (u32)(to - text->at);
}

/* Nodes of a model have their components in a different order. */
static u32 record_offset(const Doc* doc, u32 component) {
    Search s = search_between(1, doc->nodes.count);
    while (search_continues(&s)) {
        search_narrow(&s, doc->nodes.at[s.middle].first_component <= component);
    }
    return doc->nodes.at[s.first - 1].offset;
}

void map_draft_layer(MapDraft* draft, Asset* asset, const DocComponent* component, u32 offset,
                     u32 scope, u64 given) {
    const Doc* doc = asset->content->doc;
    if (component && doc_has_records(component)) {
        offset = record_offset(doc, (u32)(component - doc->components.at));
    }
    *array_push(&draft->layers) = (MapLayer){asset, offset, scope, given};
}

/* If there is only one layer, it defines all fields. */
static char* given_put(char* to, const MapDraft* draft, u64 given, u32 type) {
    const u32 fields = draft->compile->registry->types[type]->record.field_count;
    if (draft->layers.count == 1) return to;
    *to++ = '=';
    return hex_put(to, fields < 64 ? given & ((1ull << fields) - 1) : given);
}

void map_draft_row(MapDraft* draft, u32 type) {
    const Compile* c = draft->compile;
    MapText*       text = &draft->rows[type];
    for (u32 i = draft->layers.count; i-- > 0;) {
        const MapLayer* layer = &draft->layers.at[i];
        text_reserve(text, WORDS_BYTES_MAX);
        char* to = known_put(text->at + text->count, draft, layer->asset, layer->offset);
        to = scope_put(to, c, layer->asset, layer->scope);
        to = given_put(to, draft, layer->given, type);
        *to++ = i ? ' ' : '\n';
        text->count = (u32)(to - text->at);
    }
    draft->layers.count = 0;
}

void map_draft_join(MapDraft* draft, const MapDraft* other) {
    text_add(&draft->entities, other->entities.at, other->entities.count);
    for (u32 i = 0; i < REGISTRY_TYPES_MAX; i++) {
        text_add(&draft->rows[i], other->rows[i].at, other->rows[i].count);
    }
}

/* --- the complete map --- */

/* The position of the resource in its source. */
static u32 resource_offset(const Compile* c, ResourceType type, u32 index) {
    const Asset* asset = c->asset;
    if (form_is_bytes(asset->form)) return 0;
    if (!form_is_model(asset->form)) {
        Json json = json_open(&asset->source, 0, c->diag);
        return json_offset(&json);
    }
    const GltfModel* g = &asset->content->model->gltf;
    switch (type) {
    case RESOURCE_MESH: return g->meshes[index].offset;
    case RESOURCE_SKELETON: return g->skins[index].offset;
    case RESOURCE_CLIP: return g->clips[index].offset;
    case RESOURCE_MATERIAL: return g->materials[index].offset;
    case RESOURCE_TEXTURE: return g->textures[index].offset;
    default: return 0;
    }
}

/* "props/lamp.fr.entity.json" states "props/lamp". */
static bool path_states_name(const char* path, const char* name) {
    const char* slash = strrchr(path, '/');
    const char* dot = strchr(slash ? slash : path, '.');
    return text_equal((Text){path, (u32)(dot - path)}, text_of(name));
}

/* A file refers to the prefab of its root at its root. */
static void file_put_line(MapText* text, const Compile* c, Asset* asset) {
    const Doc*     doc = asset->content->doc;
    const DocNode* root = asset->type == RESOURCE_ENTITY && doc->nodes.count ? doc->nodes.at : NULL;
    const u32      name = root ? doc_instance(doc, root).prefab : 0;
    const char*    path = asset->source.path + strlen(c->assets->root) + 1;
    text_print(text, "file ");
    text_add(text, path, (u32)strlen(path));
    if (name) {
        char            words[WORDS_BYTES_MAX];
        const LinePlace place = source_lines_at(asset_lines(asset), name);
        *prefab_put(words, c, asset, root) = 0;
        text_print(text, " %u:%u%s", place.line, place.column, words);
    }
    if (!path_states_name(path, asset->name)) {
        text_print(text, " =");
        text_add(text, asset->name, (u32)strlen(asset->name));
    }
    text_print(text, "\n");
}

static void head_put(MapText* text, const Compile* c, u64 hash) {
    char words[WORDS_BYTES_MAX];
    text_print(text, SOURCE_MAP_MAGIC "blob 0x%016llx ", (unsigned long long)hash);
    text_add(text, c->name, (u32)strlen(c->name));
    text_print(text, ".%s\n", ent_resource_suffix(c->type));
    for (u32 i = 0; i < c->reads.count; i++) file_put_line(text, c, c->reads.at[i].asset);
    *place_put(words, c, c->asset, resource_offset(c, c->type, c->index)) = 0;
    text_print(text, "resource %s\n", words);
}

typedef struct BlobWords {
    const u8* bytes;
    bool      flip;
} BlobWords;

static u32 word_at(const BlobWords* blob, size_t offset) {
    u32 word;
    memcpy(&word, blob->bytes + offset, 4);
    return word_read(word, blob->flip);
}

/* "0 0" when the blob has no such section, because an empty section is omitted. */
static void rows_put(MapText* text, const BlobWords* blob, u32 kind, u32 identifier,
                     const MapText* rows) {
    u32 count = 0, offset = 0;
    for (u32 i = 0; i < word_at(blob, offsetof(BlobHeader, section_count)); i++) {
        const size_t at = sizeof(BlobHeader) + i * sizeof(BlobSection);
        if (word_at(blob, at + offsetof(BlobSection, kind)) != kind ||
            word_at(blob, at + offsetof(BlobSection, identifier)) != identifier)
            continue;
        count = word_at(blob, at + offsetof(BlobSection, count));
        offset = word_at(blob, at + offsetof(BlobSection, offset));
    }
    text_print(text, " %u %u\n", count, offset);
    text_add(text, rows->at, rows->count);
}

void source_map_write(Compile* c, const u8* blob) {
    const MapDraft* draft = c->map;
    const BlobWords words = {blob, (c->options.target == TARGET_LITTLE) != HOST_IS_LITTLE};
    const u64       low = word_at(&words, offsetof(BlobHeader, hash));
    const u64       high = word_at(&words, offsetof(BlobHeader, hash) + 4);
    MapText         text = {0};
    head_put(&text, c, high << 32 | low);
    if (draft) {
        u64 bytes = draft->entities.count;
        for (u32 t = 0; t < c->registry->count; t++) bytes += draft->rows[t].count + 300;
        text_reserve(&text, (u32)MIN_OF(bytes, (u64)UINT32_MAX - text.count));
        text_print(&text, "entities");
        rows_put(&text, &words, SECTION_PARENT, 0, &draft->entities);
        for (u32 t = 0; t < c->registry->count; t++) {
            if (draft->rows[t].count == 0) continue;
            text_print(&text, "component %s", c->registry->names[t]);
            rows_put(&text, &words, SECTION_COMPONENT, c->registry->types[t]->id, &draft->rows[t]);
        }
    }
    text_print(&text, "end 0x%016llx\n", (unsigned long long)hash_bytes(text.at, text.count, 0));
    c->map_text = text.at;
    c->map_bytes = text.count;
}
