/* conform.c - describes the differences between two versions of a declaration. A blob contains the
 * layout hash of each type: when names, types, order or enum values of fields changed, the complete
 * blob is rejected; when only bounds changed, values out of range are rejected. */
#include "conform.h"

#include <errno.h>

#include <stdarg.h>

#include "declare.h"
#include "exit_codes.h"
#include "f32_text.h"
#include "fields.h"
#include "inspect_text.h"

typedef struct Conform {
    Arena         arena;
    Diagnostics*  diag;
    ComponentType a, b;    /* old, new */
    u32           refused; /* differences because of which old blobs are rejected */
} Conform;

/* --- opening --- */

/* "assets/gameplay/health.component.json" is "health". */
static const char* key_of(Arena* arena, const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    const char* end = strstr(name, ".component.json");
    if (!end) end = strstr(name, ".json");
    return arena_text(arena, (Text){name, (u32)(end - name)});
}

static int source_open(Conform* c, const char* path, ComponentType* type) {
    FileView         view;
    const u32        errors = diag_error_count(c->diag);
    Source*          source = ARENA_NEW(&c->arena, Source, 1);
    const ent_status status = file_map(&view, path);
    if (status != ENT_OK) {
        fprintf(stderr, "%s: error: %s\n", path,
                status == ENT_NOT_FOUND ? ent_status_text(status) : strerror(errno));
        return uncompared(exit_code_of(status));
    }
    char* text = arena_text(&c->arena, (Text){(const char*)view.bytes, (u32)view.size});
    *source = source_of(path, text, (u32)view.size);
    file_unmap(&view);
    *type = declaration_read(source, key_of(&c->arena, path), &c->arena, c->diag)->type;
    return diag_error_count(c->diag) == errors ? EXIT_OK : EXIT_IO;
}

static int blob_type_open(Conform* c, const char* path, ComponentType* type) {
    BlobFile  file;
    const int opened = blob_file_open(&file, path, NULL);
    if (opened != EXIT_OK) return uncompared(opened);
    const bool succeeded = file.blob.header->resource_type == RESOURCE_COMPONENT;
    if (succeeded) {
        void* memory = arena_alloc(&c->arena, ent_component_type_bytes(&file.blob));
        *type = ent_component_type_open(&file.blob, memory);
    } else {
        fprintf(stderr, "%s: error: it has type %s, but must be a component declaration\n", path,
                ent_resource_suffix(file.blob.header->resource_type));
    }
    blob_file_close(&file);
    return succeeded ? EXIT_OK : EXIT_IO;
}

static int type_open(Conform* c, const char* path, ComponentType* type) {
    const size_t bytes = strlen(path);
    const bool   json = bytes > 5 && strcmp(path + bytes - 5, ".json") == 0;
    return json ? source_open(c, path, type) : blob_type_open(c, path, type);
}

/* --- output --- */

typedef enum Weight { HARMLESS, REFUSED } Weight;

static void report(Conform* c, Weight weight, const char* field, const char* format, ...)
    PRINTF_LIKE(4, 5);

static void report(Conform* c, Weight weight, const char* field, const char* format, ...) {
    va_list arguments;
    printf("%s %s%s%s: ", weight == REFUSED ? "refused " : "harmless", c->b.record.name,
           *field ? "." : "", field);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    c->refused += weight == REFUSED;
}

typedef struct TypeText {
    char text[64];
} TypeText;

/* A type as written in a declaration. */
static TypeText type_text(const Field* f) {
    const FieldKindInfo* kind = field_kind(f);
    const bool           counted = kind->words > 1 && field_kind_is_counted(f->kind);
    TypeText             type;
    snprintf(type.text, sizeof type.text, counted ? "%s of count %u" : "%s", kind->declared,
             kind->words);
    return type;
}

static const Field* field_find(const RecordType* record, const char* name) {
    for (u32 i = 0; i < record->field_count; i++) {
        if (strcmp(record->fields[i].name, name) == 0) return &record->fields[i];
    }
    return NULL;
}

/* --- one field in both --- */

static void enum_compare(Conform* c, const Field* a, const Field* b) {
    bool same = a->text_count == b->text_count;
    for (u32 i = 0; i < a->text_count; i++) {
        u32 at = 0;
        while (at < b->text_count && strcmp(a->texts[i], b->texts[at]) != 0) at++;
        same = same && at == i;
        if (at == b->text_count)
            report(c, REFUSED, b->name, "the value \"%s\" was removed", a->texts[i]);
        else if (at != i)
            report(c, REFUSED, b->name, "the number of the value \"%s\" changed from %u to %u",
                   a->texts[i], i, at);
    }
    for (u32 i = 0; i < b->text_count && !same; i++) {
        u32 at = 0;
        while (at < a->text_count && strcmp(b->texts[i], a->texts[at]) != 0) at++;
        if (at == a->text_count)
            report(c, REFUSED, b->name, "the value \"%s\" was added with number %u", b->texts[i],
                   i);
    }
}

/* A number of a declaration; one of a float field is printed as the float that is stored in
 * blobs. */
static const char* number_text(char text[F32_TEXT_BYTES], const Field* f, f64 value) {
    if (field_is_float(f))
        f32_text(text, (f32)value);
    else
        snprintf(text, F32_TEXT_BYTES, "%.10g", value);
    return text;
}

static void bounds_put(char* text, size_t room, const Field* f) {
    const bool low = field_has_lowest(f), high = field_has_highest(f);
    char       lo[F32_TEXT_BYTES], hi[F32_TEXT_BYTES];
    number_text(lo, f, f->lo);
    number_text(hi, f, f->hi);
    if (low && high)
        snprintf(text, room, "%s to %s", lo, hi);
    else if (low)
        snprintf(text, room, "at least %s", lo);
    else if (high)
        snprintf(text, room, "at most %s", hi);
    else
        snprintf(text, room, "anything");
}

