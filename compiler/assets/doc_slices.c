/* doc_slices.c - a long level's list, read by several threads at once.
 *
 * The beginning of an item in the middle of a text cannot be determined without reading everything
 * before it, because the position may be inside a string. Therefore it is guessed, at positions
 * that look like the beginning of the first item. A guess is confirmed when the thread that reads
 * the previous slice, item by item, reaches exactly that position; the first slice begins at the
 * list, so either all guesses are confirmed or none is used. After a wrong guess or any error in
 * the text, one thread reads the complete list again, so that the diagnostics do not depend on the
 * number of threads. */
#include "doc_internal.h"

#include <stdlib.h>

#include "diag.h"
#include "diag_print.h"
#include "libc.h"
#include "slices.h"

#define SLICE_BYTES_MIN (256u << 10)

typedef struct Slice {
    Reader reader;
    Doc    doc;
    Arena  arena;
    u32    first, stop; /* offsets in the text; the last one's stop is the end of the text */
    bool   succeeded;
    u32    node, component, instance, override, parent, early, token; /* index of its first rows */
} Slice;

typedef struct Slices {
    Reader* all;
    Slice   slice[SLICES_MAX];
    u32     count;
} Slices;

/* --- guessing --- */

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/* The text from before the first item to the end of its first key is the pattern of an item. A line
 * break and the indentation distinguish items from their content; spaces on one line do not, and
 * the first item often has none where others have some. NULL when the first item is no object with
 * a key: the thread that reads the complete list reports that. */
static Text item_pattern(const Reader* r, Diagnostics* ignored) {
    Json       json = r->json;
    JsonString key;
    json.diag = ignored;
    json_enter(&json, JSON_ARRAY);
    const char* from = json.at;
    json_item(&json);
    const char* item = r->doc->source->text + json_offset(&json);
    json_enter(&json, JSON_OBJECT);
    if (!json_key(&json, &key)) return (Text){NULL, 0}; /* as after each call that failed */
    if (!memchr(from, '\n', (size_t)(item - from))) from = item;
    return (Text){from, (u32)(key.raw.at + key.raw.bytes + 1 - from)};
}

/* The first possible beginning of an item at or after an offset, or NONE. */
static u32 item_guess(const Source* source, Text pattern, u32 offset) {
    const char* end = source->text + source->bytes;
    for (const char* at = source->text + offset; at < end;) {
        const char* found = bytes_find(at, (size_t)(end - at), pattern);
        if (!found) return NONE;
        const char* before = found;
        while (is_blank(before[-1])) before--; /* the '[' of the list is before it */
        if (before[-1] == ',') {
            while (*found != '{') found++;
            return (u32)(found - source->text);
        }
        at = found + 1;
    }
    return NONE;
}

/* Two guesses may be one place, when an item is long: the slice between them is empty. */
static void slices_cut(Slices* s, Text pattern, u32 wanted) {
    const Source* source = s->all->doc->source;
    const u32     from = (u32)(pattern.at - source->text);
    const u32     step = (source->bytes - from) / wanted;
    for (u32 i = 1; i < wanted; i++) {
        const u32 guess = item_guess(source, pattern, from + i * step);
        if (guess == NONE) break;
        s->slice[s->count].stop = guess;
        s->slice[++s->count].first = guess;
    }
    s->slice[s->count++].stop = source->bytes;
}

/* --- reading --- */

static void slice_begin(Slices* s, u32 index) {
    Slice*        slice = &s->slice[index];
    const Reader* all = s->all;
    const Source* source = all->doc->source;
    slice->reader = (Reader){.doc = &slice->doc,
                             .json = all->json,
                             .registry = all->registry,
                             .arena = &slice->arena,
                             .texts = all->texts,
                             .diag = diag_create(),
                             .level = true};
    Json* json = &slice->reader.json;
    json->diag = slice->reader.diag;
    if (index == 0) {
        json_enter(json, JSON_ARRAY);
        slice->succeeded = json_item(json);
    } else { /* the nesting depth of the items of the list */
        json->at = source->text + slice->first;
        json->depth = all->json.depth + 1;
        slice->succeeded = true;
    }
    doc_begin(&slice->doc, source, slice->stop - slice->first);
}

static void slices_read(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        Slice* slice = &s->slice[i];
        slice_begin(s, i);
        Json* json = &slice->reader.json;
        bool  more = slice->succeeded;
        while (more && json_offset(json) < slice->stop) {
            doc_item_read(&slice->reader);
            more = json_item(json);
        }
        /* The last slice must reach the end of the list, the others the beginning of the next
         * slice. */
        const u32 text_end = json->source->bytes;
        slice->succeeded = diag_error_count(slice->reader.diag) == 0 &&
                           (more ? json_offset(json) : text_end) == slice->stop &&
                           more == (slice->stop != text_end);
    }
}

/* --- putting together --- */

static u32 moved(u32 index, u32 by) { return index == NONE ? NONE : index + by; }

