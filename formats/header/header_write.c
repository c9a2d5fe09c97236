/* header_write.c - writes the installed lists.h, records.h and rows.h from the field tables.
 *
 *     header_write lists|records|rows FORMATS      FORMATS: the folder formats/, whose component headers
 *                                                  explain each record in their first comment
 *
 * In this tree, these headers expand from the same tables by macros; a host gets plain C. */
#include <stdio.h>
#include <stdlib.h>

#include "f32_text.h"
#include "file.h"
#include "records.h"
#include "sections.h"

/* --- names --- */

static bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
static bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
static char to_upper(char c) { return is_lower(c) ? (char)(c - 'a' + 'A') : c; }

/* "environment_probe" becomes EnvironmentProbe. */
static const char* camel(const char* name) {
    static char text[4][128];
    static u32  turn;
    char*       out = text[turn++ % 4];
    size_t      used = 0;
    bool        upper = true;
    for (const char* at = name; *at && used < 127; at++) {
        if (*at != '_') out[used++] = upper ? to_upper(*at) : *at;
        upper = *at == '_';
    }
    out[used] = 0;
    return out;
}

/* "environment_probe" becomes ENVIRONMENT_PROBE, and ResourceRef becomes RESOURCE_REF. */
static const char* upper(const char* name) {
    static char text[4][128];
    static u32  turn;
    char*       out = text[turn++ % 4];
    size_t      used = 0;
    for (const char* at = name; *at && used < 126; at++) {
        const bool word = at > name && is_upper(*at) && !is_upper(at[-1]);
        if (word) out[used++] = '_';
        out[used++] =
            is_upper(*at) || is_lower(*at) || (*at >= '0' && *at <= '9') ? to_upper(*at) : '_';
    }
    out[used] = 0;
    return out;
}

/* --- numbered lists --- */

#define LIST_BEGIN(Type) printf("typedef enum Ent%s {\n", Type)
#define LIST_END(Type)   printf("} Ent%s;\n\n", Type)

static void lists_write(void) {
    printf("/* lists.h - the numbered lists of the format. Written from its tables. */\n"
           "#ifndef ENT_LISTS_H\n#define ENT_LISTS_H\n\n");
    printf("/* Types of resources. */\n");
    LIST_BEGIN("ResourceType");
    printf("    ENT_RESOURCE_NONE,\n");
    for (u32 i = RESOURCE_NONE + 1; i < RESOURCE_COUNT; i++)
        printf("    ENT_RESOURCE_%s,\n", upper(ent_resource_suffix(i)));
    printf("    ENT_RESOURCE_COUNT\n");
    LIST_END("ResourceType");

#define SECTION_WRITE(NAME, content, name, Type, resources, text)                                  \
    printf("    ENT_SECTION_%s, /* %s */\n", #NAME, text);
    printf("/* Kinds of sections, in their order in a blob. */\n");
    LIST_BEGIN("SectionKind");
    printf("    ENT_SECTION_NONE,\n");
    SECTION_LIST(SECTION_WRITE)
    printf("    ENT_SECTION_KIND_COUNT\n");
    LIST_END("SectionKind");

    printf("/* Kinds of fields. */\n");
    LIST_BEGIN("FieldKind");
    for (u32 i = 0; i < FIELD_KIND_COUNT; i++)
        printf("    ENT_FIELD_%s,\n", upper(FIELD_KIND_TEXTS[i]));
    printf("    ENT_FIELD_KIND_COUNT\n");
    LIST_END("FieldKind");

    printf("/* The built-in component types, in spawn order. */\n");
    LIST_BEGIN("ComponentIndex");
    for (u32 i = 0; i < COMPONENT_COUNT; i++)
        printf("    ENT_COMPONENT_%s,\n", upper(ent_component_types()[i].record.name));
    printf("    ENT_COMPONENT_COUNT\n");
    LIST_END("ComponentIndex");
    printf("#endif\n");
}

/* --- records --- */

/* An enum of the record's own, and not the list of resources or of field kinds. */
static bool has_enum_type(const Field* f) {
    return field_form(f) == FORM_ENUM && strcmp(f->texts[0], "none") != 0 &&
           strcmp(f->texts[0], "f32") != 0;
}

static void flags_write(const RecordType* type, const Field* f) {
    for (u32 k = 0; k < f->text_count; k++)
        printf("#define ENT_%s_%s_%s 0x%08xu\n", upper(type->name), upper(f->name),
               upper(f->texts[k]), 1u << k);
    printf("\n");
}

static void enums_write(const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        if (field_form(f) == FORM_FLAGS) flags_write(type, f);
        if (!has_enum_type(f)) continue;
        printf("typedef enum Ent%s%s {\n", camel(type->name), camel(f->name));
        for (u32 k = 0; k < f->text_count; k++)
            printf("    ENT_%s_%s_%s%s\n", upper(type->name), upper(f->name), upper(f->texts[k]),
                   k + 1 < f->text_count ? "," : "");
        printf("} Ent%s%s;\n\n", camel(type->name), camel(f->name));
    }
}

static const char* number(char out[F32_TEXT_BYTES], const Field* f, f64 value) {
    if (field_is_float(f))
        f32_text(out, (f32)value);
    else
        snprintf(out, F32_TEXT_BYTES, "%.0f", value);
    return out;
}

static void bounds_write(const Field* f) {
    char                 lo[F32_TEXT_BYTES], hi[F32_TEXT_BYTES];
    const FieldFormInfo* form = field_form_info(f);
    const bool           low =
        form->is_float ? (f32)f->lo <= (f32)LOW : field_kind(f)->lo < 0 && !field_has_lowest(f);
    const bool high = form->is_float ? (f32)f->hi >= (f32)HIGH : !field_has_highest(f);
    if (!field_has_numbers(f) || (low && high) || f->refers_to) return;
    if (high)
        printf("at least %s; ", number(lo, f, f->lo));
    else
        printf("%s to %s; ", number(lo, f, f->lo), number(hi, f, f->hi));
}

