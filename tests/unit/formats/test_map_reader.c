/* test_map_reader.c - the reader of source maps as a host uses it: the places of entities and of
 * instances in a blob, and every truncated or changed text, in memory of exactly the size that was
 * requested. */
#include <stdio.h>
#include <stdlib.h>

#include "hash.h"
#include "map_file.h"
#include "test.h"

#define END_BYTES 23u

/* --- a blob with its map --- */

static const struct {
    const char *name, *text;
} tree[] = {
    {"src/lamp.entity.json",
     "{ \"components\": {\n  \"light\": { \"range_m\": 3, \"kind\": \"spot\" } "
     "},\n  \"children\": [ { \"name\": \"bulb\" } ] }\n"},
    {"src/town.level.json",
     "{ \"entities\": [\n  { \"name\": \"one\", \"prefab\": \"lamp\" },\n"
     "  { \"name\": \"two\", \"prefab\": \"lamp\", \"components\": { \"light\": { \"range_m\": 5 } "
     "} },\n"
     "  { \"name\": \"far\", \"components\": { \"light\": [ {}, { \"range_m\": 2 } ] } } ] }\n"},
    {"src/mud.material.json", "\n  { \"roughness\": 0.9 }\n"},
};

typedef struct Built {
    char*  folder;
    u8*    bytes; /* of the blob */
    Blob   blob;
    char*  text; /* [size] of the map */
    size_t size;
} Built;

static u8* aligned_copy(const u8* bytes, size_t size) {
    u8* copy = aligned_alloc(16, align_up(size, 16));
    memcpy(copy, bytes, size);
    return copy;
}

static Built built_open(const char* folder, const char* resource) {
    Built  b = {.folder = strdup(test_folder(folder))};
    char   path[1200];
    size_t bytes;
    for (u32 i = 0; i < COUNT_OF(tree); i++) {
        test_write_text(b.folder, tree[i].name, tree[i].text);
    }
    size_t model_bytes;
    u8*    model = test_read("assets/models/lamp.gltf", &model_bytes);
    test_write(b.folder, "src/models/lamp.gltf", model, model_bytes);
    free(model);
    TEST_DONE(b.folder, "entc build src -o out --source-map");
    snprintf(path, sizeof path, "%s/out/%s", b.folder, resource);
    u8* read = test_read(path, &bytes);
    b.bytes = aligned_copy(read, bytes);
    free(read);
    assert_int_equal(ent_blob_open(&b.blob, b.bytes, bytes, NULL, NULL), ENT_OK);
    strcat(path, ENT_SOURCE_MAP_SUFFIX);
    b.text = (char*)test_read(path, &b.size);
    return b;
}

static void built_close(Built* b) {
    free(b->bytes);
    free(b->text);
    free(b->folder);
}

/* A map in memory of the requested size. */
typedef struct Opened {
    EntSourceMap map;
    EntStatus    status;
    char*        text;
    void*        memory;
} Opened;

static Opened map_open(const char* text, size_t size) {
    Opened o = {.text = malloc(size + (size == 0))};
    memcpy(o.text, text, size);
    o.memory = malloc(ent_source_map_bytes(o.text, size));
    o.status = ent_source_map_open(&o.map, o.text, size, o.memory);
    return o;
}

static void map_close(Opened* o) {
    free(o->text);
    free(o->memory);
}

/* --- lookups --- */

static const ComponentType* type_named(const char* name) {
    const ComponentType* types = ent_component_types();
    u32                  i = 0;
    while (strcmp(types[i].record.name, name) != 0) i++;
    return &types[i];
}

static u32 field_named(const ComponentType* type, const char* name) {
    u32 f = 0;
    while (strcmp(type->record.fields[f].name, name) != 0) f++;
    return f;
}

static void expect_place(const EntSourceMap* map, const EntSourcePlace* place, const char* text) {
    const EntSourceFile* file = &map->file[place->file];
    char                 found[300];
    snprintf(found, sizeof found, "%.*s:%u:%u", (int)file->path_bytes, file->path, place->line,
             place->column);
    assert_string_equal(found, text);
}

