/* schema.c - writes JSON Schemas from the field tables.
 *
 * A node without a prefab is all that is said of its entity: fields without a default must be
 * there, and there is nothing that null could remove. Below a prefab and in overrides both are
 * possible, so the schema of components comes in two parts, of which the second ("own") holds where
 * there is no prefab. Keywords that draft-07 does not know (errorMessage, patternErrorMessage) are
 * VS Code's; others ignore them. */
#include "schema.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "exit_codes.h"
#include "fields.h"
#include "sections.h"

#define NAME_SEGMENT "[a-z0-9_-]+"
#define NAME_PATTERN NAME_SEGMENT "(/" NAME_SEGMENT ")*"
#define PATH_PATTERN "^[^/]+(/[^/]+)*$"
#define NOTE_PATTERN "^\\$(schema|comment)$"
/* entity_name_fault() */
#define ENTITY_NAME_PATTERN "^(?!\\.{1,2}$)[^#$/\\x00-\\x1f\\x7f][^/\\x00-\\x1f\\x7f]*$"

#define NAME_BYTES_MAX 255

typedef struct Schema {
    Pretty          w;
    const Registry* registry;
    Arena           arena; /* texts that are put together */
} Schema;

/* --- words --- */

static void described(Schema* s, const char* title, const char* text) {
    pretty_text(&s->w, "title", title);
    if (*text) pretty_text(&s->w, "description", text);
}

static void type_put(Schema* s, const char* type, const char* or_else) {
    const char* types[] = {type, or_else};
    if (or_else)
        pretty_texts(&s->w, "type", types, 2);
    else
        pretty_text(&s->w, "type", type);
}

static void pattern_put(Schema* s, const char* pattern, const char* otherwise) {
    pretty_text(&s->w, "pattern", pattern);
    pretty_text(&s->w, "patternErrorMessage", otherwise);
}

static void reference_put(Schema* s, const char* key, const char* prefix, const char* name) {
    pretty_object(&s->w, key);
    pretty_text(&s->w, "$ref", arena_print(&s->arena, "#/definitions/%s%s", prefix, name));
    pretty_end(&s->w);
}

/* Closes an object's schema: no keys but those, and $schema and $comment. */
static void closed(Schema* s) {
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_bool(&s->w, "additionalProperties", false);
}

/* The two at the top of a file are worth completing. */
static void notes_put(Schema* s) {
    pretty_object(&s->w, "$schema");
    pretty_text(&s->w, "description", "the schema that an editor checks this file with");
    pretty_end(&s->w);
    pretty_object(&s->w, "$comment");
    pretty_text(&s->w, "description", "for people; may stand in every object");
    pretty_end(&s->w);
}

/* --- fields --- */

static bool field_is_link(const Field* f) {
    return f->kind == FIELD_EntityRef || f->kind == FIELD_NameRef || f->kind == FIELD_ResourceRef;
}

/* "nothing is lit beyond it. Unit: m. Range: 0.001 to 1000000. Default: 10." */
static const char* field_text(Schema* s, const Field* f) {
    char*  text = NULL;
    char   lo[32], hi[32];
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    if (!out) memory_exhausted(256);
    if (*f->text) fprintf(out, "%s. ", f->text);
    if (*f->unit) fprintf(out, "Unit: %s. ", f->unit);
    if (f->kind == FIELD_ResourceRef) {
        fprintf(out, "The name of a %s, as in \"props/lamp\". ",
                f->refers_to ? ent_resource_suffix(f->refers_to) : "resource");
    } else if (f->kind == FIELD_EntityRef) {
        fputs("The path of an entity, as in \"house/lamp\". ", out);
    } else if ((field_is_float(f) || f->kind == FIELD_u32) && (f->lo != LOW || f->hi != HIGH)) {
        fprintf(out, "Range: %s to %s. ", number_text(f->lo, lo), number_text(f->hi, hi));
    }
    if (f->required)
        fputs("Required.", out);
    else if (field_is_float(f) || f->kind == FIELD_u32) {
        fputs("Default:", out);
        for (u32 i = 0; i < field_words(f); i++) {
            fprintf(out, " %s", number_text(f->value[i], lo));
        }
        fputc('.', out);
    } else if (f->kind == FIELD_Enum32) {
        fprintf(out, "Default: %s.", f->texts[(u32)f->value[0]]);
    } else if (f->kind == FIELD_Bool32) {
        fprintf(out, "Default: %s.", f->value[0] != 0 ? "true" : "false");
    }
    fclose(out);
    const char* kept = arena_text(&s->arena, text_of(text));
    free(text);
    return kept;
}

