/* conform.c - describes the differences between two versions of a declaration, and what they mean for
 * blobs of the older one: a world converts them when it spawns them (conversion.h), so that most
 * differences are converted, and some lose values. */
#include "conform.h"

#include <assert.h>
#include <errno.h>

#include <stdarg.h>

#include "conversion.h"
#include "declare.h"
#include "diag.h"
#include "diag_print.h"
#include "exit_codes.h"
#include "f32_text.h"
#include "fields.h"
#include "inspect_text.h"

typedef struct Conform {
    Arena         arena;
    Diagnostics*  diag;
    ComponentType a, b;     /* old, new */
    u32           count[4]; /* of differences, by weight */
} Conform;

/* --- opening --- */

/* "assets/gameplay/health.component.json" is "health". */
static const char* key_of(Arena* arena, const char* path) {
    const char* slash = strrchr(path, '/');
    const char* name = slash ? slash + 1 : path;
    return arena_text(arena, (Text){name, (u32)strcspn(name, ".")});
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
    const char* suffix = strrchr(path, '.');
    const bool  json = suffix && strcmp(suffix, ".json") == 0;
    return json ? source_open(c, path, type) : blob_type_open(c, path, type);
}

/* --- output --- */

typedef enum Weight {
    HARMLESS,  /* blobs are used unchanged */
    CONVERTED, /* without loss */
    LOSSY,     /* values are dropped or changed */
    REFUSED
} Weight;

static void report(Conform* c, Weight weight, const char* field, const char* format, ...)
    PRINTF_LIKE(4, 5);

static void report(Conform* c, Weight weight, const char* field, const char* format, ...) {
    static const char* const words[] = {"harmless", "converted", "lossy", "refused"};
    va_list                  arguments;
    printf("%-9s %s%s%s: ", words[weight], c->b.record.name, *field ? "." : "", field);
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    c->count[weight]++;
}

typedef struct TypeText {
    char text[64];
} TypeText;

/* A type as written in a declaration. */
static TypeText type_text(const Field* f) {
    const FieldKindInfo* kind = field_kind(f);
    const bool           counted = kind->words > 1 && field_kind_is_counted(f->kind);
    TypeText             type;
    char                 array[32] = "";
    if (field_is_array(f)) snprintf(array, sizeof array, ", array of %u", field_elements(f));
    snprintf(type.text, sizeof type.text, counted ? "%s of count %u%s" : "%s%.0u%s", kind->declared,
             counted ? kind->words : 0, array);
    return type;
}

/* --- one field in both --- */

/* Reports what an old text has become. */
static void text_compare(Conform* c, const Field* a, const Field* b, u32 i, u16 at) {
    if (at == CONVERSION_NO_TEXT)
        report(c, LOSSY, b->name, "the value \"%s\" was removed: %s", a->texts[i],
               field_form(b) == FORM_FLAGS ? "the flag is dropped"
               : b->required               ? "instances with it get the first value"
                                           : "instances with it get the default");
    else if (strcmp(a->texts[i], b->texts[at]) != 0)
        report(c, CONVERTED, b->name, "the value \"%s\" is named \"%s\" now", a->texts[i],
               b->texts[at]);
    else if (at != i)
        report(c, CONVERTED, b->name, "the number of the value \"%s\" changed from %u to %u",
               a->texts[i], i, at);
}

