/* declare.c - reads declarations of component types. Numbers, enums and defaults are read by the
 * reader of component fields, so that the diagnostics are the same as for values in a level. */
#include "declare.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "fields.h"
#include "json_tree.h"
#include "sections.h"

/* An older name, and where it is. */
typedef struct Former {
    FormerName   name;
    const cJSON* node;
} Former;

typedef struct Reader {
    JsonTree     tree;
    Declaration* out;
    Arena*       arena;
    Diagnostics* diag;
    Field*       fields;     /* [COMPONENT_COLUMNS_MAX] */
    u32          text_count; /* of all enums so far */
    ARRAY(Former) was;       /* older names, in the order of the declaration */
} Reader;

/* --- what a declaration may contain --- */

/* What decides which keys a type has. */
typedef enum Trait {
    ANY = 1,
    COUNTED = 2,   /* "count" chooses between kinds */
    VALUE = 4,     /* no reference */
    BOUNDED = 8,   /* a number with bounds and a unit */
    TEXTS = 16,    /* an enum, or flags */
    RESOURCE = 32, /* a reference to a resource */
    ARRAY_OF = 64  /* there may be an array of them */
} Trait;

static u32 traits_of(FieldKind kind) {
    const FieldKindInfo* info = &field_kinds[kind];
    u32                  traits = ANY;
    if (field_kind_is_counted(kind)) traits |= COUNTED;
    if (field_forms[info->form].form_class != CLASS_LINK) traits |= VALUE;
    if (info->is_bounded) traits |= BOUNDED;
    if (info->form == FORM_ENUM || info->form == FORM_FLAGS) traits |= TEXTS;
    if (info->form != FORM_FLAGS) traits |= ARRAY_OF;
    if (info->form == FORM_RESOURCE) traits |= RESOURCE;
    return traits;
}

/* The keys of a field's object, and the trait of the types that have them. */
static const struct {
    const char* name;
    u32         trait;
} field_keys[] = {
    {"type", ANY},          {"count", COUNTED}, {"default", VALUE},  {"min", BOUNDED},
    {"max", BOUNDED},       {"unit", BOUNDED},  {"text", ANY},       {"enum", TEXTS},
    {"resource", RESOURCE}, {"required", ANY},  {"array", ARRAY_OF}, {"was", ANY},
};

/* Kinds that differ in "count" are one type. */
u32 declaration_types(FieldKind kinds[FIELD_KIND_COUNT]) {
    u32 count = 0;
    for (u32 kind = 0; kind < FIELD_KIND_COUNT; kind++) {
        bool there = false;
        for (u32 i = 0; i < count; i++) {
            there |= strcmp(field_kinds[kinds[i]].declared, field_kinds[kind].declared) == 0;
        }
        if (!there) kinds[count++] = (FieldKind)kind;
    }
    return count;
}

u32 declaration_keys(FieldKind kind, const char* keys[DECLARATION_KEYS_MAX]) {
    const u32 traits = traits_of(kind);
    u32       count = 0;
    static_assert(COUNT_OF(field_keys) <= DECLARATION_KEYS_MAX, "there is room for all");
    for (u32 i = 0; i < COUNT_OF(field_keys); i++) {
        if (field_keys[i].trait & traits) keys[count++] = field_keys[i].name;
    }
    return count;
}

static const char* const root_keys[] = {"text", "several", "order", "was", "fields"};

/* Names with another meaning in C, C++ or a system header. */
static const char* const keywords[] = {
    "alignas",  "alignof",  "and",       "asm",       "auto",      "bitand",   "bitor",
    "bool",     "break",    "case",      "catch",     "char",      "class",    "compl",
    "concept",  "const",    "consteval", "constexpr", "constinit", "continue", "decltype",
    "default",  "delete",   "do",        "double",    "else",      "enum",     "errno",
    "explicit", "export",   "extern",    "f32",       "false",     "float",    "for",
    "friend",   "goto",     "i32",       "if",        "inline",    "int",      "linux",
    "long",     "mutable",  "namespace", "new",       "noexcept",  "not",      "nullptr",
    "operator", "or",       "private",   "protected", "public",    "register", "requires",
    "restrict", "return",   "short",     "signed",    "sizeof",    "static",   "struct",
    "switch",   "template", "this",      "throw",     "true",      "try",      "typedef",
    "typeid",   "typename", "typeof",    "u32",       "union",     "unix",     "unsigned",
    "using",    "virtual",  "void",      "volatile",  "while",     "xor"};

