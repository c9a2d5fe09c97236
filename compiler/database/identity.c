/* identity.c - describes the identity of the program automatically, so that no version number has
 * to be increased. */
#include "identity.h"

#include <stdio.h>

#include "diag_codes.h"
#include "hash.h"
#include "mesh_library.h"
#include "plugin_load.h"
#include "print.h"
#include "process.h"
#include "sections.h"

/* --- the program and its libraries --- */

static const char* base_name(const char* path) {
    const char* slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

typedef struct Objects {
    FILE*          out;
    const Plugins* plugins; /* or NULL */
} Objects;

static bool is_plugin(const Plugins* plugins, const char* name) {
    for (u32 i = 0; plugins && i < plugins->count; i++) {
        if (strcmp(base_name(plugins->at[i].path), name) == 0) return true;
    }
    return false;
}

/* The libraries that plugins need are loaded with them and listed like all others; the plugins
 * themselves are identified by the hash of their files. */
static void object_print(void* user, const char* name, const char* id) {
    const Objects* objects = user;
    if (strncmp(name, "linux-", 6) == 0) return; /* the kernel's */
    if (is_plugin(objects->plugins, name) || mesh_library_has_loaded(name)) return;
    fprintf(objects->out, "%s\t%s\n", *name ? name : "entc", id);
}

/* A library that is loaded when it is needed is listed whether it is loaded or not. */
static void objects_print(FILE* out, const Plugins* plugins) {
    const char *name, *id;
    process_objects(object_print, &(Objects){out, plugins});
    if (mesh_library_identify(&name, &id)) fprintf(out, "%s\t%s\n", name, id);
}

/* --- the complete identity --- */

static u64 text_hash(const char* text, u64 seed) { return hash_bytes(text, strlen(text), seed); }

/* Everything of a field table that affects the bytes or the validation, including defaults and
 * bounds. */
static u64 table_hash(const RecordType* type) {
    u64 hash = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        const Field* f = &type->fields[i];
        const f64    number[] = {f->value[0],    f->value[1],   f->value[2],      f->value[3],
                                 f->lo,          f->hi,         (f64)f->required, (f64)f->kind,
                                 (f64)f->offset, (f64)f->bytes, (f64)f->refers_to};
        hash = hash_bytes(number, sizeof number, text_hash(f->name, hash));
        hash = text_hash(f->text, text_hash(f->unit, hash)); /* as in declarations of levels */
        for (u32 k = 0; k < f->text_count; k++) hash = text_hash(f->texts[k], hash);
    }
    return hash;
}

static void plugins_print(FILE* out, const Plugins* plugins) {
    for (u32 i = 0; plugins && i < plugins->count; i++) {
        const Plugin* p = &plugins->at[i];
        fprintf(out, "plugin %s\t%016llx%016llx\n", base_name(p->path),
                (unsigned long long)p->content.high, (unsigned long long)p->content.low);
    }
}

static void components_print(FILE* out, const Registry* registry, bool declared) {
    for (u32 i = 0; i < registry->count; i++) {
        const ComponentType* type = registry->types[i];
        if (declared != (registry->compiler[i].declared != NULL)) continue;
        fprintf(out, "component %s\tlayout %08x, fields %016llx, order %u, %s, %s\n",
                type->record.name, type->layout, (unsigned long long)table_hash(&type->record),
                type->order, type->several == SEVERAL ? "several" : "single",
                type->columns == BY_FIELD ? "structure of arrays" : "array of structures");
    }
}

/* They determine which warnings a stored result lacks or repeats, and which results there are. */
static void severities_print(FILE* out, const DiagSeverities* severities) {
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        if (severities->of[i] == DIAG_USUAL) continue;
        fprintf(out, "severity of %s\t%s\n", diag_code_name((DiagCode)i),
                settings_severities[severities->of[i]]);
    }
}

static void variant_print(FILE* out, Variant variant) {
    fprintf(out, "--lang\t%s\n", variant.lang ? variant.lang : "");
    fprintf(out, "--platform\t%s\n", variant.platform ? variant.platform : "");
}

Hash128 identity_program(Variant variant) {
    Print print;
    FILE* out = print_begin(&print);
    objects_print(out, NULL);
    variant_print(out, variant);
    const Text    text = print_end(&print);
    const Hash128 hash = hash_content(text.at, text.bytes);
    print_drop(&print);
    return hash;
}

char* identity_text(const Registry* registry, const CompileOptions* options, Variant variant,
                    const GltfRules* rules, const DiagSeverities* severities) {
    Print print;
    FILE* out = print_begin(&print);
    objects_print(out, registry->plugins);
    plugins_print(out, registry->plugins);
    fprintf(out, "blob format\t%u\n", BLOB_VERSION);
    for (u32 kind = 0; kind < SECTION_KIND_COUNT; kind++) {
        const RecordType* type = section_record((SectionKind)kind);
        if (type) fprintf(out, "layout of %s\t%08x\n", type->name, record_layout_hash(type));
    }
    components_print(out, registry, false);
    fprintf(out, "--target\t%s\n", options->target == TARGET_BIG ? "big" : "little");
    fprintf(out, "--strip\t%s\n", options->strip ? "yes" : "no");
    fprintf(out, "--clip-error\t%.9g\n", (f64)options->clip_error);
    variant_print(out, variant);
    if (rules->strict || rules->accepted) /* which remarks a stored result lacks or repeats */
        fprintf(out, "remarks about models\tstrict %08x, accepted %08x\n", rules->strict,
                rules->accepted);
    if (rules->names_off) fprintf(out, "names of objects\toff %08x\n", rules->names_off);
    severities_print(out, severities);
    components_print(out, registry, true);
    print_end(&print);
    return print.text;
}

typedef struct Line {
    Text what, value;
} Line;

/* Removes the first line from a text; returns false at its end. */
static bool line_take(const char** at, Line* line) {
    if (!**at) return false;
    const u32   bytes = (u32)strcspn(*at, "\n");
    const char* tab = memchr(*at, '\t', bytes);
    const u32   what = tab ? (u32)(tab - *at) : bytes;
    line->what = (Text){*at, what};
    line->value = tab ? (Text){tab + 1, bytes - what - 1} : (Text){"", 0};
    *at += bytes + ((*at)[bytes] == '\n');
    return true;
}

static Text value_of(const char* text, Text what) {
    Line line;
    while (line_take(&text, &line)) {
        if (text_equal(line.what, what)) return line.value;
    }
    return (Text){"", 0};
}

void identity_compare(const char* before, const char*                                   now,
                      void (*each)(void* user, Text what, Text before, Text now), void* user) {
    Line line;
    for (const char* at = now; line_take(&at, &line);) {
        const Text old = value_of(before, line.what);
        if (!text_equal(old, line.value)) each(user, line.what, old, line.value);
    }
    for (const char* at = before; line_take(&at, &line);) {
        const Text new = value_of(now, line.what);
        if (new.bytes == 0 && line.value.bytes) each(user, line.what, line.value, new);
    }
}
