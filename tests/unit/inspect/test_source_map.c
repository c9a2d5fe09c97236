/* test_source_map.c - source maps record where everything in a blob came from: every place is
 * looked up in the sources and must contain the value of the blob. As outputs they are written,
 * removed and kept like blobs; one that does not match is reported and not used. */
#include <cjson/cJSON.h>
#include <glob.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "fields.h"
#include "file.h"
#include "hash.h"
#include "inspect_text.h"
#include "test.h"

#define FILES_MAX 64
#define VALUE_MAX 65536 /* bytes of a value at a place */
#define CHAIN_MAX 200

/* A blob, its map and the sources that the map refers to. */
typedef struct Checked {
    const char* folder; /* contains src/ */
    BlobFile    file;
    BlobTables  tables;
    SourceMap   map;
    char*       text[FILES_MAX];
    size_t      bytes[FILES_MAX];
    u32 fields, merged, chained; /* compared so far; rows of more than one file; with scope */
} Checked;

/* --- the text at a place --- */

static const char* file_name(const Checked* c, u32 file) {
    static char name[300];
    const Text  path = source_map_path(&c->map, file);
    snprintf(name, sizeof name, "%.*s", (int)path.bytes, path.at);
    return name;
}

static const char* text_at(Checked* c, const SourcePlace* p, size_t* rest) {
    assert_true(p->file < FILES_MAX && p->file < c->map.reader.file_count);
    if (!c->text[p->file]) {
        char path[1200];
        snprintf(path, sizeof path, "%s/src/%s", c->folder, file_name(c, p->file));
        c->text[p->file] = (char*)test_read(path, &c->bytes[p->file]);
        if (!c->text[p->file]) fail_msg("%s does not exist", path);
    }
    const char *at = c->text[p->file], *end = at + c->bytes[p->file];
    static u32  line; /* of `known`: places are in order, so that each line is counted once */
    static const char *known, *complete;
    if (complete != at || line > p->line) line = 1, known = complete = at;
    while (line < p->line) {
        known = memchr(known, '\n', (size_t)(end - known));
        if (!known) fail_msg("%s has no line %u", file_name(c, p->file), p->line);
        known++, line++;
    }
    assert_true(p->column <= (size_t)(end - known));
    assert_null(memchr(known, '\n', p->column - 1));
    *rest = (size_t)(end - known) - p->column + 1;
    return known + p->column - 1;
}

/* The caller frees it with cJSON_Delete. */
static cJSON* value_at(Checked* c, const SourcePlace* p) {
    size_t      rest;
    const char* at = text_at(c, p, &rest);
    cJSON*      value = cJSON_ParseWithLengthOpts(at, MIN_OF(rest, (size_t)VALUE_MAX), NULL, false);
    if (!value || (*at != '{' && *at != '"')) {
        fail_msg("%s:%u:%u: there is no value", file_name(c, p->file), p->line, p->column);
    }
    return value;
}

static bool is_model(const Checked* c, u32 file) { return strstr(file_name(c, file), ".gltf"); }

/* --- values --- */

static bool floats_equal(const Field* f, const cJSON* json, const f32* number) {
    const u32 count = field_words(f);
    f64       value[4], square = 0;
    for (u32 i = 0; i < count; i++) {
        value[i] = count == 1 ? json->valuedouble : cJSON_GetArrayItem(json, (int)i)->valuedouble;
        square += value[i] * value[i];
    }
    for (u32 i = 0; i < count; i++) {
        const bool unit = f->kind == FIELD_Quat || strcmp(f->name, "normal") == 0;
        const f64  wanted = unit ? value[i] / sqrt(square) : value[i];
        if (fabs(wanted - (f64)number[i]) > 1e-6 * fmax(1, fabs(wanted))) return false;
    }
    return true;
}

static bool is_value(const Checked* c, const Field* f, const cJSON* json, const u8* words) {
    u32 word[4] = {0};
    f32 number[4];
    memcpy(word, words, f->bytes);
    memcpy(number, word, sizeof number);
    if (field_is_float(f)) return floats_equal(f, json, number);
    switch (f->kind) {
    case FIELD_u32: return json->valuedouble == word[0];
    case FIELD_Bool32: return cJSON_IsTrue(json) ? word[0] == 1 : word[0] == 0;
    case FIELD_Enum32: return strcmp(json->valuestring, f->texts[word[0]]) == 0;
    case FIELD_NameRef: return hash_name(text_of(json->valuestring)) == word[0];
    case FIELD_ResourceRef:
        return hash_resource(text_of(json->valuestring), ent_resource_suffix(f->refers_to)) ==
               ((u64)word[1] << 32 | word[0]);
    default: break;
    }
    const char* slash = strrchr(json->valuestring, '/');
    const char* last = slash ? slash + 1 : json->valuestring;
    return strcmp(last, ".") == 0 || strcmp(last, element_name(&c->tables, word[0])) == 0;
}

/* --- chains --- */