static void field_default(Schema* s, const Field* f) {
    if (f->required || field_is_link(f)) return;
    if (f->kind == FIELD_Enum32)
        pretty_text(&s->w, "default", f->texts[(u32)f->value[0]]);
    else if (f->kind == FIELD_Bool32)
        pretty_bool(&s->w, "default", f->value[0] != 0);
    else if (field_words(f) > 1)
        pretty_numbers(&s->w, "default", f->value, field_words(f));
    else
        pretty_number(&s->w, "default", f->value[0]);
}

/* A number is compared once it is a 32-bit float, so what rounds to a bound is inside. The bound of
 * the schema is the next number of 8 digits that does not round to it. */
static f64 bound_outward(f64 bound, f32 toward) {
    char text[32];
    if (bound == 0) return 0;
    const f32 inside = (f32)bound;
    const f64 last = ((f64)inside + (f64)nextafterf(inside, toward)) / 2;
    snprintf(text, sizeof text, "%.7e", last);
    f64 value = strtod(text, NULL);
    if (toward > 0 ? value < last : value > last) {
        const f64 step = pow(10, strtod(strchr(text, 'e') + 1, NULL) - 7);
        snprintf(text, sizeof text, "%.7e", value + (toward > 0 ? step : -step));
        value = strtod(text, NULL);
    }
    return value;
}

static void bounds_put(Schema* s, const Field* f) {
    const bool whole = !field_is_float(f);
    if (whole || f->lo > LOW) {
        pretty_number(&s->w, "minimum", whole ? f->lo : bound_outward(f->lo, (f32)LOW));
    }
    if (whole || f->hi < HIGH) {
        pretty_number(&s->w, "maximum", whole ? f->hi : bound_outward(f->hi, (f32)HIGH));
    }
}

static void numbers_schema(Schema* s, const Field* f) {
    const u32 words = field_words(f);
    if (words > 1) {
        type_put(s, "array", NULL);
        pretty_number(&s->w, "minItems", words);
        pretty_number(&s->w, "maxItems", words);
        pretty_object(&s->w, "items");
    }
    type_put(s, f->kind == FIELD_u32 ? "integer" : "number", NULL);
    bounds_put(s, f);
    if (words > 1) pretty_end(&s->w);
}

static void resource_name_schema(Schema* s, const char* or_else) {
    type_put(s, "string", or_else);
    pattern_put(s, "^" NAME_PATTERN "$",
                "A resource's name has a-z, 0-9, '_' and '-' between slashes, and no suffix.");
    pretty_number(&s->w, "maxLength", NAME_BYTES_MAX);
}

static void entity_name_schema(Schema* s, const char* or_else) {
    type_put(s, "string", or_else);
    pattern_put(s, ENTITY_NAME_PATTERN,
                "A name is not empty, has no '/' and does not begin with '#' or '$'.");
    pretty_number(&s->w, "maxLength", NAME_BYTES_MAX);
}

/* null takes a link back. */
static void link_schema(Schema* s, const Field* f) {
    const char* or_else = f->required ? NULL : "null";
    if (f->kind == FIELD_ResourceRef) {
        resource_name_schema(s, or_else);
    } else if (f->kind == FIELD_NameRef) {
        entity_name_schema(s, or_else);
    } else {
        type_put(s, "string", or_else);
        pattern_put(s, PATH_PATTERN, "A path is made of names between slashes.");
    }
}

