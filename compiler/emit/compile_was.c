/* compile_was.c - compares the values that overrides replace with recorded ones. */
#include "compile_was.h"

#include "compile_rename.h"
#include "diag.h"
#include "fields.h"
#include "flat.h"
#include "hash.h"
#include "persistent.h"
#include "print.h"

/* --- the values of references as text --- */

/* The path of an entity from a scope; NULL: it is not below it. */
static const char* path_from(Compile* c, u32 scope, u32 entity) {
    u32 at = entity;
    while (at != scope && at != NONE) at = c->flat->entities.at[at].parent;
    if (at != scope) return NULL;
    return entity == scope ? "." : flat_path(c, c->flat, scope, entity);
}

/* What a reference contains in JSON, in the arena; NULL: it cannot be expressed. */
static const char* reference_text(const Instance* in, const Field* f, const void* words) {
    Compile*    c = in->compile;
    ResourceRef resource;
    u32         word;
    memcpy(&word, words, sizeof word);
    switch (field_form(f)) {
    case FORM_RESOURCE: {
        memcpy(&resource, words, sizeof resource);
        const CompileReference* r = compile_reference_find(c, resource_id(resource));
        return r ? r->name : NULL;
    }
    case FORM_ENTITY: return word < c->flat->entities.count ? path_from(c, in->scope, word) : NULL;
    case FORM_NAME: return compile_name_text(c, word);
    case FORM_TEXT: return compile_string_of(c, word);
    case FORM_PERSISTENT:
        return persistent_is_open(c, words) ? path_from(c, in->scope, persistent_entity(words))
                                            : arena_print(&c->arena, "%u", word);
    default: return NULL;
    }
}

static const char* link_text(const Instance* in, const Field* f, const void* words) {
    if (field_is_null(f, words)) return "null";
    const char* reference = reference_text(in, f, words);
    if (!reference) return NULL;
    if (field_form(f) == FORM_PERSISTENT && !persistent_is_open(in->compile, words))
        return reference;
    return json_quoted(&in->compile->arena, reference);
}

/* One reference, or all of an array. */
static const char* links_text(const Instance* in, const Field* f, const u8* words) {
    const Field element = field_element(f);
    if (!field_is_array(f)) return link_text(in, f, words);
    Print print;
    bool  valid = true;
    FILE* out = print_begin(&print);
    fputs("[", out);
    for (u32 i = 0; i < field_elements(f) && valid; i++) {
        const char* text = link_text(in, &element, words + i * element.bytes);
        valid = text != NULL;
        fprintf(out, "%s%s", i ? ", " : "", valid ? text : "");
    }
    fputs("]", out);
    const char* all = arena_text(&in->compile->arena, print_end(&print));
    print_drop(&print);
    return valid ? all : NULL;
}

/* The value of a field as in JSON; NULL: it cannot be expressed. */
static const char* value_text(const Instance* in, const Field* f, const void* words) {
    Arena* arena = &in->compile->arena;
    char   text[FIELD_TEXT_BYTES];
    if (!field_is_link(f)) {
        field_value_text(f, words, true, text);
        return arena_text(arena, text_of(text));
    }
    return links_text(in, f, words);
}

/* --- comparing --- */

static void changed_report(const Instance* in, const Field* f, const JsonToken* was,
                           const char* now) {
    diag_warning(in->diag, W0316, in->source, json_token_offset(in->source, was), was->bytes,
                 "%s.%s was %.*s when this override replaced it, and the prefab has %s now; \"entc "
                 "fix-overrides\" records the new value",
                 in->type->record.name, f->name, (int)was->bytes, was->at, now);
}

/* A number or choice: read, because there are multiple texts for one value. */
static bool value_is(const Instance* in, const Field* f, const JsonToken* was, const void* words) {
    u8       read[4 * 4 * RECORD_ARRAY_MAX];
    Instance as = *in;
    as.record = read - f->offset;
    instance_set(&as, was);
    assert(f->bytes <= sizeof read);
    memcpy(read, words, f->bytes);
    const u32 errors = diag_error_count(in->diag);
    field_compile_value(&as, f);
    return diag_error_count(in->diag) != errors || memcmp(read, words, f->bytes) == 0;
}

static bool reference_is(const Instance* in, const Field* f, const JsonToken* was,
                         const char* now) {
    const u32 offset = json_token_offset(in->source, was);
    if (field_is_array(f) || !json_token_is(was, JSON_STRING))
        return text_equal((Text){was->at, was->bytes}, text_of(now));
    const JsonString text = json_token_string(was);
    const char*      name = json_decode(text, &in->compile->arena);
    const u32        entity = field_form(f) == FORM_ENTITY || field_form(f) == FORM_PERSISTENT
                                  ? flat_find(in->compile, in->scope, text_of(name))
                                  : NONE;
    if (entity != NONE) rename_path(in->compile, in->source, offset, text, in->scope, entity);
    if (field_form(f) == FORM_RESOURCE)
        compile_link(in->compile, in->source,
                     (CompileLink){LINK_RESOURCE, offset, text.raw.bytes + 2, text_of(name),
                                   (ResourceType)f->refers_to});
    return strcmp(json_quoted(&in->compile->arena, name), now) == 0;
}

static void field_check(Instance* in, const JsonToken* was, const Field* f) {
    const u8*   words = (const u8*)in->record + f->offset;
    const char* now = value_text(in, f, words);
    if (!now) return;
    const bool is_same =
        field_is_link(f) ? reference_is(in, f, was, now) : value_is(in, f, was, words);
    if (!is_same) changed_report(in, f, was, now);
}

void was_check(const Instance* in, const DocOverride* override, u32 type, bool is_new) {
    const Doc* doc = in->compile->asset->content->doc;
    for (u32 i = 0; i < override->was_count; i++) {
        const DocComponent* was = &doc->components.at[override->first_was + i];
        Instance            at = *in;
        if (was->type != type) continue;
        if (is_new != (was->form == DOC_NULL)) {
            diag_warning(in->diag, W0316, in->source, was->offset, 1,
                         "the prefab %s when this override was recorded, and %s one now; \"entc "
                         "fix-overrides\" records this",
                         is_new ? "had this component" : "did not have this component",
                         is_new ? "does not have" : "has");
        } else if (!is_new && was->form == DOC_OBJECT) {
            instance_set(&at, doc_value(doc, was));
            record_fields_visit(&at, &in->type->record, field_check);
        }
    }
}

/* --- recording --- */

void was_collect(const Instance* in, u32 override, u32 type, const void* before, bool is_new) {
    Compile*          c = in->compile;
    const RecordType* record = &in->type->record;
    const char*       text = "null";
    if (!is_new) {
        Print       print;
        const char* comma = "";
        FILE*       out = print_begin(&print);
        fputs("{", out);
        for (u32 i = 0; i < record->field_count; i++) {
            const Field* f = &record->fields[i];
            if (!(in->given_here >> i & 1)) continue;
            const char* value = value_text(in, f, (const u8*)before + f->offset);
            if (!value) continue;
            fprintf(out, "%s \"%s\": %s", comma, f->name, value);
            comma = ",";
        }
        fputs(*comma ? " }" : "}", out);
        text = arena_text(&c->arena, print_end(&print));
        print_drop(&print);
    }
    *array_push(&c->was) = (CompileWas){override, type, text};
}