/* Each step outwards is where the prefab is named; the last one is in the file of the resource. */
static void chain_check(Checked* c, SourcePlace p) {
    u32 steps = 0;
    assert_true((p.scope == NONE) == (p.file == 0));
    c->chained += p.scope != NONE;
    for (;;) {
        const Text prefab = source_map_prefab(&c->map, p.file);
        if (!ent_source_map_outer(&c->map.reader, &p)) break;
        cJSON*      value = value_at(c, &p);
        cJSON*      named = cJSON_IsString(value) ? value : cJSON_GetObjectItem(value, "prefab");
        const char* name = cJSON_GetStringValue(named);
        if (!name || !text_equal(text_of(name), prefab)) {
            fail_msg("%s:%u:%u does not instance \"%.*s\"", file_name(c, p.file), p.line, p.column,
                     (int)prefab.bytes, prefab.at);
        }
        cJSON_Delete(value);
        assert_true(++steps < CHAIN_MAX);
    }
    assert_int_equal(p.file, 0);
}

/* --- entities and instances --- */

static void entity_check(Checked* c, u32 entity) {
    SourcePlace p;
    assert_true(ent_source_map_entity(&c->map.reader, entity, &p));
    cJSON*       value = value_at(c, &p);
    const cJSON* name = cJSON_GetObjectItem(value, "name");
    const char*  known = element_name(&c->tables, entity);
    const bool   root = p.line == 1 && p.column == 1 && is_model(c, p.file);
    assert_true(cJSON_IsObject(value));
    if (!root && strcmp(name ? name->valuestring : "", known) != 0) {
        fail_msg("entity %u: \"%s\" differs from the source at %s:%u:%u", entity, known,
                 file_name(c, p.file), p.line, p.column);
    }
    assert_true((p.prefab != NONE) == (cJSON_GetObjectItem(value, "prefab") != NULL));
    cJSON_Delete(value);
    chain_check(c, p);
}

/* A layer lists the fields that it sets: those are the keys at its place. */
static void layer_check(Checked* c, const ComponentType* type, u32 row, u32 layer, bool only) {
    SourcePlace p;
    assert_true(ent_source_map_layer(&c->map.reader, type->id, row, layer, &p));
    cJSON* value = value_at(c, &p);
    assert_true(cJSON_IsObject(value));
    for (u32 f = 0; f < type->record.field_count && !only && !is_model(c, p.file); f++) {
        const bool is_given = cJSON_GetObjectItemCaseSensitive(value, type->record.fields[f].name);
        if (is_given != (p.given >> f & 1)) {
            fail_msg("%s[%u].%s: %s:%u:%u", type->record.name, row, type->record.fields[f].name,
                     file_name(c, p.file), p.line, p.column);
        }
    }
    cJSON_Delete(value);
    chain_check(c, p);
}

/* The deciding layer has exactly the value; a field that no layer sets has the default. */
static void field_check(Checked* c, const Instances* in, u32 row, u32 field) {
    const RecordType* record = &in->type->record;
    const Field*      f = &record->fields[field];
    const u8*         words = instance_field(in, row, field);
    _Alignas(16) u8   defaults[1024];
    SourcePlace       p;
    assert_true(ent_source_map_field(&c->map.reader, in->type->id, row, field, &p));
    cJSON*       value = value_at(c, &p);
    const cJSON* member = cJSON_GetObjectItemCaseSensitive(value, f->name);
    bool         valid = true;
    record_defaults(record, defaults);
    if (is_model(c, p.file)) {
        const cJSON* moved = cJSON_GetObjectItem(value, "translation");
        if (moved && strcmp(record->name, "transform") == 0 && field == 0)
            valid = is_value(c, f, moved, words), c->fields++;
    } else if (member) {
        valid = is_value(c, f, member, words);
        c->fields++;
    } else {
        valid = memcmp(words, defaults + f->offset, f->bytes) == 0;
    }
    if (!valid) {
        fail_msg("%s[%u].%s differs from the source at %s:%u:%u", record->name, row, f->name,
                 file_name(c, p.file), p.line, p.column);
    }
    cJSON_Delete(value);
}

static void instances_check(Checked* c, const Instances* in) {
    SourcePlace p;
    assert_true(
        source_map_has(&c->map.reader, in->type->id, in->section->count, in->section->offset));
    for (u32 row = 0; row < in->section->count; row++) {
        u32 layers = 0;
        while (ent_source_map_layer(&c->map.reader, in->type->id, row, layers, &p)) layers++;
        assert_true(layers > 0);
        c->merged += layers > 1;
        for (u32 i = 0; i < layers; i++) layer_check(c, in->type, row, i, layers == 1);
        for (u32 f = 0; f < in->type->record.field_count; f++) field_check(c, in, row, f);
    }
    assert_false(ent_source_map_layer(&c->map.reader, in->type->id, in->section->count, 0, &p));
}