static void field_schema(Schema* s, const RecordType* type, const Field* f) {
    pretty_object(&s->w, f->name);
    described(s, arena_print(&s->arena, "%s.%s", type->name, f->name), field_text(s, f));
    if (f->kind == FIELD_Enum32) {
        pretty_texts(&s->w, "enum", f->texts, f->text_count);
    } else if (f->kind == FIELD_Bool32) {
        type_put(s, "boolean", NULL);
    } else if (field_is_link(f)) {
        link_schema(s, f);
    } else {
        numbers_schema(s, f);
    }
    field_default(s, f);
    pretty_end(&s->w);
}

static void fields_schema(Schema* s, const RecordType* type) {
    for (u32 i = 0; i < type->field_count; i++) field_schema(s, type, &type->fields[i]);
}

static void required_put(Schema* s, const RecordType* type) {
    const char** names = ARENA_NEW(&s->arena, const char*, type->field_count + 1);
    u32          count = 0;
    for (u32 i = 0; i < type->field_count; i++) {
        if (type->fields[i].required) names[count++] = type->fields[i].name;
    }
    if (count) pretty_texts(&s->w, "required", names, count);
}

/* --- components --- */

/* Only what reads by the field table can be described by it: a plugin's own function reads what it
 * likes. */
static bool component_is_table(const ComponentCompiler* c) {
    return c->compile == component_compile_fields;
}

static const char* component_text(Schema* s, const ComponentType* type) {
    const char* text = "";
    for (u32 i = 0; i < type->record.field_count; i++) {
        text = arena_print(&s->arena, "%s%s%s", text, i ? ", " : "", type->record.fields[i].name);
    }
    return arena_print(&s->arena, "%s%s.%s", *text ? "Fields: " : "No fields", text,
                       type->several == SEVERAL ? " An entity may have several: write an array."
                                                : "");
}

/* What an object may have in it; whether one may stand there is said where this is referred to. */
static void component_schema(Schema* s, const ComponentCompiler* c) {
    const RecordType* type = &c->type.record;
    pretty_object(&s->w, arena_print(&s->arena, "component.%s", type->name));
    described(s, type->name, component_text(s, &c->type));
    if (component_is_table(c)) {
        pretty_object(&s->w, "properties");
        fields_schema(s, type);
        pretty_end(&s->w);
        closed(s);
    }
    pretty_end(&s->w);
}

static void component_all_of(Schema* s, const ComponentCompiler* c) {
    pretty_array(&s->w, "allOf");
    reference_put(s, NULL, "component.", c->type.record.name);
    pretty_end(&s->w);
}

/* Every item of an array is a component of its own, whatever the prefab has. */
static void component_value_schema(Schema* s, const ComponentCompiler* c) {
    static const char* const forms[] = {"object", "null", "array"};
    const bool               several = c->type.several == SEVERAL;
    pretty_object(&s->w, c->type.record.name);
    pretty_texts(&s->w, "type", forms, several ? 3 : 2);
    component_all_of(s, c);
    if (several) {
        pretty_object(&s->w, "items");
        type_put(s, "object", NULL);
        component_all_of(s, c);
        if (component_is_table(c)) required_put(s, &c->type.record);
        pretty_end(&s->w);
    }
    pretty_end(&s->w);
}

/* Without a prefab: nothing is given already. */
static void component_own_schema(Schema* s, const ComponentCompiler* c) {
    pretty_object(&s->w, c->type.record.name);
    pretty_object(&s->w, "not");
    type_put(s, "null", NULL);
    pretty_end(&s->w);
    pretty_text(&s->w, "errorMessage", "There is no prefab whose component this could remove.");
    pretty_bool(&s->w, "doNotSuggest", true); /* the other part does, and knows more of it */
    if (component_is_table(c)) required_put(s, &c->type.record);
    pretty_end(&s->w);
}

static void components_schema(Schema* s) {
    const Registry* r = s->registry;
    pretty_object(&s->w, "components");
    described(s, "components", "What the entity is made of; below a prefab, what is different.");
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    for (u32 i = 0; i < r->count; i++) component_value_schema(s, &r->compiler[i]);
    pretty_end(&s->w);
    closed(s);
    pretty_end(&s->w);
    pretty_object(&s->w, "components.own");
    pretty_object(&s->w, "properties");
    for (u32 i = 0; i < r->count; i++) component_own_schema(s, &r->compiler[i]);
    pretty_end(&s->w);
    pretty_end(&s->w);
    for (u32 i = 0; i < r->count; i++) component_schema(s, &r->compiler[i]);
}

