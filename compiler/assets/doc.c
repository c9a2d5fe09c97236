/* doc.c - reads entity and level files. */
#include "diag.h"
#include "doc_internal.h"

static const KeyText level_key = {"unknown key",
                                  " of a level, which may contain only \"entities\""};

static void reading_begin(Reader* r, Doc* doc, const Source* source) {
    r->doc = doc;
    r->json = json_open(source, 0, r->diag);
    r->early = (EarlyTexts){
        .text = source->text, .bytes = source->bytes, .slots = early_texts_slots(source->bytes)};
    r->early.slot = memory_alloc(sizeof(u64) * r->early.slots);
    r->texts = &r->early;
    doc_begin(doc, source, source->bytes);
}

/* Returns false when the text is not valid JSON. */
static bool reading_end(Reader* r) {
    Doc*       doc = r->doc;
    const bool complete = json_end(&r->json);
    if (complete && r->level) doc_parents_link(r);
    array_drop(&r->parents);
    array_drop(&r->overrides);
    memory_free(r->early.slot);
    array_drop(&doc->last_child);
    if (doc->instances.count)
        doc->prefab = memory_alloc(sizeof *doc->prefab * doc->instances.count);
    return complete;
}

bool doc_entity_read(Doc* doc, const Source* source, const Registry* registry, Arena* arena,
                     Diagnostics* diag) {
    Reader    r = {.registry = registry, .arena = arena, .diag = diag};
    const u32 errors = diag_error_count(diag);
    reading_begin(&r, doc, source);
    if (doc_expect(&r, JSON_OBJECT, "an entity")) doc_node_read(&r, doc_node_add(doc, NONE));
    const bool complete = reading_end(&r);
    doc->has_errors = diag_error_count(diag) != errors;
    return complete && doc->nodes.count > 0;
}

/* { "entities": [ .. ] } */
bool doc_level_read(Doc* doc, const Source* source, const Registry* registry, Arena* arena,
                    Diagnostics* diag, JobPool* pool) {
    Reader    r = {.registry = registry, .arena = arena, .diag = diag, .pool = pool, .level = true};
    const u32 errors = diag_error_count(diag);
    JsonString key;
    bool       seen = false;
    reading_begin(&r, doc, source);
    const bool entered = doc_expect(&r, JSON_OBJECT, "a level") && json_enter(&r.json, JSON_OBJECT);
    while (entered && json_key(&r.json, &key)) {
        if (json_equals(key, "entities") && !seen) {
            seen = true;
            if (doc_expect(&r, JSON_ARRAY, "entities") && !doc_list_slice(&r))
                doc_nodes_read(&r, NONE);
            continue;
        }
        if (seen && json_equals(key, "entities"))
            doc_key_error(&r, E0103, key, (KeyText)DUPLICATE_KEY, NULL);
        else if (!json_key_is_note(key))
            doc_key_error(&r, E0201, key, level_key, NULL);
        json_skip(&r.json);
    }
    if (entered && !seen && !r.json.failed)
        diag_error(diag, E0204, source, 0, 1, "a level needs \"entities\", an array");
    const bool complete = reading_end(&r);
    doc->has_errors = diag_error_count(diag) != errors;
    return complete;
}