static bool is_keyword(const char* name) {
    for (u32 i = 0; i < COUNT_OF(keywords); i++) {
        if (strcmp(keywords[i], name) == 0) return true;
    }
    return false;
}

/* The most similar valid name, or "". */
static const char* identifier_fixed(const char* name, char fixed[DECLARATION_NAME_MAX + 1]) {
    u32 used = 0;
    for (const char* at = name; *at && used < DECLARATION_NAME_MAX; at++) {
        const char lower = *at >= 'A' && *at <= 'Z' ? (char)(*at - 'A' + 'a') : *at;
        const bool letter = lower >= 'a' && lower <= 'z', digit = lower >= '0' && lower <= '9';
        if (letter || (digit && used))
            fixed[used++] = lower;
        else if (used && fixed[used - 1] != '_')
            fixed[used++] = '_';
    }
    while (used && fixed[used - 1] == '_') used--;
    fixed[used] = 0;
    return fixed;
}

/* Returns NULL, or the error of a name that becomes an identifier in C. */
static const char* identifier_fault(Arena* arena, const char* name) {
    char fixed[DECLARATION_NAME_MAX + 1];
    if (is_keyword(name)) return "is a reserved word of C or C++";
    if (name_is_identifier(text_of(name))) return NULL;
    identifier_fixed(name, fixed);
    return arena_print(
        arena,
        "must begin with a-z and contain only a-z, 0-9 and single '_', at most %u characters%s%s%s",
        DECLARATION_NAME_MAX, *fixed ? "; write \"" : "", fixed, *fixed ? "\"" : "");
}

/* --- values --- */

static u32 offset_of(const Reader* r, const cJSON* node) {
    return json_tree_offset(&r->tree, node);
}

static u32 bytes_of(const Reader* r, const cJSON* node) {
    if (cJSON_IsArray(node) || cJSON_IsObject(node)) return 1;
    return json_value_text(r->tree.source, offset_of(r, node)).bytes;
}

#define NODE_AT(r, node) (r)->tree.source, offset_of(r, node), bytes_of(r, node)

static bool expect(Reader* r, const cJSON* node, JsonKind kind, const char* what) {
    if (json_tree_kind(node) == kind) return true;
    diag_error(r->diag, E0202, NODE_AT(r, node), "%s must be %s, not %s", what,
               json_kind_name(kind), json_kind_name(json_tree_kind(node)));
    return false;
}

/* Reads a value as a level would read it into this field. Returns false after reporting an
 * error. */
static bool value_read(Reader* r, const cJSON* node, const Field* field, void* words) {
    const u32 errors = diag_error_count(r->diag);
    Field     first = *field; /* of a record with no other field */
    Instance  in = {.source = r->tree.source,
                    .offset = offset_of(r, node),
                    .scope = NONE,
                    .diag = r->diag,
                    .record = words};
    first.offset = 0;
    field_compile_value(&in, &first);
    return diag_error_count(r->diag) == errors;
}

static u32 whole_read(Reader* r, const cJSON* node, const char* name, u32 lo, u32 hi,
                      u32 fallback) {
    const Field f = {.name = name, .kind = FIELD_u32, .bytes = 4, .lo = lo, .hi = hi, .unit = ""};
    u32         value = fallback;
    return node && !value_read(r, node, &f, &value) ? fallback : value;
}

static bool truth_read(Reader* r, const cJSON* node, const char* name) {
    const Field f = {.name = name, .kind = FIELD_Bool32, .bytes = 4, .unit = ""};
    u32         value = 0;
    return node && value_read(r, node, &f, &value) && value;
}

/* Returns the index in a list of texts, or `fallback` after reporting an error. */
static u32 word_read(Reader* r, const cJSON* node, const char* name, const char* const* texts,
                     u32 count, u32 fallback) {
    const Field f = {.name = name,
                     .kind = FIELD_Enum32,
                     .bytes = 4,
                     .unit = "",
                     .texts = texts,
                     .text_count = count};
    u32         value = fallback;
    return value_read(r, node, &f, &value) ? value : fallback;
}