/* --- entities and levels --- */

typedef enum NodePlace { NODE_CHILD, NODE_LISTED, NODE_FILE } NodePlace;

static void overrides_schema(Schema* s) {
    pretty_object(&s->w, "overrides");
    described(
        s, "overrides",
        "What is different in children of the prefab, by their path from it. Needs a prefab.");
    type_put(s, "object", NULL);
    pretty_object(&s->w, "propertyNames");
    pattern_put(s, PATH_PATTERN, "A path is made of names between slashes.");
    pretty_end(&s->w);
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
    reference_put(s, "additionalProperties", "", "override");
    pretty_end(&s->w);
}

static void override_schema(Schema* s) {
    pretty_object(&s->w, "override");
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    reference_put(s, "components", "", "components");
    pretty_end(&s->w);
    closed(s);
    pretty_end(&s->w);
}

static void node_properties(Schema* s, NodePlace place) {
    if (place == NODE_FILE) notes_put(s);
    pretty_object(&s->w, "name");
    described(s, "name", "Part of the paths that lead here; siblings have different names.");
    entity_name_schema(s, NULL);
    pretty_end(&s->w);
    if (place == NODE_LISTED) {
        pretty_object(&s->w, "parent");
        described(s, "parent",
                  "The name of an entity in the level's list below which this one is.");
        entity_name_schema(s, NULL);
        pretty_end(&s->w);
    }
    pretty_object(&s->w, "prefab");
    described(s, "prefab", "The name of the entity or glTF model that this is an instance of.");
    resource_name_schema(s, NULL);
    pretty_end(&s->w);
    reference_put(s, "components", "", "components");
    pretty_object(&s->w, "children");
    described(s, "children", "Entities below this one, behind those that the prefab has.");
    type_put(s, "array", NULL);
    reference_put(s, "items", "", "entity");
    pretty_end(&s->w);
    overrides_schema(s);
}

/* The keywords of an object that is a node. */
static void node_schema(Schema* s, NodePlace place) {
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    node_properties(s, place);
    pretty_end(&s->w);
    closed(s);
    pretty_object(&s->w, "if");
    pretty_texts(&s->w, "required", (const char* const[]){"prefab"}, 1);
    pretty_end(&s->w);
    pretty_object(&s->w, "else");
    pretty_object(&s->w, "properties");
    reference_put(s, "components", "", "components.own");
    pretty_object(&s->w, "overrides");
    pretty_object(&s->w, "propertyNames");
    pattern_put(s, NOTE_PATTERN, "Overrides need a \"prefab\" whose children they reach into.");
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_end(&s->w);
}

static void node_definitions(Schema* s, bool level) {
    pretty_object(&s->w, "definitions");
    if (level) {
        pretty_object(&s->w, "listed");
        node_schema(s, NODE_LISTED);
        pretty_end(&s->w);
    }
    pretty_object(&s->w, "entity");
    node_schema(s, NODE_CHILD);
    pretty_end(&s->w);
    override_schema(s);
    components_schema(s);
    pretty_end(&s->w);
}

static void entity_file_schema(Schema* s) {
    node_schema(s, NODE_FILE);
    node_definitions(s, false);
}

static void level_file_schema(Schema* s) {
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    pretty_object(&s->w, "entities");
    described(s, "entities", "What is in the level, in any order.");
    type_put(s, "array", NULL);
    reference_put(s, "items", "", "listed");
    pretty_end(&s->w);
    pretty_end(&s->w);
    closed(s);
    pretty_texts(&s->w, "required", (const char* const[]){"entities"}, 1);
    node_definitions(s, true);
}

/* --- other sources --- */

static void material_file_schema(Schema* s) {
    const RecordType* type = section_record(SECTION_MATERIAL);
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    fields_schema(s, type);
    pretty_end(&s->w);
    closed(s);
    required_put(s, type);
}

