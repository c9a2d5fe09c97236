/* schema.c - writes JSON Schemas from the field tables.
 *
 * A node without a prefab is the complete description of its entity: fields without a default are
 * required, and there is nothing that null could remove. In an instance of a prefab and in
 * overrides both are possible, so the schema of components has two parts, of which the second
 * ("own") applies when there is no prefab. The keywords errorMessage, patternErrorMessage and
 * doNotSuggest are not part of draft-07 but of VS Code; other editors ignore them. */

#include "component_members.h"
#include "diag_codes.h"
#include "exit_codes.h"
#include "failure.h"
#include "folder_root.h"
#include "declare.h"
#include "print.h"
#include "project.h"
#include "schema_internal.h"
#include "sections.h"
#include "temporary.h"
#include "material_slot.h"
#include "model_settings.h"
#include "texture_settings.h"

/* --- components --- */

/* A field table describes only types that are read by it; the compile function of a plugin may
 * accept anything. */
static bool component_is_table(const ComponentCompiler* c) {
    return c->compile == component_compile_fields;
}

static const char* component_text(Schema* s, const ComponentCompiler* c) {
    const ComponentType* type = &c->type;
    const char*          text = "";
    for (u32 i = 0; i < type->record.field_count; i++) {
        text = arena_print(&s->arena, "%s%s%s", text, i ? ", " : "", type->record.fields[i].name);
    }
    const char* about = c->declared ? c->declared->text : "";
    return arena_print(
        &s->arena, "%s%s%s%s.%s", about, *about ? ". " : "", *text ? "Fields: " : "No fields", text,
        type->several == SEVERAL ? " An entity may have multiple instances: write an array." : "");
}

/* A list of instances of another type, by name: what the last field of that type may be. */
static void member_schema(Schema* s, const ComponentMember* member) {
    const u32         type = registry_member_type(s->registry, member);
    const RecordType* record = &s->registry->types[type]->record;
    pretty_object(&s->w, member->key);
    pretty_text(&s->w, "description", arena_print(&s->arena, "%s.", member->text));
    type_put(&s->w, "object", NULL);
    notes_allow(s);
    field_schema(s, record, &record->fields[record->field_count - 1], "additionalProperties");
    pretty_end(&s->w);
}

/* The content of an object; the places that refer to it define whether an object is allowed. */
static void component_schema(Schema* s, const ComponentCompiler* c) {
    const RecordType* type = &c->type.record;
    pretty_object(&s->w, arena_print(&s->arena, "component.%s", type->name));
    title_put(s, type->name, component_text(s, c));
    if (component_is_table(c)) {
        pretty_object(&s->w, "properties");
        fields_schema(s, type);
        if (c->member) member_schema(s, c->member);
        pretty_end(&s->w);
        keys_close(s);
    }
    pretty_end(&s->w);
}

static void component_all_of(Schema* s, const ComponentCompiler* c) {
    pretty_array(&s->w, "allOf");
    reference_put(s, NULL, "component.", c->type.record.name);
    pretty_end(&s->w);
}

/* Every item of an array is a complete component, independent of the prefab. */
static void component_value_schema(Schema* s, const ComponentCompiler* c, const char* name) {
    static const char* const forms[] = {"object", "null", "array"};
    const bool               several = c->type.several == SEVERAL;
    pretty_object(&s->w, name);
    if (name != c->type.record.name) {
        pretty_bool(&s->w, "deprecated", true);
        pretty_text(&s->w, "deprecationMessage",
                    arena_print(&s->arena, "This is an older name of \"%s\"; use the new one.",
                                c->type.record.name));
    }
    pretty_texts(&s->w, "type", forms, several ? 3 : 2);
    component_all_of(s, c);
    if (several) {
        pretty_object(&s->w, "items");
        type_put(&s->w, "object", NULL);
        component_all_of(s, c);
        if (component_is_table(c)) required_put(s, &c->type.record);
        pretty_end(&s->w);
    }
    pretty_end(&s->w);
}

/* Without a prefab, no field has a value already. */
static void component_alone_schema(Schema* s, const ComponentCompiler* c, const char* name) {
    pretty_object(&s->w, name);
    pretty_object(&s->w, "not");
    type_put(&s->w, "null", NULL);
    pretty_end(&s->w);
    pretty_text(&s->w, "errorMessage",
                "null removes a component of a prefab, and this entity has no prefab.");
    pretty_bool(&s->w, "doNotSuggest", true); /* the other part does this with more information */
    if (component_is_table(c)) required_put(s, &c->type.record);
    pretty_end(&s->w);
}

