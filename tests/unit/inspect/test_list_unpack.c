/* test_list_unpack.c - the reader of bundles in the compiler: what `entc list` and `entc unpack`
 * print and write, and what is refused in a bundle of either byte order. */
#include <stdio.h>
#include <stdlib.h>

#include "bundles.h"
#include "exit_codes.h"
#include "hash.h"
#include "test_worlds_support.h"

/* Resources of two types that share a name, a type that the project declares, and bundles of them:
 * compressed, plain, and of the other byte order. */
static char* project_new(const char* name) {
    static const TestFile files[] = {
        {"a.entity.json", "{}"},
        {"a.material.json", "{}"},
        {"b.level.json", "{ \"entities\": [ { \"components\": { \"health\": {} } }, {\"name\": "
                         "\"x\"}, {\"name\": \"y\"} ] }"},
        {"health.component.json",
         "{ \"fields\": { \"points\": { \"type\": \"f32\", \"default\": 1 } } }"},
        {"a.package.json", "{ \"roots\": [\"a.entity\", \"a.material\", \"b.level\"] }"},
    };
    char* folder = strdup(test_folder(name));
    test_write_files(folder, "src", files, COUNT_OF(files));
    TEST_DONE(folder, "entc build src -o out && entc build src -o big --target big && "
                      "entc pack out -o a.pak && entc pack out -o plain.pak --level 0 && "
                      "entc pack big -o big.pak --level 0");
    return folder;
}

/* --- list --- */

static void list_of_bundle_is_sorted_by_name(void** state) {
    char* folder = project_new("list_order");
    UNUSED(state);
    TEST_DONE(folder, "entc list a.pak | cut -d' ' -f1 | tr '\\n' ' ' > names && "
                      "grep -qx 'resource a.entity a.material a.package b.level health.component "
                      "total ' names");
    TEST_DONE(folder, "entc list plain.pak | grep -c ' 100.0 %%' | grep -qx 5 && "
                      "entc list a.pak | grep -c ' 100.0 %%' | grep -qx 0");
    free(folder);
}

static void list_of_bundle_as_json_has_every_resource(void** state) {
    char* folder = project_new("list_json");
    UNUSED(state);
    TEST_DONE(folder, "entc list a.pak --json > 1 && entc list plain.pak --json > 2 && "
                      "entc list big.pak --json > 3");
    TEST_DONE(folder,
              "grep -qx '\"byte_order\": \"little\",' 1 && "
              "grep -qx '\"byte_order\": \"big\",' 3 && grep -qx '\"dictionaries\": \\[\\]' "
              "1 && ! grep -q plain 1 && grep -c '\"plain\", \"dictionary\": false' 2 | "
              "grep -qx 5");
    TEST_DONE(folder, "mkdir paints && for i in $(seq 40); do echo \"{ \\\"base_color\\\": [0.$i, "
                      "0.5, 0.25], \\\"roughness\\\": 0.$i }\" > paints/p$i.material.json; done && "
                      "entc build paints -o done && entc pack done -o p.pak && "
                      "entc list p.pak --json > 1 && tr -d '\\n' < 1 | "
                      "grep -q '\"dictionaries\": \\[  {\"type\": \"material\", \"bytes\": ' && "
                      "grep -q '\"codec\": \"zstd\", \"dictionary\": true' 1");
    free(folder);
}

/* A valid bundle without resources: no division by 0. */
static void list_of_empty_bundle_prints_totals_of_zero(void** state) {
    const char*  folder = test_folder("list_nothing");
    BundleHeader h = {
        .byte_order = BLOB_BYTE_ORDER, .version = BUNDLE_VERSION, .bytes_lo = sizeof h};
    UNUSED(state);
    memcpy(h.magic, BUNDLE_MAGIC_BYTES, sizeof h.magic);
    h.hash = resource_ref(bundle_hash(&h, sizeof h));
    test_write(folder, "none.pak", &h, sizeof h);
    EXPECT(folder, 0, "           0  100.0 %", "entc list none.pak");
}

/* --- unpack --- */