/* Checks everything in a blob that has a map. */
static Checked blob_check(const char* folder, const char* path) {
    Checked     c = {.folder = folder};
    SourcePlace p;
    size_t      rest;
    assert_int_equal(blob_file_open(&c.file, path, NULL), 0);
    assert_true(sources_open(&c.map, &c.file));
    c.tables = tables_open(&c.file.blob, &c.file.known);
    const bool image = c.file.blob.header->resource_type == RESOURCE_TEXTURE;
    if (!image) assert_int_equal(*text_at(&c, &c.map.reader.source, &rest), '{');
    assert_int_equal(c.map.reader.source.file, 0);
    if (c.tables.parent) {
        assert_int_equal(c.map.reader.entities.count, c.tables.count);
        for (u32 i = 0; i < c.tables.count; i++) entity_check(&c, i);
    }
    assert_false(ent_source_map_entity(&c.map.reader, c.map.reader.entities.count, &p));
    assert_int_equal(c.map.reader.component_count, c.tables.component_count);
    for (u32 i = 0; i < c.tables.component_count; i++) instances_check(&c, &c.tables.component[i]);
    for (u32 i = 0; i < FILES_MAX; i++) free(c.text[i]);
    source_map_close(&c.map);
    tables_close(&c.tables);
    blob_file_close(&c.file);
    return c;
}

/* Checks every blob below out/; returns the sums of what was compared. */
static Checked blobs_check(const char* folder) {
    Checked  sum = {0};
    PathList list;
    char     out[1200];
    snprintf(out, sizeof out, "%s/out", folder);
    assert_int_equal(paths_collect(&list, out), 0);
    assert_true(list.paths.count > 0);
    for (u32 i = 0; i < list.paths.count; i++) {
        const char*   path = arena_print(&list.arena, "%s/%s", out, list.paths.at[i]);
        const Checked c = blob_check(folder, path);
        sum.fields += c.fields, sum.merged += c.merged, sum.chained += c.chained;
    }
    paths_drop(&list);
    return sum;
}

/* --- trees --- */

static void source_map_of_town_refers_to_place_of_every_value(void** state) {
    char* folder = strdup(test_folder("map_town"));
    char  here[600];
    UNUSED(state);
    assert_non_null(getcwd(here, sizeof here));
    TEST_DONE(folder, "cp -r '%s/assets' src && entc build src -o out --source-map", here);
    const Checked sum = blobs_check(folder);
    assert_true(sum.fields > 150 && sum.merged > 20 && sum.chained > 100);
    free(folder);
}

static const struct {
    const char *name, *text;
} tree[] = {
    {"heat.component.json", "{ \"fields\": { \"degrees\": { \"type\": \"f32\", \"default\": 20 },\n"
                            "  \"by\": { \"type\": \"entity\" }, \"on\": { \"type\": \"bool\", "
                            "\"default\": false } } }\n"},
    {"bulb.entity.json", /* a byte-order mark, tabs and CRLF */
     "\xef\xbb\xbf{\r\n\t\"components\":\t{ \"light\": [ { \"range_m\": 3 },\r\n\t\t{ \"kind\":"
     " \"spot\" } ],\r\n \"heat\": { \"degrees\": 90, \"by\": \".\" } } }\r\n"},
    {"base.entity.json",
     "{ \"components\": { \"name\": { \"id\": \"base\" }, \"decal\": { \"order\": 1 } },\n"
     "  \"children\": [ { \"name\": \"bulb\", \"prefab\": \"bulb\" },\n"
     "  { \"name\": \"m\\u00fc\", \"components\": { \"light\": { \"range_m\": 9 } } } ] }"},
    {"lamp.entity.json", /* a prefab of a prefab at its root, twice */
     "{ \"$comment\": \"\xc3\xa4\xc3\xb6\", \"prefab\": \"base\",\n\n  \"components\": { \"decal\":"
     " { \"opacity\": 0.5 },\n    \"transform\": {} }, \"overrides\": { \"bulb\": { \"components\":"
     " { \"heat\": { \"on\": true },\n \"light\": [ { \"range_m\": 4 } ] } } } }\n"},
    {"lantern.entity.json", "{ \"prefab\":\n     \"lamp\", \"components\": { \"decal\": { "
                            "\"order\": 7 } }, \"children\": [\n"
                            " { \"name\": \"pet\", \"prefab\": \"models/lamp\", \"overrides\": {\n"
                            " \"pole/head/bulb\": { \"components\": { \"light\": { \"color\": [1, "
                            "0, 0.5] } } } } } ] }\n"},
    {"street.entity.json",
     "{ \"children\": [\n  { \"name\": \"one\", \"prefab\": \"lantern\" }, { \"name\": \"two\","
     " \"prefab\": \"lantern\",\n    \"components\": { \"decal\": null, \"name\": { \"id\": \"x\" "
     "} },"
     "\n    \"overrides\": { \"bulb\": { \"components\": { \"light\": { \"kind\": \"spot\" } } },\n"
     "    \"pet/pole/head/bulb\": { \"components\": { \"light\": { \"range_m\": 8 } } } } } ] }\n"},
    {"town.level.json",
     "{ \"entities\": [ { \"name\": \"a\", \"prefab\": \"street\" },\n{ \"name\": \"b\", "
     "\"parent\":"
     " \"c\", \"prefab\": \"street\", \"overrides\": {\n  \"two/bulb\": { \"components\": { "
     "\"heat\":"
     " { \"by\": \"a/one/bulb\" } } },\n  \"one\": { \"components\": { \"decal\": { \"opacity\": "
     "0.25"
     " } } },\n  \"two\": { \"components\": { \"decal\": { \"order\": 3 } } } } },\n"
     " { \"name\": \"c\", \"components\": { \"light\": [ {}, { \"range_m\": 2 } ],"
     " \"camera\": { \"target\": \"c/b/two/pet\" },\n   \"mesh\": [ { \"resource\":"
     " \"models/lamp/head\", \"layer\": 3 } ] }, \"children\": [ { \"name\": \"d\" } ] } ] }\n"},
    {"empty.level.json", "{ \"entities\": [] }"},
    {"mud.material.json", "\n  { \"roughness\": 0.9 }\n"},
};

