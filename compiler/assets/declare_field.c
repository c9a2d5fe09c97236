/* declare_field.c - reads a field of a declaration. Numbers, enums and defaults are read by the reader of
 * component fields, so that the diagnostics are the same as for values in a level. */
#include "declare_internal.h"

#include <stdio.h>

#include "diag.h"
#include "fields.h"
#include "sections.h"
#include "hash.h"
#include "slots.h"

/* --- what a field may contain --- */

/* What decides which keys a type has. */
typedef enum Trait {
    ANY = 1,
    COUNTED = 2,   /* "count" chooses between kinds */
    VALUE = 4,     /* no reference */
    BOUNDED = 8,   /* a number with bounds and a unit */
    TEXTS = 16,    /* an enum, or flags */
    RESOURCE = 32, /* a reference to a resource */
    ARRAY_OF = 64, /* there may be an array of them */
    IN_SPACE = 128 /* a vector or a rotation */
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
    const bool is_counted_float = field_kind_is_counted(kind) && field_forms[info->form].is_float;
    if (is_counted_float || info->form == FORM_UNIT) traits |= IN_SPACE;
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
    {"axes", IN_SPACE},
};

/* Kinds that differ in "count" are one type. */
u32 declaration_types(FieldKind kinds[FIELD_KIND_COUNT]) {
    u32 count = 0;
    for (u32 kind = 0; kind < FIELD_KIND_COUNT; kind++) {
        bool is_listed = false;
        for (u32 i = 0; i < count; i++) {
            is_listed |= strcmp(field_kinds[kinds[i]].declared, field_kinds[kind].declared) == 0;
        }
        if (!is_listed) kinds[count++] = (FieldKind)kind;
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

/* --- its keys --- */

/* Returns the index in a list of texts, or `fallback` after reporting an error. */
static u32 word_read(Reader* r, const JsonToken* node, const char* name, const char* const* texts,
                     u32 count, u32 fallback) {
    const Field f = {.name = name,
                     .kind = FIELD_Enum32,
                     .bytes = 4,
                     .unit = "",
                     .texts = texts,
                     .text_count = count};
    u32         value = fallback;
    return node_value(r, node, &f, &value) ? value : fallback;
}

/* Reports keys that no type has, and those that this type does not have (FIELD_KIND_COUNT: the type
 * is unknown). */
static void field_keys_check(Reader* r, const JsonToken* object, FieldKind kind) {
    const bool  known_type = kind < FIELD_KIND_COUNT;
    const char* type = known_type ? field_kinds[kind].declared : "";
    const u32   traits = known_type ? traits_of(kind) : ~0u;
    for (const JsonToken* member = json_first(object); member; member = json_next(member)) {
        const char* known[COUNT_OF(field_keys)];
        u32         trait = 0, count = 0;
        for (u32 i = 0; i < COUNT_OF(field_keys); i++) {
            if (field_keys[i].trait & traits) known[count++] = field_keys[i].name;
            if (json_key_is(member, field_keys[i].name)) trait = field_keys[i].trait;
        }
        if (member_is_note(member) || trait & traits) continue;
        const char* near =
            trait ? NULL : diag_nearest(text_of(member_key(r, member)), known, count);
        if (trait == VALUE) { /* of an unknown type, no key is unknown that any type has */
            member_error(
                r, E0201, member,
                "a field of type %s cannot have a \"default\": unless it is \"required\", it "
                "is %s when a level omits it",
                type, field_kinds[kind].form == FORM_ENTITY ? "the null entity" : "empty");
            continue;
        }
        member_error(r, E0201, member, "unknown key \"%s\" for a field%s%s%s%s%s",
                     member_key(r, member), known_type ? " of type " : "", type,
                     DIAG_NEAREST(near));
    }
}

static f64 bound_read(Reader* r, const JsonToken* node, const char* name, const Field* f,
                      f64 fallback) {
    Field bound = {.name = name, .kind = f->kind, .bytes = 4, .unit = ""};
    u32   word;
    bound.lo = field_kind(f)->lo;
    bound.hi = field_kind(f)->hi;
    if (!node || !node_value(r, node, &bound, &word)) return fallback;
    return json_token_number(node);
}

static void bounds_read(Reader* r, const JsonToken* object, Field* f) {
    const JsonToken *min = json_get(object, "min"), *max = json_get(object, "max");
    f->lo = bound_read(r, min, "min", f, field_kind(f)->lo);
    f->hi = bound_read(r, max, "max", f, field_kind(f)->hi);
    if (f->lo <= f->hi) return;
    diag_error(r->diag, E0206, NODE_AT(r, min ? min : max),
               "min (%.9g) must not be greater than max (%.9g)", f->lo, f->hi);
    f->lo = field_kind(f)->lo, f->hi = field_kind(f)->hi;
}

/* "text", or { "name": "text", "was": "older text" }. `slots`: of the texts, by hash. */
static void enum_text_read(Reader* r, const JsonToken* value, Field* f, const char** texts,
                           const Slots* slots) {
    const JsonToken* item = json_token_is(value, JSON_OBJECT) ? json_get(value, "name") : value;
    if (!item) {
        diag_error(r->diag, E0204, NODE_AT(r, value),
                   "an enum value that is an object needs \"name\", and may have \"was\"");
        return;
    }
    for (const JsonToken* member = item == value ? NULL : json_first(value); member;
         member = json_next(member)) {
        if (member_is_note(member) || member == item || json_key_is(member, "was")) continue;
        member_error(r, E0201, member,
                     "unknown key \"%s\" for an enum value, which may contain only \"name\" and "
                     "\"was\"",
                     member_key(r, member));
    }
    if (!node_expect(r, item, JSON_STRING, "an enum value")) return;
    const char* text = node_text(r, item);
    if (!name_is_enum_text(text_of(text))) {
        diag_error(
            r->diag, E0205, NODE_AT(r, item),
            "an enum value must contain only a-z, 0-9 and single '_', and have 1 to %u characters",
            DECLARATION_NAME_MAX);
        return;
    }
    u32* slot = slots_first(slots, hash_bytes(text, strlen(text), 0));
    for (; *slot; slot = slots_next(slots, slot)) {
        if (strcmp(texts[*slot - 1], text) != 0) continue;
        diag_error(r->diag, E0206, NODE_AT(r, item), "duplicate value \"%s\" in this enum", text);
        return;
    }
    *slot = f->text_count + 1;
    texts[f->text_count++] = text;
    if (item != value) formers_read(r, value, (u32)(f - r->fields), f->text_count - 1);
}

static void enum_read(Reader* r, const JsonToken* object, Field* f) {
    const JsonToken* list = json_get(object, "enum");
    const u32        errors = diag_error_count(r->diag);
    if (!list) {
        diag_error(r->diag, E0204, r->source, node_offset(r, object), 1,
                   "a field of type %s needs \"enum\", an array of its values",
                   field_kind(f)->declared);
        return;
    }
    if (!node_expect(r, list, JSON_ARRAY, "enum")) return;
    const u32 count = json_token_count(list);
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
    u32          memory[2 * DECLARATION_TEXTS_MAX] = {0};
    const Slots  slots = {memory, slots_needed(count, 16)};
    f->texts = texts;
    for (const JsonToken* item = json_first(list); item; item = json_next(item)) {
        enum_text_read(r, item, f, texts, &slots);
    }
    r->text_count += f->text_count;
    if (f->text_count == 0 && diag_error_count(r->diag) == errors) {
        diag_error(r->diag, E0204, NODE_AT(r, list), "%s must have at least one value",
                   field_form(f) == FORM_FLAGS ? "flags" : "an enum");
    }
}

static void resource_read(Reader* r, const JsonToken* object, Field* f) {
    const JsonToken* node = json_get(object, "resource");
    const char*      suffix[RESOURCE_COUNT];
    for (u32 i = 1; i < RESOURCE_COUNT; i++) suffix[i - 1] = ent_resource_suffix(i);
    if (node) {
        f->refers_to = 1 + word_read(r, node, "resource", suffix, RESOURCE_COUNT - 1, 0);
    } else {
        diag_error(r->diag, E0204, r->source, node_offset(r, object), 1,
                   "a field of type resource needs \"resource\", the type of resource that it "
                   "refers to, such as \"mesh\"");
    }
}

static void default_read(Reader* r, const JsonToken* object, Field* f) {
    const JsonToken *node = json_get(object, "default"), *required;
    u32              word[4] = {0};
    const bool       link = field_is_link(f);
    required = json_get(object, "required");
    const bool identity = field_form(f) == FORM_UNIT && !node; /* the default of quaternions */
    f->required = required ? node_truth(r, required, "required") : !link && !node && !identity;
    field_fix(f);
    if (identity && !f->required) f->value[3] = 1;
    if (link || identity) return;
    if (node && f->required) {
        member_error(r, E0206, node,
                     "a required field cannot have a default; remove one of the two");
    } else if (!node && !f->required) {
        diag_error(r->diag, E0204, NODE_AT(r, required),
                   "a field that is not \"required\" needs a \"default\"");
    } else if (node && (!field_has_texts(f) || f->text_count)) {
        Field named = field_element(f);
        named.name = arena_print(r->arena, "the default of %s%s",
                                 field_is_array(f) ? "each element of " : "", f->name);
        if (!node_value(r, node, &named, word)) return;
        assert(field_words(&named) <= COUNT_OF(word)); /* it is one element */
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

/* Reports a type of another language. False when `node` is none. */
static bool foreign_type_check(Reader* r, const JsonToken* node) {
    for (u32 i = 0; json_token_is(node, JSON_STRING) && i < COUNT_OF(foreign_types); i++) {
        if (!json_token_equals(node, foreign_types[i].word)) continue;
        diag_error(r->diag, E0205, NODE_AT(r, node), "invalid value \"%s\" for type; write %s",
                   node_text(r, node), foreign_types[i].instead);
        return true;
    }
    return false;
}

/* The kind with the lowest count of the type that is named, or FIELD_KIND_COUNT. */
static FieldKind type_read(Reader* r, const JsonToken* object) {
    const JsonToken* type = json_get(object, "type");
    FieldKind        kinds[FIELD_KIND_COUNT];
    const char*      words[FIELD_KIND_COUNT];
    char             list[256] = "";
    const u32        count = declaration_types(kinds);
    for (u32 i = 0; i < count; i++) {
        const size_t used = strlen(list);
        words[i] = field_kinds[kinds[i]].declared;
        snprintf(list + used, sizeof list - used, "%s%s",
                 i == 0          ? ""
                 : i + 1 < count ? ", "
                                 : " or ",
                 words[i]);
    }
    const bool foreign = foreign_type_check(r, type);
    const u32  word = type && !foreign ? word_read(r, type, "type", words, count, NONE) : NONE;
    if (!type) {
        diag_error(r->diag, E0204, r->source, node_offset(r, object), 1,
                   "a field needs \"type\": %s", list);
    }
    return word == NONE ? FIELD_KIND_COUNT : kinds[word];
}

/* The number of elements; 1 when it is no array. */
static u32 array_count_read(Reader* r, const JsonToken* object, u32 traits) {
    const JsonToken* node = traits & ARRAY_OF ? json_get(object, "array") : NULL;
    return node_complete(r, node, "array", 2, RECORD_ARRAY_MAX, 1);
}

static const char* const axes_names[] = {"none", "point", "direction", "size", "rotation"};

const char* axes_name(EntAxes axes) { return axes_names[axes]; }

u32 declaration_axes(FieldKind kind, const char* words[ENT_AXES_ROTATION + 1]) {
    const bool turns = field_kinds[kind].form == FORM_UNIT;
    const u32  count = turns ? 2 : ENT_AXES_ROTATION;
    for (u32 i = 0; i < count; i++)
        words[i] = turns && i ? axes_names[ENT_AXES_ROTATION] : axes_names[i];
    return count;
}

/* What the vector is in space; a quaternion is a rotation. */
static void axes_read(Reader* r, const JsonToken* object, Field* f) {
    const JsonToken* node = json_get(object, "axes");
    const bool       turns = field_form(f) == FORM_UNIT;
    const char*      words[ENT_AXES_ROTATION + 1];
    const u32        count = declaration_axes(f->kind, words);
    if (turns) f->axes = ENT_AXES_ROTATION;
    if (!node) return;
    const u32 word = word_read(r, node, "axes", words, count, 0);
    f->axes = turns && word ? ENT_AXES_ROTATION : (EntAxes)word;
    if (f->axes != ENT_AXES_NONE && !turns && field_kind(f)->words != 3)
        member_error(r, E0206, node, "only a field with \"count\": 3 is a vector in space");
}

void declared_field_read(Reader* r, const JsonToken* object, Field* f) {
    const FieldKind kind = type_read(r, object);
    field_keys_check(r, object, kind);
    f->unit = node_line(r, json_get(object, "unit"), "unit");
    f->text = node_line(r, json_get(object, "text"), "text");
    if (kind == FIELD_KIND_COUNT) return;
    const u32 traits = traits_of(kind);
    f->kind = kind;
    if (traits & BOUNDED) bounds_read(r, object, f);
    if (traits & COUNTED) {
        const u32 count = node_complete(r, json_get(object, "count"), "count", 1, 4, 1);
        f->kind = field_kind_declared(field_kinds[kind].declared, count);
    }
    f->bytes = field_element_bytes(f) * array_count_read(r, object, traits);
    formers_read(r, object, (u32)(f - r->fields), NONE);
    if (traits & TEXTS) enum_read(r, object, f);
    if (traits & RESOURCE) resource_read(r, object, f);
    if (traits & IN_SPACE) axes_read(r, object, f);
    default_read(r, object, f);
}