static u32 resource_suffixes(const char* suffixes[RESOURCE_COUNT]) {
    u32 count = 0;
    for (u32 type = RESOURCE_NONE + 1; type < RESOURCE_COUNT; type++) {
        suffixes[count++] = ent_resource_suffix(type);
    }
    return count;
}

/* A key whose value has one type and nothing more to say. */
static void simple_schema(Schema* s, const char* key, const char* type, const char* text) {
    pretty_object(&s->w, key);
    described(s, key, text);
    if (type) type_put(s, type, NULL);
    pretty_end(&s->w);
}

static void declared_field_schema(Schema* s) {
    static const char* const types[] = {"f32",    "u32",      "bool", "enum",
                                        "entity", "resource", "name", "quat"};
    const char*              suffixes[RESOURCE_COUNT];
    const u32                suffix_count = resource_suffixes(suffixes);
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    pretty_object(&s->w, "type");
    described(s, "type", "What the field holds.");
    pretty_texts(&s->w, "enum", types, COUNT_OF(types));
    pretty_end(&s->w);
    pretty_object(&s->w, "count");
    described(s, "count", "Numbers in an f32 field.");
    type_put(s, "integer", NULL);
    pretty_number(&s->w, "minimum", 1);
    pretty_number(&s->w, "maximum", 4);
    pretty_end(&s->w);
    simple_schema(s, "default", NULL, "What it is when JSON does not say.");
    simple_schema(s, "min", "number", "The least that is allowed.");
    simple_schema(s, "max", "number", "The most that is allowed.");
    simple_schema(s, "unit", "string", "As in \"m/s\".");
    simple_schema(s, "text", "string", "What it means, in one line.");
    pretty_object(&s->w, "enum");
    described(s, "enum", "The texts that an enum knows.");
    type_put(s, "array", NULL);
    pretty_object(&s->w, "items");
    type_put(s, "string", NULL);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_object(&s->w, "resource");
    described(s, "resource", "The type of resource that is named.");
    pretty_texts(&s->w, "enum", suffixes, suffix_count);
    pretty_end(&s->w);
    simple_schema(s, "required", "boolean", "It has no default: JSON must say it.");
    pretty_end(&s->w);
    closed(s);
    pretty_texts(&s->w, "required", (const char* const[]){"type"}, 1);
}

static void component_file_schema(Schema* s) {
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    simple_schema(s, "text", "string", "What the component is, in one line.");
    simple_schema(s, "several", "boolean", "May an entity have more than one?");
    simple_schema(s, "order", "integer", "Spawn order: what has a lower number is spawned before.");
    pretty_object(&s->w, "fields");
    described(s, "fields", "Each field by its name, in the order of the record.");
    type_put(s, "object", NULL);
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_object(&s->w, "additionalProperties");
    declared_field_schema(s);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_end(&s->w);
    closed(s);
}