/* A new folder that contains src/. The caller frees it. */
static char* tree_new(const char* name) {
    char* folder = strdup(test_folder(name));
    char  path[300];
    for (u32 i = 0; i < COUNT_OF(tree); i++) {
        snprintf(path, sizeof path, "src/%s", tree[i].name);
        test_write_text(folder, path, tree[i].text);
    }
    size_t bytes;
    u8*    model = test_read("assets/models/lamp.gltf", &bytes);
    assert_non_null(model);
    test_write(folder, "src/models/lamp.gltf", model, bytes);
    test_write_text(folder, "src/models/lamp.model.json",
                    "{ \"lights\": { \"cast_shadows\": false } }\n");
    free(model);
    return folder;
}

static void source_map_of_nested_prefabs_refers_to_every_layer(void** state) {
    char* folder = tree_new("map_tree");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --source-map");
    const Checked sum = blobs_check(folder);
    assert_true(sum.fields > 100 && sum.merged > 15 && sum.chained > 60);
    /* Byte order and names change only the hash of the blob and its offsets. */
    test_write_text(folder, "places",
                    "sed '/^blob/d; /^end/d; s/^\\(entities [0-9]*\\) .*/\\1/; "
                    "s/^\\(component [a-z_]* [0-9]*\\) .*/\\1/' $1.map > $2\n");
    TEST_DONE(folder, "entc build src -o big --source-map --target big --strip && "
                      "for f in town.level lamp.entity mud.material; do sh places out/$f 1; "
                      "sh places big/$f 2; test -s 1 && cmp 1 2 || exit 1; done && "
                      "entc dump --annotate big/town.level | grep -q 'instanced at town.level'");
    free(folder);
}

/* 24,000 entities in more text than one thread reads. */
static void source_map_compiled_by_threads_equals_map_of_one_thread(void** state) {
    char*  folder = tree_new("map_slices");
    char*  text = NULL;
    size_t bytes = 0;
    FILE*  out = open_memstream(&text, &bytes);
    UNUSED(state);
    fprintf(out, "{ \"entities\": [");
    for (u32 i = 0; i < 24000; i++) {
        fprintf(out, "%s{\"name\":\"e%u\",", i ? ",\n  " : "\n  ", i);
        if (i % 5 == 1) fprintf(out, "\"parent\":\"e%u\",", i - 1);
        if (i % 97 == 3) {
            fprintf(out,
                    "\"prefab\":\"lamp\",\"overrides\":{\"bulb\":{\"components\":{\"heat\":{"
                    "\"degrees\":%u}}}},%s",
                    i % 50, i % 2 ? "\n" : "");
        }
        fprintf(out, "\"components\":{\"transform\":{\"position\":[%u,0.5,%u]}", i % 100, i % 77);
        if (i % 3 == 0) fprintf(out, ",\n\"light\":[{\"range_m\":%u},{}]", i % 9 + 1);
        fprintf(out, "}}");
    }
    fprintf(out, " ] }\n");
    fclose(out);
    assert_true(bytes > 1u << 20);
    test_write_text(folder, "src/long.level.json", text);
    TEST_DONE(folder, "entc build src -o out -j 1 --source-map && "
                      "for j in 2 5; do entc build src -o out$j -j $j --source-map && "
                      "diff -r out out$j || exit 1; done");
    char path[1200];
    snprintf(path, sizeof path, "%s/out/long.level", folder);
    const Checked c = blob_check(folder, path);
    assert_true(c.fields > 24000 && c.merged > 400 && c.chained > 1000);
    /* Dense: all on one line. */
    for (char* at = text; (at = strchr(at, '\n'));) *at = ' ';
    test_write_text(folder, "src/long.level.json", text);
    TEST_DONE(folder, "entc compile src long.level -o a/x -j 1 --source-map && "
                      "entc compile src long.level -o b/x -j 5 --source-map && diff -r a b && "
                      "grep -q '^0:1:[0-9]\\{7\\}$' a/x.map");
    free(text);
    free(folder);
}

/* More nested prefabs than allowed; nothing is reported about the innermost. */
static void nest(const char* folder) {
    for (u32 i = 0; i < 70; i++) {
        char name[100], text[100];
        snprintf(name, sizeof name, "src/deep_%u.entity.json", i);
        snprintf(text, sizeof text, "{ \"prefab\": \"deep_%u\" }", i + 1);
        test_write_text(folder, name, i < 69 ? text : "{}");
    }
}