/* The properties of a type: its name, and those that it had, of a built-in type. */
static void component_names(Schema* s, const ComponentCompiler* c,
                            void put(Schema* s, const ComponentCompiler* c, const char* name)) {
    put(s, c, c->type.record.name);
    for (u32 i = 0; i < c->type.was_count && !c->declared && !c->plugin; i++)
        if (c->type.was[i].field == NONE) put(s, c, c->type.was[i].name);
}

static void components_schema(Schema* s) {
    const Registry* r = s->registry;
    pretty_object(&s->w, "components");
    title_put(s, "components",
              "The components of the entity; for an instance of a prefab, the components that "
              "differ from the prefab.");
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    for (u32 i = 0; i < r->count; i++) component_names(s, &r->compiler[i], component_value_schema);
    pretty_end(&s->w);
    keys_close(s);
    pretty_end(&s->w);
    pretty_object(&s->w, "components.own");
    pretty_object(&s->w, "properties");
    for (u32 i = 0; i < r->count; i++) component_names(s, &r->compiler[i], component_alone_schema);
    pretty_end(&s->w);
    pretty_end(&s->w);
    for (u32 i = 0; i < r->count; i++) component_schema(s, &r->compiler[i]);
}

/* --- entities and levels --- */

typedef enum NodePlace { NODE_CHILD, NODE_LISTED, NODE_FILE } NodePlace;

static void overrides_schema(Schema* s) {
    pretty_object(&s->w, "overrides");
    title_put(
        s, "overrides",
        "The changes to children of the prefab, by their path from it; null removes one. Needs "
        "\"prefab\".");
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "propertyNames");
    pattern_put(&s->w, PATH_PATTERN, "A path consists of names separated by slashes.");
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
    type_put(&s->w, "object", "null");
    pretty_object(&s->w, "properties");
    reference_put(s, "components", "", "components");
    pretty_object(&s->w, "children");
    title_put(s, "children", "Entities that are added as children of the overridden one.");
    type_put(&s->w, "array", NULL);
    reference_put(s, "items", "", "entity");
    pretty_end(&s->w);
    pretty_object(&s->w, "prefab");
    title_put(
        s, "prefab",
        "The name of the entity or glTF model that replaces the prefab of the overridden entity.");
    resource_name_schema(&s->w, NULL);
    pretty_end(&s->w);
    reference_put(s, "was", "", "components");
    pretty_end(&s->w);
    keys_close(s);
    pretty_end(&s->w);
}

static void node_properties(Schema* s, NodePlace place) {
    if (place == NODE_FILE) notes_put(s);
    pretty_object(&s->w, "name");
    title_put(
        s, "name",
        "The name of the entity, which is part of its path; siblings must have different names.");
    entity_name_schema(&s->w, NULL);
    pretty_end(&s->w);
    if (place == NODE_LISTED) {
        pretty_object(&s->w, "parent");
        title_put(s, "parent",
                  "The path of the parent: an entity in the list of the level, and then the names "
                  "of its children, also inside of its prefab.");
        type_put(&s->w, "string", NULL);
        pattern_put(&s->w, PATH_PATTERN, "A path consists of names separated by slashes.");
        pretty_end(&s->w);
    }
    if (place != NODE_FILE) {
        pretty_object(&s->w, "group");
        title_put(s, "group",
                  "The group of this entity and its children; a group can be spawned separately or "
                  "omitted.");
        entity_name_schema(&s->w, NULL);
        pretty_end(&s->w);
    }
    pretty_object(&s->w, "prefab");
    title_put(s, "prefab",
              "The name of the entity or glTF model of which this entity is an instance.");
    resource_name_schema(&s->w, NULL);
    pretty_end(&s->w);
    reference_put(s, "components", "", "components");
    pretty_object(&s->w, "children");
    title_put(s, "children", "The children of this entity, in addition to those of the prefab.");
    type_put(&s->w, "array", NULL);
    reference_put(s, "items", "", "entity");
    pretty_end(&s->w);
    overrides_schema(s);
}