static const char* line_read(Reader* r, const cJSON* node, const char* name) {
    if (!node || !expect(r, node, JSON_STRING, name)) return "";
    if (text_is_one_line(text_of(node->valuestring))) {
        return arena_text(r->arena, text_of(node->valuestring));
    }
    diag_error(r->diag, E0202, NODE_AT(r, node),
               "%s must be a single line of at most %u bytes without control characters", name,
               DECLARATION_CONTENT_MAX);
    return "";
}

static bool is_note(const cJSON* member) {
    return strcmp(member->string, "$comment") == 0 || strcmp(member->string, "$schema") == 0;
}

static void key_error(Reader* r, DiagCode code, const cJSON* object, const cJSON* member,
                      const char* format, ...) PRINTF_LIKE(5, 6);

static void key_error(Reader* r, DiagCode code, const cJSON* object, const cJSON* member,
                      const char* format, ...) {
    char       message[512];
    const Text key = json_tree_key(&r->tree, object, member);
    va_list    arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    diag_error(r->diag, code, r->tree.source, (u32)(key.at - r->tree.source->text), key.bytes, "%s",
               message);
}

/* --- older names: "was": "name", or an array of names --- */

static void former_read(Reader* r, const cJSON* node, FormerName name) {
    const bool is_text = name.text != NONE;
    if (!expect(r, node, JSON_STRING, "was")) return;
    const Text text = text_of(node->valuestring);
    if (is_text ? !name_is_enum_text(text) : !name_is_identifier(text)) {
        diag_error(r->diag, E0205, NODE_AT(r, node),
                   "an older name must %scontain only a-z, 0-9 and single '_', and have 1 to %u "
                   "characters",
                   is_text ? "" : "begin with a-z, ", DECLARATION_NAME_MAX);
        return;
    }
    name.name = arena_text(r->arena, text);
    *array_push(&r->was) = (Former){name, node};
}

static void formers_read(Reader* r, const cJSON* object, u32 field, u32 text) {
    const cJSON*     was = json_tree_get(object, "was");
    const FormerName name = {"", field, text};
    if (!was) return;
    if (!cJSON_IsArray(was)) {
        former_read(r, was, name);
        return;
    }
    for (const cJSON* item = was->child; item; item = item->next) former_read(r, item, name);
}

/* What has this name now, among the names with which the older one could be confused? */
static const char* former_conflict(const Reader* r, const Former* was) {
    const RecordType* record = &r->out->type.record;
    const char*       name = was->name.name;
    if (was->name.field == NONE)
        return strcmp(record->name, name) == 0 ? "is the name of the component itself" : NULL;
    if (was->name.text == NONE) {
        for (u32 i = 0; i < record->field_count; i++) {
            if (strcmp(r->fields[i].name, name) == 0)
                return "is the name of a field of this declaration";
        }
    } else {
        const Field* f = &r->fields[was->name.field];
        for (u32 i = 0; i < f->text_count; i++) {
            if (strcmp(f->texts[i], name) == 0) return "is a value of this enum";
        }
    }
    for (const Former* k = r->was.at; k < was; k++) {
        const bool kind = (k->name.field == NONE) == (was->name.field == NONE) &&
                          (k->name.text == NONE) == (was->name.text == NONE) &&
                          (was->name.text == NONE || k->name.field == was->name.field);
        if (kind && strcmp(k->name.name, name) == 0) return "is stated more than once";
    }
    return NULL;
}

static void formers_finish(Reader* r) {
    FormerName* names = ARENA_NEW(r->arena, FormerName, r->was.count + 1);
    u32*        at = ARENA_NEW(r->arena, u32, r->was.count + 1);
    for (u32 i = 0; i < r->was.count; i++) {
        const Former* was = &r->was.at[i];
        const char*   conflict = former_conflict(r, was);
        names[i] = was->name;
        at[i] = offset_of(r, was->node);
        if (conflict) {
            diag_error(r->diag, E0206, NODE_AT(r, was->node),
                       "the older name \"%s\" %s; older blobs could not be distinguished",
                       was->name.name, conflict);
        }
    }
    r->out->type.was = r->was.count ? names : NULL;
    r->out->type.was_count = r->was.count;
    r->out->was_at = at;
    array_drop(&r->was);
}

