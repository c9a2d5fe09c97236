/* codegen.c - generates a C header from declarations: for each the record, the column of each
 * field, its enums, and the constants with which a program checks that it was built for this
 * declaration. */
#include "codegen.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "declare.h"
#include "diag.h"
#include "project.h"
#include "exit_codes.h"
#include "fields.h"
#include "print.h"

/* An identifier in the header, and its origin. */
typedef struct Given {
    const char*        name;
    const Declaration* by;
    u32                order; /* in which it is declared */
} Given;

typedef struct Codegen {
    FILE* out;
    Arena arena;
    ARRAY(Given) given;
} Codegen;

/* Stored in order to find duplicate names. */
static const char* name_give(Codegen* g, const Declaration* d, const char* name) {
    *array_push(&g->given) = (Given){name, d, g->given.count};
    return name;
}

/* HEALTH_TEAM_RED */
static const char* name_upper(Codegen* g, const Declaration* d, const char* format, ...)
    PRINTF_LIKE(3, 4);

static const char* name_upper(Codegen* g, const Declaration* d, const char* format, ...) {
    char    text[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    for (char* at = text; *at; at++) {
        if (*at >= 'a' && *at <= 'z') *at = (char)(*at - 'a' + 'A');
    }
    return name_give(g, d, arena_text(&g->arena, text_of(text)));
}

/* "soft_body" becomes SoftBody; the '_' before a digit is kept, so that different names remain
 * different. */
static const char* name_camel(Codegen* g, const char* name) {
    char* camel = arena_text(&g->arena, text_of(name));
    u32   used = 0;
    for (const char* at = name; *at; at++) {
        const bool letter = *at >= 'a' && *at <= 'z', first = at == name || at[-1] == '_';
        if (*at == '_' && at[1] >= 'a') continue;
        camel[used++] = letter && first ? (char)(*at - 'a' + 'A') : *at;
    }
    camel[used] = 0;
    return camel;
}

/* The text of a comment must not end the comment. */
static void put_comment(FILE* out, const char* text) {
    for (; *text; text++) {
        fputc(*text, out);
        if ((*text == '*' && text[1] == '/') || (*text == '/' && text[1] == '*')) fputc(' ', out);
    }
}

/* The highest bit is not a constant that an enum can have in C. */
static void put_flags(Codegen* g, const Declaration* d, const Field* f) {
    const char* record = d->type.record.name;
    for (u32 k = 0; k < f->text_count; k++) {
        fprintf(g->out, "#define %s 0x%08xu\n",
                name_upper(g, d, "%s_%s_%s", record, f->name, f->texts[k]), 1u << k);
    }
    fputs("\n", g->out);
}

static void put_enums(Codegen* g, const Declaration* d, const char* camel) {
    const RecordType* record = &d->type.record;
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        const bool   flags = field_form(f) == FORM_FLAGS;
        if (!field_has_texts(f)) continue;
        if (flags) {
            put_flags(g, d, f);
            continue;
        }
        const char* name = arena_print(&g->arena, "%s%s", camel, name_camel(g, f->name));
        fprintf(g->out, "typedef enum %s {\n", name_give(g, d, name));
        for (u32 k = 0; k < f->text_count; k++) {
            const char* text = name_upper(g, d, "%s_%s_%s", record->name, f->name, f->texts[k]);
            const char* comma = k + 1 < f->text_count ? "," : "";
            fprintf(g->out, "    %s = %u%s\n", text, k, comma);
        }
        fprintf(g->out, "} %s;\n\n", name);
    }
}

static void put_bounds(FILE* out, const Field* f) {
    const bool high = field_has_highest(f);
    const bool low = field_has_lowest(f) || (high && !field_is_float(f));
    if (!field_is_bounded(f)) return;
    if (low && high) fprintf(out, ", %.9g to %.9g", f->lo, f->hi);
    if (low && !high) fprintf(out, ", at least %.9g", f->lo);
    if (high && !low) fprintf(out, ", at most %.9g", f->hi);
}