static void slice_copy(Doc* doc, Reader* all, const Slice* s) {
    const Doc* from = &s->doc;
    const bool are_few = doc->early.count <= EARLY_BLOCKS_MAX;
    memory_prepare(doc->nodes.at + s->node, sizeof(DocNode) * from->nodes.count);
    memory_prepare(doc->components.at + s->component,
                   sizeof(DocComponent) * from->components.count);
    for (u32 i = 0; i < from->nodes.count; i++) {
        DocNode* node = &doc->nodes.at[s->node + i];
        *node = from->nodes.at[i];
        node->parent = moved(node->parent, s->node);
        node->first_child = moved(node->first_child, s->node);
        node->next = moved(node->next, s->node);
        node->first_component += s->component;
        if (node->instance) node->instance += s->instance;
        doc->last_child.at[s->node + i] = moved(from->last_child.at[i], s->node);
    }
    for (u32 i = 0; i < from->components.count; i++) {
        DocComponent* component = &doc->components.at[s->component + i];
        *component = from->components.at[i];
        if (component->content & DOC_TOKENS)
            component->content += s->token;
        else if (doc_is_early(component))
            component->content = are_few ? component->content + (s->early << EARLY_WORD_BITS) : 0;
    }
    if (from->tokens.count)
        memcpy(doc->tokens.at + s->token, from->tokens.at, sizeof(JsonToken) * from->tokens.count);
    for (u32 i = 0; i < from->early.count; i++) {
        doc->early.at[s->early + i] = from->early.at[i];
    }
    for (u32 i = 0; i < from->instances.count; i++) {
        doc->instances.at[s->instance + i] = from->instances.at[i];
        doc->instances.at[s->instance + i].first_override += s->override;
    }
    for (u32 i = 0; i < from->overrides.count; i++) {
        doc->overrides.at[s->override + i] = from->overrides.at[i];
        doc->overrides.at[s->override + i].first_component += s->component;
        doc->overrides.at[s->override + i].first_was += s->component;
        doc->overrides.at[s->override + i].host = moved(from->overrides.at[i].host, s->node);
    }
    for (u32 i = 0; i < s->reader.parents.count; i++) {
        all->parents.at[s->parent + i] = s->reader.parents.at[i];
        all->parents.at[s->parent + i].node += s->node;
        if (s->reader.parents.at[i].parent) all->parents.at[s->parent + i].parent += s->node;
    }
}

static void slices_copy(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) slice_copy(s->all->doc, s->all, &s->slice[i]);
}

#define ROOM(array, n) (array_reserve((array), (n)), (array)->count = (n))

/* Computes the index of the first rows of each slice. */
static void slices_place(Slices* s) {
    Doc*    doc = s->all->doc;
    Reader* all = s->all;
    u32 nodes = 0, components = 0, instances = 0, overrides = 0, parents = 0, early = 0, tokens = 0;
    for (u32 i = 0; i < s->count; i++) {
        Slice* slice = &s->slice[i];
        slice->node = nodes, nodes += slice->doc.nodes.count;
        slice->component = components, components += slice->doc.components.count;
        slice->instance = instances, instances += slice->doc.instances.count;
        slice->override = overrides, overrides += slice->doc.overrides.count;
        slice->parent = parents, parents += slice->reader.parents.count;
        slice->early = early, early += slice->doc.early.count;
        slice->token = tokens, tokens += slice->doc.tokens.count;
    }
    ROOM(&doc->nodes, nodes);
    ROOM(&doc->last_child, nodes);
    ROOM(&doc->components, components);
    ROOM(&doc->instances, instances);
    ROOM(&doc->overrides, overrides);
    ROOM(&doc->early, early);
    ROOM(&doc->tokens, tokens);
    ROOM(&all->parents, parents);
}

/* Links the roots of all slices, and adopts the strings that they decoded. */
static void slices_join(Slices* s) {
    Doc* doc = s->all->doc;
    for (u32 i = 0; i < s->count; i++) {
        Slice*    slice = &s->slice[i];
        const u32 first = moved(slice->doc.first_root, slice->node);
        if (first == NONE) continue;
        if (doc->first_root == NONE)
            doc->first_root = first;
        else
            doc->nodes.at[doc->last_root].next = first;
        doc->last_root = moved(slice->doc.last_root, slice->node);
        arena_absorb(s->all->arena, &slice->arena);
    }
}

static void slices_drop(void* user, u32 first, u32 end, u32 worker) {
    Slices* s = user;
    UNUSED(worker);
    for (u32 i = first; i < end; i++) {
        doc_drop(&s->slice[i].doc);
        arena_drop(&s->slice[i].arena);
        array_drop(&s->slice[i].reader.parents);
        array_drop(&s->slice[i].reader.overrides);
        diag_destroy(s->slice[i].reader.diag);
    }
}

bool doc_list_slice(Reader* r) {
    JobGroup  group = {0};
    const u32 rest = r->doc->source->bytes - json_offset(&r->json);
    const u32 wanted = slices_requested(r->pool, rest / SLICE_BYTES_MIN);
    if (wanted == 1) return false;
    Diagnostics* ignored = diag_create();
    const Text   pattern = item_pattern(r, ignored);
    diag_destroy(ignored);
    if (!pattern.at) return false;
    Slices* s = memory_alloc(sizeof *s);
    s->all = r;
    slices_cut(s, pattern, wanted);
    bool succeeded = s->count > 1;
    if (succeeded) {
        ent_job_dispatch(r->pool, &group, s->count, 1, slices_read, s);
        ent_job_wait(r->pool, &group);
    } else {
        s->count = 0;
    }
    for (u32 i = 0; i < s->count && succeeded; i++) succeeded = s->slice[i].succeeded;
    if (succeeded) {
        slices_place(s);
        ent_job_dispatch(r->pool, &group, s->count, 1, slices_copy, s);
        ent_job_wait(r->pool, &group);
        slices_join(s);
        r->json.at = s->slice[s->count - 1].reader.json.at;
    }
    ent_job_dispatch(r->pool, &group, s->count, 1, slices_drop, s);
    ent_job_wait(r->pool, &group);
    memory_free(s);
    return succeeded;
}