/* --- one field --- */

/* Reports keys that no type has, and those that this type does not have (FIELD_KIND_COUNT: the type
 * is unknown). */
static void field_keys_check(Reader* r, const cJSON* object, FieldKind kind) {
    const bool  known_type = kind < FIELD_KIND_COUNT;
    const char* type = known_type ? field_kinds[kind].declared : "";
    const u32   traits = known_type ? traits_of(kind) : ~0u;
    for (const cJSON* member = object->child; member; member = member->next) {
        const char* known[COUNT_OF(field_keys)];
        u32         trait = 0, count = 0;
        for (u32 i = 0; i < COUNT_OF(field_keys); i++) {
            if (field_keys[i].trait & traits) known[count++] = field_keys[i].name;
            if (strcmp(member->string, field_keys[i].name) == 0) trait = field_keys[i].trait;
        }
        if (is_note(member) || trait & traits) continue;
        const char* near = trait ? NULL : diag_nearest(text_of(member->string), known, count);
        if (known_type && trait == VALUE) {
            key_error(r, E0201, object, member,
                      "a field of type %s cannot have a \"default\": unless it is \"required\", it "
                      "is %s when a level omits it",
                      type, field_kinds[kind].form == FORM_ENTITY ? "the null entity" : "empty");
            continue;
        }
        key_error(r, E0201, object, member, "unknown key \"%s\" for a field%s%s%s%s%s",
                  member->string, known_type ? " of type " : "", type, DIAG_NEAREST(near));
    }
}

static f64 bound_read(Reader* r, const cJSON* node, const char* name, const Field* f,
                      f64 fallback) {
    Field bound = {.name = name, .kind = f->kind, .bytes = 4, .unit = ""};
    u32   word;
    bound.lo = field_kind(f)->lo;
    bound.hi = field_kind(f)->hi;
    if (!node || !value_read(r, node, &bound, &word)) return fallback;
    return node->valuedouble;
}

static void bounds_read(Reader* r, const cJSON* object, Field* f) {
    const cJSON *least = json_tree_get(object, "min"), *most = json_tree_get(object, "max");
    f->lo = bound_read(r, least, "min", f, field_kind(f)->lo);
    f->hi = bound_read(r, most, "max", f, field_kind(f)->hi);
    if (f->lo <= f->hi) return;
    diag_error(r->diag, E0206, NODE_AT(r, least ? least : most),
               "min (%.9g) must not be greater than max (%.9g)", f->lo, f->hi);
    f->lo = field_kind(f)->lo, f->hi = field_kind(f)->hi;
}

/* "text", or { "name": "text", "was": "older text" }. */
static void enum_text_read(Reader* r, const cJSON* value, Field* f, const char** texts) {
    const cJSON* item = cJSON_IsObject(value) ? json_tree_get(value, "name") : value;
    if (!item) {
        diag_error(r->diag, E0204, NODE_AT(r, value),
                   "an enum value that is an object needs \"name\", and may have \"was\"");
        return;
    }
    for (const cJSON* member = item == value ? NULL : value->child; member; member = member->next) {
        if (is_note(member) || member == item || strcmp(member->string, "was") == 0) continue;
        key_error(r, E0201, value, member,
                  "unknown key \"%s\" for an enum value, which may contain only \"name\" and "
                  "\"was\"",
                  member->string);
    }
    const char* text = item->valuestring;
    if (!expect(r, item, JSON_STRING, "an enum value")) return;
    if (!name_is_enum_text(text_of(text))) {
        diag_error(
            r->diag, E0205, NODE_AT(r, item),
            "an enum value must contain only a-z, 0-9 and single '_', and have 1 to %u characters",
            DECLARATION_NAME_MAX);
        return;
    }
    for (u32 i = 0; i < f->text_count; i++) {
        if (strcmp(texts[i], text) != 0) continue;
        diag_error(r->diag, E0206, NODE_AT(r, item), "duplicate value \"%s\" in this enum", text);
        return;
    }
    texts[f->text_count++] = arena_text(r->arena, text_of(text));
    if (item != value) formers_read(r, value, (u32)(f - r->fields), f->text_count - 1);
}