static void put_member(Codegen* g, const RecordType* record, const Field* f, const char* camel) {
    fprintf(g->out, "    %s %s", field_kind(f)->c_type, f->name);
    if (field_is_array(f)) fprintf(g->out, "[%u]", field_elements(f));
    fputs("; /* ", g->out);
    put_comment(g->out, field_is_bounded(f) && *f->unit ? f->unit : field_kind(f)->comment);
    if (field_form(f) == FORM_ENUM) fprintf(g->out, "%s%s", camel, name_camel(g, f->name));
    if (field_form(f) == FORM_FLAGS) {
        char prefix[160];
        snprintf(prefix, sizeof prefix, "%s_%s_", record->name, f->name);
        for (char* at = prefix; *at; at++) *at = *at >= 'a' && *at <= 'z' ? (char)(*at - 32) : *at;
        fputs(prefix, g->out);
    }
    if (field_form(f) == FORM_RESOURCE) fputs(ent_resource_suffix(f->refers_to), g->out);
    put_bounds(g->out, f);
    if (*f->text) fputs(": ", g->out), put_comment(g->out, f->text);
    fputs(" */\n", g->out);
}

static bool record_has(const RecordType* record, const char* name) {
    bool has = false;
    for (u32 i = 0; i < record->field_count; i++) has |= strcmp(record->fields[i].name, name) == 0;
    return has;
}

/* A field may have the name of a member that all rows have. */
static const char* rows_member(Codegen* g, const RecordType* record, const Field* f) {
    const char* name = f->name;
    if (strcmp(name, "count") != 0 && strcmp(name, "entity") != 0) return name;
    name = arena_print(&g->arena, "%s_column", name);
    while (record_has(record, name)) name = arena_print(&g->arena, "%s_", name);
    return name;
}

/* "float* points" or "float (*points)[4]"; of a cast, the member is "". */
static const char* rows_pointer(Codegen* g, const Field* f, const char* member) {
    const char* type = field_kind(f)->c_type;
    if (field_is_array(f))
        return arena_print(&g->arena, "%s (*%s)[%u]", type, member, field_elements(f));
    return arena_print(&g->arena, "%s*%s%s", type, *member ? " " : "", member);
}

/* Columns with their types, so that a program casts none. */
static void put_rows(Codegen* g, const Declaration* d, const char* camel, const char* id,
                     const char* layout) {
    const RecordType* record = &d->type.record;
    const char*       name = record->name;
    const char*       upper = name_upper(g, d, "%s_columns", name);
    fprintf(g->out, "\n#define %s %uu /* columns of the declaration */\n\n", upper,
            record->field_count);
    fprintf(g->out, "/* [count] of each field, valid until rows are added or removed. */\n");
    fprintf(g->out, "typedef struct %sRows {\n    uint32_t count;\n    const EntEntity* entity;\n",
            camel);
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        fprintf(g->out, "    %s;\n", rows_pointer(g, f, rows_member(g, record, f)));
    }
    fprintf(g->out, "} %sRows;\n\n", camel);
    fprintf(
        g->out,
        "/* The rows of a manager; none if it is NULL, or was registered with another layout. */\n"
        "static inline %sRows %s_rows_of(const EntManager* m) {\n"
        "    %sRows rows;\n"
        "    memset(&rows, 0, sizeof rows);\n"
        "    if (!m || m->desc.type.id != %s || m->desc.type.layout != %s ||\n"
        "        m->desc.type.columns != ENT_BY_FIELD)\n"
        "        return rows;\n"
        "    rows.count = m->count;\n"
        "    rows.entity = m->entity;\n",
        camel, name, camel, id, layout);
    for (u32 i = 0; i < record->field_count; i++) {
        const Field* f = &record->fields[i];
        fprintf(g->out, "    rows.%s = (%s)m->column[%u];\n", rows_member(g, record, f),
                rows_pointer(g, f, ""), i);
    }
    fprintf(g->out,
            "    return rows;\n}\n\n"
            "static inline %sRows %s_rows(EntWorld* world) {\n"
            "    return %s_rows_of(ent_world_manager(world, %s));\n}\n",
            camel, name, name, id);
}