/* The keywords of an object that is a node. */
static void node_schema(Schema* s, NodePlace place) {
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    node_properties(s, place);
    pretty_end(&s->w);
    keys_close(s);
    pretty_object(&s->w, "if");
    pretty_texts(&s->w, "required", (const char* const[]){"prefab"}, 1);
    pretty_end(&s->w);
    pretty_object(&s->w, "else");
    pretty_object(&s->w, "properties");
    reference_put(s, "components", "", "components.own");
    pretty_object(&s->w, "overrides");
    pretty_object(&s->w, "propertyNames");
    pattern_put(&s->w, NOTE_PATTERN,
                "\"overrides\" needs a \"prefab\" that contains the overridden entities.");
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
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    pretty_object(&s->w, "entities");
    title_put(s, "entities", "The entities of the level, in any order.");
    type_put(&s->w, "array", NULL);
    reference_put(s, "items", "", "listed");
    pretty_end(&s->w);
    pretty_end(&s->w);
    keys_close(s);
    pretty_texts(&s->w, "required", (const char* const[]){"entities"}, 1);
    node_definitions(s, true);
}

/* --- other sources --- */

/* An object; between these two, the caller writes its properties. It may also have notes. */
static void properties_begin(Schema* s) {
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
}

static void properties_end(Schema* s) {
    pretty_end(&s->w);
    keys_close(s);
}

static void material_textures_schema(Schema* s) {
    const Field*     slot = section_record(SECTION_MATERIAL_TEXTURE)->fields;
    const RecordType type = material_texture_fields();
    pretty_object(&s->w, "textures");
    title_put(s, "textures", "The textures of the material, by what they replace.");
    properties_begin(s);
    for (u32 i = 0; i < slot->text_count; i++) {
        pretty_object(&s->w, slot->texts[i]);
        properties_begin(s);
        fields_schema(s, &type);
        properties_end(s);
        required_put(s, &type);
        pretty_end(&s->w);
    }
    properties_end(s);
    pretty_end(&s->w);
}

static void material_file_schema(Schema* s) {
    const RecordType* type = section_record(SECTION_MATERIAL);
    properties_begin(s);
    fields_schema(s, type);
    material_textures_schema(s);
    properties_end(s);
    required_put(s, type);
}

static void texture_file_schema(Schema* s) {
    properties_begin(s);
    pretty_object(&s->w, "image");
    title_put(s, "image",
              "The path of a PNG or JPEG file, relative to this one. Without it, the image is the "
              "file with the name of the texture.");
    type_put(&s->w, "string", NULL);
    pretty_end(&s->w);
    fields_schema(s, texture_settings_type());
    properties_end(s);
}

static void data_file_schema(Schema* s) {
    properties_begin(s);
    properties_end(s);
}

/* The settings of one texture of a model, or of all: an object in an object. */
static void model_texture_schema(Schema* s) {
    properties_begin(s);
    fields_schema(s, texture_settings_type());
    properties_end(s);
}

static void model_textures_schema(Schema* s) {
    pretty_object(&s->w, "textures");
    title_put(s, "textures",
              "The settings of the textures of the model, by the name of the image, or \"*\" for "
              "all of them. What is not set follows from the materials of the model.");
    type_put(&s->w, "object", NULL);
    pretty_object(&s->w, "properties");
    notes_put(s);
    pretty_end(&s->w);
    pretty_object(&s->w, "patternProperties");
    pretty_object(&s->w, NOTE_PATTERN);
    pretty_end(&s->w);
    pretty_end(&s->w);
    pretty_object(&s->w, "additionalProperties");
    model_texture_schema(s);
    pretty_end(&s->w);
    pretty_end(&s->w);
}

static void model_lights_schema(Schema* s) {
    pretty_object(&s->w, "lights");
    title_put(s, "lights", "The settings of the lights of the model.");
    properties_begin(s);
    fields_schema(s, model_lights_type());
    properties_end(s);
    pretty_end(&s->w);
}

static void model_names_schema(Schema* s) {
    pretty_object(&s->w, "names");
    title_put(s, "names", "What the names of objects in the model mean.");
    properties_begin(s);
    fields_schema(s, model_names_type());
    properties_end(s);
    pretty_end(&s->w);
}

static void model_file_schema(Schema* s) {
    properties_begin(s);
    fields_schema(s, model_settings_type());
    model_textures_schema(s);
    model_lights_schema(s);
    model_names_schema(s);
    properties_end(s);
}