static void field_write(const RecordType* type, const Field* f) {
    printf("    %s %s", field_kind(f)->c_type, f->name);
    if (field_is_array(f)) printf("[%u]", field_elements(f));
    printf("; /* ");
    if (*f->unit) printf("[%s] ", f->unit);
    bounds_write(f);
    if (has_enum_type(f)) printf("Ent%s%s; ", camel(type->name), camel(f->name));
    if (field_form(f) == FORM_RESOURCE) printf("a %s; ", ent_resource_suffix(f->refers_to));
    printf("%s */\n", f->text);
}

/* The first comment of the header of that name, when there is one. */
static void comment_write(const char* formats, const char* name) {
    char     path[1024];
    FileView view;
    snprintf(path, sizeof path, "%s/components/%s.h", formats, name);
    if (file_map(&view, path) != ENT_OK) return;
    const char* text = (const char*)view.bytes;
    const char* first = strstr(text, " - ");
    const char* end = strstr(text, "*/");
    if (first && end && first < end)
        printf("/* `%s`: %.*s */\n", name, (int)(end - first - 4), first + 3);
    file_unmap(&view);
}

static void record_write(const char* formats, const RecordType* type) {
    enums_write(type);
    comment_write(formats, type->name);
    printf("typedef struct Ent%sRecord {\n", camel(type->name));
    for (u32 i = 0; i < type->field_count; i++) field_write(type, &type->fields[i]);
    printf("} Ent%sRecord;\n\n", camel(type->name));
}

static void records_write(const char* formats) {
    printf("/* records.h - every record and enum of the format. Written from the field tables.\n"
           " *\n"
           " * A comment states the unit in brackets, then the bounds of each number, then the "
           "meaning.\n"
           " * Records have no padding: every member is made of 32-bit words. */\n"
           "#ifndef ENT_RECORDS_H\n#define ENT_RECORDS_H\n\n#include \"lists.h\"\n#include "
           "\"types.h\"\n\n");
    printf("/* --- components --- */\n\n");
    for (u32 i = 0; i < COMPONENT_COUNT; i++)
        record_write(formats, &ent_component_types()[i].record);
    printf("/* --- sections of resources --- */\n\n");
    for (u32 kind = 0; kind < SECTION_KIND_COUNT; kind++) {
        if (section_record(kind)) record_write(formats, section_record(kind));
    }
    printf("#endif\n");
}

/* --- rows --- */

static void rows_write_type(const ComponentType* type) {
    const char* name = type->record.name;
    const bool  by_field = type->columns == BY_FIELD;
    printf("typedef struct Ent%sRows {\n    uint32_t count;\n    const EntEntity* entity; /* "
           "[count] */\n",
           camel(name));
    if (!by_field) printf("    Ent%sRecord* record; /* [count] */\n", camel(name));
    for (u32 i = 0; by_field && i < type->record.field_count; i++)
        printf("    %s* %s; /* [count] */\n", field_kind(&type->record.fields[i])->c_type,
               type->record.fields[i].name);
    printf("} Ent%sRows;\n\n", camel(name));
    printf("static inline Ent%sRows ent_%s_rows(EntWorld* world) {\n", camel(name), name);
    printf("    const EntManager* m = ent_world_built_in(world, ENT_COMPONENT_%s);\n", upper(name));
    printf("    Ent%sRows rows = {m->count, m->entity", camel(name));
    for (u32 i = 0; by_field && i < type->record.field_count; i++)
        printf(", ENT_COLUMN(%s, m->column[%u])", field_kind(&type->record.fields[i])->c_type, i);
    if (!by_field) printf(", ENT_COLUMN(Ent%sRecord, m->column[0])", camel(name));
    printf("};\n    return rows;\n}\n\n");
}

static void rows_write(void) {
    printf(
        "/* rows.h - rows of the built-in types, for loops over them. Written from the field "
        "tables.\n"
        " *\n"
        " * Each type has such a function: count, entity[], and record[] of a type that is an "
        "array "
        "of\n"
        " * structures, one array per field of one that is a structure of arrays. Valid until rows "
        "are\n"
        " * added or removed.\n"
        " *\n"
        " *     float              total = 0;\n"
        " *     const EntLightRows lights = ent_light_rows(world);\n"
        " *     for (uint32_t i = 0; i < lights.count; i++) total += lights.record[i].intensity;\n"
        " *\n"
        " * Cost     a call and some loads. */\n"
        "#ifndef ENT_ROWS_H\n#define ENT_ROWS_H\n\n#include \"records.h\"\n#include \"world.h\"\n\n"
        "#ifdef __cplusplus\n#define ENT_COLUMN(Type, column) static_cast<Type*>(column)\n"
        "#else\n#define ENT_COLUMN(Type, column) ((Type*)(column))\n#endif\n\n");
    for (u32 i = 0; i < COMPONENT_COUNT; i++) rows_write_type(&ent_component_types()[i]);
    printf("#endif\n");
}

int main(int argc, char** argv) {
    if (argc == 3 && strcmp(argv[1], "lists") == 0)
        lists_write();
    else if (argc == 3 && strcmp(argv[1], "records") == 0)
        records_write(argv[2]);
    else if (argc == 3 && strcmp(argv[1], "rows") == 0)
        rows_write();
    else
        return fprintf(stderr, "usage: header_write lists|records|rows FORMATS\n"), 1;
    return ferror(stdout) || fflush(stdout) != 0;
}
