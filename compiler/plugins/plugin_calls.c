/* plugin_calls.c - the functions that a plugin may call while an instance is compiled. Their
 * arguments, such as positions and numbers, are not trusted: an invalid one is reported with the
 * name of the plugin. */
#include <stdio.h>

#include "persistent.h"
#include "plugin_load.h"

#include "compile.h"
#include "diag.h"
#include "fields.h"
#include "flat.h"
#include "search.h"

struct PluginInstance {
    Instance*         in;
    const PluginType* type;
    u32               errors; /* before the call */
};

static_assert((int)PLUGIN_JSON_NULL == (int)JSON_NULL && (int)PLUGIN_JSON_FALSE == (int)JSON_FALSE,
              "kinds are numbered alike");
static_assert((int)PLUGIN_JSON_TRUE == (int)JSON_TRUE &&
                  (int)PLUGIN_JSON_NUMBER == (int)JSON_NUMBER,
              "kinds are numbered alike");
static_assert((int)PLUGIN_JSON_STRING == (int)JSON_STRING &&
                  (int)PLUGIN_JSON_ARRAY == (int)JSON_ARRAY &&
                  (int)PLUGIN_JSON_OBJECT == (int)JSON_OBJECT,
              "kinds are numbered alike");

/* --- errors --- */

static void name_plugin(PluginInstance* p) {
    diag_note(p->in->diag, NULL, 0, 0, "from %s", p->type->from);
}

/* Reports an error of the plugin itself; its instance is the closest known position. */
static void broken(PluginInstance* p, const char* what) {
    diag_error(p->in->diag, E0502, p->in->source, p->in->offset, 1, "%s, for %s, %s", p->type->from,
               p->in->type->record.name, what);
}

/* Returns the value, or the string of a key, at a position from the plugin; NULL: none begins there. */
static const JsonToken* token_find(const PluginInstance* p, u32 at) {
    const JsonToken* value = p->in->value;
    Search           s = search_between(0, value->count);
    while (search_continues(&s)) {
        search_narrow(&s, json_token_offset(p->in->source, value + s.middle) < at);
    }
    const bool is_found =
        s.first < value->count && json_token_offset(p->in->source, value + s.first) == at;
    return is_found ? value + s.first : NULL;
}

/* The same, but that there is none is reported. */
static const JsonToken* token_at(PluginInstance* p, u32 at) {
    const JsonToken* value = token_find(p, at);
    if (!value)
        broken(p, at < p->in->source->bytes ? "reports a position at which no value begins"
                                            : "reports a position outside of the text");
    return value;
}

/* A value is underlined completely only if it is on one line. */
static u32 span_at(const PluginInstance* p, u32 at) {
    const JsonToken* value = token_find(p, at);
    return value ? json_token_mark(value) : 1;
}

static void error(PluginInstance* p, u32 at, const char* text) {
    const Source* source = p->in->source;
    if (at >= source->bytes) at = p->in->offset;
    diag_error(p->in->diag, E0501, source, at, span_at(p, at), "%s: %s", p->in->type->record.name,
               text);
    name_plugin(p);
}

static void note(PluginInstance* p, u32 at, const char* text) {
    const Source* source = p->in->source;
    if (at >= source->bytes) at = p->in->offset;
    if (diag_error_count(p->in->diag) == p->errors) return;
    diag_note(p->in->diag, source, at, span_at(p, at), "%s", text);
}

/* The value at a position, if it is of this kind. Otherwise NULL, which is reported. */
static const JsonToken* expect(PluginInstance* p, u32 at, JsonKind kind, const char* wanted) {
    const JsonToken* value = token_at(p, at);
    if (!value || json_token_is(value, kind)) return value;
    diag_error(p->in->diag, E0202, p->in->source, at, json_token_mark(value),
               "%s: expected %s, not %s", p->in->type->record.name, wanted,
               json_kind_name(json_token_kind(value)));
    name_plugin(p);
    return NULL;
}

/* --- JSON --- */

static u32 root(PluginInstance* p) { return p->in->offset; }

static u32 kind_at(PluginInstance* p, u32 at) {
    const JsonToken* value = token_at(p, at);
    return (u32)(value ? json_token_kind(value) : JSON_NULL);
}

static u32 member(PluginInstance* p, u32 object, const char* name) {
    const JsonToken* found = json_get(expect(p, object, JSON_OBJECT, "an object"), name);
    return found ? json_token_offset(p->in->source, found) : NONE;
}

