/* doc.c - reads entity and level files. */
#include "diag.h"
#include "doc_internal.h"

static const KeyText level_key = {"unknown key",
                                  " of a level, which may contain only \"entities\""};

/* { "entities": [ .. ] } */
static void level_read(Reader* r) {
    JsonString key;
    bool       seen = false;
    if (!json_enter(&r->json, JSON_OBJECT)) return;
    while (json_key(&r->json, &key)) {
        if (json_equals(key, "entities") && !seen) {
            seen = true;
            if (doc_expect(r, JSON_ARRAY, "entities") && !doc_list_slice(r))
                doc_nodes_read(r, NONE);
            continue;
        }
        if (seen && json_equals(key, "entities"))
            doc_key_error(r, E0103, key, (KeyText)DUPLICATE_KEY, NULL);
        else if (!json_key_is_note(key))
            doc_key_error(r, E0201, key, level_key, NULL);
        json_skip(&r->json);
    }
    if (!seen && !r->json.failed) {
        diag_error(r->diag, E0204, r->doc->source, 0, 1, "a level needs \"entities\", an array");
    }
}

bool doc_read(Doc* doc, const Source* source, bool level, const Registry* registry, Arena* arena,
              Diagnostics* diag, JobPool* pool) {
    EarlyTexts texts = {
        .text = source->text, .bytes = source->bytes, .slots = early_texts_slots(source->bytes)};
    Reader    r = {.doc = doc,
                   .texts = &texts,
                   .json = json_open(source, 0, diag),
                   .registry = registry,
                   .arena = arena,
                   .diag = diag,
                   .pool = pool,
                   .level = level};
    const u32 errors = diag_error_count(diag);
    doc_begin(doc, source, source->bytes);
    texts.slot = memory_alloc(sizeof(u64) * texts.slots);
    if (doc_expect(&r, JSON_OBJECT, level ? "a level" : "an entity")) {
        if (level)
            level_read(&r);
        else
            doc_node_read(&r, doc_node_add(doc, NONE));
    }
    const bool whole = json_end(&r.json);
    if (whole && level) doc_parents_link(&r);
    array_drop(&r.parents);
    array_drop(&r.overrides);
    memory_free(texts.slot);
    array_drop(&doc->last_child);
    if (doc->instances.count) doc->prefab = memory_alloc(sizeof(u32) * doc->instances.count);
    doc->has_errors = diag_error_count(diag) != errors;
    return whole && (level || doc->nodes.count > 0);
}