static void texts_compare(Conform* c, const Field* a, const Field* b) {
    u16*  target = ARENA_NEW(&c->arena, u16, a->text_count + 1);
    bool* is_old = ARENA_NEW(&c->arena, bool, b->text_count + 1);
    conversion_texts(&c->b, (u32)(b - c->b.record.fields), a, target);
    memset(is_old, 0, sizeof *is_old * b->text_count);
    for (u32 i = 0; i < a->text_count; i++) {
        text_compare(c, a, b, i, target[i]);
        if (target[i] != CONVERSION_NO_TEXT) is_old[target[i]] = true;
    }
    for (u32 i = 0; i < b->text_count; i++) {
        if (!is_old[i])
            report(c, CONVERTED, b->name, "the value \"%s\" was added with number %u", b->texts[i],
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

/* A bound as blobs store it. */
static f64 lowest(const Field* f) { return field_is_float(f) ? (f64)(f32)f->lo : f->lo; }
static f64 highest(const Field* f) { return field_is_float(f) ? (f64)(f32)f->hi : f->hi; }

static bool range_is_narrower(const Field* a, const Field* b) {
    return lowest(b) > lowest(a) || highest(b) < highest(a);
}

static void bounds_compare(Conform* c, const Field* a, const Field* b) {
    char before[80], after[80];
    if (lowest(a) == lowest(b) && highest(a) == highest(b)) return;
    bounds_put(before, sizeof before, a);
    bounds_put(after, sizeof after, b);
    if (range_is_narrower(a, b))
        report(c, LOSSY, b->name,
               "the range changed from %s to %s: values outside of it are limited to it", before,
               after);
    else
        report(c, HARMLESS, b->name, "the range was extended from %s to %s", before, after);
}

static void default_put(char text[FIELD_TEXT_BYTES], const Field* f) {
    const Field one = field_element(f); /* the default of an array is that of each element */
    u32         word[4] = {0};
    if (f->required) {
        snprintf(text, FIELD_TEXT_BYTES, "none (required)");
        return;
    }
    assert(field_words(&one) <= COUNT_OF(word));
    for (u32 i = 0; i < field_words(&one); i++) field_number_store(&one, f->value[i], &word[i]);
    field_value_text(&one, word, field_words(&one) == 1, text);
}

static void default_compare(Conform* c, const Field* a, const Field* b) {
    char before[FIELD_TEXT_BYTES], after[FIELD_TEXT_BYTES];
    if (field_is_link(b)) {
        if (!a->required == !b->required) return;
        const bool refused = b->required && field_form(b) != FORM_ENTITY;
        report(c, refused ? REFUSED : HARMLESS, b->name, "%s",
               refused       ? "is now required: blobs with an instance without it are rejected"
               : b->required ? "is now required: sources must define it; old blobs remain valid"
                             : "is no longer required: old blobs remain valid");
        return;
    }
    default_put(before, a);
    default_put(after, b);
    if (strcmp(before, after) == 0) return;
    report(
        c, HARMLESS, b->name,
        "the default changed from %s to %s: old blobs keep the value with which they were compiled",
        before, after);
}

/* Every integer up to this one is a float. */
#define FLOAT_INTEGER_MAX 16777216.0

/* Of fields of different types: are there values of the old one that the new one cannot have? */
static bool values_do_not_fit(const Field* a, const Field* b) {
    if (field_has_texts(a)) return false; /* each text that was removed is reported */
    if (range_is_narrower(a, b) || field_form(b) == FORM_UNIT) return true;
    if (field_is_float(a)) return !field_is_float(b);
    return field_is_float(b) && (a->lo < -FLOAT_INTEGER_MAX || a->hi > FLOAT_INTEGER_MAX);
}

/* Is what a required field gets without an old value not valid? */
static bool rest_is_missing(const Field* b) {
    const Field one = field_element(b);
    const u32   words[4] = {0};
    return conversion_is_missing(&one, words);
}

/* Another type, or another number of elements. Returns false when the values are dropped. */
static bool kinds_compare(Conform* c, const Field* a, const Field* b) {
    const u32  a_words = field_kind(a)->words, b_words = field_kind(b)->words;
    const bool fewer = field_elements(b) < field_elements(a) || b_words < a_words;
    const bool more = field_elements(b) > field_elements(a) || b_words > a_words;
    const bool same = a->kind == b->kind && a->bytes == b->bytes;
    const bool limited = a->kind != b->kind && values_do_not_fit(a, b);
    const bool missing = (more || (limited && field_form(b) == FORM_UNIT)) && rest_is_missing(b);
    if (!conversion_is_possible(a, b)) {
        report(c, b->required ? REFUSED : LOSSY, b->name,
               "its type changed from %s to %s: the values cannot be converted and are dropped%s",
               type_text(a).text, type_text(b).text, b->required ? ", and it is required" : "");
        return false;
    }
    if (same) return true;
    report(c,
           missing            ? REFUSED
           : fewer || limited ? LOSSY
                              : CONVERTED,
           b->name, "its type changed from %s to %s%s%s%s", type_text(a).text, type_text(b).text,
           fewer ? ": the rest is dropped" : "",
           limited ? ": values that do not fit are rounded and limited to the range" : "",
           missing ? ": it is required, and blobs with an instance without all of its values are "
                     "rejected"
                   : "");
    return true;
}

static void field_compare(Conform* c, const Field* a, const Field* b) {
    if (strcmp(a->name, b->name) != 0) {
        report(c, CONVERTED, b->name, "the field was named %s", a->name);
    }
    if (field_form(b) == FORM_RESOURCE && field_form(a) == FORM_RESOURCE &&
        a->refers_to != b->refers_to) {
        report(c, b->required ? REFUSED : LOSSY, b->name,
               "the type of the resources that it refers to changed from %s to %s: the values are "
               "dropped",
               ent_resource_suffix(a->refers_to), ent_resource_suffix(b->refers_to));
        return;
    }
    if (!kinds_compare(c, a, b)) return;
    if (field_has_texts(a)) texts_compare(c, a, b);
    if (a->kind != b->kind) return;
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

/* The new field that an old one has become, or NONE. */
static u32 field_target(const Conform* c, u32 old) {
    for (u32 k = 0; k < c->b.record.field_count; k++) {
        if (conversion_source(&c->a, &c->b, k) == old) return k;
    }
    return NONE;
}

static void old_fields_compare(Conform* c) {
    const RecordType *a = &c->a.record, *b = &c->b.record;
    u32               last = NONE; /* of b, after which the next one of a must follow */
    for (u32 i = 0; i < a->field_count; i++) {
        const u32 target = field_target(c, i);
        if (target == NONE) {
            report(c, LOSSY, a->fields[i].name,
                   "the field was removed (its type was %s): its values are dropped",
                   type_text(&a->fields[i]).text);
            continue;
        }
        if (last != NONE && target < last)
            report(c, CONVERTED, b->fields[target].name, "the field was moved before the field %s",
                   b->fields[last].name);
        else
            last = target;
        field_compare(c, &a->fields[i], &b->fields[target]);
    }
}

static void fields_compare(Conform* c) {
    const RecordType* b = &c->b.record;
    old_fields_compare(c);
    for (u32 k = 0; k < b->field_count; k++) {
        const Field* field = &b->fields[k];
        if (conversion_source(&c->a, &c->b, k) != NONE) continue;
        report(c, field->required ? REFUSED : CONVERTED, field->name,
               field->required ? "the field was added (%s) and is required: old instances have no "
                                 "value; give it a default"
                               : "the field was added (%s): old instances get its default",
               type_text(field).text);
    }
}

static void types_compare(Conform* c) {
    if (c->a.id != c->b.id) {
        const bool stated = conversion_is_former(&c->b, c->a.id);
        report(c, stated ? CONVERTED : REFUSED, "",
               stated ? "the component was named %s"
                      : "the component was named %s: blobs refer to it by that name; state it with "
                        "\"was\"",
               c->a.record.name);
    }
    if (c->a.several == SEVERAL && c->b.several == SINGLE) {
        report(
            c, LOSSY, "",
            "several changed to false: of multiple instances of an entity the first one is kept");
    } else if (c->a.several != c->b.several) {
        report(c, HARMLESS, "", "several changed to true: entities with one instance remain valid");
    }
    if (c->a.order != c->b.order) {
        report(c, HARMLESS, "", "its spawn order changed from %u to %u", c->a.order, c->b.order);
    }
    fields_compare(c);
}

static const char* conclusion(const Conform* c) {
    if (c->count[REFUSED])
        return "not all blobs of the old declaration can be read with the new one: compile them "
               "again";
    if (c->count[LOSSY])
        return "blobs and saves of the old declaration are converted when they are spawned, and "
               "lose values";
    if (c->count[CONVERTED])
        return "blobs and saves of the old declaration are converted when they are spawned";
    return "blobs compiled with the old declaration can be read with the new one unchanged";
}

int conform_run(const char* path_old, const char* path_new) {
    Conform   c = {.diag = diag_create()};
    const int a = type_open(&c, path_old, &c.a), b = type_open(&c, path_new, &c.b);
    int       code = MAX_OF(a, b);
    if (code == EXIT_OK) {
        types_compare(&c);
        assert(c.count[CONVERTED] + c.count[LOSSY] + c.count[REFUSED] > 0 ||
               c.a.layout == c.b.layout);
        code = c.count[REFUSED] ? EXIT_USAGE : EXIT_OK;
        puts(conclusion(&c));
    }
    diag_print(c.diag, stderr, DIAG_TEXT, false);
    diag_destroy(c.diag);
    arena_drop(&c.arena);
    return code;
}
