/* test_library.c - libraries of a host: what a resource needs is loaded with it, and a message states what could
 * not be opened, which resource or entity refers to it, and why. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "blob_write_internal.h"
#include "bundle_internal.h"
#include "ent.h"
#include "hash.h"
#include "sections.h"
#include "test_worlds_support.h"

#define MESH(name) "\"components\": { \"mesh\": { \"resource\": \"" name "\" } }"
#define MESHES(a, b)                                                                               \
    "\"components\": { \"mesh\": [ { \"resource\": \"" a "\" }, { \"resource\": \"" b "\" } ] }"

static const TestFile sources[] = {
    {"yard.level.json", "{ \"entities\": [ { \"name\": \"yard\", \"children\": [\n"
                        "  { \"name\": \"stone\", " MESH(
                            "rocks/box/box") " },\n"
                                             "  { \"name\": \"crate\", " MESHES(
                                                 "rocks/box/box", "models/box/box") " } ] } ] }"},
    {"pond.level.json",
     "{ \"entities\": [ { \"name\": \"stone\", " MESH(
         "rocks/box/box") " },\n"
                          "  { \"name\": \"pool\", \"components\": { \"fluid\": {\n"
                          "    \"points\": \"models/box/box\" } } } ] }"},
    {"stones.level.json",
     "{ \"entities\": [ { \"name\": \"stone\", " MESH("rocks/box/box") " } ] }"},
    {"all.package.json", "{ \"roots\": [\"paint.material\", \"part.package\", \"yard.level\"] }"},
    {"part.package.json", "{ \"roots\": [\"wood.material\"] }"},
    {"paint.material.json", "{ \"roughness\": 0.25 }"},
    {"wood.material.json", "{ \"roughness\": 0.75 }"},
};

/* The sources, compiled into out/. The caller frees the name of the folder. */
static char* project_new(const char* name) {
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", sources, COUNT_OF(sources));
    test_write_box(folder, "src");
    TEST_DONE(folder, "mkdir src/rocks && cp src/models/* src/rocks && entc build src -o out -q");
    return folder;
}

static ent_status library_at(Library* library, const char* folder, const char* name,
                             const LibraryDesc* desc) {
    char path[2048];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return ent_library_open(library, path, desc);
}

static ent_status load(Library* library, const char* name, ResourceType type) {
    const Blob* blob;
    return ent_library_load(library, name, type, &blob);
}

static bool is_open(const Library* library, const char* name, ResourceType type) {
    return ent_library_find(library, ent_resource_ref(name, type)) != NULL;
}

/* The end of the message of the last call that failed. */
static void problem_ends_with(const Library* library, const char* text) {
    const size_t bytes = strlen(library->problem), end = strlen(text);
    if (bytes < end || strcmp(library->problem + bytes - end, text) != 0)
        fail_msg("\"%s\" does not end with \"%s\"", library->problem, text);
}

/* --- what refers to a missing resource --- */

static void missing_resource_is_reported_with_the_entity_that_refers_to_it(void** state) {
    char*   folder = project_new("library_missing");
    Library library;
    UNUSED(state);
    TEST_DONE(folder, "rm out/models/box/box.mesh out/paint.material");
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    assert_int_equal(load(&library, "yard", RESOURCE_LEVEL), ENT_NOT_FOUND);
    problem_ends_with(&library, "models/box/box.mesh\": no such file; the entity \"yard/crate\" of "
                                "\"yard.level\" refers to it");
    assert_int_equal(load(&library, "pond", RESOURCE_LEVEL), ENT_NOT_FOUND);
    problem_ends_with(&library, "no such file; the entity \"pool\" of \"pond.level\" refers to it");
    assert_int_equal(load(&library, "all", RESOURCE_PACKAGE), ENT_NOT_FOUND);
    problem_ends_with(&library, "paint.material\": no such file; \"all.package\" refers to it");
    ent_library_close(&library);
    free(folder);
}