/* Errors are reported as without maps. */
static void build_with_source_maps_reports_the_same_errors(void** state) {
    static const char* const levels[] = {
        "{ \"entities\": [ { \"prefab\": \"nosuch\" }, { \"prefab\": \"round\" } ] }",
        "{ \"entities\": [ { \"prefab\": \"broken\" }, { \"prefab\": \"lamp\", \"overrides\":"
        " { \"absent\": { \"components\": {} } } } ] }",
        "{ \"entities\": [ { \"prefab\": \"lamp\", \"components\": { \"light\": null, \"decal\":"
        " { \"order\": -1 } } } ] }",
        "{ \"entities\": [ { \"prefab\": \"deep_0\" } ] }",
    };
    char* folder = tree_new("map_faults");
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(levels); i++) {
        test_write_text(folder, "src/x.level.json", levels[i]);
        if (i == 3) nest(folder);
        if (i == 1) test_write_text(folder, "src/broken.entity.json", "{ \"prefab\": \"lmap\" }");
        if (i == 0) {
            test_write_text(folder, "src/round.entity.json",
                            "{ \"children\": [ { \"prefab\": \"square\" } ] }");
            test_write_text(folder, "src/square.entity.json", "{ \"prefab\": \"round\" }");
        }
        const int code = i == 3 ? 4 : 3; /* nested too deep: a limit */
        TEST_DONE(folder,
                  "entc build src -o out 2> 1; test $? = %d && "
                  "entc build src -o out --source-map 2> 2; test $? = %d && cmp 1 2 && "
                  "test -s 1 && ! test -e out && rm -f src/round* src/square* src/broken*",
                  code, code);
    }
    free(folder);
}

/* --- as outputs --- */

#define PRINTS(folder, text, ...)                                                                  \
    do {                                                                                           \
        TestRun run_ = test_command(folder, __VA_ARGS__);                                          \
        if (!strstr(run_.out, text) && !strstr(run_.err, text))                                    \
            fail_msg("not \"%s\": %s%s", text, run_.out, run_.err);                                \
        test_run_free(&run_);                                                                      \
    } while (0)

#define CLEAN "rm -rf clean .clean.entc; entc build src -o clean --source-map && diff -r clean out"

static void source_maps_are_written_kept_and_removed_with_their_blobs(void** state) {
    char* folder = tree_new("map_builds");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o plain && entc build src -o out");
    PRINTS(folder, "14 compiled",
           "entc build src -o out --source-map -v"); /* from now on maps are requested */
    PRINTS(folder, " 0 written", "entc build src -o out --source-map -v --force");
    TEST_DONE(folder, CLEAN);
    TEST_DONE(folder, "find out -exec touch -d 2001-02-03 {} +");
    PRINTS(folder, "0 compiled", "entc build src -o out --source-map -v");
    /* One more line in a prefab: the bytes of the blobs are the same, the places are not. */
    TEST_DONE(folder,
              "sed -i '1s/{/{\\n/' src/base.entity.json && "
              "entc build src -o out --source-map && diff -r -x '*.map' plain out && " CLEAN);
    TEST_DONE(folder, "test -z \"$(find out -type f -newermt 2001-02-04 ! -name '*.map')\" && "
                      "test \"$(find out -newermt 2001-02-04 -name '*.map' | wc -l)\" = 5");
    /* One is missing, one was changed, one has another time. */
    TEST_DONE(folder, "rm out/mud.material.map; echo >> out/town.level.map; touch out/bulb*.map");
    TEST_DONE(folder,
              "entc build src -o out --source-map --check > said; test $? = 3 && "
              "grep -q 'would write out/mud.material.map' said && test $(wc -l < said) = 2");
    PRINTS(folder, " 2 compiled", "entc build src -o out --source-map -v");
    TEST_DONE(folder, CLEAN " && entc build src -o out --source-map --check");
    /* A blob without a source has no map. */
    TEST_DONE(folder,
              "rm src/empty.level.json plain/empty.level && entc index plain && "
              "entc build src -o out --source-map && ! test -e out/empty.level.map && " CLEAN);
    /* Maps are no longer requested; a recorded one is removed, whatever it contains. */
    test_write_text(folder, "out/bulb.entity.map", "a map of mine\n");
    TEST_DONE(folder,
              "entc build src -o out --dry-run | grep -q 'would remove out/town.level.map'");
    PRINTS(folder, "0 compiled", "entc build src -o out -v");
    TEST_DONE(folder, "diff -r plain out");
    /* The record of the last build was lost. */
    TEST_DONE(folder, "entc build src -o out --source-map && rm -r .out.entc && "
                      "entc build src -o out && diff -r plain out");
    free(folder);
}