static void enum_read(Reader* r, const cJSON* object, Field* f) {
    const cJSON* list = json_tree_get(object, "enum");
    const u32    errors = diag_error_count(r->diag);
    if (!list) {
        diag_error(r->diag, E0204, r->tree.source, offset_of(r, object), 1,
                   "a field of type %s needs \"enum\", an array of its values",
                   field_kind(f)->declared);
        return;
    }
    if (!expect(r, list, JSON_ARRAY, "enum")) return;
    const u32 count = (u32)cJSON_GetArraySize(list);
    if (field_form(f) == FORM_FLAGS && count > FIELD_FLAGS_MAX) {
        diag_error(r->diag, E0309, NODE_AT(r, list),
                   "these flags have %u values; the limit is %u, because each is a bit of a u32",
                   count, FIELD_FLAGS_MAX);
        return;
    }
    if (count > DECLARATION_TEXTS_MAX - r->text_count) {
        diag_error(r->diag, E0309, NODE_AT(r, list),
                   "the enums of this component have %u values in total; the limit is %u",
                   r->text_count + count, DECLARATION_TEXTS_MAX);
        return;
    }
    const char** texts = ARENA_NEW(r->arena, const char*, count + 1);
    f->texts = texts;
    for (const cJSON* item = list->child; item; item = item->next) {
        enum_text_read(r, item, f, texts);
    }
    r->text_count += f->text_count;
    if (f->text_count == 0 && diag_error_count(r->diag) == errors) {
        diag_error(r->diag, E0204, NODE_AT(r, list), "%s must have at least one value",
                   field_form(f) == FORM_FLAGS ? "flags" : "an enum");
    }
}

static void resource_read(Reader* r, const cJSON* object, Field* f) {
    const cJSON* node = json_tree_get(object, "resource");
    const char*  suffix[RESOURCE_COUNT];
    for (u32 i = 1; i < RESOURCE_COUNT; i++) suffix[i - 1] = ent_resource_suffix(i);
    if (node) {
        f->refers_to = 1 + word_read(r, node, "resource", suffix, RESOURCE_COUNT - 1, 0);
    } else {
        diag_error(r->diag, E0204, r->tree.source, offset_of(r, object), 1,
                   "a field of type resource needs \"resource\", the type of resource that it "
                   "refers to, such as \"mesh\"");
    }
}

static void default_read(Reader* r, const cJSON* object, Field* f) {
    const cJSON *node = json_tree_get(object, "default"), *required;
    u32          word[4] = {0};
    const bool   link = field_is_link(f);
    required = json_tree_get(object, "required");
    const bool identity = field_form(f) == FORM_UNIT && !node; /* the default of quaternions */
    f->required = required ? truth_read(r, required, "required") : !link && !node && !identity;
    field_fix(f);
    if (identity && !f->required) f->value[3] = 1;
    if (link || identity) return;
    if (node && f->required) {
        key_error(r, E0206, object, node,
                  "a required field cannot have a default; remove one of the two");
    } else if (!node && !f->required) {
        diag_error(r->diag, E0204, NODE_AT(r, required),
                   "a field that is not \"required\" needs a \"default\"");
    } else if (node && (!field_has_texts(f) || f->text_count)) {
        Field named = field_element(f);
        named.name = arena_print(r->arena, "the default of %s%s",
                                 field_is_array(f) ? "each element of " : "", f->name);
        if (!value_read(r, node, &named, word)) return;
        for (u32 i = 0; i < field_words(&named); i++) f->value[i] = field_number(f, &word[i]);
    }
}