/* A level with two meshes that are of another layout, as a save of an older library may contain. */
static void older_walk(BlobWriter* w, void* bytes, u32 sections, const ComponentType* older) {
    static const char      name[] = "gone";
    const DeclarationSizes sizes = declarations_measure(&older, 1, NULL);
    DeclarationRows        rows;
    blob_write_begin(w, bytes, sections);
    u32*             parent = blob_write_section(w, SECTION_PARENT, 2);
    u8*              section = blob_write_component(w, older, 2);
    ReferenceRecord* reference = blob_write_section(w, SECTION_REFERENCE, 1);
    char*            text = blob_write_section(w, SECTION_REFERENCE_NAME, sizeof name);
    if (section) {
        const ResourceRef id = ent_resource_ref(name, RESOURCE_MESH);
        *reference = (ReferenceRecord){.id = id, .type = RESOURCE_MESH};
        memcpy(text, name, sizeof name);
        for (u32 i = 0; i < 2; i++) {
            u8* record = section + component_column_start(older, 2, 0) + i * older->record.bytes;
            parent[i] = NONE;
            memcpy(section + i * sizeof i, &i, sizeof i);
            record_defaults(&older->record, record);
            memcpy(record, &id, sizeof id);
        }
    }
    rows.declaration = blob_write_section(w, SECTION_DECLARATION, sizes.declarations);
    rows.field = blob_write_section(w, SECTION_DECLARED_FIELD, sizes.fields);
    rows.enum_text = blob_write_section(w, SECTION_ENUM_TEXT, sizes.enum_texts);
    rows.text = blob_write_section(w, SECTION_DECLARATION_TEXT, sizes.text_bytes);
    if (rows.text) declarations_fill(&older, 1, NULL, &rows);
}

static void older_write(const char* folder) {
    ComponentType older = ent_component_types()[COMPONENT_MESH];
    BlobWriter    w;
    older.record.field_count = 2;
    older.record.bytes = older.record.fields[2].offset;
    ent_component_type_finish(&older);
    older_walk(&w, NULL, 0, &older);
    u8* bytes = malloc((size_t)blob_write_size(&w));
    older_walk(&w, bytes, w.section_count, &older);
    const u64 size =
        blob_write_finish(&w, RESOURCE_LEVEL, ent_resource_ref("save", RESOURCE_LEVEL), 2);
    test_write(folder, "save.level", bytes, (size_t)size);
    free(bytes);
}

/* The fields of an older layout are at other places, so that its instances are not searched. */
static void missing_resource_of_an_older_save_is_reported_with_its_level(void** state) {
    const char* folder = test_folder("library_older");
    Library     library;
    UNUSED(state);
    older_write(folder);
    assert_int_equal(ent_library_open(&library, folder, NULL), ENT_OK);
    if (load(&library, "save", RESOURCE_LEVEL) != ENT_NOT_FOUND) fail_msg("%s", library.problem);
    problem_ends_with(&library, "gone.mesh\": no such file; \"save.level\" refers to it");
    ent_library_close(&library);
}

/* --- libraries that skip what is missing --- */

typedef struct Warnings {
    u32  count;
    char last[2000];
} Warnings;

static void warning_add(void* user, LogLevel level, const char* text) {
    Warnings* warnings = user;
    assert_int_equal(level, LOG_WARNING);
    warnings->count++;
    snprintf(warnings->last, sizeof warnings->last, "%s", text);
}