static void package_file_schema(Schema* s) {
    const char* suffixes[RESOURCE_COUNT];
    const u32   count = resource_suffixes(suffixes);
    const char* pattern = "^" NAME_PATTERN "\\.(";
    for (u32 i = 0; i < count; i++) {
        pattern = arena_print(&s->arena, "%s%s%s", pattern, i ? "|" : "", suffixes[i]);
    }
    properties_begin(s);
    pretty_object(&s->w, "roots");
    title_put(s, "roots", "The resources that are packed, with everything that they refer to.");
    type_put(&s->w, "array", NULL);
    pretty_object(&s->w, "items");
    type_put(&s->w, "string", NULL);
    pattern_put(
        &s->w, arena_print(&s->arena, "%s)$|(?=.*[*?])" FILES_PATTERN, pattern),
        "A root is written NAME.TYPE, as in \"levels/town.level\", or a pattern of such names, "
        "as in \"levels/*.level\".");
    pretty_end(&s->w);
    pretty_bool(&s->w, "uniqueItems", true);
    pretty_end(&s->w);
    properties_end(s);
    pretty_texts(&s->w, "required", (const char* const[]){"roots"}, 1);
}

/* --- the project's settings --- */

static void settings_key_schema(Schema* s, const SettingsKey* key) {
    pretty_object(&s->w, key->name);
    title_put(s, key->name, key->text);
    if (!key->one) {
        type_put(&s->w, "boolean", NULL);
        pretty_end(&s->w);
        return;
    }
    type_put(&s->w, "array", NULL);
    pretty_object(&s->w, "items");
    if (key->known) {
        pretty_texts(&s->w, "enum", key->known, key->known_count);
    } else {
        type_put(&s->w, "string", NULL);
        if (key->is_pattern)
            pattern_put(&s->w, FILES_PATTERN,
                        "A pattern of names, as \"*.ogg\", or of paths from the source folder, as "
                        "\"scripts/**/*.lua\".");
        else
            pattern_put(&s->w, "^(?=.*[a-z])" NAME_SEGMENT "$",
                        arena_print(&s->arena,
                                    "The name of a %s may contain only a-z, 0-9, '_' and '-', and "
                                    "must contain a letter.",
                                    key->one));
        if (!key->is_pattern) pretty_number(&s->w, "maxLength", 255);
    }
    pretty_end(&s->w);
    pretty_bool(&s->w, "uniqueItems", true);
    if (!key->known) pretty_number(&s->w, "maxItems", SETTINGS_NAMES_MAX);
    pretty_end(&s->w);
}

static void severities_schema(Schema* s) {
    pretty_object(&s->w, SETTINGS_SEVERITIES);
    title_put(s, SETTINGS_SEVERITIES,
              "The severities of warnings, by their codes: an error makes a build fail, and a "
              "warning that is off is not reported.");
    properties_begin(s);
    for (u32 i = 0; i < DIAG_CODE_COUNT; i++) {
        if (!diag_code_is_warning((DiagCode)i)) continue;
        pretty_object(&s->w, diag_code_name((DiagCode)i));
        title_put(s, diag_code_name((DiagCode)i), diag_code_text((DiagCode)i));
        pretty_texts(&s->w, "enum", &settings_severities[DIAG_OFF], DIAG_SEVERITY_COUNT - DIAG_OFF);
        pretty_end(&s->w);
    }
    properties_end(s);
    pretty_end(&s->w);
}

static void settings_file_schema(Schema* s) {
    const SettingsKey* keys;
    const u32          count = settings_keys(&keys);
    properties_begin(s);
    for (u32 i = 0; i < count; i++) {
        const char* object = keys[i].object; /* keys of one object follow each other */
        const bool  first = object && (i == 0 || keys[i - 1].object != object);
        const bool  last = object && (i + 1 == count || keys[i + 1].object != object);
        if (first) {
            pretty_object(&s->w, object);
            properties_begin(s);
        }
        settings_key_schema(s, &keys[i]);
        if (!last) continue;
        properties_end(s);
        pretty_end(&s->w);
    }
    severities_schema(s);
    properties_end(s);
}

/* --- files --- */