/* Types of other languages, and what to write instead. */
static const struct {
    const char *word, *instead;
} foreign_types[] = {
    {"float", "\"f32\""},
    {"double", "\"f32\""},
    {"f64", "\"f32\""},
    {"number", "\"f32\""},
    {"vec2", "\"f32\" with \"count\": 2"},
    {"vec3", "\"f32\" with \"count\": 3"},
    {"vec4", "\"f32\" with \"count\": 4"},
    {"float2", "\"f32\" with \"count\": 2"},
    {"float3", "\"f32\" with \"count\": 3"},
    {"float4", "\"f32\" with \"count\": 4"},
    {"color", "\"f32\" with \"count\": 3, \"min\": 0 and \"max\": 1"},
    {"colour", "\"f32\" with \"count\": 3, \"min\": 0 and \"max\": 1"},
    {"int", "\"i32\""},
    {"integer", "\"i32\", or \"u32\" if the value is never negative"},
    {"int32", "\"i32\""},
    {"uint", "\"u32\""},
    {"uint32", "\"u32\""},
    {"unsigned", "\"u32\""},
    {"boolean", "\"bool\""},
    {"quaternion", "\"quat\""},
    {"bitmask", "\"flags\" with \"enum\", an array of the names of the bits"},
    {"array", "the type of an element, with \"array\", the number of elements"},
    {"string", "\"text\", \"name\" for a name, or \"enum\" for one of several fixed values"},
};

/* Reports a type of another language. False when `node` is none.
 *
 *   types  [count] of this one */
static bool foreign_type_check(Reader* r, const cJSON* node, const char* const* types, u32 count) {
    for (u32 i = 0; cJSON_IsString(node) && i < count; i++) {
        if (strcmp(node->valuestring, types[i]) == 0) return false;
    }
    for (u32 i = 0; cJSON_IsString(node) && i < COUNT_OF(foreign_types); i++) {
        if (strcmp(node->valuestring, foreign_types[i].word) != 0) continue;
        diag_error(r->diag, E0205, NODE_AT(r, node), "invalid value \"%s\" for type; write %s",
                   node->valuestring, foreign_types[i].instead);
        return true;
    }
    return false;
}

/* The kind with the lowest count of the type that is named, or FIELD_KIND_COUNT. */
static FieldKind type_read(Reader* r, const cJSON* object) {
    const cJSON* type = json_tree_get(object, "type");
    FieldKind    kinds[FIELD_KIND_COUNT];
    const char*  words[FIELD_KIND_COUNT];
    char         list[256] = "";
    const u32    count = declaration_types(kinds);
    for (u32 i = 0; i < count; i++) {
        const size_t used = strlen(list);
        words[i] = field_kinds[kinds[i]].declared;
        snprintf(list + used, sizeof list - used, "%s%s",
                 i == 0          ? ""
                 : i + 1 < count ? ", "
                                 : " or ",
                 words[i]);
    }
    const bool foreign = foreign_type_check(r, type, words, count);
    const u32  word = type && !foreign ? word_read(r, type, "type", words, count, NONE) : NONE;
    if (!type) {
        diag_error(r->diag, E0204, r->tree.source, offset_of(r, object), 1,
                   "a field needs \"type\": %s", list);
    }
    return word == NONE ? FIELD_KIND_COUNT : kinds[word];
}

/* The number of elements; 1 when it is no array. */
static u32 array_count_read(Reader* r, const cJSON* object, u32 traits) {
    const cJSON* node = traits & ARRAY_OF ? json_tree_get(object, "array") : NULL;
    return whole_read(r, node, "array", 2, RECORD_ARRAY_MAX, 1);
}

static void field_read(Reader* r, const cJSON* object, Field* f) {
    const FieldKind kind = type_read(r, object);
    field_keys_check(r, object, kind);
    f->unit = line_read(r, json_tree_get(object, "unit"), "unit");
    f->text = line_read(r, json_tree_get(object, "text"), "text");
    if (kind == FIELD_KIND_COUNT) return;
    const u32 traits = traits_of(kind);
    f->kind = kind;
    if (traits & BOUNDED) bounds_read(r, object, f);
    if (traits & COUNTED) {
        const u32 count = whole_read(r, json_tree_get(object, "count"), "count", 1, 4, 1);
        f->kind = field_kind_declared(field_kinds[kind].declared, count);
    }
    f->bytes = field_element_bytes(f) * array_count_read(r, object, traits);
    formers_read(r, object, (u32)(f - r->fields), NONE);
    if (traits & TEXTS) enum_read(r, object, f);
    if (traits & RESOURCE) resource_read(r, object, f);
    default_read(r, object, f);
}

/* --- the complete declaration --- */

