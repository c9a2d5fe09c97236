/* make fuzz target=declaration seconds=60
 *
 * Arbitrary declarations of components: in the blob of a component, and in levels and saves beside
 * their instances. What the validator accepts is printed, declared in a world, and converted to
 * another declaration of the same component; then every value is one that the newer declaration
 * allows, and the world can be saved. */
#include <stdio.h>
#include <stdlib.h>

#include "blob_write_internal.h"
#include "build.h"
#include "ent.h"
#include "exit_codes.h"
#include "fields.h"
#include "fuzz.h"
#include "hash.h"
#include "inspect.h"
#include "sections.h"

#define ENTITIES_MAX 20000
#define REPAIRS_MAX  64

typedef struct File {
    u8*    bytes;
    size_t size;
    Blob   blob;
} File;

static File declared[2],
    level; /* the older and the newer declaration, a level with the older one */

/* --- the first inputs --- */

static const char older[] =
    "{ \"text\": \"what a thing is\", \"fields\": {\n"
    "  \"points\": { \"type\": \"f32\", \"default\": 5, \"min\": 0, \"max\": 100, \"unit\": "
    "\"hp\",\n"
    "    \"text\": \"left\" },\n"
    "  \"size\": { \"type\": \"f32\", \"count\": 3, \"default\": [1, 2, 3], \"text\": \"m\" },\n"
    "  \"kind\": { \"type\": \"enum\", \"enum\": [\"wood\", \"stone\"], \"default\": \"wood\",\n"
    "    \"text\": \"matter\" },\n"
    "  \"marks\": { \"type\": \"flags\", \"default\": [],\n"
    "    \"enum\": [\"new\", \"old\", \"odd\"] },\n"
    "  \"slots\": { \"type\": \"u32\", \"array\": 3, \"default\": 7, \"text\": \"slots\" },\n"
    "  \"guard\": { \"type\": \"entity\", \"text\": \"guard\" },\n"
    "  \"title\": { \"type\": \"text\", \"text\": \"title\" } } }\n";
static const char newer[] =
    "{ \"text\": \"what a thing is\", \"fields\": {\n"
    "  \"hit_points\": { \"type\": \"u32\", \"default\": 5, \"max\": 50, \"was\": \"points\",\n"
    "    \"text\": \"left\" },\n"
    "  \"size\": { \"type\": \"f32\", \"count\": 2, \"default\": [1, 2], \"text\": \"m\" },\n"
    "  \"kind\": { \"type\": \"flags\", \"default\": [], \"enum\": [\"iron\",\n"
    "    { \"name\": \"oak\", \"was\": \"wood\" }],\n"
    "    \"text\": \"matter\" },\n"
    "  \"marks\": { \"type\": \"flags\", \"enum\": [\"old\", \"new\"], \"default\": [] },\n"
    "  \"slots\": { \"type\": \"i32\", \"array\": 5, \"default\": -7, \"text\": \"slots\" },\n"
    "  \"guard\": { \"type\": \"entity\", \"array\": 2, \"text\": \"guard\" },\n"
    "  \"title\": { \"type\": \"text\", \"text\": \"title\" } } }\n";
static const char entities[] =
    "{ \"entities\": [\n"
    "  { \"name\": \"a\", \"components\": { \"thing\": { \"points\": 12.5, \"kind\": \"stone\",\n"
    "    \"marks\": [\"odd\", \"new\"], \"slots\": [1, 2, 4294967295], \"title\": \"first\" } } "
    "},\n"
    "  { \"name\": \"b\", \"components\": { \"thing\": { \"guard\": \"a\", \"size\": [4, 5, 6] } } "
    "} ] }\n";

static File file_read(const char* name) {
    File f = {0};
    u8*  bytes = fuzz_read(name, &f.size);
    if (!bytes) abort();
    f.bytes = aligned_alloc(16, align_up(f.size + 1, 16));
    memcpy(f.bytes, bytes, f.size);
    free(bytes);
    if (ent_blob_open(&f.blob, f.bytes, f.size, NULL, NULL) != ENT_OK) abort();
    fuzz_seed(strrchr(name, '/') + 1, f.bytes, f.size);
    return f;
}

static File declared_build(const char* source, const char* out, const char* text) {
    char path[100];
    snprintf(path, sizeof path, "%s/game/thing.component.json", source);
    fuzz_write(path, text, strlen(text));
    const BuildOptions o = {
        .source = fuzz_path(source), .out = fuzz_path(out), .jobs = 1, .messages.quiet = true};
    if (build_run(&o, NULL) != EXIT_OK) abort();
    snprintf(path, sizeof path, "%s/game/thing.component", out);
    return file_read(path);
}

/* A world with one of the declarations. */
static World* world_open(const Blob* declaration) {
    World* w;
    if (ent_world_create(&w, NULL) != ENT_OK || ent_world_declare(w, declaration) != ENT_OK)
        abort();
    return w;
}

static void save_seed(void) {
    const SaveOptions options = {.name = "saves/quick"};
    World*            w = world_open(&declared[0].blob);
    void*             bytes;
    size_t            size;
    if (ent_world_spawn(w, &level.blob, NULL, NULL) != ENT_OK) abort();
    if (ent_world_save(w, &options, &bytes, &size) != ENT_OK) abort();
    fuzz_seed("save", bytes, size);
    ent_world_save_free(w, bytes, size);
    ent_world_destroy(w);
}

static void prepare(void) {
    if (level.bytes) return;
    fuzz_write("older/yard.level.json", entities, strlen(entities));
    declared[0] = declared_build("older", "out_older", older);
    declared[1] = declared_build("newer", "out_newer", newer);
    level = file_read("out_older/yard.level");
    save_seed();
}

void fuzz_declaration_seeds(void) { prepare(); }