/* A missing file, or one of another resource, is skipped with one warning; a damaged one is not. */
static void library_that_skips_missing_resources_opens_the_others(void** state) {
    char*       folder = project_new("library_skip");
    Warnings    warnings = {0};
    LibraryDesc desc = {.skip_missing = 1, .log = {warning_add, &warnings}};
    Library     library;
    UNUSED(state);
    TEST_DONE(folder, "rm out/rocks/box/box.mesh");
    assert_int_equal(library_at(&library, folder, "out", &desc), ENT_OK);
    for (u32 i = 0; i < 2; i++) assert_int_equal(load(&library, "yard", RESOURCE_LEVEL), ENT_OK);
    assert_true(is_open(&library, "models/box/box", RESOURCE_MESH));
    assert_int_equal(warnings.count, 1);
    assert_non_null(strstr(warnings.last, "no such file; the entity \"yard/stone\" of"));
    assert_int_equal(load(&library, "nosuch", RESOURCE_LEVEL), ENT_NOT_FOUND);
    ent_library_clear(&library);
    TEST_DONE(folder, "cp out/paint.material out/rocks/box/box.mesh");
    assert_int_equal(load(&library, "yard", RESOURCE_LEVEL), ENT_OK);
    assert_int_equal(warnings.count, 2);
    assert_non_null(strstr(warnings.last, "the blob is of another resource; it was renamed; "));
    ent_library_clear(&library);
    TEST_DONE(folder, "head -c 200 out/models/box/box.mesh >out/rocks/box/box.mesh");
    assert_int_equal(load(&library, "yard", RESOURCE_LEVEL), ENT_TRUNCATED);
    problem_ends_with(&library, "; the entity \"yard/stone\" of \"yard.level\" refers to it");
    assert_int_equal(warnings.count, 2);
    ent_library_close(&library);
    /* Without a log. */
    TEST_DONE(folder, "rm out/rocks/box/box.mesh");
    desc.log = (HostLog){0};
    assert_int_equal(library_at(&library, folder, "out", &desc), ENT_OK);
    assert_int_equal(load(&library, "yard", RESOURCE_LEVEL), ENT_OK);
    assert_true(is_open(&library, "models/box/box", RESOURCE_MESH));
    ent_library_close(&library);
    free(folder);
}

/* --- what is loaded --- */

/* What was opened alone stays without what it refers to, until it is needed. */
static void load_opens_only_what_its_root_refers_to(void** state) {
    char*       folder = project_new("library_root");
    Library     library;
    const Blob* blob;
    UNUSED(state);
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "stones", RESOURCE_LEVEL, &blob), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "part", RESOURCE_PACKAGE, &blob), ENT_OK);
    assert_int_equal(library.count, 2);
    assert_int_equal(load(&library, "stones", RESOURCE_LEVEL), ENT_OK);
    assert_int_equal(library.count, 3);
    assert_true(is_open(&library, "rocks/box/box", RESOURCE_MESH));
    assert_int_equal(load(&library, "all", RESOURCE_PACKAGE), ENT_OK);
    assert_true(is_open(&library, "wood", RESOURCE_MATERIAL));
    ent_library_close(&library);
    free(folder);
}

/* The message of one root is not that of another. */
static void load_does_not_depend_on_another_that_failed_before(void** state) {
    char*       folder = project_new("library_retry");
    Library     library;
    const Blob* blob;
    UNUSED(state);
    TEST_DONE(folder, "mv out/models/box/box.mesh box");
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "part", RESOURCE_PACKAGE, &blob), ENT_OK);
    assert_int_equal(load(&library, "stones", RESOURCE_LEVEL), ENT_OK);
    assert_int_equal(load(&library, "all", RESOURCE_PACKAGE), ENT_NOT_FOUND);
    assert_int_equal(load(&library, "stones", RESOURCE_LEVEL), ENT_OK);
    assert_int_equal(load(&library, "all", RESOURCE_PACKAGE), ENT_NOT_FOUND);
    TEST_DONE(folder, "mv box out/models/box/box.mesh");
    assert_int_equal(load(&library, "all", RESOURCE_PACKAGE), ENT_OK);
    assert_true(is_open(&library, "models/box/box", RESOURCE_MESH));
    assert_true(is_open(&library, "wood", RESOURCE_MATERIAL));
    ent_library_close(&library);
    free(folder);
}