static void fields_read(Reader* r, const cJSON* fields) {
    RecordType* record = &r->out->type.record;
    for (const cJSON* member = fields->child; member; member = member->next) {
        if (is_note(member)) continue;
        const char* fault = identifier_fault(r->arena, member->string);
        if (fault) key_error(r, E0301, fields, member, "the name of a field %s", fault);
        if (record->field_count == COMPONENT_COLUMNS_MAX) {
            key_error(r, E0309, fields, member,
                      "this is field number %u; a component may have at most %u fields",
                      record->field_count + 1, COMPONENT_COLUMNS_MAX);
            return;
        }
        if (!expect(r, member, JSON_OBJECT, "a field")) continue;
        Field* f = &r->fields[record->field_count];
        *f = (Field){.name = arena_text(r->arena, text_of(member->string)),
                     .offset = record->bytes,
                     .bytes = 4};
        field_read(r, member, f);
        record->field_count++;
        record->bytes += f->bytes;
        if (record->bytes > DECLARATION_RECORD_MAX &&
            record->bytes - f->bytes <= DECLARATION_RECORD_MAX)
            key_error(r, E0309, fields, member,
                      "with this field an instance has %u bytes; the limit is %u bytes",
                      record->bytes, DECLARATION_RECORD_MAX);
    }
}

static void root_read(Reader* r, const cJSON* root) {
    const cJSON* fields = json_tree_get(root, "fields");
    const u32    errors = diag_error_count(r->diag);
    for (const cJSON* member = root->child; member; member = member->next) {
        bool known = is_note(member);
        for (u32 i = 0; i < COUNT_OF(root_keys); i++) {
            known |= strcmp(member->string, root_keys[i]) == 0;
        }
        if (known) continue;
        key_error(
            r, E0201, root, member, "unknown key \"%s\" in a component declaration%s%s%s",
            member->string,
            DIAG_NEAREST(diag_nearest(text_of(member->string), root_keys, COUNT_OF(root_keys))));
    }
    r->out->text = line_read(r, json_tree_get(root, "text"), "text");
    r->out->type.several =
        truth_read(r, json_tree_get(root, "several"), "several") ? SEVERAL : SINGLE;
    r->out->type.order = whole_read(r, json_tree_get(root, "order"), "order", 0,
                                    DECLARATION_ORDER_MAX, DECLARATION_ORDER);
    formers_read(r, root, NONE, NONE);
    if (fields && expect(r, fields, JSON_OBJECT, "fields")) fields_read(r, fields);
    formers_finish(r);
    if (r->out->type.record.field_count == 0 && diag_error_count(r->diag) == errors) {
        diag_error(r->diag, E0204, r->tree.source, offset_of(r, fields ? fields : root), 1,
                   "a component must have at least one field in \"fields\"");
    }
}

static const char* key_of(const char* resource) {
    const char* slash = strrchr(resource, '/');
    return slash ? slash + 1 : resource;
}

/* Levels that use a declaration with errors are compiled with this type, to find their own
 * errors. */
static void stand_in(Declaration* d) {
    static const Field any = {
        .name = "any", .kind = FIELD_u32, .bytes = 4, .hi = ALL, .unit = "", .text = ""};
    d->type.record.fields = &any;
    d->type.record.field_count = 1;
    d->type.record.bytes = 4;
    d->type.was_count = 0;
}

Declaration* declaration_read(const Source* source, const char* resource, Arena* arena,
                              Diagnostics* diag) {
    Declaration* d = ARENA_NEW(arena, Declaration, 1);
    Reader       r = {.out = d,
                      .arena = arena,
                      .diag = diag,
                      .fields = ARENA_NEW(arena, Field, COMPONENT_COLUMNS_MAX)};
    const u32    errors = diag_error_count(diag);
    const char*  key = arena_text(arena, text_of(key_of(resource)));
    const char*  fault = identifier_fault(arena, key);
    *d = (Declaration){.resource = resource, .text = "", .source = source};
    d->type = (ComponentType){.record = {.name = key, .fields = r.fields},
                              .order = DECLARATION_ORDER,
                              .columns = BY_FIELD,
                              .lookup = HASHED};
    if (fault) {
        diag_error(diag, E0301, source, 0, 1,
                   "this file declares the component \"%s\", but the name of a component %s", key,
                   fault);
    }
    if (json_tree_open(&r.tree, source, 0, diag)) {
        if (expect(&r, r.tree.root, JSON_OBJECT, "a component declaration"))
            root_read(&r, r.tree.root);
        json_tree_close(&r.tree);
    }
    d->has_errors = diag_error_count(diag) != errors;
    if (d->has_errors) stand_in(d);
    ent_component_type_finish(&d->type);
    return d;
}

