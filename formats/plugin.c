/* plugin.c - validates a plugin's description of a component like input from a file, and
 * copies it. */
#include "plugin_internal.h"

#include <stdarg.h>
#include <stdio.h>

#include "sections.h"

static_assert(PLUGIN_ORDER_MAX == DECLARATION_ORDER_MAX, "one range of spawn orders");

static bool fault(char* reason, size_t room, const char* format, ...) PRINTF_LIKE(3, 4);

static bool fault(char* reason, size_t room, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, room, format, arguments);
    va_end(arguments);
    return false;
}

/* At most the longest allowed text is read, because the terminator may be missing. */
static Text text_within(const char* text, u32 max) {
    const char* end = memchr(text, 0, max + 1u);
    return (Text){text, end ? (u32)(end - text) : max + 1u};
}

static bool is_identifier(const char* name) {
    return name && name_is_identifier(text_within(name, DECLARATION_NAME_MAX));
}

static bool is_line(const char* text) {
    return !text || text_is_one_line(text_within(text, DECLARATION_CONTENT_MAX));
}

/* Can a word of this kind hold this bound or default? */
static bool number_fits(const Field* f, f64 number) { return field_form_info(f)->holds(number); }

/* The row as a Field; names and texts still belong to the plugin. */
static Field field_of(const PluginField1* from) {
    Field           f = {.name = from->name,
                         .kind = field_kind_named(from->type),
                         .offset = from->offset,
                         .bytes = from->bytes,
                         .required = from->required != 0,
                         .lo = from->lo,
                         .hi = from->hi,
                         .unit = from->unit ? from->unit : "",
                         .text = from->text ? from->text : ""};
    const FieldForm form = field_form(&f);
    if (!field_is_link(&f)) memcpy(f.value, from->value, sizeof f.value);
    if (form == FORM_RESOURCE) f.refers_to = from->refers_to;
    if (field_has_texts(&f)) f.texts = from->texts, f.text_count = from->text_count;
    if (!field_is_float(&f)) field_fix(&f);
    return f;
}

static bool texts_check(const PluginField1* f, char* reason, size_t room) {
    const u32 max =
        field_kind_named(f->type) == FIELD_Flags32 ? FIELD_FLAGS_MAX : DECLARATION_TEXTS_MAX;
    if (!f->texts || f->text_count == 0 || f->text_count > max) {
        return fault(reason, room, "field \"%s\": a field of type %s must have 1 to %u texts",
                     f->name, f->type, max);
    }
    for (u32 i = 0; i < f->text_count; i++) {
        if (!f->texts[i] || !name_is_enum_text(text_within(f->texts[i], DECLARATION_NAME_MAX))) {
            return fault(reason, room,
                         "field \"%s\": text %u must contain only a-z, 0-9 and single '_', at most "
                         "%u characters",
                         f->name, i, DECLARATION_NAME_MAX);
        }
        for (u32 k = 0; k < i; k++) {
            if (strcmp(f->texts[k], f->texts[i]) != 0) continue;
            return fault(reason, room, "field \"%s\": duplicate text \"%s\"", f->name, f->texts[i]);
        }
    }
    return true;
}

static bool range_check(const PluginField1* from, char* reason, size_t room) {
    const Field f = field_of(from);
    const u32   words = field_kind(&f)->words;
    RecordType  alone = {from->name, &f, 1, f.bytes};
    Field       first = f;
    u32         word[4 * RECORD_ARRAY_MAX];
    if (!number_fits(&f, f.lo) || !number_fits(&f, f.hi) || !(f.lo <= f.hi)) {
        return fault(reason, room, "field \"%s\": %.9g to %.9g is not a range of %s", f.name, f.lo,
                     f.hi, from->type);
    }
    if (f.required) return true;
    for (u32 w = 0; w < words; w++) {
        if (number_fits(&f, f.value[w])) continue;
        return fault(reason, room, "field \"%s\": its default %.9g is not a valid %s", f.name,
                     f.value[w], from->type);
    }
    first.offset = 0;
    alone.fields = &first;
    record_defaults(&alone, word);
    const char* wrong = field_fault(&first, word);
    return !wrong || fault(reason, room, "field \"%s\": its default %s", f.name, wrong);
}

static bool field_check(const PluginField1* f, u32 offset, char* reason, size_t room) {
    const FieldKind kind = f->type ? field_kind_named(f->type) : FIELD_KIND_COUNT;
    if (kind == FIELD_KIND_COUNT) {
        return fault(reason, room, "field \"%s\": unknown type \"%.40s\"", f->name,
                     f->type ? f->type : "");
    }
    const FieldForm form = field_kinds[kind].form;
    const u32       bytes = 4 * field_kinds[kind].words;
    const u32       max = form == FORM_FLAGS ? 1 : RECORD_ARRAY_MAX;
    if (f->bytes % bytes || f->bytes / bytes < 1 || f->bytes / bytes > max) {
        return fault(reason, room, "field \"%s\": a %s has %u bytes%s, not %u", f->name, f->type,
                     bytes, max > 1 ? ", or an array of 2 to 16 of them" : "", f->bytes);
    }
    if (f->offset != offset) {
        return fault(
            reason, room,
            "field \"%s\": its offset is %u, but must be %u, the end of the field before it",
            f->name, f->offset, offset);
    }
    if (!is_line(f->unit) || !is_line(f->text)) {
        return fault(
            reason, room,
            "field \"%s\": unit and text must each be one line of UTF-8 of at most %u bytes",
            f->name, DECLARATION_CONTENT_MAX);
    }
    if (form == FORM_RESOURCE &&
        (f->refers_to == RESOURCE_NONE || f->refers_to >= RESOURCE_COUNT)) {
        return fault(reason, room, "field \"%s\": unknown resource type %u", f->name, f->refers_to);
    }
    if ((form == FORM_ENUM || form == FORM_FLAGS) && !texts_check(f, reason, room)) return false;
    return range_check(f, reason, room);
}