static void unpack_reports_written_and_unchanged_files(void** state) {
    char* folder = project_new("unpack_counts");
    UNUSED(state);
    EXPECT(folder, 0, "entc: 5 resources, 5 written, 0 unchanged\n", "entc unpack a.pak -o un -v");
    EXPECT(folder, 0, "entc: 5 resources, 0 written, 5 unchanged\n", "entc unpack a.pak -o un -v");
    TEST_DONE(folder, "entc unpack a.pak -o un2 -v 2> said > wrote && "
                      "grep -c '^wrote un2/.* bytes)$' wrote | grep -qx 5");
    TEST_DONE(folder, "entc unpack a.pak -o un3 > said 2>&1 && ! test -s said");
    TEST_DONE(folder, "rm un/a.entity && mkdir un/a.entity && entc unpack a.pak -o un -v 2> said; "
                      "test $? = 2 && grep -q 'cannot write \"un/a.entity\"' said && "
                      "! grep -q resources said");
    EXPECT(folder, 2, "cannot write \"plain.pak\":", "entc unpack a.pak -o plain.pak");
    EXPECT(folder, 3, "the first four bytes are not ENTP", "entc unpack out/a.entity -o un");
    EXPECT(folder, 4, "the largest is \"b.level\" with ",
           "entc unpack a.pak -o un --max-output 1K");
    free(folder);
}

/* --- kinds of paths --- */

static void path_of_each_kind_is_recognised(void** state) {
    static const struct {
        const char* name;
        PathForm    form;
    } rows[] = {{"none", PATH_BLOB},
                {"empty", PATH_BLOB},
                {"out", PATH_FOLDER},
                {"out/a.entity", PATH_BLOB},
                {"a.pak", PATH_BUNDLE}};
    char*    folder = project_new("path_forms");
    char     path[1200];
    PathForm form;
    UNUSED(state);
    test_write_text(folder, "empty", "");
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        snprintf(path, sizeof path, "%s/%s", folder, rows[i].name);
        assert_int_equal(path_form(path, &form), EXIT_OK);
        assert_int_equal(form, rows[i].form);
    }
    EXPECT(folder, 2, "cannot access \"loop\": Too many levels",
           "ln -s loop loop; entc verify loop");
    free(folder);
}

static void bundle_that_cannot_be_opened_is_reported(void** state) {
    UNUSED(state);
    TEST_NEEDS("strace");
    if (SANITIZED) TEST_SKIP("a program with sanitizers cannot be traced");
    char* folder = project_new("path_unread");
    EXPECT(folder, 2, "cannot read \"a.pak\": Input/output error",
           "strace -f -o log -P a.pak -e trace=openat -e inject=openat:error=EIO:when=1 "
           "entc verify a.pak");
    free(folder);
}

/* --- the other byte order --- */

/* The index of `big.pak` with one word of its header changed, in its own byte order. */
static void expect_big(const char* folder, u32 member, u32 value, const char* field) {
    char   path[1200], text[100];
    size_t size;
    snprintf(path, sizeof path, "%s/big.pak", folder);
    u8* bytes = test_read(path, &size);
    value = __builtin_bswap32(value);
    memcpy(bytes + member, &value, sizeof value);
    test_write(folder, "changed.pak", bytes, size);
    snprintf(text, sizeof text, "changed.pak: error: %s at", field);
    EXPECT(folder, 3, text, "entc list changed.pak");
    free(bytes);
}

/* Counts are compared with the size of the file before anything is hashed or swapped. */
static void big_endian_index_with_invalid_count_is_refused(void** state) {
    char* folder = project_new("list_big");
    UNUSED(state);
    TEST_DONE(folder, "entc list big.pak");
    expect_big(folder, offsetof(BundleHeader, dictionary_count), RESOURCE_COUNT,
               "header.dictionary_count");
    expect_big(folder, offsetof(BundleHeader, resource_count), 8u << 20, "header.name_bytes");
    expect_big(folder, offsetof(BundleHeader, name_bytes), 1u << 30, "header.name_bytes");
    expect_big(folder, sizeof(BundleHeader) + offsetof(BundleResource, size), 16, "header.hash");
    free(folder);
}

/* --- blobs of a bundle --- */

/* plain.pak with a copy of its rows that can be changed. */
typedef struct Opened {
    BundleFile      file;
    BundleResource  row[5];
    BundleResource *level, *declaration;
} Opened;