/* Each resource that was opened early is opened once, however many follow. */
static void library_of_many_resources_opens_each_one_once(void** state) {
    enum { COUNT = 300 };
    char*       folder = strdup(test_folder("library_many"));
    const Blob* held[COUNT];
    const Blob* blob;
    Library     library;
    char        name[60];
    UNUSED(state);
    for (u32 i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "src/p%u.material.json", i);
        test_write_text(folder, name, "{ \"roughness\": 0.5 }");
    }
    TEST_DONE(folder, "entc build src -o out -q");
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    for (u32 round = 0; round < 2; round++) {
        for (u32 i = 0; i < COUNT; i++) {
            snprintf(name, sizeof name, "p%u", i);
            assert_int_equal(ent_library_resource(&library, name, RESOURCE_MATERIAL, &blob),
                             ENT_OK);
            if (round) assert_ptr_equal(blob, held[i]);
            held[i] = blob;
            assert_ptr_equal(&ent_library_entry(&library, i)->resource.blob, blob);
        }
        assert_int_equal(library.count, COUNT);
    }
    ent_library_close(&library);
    free(folder);
}

/* --- reasons of the system --- */

static void file_that_cannot_be_read_is_reported_with_the_reason_of_the_system(void** state) {
    char*         folder = project_new("library_reason");
    struct rlimit before, none;
    Library       library;
    UNUSED(state);
    TEST_DONE(folder, "rm out/paint.material && mkdir out/paint.material && ln -s loop loop");
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    assert_int_equal(load(&library, "paint", RESOURCE_MATERIAL), ENT_IO);
    problem_ends_with(&library, "out/paint.material\": Is a directory");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const ent_status limited = load(&library, "wood", RESOURCE_MATERIAL);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_int_equal(limited, ENT_LIMIT);
    problem_ends_with(&library, "out/wood.material\": Too many open files");
    assert_int_equal(load(&library, "wood", RESOURCE_MATERIAL), ENT_OK);
    ent_library_close(&library);
    assert_int_equal(library_at(&library, folder, "loop", NULL), ENT_IO);
    problem_ends_with(&library, "loop\": Too many levels of symbolic links");
    free(folder);
}

/* The fault of an earlier call does not remain. */
static void resource_without_a_file_has_a_fault_without_a_place(void** state) {
    char      path[2048];
    Resource  resource;
    BlobFault fault;
    UNUSED(state);
    memset(&fault, 'x', sizeof fault);
    snprintf(path, sizeof path, "%s/a.level", test_folder("library_no_file"));
    assert_int_equal(ent_resource_open(&resource, path, NULL, &fault), ENT_NOT_FOUND);
    assert_int_equal(fault.status, ENT_NOT_FOUND);
    assert_int_equal(fault.offset, 0);
    assert_string_equal(fault.field, "");
    assert_string_equal(fault.reason, "");
    assert_int_equal(ent_resource_open(&resource, path, NULL, NULL), ENT_NOT_FOUND);
}

static void file_that_is_no_bundle_is_refused_when_opened(void** state) {
    const char* folder = test_folder("library_no_bundle");
    Library     library;
    UNUSED(state);
    test_write_text(folder, "a.pak",
                    "this is the text of a file that was not written by entc pack");
    assert_int_not_equal(library_at(&library, folder, "a.pak", NULL), ENT_OK);
    assert_non_null(strstr(library.problem, "a.pak\": header"));
    assert_null(library.path);
}

static void resource_of_an_unknown_type_is_not_found(void** state) {
    static const u32 types[] = {RESOURCE_NONE, RESOURCE_COUNT, UINT32_MAX};
    char*            folder = project_new("library_type");
    Library          library;
    const Blob*      blob;
    UNUSED(state);
    assert_int_equal(library_at(&library, folder, "out", NULL), ENT_OK);
    for (u32 i = 0; i < COUNT_OF(types); i++) {
        assert_int_equal(ent_library_load(&library, "a", types[i], &blob), ENT_NOT_FOUND);
        assert_non_null(strstr(library.problem, "\"a\": there is no resource type "));
        assert_int_equal(ent_library_resource(&library, "a", types[i], &blob), ENT_NOT_FOUND);
    }
    ent_library_close(&library);
    free(folder);
}