/* --- ids, layouts and the checksum --- */

/* Sections of instances get the id and layout of their declaration. */
static void declaration_follow(BlobHeader* header, DeclarationRecord* d, u32 id, u32 layout) {
    BlobSection* section = (BlobSection*)(header + 1);
    for (u32 i = 0; i < header->section_count; i++) {
        if (section[i].kind != SECTION_COMPONENT || section[i].identifier != d->id) continue;
        section[i].identifier = id;
        section[i].layout = layout;
    }
    d->id = id;
    d->layout = layout;
}

/* The validator has read this declaration up to its id or layout. */
static void declaration_repair(u8* bytes, size_t size, u32 index, bool is_computed) {
    const Blob blob = {bytes, size, (void*)bytes, (void*)(bytes + sizeof(BlobHeader)), 0};
    const DeclarationParts all = declaration_parts(&blob);
    DeclarationRecord*     d = (DeclarationRecord*)(uintptr_t)&all.declaration[index];
    u32                    id = d->id, layout = d->layout;
    if (is_computed) {
        DeclarationParts part = {0};
        for (u32 i = 0; i <= index; i++) {
            if (!declaration_next(&all, &part)) return;
        }
        if (part.text_first > all.text_bytes) return;
        part.text_bytes = all.text_bytes - part.text_first; /* the next one is not validated yet */
        void*               memory = malloc(declared_type_bytes(&part));
        const ComponentType type = declared_type_open(&part, memory);
        id = type.id, layout = type.layout;
        free(memory);
    }
    declaration_follow((void*)bytes, d, id, layout);
}

/* Corrects what the validator reports, while that is an id or a layout. */
static void declarations_repair(u8* bytes, size_t size) {
    const BlobOptions options = {.skip_hash = 1};
    for (u32 i = 0; i < REPAIRS_MAX; i++) {
        Blob      blob;
        BlobFault fault;
        u32       index;
        if (ent_blob_open(&blob, bytes, size, &options, &fault) == ENT_OK) return;
        if (sscanf(fault.field, "declaration[%u].", &index) != 1) return;
        const bool is_section = strstr(fault.reason, "no component section") != NULL;
        if (!is_section && !strstr(fault.reason, "is not the layout hash") &&
            !strstr(fault.reason, "is not the hash of the name"))
            return;
        declaration_repair(bytes, size, index, !is_section);
    }
}

void fuzz_declaration_repair(u8* data, size_t size) {
    if (size < sizeof(BlobHeader)) return;
    u8* bytes = aligned_alloc(16, align_up(size, 16));
    memcpy(bytes, data, size);
    declarations_repair(bytes, size);
    const ResourceRef hash = resource_ref(blob_hash(bytes, size));
    memcpy(bytes + offsetof(BlobHeader, hash), &hash, sizeof hash);
    memcpy(data, bytes, size);
    free(bytes);
}

/* --- the use of a host --- */

static bool is_a_value(FieldForm form) {
    return form != FORM_TEXT && form != FORM_ENTITY && form != FORM_RESOURCE &&
           form != FORM_PERSISTENT && form != FORM_NAME;
}

/* Conversion gives no value that the declaration does not allow. */
static void values_check(World* w) {
    const Manager* m = ent_world_manager_by_name(w, "thing");
    if (!m) return;
    const RecordType* record = &m->desc.type.record;
    for (u32 f = 0; f < record->field_count; f++) {
        const Field element = field_element(&record->fields[f]);
        if (!is_a_value(field_form(&element))) continue;
        for (u32 row = 0; row < m->count; row++) {
            const u8* at = ent_manager_get((Manager*)(uintptr_t)m, row, f);
            for (u32 k = 0; k < field_elements(&record->fields[f]); k++) {
                if (field_fault(&element, at + (size_t)k * element.bytes)) abort();
            }
        }
    }
}

static void world_use(const Blob* declaration, const Blob* blob) {
    const SaveOptions options = {.name = "saves/quick"};
    World*            w = world_open(declaration);
    void*             bytes;
    size_t            size;
    Blob              saved;
    if (ent_world_spawn(w, blob, NULL, NULL) == ENT_OK) {
        values_check(w);
        if (ent_world_save(w, &options, &bytes, &size) == ENT_OK) {
            if (ent_blob_open(&saved, bytes, size, NULL, NULL) != ENT_OK) abort();
            ent_world_save_free(w, bytes, size);
        }
    }
    ent_world_destroy(w);
}

/* Declared by the input, with instances of another declaration of that name. */
static void component_use(const Blob* blob) {
    World* w;
    if (ent_world_create(&w, NULL) != ENT_OK) abort();
    const ent_status status = ent_world_declare(w, blob);
    if (status != ENT_OK && status != ENT_EXISTS) abort();
    if (ent_world_spawn(w, &level.blob, NULL, NULL) == ENT_OK) values_check(w);
    ent_world_destroy(w);
}

void fuzz_declaration(const u8* data, size_t size) {
    static FILE* null;
    Blob         blob;
    prepare();
    if (!null) null = fopen("/dev/null", "w");
    void* bytes = aligned_alloc(16, align_up(size + 1, 16));
    memcpy(bytes, data, size);
    if (ent_blob_open(&blob, bytes, size, NULL, NULL) == ENT_OK &&
        blob.header->element_count <= ENTITIES_MAX) {
        const u32 type = blob.header->resource_type;
        dump_text(null, &blob, NULL);
        if (type == RESOURCE_COMPONENT) component_use(&blob);
        if (type == RESOURCE_ENTITY || type == RESOURCE_LEVEL) {
            world_use(&declared[0].blob, &blob);
            world_use(&declared[1].blob, &blob);
        }
    }
    free(bytes);
}

FUZZ_TARGET(declaration)