static void package_file_schema(Schema* s) {
    const char* suffixes[RESOURCE_COUNT];
    const u32   count = resource_suffixes(suffixes);
    const char* pattern = "^" NAME_PATTERN "\\.(";
    for (u32 i = 0; i < count; i++) {
        pattern = arena_print(&s->arena, "%s%s%s", pattern, i ? "|" : "", suffixes[i]);
    }
    type_put(s, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    pretty_object(&s->w, "roots");
    described(s, "roots", "What is packed, with all that it refers to.");
    type_put(s, "array", NULL);
    pretty_object(&s->w, "items");
    type_put(s, "string", NULL);
    pattern_put(s, arena_print(&s->arena, "%s)$", pattern),
                "A root is written NAME.TYPE, as in \"levels/town.level\".");
    pretty_end(&s->w);
    pretty_bool(&s->w, "uniqueItems", true);
    pretty_end(&s->w);
    pretty_end(&s->w);
    closed(s);
    pretty_texts(&s->w, "required", (const char* const[]){"roots"}, 1);
}

/* --- files --- */

/* Sources that are written as JSON. */
static const struct SchemaFile {
    const char* suffix;
    void (*write)(Schema* s);
} files[] = {
    {"entity", entity_file_schema},     {"level", level_file_schema},
    {"material", material_file_schema}, {"component", component_file_schema},
    {"package", package_file_schema},
};

static ResourceType file_type(const struct SchemaFile* file) {
    return resource_from_suffix(text_of(file->suffix));
}

static const char* resource_text(ResourceType type) {
#define RESOURCE_SENTENCE(name, suffix, text) text,
    static const char* const texts[] = {"", RESOURCE_LIST(RESOURCE_SENTENCE)};
#undef RESOURCE_SENTENCE
    return texts[type];
}

void schema_associations(Pretty* w, const char* folder) {
    char text[512];
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        if (file_type(&files[i]) == RESOURCE_NONE) continue;
        pretty_object(w, NULL);
        snprintf(text, sizeof text, "*.%s.json", files[i].suffix);
        pretty_texts(w, "fileMatch", (const char* const[]){text}, 1);
        snprintf(text, sizeof text, "%s/%s.schema.json", folder, files[i].suffix);
        pretty_text(w, "url", text);
        pretty_end(w);
    }
}

static int io_failure(const char* what, const char* path) {
    fprintf(stderr, "entc: error: %s \"%s\": %s\n", what, path, strerror(errno));
    return EXIT_IO;
}

static char* schema_text(const struct SchemaFile* file, const Registry* registry, size_t* bytes) {
    char*  text = NULL;
    Schema s = {.registry = registry};
    s.w.out = open_memstream(&text, bytes);
    if (!s.w.out) memory_exhausted(1 << 16);
    pretty_object(&s.w, NULL);
    pretty_text(&s.w, "$schema", "http://json-schema.org/draft-07/schema#");
    described(&s, file->suffix, resource_text(file_type(file)));
    file->write(&s);
    pretty_end(&s.w);
    fclose(s.w.out);
    arena_drop(&s.arena);
    return text;
}

/* Counts what is, or with `check` would be, written anew. */
static int schemas_write(const BuildOptions* o, const Registry* registry, u32* changed) {
    Arena scratch = {0};
    int   code = EXIT_OK;
    for (u32 i = 0; i < COUNT_OF(files) && code == EXIT_OK; i++) {
        if (file_type(&files[i]) == RESOURCE_NONE) continue;
        const char* path = arena_print(&scratch, "%s/%s.schema.json", o->out, files[i].suffix);
        size_t      bytes = 0;
        char*       text = schema_text(&files[i], registry, &bytes);
        FileChange  change = FILE_SAME;
        if (o->check)
            change = file_holds(path, text, bytes) ? FILE_SAME : FILE_CHANGED;
        else if (file_replace(path, text, bytes, &change) != ENT_OK)
            code = io_failure("cannot write", path);
        free(text);
        if (code != EXIT_OK || change == FILE_SAME) continue;
        *changed += 1;
        if (o->check || o->verbose) printf("%s %s\n", o->check ? "would write" : "wrote", path);
    }
    arena_drop(&scratch);
    return code;
}

static int schema_all(const BuildOptions* o, Registry* registry, Assets* assets,
                      Diagnostics* diag) {
    u32 changed = 0;
    if (!registry_init(registry, diag)) return EXIT_INVALID;
    if (o->source && assets_open(assets, o->source, registry, diag) != ENT_OK) {
        return io_failure("cannot read the asset folder", o->source);
    }
    if (diag_error_count(diag) > 0) return EXIT_INVALID;
    const int code = schemas_write(o, registry, &changed);
    return code == EXIT_OK && o->check && changed > 0 ? EXIT_USAGE : code;
}

int schema_run(const BuildOptions* options) {
    Registry     registry;
    Assets       assets = {0};
    Diagnostics* diag = diag_create();
    const int    code = schema_all(options, &registry, &assets, diag);
    diag_print(diag, options->format == DIAG_GITHUB ? stdout : stderr, options->format,
               options->color);
    assets_close(&assets);
    diag_destroy(diag);
    return code;
}