/* --- all declarations of a folder --- */

static int declaration_order(const void* a, const void* b) {
    const Declaration *x = *(Declaration*const*)a, *y = *(Declaration*const*)b;
    const int          key = strcmp(x->type.record.name, y->type.record.name);
    return key ? key : strcmp(x->source->path, y->source->path);
}

static void compile_nothing(Instance* instance) { UNUSED(instance); }

/* Is the key free? If not, this is reported together with the existing type. */
static bool key_check(const Registry* registry, const Declaration* d, Diagnostics* diag) {
    for (u32 i = 0; i < registry->count; i++) {
        const ComponentCompiler* there = &registry->compiler[i];
        if (strcmp(there->type.record.name, d->type.record.name) != 0) continue;
        if (there->declared) {
            diag_error(diag, E0303, d->source, 0, 1,
                       "duplicate declaration of the component \"%s\"; rename one of the files",
                       d->type.record.name);
            diag_note(diag, there->declared->source, 0, 1, "the other declaration is here");
        } else {
            diag_error(diag, E0303, d->source, 0, 1,
                       "%s already defines a component \"%s\"; rename the file", there->from,
                       d->type.record.name);
        }
        return false;
    }
    return true;
}

static bool is_former(const ComponentType* type, const char* name) {
    for (u32 i = 0; i < type->was_count && type->was[i].field == NONE; i++) {
        if (strcmp(type->was[i].name, name) == 0) return true;
    }
    return false;
}

/* Reports an older name of a component that another type has now, or has had. */
static void formers_check(const Registry* registry, Declaration* const* all, u32 count, u32 index,
                          Diagnostics* diag) {
    const Declaration* d = all[index];
    for (u32 w = 0; w < d->type.was_count && d->type.was[w].field == NONE; w++) {
        const char* name = d->type.was[w].name;
        for (u32 i = 0; i < registry->count; i++) {
            if (strcmp(registry->names[i], name) != 0) continue;
            diag_error(diag, E0303, d->source, d->was_at[w], (u32)strlen(name) + 2,
                       "\"%s\" cannot be an older name of the component \"%s\": %s defines a "
                       "component of that name",
                       name, d->type.record.name, registry->compiler[i].from);
        }
        for (u32 i = 0; i < count; i++) {
            const ComponentType* other = &all[i]->type;
            const bool           is_now = strcmp(other->record.name, name) == 0;
            if (i == index || (!is_now && (i > index || !is_former(other, name)))) continue;
            diag_error(diag, E0303, d->source, d->was_at[w], (u32)strlen(name) + 2,
                       "\"%s\" cannot be an older name of the component \"%s\": it is %s name "
                       "of another one",
                       name, d->type.record.name, is_now ? "the" : "an older");
            diag_note(diag, all[i]->source, 0, 1, "the other component is declared here");
        }
    }
}

void declarations_read(Assets* assets, Registry* registry, Diagnostics* diag) {
    ARRAY(Declaration*) found = {0};
    for (u32 i = 0; i < assets->count; i++) {
        Asset* asset = assets->asset[i];
        if (asset->type != RESOURCE_COMPONENT) continue;
        asset_read(assets, asset); /* its text: errors in it are reported below */
        *array_push(&found) = declaration_read(&asset->source, asset->name, &assets->arena, diag);
    }
    if (found.count) qsort(found.at, found.count, sizeof *found.at, declaration_order);
    for (u32 i = 0; i < found.count; i++) formers_check(registry, found.at, found.count, i, diag);
    for (u32 i = 0; i < found.count; i++) {
        const Declaration*      d = found.at[i];
        const ComponentCompiler add = {.type = d->type,
                                       .compile = d->has_errors ? compile_nothing
                                                                : component_compile_fields,
                                       .from = d->source->path,
                                       .declared = d};
        if (!key_check(registry, d, diag)) continue;
        if (!registry_add(registry, &add, diag))
            diag_note(diag, d->source, 0, 1, "the other component is declared here");
    }
    array_drop(&found);
}