static void put_declaration(Codegen* g, const Declaration* d) {
    const RecordType* record = &d->type.record;
    const char*       camel = name_camel(g, record->name);
    fprintf(g->out, "\n/* --- %s.component", d->resource);
    if (*d->text) fputs(": ", g->out), put_comment(g->out, d->text);
    fputs(" --- */\n\n", g->out);
    put_enums(g, d, camel);
    const char* id = name_upper(g, d, "%s_id", record->name);
    const char* layout = name_upper(g, d, "%s_layout", record->name);
    fprintf(g->out, "typedef struct %sRecord {\n", camel);
    for (u32 i = 0; i < record->field_count; i++) put_member(g, record, &record->fields[i], camel);
    fprintf(g->out, "} %sRecord;\n\n", camel);
    fprintf(g->out, "#define %s \"%s\"\n", name_upper(g, d, "%s_key", record->name), record->name);
    fprintf(g->out, "#define %s 0x%08xu /* identifier in blobs, for ent_world_manager */\n", id,
            d->type.id);
    fprintf(g->out,
            "#define %s 0x%08xu /* depends on names, types, order and enums of the fields */\n",
            layout, d->type.layout);
    const char* bytes = name_upper(g, d, "%s_bytes", record->name);
    fprintf(g->out, "#define %s %uu\n\n", bytes, record->bytes);
    fprintf(g->out, "/* EntManager.column of each field. */\ntypedef enum %sColumn {\n", camel);
    for (u32 i = 0; i < record->field_count; i++) {
        fprintf(g->out, "    %s = %u%s\n",
                name_upper(g, d, "%s_column_%s", record->name, record->fields[i].name), i,
                i + 1 < record->field_count ? "," : "");
    }
    fprintf(g->out, "} %sColumn;\n\n", camel);
    fprintf(
        g->out,
        "static_assert(sizeof(%sRecord) == %s, \"%sRecord does not have the layout of blobs\");\n",
        camel, bytes, camel);
    put_rows(g, d, camel, id, layout);
    name_give(g, d, arena_print(&g->arena, "%sRows", camel));
    name_give(g, d, arena_print(&g->arena, "%s_rows", record->name));
    name_give(g, d, arena_print(&g->arena, "%s_rows_of", record->name));
    name_give(g, d, arena_print(&g->arena, "%sRecord", camel));
    name_give(g, d, arena_print(&g->arena, "%sColumn", camel));
}

static int given_order(const void* a, const void* b) {
    const Given *x = a, *y = b;
    const int    name = strcmp(x->name, y->name);
    return name ? name : x->order < y->order ? -1 : x->order > y->order;
}

/* health.team "id" and the id of health_team would both be HEALTH_TEAM_ID. */
static void given_check(Codegen* g, Diagnostics* diag) {
    if (g->given.count) qsort(g->given.at, g->given.count, sizeof(Given), given_order);
    for (u32 i = 1; i < g->given.count; i++) {
        const Given *x = &g->given.at[i - 1], *y = &g->given.at[i];
        if (strcmp(x->name, y->name) != 0) continue;
        diag_error(
            diag, E0310, y->by->source, 0, 1,
            "the C header would contain the name %s twice; rename one of the two declarations",
            y->name);
        diag_note(diag, x->by->source, 0, 1, "the other declaration is here");
    }
}

static int declared_order(const void* a, const void* b) {
    const Declaration *x = *(const Declaration*const*)a, *y = *(const Declaration*const*)b;
    return strcmp(x->type.record.name, y->type.record.name);
}

static void header_print(const Registry* registry, Diagnostics* diag, FILE* out) {
    const Declaration* declared[REGISTRY_TYPES_MAX];
    u32                count = 0;
    Codegen            g = {.out = out};
    fputs("/* Generated by `entc codegen`: the component types that this project declares. */\n"
          "#pragma once\n"
          "\n"
          "#include <assert.h>\n"
          "#include <string.h>\n"
          "\n"
          "#include <ent/world.h>\n",
          out);
    assert(registry->count <= COUNT_OF(declared)); /* registry_add refuses more */
    for (u32 i = 0; i < registry->count; i++) {
        if (registry->compiler[i].declared) declared[count++] = registry->compiler[i].declared;
    }
    qsort(declared, count, sizeof *declared, declared_order);
    for (u32 i = 0; i < count; i++) put_declaration(&g, declared[i]);
    given_check(&g, diag);
    array_drop(&g.given);
    arena_drop(&g.arena);
}

static int header_write(Print* print, const char* out) {
    if (out) return print_put(print, out, NULL);
    print_end(print);
    return fputs(print->text, stdout) >= 0 ? EXIT_OK : EXIT_IO;
}

int codegen_run(const BuildOptions* o) {
    const char* out = o->out;
    Project*    project = memory_alloc(sizeof *project);
    Print       print;
    int code = project_open(project, o->source, (Variant){0}, &o->plugins, NULL, JOURNAL_REFUSE);
    if (code == EXIT_OK && !project_has_errors(project)) {
        header_print(&project->registry, project->diag, print_begin(&print));
        if (diag_error_count(project->diag) == 0) code = header_write(&print, out);
        print_drop(&print);
    }
    code = project_report(project, code, o->messages.format, o->messages.color);
    project_close(project);
    memory_free(project);
    return code;
}