static bool fields_check(const PluginComponent1* c, char* reason, size_t room) {
    u32 offset = 0;
    for (u32 i = 0; i < c->field_count; i++) {
        const PluginField1* f = &c->fields[i];
        if (!is_identifier(f->name)) {
            return fault(reason, room,
                         "the name of field %u must begin with a-z and contain only a-z, 0-9 and "
                         "single '_', at most %u characters",
                         i, DECLARATION_NAME_MAX);
        }
        for (u32 k = 0; k < i; k++) {
            if (strcmp(c->fields[k].name, f->name) != 0) continue;
            return fault(reason, room, "duplicate field \"%s\"", f->name);
        }
        if (!field_check(f, offset, reason, room)) return false;
        offset += f->bytes;
    }
    if (offset == c->bytes) return true;
    return fault(reason, room, "its fields have %u bytes, but its record has %u bytes", offset,
                 c->bytes);
}

bool plugin_component_check(const PluginComponent1* c, char* reason, size_t room) {
    if (!c) return fault(reason, room, "the description is missing");
    const u32 max = c->by_field ? COMPONENT_COLUMNS_MAX : PLUGIN_FIELDS_MAX;
    if (!is_identifier(c->name)) {
        return fault(reason, room,
                     "its name must begin with a-z and contain only a-z, 0-9 and single '_', at "
                     "most %u characters",
                     DECLARATION_NAME_MAX);
    }
    if (!c->fields || c->field_count == 0 || c->field_count > max) {
        return fault(reason, room, "a component%s must have 1 to %u fields, not %u",
                     c->by_field ? " that is a structure of arrays" : "", max,
                     c->fields ? c->field_count : 0);
    }
    if (c->bytes > PLUGIN_RECORD_BYTES_MAX) {
        return fault(reason, room, "a record must have at most %u bytes, not %u",
                     PLUGIN_RECORD_BYTES_MAX, c->bytes);
    }
    if (c->order > PLUGIN_ORDER_MAX) {
        return fault(reason, room, "a spawn order must be at most %u, not %u", PLUGIN_ORDER_MAX,
                     c->order);
    }
    if (c->several > 1 || c->by_field > 1 || c->direct > 1) {
        return fault(reason, room, "several, by_field and direct must be 0 or 1");
    }
    return fields_check(c, reason, room);
}

/* --- the copy --- */

/* The position of the next item, or the size of all: the same walk measures and copies. */
typedef struct Copy {
    u8*    at; /* NULL while measuring */
    size_t used;
} Copy;

static void* copy_capacity(Copy* copy, size_t bytes) {
    void* here = copy->at ? copy->at + copy->used : NULL;
    copy->used += (size_t)align_up(bytes, 8);
    return here;
}

static const char* copy_text(Copy* copy, const char* text) {
    const size_t bytes = strlen(text) + 1;
    char*        to = copy_capacity(copy, bytes);
    if (to) memcpy(to, text, bytes);
    return to;
}

static void copy_field(Copy* copy, const PluginField1* from, Field* to) {
    Field        f = field_of(from);
    const char** texts = f.text_count ? copy_capacity(copy, sizeof(char*) * f.text_count) : NULL;
    f.name = copy_text(copy, f.name);
    f.unit = copy_text(copy, f.unit);
    f.text = copy_text(copy, f.text);
    for (u32 i = 0; i < f.text_count; i++) {
        const char* text = copy_text(copy, from->texts[i]);
        if (texts) texts[i] = text;
    }
    f.texts = texts;
    if (to) *to = f;
}

static ComponentType component_copy(Copy* copy, const PluginComponent1* c) {
    Field*      fields = copy_capacity(copy, sizeof(Field) * c->field_count);
    const char* name = copy_text(copy, c->name);
    for (u32 i = 0; i < c->field_count; i++) {
        copy_field(copy, &c->fields[i], fields ? &fields[i] : NULL);
    }
    return (ComponentType){.record = {name, fields, c->field_count, c->bytes},
                           .order = c->order,
                           .several = c->several ? SEVERAL : SINGLE,
                           .columns = c->by_field ? BY_FIELD : BY_RECORD,
                           .lookup = c->direct ? DIRECT : HASHED};
}

size_t plugin_component_bytes(const PluginComponent1* component) {
    Copy measure = {0};
    component_copy(&measure, component);
    return measure.used;
}

ComponentType plugin_component_open(const PluginComponent1* component, void* memory) {
    Copy          copy = {.at = memory};
    ComponentType type = component_copy(&copy, component);
    ent_component_type_finish(&type);
    return type;
}