static void opened_new(Opened* o, const char* folder) {
    char path[1200];
    snprintf(path, sizeof path, "%s/plain.pak", folder);
    assert_int_equal(bundle_file_open(&o->file, path), EXIT_OK);
    assert_int_equal(o->file.bundle.header->resource_count, COUNT_OF(o->row));
    memcpy(o->row, o->file.bundle.resource, sizeof o->row);
    o->file.bundle.resource = o->row;
    for (u32 i = 0; i < COUNT_OF(o->row); i++) {
        if (o->row[i].type == RESOURCE_LEVEL) o->level = &o->row[i];
        if (o->row[i].type == RESOURCE_COMPONENT) o->declaration = &o->row[i];
    }
}

/* What is known about the declarations of the level. */
typedef struct Seen {
    bool is_valid, has_types, has_problem;
} Seen;

static int level_seen(void* user, const BundleFile* file, const BundleResource* resource,
                      const BlobFile* blob, u32 place) {
    Seen* seen = user;
    UNUSED(file);
    UNUSED(place);
    if (resource->type != RESOURCE_LEVEL) return EXIT_OK;
    seen->is_valid = true;
    seen->has_types = blob->file_types != NULL;
    seen->has_problem = seen->has_types && blob->file_types->problem != NULL;
    if (seen->has_problem)
        assert_non_null(strstr(blob->file_types->problem, "the bundle contains none"));
    return EXIT_OK;
}

typedef enum Damage { NO_DAMAGE, NO_DECLARATION, DAMAGED, TOO_LARGE } Damage;

/* The declaration that a blob without declarations needs is looked up in its bundle. */
static void declaration_in_bundle_is_used_for_its_blobs(void** state) {
    char* folder = project_new("list_declarations");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --strip && entc pack out -o plain.pak --level 0");
    for (Damage damage = NO_DAMAGE; damage <= TOO_LARGE; damage++) {
        Opened              o;
        Seen                seen = {0};
        const BundleVisitor visitor = {.visit = level_seen, .user = &seen};
        opened_new(&o, folder);
        if (damage == NO_DECLARATION) o.declaration->id.lo++;
        if (damage == DAMAGED) o.declaration->hash.lo++;
        if (damage == TOO_LARGE) o.declaration->size = (1u << 20) + 16;
        assert_int_equal(bundle_each(&o.file, "plain.pak", NULL, NULL, &visitor),
                         damage == NO_DAMAGE ? EXIT_OK : EXIT_INVALID);
        assert_true(seen.is_valid && seen.has_types);
        assert_int_equal(seen.has_problem, damage != NO_DAMAGE);
        bundle_file_close(&o.file);
    }
    free(folder);
}

static void bundle_with_blob_of_other_byte_order_is_refused(void** state) {
    char*               folder = project_new("list_mixed");
    Opened              o;
    Seen                seen = {0};
    const BundleVisitor visitor = {.visit = level_seen, .user = &seen};
    UNUSED(state);
    opened_new(&o, folder);
    o.file.swapped = &o; /* as if the index were of the other byte order */
    assert_int_equal(bundle_each(&o.file, "plain.pak", NULL, NULL, &visitor), EXIT_INVALID);
    assert_false(seen.is_valid);
    o.file.swapped = NULL;
    bundle_file_close(&o.file);
    free(folder);
}

TEST_SUITE(list_unpack) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(list_of_bundle_is_sorted_by_name),
        cmocka_unit_test(list_of_bundle_as_json_has_every_resource),
        cmocka_unit_test(list_of_empty_bundle_prints_totals_of_zero),
        cmocka_unit_test(unpack_reports_written_and_unchanged_files),
        cmocka_unit_test(path_of_each_kind_is_recognised),
        cmocka_unit_test(bundle_that_cannot_be_opened_is_reported),
        cmocka_unit_test(big_endian_index_with_invalid_count_is_refused),
        cmocka_unit_test(declaration_in_bundle_is_used_for_its_blobs),
        cmocka_unit_test(bundle_with_blob_of_other_byte_order_is_refused),
    };
    return TEST_RUN("list_unpack", tests);
}