/* The types of JSON files: sources, by their suffix, and the settings. */
static const struct SchemaFile {
    const char* name;
    const char* match; /* the names of the files to which it applies */
    void (*write)(Schema* s);
} files[] = {
    {"entity", "*.entity.json", entity_file_schema},
    {"level", "*.level.json", level_file_schema},
    {"material", "*.material.json", material_file_schema},
    {"texture", "*.texture.json", texture_file_schema},
    {"data", "*.data.json", data_file_schema},
    {"model", "*.model.json", model_file_schema},
    {"component", "*.component.json", component_file_schema},
    {"package", "*.package.json", package_file_schema},
    {"entc", SETTINGS_FILE, settings_file_schema},
};

static const char* file_text(const struct SchemaFile* file) {
#define RESOURCE_SENTENCE(name, suffix, text) text,
    static const char* const texts[] = {"settings for the complete project",
                                        RESOURCE_LIST(RESOURCE_SENTENCE)};
#undef RESOURCE_SENTENCE
    if (strcmp(file->name, "data") == 0) return "makes the file without \".data.json\" a resource";
    if (strcmp(file->name, "model") == 0) return "settings of a glTF file of the same name";
    return texts[resource_from_suffix(text_of(file->name))];
}

void schema_associations(Pretty* w, const char* folder) {
    char text[512];
    for (u32 i = 0; i < COUNT_OF(files); i++) {
        pretty_object(w, NULL);
        pretty_texts(w, "fileMatch", &files[i].match, 1);
        snprintf(text, sizeof text, "%s/%s.schema.json", folder, files[i].name);
        pretty_text(w, "url", text);
        pretty_end(w);
    }
}

static void schema_print(const struct SchemaFile* file, const Registry* registry, FILE* out) {
    Schema s = {.registry = registry, .w = {.out = out}};
    pretty_object(&s.w, NULL);
    pretty_text(&s.w, "$schema", "http://json-schema.org/draft-07/schema#");
    title_put(&s, file->name, file_text(file));
    file->write(&s);
    pretty_end(&s.w);
    arena_drop(&s.arena);
}

/* Symbolic links in the folder are not followed, because the project may come from an untrusted
 * source. */
static int schema_put(Print* print, const char* out, const char* path, FileChange* change) {
    FolderRoot root;
    ent_status status = root_make(&root, out);
    print_end(print);
    if (status == ENT_OK) {
        folder_sweep(path);
        status = root_replace(&root, strrchr(path, '/') + 1, print->text, print->bytes, change);
    }
    const int code = status == ENT_OK ? EXIT_OK : io_failure("cannot write", path);
    root_close(&root);
    print_drop(print);
    return code;
}

static int schema_write(Print* print, const char* out, const char* path, bool check,
                        FileChange* change) {
    if (!check) return schema_put(print, out, path, change);
    bool same;
    print_end(print);
    const ent_status status = file_compare(path, print->text, print->bytes, &same);
    *change = same ? FILE_SAME : FILE_CHANGED;
    print_drop(print);
    return status == ENT_OK ? EXIT_OK : io_failure("cannot read", path);
}

/* Counts the files that are, or with `check` would be, rewritten. */
static int schemas_write(const BuildOptions* o, const Registry* registry, u32* changed) {
    Arena scratch = {0};
    int   code = EXIT_OK;
    for (u32 i = 0; i < COUNT_OF(files) && code == EXIT_OK; i++) {
        const char* path = arena_print(&scratch, "%s/%s.schema.json", o->out, files[i].name);
        FileChange  change;
        Print       print;
        schema_print(&files[i], registry, print_begin(&print));
        code = schema_write(&print, o->out, path, o->mode == BUILD_CHECK, &change);
        if (code != EXIT_OK || change == FILE_SAME) continue;
        *changed += 1;
        if (o->mode == BUILD_CHECK || o->messages.verbose)
            printf("%s %s\n", o->mode == BUILD_CHECK ? "would write" : "wrote", path);
    }
    arena_drop(&scratch);
    return code;
}

int schema_run(const BuildOptions* o) {
    Project* project = memory_alloc(sizeof *project);
    u32      changed = 0;
    int      code = project_open(project, o->source, o->variant, &o->plugins, NULL, JOURNAL_REFUSE);
    if (code == EXIT_OK && !project_has_errors(project)) {
        code = schemas_write(o, &project->registry, &changed);
    }
    code = project_report(project, code, o->messages.format, o->messages.color);
    project_close(project);
    memory_free(project);
    return code == EXIT_OK && o->mode == BUILD_CHECK && changed > 0 ? EXIT_INVALID : code;
}