/* The first value in a container, or the one after that of the previous step. */
static const JsonToken* walk_on(PluginInstance* p, u32 container, u32 next) {
    const JsonToken* value = token_at(p, container);
    if (next == NONE || !value) return NULL;
    if (!json_token_is(value, JSON_ARRAY) &&
        !expect(p, container, JSON_OBJECT, "an object or array"))
        return NULL;
    const JsonToken* before = next == 0 ? NULL : token_at(p, next);
    if (next == 0) return json_first(value);
    return before ? json_next(before) : NULL;
}

static int next_member(PluginInstance* p, u32 container, PluginMember1* m) {
    const JsonToken* value = walk_on(p, container, m->next);
    while (value && value->member && json_key_is_note(json_token_key(value)))
        value = json_next(value);
    m->next = NONE;
    if (!value) return 0;
    m->next = m->value = json_token_offset(p->in->source, value);
    m->key = value->member ? json_decode(json_token_key(value), &p->in->compile->arena) : NULL;
    m->key_at = value->member ? json_token_offset(p->in->source, value - 1) : NONE;
    return 1;
}

static int number(PluginInstance* p, u32 at, double* value) {
    const JsonToken* number = expect(p, at, JSON_NUMBER, "a number");
    if (number) *value = json_token_number(number);
    return number != NULL;
}

static int truth(PluginInstance* p, u32 at, int* value) {
    const JsonToken* found = token_at(p, at);
    if (found && !json_token_is(found, JSON_FALSE))
        found = expect(p, at, JSON_TRUE, "true or false");
    if (found) *value = json_token_is_true(found);
    return found != NULL;
}

static const char* text_at(PluginInstance* p, u32 at, u32* bytes) {
    const JsonToken* string = expect(p, at, JSON_STRING, "a string");
    if (!string) return NULL;
    const char* text = json_decode(json_token_string(string), &p->in->compile->arena);
    if (bytes) *bytes = (u32)strlen(text);
    return text;
}

static const char* source_at(PluginInstance* p, u32 at, u32* bytes) {
    const JsonToken* value = token_at(p, at);
    if (!value) return NULL;
    *bytes = value->bytes;
    return value->at;
}

/* --- fields --- */

static void fields(PluginInstance* p, const char* const* others, u32 other_count) {
    record_compile_fields_beside(p->in, &p->in->type->record, others, other_count);
}

static bool field_exists(PluginInstance* p, u32 field) {
    if (field < p->in->type->record.field_count) return true;
    broken(p, "reports a field that the component does not have");
    return false;
}

static int field_at(PluginInstance* p, u32 field, u32 at) {
    const u32        errors = diag_error_count(p->in->diag);
    Instance         value = *p->in;
    const JsonToken* found = field_exists(p, field) ? token_at(p, at) : NULL;
    if (!found) return 0;
    instance_set(&value, found);
    field_compile_value(&value, &value.type->record.fields[field]);
    p->in->given |= 1ull << field;
    return diag_error_count(p->in->diag) == errors;
}

static void give(PluginInstance* p, u32 field) {
    if (field_exists(p, field)) p->in->given |= 1ull << field;
}

static int choice(PluginInstance* p, u32 at, const char* const* texts, u32 count, u32* chosen) {
    char        list[256] = "";
    size_t      used = 0;
    const char* text = text_at(p, at, NULL);
    if (!text) return 0;
    for (u32 i = 0; i < count; i++) {
        if (strcmp(texts[i], text) == 0) return *chosen = i, 1;
        const int wrote =
            snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", texts[i]);
        used = MIN_OF(used + (size_t)MAX_OF(wrote, 0), sizeof list - 1);
    }
    const char* near = diag_nearest(text_of(text), texts, count);
    diag_error(p->in->diag, E0205, p->in->source, at, span_at(p, at),
               "%s: invalid value \"%s\"; expected %s%s%s%s", p->in->type->record.name, text, list,
               DIAG_NEAREST(near));
    name_plugin(p);
    return 0;
}

/* --- links --- */

/* The string at a position if it has exactly this content; otherwise a text without a position. */
static bool is_written(PluginInstance* p, u32 at, const char* text, JsonString* string) {
    const JsonToken* value = token_find(p, at);
    const bool       written = json_token_is(value, JSON_STRING) && json_token_equals(value, text);
    *string = written ? json_token_string(value) : (JsonString){text_of(text), false};
    return written;
}