/* The checksums are valid; only the ids differ. */
static void blob_of_another_resource_in_bundle_is_refused(void** state) {
    char*       folder = project_new("library_id");
    char        path[2048];
    size_t      size;
    Bundle      bundle;
    Library     library;
    const Blob* blob;
    UNUSED(state);
    TEST_DONE(folder, "entc pack out --root wood.material -o a.pak --level 0");
    snprintf(path, sizeof path, "%s/a.pak", folder);
    u8* bytes = test_read(path, &size);
    assert_int_equal(ent_bundle_open(&bundle, bytes, size, NULL), ENT_OK);
    BundleResource* row =
        (BundleResource*)ent_bundle_find(&bundle, ent_resource_ref("wood", RESOURCE_MATERIAL));
    u8*          piece = bytes + row->offset_lo;
    BlobHeader   blob_header;
    BundleHeader header;
    memcpy(&blob_header, piece, sizeof blob_header);
    blob_header.resource = ent_resource_ref("paint", RESOURCE_MATERIAL);
    memcpy(piece, &blob_header, sizeof blob_header);
    hash_fix(piece, row->size);
    row->hash = resource_ref(hash_bytes(piece, row->stored, 0));
    memcpy(&header, bytes, sizeof header);
    header.hash = resource_ref(bundle_hash(bytes, bundle_index_bytes(&header)));
    memcpy(bytes, &header, sizeof header);
    test_write(folder, "a.pak", bytes, size);
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(ent_library_resource(&library, "wood", RESOURCE_MATERIAL, &blob),
                     ENT_BAD_FIELD);
    assert_non_null(strstr(library.problem, "wood.material\" in \""));
    assert_non_null(strstr(library.problem, "header.resource at offset "));
    ent_library_close(&library);
    free(bytes);
    free(folder);
}

/* The longest name is only a problem of a folder whose path is long. */
static void path_beyond_its_limit_is_refused_with_its_length(void** state) {
    static char path[4200];
    char        name[ENT_BUNDLE_NAME_BYTES_MAX + 1];
    char*       folder = project_new("library_long");
    Library     library;
    UNUSED(state);
    size_t used = (size_t)snprintf(path, sizeof path, "%s/out", folder);
    while (used + 2 < 4000) used += (size_t)snprintf(path + used, sizeof path - used, "/.");
    memset(name, 'a', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_int_equal(ent_library_open(&library, path, NULL), ENT_OK);
    assert_int_equal(load(&library, "wood", RESOURCE_MATERIAL), ENT_OK);
    assert_int_equal(load(&library, name, RESOURCE_MATERIAL), ENT_LIMIT);
    problem_ends_with(&library, " bytes; the limit is 4095");
    ent_library_close(&library);
    free(folder);
}

TEST_SUITE(library) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(missing_resource_is_reported_with_the_entity_that_refers_to_it),
        cmocka_unit_test(missing_resource_of_an_older_save_is_reported_with_its_level),
        cmocka_unit_test(library_that_skips_missing_resources_opens_the_others),
        cmocka_unit_test(load_opens_only_what_its_root_refers_to),
        cmocka_unit_test(load_does_not_depend_on_another_that_failed_before),
        cmocka_unit_test(library_of_many_resources_opens_each_one_once),
        cmocka_unit_test(file_that_cannot_be_read_is_reported_with_the_reason_of_the_system),
        cmocka_unit_test(resource_without_a_file_has_a_fault_without_a_place),
        cmocka_unit_test(file_that_is_no_bundle_is_refused_when_opened),
        cmocka_unit_test(resource_of_an_unknown_type_is_not_found),
        cmocka_unit_test(blob_of_another_resource_in_bundle_is_refused),
        cmocka_unit_test(path_beyond_its_limit_is_refused_with_its_length),
    };
    return TEST_RUN("library", tests);
}