static void bounds_compare(Conform* c, const Field* a, const Field* b) {
    const bool floats = field_is_float(b);
    const f64  a_lo = floats ? (f64)(f32)a->lo : a->lo, a_hi = floats ? (f64)(f32)a->hi : a->hi;
    const f64  b_lo = floats ? (f64)(f32)b->lo : b->lo, b_hi = floats ? (f64)(f32)b->hi : b->hi;
    char       was[80], is[80];
    if (a_lo == b_lo && a_hi == b_hi) return;
    bounds_put(was, sizeof was, a);
    bounds_put(is, sizeof is, b);
    if (b_lo > a_lo || b_hi < a_hi)
        report(c, REFUSED, b->name,
               "the range changed from %s to %s: values outside of it are rejected", was, is);
    else
        report(c, HARMLESS, b->name, "the range was extended from %s to %s", was, is);
}

static void default_put(char text[FIELD_TEXT_BYTES], const Field* f) {
    u32 word[4] = {0};
    if (f->required) {
        snprintf(text, FIELD_TEXT_BYTES, "none (required)");
        return;
    }
    for (u32 i = 0; i < field_words(f); i++) field_number_store(f, f->value[i], &word[i]);
    field_value_text(f, word, field_words(f) == 1, text);
}

static void default_compare(Conform* c, const Field* a, const Field* b) {
    char       was[FIELD_TEXT_BYTES], is[FIELD_TEXT_BYTES];
    const bool link = field_is_link(b);
    bool       same = !a->required == !b->required;
    if (link && same) return;
    if (link) {
        const bool refused = b->required && field_form(b) != FORM_ENTITY;
        report(c, refused ? REFUSED : HARMLESS, b->name, "%s",
               refused       ? "is now required: instances without it are rejected"
               : b->required ? "is now required: sources must define it; old blobs remain valid"
                             : "is no longer required: old blobs remain valid");
        return;
    }
    default_put(was, a);
    default_put(is, b);
    same = same && strcmp(was, is) == 0;
    if (same) return;
    report(
        c, HARMLESS, b->name,
        "the default changed from %s to %s: old blobs keep the value with which they were compiled",
        was, is);
}

static void field_compare(Conform* c, const Field* a, const Field* b) {
    if (a->kind != b->kind) {
        report(c, REFUSED, b->name, "its type changed from %s to %s", type_text(a).text,
               type_text(b).text);
        return;
    }
    if (field_form(b) == FORM_ENUM) enum_compare(c, a, b);
    if (field_form(b) == FORM_RESOURCE && a->refers_to != b->refers_to) {
        report(c, REFUSED, b->name,
               "the type of the resources that it refers to changed from %s to %s",
               ent_resource_suffix(a->refers_to), ent_resource_suffix(b->refers_to));
    }
    if (field_is_bounded(b)) bounds_compare(c, a, b);
    if (strcmp(a->unit, b->unit) != 0) {
        report(c, HARMLESS, b->name,
               "the unit changed from \"%s\" to \"%s\": old blobs keep their numbers; check that "
               "these are still correct",
               a->unit, b->unit);
    }
    default_compare(c, a, b);
}

/* --- all --- */

static void fields_compare(Conform* c) {
    const RecordType *a = &c->a.record, *b = &c->b.record;
    const Field*      last = NULL; /* of b, after which the next one of a must follow */
    for (u32 i = 0; i < a->field_count; i++) {
        const Field* there = field_find(b, a->fields[i].name);
        if (!there) {
            report(c, REFUSED, a->fields[i].name, "the field was removed (its type was %s)",
                   type_text(&a->fields[i]).text);
            continue;
        }
        if (last && there < last)
            report(c, REFUSED, there->name, "the field was moved before the field %s", last->name);
        else
            last = there;
        field_compare(c, &a->fields[i], there);
    }
    for (u32 i = 0; i < b->field_count; i++) {
        if (field_find(a, b->fields[i].name)) continue;
        report(c, REFUSED, b->fields[i].name, "the field was added (%s): the layout changes",
               type_text(&b->fields[i]).text);
    }
}

static void types_compare(Conform* c) {
    if (strcmp(c->a.record.name, c->b.record.name) != 0) {
        report(c, REFUSED, "", "the component was named %s: blobs refer to it by that name",
               c->a.record.name);
    }
    if (c->a.several == SEVERAL && c->b.several == SINGLE) {
        report(c, REFUSED, "",
               "several changed to false: entities with multiple instances are rejected");
    } else if (c->a.several != c->b.several) {
        report(c, HARMLESS, "", "several changed to true: entities with one instance remain valid");
    }
    if (c->a.order != c->b.order) {
        report(c, REFUSED, "",
               "its spawn order changed from %u to %u: blobs that contain a type with an order "
               "between these are rejected",
               c->a.order, c->b.order);
    }
    fields_compare(c);
}

int conform_run(const char* path_old, const char* path_new) {
    Conform   c = {.diag = diag_create()};
    const int a = type_open(&c, path_old, &c.a), b = type_open(&c, path_new, &c.b);
    int       code = MAX_OF(a, b);
    if (code == EXIT_OK) {
        types_compare(&c);
        assert(c.refused > 0 || c.a.layout == c.b.layout);
        code = c.refused ? EXIT_USAGE : EXIT_OK;
        puts(
            c.refused
                ? "not all blobs compiled with the old declaration can be read with the new one: "
                  "compile them again"
                : "blobs compiled with the old declaration can be read with the new one unchanged");
    }
    diag_print(c.diag, stderr, DIAG_TEXT, false);
    diag_destroy(c.diag);
    arena_drop(&c.arena);
    return code;
}