static void source_maps_from_cache_equal_compiled_ones(void** state) {
    char* folder = tree_new("map_cache");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --cache c && rm -r out .out.entc");
    PRINTS(folder, "14 compiled, 0 from", "entc build src -o out --cache c --source-map -v");
    TEST_DONE(folder, CLEAN " && rm -r out .out.entc");
    PRINTS(folder, " 0 compiled, 14 from", "entc build src -o out --cache c --source-map -v");
    TEST_DONE(folder, CLEAN);
    PRINTS(folder, "", "rm -r out .out.entc; entc build src -o out --cache c");
    TEST_DONE(folder, "! test -e out/town.level.map");
    /* The same content in another file: blobs are found, maps are not. */
    TEST_DONE(folder, "cp src/lamp.entity.json src/lamp.fr.entity.json && rm -r out .out.entc && "
                      "entc build src -o out --cache c --source-map --lang fr && "
                      "grep -qx 'file lamp.fr.entity.json .*' out/town.level.map && "
                      "rm -r src/lamp.fr.entity.json out .out.entc && "
                      "entc build src -o out --cache c --source-map --lang fr && "
                      "grep -qx 'file lamp.entity.json .*' out/town.level.map && " CLEAN);
    free(folder);
}

static void compile_with_source_map_writes_and_removes_one_map(void** state) {
    char* folder = tree_new("map_compile");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --source-map && "
                      "entc compile src town.level -o one/town.level --source-map && "
                      "entc compile src models/lamp/pole.mesh -o one/x --source-map && "
                      "cmp one/town.level.map out/town.level.map && "
                      "cmp one/x.map out/models/lamp/pole.mesh.map");
    PRINTS(folder, "would remove one/x.map",
           "entc compile src models/lamp/pole.mesh -o one/x --check");
    TEST_DONE(folder, "entc compile src models/lamp/pole.mesh -o one/x && ! test -e one/x.map && "
                      "echo mine > one/x.map && entc compile src models/lamp/pole.mesh -o one/x && "
                      "grep -q mine one/x.map");
    PRINTS(folder, "cannot write \"one/y.map\"",
           "mkdir -p one/y.map; entc compile src mud.material -o one/y --source-map");
    free(folder);
}

/* Commands that read folders do not treat a map as a blob. */
static void commands_on_folder_with_source_maps_ignore_them(void** state) {
    char* folder = tree_new("map_folders");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o a && entc build src -o b --source-map && entc diff a b && "
                      "entc info a > 1 && entc info b > 2 && cmp 1 2 && entc verify -q b && "
                      "entc pack a -o 1.pak && entc pack b -o 2.pak && cmp 1.pak 2.pak");
    TEST_DONE(folder, "entc verify b/*.map b/*/*.map | grep -c ': ok (source map of ' > n && "
                      "test $(cat n) = $(find b -name '*.map' | wc -l | xargs -I{} expr {} - 4)");
    free(folder);
}

/* --- maps used by commands --- */

static void diff_with_source_maps_names_places_of_changes(void** state) {
    char* folder = tree_new("map_diff");
    UNUSED(state);
    TEST_DONE(folder,
              "entc build src -o a --source-map && "
              "sed -i 's/\"range_m\": 4/\"range_m\": 5/; 1s/{/{\\n/' src/lamp.entity.json && "
              "sed -i 's/\"name\": \"d\"/\"name\": \"f\"/' src/town.level.json && "
              "entc build src -o b --source-map; cp -r b plain; rm plain/*.map");
    PRINTS(folder,
           "~ a/one/bulb: light[0].range_m: 4 -> 5    lamp.entity.json:5:13 -> "
           "lamp.entity.json:6:13\n",
           "entc diff a/town.level b/town.level");
    PRINTS(folder, "- entity c/d    town.level.json:7:80\n", "entc diff a/town.level b/town.level");
    PRINTS(folder, "+ entity c/f    town.level.json:7:80\n", "entc diff a b");
    PRINTS(folder, "range_m: 4 -> 5    lamp.entity.json:6:13\n",
           "entc diff a/town.level b/town.level > 1; rm a/town.level.map; entc diff a b");
    PRINTS(folder, "range_m: 4 -> 5\n", "entc diff a/town.level plain/town.level");
    PRINTS(folder,
           "\"a\": 4, \"b\": 5, \"source_b\": {\"file\": \"lamp.entity.json\", \"line\": 6, "
           "\"column\": "
           "13}}",
           "entc diff a b --json");
    free(folder);
}

static void annotated_dump_with_source_map_names_places(void** state) {
    char* folder = tree_new("map_annotate");
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --source-map");
    PRINTS(folder,
           "].range_m: distance beyond which nothing is lit (m)  <- lamp.entity.json:5:13 in the "
           "prefab \"lamp\" "
           "instanced at lantern.entity.json:2:6, in the prefab \"lantern\" instanced at "
           "street.entity.json:2:3, in the prefab \"street\" instanced at town.level.json:1:17\n",
           "entc dump --annotate out/town.level");
    PRINTS(folder, "# source: mud.material.json:2:3\n", "entc dump --annotate out/mud.material");
    TEST_DONE(folder, "entc dump --annotate out/town.level > 1; rm out/town.level.map; "
                      "entc dump --annotate out/town.level > 2; "
                      "sed 's/  <- .*//; /^# source/d' 1 | cmp - 2 && ! cmp -s 1 2");
    free(folder);
}