static EntityRef entity(PluginInstance* p, u32 at, const char* path) {
    JsonString string;
    if (!token_at(p, at)) return NONE;
    is_written(p, at, path, &string);
    return compile_entity_ref(p->in->compile, p->in->source, at, string, p->in->scope);
}

static NameRef name(PluginInstance* p, u32 at, const char* text) {
    JsonString string;
    if (!token_at(p, at)) return 0;
    is_written(p, at, text, &string);
    return compile_name_ref(p->in->compile, p->in->source, at, string);
}

static ResourceRef resource(PluginInstance* p, u32 at, u32 type, const char* text) {
    Compile*   c = p->in->compile;
    JsonString string;
    if (!token_at(p, at)) return (ResourceRef){0, 0};
    if (type == RESOURCE_NONE || type >= RESOURCE_COUNT) {
        broken(p, "uses an unknown resource type");
        return (ResourceRef){0, 0};
    }
    if (is_written(p, at, text, &string))
        return compile_resource_ref(c, p->in->source, at, string, (ResourceType)type);
    const char* kept = arena_text(&c->arena, text_of(text));
    compile_link(
        c, p->in->source,
        (CompileLink){LINK_COMPOSED, at, string.raw.bytes + 2, text_of(kept), (ResourceType)type});
    return compile_resource_named(c, p->in->source, at, text_of(text), (ResourceType)type);
}

static void* instance_alloc(PluginInstance* p, size_t bytes) {
    return arena_alloc(&p->in->compile->arena, bytes);
}

/* --- the tables, which must never change after they were published --- */

const ApiInstance2 plugin_api_instance = {error,  note, fields,   field_at,       give,
                                          entity, name, resource, instance_alloc, choice};
const ApiJson1     plugin_api_json = {root,   kind_at, member,  next_member,
                                      number, truth,   text_at, source_at};

/* --- calling --- */

/* Returns NULL, or why a reference from the plugin is not valid in this resource. */
static const char* element_fault(const Compile* c, const Field* f, const u8* at) {
    ResourceRef ref;
    u32         word;
    memcpy(&word, at, sizeof word);
    if (field_form(f) == FORM_ENTITY) {
        if (word == NONE) return NULL;
        if (word >= c->flat->entities.count) return "is not an entity of this file";
        return flat_group_reaches(c, word) ? NULL : "refers into a group that may be absent";
    }
    if (field_form(f) == FORM_TEXT && word && word >= c->texts.count)
        return "is not a text that it read";
    if (field_form(f) != FORM_RESOURCE) return NULL;
    memcpy(&ref, at, sizeof ref);
    if (resource_id(ref) == 0) return NULL;
    const CompileReference* known = compile_reference_find(c, resource_id(ref));
    return known && known->type == f->refers_to ? NULL : "is not a resource that it requested";
}

static const char* link_fault(const Compile* c, const Field* f, const u8* at) {
    const char* reason = NULL;
    for (u32 e = 0; e < f->bytes && !reason; e += field_element_bytes(f)) {
        reason = element_fault(c, f, at + e);
    }
    return reason;
}

/* Ids that are not assigned yet are validated later. */
static const char* field_values_fault(const PluginInstance* p, const Field* f, const u8* at) {
    const Field element = field_element(f);
    const char* reason = NULL;
    for (u32 i = 0; i < field_elements(f) && !reason; i++, at += element.bytes) {
        const bool open =
            field_form(f) == FORM_PERSISTENT && persistent_is_open(p->in->compile, at);
        if (!open) reason = field_fault(&element, at);
    }
    return reason;
}

/* A record from a plugin is validated like a blob, because it becomes a part of one. */
static void record_validate(PluginInstance* p) {
    const RecordType* type = &p->in->type->record;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        const u8*    at = (const u8*)p->in->record + f->offset;
        if (f->required && !(p->in->given >> i & 1)) continue;
        const char* reason = field_values_fault(p, f, at);
        if (!reason) reason = link_fault(p->in->compile, f, at);
        if (!reason) continue;
        diag_error(p->in->diag, E0502, p->in->source, p->in->offset, 1,
                   "%s writes an invalid record: %s.%s %s", p->type->from, type->name, f->name,
                   reason);
        return;
    }
}

static void call(Instance* in, PluginCompile1* function) {
    PluginInstance p = {in, in->plugin, diag_error_count(in->diag)};
    function(&p, in->record, p.type->user);
    if (diag_error_count(in->diag) == p.errors) record_validate(&p);
}

void plugin_compile(Instance* in) { call(in, in->plugin->compile); }
void plugin_check(Instance* in) { call(in, in->plugin->check); }
