/* component_fields.c - reads the fields of a field table from the tokens of an object. */
#include "component_members.h"
#include "diag.h"
#include "field_forms.h"

static void field_read(Instance* in, const JsonToken* value, const Field* f) {
    u8* const to = (u8*)in->record + f->offset;
    if (field_is_array(f))
        array_read(in, value, f, to);
    else
        field_form_compiler(f)->read(in, value, f, to);
}

void field_compile_value(Instance* in, const Field* f) { field_read(in, in->value, f); }

static void unknown_field(Instance* in, const RecordType* type, const JsonToken* member,
                          const char* const* others, u32 other_count) {
    const Text  key = json_token_key(member).raw;
    const char* names[96];
    u32         count = 0;
    for (u32 i = 0; i < type->field_count && count < COUNT_OF(names); i++) {
        names[count++] = type->fields[i].name;
    }
    for (u32 i = 0; i < other_count && count < COUNT_OF(names); i++) names[count++] = others[i];
    const char* near = diag_nearest(key, names, count);
    diag_error(in->diag, E0201, in->source, json_token_offset(in->source, member - 1),
               key.bytes + 2, "%s has no field \"%.*s\"%s%s%s", type->name, (int)key.bytes, key.at,
               DIAG_NEAREST(near));
}

/* Fields are usually written in the order of the manual: the one after the last is compared
 * first. */
static u32 field_index(const RecordType* type, JsonString key, u32 guess) {
    for (u32 n = 0; n < type->field_count; n++) {
        const u32 i = guess + n < type->field_count ? guess + n : guess + n - type->field_count;
        if (json_equals(key, type->fields[i].name)) return i;
    }
    return NONE;
}

static bool is_among(JsonString key, const char* const* names, u32 count) {
    for (u32 i = 0; i < count; i++) {
        if (json_equals(key, names[i])) return true;
    }
    return false;
}

void record_compile_fields_beside(Instance* in, const RecordType* type, const char* const* others,
                                  u32 other_count) {
    u32 next = 0;
    for (const JsonToken* m = json_first(in->value); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        const u32        i = field_index(type, key, next);
        if (i == NONE) {
            if (!json_key_is_note(key) && !is_among(key, others, other_count))
                unknown_field(in, type, m, others, other_count);
            continue;
        }
        in->given |= 1ull << i;
        in->given_here |= 1ull << i;
        next = i + 1;
        field_read(in, m, &type->fields[i]);
    }
}

void record_compile_fields(Instance* in, const RecordType* type) {
    record_compile_fields_beside(in, type, NULL, 0);
}

/* "name": value, in a list of members: the number of the owner, the place of the name, and the value. */
static void member_read(Instance* in) {
    const RecordType* type = &in->type->record;
    const u32         owner = in->item | MEMBER_IS_UNRESOLVED;
    const u32         offset = json_token_offset(in->source, in->value - 1);
    const ResourceRef place = in->links->place(in, offset);
    assert(type->field_count == 3);
    memcpy((u8*)in->record + type->fields[0].offset, &owner, sizeof owner);
    memcpy((u8*)in->record + type->fields[1].offset, &place, sizeof place);
    field_read(in, in->value, &type->fields[2]);
    in->given = in->given_here = 7;
}

void component_compile_fields(Instance* in) {
    if (in->item != NONE)
        member_read(in);
    else
        record_compile_fields_beside(in, &in->type->record, &in->member, in->member != NULL);
}

void record_fields_visit(Instance* in, const RecordType* type,
                         void (*visit)(Instance* in, const JsonToken* value, const Field* field)) {
    for (const JsonToken* m = json_first(in->value); m; m = json_next(m)) {
        const JsonString key = json_token_key(m);
        const u32        i = field_index(type, key, 0);
        if (i != NONE)
            visit(in, m, &type->fields[i]);
        else if (!json_key_is_note(key))
            unknown_field(in, type, m, NULL, 0);
    }
}

void record_require_fields(const Instance* in, const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++) {
        char text[FIELD_JSON_BYTES];
        if (!type->fields[i].required || in->given >> i & 1) continue;
        diag_error(in->diag, E0204, in->source, in->offset, 1, "%s needs \"%s\", %s", type->name,
                   type->fields[i].name, field_json(&type->fields[i], text));
    }
}