/* A word of the range of the second light becomes invalid. */
static void verify_of_damaged_blob_with_source_map_names_place(void** state) {
    char*     folder = tree_new("map_verify");
    char      path[1200];
    BlobFile  file;
    SourceMap map;
    size_t    bytes;
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --source-map");
    snprintf(path, sizeof path, "%s/out/town.level", folder);
    assert_int_equal(blob_file_open(&file, path, NULL), 0);
    assert_true(sources_open(&map, &file));
    BlobTables       t = tables_open(&file.blob, &file.known);
    const Instances* lights = NULL;
    for (u32 i = 0; i < t.component_count; i++) {
        if (strcmp(t.component[i].type->record.name, "light") == 0) lights = &t.component[i];
    }
    assert_non_null(lights);
    const size_t at = (size_t)(instance_field(lights, 0, 3) - file.blob.bytes);
    u8*          copy = test_read(path, &bytes);
    copy[at + 3] ^= 0x80; /* below 0 */
    test_write(folder, "out/town.level", copy, bytes);
    PRINTS(folder, "range_m at offset", "entc verify out/town.level");
    PRINTS(folder,
           "lamp.entity.json:5:13: note: light[0] is defined here\n"
           "lantern.entity.json:2:6: note: in the prefab \"lamp\", instanced here\n"
           "street.entity.json:2:3: note: in the prefab \"lantern\", instanced here\n"
           "town.level.json:1:17: note: in the prefab \"street\", instanced here\n",
           "entc verify out/town.level");
    copy[offsetof(BlobHeader, hash)] ^= 1; /* now its build is unknown, but not its source */
    test_write(folder, "out/town.level", copy, bytes);
    PRINTS(folder,
           "out/town.level.map: note: the source map is not used: it does not belong to the "
           "current content",
           "entc verify out/town.level");
    TEST_DONE(folder, "entc verify out/town.level 2>&1 | grep -c note: | grep -qx 2");
    free(copy);
    tables_close(&t);
    source_map_close(&map);
    blob_file_close(&file);
    free(folder);
}

/* --- damage --- */

static void lookups_of(const EntSourceMap* map) {
    SourcePlace p;
    for (u32 i = 0; i < map->entities.count; i++) {
        for (int more = ent_source_map_entity(map, i, &p); more;)
            more = ent_source_map_outer(map, &p);
    }
    for (u32 c = 0; c < map->component_count; c++) {
        const EntSourceRows* rows = &map->component[c];
        for (u32 row = 0; row < rows->count; row++) {
            for (u32 f = 0; f < 4; f++) {
                int more = ent_source_map_field(map, rows->component, row, f, &p);
                while (more) more = ent_source_map_outer(map, &p);
            }
        }
    }
}

/* Writes a map and opens it; `fixed`: with a matching checksum at its end. */
static bool opens(const char* folder, char* text, size_t bytes, bool fixed, u64 hash) {
    char      path[1200], end[32];
    SourceMap map;
    if (fixed && bytes > 23) {
        snprintf(end, sizeof end, "end 0x%016llx\n",
                 (unsigned long long)hash_bytes(text, bytes - 23, 0));
        memcpy(text + bytes - 23, end, 23);
    }
    FILE* out = fopen((snprintf(path, sizeof path, "%s/x.map", folder), path), "wb");
    fwrite(text, 1, bytes, out);
    fclose(out);
    path[strlen(path) - 4] = 0;
    const bool valid = source_map_open(&map, path, hash);
    if (valid) lookups_of(&map.reader);
    source_map_close(&map);
    return valid;
}

/* Redirects standard error to nowhere; returns what silence_end needs to restore it. */
static int silence(void) {
    const int kept = dup(STDERR_FILENO);
    fflush(stderr);
    if (!freopen("/dev/null", "w", stderr)) fail();
    return kept;
}

static void silence_end(int kept) {
    fflush(stderr);
    dup2(kept, STDERR_FILENO);
    close(kept);
}

static void source_map_with_any_changed_byte_is_refused_or_usable(void** state) {
    static const char masks[] = {0x01, 0x10, 0x40};
    char*             folder = tree_new("map_damage");
    char              path[1200];
    size_t            bytes;
    u64               hash = 0;
    u32               taken = 0;
    UNUSED(state);
    TEST_DONE(folder, "entc build src -o out --source-map");
    snprintf(path, sizeof path, "%s/out/lantern.entity.map", folder);
    char* complete = (char*)test_read(path, &bytes);
    char* copy = malloc(bytes + 1);
    hash = strtoull(strstr(complete, "blob 0x") + 7, NULL, 16);
    const int  kept = silence();
    const bool valid = opens(folder, complete, bytes, false, hash);
    const bool other = opens(folder, complete, bytes, false, hash ^ 1);
    u32        broken = 0;
    for (size_t i = 0; i < bytes; i++) {
        memcpy(copy, complete, bytes);
        broken += opens(folder, copy, i, false, hash);
        taken += opens(folder, copy, i, true, hash);
        for (u32 m = 0; m < COUNT_OF(masks); m++) {
            memcpy(copy, complete, bytes);
            copy[i] = (char)(copy[i] ^ masks[m]);
            broken += opens(folder, copy, bytes, false, hash);
            taken += opens(folder, copy, bytes, true, hash);
        }
    }
    silence_end(kept);
    assert_true(valid && !other);
    assert_int_equal(broken, 0);
    assert_true(taken > 50); /* another digit is another place; invalid places were refused */
    TEST_DONE(folder,
              "sed -i 3s/a/b/ out/lantern.entity.map; entc dump --annotate "
              "out/lantern.entity > 1 2> 2; rm out/*.map; entc dump --annotate "
              "out/lantern.entity | cmp - 1 && grep -c . 2 | grep -qx 1 && grep -qx "
              "'out/lantern.entity.map: note: the source map is not used: it is damaged.*' 2");
    free(complete);
    free(copy);
    free(folder);
}