static void reader_finds_places_of_entities_and_fields(void** state) {
    Built                b = built_open("reader_town", "town.level");
    Opened               o = map_open(b.text, b.size);
    const ComponentType* light = type_named("light");
    const u32            range = field_named(light, "range_m"), kind = field_named(light, "kind");
    EntSourcePlace       place;
    const EntSourceMap*  map = &o.map;
    UNUSED(state);
    assert_int_equal(o.status, ENT_OK);
    assert_int_equal(ent_source_map_is_of(map, &b.blob), 1);
    const u32 one = ent_blob_path_find(&b.blob, "one"), two = ent_blob_path_find(&b.blob, "two");
    const u32 bulb = ent_blob_path_find(&b.blob, "two/bulb");
    assert_int_equal(ent_source_map_find(map, &b.blob, two, NULL, 0, &place), 1);
    expect_place(map, &place, "town.level.json:3:3");
    assert_int_equal(ent_source_map_find(map, &b.blob, bulb, NULL, 0, &place), 1);
    expect_place(map, &place, "lamp.entity.json:3:17");
    assert_int_equal(ent_source_map_outer(map, &place), 1);
    expect_place(map, &place, "town.level.json:3:3");
    assert_int_equal(ent_source_map_outer(map, &place), 0);
    expect_place(map, &place, "town.level.json:3:3");
    assert_int_equal(ent_source_map_find(map, &b.blob, two, light, range, &place), 1);
    expect_place(map, &place, "town.level.json:3:63");
    assert_int_equal(ent_source_map_find(map, &b.blob, two, light, kind, &place), 1);
    expect_place(map, &place, "lamp.entity.json:2:12");
    assert_int_equal(ent_source_map_find(map, &b.blob, two, light, UINT32_MAX, &place), 1);
    expect_place(map, &place, "town.level.json:3:63");
    assert_int_equal(ent_source_map_find(map, &b.blob, one, light, range, &place), 1);
    expect_place(map, &place, "lamp.entity.json:2:12");
    const u32 far = ent_blob_path_find(&b.blob, "far"); /* the first of two */
    assert_int_equal(ent_source_map_find(map, &b.blob, far, light, range, &place), 1);
    expect_place(map, &place, "town.level.json:4:47");
    map_close(&o);
    built_close(&b);
}

static void reader_finds_nothing_that_blob_does_not_contain(void** state) {
    Built                b = built_open("reader_none", "town.level");
    Built                mud = built_open("reader_mud", "mud.material");
    Opened               o = map_open(b.text, b.size), other = map_open(mud.text, mud.size);
    const ComponentType *light = type_named("light"), *decal = type_named("decal");
    const u32            bulb = ent_blob_path_find(&b.blob, "two/bulb");
    EntSourcePlace       place;
    UNUSED(state);
    assert_int_equal(ent_source_map_is_of(&o.map, &mud.blob), 0);
    EntSourceMap lo = o.map, hi = o.map; /* one half of the hash is another one */
    lo.blob.lo ^= 1, hi.blob.hi ^= 1;
    assert_int_equal(ent_source_map_is_of(&lo, &b.blob) + ent_source_map_is_of(&hi, &b.blob), 0);
    assert_int_equal(ent_source_map_is_of(&other.map, &mud.blob), 1);
    expect_place(&other.map, &other.map.source, "mud.material.json:2:3");
    assert_int_equal(ent_source_map_find(&other.map, &mud.blob, 0, NULL, 0, &place), 0);
    assert_int_equal(ent_source_map_find(&other.map, &b.blob, bulb - 1, light, 0, &place), 0);
    assert_int_equal(ent_source_map_find(&o.map, &b.blob, bulb, light, 0, &place), 0);
    assert_int_equal(ent_source_map_find(&o.map, &b.blob, bulb, decal, 0, &place), 0);
    assert_int_equal(ent_source_map_find(&o.map, &b.blob, UINT32_MAX, light, 0, &place), 0);
    assert_int_equal(ent_source_map_find(&o.map, &b.blob, UINT32_MAX, NULL, 0, &place), 0);
    assert_int_equal(ent_source_map_entity(&o.map, b.blob.header->element_count, &place), 0);
    map_close(&o), map_close(&other);
    built_close(&b), built_close(&mud);
}

/* --- damage --- */

/* Every lookup in a map that was opened; a refused one is empty. */
static void lookups_are_in_range(const EntSourceMap* map) {
    EntSourcePlace p;
    for (u32 i = 0; i <= map->entities.count; i++) {
        for (int more = ent_source_map_entity(map, i, &p); more;
             more = ent_source_map_outer(map, &p)) {
            assert_true(p.file < map->file_count && p.line > 0 && p.column > 0);
        }
    }
    for (u32 c = 0; c < map->component_count; c++) {
        const EntSourceRows* rows = &map->component[c];
        for (u32 row = 0; row <= rows->count; row++) {
            for (u32 f = 0; f < 3; f++) {
                const int found = ent_source_map_field(map, rows->component, row, f, &p);
                assert_int_equal(found, row < rows->count);
                assert_true(!found || p.file < map->file_count);
            }
        }
    }
}

static void expect_refused(const char* text, size_t size) {
    Opened         o = map_open(text, size);
    EntSourcePlace place;
    assert_int_not_equal(o.status, ENT_OK);
    assert_null(o.map.text);
    assert_int_equal(ent_source_map_entity(&o.map, 0, &place), 0);
    assert_int_equal(o.map.component_count + o.map.file_count, 0);
    map_close(&o);
}

/* The same with a matching last line; returns whether it was opened. */
static bool opens_repaired(char* text, size_t size) {
    char end[32];
    snprintf(end, sizeof end, "end 0x%016llx\n",
             (unsigned long long)hash_bytes(text, size - END_BYTES, 0));
    memcpy(text + size - END_BYTES, end, END_BYTES);
    Opened     o = map_open(text, size);
    const bool opened = o.status == ENT_OK;
    lookups_are_in_range(&o.map);
    map_close(&o);
    return opened;
}

