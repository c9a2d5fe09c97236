/* declare_value.c - reads values of a declaration that are no fields, and older names. */
#include "declare_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "diag.h"
#include "sections.h"

bool node_expect(Reader* r, const JsonToken* node, JsonKind kind, const char* what) {
    if (json_token_kind(node) == kind) return true;
    diag_error(r->diag, E0202, NODE_AT(r, node), "%s must be %s, not %s", what,
               json_kind_name(kind), json_kind_name(json_token_kind(node)));
    return false;
}

bool node_value(Reader* r, const JsonToken* node, const Field* field, void* words) {
    const u32 errors = diag_error_count(r->diag);
    Field     first = *field; /* of a record with no other field */
    Instance  in = {.source = r->source, .scope = NONE, .diag = r->diag, .record = words};
    first.offset = 0;
    instance_set(&in, node);
    field_compile_value(&in, &first);
    return diag_error_count(r->diag) == errors;
}

u32 node_complete(Reader* r, const JsonToken* node, const char* name, u32 lo, u32 hi,
                  u32 fallback) {
    const Field f = {.name = name, .kind = FIELD_u32, .bytes = 4, .lo = lo, .hi = hi, .unit = ""};
    u32         value = fallback;
    return node && !node_value(r, node, &f, &value) ? fallback : value;
}

bool node_truth(Reader* r, const JsonToken* node, const char* name) {
    const Field f = {.name = name, .kind = FIELD_Bool32, .bytes = 4, .unit = ""};
    u32         value = 0;
    return node && node_value(r, node, &f, &value) && value;
}

const char* node_line(Reader* r, const JsonToken* node, const char* name) {
    if (!node || !node_expect(r, node, JSON_STRING, name)) return "";
    if (text_is_one_line(text_of(node_text(r, node)))) {
        return node_text(r, node);
    }
    diag_error(r->diag, E0202, NODE_AT(r, node),
               "%s must be a single line of at most %u bytes without control characters", name,
               DECLARATION_CONTENT_MAX);
    return "";
}

void member_error(Reader* r, DiagCode code, const JsonToken* member, const char* format, ...) {
    char             message[512];
    const JsonToken* key = member - 1;
    va_list          arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diag_error(r->diag, code, NODE_AT(r, key), "%s", message);
}

static void former_read(Reader* r, const JsonToken* node, FormerName name) {
    const bool is_text = name.text != NONE;
    if (!node_expect(r, node, JSON_STRING, "was")) return;
    const Text text = text_of(node_text(r, node));
    if (is_text ? !name_is_enum_text(text) : !name_is_identifier(text)) {
        diag_error(r->diag, E0205, NODE_AT(r, node),
                   "an older name must %scontain only a-z, 0-9 and single '_', and have 1 to %u "
                   "characters",
                   is_text ? "" : "begin with a-z, ", DECLARATION_NAME_MAX);
        return;
    }
    if (r->was.count == DECLARATION_FORMER_MAX) {
        if (!r->was_exceeded)
            diag_error(r->diag, E0309, NODE_AT(r, node),
                       "this is older name number %u; a component may have at most %u older names",
                       r->was.count + 1, DECLARATION_FORMER_MAX);
        r->was_exceeded = true;
        return;
    }
    name.name = arena_text(r->arena, text);
    *array_push(&r->was) = (Former){name, node};
}

void formers_read(Reader* r, const JsonToken* object, u32 field, u32 text) {
    const JsonToken* was = json_get(object, "was");
    const FormerName name = {"", field, text};
    if (!was) return;
    if (!json_token_is(was, JSON_ARRAY)) {
        former_read(r, was, name);
        return;
    }
    for (const JsonToken* item = json_first(was); item; item = json_next(item))
        former_read(r, item, name);
}