/* Counts and numbers out of range, with a matching checksum. */
static void source_map_with_numbers_out_of_range_is_refused(void** state) {
#define LIE_HEAD SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile x.level.json\nfile p.entity.json 1:1>1\n"
    static const struct {
        const char* text;
        bool        valid;
    } rows[] = {
        {LIE_HEAD "resource 0:1:1\n", true},
        {LIE_HEAD "resource 0:1:1\nentities 2 9\n0:1:1>1\n1:1:1@0\n",
         true}, /* a file that contains itself */
        {LIE_HEAD "resource 0:1:1\nentities 1 9\n0:1:1\ncomponent light 1 8\n1:1:1@0\n", true},
        {LIE_HEAD "resource 2:1:1\n", false},
        {LIE_HEAD "resource 0:0:1\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 4294967294 0\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 2 0\n0:1:1\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:1:1\n0:1:1\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:1:1@0\n", false}, /* its own prefab */
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:1:1>2\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:1:1\ncomponent light 1 0\n0:1:1@1\n", false},
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:1:1\ncomponent light 1 0\n0:1:1 \n", false},
        {LIE_HEAD "resource 0:1:1\nentities 1 0\n0:99999999999:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile a\x1b[2J.json\nresource 0:1:1\n", false},
        {"entc source map 2\nblob 0x7 x.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile ../x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile /x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile a//x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.level\nfile .git/x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x\x1b[2J.level\nfile x.json\nresource 0:1:1\n", false},
        {SOURCE_MAP_MAGIC "blob 0x7 x.nothing\nfile x.json\nresource 0:1:1\n", false},
        {LIE_HEAD "resource 0:1:1\ncomponent light 0 8\ncomponent light 0 8\n", false},
    };
    char*     folder = strdup(test_folder("map_lies"));
    u32       wrong = 0;
    const int kept = silence();
    UNUSED(state);
    for (u32 i = 0; i < COUNT_OF(rows); i++) {
        char text[600];
        snprintf(text, sizeof text, "%send 0x0123456789abcdef\n", rows[i].text);
        if (opens(folder, text, strlen(text), true, 7) != rows[i].valid) wrong = i + 1;
    }
    silence_end(kept);
    if (wrong) fail_msg("%s", rows[wrong - 1].text);
    free(folder);
}

/* The search for a field visits each layer of a row once. */
static void source_map_with_100000_layers_is_searched_in_linear_time(void** state) {
    const u32     layers = 100000;
    char*         folder = strdup(test_folder("map_layers"));
    char*         text = malloc(layers * 16 + 400);
    const clock_t begun = clock(); /* of the processor, whatever else the machine does */
    UNUSED(state);
    size_t bytes = (size_t)sprintf(text, LIE_HEAD "resource 0:1:1\nentities 1 9\n0:1:1\n"
                                                  "component light 1 8\n");
    for (u32 i = 0; i < layers; i++) {
        bytes += (size_t)sprintf(text + bytes, "%s0:1:%u=0", i ? " " : "", i + 1);
    }
    bytes += (size_t)sprintf(text + bytes, "\nend 0x0123456789abcdef\n");
    assert_true(opens(folder, text, bytes, true, 7));
    assert_true(clock() - begun < 2 * CLOCKS_PER_SEC);
    free(text);
    free(folder);
}

TEST_SUITE(source_map) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(source_map_of_town_refers_to_place_of_every_value),
        cmocka_unit_test(source_map_of_nested_prefabs_refers_to_every_layer),
        cmocka_unit_test(source_map_compiled_by_threads_equals_map_of_one_thread),
        cmocka_unit_test(build_with_source_maps_reports_the_same_errors),
        cmocka_unit_test(source_maps_are_written_kept_and_removed_with_their_blobs),
        cmocka_unit_test(source_maps_from_cache_equal_compiled_ones),
        cmocka_unit_test(compile_with_source_map_writes_and_removes_one_map),
        cmocka_unit_test(commands_on_folder_with_source_maps_ignore_them),
        cmocka_unit_test(diff_with_source_maps_names_places_of_changes),
        cmocka_unit_test(annotated_dump_with_source_map_names_places),
        cmocka_unit_test(verify_of_damaged_blob_with_source_map_names_place),
        cmocka_unit_test(source_map_with_any_changed_byte_is_refused_or_usable),
        cmocka_unit_test(source_map_with_numbers_out_of_range_is_refused),
        cmocka_unit_test(source_map_with_100000_layers_is_searched_in_linear_time),
    };
    return TEST_RUN("source_map", tests);
}