static void reader_refuses_every_truncated_or_changed_map(void** state) {
    Built  b = built_open("reader_damage", "town.level");
    char*  copy = malloc(b.size);
    u32    opened = 0, refused = 0;
    Opened complete = map_open(b.text, b.size);
    UNUSED(state);
    assert_int_equal(complete.status, ENT_OK);
    lookups_are_in_range(&complete.map);
    map_close(&complete);
    for (size_t i = 0; i < b.size; i++) {
        expect_refused(b.text, i);
        memcpy(copy, b.text, b.size);
        if (i >= END_BYTES) opens_repaired(copy, i) ? opened++ : refused++;
        for (u32 bit = 0; bit < 8; bit++) {
            memcpy(copy, b.text, b.size);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            expect_refused(copy, b.size);
            if (i < b.size - END_BYTES) opens_repaired(copy, b.size) ? opened++ : refused++;
        }
    }
    assert_true(opened > 50 && refused > 1000); /* another digit is another place */
    free(copy);
    built_close(&b);
}

static void reader_refusal_states_version_damage_or_invalid_line(void** state) {
    static const struct {
        const char* text;
        EntStatus   status;
    } rows[] = {
        {"entc source map 2\nblob 0x7 x.level\nfile x.json\nresource 0:1:1\n", ENT_BAD_VERSION},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile x.json\nresource 1:1:1\n", ENT_BAD_FIELD},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile x.json\nresource 0:1:1\n", ENT_OK},
    };
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char         text[300];
        const size_t bytes = strlen(rows[i].text);
        const u64    hash = hash_bytes(rows[i].text, bytes, 0);
        snprintf(text, sizeof text, "%send 0x%016llx\n", rows[i].text, (unsigned long long)hash);
        Opened o = map_open(text, bytes + END_BYTES);
        assert_int_equal(o.status, rows[i].status);
        map_close(&o);
    }
    EntSourceMap  head;
    EntSourceFile file;
    const char*   left[] = {"blob 0x7 x.level\nfile x.json\n",
                            SOURCE_MAP_MAGIC "blob 0x7 x.level\nx.json\n",
                            SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile x/../x.json\n",
                            SOURCE_MAP_MAGIC "blob 0x7 x.nothing\nfile x.json\n"};
    for (u32 i = 0; i < COUNT_OF(left); i++) {
        assert_false(source_map_first_file(left[i], strlen(left[i]), &head, &file));
    }
    Opened cut = map_open(SOURCE_MAP_MAGIC, strlen(SOURCE_MAP_MAGIC));
    assert_int_equal(cut.status, ENT_BAD_HASH);
    map_close(&cut);
}

/* --- what is left of a damaged map --- */

/* Is the source of the blob at the path read from the map with this text? It is never another one. */
static bool source_is_left(const char* path, const char* text, size_t size, const char* wanted) {
    SourceMap map;
    Text      source;
    char      file[1300];
    snprintf(file, sizeof file, "%s" SOURCE_MAP_SUFFIX, path);
    FILE* out = fopen(file, "wb");
    fwrite(text, 1, size, out);
    fclose(out);
    if (!source_map_open_damaged(&map, path, &source)) return false;
    assert_true(text_equal(source, text_of(wanted)));
    source_map_close(&map);
    return true;
}

static void source_in_damaged_map_is_used_or_ignored(const char* resource, const char* source) {
    Built b = built_open("reader_left", resource);
    char* copy = malloc(b.size);
    char  path[1200];
    u32   used = 0;
    snprintf(path, sizeof path, "%s/out/x", b.folder);
    const size_t head = (size_t)(strstr(b.text, "\nresource ") - b.text) + 1;
    for (size_t i = 0; i < b.size; i++) {
        const bool cut = source_is_left(path, b.text, i, source);
        if (i >= head) assert_true(cut);
        for (u32 bit = 0; bit < 8; bit++) {
            memcpy(copy, b.text, b.size);
            copy[i] = (char)(copy[i] ^ (1 << bit));
            used += source_is_left(path, copy, b.size, source);
        }
    }
    assert_true(used >= (b.size - head) * 8 && used < b.size * 8);
    free(copy);
    built_close(&b);
}

static void source_of_level_is_left_unless_its_name_is_damaged(void** state) {
    UNUSED(state);
    source_in_damaged_map_is_used_or_ignored("town.level", "town.level.json");
}

static void source_of_mesh_is_left_unless_its_name_is_damaged(void** state) {
    UNUSED(state);
    source_in_damaged_map_is_used_or_ignored("models/lamp/pole.mesh", "models/lamp.gltf");
}

TEST_SUITE(map_reader) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reader_finds_places_of_entities_and_fields),
        cmocka_unit_test(reader_finds_nothing_that_blob_does_not_contain),
        cmocka_unit_test(reader_refuses_every_truncated_or_changed_map),
        cmocka_unit_test(reader_refusal_states_version_damage_or_invalid_line),
        cmocka_unit_test(source_of_level_is_left_unless_its_name_is_damaged),
        cmocka_unit_test(source_of_mesh_is_left_unless_its_name_is_damaged),
    };
    return TEST_RUN("map_reader", tests);
}
